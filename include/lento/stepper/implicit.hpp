#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include <lento/base/option.hpp>
#include <lento/base/outcome.hpp>
#include <lento/base/statistics.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/stepper.hpp>

/// Symmetric implicit rules, solved by fixed-point iteration: no derivatives are needed, so they run on any system and
/// scale, on averaged ones too, and run back to where they started. The iteration contracts while the step is short
/// beside the fastest motion of the system; where it does not, the run ends and says so.
namespace lento {

namespace detail {

/// An iteration that moves by less, relatively, and no longer comes closer has reached the rounding of its force.
inline constexpr double stalled = 1e-10;

/// One that moves by so much is on its way to infinity.
inline constexpr double run_away = 1e6;

[[nodiscard]] failure fixed_point_diverged(std::string_view rule, double time, double step, int iterations,
                                           double change);

template <class State> struct fixed_point_memory {
    State slope; // at the current point
    State stage; // the slope that is sought
    State point; // where it is taken
    State found;
    bool fresh = false;
    std::uint64_t iterations = 0;
    failure failed;
    [[nodiscard]] auto const& derivative() const {
        if constexpr (State::is_motion) return slope.velocity;
        else return slope.state;
    }
    void count(statistics& counts) const { counts.newton_iterations += iterations; }
    static auto members(auto& self) { return std::tie(self.slope, self.fresh, self.iterations, self.failed); }
};

template <class S> [[nodiscard]] fixed_point_memory<state_of<S>> fixed_point_start(S const& system) {
    static_assert(differential<S>, "an implicit rule needs an acceleration or a rate");
    auto const zero = origin(system);
    return {.slope = zero, .stage = zero, .point = zero, .found = zero, .failed = {}};
}
template <class S> void fixed_point_prepare(S const& system, scalar_of<S> t, state_of<S> const& x,
                                            fixed_point_memory<state_of<S>>& m, work_of<S>& work) {
    if (m.fresh) return;
    whole_rate(system, t, x, m.slope, work);
    m.fresh = true;
}

/// How much h (a - b) is, beside x and h a.
template <class V, class T> [[nodiscard]] double relative_change(T h, V const& a, V const& b, V const& x) {
    double change = 0;
    double size = static_cast<double>(max_norm(x)) + std::abs(static_cast<double>(h * max_norm(a)));
    for (std::size_t i = 0; i < a.size(); ++i)
        change = std::max(change, std::abs(static_cast<double>(h * (a[i] - b[i]))));
    return all_finite(a) ? (change > 0 ? change / size : 0) : std::numeric_limits<double>::infinity();
}
template <class V, class T>
[[nodiscard]] double relative_change(T h, motion<V> const& a, motion<V> const& b, motion<V> const& x) {
    return std::max(relative_change(h, a.position, b.position, x.position),
                    relative_change(h, a.velocity, b.velocity, x.velocity));
}
template <class V, class T>
[[nodiscard]] double relative_change(T h, point<V> const& a, point<V> const& b, point<V> const& x) {
    return relative_change(h, a.state, b.state, x.state);
}

} // namespace detail

/// Runs a rule that is implicit in one slope: k = f(t + c h, x + h (before f(t, x) + inside k)), and the end of the
/// step x + h (before f(t, x) + (1 - before) k). Rule gives these numbers, `name` and `ends_there`: k is the slope at
/// the end.
template <class Rule> struct fixed_point_rule {
    double step = 0;
    double tolerance = 0; ///< relative change of the state at which the iteration stops; 0: the rounding of its numbers
    int max_iterations = 100;

    static constexpr std::string_view name = Rule::name;
    static constexpr int order = 2;
    static constexpr bool is_adaptive = false;
    static constexpr auto options() {
        return std::tuple{step_option(&fixed_point_rule::step),
                          option{"tolerance", &fixed_point_rule::tolerance,
                                 "the relative change at which the fixed point is found; 0: rounding", not_negative},
                          option{"max_iterations", &fixed_point_rule::max_iterations,
                                 "more iterations in a step end the run", at_least(1)}};
    }

    template <class S> using memory = detail::fixed_point_memory<state_of<S>>;
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        return detail::fixed_point_start(system);
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        detail::fixed_point_prepare(system, t, x, m, work);
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        prepare(system, t, x, m, work);
        m.stage = m.slope;
        double const near = std::max(tolerance, 4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
        double previous = std::numeric_limits<double>::infinity();
        for (int k = 1;; ++k) {
            m.point = x;
            if (Rule::before != 0) add_scaled(m.point, h * T(Rule::before), m.slope);
            add_scaled(m.point, h * T(Rule::inside), m.stage);
            detail::whole_rate(system, t + T(Rule::when) * h, m.point, m.found, work);
            ++m.iterations;
            double const change = detail::relative_change(h, m.found, m.stage, x);
            std::swap(m.stage, m.found);
            if (change <= near || (change >= previous && change < detail::stalled)) break;
            if (!std::isfinite(change)) { // a force that is not finite has its own story
                x = m.stage;
                return;
            }
            if (k == max_iterations || change > detail::run_away) {
                m.failed =
                    detail::fixed_point_diverged(name, static_cast<double>(t), static_cast<double>(h), k, change);
                return;
            }
            previous = change;
        }
        if (Rule::before != 0) add_scaled(x, h * T(Rule::before), m.slope);
        add_scaled(x, h * T(1 - Rule::before), m.stage);
        m.fresh = Rule::ends_there;
        if (Rule::ends_there) std::swap(m.slope, m.stage);
    }
};

struct implicit_midpoint_rule {
    static constexpr std::string_view name = "implicit-midpoint";
    static constexpr double before = 0;
    static constexpr double inside = 0.5;
    static constexpr double when = 0.5;
    static constexpr bool ends_there = false;
};
struct trapezoidal_rule {
    static constexpr std::string_view name = "trapezoid";
    static constexpr double before = 0.5;
    static constexpr double inside = 0.5;
    static constexpr double when = 1;
    static constexpr bool ends_there = true;
};

/// The implicit midpoint rule: symmetric, symplectic, of second order.
using implicit_midpoint = fixed_point_rule<implicit_midpoint_rule>;
/// The trapezoidal rule: symmetric, of second order, one evaluation per step cheaper.
using trapezoid = fixed_point_rule<trapezoidal_rule>;

} // namespace lento
