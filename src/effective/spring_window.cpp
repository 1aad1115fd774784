#include <lento/effective/spring_window.hpp>

#include <lento/effective/fast_energy.hpp>

#include <lento/base/misuse.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lento {
namespace {

double verlet_angle(double frequency, double step) { return 2 * std::asin(std::min(1., frequency * step / 2)); }

} // namespace

void check_stiff(window const& options) {
    check(options);
    if (options.side != support::centred)
        throw misuse(
            "a window of a stiff system is symmetric about its start; a one-sided one does not filter velocities");
    if (fixed_periods(options.kernel) > 0)
        throw misuse("a one-period mean needs one known period; the fast motion of a stiff system has several");
}

window_plan stiff_plan(window const& options, std::span<double const> band) {
    for (double const frequency : band)
        if (!(frequency > 0))
            throw misuse("a spring has a vanishing gradient at the start: its fast frequency is " + show(frequency));
    check_stiff(options);
    window_plan p = plan(options, band, false);
    double const fastest = band.back();
    if (!(p.step * fastest < 2))
        throw misuse("the micro step " + show(p.step) +
                     " is beyond Verlet's limit: times the largest fast frequency, " + show(fastest) +
                     ", it must stay below 2, but it is " + show(p.step * fastest));
    p.leak = 0;
    for (double const frequency : band)
        p.leak = std::max(p.leak, std::abs(response(p.weights, verlet_angle(frequency, p.step))));
    return p;
}

filter_check worst_mode(window_plan const& plan, std::span<double const> band) {
    filter_check worst;
    for (double const frequency : band) {
        double const r = response(plan.weights, verlet_angle(frequency, plan.step)).real();
        filter_check const seen{frequency, r, frequency * std::sqrt(std::abs(r))};
        bool const worse = (r < 0) == (worst.response < 0) ? seen.rate > worst.rate : r < 0;
        if (worst.frequency == 0 || worse) worst = seen;
    }
    return worst;
}

failure mode_range::verdict(double window_length) const {
    // where half a window is a radian of the slow motion, its moments no longer cancel
    if (!(slow * window_length > 2)) return {};
    return {outcome::no_scale_separation, 0,
            "the fast modes have frequencies from " + show(slowest) + " to " + show(fastest) +
                ", so that a window is " + show(window_length) +
                " long; the slow force alone makes frequencies up to " + show(slow) +
                ", for which this is no short time: the slowest fast mode is not separated from the slow motion. "
                "Integrate the system directly, or its constrained limit."};
}

namespace {

// e^7 takes the window's own errors, about 1e-3 of the force, to the size of the motion
constexpr double most_growth = 7;

std::string left_over(filter_check const& mode) {
    return "the filter leaves " + show(mode.response) + " of the fast force at frequency " + show(mode.frequency) +
           ", so that the averaged motion ";
}

} // namespace

failure filter_check::verdict(double span, double step) const {
    std::string const numbers = left_over(*this);
    if (response < 0 && rate * span > most_growth)
        return {outcome::filter_unstable, 0,
                numbers + "runs away like exp(" + show(rate) + " t), with t up to " + show(span) +
                    ". Use another number of micro steps, a longer window, or project at every evaluation."};
    // explicit Runge-Kutta methods of order 3 and 4 are stable up to 1.7 and 2.8
    if (response > 0 && rate * step > 2.8)
        return {outcome::filter_unstable, 0,
                numbers + "still oscillates at " + show(rate) + ", too fast for the macro step " + show(step) +
                    ". Use a longer window, a smaller macro step, or project at every evaluation."};
    return {};
}

void band_watch::step(window_plan const& plan, double t, std::span<double const> band, bool runs_away, double speed,
                      double change, failure& failed) {
    double const elapsed = std::isnan(last_) ? 0 : std::abs(t - last_);
    last_ = t;
    fastest_motion_ = std::max(fastest_motion_, speed);
    if (failed.happened()) return;
    double const slowest = band.front();
    double const fastest = band.back();
    auto const when = [t] { return "at t = " + show(t) + " "; }; // nothing is allocated while all is well
    if (!(plan.step * fastest < 2)) {
        failed = {outcome::not_applicable, t,
                  when() + "the largest fast frequency has become " + show(fastest) + ": times the micro step " +
                      show(plan.step) + " it must stay below 2, but it is " + show(plan.step * fastest) +
                      ". Use a smaller micro step."};
        return;
    }
    if (!plan.checked && runs_away) return;
    double const left = std::abs(response(plan.weights, verlet_angle(slowest, plan.step)));
    if (left > 0.1) {
        failed = {outcome::no_scale_separation, t,
                  when() + "the slowest fast frequency has become " + show(slowest) + ", its period " +
                      show(2 * std::numbers::pi / slowest) + ", and a window of length " + show(plan.length) +
                      " leaves " + show(left) +
                      " of it: this spring is no longer hard. Use a longer window, or treat it as a slow force."};
        return;
    }
    if (runs_away && elapsed > 0) {
        auto const worst = worst_mode(plan, band);
        if (worst.response < 0) growth_ += worst.rate * elapsed;
        if (growth_ > most_growth) {
            failed = {outcome::filter_unstable, t,
                      when() + left_over(worst) + "runs away like exp(" + show(worst.rate) +
                          " t), and has done so for a while. Use another number of micro steps, a longer window, or "
                          "project at every evaluation."};
            return;
        }
    }
    if (elapsed > 0 && change / elapsed > largest_rate_) {
        largest_rate_ = change / elapsed;
        rate_time_ = t;
        slowest_ = slowest;
    }
}

void band_watch::report(window_plan const& plan, std::vector<warning>& warnings) const {
    double const changed = largest_rate_ * plan.length;
    if (!(changed > 0.5 * fastest_motion_)) return;
    warnings.push_back({"no_scale_separation", rate_time_,
                        "at t = " + show(rate_time_) + " the velocity changes by " + show(changed) + " of " +
                            show(fastest_motion_) + " within one window of length " + show(plan.length) +
                            ": the motion is not slow beside the slowest fast period, " +
                            show(2 * std::numbers::pi / slowest_) + ". Use a shorter window, or integrate directly."});
}

void round_off_watch::report(std::vector<warning>& warnings) const {
    constexpr double allowed = 1e-3;
    // what would change the velocity within the run, where nothing else does
    double const steady = last_ > first_ ? fastest_ / (last_ - first_) : 0;
    if (!(noise_ > allowed * std::max(largest_, steady))) return;
    warnings.push_back({"round_off", time_,
                        "springs of frequency " + show(frequency_) + " make an acceleration of " + show(noise_) +
                            " of the last digit of a coordinate, against " + show(largest_) +
                            " of the motion: digits of the result are lost. Follow the springs' loads (the method ipa "
                            "with projection = { loads = 4 }), which does not meet this, or lower the frequency."});
}

namespace detail {

namespace {

std::string adds_up(double acceleration, double time, double span, double path) {
    return "an acceleration of up to " + show(acceleration) + ", at t = " + show(time) + ", which over a time of " +
           show(span) + " adds up to as much as " + show(span * span * acceleration / 2) +
           " of position, on a path of " + show(path) + ". ";
}

} // namespace

warning motion_is_fast(double time, double displaced, double path) {
    return {"fast_motion_dropped", time,
            "the start lies " + show(displaced) + " away from its slow point, and the slow motion's whole path is " +
                show(path) +
                ": the motion is fast for the most part, and what is followed here is not that. "
                "Integrate directly, or, where the springs are linear, as a split system."};
}

warning fast_energy_ignored(double time, double energy, double acceleration, double span, double path) {
    return {"fast_energy_ignored", time,
            "the fast motion of the start holds an energy of " + show(energy) +
                ", and its frequencies vary along the slow motion: the true slow motion feels that energy as a "
                "potential. What is ignored is " +
                adds_up(acceleration, time, span, path) +
                "Start on the slow manifold (project), if that is meant; integrate directly, if the energy is real."};
}

warning fast_motion_dropped(double time, double energy, double moving) {
    return {"fast_motion_dropped", time,
            "the start swings about the slow motion with an energy of " + show(energy) + ", " + show(energy / moving) +
                " of the largest kinetic energy of that, and is not followed: what is reported is the slow motion "
                "alone. Use the method adiabatic, which keeps that energy, or integrate directly."};
}

failure motion_is_lost(double time, double energy, double moving, double shift, double path) {
    return {outcome::filter_unstable, time,
            "windows start so far off the slow manifold that nothing is left of the motion: their springs hold an "
            "energy of up to " +
                show(energy) + ", against " + show(moving) + " in the motion, and would have moved it by " +
                show(shift) + ", on a path of " + show(path) +
                ". Take smaller macro steps, project the motion back every so often (every, drift), or at every "
                "evaluation (the method ipa)."};
}

warning constraint_drift(double time, double energy, double moving, double acceleration, double span, double path) {
    return {"constraint_drift", time,
            "windows start off the slow manifold: at t = " + show(time) + " their springs hold an energy of " +
                show(energy) + ", against " + show(moving) +
                " in the motion, and act on it where the fast frequencies vary, with " +
                adds_up(acceleration, time, span, path) +
                "Take smaller macro steps, project the motion back every so often (every, drift), or at every "
                "evaluation (slow_manifold)."};
}

failure projection_diverged(double time, int iterations, double change, double tolerance) {
    return {outcome::projection_failed, time,
            "the projection onto the slow manifold at t = " + show(time) + " still moves by " + show(change) +
                " after " + std::to_string(iterations) + " filterings, above its tolerance " + show(tolerance) +
                ". Start closer to the constraints, take a smaller macro step, or a longer window."};
}

failure windows_cover_run(double time, double covered, double length) {
    return {outcome::no_scale_separation, time,
            "at t = " + show(time) + " the windows, of up to " + show(length) + ", are already " + show(covered) +
                " long in all, which is dearer than a direct solution: the slowest fast motion is not fast. Use the "
                "method direct."};
}

} // namespace detail
} // namespace lento
