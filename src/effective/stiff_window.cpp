#include <lento/effective/stiff_window.hpp>

#include <lento/system/misuse.hpp>

#include <cmath>

namespace lento {
namespace {

double verlet_angle(double frequency, double step) { return 2 * std::asin(std::min(1., frequency * step / 2)); }

} // namespace

window_plan stiff_plan(window const& options, std::span<double const> band) {
    for (double const frequency : band)
        if (!(frequency > 0))
            throw misuse("a spring has a vanishing gradient at the start: its fast frequency is " + show(frequency));
    if (options.side != support::centred)
        throw misuse(
            "a window of a stiff system is symmetric about its start; a one-sided one does not filter velocities");
    if (fixed_periods(options.kernel) > 0)
        throw misuse("a one-period mean needs one known period; the fast motion of a stiff system has several");
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

failure filter_check::verdict(double span, double step) const {
    std::string const numbers = "the filter leaves " + show(response) + " of the fast force at frequency " +
                                show(frequency) + ", so that the averaged motion ";
    // e^7 takes the window's own errors, about 1e-3 of the force, to the size of the motion
    if (response < 0 && rate * span > 7)
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

namespace detail {

warning constraint_drift(double time, double normal, double kinetic, double change) {
    return {"constraint_drift", time,
            "at t = " + show(time) + " the springs hold an energy of " + show(normal) + ", against " + show(kinetic) +
                " in the motion, and the fast frequencies have changed by " + show(change) +
                " of themselves: the averaged motion has drifted away from the slow manifold, and the energy of the "
                "springs acts on it. Project it back every so often (every, drift), or at every evaluation."};
}

failure projection_diverged(double time, int iterations, double change, double tolerance) {
    return {outcome::projection_failed, time,
            "the projection onto the slow manifold at t = " + show(time) + " still moves by " + show(change) +
                " after " + std::to_string(iterations) + " filterings, above its tolerance " + show(tolerance) +
                ". Start closer to the constraints, take a smaller macro step, or a longer window."};
}

} // namespace detail
} // namespace lento
