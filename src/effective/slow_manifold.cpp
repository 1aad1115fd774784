#include <lento/effective/slow_manifold.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include <lento/base/dense_solve.hpp>

namespace lento {

window cubic_window(double omega) {
    double const period = 2 * std::numbers::pi / omega;
    return {.kernel = cubic{}, .length = 6 * period, .step = period / 6, .unchecked = true};
}

namespace detail {

void notch_weights(std::span<double const> angles, int steps, std::array<long double, longest_notch + 1>& out) {
    // the shortest weights that meet the conditions (mass 1, second moment 0, zeros at the angles): a filter that is
    // made flatter or deeper than that amplifies between its zeros
    using real = long double;
    constexpr std::size_t most = longest_notch + 2;
    auto const size = static_cast<std::size_t>(steps) + 1;
    // where there are enough weights the zeros are double: the normals turn while the springs oscillate along them
    bool const doubled = size >= 2 * angles.size() + 2;
    std::size_t const n = (doubled ? 2 : 1) * angles.size() + 2;
    std::array<std::array<real, longest_notch + 1>, most> condition{};
    for (std::size_t k = 0; k < size; ++k) {
        real const x = static_cast<real>(k) / static_cast<real>(steps);
        condition[0][k] = 1;
        condition[1][k] = x * x;
        for (std::size_t j = 0; j < angles.size(); ++j) {
            real const turned = static_cast<real>(k) * angles[j];
            condition[2 + j][k] = std::cos(turned);
            if (doubled) condition[2 + angles.size() + j][k] = x * std::sin(turned);
        }
    }
    auto const both_sides = [](std::size_t k) { return k == 0 ? real(1) : real(2); };
    std::array<real, most * most> a{};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            for (std::size_t k = 0; k < size; ++k) a[i * n + j] += both_sides(k) * condition[i][k] * condition[j][k];
    // modes of one frequency ask for the same zero twice
    static_cast<void>(factor_symmetric(std::span<real>(a), n, [](real& pivot, real whole) {
        pivot = std::max(pivot, real(1e-14) * whole);
        return true;
    }));
    // a mass that misses 1 slows the motion down at every step: refine until the conditions hold to the last digit
    out.fill(0);
    for (int round = 0; round < 8; ++round) {
        std::array<real, most> x{};
        x[0] = 1;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < size; ++k) x[i] -= both_sides(k) * condition[i][k] * out[k];
        solve_symmetric(std::span<real const>(a), std::span<real>(x).first(n));
        for (std::size_t k = 0; k < size; ++k)
            for (std::size_t i = 0; i < n; ++i) out[k] += x[i] * condition[i][k];
    }
}

namespace {

/// Those frequencies that a filter needs zeros for; too many for any are cut off.
struct zeros_of {
    std::array<double, longest_notch + 1> values{};
    std::size_t count = 0;
    explicit zeros_of(std::span<double const> band) {
        double first = 0; // of those that share a zero
        for (double const frequency : band) {
            if (count > 0 && frequency - first <= 1e-3 * frequency) {
                values[count - 1] = (first + frequency) / 2;
                continue;
            }
            if (count == values.size()) return;
            values[count++] = first = frequency;
        }
    }
    [[nodiscard]] int least_steps() const { return static_cast<int>(count) + 1; }
};

constexpr double most_amplified = 2; ///< noise, by a fitted filter: the sum of its weights' sizes

} // namespace

double notch::amplification(std::span<double const> angles, int steps) {
    notch_weights(angles, steps, weights_);
    steps_ = steps;
    long double sum = std::abs(weights_[0]);
    for (int k = 1; k <= steps; ++k) sum += 2 * std::abs(weights_[static_cast<std::size_t>(k)]);
    return static_cast<double>(sum);
}

bool notch::tune(std::span<double const> band, double h) {
    zeros_of zeros(band);
    auto const angles = std::span(zeros.values).first(zeros.count);
    for (auto& angle : angles) angle = 2 * std::asin(std::min(0.999, angle * h / 2));
    if (given_ > 0) {
        if (given_ < zeros.least_steps()) return false;
        static_cast<void>(amplification(angles, given_));
        return true;
    }
    // at most one step shorter than the last time: frequencies change little from window to window
    int const least = 2 * static_cast<int>(zeros.count) + 1;
    for (int steps = std::max(least, steps_ - 1); steps <= longest_notch; ++steps)
        if (amplification(angles, steps) <= most_amplified) return true;
    return false;
}

std::string notch::objection(int steps, std::span<double const> band) {
    int const least = zeros_of(band).least_steps();
    if (steps == projection_options::fitted || (steps >= least && steps <= longest_notch)) return {};
    return "a notch filter for " + std::to_string(least - 1) + " frequencies takes " + std::to_string(least) + " to " +
           std::to_string(longest_notch) + " steps a side, but it has " + std::to_string(steps) +
           "; -1 fits it to them";
}

} // namespace detail
} // namespace lento
