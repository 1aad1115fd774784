#include <lento/effective/slow_path.hpp>

#include <cmath>
#include <cstddef>

namespace lento::detail {
namespace {

using matrix = nodal_polynomial::matrix;

/// Row p times the values gives the coefficient of s^p.
matrix coefficients(int reach) {
    switch (reach) {
    case 0: return {{{1}}};
    case 1: return {{{0, 1, 0}, {-1. / 2, 0, 1. / 2}, {1. / 2, -1, 1. / 2}}};
    default:
        return {{{0, 0, 1, 0, 0},
                 {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12},
                 {-1. / 24, 16. / 24, -30. / 24, 16. / 24, -1. / 24},
                 {-1. / 12, 2. / 12, 0, -2. / 12, 1. / 12},
                 {1. / 24, -4. / 24, 6. / 24, -4. / 24, 1. / 24}}};
    }
}

} // namespace

nodal_polynomial::nodal_polynomial(int reach) : size_(2 * static_cast<std::size_t>(reach) + 1) {
    auto const of_power = coefficients(reach);
    for (std::size_t k = 0; k < size_; ++k)
        for (std::size_t p = 0; p < size_; ++p) {
            double const s = place(k);
            auto const power = static_cast<double>(p);
            for (std::size_t l = 0; l < size_; ++l) {
                double const c = of_power[p][l];
                once[k][l] += c * std::pow(s, power + 1) / (power + 1);
                twice[k][l] += c * std::pow(s, power + 2) / ((power + 1) * (power + 2));
                if (p > 0) slope[k][l] += c * power * std::pow(s, power - 1);
                if (p > 1) bend[k][l] += c * power * (power - 1) * std::pow(s, power - 2);
            }
        }
}

} // namespace lento::detail
