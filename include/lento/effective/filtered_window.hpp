#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lento/base/arithmetic.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/concepts.hpp>

namespace lento {

namespace detail {

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

// ---- the loads (Lagrange multipliers) that are filtered beside the force ----

/// There are none.
struct no_loads {
    struct value {};
    value mean{};
};
/// Those that keep constraints, told by the micro stepper.
template <class Loads> struct told_loads {
    using value = Loads;
    Loads mean{};
    template <class T> void hear(T weight, Loads const& lambda) { add_scaled(mean, weight, lambda); }
};
/// Those of springs, which every evaluation of the force leaves in its work.
template <class Loads, class Work> struct left_loads {
    using value = Loads;
    Loads mean{};
    Work const* work = nullptr;
    template <class T> void look(T weight) { add_scaled(mean, weight, work->load); }
};

/// Adds up w_k f_k, and the loads; on request also the extremes of f_k, or the filtered displacement and velocity.
template <class V, class T, bool Measured, bool Stateful, class Loads> struct filter_sum {
    struct unused {};
    static constexpr bool is_measured = Measured;
    static constexpr bool wants_velocity = Stateful;
    T const* weights;
    int stride; // to the weight of the next sample
    V force;
    std::conditional_t<Measured, V, unused> lowest{};
    std::conditional_t<Measured, V, unused> highest{};
    std::conditional_t<Stateful, V, unused> displacement{};
    std::conditional_t<Stateful, V, unused> velocity{};
    V const* origin = nullptr;
    Loads loads{};

    template <class Multipliers> void tension(int k, Multipliers const& lambda)
        requires requires(Loads& all) { all.hear(T(0), lambda); }
    {
        loads.hear(weights[k * stride], lambda);
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
        look(w);
    }
    /// The same with the velocity carried as the displacement of a step, for vectors of run-time size.
    template <class State> void sample_kick_and_drift(int k, V const& a, State& x, T kick, T inverse_step)
        requires(!Measured && Stateful && known_size<V> == 0)
    {
        sweep_sample(force.data(), displacement.data(), velocity.data(), weights[k * stride], a.data(),
                     x.position.data(), origin->data(), x.velocity.data(), kick, inverse_step, a.size());
        look(weights[k * stride]);
    }
    /// A visit and the leapfrog's next kick and drift, in one sweep over the vectors.
    template <class State> void kick_and_drift(int k, V const& a, State& x, T kick, T drift)
        requires(!Measured && !Stateful)
    {
        sum_kick_and_drift(force, weights[k * stride], x.velocity, x.position, a, kick, drift);
        look(weights[k * stride]);
    }

private:
    void look(T weight) {
        if constexpr (requires { loads.look(weight); }) loads.look(weight);
        else static_cast<void>(weight);
    }
};

} // namespace detail

/// The samples of a window and their weights.
template <class T> struct window_samples {
    T step;
    T const* weights; ///< of the start, and behind it of the samples after it
    int after;        ///< steps forward from the start
    int before = 0;   ///< steps back from the start
    int back = -1;    ///< where the weights go on from the start backwards; 1: both sides share them
};

/// Runs a fast motion through a window, forward from its start and back from there, and filters its force, on request
/// its position and velocity too, and the loads. One algorithm for vibrated and for stiff systems; View is the system
/// as the micro stepper sees it in a window.
template <class System, class View, class Micro, class Loads> class filtered_window {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    static_assert(!adaptive_stepper<Micro>, "the samples of a window are equally spaced: use a micro stepper with "
                                            "fixed steps");
    static constexpr bool knows_first_step =
        requires(Micro const& micro, View const& seen, state_of<System> const& x, memory_of<Micro, View>& memory,
                 work_of<System>& work) { micro.prepare_steps(seen, T(0), T(0), x, memory, work); };
    static constexpr bool hears_loads =
        requires(Loads& all, typename Loads::value const& lambda) { all.hear(T(0), lambda); };
    static constexpr bool sees_loads = requires(Loads& all) { all.look(T(0)); };

public:
    using loads = typename Loads::value;

    struct work_type {
        work_of<System> inner;
        state_of<System> state;
        memory_of<Micro, View> memory;
        memory_of<Micro, View> at_start;
        V force;        ///< the filtered force of the last window
        V displacement; ///< of the last stateful window: the filtered position less the start
        V velocity;     ///< of the last stateful window: the filtered velocity
        V lowest;       ///< of the last measured window: the extremes of the force
        V highest;
        [[no_unique_address]] loads first_load; ///< of springs, at the start of the last window
        [[no_unique_address]] loads mean_load;  ///< filtered
        std::uint64_t micro_steps = 0;
        static auto members(auto& self) {
            return std::tie(self.inner, self.memory, self.force, self.displacement, self.velocity, self.first_load,
                            self.mean_load, self.micro_steps);
        }
    };

    filtered_window(System system, Micro micro) : system_(std::move(system)), micro_(std::move(micro)) {}

    [[nodiscard]] System const& system() const { return system_; }
    [[nodiscard]] Micro const& micro() const { return micro_; }

    /// From scratch for the system, a memory for its views and loads of the right number.
    [[nodiscard]] work_type work(work_of<System> inner, memory_of<Micro, View> const& memory, loads none) const {
        V const zeros = system_.space().template zeros<T>();
        return {.inner = std::move(inner),
                .state = origin(system_),
                .memory = memory,
                .at_start = memory,
                .force = zeros,
                .displacement = zeros,
                .velocity = zeros,
                .lowest = zeros,
                .highest = zeros,
                .first_load = none,
                .mean_load = none};
    }
    void count(work_type const& work, statistics& counts) const {
        counts.micro_steps = 0; // of the innermost level only: it overwrites this
        system_.count(work.inner, counts);
        if (counts.micro_steps == 0) counts.micro_steps = work.micro_steps;
    }

    /// Goes to the start, and finds the derivative there.
    template <class Seen>
    void open(Seen const& seen, T t, V const& q, V const& v, [[maybe_unused]] T h, work_type& work) const {
        work.state.position = q;
        work.state.velocity = v;
        work.memory.fresh = false;
        if constexpr (knows_first_step) micro_.prepare_steps(seen, t, h, work.state, work.memory, work.inner);
        else micro_.prepare(seen, t, work.state, work.memory, work.inner);
    }

    /// The window through (q, v) at the time t that the view counts from. What it finds is left in the work.
    template <bool Measured, bool Stateful, class Seen>
    void run(Seen const& seen, T t, V const& q, V const& v, window_samples<T> const& samples, work_type& work) const {
        open(seen, t, q, v, samples.step, work);
        detail::filter_sum<V, T, Measured, Stateful, Loads> sum{
            .weights = samples.weights, .stride = 1, .force = std::move(work.force)};
        T const w = samples.weights[0];
        bool const both = samples.before > 0;
        // the first multiplier of SHAKE depends on the step it is for: a window to both sides has two of them
        T const first = knows_first_step && both ? w / T(2) : w;
        set_scaled(sum.force, first, work.memory.derivative());
        start_loads(first, sum, work);
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
            set_scaled(sum.velocity, w, v);
        }
        if (both) work.at_start = work.memory;
        sweep(seen, t, samples.step, samples.after, work, sum);
        if (both) {
            work.state.position = q;
            work.state.velocity = v;
            work.memory = work.at_start;
            sum.stride = samples.back;
            if constexpr (knows_first_step) {
                micro_.prepare_steps(seen, t, -samples.step, work.state, work.memory, work.inner);
                add_scaled(sum.force, first, work.memory.derivative());
                if constexpr (hears_loads) sum.loads.hear(first, work.memory.multipliers());
            }
            sweep(seen, t, -samples.step, samples.before, work, sum);
        }
        work.force = std::move(sum.force);
        if constexpr (hears_loads || sees_loads) work.mean_load = std::move(sum.loads.mean);
        if constexpr (Measured) {
            work.lowest = std::move(sum.lowest);
            work.highest = std::move(sum.highest);
        }
        if constexpr (Stateful) {
            work.displacement = std::move(sum.displacement);
            work.velocity = std::move(sum.velocity);
        }
    }

    /// The largest |f_k - F| of the last window, a measured one.
    [[nodiscard]] static double deviation(work_type const& work) {
        double largest = 0;
        for (std::size_t i = 0; i < work.force.size(); ++i)
            largest = std::max({largest, static_cast<double>(work.highest[i] - work.force[i]),
                                static_cast<double>(work.force[i] - work.lowest[i])});
        return largest;
    }

private:
    template <class Sum> void start_loads(T weight, Sum& sum, work_type& work) const {
        if constexpr (hears_loads || sees_loads) sum.loads.mean = std::move(work.mean_load);
        if constexpr (hears_loads) set_scaled(sum.loads.mean, weight, work.memory.multipliers());
        if constexpr (sees_loads) {
            sum.loads.work = &work.inner;
            work.first_load = work.inner.load;
            set_scaled(sum.loads.mean, weight, work.inner.load);
        }
    }
    /// The steps of a window to one side. A system may bring its own loop for a micro stepper, force and sums in one
    /// piece: `run_window` does what `take_steps` does with the same roundings, or returns false.
    template <class Seen, class Sum>
    void sweep(Seen const& seen, T t, T h, int steps, work_type& work, Sum& sum) const {
        work.micro_steps += static_cast<std::uint64_t>(steps);
        if constexpr (requires {
                          system_.run_window(micro_, seen, h, steps, work.state, work.memory, work.inner, sum);
                      })
            if (system_.run_window(micro_, seen, h, steps, work.state, work.memory, work.inner, sum)) return;
        take_steps(micro_, seen, t, h, steps, work.state, work.memory, work.inner, sum);
    }

    System system_;
    Micro micro_;
};

} // namespace lento
