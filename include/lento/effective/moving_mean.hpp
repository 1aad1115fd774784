#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/effective/moving_points.hpp>
#include <lento/effective/moving_samples.hpp>
#include <lento/effective/moving_source.hpp>
#include <lento/effective/window.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// The moving spectral mean: the mean force along the oscillation xi around the slow path, xi being found on the moving
/// path and not around a point that stands still. Its harmonics solve (i W + d/ds)^2 xi_m = c_m, or (i W + d/ds) xi_m =
/// c_m of a rate, by a series in the slow derivative d/ds, which is taken by differences along the path; 2 and 4 terms
/// of it gain as many powers of 1/W (a modulated Fourier expansion found numerically: Hairer, Lubich and Wanner,
/// Geometric Numerical Integration, 2006, chapter XIII; Condon, Deano and Iserles 2010).
template <class Source> class moving_mean {
    using T = typename Source::scalar;
    using V = typename Source::vector;
    using state = typename Source::state;
    using samples = moving_samples<V, Source::power>;
    using sampling = moving_sampling<Source>;

public:
    /// What a run has chosen, and room. Grids are made anew from their numbers of points.
    struct work_type {
        moving_numbers numbers;
        moving_numbers made;
        std::shared_ptr<sampling const> on;
        std::shared_ptr<sampling const> other; ///< a few points more, to look whether they agree
        std::shared_ptr<sampling const> lifting_on;
        samples room;
        samples lifting_room;
        std::vector<T> phi;
        V scratch{};
        V point{};
        V velocity{};
        V sample{};
        T strongest{}; ///< the largest mean force so far
        static auto members(auto& self) { return std::tie(self.numbers, self.strongest); }
    };
    /// What all functions work with: the force, a run's work, and where failures and warnings go.
    struct context {
        Source force;
        work_type& work;
        failure& failed;
        std::vector<warning>& warnings;
    };

    /// 0 points: as many as it takes.
    moving_mean(independent_phases phases, int order, int passes, int points)
        : points_(std::move(phases), order), order_(order), passes_(passes), given_points_(points) {}

    [[nodiscard]] work_type work(V const& zeros) const {
        work_type made;
        made.scratch = made.point = made.velocity = made.sample = zeros;
        made.phi.resize(points_.phases().size());
        if (given_points_ != 0) made.numbers = points_.given(given_points_);
        return made;
    }

    /// Chooses the points where that has not been done, and makes the grids.
    void prepare(context const& with, T t, V const& x, V const& v) const {
        work_type& work = with.work;
        if (work.numbers.mean.empty()) work.numbers = points_.chosen(with.force, t, x, v, with.failed);
        if (with.failed.happened() || work.made == work.numbers) return;
        auto const make = [&](std::vector<int> const& points) {
            return points_.make(with.force, t, points, work.numbers.products, with.failed);
        };
        work.on = make(work.numbers.mean);
        work.other = make(points_.coprime(work.numbers.mean));
        work.lifting_on = make(work.numbers.oscillation);
        if (with.failed.happened()) return;
        set_scaled(work.scratch, T(0), x);
        work.room = samples(work.on->grid, radius(), Source::uses_velocity, work.scratch);
        work.lifting_room = samples(work.lifting_on->grid, radius() + 1, Source::uses_velocity, work.scratch);
        work.made = work.numbers;
    }

    /// The mean force at a slow state. Samples of an even force are taken at one of two opposite phases where that is
    /// enough.
    void average(context const& with, T t, V const& x, V const& v, bool even, std::uint64_t evaluation, V& out) const {
        prepare(with, t, x, v);
        if (with.failed.happened()) return;
        work_type& work = with.work;
        sweep(with, *work.on, t, x, v, passes_, false, even && !points_.phases().merged, work.room);
        if (given_points_ == 0 && points_.has_grown(*work.on, work.room, work.numbers)) {
            grow(with, t, x, v);
            if (with.failed.happened()) return;
            sweep(with, *work.on, t, x, v, passes_, false, false, work.room);
        }
        out = work.room.mean();
        if (!all_finite(out)) {
            with.failed = failure_inside(with.force.inner);
            if (!with.failed.happened())
                with.failed = non_finite_force(static_cast<double>(t), work.room.bad_component(), true);
            return;
        }
        work.strongest = std::max(work.strongest, max_norm(out));
        watch_settling(with, t);
        constexpr std::uint64_t now_and_then = 32;
        bool const looks = given_points_ != 0 ? evaluation == 1 : evaluation % now_and_then == 0;
        if (looks && !with.failed.happened()) look(with, t, x, v);
    }

    /// Adds the oscillation at given phases to a slow state. It is found to two orders more than the mean asks for:
    /// that costs little where it is asked for rarely, and velocities, a factor W larger, then are as right as
    /// positions.
    void lift(context const& with, T t, std::vector<T> const& phi, state& x) const {
        prepare(with, t, position_of(x), velocity_of(x));
        if (with.failed.happened()) return detail::spoil(position_of(x));
        add_oscillation(with, *with.work.lifting_on, t, phi, lifting_passes(), with.work.lifting_room, x);
    }
    /// The slow state whose oscillation passes through a physical one at given phases, by repeated substitution. Every
    /// round gains a factor 1/W and asks for as many sweeps, first on the grid of the mean. Some are always taken, so
    /// that their number is the same at every frequency.
    void lower(context const& with, T t, std::vector<T> const& phi, state& x) const {
        constexpr int fewest = 4, most = 60;
        prepare(with, t, position_of(x), velocity_of(x));
        if (with.failed.happened()) return detail::spoil(position_of(x));
        work_type& work = with.work;
        state const physical = x;
        state raised = x;
        for (int round = 1; round <= most; ++round) {
            bool const rough = round <= passes_;
            raised = x;
            if (rough) add_oscillation(with, *work.on, t, phi, std::min(round + 1, passes_), work.room, raised);
            else add_oscillation(with, *work.lifting_on, t, phi, lifting_passes(), work.lifting_room, raised);
            T const slowest = T(std::ranges::min(points_.phases().frequencies));
            T swing = distance(position_of(raised), position_of(x));
            if constexpr (Source::power == 2) swing = std::max(swing, distance(raised.velocity, x.velocity) / slowest);
            T change = correct(position_of(physical), position_of(raised), position_of(x), swing, work.scratch);
            if constexpr (Source::power == 2)
                change = std::max(
                    change, correct(physical.velocity, raised.velocity, x.velocity, slowest * swing, work.scratch));
            if (!all_finite(x) || (round >= passes_ + fewest && !(change > T(1e-12)))) return;
        }
        with.failed = no_slow_state(static_cast<double>(t));
    }
    /// The phases that turn on their own, at a time: room of the work.
    [[nodiscard]] std::vector<T> const& phases_at(T t, work_type& work) const {
        auto const& phases = points_.phases();
        for (std::size_t j = 0; j < phases.size(); ++j)
            work.phi[j] = reduced_phase(static_cast<T>(phases.starts[j]), static_cast<T>(phases.frequencies[j]), t);
        return work.phi;
    }

private:
    [[nodiscard]] int radius() const { return order_ / 2; }
    [[nodiscard]] int lifting_passes() const { return passes_ + 3; }
    void add_oscillation(context const& with, sampling const& on, T t, std::vector<T> const& phi, int passes,
                         samples& in, state& x) const {
        sweep(with, on, t, position_of(x), velocity_of(x), passes, true, false, in);
        in.add_oscillation(on.grid, Source::power, phi, position_of(x));
        if constexpr (Source::power == 2) in.add_oscillation(on.grid, 1, phi, x.velocity);
    }
    [[nodiscard]] static auto& position_of(auto& x) {
        if constexpr (Source::power == 2) return x.position;
        else return x.state;
    }
    /// What does not matter where there is no velocity.
    [[nodiscard]] static auto& velocity_of(auto& x) {
        if constexpr (Source::power == 2) return x.velocity;
        else return x.state;
    }
    [[nodiscard]] static T distance(V const& a, V const& b) {
        T most(0);
        for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, T(std::abs(a[i] - b[i])));
        return most;
    }
    /// Moves x by what the raised state misses of the physical one, and tells by how much, beside their size or that of
    /// the swing.
    [[nodiscard]] static T correct(V const& physical, V const& raised, V& x, T swing, V& miss) {
        set_sum(miss, physical, T(-1), raised);
        add_scaled(x, T(1), miss);
        T const size = std::max({max_norm(physical), max_norm(x), swing, std::numeric_limits<T>::min()});
        return max_norm(miss) / (T(2) * size);
    }

    void sweep(context const& with, sampling const& on, T t, V const& x, V const& v, int passes, bool whole, bool even,
               samples& in) const {
        in.sweep(on.grid, t, x, v, passes, whole, even, [&](T when, std::size_t i, V const& q, V const& speed, V& out) {
            with.force(when, on.places[i], q, speed, out);
        });
    }
    /// More points, for a force that has shown more harmonics.
    void grow(context const& with, T t, V const& x, V const& v) const {
        auto const before = std::exchange(with.work.numbers, {});
        auto& now = with.work.numbers = points_.chosen(with.force, t, x, v, with.failed);
        if (with.failed.happened()) return;
        for (std::size_t j = 0; j < before.mean.size(); ++j) {
            now.mean[j] = std::max(now.mean[j], before.mean[j]);
            now.oscillation[j] = std::max(now.oscillation[j], before.oscillation[j]);
            now.reach[j] = std::max(now.reach[j], before.reach[j]);
        }
        now.products = now.products || before.products;
        prepare(with, t, x, v);
    }

    /// From pass to pass the samples change like the terms of a geometric series, but for the places that are added on
    /// the way: what is judged is the mean ratio.
    void watch_settling(context const& with, T t) const {
        using std::pow;
        samples const& in = with.work.room;
        T const size = max_norm(in.mean());
        T const last = in.last_change();
        if (passes_ > 1 && last > pow(T(0.3), T(passes_ - 1)) * in.largest_force() && last > T(1e-3) * size &&
            last > T(1e-11) * in.largest_force())
            with.failed =
                unsettled_oscillation(static_cast<double>(t), passes_, static_cast<double>(in.change_before()),
                                      static_cast<double>(last), static_cast<double>(size));
    }
    /// The mean over other phases along the same oscillation, and the pace of the slow motion. Of given points a
    /// difference is told, of those that were chosen here it is a failure.
    void look(context const& with, T t, V const& x, V const& v) const {
        work_type& work = with.work;
        set_scaled(work.scratch, T(-1), work.room.mean());
        std::size_t const count = work.other->places.size();
        for (std::size_t i = 0; i < count; ++i) {
            work.point = x;
            work.velocity = v;
            work.room.add_oscillation(work.on->grid, Source::power, work.other->phases[i], work.point);
            if constexpr (Source::uses_velocity)
                work.room.add_oscillation(work.on->grid, 1, work.other->phases[i], work.velocity);
            with.force(t, work.other->places[i], work.point, work.velocity, work.sample);
            add_scaled(work.scratch, T(1) / T(count), work.sample);
        }
        auto const time = static_cast<double>(t);
        auto const force = static_cast<double>(work.strongest);
        auto const difference = static_cast<double>(max_norm(work.scratch));
        if (difference > 1e-3 * force + 1e-11 * static_cast<double>(work.room.largest_force())) {
            int const points = work.numbers.mean[0];
            if (given_points_ == 0)
                with.failed = rough_force(time, points, points_.coprime(work.numbers.mean)[0], difference, force);
            else
                with.warnings.push_back(
                    unresolved_harmonics(time, static_cast<std::size_t>(points), difference, force));
        }
        if (!with.failed.happened()) points_.watch_beat(t, work.room.slow_rate(work.on->grid), 3, with.failed);
    }

    moving_points<Source> points_;
    int order_;
    int passes_;
    int given_points_;
};

} // namespace lento
