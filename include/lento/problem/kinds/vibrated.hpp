#pragma once

#include <string_view>
#include <vector>

#include <lento/problem/function_formulas.hpp>

namespace lento {

/// M x'' = f(x, x', theta, t), theta_j = frequency_j t + phase_j, and perhaps constraints.
struct vibrated_kind {
    static constexpr std::string_view name = "vibrated";
    static constexpr bool has_slow_state = true;
    std::vector<double> frequencies{};
    std::vector<double> phases{};
    expression::formula slow_velocity{}; ///< of a physical state, or none
    function_formulas constraints{};
    bool even = false; ///< in theta: claimed, and checked when a file is read
};

} // namespace lento
