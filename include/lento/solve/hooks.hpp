#pragma once

#include <lento/stepper/stepper.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/newton.hpp>

/// What a system may bring beside its right-hand side, each by a member function of that name; a run uses what is
/// there. With these and `can_fail`, `constrained_motion` and `has_true_state` it knows every kind of system.
namespace lento::detail {

/// Works out what depends on the start of a run: its first call, before `lower`.
template <class S>
concept begins =
    requires(S const& system, scalar_of<S> t, state_of<S> const& x, work_of<S>& work) { system.begin(t, x, work); };

/// Looks at windows: their length must be short beside the run. It may depend on where a run has begun.
template <class S>
concept plans_windows = requires(S const& system, work_of<S> const& work) { system.window_length(work); };
template <class S>
concept windowed = plans_windows<S> || requires(S const& system) { system.window_length(); };

/// Can tell, once a run has begun, whether it may go on over a span, in steps of a length, 0 when they are adaptive.
template <class S>
concept judges = requires(S const& system, work_of<S> const& work) { system.verdict(0., 0., work); };

/// Gives the slow state of a physical one.
template <class S>
concept lowers =
    requires(S const& system, scalar_of<S> t, state_of<S>& x, work_of<S>& work) { system.lower(t, x, work); };

/// Puts the end of a step back where the slow motion is; true when it moved the point.
template <class S>
concept revises =
    requires(S const& system, scalar_of<S> t, state_of<S>& x, work_of<S>& work) { system.revise(t, x, work); };

/// Moves the point that it evaluates: settle(t, x, out, work) changes x and leaves the whole rate in out.
template <class S>
concept moves_points =
    requires(S const& system, scalar_of<S> t, state_of<S>& x, work_of<S>& work) { system.settle(t, x, x, work); };

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

/// Compares the flows with and without its slow part: backward-forward systems.
template <class S>
concept compares_flows =
    requires(S const& system, vector_of<S>& x, work_of<S>& work) { system.compare(scalar_of<S>(), x, x, x, work); };

} // namespace lento::detail

namespace lento {

/// What steppers, methods and the time loop may ask of a system before a run. Known once.
struct system_facts {
    std::size_t size = 0;
    bool second_order = true;
    bool uses_velocity = false;
    bool constrained = false;    ///< its right-hand side is the active one, and constraints are kept
    bool revises = false;        ///< puts the end of a step back where the slow motion is
    bool moves_points = false;   ///< evaluates at a point of the slow manifold
    bool compares_flows = false; ///< with and without its slow part
    bool lifts = false;          ///< knows the fast motion that belongs to a slow state
    bool can_fail = false;       ///< with a reason of its own
    bool multipliers = false;
    bool mean_multipliers = false;
};

/// A system that is known at run time only brings them.
template <system_like S> [[nodiscard]] system_facts facts_of(S const& system) {
    if constexpr (requires { system.facts(); }) return system.facts();
    system_facts made;
    made.size = system.space().size();
    made.second_order = state_of<S>::is_motion;
    if constexpr (constrained_motion<S>) made.uses_velocity = !separable_active<S>;
    else if constexpr (state_of<S>::is_motion) made.uses_velocity = needs_velocity(system);
    made.constrained = constrained_motion<S>;
    made.revises = detail::revises<S>;
    made.moves_points = detail::moves_points<S>;
    made.compares_flows = detail::compares_flows<S>;
    made.lifts = has_true_state<S>;
    made.can_fail = can_fail<work_of<S>>;
    made.multipliers = detail::knows_multipliers<S>;
    made.mean_multipliers = detail::knows_mean_multipliers<S>;
    return made;
}

} // namespace lento
