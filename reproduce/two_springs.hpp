#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

/// What all experiments of paper 000 share: its window, its code's tolerances, its times.
namespace lento::reproduce {

/// 20 periods of 6 Verlet steps each. The paper writes the filter over [-eta/2, eta/2] with 2 eta = 20 periods; what it
/// prints comes out over [-eta, eta].
inline window twenty_periods(double omega, int moments = 1) {
    double const period = 2 * std::numbers::pi / omega;
    return {.kernel = exponential{.moments = moments}, .length = 20 * period, .step = period / 6, .unchecked = true};
}

/// The control of the paper's adaptive runs, with the tolerances of tables and of references.
inline constexpr dormand_prince loose{.rtol = 1e-3, .atol = 1e-6, .control = control_rule::ode45};
inline constexpr dormand_prince tight{.rtol = 1e-6, .atol = 1e-9, .control = control_rule::ode45};

/// start, start + 0.25, ... up to the end: where the paper samples its adaptive runs.
inline std::vector<double> quarters(double start, double end) {
    std::vector<double> times;
    for (int k = 0; start + 0.25 * k <= end; ++k) times.push_back(start + 0.25 * k);
    return times;
}

/// The largest error in a coordinate at a point.
template <class Vector> double distance(Vector const& a, Vector const& b) {
    double largest = 0;
    for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
    return largest;
}

/// The largest error in position along a run, against a reference at the same times.
template <class State> double position_error(solution<State> const& run, solution<State> const& reference) {
    if (!run) return std::nan("");
    double error = 0;
    for (std::size_t i = 0; i < run.position.size(); ++i)
        error = std::max(error, distance(run.position[i], reference.position[i]));
    return error;
}

} // namespace lento::reproduce
