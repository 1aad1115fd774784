#include <lento/stepper/step_control.hpp>

#include <algorithm>
#include <limits>

namespace lento {
namespace {

/// What PI control aims at: measured with pairs of orders 5 to 12 on a vibrated pendulum and on orbits, the work at
/// equal error is least for 0.02 to 0.2, and next to no step is rejected.
constexpr double goal = 0.1;

/// A step of this share of the time is told apart from none.
constexpr double resolution = 16 * std::numeric_limits<double>::epsilon();

} // namespace

double step_control::first(double relative_rate, double rtol, double span, double start) const {
    double const factor = 0.8 * std::pow(rtol > 0 ? rtol : 1e-12, 1.0 / order_);
    double const by_rate = relative_rate > 0 ? factor / relative_rate : span;
    double const resolved = 2 * resolution * std::abs(start); // a guess, which may be far too short
    return limited(std::max({std::min(by_rate, 0.1 * span), min_, resolved}));
}

double step_control::next(double h, double error, bool accepted) {
    if (rule_ == control_rule::ode45) return next_as_ode45(h, error, accepted);
    if (rule_ == control_rule::pi) return next_by_pi(h, error, accepted);
    constexpr double safety = 0.9;
    constexpr double shrink = 0.2;
    constexpr double growth = 5;
    double factor = std::isfinite(error) && error > 0 ? safety * std::pow(error, -1.0 / order_) : growth;
    if (!std::isfinite(error)) factor = shrink;
    factor = std::clamp(factor, shrink, accepted && !just_failed_ ? growth : 1.0);
    just_failed_ = !accepted;
    return limited(h * factor);
}

double step_control::next_as_ode45(double h, double error, bool accepted) {
    bool const failed_before = just_failed_;
    just_failed_ = !accepted;
    if (accepted) {
        if (failed_before) return h;
        double const shrink = 1.25 * std::pow(error, 1.0 / order_);
        return limited(shrink > 0.2 ? h / shrink : 5 * h);
    }
    if (failed_before) return 0.5 * h;
    return h * (std::isfinite(error) ? std::max(0.1, 0.8 * std::pow(error, -1.0 / order_)) : 0.1);
}

double step_control::next_by_pi(double h, double error, bool accepted) {
    constexpr double shrink = 0.2;
    constexpr double growth = 5;
    constexpr double first_growth = 100; // the first guess is crude: nothing is known yet
    double const most = !accepted || just_failed_ ? 1 : has_failed_ ? growth : first_growth;
    double factor = std::isfinite(error) ? most : shrink;
    // far from the goal straight to it, near it gently: forces that oscillate make errors do so too
    bool const near = accepted && error > 1e-3 * goal;
    if (std::isfinite(error) && error > 0)
        factor = near ? std::pow(goal / error, 0.4 / order_) * std::pow(last_error_ / goal, 0.2 / order_)
                      : std::pow(goal / error, 1.0 / order_);
    if (accepted) {
        last_error_ = near ? error : goal;
        ++steps_;
    }
    just_failed_ = !accepted;
    has_failed_ = has_failed_ || !accepted;
    return limited(h * std::clamp(factor, shrink, most));
}

void step_control::note_rounding(double level) {
    constexpr double above = 2 / goal; // so that errors of the step, not of rounding, decide
    constexpr double quiet = 1e-2;
    constexpr std::uint64_t closely = 16;
    if (std::isfinite(level)) floor_ = std::max(floor_, above * level);
    next_look_ = level < quiet ? 2 * steps_ : steps_ + std::min(steps_, closely);
}

double step_control::limited(double h) const { return std::min(h, max_); }

bool step_control::too_small(double h, double t) const {
    return h < min_ || !(h > resolution * std::abs(t)) || h < std::numeric_limits<double>::min();
}

} // namespace lento
