#include <lento/base/archive.hpp>

#include <lento/base/misuse.hpp>

namespace lento::detail {

void refuse_archive(std::size_t numbers) {
    throw misuse("these " + std::to_string(numbers) +
                 " numbers are not those of such a run: give back what was written, to the same system and stepper");
}

} // namespace lento::detail
