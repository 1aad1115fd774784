#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/option.hpp>
#include <lento/effective/fast_energy.hpp>
#include <lento/effective/loaded_motion.hpp>

namespace lento {

/// The slow motion of a stiff system without windows, at a cost that does not depend on omega. Order 0 is the
/// constrained limit g = 0, off by O(1/omega^2); each of the orders 1 and 2 puts the springs under the loads that they
/// carry and gains a factor 1/omega^2. Fast energy is dropped, with a warning where there is more than `negligible`,
/// and another where it matters.
struct limit {
    int order = 1;
    double borne = 0;
    double negligible = 1e-6;

    static constexpr std::string_view name = "limit";
    static constexpr std::string_view sentence = "the slow motion of hard springs under their loads, no windows";
    static constexpr auto options() {
        return std::tuple{
            option{"order", &limit::order, "the constrained limit (0), or off by 1/omega^4 (1) or 1/omega^6 (2)",
                   between(0, 2)},
            option{"borne", &limit::borne,
                   "loads that displace the motion by less are not followed: order 0 up to there", at_least(0)},
            option{"negligible", &limit::negligible,
                   "fast energy that is dropped without a word, as a share of the motion's", between(0, 1)}};
    }
};

/// The slow motion of a stiff system on its loaded manifold. Made by `effective`. An ordinary system of forces with
/// velocities: any stepper for these serves, and where a step ends the point is put back under its loads.
template <springs_apart System> class limit_system {
public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;
    using multiplier_vector = typename System::multiplier_vector;
    static constexpr bool uses_velocity = true;

    struct work_type {
        typename loaded_motion<System>::work_type loaded;
        fast_energy_watch<System> energy;
        std::uint64_t evaluations = 0;
        std::uint64_t projections = 0;
        failure failed{};
        std::vector<warning> warnings{};
        static auto members(auto& self) {
            return std::tie(self.loaded, self.energy, self.evaluations, self.projections, self.failed, self.warnings);
        }
    };

    limit_system(System system, limit const& closure)
        : motion_(std::move(system), closure.order, false, closure.borne), negligible_(closure.negligible) {}

    [[nodiscard]] auto const& space() const { return system().space(); }
    [[nodiscard]] System const& system() const { return motion_.system(); }
    [[nodiscard]] work_type work() const { return {motion_.work(), fast_energy_watch<System>(system())}; }
    void count(work_type const& work, statistics& counts) const {
        system().count(work.loaded.inner, counts);
        counts.effective_evaluations = work.evaluations;
        counts.projections = work.projections;
    }
    /// The springs' loads, at the last evaluation.
    [[nodiscard]] multiplier_vector const& multipliers(work_type const& work) const {
        return work.loaded.motion.multipliers;
    }

    /// Finds the spacing for the motion through the start.
    void begin(scalar t, state const& x, work_type& work) const {
        if (!motion_.plan(t, x, force(work), work.loaded)) fail(work);
    }
    /// The point under the loads about which a physical one swings.
    void lower(scalar t, state& x, work_type& work) const {
        if (work.failed.happened()) return;
        state const physical = x;
        ++work.projections;
        if (!motion_.find_point(t, physical, x, force(work), work.loaded)) return fail(work);
        work.energy.start(system(), t, physical.position, physical.velocity, x.position, x.velocity, work.loaded.inner);
    }

    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        ++work.evaluations;
        if (!work.failed.happened() && !motion_.look(t, q, v, force(work), work.loaded)) fail(work);
        if (!detail::spoil_after_failure(out, work)) out = work.loaded.motion.acceleration;
    }
    /// At the end of a step: back under the loads.
    [[nodiscard]] bool revise(scalar t, state& x, work_type& work) const {
        ++work.projections;
        if (motion_.settle(t, x.position, x.velocity, force(work), work.loaded))
            work.energy.step(system(), t, x.position, x.velocity, work.loaded.inner);
        else fail(work);
        return true;
    }
    /// At the end of a run: what it should not have ignored.
    void confirm(scalar, state const&, work_type& work) const {
        work.energy.report_dropped(negligible_, work.warnings);
        work.energy.report(work.warnings);
        motion_.report(work.loaded, work.warnings);
    }

private:
    static void fail(work_type& work) { work.failed = work.loaded.inner.springs.failed; }
    [[nodiscard]] auto force(work_type& work) const {
        return [this, &work](scalar t, auto& at) {
            system().slow_acceleration(t, at.q, at.v, at.force, work.loaded.inner);
        };
    }

    loaded_motion<System> motion_;
    double negligible_;
};

/// The slow motion of a stiff system without windows: `effective(system, limit{.order = 1})`.
template <springs_apart System> [[nodiscard]] auto effective(System system, limit const& closure) {
    require_allowed(closure);
    return limit_system<System>(std::move(system), closure);
}

} // namespace lento
