#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <lento/stepper/stepper.hpp>

namespace lento {

namespace detail {

/// The largest relative rate of change, sizes below the threshold counting as the threshold.
template <class V> [[nodiscard]] double relative_rate(V const& values, V const& rates, double threshold) {
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double const value = std::abs(static_cast<double>(values[i]));
        double const ratio = std::abs(static_cast<double>(rates[i])) / (value > threshold ? value : threshold);
        if (ratio > largest) largest = ratio;
    }
    return largest;
}

/// Adaptive steps from one time to another, controlled as MATLAB's ode45 does it (Shampine and Reichelt 1997): the
/// papers' micro-integrations were made with that. Returns the accepted steps; stops early where steps vanish or a
/// value is not finite, which the state then shows.
template <class Stepper, any_system S> std::uint64_t adaptive_flow(Stepper const& stepper, S const& system,
                                                                   scalar_of<S> from, scalar_of<S> to, state_of<S>& x,
                                                                   memory_of<Stepper, S>& memory, work_of<S>& work) {
    using T = scalar_of<S>;
    static_assert(!state_of<S>::is_motion, "an adaptive micro-integration needs a first-order system");
    double const power = 1. / Stepper::order;
    double const span = std::abs(static_cast<double>(to - from));
    double const direction = to > from ? 1 : -1;
    double const longest = stepper.max_step < 0.1 * span ? stepper.max_step : 0.1 * span;
    double const threshold = stepper.rtol > 0 ? stepper.atol / stepper.rtol : stepper.atol;

    memory.fresh = false;
    stepper.prepare(system, from, x, memory, work);
    double h = longest;
    if (stepper.first_step > 0) {
        h = stepper.first_step < longest ? stepper.first_step : longest;
    } else {
        double const rate =
            relative_rate(x.state, memory.derivative(), threshold) / (0.8 * std::pow(stepper.rtol, power));
        if (h * rate > 1) h = 1 / rate;
    }
    T t = from;
    std::uint64_t accepted = 0;
    bool failed_before = false;
    while (t != to) {
        double const left = std::abs(static_cast<double>(to - t));
        bool const last = 1.1 * h >= left;
        T const step = last ? to - t : T(direction * h);
        double const error = stepper.attempt(system, t, step, x, memory, work);
        double const tried = std::abs(static_cast<double>(step));
        if (error <= 1) {
            stepper.accept(system, x, memory);
            ++accepted;
            t = last ? to : t + step;
            if (!failed_before) {
                double const shrink = 1.25 * std::pow(error, power);
                h = shrink > 0.2 ? tried / shrink : 5 * tried;
                if (h > longest) h = longest;
            } else {
                h = tried;
            }
            failed_before = false;
            continue;
        }
        double const factor = failed_before || error != error ? 0.5 : 0.8 * std::pow(error, -power);
        h = tried * (factor > 0.1 ? factor : 0.1);
        failed_before = true;
        if (!(h > 16 * std::numeric_limits<double>::epsilon() * std::abs(static_cast<double>(t))) || h < 1e-300) {
            x.state[0] = std::numeric_limits<T>::quiet_NaN();
            return accepted;
        }
    }
    return accepted;
}

} // namespace detail

/// Carries a state from one time to another: in so many equal steps, or adaptively where the stepper is that. Returns
/// the number of steps.
template <class Stepper, any_system S> std::uint64_t flow(Stepper const& stepper, S const& system, scalar_of<S> from,
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
