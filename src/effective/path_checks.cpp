#include <lento/effective/path_checks.hpp>

#include <lento/base/misuse.hpp>
#include <lento/effective/window.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace lento::detail {

void check_path(double delta, int points, int steps, bool adaptive) {
    require_positive("delta", delta);
    if (points < 1 || points > 4)
        throw misuse("an effective path needs 1 to 4 points to either side, but it has " + std::to_string(points));
    if (!adaptive && steps < 1)
        throw misuse("a micro-integration with fixed steps needs at least one over delta, but it has " +
                     std::to_string(steps));
}

void check_strobe(int order, int steps) {
    if (order != 2 && order != 4)
        throw misuse("stroboscopic averaging is of order 2 or 4, but order " + std::to_string(order) + " is asked for");
    if (steps < 1) throw misuse("a period needs at least one micro step, but it has " + std::to_string(steps));
}

double extrapolation_share(double first_power, double second_power) {
    if (std::abs(second_power - first_power) < 1e-6)
        throw misuse("an extrapolation needs two filters with different mean squares, but both have " +
                     show(first_power));
    return (1 - first_power) / (second_power - first_power);
}

void check_oscillation(linear_flow const& flow, failure& failed) {
    std::string sentence = flow.not_oscillatory();
    if (!sentence.empty()) failed = {outcome::not_applicable, 0, std::move(sentence)};
}

void watch_leak(std::vector<double> const& frequencies, double delta, kernel const* filter,
                std::vector<warning>& warnings) {
    if (frequencies.empty()) return;
    double worst = 0;
    double slowest = 0;
    for (double const w : fast_frequencies(frequencies)) {
        double const radians = w * delta;
        double const leak = filter != nullptr ? std::abs(response(*filter, radians, support::mean))
                                              : std::abs(2 * std::sin(radians / 2) / radians);
        if (leak > worst) {
            worst = leak;
            slowest = w;
        }
    }
    if (!(worst > 1e-3)) return;
    std::string sentence = "over delta = " + show(delta) + " epsilon the " +
                           (filter != nullptr ? std::string(name(*filter)) + " filter" : std::string("plain mean")) +
                           " leaves " + show(worst) + " of the fast motion with frequency " + show(slowest) +
                           "/epsilon.";
    if (filter == nullptr) {
        sentence += " Use a filter, or the period as delta where it is known.";
    } else if (auto const* each = std::get_if<polynomial>(filter)) {
        sentence += " Its main lobe needs delta of about " + show(5 * (each->regularity + 1) / slowest) +
                    ": use that, or less regularity.";
    } else {
        sentence += " Use a longer delta.";
    }
    warnings.push_back({"window_leakage", 0, std::move(sentence)});
}

failure period_is_wrong(double time, double period, double defect, double drift) {
    return {outcome::not_applicable, time,
            "after the period " + show(period) + " the unperturbed fast flow misses its start by " + show(defect) +
                ", against " + show(drift) +
                " by which the perturbation moves the state: the period is wrong, or the micro steps are too few. "
                "Correct it, or use backward-forward with a filter, which needs no period."};
}

failure not_periodic(double time, double period, double defect, double excursion) {
    return {outcome::not_applicable, time,
            "after the period " + show(period) + " the motion is " + show(defect) +
                " away from where it was, and it "
                "moved no further than " +
                show(excursion) +
                " in between: nothing returns with this period. Correct it, or integrate the system directly."};
}

} // namespace lento::detail
