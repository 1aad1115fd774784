#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include <lento/base/misuse.hpp>
#include <lento/base/option.hpp>
#include <lento/stepper/combination.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/stepper.hpp>

namespace lento {

namespace detail {

inline constexpr std::size_t most_adams = 8;

/// The weights of the latest `order` slopes, the newest first: Adams and Bashforth's (1883), or with the slope at the
/// end of the step among them Adams and Moulton's.
template <class T> [[nodiscard]] constexpr std::array<T, most_adams> adams_weights(std::size_t order, bool with_end) {
    // by backward differences: sum_i gamma_i/(k + 1 - i) = 1, or 0 for k > 0 where the end is known
    std::array<T, most_adams> gamma{};
    for (std::size_t k = 0; k < order; ++k) {
        T sum = with_end && k > 0 ? T(0) : T(1);
        for (std::size_t i = 0; i < k; ++i) sum -= gamma[i] / T(k + 1 - i);
        gamma[k] = sum;
    }
    std::array<T, most_adams> weights{};
    for (std::size_t k = 0; k < order; ++k) {
        T binomial(1);
        for (std::size_t j = 0; j <= k; ++j) {
            weights[j] += (j % 2 == 0 ? T(1) : T(-1)) * binomial * gamma[k];
            binomial = binomial * T(k - j) / T(j + 1);
        }
    }
    return weights;
}

/// A Runge-Kutta method that starts Adams's, whose first slopes are as many steps: order k asks for k - 1 of them, each
/// wrong by O(h^k) at most.
template <class Method, class State> struct adams_starter : rk_memory<State, Method::stages> {
    using method = Method;
};
template <class State> using adams_starters =
    std::variant<adams_starter<rk4_method, State>, adams_starter<dormand_prince_method, State>,
                 adams_starter<dormand_prince_8_method, State>>;
template <class S> [[nodiscard]] adams_starters<state_of<S>> make_adams_starter(S const& system, int order) {
    using State = state_of<S>;
    if (order <= rk4_method::order + 1) return adams_starter<rk4_method, State>{rk_start<rk4_method::stages>(system)};
    if (order <= dormand_prince_method::order + 1)
        return adams_starter<dormand_prince_method, State>{rk_start<dormand_prince_method::stages>(system)};
    return adams_starter<dormand_prince_8_method, State>{rk_start<dormand_prince_8_method::stages>(system)};
}

} // namespace detail

/// Adams's methods as predictor and corrector with a fixed step (PECE): two evaluations per step at any order, 1 to 8.
/// It starts with a Runge-Kutta method of order 4, 5 or 8, at most one order below its own. On a system that moves the
/// point of evaluation, as the projection onto the slow manifold does, one evaluation serves: the step ends at the
/// moved prediction plus what the corrector adds.
struct adams {
    double step = 0;
    int order_wanted = 6;
    bool compensated = true;

    static constexpr std::string_view name = "adams";
    static constexpr int order = 6; // of the default; see order_of
    static constexpr bool is_adaptive = false;
    static constexpr bool limited_by_stability = true;
    static constexpr bool settles = true; ///< takes care itself of the point of evaluation
    static constexpr auto options() {
        return std::tuple{step_option(&adams::step),
                          option{"order", &adams::order_wanted, "the order of predictor and corrector", between(1, 8)},
                          compensated_option(&adams::compensated)};
    }

    template <class State, class T> struct memory_in {
        std::array<State, detail::most_adams> slope; // the newest first
        std::array<T, detail::most_adams> predictor;
        std::array<T, detail::most_adams> corrector;
        std::array<T, detail::most_adams> rest; // what T has no room for of the corrector
        detail::adams_starters<State> starter;
        State predicted;
        State end_slope;
        std::size_t known = 0; // slopes before the current one
        T last_step{};
        bool fresh = false;
        bool compensates = false;
        State lost{}; // what the state lacks of the exact sum of the steps
        [[nodiscard]] auto const& derivative() const {
            if constexpr (State::is_motion) return slope[0].velocity;
            else return slope[0].state;
        }
        static auto members(auto& self) {
            return std::tie(self.slope, self.known, self.last_step, self.fresh, self.lost);
        }
    };
    template <class S> using memory = memory_in<state_of<S>, scalar_of<S>>;

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(differential<S>, "Adams's methods need an acceleration or a rate");
        if (order_wanted < 1 || order_wanted > static_cast<int>(detail::most_adams))
            throw misuse("Adams's methods here have orders 1 to 8, but " + std::to_string(order_wanted) +
                         " is asked for");
        using T = scalar_of<S>;
        auto const k = static_cast<std::size_t>(order_wanted);
        memory<S> m{.slope = {},
                    .predictor = detail::adams_weights<T>(k, false),
                    .corrector = detail::adams_weights<T>(k, true),
                    .rest =
                        detail::rest_of(detail::adams_weights<T>(k, true), detail::adams_weights<long double>(k, true)),
                    .starter = detail::make_adams_starter(system, order_wanted),
                    .predicted = origin(system),
                    .end_slope = origin(system)};
        for (auto& slope : m.slope) slope = m.predicted;
        return m;
    }
    /// Before a run: windows are too short for sums to matter.
    template <class State, class T> void compensate(memory_in<State, T>& m) const {
        m.compensates = compensated;
        m.lost = m.predicted;
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        detail::whole_rate(system, t, x, m.slope[0], work);
        m.fresh = true;
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        prepare(system, t, x, m, work);
        auto const k = static_cast<std::size_t>(order_wanted);
        if (m.known > 0 && !(h == m.last_step)) m.known = 0; // slopes at other distances are of no use
        if (m.known + 1 < k) {
            std::visit([&](auto& starter) { take_first_step(system, t, h, x, starter, m, work); }, m.starter);
        } else {
            m.predicted = x;
            for (std::size_t j = 0; j < k; ++j) add_scaled(m.predicted, h * m.predictor[j], m.slope[j]);
            if constexpr (requires { system.settle(t, x, m.end_slope, work); }) {
                add_scaled(x, T(-1), m.predicted);
                system.settle(t + h, m.predicted, m.end_slope, work);
                add_scaled(x, T(1), m.predicted);
            } else {
                detail::whole_rate(system, t + h, m.predicted, m.end_slope, work);
            }
            correct(h, k, x, m);
            shift(h, m);
            if constexpr (requires { system.settle(t, x, m.end_slope, work); }) {
                std::swap(m.slope[0], m.end_slope);
                m.fresh = true;
            }
        }
    }

private:
    template <class S, class Starter> static void take_first_step(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                                  state_of<S>& x, Starter& starter, memory<S>& m,
                                                                  work_of<S>& work) {
        auto const& table = Starter::method::template table<scalar_of<S>>();
        starter.stage[0] = m.slope[0];
        starter.fresh = true;
        detail::rk_step(table, system, t, h, x, starter, work);
        std::swap(x, starter.point);
        shift(h, m);
        if (!table.fsal) return;
        m.slope[0] = starter.stage.back(); // taken at the end of the step
        m.fresh = true;
    }
    template <class T, class State> static void correct(T h, std::size_t k, State& x, memory_in<State, T>& m) {
        if (!m.compensates) {
            add_scaled(x, h * m.corrector[0], m.end_slope);
            for (std::size_t j = 1; j < k; ++j) add_scaled(x, h * m.corrector[j], m.slope[j - 1]);
            return;
        }
        detail::for_each_part(x, [&](auto part) {
            for (std::size_t i = 0; i < part(x).size(); ++i) {
                T sum = m.corrector[0] * part(m.end_slope)[i];
                T rest = m.rest[0] * part(m.end_slope)[i];
                for (std::size_t j = 1; j < k; ++j) {
                    sum += m.corrector[j] * part(m.slope[j - 1])[i];
                    rest += m.rest[j] * part(m.slope[j - 1])[i];
                }
                rest = part(m.lost)[i] + h * rest;
                part(x)[i] = detail::add_up(part(x)[i], h * sum, rest, part(m.lost)[i]);
            }
        });
    }
    template <class T, class Memory> static void shift(T h, Memory& m) {
        for (std::size_t j = detail::most_adams - 1; j > 0; --j) std::swap(m.slope[j], m.slope[j - 1]);
        m.known = m.known + 1 < detail::most_adams ? m.known + 1 : m.known;
        m.last_step = h;
        m.fresh = false;
    }
};

/// The order of Adams's methods is a matter of choice.
[[nodiscard]] inline int order_of(adams const& stepper) { return stepper.order_wanted; }

} // namespace lento
