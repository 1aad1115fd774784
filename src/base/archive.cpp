#include <lento/base/archive.hpp>

#include <lento/base/misuse.hpp>

namespace lento {

void detail::refuse_archive(std::size_t numbers) {
    throw misuse("these " + std::to_string(numbers) +
                 " numbers are not those of such a run: give back what was written, to the same system and stepper");
}

void archive::put(double number) { numbers_.push_back(number); }

double archive::next() {
    if (next_ >= numbers_.size()) detail::refuse_archive(numbers_.size());
    return numbers_[next_++];
}

void archive::write_whole(std::uint64_t x) {
    put(static_cast<double>(x >> 32U));
    put(static_cast<double>(x & 0xffffffffU));
}

std::uint64_t archive::read_whole() {
    constexpr double half = 4294967296.; // 2^32
    double const high = next();
    double const low = next();
    for (double const each : {high, low})
        if (!(each >= 0 && each < half && each == std::floor(each))) detail::refuse_archive(numbers_.size());
    return (static_cast<std::uint64_t>(high) << 32U) + static_cast<std::uint64_t>(low);
}

void archive::write_numbers(std::span<double const> all) {
    write_whole(all.size());
    numbers_.insert(numbers_.end(), all.begin(), all.end());
}

void archive::read_numbers(std::span<double> all) {
    for (double& each : all) each = next();
}

} // namespace lento
