#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/constraint/constrained.hpp>
#include <lento/effective/window.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/arithmetic.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/misuse.hpp>

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
template <class System, bool Held = false> struct window_view {
    static constexpr bool is_held = Held;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;

    System const* system;
    typename System::angles theta;
    scalar slow_time;
    scalar pace;
    vector const* holding = nullptr;

    [[nodiscard]] auto const& space() const { return system->space(); }
    [[nodiscard]] auto work() const { return system->work(); }
    void count(work_of<System> const& work, statistics& counts) const { system->count(work, counts); }
    void acceleration(scalar elapsed, vector const& q, vector& out, work_of<System>& work) const
        requires(!System::uses_velocity && !constrained_motion<System>)
    {
        system->acceleration_at(time(elapsed), system->turned(theta, elapsed), q, q, out, work);
        if constexpr (Held) add_scaled(out, scalar(-1), *holding);
    }
    void acceleration(scalar elapsed, vector const& q, vector const& v, vector& out, work_of<System>& work) const
        requires(System::uses_velocity && !constrained_motion<System>)
    {
        system->acceleration_at(time(elapsed), system->turned(theta, elapsed), q, v, out, work);
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
    struct multipliers {}; // none
};
template <constrained_motion System, bool Held> struct view_of<System, Held> {
    using type = constrained_window_view<System, Held>;
    using multipliers = multipliers_of<System>;
};

/// One sample of a stateful window into its three sums, and the leapfrog's next kick and drift, in one sweep: vectors
/// longer than a cache pass through it once. A function of its own for __restrict, as in arithmetic.hpp. The step's
/// displacement d stands for the velocity.
template <class T> inline void sweep_sample(T* __restrict force, T* __restrict displacement, T* __restrict velocity,
                                            T weight, T const* __restrict a, T* __restrict q,
                                            T const* __restrict origin, T* __restrict d, T kick, T inverse_step,
                                            std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        force[i] += weight * a[i];
        displacement[i] += weight * (q[i] - origin[i]);
        velocity[i] += weight * inverse_step * (d[i] + kick / 2 * a[i]);
        d[i] += kick * a[i];
        q[i] += d[i];
    }
}

/// Adds up w_k f_k; on request also the extremes of f_k, or the filtered displacement and velocity.
template <class V, class T, bool Measured, bool Stateful, class Multipliers> struct filter_sum {
    struct unused {};
    static constexpr bool is_measured = Measured;
    static constexpr bool wants_velocity = Stateful;
    T const* weights;
    int stride; // +1 forward, -1 backward from the start
    V force;
    std::conditional_t<Measured, V, unused> lowest{};
    std::conditional_t<Measured, V, unused> highest{};
    std::conditional_t<Stateful, V, unused> displacement{};
    std::conditional_t<Stateful, V, unused> velocity{};
    V const* origin = nullptr;
    Multipliers multipliers{};

    void tension(int k, Multipliers const& lambda)
        requires requires { lambda.size(); }
    {
        add_scaled(multipliers, weights[k * stride], lambda);
    }

    template <class State> void operator()(int k, V const& a, State const& x) {
        T const w = weights[k * stride];
        add_scaled(force, w, a);
        if constexpr (Measured)
            for (std::size_t i = 0; i < a.size(); ++i) {
                lowest[i] = a[i] < lowest[i] ? a[i] : lowest[i];
                highest[i] = a[i] > highest[i] ? a[i] : highest[i];
            }
        if constexpr (Stateful)
            for (std::size_t i = 0; i < a.size(); ++i) {
                displacement[i] += w * (x.position[i] - (*origin)[i]);
                velocity[i] += w * x.velocity[i];
            }
    }
    /// The same with the velocity carried as the displacement of a step, for vectors of run-time size.
    template <class State> void sample_kick_and_drift(int k, V const& a, State& x, T kick, T inverse_step)
        requires(!Measured && Stateful && known_size<V> == 0)
    {
        sweep_sample(force.data(), displacement.data(), velocity.data(), weights[k * stride], a.data(),
                     x.position.data(), origin->data(), x.velocity.data(), kick, inverse_step, a.size());
    }
    /// A visit and the leapfrog's next kick and drift, in one sweep over the vectors.
    template <class State> void kick_and_drift(int k, V const& a, State& x, T kick, T drift)
        requires(!Measured && !Stateful)
    {
        sum_kick_and_drift(force, weights[k * stride], x.velocity, x.position, a, kick, drift);
    }
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

/// Runs the fast motion through a window and filters its force. Shared by all closures.
template <vibrating System, class Micro> class micro_window {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using angles = typename System::angles;
    static_assert(!adaptive_stepper<Micro>,
                  "the samples of a window are equally spaced: use a micro stepper with fixed "
                  "steps");
    using view = typename detail::view_of<System, false>::type;
    using multipliers = typename detail::view_of<System, false>::multipliers;
    static constexpr bool knows_first_step =
        requires(Micro const& micro, view const& seen, state_of<System> const& x, memory_of<Micro, view>& memory,
                 work_of<System>& work) { micro.prepare_march(seen, T(0), T(0), x, memory, work); };

public:
    struct work_type {
        work_of<System> inner;
        state_of<System> state;
        memory_of<Micro, view> memory;
        memory_of<Micro, view> at_start;
        V force;
        V lowest;
        V highest;
        V displacement; ///< of the last stateful window: the filtered position less the start
        V velocity;     ///< of the last stateful window: the filtered velocity
        [[no_unique_address]] multipliers mean_multipliers; ///< of the last window
        std::uint64_t windows = 0;
        std::uint64_t micro_steps = 0;
        leak_watch leak;
        failure failed;
        std::vector<warning> warnings;
        static auto members(auto& self) {
            return std::tie(self.inner, self.memory, self.mean_multipliers, self.windows, self.micro_steps, self.leak,
                            self.failed, self.warnings);
        }
    };

    micro_window(System system, window const& options, Micro micro)
        : system_(std::move(system))
        , micro_(std::move(micro))
        , plan_(make_plan(system_, options))
        , weights_(plan_.weights.begin(), plan_.weights.end())
        , folded_(plan_.folded.begin(), plan_.folded.end()) {
        if constexpr (requires { micro_.step; })
            if (micro_.step != 0)
                throw misuse(
                    "the micro step belongs to the window (step or steps_per_period), but the micro stepper has "
                    "its own, " +
                    show(static_cast<double>(micro_.step)));
    }

    [[nodiscard]] System const& system() const { return system_; }
    [[nodiscard]] Micro const& micro() const { return micro_; }
    [[nodiscard]] window_plan const& plan() const { return plan_; }

    [[nodiscard]] work_type work() const {
        V const zeros = system_.space().template zeros<T>();
        auto const memory = micro_.start(view{&system_, {}, T(0), T(0)});
        return {.inner = system_.work(),
                .state = origin(system_),
                .memory = memory,
                .at_start = memory,
                .force = zeros,
                .lowest = zeros,
                .highest = zeros,
                .displacement = zeros,
                .velocity = zeros,
                .mean_multipliers = no_multipliers(),
                .leak = {},
                .failed = {},
                .warnings = {}};
    }
    void count(work_type const& work, statistics& counts) const {
        counts.micro_steps = 0; // of the innermost level only: it overwrites this
        system_.count(work.inner, counts);
        if (counts.micro_steps == 0) counts.micro_steps = work.micro_steps;
    }

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
        double deviation = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            T const mean = Held ? out[i] - (*from.holding)[i] : out[i];
            T const above = work.highest[i] - mean;
            T const below = mean - work.lowest[i];
            deviation = std::max(deviation, static_cast<double>(above > below ? above : below));
        }
        work.leak.observe(plan_, static_cast<double>(from.t), deviation, static_cast<double>(max_norm(out)),
                          work.failed, work.warnings);
    }

private:
    static window_plan make_plan(System const& system, window const& options) {
        std::vector<double> frequencies;
        for (auto const w : system.frequencies()) frequencies.push_back(static_cast<double>(w));
        return lento::plan(options, frequencies);
    }

    [[nodiscard]] multipliers no_multipliers() const {
        if constexpr (constrained_motion<System>) return system_.constraints().zeros();
        else return {};
    }
    /// A window whose constraints could not be kept has failed, with their own words.
    [[nodiscard]] bool constraints_failed(work_type& work) const {
        if constexpr (constrained_motion<System>) {
            auto const& failed = system_.constraint_work(work.inner).failed;
            if (failed.happened()) work.failed = failed;
            return failed.happened();
        } else {
            return false;
        }
    }

    template <bool Held> [[nodiscard]] auto open(start const& from, work_type& work) const {
        typename detail::view_of<System, Held>::type const seen{&system_, from.theta, from.t, from.pace, from.holding};
        work.state.position = from.q;
        work.state.velocity = from.v;
        work.memory.fresh = false;
        if constexpr (knows_first_step)
            micro_.prepare_march(seen, T(0), static_cast<T>(plan_.step), work.state, work.memory, work.inner);
        else micro_.prepare(seen, T(0), work.state, work.memory, work.inner);
        return seen;
    }

    template <bool Measured, bool Stateful, bool Held> void run(start const& from, V& out, work_type& work) const {
        auto const seen = open<Held>(from, work);
        T const h = static_cast<T>(plan_.step);

        detail::filter_sum<V, T, Measured, Stateful, multipliers> sum{
            .weights = from.half ? folded_.data() : weights_.data() + plan_.before,
            .stride = 1,
            .force = std::move(work.force)};
        T const w = sum.weights[0];
        bool const both = !from.half && plan_.before > 0;
        // the first multiplier of SHAKE depends on the step it is for: a window to both sides has two of them
        T const first = knows_first_step && both ? w / T(2) : w;
        set_scaled(sum.force, first, work.memory.derivative());
        if constexpr (constrained_motion<System>) {
            sum.multipliers = std::move(work.mean_multipliers);
            set_scaled(sum.multipliers, first, work.memory.multipliers());
        }
        if constexpr (Measured) {
            sum.lowest = std::move(work.lowest);
            sum.highest = std::move(work.highest);
            sum.lowest = work.memory.derivative();
            sum.highest = work.memory.derivative();
        }
        if constexpr (Stateful) {
            sum.origin = &from.q;
            sum.displacement = std::move(work.displacement);
            sum.velocity = std::move(work.velocity);
            set_scaled(sum.displacement, T(0), from.v);
            set_scaled(sum.velocity, w, from.v);
        }
        if (both) work.at_start = work.memory;
        sweep(seen, h, plan_.after, work, sum);
        if (both) {
            work.state.position = from.q;
            work.state.velocity = from.v;
            work.memory = work.at_start;
            sum.stride = -1;
            if constexpr (knows_first_step) {
                micro_.prepare_march(seen, T(0), -h, work.state, work.memory, work.inner);
                add_scaled(sum.force, first, work.memory.derivative());
                if constexpr (constrained_motion<System>) add_scaled(sum.multipliers, first, work.memory.multipliers());
            }
            sweep(seen, -h, plan_.before, work, sum);
        }
        if constexpr (Held) add_scaled(sum.force, T(1), *from.holding); // the weights' mass is 1
        out = sum.force;
        work.force = std::move(sum.force);
        if constexpr (constrained_motion<System>) work.mean_multipliers = std::move(sum.multipliers);
        if constexpr (Measured) {
            work.lowest = std::move(sum.lowest);
            work.highest = std::move(sum.highest);
        }
        if constexpr (Stateful) {
            work.displacement = std::move(sum.displacement);
            work.velocity = std::move(sum.velocity);
        }
    }

    /// The steps of a window to one side. A system may bring its own loop for a micro stepper, force and sums in one
    /// piece: `march_window` does what `march` does with the same roundings, or returns false.
    template <class View, class Sum> void sweep(View const& seen, T h, int steps, work_type& work, Sum& sum) const {
        work.micro_steps += static_cast<std::uint64_t>(steps);
        if constexpr (requires {
                          system_.march_window(micro_, seen, h, steps, work.state, work.memory, work.inner, sum);
                      })
            if (system_.march_window(micro_, seen, h, steps, work.state, work.memory, work.inner, sum)) return;
        march(micro_, seen, T(0), h, steps, work.state, work.memory, work.inner, sum);
    }

    /// A sum that is not finite is looked into: the window is run again to name its first bad sample, unless the system
    /// is itself an effective one and says what went wrong.
    template <bool Held> void find_bad_sample(start const& from, V const& sum, work_type& work) const {
        work.failed = failure_inside(work.inner);
        if (work.failed.happened()) return;
        T const h = static_cast<T>(plan_.step);
        for (T const direction : {T(1), T(-1)}) {
            if (direction < T(0) && from.half) break;
            auto const seen = open<Held>(from, work);
            V const& first = work.memory.derivative();
            if (!all_finite(first)) {
                work.failed = non_finite_force(static_cast<double>(from.t), first_non_finite(first), true);
                return;
            }
            detail::bad_sample<V> bad;
            march(micro_, seen, T(0), direction * h, direction > T(0) ? plan_.after : plan_.before, work.state,
                  work.memory, work.inner, bad);
            if (bad.sample == 0) continue;
            T const elapsed = direction * T(bad.sample) * h;
            work.failed = non_finite_force(static_cast<double>(from.t + elapsed), bad.component, true);
            return;
        }
        work.failed = non_finite_force(static_cast<double>(from.t), first_non_finite(sum), true);
    }

    System system_;
    Micro micro_;
    window_plan plan_;
    std::vector<T> weights_;
    std::vector<T> folded_;
};

} // namespace lento
