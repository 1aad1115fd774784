#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace lento {

/// A number with its derivatives along N directions, exact to rounding (forward differentiation): one call of a user's
/// function gives its whole gradient. Functions must be generic in their scalar and call sin, cos, sqrt ...
/// unqualified. Nests for second derivatives.
template <class T, std::size_t N> struct gradient {
    T value{};
    std::array<T, N> slope{};

    constexpr gradient() = default;
    constexpr gradient(T v, std::array<T, N> const& s) : value(v), slope(s) {}
    constexpr gradient(T v, T s)
        requires(N == 1)
        : value(v), slope{s} {}
    template <class U>
        requires(std::is_arithmetic_v<U> || std::is_same_v<U, T>)
    constexpr gradient(U v) : value(T(v)) {} // NOLINT(google-explicit-constructor): constants have no slope

    /// The i-th of N variables.
    [[nodiscard]] static constexpr gradient variable(T v, std::size_t i) {
        gradient made(v);
        made.slope[i] = T(1);
        return made;
    }

    constexpr gradient& operator+=(gradient const& b) { return *this = *this + b; }
    constexpr gradient& operator-=(gradient const& b) { return *this = *this - b; }
    constexpr gradient& operator*=(gradient const& b) { return *this = *this * b; }
    constexpr gradient& operator/=(gradient const& b) { return *this = *this / b; }

    friend constexpr gradient operator+(gradient const& a) { return a; }
    friend constexpr gradient operator-(gradient const& a) { return chain(a, -a.value, T(-1)); }
    friend constexpr gradient operator+(gradient const& a, gradient const& b) {
        return chain(a, T(1), b, T(1), a.value + b.value);
    }
    friend constexpr gradient operator-(gradient const& a, gradient const& b) {
        return chain(a, T(1), b, T(-1), a.value - b.value);
    }
    friend constexpr gradient operator*(gradient const& a, gradient const& b) {
        return chain(a, b.value, b, a.value, a.value * b.value);
    }
    friend constexpr gradient operator/(gradient const& a, gradient const& b) {
        T const inverse = T(1) / b.value;
        T const quotient = a.value / b.value;
        return chain(a, inverse, b, -quotient * inverse, quotient);
    }
    friend constexpr bool operator<(gradient const& a, gradient const& b) { return a.value < b.value; }
    friend constexpr bool operator>(gradient const& a, gradient const& b) { return a.value > b.value; }
    friend constexpr bool operator<=(gradient const& a, gradient const& b) { return a.value <= b.value; }
    friend constexpr bool operator>=(gradient const& a, gradient const& b) { return a.value >= b.value; }

    friend gradient sin(gradient const& a) {
        using std::cos;
        using std::sin;
        return chain(a, sin(a.value), cos(a.value));
    }
    friend gradient cos(gradient const& a) {
        using std::cos;
        using std::sin;
        return chain(a, cos(a.value), -sin(a.value));
    }
    friend gradient tan(gradient const& a) {
        using std::tan;
        T const t = tan(a.value);
        return chain(a, t, T(1) + t * t);
    }
    friend gradient sqrt(gradient const& a) {
        using std::sqrt;
        T const root = sqrt(a.value);
        return chain(a, root, T(1) / (T(2) * root));
    }
    friend gradient exp(gradient const& a) {
        using std::exp;
        T const e = exp(a.value);
        return chain(a, e, e);
    }
    friend gradient log(gradient const& a) {
        using std::log;
        return chain(a, log(a.value), T(1) / a.value);
    }
    friend gradient abs(gradient const& a) { return a.value < T(0) ? -a : a; }
    friend gradient pow(gradient const& a, double power) {
        using std::pow;
        return chain(a, pow(a.value, power), T(power) * pow(a.value, power - 1));
    }
    friend gradient hypot(gradient const& a, gradient const& b) { return sqrt(a * a + b * b); }
    friend gradient atan2(gradient const& y, gradient const& x) {
        using std::atan2;
        T const square = x.value * x.value + y.value * y.value;
        return chain(y, x.value / square, x, -y.value / square, atan2(y.value, x.value));
    }

private:
    static constexpr gradient chain(gradient const& a, T value, T by_a) {
        gradient made(value);
        for (std::size_t i = 0; i < N; ++i) made.slope[i] = by_a * a.slope[i];
        return made;
    }
    static constexpr gradient chain(gradient const& a, T by_a, gradient const& b, T by_b, T value) {
        gradient made(value);
        for (std::size_t i = 0; i < N; ++i) made.slope[i] = by_a * a.slope[i] + by_b * b.slope[i];
        return made;
    }
};

/// A number with its derivative along one direction.
template <class T> using dual = gradient<T, 1>;

} // namespace lento
