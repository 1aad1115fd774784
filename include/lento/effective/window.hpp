#pragma once

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <lento/base/outcome.hpp>
#include <lento/kernel/kernel.hpp>

namespace lento {

/// The short stretch of fast motion behind one slow evaluation: which filter, how long, how fine. Give its whole length
/// as `periods` or `length`, its resolution as `steps_per_period` or `step`. Periods of windows are those of the
/// slowest fast frequency (differences of phases included), periods of steps those of the fastest.
struct window {
    lento::kernel kernel = exponential{};
    double periods = 0;          ///< the whole window; 0: its length is given
    double length = 0;           ///< as a time; 0: its periods are given
    double steps_per_period = 0; ///< micro steps; 0: the step is given
    double step = 0;             ///< the micro step as a time; 0: so many per period
    support side = support::centred;
    bool unchecked = false; ///< run although the filter leaks
};

/// The window of one known period: `one_period{.steps = 80}`. An odd number of steps samples it uniformly.
struct one_period {
    int steps = 80;
    int boxes = 1;
    operator window() const { // NOLINT(google-explicit-constructor): it is a window, spelled shorter
        return {.kernel = one_period_mean{boxes, steps % 2 == 0 ? mean_rule::trapezoid : mean_rule::uniform},
                .steps_per_period = static_cast<double>(steps)};
    }
};

/// A window worked out for given frequencies.
struct window_plan {
    int before = 0;              ///< micro steps back from the start
    int after = 0;               ///< micro steps forward from the start
    double step = 0;             ///< the micro step
    double length = 0;           ///< of the whole window
    double periods = 0;          ///< how many of the slowest fast periods it covers
    std::vector<double> weights; ///< of the samples -before ... after
    std::vector<double> folded;  ///< of the samples 0 ... after, when the other half mirrors them
    double leak = 0;             ///< the largest discrete response at a fast frequency
    bool exact_mean = false;     ///< a one-period mean: exact, but only for periodic samples
    bool checked = true;
    lento::kernel kernel;
    static auto members(auto& self) { // the kernel is the one that was asked for
        return std::tie(self.before, self.after, self.step, self.length, self.periods, self.weights, self.folded,
                        self.leak, self.exact_mean, self.checked);
    }
};

/// All fast frequencies a window must remove: each phase's, and the nonzero sums and differences of two.
[[nodiscard]] std::vector<double> fast_frequencies(std::span<double const> frequencies);

/// Throws misuse where options contradict each other or make no sense, whatever the frequencies.
void check(window const& options);
/// Works a window out. Throws misuse for contradictory or senseless options. The modes of a stiff system oscillate
/// each at its own frequency: their sums and differences need no periods of their own.
[[nodiscard]] window_plan plan(window const& options, std::span<double const> frequencies, bool combined = true);

/// What the first windows of a run saw, and whether their filter was good enough (the leak rule).
class leak_watch {
public:
    static constexpr int windows = 16;
    [[nodiscard]] bool watching() const { return seen_ < windows; }
    /// Takes the largest |f_k - F| and |F| of a window. A leak above 1e-3 of F warns once, above 1 it is a failure.
    void observe(window_plan const& plan, double time, double deviation, double force, failure& failed,
                 std::vector<warning>& warnings);
    static auto members(auto& self) { return std::tie(self.seen_, self.deviation_, self.force_, self.warned_); }

private:
    int seen_ = 0;
    double deviation_ = 0;
    double force_ = 0;
    bool warned_ = false;
};

/// Sentences for what can go wrong in a window.
[[nodiscard]] failure non_finite_force(double time, std::size_t component, bool in_window);
/// The force is not even where it must be; `once_even`: it was so up to some time before.
[[nodiscard]] failure not_even(double time, bool once_even);
/// A combination of frequencies with small whole numbers that vanishes, as a text; empty when there is none. Of phases
/// that keep the combination at zero nothing is lost by starting them all at zero, so these can be let through.
[[nodiscard]] std::string resonance(std::span<double const> frequencies, std::span<double const> phases,
                                    bool harmless_at_zero);
[[nodiscard]] failure resonant_phases(double time, std::string const& combination);
/// Sweeps for the oscillation around the slow position changed the force by `before`, and the last one by `last`.
[[nodiscard]] failure unsettled_oscillation(double time, int passes, double before, double last, double force);
/// ... of the moving mean: one that is asked without a velocity, and forces that it is not for.
[[nodiscard]] failure velocity_is_needed(double time);
[[nodiscard]] failure rough_in_phase(double time, std::size_t phase, std::size_t harmonic);
[[nodiscard]] failure rough_force(double time, int points, int others, double difference, double force);
[[nodiscard]] failure rough_along_path(double time);
[[nodiscard]] failure slow_beat(double time, std::string const& name, double frequency, double slow_rate);
[[nodiscard]] failure too_many_samples(double time, std::size_t phases);
[[nodiscard]] failure no_slow_state(double time);
[[nodiscard]] warning unresolved_harmonics(double time, std::size_t points, double difference, double force);

} // namespace lento
