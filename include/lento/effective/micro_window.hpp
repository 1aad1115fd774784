#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/misuse.hpp>
#include <lento/effective/filtered_window.hpp>
#include <lento/effective/window.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/constrained.hpp>

namespace lento {

/// A system whose force turns with phases: what force averaging works on.
template <class S>
concept vibrating = system_like<S> && requires(S const& system, scalar_of<S> t, typename S::angles const& theta,
                                               vector_of<S> const& q, vector_of<S>& out, work_of<S>& work) {
    { S::phase_count } -> std::convertible_to<std::size_t>;
    { S::uses_velocity } -> std::convertible_to<bool>;
    system.frequencies();
    system.phase_at(t);
    system.turned(theta, t);
    system.acceleration_at(t, theta, q, q, out, work);
};

namespace detail {

/// A vibrated system seen from inside a window: time is counted from the window's start, where the phases are theta.
/// The slow explicit time stands still (pace 0) or runs (pace 1). Held back by a constant force, the fast motion does
/// not drift away.
template <class System, bool Held = false> struct window_view : view_on<System> {
    static constexpr bool is_held = Held;
    using typename view_on<System>::scalar;
    using typename view_on<System>::vector;

    typename System::angles theta;
    scalar slow_time;
    scalar pace;
    vector const* holding = nullptr;

    void acceleration(scalar elapsed, vector const& q, vector& out, work_of<System>& work) const
        requires(!System::uses_velocity && !constrained_motion<System>)
    {
        this->system->acceleration_at(time(elapsed), this->system->turned(theta, elapsed), q, q, out, work);
        if constexpr (Held) add_scaled(out, scalar(-1), *holding);
    }
    void acceleration(scalar elapsed, vector const& q, vector const& v, vector& out, work_of<System>& work) const
        requires(System::uses_velocity && !constrained_motion<System>)
    {
        this->system->acceleration_at(time(elapsed), this->system->turned(theta, elapsed), q, v, out, work);
    }
    [[nodiscard]] scalar time(scalar elapsed) const { return slow_time + pace * elapsed; }
};

/// With constraints it is the active force that turns; the micro stepper adds the forces of the constraints.
template <constrained_motion System, bool Held> struct constrained_window_view : window_view<System, Held> {
    using typename window_view<System, Held>::scalar;
    using typename window_view<System, Held>::vector;
    using constraints_type = constraints_of<System>;
    static constexpr bool only_changes_count = true;

    [[nodiscard]] auto const& constraints() const { return this->system->constraints(); }
    [[nodiscard]] auto const& mass() const { return this->system->mass(); }
    [[nodiscard]] static auto& constraint_work(work_of<System>& work) { return System::constraint_work(work); }
    [[nodiscard]] scalar constraint_time(scalar elapsed) const { return this->time(elapsed); }
    void active_acceleration(scalar elapsed, vector const& q, vector& out, work_of<System>& work) const {
        this->system->active_at(this->time(elapsed), this->system->turned(this->theta, elapsed), q, q, out, work);
        if constexpr (Held) add_scaled(out, scalar(-1), *this->holding);
    }
};

template <class System, bool Held> struct view_of {
    using type = window_view<System, Held>;
    using loads = no_loads;
};
template <constrained_motion System, bool Held> struct view_of<System, Held> {
    using type = constrained_window_view<System, Held>;
    using loads = told_loads<multipliers_of<System>>;
};

/// Remembers the first sample that is not finite.
template <class V> struct bad_sample {
    static constexpr bool wants_velocity = false;
    int sample = 0;
    std::size_t component = 0;
    template <class State> void operator()(int k, V const& a, State const&) {
        if (sample != 0 || all_finite(a)) return;
        sample = k;
        component = first_non_finite(a);
    }
};

} // namespace detail

/// Filters the force of a vibrated system over windows, and watches what the filter leaves. Shared by all closures that
/// have windows.
template <vibrating System, class Micro> class micro_window {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using angles = typename System::angles;
    using view = typename detail::view_of<System, false>::type;
    using runner = filtered_window<System, view, Micro, typename detail::view_of<System, false>::loads>;

public:
    struct work_type : runner::work_type {
        std::uint64_t windows = 0;
        leak_watch leak{};
        failure failed{};
        std::vector<warning> warnings{};
        static auto members(auto& self) {
            return std::tuple_cat(runner::work_type::members(self),
                                  std::tie(self.windows, self.leak, self.failed, self.warnings));
        }
    };

    micro_window(System system, window const& options, Micro micro)
        : window_(std::move(system), std::move(micro))
        , plan_(make_plan(window_.system(), options))
        , weights_(plan_.weights.begin(), plan_.weights.end())
        , folded_(plan_.folded.begin(), plan_.folded.end()) {
        if constexpr (requires { window_.micro().step; })
            if (window_.micro().step != 0)
                throw misuse(
                    "the micro step belongs to the window (step or steps_per_period), but the micro stepper has "
                    "its own, " +
                    show(static_cast<double>(window_.micro().step)));
    }

    [[nodiscard]] System const& system() const { return window_.system(); }
    [[nodiscard]] window_plan const& plan() const { return plan_; }

    [[nodiscard]] work_type work() const {
        return {window_.work(system().work(), window_.micro().start(view{&system(), {}, T(0), T(0)}), no_loads())};
    }
    void count(work_type const& work, statistics& counts) const { window_.count(work, counts); }

    /// Where a window starts: its phases, positions, velocities, and how the slow time goes on in it.
    struct start {
        T t;
        T pace;
        angles theta;
        V const& q;
        V const& v;
        bool half = false;          ///< run the later half only and count it twice
        V const* holding = nullptr; ///< a constant force that keeps the fast motion in place, for held windows
    };

    /// The filtered force of a window, into out. Stateful windows also leave the filtered displacement and velocity in
    /// the work; held ones are pulled back by `from.holding`, which is not part of the filtered force.
    template <bool Stateful, bool Held = false> void average(start const& from, V& out, work_type& work) const {
        if (!Stateful && !work.leak.watching()) {
            run<false, false, Held>(from, out, work);
            if (constraints_failed(work)) return;
            if (!all_finite(out)) find_bad_sample<Held>(from, out, work);
            return;
        }
        run<true, Stateful, Held>(from, out, work);
        if (constraints_failed(work)) return;
        if (!all_finite(out)) find_bad_sample<Held>(from, out, work);
        if (work.failed.happened() || !work.leak.watching()) return;
        work.leak.observe(plan_, static_cast<double>(from.t), runner::deviation(work),
                          static_cast<double>(max_norm(out)), work.failed, work.warnings);
    }

private:
    static window_plan make_plan(System const& system, window const& options) {
        std::vector<double> frequencies;
        for (auto const w : system.frequencies()) frequencies.push_back(static_cast<double>(w));
        return lento::plan(options, frequencies);
    }

    [[nodiscard]] typename runner::loads no_loads() const {
        if constexpr (constrained_motion<System>) return system().constraints().zeros();
        else return {};
    }
    /// A window whose constraints could not be kept has failed, with their own words.
    [[nodiscard]] bool constraints_failed(work_type& work) const {
        if constexpr (constrained_motion<System>) {
            auto const& failed = system().constraint_work(work.inner).failed;
            if (failed.happened()) work.failed = failed;
            return failed.happened();
        } else {
            return false;
        }
    }

    /// The system as it is seen from the start of a window; times are counted from there.
    template <bool Held> [[nodiscard]] auto view_from(start const& from) const {
        return typename detail::view_of<System, Held>::type{&system(), from.theta, from.t, from.pace, from.holding};
    }
    template <bool Measured, bool Stateful, bool Held> void run(start const& from, V& out, work_type& work) const {
        window_samples<T> const samples{.step = static_cast<T>(plan_.step),
                                        .weights = from.half ? folded_.data() : weights_.data() + plan_.before,
                                        .after = plan_.after,
                                        .before = from.half ? 0 : plan_.before};
        window_.template run<Measured, Stateful>(view_from<Held>(from), T(0), from.q, from.v, samples, work);
        out = work.force;
        if constexpr (Held) add_scaled(out, T(1), *from.holding); // the weights' mass is 1
    }

    /// A sum that is not finite is looked into: the window is run again to name its first bad sample, unless the system
    /// is itself an effective one and says what went wrong.
    template <bool Held> void find_bad_sample(start const& from, V const& sum, work_type& work) const {
        work.failed = failure_inside(work.inner);
        if (work.failed.happened()) return;
        T const h = static_cast<T>(plan_.step);
        for (T const direction : {T(1), T(-1)}) {
            if (direction < T(0) && from.half) break;
            auto const seen = view_from<Held>(from);
            window_.open(seen, T(0), from.q, from.v, h, work);
            V const& first = work.memory.derivative();
            if (!all_finite(first)) {
                work.failed = non_finite_force(static_cast<double>(from.t), first_non_finite(first), true);
                return;
            }
            detail::bad_sample<V> bad;
            take_steps(window_.micro(), seen, T(0), direction * h, direction > T(0) ? plan_.after : plan_.before,
                       work.state, work.memory, work.inner, bad);
            if (bad.sample == 0) continue;
            T const elapsed = direction * T(bad.sample) * h;
            work.failed = non_finite_force(static_cast<double>(from.t + elapsed), bad.component, true);
            return;
        }
        work.failed = non_finite_force(static_cast<double>(from.t), first_non_finite(sum), true);
    }

    runner window_;
    window_plan plan_;
    std::vector<T> weights_;
    std::vector<T> folded_;
};

} // namespace lento
