#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <lento/base/misuse.hpp>
#include <lento/base/option.hpp>
#include <lento/stepper/combination.hpp>
#include <lento/stepper/step_control.hpp>
#include <lento/stepper/stepper.hpp>

namespace lento {

/// An explicit Runge-Kutta method. `error` are the weights of the embedded error estimate, zero without one; `fsal`
/// says that the last stage is the first one of the next step.
template <class T, std::size_t Stages> struct explicit_rk_table {
    std::array<std::array<T, Stages>, Stages> a{};
    std::array<T, Stages> b{};
    std::array<T, Stages> error{};
    int order = 0;
    bool fsal = false;

    [[nodiscard]] constexpr T c(std::size_t stage) const {
        T sum(0);
        for (std::size_t j = 0; j < stage; ++j) sum += a[stage][j];
        return sum;
    }
};

namespace detail {

/// dx/dt as a whole state: (velocity, acceleration) or the rate. A system that moves the point of evaluation first
/// gives the velocity there itself.
template <second_order S>
inline void whole_rate(S const& system, scalar_of<S> t, state_of<S> const& x, state_of<S>& out, work_of<S>& work) {
    if constexpr (requires { system.motion_rate(t, x, out, work); }) {
        system.motion_rate(t, x, out, work);
    } else {
        copy_vector(out.position, x.velocity);
        evaluate(system, t, x, out.velocity, work);
    }
}
template <first_order S>
inline void whole_rate(S const& system, scalar_of<S> t, state_of<S> const& x, state_of<S>& out, work_of<S>& work) {
    system.rate(t, x.state, out.state, work);
}

template <class State, std::size_t Stages> struct rk_memory {
    std::array<State, Stages> stage;
    State point; // a stage's argument, and the end of an attempted step
    bool fresh = false;
    [[nodiscard]] auto const& derivative() const {
        if constexpr (State::is_motion) return stage[0].velocity;
        else return stage[0].state;
    }
    static auto members(auto& self) { return std::tie(self.stage, self.point, self.fresh); }
};

template <std::size_t Stages, class S> [[nodiscard]] rk_memory<state_of<S>, Stages> rk_start(S const& system) {
    static_assert(differential<S>, "a Runge-Kutta method needs an acceleration or a rate");
    rk_memory<state_of<S>, Stages> m;
    m.point = origin(system);
    for (auto& stage : m.stage) stage = m.point;
    return m;
}

template <class S, std::size_t Stages> inline void rk_prepare(S const& system, scalar_of<S> t, state_of<S> const& x,
                                                              rk_memory<state_of<S>, Stages>& m, work_of<S>& work) {
    if (m.fresh) return;
    whole_rate(system, t, x, m.stage[0], work);
    m.fresh = true;
}

/// The argument of a stage, whose number is a constant to the sum.
template <class State, class T, std::size_t Stages, std::size_t... I> [[gnu::always_inline]] inline void
set_argument(explicit_rk_table<T, Stages> const& table, [[maybe_unused]] std::size_t number, [[maybe_unused]] T h,
             [[maybe_unused]] State const& x, rk_memory<State, Stages>& m, std::index_sequence<I...>) {
    static_cast<void>(
        ((number == I + 1 && (set_weighted<I + 1>(m.point, x, h, table.a[I + 1], m.stage), true)) || ...));
}
/// All stages of a step and its end, left in m.point. The system is called in one place, so that it can be inlined.
template <class S, class T, std::size_t Stages>
inline void rk_step(explicit_rk_table<T, Stages> const& table, S const& system, T t, T h, state_of<S> const& x,
                    rk_memory<state_of<S>, Stages>& m, work_of<S>& work) {
    rk_prepare(system, t, x, m, work);
    for (std::size_t i = 1; i < Stages; ++i) {
        set_argument(table, i, h, x, m, std::make_index_sequence<Stages - 1>{});
        whole_rate(system, t + table.c(i) * h, m.point, m.stage[i], work);
    }
    if (table.fsal) return; // the last stage's argument is the end of the step
    set_weighted<Stages>(m.point, x, h, table.b, m.stage);
}

template <class State, class T, std::size_t Stages>
inline void rk_accept(explicit_rk_table<T, Stages> const& table, State& x, rk_memory<State, Stages>& m) {
    std::swap(x, m.point);
    if (table.fsal) std::swap(m.stage[0], m.stage[Stages - 1]);
    m.fresh = table.fsal;
}

/// The error of a step that one rounding of its points makes, measured in the tolerance: how much the rate changes with
/// the last digits of time and state, through the weights of the estimate. The rate there is in m.stage[0].
template <class S, class Memory, class Weights>
[[nodiscard]] double rk_rounding(Weights const& weights, double rtol, double atol, S const& system, scalar_of<S> t,
                                 scalar_of<S> h, state_of<S> const& x, Memory& m, work_of<S>& work) {
    using T = scalar_of<S>;
    for_each_part(x, [&](auto part) { set_rounded(part(m.point), part(x)); });
    whole_rate(system, rounded(t), m.point, m.stage[1], work);
    T const factor = h * root_of_squares(weights);
    double worst = 0;
    for_each_part(x, [&](auto part) {
        for (std::size_t i = 0; i < part(x).size(); ++i) {
            T const error = factor * (part(m.stage[1])[i] - part(m.stage[0])[i]);
            T const next = part(x)[i] + h * part(m.stage[0])[i];
            worst = worse(worst, error_ratio(error, part(x)[i], next, rtol, atol));
        }
    });
    return worst;
}

} // namespace detail

/// Runs an explicit Runge-Kutta table with a fixed step. Method gives `table<T>()`, `order` and `name`.
template <class Method> struct runge_kutta {
    double step = 0;
    [[no_unique_address]] Method method{};

    static constexpr std::string_view name = Method::name;
    static constexpr int order = Method::order;
    static constexpr bool is_adaptive = false;
    static constexpr bool checks_rows = order >= 8;
    static constexpr auto options() { return std::tuple{step_option(&runge_kutta::step)}; }

    template <class S> using memory = detail::rk_memory<state_of<S>, Method::stages>;
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        return detail::rk_start<Method::stages>(system);
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        detail::rk_prepare(system, t, x, m, work);
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        auto const& table = method.template table<scalar_of<S>>();
        detail::rk_step(table, system, t, h, x, m, work);
        detail::rk_accept(table, x, m);
    }
};

/// Forward Euler (paper 004's FE).
struct euler_method {
    static constexpr std::string_view name = "euler";
    static constexpr int order = 1;
    static constexpr std::size_t stages = 1;
    template <class T> static constexpr explicit_rk_table<T, 1> coefficients{.b = {T(1)}, .order = 1};
    template <class T> [[nodiscard]] static constexpr auto const& table() { return coefficients<T>; }
};

/// The explicit midpoint rule (Runge 1895).
struct midpoint_method {
    static constexpr std::string_view name = "midpoint";
    static constexpr int order = 2;
    static constexpr std::size_t stages = 2;
    template <class T> static constexpr explicit_rk_table<T, 2> coefficients{
        .a = {{{}, {T(1) / 2}}},
        .b = {0, 1},
        .order = 2,
    };
    template <class T> [[nodiscard]] static constexpr auto const& table() { return coefficients<T>; }
};

/// Classical fourth-order Runge-Kutta (Kutta 1901).
struct rk4_method {
    static constexpr std::string_view name = "rk4";
    static constexpr int order = 4;
    static constexpr std::size_t stages = 4;
    template <class T> static constexpr explicit_rk_table<T, 4> coefficients{
        .a = {{{}, {T(1) / 2}, {0, T(1) / 2}, {0, 0, 1}}},
        .b = {T(1) / 6, T(1) / 3, T(1) / 3, T(1) / 6},
        .order = 4,
    };
    template <class T> [[nodiscard]] static constexpr auto const& table() { return coefficients<T>; }
};

/// Dormand and Prince's pair of orders 5 and 4 (1980).
struct dormand_prince_method {
    static constexpr std::string_view name = "dormand-prince";
    static constexpr int order = 5;
    static constexpr std::size_t stages = 7;
    template <class T> static constexpr explicit_rk_table<T, 7> coefficients{
        .a = {{
            {},
            {T(1) / 5},
            {T(3) / 40, T(9) / 40},
            {T(44) / 45, -T(56) / 15, T(32) / 9},
            {T(19372) / 6561, -T(25360) / 2187, T(64448) / 6561, -T(212) / 729},
            {T(9017) / 3168, -T(355) / 33, T(46732) / 5247, T(49) / 176, -T(5103) / 18656},
            {T(35) / 384, 0, T(500) / 1113, T(125) / 192, -T(2187) / 6784, T(11) / 84},
        }},
        .b = {T(35) / 384, 0, T(500) / 1113, T(125) / 192, -T(2187) / 6784, T(11) / 84, 0},
        .error = {T(71) / 57600, 0, -T(71) / 16695, T(71) / 1920, -T(17253) / 339200, T(22) / 525, -T(1) / 40},
        .order = 5,
        .fsal = true,
    };
    template <class T> [[nodiscard]] static constexpr auto const& table() { return coefficients<T>; }
    /// The weights of the continuous extension of order 4 (Dormand and Prince 1986) at a share s of the step.
    template <class T> [[nodiscard]] static constexpr std::array<T, 7> between(T s) {
        T const s2 = s * s;
        T const s3 = s2 * s;
        T const s4 = s3 * s;
        return {s - T(183) / 64 * s2 + T(37) / 12 * s3 - T(145) / 128 * s4,
                0,
                T(1500) / 371 * s2 - T(1000) / 159 * s3 + T(1000) / 371 * s4,
                -T(125) / 32 * s2 + T(125) / 12 * s3 - T(375) / 64 * s4,
                T(9477) / 3392 * s2 - T(729) / 106 * s3 + T(25515) / 6784 * s4,
                -T(11) / 7 * s2 + T(11) / 3 * s3 - T(55) / 28 * s4,
                T(3) / 2 * s2 - T(4) * s3 + T(5) / 2 * s4};
    }
};

/// Prince and Dormand's pair of orders 8 and 7 with 13 stages, RK8(7)13M (1981). Its published fractions are right to
/// about 17 digits.
struct dormand_prince_8_method {
    static constexpr std::string_view name = "dormand-prince-8";
    static constexpr int order = 8;
    static constexpr std::size_t stages = 13;
    template <class T> static constexpr explicit_rk_table<T, 13> coefficients{
        .a = {{
            {},
            {T(1) / 18},
            {T(1) / 48, T(1) / 16},
            {T(1) / 32, 0, T(3) / 32},
            {T(5) / 16, 0, -T(75) / 64, T(75) / 64},
            {T(3) / 80, 0, 0, T(3) / 16, T(3) / 20},
            {T(29443841) / 614563906, 0, 0, T(77736538) / 692538347, -T(28693883) / T(1125000000),
             T(23124283) / T(1800000000)},
            {T(16016141) / 946692911, 0, 0, T(61564180) / 158732637, T(22789713) / 633445777,
             T(545815736) / T(2771057229), -T(180193667) / T(1043307555)},
            {T(39632708) / 573591083, 0, 0, -T(433636366) / 683701615, -T(421739975) / T(2616292301),
             T(100302831) / 723423059, T(790204164) / 839813087, T(800635310) / T(3783071287)},
            {T(246121993) / T(1340847787), 0, 0, -T(37695042795) / T(15268766246), -T(309121744) / T(1061227803),
             -T(12992083) / 490766935, T(6005943493) / T(2108947869), T(393006217) / T(1396673457),
             T(123872331) / T(1001029789)},
            {-T(1028468189) / 846180014, 0, 0, T(8478235783) / 508512852, T(1311729495) / T(1432422823),
             -T(10304129995) / T(1701304382), -T(48777925059) / T(3047939560), T(15336726248) / T(1032824649),
             -T(45442868181) / T(3398467696), T(3065993473) / 597172653},
            {T(185892177) / 718116043, 0, 0, -T(3185094517) / 667107341, -T(477755414) / T(1098053517),
             -T(703635378) / 230739211, T(5731566787) / T(1027545527), T(5232866602) / 850066563,
             -T(4093664535) / 808688257, T(3962137247) / T(1805957418), T(65686358) / 487910083},
            {T(403863854) / 491063109, 0, 0, -T(5068492393) / 434740067, -T(411421997) / 543043805,
             T(652783627) / 914296604, T(11173962825) / 925320556, -T(13158990841) / T(6184727034),
             T(3936647629) / T(1978049680), -T(160528059) / 685178525, T(248638103) / T(1413531060), 0},
        }},
        .b = {T(14005451) / 335480064, 0, 0, 0, 0, -T(59238493) / T(1068277825), T(181606767) / 758867731,
              T(561292985) / 797845732, -T(1041891430) / T(1371343529), T(760417239) / T(1151165299),
              T(118820643) / 751138087, -T(528747749) / T(2220607170), T(1) / 4},
        .error = {T(14005451) / 335480064 - T(13451932) / 455176623, 0, 0, 0, 0,
                  -T(59238493) / T(1068277825) + T(808719846) / 976000145,
                  T(181606767) / 758867731 - T(1757004468) / T(5645159321),
                  T(561292985) / 797845732 - T(656045339) / 265891186,
                  -T(1041891430) / T(1371343529) + T(3867574721) / T(1518517206),
                  T(760417239) / T(1151165299) - T(465885868) / 322736535,
                  T(118820643) / 751138087 - T(53011238) / 667516719, -T(528747749) / T(2220607170) - T(2) / 45,
                  T(1) / 4},
        .order = 8,
    };
    template <class T> [[nodiscard]] static constexpr auto const& table() { return coefficients<T>; }
};

/// A user's own table: `explicit_rk{my_table, step}`; order and error weights come with it.
template <std::size_t Stages> struct tabled_method {
    static constexpr std::string_view name = "explicit-rk";
    static constexpr int order = 0; // known at run time only: see steps_order
    static constexpr std::size_t stages = Stages;
    explicit_rk_table<double, Stages> coefficients;
    template <class T> [[nodiscard]] auto const& table() const {
        static_assert(std::is_same_v<T, double>, "a table of doubles drives systems of doubles");
        return coefficients;
    }
};

using euler = runge_kutta<euler_method>;
using midpoint = runge_kutta<midpoint_method>;
using rk4 = runge_kutta<rk4_method>;
template <std::size_t Stages> [[nodiscard]] runge_kutta<tabled_method<Stages>>
explicit_rk(explicit_rk_table<double, Stages> const& table, double step) {
    if (table.order < 1) throw misuse("a Runge-Kutta table must say its order, but this one has none");
    return {step, {table}};
}

/// The order of a method, also when it comes with a run-time table.
template <class Stepper> [[nodiscard]] int order_of(Stepper const& stepper) {
    if constexpr (requires { stepper.method.coefficients.order; }) return stepper.method.coefficients.order;
    else return Stepper::order;
}

/// An embedded pair with adaptive step.
template <class Method> struct embedded_runge_kutta {
    static constexpr bool has_interpolant = requires { Method::template between<double>(0.); };
    /// The control of ode45 needs the pair's interpolant.
    using control_type = std::conditional_t<has_interpolant, control_rule, feedback_rule>;

    double rtol = 1e-6;
    double atol = 1e-9;
    std::optional<double> first_step{}; ///< left out: chosen
    double min_step = 0;
    std::optional<double> max_step{};
    control_type control = control_type::standard;
    [[no_unique_address]] Method method{};

    static constexpr std::string_view name = Method::name;
    static constexpr int order = Method::order;
    static constexpr bool is_adaptive = true;
    static constexpr bool checks_rows = order >= 8;
    static constexpr auto options() {
        return std::tuple_cat(adaptive_options<embedded_runge_kutta>(),
                              std::tuple{option{"control", &embedded_runge_kutta::control, "how steps are chosen"}});
    }

    template <class S> using memory = detail::rk_memory<state_of<S>, Method::stages>;
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        return detail::rk_start<Method::stages>(system);
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        detail::rk_prepare(system, t, x, m, work);
    }
    /// Tries a step and returns its error measured in the tolerance; x is unchanged until `accept`.
    template <class S> [[nodiscard]] double attempt(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                    state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        using T = scalar_of<S>;
        auto const& table = method.template table<T>();
        detail::rk_step(table, system, t, h, x, m, work);
        double worst = 0;
        detail::for_each_part(x, [&](auto part) {
            double const here = component_error(table, h, part(x), part(m.point),
                                                [&](std::size_t j) -> auto const& { return part(m.stage[j]); });
            if (here > worst || here != here) worst = worst != worst ? worst : here;
        });
        return worst;
    }
    template <class S> void accept(S const&, state_of<S>& x, memory<S>& m) const {
        detail::rk_accept(method.template table<scalar_of<S>>(), x, m);
    }
    template <class S> [[nodiscard]] double rounding(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                     state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        prepare(system, t, x, m, work);
        return detail::rk_rounding(method.template table<scalar_of<S>>().error, rtol, atol, system, t, h, x, m, work);
    }
    /// The state at t + share h inside the step just accepted, which ended at x; `out` holds where it began.
    template <class State, class T, std::size_t Stages>
    void between(T share, T h, State& out, detail::rk_memory<State, Stages> const& m) const
        requires requires { Method::template between<T>(share); }
    {
        auto const b = Method::template between<T>(share);
        // accept has exchanged the first and the last stage
        for (std::size_t j = 0; j < Stages; ++j)
            if (b[j] != T(0)) add_scaled(out, h * b[j], m.stage[j == 0 ? Stages - 1 : j == Stages - 1 ? 0 : j]);
    }

private:
    /// The largest component of the error over its tolerance; NaN when any component is.
    template <class Table, class T, class V, class Stage> [[nodiscard]] double
    component_error(Table const& table, T h, V const& before, V const& after, Stage const& stage) const {
        using std::abs;
        double worst = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            T const error =
                detail::weighted_component(T(0), h, table.error, std::make_index_sequence<Method::stages>{}, stage, i);
            T const size = abs(before[i]) > abs(after[i]) ? abs(before[i]) : abs(after[i]);
            T const relative = T(rtol) * size;
            T const larger = relative > T(atol) ? relative : T(atol);
            T const allowed = rule_of(control) == control_rule::ode45 ? larger : T(atol) + relative;
            // a component that stays 0 without error meets any tolerance, also 0
            double const ratio = error == T(0) ? 0 : static_cast<double>(abs(error) / allowed);
            if (ratio > worst || ratio != ratio) worst = ratio;
            if (worst != worst) return worst;
        }
        return worst;
    }
};

using dormand_prince = embedded_runge_kutta<dormand_prince_method>;
using dormand_prince_8 = embedded_runge_kutta<dormand_prince_8_method>;
/// The eighth-order method with a fixed step.
using fixed_dormand_prince_8 = runge_kutta<dormand_prince_8_method>;

} // namespace lento
