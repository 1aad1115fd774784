#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <lento/stepper/combination.hpp>
#include <lento/stepper/dop853_table.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/step_control.hpp>
#include <lento/stepper/stepper.hpp>

namespace lento {

/// Hairer's method of order 8 with adaptive step: errors of order 5 and 3 are estimated together, and between its steps
/// it has a solution of order 7, for three evaluations more in a step where that is asked for.
struct dop853 {
    double rtol = 1e-6;
    double atol = 1e-9;
    std::optional<double> first_step{}; ///< left out: chosen
    double min_step = 0;
    std::optional<double> max_step{};

    using method = dop853_method;
    static constexpr std::string_view name = method::name;
    static constexpr int order = method::order;
    static constexpr bool is_adaptive = true;
    static constexpr control_rule control = control_rule::pi;
    static constexpr bool has_dense_output = true;
    static constexpr bool checks_rows = true; ///< where dense output is kept
    static constexpr auto options() { return adaptive_options<dop853>(); }

    template <class State> struct memory_in {
        std::array<State, method::all_stages> stage; // [0] is that of the current point
        State first;                                 // the first stage of the step that was accepted
        State point;                // a stage's argument, the end of a tried step, the start of an accepted one
        std::array<State, 7> dense; // the polynomial between its ends
        typename State::vector::value_type tried{}; // the length of the step
        bool fresh = false;
        bool has_polynomial = false;
        [[nodiscard]] auto const& derivative() const {
            if constexpr (State::is_motion) return stage[0].velocity;
            else return stage[0].state;
        }
        static auto members(auto& self) { return std::tie(self.stage[0], self.fresh); }
    };
    template <class S> using memory = memory_in<state_of<S>>;

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(differential<S>, "a Runge-Kutta method needs an acceleration or a rate");
        memory<S> m;
        m.point = origin(system);
        m.first = m.point;
        for (auto& stage : m.stage) stage = m.point;
        for (auto& part : m.dense) part = m.point;
        return m;
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        detail::whole_rate(system, t, x, m.stage[0], work);
        m.fresh = true;
    }
    /// Tries a step and returns its error measured in the tolerance; x is unchanged until `accept`.
    template <class S> [[nodiscard]] double attempt(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                    state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        using T = scalar_of<S>;
        prepare(system, t, x, m, work);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((combine<detail::stage_weights<method, T, I + 1>>(h, x, m),
              detail::whole_rate(system, t + node<T, I + 1> * h, m.point, m.stage[I + 1], work)),
             ...);
        }(std::make_index_sequence<method::stages - 1>{});
        combine<detail::end_weights<method, T>>(h, x, m);
        m.tried = h;
        return error_of(h, x, m);
    }
    template <class S> void accept(S const&, state_of<S>& x, memory<S>& m) const {
        std::swap(x, m.point);
        std::swap(m.stage[0], m.first);
        m.fresh = false;
        m.has_polynomial = false;
    }
    template <class S> [[nodiscard]] double rounding(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                     state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        prepare(system, t, x, m, work);
        return detail::rk_rounding(method::coefficients<scalar_of<S>>.error, rtol, atol, system, t, h, x, m, work);
    }
    /// The state at a time inside the step just accepted, which ended at `end`.
    template <class S> void inside(S const& system, scalar_of<S> end_time, state_of<S> const& end, scalar_of<S> t,
                                   state_of<S>& out, memory<S>& m, work_of<S>& work) const {
        using T = scalar_of<S>;
        if (!m.has_polynomial) {
            prepare(system, end_time, end, m, work);
            find_polynomial(system, end_time - m.tried, end, m, work);
            m.has_polynomial = true;
        }
        T const s = T(1) - (end_time - t) / m.tried;
        T const r = T(1) - s;
        detail::for_each_part(out, [&](auto part) {
            auto const& c = m.dense;
            for (std::size_t i = 0; i < part(out).size(); ++i) {
                T const high = part(c[3])[i] + s * (part(c[4])[i] + r * (part(c[5])[i] + s * part(c[6])[i]));
                part(out)[i] =
                    part(m.point)[i] + s * (part(c[0])[i] + r * (part(c[1])[i] + s * (part(c[2])[i] + r * high)));
            }
        });
    }

private:
    template <class T, std::size_t I> static constexpr T node = method::coefficients<T>.c(I);
    template <class T> struct third_order_weights {
        static constexpr auto const& weights = method::error_3<T>;
    };

    template <class Weights, class T, class State> static void combine(T h, State const& x, memory_in<State>& m) {
        detail::for_each_part(x, [&](auto part) {
            detail::for_each_index<typename State::vector>(part(x).size(), [&](std::size_t i) {
                part(m.point)[i] = part(x)[i] + h * detail::weighted<Weights>(stages_of(m, part), i);
            });
        });
    }
    template <class State, class Part> static auto stages_of(memory_in<State> const& m, Part part) {
        return [&m, part](std::size_t j) -> auto const& { return part(m.stage[j]); };
    }
    /// The two estimates together, as Hairer does it: of order 8 where both are small.
    template <class T, class State>
    [[nodiscard]] double error_of(T h, State const& x, memory_in<State> const& m) const {
        double fifth = 0;
        double third = 0;
        detail::for_each_part(x, [&](auto part) {
            detail::for_each_index<typename State::vector>(part(x).size(), [&](std::size_t i) {
                T const by_5 = h * detail::weighted<detail::error_weights<method, T>>(stages_of(m, part), i);
                T const by_3 = h * detail::weighted<third_order_weights<T>>(stages_of(m, part), i);
                fifth = detail::worse(fifth, detail::error_ratio(by_5, part(x)[i], part(m.point)[i], rtol, atol));
                third = detail::worse(third, detail::error_ratio(by_3, part(x)[i], part(m.point)[i], rtol, atol));
            });
        });
        double const both = std::hypot(fifth, 0.1 * third);
        return both > 0 || both != both ? fifth * (fifth / both) : 0;
    }
    /// The three stages that dense output needs more, and its polynomial.
    template <class S> static void find_polynomial(S const& system, scalar_of<S> from, state_of<S> const& end,
                                                   memory<S>& m, work_of<S>& work) {
        using T = scalar_of<S>;
        T const h = m.tried;
        auto const stage = [&m](std::size_t j) -> state_of<S> const& {
            return j == 0 ? m.first : j == method::stages ? m.stage[0] : m.stage[j];
        };
        auto& argument = m.dense[0];
        for (std::size_t k = method::stages + 1; k < method::all_stages; ++k) {
            argument = m.point;
            for (std::size_t j = 0; j < k; ++j)
                if (method::a[k][j] != 0) add_scaled(argument, h * static_cast<T>(method::a[k][j]), stage(j));
            detail::whole_rate(system, from + static_cast<T>(method::node(k)) * h, argument, m.stage[k], work);
        }
        detail::for_each_part(end, [&](auto part) {
            for (std::size_t i = 0; i < part(end).size(); ++i) {
                T const whole = part(end)[i] - part(m.point)[i];
                T const first = h * part(m.first)[i] - whole;
                part(m.dense[0])[i] = whole;
                part(m.dense[1])[i] = first;
                part(m.dense[2])[i] = whole - h * part(m.stage[0])[i] - first;
                for (std::size_t k = 0; k < method::d.size(); ++k) {
                    T sum(0);
                    for (std::size_t j = 0; j < method::all_stages; ++j)
                        if (method::d[k][j] != 0) sum += static_cast<T>(method::d[k][j]) * part(stage(j))[i];
                    part(m.dense[3 + k])[i] = h * sum;
                }
            }
        });
    }
};

/// The eighth-order method with a fixed step.
using fixed_dop853 = runge_kutta<dop853_method>;

} // namespace lento
