#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

namespace lento {

struct statistics;

/// One count of a run: its name in results, the member that holds it, what it counts.
struct described_count {
    std::string_view name;
    std::uint64_t statistics::* member;
    std::string_view sentence;
};

/// Exact counts of a run: the currency of every comparison. They are listed once, as `counts()`; results, sums and the
/// table of docs/counts.md follow that list.
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
    double seconds = 0;      ///< processor time of the run's threads
    double wall_seconds = 0; ///< what a clock shows

    static constexpr std::size_t kinds = 11;
    static constexpr std::array<described_count, kinds> counts();

    statistics& operator+=(statistics const& other) {
        for (auto const& each : counts()) this->*each.member += other.*each.member;
        seconds += other.seconds;
        wall_seconds += other.wall_seconds;
        return *this;
    }
    static auto members(auto& self) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::tie(self.*counts()[I].member..., self.seconds, self.wall_seconds);
        }(std::make_index_sequence<kinds>{});
    }
};

static_assert(sizeof(statistics) == statistics::kinds * sizeof(std::uint64_t) + 2 * sizeof(double),
              "every count is listed");

constexpr std::array<described_count, statistics::kinds> statistics::counts() {
    using own = statistics;
    return {{
        {"macro_steps", &own::macro_steps, "accepted steps of the outermost stepper"},
        {"macro_rejected", &own::macro_rejected, "its rejected steps"},
        {"effective_evaluations", &own::effective_evaluations, "how often the outermost effective force was asked for"},
        {"micro_steps", &own::micro_steps, "steps of the innermost stepper, in all windows"},
        {"force_evaluations", &own::force_evaluations,
         "every call of the user's force, those of the start and output maps and of checks included"},
        {"constraint_evaluations", &own::constraint_evaluations,
         "every call of all constraints: values, changes over a step, first and second derivative along a motion"},
        {"jacobian_evaluations", &own::jacobian_evaluations,
         "the gradients of all constraints at a point, or the derivatives of a force"},
        {"linear_flow_applications", &own::linear_flow_applications,
         "products with the matrices of a linear fast motion"},
        {"projections", &own::projections, "points that were taken to the slow manifold"},
        {"projection_iterations", &own::projection_iterations, "filterings that this took"},
        {"newton_iterations", &own::newton_iterations,
         "of SHAKE, RATTLE, Lobatto's pair, projections onto constraints and implicit rules"},
    }};
}

} // namespace lento
