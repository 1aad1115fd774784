#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/force.hpp>
#include <lento/base/gradient.hpp>
#include <lento/base/increment.hpp>
#include <lento/base/mass.hpp>
#include <lento/base/misuse.hpp>
#include <lento/base/space.hpp>
#include <lento/constraint/dense.hpp>
#include <lento/constraint/hard_springs.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/constrained.hpp>
#include <lento/system/plain.hpp>

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

} // namespace detail

/// M q'' = F(q, q', t) - sum_j omega_j^2 g_j grad g_j, M springs g_j that also may depend on the time (papers 000 and
/// 003). Make one with `stiff`. As it stands it is an ordinary system; `effective` gives its slow motion, `limit` the
/// constrained one that the springs turn into.
template <std::size_t N, std::size_t M, class T, class Mass, class Force, class G> class stiff_system
    : public hard_springs<dense_constraints<N, M, T, timed<G>, automatic>, Mass> {
    using traits = detail::force_traits<Force>;
    using function = typename traits::function;
    using mechanics = hard_springs<dense_constraints<N, M, T, timed<G>, automatic>, Mass>;

public:
    using space_type = fixed<N>;
    using scalar = T;
    using vector = std::array<T, N>;
    using state = motion<vector>;
    using multiplier_vector = std::array<T, M>;
    static constexpr bool uses_velocity = traits::velocity;
    static constexpr bool sees_near = true;

    struct work_type {
        std::uint64_t force_evaluations = 0;
        multiplier_vector load{}; ///< omega_j^2 g_j of the last acceleration
        typename mechanics::spring_work springs;
        [[no_unique_address]] detail::force_work<function> force{};
        static auto members(auto& self) { return std::tie(self.force_evaluations, self.load, self.springs); }
    };

    stiff_system(Mass mass, Force force, std::vector<double> omegas, G springs)
        : mechanics(dense_constraints<N, M, T, timed<G>, automatic>({{springs}, {}}), std::move(mass),
                    std::move(omegas))
        , force_(std::move(force))
        , springs_(std::move(springs)) {
        for (std::size_t j = 0; j < M; ++j) squares_[j] = T(this->frequencies()[j]) * T(this->frequencies()[j]);
        this->mass().check(N);
    }

    [[nodiscard]] fixed<N> const& space() const { return space_; }
    [[nodiscard]] work_type work() const { return {0, {}, this->start_springs({}), detail::work_for(bare())}; }
    void count(work_type const& work, statistics& counts) const {
        counts.force_evaluations += work.force_evaluations;
        work.springs.count(counts);
    }

    void acceleration(T t, vector const& q, vector& out, work_type& work) const
        requires(!uses_velocity)
    {
        static_assert(
            detail::force_fits<fixed<N>, vector, function, vector, T>,
            "the slow force of a stiff system is called as f(q, t), wrapped by with_velocity as f(q, v, t), and "
            "returns an array (or a number when there is one coordinate); one that brings work() is called as "
            "f(at, out, work)");
        ++work.force_evaluations;
        call_slow_force(t, q, q, out, work);
        add_springs(t, q, out, work);
    }
    void acceleration(T t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(uses_velocity)
    {
        static_assert(detail::force_fits<fixed<N>, vector, function, vector, vector, T>,
                      "a slow force wrapped by with_velocity is called as f(q, v, t) and returns an array (or a number "
                      "when there is one coordinate); one that brings work() is called as f(at, out, work)");
        ++work.force_evaluations;
        call_slow_force(t, q, v, out, work);
        add_springs(t, q, out, work);
    }

    /// M^-1 F: the acceleration without the springs.
    void slow_acceleration(T t, vector const& q, [[maybe_unused]] vector const& v, vector& out, work_type& work) const {
        ++work.force_evaluations;
        if constexpr (uses_velocity) detail::call_force<fixed<N>>(bare(), out, q, v, t);
        else detail::call_force<fixed<N>>(bare(), out, q, t);
        this->mass().divide(out);
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
        call_slow_force(here.t + elapsed, q, q, out, work);
        add_springs_near(here, elapsed, d, out, work);
    }
    void acceleration_near(place_in_time const& here, T elapsed, vector const& d, vector const& v, vector& out,
                           work_type& work) const
        requires(uses_velocity)
    {
        ++work.force_evaluations;
        vector q = here.q;
        add_scaled(q, T(1), d);
        call_slow_force(here.t + elapsed, q, v, out, work);
        add_springs_near(here, elapsed, d, out, work);
    }

    /// The same system with numbers of another kind.
    template <class U> [[nodiscard]] auto in() const {
        return stiff_system<N, M, U, Mass, Force, G>(this->mass(), force_, this->frequencies(), springs_);
    }
    /// The constrained system that the springs turn into when they harden: g = 0.
    [[nodiscard]] auto limit() const {
        return constrain(plain<N, T>(this->mass(), force_), constraints<M>(with_time(springs_)));
    }

private:
    [[nodiscard]] function const& bare() const {
        if constexpr (traits::time) return force_.function;
        else return force_;
    }
    void call_slow_force(T t, vector const& q, vector const& v, vector& out, work_type& work) const {
        using space = fixed<N>;
        if constexpr (uses_velocity)
            detail::call_with_work<space>(bare(), work.force, force_point<T>{.position = q, .velocity = v, .time = t},
                                          out, q, v, t);
        else detail::call_with_work<space>(bare(), work.force, force_point<T>{.position = q, .time = t}, out, q, t);
    }
    [[nodiscard]] auto slopes(T t, vector const& q) const {
        using number = gradient<T, N>;
        std::array<number, N> moved;
        for (std::size_t i = 0; i < N; ++i) moved[i] = number::variable(q[i], i);
        return springs_(moved, number(t));
    }
    void add_springs(T t, vector const& q, vector& out, work_type& work) const {
        auto const g = slopes(t, q);
        for (std::size_t j = 0; j < M; ++j) {
            T const pull = squares_[j] * g[j].value;
            for (std::size_t i = 0; i < N; ++i) out[i] -= pull * g[j].slope[i];
            work.load[j] = pull;
        }
        this->mass().divide(out);
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
        this->mass().divide(out);
    }

    [[no_unique_address]] fixed<N> space_;
    std::array<T, M> squares_{};
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
    auto springs = [g = std::move(given.function)](auto const& q, auto const&) {
        using value = typename std::decay_t<decltype(q)>::value_type;
        if constexpr (M == 1) return std::array<value, 1>{value(g(q))};
        else return std::array<value, M>(g(q));
    };
    return stiff_system<N, M, T, unit_mass, Force, decltype(springs)>(
        {}, std::move(force), std::vector<double>(M, omega), std::move(springs));
}

/// A system of hard springs: what force averaging and the projection onto the slow manifold work on.
template <class S>
concept stiff_motion =
    second_order<S> && requires(S const& system, scalar_of<S> t, vector_of<S> const& q, work_of<S>& work) {
        system.fast_band(t, q, work);
        system.multipliers_at(t, q, work);
        work.load;
    };

/// One whose slow force is known apart from the springs: what its limit is made of.
template <class S>
concept springs_apart = stiff_motion<S> && requires(S const& system, scalar_of<S> t, vector_of<S> const& q,
                                                    vector_of<S>& out, work_of<S>& work) {
    system.slow_acceleration(t, q, q, out, work);
    system.springs().solve(work.springs.at, work.springs.lambda);
};

} // namespace lento
