#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <lento/base/outcome.hpp>
#include <lento/stepper/step_control.hpp>

namespace lento {

/// Time as a sum of steps with compensation, so that a million steps of 0.1 end where they should.
template <class T> class clock_time {
public:
    explicit clock_time(T start) : sum_(start) {}
    [[nodiscard]] T now() const { return sum_; }
    void advance(T h) {
        T const corrected = h + lost_;
        T const next = sum_ + corrected;
        lost_ = corrected - (next - sum_);
        sum_ = next;
    }
    void set(T t) {
        sum_ = t;
        lost_ = T(0);
    }

    static auto members(auto& self) { return std::tie(self.sum_, self.lost_); }

private:
    T sum_;
    T lost_ = T(0);
};

/// What the time loop must know of a stepper. Plain data, read once.
struct step_rules {
    int order = 0;
    int error_order = 0; ///< the power of the step with which the error estimate goes
    bool adaptive = false;
    bool chooses_steps = false;           ///< takes steps of its own choice
    bool steps_over_oscillations = false; ///< no interpolation tells what is between its points
    bool has_dense_output = false;        ///< of its own, inside the last step
    bool checks_rows = false;             ///< interpolates where that is seen to be good enough
    bool limited_by_stability = false;    ///< explodes where its step is too long for the fastest motion
    bool settles = false;                 ///< has the system settle every point itself
    control_rule control = control_rule::standard;
    double step = 0; ///< of a fixed one
    double rtol = 0;
    double atol = 0;
    double first_step = 0;
    double min_step = 0;
    double max_step = std::numeric_limits<double>::infinity();
};

namespace detail {

/// Checks of `solve`'s numbers; they throw misuse.
void check_interval(double start, double end);
void check_tolerances(double rtol, double atol, double first, double smallest, double largest);
void check_rules(step_rules const& rules, double start, double end);
/// The output times, after a check of the interval and of the times in it.
[[nodiscard]] std::vector<double> checked_output(double start, double end, std::vector<double> times,
                                                 std::size_t count);

[[nodiscard]] failure step_limit_reached(double t, double end, unsigned long long steps);
[[nodiscard]] failure step_too_small(double t, double h);
[[nodiscard]] failure state_too_large(double t, double size);
[[nodiscard]] failure run_interrupted(double t);
[[nodiscard]] failure run_ended_early(double t);
[[nodiscard]] failure state_not_finite(double t, std::size_t component, char const* what);
[[nodiscard]] failure window_covers_run(double window, double span);
[[nodiscard]] warning window_exceeds_step(double window, double step);
[[nodiscard]] warning force_jumps(double t, double cut);
/// Whether tolerances ask for less than rounding of a state of that size.
[[nodiscard]] bool is_below_rounding(step_rules const& rules, double size);
[[nodiscard]] warning below_rounding(double t, double rtol, double atol);

} // namespace detail
} // namespace lento
