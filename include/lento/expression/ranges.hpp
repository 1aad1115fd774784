#pragma once

#include "lento/expression/graph.hpp"

#include <span>
#include <vector>

namespace lento::expression {

/// A loop variable with what is known about it at some place of a formula, outermost first in a list of them.
struct known_range {
    variable of;
    std::vector<affine> lower;
    std::vector<affine> upper;
};

/// The largest and smallest value an index can take, by eliminating the variables from the innermost outwards.
std::int64_t largest(affine const& index, std::span<known_range const> known);
std::int64_t smallest(affine const& index, std::span<known_range const> known);

/// The variables an index depends on, directly or through bounds, outermost first.
std::vector<known_range> ranges_of(graph const& g, affine const& index);

/// Drops bounds that another one makes superfluous; false when the range is empty whatever the outer variables are.
bool tidy(loop_bounds& bounds, std::span<known_range const> outer);

} // namespace lento::expression
