#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>

#include <lento/stepper/composition.hpp>
#include <lento/stepper/shake.hpp>

namespace lento {

/// RATTLE (Andersen 1983): SHAKE's positions, and velocities that stay on the constraints; reversible, and symplectic
/// where the force has a potential. The reported multipliers are those of the exact motion through the computed state;
/// (position_multipliers of a step + velocity_multipliers of the step before)/2 are SHAKE's.
struct rattle {
    double step = 0;

    static constexpr std::string_view name = "rattle";
    static constexpr int order = 2;
    static constexpr bool is_adaptive = false;
    static constexpr auto options() { return std::tuple{step_option(&rattle::step)}; }

    template <class V, class Constraints> struct memory_in : detail::constrained_memory_in<V, Constraints> {
        using multipliers_type = typename Constraints::multipliers;
        multipliers_type position_multipliers; ///< of the last step: they put its end onto the constraints
        multipliers_type velocity_multipliers; ///< of the last step: they keep the velocity at its end tangential
        static auto members(auto& self) {
            return std::tuple_cat(detail::constrained_memory_in<V, Constraints>::members(self),
                                  std::tie(self.position_multipliers, self.velocity_multipliers));
        }
    };
    template <class S> using memory = memory_in<vector_of<S>, constraints_of<S>>;

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(constrained_motion<S>, "RATTLE integrates constrained systems; use Verlet for one without");
        return {detail::constrained_start(system), system.constraints().zeros(), system.constraints().zeros()};
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        m.fresh = true;
        detail::active(system, t, x.position, x.velocity, m.active, work);
        if (detail::linearise_here(system, t, x.position, m, work)) detail::settle(system, t, x, m, work);
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        prepare(system, t, x, m, work);
        auto& constraint = system.constraint_work(work);
        T const half = h / T(2);
        add_scaled(x.velocity, half, m.active);
        if (!all_finite(m.active)) return detail::blame_force(m, constraint);
        if (constraint.failed.happened() ||
            !restrain(system, t, h, half, x.position, m.at, x.velocity, m.position_multipliers, m.room, constraint)) {
            detail::spoil(x.position);
            return;
        }
        add_scaled(x.position, h, x.velocity);

        if constexpr (separable_active<S>) {
            system.active_acceleration(t + h, x.position, m.active, work);
        } else {
            set_sum(m.room.drift, x.velocity, half, m.total);
            system.active_acceleration(t + h, x.position, m.room.drift, m.active, work);
        }
        bool const sound = detail::linearise_here(system, t + h, x.position, m, work);
        add_scaled(x.velocity, half, m.active);
        if (!all_finite(m.active)) return detail::blame_force(m, constraint);
        if (!sound) return;
        project_velocity(system, detail::constraint_time(system, t + h), x.position, x.velocity, m.at, m.room,
                         constraint);
        for (std::size_t j = 0; j < m.room.residual.size(); ++j) m.velocity_multipliers[j] = m.room.residual[j] / half;
        detail::settle(system, t + h, x, m, work);
    }
};

/// Symmetric compositions of RATTLE steps, of order 4 and 6, for forces that do not depend on the velocity.
using rattle4 = composition<composition4_method, rattle>;
using rattle6 = composition<composition6_method, rattle>;

} // namespace lento
