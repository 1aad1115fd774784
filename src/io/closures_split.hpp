#pragma once

#include "io/scheme_run.hpp"

#include <lento/effective/erased.hpp>
#include <lento/io/problem.hpp>

namespace lento::detail {

/// The effective system of a split problem under a method whose choices are all made.
[[nodiscard]] erased_first_order make_split(problem const& what, method_options const& method);
/// The stroboscopic motion of a plain problem, or a vibrated one with one phase: positions, then velocities.
[[nodiscard]] erased_first_order make_stroboscopic(problem const& what, method_options const& method);
/// FLAVORS is a stepper of the split system itself.
[[nodiscard]] solution<state_of<erased_first_order>>
solve_by_flavors(problem const& what, method_options const& method,
                 solve_options<state_of<erased_first_order>> const& options);

} // namespace lento::detail
