#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
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
    double guessed = 1;      ///< the length that sizes alone suggest
    double pace = 0;         ///< how fast the motion changes
    double acceleration = 0; ///< the largest one of the run
    static auto members(auto& self) { return std::tie(self.length, self.guessed, self.pace, self.acceleration); }

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
        int order = 0;      ///< of the loads: the one asked for, or 0 where they are not to be, or cannot be, followed
        bool waits = false; ///< until they displace the motion by more than is borne
        double displaced = 0; ///< by the loads, at the most
        double unsettled = 0; ///< the largest share of the loads that an order changed
        double unsettled_time = 0;
        static auto members(auto& self) {
            return std::tie(self.inner, self.motion, self.spacing, self.order, self.waits, self.displaced,
                            self.unsettled, self.unsettled_time);
        }
    };

    /// Of an order; `closely` where derivatives along the motion are wanted also of order 0. Loads are followed only
    /// from where on they displace the motion by more than is `borne`.
    loaded_motion(System system, int order, bool closely = false, double borne = 0)
        : system_(std::move(system)), order_(order), borne_(borne), path_(closely ? std::max(order, 1) : order) {}

    [[nodiscard]] System const& system() const { return system_; }
    [[nodiscard]] path const& path_of() const { return path_; }
    [[nodiscard]] int order() const { return order_; }
    [[nodiscard]] work_type work() const {
        return {.inner = system_.work(), .motion = path_.work(system_), .spacing = {}, .order = order_};
    }
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
        work.waits = false;
        work.spacing = {};
        work.displaced = work.unsettled = 0;
        X x = start;
        clear_loads(work);
        if (!approach(t, start, x, work)) return false;
        if (borne_ > 0 && order_ > 0) {
            work.order = 0;
            work.waits = true;
            if (!look(t, x.position, x.velocity, force, work)) return false;
            work.displaced = path_.displacement(system_, work.motion);
            if (work.displaced <= borne_) return true;
        }
        return begin_looks(t, x, force, work);
    }
    /// The point under the loads about which a physical one swings: the nearest, with a velocity at which they change.
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
        if (work.waits && work.displaced > borne_ && !begin_looks(t, {q, v}, force, work)) return false;
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
    /// From here on loads are followed: finds the spacing, and whether the order makes sense.
    template <class Force> [[nodiscard]] bool begin_looks(T t, X const& x, Force const& force, work_type& work) const {
        work.waits = false;
        work.order = order_;
        for (int attempt = 0; attempt < 8 && path_.order() > 0; ++attempt) {
            bool const first = attempt == 0; // sizes are known without a spacing
            if (!path_.look(system_, t, x.position, x.velocity, spacing(work), force, first ? 0 : path_.order(),
                            work.motion, work.inner))
                return false;
            if (first)
                work.spacing.guess(path_.order(), static_cast<double>(max_norm(x.position)),
                                   static_cast<double>(max_norm(x.velocity)), path_.size(work.motion));
            else if (!measure(work)) break;
        }
        if (order_ > 0) watch(t, work);
        return true;
    }
    static void clear_loads(work_type& work) {
        auto& load = work.motion.load;
        for (auto* each : {&load.value, &load.rate, &load.bend}) std::fill(each->begin(), each->end(), T(0));
    }
    template <class Force>
    [[nodiscard]] bool find_loaded(T t, X const& physical, X& x, Force const& force, work_type& work) const {
        clear_loads(work);
        x = physical;
        bool found = approach(t, physical, x, work);
        for (int k = 0; k < most_rounds && found; ++k) {
            found = path_.look(system_, t, x.position, x.velocity, spacing(work), force, work.order, work.motion,
                               work.inner, start_sweeps) &&
                    approach_middle(t, physical, x, work);
            if (k + 1 >= least_rounds && settled(x, work)) break;
        }
        return found;
    }
    /// Whether a point has the velocity that was looked at: far from the surface that takes a few rounds more.
    [[nodiscard]] bool settled(X const& x, work_type& work) const {
        set_sum(work.motion.change, x.velocity, T(-1), path_.middle(work.motion).v);
        return max_norm(work.motion.change) <= T(1e-12) * max_norm(x.velocity);
    }
    /// A swing y = M^-1 G^T c across a surface that turns goes along it with the velocity P (F_v y - M^-1 G'^T c),
    /// which is not that of its middle. The next look must be at the middle's: the loads depend on it.
    [[nodiscard]] bool approach_middle(T t, X const& physical, X& x, work_type& work) const {
        auto const& load = work.motion.load;
        if (!detail::nearest_loaded(system_, t, physical.position, load.value, x.position, work.inner)) return false;
        x.velocity = physical.velocity;
        leave_swing(t, physical.position, x, work);
        detail::turn_to_rate(system_, t, x.position, load.rate, x.velocity, work.inner);
        return true;
    }
    void leave_swing(T t, V const& physical, X& x, work_type& work) const {
        auto& own = work.inner.springs;
        V& swing = own.moved;
        set_sum(swing, physical, T(-1), x.position);
        system_.springs().along(own.at, swing, own.lambda);
        system_.springs().solve(own.at, own.lambda);
        path_.turn(system_, spacing(work), own.lambda, work.motion, work.motion.change);
        add_scaled(x.velocity, T(1), work.motion.change);
        if constexpr (System::uses_velocity) leave_drag(t, swing, x, work);
    }
    /// Takes F_v y from the velocity, by a difference over as much velocity as the motion gains from look to look.
    void leave_drag(T t, V const& swing, X& x, work_type& work) const {
        auto const& here = path_.middle(work.motion);
        T const size = max_norm(swing);
        T const reach = T(work.spacing.length) * std::max(T(path_.size(work.motion)), std::numeric_limits<T>::min());
        T const stretch = size > T(0) ? reach / size : T(0);
        for (int const side : {-1, 1}) {
            set_sum(work.motion.change, here.v, T(side) * stretch, swing);
            system_.slow_acceleration(t, here.q, work.motion.change, work.inner.springs.pull, work.inner);
            if (size > T(0)) add_scaled(x.velocity, T(-side) / (T(2) * stretch), work.inner.springs.pull);
        }
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

    static constexpr int least_rounds = 3; ///< one per order, and one for the velocity
    static constexpr int most_rounds = 12;
    static constexpr int start_sweeps = 2; ///< more: what loads are off by is taken for a swing, and moves the start
    System system_;
    int order_;
    double borne_;
    path path_;
};

} // namespace lento
