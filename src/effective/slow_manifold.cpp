#include <lento/effective/slow_manifold.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lento {

window cubic_window(double omega) {
    double const period = 2 * std::numbers::pi / omega;
    return {.kernel = cubic{}, .length = 6 * period, .step = period / 6, .unchecked = true};
}

namespace detail {

void notch_weights(std::span<double const> angles, int steps, std::array<double, longest_notch + 1>& out) {
    // the shortest weights that meet the conditions (mass 1, second moment 0, zeros at the angles): a filter that is
    // made flatter or deeper than that amplifies between its zeros
    constexpr std::size_t most = longest_notch + 2;
    std::size_t const n = angles.size() + 2;
    auto const size = static_cast<std::size_t>(steps) + 1;
    auto const condition = [&](std::size_t row, std::size_t k) {
        double const x = static_cast<double>(k) / steps;
        if (row == 0) return 1.;
        return row == 1 ? x * x : std::cos(static_cast<double>(k) * angles[row - 2]);
    };
    auto const both_sides = [](std::size_t k) { return k == 0 ? 1. : 2.; };
    std::array<std::array<double, most>, most> a{};
    std::array<double, most> x{};
    x[0] = 1;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            for (std::size_t k = 0; k < size; ++k) a[i][j] += both_sides(k) * condition(i, k) * condition(j, k);
    // Cholesky; modes of one frequency ask for the same zero twice
    for (std::size_t j = 0; j < n; ++j) {
        double pivot = a[j][j] * (1 + 1e-13);
        for (std::size_t k = 0; k < j; ++k) pivot -= a[j][k] * a[j][k];
        a[j][j] = std::sqrt(std::max(pivot, 1e-14 * a[j][j]));
        for (std::size_t i = j + 1; i < n; ++i) {
            for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) x[i] -= a[k][i] * x[k];
        x[i] /= a[i][i];
    }
    out.fill(0);
    for (std::size_t k = 0; k < size; ++k)
        for (std::size_t i = 0; i < n; ++i) out[k] += x[i] * condition(i, k);
}

} // namespace detail
} // namespace lento
