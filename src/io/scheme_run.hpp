#pragma once

#include <lento/io/method.hpp>
#include <lento/solve/options.hpp>
#include <lento/solve/solution.hpp>
#include <lento/system/concepts.hpp>

namespace lento::detail {

/// Solves with the scheme of the method; where the scheme does not fit the system, the outcome says so. Defined in
/// scheme_solve.hpp and compiled once a type of system, in a file of its own.
template <class System>
[[nodiscard]] solution<state_of<System>> solve_with(System const& system, scheme const& stepper,
                                                    state_of<System> initial,
                                                    solve_options<state_of<System>> const& options);

} // namespace lento::detail
