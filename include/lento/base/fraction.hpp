#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace lento {

/// A fraction of whole numbers of any length, "-16867/2723635603703291904", as a T: tables of coefficients stand in the
/// code as they were published, and are right in every number type.
template <class T> [[nodiscard]] constexpr T fraction(std::string_view text) {
    if constexpr (std::is_floating_point_v<T> && sizeof(T) < sizeof(long double)) {
        return static_cast<T>(fraction<long double>(text)); // whole numbers are rounded several times, the result once
    } else {
        constexpr std::size_t block = 18; // so many digits fit into 64 bits
        bool const negative = text.starts_with('-');
        if (negative) text.remove_prefix(1);
        std::array<T, 2> parts{T(0), T(1)};
        for (T& part : parts) {
            std::string_view digits = text.substr(0, text.find('/'));
            text.remove_prefix(digits.size() < text.size() ? digits.size() + 1 : text.size());
            if (digits.empty()) continue;
            for (part = T(0); !digits.empty();) {
                std::int64_t value = 0;
                std::int64_t size = 1;
                for (char const digit : digits.substr(0, block)) {
                    value = 10 * value + (digit - '0');
                    size *= 10;
                }
                part = part * T(size) + T(value);
                digits.remove_prefix(digits.size() < block ? digits.size() : block);
            }
        }
        T const quotient = parts[0] / parts[1];
        return negative ? -quotient : quotient;
    }
}

} // namespace lento
