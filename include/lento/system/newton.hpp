#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <lento/base/arithmetic.hpp>
#include <lento/constraint/work.hpp>
#include <lento/system/constrained.hpp>

/// Forces that keep constraints: by Newton's method over a step, and by their second derivative at a point.
namespace lento {

/// The room Newton's iteration needs, one a stepper's memory.
template <class V, class Multipliers> struct newton_room_in {
    Multipliers residual;
    Multipliers defect;
    V drift;
    V before;
};
template <class S> using newton_room = newton_room_in<vector_of<S>, multipliers_of<S>>;
template <constrained_motion S> [[nodiscard]] newton_room<S> make_newton_room(S const& system) {
    auto const zeros = system.space().template zeros<scalar_of<S>>();
    return {system.constraints().zeros(), system.constraints().zeros(), zeros, zeros};
}

namespace detail {

inline constexpr int most_newton_iterations = 50;

/// The time the constraints see: inside a window it may stand still.
template <class S> [[nodiscard]] scalar_of<S> constraint_time(S const& system, scalar_of<S> t) {
    if constexpr (requires { system.constraint_time(t); }) return system.constraint_time(t);
    else return t;
}

/// Inside a window the values of g are rounding errors, and a multiplier that corrected them over a step of 1e-9 would
/// be noise: only changes count there. Elsewhere they are fed back, so that rounding errors do not pile up.
template <class S> inline constexpr bool feeds_back = !requires { requires S::only_changes_count; };

/// The constraint that is off most, and by how much.
template <class L> struct worst_constraint {
    std::size_t which = 0;
    double miss = 0;
    explicit worst_constraint(L const& values) {
        for (std::size_t j = 0; j < values.size(); ++j) {
            double const value = std::abs(static_cast<double>(values[j]));
            if (value > std::abs(miss) || value != value) {
                miss = static_cast<double>(values[j]);
                which = j;
            }
        }
    }
};

/// Whether a move is so short that constraints, linearised where it began, are linear along it. Near the origin this
/// tells what is little, where a position has no size.
template <class Constraints, class T, class V, class L>
[[nodiscard]] bool are_linear_along(V const& move, Constraints const& constraints, T t, V const& q, auto const& at,
                                    L& first, L& second, auto& work) {
    constraints.along(at, move, first);
    constraints.curvature(t, q, move, second, work);
    for (std::size_t j = 0; j < first.size(); ++j)
        if (!(std::abs(second[j]) <= T(1e-9) * std::abs(first[j]))) return false;
    return true;
}

} // namespace detail

/// Moves q onto the constraints, orthogonally in the metric of the mass: to the nearest point of the linearised
/// constraints, again and again, and at last straight onto them. False when it does not converge; `room.residual` then
/// holds the values of g where it stopped.
template <constrained_motion S> [[nodiscard]] bool project_position(S const& system, scalar_of<S> t, vector_of<S>& q,
                                                                    typename constraints_of<S>::linear& at,
                                                                    newton_room<S>& room, constraint_work_of<S>& work) {
    using T = scalar_of<S>;
    auto const& constraints = system.constraints();
    room.before = q;
    auto& shift = room.drift;
    bool nearest = true;
    T previous(0);
    T size = std::max(max_norm(q), std::numeric_limits<T>::min());
    for (int iteration = 1; iteration <= detail::most_newton_iterations; ++iteration) {
        constraints.values(t, q, room.residual, work);
        if (!all_finite(room.residual) || !constraints.linearise(t, q, system.mass(), at, work)) return false;
        auto mu = room.residual;
        if (nearest) {
            set_sum(shift, room.before, T(-1), q);
            auto back = mu;
            constraints.along(at, shift, back);
            for (std::size_t j = 0; j < mu.size(); ++j) mu[j] += back[j];
        } else {
            set_scaled(shift, T(0), q);
        }
        constraints.solve(at, mu);
        constraints.pull(at, T(1), mu, shift);
        add_scaled(q, T(1), shift);
        T const change = max_norm(shift);
        ++work.newton_iterations;
        if (!all_finite(q)) return false;
        size = std::max(size, max_norm(q));
        if (nearest) {
            nearest = change > T(1e-11) * size && iteration < detail::most_newton_iterations / 2;
            continue;
        }
        if (change <= T(2) * std::numeric_limits<T>::epsilon() * size) return true;
        if (previous > T(0) && change > previous / T(4) && // rounding
            (change <= T(1e-9) * size || detail::are_linear_along(shift, constraints, t, q, at, mu, room.defect, work)))
            return true;
        previous = change;
    }
    return false;
}

/// Takes from v what would leave the constraints; `at` is linearised at q.
template <constrained_motion S> void project_velocity(S const& system, scalar_of<S> t, vector_of<S> const& q,
                                                      vector_of<S>& v, typename constraints_of<S>::linear const& at,
                                                      newton_room<S>& room, constraint_work_of<S>& work) {
    auto const& constraints = system.constraints();
    constraints.rate(t, q, v, room.residual, work);
    constraints.solve(at, room.residual);
    constraints.pull(at, scalar_of<S>(1), room.residual, v);
}

/// The multipliers for which the constraints' second derivative vanishes at position q, velocity v and active
/// acceleration a; `at` is linearised at q.
template <constrained_motion S>
void multipliers_at(S const& system, scalar_of<S> t, vector_of<S> const& q, vector_of<S> const& v,
                    vector_of<S> const& a, typename constraints_of<S>::linear const& at, multipliers_of<S>& lambda,
                    newton_room<S>& room, constraint_work_of<S>& work) {
    auto const& constraints = system.constraints();
    constraints.along(at, a, lambda);
    constraints.curvature(t, q, v, room.residual, work);
    for (std::size_t j = 0; j < lambda.size(); ++j) lambda[j] += room.residual[j];
    constraints.solve(at, lambda);
}

namespace detail {

/// Says why Newton's method failed: whether the constraints can be met at all near q at time t.
template <constrained_motion S> void tell_newton_failure(S const& system, scalar_of<S> t, vector_of<S> const& q,
                                                         int iterations, typename constraints_of<S>::linear at,
                                                         newton_room<S>& room, constraint_work_of<S>& work) {
    worst_constraint const last(room.residual);
    auto nearest = q;
    bool const met = project_position(system, t, nearest, at, room, work);
    worst_constraint const worst(room.residual);
    double const when = static_cast<double>(t);
    work.failed = met ? newton_did_not_converge(when, iterations, last.which, last.miss)
                      : constraints_cannot_be_met(when, worst.which, worst.miss);
}

} // namespace detail

namespace detail {

/// Arrays are worked on as copies, which live in registers; vectors where they are.
template <class V> struct worked_on {
    using type = V;
};
template <class V>
    requires requires { typename V::allocator_type; }
struct worked_on<V> {
    using type = V&;
};

/// Out of the way of the loop that calls it, and with copies, so that the loop's own variables stay in registers.
template <constrained_motion S>
[[gnu::noinline]] void tell_restraint_failure(S const& system, scalar_of<S> t, scalar_of<S> h, vector_of<S> q,
                                              vector_of<S> u, typename constraints_of<S>::linear at,
                                              newton_room<S> room, constraint_work_of<S>& work) {
    scalar_of<S> const from = constraint_time(system, t);
    scalar_of<S> const to = constraint_time(system, t + h);
    set_scaled(room.drift, h, u);
    system.constraints().change(from, q, to - from, room.drift, room.residual, work);
    tell_newton_failure(system, to, q, most_newton_iterations, at, room, work);
}

} // namespace detail

namespace detail {

/// Newton's method of `restrain`: finds the impulses kick lambda. False, without a word, when it does not converge; and
/// unless `Exact`, when it gains too little with the factors that are there.
template <bool Exact, constrained_motion S, class Counts> [[nodiscard, gnu::always_inline]] inline bool
find_impulses(S const& system, scalar_of<S> t, scalar_of<S> h, scalar_of<S> inverse_step, vector_of<S> const& q,
              typename constraints_of<S>::linear const& at, vector_of<S>& u, multipliers_of<S>& impulses,
              newton_room<S>& room, Counts& work) {
    using T = scalar_of<S>;
    using std::abs;
    constexpr T epsilon = std::numeric_limits<T>::epsilon();
    constexpr T gains_enough = T(0.02);
    auto const& constraints = system.constraints();
    T const from = detail::constraint_time(system, t);
    T const to = detail::constraint_time(system, t + h);
    std::size_t const m = impulses.size();
    std::size_t const n = u.size();
    typename detail::worked_on<vector_of<S>>::type drift = room.drift;
    typename detail::worked_on<vector_of<S>>::type moved = room.before;
    typename detail::worked_on<multipliers_of<S>>::type step = room.residual;
    for (std::size_t j = 0; j < m; ++j) impulses[j] = T(0);
    if constexpr (detail::feeds_back<S>) constraints.values(from, q, room.defect, work);

    T previous(0);
    bool exact = false;
    bool settled = false;
    for (int iteration = 1; iteration <= detail::most_newton_iterations; ++iteration) {
        for (std::size_t i = 0; i < n; ++i) drift[i] = h * u[i];
        constraints.change(from, q, to - from, drift, step, work);
        if constexpr (detail::feeds_back<S>)
            for (std::size_t j = 0; j < m; ++j) step[j] += room.defect[j];
        for (std::size_t j = 0; j < m; ++j) step[j] *= inverse_step;
        if (!Exact || !exact) {
            constraints.solve(at, step);
        } else if constexpr (Exact) {
            for (std::size_t i = 0; i < n; ++i) moved[i] = q[i] + drift[i];
            constraints.solve_between(to, moved, at, step, work);
        }
        // u changes by -M^-1 g'^T step, whatever the kick
        for (std::size_t i = 0; i < n; ++i) moved[i] = -T(0); // from which a difference costs nothing
        constraints.pull(at, T(1), step, moved);
        T change(0);
        T size(0);
        for (std::size_t i = 0; i < n; ++i) {
            u[i] += moved[i];
            change = abs(moved[i]) > change ? abs(moved[i]) : change;
            size = abs(u[i]) > size ? abs(u[i]) : size;
        }
        for (std::size_t j = 0; j < m; ++j) impulses[j] += step[j];
        ++work.newton_iterations;
        if (change <= T(2) * epsilon * size) {
            settled = size > T(0) || all_finite(u); // comparisons with NaN make it look so
            break;
        }
        if (iteration > 1) {
            // what is left after this iteration is at most change^2/previous; or it is down to rounding
            settled = (change < previous && change * change <= epsilon * size * previous) ||
                      (change <= T(1e-9) * size && T(4) * change > previous);
            if (settled || !(change == change)) break;
            exact = exact || change > gains_enough * previous;
            if (!Exact && exact) break;
        }
        previous = change;
    }
    return settled;
}

} // namespace detail

/// Finds lambda such that q + h u meets the constraints at t + h, u less kick M^-1 g'(q)^T lambda. `at` is linearised
/// at (q, t). Its factors serve as Newton's matrix while they gain enough; where they do not, the exact one follows.
template <constrained_motion S> [[nodiscard, gnu::always_inline]] inline bool
restrain(S const& system, scalar_of<S> t, scalar_of<S> h, scalar_of<S> kick, vector_of<S> const& q,
         typename constraints_of<S>::linear const& at, vector_of<S>& u, multipliers_of<S>& lambda, newton_room<S>& room,
         constraint_work_of<S>& work) {
    using T = scalar_of<S>;
    bool const settled = detail::find_impulses<true>(system, t, h, T(1) / h, q, at, u, lambda, room, work);
    T const inverse_kick = T(1) / kick;
    for (std::size_t j = 0; j < lambda.size(); ++j) lambda[j] *= inverse_kick;
    if (settled) [[likely]]
        return true;
    detail::tell_restraint_failure(system, t, h, q, u, at, room, work);
    return false;
}

/// Checks that a state meets the constraints, or puts it there. Throws misuse, with the numbers, when it does not and
/// shall not be put; returns a failure when the constraints are dependent or cannot be met.
template <constrained_motion S> [[nodiscard]] failure on_constraints(S const& system, scalar_of<S> t, state_of<S>& x,
                                                                     bool put, typename constraints_of<S>::linear& at,
                                                                     newton_room<S>& room,
                                                                     constraint_work_of<S>& work) {
    using T = scalar_of<S>;
    constexpr double allowed = 1e-9; // of the state's size: what a careful user's rounding leaves
    auto const& constraints = system.constraints();
    double const when = static_cast<double>(t);
    if (!constraints.linearise(t, x.position, system.mass(), at, work)) return work.failed;
    // where a gradient is far smaller than nearby, it vanishes but for rounding
    vector_of<S> nearby = x.position;
    T const about = max_norm(x.position) + T(1e-3);
    for (std::size_t i = 0; i < nearby.size(); ++i)
        nearby[i] += T(1e-3) * (std::abs(nearby[i]) + T(1e-3)) * T(1 + i % 3);
    auto elsewhere = constraints.start();
    auto probe = constraints.work();
    T turns = T(1e4) * about; // the length on which gradients turn; of linear ones it is no length at all
    if (constraints.linearise(t, nearby, system.mass(), elsewhere, probe)) {
        auto& aside = room.drift;
        set_sum(aside, nearby, T(-1), x.position);
        constraints.along(at, aside, room.residual);
        constraints.along(elsewhere, aside, room.defect);
        for (std::size_t j = 0; j < constraints.size(); ++j) {
            if (!(constraints.square(at, j) > T(1e-18) * constraints.square(elsewhere, j)))
                return detail::vanishing_gradient(when, j);
            T const here = std::abs(room.residual[j]);
            turns = std::min(turns, max_norm(aside) * here / std::abs(room.defect[j] - room.residual[j]));
        }
    }

    vector_of<S> const position = x.position;
    constraints.values(t, position, room.residual, work);
    detail::worst_constraint const off(room.residual);
    if (!project_position(system, t, x.position, at, room, work)) {
        detail::worst_constraint const left(room.residual);
        if (work.failed.happened()) return work.failed;
        return detail::constraints_cannot_be_met(when, left.which, left.miss);
    }
    T moved(0);
    for (std::size_t i = 0; i < position.size(); ++i) moved = std::max(moved, T(std::abs(x.position[i] - position[i])));
    T const rounding = T(64) * std::numeric_limits<T>::epsilon() * turns; // at the origin too
    if (!put && moved > std::max(T(allowed) * max_norm(position), rounding))
        detail::refuse_inconsistent_position(when, off.which, off.miss, static_cast<double>(moved));
    if (!put) x.position = position;

    vector_of<S> const velocity = x.velocity;
    constraints.rate(t, x.position, velocity, room.residual, work);
    detail::worst_constraint const leaving(room.residual);
    project_velocity(system, t, x.position, x.velocity, at, room, work);
    T turned(0);
    for (std::size_t i = 0; i < velocity.size(); ++i)
        turned = std::max(turned, T(std::abs(x.velocity[i] - velocity[i])));
    if (!put && turned > T(allowed) * std::max(max_norm(velocity), max_norm(position)))
        detail::refuse_inconsistent_velocity(when, leaving.which, leaving.miss, static_cast<double>(turned));
    if (!put) x.velocity = velocity;
    return {};
}

} // namespace lento
