#pragma once

#include <cmath>
#include <type_traits>

namespace lento {

/// A number and how much it changes: a user's function of increments gives g(x + d) - g(x) without cancellation,
/// however small d is. For a rod r that moves by h u it is h u (2 r + h u), well conditioned at every step size.
template <class T> struct increment {
    T value{};
    T change{};

    constexpr increment() = default;
    constexpr increment(T v, T c) : value(v), change(c) {}
    template <class U>
        requires(std::is_arithmetic_v<U> || std::is_same_v<U, T>)
    constexpr increment(U v) : value(T(v)) {} // NOLINT(google-explicit-constructor): constants do not change

    [[nodiscard]] constexpr T end() const { return value + change; }

    constexpr increment& operator+=(increment const& b) { return *this = *this + b; }
    constexpr increment& operator-=(increment const& b) { return *this = *this - b; }
    constexpr increment& operator*=(increment const& b) { return *this = *this * b; }
    constexpr increment& operator/=(increment const& b) { return *this = *this / b; }

    friend constexpr increment operator+(increment const& a) { return a; }
    friend constexpr increment operator-(increment const& a) { return {-a.value, -a.change}; }
    friend constexpr increment operator+(increment const& a, increment const& b) {
        return {a.value + b.value, a.change + b.change};
    }
    friend constexpr increment operator-(increment const& a, increment const& b) {
        return {a.value - b.value, a.change - b.change};
    }
    friend constexpr increment operator*(increment const& a, increment const& b) {
        return {a.value * b.value, a.change * b.end() + a.value * b.change};
    }
    friend constexpr increment operator/(increment const& a, increment const& b) {
        T const quotient = a.value / b.value;
        return {quotient, (a.change - quotient * b.change) / b.end()};
    }
    friend constexpr bool operator<(increment const& a, increment const& b) { return a.value < b.value; }
    friend constexpr bool operator>(increment const& a, increment const& b) { return a.value > b.value; }
    friend constexpr bool operator<=(increment const& a, increment const& b) { return a.value <= b.value; }
    friend constexpr bool operator>=(increment const& a, increment const& b) { return a.value >= b.value; }

    friend increment sin(increment const& a) {
        using std::cos;
        using std::sin;
        return {sin(a.value), T(2) * cos(a.value + a.change / T(2)) * sin(a.change / T(2))};
    }
    friend increment cos(increment const& a) {
        using std::cos;
        using std::sin;
        return {cos(a.value), T(-2) * sin(a.value + a.change / T(2)) * sin(a.change / T(2))};
    }
    friend increment tan(increment const& a) {
        using std::cos;
        using std::sin;
        using std::tan;
        return {tan(a.value), sin(a.change) / (cos(a.value) * cos(a.end()))};
    }
    friend increment sqrt(increment const& a) {
        using std::sqrt;
        T const root = sqrt(a.value);
        return {root, a.change == T(0) ? T(0) : a.change / (sqrt(a.end()) + root)};
    }
    friend increment exp(increment const& a) {
        using std::exp;
        using std::expm1;
        T const e = exp(a.value);
        return {e, e * expm1(a.change)};
    }
    friend increment log(increment const& a) {
        using std::log;
        using std::log1p;
        return {log(a.value), log1p(a.change / a.value)};
    }
    friend increment abs(increment const& a) {
        using std::abs;
        if (a.value >= T(0) && a.end() >= T(0)) return a;
        if (a.value <= T(0) && a.end() <= T(0)) return -a;
        return {abs(a.value), abs(a.end()) - abs(a.value)};
    }
    friend increment pow(increment const& a, double power) {
        using std::expm1;
        using std::log1p;
        using std::pow;
        T const before = pow(a.value, power);
        if (a.value > T(0) && a.end() > T(0)) return {before, before * expm1(T(power) * log1p(a.change / a.value))};
        return {before, pow(a.end(), power) - before};
    }
    friend increment hypot(increment const& a, increment const& b) { return sqrt(a * a + b * b); }
    friend increment atan2(increment const& y, increment const& x) {
        using std::atan2;
        return {atan2(y.value, x.value),
                atan2(y.change * x.value - x.change * y.value, x.value * x.end() + y.value * y.end())};
    }
};

} // namespace lento
