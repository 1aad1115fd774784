#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/effective/asynchronous.hpp>
#include <lento/effective/moving_source.hpp>
#include <lento/effective/oscillation.hpp>
#include <lento/effective/phase_torus.hpp>
#include <lento/effective/underlying.hpp>
#include <lento/effective/window.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/system/newton.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// Windows of any sort, with what they miss added: the motion itself is followed over one period to either side of a
/// point, and the slow positions where its phase returns are held against those of the averaged force:
/// `corrected{centred{one_period{.steps = 80}}}`. One period must serve all phases.
template <class Closure> struct corrected {
    Closure closure;
    explicit corrected(Closure windows) : closure(std::move(windows)) {}
};

/// A vibrated system as it is seen in flashes, once per period: its phases stand. The maps between physical and slow
/// states are then one map at all times, whatever they leave out.
template <vibrating System> class flashed_system : public System {
    using T = scalar_of<System>;

public:
    using typename System::angles;

    explicit flashed_system(System system)
        : System(std::move(system))
        , turning_(detail::vibrated_source<System>::phases_of(static_cast<System const&>(*this))) {
        if (turning_.size() != 1) throw does_not_apply(no_common_period(this->frequencies()));
        auto theta = this->frequencies(); // as many numbers
        std::array<long double, 1> const at_zero{};
        auto const given = turning_.given(at_zero);
        for (std::size_t j = 0; j < theta.size(); ++j) theta[j] = static_cast<T>(given[j]);
        flash_ = System::packed(theta);
    }
    [[nodiscard]] angles const& phase_at(T) const { return flash_; }
    [[nodiscard]] T period() const { return two_pi<T> / static_cast<T>(turning_.frequencies[0]); }
    /// The time since the nearest flash; negative before it.
    [[nodiscard]] T since_flash(T t) const {
        auto const frequency = static_cast<T>(turning_.frequencies[0]);
        return reduced_phase(static_cast<T>(turning_.starts[0]), frequency, t) / frequency;
    }

private:
    template <class List> [[nodiscard]] static std::string no_common_period(List const& frequencies) {
        std::string text;
        for (auto const w : frequencies) text += (text.empty() ? "" : ", ") + show(static_cast<double>(w));
        return "the correction of windows is measured over one period, and phases of the frequencies " + text +
               " have none in common; use the kernel picard with order 2 or 4";
    }

    independent_phases turning_;
    angles flash_{};
};

/// Where no number of steps resolves the motion over a period.
[[nodiscard]] warning rough_correction(double time, int steps, double change, double defect);

namespace detail {

/// The motion itself, in times that are counted from a flash.
template <class System> struct flash_view : view_on<System> {
    using typename view_on<System>::scalar;
    using typename view_on<System>::vector;
    scalar flash;
    void acceleration(scalar elapsed, vector const& q, vector const& v, vector& out, work_of<System>& work) const {
        this->system->acceleration_at(flash + elapsed, this->system->turned(this->system->phase_at(flash), elapsed), q,
                                      v, out, work);
    }
};

} // namespace detail

/// The slow motion of a vibrated system by a mean force and what that misses. Made by `effective`. The mean may be any
/// system whose acceleration is that of the slow motion, up to what is to be corrected.
///
/// With X_+ and X_- the slow positions one period T later and earlier on the true motion, a the mean force there, the
/// slow motion obeys
///     X'' = a + K,   K = (X_+ - 2 X + X_-)/T^2 - (a_+ + 10 a + a_-)/12
/// (Numerov's formula, with the defect left over). The slow velocity is X' itself; that of the maps is X' less
/// (X_+ - X_-)/2T - (V_+ + 4 V + V_-)/6.
template <vibrating System, class Mean> class corrected_system {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using flashed = flashed_system<System>;
    using view = detail::flash_view<flashed>;
    using fine_steps = runge_kutta<dormand_prince_8_method>;

public:
    using space_type = typename System::space_type;
    using scalar = T;
    using vector = V;
    using state = state_of<System>;
    static constexpr bool uses_velocity = true;

    struct work_type {
        work_of<Mean> inner;
        work_of<flashed> motion;
        typename slow_state_map<flashed>::work_type map;
        typename fine_steps::template memory<view> memory;
        [[no_unique_address]] detail::projection_room<flashed> room;
        state slow;               ///< where the defect is looked at
        state physical;           ///< the same, as it is
        state moved;              ///< the physical state a period away
        state raised;             ///< that of a slow state which is tried
        std::array<state, 2> far; ///< the slow states a period later and earlier
        V mean;                   ///< the mean force
        std::array<V, 2> far_mean;
        V defect; ///< K above
        V shift;  ///< X' less the velocity of the maps
        V drift;  ///< and its rate
        V scratch;
        std::array<state, 4> stage;
        int steps = 0; ///< of the motion over a period; 0: not yet known
        std::uint64_t evaluations = 0;
        std::uint64_t fine = 0;
        failure failed{};
        std::vector<warning> warnings{};
        static auto members(auto& self) {
            return std::tie(self.inner, self.motion, self.steps, self.evaluations, self.fine, self.failed,
                            self.warnings);
        }
    };

    corrected_system(flashed system, Mean mean)
        : system_(std::move(system)), mean_(std::move(mean)), map_(system_), period_(system_.period()) {}

    [[nodiscard]] auto const& space() const { return system_.space(); }
    [[nodiscard]] work_type work() const {
        V const zeros = space().template zeros<T>();
        state const origin{zeros, zeros};
        return {.inner = mean_.work(),
                .motion = system_.work(),
                .map = map_.work(system_),
                .memory = fine_steps{}.start(view{{&system_}, T(0)}),
                .room = detail::projection_room<flashed>::make(system_),
                .slow = origin,
                .physical = origin,
                .moved = origin,
                .raised = origin,
                .far = {origin, origin},
                .mean = zeros,
                .far_mean = {zeros, zeros},
                .defect = zeros,
                .shift = zeros,
                .drift = zeros,
                .scratch = zeros,
                .stage = {origin, origin, origin, origin}};
    }
    void count(work_type const& work, statistics& counts) const {
        mean_.count(work.inner, counts);
        auto const micro_steps = counts.micro_steps;
        system_.count(work.motion, counts);
        counts.micro_steps = micro_steps + work.fine;
        counts.effective_evaluations = work.evaluations;
    }
    /// The correction looks as far as a period to either side.
    [[nodiscard]] double window_length(work_type const& work) const {
        double const both = 2 * static_cast<double>(period_);
        if constexpr (requires { mean_.window_length(work.inner); })
            return std::max(both, mean_.window_length(work.inner));
        else return both;
    }
    void confirm(T t, state const& x, work_type& work) const {
        if constexpr (requires { mean_.confirm(t, x, work.inner); }) mean_.confirm(t, x, work.inner);
    }

    void acceleration(T t, V const& q, V const& v, V& out, work_type& work) const {
        ++work.evaluations;
        if (look(t, q, v, work)) {
            if (feels_velocity()) mean_at(t, work.slow.position, v, work.shift, out, work);
            else out = work.mean;
            add_scaled(out, T(1), work.defect);
        }
        detail::spoil_after_failure(out, work);
    }

    /// The physical state is followed back to the last flash, or on to the next one, and lowered there.
    void lower(T t, state& x, work_type& work) const {
        if (work.failed.happened()) return;
        require_consistent(t, x, work);
        T const elapsed = system_.since_flash(t);
        T const flash = t - elapsed;
        if (work.steps == 0) { // a state nearby serves to count steps
            work.slow = x;
            plan(flash, work);
        }
        follow(flash, elapsed, T(0), x, work);
        work.moved = x;
        if (!lowered(flash, work.moved, x, work) || !look(flash, x.position, x.velocity, work)) return spoil(x);
        add_scaled(x.velocity, T(1), work.shift);
        drift_along(flash, elapsed, x, work);
        if (work.failed.happened()) spoil(x);
    }
    void lift(T t, state& x, work_type& work) const {
        if (!look(t, x.position, x.velocity, work)) return spoil(x);
        T const elapsed = system_.since_flash(t);
        T const flash = t - elapsed;
        drift_along(t, -elapsed, x, work);
        add_scaled(x.velocity, T(-1), work.shift);
        add_scaled(x.velocity, elapsed, work.drift);
        raise(flash, x, work);
        follow(flash, T(0), elapsed, x, work);
        put_back(t, x, work);
        if (has_failed(work)) spoil(x);
    }

private:
    static constexpr int fewest_steps = 8, most_steps = 128;

    static void spoil(state& x) { detail::spoil(x.position); }
    [[nodiscard]] bool has_failed(work_type& work) const {
        if (work.failed.happened()) return true;
        work.failed = failure_inside(work.inner);
        if constexpr (constrained_motion<System>)
            if (!work.failed.happened()) work.failed = flashed::constraint_work(work.motion).failed;
        if (!work.failed.happened()) work.failed = failure_inside(work.motion);
        return work.failed.happened();
    }
    [[nodiscard]] bool feels_velocity() const {
        if constexpr (separable<Mean>) return false;
        else if constexpr (requires { mean_.facts(); }) return mean_.facts().uses_velocity;
        else return true;
    }
    /// The mean force at a slow state whose velocity is v less a shift.
    void mean_at(T t, V const& q, V const& v, V const& shift, V& out, work_type& work) const {
        if constexpr (separable<Mean>) {
            static_cast<void>(v), static_cast<void>(shift);
            mean_.acceleration(t, q, out, work.inner);
        } else {
            set_sum(work.scratch, v, T(-1), shift);
            mean_.acceleration(t, q, work.scratch, out, work.inner);
        }
    }
    void mean_at(T t, state const& x, V& out, work_type& work) const {
        if constexpr (separable<Mean>) mean_.acceleration(t, x.position, out, work.inner);
        else mean_.acceleration(t, x.position, x.velocity, out, work.inner);
    }

    // ---- the motion itself ----

    void follow(T flash, T from, T to, state& x, work_type& work) const {
        using std::abs;
        using std::ceil;
        if (from == to) return;
        int const steps = std::max(1, static_cast<int>(ceil(T(work.steps) * abs(to - from) / period_ - T(1e-9))));
        T const h = (to - from) / T(steps);
        view const seen{{&system_}, flash};
        work.memory.fresh = false;
        for (int k = 0; k < steps; ++k) fine_steps{}.advance(seen, from + T(k) * h, h, x, work.memory, work.motion);
        work.fine += static_cast<std::uint64_t>(steps);
    }
    void put_back(T t, state& x, work_type& work) const {
        if constexpr (constrained_motion<System>) {
            auto& constraint = flashed::constraint_work(work.motion);
            if (constraint.failed.happened()) return;
            if (project_position(system_, t, x.position, work.room.at, work.room.newton, constraint))
                project_velocity(system_, t, x.position, x.velocity, work.room.at, work.room.newton, constraint);
            else if (!constraint.failed.happened()) {
                detail::worst_constraint const worst(work.room.newton.residual);
                constraint.failed = detail::constraints_cannot_be_met(static_cast<double>(t), worst.which, worst.miss);
            }
        } else {
            static_cast<void>(t), static_cast<void>(x), static_cast<void>(work);
        }
    }
    void require_consistent(T t, state x, work_type& work) const {
        if constexpr (constrained_motion<System>) {
            auto const failed = on_constraints(system_, t, x, false, work.room.at, work.room.newton,
                                               flashed::constraint_work(work.motion));
            if (failed.happened()) work.failed = failed;
        } else {
            static_cast<void>(t), static_cast<void>(x), static_cast<void>(work);
        }
    }

    // ---- slow and physical states at a flash ----

    void raise(T t, state& x, work_type& work) const {
        map_.lift(system_, t, x, work.map, work.motion);
        put_back(t, x, work);
    }
    /// The slow state of a physical one to rounding, by repeated substitution from what stands in x: only then do the
    /// maps' own errors cancel over a period.
    [[nodiscard]] bool lowered(T t, state const& physical, state& x, work_type& work) const {
        constexpr T rounding = std::numeric_limits<T>::epsilon();
        // velocities count by what they add up to over a period: a defect sees no more of them
        T const size = std::max(
            {max_norm(physical.position), period_ * max_norm(physical.velocity), std::numeric_limits<T>::min()});
        T previous = std::numeric_limits<T>::max();
        for (int round = 0; round < 60; ++round) {
            work.raised = x;
            raise(t, work.raised, work);
            if (has_failed(work)) return false;
            for (std::size_t i = 0; i < x.position.size(); ++i) {
                work.raised.position[i] = physical.position[i] - work.raised.position[i];
                work.raised.velocity[i] = physical.velocity[i] - work.raised.velocity[i];
            }
            add_scaled(x.position, T(1), work.raised.position);
            add_scaled(x.velocity, T(1), work.raised.velocity);
            put_back(t, x, work);
            T const change = std::max(max_norm(work.raised.position), period_ * max_norm(work.raised.velocity)) / size;
            if (!all_finite(x)) break;
            if (change <= T(2) * rounding || (change < T(1e4) * rounding && change > previous / T(2))) return true;
            previous = change;
        }
        if (!has_failed(work)) work.failed = no_slow_state(static_cast<double>(t));
        return false;
    }

    // ---- the defect ----

    /// What the mean misses at a slow state, into the work.
    [[nodiscard]] bool look(T t, V const& q, V const& v, work_type& work) const {
        if (work.failed.happened()) return false;
        work.slow.position = q;
        work.slow.velocity = v;
        if (work.steps == 0) plan(t, work);
        return measure(t, work);
    }
    [[nodiscard]] bool measure(T t, work_type& work) const {
        put_back(t, work.slow, work);
        mean_at(t, work.slow, work.mean, work);
        work.physical = work.slow;
        raise(t, work.physical, work);
        if (has_failed(work)) return false;
        for (std::size_t side = 0; side < 2; ++side) {
            T const elapsed = side == 0 ? period_ : -period_;
            work.moved = work.physical;
            follow(t, T(0), elapsed, work.moved, work);
            put_back(t + elapsed, work.moved, work);
            state& far = work.far[side];
            for (std::size_t i = 0; i < far.position.size(); ++i) {
                far.position[i] = work.slow.position[i] + (work.moved.position[i] - work.physical.position[i]);
                far.velocity[i] = work.slow.velocity[i] + (work.moved.velocity[i] - work.physical.velocity[i]);
            }
            put_back(t + elapsed, far, work);
            if (has_failed(work) || !lowered(t + elapsed, work.moved, far, work)) return false;
            mean_at(t + elapsed, far, work.far_mean[side], work);
        }
        if (has_failed(work)) return false;
        compare(work);
        return true;
    }
    /// What roundings of positions may make of the defect.
    [[nodiscard]] T noise(work_type const& work) const {
        return T(64) * std::numeric_limits<T>::epsilon() * max_norm(work.slow.position) / (period_ * period_);
    }
    void compare(work_type& work) const {
        auto const& [later, earlier] = work.far;
        for (std::size_t i = 0; i < work.defect.size(); ++i) {
            T const q = work.slow.position[i];
            T const v = work.slow.velocity[i];
            T const a = work.mean[i];
            T const around = work.far_mean[0][i] + work.far_mean[1][i];
            T const turn = (later.position[i] - q) - (q - earlier.position[i]);
            work.defect[i] = turn / (period_ * period_) - (around + T(10) * a) / T(12);
            work.shift[i] = (later.position[i] - earlier.position[i]) / (T(2) * period_) -
                            (later.velocity[i] + T(4) * v + earlier.velocity[i]) / T(6);
            T const kick = (later.velocity[i] - earlier.velocity[i]) / (T(2) * period_) - (around + T(4) * a) / T(6);
            work.drift[i] = work.defect[i] - kick;
        }
        // what is made of roundings would be noise, and steps would shrink on it
        if (max_norm(work.defect) > noise(work)) return;
        for (auto* each : {&work.defect, &work.shift, &work.drift}) set_scaled(*each, T(0), work.mean);
    }
    /// As many steps per period as it takes until twice as many give the same defect.
    void plan(T t, work_type& work) const {
        V before = work.defect;
        T change(0);
        T known(0);
        for (work.steps = fewest_steps; work.steps <= most_steps; work.steps *= 2) {
            if (!measure(t, work)) break;
            set_sum(work.scratch, work.defect, T(-1), before);
            change = max_norm(work.scratch);
            known = max_norm(work.defect);
            before = work.defect;
            if (work.steps > fewest_steps &&
                !(change > T(1e-6) * known + T(1e-12) * max_norm(work.mean) + noise(work))) {
                work.steps /= 2;
                return;
            }
        }
        work.steps = most_steps;
        if (!work.failed.happened() && change > T(1e-2) * known)
            work.warnings.push_back(rough_correction(static_cast<double>(t), most_steps, static_cast<double>(change),
                                                     static_cast<double>(known)));
    }
    /// The slow motion over less than a period, the defect standing still: a step of Runge and Kutta.
    void drift_along(T t, T span, state& x, work_type& work) const {
        if (span == T(0)) return;
        auto const slope = [&](T when, state const& at, state& out) {
            mean_at(when, at.position, at.velocity, work.shift, out.velocity, work);
            add_scaled(out.velocity, T(1), work.defect);
            out.position = at.velocity;
        };
        auto& k = work.stage;
        state const start = x;
        slope(t, start, k[0]);
        for (std::size_t j = 1; j < 4; ++j) {
            T const part = j == 3 ? span : span / T(2);
            set_sum(work.raised.position, start.position, part, k[j - 1].position);
            set_sum(work.raised.velocity, start.velocity, part, k[j - 1].velocity);
            slope(t + part, work.raised, k[j]);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            T const weight = span * (j == 0 || j == 3 ? T(1) / T(6) : T(1) / T(3));
            add_scaled(x.position, weight, k[j].position);
            add_scaled(x.velocity, weight, k[j].velocity);
        }
        static_cast<void>(has_failed(work));
    }

    flashed system_;
    Mean mean_;
    slow_state_map<flashed> map_;
    T period_;
};

/// Windows, corrected: `effective(system, corrected{centred{one_period{.steps = 80}}})`. With constraints the slow
/// motion is an ordinary one, which keeps them as well as it is integrated.
template <vibrating System, class Closure>
    requires requires(Closure const& windows) { windows.window; }
[[nodiscard]] auto effective(System system, corrected<Closure> const& closure) {
    flashed_system<System> flashed(std::move(system));
    auto mean = effective(flashed, closure.closure);
    if constexpr (constrained_motion<System>) {
        auto motion = underlying(std::move(mean));
        return corrected_system<System, decltype(motion)>(std::move(flashed), std::move(motion));
    } else {
        return corrected_system<System, decltype(mean)>(std::move(flashed), std::move(mean));
    }
}

} // namespace lento
