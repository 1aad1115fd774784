#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/system/concepts.hpp>
#include <lento/system/newton.hpp>

namespace lento {

/// The underlying ordinary differential equation of a constrained system, (7) of paper 000: the constraint forces are
/// those for which g'' = 0 along the motion. Any method for velocity-dependent forces applies; the constraints hold
/// only as well as that method integrates, and drift from them is not corrected. Of a vibrated system it is one too, so
/// that it can be averaged without windows: `effective(underlying(system), picard{.order = 2})`. Made by `underlying`.
template <constrained_motion System> class underlying_system : public detail::forwarded_phases<System> {
public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;
    static constexpr bool uses_velocity = true;

    struct work_type {
        work_of<System> inner;
        typename constraints_of<System>::linear at;
        multipliers_of<System> lambda;
        newton_room<System> room;
        failure failed;
        std::vector<warning> warnings;
        static auto members(auto& self) { return std::tie(self.inner, self.lambda, self.failed, self.warnings); }
    };

    explicit underlying_system(System system) : detail::forwarded_phases<System>(std::move(system)) {}

    [[nodiscard]] auto const& space() const { return system_.space(); }
    [[nodiscard]] work_type work() const {
        return {system_.work(),
                system_.constraints().start(),
                system_.constraints().zeros(),
                make_newton_room(system_),
                {},
                {}};
    }
    void count(work_type const& work, statistics& counts) const { system_.count(work.inner, counts); }

    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        auto& constraint = system_.constraint_work(work.inner);
        if constexpr (separable_active<System>) system_.active_acceleration(t, q, out, work.inner);
        else system_.active_acceleration(t, q, v, out, work.inner);
        if (!system_.constraints().linearise(t, q, system_.mass(), work.at, constraint)) {
            work.failed = constraint.failed;
            return;
        }
        multipliers_at(system_, t, q, v, out, work.at, work.lambda, work.room, constraint);
        system_.constraints().pull(work.at, scalar(1), work.lambda, out);
    }

    // ---- a vibrated system stays one ----

    template <class Angles> void acceleration_at(scalar t, Angles const& theta, vector const& q, vector const& v,
                                                 vector& out, work_type& work) const {
        system_.acceleration_at(t, theta, q, v, out, work.inner);
        if (auto const& constraint = system_.constraint_work(work.inner); constraint.failed.happened())
            work.failed = constraint.failed;
    }
    /// Throws bad_start where a physical state is not on the constraints.
    void require_consistent(scalar t, state x, work_type& work) const {
        auto& constraint = system_.constraint_work(work.inner);
        auto const failed = on_constraints(system_, t, x, false, work.at, work.room, constraint);
        if (failed.happened()) work.failed = failed;
    }

    /// At the last evaluation.
    [[nodiscard]] multipliers_of<System> const& multipliers(work_type const& work) const { return work.lambda; }

private:
    using detail::forwarded_phases<System>::system_;
};

template <constrained_motion System> [[nodiscard]] auto underlying(System system) {
    return underlying_system<System>(std::move(system));
}

} // namespace lento
