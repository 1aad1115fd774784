#pragma once

#include <lento/problem/method.hpp>
#include <lento/problem/run.hpp>

namespace lento::detail {

/// Whether cost and error decide: nothing in [method] does, and errors may be measured.
[[nodiscard]] bool is_open(problem const& what, chosen_method const& chosen);

/// The run within the tolerances that takes the fewest evaluations: of closures whose error is measured, each beside a
/// better one, and of the direct solution, whose price a trial tells. What was chosen is in `chosen`.
[[nodiscard]] problem_run run_cheapest(problem const& what, chosen_method& chosen, run_controls const& controls);

} // namespace lento::detail
