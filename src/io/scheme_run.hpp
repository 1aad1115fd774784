#pragma once

#include <type_traits>

#include <lento/io/method.hpp>
#include <lento/solve/solve.hpp>

namespace lento::detail {

/// What a scheme asks of a system; the schemes themselves say it in assertions, which cannot be asked.
template <class Stepper> struct scheme_needs {
    static constexpr bool separable_force = true;
    static constexpr bool second_order = true;
};
template <class Method> struct scheme_needs<runge_kutta<Method>> {
    static constexpr bool separable_force = false;
    static constexpr bool second_order = false;
};
template <class Method> struct scheme_needs<embedded_runge_kutta<Method>> {
    static constexpr bool separable_force = false;
    static constexpr bool second_order = false;
};
template <> struct scheme_needs<verlet> {
    static constexpr bool separable_force = false;
    static constexpr bool second_order = true;
};
template <> struct scheme_needs<symplectic_euler> : scheme_needs<verlet> {};

/// Solves with the scheme of the method; where the scheme does not fit the system, the outcome says so. Compiled once a
/// type of system, in a file of its own.
template <class System>
[[nodiscard]] solution<state_of<System>> solve_with(System const& system, scheme const& stepper,
                                                    state_of<System> initial,
                                                    solve_options<state_of<System>> const& options);

template <class System> solution<state_of<System>> solve_with(System const& system, scheme const& chosen,
                                                              state_of<System> initial,
                                                              solve_options<state_of<System>> const& options) {
    return std::visit(
        [&](auto const& stepper) {
            using needs = scheme_needs<std::remove_cvref_t<decltype(stepper)>>;
            if constexpr ((needs::separable_force && !separable<System>) ||
                          (needs::second_order && !second_order<System>)) {
                solution<state_of<System>> refused;
                refused.result = outcome::not_applicable;
                refused.message = "the scheme " + scheme_name(chosen) +
                                  (second_order<System>
                                       ? " needs a force that does not depend on the velocity, and this one does; use "
                                         "dormand-prince, rk4, midpoint or verlet"
                                       : " integrates second-order systems, and this one is of first order; use "
                                         "dormand-prince, rk4, midpoint or euler");
                return refused;
            } else {
                return solve(system, stepper, std::move(initial), options);
            }
        },
        chosen);
}

} // namespace lento::detail
