#pragma once

#include <type_traits>

#include "io/scheme_run.hpp"

#include <lento/solve/solve.hpp>

namespace lento::detail {

/// What a scheme asks of a system; the schemes themselves say it in assertions, which cannot be asked.
struct needs_separable_motion {
    template <class System> static constexpr bool met = separable<System>;
    static constexpr std::string_view sentence = "needs a force that does not depend on the velocity";
};
struct needs_motion {
    template <class System> static constexpr bool met = second_order<System>;
    static constexpr std::string_view sentence = "integrates systems of second order";
};
struct needs_derivative {
    template <class System> static constexpr bool met = differential<System>;
    static constexpr std::string_view sentence = "needs an acceleration or a rate";
};
struct needs_two_flows {
    template <class System> static constexpr bool met = requires(
        System const& system, vector_of<System> x, work_of<System> work) { system.compare(0., x, x, x, work); };
    static constexpr std::string_view sentence = "compares two flows: it belongs to the method backward-forward";
};

template <class Stepper> struct scheme_needs : needs_separable_motion {};
template <class Method> struct scheme_needs<runge_kutta<Method>> : needs_derivative {};
template <class Method> struct scheme_needs<embedded_runge_kutta<Method>> : needs_derivative {};
template <> struct scheme_needs<adams> : needs_derivative {};
template <> struct scheme_needs<verlet> : needs_motion {};
template <> struct scheme_needs<symplectic_euler> : needs_motion {};
template <> struct scheme_needs<turning_euler> : needs_two_flows {};

template <class System> solution<state_of<System>> solve_with(System const& system, scheme const& chosen,
                                                              state_of<System> initial,
                                                              solve_options<state_of<System>> const& options) {
    return std::visit(
        [&](auto const& stepper) {
            using needs = scheme_needs<std::remove_cvref_t<decltype(stepper)>>;
            if constexpr (needs::template met<System>) {
                return solve(system, stepper, std::move(initial), options);
            } else {
                solution<state_of<System>> refused;
                refused.result = outcome::not_applicable;
                refused.message =
                    "the scheme " + scheme_name(chosen) + " " + std::string(needs::sentence) + ", and this one is " +
                    (!second_order<System> ? "of first order; use dormand-prince, rk4, midpoint or euler"
                     : !separable<System>  ? "not of that kind; use dormand-prince, rk4, midpoint or verlet"
                                           : "not; use dormand-prince, rk4 or verlet");
                return refused;
            }
        },
        chosen);
}

} // namespace lento::detail
