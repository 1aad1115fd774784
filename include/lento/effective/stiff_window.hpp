#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/constraint/stiff.hpp>
#include <lento/effective/micro_window.hpp>
#include <lento/effective/window.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/arithmetic.hpp>
#include <lento/system/concepts.hpp>

namespace lento {

/// What a window's filter does to the fast motion of a stiff system: the response at each frequency of Verlet's
/// discrete oscillation, and the frequency that the averaged motion is left with (imaginary where the response is
/// negative).
struct filter_check {
    double frequency = 0;
    double response = 0;
    double rate = 0; ///< frequency times the root of |response|
    static auto members(auto& self) { return std::tie(self.frequency, self.response, self.rate); }

    /// Whether a run of this length, in steps of this size (0 where they adapt), goes wrong by that: a failure, or a
    /// success where all is well.
    [[nodiscard]] failure verdict(double span, double step) const;
};

/// Where the modes of a stiff system lie.
struct mode_range {
    double slowest = 0; ///< of the fast modes
    double fastest = 0;
    double slow = 0; ///< the largest frequency of the slow motion, 0 where it is not known
    static auto members(auto& self) { return std::tie(self.slowest, self.fastest, self.slow); }

    /// A failure where a window of this length is no short time for the slow motion.
    [[nodiscard]] failure verdict(double window_length) const;
};

/// Throws misuse where no stiff system can have such a window.
void check_stiff(window const& options);
/// The plan of a window for modes of these frequencies, with its leak taken at the angles by which Verlet turns them.
/// Throws misuse where the micro step is beyond Verlet's limit.
[[nodiscard]] window_plan stiff_plan(window const& options, std::span<double const> band);
/// The mode that the filter treats worst: the largest negative response, else the largest rate.
[[nodiscard]] filter_check worst_mode(window_plan const& plan, std::span<double const> band);

/// Follows the fast frequencies along a motion: whether the micro step still resolves the fastest, the window still
/// removes the slowest, and nothing grows for long under a filter of the wrong sign.
class band_watch {
public:
    /// A macro step has come to time t, with this velocity in the Euclidean norm and its change in the step. An
    /// averaged motion runs away where the response is negative; one that is projected is not there to do so.
    void step(window_plan const& plan, double t, std::span<double const> band, bool runs_away, double speed,
              double change, failure& failed);
    /// At the end of a run: whether the motion was slow beside its windows.
    void report(window_plan const& plan, std::vector<warning>& warnings) const;
    static auto members(auto& self) {
        return std::tie(self.last_, self.growth_, self.fastest_motion_, self.largest_rate_, self.rate_time_,
                        self.slowest_);
    }

private:
    double last_ = std::numeric_limits<double>::quiet_NaN();
    double growth_ = 0; ///< the integral of the rate at which the averaged motion runs away
    double fastest_motion_ = 0;
    double largest_rate_ = 0; ///< of the velocity's change
    double rate_time_ = 0;
    double slowest_ = 0; ///< fast frequency at that time
};

namespace detail {

/// A stiff system seen from a place: positions are displacements, times are elapsed ones.
template <stiff_motion System> struct near_place {
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;
    using work_type = work_of<System>;

    System const* system;
    typename System::place_in_time const* here;

    [[nodiscard]] auto const& space() const { return system->space(); }
    [[nodiscard]] work_type work() const { return system->work(); }
    void count(work_type const& work, statistics& counts) const { system->count(work, counts); }
    void acceleration(scalar elapsed, vector const& d, vector& out, work_type& work) const
        requires(!System::uses_velocity)
    {
        system->acceleration_near(*here, elapsed, d, out, work);
    }
    void acceleration(scalar elapsed, vector const& d, vector const& v, vector& out, work_type& work) const
        requires(System::uses_velocity)
    {
        system->acceleration_near(*here, elapsed, d, v, out, work);
    }
};

} // namespace detail

/// Runs a stiff system through a window about a point and filters force, position and velocity. Shared by force
/// averaging and the projection onto the slow manifold.
template <stiff_motion System, class Micro> class stiff_window {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using loads = typename System::multiplier_vector;
    struct none {};

    /// The sums of a window, and those of the springs' loads, which the last evaluation of the force leaves in its
    /// work.
    template <bool Measured, bool Stateful> struct sums : detail::filter_sum<V, T, Measured, Stateful, none> {
        using base = detail::filter_sum<V, T, Measured, Stateful, none>;
        work_of<System> const* inner = nullptr;
        loads mean{};
        template <class State> void operator()(int k, V const& a, State const& x) {
            base::operator()(k, a, x);
            add_scaled(mean, this->weights[k * this->stride], inner->load);
        }
        template <class State> void kick_and_drift(int k, V const& a, State& x, T kick, T drift)
            requires(!Measured && !Stateful)
        {
            base::kick_and_drift(k, a, x, kick, drift);
            add_scaled(mean, this->weights[k * this->stride], inner->load);
        }
        template <class State> void sample_kick_and_drift(int k, V const& a, State& x, T kick, T inverse_step)
            requires(!Measured && Stateful && detail::known_size<V> == 0)
        {
            base::sample_kick_and_drift(k, a, x, kick, inverse_step);
            add_scaled(mean, this->weights[k * this->stride], inner->load);
        }
    };

public:
    struct work_type {
        work_of<System> inner;
        state_of<System> state;
        memory_of<Micro, System> memory;
        memory_of<Micro, System> at_start;
        V force;        ///< the filtered force of the last window
        V displacement; ///< the filtered position less the start, of the last stateful window
        V velocity;     ///< the filtered velocity of the last stateful window
        V lowest;
        V highest;
        V nowhere;        ///< no displacement
        loads first_load; ///< omega^2 g at the start of the last window
        loads mean_load;  ///< and filtered
        std::uint64_t micro_steps = 0;
        static auto members(auto& self) {
            return std::tie(self.inner, self.memory, self.force, self.displacement, self.velocity, self.first_load,
                            self.mean_load, self.micro_steps);
        }
    };

    stiff_window(System system, Micro micro) : system_(std::move(system)), micro_(std::move(micro)) {}

    [[nodiscard]] System const& system() const { return system_; }
    [[nodiscard]] work_type work() const {
        V const zeros = system_.space().template zeros<T>();
        auto const memory = micro_.start(system_);
        auto inner = system_.work();
        loads const none_yet = inner.load;
        return {.inner = std::move(inner),
                .state = origin(system_),
                .memory = memory,
                .at_start = memory,
                .force = zeros,
                .displacement = zeros,
                .velocity = zeros,
                .lowest = zeros,
                .highest = zeros,
                .nowhere = zeros,
                .first_load = none_yet,
                .mean_load = none_yet};
    }
    void count(work_type const& work, statistics& counts) const {
        system_.count(work.inner, counts);
        counts.micro_steps = work.micro_steps;
    }

    /// Filters with the weights of the samples 0 ... steps, which serve both sides.
    template <bool Measured, bool Stateful>
    void run(T t, V const& q, V const& v, T h, int steps, T const* weights, work_type& work) const {
        run_through<Measured, Stateful>(system_, t, q, v, h, steps, weights, work);
    }
    /// The same in displacements from a point where the springs are stretched as given, better known than the point.
    template <bool Measured, bool Stateful, class Place>
    void run_near(Place const& here, V const& v, T h, int steps, T const* weights, work_type& work) const {
        run_through<Measured, Stateful>(detail::near_place<System>{&system_, &here}, T(0), work.nowhere, v, h, steps,
                                        weights, work);
    }

    /// The largest |f_k - F| of the last measured window.
    [[nodiscard]] static double deviation(work_type const& work) {
        double largest = 0;
        for (std::size_t i = 0; i < work.force.size(); ++i)
            largest = std::max({largest, static_cast<double>(work.highest[i] - work.force[i]),
                                static_cast<double>(work.force[i] - work.lowest[i])});
        return largest;
    }

private:
    template <bool Measured, bool Stateful, class Seen> void run_through(Seen const& seen, T t, V const& q, V const& v,
                                                                         T h, int steps, T const* weights,
                                                                         work_type& work) const {
        work.state.position = q;
        work.state.velocity = v;
        work.memory.fresh = false;
        micro_.prepare(seen, t, work.state, work.memory, work.inner);
        sums<Measured, Stateful> sum{
            {.weights = weights, .stride = 1, .force = std::move(work.force)}, &work.inner, std::move(work.mean_load)};
        work.first_load = work.inner.load;
        set_scaled(sum.mean, weights[0], work.inner.load);
        set_scaled(sum.force, weights[0], work.memory.derivative());
        if constexpr (Measured) {
            sum.lowest = std::move(work.lowest);
            sum.highest = std::move(work.highest);
            sum.lowest = work.memory.derivative();
            sum.highest = work.memory.derivative();
        }
        if constexpr (Stateful) {
            sum.origin = &q;
            sum.displacement = std::move(work.displacement);
            sum.velocity = std::move(work.velocity);
            set_scaled(sum.displacement, T(0), v);
            set_scaled(sum.velocity, weights[0], v);
        }
        work.at_start = work.memory;
        march(micro_, seen, t, h, steps, work.state, work.memory, work.inner, sum);
        work.state.position = q;
        work.state.velocity = v;
        work.memory = work.at_start;
        march(micro_, seen, t, -h, steps, work.state, work.memory, work.inner, sum);
        work.micro_steps += 2 * static_cast<std::uint64_t>(steps);
        work.force = std::move(sum.force);
        work.mean_load = std::move(sum.mean);
        if constexpr (Measured) {
            work.lowest = std::move(sum.lowest);
            work.highest = std::move(sum.highest);
        }
        if constexpr (Stateful) {
            work.displacement = std::move(sum.displacement);
            work.velocity = std::move(sum.velocity);
        }
    }

    System system_;
    Micro micro_;
};

namespace detail {

/// The range of a system's modes at a state; `band` is the one there.
template <stiff_motion System> [[nodiscard]] mode_range modes_of(System const& system, state_of<System> const& at,
                                                                 scalar_of<System> t, std::span<double const> band,
                                                                 work_of<System>& work) {
    mode_range range{band.front(), band.back(), 0};
    if constexpr (requires { system.slow_frequency(t, at.position, at.velocity, work); })
        range.slow = system.slow_frequency(t, at.position, at.velocity, work);
    return range;
}

/// The system whose windows run in numbers of type Real.
template <class Real, class System> [[nodiscard]] auto in_scalar(System const& system) {
    if constexpr (std::is_same_v<Real, scalar_of<System>>) return system;
    else return system.template in<Real>();
}
template <class To, class From> inline void convert(To& to, From const& from) {
    if constexpr (requires { to.resize(from.size()); }) to.resize(from.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<typename To::value_type>(from[i]);
}

[[nodiscard]] failure projection_diverged(double time, int iterations, double change, double tolerance);
[[nodiscard]] failure windows_cover_run(double time, double covered, double length);

} // namespace detail
} // namespace lento
