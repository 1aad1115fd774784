#pragma once

#include "lento/expression/graph.hpp"

#include <vector>

namespace lento::expression {

// Derivatives hold almost everywhere: abs' is sign (0 at 0), sign' and step' are 0 also at their jumps, and where
// min or max have equal arguments the first one counts.

/// The derivative along a direction: every element from[k] changes at the rate to[k], everything else stands still.
/// Applied twice (position along velocity) it gives g''[v, v].
node derivative_along(graph& g, node of, source from, source to);

/// The derivative along a motion: positions change with their velocities, t with 1; velocities stand still.
node time_derivative(graph& g, node of);

/// The derivative by one element with a fixed slot. Throws std::invalid_argument when a loop of the formula runs over
/// that slot: use `gradient` then.
node partial_derivative(graph& g, node of, node element);

/// The gradient by all elements of a source, times a factor, in one backward sweep: contributions to an array with as
/// many slots as the source. Sums become loops that scatter into that array.
std::vector<statement> gradient(graph& g, node of, source by, long double factor = 1);

/// Nonzero entries of a Jacobian: for all values of the loops, the entry (row, column) has a contribution `value`.
struct jacobian_entry {
    std::vector<variable> loops;
    affine row;
    affine column;
    node value;
};

/// The derivatives of outputs by all elements of a source; entries at the same place add up.
std::vector<jacobian_entry> jacobian(graph& g, std::vector<statement> const& outputs, source by);

} // namespace lento::expression
