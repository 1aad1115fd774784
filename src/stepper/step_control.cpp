#include <lento/stepper/step_control.hpp>

#include <algorithm>
#include <limits>

namespace lento {
namespace {

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
    if (as_ode45_) return next_as_ode45(h, error, accepted);
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

double step_control::limited(double h) const { return std::min(h, max_); }

bool step_control::too_small(double h, double t) const {
    return h < min_ || !(h > resolution * std::abs(t)) || h < std::numeric_limits<double>::min();
}

} // namespace lento
