#pragma once

#include <cmath>
#include <cstdint>
#include <tuple>

#include <lento/base/outcome.hpp>

namespace lento::detail {

/// Ends runs that have used up their evaluations, and those that would take far more steps or evaluations than they
/// may: by the pace of the last stretch, looked at now and then. The shorter the stretch, the more hopeless it must be.
class run_limits {
public:
    run_limits(double start, double end, std::uint64_t max_steps, std::uint64_t max_evaluations)
        : end_(end), max_steps_(max_steps), max_evaluations_(max_evaluations), from_{start, 0, 0} {}

    /// Whether it is time to look, after so many steps, those that were rejected included.
    [[nodiscard]] bool due(std::uint64_t steps) const { return steps >= next_look_; }
    /// Looks at what has been done up to t; a failure where the run must end.
    [[nodiscard]] failure look(double t, std::uint64_t steps, std::uint64_t evaluations);
    /// How many steps may come before anybody looks again: also whether the run is to be stopped.
    [[nodiscard]] std::uint64_t unseen(std::uint64_t steps) const;

    static auto members(auto& self) {
        return std::tie(self.from_, self.stretch_, self.next_look_, self.evaluations_per_step_);
    }

private:
    struct place {
        double t;
        std::uint64_t steps, evaluations;
        static auto members(auto& self) { return std::tie(self.t, self.steps, self.evaluations); }
    };
    [[nodiscard]] failure hopeless(place const& now) const;

    double end_;
    std::uint64_t max_steps_;
    std::uint64_t max_evaluations_;
    place from_; ///< where the stretch began
    std::uint64_t stretch_ = 1000;
    std::uint64_t next_look_ = 1;
    double evaluations_per_step_ = 1;
};

} // namespace lento::detail
