#pragma once

#include "lento/expression/graph.hpp"

#include <cmath>

namespace lento::expression {

/// The elementary operations as every engine must compute them; comparisons let "not a number" through.
template <class T> T minimum(T a, T b) { return a < b || a != a ? a : b; }
template <class T> T maximum(T a, T b) { return a > b || a != a ? a : b; }
template <class T> T sign_of(T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a; }
template <class T> T step_at(T a) { return a < 0 ? T(0) : a >= 0 ? T(1) : a; }

/// Calls `with` with the function object of a unary operation: one place says what each operation means.
template <class T, class With> decltype(auto) visit_unary(operation op, With&& with) {
    switch (op) {
    case operation::negate: return with([](T a) { return -a; });
    case operation::invert: return with([](T a) { return T(1) / a; });
    case operation::abs: return with([](T a) { return std::abs(a); });
    case operation::sign: return with([](T a) { return sign_of(a); });
    case operation::step: return with([](T a) { return step_at(a); });
    case operation::sqrt: return with([](T a) { return std::sqrt(a); });
    case operation::exp: return with([](T a) { return std::exp(a); });
    case operation::log: return with([](T a) { return std::log(a); });
    case operation::sin: return with([](T a) { return std::sin(a); });
    case operation::cos: return with([](T a) { return std::cos(a); });
    case operation::tan: return with([](T a) { return std::tan(a); });
    case operation::asin: return with([](T a) { return std::asin(a); });
    case operation::acos: return with([](T a) { return std::acos(a); });
    case operation::atan: return with([](T a) { return std::atan(a); });
    case operation::sinh: return with([](T a) { return std::sinh(a); });
    case operation::cosh: return with([](T a) { return std::cosh(a); });
    default: return with([](T a) { return std::tanh(a); });
    }
}

/// Calls `with` with the function object of a binary operation.
template <class T, class With> decltype(auto) visit_binary(operation op, With&& with) {
    switch (op) {
    case operation::add: return with([](T a, T b) { return a + b; });
    case operation::subtract: return with([](T a, T b) { return a - b; });
    case operation::multiply: return with([](T a, T b) { return a * b; });
    case operation::power: return with([](T a, T b) { return std::pow(a, b); });
    case operation::min: return with([](T a, T b) { return minimum(a, b); });
    case operation::max: return with([](T a, T b) { return maximum(a, b); });
    case operation::atan2: return with([](T a, T b) { return std::atan2(a, b); });
    case operation::divide: return with([](T a, T b) { return a / b; });
    default: return with([](T a, T b) { return std::hypot(a, b); });
    }
}

template <class T> T apply(operation op, T a) {
    return visit_unary<T>(op, [a](auto f) { return f(a); });
}
template <class T> T apply(operation op, T a, T b) {
    return visit_binary<T>(op, [a, b](auto f) { return f(a, b); });
}

} // namespace lento::expression
