#pragma once

#include <lento/constraint/newton.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/concepts.hpp>

/// What a system may bring beside its right-hand side, each by a member function of that name; `solve` uses what is
/// there. With these and `can_fail`, `constrained_motion` and `has_true_state` it knows every kind of system.
namespace lento::detail {

/// Works out what depends on the start, physical or slow as it is given: the first call of every run. Where the system
/// does not apply there, its work says so by `failed`.
template <class S>
concept begins =
    requires(S const& system, scalar_of<S> t, state_of<S> const& x, work_of<S>& work) { system.begin(t, x, work); };

/// Looks at windows: their length must be short beside the run.
template <class S>
concept windowed = requires(S const& system, work_of<S> const& work) { system.window_length(work); };

/// Can tell, once begun, whether its windows serve a run of a length in steps of a length, 0 when they are adaptive.
template <class S>
concept judges_windows =
    windowed<S> && requires(S const& system, work_of<S> const& work) { system.verdict(0., 0., work); };

/// Gives the slow state of a physical one.
template <class S>
concept lowers =
    requires(S const& system, scalar_of<S> t, state_of<S>& x, work_of<S>& work) { system.lower(t, x, work); };

/// Puts the end of a step back where the slow motion is; true when it moved the point.
template <class S>
concept revises =
    requires(S const& system, scalar_of<S> t, state_of<S>& x, work_of<S>& work) { system.revise(t, x, work); };

/// A stepper that has the system settle every point it evaluates: its steps need no revision.
template <class Stepper, class S>
concept settles_with = requires { Stepper::settles; } && requires(S const& system, scalar_of<S> t, state_of<S>& x,
                                                                  work_of<S>& work) { system.settle(t, x, x, work); };

/// Looks once more at the end of a run, and warns.
template <class S>
concept confirms =
    requires(S const& system, scalar_of<S> t, state_of<S> const& x, work_of<S>& work) { system.confirm(t, x, work); };

/// Knows the forces that keep constraints, or would keep them.
template <class S>
concept knows_multipliers =
    constrained_motion<S> || requires(S const& system, work_of<S> const& work) { system.multipliers(work); };

/// Knows what a window adds to them in the mean.
template <class S>
concept knows_mean_multipliers =
    knows_multipliers<S> && requires(S const& system, work_of<S>& work) { system.mean_multipliers(work); };

} // namespace lento::detail
