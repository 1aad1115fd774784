#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lento/base/option.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/constrained.hpp>
#include <lento/system/newton.hpp>

namespace lento {

namespace detail {

/// What SHAKE, RATTLE and Lobatto's pair know of the current point.
template <class V, class Constraints> struct constrained_memory_in {
    V active; ///< M^-1 F
    V total;  ///< with the constraint forces
    typename Constraints::multipliers lambda;
    typename Constraints::linear at;
    newton_room_in<V, typename Constraints::multipliers> room;
    bool fresh = false;
    [[nodiscard]] V const& derivative() const { return total; }
    [[nodiscard]] auto const& multipliers() const { return lambda; }
    static auto members(auto& self) { return std::tie(self.active, self.total, self.lambda, self.at, self.fresh); }
};
template <class S> using constrained_memory = constrained_memory_in<vector_of<S>, constraints_of<S>>;
template <class S> [[nodiscard]] constrained_memory<S> constrained_start(S const& system) {
    auto const zeros = system.space().template zeros<scalar_of<S>>();
    return {zeros, zeros, system.constraints().zeros(), system.constraints().start(), make_newton_room(system)};
}

/// Whether a loop of steps can keep all it needs in registers: arrays, and constraints without scratch.
template <class S> inline constexpr bool fits_registers =
    known_size<vector_of<S>> > 0 && std::is_same_v<constraint_work_of<S>, constraint_work>;

/// The active acceleration; a force that depends on the velocity sees the given one.
template <class S> inline void active(S const& system, scalar_of<S> t, vector_of<S> const& q, vector_of<S> const& v,
                                      vector_of<S>& out, work_of<S>& work) {
    if constexpr (separable_active<S>) system.active_acceleration(t, q, out, work);
    else system.active_acceleration(t, q, v, out, work);
}

/// What looks like a failure of the constraints is one of the force: its own components tell.
template <class Memory> inline void blame_force(Memory& m, constraint_work& work) {
    work.failed = {};
    m.total = m.active;
}

/// Gradients and factors at the current point; false, and the point spoilt, when they are dependent.
template <class S> [[nodiscard]] inline bool linearise_here(S const& system, scalar_of<S> t, vector_of<S> const& q,
                                                            constrained_memory<S>& m, work_of<S>& work) {
    auto& constraint = system.constraint_work(work);
    if (!constraint.failed.happened() &&
        system.constraints().linearise(constraint_time(system, t), q, system.mass(), m.at, constraint))
        return true;
    spoil(m.total);
    return false;
}

/// Multipliers and the whole acceleration of a state, from the second derivative of the constraints.
template <class S>
inline void settle(S const& system, scalar_of<S> t, state_of<S> const& x, constrained_memory<S>& m, work_of<S>& work) {
    multipliers_at(system, constraint_time(system, t), x.position, x.velocity, m.active, m.at, m.lambda, m.room,
                   system.constraint_work(work));
    m.total = m.active;
    system.constraints().pull(m.at, scalar_of<S>(1), m.lambda, m.total);
}

} // namespace detail

/// SHAKE (Ryckaert, Ciccotti and Berendsen 1977) in position-velocity form, as in section 4 of paper 001: the
/// multipliers of a point are those that put the next one onto the constraints. Velocities at the points are means of
/// those half a step before and after; they leave the constraints by O(h^2). RATTLE has the same positions and better
/// velocities.
struct shake {
    double step = 0;

    static constexpr std::string_view name = "shake";
    static constexpr int order = 2;
    static constexpr bool is_adaptive = false;
    static constexpr auto options() { return std::tuple{step_option(&shake::step)}; }

    template <class V, class Constraints> struct memory_in : detail::constrained_memory_in<V, Constraints> {
        V arriving; ///< the velocity half a step before the point; at the start the velocity there
        V leaving;  ///< the velocity half a step after it
        typename V::value_type arrived_by{}; ///< the step that led to the point, 0 at the start
        typename V::value_type leaves_by{};  ///< the step that `leaving` is meant for, 0: unknown
        static auto members(auto& self) {
            return std::tuple_cat(detail::constrained_memory_in<V, Constraints>::members(self),
                                  std::tie(self.arriving, self.leaving, self.arrived_by, self.leaves_by));
        }
    };
    template <class S> using memory = memory_in<vector_of<S>, constraints_of<S>>;

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(constrained_motion<S>, "SHAKE integrates constrained systems; use Verlet for one without");
        auto const zeros = system.space().template zeros<scalar_of<S>>();
        return {detail::constrained_start(system), zeros, zeros, {}, {}};
    }

    /// Without a step there are no multipliers of SHAKE's; those of the exact motion stand in.
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        m.fresh = true;
        m.arriving = x.velocity;
        m.arrived_by = scalar_of<S>(0);
        m.leaves_by = scalar_of<S>(0);
        detail::active(system, t, x.position, x.velocity, m.active, work);
        if (detail::linearise_here(system, t, x.position, m, work)) detail::settle(system, t, x, m, work);
    }
    /// The derivative at the start of a loop of steps, with the multipliers that its first step will use.
    template <class S> void prepare_steps(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S> const& x,
                                          memory<S>& m, work_of<S>& work) const {
        if (!m.fresh) {
            m.fresh = true;
            m.arriving = x.velocity;
            m.arrived_by = scalar_of<S>(0);
            m.leaves_by = scalar_of<S>(0);
            detail::active(system, t, x.position, x.velocity, m.active, work);
            if (!detail::linearise_here(system, t, x.position, m, work)) return;
        }
        if (m.leaves_by != h) leave(system, t, h, x.position, m, work);
    }

    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        prepare(system, t, x, m, work);
        if (m.leaves_by != h) leave(system, t, h, x.position, m, work);
        arrive(system, t, h, x, m, work);
        leave(system, t + h, h, x.position, m, work);
        set_sum(x.velocity, m.arriving, h / scalar_of<S>(2), m.total);
    }

    /// The loop of a window. Whoever goes on from its end starts anew there, from the state.
    template <class S, class Visit> void take_steps(S const& system, scalar_of<S> t, scalar_of<S> h, int steps,
                                                    state_of<S>& x, memory<S>& m, work_of<S>& work,
                                                    Visit& visit) const {
        using T = scalar_of<S>;
        if (steps <= 0) return;
        prepare_steps(system, t, h, x, m, work);
        auto const leave_and_show = [&](int k) {
            leave(system, t + T(k) * h, h, x.position, m, work);
            if (Visit::wants_velocity || k == steps) set_sum(x.velocity, m.arriving, h / T(2), m.total);
            visit(k, m.total, x);
            if constexpr (requires { visit.tension(k, m.lambda); }) visit.tension(k, m.lambda);
        };
        int k = 1;
        if constexpr (detail::fits_registers<S>) {
            k = run(system, t, h, steps, x, m, work, visit);
            if (k <= steps) { // it has arrived where it could not leave: a closer look
                static_cast<void>(detail::linearise_here(system, t + T(k - 1) * h + h, x.position, m, work));
                leave_and_show(k++);
            }
        }
        for (; k <= steps; ++k) {
            arrive(system, t + T(k - 1) * h, h, x, m, work);
            leave_and_show(k);
        }
        m.fresh = false;
    }

private:
    /// The loop of a loop of steps for arrays, with all it needs in locals, which the compiler keeps in registers
    /// because no address of theirs is given away: it stops at a step that asks for more than Newton's method with the
    /// factors at hand, or whose failure must be told. Returns that step, with its end reached, or steps + 1.
    template <class S, class Visit>
    [[nodiscard, gnu::flatten]] static int run(S const& system, scalar_of<S> t, scalar_of<S> h, int steps,
                                               state_of<S>& x, memory<S>& m, work_of<S>& work, Visit& visit) {
        using T = scalar_of<S>;
        auto& told = system.constraint_work(work);
        if (told.failed.happened()) return 1;
        auto const& constraints = system.constraints();
        auto local = x;
        auto leaving = m.leaving;
        auto arriving = leaving;
        auto active = m.active;
        auto total = m.total;
        auto lambda = m.lambda;
        auto at = constraints.start();
        newton_room<S> room{};
        constraint_counts counts = told;
        T const inverse_step = T(1) / h;
        int k = 1;
        for (; k <= steps; ++k) {
            T const before = t + T(k - 1) * h;
            add_scaled(local.position, h, leaving);
            arriving = leaving;
            if constexpr (!separable_active<S>) set_sum(local.velocity, arriving, h / T(2), total);
            detail::active(system, before + h, local.position, local.velocity, active, work);
            constraint_counts tried = counts;
            if (!constraints.linearise_silently(detail::constraint_time(system, before + h), local.position,
                                                system.mass(), at, tried)) [[unlikely]]
                break;
            set_sum(leaving, arriving, h, active);
            if (!detail::find_impulses<false>(system, t + T(k) * h, h, inverse_step, local.position, at, leaving,
                                              lambda, room, tried)) [[unlikely]]
                break;
            counts = tried;
            for (auto& each : lambda) each *= inverse_step;
            total = active;
            constraints.pull(at, T(1), lambda, total);
            if (Visit::wants_velocity || k == steps) set_sum(local.velocity, arriving, h / T(2), total);
            visit(k, total, local);
            if constexpr (requires { visit.tension(k, lambda); }) visit.tension(k, lambda);
        }
        static_cast<constraint_counts&>(told) = counts;
        detail::hand_over(x.position, local.position);
        detail::hand_over(x.velocity, local.velocity);
        detail::hand_over(m.arriving, arriving);
        detail::hand_over(m.active, active);
        detail::hand_over(m.total, total);
        m.arrived_by = h;
        return k;
    }
    /// Moves on to the next point, where the force and the gradients are evaluated.
    template <class S> [[gnu::always_inline]] static void arrive(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                                 state_of<S>& x, memory<S>& m, work_of<S>& work) {
        add_scaled(x.position, h, m.leaving);
        if constexpr (requires { typename vector_of<S>::allocator_type; }) std::swap(m.arriving, m.leaving);
        else m.arriving = m.leaving;
        m.arrived_by = h;
        if constexpr (!separable_active<S>) set_sum(x.velocity, m.arriving, h / scalar_of<S>(2), m.total);
        detail::active(system, t + h, x.position, x.velocity, m.active, work);
        static_cast<void>(detail::linearise_here(system, t + h, x.position, m, work));
    }
    /// The multipliers of the point and the velocity with which a step h leaves it.
    template <class S> [[gnu::always_inline]] static void leave(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                                vector_of<S> const& q, memory<S>& m, work_of<S>& work) {
        using T = scalar_of<S>;
        T const kick = (m.arrived_by + h) / T(2);
        m.leaves_by = h;
        set_sum(m.leaving, m.arriving, kick, m.active);
        auto& constraint = system.constraint_work(work);
        bool const failed_before = constraint.failed.happened();
        if (failed_before || !restrain(system, t, h, kick, q, m.at, m.leaving, m.lambda, m.room, constraint)) {
            detail::spoil(m.total);
            if (!failed_before && !(all_finite(m.active) && all_finite(q))) detail::blame_force(m, constraint);
            return;
        }
        m.total = m.active;
        system.constraints().pull(m.at, T(1), m.lambda, m.total);
    }
};

} // namespace lento
