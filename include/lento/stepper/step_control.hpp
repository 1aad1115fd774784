#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include <lento/base/option.hpp>

namespace lento {

/// The options that all steppers share which choose their own steps.
template <class Stepper> [[nodiscard]] constexpr auto adaptive_options() {
    return std::tuple{option{"rtol", &Stepper::rtol, "the relative local tolerance", not_negative},
                      option{"atol", &Stepper::atol, "the absolute local tolerance", not_negative},
                      option{"first_step", &Stepper::first_step, "the first step; left out: chosen", positive, "time"},
                      option{"min_step", &Stepper::min_step, "smaller steps end the run", not_negative, "time"},
                      option{"max_step", &Stepper::max_step, "larger steps are never taken", positive, "time"}};
}

/// How an adaptive method chooses its steps: `standard`; `ode45` as the code of that name does (Shampine and Reichelt
/// 1997): errors relative to max(|x|, atol/rtol), steps up to a tenth of the run, no growth after a failure, a last
/// step that stretches by a tenth, and the pair's own interpolant of order 4 for output; or `pi`, which looks at the
/// error of the step before too (Gustafsson 1991): far fewer steps are rejected.
enum class control_rule { standard, ode45, pi };
constexpr std::array<std::string_view, 3> names_of(control_rule) { return {"standard", "ode45", "pi"}; }

/// The same for methods without that interpolant.
enum class feedback_rule { standard, pi };
constexpr std::array<std::string_view, 2> names_of(feedback_rule) { return {"standard", "pi"}; }

[[nodiscard]] constexpr control_rule rule_of(control_rule rule) { return rule; }
[[nodiscard]] constexpr control_rule rule_of(feedback_rule rule) {
    return rule == feedback_rule::pi ? control_rule::pi : control_rule::standard;
}

/// Step sizes of an adaptive method from the errors of its steps, measured in the tolerance. The order is the power of
/// the step with which they go.
class step_control {
public:
    step_control(int order, double min_step, double max_step, control_rule rule)
        : order_(order), min_(min_step), max_(max_step), rule_(rule) {}
    /// A first step from the size of the state and of its rate, both measured in the tolerance's scale.
    [[nodiscard]] double first(double relative_rate, double rtol, double span, double start = 0) const;
    /// The next step after one of size h with this error (NaN: as bad as it gets).
    [[nodiscard]] double next(double h, double error, bool accepted);
    [[nodiscard]] double limited(double h) const;
    [[nodiscard]] bool too_small(double h, double t) const;

    /// Whether it is time to look what rounding alone does to the error estimate. Rarely: after 1, 2, 4, 8 ... steps,
    /// every 16th where it was seen to matter.
    [[nodiscard]] bool wants_rounding() const { return rule_ == control_rule::pi && steps_ >= next_look_; }
    /// Takes the error that rounding makes, measured in the tolerance. Shorter steps do not make it smaller, so errors
    /// are not asked to be below a few times that.
    void note_rounding(double level);
    /// So many tolerances are kept: 1, or more where the tolerance is below rounding.
    [[nodiscard]] double floor() const { return floor_; }
    /// What it remembers of the steps before.
    static auto members(auto& self) {
        return std::tie(self.just_failed_, self.has_failed_, self.last_error_, self.floor_, self.steps_,
                        self.next_look_);
    }

private:
    [[nodiscard]] double next_as_ode45(double h, double error, bool accepted);
    [[nodiscard]] double next_by_pi(double h, double error, bool accepted);

    int order_;
    double min_;
    double max_;
    control_rule rule_;
    bool just_failed_ = false;
    bool has_failed_ = false; // ever
    double last_error_ = 0.1; // of the last accepted step
    double floor_ = 1;
    std::uint64_t steps_ = 0;
    std::uint64_t next_look_ = 1;
};

namespace detail {

/// The largest relative rate of change, sizes below the threshold counting as the threshold.
template <class V> [[nodiscard]] double relative_rate(V const& values, V const& rates, double threshold) {
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double const value = std::abs(static_cast<double>(values[i]));
        double const size = value > threshold ? value : threshold;
        double const speed = std::abs(static_cast<double>(rates[i]));
        double const ratio = size > 0 ? speed / size : speed;
        if (ratio > largest) largest = ratio;
    }
    return largest;
}

} // namespace detail
} // namespace lento
