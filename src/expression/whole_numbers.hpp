#pragma once

#include <cstdint>
#include <utility>

namespace lento::expression {

/// Whole numbers that hold every product of two of 64 bits.
__extension__ typedef __int128 wide; // NOLINT(modernize-use-using): an alias cannot be marked as an extension

/// a/b towards minus infinity; b is positive.
constexpr std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// a modulo b, from 0 to b - 1; b is positive.
constexpr std::int64_t remainder_of(wide a, std::int64_t b) {
    auto const left = static_cast<std::int64_t>(a % b);
    return left < 0 ? left + b : left;
}

/// The x from 0 to m - 1 with a*x = b modulo m, for a that has no divisor in common with m (Euclid's algorithm).
constexpr std::int64_t solved_modulo(std::int64_t a, std::int64_t b, std::int64_t m) {
    std::pair<wide, wide> value{m, remainder_of(a, m)};
    std::pair<wide, wide> factor{0, 1};
    while (value.second != 0) {
        auto const times = value.first / value.second;
        value = {value.second, value.first - times * value.second};
        factor = {factor.second, factor.first - times * factor.second};
    }
    return remainder_of(wide{remainder_of(factor.first, m)} * remainder_of(b, m), m);
}

} // namespace lento::expression
