#include <lento/effective/window.hpp>

#include <lento/base/misuse.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lento {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

int rounded(double value, std::string_view what) {
    constexpr double most = 4e6;
    if (!(std::isfinite(value) && value < most))
        throw does_not_apply(std::string(what) + " would take " + show(value) +
                             " micro steps: the fast motions are not separated from each other, or the step is too "
                             "small. Integrate the system directly, or use larger steps.");
    return static_cast<int>(std::lround(value));
}

/// Either of two spellings of one quantity must be given.
void require_one_of(std::string_view first_name, double first, std::string_view second_name, double second) {
    if (first != 0 && second != 0)
        throw misuse("a window takes " + std::string(first_name) + " or " + std::string(second_name) +
                     ", but both are given");
    if (first == 0 && second == 0)
        throw misuse("a window needs " + std::string(first_name) + " or " + std::string(second_name));
    require_positive("the window's " + std::string(first != 0 ? first_name : second_name), first != 0 ? first : second);
}

double largest_response(std::vector<double> const& weights, support side, double step,
                        std::vector<double> const& frequencies) {
    double largest = 0;
    for (double const frequency : frequencies)
        largest = std::max(largest, std::abs(response(weights, frequency * step, side)));
    // what is left of an exact zero is the rounding of the weights themselves
    return largest < 4e-17 ? 0 : largest;
}

/// The period that all phases share, found among small whole multiples of the slowest one's; 0 when there is none.
double common_period(std::span<double const> frequencies) {
    double const slowest = *std::min_element(frequencies.begin(), frequencies.end());
    for (int turns = 1; turns <= 64; ++turns) {
        bool const shared = std::all_of(frequencies.begin(), frequencies.end(), [&](double w) {
            double const count = turns * w / slowest;
            return std::abs(count - std::round(count)) < 1e-9 * count;
        });
        if (shared) return turns * two_pi / slowest;
    }
    return 0;
}

/// The steps of the plan in the whole window, and its length. `margin` is how far below the slowest frequency a filter
/// that knows its own length must begin to remove.
void lay_out(window_plan& p, window const& options, double slowest_period, double fastest_period, double margin) {
    if (p.exact_mean) {
        auto const mean = std::get<one_period_mean>(options.kernel);
        double const a_period = options.step != 0 ? slowest_period / options.step
                                                  : options.steps_per_period * slowest_period / fastest_period;
        int const samples = rounded(a_period, "a one-period window");
        if (samples < 2 || std::abs(a_period - samples) > 1e-6 * a_period)
            throw does_not_apply(
                "a one-period window needs a whole number of steps in the period, at least 2, but it has " +
                show(a_period));
        p.step = slowest_period / samples;
        int const steps = mean.boxes * (mean.rule == mean_rule::uniform ? samples - 1 : samples);
        if (steps % 2 != 0)
            throw misuse("a one-period window is symmetric about its start: sampled by trapezoids it needs an even "
                         "number of steps, uniformly an odd one");
        p.before = p.after = steps / 2;
        p.length = mean.boxes * slowest_period;
        return;
    }
    p.step = options.step != 0 ? options.step : fastest_period / options.steps_per_period;
    double length = options.length != 0 ? options.length : options.periods * slowest_period;
    bool const given = options.length != 0 || options.periods != 0; // so short a one underflows
    if (!given)
        length = p.step * steps_to_stop(std::get<chebyshev>(options.kernel), margin * two_pi * p.step / slowest_period);
    double const steps = length / p.step;
    if (options.side == support::centred) p.before = p.after = std::max(1, rounded(steps / 2, "the window"));
    else (options.side == support::forward ? p.after : p.before) = std::max(1, rounded(steps, "the window"));
    p.length = (p.before + p.after) * p.step;
}

/// The shortest window, in periods, whose filter leaves less than a share; 0 when none is found.
double enough_periods(window_plan const& p, double share) {
    for (double periods = std::ceil(p.periods); periods < 5000; periods = std::ceil(periods * 1.1))
        if (std::abs(response(p.kernel, two_pi * periods)) < share) return periods;
    return 0;
}

std::string cure(window_plan const& p, double share) {
    if (std::holds_alternative<chebyshev>(p.kernel))
        return " Use a smaller attenuation, and leave the window's length to follow from it.";
    double const periods = enough_periods(p, share);
    std::string sentence = periods > 0 ? " Use at least " + show(periods) + " periods" : " Use a smoother kernel";
    return sentence + ", or the one-period mean where the force is even or the start centred.";
}

} // namespace

std::vector<double> fast_frequencies(std::span<double const> frequencies) {
    std::vector<double> all;
    for (double const w : frequencies) all.push_back(std::abs(w));
    for (std::size_t i = 0; i < frequencies.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            for (double const w : {frequencies[i] + frequencies[j], frequencies[i] - frequencies[j]})
                if (std::abs(w) > 1e-12 * std::abs(frequencies[i])) all.push_back(std::abs(w));
    return all;
}

void check(window const& options) {
    check(options.kernel, options.side);
    bool const has_length = options.periods != 0 || options.length != 0;
    bool const exact_mean = fixed_periods(options.kernel) > 0;
    if (exact_mean && has_length)
        throw misuse("a one-period window has the length of the period; leave out periods and length");
    require_one_of("steps_per_period", options.steps_per_period, "step", options.step);
    bool const knows_length = exact_mean || std::holds_alternative<chebyshev>(options.kernel);
    if (has_length || !knows_length) require_one_of("periods", options.periods, "length", options.length);
}

window_plan plan(window const& options, std::span<double const> frequencies, bool combined) {
    check(options);
    auto const fast =
        combined ? fast_frequencies(frequencies) : std::vector<double>(frequencies.begin(), frequencies.end());
    double const slowest = *std::min_element(fast.begin(), fast.end());
    double fastest = 0;
    for (double const w : frequencies) fastest = std::max(fastest, w);

    window_plan p;
    p.kernel = options.kernel;
    p.checked = !options.unchecked;
    p.exact_mean = fixed_periods(options.kernel) > 0;
    double period = two_pi / slowest;
    if (p.exact_mean) period = common_period(frequencies);
    if (period == 0)
        throw does_not_apply(
            "a one-period window needs phases with a common period, but their frequencies have none; use "
            "a smooth kernel over 40 periods, or the picard estimator");
    // the modes of a stiff system change along its motion, those of a forcing do not
    lay_out(p, options, period, two_pi / fastest, combined ? 1 : 0.75);
    p.periods = p.length * slowest / two_pi;
    p.weights = weights(options.kernel, p.before + p.after, options.side);
    if (p.before == p.after) {
        p.folded.assign(p.weights.begin() + p.before, p.weights.end());
        for (std::size_t k = 1; k < p.folded.size(); ++k) p.folded[k] *= 2;
    }
    p.leak = largest_response(p.weights, options.side, p.step, fast);
    return p;
}

void leak_watch::observe(window_plan const& plan, double time, double deviation, double force, failure& failed,
                         std::vector<warning>& warnings) {
    ++seen_;
    deviation_ = std::max(deviation_, deviation);
    force_ = std::max(force_, force);
    if (seen_ < 2 || deviation_ == 0) return;
    // a mean force below 1e-12 of the oscillating one is zero as far as a double can tell
    double const leak = plan.leak * deviation_ / std::max(force_, 1e-12 * deviation_);
    if (!(leak > 1e-3)) return;
    std::string const numbers = "the window covers " + show(plan.periods) + " fast periods; the " +
                                std::string(name(plan.kernel)) + " kernel then leaves " + show(plan.leak) +
                                " of an oscillating force of size " + show(deviation_) +
                                ", against a mean force of size " + show(force_) + ".";
    if (leak > 1 && plan.checked) {
        failed = {outcome::window_too_short, time, numbers + cure(plan, 1e-3 * force_ / deviation_)};
        return;
    }
    if (!warned_) warnings.push_back({"window_leakage", time, numbers + cure(plan, 1e-3 * force_ / deviation_)});
    warned_ = true;
}

failure non_finite_force(double time, std::size_t component, bool in_window) {
    return {outcome::non_finite, time,
            "the force has a component that is not finite: number " + std::to_string(component + 1) +
                " at t = " + show(time) + (in_window ? ", inside an averaging window" : "") +
                ". Check the formula there (a division by zero, a root of a negative number), or start elsewhere."};
}

failure not_even(double time, bool once_even) {
    std::string const when = "at t = " + show(time);
    return {outcome::not_applicable, time,
            once_even
                ? "the force was even in theta at the start, but " + when +
                      " it is not: the results shortly before are in doubt. Use a centred start."
                : "a one-period mean with a start at rest needs a force that is even in theta, and " + when +
                      " it is not. Use a centred start, the picard estimator, or a smooth kernel over 40 periods."};
}

std::string resonance(std::span<double const> frequencies, std::span<double const> phases, bool harmless_at_zero) {
    double const fastest = *std::max_element(frequencies.begin(), frequencies.end());
    double turning = 0;
    auto const is_resonant = [&](std::vector<int> const& order) {
        turning = 0;
        double standing = 0;
        for (std::size_t j = 0; j < order.size(); ++j) {
            turning += order[j] * frequencies[j];
            standing += order[j] * phases[j];
        }
        bool const trivial = std::all_of(order.begin(), order.end(), [](int m) { return m == 0; });
        bool const harmless = harmless_at_zero && std::abs(std::remainder(standing, two_pi)) < 1e-9;
        return !trivial && !harmless && std::abs(turning) < 1e-9 * fastest;
    };
    for (int highest = 1; highest <= 6; ++highest) {
        std::vector<int> order(frequencies.size(), -highest);
        for (bool more = true; more;) {
            if (is_resonant(order)) {
                std::string text;
                for (std::size_t j = 0; j < order.size(); ++j)
                    if (order[j] != 0)
                        text += (text.empty() ? "" : " + ") + std::to_string(-order[j]) + " * " + show(frequencies[j]);
                return text + " = " + (turning == 0 ? "0" : show(-turning) + ", next to nothing beside them");
            }
            more = false;
            for (std::size_t j = 0; j < order.size() && !more; ++j) {
                more = order[j] < highest;
                order[j] = more ? order[j] + 1 : -highest;
            }
        }
    }
    return "";
}

failure resonant_phases(double time, std::string const& combination) {
    return {outcome::not_applicable, time,
            "the phases are in resonance, " + combination +
                ", so that their relative phase matters and they cannot be averaged one by one. Write the force with a "
                "single phase of their common frequency."};
}

failure unsettled_oscillation(double time, int passes, double before, double last, double force) {
    return {outcome::not_applicable, time,
            "at t = " + show(time) + " the oscillation around the slow position does not settle in " +
                std::to_string(passes) + " sweeps: the last two change the force by " + show(before) + " and " +
                show(last) + ", against a mean of " + show(force) +
                ". It is not small and fast enough to be found this way. Use windows, or integrate directly."};
}

failure velocity_is_needed(double time) {
    return {outcome::not_applicable, time,
            "the moving spectral mean depends on the slow velocity, and this stepper asks for a force of the position "
            "alone. Use dormand-prince, rk4 or another stepper for any force, or order 0."};
}

failure rough_in_phase(double time, std::size_t phase, std::size_t harmonic) {
    return {outcome::not_applicable, time,
            "the force is not smooth in phase " + std::to_string(phase + 1) + " at t = " + show(time) +
                ": it has harmonics above number " + std::to_string(harmonic) + ". Use order 0, or windows."};
}

failure rough_force(double time, int points, int others, double difference, double force) {
    return {outcome::not_applicable, time,
            "the means over " + std::to_string(points) + " and over " + std::to_string(others) + " phases differ by " +
                show(difference) + " at t = " + show(time) + ", against a mean force of size " + show(force) +
                ": along its oscillation the force is not smooth in theta. Use order 0, or windows."};
}

failure rough_along_path(double time) {
    return {outcome::not_applicable, time,
            "the force has a kink on the slow path at t = " + show(time) +
                ": its differences do not become smaller. Use order 0, or windows."};
}

failure slow_beat(double time, std::string const& name, double frequency, double slow_rate) {
    return {outcome::no_scale_separation, time,
            "the phases are near a resonance: " + name + " = " + show(frequency) +
                " is a beat, and at t = " + show(time) + " the slow motion changes at a rate of " + show(slow_rate) +
                ", not ten times slower. Integrate directly."};
}

failure too_many_samples(double time, std::size_t phases) {
    return {outcome::not_applicable, time,
            "the mean over " + std::to_string(phases) +
                " phases would take more than 2048 samples: the force has too many harmonics in too many phases. Use "
                "windows, or integrate directly."};
}

failure no_slow_state(double time) {
    return {outcome::not_applicable, time,
            "no slow state was found for the physical one at t = " + show(time) +
                ": the oscillation around it is not small enough. Integrate directly."};
}

warning unresolved_harmonics(double time, std::size_t points, double difference, double force) {
    return {"unresolved_harmonics", time,
            "the means over " + std::to_string(points) + " phases and over as many between them differ by " +
                show(difference) + ", against a mean force of size " + show(force) +
                ": the force has sharp features in theta. Use more points."};
}

} // namespace lento
