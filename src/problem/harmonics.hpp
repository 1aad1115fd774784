#pragma once

#include <lento/problem/problem.hpp>
#include <lento/problem/run.hpp>

namespace lento::detail {

/// Warns where the phases that a slow method of a vibrated system samples, its points or its micro steps per period,
/// do not resolve the harmonics of the force along the run; those that `auto` chooses are raised until they do.
void warn_of_harmonics(problem const& what, problem_run& run);

} // namespace lento::detail
