#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <lento/stepper/combination.hpp>
#include <lento/stepper/nystrom.hpp>
#include <lento/stepper/nystrom12.hpp>
#include <lento/stepper/step_control.hpp>
#include <lento/stepper/stepper.hpp>

namespace lento {

/// An embedded pair of Runge-Kutta-Nystrom methods for x'' = a(t, x) with adaptive step. What rounding loses of the
/// state in a step is added in the next: at these orders the sum of the steps would otherwise be the largest error.
/// Method gives `coefficients<T>`, `order`, `error_order` (the power of the step in the error estimate), `stages` and
/// `name`.
template <class Method> struct nystrom_pair {
    double rtol = 1e-6;
    double atol = 1e-9;
    std::optional<double> first_step{}; ///< left out: chosen
    double min_step = 0;
    std::optional<double> max_step{};

    static constexpr std::string_view name = Method::name;
    static constexpr int order = Method::order;
    static constexpr int error_order = Method::error_order;
    static constexpr bool is_adaptive = true;
    static constexpr control_rule control = control_rule::pi;
    static constexpr bool checks_rows = true;
    static constexpr auto options() { return adaptive_options<nystrom_pair>(); }

    template <class V> struct memory_in {
        std::array<V, Method::stages> stage;
        V point;
        motion<V> end;      // of the step that was tried
        motion<V> lost;     // what the state lacks of the exact sum of the steps
        motion<V> lost_end; // and would lack at the end
        bool fresh = false;
        [[nodiscard]] V const& derivative() const { return stage[0]; }
        static auto members(auto& self) { return std::tie(self.stage, self.lost, self.fresh); }
    };
    template <class S> using memory = memory_in<vector_of<S>>;

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(separable<S>, "a Runge-Kutta-Nystrom pair needs a force that does not depend on the velocity; "
                                    "use a Runge-Kutta pair for this system");
        auto const zeros = system.space().template zeros<scalar_of<S>>();
        memory<S> m{{}, zeros, {zeros, zeros}, {zeros, zeros}, {zeros, zeros}};
        for (auto& stage : m.stage) stage = zeros;
        return m;
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        system.acceleration(t, x.position, m.stage[0], work);
        m.fresh = true;
    }
    /// Makes a memory ready for a step from a point where the acceleration is known.
    template <class V> static void begin_at(V const& acceleration, memory_in<V>& m) {
        m.stage[0] = acceleration;
        m.fresh = true;
        for (V* const lost : {&m.lost.position, &m.lost.velocity}) std::fill(lost->begin(), lost->end(), 0);
    }
    /// Tries a step and returns its error measured in the tolerance; x is unchanged until `accept`.
    template <class S> [[nodiscard]] double attempt(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                    state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        prepare(system, t, x, m, work);
        if constexpr (few<vector_of<S>>) { // locals can stay in registers
            auto stage = m.stage;
            double const error = try_step(system, t, h, x, stage, m, work);
            m.stage.back() = stage.back();
            return error;
        } else {
            return try_step(system, t, h, x, m.stage, m, work);
        }
    }
    /// The error of a step that one rounding of its points makes, measured in the tolerance: how much the force changes
    /// with the last digits of time and position, through the weights of the estimate.
    template <class S> [[nodiscard]] double rounding(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                     state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        using T = scalar_of<S>;
        prepare(system, t, x, m, work);
        detail::set_rounded(m.point, x.position);
        system.acceleration(detail::rounded(t), m.point, m.stage[1], work);
        T const in_position = h * h * detail::root_of_squares(table<T>.error);
        T const in_velocity = h * detail::root_of_squares(table<T>.error_v);
        double worst = 0;
        for (std::size_t i = 0; i < m.point.size(); ++i) {
            T const change = m.stage[1][i] - m.stage[0][i];
            T const next = x.velocity[i] + h * m.stage[0][i];
            worst = detail::worse(
                worst, detail::error_ratio(in_position * change, x.position[i], x.position[i] + h * next, rtol, atol));
            worst = detail::worse(worst, detail::error_ratio(in_velocity * change, x.velocity[i], next, rtol, atol));
        }
        return worst;
    }
    template <class S> void accept(S const&, state_of<S>& x, memory<S>& m) const {
        std::swap(x, m.end);
        std::swap(m.lost, m.lost_end);
        m.fresh = last_is_next<scalar_of<S>>;
        if (m.fresh) std::swap(m.stage.front(), m.stage.back());
    }

private:
    template <class T> static constexpr nystrom_table<T, Method::stages> const& table =
        Method::template coefficients<T>;
    template <class T> static constexpr bool last_is_next = table<T>.fsal;
    template <class T> struct velocity_error_weights {
        static constexpr auto const& weights = table<T>.error_v;
    };
    template <class V> static constexpr bool few = detail::known_size<V> > 0 && detail::known_size<V> <= 4;
    template <class V> using stages = std::array<V, Method::stages>;

    template <class S> [[nodiscard]] double try_step(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                     state_of<S> const& x, stages<vector_of<S>>& stage, memory<S>& m,
                                                     work_of<S>& work) const {
        using T = scalar_of<S>;
        constexpr std::size_t before_end = Method::stages - (last_is_next<T> ? 1 : 0);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((detail::nystrom_point<Method, I + 1>(h, x, stage, m.point),
              system.acceleration(t + table<T>.c[I + 1] * h, m.point, stage[I + 1], work)),
             ...);
        }(std::make_index_sequence<before_end - 1>{});
        detail::nystrom_position<Method>(h, x, m.lost, stage, m.end, m.lost_end);
        if constexpr (last_is_next<T>) system.acceleration(t + h, m.end.position, stage[before_end], work);
        detail::nystrom_velocity<Method>(h, x, m.lost, stage, m.end, m.lost_end);
        return error_of(h, x, m.end, stage);
    }
    /// The largest component of the error over its tolerance; NaN when any component is.
    template <class T, class V>
    [[nodiscard]] double error_of(T h, motion<V> const& x, motion<V> const& end, stages<V> const& stage) const {
        auto const of = [&stage](std::size_t j) -> V const& { return stage[j]; };
        double worst = 0;
        detail::for_each_index<V>(x.position.size(), [&](std::size_t i) {
            T const in_position = h * h * detail::weighted<detail::error_weights<Method, T>>(of, i);
            T const in_velocity = h * detail::weighted<velocity_error_weights<T>>(of, i);
            worst = detail::worse(worst, detail::error_ratio(in_position, x.position[i], end.position[i], rtol, atol));
            worst = detail::worse(worst, detail::error_ratio(in_velocity, x.velocity[i], end.velocity[i], rtol, atol));
        });
        return worst;
    }
};

/// Orders 8 and 6, with steps of its own choice.
using adaptive_rkn8 = nystrom_pair<rkn8_method>;
/// Orders 12 and 10, with steps of its own choice.
using rkn12 = nystrom_pair<rkn12_method>;

} // namespace lento
