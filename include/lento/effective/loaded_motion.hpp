#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/effective/slow_path.hpp>
#include <lento/effective/slow_point.hpp>

namespace lento {

namespace detail {

/// How far apart the motion is looked at for its derivatives: a small share of the time in which it changes, which is
/// measured at the start and followed along the run.
struct path_spacing {
    double length = 1;
    double pace = 0;         ///< how fast the motion changes
    double acceleration = 0; ///< the largest one of the run
    static auto members(auto& self) { return std::tie(self.length, self.pace, self.acceleration); }

    /// Rounding in second differences grows like 1/length^2, what they neglect like its square, or fourth power.
    [[nodiscard]] static double share(int order) { return order == 1 ? 7e-4 : 5e-3; }
    /// A first guess from sizes alone.
    void guess(int order, double position, double speed, double size);
    /// True where it has changed.
    bool follow(int order, double seen);
};

[[nodiscard]] warning loads_do_not_settle(double time, int order, double share, int left, double displaced);

} // namespace detail

/// What the closures without windows share: the slow motion of hard springs under their loads, the force being theirs.
/// It is called as force(t, node), see `slow_path`.
template <springs_apart System> class loaded_motion {
    using path = slow_path<System>;
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using X = motion<V>;

public:
    struct work_type {
        work_of<System> inner;
        typename path::work_type motion;
        detail::path_spacing spacing;
        int order = 0;        ///< of the loads: the one asked for, or 0 where the springs are too soft for it
        double displaced = 0; ///< by the loads, at the most
        double unsettled = 0; ///< the largest share of the loads that an order changed
        double unsettled_time = 0;
        static auto members(auto& self) {
            return std::tie(self.inner, self.motion, self.spacing, self.order, self.displaced, self.unsettled,
                            self.unsettled_time);
        }
    };

    /// Of an order; `closely` where derivatives along the motion are wanted also of order 0.
    loaded_motion(System system, int order, bool closely = false)
        : system_(std::move(system)), order_(order), path_(closely ? std::max(order, 1) : order) {}

    [[nodiscard]] System const& system() const { return system_; }
    [[nodiscard]] path const& path_of() const { return path_; }
    [[nodiscard]] int order() const { return order_; }
    [[nodiscard]] work_type work() const { return {system_.work(), path_.work(system_), {}, order_}; }
    [[nodiscard]] static T spacing(work_type const& work) { return T(work.spacing.length); }

    template <class Force>
    [[nodiscard]] bool look(T t, V const& q, V const& v, Force const& force, work_type& work) const {
        return path_.look(system_, t, q, v, spacing(work), force, work.order, work.motion, work.inner);
    }
    /// With derivatives along the motion, also where the order needs none.
    template <class Force>
    [[nodiscard]] bool look_closely(T t, V const& q, V const& v, Force const& force, work_type& work) const {
        return path_.look(system_, t, q, v, spacing(work), force, path_.order(), work.motion, work.inner);
    }
    /// Finds the spacing for the motion near a start, and whether the order asked for makes sense there.
    template <class Force> [[nodiscard]] bool plan(T t, X const& start, Force const& force, work_type& work) const {
        work.order = order_;
        work.spacing = {};
        work.displaced = work.unsettled = 0;
        X x = start;
        clear_loads(work);
        if (!approach(t, start, x, work)) return false;
        for (int attempt = 0; attempt < 8 && path_.order() > 0; ++attempt) {
            if (!look_closely(t, x.position, x.velocity, force, work)) return false;
            if (attempt == 0)
                work.spacing.guess(path_.order(), static_cast<double>(max_norm(x.position)),
                                   static_cast<double>(max_norm(x.velocity)), path_.size(work.motion));
            else if (!measure(work)) break;
        }
        if (order_ > 0) watch(t, work);
        return true;
    }
    /// The point under the loads that is nearest to a physical one, and its velocity with which they change.
    template <class Force>
    [[nodiscard]] bool find_point(T t, X const& physical, X& x, Force const& force, work_type& work) const {
        if (work.order > 0 && find_loaded(t, physical, x, force, work)) return true;
        if (work.order > 0) soften(t, work);
        clear_loads(work);
        x = physical;
        return approach(t, physical, x, work);
    }
    /// Back under the loads, from close by.
    template <class Force> [[nodiscard]] bool settle(T t, V& q, V& v, Force const& force, work_type& work) const {
        if (work.order == 0) clear_loads(work);
        else if (!path_.is_at(t, q, v, work.motion) && !look(t, q, v, force, work)) return false;
        if (!system_.place(t, q, v, work.motion.load, work.inner)) return false;
        work.displaced = std::max(work.displaced, path_.displacement(system_, work.motion));
        if (work.order > 0) watch(t, work);
        return true;
    }
    /// The same with the loads that were looked at last.
    [[nodiscard]] bool approach(T t, X const& physical, X& x, work_type& work) const {
        auto const& load = work.motion.load;
        if (!detail::nearest_loaded(system_, t, physical.position, load.value, x.position, work.inner)) return false;
        x.velocity = physical.velocity;
        detail::turn_to_rate(system_, t, x.position, load.rate, x.velocity, work.inner);
        return true;
    }
    void report(work_type const& work, std::vector<warning>& warnings) const {
        if (work.unsettled > 0.1)
            warnings.push_back(
                detail::loads_do_not_settle(work.unsettled_time, order_, work.unsettled, work.order, work.displaced));
    }

private:
    static void clear_loads(work_type& work) {
        auto& load = work.motion.load;
        for (auto* each : {&load.value, &load.rate, &load.bend}) std::fill(each->begin(), each->end(), T(0));
    }
    template <class Force>
    [[nodiscard]] bool find_loaded(T t, X const& physical, X& x, Force const& force, work_type& work) const {
        clear_loads(work);
        x = physical;
        bool found = approach(t, physical, x, work);
        for (int k = 0; k < 3 && found; ++k)
            found = look(t, x.position, x.velocity, force, work) && approach(t, physical, x, work);
        return found;
    }
    /// There is no point under the loads.
    void soften(T t, work_type& work) const {
        work.order = 0;
        work.unsettled = std::max(work.unsettled, 1.);
        work.unsettled_time = static_cast<double>(t);
        work.inner.springs.failed = {};
    }
    /// Follows the pace of the motion looked at last. True where its spacing has changed.
    bool measure(work_type& work) const {
        auto& spaced = work.spacing;
        spaced.acceleration = std::max(spaced.acceleration, path_.size(work.motion));
        return spaced.follow(path_.order(), path_.pace(system_, spacing(work), spaced.acceleration, work.motion));
    }
    void watch(T t, work_type& work) const {
        measure(work);
        double const changed = path_.correction(system_, work.spacing.acceleration, work.motion);
        if (!(changed > work.unsettled)) return;
        work.unsettled = changed;
        work.unsettled_time = static_cast<double>(t);
        if (changed > (order_ == 1 ? 1 : 0.3)) work.order = 0; // what comes next would be larger still
    }

    System system_;
    int order_;
    path path_;
};

} // namespace lento
