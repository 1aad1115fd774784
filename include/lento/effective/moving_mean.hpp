#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/effective/harmonic_reach.hpp>
#include <lento/effective/micro_window.hpp>
#include <lento/effective/moving_samples.hpp>
#include <lento/effective/phase_torus.hpp>
#include <lento/effective/window.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// The moving spectral mean of a vibrated system: the mean force along the oscillation xi around the slow path, xi
/// being found on the moving path and not around a point that stands still. Its harmonics solve (i W + d/ds)^2 xi_m =
/// c_m by a series in the slow derivative d/ds, which is taken by differences along the path; 2 and 4 terms of it gain
/// as many powers of 1/omega (a modulated Fourier expansion found numerically: Hairer, Lubich and Wanner, Geometric
/// Numerical Integration, 2006, chapter XIII; Condon, Deano and Iserles 2010).
template <vibrating System> class moving_mean {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using state = state_of<System>;
    using angles = typename System::angles;
    using samples = moving_samples<V, 2>;

    /// A grid, and its points as phases of the system.
    struct sampling {
        moving_grid<T> grid;
        std::vector<angles> phases;
        std::vector<std::vector<T>> places; ///< on the torus of the phases that turn on their own
    };

public:
    /// What a run has chosen, and room. Grids are made anew from the numbers of points.
    struct work_type {
        std::vector<int> points;
        std::vector<int> lift_points;
        std::vector<int> reach;
        bool products = false;
        std::vector<int> made;
        std::vector<int> lift_made;
        std::shared_ptr<sampling const> on;
        std::shared_ptr<sampling const> other; ///< as many points and a few, to look whether they agree
        std::shared_ptr<sampling const> lift_on;
        samples room;
        samples lift_room;
        std::vector<T> phi;
        V scratch{};
        V point{};
        V velocity{};
        V sum{};
        static auto members(auto& self) { return std::tie(self.points, self.lift_points, self.reach, self.products); }
    };
    /// What all functions work with: the system, a run's works, and where failures and warnings go.
    struct context {
        System const& system;
        work_type& work;
        work_of<System>& inner;
        failure& failed;
        std::vector<warning>& warnings;
    };

    moving_mean(System const& system, int order, int passes, int points)
        : order_(order), passes_(passes), given_points_(points), phases_(phases_of(system)), beat_(beat(phases_)) {
        if (points != 0 && points < 3)
            throw misuse("a period needs at least 3 sampled phases, but it has " + std::to_string(points));
    }

    [[nodiscard]] work_type work(System const& system) const {
        work_type made;
        made.scratch = system.space().template zeros<T>();
        made.point = made.velocity = made.sum = made.scratch;
        made.phi.resize(phases_.size());
        if (given_points_ != 0) take_given_points(made);
        return made;
    }

    /// Chooses the points where that has not been done: as many as the harmonics of the force at this state ask for,
    /// and more until another number of them, without a common divisor, agrees.
    void prepare(context const& with, T t, V const& x, V const& v) const {
        work_type& work = with.work;
        if (work.points.empty()) plan(with, t, x, v);
        if (with.failed.happened()) return;
        if (work.made != work.points) {
            work.on = made(with, t, work.points, work.products);
            work.other = made(with, t, coprime(work.points), work.products);
            if (with.failed.happened()) return;
            work.room = room(with.system, *work.on, radius());
            work.made = work.points;
        }
        if (work.lift_made != work.lift_points) {
            work.lift_on = made(with, t, work.lift_points, work.products);
            if (with.failed.happened()) return;
            work.lift_room = room(with.system, *work.lift_on, radius());
            work.lift_made = work.lift_points;
        }
    }

    /// The mean force at a slow state. Samples of an even force are taken at one of two opposite phases where that is
    /// enough.
    void average(context const& with, T t, V const& x, V const& v, bool even, std::uint64_t evaluation, V& out) const {
        prepare(with, t, x, v);
        if (with.failed.happened()) return;
        work_type& work = with.work;
        sweep(with, *work.on, t, x, v, passes_, radius(), false, even && !phases_.merged, work.room);
        if (has_grown(work)) {
            replan(with, t, x, v);
            if (with.failed.happened()) return;
            sweep(with, *work.on, t, x, v, passes_, radius(), false, false, work.room);
        }
        out = work.room.mean();
        if (!all_finite(out)) {
            with.failed = failure_inside(with.inner);
            if (!with.failed.happened())
                with.failed = non_finite_force(static_cast<double>(t), work.room.bad_component(), true);
            return;
        }
        watch_settling(with, t, work.room);
        constexpr std::uint64_t now_and_then = 32;
        bool const looks = given_points_ != 0 ? evaluation == 1 : evaluation % now_and_then == 0;
        if (looks && !with.failed.happened()) look(with, t, x, v);
    }

    void lift(context const& with, T t, state& x) const {
        prepare(with, t, x.position, x.velocity);
        if (with.failed.happened()) return detail::spoil(x.position);
        raise(with, t, x.position, x.velocity, x);
        if constexpr (has_true_state<System>) with.system.lift(t, x, with.inner);
    }
    /// The slow state whose oscillation passes through a physical one, by repeated substitution. Every round gains a
    /// factor 1/omega; the first eight are always taken, so that their number is the same at every frequency.
    void lower(context const& with, T t, state& x) const {
        if constexpr (has_true_state<System>) with.system.lower(t, x, with.inner);
        prepare(with, t, x.position, x.velocity);
        if (with.failed.happened()) return detail::spoil(x.position);
        constexpr int fewest = 8, most = 60;
        state const physical = x;
        state raised = x;
        for (int round = 1; round <= most; ++round) {
            raise(with, t, x.position, x.velocity, raised);
            T change(0);
            for (auto part : {&state::position, &state::velocity}) {
                set_sum(with.work.scratch, physical.*part, T(-1), raised.*part);
                change = std::max(change, max_norm(with.work.scratch) / (T(1) + max_norm(physical.*part)));
                add_scaled(x.*part, T(1), with.work.scratch);
            }
            if (!all_finite(x) || (round >= fewest && !(change > T(1e-12)))) return;
        }
        with.failed = no_slow_state(static_cast<double>(t));
    }

private:
    [[nodiscard]] int radius() const { return order_ / 2; }

    [[nodiscard]] static independent_phases phases_of(System const& system) {
        auto const frequencies = system.frequencies();
        auto const starts = system.phase_at(T(0));
        auto const listed_starts = listed(starts);
        return independent(std::vector<long double>(frequencies.begin(), frequencies.end()),
                           std::vector<long double>(listed_starts.begin(), listed_starts.end()));
    }
    [[nodiscard]] angles packed(System const& system, std::vector<long double> const& phi) const {
        auto theta = system.frequencies(); // as many numbers
        auto const given = phases_.given(phi);
        for (std::size_t p = 0; p < theta.size(); ++p) theta[p] = static_cast<T>(given[p]);
        return System::packed(theta);
    }
    /// Phases that turn on their own, at a time.
    void turn(T t, std::vector<T>& phi) const {
        for (std::size_t j = 0; j < phases_.size(); ++j)
            phi[j] = reduced_phase(static_cast<T>(phases_.starts[j]), static_cast<T>(phases_.frequencies[j]), t);
    }
    [[nodiscard]] std::shared_ptr<sampling const> made(context const& with, T t, std::vector<int> const& points,
                                                       bool products) const {
        auto const rule = sampled(phases_, points, products);
        if (rule.samples.empty()) {
            with.failed = too_many_samples(static_cast<double>(t), phases_.size());
            return nullptr;
        }
        auto result = std::make_shared<sampling>(sampling{moving_grid<T>(phases_, rule), {}, {}});
        for (auto const& phi : rule.samples) {
            result->phases.push_back(packed(with.system, phi));
            result->places.emplace_back(phi.begin(), phi.end());
        }
        return result;
    }
    [[nodiscard]] samples room(System const& system, sampling const& on, int radius) const {
        return {on.grid, radius, System::uses_velocity, system.space().template zeros<T>()};
    }

    void sweep(context const& with, sampling const& on, T t, V const& x, V const& v, int passes, int radius, bool whole,
               bool even, samples& in) const {
        in.sweep(on.grid, t, x, v, passes, radius, whole, even,
                 [&](T when, std::size_t i, V const& q, V const& speed, V& out) {
                     with.system.acceleration_at(when, on.phases[i], q, speed, out, with.inner);
                 });
    }
    /// The physical state of a slow one.
    void raise(context const& with, T t, V const& x, V const& v, state& out) const {
        work_type& work = with.work;
        sweep(with, *work.lift_on, t, x, v, passes_, radius(), true, false, work.lift_room);
        turn(t, work.phi);
        if (&out.position != &x) out.position = x;
        if (&out.velocity != &v) out.velocity = v;
        work.lift_room.add_oscillation(work.lift_on->grid, 2, work.phi, out.position);
        work.lift_room.add_oscillation(work.lift_on->grid, 1, work.phi, out.velocity);
    }

    // ---- points ----

    void take_given_points(work_type& work) const {
        work.points.assign(phases_.size(), given_points_);
        work.lift_points = work.points;
        work.reach.assign(phases_.size(), given_points_);
        work.products = phases_.size() == 2;
    }
    void plan(context const& with, T t, V const& x, V const& v) const {
        auto const found = reaches(with, t, x, v);
        if (with.failed.happened()) return;
        bool const products = has_products(with, t, x, v);
        std::vector<int> points;
        for (auto const& each : found) points.push_back(points_for_mean(order_, each));
        while (!agrees(with, t, x, v, points, products)) {
            if (with.failed.happened()) return;
            for (int& each : points) each += (each + 1) / 2;
        }
        work_type& work = with.work;
        work.reach.clear();
        work.lift_points.clear();
        for (std::size_t j = 0; j < found.size(); ++j) {
            work.reach.push_back(found[j].position);
            work.lift_points.push_back(std::max(points[j], points_for_oscillation(order_, found[j])));
        }
        work.products = products;
        work.points = std::move(points);
    }
    /// A force may show harmonics on the way that it did not have at the start.
    [[nodiscard]] bool has_grown(work_type const& work) const {
        if (given_points_ != 0) return false;
        auto const& raw = work.room.raw();
        T const largest = raw.empty() ? T(0) : *std::max_element(raw.begin(), raw.end());
        for (std::size_t m = 0; m < raw.size(); ++m)
            if (raw[m] > T(smallest_harmonic) * largest && raw[m] > floor_share * work.room.largest_force())
                for (std::size_t j = 0; j < work.reach.size(); ++j)
                    if (std::abs(work.on->grid.order(m)[j]) > work.reach[j]) return true;
        return false;
    }
    void replan(context const& with, T t, V const& x, V const& v) const {
        auto const before = with.work.points;
        auto const lift_before = with.work.lift_points;
        plan(with, t, x, v);
        if (with.failed.happened()) return;
        for (std::size_t j = 0; j < before.size(); ++j) {
            with.work.points[j] = std::max(with.work.points[j], before[j]);
            with.work.lift_points[j] = std::max(with.work.lift_points[j], lift_before[j]);
        }
        prepare(with, t, x, v);
    }

    /// The force at a slow state where nothing oscillates but the phases.
    void force_at(context const& with, T t, V const& x, V const& v, std::vector<long double> const& phi, V& out) const {
        with.system.acceleration_at(t, packed(with.system, phi), x, v, out, with.inner);
    }
    /// A point of the torus that nothing distinguishes.
    [[nodiscard]] std::vector<long double> somewhere() const {
        std::vector<long double> phi;
        for (std::size_t j = 0; j < phases_.size(); ++j) phi.push_back(0.4L + 0.9L * static_cast<long double>(j));
        return phi;
    }

    [[nodiscard]] std::vector<harmonic_reach> reaches(context const& with, T t, V const& x, V const& v) const {
        std::vector<harmonic_reach> found(phases_.size());
        for (std::size_t j = 0; j < found.size(); ++j) {
            std::size_t count = 16;
            for (bool enough = false; !enough; count *= 2) {
                if (count > 128) {
                    with.failed = rough_in_phase(static_cast<double>(t), j);
                    return found;
                }
                enough = reach_along(with, t, x, v, j, count, found[j]);
            }
        }
        return found;
    }
    /// The harmonics of one phase, seen by so many samples; false where they are too few.
    [[nodiscard]] bool reach_along(context const& with, T t, V const& x, V const& v, std::size_t phase,
                                   std::size_t count, harmonic_reach& found) const {
        std::vector<V> force(count, with.work.scratch);
        auto phi = somewhere();
        auto const turned = [&](std::size_t i) {
            phi[phase] = two_pi<long double> * static_cast<long double>(i) / static_cast<long double>(count);
            return phi;
        };
        for (std::size_t i = 0; i < count; ++i) force_at(with, t, x, v, turned(i), force[i]);
        T largest(0);
        for (V const& each : force) largest = std::max(largest, max_norm(each));
        found.position = highest_harmonic(force, T(floor_share) * largest);
        if constexpr (System::uses_velocity) {
            auto const rate = oscillating_velocity(force, phase);
            V speed = v;
            for (std::size_t i = 0; i < count; ++i) {
                set_sum(speed, v, T(1), rate[i]);
                force_at(with, t, x, speed, turned(i), with.work.scratch);
                add_scaled(force[i], T(-1), with.work.scratch); // the part that the velocity adds, up to its sign
            }
            T added(0);
            for (V const& each : force) added = std::max(added, max_norm(each));
            bool const feels = added > T(floor_share) * largest;
            found.velocity = feels ? highest_harmonic(force, T(floor_share) * largest) : 0;
            if (feels && found.velocity == 0) return false;
        }
        return found.position > 0;
    }
    /// The integral over time, without mean, of a force sampled over a turn of one phase.
    [[nodiscard]] std::vector<V> oscillating_velocity(std::vector<V> const& force, std::size_t phase) const {
        using std::sin;
        std::size_t const count = force.size();
        std::vector<V> rate(count, force[0]);
        auto const frequency = static_cast<T>(phases_.frequencies[phase]);
        for (std::size_t i = 0; i < count; ++i) {
            set_scaled(rate[i], T(0), force[0]);
            for (std::size_t k = 0; k < count; ++k) {
                T weight(0);
                for (std::size_t m = 1; m < count / 2; ++m)
                    weight += sin(two_pi<T> * T(m * (i + count - k) % count) / T(count)) / T(m);
                add_scaled(rate[i], T(2) * weight / (frequency * T(count)), force[k]);
            }
        }
        return rate;
    }
    /// Whether phases are multiplied with each other in the force: mixed differences do not vanish.
    [[nodiscard]] bool has_products(context const& with, T t, V const& x, V const& v) const {
        V sum = with.work.scratch;
        for (std::size_t j = 0; j < phases_.size(); ++j)
            for (std::size_t k = 0; k < j; ++k) {
                set_scaled(sum, T(0), x);
                T largest(0);
                for (int corner = 0; corner < 4; ++corner) {
                    auto phi = somewhere();
                    if (corner % 2 == 1) phi[j] += 1.9L;
                    if (corner / 2 == 1) phi[k] += 2.3L;
                    force_at(with, t, x, v, phi, with.work.scratch);
                    largest = std::max(largest, max_norm(with.work.scratch));
                    add_scaled(sum, T(corner == 0 || corner == 3 ? 1 : -1), with.work.scratch);
                }
                if (max_norm(sum) > T(smallest_harmonic) * largest) return true;
            }
        return false;
    }

    /// Whether the mean over so many points is that over others, as far as the closure itself is right.
    [[nodiscard]] bool agrees(context const& with, T t, V const& x, V const& v, std::vector<int> const& points,
                              bool products) const {
        auto const others = coprime(points);
        auto const on = made(with, t, points, products);
        auto const other = made(with, t, others, products);
        if (with.failed.happened()) return false;
        auto in = room(with.system, *on, 2);
        auto const mean = [&](sampling const& grid, samples& room, int order) {
            sweep(with, grid, t, x, v, usual_passes(order), order / 2, true, false, room);
            return room.mean();
        };
        V const plain = mean(*on, in, 0);
        V const second = mean(*on, in, 2);
        V const fourth = mean(*on, in, 4);
        if (!all_finite(fourth)) return true; // the evaluation will tell why
        watch_path(with, t, in);
        watch_beat(with, t, in.slow_rate(on->grid), 10);
        if (with.failed.happened()) return false;
        T const size = in.largest_force();
        auto const apart = [&](V const& a, V const& b) {
            set_sum(with.work.scratch, a, T(-1), b);
            return max_norm(with.work.scratch);
        };
        T const step = apart(fourth, second);
        T const before = apart(second, plain);
        T const level = order_ == 2 || !(before > step) ? step : step * (step / before);
        auto elsewhere = room(with.system, *other, radius());
        T const difference = apart(order_ == 2 ? second : fourth, mean(*other, elsewhere, order_));
        if (!(difference > std::max(level, T(1e-14) * size))) return true;
        if (*std::max_element(points.begin(), points.end()) > most_points)
            with.failed = rough_force(static_cast<double>(t), points[0], others[0], static_cast<double>(difference),
                                      static_cast<double>(max_norm(fourth)));
        return false;
    }
    /// A few points more, so that they share no harmonic of the grid.
    [[nodiscard]] static std::vector<int> coprime(std::vector<int> const& points) {
        std::vector<int> others;
        for (int const each : points) {
            others.push_back(each + 3);
            while (std::gcd(each, others.back()) != 1) ++others.back();
        }
        return others;
    }

    // ---- what would make the mean wrong ----

    /// The mean over other phases along the same oscillation, and the pace of the slow motion. Of given points a
    /// difference is told, of those that were chosen here it is a failure.
    void look(context const& with, T t, V const& x, V const& v) const {
        work_type& work = with.work;
        set_scaled(work.sum, T(-1), work.room.mean());
        for (std::size_t i = 0; i < work.other->phases.size(); ++i) {
            work.point = x;
            work.velocity = v;
            work.room.add_oscillation(work.on->grid, 2, work.other->places[i], work.point);
            if constexpr (System::uses_velocity)
                work.room.add_oscillation(work.on->grid, 1, work.other->places[i], work.velocity);
            with.system.acceleration_at(t, work.other->phases[i], work.point, work.velocity, work.scratch, with.inner);
            add_scaled(work.sum, T(1) / T(work.other->phases.size()), work.scratch);
        }
        T const force = max_norm(work.room.mean());
        T const difference = max_norm(work.sum);
        if (difference > T(1e-3) * force + T(1e-11) * work.room.largest_force()) {
            auto const time = static_cast<double>(t);
            int const points = work.points[0];
            if (given_points_ != 0)
                with.warnings.push_back(unresolved_harmonics(time, static_cast<std::size_t>(points),
                                                             static_cast<double>(difference),
                                                             static_cast<double>(force)));
            else
                with.failed = rough_force(time, points, coprime(work.points)[0], static_cast<double>(difference),
                                          static_cast<double>(force));
        }
        if (!with.failed.happened()) watch_beat(with, t, work.room.slow_rate(work.on->grid), 3);
    }
    /// From pass to pass the samples change like the terms of a geometric series, but for the places that are added on
    /// the way: what is judged is the mean ratio.
    void watch_settling(context const& with, T t, samples const& in) const {
        using std::pow;
        T const size = max_norm(in.mean());
        T const largest = in.largest_force();
        T const last = in.last_change();
        if (passes_ > 1 && last > pow(T(0.3), T(passes_ - 1)) * largest && last > T(1e-3) * size &&
            last > T(1e-11) * largest)
            with.failed =
                unsettled_oscillation(static_cast<double>(t), passes_, static_cast<double>(in.change_before()),
                                      static_cast<double>(last), static_cast<double>(size));
    }
    void watch_path(context const& with, T t, samples& in) const {
        if (!in.smooth_along_path()) with.failed = rough_along_path(static_cast<double>(t));
    }
    void watch_beat(context const& with, T t, T slow_rate, int times) const {
        auto const rate = static_cast<double>(slow_rate);
        if (beat_.frequency > 0 && beat_.frequency < times * rate)
            with.failed = slow_beat(static_cast<double>(t), beat_.name, beat_.frequency, rate);
    }

    static constexpr T floor_share = T(1e-12); ///< of the largest force: rounding
    static constexpr int most_points = 96;

public:
    /// The sweeps that a mean of some order needs.
    [[nodiscard]] static constexpr int usual_passes(int order) { return order == 0 ? 3 : order == 2 ? 4 : 7; }

private:
    int order_;
    int passes_;
    int given_points_; ///< 0: as many as it takes
    independent_phases phases_;
    slowest_beat beat_;
};

} // namespace lento
