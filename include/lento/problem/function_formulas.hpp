#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <lento/expression/formula.hpp>

namespace lento {

/// Functions g(q, t) of a problem, constraints or springs, with all that is known of them: as formulas, or compiled.
template <class Formula> struct functions_as {
    std::size_t count = 0;
    bool uses_time = false;
    Formula values{};    ///< g
    Formula change{};    ///< g(q + d, t + dt) - g(q, t), the direction being d, then dt
    Formula rate{};      ///< along a motion
    Formula curvature{}; ///< the second derivative along a motion of constant velocity
    Formula gradients{}; ///< contributions to the entries of g'
    Formula turning{};   ///< of springs: their derivatives along the direction
    /// Where each contribution belongs: the row (a function) and the column (a coordinate); those at one place add up.
    /// A row number of `count` marks one that is always zero.
    std::vector<std::pair<std::size_t, std::size_t>> places{};
};

using function_formulas = functions_as<expression::formula>;
using compiled_functions = functions_as<std::shared_ptr<expression::engine const>>;

/// Of constraints nobody asks how their gradients turn; of springs somebody does.
enum class functions_of { constraints, springs };
[[nodiscard]] compiled_functions compile(function_formulas const& all, expression::engine_kind with,
                                         functions_of what = functions_of::constraints);

} // namespace lento
