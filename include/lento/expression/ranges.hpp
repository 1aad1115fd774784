#pragma once

#include "lento/expression/graph.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace lento::expression {

/// A loop variable with what is known about it at some place of a formula, outermost first in a list of them.
struct known_range {
    variable of;
    std::vector<affine> lower;
    std::vector<affine> upper;
};

/// Numbers no index of a formula may reach: what is at least as far from zero counts as not bounded at all.
inline constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

/// The largest and smallest value an index can take, by eliminating the variables from the innermost outwards: never
/// less than the truth, `unbounded` (or minus that) where it is not known or does not fit. Nothing wraps.
std::int64_t largest(affine const& index, std::span<known_range const> known);
std::int64_t smallest(affine const& index, std::span<known_range const> known);

/// Whether an index is computed within 63 bits, in whatever order its terms are added up.
bool is_computable(affine const& index, std::span<known_range const> known);

/// The variables an index depends on, directly or through bounds, outermost first.
std::vector<known_range> ranges_of(graph const& g, affine const& index);

/// Drops bounds that another one makes superfluous; false when the range is empty whatever the outer variables are.
bool tidy(loop_bounds& bounds, std::span<known_range const> outer);

} // namespace lento::expression
