#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lento/base/option.hpp>
#include <lento/stepper/nystrom.hpp>
#include <lento/stepper/stepper.hpp>

namespace lento {
namespace detail {

/// integral over [0, 1] of (1 - s) (-1)^j binomial(sign s, j): the weight of the j-th backward difference in a double
/// integral of the force, forward (sign -1) or backward (sign +1) in time.
template <class T> [[nodiscard]] constexpr T double_integral_weight(int j, int sign) {
    // coefficients of the polynomial (-1)^j binomial(sign s, j) in powers of s
    std::array<T, 16> p{};
    p[0] = T(1);
    for (int i = 0; i < j; ++i) { // times (i - sign s)/(i + 1)
        std::array<T, 16> next{};
        for (std::size_t k = 0; k + 1 < next.size(); ++k) {
            next[k] += p[k] * T(i) / T(i + 1);
            next[k + 1] -= p[k] * T(sign) / T(i + 1);
        }
        p = next;
    }
    T sum(0);
    for (std::size_t k = 0; k < p.size(); ++k) sum += p[k] / (T(k + 1) * T(k + 2));
    return sum;
}

/// Turns weights of backward differences into weights of the values f_n, f_{n-1}, ...
template <class T, std::size_t K>
[[nodiscard]] constexpr std::array<T, K> on_values(std::array<T, K> const& on_differences) {
    std::array<T, K> weights{};
    for (std::size_t j = 0; j < K; ++j) {
        T binomial(1);
        for (std::size_t i = 0; i <= j; ++i) {
            weights[i] += on_differences[j] * binomial;
            binomial *= -T(j - i) / T(i + 1);
        }
    }
    return weights;
}

} // namespace detail

/// Multistep methods for x'' = a(t, x), one evaluation per step. Stormer's (1907) extrapolates the past accelerations.
/// Cowell's correction (Cowell and Crommelin 1910) then adds the next difference, known after the evaluation at the
/// predicted point: one order more and a far smaller error for the same work. The first steps are taken by a
/// Runge-Kutta-Nystrom method of at least that order, and so is a step of another length.
template <int Order, bool Corrected = false> struct stormer {
    static_assert(Order >= 4 && Order <= 8, "Stormer's and Cowell's methods are offered with orders 4 to 8");
    double step = 0;
    bool compensated = true;

    static constexpr std::array<std::array<std::string_view, 5>, 2> names{
        {{"stormer4", "stormer5", "stormer6", "stormer7", "stormer8"},
         {"cowell4", "cowell5", "cowell6", "cowell7", "cowell8"}}};
    static constexpr std::string_view name = names[Corrected ? 1 : 0][Order - 4];
    static constexpr int order = Order;
    static constexpr bool is_adaptive = false;
    static constexpr bool limited_by_stability = true;
    static constexpr auto options() {
        return std::tuple{step_option(&stormer::step), compensated_option(&stormer::compensated)};
    }

    using starter = std::conditional_t<Order == 4, rkn4, std::conditional_t<(Order <= 6), rkn6, rkn8>>;
    static constexpr std::size_t history = Corrected ? Order - 1 : Order;

    template <class V> struct memory_in {
        typename starter::template memory_in<V> first;
        std::array<V, history + 1> past; // accelerations, the newest first
        V difference;                    // x_n - x_{n-1}
        V lost{};                        // what the difference lacks of the exact sum
        typename V::value_type uniform_step{};
        std::size_t known = 0; // how many of `past` belong to equally spaced points
        bool fresh = false;
        [[nodiscard]] V const& derivative() const { return past[0]; }
        static auto members(auto& self) {
            return std::tie(self.past, self.difference, self.lost, self.first.lost, self.uniform_step, self.known,
                            self.fresh);
        }
    };
    template <class S> using memory = memory_in<vector_of<S>>;

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(separable<S>, "Stormer's method needs a force that does not depend on the velocity; use a "
                                    "Runge-Kutta method for this system");
        memory<S> m;
        m.first = starter{}.start(system);
        m.difference = system.space().template zeros<scalar_of<S>>();
        for (auto& acceleration : m.past) acceleration = m.difference;
        return m;
    }
    /// Before a run: windows are too short for sums to matter.
    template <class V> void compensate(memory_in<V>& m) const {
        starter{.compensated = compensated}.compensate(m.first);
        if (compensated) m.lost = m.difference;
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        system.acceleration(t, x.position, m.past[0], work);
        m.fresh = true;
        m.known = 1;
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        using std::abs;
        prepare(system, t, x, m, work);
        if (m.known > 1 && abs(h - m.uniform_step) > T(1e-9) * abs(h)) m.known = 1;
        m.uniform_step = h;
        if (m.known < history) start_up(system, t, h, x, m, work);
        else multistep(system, t, h, x, m, work);
        m.known = m.known < history ? m.known + 1 : history;
    }

private:
    /// The weight of the j-th difference in x_{n+1} - 2 x_n + x_{n-1}.
    template <class T> [[nodiscard]] static constexpr T difference_weight(std::size_t j) {
        return detail::double_integral_weight<T>(static_cast<int>(j), -1) +
               detail::double_integral_weight<T>(static_cast<int>(j), 1);
    }
    template <class T> [[nodiscard]] static constexpr auto position_weights() {
        std::array<T, history> weights{};
        for (std::size_t j = 0; j < history; ++j) weights[j] = difference_weight<T>(j);
        return weights;
    }
    /// Interpolating the new acceleration too changes x_{n+1} by its highest difference, with the next weight.
    template <class T> [[nodiscard]] static constexpr auto correction_weights() {
        std::array<T, history + 1> weights{};
        weights[history] = difference_weight<T>(history);
        return weights;
    }
    template <class T> [[nodiscard]] static constexpr auto velocity_weights() {
        std::array<T, Order> weights{};
        for (std::size_t j = 0; j < weights.size(); ++j)
            weights[j] = detail::double_integral_weight<T>(static_cast<int>(j), 1);
        return weights;
    }

    template <class S> static void start_up(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x,
                                            memory<S>& m, work_of<S>& work) {
        using T = scalar_of<S>;
        m.first.stage[0] = m.past[0];
        m.first.fresh = true;
        set_scaled(m.difference, T(-1), x.position);
        if (m.first.compensates) set_scaled(m.lost, T(-1), m.first.lost.position);
        starter{}.advance(system, t, h, x, m.first, work);
        add_scaled(m.difference, T(1), x.position);
        if (m.first.compensates) add_scaled(m.lost, T(1), m.first.lost.position);
        starter{}.prepare(system, t + h, x, m.first, work);
        make_room(m);
        m.past[0] = m.first.stage[0];
    }
    template <class S> static void multistep(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x,
                                             memory<S>& m, work_of<S>& work) {
        using T = scalar_of<S>;
        static constexpr auto predicting = detail::on_values(position_weights<T>());
        static constexpr auto in_velocity = detail::on_values(velocity_weights<T>());
        if (m.first.compensates) {
            predict(h * h, x, m);
        } else {
            for (std::size_t i = 0; i < history; ++i) add_scaled(m.difference, h * h * predicting[i], m.past[i]);
            add_scaled(x.position, T(1), m.difference);
        }
        make_room(m);
        system.acceleration(t + h, x.position, m.past[0], work);
        if constexpr (Corrected) {
            static constexpr auto correcting = detail::on_values(correction_weights<T>());
            if (m.first.compensates) correct(h * h, x, m);
            else
                for (std::size_t i = 0; i <= history; ++i) {
                    add_scaled(m.difference, h * h * correcting[i], m.past[i]);
                    add_scaled(x.position, h * h * correcting[i], m.past[i]);
                }
        }
        set_scaled(x.velocity, T(1) / h, m.difference);
        for (std::size_t i = 0; i < in_velocity.size(); ++i) add_scaled(x.velocity, h * in_velocity[i], m.past[i]);
    }
    template <class T> struct predictor {
        static constexpr auto weights = detail::on_values(position_weights<T>());
        struct rest {
            static constexpr auto weights =
                detail::rest_of(predictor::weights, detail::on_values(position_weights<long double>()));
        };
    };
    template <class T> struct highest_difference {
        static constexpr auto weights = [] {
            std::array<T, history + 1> highest{};
            highest[history] = T(1);
            return detail::on_values(highest);
        }();
    };
    /// Compensated sums: the accelerations are added to the difference, and that to the position.
    template <class T, class V> static void predict(T square, motion<V>& x, memory_in<V>& m) {
        auto const past = [&m](std::size_t j) -> V const& { return m.past[j]; };
        detail::for_each_index<V>(x.position.size(), [&](std::size_t i) {
            T const sum = detail::weighted<predictor<T>, history, 0>(past, i);
            T const rest = detail::weighted<typename predictor<T>::rest, history, 0>(past, i);
            m.difference[i] = detail::add_up(m.difference[i], square * sum, m.lost[i] + square * rest, m.lost[i]);
            detail::add_compensated(x.position[i], m.difference[i], m.first.lost.position[i]);
        });
    }
    template <class T, class V> static void correct(T square, motion<V>& x, memory_in<V>& m) {
        auto const past = [&m](std::size_t j) -> V const& { return m.past[j]; };
        constexpr T weight = difference_weight<T>(history);
        detail::for_each_index<V>(x.position.size(), [&](std::size_t i) {
            T const sum = square * weight * detail::weighted<highest_difference<T>, history + 1, 0>(past, i);
            detail::add_compensated(m.difference[i], sum, m.lost[i]);
            detail::add_compensated(x.position[i], sum, m.first.lost.position[i]);
        });
    }
    template <class V> static void make_room(memory_in<V>& m) {
        for (std::size_t i = history; i > 0; --i) std::swap(m.past[i], m.past[i - 1]);
    }
};

using stormer4 = stormer<4>;
using stormer5 = stormer<5>;
using stormer6 = stormer<6>;
using stormer7 = stormer<7>;
using stormer8 = stormer<8>;
using cowell4 = stormer<4, true>;
using cowell5 = stormer<5, true>;
using cowell6 = stormer<6, true>;
using cowell7 = stormer<7, true>;
using cowell8 = stormer<8, true>;

} // namespace lento
