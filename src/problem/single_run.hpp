#pragma once

#include <functional>
#include <span>

#include <lento/problem/method.hpp>
#include <lento/problem/run.hpp>

namespace lento::detail {

/// Sees the motion after every step, as the method has it, in the problem's coordinates.
using motion_observer = std::function<void(double t, std::span<double const> q, std::span<double const> v)>;

/// One run of a problem with the settings of a method, which it completes, and with the tries that the method asks for.
/// What happens is told by the outcome; what makes no sense is thrown as problem_error. Observables, and `method`, are
/// left to whoever delivers the run.
[[nodiscard]] problem_run run_once(problem const& what, chosen_method& chosen, run_controls const& controls,
                                   motion_observer const& observer = {});

} // namespace lento::detail
