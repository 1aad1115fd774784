#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/effective/filtered_window.hpp>
#include <lento/effective/window.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/stiff.hpp>

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
template <stiff_motion System> struct near_place : view_on<System> {
    using typename view_on<System>::scalar;
    using typename view_on<System>::vector;
    using work_type = work_of<System>;

    typename System::place_in_time const* here;

    void acceleration(scalar elapsed, vector const& d, vector& out, work_type& work) const
        requires(!System::uses_velocity)
    {
        this->system->acceleration_near(*here, elapsed, d, out, work);
    }
    void acceleration(scalar elapsed, vector const& d, vector const& v, vector& out, work_type& work) const
        requires(System::uses_velocity)
    {
        this->system->acceleration_near(*here, elapsed, d, v, out, work);
    }
};

} // namespace detail

/// Filters force, position, velocity and the springs' loads of a stiff system over windows about a point. Shared by
/// force averaging and the projection onto the slow manifold.
template <stiff_motion System, class Micro> class stiff_window {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using runner =
        filtered_window<System, System, Micro, detail::left_loads<typename System::multiplier_vector, work_of<System>>>;

public:
    struct work_type : runner::work_type {
        V nowhere; ///< no displacement
    };

    stiff_window(System system, Micro micro) : window_(std::move(system), std::move(micro)) {}

    [[nodiscard]] System const& system() const { return window_.system(); }
    [[nodiscard]] work_type work() const {
        auto inner = system().work();
        auto const none = inner.load;
        return {window_.work(std::move(inner), window_.micro().start(system()), none),
                system().space().template zeros<T>()};
    }
    void count(work_type const& work, statistics& counts) const { window_.count(work, counts); }

    /// Filters with the weights of the samples 0 ... steps, which serve both sides.
    template <bool Measured, bool Stateful>
    void run(T t, V const& q, V const& v, T h, int steps, T const* weights, work_type& work) const {
        window_.template run<Measured, Stateful>(system(), t, q, v, {h, weights, steps, steps, 1}, work);
    }
    /// The same in displacements from a point where the springs are stretched as given, better known than the point.
    template <bool Measured, bool Stateful, class Place>
    void run_near(Place const& here, V const& v, T h, int steps, T const* weights, work_type& work) const {
        window_.template run<Measured, Stateful>(detail::near_place<System>{&system(), &here}, T(0), work.nowhere, v,
                                                 {h, weights, steps, steps, 1}, work);
    }

    /// The largest |f_k - F| of the last measured window.
    [[nodiscard]] static double deviation(work_type const& work) { return runner::deviation(work); }

private:
    runner window_;
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
