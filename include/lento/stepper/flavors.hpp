#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include <lento/base/misuse.hpp>
#include <lento/stepper/flow.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/system/split.hpp>

namespace lento {

namespace detail {

/// A split system with its fast part switched off.
template <splits System> struct slow_view : view_on<System> {
    void rate(scalar_of<System> t, vector_of<System> const& x, vector_of<System>& out, work_of<System>& work) const {
        this->system->slow_rate(t, x, out, work);
    }
};

} // namespace detail

/// How FLAVORS divides its step: the whole system for `delta` (in units of epsilon), then only its slow part.
struct switching {
    double step = 0;
    double delta = 0;
    int steps = 1; ///< micro steps over delta, for methods with fixed steps
};

/// FLAVORS (Tao, Owhadi and Marsden 2010): the fast part is switched on for a short time and off for the rest of the
/// step, which by averaging over its phases gives the slow motion to a low order. A rival, not a recommendation.
template <class Micro = rk4, class Macro = midpoint> struct flavors {
    double step;
    double delta;
    int steps;
    Micro micro;
    Macro macro;
    flavors(switching times, Micro inner = {}, Macro outer = {})
        : step(times.step), delta(times.delta), steps(times.steps), micro(std::move(inner)), macro(std::move(outer)) {
        require_positive("delta", delta);
    }

    static constexpr std::string_view name = "flavors";
    static constexpr int order = 1;
    static constexpr bool is_adaptive = false;
    static constexpr bool takes_apart = true;

    template <class S> struct memory {
        memory_of<Micro, S> on;
        memory_of<Macro, detail::slow_view<S>> off;
        vector_of<S> before;
        vector_of<S> secant; ///< there is no slope: the fast part comes and goes
        bool fresh = true;
        [[nodiscard]] vector_of<S> const& derivative() const { return secant; }
        static auto members(auto& self) { return std::tie(self.on, self.off, self.secant, self.fresh); }
    };
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(splits<S>, "FLAVORS switches the fast part of a split system on and off; this is not one");
        double const on = delta * static_cast<double>(system.epsilon());
        if (!(on < step))
            throw misuse("FLAVORS needs a step longer than the time the fast part is on, but they are " + show(step) +
                         " and " + show(on));
        auto const zeros = system.space().template zeros<scalar_of<S>>();
        return {micro.start(system), macro.start(detail::slow_view<S>{&system}), zeros, zeros};
    }
    template <class S> void prepare(S const&, scalar_of<S>, state_of<S> const&, memory<S>& m, work_of<S>&) const {
        m.fresh = true;
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        T const whole = static_cast<T>(delta) * system.epsilon();
        // a last step may be shorter than a switch: the fast part is on for the same share of it
        T const on = h < static_cast<T>(step) ? whole * (h / static_cast<T>(step)) : whole;
        m.before = x.state;
        flow(micro, system, t, t + on, steps, x, m.on, work);
        flow(macro, detail::slow_view<S>{&system}, t + on, t + h, 1, x, m.off, work);
        for (std::size_t i = 0; i < m.secant.size(); ++i) m.secant[i] = (x.state[i] - m.before[i]) / h;
    }
};

} // namespace lento
