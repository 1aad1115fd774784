#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/force.hpp>
#include <lento/base/gradient.hpp>
#include <lento/base/increment.hpp>
#include <lento/constraint/work.hpp>

namespace lento {

/// The gradients of the constraints are found by differentiating g.
struct automatic {};

/// M constraints g(q) = 0, or g(q, t) = 0 when wrapped by with_time, and on request their gradients. Make it with
/// `constraints<M>(g)`; g must be generic in its scalar and call sin, sqrt ... unqualified.
template <std::size_t M, class G, class Jacobian = automatic> struct constraint_function {
    G function;
    Jacobian jacobian;
};

/// `constraints<2>([=](auto const& q) { return std::array{q[0] * q[0] + ..., ...}; })`, or a number when there is one.
template <std::size_t M, class G> [[nodiscard]] constraint_function<M, G> constraints(G function) {
    return {std::move(function), {}};
}
/// The same with gradients given: jacobian(q), or jacobian(q, t), returns M rows, or the row when there is one.
template <std::size_t M, class G, class Jacobian>
[[nodiscard]] constraint_function<M, G, Jacobian> constraints(G function, Jacobian jacobian) {
    return {std::move(function), std::move(jacobian)};
}

/// A few constraints of a system whose size the compiler knows: everything lives in arrays.
template <std::size_t N, std::size_t M, class T, class G, class Jacobian> class dense_constraints {
    using traits = detail::force_traits<G>;
    using around = detail::work_around<typename traits::function>;
    using counts = typename around::counts;

public:
    using vector = std::array<T, N>;
    using multipliers = std::array<T, M>;
    using work_type = typename around::type;

    /// The gradients at a point, M^-1 times them, and the factors of g' M^-1 g'^T = L D L^T; for two constraints its
    /// inverse.
    struct linear {
        std::array<vector, M> rows{};
        std::array<vector, M> directions{};
        std::array<std::array<T, M>, M> lower{};
        std::array<T, M> inverse_pivots{};
        static auto members(auto& self) {
            return std::tie(self.rows, self.directions, self.lower, self.inverse_pivots);
        }
    };

    explicit dense_constraints(constraint_function<M, G, Jacobian> given)
        : function_(detail::bare_force(std::move(given.function))), jacobian_(std::move(given.jacobian)) {
        detail::require_fewer_constraints(M, N);
    }

    [[nodiscard]] static constexpr std::size_t size() { return M; }
    [[nodiscard]] static constexpr multipliers zeros() { return {}; }
    [[nodiscard]] static constexpr linear start() { return {}; }
    [[nodiscard]] work_type work() const { return around::make(function_); }
    template <class Mass> static void check(Mass const&) {}

    /// g(q, t)
    void values(T t, vector const& q, multipliers& out, counts& work) const {
        ++work.evaluations;
        call(out, q, t, work);
    }
    /// g(q + d, t + dt) - g(q, t), exact to rounding
    [[gnu::always_inline]] void change(T t, vector const& q, T dt, vector const& d, multipliers& out,
                                       counts& work) const {
        ++work.evaluations;
        using number = increment<T>;
        std::array<number, N> moved;
        for (std::size_t i = 0; i < N; ++i) moved[i] = {q[i], d[i]};
        std::array<number, M> result;
        call(result, moved, number{t, dt}, work);
        for (std::size_t j = 0; j < M; ++j) out[j] = result[j].change;
    }
    /// dg/dt along a motion of velocity v
    void rate(T t, vector const& q, vector const& v, multipliers& out, counts& work) const {
        ++work.evaluations;
        using number = dual<T>;
        std::array<number, N> moved;
        for (std::size_t i = 0; i < N; ++i) moved[i] = {q[i], v[i]};
        std::array<number, M> result;
        call(result, moved, number{t, T(1)}, work);
        for (std::size_t j = 0; j < M; ++j) out[j] = result[j].slope[0];
    }
    /// g(q, t) and dg/dt along a motion of velocity v, at once
    void values_and_rates(T t, vector const& q, vector const& v, multipliers& values, multipliers& rates,
                          counts& work) const {
        ++work.evaluations;
        using number = dual<T>;
        std::array<number, N> moved;
        for (std::size_t i = 0; i < N; ++i) moved[i] = {q[i], v[i]};
        std::array<number, M> result;
        call(result, moved, number{t, T(1)}, work);
        for (std::size_t j = 0; j < M; ++j) {
            values[j] = result[j].value;
            rates[j] = result[j].slope[0];
        }
    }
    /// d^2 g/dt^2 along a motion of constant velocity v: g''[v, v] and what an explicit time adds
    void curvature(T t, vector const& q, vector const& v, multipliers& out, counts& work) const {
        ++work.evaluations;
        using number = dual<dual<T>>;
        std::array<number, N> moved;
        for (std::size_t i = 0; i < N; ++i) moved[i] = number(dual<T>{q[i], v[i]}, dual<T>{v[i], T(0)});
        std::array<number, M> result;
        call(result, moved, number(dual<T>{t, T(1)}, dual<T>{T(1), T(0)}), work);
        for (std::size_t j = 0; j < M; ++j) out[j] = result[j].slope[0].slope[0];
    }

    void gradients(T t, vector const& q, std::array<vector, M>& rows, counts& work) const {
        ++work.jacobians;
        if constexpr (!std::is_same_v<Jacobian, automatic>) {
            auto const given = [&] {
                if constexpr (traits::time) return jacobian_(q, t);
                else return jacobian_(q);
            }();
            if constexpr (std::is_convertible_v<decltype(given), vector>) rows[0] = given; // one constraint, one row
            else rows = given;
        } else {
            using number = gradient<T, N>;
            std::array<number, N> variables;
            for (std::size_t i = 0; i < N; ++i) variables[i] = number::variable(q[i], i);
            std::array<number, M> result;
            call(result, variables, number(t), work);
            for (std::size_t j = 0; j < M; ++j) rows[j] = result[j].slope;
        }
    }

    /// out += sum_j weights_j (d grad g_j/d direction): how the gradients turn along a direction
    void turn(T t, vector const& q, vector const& direction, multipliers const& weights, vector& out,
              counts& work) const {
        ++work.jacobians;
        using number = gradient<dual<T>, N>;
        std::array<number, N> moved;
        for (std::size_t i = 0; i < N; ++i) moved[i] = number::variable(dual<T>(q[i], direction[i]), i);
        std::array<number, M> result;
        call(result, moved, number(dual<T>(t)), work);
        for (std::size_t j = 0; j < M; ++j)
            for (std::size_t i = 0; i < N; ++i) out[i] += weights[j] * result[j].slope[i].slope[0];
    }

    /// Gradients and factors at a point. False when the gradients are dependent; the work then says which.
    template <class Mass> [[nodiscard, gnu::always_inline]] bool linearise(T t, vector const& q, Mass const& mass,
                                                                           linear& at, work_type& work) const {
        T pivot{};
        std::size_t const dependent = find_dependence(t, q, mass, at, pivot, work);
        if (dependent == M) [[likely]]
            return true;
        tell_dependence(t, dependent, product(at, dependent, dependent), pivot, at, work);
        return false;
    }
    /// The same without a word on failure, for loops that keep everything in registers.
    template <class Mass> [[nodiscard, gnu::always_inline]] bool
    linearise_silently(T t, vector const& q, Mass const& mass, linear& at, counts& work) const {
        T pivot{};
        return find_dependence(t, q, mass, at, pivot, work) == M;
    }

    /// x becomes (g' M^-1 g'^T)^-1 x
    [[gnu::always_inline]] void solve(linear const& at, multipliers& x) const {
        if constexpr (M == 2) {
            T const first = at.lower[0][0] * x[0] + at.lower[0][1] * x[1];
            x[1] = at.lower[0][1] * x[0] + at.lower[1][1] * x[1];
            x[0] = first;
        } else {
            for (std::size_t j = 0; j < M; ++j)
                for (std::size_t k = 0; k < j; ++k) x[j] -= at.lower[j][k] * at.inverse_pivots[k] * x[k];
            for (std::size_t j = 0; j < M; ++j) x[j] *= at.inverse_pivots[j];
            for (std::size_t j = M; j-- > 0;)
                for (std::size_t k = j + 1; k < M; ++k) x[j] -= at.lower[k][j] * at.inverse_pivots[j] * x[k];
        }
    }
    /// x becomes (g'(q, t) M^-1 g'^T)^-1 x, the gradients on the left taken elsewhere: Newton's exact matrix for a
    /// constraint force that acts along the gradients of a step's start.
    void solve_between(T t, vector const& q, linear const& at, multipliers& x, counts& work) const {
        std::array<vector, M> rows{};
        gradients(t, q, rows, work);
        std::array<std::array<T, M>, M> a{};
        for (std::size_t j = 0; j < M; ++j)
            for (std::size_t k = 0; k < M; ++k) a[j][k] = product(rows[j], at.directions[k]);
        eliminate(a, x);
    }
    /// u -= c M^-1 g'^T lambda
    [[gnu::always_inline]] void pull(linear const& at, T c, multipliers const& lambda, vector& u) const {
        for (std::size_t i = 0; i < N; ++i) {
            T sum(0);
            bool first = true;
            for (std::size_t j = 0; j < M; ++j) {
                if (!touches(j, i)) continue;
                T const part = at.directions[j][i] * lambda[j];
                sum = first ? part : sum + part;
                first = false;
            }
            if (!first) u[i] -= c * sum;
        }
    }
    /// out = g' v, without what an explicit time adds
    [[gnu::always_inline]] void along(linear const& at, vector const& v, multipliers& out) const {
        for (std::size_t j = 0; j < M; ++j) out[j] = product(at.rows[j], v);
    }
    /// |g_j'|^2 in the metric of the inverse mass
    [[nodiscard]] T square(linear const& at, std::size_t j) const { return product(at, j, j); }

private:
    template <class Number>
    void call(std::array<Number, M>& out, std::array<Number, N> const& q, Number const& t, counts& work) const {
        if constexpr (M == 1) {
            auto const value = evaluate(q, t, work);
            if constexpr (std::is_convertible_v<decltype(value), Number>) out[0] = value;
            else out = value;
        } else {
            out = evaluate(q, t, work);
        }
    }
    template <class Number>
    [[nodiscard]] auto evaluate(std::array<Number, N> const& q, Number const& t, counts& work) const {
        if constexpr (traits::time) return detail::call_with_scratch(function_, work, q, t);
        else return detail::call_with_scratch(function_, work, q);
    }
    /// Gradients and factors; the first gradient that depends on those before it, with its pivot, or M.
    template <class Mass> [[nodiscard, gnu::always_inline]] std::size_t
    find_dependence(T t, vector const& q, Mass const& mass, linear& at, T& pivot, counts& work) const {
        gradients(t, q, at.rows, work);
        for (std::size_t j = 0; j < M; ++j) {
            at.directions[j] = at.rows[j];
            mass.divide(at.directions[j]);
        }
        if constexpr (M == 2) return invert(at, pivot);
        else return factor(at, pivot);
    }
    /// Two constraints: the inverse itself, in `lower`, takes one division where factors take two in a row.
    [[nodiscard, gnu::always_inline]] static std::size_t invert(linear& at, T& pivot) {
        T const first = product(at, 0, 0);
        T const mixed = product(at, 0, 1);
        T const second = product(at, 1, 1);
        T const determinant = first * second - mixed * mixed;
        T const inverse = T(1) / determinant;
        at.lower[0][0] = second * inverse;
        at.lower[0][1] = -mixed * inverse;
        at.lower[1][1] = first * inverse;
        if (determinant > T(detail::rank_threshold) * first * second) [[likely]]
            return M;
        bool const vanishes = !(first > T(0));
        pivot = vanishes ? first : determinant / first;
        return vanishes ? 0 : 1;
    }
    [[nodiscard]] static std::size_t factor(linear& at, T& pivot) {
        for (std::size_t j = 0; j < M; ++j) {
            T const whole = product(at, j, j);
            pivot = whole;
            for (std::size_t k = 0; k < j; ++k) {
                T entry = product(at, j, k);
                for (std::size_t i = 0; i < k; ++i) entry -= at.lower[j][i] * at.lower[k][i] * at.inverse_pivots[i];
                at.lower[j][k] = entry; // still times the pivot
                pivot -= entry * at.inverse_pivots[k] * entry;
            }
            at.inverse_pivots[j] = T(1) / pivot;
            if (!(pivot > T(detail::rank_threshold) * whole)) [[unlikely]]
                return j;
        }
        return M;
    }
    /// Whether constraint j may depend on coordinate i: gradients that are given may say so, and zeros cost nothing.
    [[nodiscard]] static constexpr bool touches(std::size_t j, std::size_t i) {
        if constexpr (requires { Jacobian::touches(j, i); }) return Jacobian::touches(j, i);
        else return j < M && i < N;
    }
    /// Row j times what belongs to row k.
    [[nodiscard]] static T product(linear const& at, std::size_t j, std::size_t k) {
        T sum(0);
        bool first = true;
        for (std::size_t i = 0; i < N; ++i) {
            if (!touches(j, i) || !touches(k, i)) continue;
            T const part = at.rows[j][i] * at.directions[k][i];
            sum = first ? part : sum + part;
            first = false;
        }
        return sum;
    }
    [[nodiscard]] static T product(vector const& a, vector const& b) {
        T sum(0);
        for (std::size_t i = 0; i < N; ++i) sum += a[i] * b[i];
        return sum;
    }
    /// Gauss with partial pivoting; M is small.
    static void eliminate(std::array<std::array<T, M>, M>& a, multipliers& x) {
        using std::abs;
        for (std::size_t k = 0; k < M; ++k) {
            std::size_t best = k;
            for (std::size_t j = k + 1; j < M; ++j)
                if (abs(a[j][k]) > abs(a[best][k])) best = j;
            if (best != k) {
                std::swap(a[best], a[k]);
                std::swap(x[best], x[k]);
            }
            for (std::size_t j = k + 1; j < M; ++j) {
                T const factor = a[j][k] / a[k][k];
                for (std::size_t i = k + 1; i < M; ++i) a[j][i] -= factor * a[k][i];
                x[j] -= factor * x[k];
            }
        }
        for (std::size_t k = M; k-- > 0;) {
            for (std::size_t i = k + 1; i < M; ++i) x[k] -= a[k][i] * x[i];
            x[k] /= a[k][k];
        }
    }
    [[gnu::noinline]] void tell_dependence(T t, std::size_t j, T whole, T pivot, linear at, work_type& work) const {
        using std::abs;
        using std::sqrt;
        if (!(whole == whole)) return; // a point that is not finite has its own story
        if (!(whole > T(0))) {
            work.failed = detail::vanishing_gradient(static_cast<double>(t), j);
            return;
        }
        // the combination of the earlier gradients that this one is
        std::vector<T> part(j);
        if constexpr (M == 2) part.assign(j, product(at, 0, 1) / square(at, 0));
        else
            for (std::size_t k = j; k-- > 0;) {
                part[k] = at.lower[j][k] * at.inverse_pivots[k];
                for (std::size_t i = k + 1; i < j; ++i) part[k] -= at.lower[i][k] * at.inverse_pivots[k] * part[i];
            }
        std::vector<std::size_t> others;
        for (std::size_t k = 0; k < j; ++k)
            if (abs(part[k]) * sqrt(square(at, k)) > T(1e-6) * sqrt(whole)) others.push_back(k);
        T const share = pivot > T(0) ? sqrt(pivot / whole) : T(0);
        work.failed = detail::dependent_gradients(static_cast<double>(t), j, others, static_cast<double>(share));
    }

    [[no_unique_address]] typename traits::function function_;
    [[no_unique_address]] Jacobian jacobian_;
};

/// One function as the constraints of a system, for `constrain`.
template <class System, std::size_t M, class G, class Jacobian>
[[nodiscard]] auto constraints_on(System const&, constraint_function<M, G, Jacobian> given) {
    static_assert(
        System::space_type::is_fixed,
        "constraints given as one function need a system whose size the compiler knows; use constraint_family "
        "for a size known at run time");
    return dense_constraints<System::space_type::size(), M, typename System::scalar, G, Jacobian>(std::move(given));
}

} // namespace lento
