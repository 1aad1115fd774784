#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <lento/problem/problem.hpp>

namespace lento::detail {

/// A problem seen as M x'' = -K x + s(x, t) with a constant K that makes its fast motion: what trigonometric
/// integrators know how to take apart. Of a stiff problem x is measured from the rest of its springs; of a split one it
/// is half of the variables, the other half being velocities.
struct oscillators {
    std::string lacking;                             ///< why the problem cannot be seen so; empty where it can
    std::vector<std::vector<long double>> stiffness; ///< of z = sqrt(M) x, by rows
    std::vector<double> root_mass;
    std::vector<double> rest;

    /// Of a split problem: the variables that are positions and velocities, and x_i' = rate_i times the latter.
    std::vector<std::size_t> positions;
    std::vector<std::size_t> velocities;
    std::vector<double> rates;

    [[nodiscard]] std::size_t size() const { return root_mass.size(); }
    [[nodiscard]] double fastest() const; ///< frequency
};

/// Takes the problem apart, or says why it cannot be. Structure is found by evaluating the formulas at places without a
/// pattern.
[[nodiscard]] oscillators find_oscillators(problem const& what);

} // namespace lento::detail
