#pragma once

#include <string>
#include <vector>

#include <lento/problem/problem.hpp>

namespace lento::detail {

/// By how much the force at opposite phases differs, relative to its size, at and around the start; at most 2.
[[nodiscard]] double largest_odd_part(problem const& what);

/// What the equations of motion keep, a phrase each ("energy", "momentum along x", "angular momentum in x and y"), as
/// far as the force around the start can tell.
[[nodiscard]] std::vector<std::string> conserved_quantities(problem const& what);

/// The fastest rate of the motion around the start: a root of the force's largest derivative by position, or its
/// largest derivative by velocity; for first-order systems the rate's largest derivative.
[[nodiscard]] double fastest_rate(problem const& what);

} // namespace lento::detail
