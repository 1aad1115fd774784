#pragma once

#include <functional>
#include <vector>

#include <lento/problem/method.hpp>
#include <lento/problem/run.hpp>

namespace lento::detail {

/// Called at the end of every accepted step; a system of first order has no velocity.
using step_observer =
    std::function<void(double t, std::vector<double> const& position, std::vector<double> const& velocity)>;

/// One run of a problem with the settings of a method, which it completes, and with the tries that the method asks for.
/// What happens is told by the outcome; what makes no sense is thrown as problem_error. Observables, and `method`, are
/// left to whoever delivers the run.
[[nodiscard]] problem_run run_once(problem const& what, chosen_method& chosen, run_controls const& controls,
                                   step_observer const& observer = {});

} // namespace lento::detail
