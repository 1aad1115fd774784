#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace lento::expression {

/// The steppers that compiled loops know.
enum class step_loop_scheme : std::uint8_t { verlet, rk4 };

/// What a compiled loop of steps does on its way.
struct step_loop_kind {
    /// Up to so many coordinates are kept in registers. Loops of rk4 are compiled for these only: of many coordinates
    /// its sweeps cost as much in C++.
    static constexpr std::size_t most_in_registers = 12;

    step_loop_scheme scheme = step_loop_scheme::verlet;
    std::size_t size = 0;   ///< coordinates
    std::size_t phases = 0; ///< angles that turn with the time
    bool mass = false;      ///< forces are divided by masses
    bool velocity = false;  ///< the force depends on the velocity
    bool measured = false;  ///< keeps the extremes of the force
    bool stateful = false;  ///< sums displacements and velocities too
    bool held = false;      ///< a constant force is taken off

    auto operator<=>(step_loop_kind const&) const = default;
};

/// Where a loop of steps starts and what it sums up: `steps` steps from the elapsed time 0, the k-th sample with the
/// weight weights[k * stride]. All arrays are apart from each other; those that the kind does not need may be null.
struct step_loop_arguments {
    double step = 0;
    double kick =
        0; ///< of Verlet: what stands for the step in kicks of the velocity: the step, unless Verlet is fitted
    double time = 0; ///< slow time at the start
    double pace = 0; ///< of the slow time
    std::int64_t steps = 0;
    std::int64_t stride = 1;
    double const* phase = nullptr;     ///< at the start
    double const* frequency = nullptr; ///< of the phases
    double* position = nullptr;
    double* velocity = nullptr;
    double* middle = nullptr;       ///< room for the velocity in the middle of a step, where the force depends on it
    double* acceleration = nullptr; ///< at the start, later at the end
    double const* weights = nullptr;
    double* force = nullptr; ///< grows by the weighted accelerations
    double* lowest = nullptr;
    double* highest = nullptr;
    double* displacement = nullptr; ///< grows by the weighted positions less the origin
    double* drift = nullptr;        ///< grows by the weighted velocities
    double const* origin = nullptr;
    double const* holding = nullptr;
    double const* inverse_mass = nullptr;
    double const* parameter = nullptr;
};
using step_loop_function = void(step_loop_arguments const*);

} // namespace lento::expression
