#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <lento/expression/engine.hpp>

namespace lento {

using compiled_formulas = std::shared_ptr<expression::engine const>;

/// Functions g(q, t) of a problem, constraints or springs, with all that is known of them.
struct constraint_formulas {
    std::size_t count = 0;
    bool uses_time = false;
    compiled_formulas values;    ///< g
    compiled_formulas change;    ///< g(q + d, t + dt) - g(q, t), the direction being d, then dt
    compiled_formulas rate;      ///< along a motion
    compiled_formulas curvature; ///< the second derivative along a motion of constant velocity
    compiled_formulas gradients; ///< contributions to the entries of g'
    compiled_formulas turning;   ///< of springs: their derivatives along the direction; else null
    /// Where each contribution belongs: the row (a constraint) and the column (a coordinate); those at one place add
    /// up. A row number of `count` marks one that is always zero.
    std::vector<std::pair<std::size_t, std::size_t>> places;
};

} // namespace lento
