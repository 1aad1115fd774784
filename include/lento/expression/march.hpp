#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace lento::expression {

/// What a compiled loop of Verlet steps does on its way.
struct march_kind {
    std::size_t size = 0;   ///< coordinates
    std::size_t phases = 0; ///< angles that turn with the time
    bool mass = false;      ///< forces are divided by masses
    bool velocity = false;  ///< the force depends on the velocity
    bool measured = false;  ///< keeps the extremes of the force
    bool stateful = false;  ///< sums displacements and velocities too
    bool held = false;      ///< a constant force is taken off

    auto operator<=>(march_kind const&) const = default;
};

/// Where a march starts and what it sums up: `steps` steps from the elapsed time 0, the k-th sample with the weight
/// weights[k * stride]. All arrays are apart from each other; those that the kind does not need may be null.
struct march_arguments {
    double step = 0;
    double kick = 0; ///< what stands for the step in kicks of the velocity: the step, unless Verlet is fitted
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
};
using march_function = void(march_arguments const*);

} // namespace lento::expression
