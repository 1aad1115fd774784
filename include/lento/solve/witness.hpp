#pragma once

#include <concepts>
#include <cstddef>

#include <lento/base/arithmetic.hpp>
#include <lento/solve/control.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/concepts.hpp>

namespace lento::detail {

/// A system whose evaluations are watched for the first one that is not finite.
template <system_like S> struct witness {
    using space_type = typename S::space_type;
    using scalar = scalar_of<S>;
    using vector = vector_of<S>;
    using state = state_of<S>;
    struct work_type {
        work_of<S>* inner = nullptr;
        failure found{};
        void look(scalar t, vector const& value) {
            if (found.happened() || all_finite(value)) return;
            found = state_not_finite(static_cast<double>(t), first_non_finite(value), "force");
        }
    };

    S const& system;

    [[nodiscard]] auto const& space() const { return system.space(); }
    [[nodiscard]] work_type work() const { return {}; }
    void count(work_type const&, statistics&) const {}
    void acceleration(scalar t, vector const& q, vector& out, work_type& work) const
        requires(separable<S>)
    {
        system.acceleration(t, q, out, *work.inner);
        work.look(t, out);
    }
    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(velocity_dependent<S>)
    {
        system.acceleration(t, q, v, out, *work.inner);
        work.look(t, out);
    }
    void rate(scalar t, vector const& x, vector& out, work_type& work) const
        requires(first_order<S>)
    {
        system.rate(t, x, out, *work.inner);
        work.look(t, out);
    }
};

/// A system that can watch itself, without being another type: `watched(work)` gives it, watching what that work sees.
template <class S>
concept watchable = requires(S const& system, work_of<S>& work) {
    { system.watched(work) } -> std::same_as<S>;
};

/// Takes a step with a memory of its own.
template <class S, class Stepper> void take_once(S const& system, Stepper const& stepper, scalar_of<S> t,
                                                 scalar_of<S> h, state_of<S> x, work_of<S>& work) {
    auto memory = stepper.start(system);
    if constexpr (adaptive_stepper<Stepper>) static_cast<void>(stepper.attempt(system, t, h, x, memory, work));
    else stepper.advance(system, t, h, x, memory, work);
}

/// The first evaluation of a step that is not finite: stages spread a NaN to other components, so that the step's end
/// does not tell. Evaluations are counted.
template <system_like S, class Stepper>
[[nodiscard]] failure find_bad_evaluation(S const& system, Stepper const& stepper, scalar_of<S> t, scalar_of<S> h,
                                          state_of<S> const& from, work_of<S>& work) {
    if constexpr (watchable<S>) {
        S const seen = system.watched(work);
        auto watched = seen.work();
        take_once(seen, stepper, t, h, from, watched);
        return failure_inside(watched);
    } else {
        witness<S> const seen{system};
        typename witness<S>::work_type watched{&work};
        take_once(seen, stepper, t, h, from, watched);
        return watched.found;
    }
}

} // namespace lento::detail
