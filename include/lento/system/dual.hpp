#pragma once

#include <cmath>
#include <type_traits>

namespace lento {

/// A number with a derivative along one direction: forward differentiation of a user's function, exact to rounding.
/// Functions must be generic in their scalar and call sin, cos, sqrt ... unqualified. Nests for second derivatives.
template <class T> struct dual {
    T value{};
    T slope{};

    constexpr dual() = default;
    constexpr dual(T v, T s) : value(v), slope(s) {}
    template <class U>
        requires(std::is_arithmetic_v<U> || std::is_same_v<U, T>)
    constexpr dual(U v) : value(T(v)) {} // NOLINT(google-explicit-constructor): constants are duals

    constexpr dual& operator+=(dual const& b) { return *this = *this + b; }
    constexpr dual& operator-=(dual const& b) { return *this = *this - b; }
    constexpr dual& operator*=(dual const& b) { return *this = *this * b; }
    constexpr dual& operator/=(dual const& b) { return *this = *this / b; }

    friend constexpr dual operator+(dual const& a) { return a; }
    friend constexpr dual operator-(dual const& a) { return {-a.value, -a.slope}; }
    friend constexpr dual operator+(dual const& a, dual const& b) { return {a.value + b.value, a.slope + b.slope}; }
    friend constexpr dual operator-(dual const& a, dual const& b) { return {a.value - b.value, a.slope - b.slope}; }
    friend constexpr dual operator*(dual const& a, dual const& b) {
        return {a.value * b.value, a.slope * b.value + a.value * b.slope};
    }
    friend constexpr dual operator/(dual const& a, dual const& b) {
        T const quotient = a.value / b.value;
        return {quotient, (a.slope - quotient * b.slope) / b.value};
    }
    friend constexpr bool operator<(dual const& a, dual const& b) { return a.value < b.value; }
    friend constexpr bool operator>(dual const& a, dual const& b) { return a.value > b.value; }
    friend constexpr bool operator<=(dual const& a, dual const& b) { return a.value <= b.value; }
    friend constexpr bool operator>=(dual const& a, dual const& b) { return a.value >= b.value; }

    friend dual sin(dual const& a) {
        using std::cos;
        using std::sin;
        return {sin(a.value), a.slope * cos(a.value)};
    }
    friend dual cos(dual const& a) {
        using std::cos;
        using std::sin;
        return {cos(a.value), -a.slope * sin(a.value)};
    }
    friend dual tan(dual const& a) {
        using std::tan;
        T const t = tan(a.value);
        return {t, a.slope * (T(1) + t * t)};
    }
    friend dual sqrt(dual const& a) {
        using std::sqrt;
        T const root = sqrt(a.value);
        return {root, a.slope / (T(2) * root)};
    }
    friend dual exp(dual const& a) {
        using std::exp;
        T const e = exp(a.value);
        return {e, a.slope * e};
    }
    friend dual log(dual const& a) {
        using std::log;
        return {log(a.value), a.slope / a.value};
    }
    friend dual abs(dual const& a) { return a.value < T(0) ? -a : a; }
    friend dual pow(dual const& a, double power) {
        using std::pow;
        return {pow(a.value, power), a.slope * T(power) * pow(a.value, power - 1)};
    }
    friend dual hypot(dual const& a, dual const& b) { return sqrt(a * a + b * b); }
    friend dual atan2(dual const& y, dual const& x) {
        using std::atan2;
        return {atan2(y.value, x.value),
                (y.slope * x.value - x.slope * y.value) / (x.value * x.value + y.value * y.value)};
    }
};

} // namespace lento
