#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lento/constraint/constrained.hpp>
#include <lento/constraint/dense.hpp>
#include <lento/constraint/gradient.hpp>
#include <lento/constraint/increment.hpp>
#include <lento/system/arithmetic.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/dual.hpp>
#include <lento/system/force.hpp>
#include <lento/system/mass.hpp>
#include <lento/system/misuse.hpp>
#include <lento/system/plain.hpp>
#include <lento/system/space.hpp>

namespace lento {

/// A hard spring: it adds -omega^2 g grad g to the force. `spring{w, [](auto const& q) {...}}`; g must be generic in
/// its scalar and call sqrt, sin ... unqualified. Wrapped by with_time it is called as g(q, t).
template <class G> struct spring {
    double omega;
    G function;
};
template <class G> spring(double, G) -> spring<G>;

/// The slow force of a system that has only springs.
struct no_force {
    template <class V, class T> [[nodiscard]] V operator()(V const& q, T const&) const {
        V zero = q;
        for (auto& component : zero) component = typename V::value_type(0);
        return zero;
    }
};

namespace detail {

template <class M>
concept some_mass = requires(M const& mass, std::array<double, 1>& v) { mass.divide(v); };

/// Several functions of the coordinates as one that returns an array: q, t -> g.
template <class... G> struct joined {
    std::tuple<G...> functions;
    template <class V, class Number> [[nodiscard]] auto operator()(V const& q, Number const& t) const {
        using value = typename V::value_type;
        return std::apply([&](auto const&... g) { return std::array<value, sizeof...(G)>{value(call(g, q, t))...}; },
                          functions);
    }

private:
    template <class F, class V, class Number> static auto call(F const& f, V const& q, Number const&) { return f(q); }
    template <class F, class V, class Number> static auto call(timed<F> const& f, V const& q, Number const& t) {
        return f.function(q, t);
    }
};

/// Eigenvalues, ascending, and unit eigenvectors of a small symmetric matrix.
template <std::size_t M> struct symmetric_modes {
    std::array<double, M> values{};
    std::array<std::array<double, M>, M> vectors{};

    /// Jacobi's rotations.
    explicit symmetric_modes(std::array<std::array<double, M>, M> a) {
        std::array<std::array<double, M>, M> turned{};
        for (std::size_t i = 0; i < M; ++i) turned[i][i] = 1;
        for (int sweep = 0; sweep < 60; ++sweep) {
            double off = 0;
            double diagonal = 0;
            for (std::size_t i = 0; i < M; ++i) {
                diagonal += a[i][i] * a[i][i];
                for (std::size_t j = 0; j < i; ++j) off += a[i][j] * a[i][j];
            }
            if (!(off > 1e-30 * diagonal)) break;
            for (std::size_t p = 0; p < M; ++p)
                for (std::size_t q = p + 1; q < M; ++q) rotate(a, turned, p, q);
        }
        std::array<std::size_t, M> order{};
        for (std::size_t i = 0; i < M; ++i) order[i] = i;
        std::sort(order.begin(), order.end(), [&a](std::size_t i, std::size_t j) { return a[i][i] < a[j][j]; });
        for (std::size_t i = 0; i < M; ++i) {
            values[i] = a[order[i]][order[i]];
            for (std::size_t k = 0; k < M; ++k) vectors[i][k] = turned[k][order[i]];
        }
    }

private:
    static void rotate(std::array<std::array<double, M>, M>& a, std::array<std::array<double, M>, M>& turned,
                       std::size_t p, std::size_t q) {
        if (a[p][q] == 0) return;
        double const angle = 0.5 * std::atan2(2 * a[p][q], a[q][q] - a[p][p]);
        double const c = std::cos(angle);
        double const s = std::sin(angle);
        auto const columns = [=](auto& m) {
            for (std::size_t k = 0; k < M; ++k) {
                double const left = m[k][p];
                double const right = m[k][q];
                m[k][p] = c * left - s * right;
                m[k][q] = s * left + c * right;
            }
        };
        columns(a);
        columns(turned);
        for (std::size_t k = 0; k < M; ++k) {
            double const upper = a[p][k];
            double const lower = a[q][k];
            a[p][k] = c * upper - s * lower;
            a[q][k] = s * upper + c * lower;
        }
    }
};

/// The factors L L^T of a small symmetric positive definite matrix; of another one they are not finite.
template <std::size_t M, class T> class small_cholesky {
public:
    explicit small_cholesky(std::array<std::array<T, M>, M> const& a) : lower_(a) {
        using std::sqrt;
        for (std::size_t j = 0; j < M; ++j) {
            T pivot = lower_[j][j];
            for (std::size_t k = 0; k < j; ++k) pivot -= lower_[j][k] * lower_[j][k];
            lower_[j][j] = sqrt(pivot);
            for (std::size_t i = j + 1; i < M; ++i) {
                for (std::size_t k = 0; k < j; ++k) lower_[i][j] -= lower_[i][k] * lower_[j][k];
                lower_[i][j] /= lower_[j][j];
            }
        }
    }
    void solve(std::array<T, M>& x) const {
        for (std::size_t j = 0; j < M; ++j) {
            for (std::size_t k = 0; k < j; ++k) x[j] -= lower_[j][k] * x[k];
            x[j] /= lower_[j][j];
        }
        for (std::size_t j = M; j-- > 0;) {
            for (std::size_t k = j + 1; k < M; ++k) x[j] -= lower_[k][j] * x[k];
            x[j] /= lower_[j][j];
        }
    }

private:
    std::array<std::array<T, M>, M> lower_;
};

} // namespace detail

/// M q'' = F(q, q', t) - sum_j omega_j^2 g_j grad g_j, M springs g_j that also may depend on the time (papers 000 and
/// 003). Make one with `stiff`. As it stands it is an ordinary system; `effective` gives its slow motion, `limit` the
/// constrained one that the springs turn into.
template <std::size_t N, std::size_t M, class T, class Mass, class Force, class G> class stiff_system {
    using traits = detail::force_traits<Force>;
    using function = typename traits::function;

public:
    using space_type = fixed<N>;
    using scalar = T;
    using vector = std::array<T, N>;
    using state = motion<vector>;
    using multiplier_vector = std::array<T, M>;
    static constexpr bool uses_velocity = traits::velocity;
    static constexpr std::size_t spring_count = M;

    struct work_type {
        std::uint64_t force_evaluations = 0;
        std::uint64_t constraint_evaluations = 0;
        std::uint64_t jacobian_evaluations = 0;
        multiplier_vector load{}; ///< omega_j^2 g_j of the last acceleration
    };

    stiff_system(Mass mass, Force force, std::array<double, M> const& omegas, G springs)
        : omegas_(omegas), mass_(std::move(mass)), force_(std::move(force)), springs_(std::move(springs)) {
        for (std::size_t j = 0; j < M; ++j) {
            require_positive("the frequency of spring " + std::to_string(j + 1), omegas_[j]);
            squares_[j] = T(omegas_[j]) * T(omegas_[j]);
        }
        mass_.check(N);
    }

    [[nodiscard]] fixed<N> const& space() const { return space_; }
    [[nodiscard]] Mass const& mass() const { return mass_; }
    [[nodiscard]] std::array<double, M> const& frequencies() const { return omegas_; }
    [[nodiscard]] work_type work() const { return {}; }
    void count(work_type const& work, statistics& counts) const {
        counts.force_evaluations += work.force_evaluations;
        counts.constraint_evaluations += work.constraint_evaluations;
        counts.jacobian_evaluations += work.jacobian_evaluations;
    }

    void acceleration(T t, vector const& q, vector& out, work_type& work) const
        requires(!uses_velocity)
    {
        static_assert(
            detail::force_fits<fixed<N>, vector, function, vector, T>,
            "the slow force of a stiff system is called as f(q, t), wrapped by with_velocity as f(q, v, t), and "
            "returns an array (or a number when there is one coordinate)");
        ++work.force_evaluations;
        detail::call_force<fixed<N>>(bare(), out, q, t);
        add_springs(t, q, out, work);
    }
    void acceleration(T t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(uses_velocity)
    {
        static_assert(detail::force_fits<fixed<N>, vector, function, vector, vector, T>,
                      "a slow force wrapped by with_velocity is called as f(q, v, t) and returns an array (or a number "
                      "when there is one coordinate)");
        ++work.force_evaluations;
        detail::call_force<fixed<N>>(bare(), out, q, v, t);
        add_springs(t, q, out, work);
    }

    /// A point near which the springs are seen without cancellation: their stretch there, and the time. Springs of
    /// omega = 1e8 turn the last digit of a coordinate into a force of 1; the stretch at the point is known better.
    struct place_in_time {
        T t;
        vector q;
        multiplier_vector stretch;
    };
    void acceleration_near(place_in_time const& here, T elapsed, vector const& d, vector& out, work_type& work) const
        requires(!uses_velocity)
    {
        ++work.force_evaluations;
        vector q = here.q;
        add_scaled(q, T(1), d);
        detail::call_force<fixed<N>>(bare(), out, q, here.t + elapsed);
        add_springs_near(here, elapsed, d, out, work);
    }
    void acceleration_near(place_in_time const& here, T elapsed, vector const& d, vector const& v, vector& out,
                           work_type& work) const
        requires(uses_velocity)
    {
        ++work.force_evaluations;
        vector q = here.q;
        add_scaled(q, T(1), d);
        detail::call_force<fixed<N>>(bare(), out, q, v, here.t + elapsed);
        add_springs_near(here, elapsed, d, out, work);
    }

    /// g(q, t)
    [[nodiscard]] multiplier_vector stretch(T t, vector const& q, work_type& work) const {
        ++work.constraint_evaluations;
        return springs_(q, t);
    }
    /// dg/dt along a motion of velocity v
    [[nodiscard]] multiplier_vector stretch_rate(T t, vector const& q, vector const& v, work_type& work) const {
        ++work.constraint_evaluations;
        std::array<dual<T>, N> moving;
        for (std::size_t i = 0; i < N; ++i) moving[i] = {q[i], v[i]};
        auto const g = springs_(moving, dual<T>(t, T(1)));
        multiplier_vector out;
        for (std::size_t j = 0; j < M; ++j) out[j] = g[j].slope;
        return out;
    }
    /// lambda_j = omega_j^2 g_j: the multipliers of the limit, where q is a slow point
    [[nodiscard]] multiplier_vector multipliers_at(T t, vector const& q, work_type& work) const {
        auto lambda = stretch(t, q, work);
        for (std::size_t j = 0; j < M; ++j) lambda[j] *= squares_[j];
        return lambda;
    }
    /// The directions across the springs at a point: g', M^-1 g'^T, and the factors of their product.
    struct normal_directions {
        std::array<vector, M> rows;
        std::array<vector, M> directions;
        std::array<std::array<T, M>, M> product;
        detail::small_cholesky<M, T> factors;
    };
    /// The loads of springs and how they go on.
    struct load_course {
        multiplier_vector value{};
        multiplier_vector rate{};
        multiplier_vector bend{};
    };
    /// g for these loads
    [[nodiscard]] multiplier_vector stretch_under(multiplier_vector load) const {
        for (std::size_t j = 0; j < M; ++j) load[j] /= squares_[j];
        return load;
    }
    /// Moves a point across the springs, along M^-1 g'^T, to where they pull with the given load, and its velocity to
    /// where the load changes at its rate. What is left is quadratic in the distance, twice.
    [[nodiscard]] normal_directions place(T t, vector& q, vector& v, load_course const& load, work_type& work) const {
        ++work.constraint_evaluations;
        ++work.jacobian_evaluations;
        auto const g = slopes(t, q);
        auto const across = directions_of(g);
        auto miss = stretch_under(load.value);
        for (std::size_t j = 0; j < M; ++j) miss[j] -= g[j].value;
        move_across(across, miss, q);
        // the same factors again: what they missed is what the gradients changed on the way
        ++work.constraint_evaluations;
        std::array<dual<T>, N> moving;
        for (std::size_t i = 0; i < N; ++i) moving[i] = {q[i], v[i]};
        auto const again = springs_(moving, dual<T>(t, T(1)));
        miss = stretch_under(load.value);
        auto miss_rate = stretch_under(load.rate);
        for (std::size_t j = 0; j < M; ++j) {
            miss[j] -= again[j].value;
            miss_rate[j] -= again[j].slope;
        }
        move_across(across, miss, q);
        move_across(across, miss_rate, v);
        return across;
    }
    /// Moves an acceleration across the springs to what keeps such a motion under its load.
    void place_acceleration(T t, vector const& q, vector const& v, normal_directions const& across,
                            load_course const& load, vector& a, work_type& work) const {
        ++work.constraint_evaluations;
        using number = dual<dual<T>>;
        std::array<number, N> moving;
        for (std::size_t i = 0; i < N; ++i) moving[i] = number(dual<T>{q[i], v[i]}, dual<T>{v[i], T(0)});
        auto const g = springs_(moving, number(dual<T>{t, T(1)}, dual<T>{T(1), T(0)}));
        auto miss = stretch_under(load.bend);
        for (std::size_t j = 0; j < M; ++j) {
            miss[j] -= g[j].slope.slope;
            for (std::size_t i = 0; i < N; ++i) miss[j] -= across.rows[j][i] * a[i];
        }
        move_across(across, miss, a);
    }
    /// The frequencies of the fast motion at q, ascending: roots of the eigenvalues of W g' M^-1 g'^T W.
    [[nodiscard]] std::array<double, M> fast_band(T t, vector const& q, work_type& work) const {
        ++work.jacobian_evaluations;
        return fast_band(directions_of(slopes(t, q)));
    }
    [[nodiscard]] std::array<double, M> fast_band(normal_directions const& across) const {
        return modes_of(across).values;
    }

    /// How far springs swing about where they pull with their load, times omega, and how fast they do: together with
    /// their halved squares an energy.
    struct swing {
        std::array<double, M> stretch{};
        std::array<double, M> rate{};
    };
    /// The energies over the frequencies of the fast modes at q, adiabatic invariants.
    [[nodiscard]] std::array<double, M> actions(T t, vector const& q, swing const& seen, work_type& work) const {
        ++work.jacobian_evaluations;
        auto const modes = modes_of(directions_of(slopes(t, q)));
        std::array<double, M> out{};
        for (std::size_t m = 0; m < M; ++m) {
            double stretched = 0;
            double moving = 0;
            for (std::size_t j = 0; j < M; ++j) {
                stretched += modes.vectors[m][j] * seen.stretch[j];
                moving += modes.vectors[m][j] * seen.rate[j];
            }
            moving /= modes.values[m];
            out[m] = (stretched * stretched + moving * moving) / (2 * modes.values[m]);
        }
        return out;
    }
    /// The acceleration along g = 0 with which modes of these actions act on the slow motion: the gradient of
    /// sum_m J_m Omega_m (Rubin and Ungar 1957, Bornemann 1998). One gradient, and one more a mode.
    [[nodiscard]] double adiabatic_acceleration(T t, vector const& q, std::array<double, M> const& actions,
                                                work_type& work) const {
        work.jacobian_evaluations += 1 + M;
        auto const across = directions_of(slopes(t, q));
        auto const modes = modes_of(across);
        vector pull{};
        for (std::size_t m = 0; m < M; ++m) {
            // dOmega_m = W s_m . (dg' n_m), n_m = M^-1 g'^T W s_m/Omega_m
            std::array<T, M> weighted;
            vector direction{};
            for (std::size_t j = 0; j < M; ++j) {
                weighted[j] = T(omegas_[j] * modes.vectors[m][j]);
                add_scaled(direction, weighted[j] / T(modes.values[m]), across.directions[j]);
            }
            using number = gradient<dual<T>, N>;
            std::array<number, N> moving;
            for (std::size_t i = 0; i < N; ++i) moving[i] = number::variable(dual<T>(q[i], direction[i]), i);
            auto const g = springs_(moving, number(dual<T>(t)));
            for (std::size_t j = 0; j < M; ++j)
                for (std::size_t i = 0; i < N; ++i) pull[i] += T(actions[m]) * weighted[j] * g[j].slope[i].slope;
        }
        mass_.divide(pull);
        multiplier_vector across_part{};
        for (std::size_t j = 0; j < M; ++j)
            for (std::size_t i = 0; i < N; ++i) across_part[j] -= across.rows[j][i] * pull[i];
        move_across(across, across_part, pull);
        double sum = 0;
        for (std::size_t i = 0; i < N; ++i) sum += static_cast<double>(pull[i] * pull[i]);
        return std::sqrt(sum);
    }

    /// The same system with numbers of another kind.
    template <class U> [[nodiscard]] auto in() const {
        return stiff_system<N, M, U, Mass, Force, G>(mass_, force_, omegas_, springs_);
    }
    /// The constrained system that the springs turn into when they harden: g = 0.
    [[nodiscard]] auto limit() const {
        return constrain(plain<N, T>(mass_, force_), constraints<M>(with_time(springs_)));
    }

private:
    [[nodiscard]] function const& bare() const {
        if constexpr (traits::time) return force_.function;
        else return force_;
    }
    [[nodiscard]] auto slopes(T t, vector const& q) const {
        using number = gradient<T, N>;
        std::array<number, N> moved;
        for (std::size_t i = 0; i < N; ++i) moved[i] = number::variable(q[i], i);
        return springs_(moved, number(t));
    }
    template <class Slopes> [[nodiscard]] normal_directions directions_of(Slopes const& g) const {
        std::array<vector, M> rows;
        std::array<vector, M> directions;
        std::array<std::array<T, M>, M> product{};
        for (std::size_t j = 0; j < M; ++j) {
            rows[j] = directions[j] = g[j].slope;
            mass_.divide(directions[j]);
        }
        for (std::size_t j = 0; j < M; ++j)
            for (std::size_t k = 0; k < M; ++k)
                for (std::size_t i = 0; i < N; ++i) product[j][k] += rows[j][i] * directions[k][i];
        return {rows, directions, product, detail::small_cholesky<M, T>(product)};
    }
    /// Frequencies and shapes of the fast modes: of W g' M^-1 g'^T W.
    [[nodiscard]] detail::symmetric_modes<M> modes_of(normal_directions const& across) const {
        std::array<std::array<double, M>, M> a{};
        for (std::size_t j = 0; j < M; ++j)
            for (std::size_t k = 0; k < M; ++k)
                a[j][k] = static_cast<double>(across.product[j][k]) * omegas_[j] * omegas_[k];
        detail::symmetric_modes<M> modes(a);
        for (auto& value : modes.values) value = std::sqrt(std::max(value, 0.));
        return modes;
    }
    static void move_across(normal_directions const& across, multiplier_vector miss, vector& x) {
        across.factors.solve(miss);
        for (std::size_t j = 0; j < M; ++j) add_scaled(x, miss[j], across.directions[j]);
    }
    void add_springs(T t, vector const& q, vector& out, work_type& work) const {
        auto const g = slopes(t, q);
        for (std::size_t j = 0; j < M; ++j) {
            T const pull = squares_[j] * g[j].value;
            for (std::size_t i = 0; i < N; ++i) out[i] -= pull * g[j].slope[i];
            work.load[j] = pull;
        }
        mass_.divide(out);
    }

    void add_springs_near(place_in_time const& here, T elapsed, vector const& d, vector& out, work_type& work) const {
        using change = increment<T>;
        using number = gradient<change, N>;
        std::array<number, N> moved;
        for (std::size_t i = 0; i < N; ++i) moved[i] = number::variable(change(here.q[i], d[i]), i);
        auto const g = springs_(moved, number(change(here.t, elapsed)));
        for (std::size_t j = 0; j < M; ++j) {
            T const pull = squares_[j] * (here.stretch[j] + g[j].value.change);
            for (std::size_t i = 0; i < N; ++i) out[i] -= pull * g[j].slope[i].end();
            work.load[j] = pull;
        }
        mass_.divide(out);
    }

    [[no_unique_address]] fixed<N> space_;
    std::array<double, M> omegas_;
    std::array<T, M> squares_{};
    [[no_unique_address]] Mass mass_;
    [[no_unique_address]] Force force_;
    [[no_unique_address]] G springs_;
};

/// A stiff system with N coordinates: `stiff<4>(slow_force, spring{w, g}...)`, the force as for `plain`.
template <std::size_t N, class T = double, class Force, class... G>
    requires(!detail::some_mass<Force>)
[[nodiscard]] auto stiff(Force force, spring<G>... springs) {
    using together = detail::joined<G...>;
    return stiff_system<N, sizeof...(G), T, unit_mass, Force, together>({}, std::move(force), {springs.omega...},
                                                                        together{{std::move(springs.function)...}});
}
/// The same with a mass: `stiff<4>(mass(2.), slow_force, spring{w, g}...)`.
template <std::size_t N, class T = double, detail::some_mass Mass, class Force, class... G>
[[nodiscard]] auto stiff(Mass mass, Force force, spring<G>... springs) {
    using together = detail::joined<G...>;
    return stiff_system<N, sizeof...(G), T, Mass, Force, together>(
        std::move(mass), std::move(force), {springs.omega...}, together{{std::move(springs.function)...}});
}

/// A constrained system seen as a stiff one: every constraint g becomes a spring of frequency omega.
template <std::size_t N, std::size_t M, class T = double, class Force, class G>
[[nodiscard]] auto relaxed(double omega, Force force, constraint_function<M, G> given) {
    std::array<double, M> omegas{};
    omegas.fill(omega);
    auto springs = [g = std::move(given.function)](auto const& q, auto const&) {
        using value = typename std::decay_t<decltype(q)>::value_type;
        if constexpr (M == 1) return std::array<value, 1>{value(g(q))};
        else return std::array<value, M>(g(q));
    };
    return stiff_system<N, M, T, unit_mass, Force, decltype(springs)>({}, std::move(force), omegas, std::move(springs));
}

/// A system of hard springs: what force averaging and the projection onto the slow manifold work on.
template <class S>
concept stiff_motion =
    second_order<S> && requires(S const& system, scalar_of<S> t, vector_of<S> const& q, work_of<S>& work) {
        system.fast_band(t, q, work);
        system.multipliers_at(t, q, work);
    };

} // namespace lento
