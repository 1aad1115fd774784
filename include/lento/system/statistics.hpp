#pragma once

#include <array>
#include <cstdint>
#include <string_view>

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

    statistics& operator+=(statistics const& more);
};

/// A count by its name.
struct count_description {
    std::string_view name;
    std::uint64_t statistics::* member;
    std::string_view sentence;
};
/// All of them: documents, tables and sums are loops over this list.
inline constexpr std::array<count_description, 11> counts_of_a_run{{
    {"macro_steps", &statistics::macro_steps, "accepted steps of the outermost stepper"},
    {"macro_rejected", &statistics::macro_rejected, "its steps that missed the tolerance"},
    {"effective_evaluations", &statistics::effective_evaluations, "evaluations of the slow motion"},
    {"micro_steps", &statistics::micro_steps, "steps of the innermost stepper"},
    {"force_evaluations", &statistics::force_evaluations, "calls of the force or right-hand side"},
    {"constraint_evaluations", &statistics::constraint_evaluations, "calls of the constraints or springs"},
    {"jacobian_evaluations", &statistics::jacobian_evaluations, "gradients of all of them at a point"},
    {"linear_flow_applications", &statistics::linear_flow_applications, "applications of an exact linear flow"},
    {"projections", &statistics::projections, "points taken to the slow manifold"},
    {"projection_iterations", &statistics::projection_iterations, "filterings that this took"},
    {"newton_iterations", &statistics::newton_iterations, "of constraints and implicit schemes"},
}};

inline statistics& statistics::operator+=(statistics const& more) {
    for (auto const& each : counts_of_a_run) this->*each.member += more.*each.member;
    seconds += more.seconds;
    return *this;
}

} // namespace lento
