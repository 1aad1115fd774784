#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <lento/stepper/shake.hpp>
#include <lento/stepper/step_control.hpp>

namespace lento {

namespace detail {

/// One step of the Lobatto IIIA-IIIB pair with three stages (Jay 1996), of order 4. With q'' = a the stages are
///     Q2 = q + (h/2) v + h^2 (a1/12 + a2/24),   Q3 = q + h v + h^2 (a1/6 + a2/3),
///     v' = v + h (a1 + 4 a2 + a3)/6,
/// a_i the whole acceleration at Q_i, its multipliers such that Q2 and Q3 meet the constraints and v' stays on them.
template <class V, class Constraints> struct lobatto_memory_in : constrained_memory_in<V, Constraints> {
    using T = typename V::value_type;
    using L = typename Constraints::multipliers;

    L first_multipliers;
    L middle_multipliers;
    L correction;
    typename Constraints::linear middle_at;
    V first_active;
    V middle_active;
    V first;  // a1
    V middle; // a2
    V middle_position;
    V drift;
    V stage_velocity;
    motion<V> point; // the end of an attempted step
    constrained_memory_in<V, Constraints> end;
    V total_before; // the whole acceleration one step earlier
    T step_before{};
    T attempted{};
    int refusals = 0;
    static auto members(auto& self) {
        return std::tuple_cat(constrained_memory_in<V, Constraints>::members(self),
                              std::tie(self.total_before, self.step_before, self.refusals));
    }
};
template <class S> using lobatto_memory = lobatto_memory_in<vector_of<S>, constraints_of<S>>;

template <class S> [[nodiscard]] lobatto_memory<S> lobatto_start(S const& system) {
    static_assert(constrained_motion<S>,
                  "Lobatto's pair integrates constrained systems; use a Runge-Kutta-Nystrom method for one without");
    auto const zeros = system.space().template zeros<scalar_of<S>>();
    lobatto_memory<S> m;
    static_cast<constrained_memory<S>&>(m) = constrained_start(system);
    for (auto* each : {&m.first_multipliers, &m.middle_multipliers, &m.correction})
        *each = system.constraints().zeros();
    m.middle_at = system.constraints().start();
    for (auto* each : {&m.first_active, &m.middle_active, &m.first, &m.middle, &m.middle_position, &m.drift,
                       &m.stage_velocity, &m.total_before})
        *each = zeros;
    m.point = {zeros, zeros};
    m.end = constrained_start(system);
    return m;
}

template <class S> inline void lobatto_prepare(S const& system, scalar_of<S> t, state_of<S> const& x,
                                               lobatto_memory<S>& m, work_of<S>& work) {
    if (m.fresh) return;
    m.fresh = true;
    m.step_before = scalar_of<S>(0);
    active(system, t, x.position, x.velocity, m.active, work);
    if (linearise_here(system, t, x.position, m, work)) settle(system, t, x, m, work);
}

/// a1 and a2 from the active accelerations and the multipliers at hand.
template <class S> inline void lobatto_accelerations(S const& system, lobatto_memory<S>& m) {
    using T = scalar_of<S>;
    m.first = m.first_active;
    system.constraints().pull(m.at, T(1), m.first_multipliers, m.first);
    m.middle = m.middle_active;
    system.constraints().pull(m.middle_at, T(1), m.middle_multipliers, m.middle);
}

/// Multipliers of the first two stages for given active accelerations: Newton's method with the matrix of the middle.
/// Returns how far the middle stage moved, or NaN when it fails.
template <class S> [[nodiscard]] inline scalar_of<S> lobatto_restrain(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                                      state_of<S> const& x, lobatto_memory<S>& m,
                                                                      constraint_work_of<S>& work) {
    using T = scalar_of<S>;
    using std::abs;
    constexpr T nothing = std::numeric_limits<T>::quiet_NaN();
    auto const& constraints = system.constraints();
    T const from = constraint_time(system, t);
    T const half = constraint_time(system, t + h / T(2)) - from;
    T const whole = constraint_time(system, t + h) - from;
    T size = std::max(max_norm(x.position), std::numeric_limits<T>::min());
    T const inverse = T(1) / (h * h);
    T moved(0);
    T previous(0);
    if constexpr (feeds_back<S>) constraints.values(from, x.position, m.room.defect, work);
    else
        for (auto& each : m.room.defect) each = T(0);
    for (int iteration = 1; iteration <= most_newton_iterations; ++iteration) {
        if (!constraints.linearise(from + half, m.middle_position, system.mass(), m.middle_at, work)) return nothing;
        lobatto_accelerations(system, m);
        // how the end misses the constraints, and the middle
        set_scaled(m.drift, h, x.velocity);
        add_scaled(m.drift, h * h / T(6), m.first);
        add_scaled(m.drift, h * h / T(3), m.middle);
        constraints.change(from, x.position, whole, m.drift, m.correction, work);
        size = std::max(size, max_norm(m.drift)); // at the origin it is all the size there is
        set_scaled(m.drift, h / T(2), x.velocity);
        add_scaled(m.drift, h * h / T(12), m.first);
        add_scaled(m.drift, h * h / T(24), m.middle);
        constraints.change(from, x.position, half, m.drift, m.room.residual, work);
        T change(0);
        for (std::size_t i = 0; i < m.drift.size(); ++i) {
            T const place = x.position[i] + m.drift[i];
            T const step = abs(place - m.middle_position[i]);
            change = step > change || step != step ? step : change;
            m.middle_position[i] = place;
        }
        moved = std::max(moved, change);
        ++work.newton_iterations;
        for (std::size_t j = 0; j < m.correction.size(); ++j) {
            m.correction[j] = (m.correction[j] + m.room.defect[j]) * inverse;
            m.room.residual[j] = (m.room.residual[j] + m.room.defect[j]) * inverse;
        }
        constraints.solve(m.middle_at, m.correction);
        constraints.solve(m.middle_at, m.room.residual);
        T miss(0);
        for (std::size_t j = 0; j < m.correction.size(); ++j) {
            T const first = T(16) * m.room.residual[j] - T(2) * m.correction[j];
            T const middle = T(4) * m.correction[j] - T(8) * m.room.residual[j];
            m.first_multipliers[j] += first;
            m.middle_multipliers[j] += middle;
            miss = std::max(miss, T(abs(first) + abs(middle)));
        }
        if (!(miss == miss)) break;
        // what the correction of the multipliers moves, in coordinates
        set_scaled(m.drift, T(0), x.position);
        constraints.pull(m.at, h * h, m.first_multipliers, m.drift);
        T const reach = max_norm(m.drift);
        T const largest = std::max(max_norm(m.first_multipliers), std::numeric_limits<T>::min());
        T const shift = std::max(change, miss / largest * reach);
        T const epsilon = std::numeric_limits<T>::epsilon();
        if (iteration > 1 && (shift <= epsilon * size || (shift <= T(1e-11) * size && shift > previous / T(4))))
            return moved;
        previous = shift;
    }
    tell_newton_failure(system, from + whole, x.position, most_newton_iterations, m.middle_at, m.room, work);
    return nothing;
}

/// Tries a step; its end is left in m.point and m.end. `loose` is how well, relative to the state, the stages must be
/// found. False when the constraints failed.
template <class S> [[nodiscard]] inline bool lobatto_step(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                          state_of<S> const& x, lobatto_memory<S>& m,
                                                          scalar_of<S> loose, work_of<S>& work) {
    using T = scalar_of<S>;
    lobatto_prepare(system, t, x, m, work);
    auto& constraint = system.constraint_work(work);
    if (constraint.failed.happened() || !all_finite(m.active)) return false;
    m.attempted = h;
    m.first_active = m.active;
    m.first_multipliers = m.lambda;
    m.middle_multipliers = m.lambda;
    m.middle = m.total;
    m.first = m.total;
    set_sum(m.middle_position, x.position, h / T(2), x.velocity);
    add_scaled(m.middle_position, h * h / T(8), m.total);
    set_sum(m.drift, m.middle_position, T(-1), x.position);
    T const size = std::max({max_norm(x.position), max_norm(m.drift), std::numeric_limits<T>::min()});
    T previous(0);
    for (int round = 1; round <= most_newton_iterations; ++round) {
        if constexpr (!separable_active<S>) {
            set_sum(m.stage_velocity, x.velocity, h / T(6), m.first);
            add_scaled(m.stage_velocity, -h / T(6), m.middle);
            active(system, t, x.position, m.stage_velocity, m.first_active, work);
            set_sum(m.stage_velocity, x.velocity, h / T(6), m.first);
            add_scaled(m.stage_velocity, h / T(3), m.middle);
        }
        active(system, t + h / T(2), m.middle_position, m.stage_velocity, m.middle_active, work);
        if (!all_finite(m.middle_active)) {
            m.active = m.middle_active;
            return false;
        }
        T const moved = lobatto_restrain(system, t, h, x, m, constraint);
        if (!(moved == moved)) return false;
        T const contraction = round > 1 && previous > T(0) ? moved / previous : T(1);
        if (moved <= T(2) * std::numeric_limits<T>::epsilon() * size) break;
        if (round > 1 && contraction < T(1) && moved * contraction <= loose * size) break;
        if (round > 2 && moved <= T(1e-9) * size && contraction > T(0.25)) break; // it is down to rounding
        if (round == most_newton_iterations) {
            tell_newton_failure(system, constraint_time(system, t + h), x.position, round, m.middle_at, m.room,
                                constraint);
            return false;
        }
        previous = moved;
    }
    lobatto_accelerations(system, m);

    m.point.position = x.position;
    add_scaled(m.point.position, h, x.velocity);
    add_scaled(m.point.position, h * h / T(6), m.first);
    add_scaled(m.point.position, h * h / T(3), m.middle);
    if constexpr (!separable_active<S>) {
        set_sum(m.stage_velocity, x.velocity, h / T(6), m.first);
        add_scaled(m.stage_velocity, h * T(5) / T(6), m.middle);
    }
    active(system, t + h, m.point.position, m.stage_velocity, m.end.active, work);
    if (!all_finite(m.end.active)) {
        m.active = m.end.active;
        return false;
    }
    if (!linearise_here(system, t + h, m.point.position, m.end, work)) return false;
    set_sum(m.point.velocity, x.velocity, h / T(6), m.first);
    add_scaled(m.point.velocity, h * T(2) / T(3), m.middle);
    add_scaled(m.point.velocity, h / T(6), m.end.active);
    project_velocity(system, constraint_time(system, t + h), m.point.position, m.point.velocity, m.end.at, m.end.room,
                     constraint);
    if constexpr (!separable_active<S>) active(system, t + h, m.point.position, m.point.velocity, m.end.active, work);
    settle(system, t + h, m.point, m.end, work);
    return true;
}

template <class S> inline void lobatto_accept(state_of<S>& x, lobatto_memory<S>& m) {
    std::swap(x, m.point);
    std::swap(m.total_before, m.total);
    m.step_before = m.attempted;
    std::swap(static_cast<constrained_memory<S>&>(m), m.end);
    m.fresh = true;
    m.refusals = 0;
}

} // namespace detail

/// The Lobatto IIIA-IIIB pair of order 4 for constrained systems (Jay 1996): symmetric, symplectic where the force has
/// a potential, and one evaluation an iteration. Forces may depend on the velocity.
struct lobatto4 {
    double step = 0;

    static constexpr std::string_view name = "lobatto4";
    static constexpr int order = 4;
    static constexpr bool is_adaptive = false;
    static constexpr auto options() { return std::tuple{step_option(&lobatto4::step)}; }

    template <class S> using memory = detail::lobatto_memory<S>;
    template <class S> [[nodiscard]] memory<S> start(S const& system) const { return detail::lobatto_start(system); }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        detail::lobatto_prepare(system, t, x, m, work);
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        if (detail::lobatto_step(system, t, h, x, m, std::numeric_limits<scalar_of<S>>::epsilon(), work))
            detail::lobatto_accept<S>(x, m);
        else if (all_finite(m.active)) detail::spoil(x.position);
        else x.velocity = m.active; // its components tell where the force is not finite
    }
};

/// The same with adaptive steps. The error is measured against the quadratic through the last three accelerations, a
/// method of order 3, so that it is overestimated rather than missed.
struct adaptive_lobatto4 {
    double rtol = 1e-6;
    double atol = 1e-9;
    std::optional<double> first_step{}; ///< left out: chosen
    double min_step = 0;
    std::optional<double> max_step{};

    static constexpr std::string_view name = "adaptive-lobatto4";
    static constexpr int order = 4;
    static constexpr bool is_adaptive = true;
    static constexpr auto options() { return adaptive_options<adaptive_lobatto4>(); }

    template <class S> using memory = detail::lobatto_memory<S>;
    template <class S> [[nodiscard]] memory<S> start(S const& system) const { return detail::lobatto_start(system); }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        detail::lobatto_prepare(system, t, x, m, work);
    }
    /// Tries a step and returns its error measured in the tolerance; x is unchanged until `accept`.
    template <class S> [[nodiscard]] double attempt(S const& system, scalar_of<S> t, scalar_of<S> h,
                                                    state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        using T = scalar_of<S>;
        constexpr int enough = 12;
        T const loose = std::max(T(rtol) * T(1e-3), std::numeric_limits<T>::epsilon());
        if (!detail::lobatto_step(system, t, h, x, m, loose, work)) {
            // a shorter step may succeed; after many the constraints' own words stand
            if (++m.refusals < enough) system.constraint_work(work).failed = {};
            m.fresh = m.fresh && all_finite(m.active);
            return std::numeric_limits<double>::infinity();
        }
        double worst = 0;
        for (std::size_t i = 0; i < x.position.size(); ++i) {
            T bend(0);
            if (m.step_before != T(0))
                bend = ((m.end.total[i] - m.total[i]) / h - (m.total[i] - m.total_before[i]) / m.step_before) /
                       (h + m.step_before);
            T const compared = h * (m.total[i] + m.end.total[i]) / T(2) - bend * h * h * h / T(6);
            double const missed = std::abs(static_cast<double>(m.point.velocity[i] - x.velocity[i] - compared));
            double const by_velocity = missed / allowed(x.velocity[i], m.point.velocity[i]);
            double const by_position =
                missed * std::abs(static_cast<double>(h)) / 2 / allowed(x.position[i], m.point.position[i]);
            double const ratio = by_velocity > by_position || by_velocity != by_velocity ? by_velocity : by_position;
            if (ratio != ratio) return ratio;
            worst = std::max(worst, ratio);
        }
        return worst;
    }
    template <class S> void accept(S const&, state_of<S>& x, memory<S>& m) const { detail::lobatto_accept<S>(x, m); }

private:
    template <class T> [[nodiscard]] double allowed(T before, T after) const {
        using std::abs;
        return atol + rtol * static_cast<double>(std::max(abs(before), abs(after)));
    }
};

} // namespace lento
