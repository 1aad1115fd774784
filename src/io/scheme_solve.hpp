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

struct needs_constraints {
    template <class System> static constexpr bool met = constrained_motion<System>;
    static constexpr std::string_view sentence = "keeps constraints";
};

template <class Stepper> struct scheme_needs : needs_separable_motion {};
template <class Method> struct scheme_needs<runge_kutta<Method>> : needs_derivative {};
template <class Method> struct scheme_needs<embedded_runge_kutta<Method>> : needs_derivative {};
template <class Code> struct scheme_needs<foreign_stepper<Code>> : needs_derivative {};
template <class Rule> struct scheme_needs<fixed_point_rule<Rule>> : needs_derivative {};
template <> struct scheme_needs<adams> : needs_derivative {};
template <> struct scheme_needs<verlet> : needs_motion {};
template <> struct scheme_needs<symplectic_euler> : needs_motion {};
template <> struct scheme_needs<turning_euler> : needs_two_flows {};
template <> struct scheme_needs<shake> : needs_constraints {};
template <> struct scheme_needs<rattle> : needs_constraints {};
template <> struct scheme_needs<lobatto4> : needs_constraints {};
template <> struct scheme_needs<adaptive_lobatto4> : needs_constraints {};
template <> struct scheme_needs<ida> : needs_constraints {};

/// What a system is that a scheme does not fit, and what does.
template <class System> inline constexpr std::string_view instead =
    constrained_motion<System> ? "has some: use lobatto4, rattle or shake"
    : !second_order<System>    ? "is of first order; use dormand-prince, rk4, midpoint or euler"
    : !separable<System>       ? "has one that does, or no constraints; use dormand-prince, rk4, midpoint or verlet"
                               : "has none of that; use dormand-prince, rk4 or verlet";

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
                refused.message = "the scheme " + scheme_name(chosen) + " " + std::string(needs::sentence) +
                                  ", and this system " + std::string(instead<System>);
                return refused;
            }
        },
        chosen);
}

} // namespace lento::detail
