#pragma once

#include <type_traits>
#include <utility>

#include <lento/solve/integrator.hpp>

namespace lento {

/// Integrates a system from its initial state: `solve(system, verlet{.step = 0.01}, {.position = {0.5}}, {.end = 1})`.
/// The system may be the given one (a direct solution) or an effective one (its slow motion). What happens in a run is
/// told by the solution's outcome; misuse is thrown. To look at every step, or to stop in between, make an
/// `integrator`.
template <system_like S, class Stepper>
[[nodiscard]] solution<state_of<S>> solve(S const& system, Stepper const& stepper,
                                          std::type_identity_t<state_of<S>> initial,
                                          std::type_identity_t<solve_options<state_of<S>>> const& options) {
    return integrator<S, Stepper>(system, stepper, std::move(initial), options).run();
}

} // namespace lento
