#pragma once

#include <cmath>
#include <cstddef>
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

/// Step sizes of an adaptive method from the errors of its steps, measured in the tolerance.
class step_control {
public:
    step_control(int order, double min_step, double max_step, bool as_ode45 = false)
        : order_(order), min_(min_step), max_(max_step), as_ode45_(as_ode45) {}
    /// A first step from the size of the state and of its rate, both measured in the tolerance's scale.
    [[nodiscard]] double first(double relative_rate, double rtol, double span, double start = 0) const;
    /// The next step after one of size h with this error (NaN: as bad as it gets).
    [[nodiscard]] double next(double h, double error, bool accepted);
    [[nodiscard]] double limited(double h) const;
    [[nodiscard]] bool too_small(double h, double t) const;
    /// What it remembers of the steps before.
    static auto members(auto& self) { return std::tie(self.just_failed_); }

private:
    [[nodiscard]] double next_as_ode45(double h, double error, bool accepted);

    int order_;
    double min_;
    double max_;
    bool as_ode45_;
    bool just_failed_ = false;
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
