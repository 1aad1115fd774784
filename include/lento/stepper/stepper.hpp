#pragma once

#include <lento/base/arithmetic.hpp>
#include <lento/system/concepts.hpp>

/// What all steppers share. A stepper is plain data, for any system and any scale:
///
///     start(system)                               makes its memory (stages, history)
///     prepare(system, t, x, memory, work)         the derivative at the current point, kept while it is fresh
///     advance(system, t, h, x, memory, work)      one step of a given length, or instead, of an adaptive stepper,
///     attempt(system, t, h, x, memory, work)      a trial and its error in units of the tolerance, and
///     accept(system, x, memory)                   the trial as the new point
///
/// `memory.derivative()` is the acceleration (or rate) at the current point after `prepare`; that is what a window
/// averages, so averaging costs no further evaluation. Whoever changes the point sets `memory.fresh = false`. A memory
/// holds vectors and numbers, nothing of the system: systems with the same vectors can take turns with one memory.
namespace lento {

template <class Stepper, class S> using memory_of =
    decltype(std::declval<Stepper const&>().start(std::declval<S const&>()));

template <class Stepper>
concept adaptive_stepper = Stepper::is_adaptive;

/// A stepper that chooses its steps itself: advance(system, t, guess, limit, x, memory, work) takes one, at most to the
/// limit, and returns where it ends; `memory.failed` says why it could not.
template <class Stepper>
concept self_timed = requires { requires Stepper::chooses_steps; };

/// A stepper that uses more of a system than its acceleration or rate, and so runs on nothing that wraps these alone.
template <class Stepper>
concept takes_apart = requires { requires Stepper::takes_apart; };

/// A stepper whose steps may be longer than the oscillations it knows: no interpolation tells what is between its
/// points, but a shorter step from the one before does.
template <class Stepper>
concept steps_over_oscillations = requires { requires Stepper::steps_over_oscillations; };

/// A stepper with a solution of its own between the ends of the step just accepted: inside(system, end_time, end, t,
/// out, memory, work).
template <class Stepper>
concept has_dense_output = requires { requires Stepper::has_dense_output; };

/// A stepper whose steps are so long that interpolation through their ends may miss the motion in between: where it
/// does, shorter steps from their beginnings tell. begin_at(derivative, memory) may make a memory ready for one.
template <class Stepper>
concept checks_rows = requires { requires Stepper::checks_rows; };

/// A stepper of fixed step whose solutions explode where the step is too long for the fastest motion, even if that has
/// no amplitude: a run looks after it.
template <class Stepper>
concept limited_by_stability = requires { requires Stepper::limited_by_stability; };

/// Takes `steps` equal steps from time t and calls visit(k, derivative, x) after the k-th. A stepper may bring its own
/// loop (Verlet's is the leapfrog form). Unless Visit::wants_velocity, velocities may be staggered between calls.
template <class Stepper, system_like S, class Visit>
inline void take_steps(Stepper const& stepper, S const& system, scalar_of<S> t, scalar_of<S> h, int steps,
                       state_of<S>& x, memory_of<Stepper, S>& memory, work_of<S>& work, Visit& visit) {
    if constexpr (requires { stepper.take_steps(system, t, h, steps, x, memory, work, visit); }) {
        stepper.take_steps(system, t, h, steps, x, memory, work, visit);
    } else {
        using T = scalar_of<S>;
        for (int k = 1; k <= steps; ++k) {
            stepper.advance(system, t + T(k - 1) * h, h, x, memory, work);
            stepper.prepare(system, t + T(k) * h, x, memory, work);
            visit(k, memory.derivative(), x);
            if constexpr (requires { visit.tension(k, memory.multipliers()); }) visit.tension(k, memory.multipliers());
        }
    }
}

} // namespace lento
