#include <lento/stepper/trigonometric.hpp>

#include <cmath>

namespace lento::detail {

long double sinc_of(long double eigenvalue, long double h) {
    long double const x = h * std::sqrt(eigenvalue > 0 ? eigenvalue : 0);
    return std::abs(x) < 1e-6L ? 1 - x * x / 6 : std::sin(x) / x;
}

long double tanc_of_half(long double eigenvalue, long double h) {
    long double const half = h * std::sqrt(eigenvalue > 0 ? eigenvalue : 0) / 2;
    return std::abs(half) < 1e-6L ? 1 + half * half / 3 : std::tan(half) / half;
}

} // namespace lento::detail
