#include <lento/base/misuse.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace lento {

std::string show(double value) {
    std::array<char, 32> text{}; // not by printf, which would write a comma where the locale has one
    auto const end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6).ptr;
    return {text.data(), end};
}

void require_finite(std::string_view what, double value) {
    if (!std::isfinite(value)) throw misuse(std::string(what) + " must be finite, but it is " + show(value));
}

void require_positive(std::string_view what, double value) {
    if (!(std::isfinite(value) && value > 0))
        throw misuse(std::string(what) + " must be finite and positive, but it is " + show(value));
}

void require_size(std::string_view what, std::size_t given, std::size_t wanted) {
    if (given != wanted)
        throw misuse(std::string(what) + " has " + std::to_string(given) + " entries, but the system has " +
                     std::to_string(wanted) + " coordinates");
}

} // namespace lento
