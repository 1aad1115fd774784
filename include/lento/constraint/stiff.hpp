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

/// The eigenvalues of a small symmetric matrix by Jacobi's rotations, ascending.
template <std::size_t M>
[[nodiscard]] std::array<double, M> symmetric_eigenvalues(std::array<std::array<double, M>, M> a) {
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0;
        double diagonal = 0;
        for (std::size_t i = 0; i < M; ++i) {
            diagonal += a[i][i] * a[i][i];
            for (std::size_t j = 0; j < i; ++j) off += a[i][j] * a[i][j];
        }
        if (!(off > 1e-30 * diagonal)) break;
        for (std::size_t p = 0; p < M; ++p)
            for (std::size_t q = p + 1; q < M; ++q) {
                if (a[p][q] == 0) continue;
                double const angle = 0.5 * std::atan2(2 * a[p][q], a[q][q] - a[p][p]);
                double const c = std::cos(angle);
                double const s = std::sin(angle);
                for (std::size_t k = 0; k < M; ++k) {
                    double const left = a[k][p];
                    double const right = a[k][q];
                    a[k][p] = c * left - s * right;
                    a[k][q] = s * left + c * right;
                }
                for (std::size_t k = 0; k < M; ++k) {
                    double const upper = a[p][k];
                    double const lower = a[q][k];
                    a[p][k] = c * upper - s * lower;
                    a[q][k] = s * upper + c * lower;
                }
            }
    }
    std::array<double, M> values{};
    for (std::size_t i = 0; i < M; ++i) values[i] = a[i][i];
    std::sort(values.begin(), values.end());
    return values;
}

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
        add_springs(t, q, out);
    }
    void acceleration(T t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(uses_velocity)
    {
        static_assert(detail::force_fits<fixed<N>, vector, function, vector, vector, T>,
                      "a slow force wrapped by with_velocity is called as f(q, v, t) and returns an array (or a number "
                      "when there is one coordinate)");
        ++work.force_evaluations;
        detail::call_force<fixed<N>>(bare(), out, q, v, t);
        add_springs(t, q, out);
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
    /// The frequencies of the fast motion at q, ascending: roots of the eigenvalues of W g' M^-1 g'^T W.
    [[nodiscard]] std::array<double, M> fast_band(T t, vector const& q, work_type& work) const {
        ++work.jacobian_evaluations;
        auto const g = slopes(t, q);
        std::array<std::array<double, M>, M> a{};
        for (std::size_t j = 0; j < M; ++j) {
            vector direction = g[j].slope;
            mass_.divide(direction);
            for (std::size_t k = 0; k < M; ++k) {
                T sum(0);
                for (std::size_t i = 0; i < N; ++i) sum += g[k].slope[i] * direction[i];
                a[j][k] = static_cast<double>(sum) * omegas_[j] * omegas_[k];
            }
        }
        auto band = detail::symmetric_eigenvalues(a);
        for (auto& value : band) value = std::sqrt(std::max(value, 0.));
        return band;
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
    void add_springs(T t, vector const& q, vector& out) const {
        auto const g = slopes(t, q);
        for (std::size_t j = 0; j < M; ++j) {
            T const pull = squares_[j] * g[j].value;
            for (std::size_t i = 0; i < N; ++i) out[i] -= pull * g[j].slope[i];
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
