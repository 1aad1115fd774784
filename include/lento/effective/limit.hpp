#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/base/option.hpp>
#include <lento/effective/fast_energy.hpp>
#include <lento/effective/slow_path.hpp>
#include <lento/effective/slow_point.hpp>

namespace lento {

/// The slow motion of a stiff system without windows, at a cost that does not depend on omega. Order 0 is the
/// constrained limit g = 0, off by O(1/omega^2); each of the orders 1 and 2 puts the springs under the loads that they
/// carry and gains a factor 1/omega^2. Fast energy is ignored, with a warning where it matters.
struct limit {
    int order = 1;

    static constexpr std::string_view name = "limit";
    static constexpr std::string_view sentence = "the slow motion of hard springs under their loads, no windows";
    static constexpr auto options() {
        return std::tuple{option{"order", &limit::order, "0: the constrained limit; 1, 2: off by 1/omega^4, 1/omega^6",
                                 between(0, 2)}};
    }
};

namespace detail {

/// How far apart the motion is looked at for its derivatives: a small share of the time in which it changes, which is
/// measured at the start and followed along the run.
struct path_spacing {
    double length = 1;
    double pace = 0;         ///< how fast the motion changes
    double acceleration = 0; ///< the largest one of the run
    static auto members(auto& self) { return std::tie(self.length, self.pace, self.acceleration); }

    /// Rounding in second differences grows like 1/length^2, what they neglect like its square, or fourth power.
    [[nodiscard]] static double share(int order) { return order == 1 ? 2e-3 : 5e-3; }
    /// A first guess from sizes alone.
    void guess(int order, double position, double speed, double size);
    /// True where it has changed.
    bool follow(int order, double seen);
};

[[nodiscard]] warning loads_do_not_settle(double time, int order, double share);

} // namespace detail

/// The slow motion of a stiff system on its loaded manifold. Made by `effective`. An ordinary system of forces with
/// velocities: any stepper for these serves, and where a step ends the point is put back under its loads.
template <springs_apart System> class limit_system {
    using path = slow_path<System>;
    using loads = typename System::multiplier_vector;

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;
    using multiplier_vector = loads;
    static constexpr bool uses_velocity = true;

    struct work_type {
        work_of<System> inner;
        typename path::work_type motion;
        detail::path_spacing spacing;
        fast_energy_watch<System> energy;
        double unsettled = 0; ///< the largest share of the loads that the last order changed
        double unsettled_time = 0;
        std::uint64_t evaluations = 0;
        std::uint64_t projections = 0;
        failure failed;
        std::vector<warning> warnings;
        static auto members(auto& self) {
            return std::tie(self.inner, self.motion, self.spacing, self.energy, self.unsettled, self.unsettled_time,
                            self.evaluations, self.projections, self.failed, self.warnings);
        }
    };

    limit_system(System system, limit const& closure)
        : system_(std::move(system)), order_(closure.order), path_(closure.order) {
        require_allowed(closure);
    }

    [[nodiscard]] auto const& space() const { return system_.space(); }
    [[nodiscard]] System const& system() const { return system_; }
    [[nodiscard]] int order() const { return order_; }
    [[nodiscard]] work_type work() const {
        return {system_.work(), path_.work(system_), {}, fast_energy_watch<System>(system_), 0, 0, 0, 0, {}, {}};
    }
    void count(work_type const& work, statistics& counts) const {
        system_.count(work.inner, counts);
        counts.effective_evaluations = work.evaluations;
        counts.projections = work.projections;
    }
    /// The springs' loads, at the last evaluation.
    [[nodiscard]] loads const& multipliers(work_type const& work) const { return work.motion.load.value; }

    /// Finds the spacing for the motion through the start.
    void begin(scalar t, state const& x, work_type& work) const {
        if (order_ == 0) return;
        state at = x;
        clear_loads(work);
        if (!approach(t, x, at, work)) return;
        auto& spacing = work.spacing;
        spacing = {};
        for (int attempt = 0; attempt < 8; ++attempt) {
            if (!look(t, at.position, at.velocity, work)) return;
            if (attempt == 0) {
                spacing.guess(order_, static_cast<double>(max_norm(at.position)),
                              static_cast<double>(max_norm(at.velocity)), path_.size(work.motion));
                continue;
            }
            if (!measure(work)) return;
        }
    }
    /// The nearest point under the loads, with a velocity at which they change as they do.
    void lower(scalar t, state& x, work_type& work) const {
        if (work.failed.happened()) return;
        state const physical = x;
        ++work.projections;
        clear_loads(work);
        if (!approach(t, physical, x, work)) return;
        for (int k = 0; k < 3 && order_ > 0; ++k)
            if (!look(t, x.position, x.velocity, work) || !approach(t, physical, x, work)) return;
        work.energy.start(system_, t, physical.position, physical.velocity, x.position, x.velocity, work.inner);
    }

    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        ++work.evaluations;
        if (!work.failed.happened() && look(t, q, v, work)) out = work.motion.acceleration;
        detail::spoil_after_failure(out, work);
    }
    /// At the end of a step: back under the loads.
    [[nodiscard]] bool revise(scalar t, state& x, work_type& work) const {
        ++work.projections;
        if (order_ == 0) clear_loads(work);
        else if (!path_.is_at(t, x.position, x.velocity, work.motion) && !look(t, x.position, x.velocity, work))
            return false;
        if (!system_.place(t, x.position, x.velocity, work.motion.load, work.inner)) return fail(work);
        if (order_ > 0) watch_loads(t, work);
        work.energy.step(system_, t, x.position, x.velocity, work.inner);
        return true;
    }
    /// At the end of a run: what it should not have ignored.
    void confirm(scalar, state const&, work_type& work) const {
        work.energy.report(work.warnings);
        if (work.unsettled > 0.1)
            work.warnings.push_back(detail::loads_do_not_settle(work.unsettled_time, order_, work.unsettled));
    }

private:
    [[nodiscard]] static bool fail(work_type& work) {
        work.failed = work.inner.springs.failed;
        return false;
    }
    static void clear_loads(work_type& work) {
        auto& load = work.motion.load;
        for (auto* each : {&load.value, &load.rate, &load.bend}) std::fill(each->begin(), each->end(), scalar(0));
    }
    [[nodiscard]] bool look(scalar t, vector const& q, vector const& v, work_type& work) const {
        auto const force = [&](scalar then, vector const& at, vector const& moving, auto const&, vector& out) {
            system_.slow_acceleration(then, at, moving, out, work.inner);
        };
        return path_.look(system_, t, q, v, scalar(work.spacing.length), force, work.motion, work.inner) || fail(work);
    }
    /// The point under the loads in the work that is nearest to a physical one.
    [[nodiscard]] bool approach(scalar t, state const& physical, state& x, work_type& work) const {
        auto const& load = work.motion.load;
        if (!detail::nearest_loaded(system_, t, physical.position, load.value, x.position, work.inner))
            return fail(work);
        x.velocity = physical.velocity;
        detail::turn_to_rate(system_, t, x.position, load.rate, x.velocity, work.inner);
        return true;
    }
    /// Follows the pace of the motion looked at last. True where its spacing has changed.
    bool measure(work_type& work) const {
        auto& spacing = work.spacing;
        spacing.acceleration = std::max(spacing.acceleration, path_.size(work.motion));
        return spacing.follow(order_, path_.pace(system_, scalar(spacing.length), spacing.acceleration, work.motion));
    }
    void watch_loads(scalar t, work_type& work) const {
        measure(work);
        double const changed = path_.correction(system_, work.spacing.acceleration, work.motion);
        if (!(changed > work.unsettled)) return;
        work.unsettled = changed;
        work.unsettled_time = static_cast<double>(t);
    }

    System system_;
    int order_;
    path path_;
};

/// The slow motion of a stiff system without windows: `effective(system, limit{.order = 1})`.
template <springs_apart System> [[nodiscard]] auto effective(System system, limit const& closure) {
    return limit_system<System>(std::move(system), closure);
}

} // namespace lento
