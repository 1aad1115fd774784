#pragma once

#include <cstdint>

namespace lento {

/// Exact counts of a run: the currency of every comparison. Their meaning is fixed in docs/counts.md.
struct statistics {
    std::uint64_t macro_steps = 0;
    std::uint64_t macro_rejected = 0;
    std::uint64_t effective_evaluations = 0;
    std::uint64_t micro_steps = 0;
    std::uint64_t force_evaluations = 0;
    std::uint64_t constraint_evaluations = 0;
    std::uint64_t jacobian_evaluations = 0;
    std::uint64_t linear_flow_applications = 0;
    std::uint64_t projections = 0;
    std::uint64_t projection_iterations = 0;
    std::uint64_t newton_iterations = 0;
    double seconds = 0;
};

} // namespace lento
