#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <lento/stepper/step_control.hpp>
#include <lento/stepper/stepper.hpp>

namespace lento {

namespace detail {

/// Adaptive steps from one time to another, controlled as MATLAB's ode45 does it (Shampine and Reichelt 1997): the
/// papers' micro-integrations were made with that. Returns the accepted steps; stops early where steps vanish or a
/// value is not finite, which the state then shows.
template <class Stepper, system_like S> std::uint64_t adaptive_flow(Stepper const& stepper, S const& system,
                                                                    scalar_of<S> from, scalar_of<S> to, state_of<S>& x,
                                                                    memory_of<Stepper, S>& memory, work_of<S>& work) {
    using T = scalar_of<S>;
    static_assert(!state_of<S>::is_motion, "an adaptive micro-integration needs a first-order system");
    double const span = std::abs(static_cast<double>(to - from));
    double const direction = to > from ? 1 : -1;
    double const longest = std::min(stepper.max_step.value_or(0.1 * span), 0.1 * span);
    double const threshold = stepper.rtol > 0 ? stepper.atol / stepper.rtol : stepper.atol;
    step_control control(Stepper::order, 0, longest, control_rule::ode45);

    memory.fresh = false;
    stepper.prepare(system, from, x, memory, work);
    double h = stepper.first_step.value_or(0) > 0
                   ? control.limited(*stepper.first_step)
                   : control.first(relative_rate(x.state, memory.derivative(), threshold), stepper.rtol, span);
    T t = from;
    std::uint64_t accepted = 0;
    while (t != to) {
        double const left = std::abs(static_cast<double>(to - t));
        bool const last = 1.1 * h >= left;
        T const step = last ? to - t : T(direction * h);
        double const error = stepper.attempt(system, t, step, x, memory, work);
        bool const good = error <= 1;
        h = control.next(std::abs(static_cast<double>(step)), error, good);
        if (good) {
            stepper.accept(system, x, memory);
            ++accepted;
            t = last ? to : t + step;
        } else if (control.too_small(h, static_cast<double>(t))) {
            x.state[0] = std::numeric_limits<T>::quiet_NaN();
            return accepted;
        }
    }
    return accepted;
}

} // namespace detail

/// Carries a state from one time to another: in so many equal steps, or adaptively where the stepper is that. Returns
/// the number of steps.
template <class Stepper, system_like S> std::uint64_t flow(Stepper const& stepper, S const& system, scalar_of<S> from,
                                                           scalar_of<S> to, int steps, state_of<S>& x,
                                                           memory_of<Stepper, S>& memory, work_of<S>& work) {
    if constexpr (adaptive_stepper<Stepper>) {
        return detail::adaptive_flow(stepper, system, from, to, x, memory, work);
    } else {
        using T = scalar_of<S>;
        T const h = (to - from) / T(steps);
        memory.fresh = false;
        for (int k = 0; k < steps; ++k) stepper.advance(system, from + T(k) * h, h, x, memory, work);
        return static_cast<std::uint64_t>(steps);
    }
}

} // namespace lento
