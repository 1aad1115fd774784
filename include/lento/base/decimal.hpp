#pragma once

#include <string>

namespace lento {

/// Digits, a decimal point and an exponent as a number, to the last bit; for double and long double. Not by
/// std::from_chars, which libc++ lacks for numbers that are not whole, nor as the locale that a program has set writes
/// numbers, perhaps with a comma. What is beyond the largest number becomes infinite.
template <class T> [[nodiscard]] T decimal(std::string const& digits);
template <> [[nodiscard]] double decimal<double>(std::string const& digits);
template <> [[nodiscard]] long double decimal<long double>(std::string const& digits);

} // namespace lento
