#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include <lento/base/option.hpp>
#include <lento/stepper/combination.hpp>
#include <lento/stepper/stepper.hpp>

namespace lento {

/// A Runge-Kutta-Nystrom method for x'' = a(t, x): stage i at x + c_i h v + h^2 sum_j a_ij f_j, then
/// x + h v + h^2 sum_i b_i f_i and v + h sum_i bv_i f_i. `error` and `error_v` are the weights of the error estimate of
/// an embedded pair, zero without one. `fsal`: the last stage is the first of the next step.
template <class T, std::size_t Stages> struct nystrom_table {
    std::array<T, Stages> c{};
    std::array<std::array<T, Stages>, Stages> a{};
    std::array<T, Stages> b{};
    std::array<T, Stages> bv{};
    std::array<T, Stages> error{};
    std::array<T, Stages> error_v{};
    bool fsal = false;
};

namespace detail {

/// The weights of the end of a step, for positions and velocities, and what T has no room for of them.
template <class Method, class T> struct nystrom_weights {
    static constexpr auto const& table = Method::template coefficients<T>;
    static constexpr auto const& exact = Method::template coefficients<long double>;
    struct position {
        static constexpr auto const& weights = table.b;
    };
    struct velocity {
        static constexpr auto const& weights = table.bv;
    };
    struct rest_of_position {
        static constexpr auto weights = rest_of(table.b, exact.b);
    };
    struct rest_of_velocity {
        static constexpr auto weights = rest_of(table.bv, exact.bv);
    };
};

/// Where a stage is evaluated.
template <class Method, std::size_t Stage, class T, class V>
inline void nystrom_point(T h, motion<V> const& x, std::array<V, Method::stages> const& stage, V& point) {
    constexpr T c = Method::template coefficients<T>.c[Stage];
    auto const of = [&stage](std::size_t j) -> V const& { return stage[j]; };
    constexpr T newest = Method::template coefficients<T>.a[Stage][Stage - 1];
    T const square = h * h;
    for_each_index<V>(point.size(), [&](std::size_t i) {
        T const sum = weighted<stage_weights<Method, T, Stage>, 0, Stage - 1>(of, i);
        point[i] = x.position[i] + (c * h * x.velocity[i] + square * sum) + square * newest * stage[Stage - 1][i];
    });
}

/// Positions at the end of a step with what is lost of them in rounding; x and end may be the same.
template <class Method, class T, class V> inline void nystrom_position(T h, motion<V> const& x, motion<V> const& lost,
                                                                       std::array<V, Method::stages> const& stage,
                                                                       motion<V>& end, motion<V>& lost_end) {
    using weights = nystrom_weights<Method, T>;
    using std::fma;
    auto const of = [&stage](std::size_t j) -> V const& { return stage[j]; };
    T const square = h * h;
    T const rest_of_square = fma(h, h, -square); // with equal steps it is wrong in the same way in each
    for_each_index<V>(x.position.size(), [&](std::size_t i) {
        T const sum = weighted<typename weights::position>(of, i);
        T const step = h * x.velocity[i] + square * sum;
        T const rest = lost.position[i] + h * lost.velocity[i] + rest_of_square * sum +
                       square * weighted<typename weights::rest_of_position>(of, i);
        end.position[i] = add_up(x.position[i], step, rest, lost_end.position[i]);
    });
}
template <class Method, class T, class V> inline void nystrom_velocity(T h, motion<V> const& x, motion<V> const& lost,
                                                                       std::array<V, Method::stages> const& stage,
                                                                       motion<V>& end, motion<V>& lost_end) {
    using weights = nystrom_weights<Method, T>;
    auto const of = [&stage](std::size_t j) -> V const& { return stage[j]; };
    for_each_index<V>(x.velocity.size(), [&](std::size_t i) {
        T const step = h * weighted<typename weights::velocity>(of, i);
        T const rest = lost.velocity[i] + h * weighted<typename weights::rest_of_velocity>(of, i);
        end.velocity[i] = add_up(x.velocity[i], step, rest, lost_end.velocity[i]);
    });
}

} // namespace detail

/// Runs a Runge-Kutta-Nystrom table. Method gives `table<T>()`, `order`, `stages` and `name`.
template <class Method> struct runge_kutta_nystrom {
    double step = 0;
    bool compensated = false;

    static constexpr std::string_view name = Method::name;
    static constexpr int order = Method::order;
    static constexpr bool is_adaptive = false;
    static constexpr bool checks_rows = order >= 8;
    static constexpr auto options() {
        return std::tuple{step_option(&runge_kutta_nystrom::step),
                          compensated_option(&runge_kutta_nystrom::compensated)};
    }

    template <class V> struct memory_in {
        std::array<V, Method::stages> stage;
        V point;
        bool fresh = false;
        bool compensates = false;
        motion<V> lost{}; // what the state lacks of the exact sum of the steps
        [[nodiscard]] V const& derivative() const { return stage[0]; }
        static auto members(auto& self) { return std::tie(self.stage, self.fresh, self.lost); }
    };
    template <class S> using memory = memory_in<vector_of<S>>;

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(separable<S>, "a Runge-Kutta-Nystrom method needs a force that does not depend on the velocity; "
                                    "use a Runge-Kutta method for this system");
        memory<S> m;
        m.point = system.space().template zeros<scalar_of<S>>();
        for (auto& stage : m.stage) stage = m.point;
        return m;
    }
    /// Before a run: windows are too short for sums to matter.
    template <class V> void compensate(memory_in<V>& m) const {
        m.compensates = compensated;
        if (!compensated) return;
        m.lost = {m.point, m.point};
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        system.acceleration(t, x.position, m.stage[0], work);
        m.fresh = true;
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        auto const& table = Method::template table<T>();
        prepare(system, t, x, m, work);
        if (m.compensates) add_step(system, t, h, x, m, work);
        else plain_step(table, system, t, h, x, m, work);
        if (table.fsal) std::swap(m.stage[0], m.stage[Method::stages - 1]);
        m.fresh = table.fsal;
    }

private:
    template <class Table, class S> static void plain_step(Table const& table, S const& system, scalar_of<S> t,
                                                           scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                                           work_of<S>& work) {
        using T = scalar_of<S>;
        for (std::size_t i = 1; i < Method::stages; ++i) {
            set_sum(m.point, x.position, table.c[i] * h, x.velocity);
            for (std::size_t j = 0; j < i; ++j)
                if (table.a[i][j] != T(0)) add_scaled(m.point, h * h * table.a[i][j], m.stage[j]);
            system.acceleration(t + table.c[i] * h, m.point, m.stage[i], work);
        }
        add_scaled(x.position, h, x.velocity);
        for (std::size_t i = 0; i < Method::stages; ++i) {
            if (table.b[i] != T(0)) add_scaled(x.position, h * h * table.b[i], m.stage[i]);
            if (table.bv[i] != T(0)) add_scaled(x.velocity, h * table.bv[i], m.stage[i]);
        }
    }
    /// The same with compensated sums.
    template <class S> static void add_step(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x,
                                            memory<S>& m, work_of<S>& work) {
        using T = scalar_of<S>;
        constexpr auto const& table = Method::template coefficients<T>;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((detail::nystrom_point<Method, I + 1>(h, x, m.stage, m.point),
              system.acceleration(t + table.c[I + 1] * h, m.point, m.stage[I + 1], work)),
             ...);
        }(std::make_index_sequence<Method::stages - 1>{});
        detail::nystrom_position<Method>(h, x, m.lost, m.stage, x, m.lost);
        detail::nystrom_velocity<Method>(h, x, m.lost, m.stage, x, m.lost);
    }
};

/// Nystrom's classical method of order 4 (1925).
struct rkn4_method {
    static constexpr std::string_view name = "rkn4";
    static constexpr int order = 4;
    static constexpr std::size_t stages = 3;
    template <class T> static constexpr nystrom_table<T, 3> coefficients{
        .c = {0, T(1) / 2, 1},
        .a = {{{}, {T(1) / 8}, {0, T(1) / 2}}},
        .b = {T(1) / 6, T(1) / 3, 0},
        .bv = {T(1) / 6, T(2) / 3, T(1) / 6},
    };
    template <class T> [[nodiscard]] static constexpr auto const& table() { return coefficients<T>; }
};

/// Albrecht's method of order 6 (1955).
struct rkn6_method {
    static constexpr std::string_view name = "rkn6";
    static constexpr int order = 6;
    static constexpr std::size_t stages = 5;
    template <class T> static constexpr nystrom_table<T, 5> coefficients{
        .c = {0, T(1) / 4, T(1) / 2, T(3) / 4, 1},
        .a = {{
            {},
            {T(1) / 32},
            {-T(1) / 24, T(1) / 6},
            {T(3) / 32, T(1) / 8, T(1) / 16},
            {0, T(3) / 7, -T(1) / 14, T(1) / 7},
        }},
        .b = {T(7) / 90, T(4) / 15, T(1) / 15, T(4) / 45, 0},
        .bv = {T(7) / 90, T(16) / 45, T(2) / 15, T(16) / 45, T(7) / 90},
    };
    template <class T> [[nodiscard]] static constexpr auto const& table() { return coefficients<T>; }
};

/// The pair RKN8(6)9FM (Dormand, El-Mikkawy and Prince 1987).
struct rkn8_method {
    static constexpr std::string_view name = "rkn8";
    static constexpr int order = 8;
    static constexpr int error_order = 7;
    static constexpr std::size_t stages = 9;
    template <class T> static constexpr nystrom_table<T, 9> coefficients{
        .c = {0, T(1) / 20, T(1) / 10, T(3) / 10, T(1) / 2, T(7) / 10, T(9) / 10, 1, 1},
        .a = {{
            {},
            {T(1) / 800},
            {T(1) / 600, T(1) / 300},
            {T(9) / 200, -T(9) / 100, T(9) / 100},
            {-T(66701) / 197352, T(28325) / 32892, -T(2665) / 5482, T(2170) / 24669},
            {T(227015747) / 304251000, -T(54897451) / 30425100, T(12942349) / 10141700, -T(9499) / 304251,
             T(539) / 9250},
            {-T(1131891597) / 901789000, T(41964921) / 12882700, -T(6663147) / 3220675, T(270954) / 644135,
             -T(108) / 5875, T(114) / 1645},
            {T(13836959) / 3667458, -T(17731450) / 1833729, T(1063919505) / 156478208, -T(33213845) / 39119552,
             T(13335) / 28544, -T(705) / 14272, T(1645) / 57088},
            {T(223) / 7938, 0, T(1175) / 8064, T(925) / 6048, T(41) / 448, T(925) / 14112, T(1175) / 72576, 0},
        }},
        .b = {T(223) / 7938, 0, T(1175) / 8064, T(925) / 6048, T(41) / 448, T(925) / 14112, T(1175) / 72576, 0, 0},
        .bv = {T(223) / 7938, 0, T(5875) / 36288, T(4625) / 21168, T(41) / 224, T(4625) / 21168, T(5875) / 36288,
               T(223) / 7938, 0},
        .error = {-T(544307) / 12215700, 0, T(544307) / 4963840, -T(544307) / 3722880, T(1632921) / 12409600,
                  -T(544307) / 8686720, T(544307) / 44674560, 0, 0},
        .error_v = {-T(544307) / 12215700, 0, T(544307) / 4467456, -T(544307) / 2606016, T(1632921) / 6204800,
                    -T(544307) / 2606016, T(544307) / 4467456, T(322012) / 3053925, -T(3) / 20},
        .fsal = true,
    };
    template <class T> [[nodiscard]] static constexpr auto const& table() { return coefficients<T>; }
};

using rkn4 = runge_kutta_nystrom<rkn4_method>;
using rkn6 = runge_kutta_nystrom<rkn6_method>;
using rkn8 = runge_kutta_nystrom<rkn8_method>;

} // namespace lento
