#include <lento/solve/control.hpp>

#include <lento/base/misuse.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lento {

namespace detail {

void check_interval(double start, double end) {
    require_finite("the start time", start);
    require_finite("the end time", end);
    if (end == start) throw misuse("a run takes time, but it is to go from " + show(start) + " to " + show(end));
}

void check_tolerances(double rtol, double atol, double first, double smallest, double largest) {
    if (!(std::isfinite(rtol) && std::isfinite(atol) && rtol >= 0 && atol >= 0 && rtol + atol > 0))
        throw misuse("tolerances must be finite, not negative and not both zero, but rtol is " + show(rtol) +
                     " and atol is " + show(atol));
    if (first != 0) require_positive("the first step", first);
    if (first != 0 && first < smallest)
        throw misuse("the first step must not be below the smallest, but they are " + show(first) + " and " +
                     show(smallest));
    if (!(smallest >= 0)) throw misuse("the smallest step must not be negative, but it is " + show(smallest));
    if (!(largest > smallest))
        throw misuse("the largest step must exceed the smallest, but they are " + show(largest) + " and " +
                     show(smallest));
}

void check_rules(step_rules const& rules, double start, double end) {
    if (end < start && rules.chooses_steps)
        throw misuse("a code that chooses its steps itself runs forward in time alone, but this run is to go from " +
                     show(start) + " to " + show(end) + "; use one of Lento's own schemes");
    if (rules.adaptive)
        return check_tolerances(rules.rtol, rules.atol, rules.first_step, rules.min_step, rules.max_step);
    require_positive("the step", rules.step);
    constexpr double most = 1e15; // no run takes as many
    double const span = std::abs(end - start);
    if (span / rules.step > most)
        throw misuse("the step " + show(rules.step) + " is too short for a run of " + show(span));
}

std::vector<double> checked_output(double start, double end, std::vector<double> times, std::size_t count) {
    check_interval(start, end);
    if (!times.empty() && count != 0) throw misuse("give output times or their number, but not both");
    if (count == 1) return {end};
    times.reserve(times.size() + count);
    for (std::size_t i = 0; i < count; ++i)
        times.push_back(
            i + 1 == count ? end : start + (end - start) * (static_cast<double>(i) / static_cast<double>(count - 1)));
    bool const backward = end < start;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (!(times[i] >= std::min(start, end) && times[i] <= std::max(start, end)))
            throw misuse("output times must lie between " + show(start) + " and " + show(end) + ", but one is " +
                         show(times[i]));
        if (i > 0 && !(backward ? times[i] < times[i - 1] : times[i] > times[i - 1]))
            throw misuse(std::string("output times must ") + (backward ? "decrease" : "increase") + ", but " +
                         show(times[i - 1]) + " is followed by " + show(times[i]));
    }
    return times;
}

failure step_limit_reached(double t, double end, unsigned long long steps) {
    return {outcome::step_limit, t,
            "the run stopped at t = " + show(t) + " of " + show(end) + " after " + std::to_string(steps) +
                " steps; allow more with max_steps, or ask for less accuracy"};
}

failure step_too_small(double t, double h) {
    return {outcome::step_too_small, t,
            "at t = " + show(t) + " the tolerance asks for a step below " + show(h) +
                ": the solution may have a singularity there, or the tolerance is below what the force can deliver; "
                "try a larger rtol and atol"};
}

failure state_too_large(double t, double size) {
    return {outcome::non_finite, t,
            "at t = " + show(t) + " the state or the force is so large, " + show(size) +
                ", that no step is short enough for it: it overflows; use other units, or another start"};
}

failure run_interrupted(double t) {
    return {outcome::interrupted, t, "the run was interrupted at t = " + show(t) + "; what it has so far is kept"};
}

failure run_ended_early(double t) {
    return {outcome::interrupted, t, "the run was ended at t = " + show(t) + ", before it had reached its end"};
}

failure state_not_finite(double t, std::size_t component, char const* what) {
    return {outcome::non_finite, t,
            std::string("the ") + what + " is not finite: component " + std::to_string(component + 1) +
                " at t = " + show(t) + "; a smaller step may help, unless the solution itself escapes"};
}

failure window_covers_run(double window, double span) {
    return {outcome::no_scale_separation, 0,
            "an averaging window is " + show(window) + " long, against a run of " + show(span) +
                ": the fast motion is not fast enough for this method. Integrate the system directly."};
}

warning window_exceeds_step(double window, double step) {
    return {"window_longer_than_step", 0,
            "an averaging window is " + show(window) + " long and the macro step " + show(step) +
                ": a direct integration is cheaper here, and the scales may not be separated"};
}
warning force_jumps(double t, double cut) {
    return {
        "force_jumps", t,
        "at t = " + show(t) + " the force jumps or has a kink: a step had to be " + show(std::round(cut)) +
            " times shorter there than before and after; results are more accurate, for less work, where a run ends "
            "there and another goes on"};
}
bool is_below_rounding(step_rules const& rules, double size) {
    constexpr double rounding = 2 * std::numeric_limits<double>::epsilon();
    return rules.atol + rules.rtol * size < rounding * size;
}
warning below_rounding(double t, double rtol, double atol) {
    return {"round_off", t,
            "the tolerances " + show(rtol) + " (relative) and " + show(atol) +
                " (absolute) ask for less than rounding "
                "from t = " +
                show(t) + " on: the run goes on with errors as small as rounding lets them be"};
}

} // namespace detail
} // namespace lento
