#include <lento/solve/run_limits.hpp>

#include <algorithm>
#include <string>

#include <lento/base/misuse.hpp>

namespace lento::detail {

failure run_limits::look(double t, std::uint64_t steps, std::uint64_t evaluations) {
    if (evaluations >= max_evaluations_)
        return {outcome::step_limit, t,
                "the run stopped at t = " + show(t) + " of " + show(end_) + " after " + std::to_string(evaluations) +
                    " evaluations of the force; allow more with max_evaluations, or ask for less accuracy"};
    place const now{t, steps, evaluations};
    if (steps - from_.steps >= stretch_) {
        if (failure found = hopeless(now); found.happened()) return found;
        from_ = now;
        stretch_ *= 2;
    }
    // again when half of what is left may have been used, and at the end of the stretch
    double const left = static_cast<double>(max_evaluations_ - evaluations);
    evaluations_per_step_ =
        std::max(1., static_cast<double>(evaluations) / static_cast<double>(std::max<std::uint64_t>(steps, 1)));
    auto const soon = static_cast<std::uint64_t>(std::clamp(left / (2 * evaluations_per_step_), 1., 1e6));
    next_look_ = std::min(steps + soon, from_.steps + stretch_);
    return {};
}

std::uint64_t run_limits::unseen(std::uint64_t steps) const {
    constexpr double evaluations = 1e6; // take a tenth of a second at most, for ordinary forces
    if (due(steps)) return 0;
    return std::min(next_look_ - steps, static_cast<std::uint64_t>(evaluations / evaluations_per_step_));
}

failure run_limits::hopeless(place const& now) const {
    double const steps = static_cast<double>(now.steps - from_.steps);
    double const stretches = std::abs(end_ - now.t) / std::abs(now.t - from_.t); // that are still to come
    double const slack = std::max(10., 1e7 / steps);
    auto const beyond = [&](double of_stretch, std::uint64_t most) {
        return of_stretch * stretches > slack * static_cast<double>(most);
    };
    auto const told = [&](double of_stretch, char const* what, char const* option, std::uint64_t most) {
        return failure{outcome::step_limit, now.t,
                       "at t = " + show(now.t) + " of " + show(end_) + ", after " + std::to_string(now.steps) +
                           " steps, the run is so slow that it would take about " + show(of_stretch * stretches) +
                           " more " + what + ", but " + option + " is " + show(static_cast<double>(most)) +
                           "; the tolerance may be below what the force can deliver: ask for less accuracy"};
    };
    double const evaluations = static_cast<double>(now.evaluations - from_.evaluations);
    if (beyond(steps, max_steps_)) return told(steps, "steps", "max_steps", max_steps_);
    if (beyond(evaluations, max_evaluations_))
        return told(evaluations, "evaluations", "max_evaluations", max_evaluations_);
    return {};
}

} // namespace lento::detail
