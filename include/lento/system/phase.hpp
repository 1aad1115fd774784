#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <type_traits>

namespace lento {

template <class T> inline constexpr T two_pi = T(2) * std::numbers::pi_v<T>;

/// One phase is a number, several are an array: what a user's force sees as theta.
template <class T, std::size_t Phases> using phases = std::conditional_t<Phases == 1, T, std::array<T, Phases>>;

/// start + frequency t, reduced modulo 2 pi. The rounding error of the product and of 2 pi itself are carried along:
/// at frequency 1e8 the plain product loses 1e-8 radians.
template <class T> [[nodiscard]] inline T reduced_phase(T start, T frequency, T t) {
    using std::fma;
    using std::remainder;
    using std::round;
    if constexpr (std::is_same_v<T, double>) {
        constexpr double two_pi_tail = 2.4492935982947064e-16; // 2 pi - double(2 pi)
        double const turned = frequency * t;
        double const lost = fma(frequency, t, -turned);
        double const turns = round(turned / two_pi<double>);
        double const angle = fma(-turns, two_pi_tail, fma(-turns, two_pi<double>, turned)) + lost;
        double const phase = start + angle;
        return std::abs(phase) <= two_pi<double> / 2 ? phase : remainder(phase, two_pi<double>); // remainder is slow
    } else {
        return remainder(start + frequency * t, two_pi<T>);
    }
}

} // namespace lento
