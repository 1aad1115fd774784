#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lento/base/force.hpp>
#include <lento/base/mass.hpp>
#include <lento/base/misuse.hpp>
#include <lento/base/space.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// theta = frequency t + phase; with several phases theta_j = frequencies_j t + phases_j.
template <std::size_t Phases, class T> struct vibration {
    each_phase<T, Phases> frequencies{};
    each_phase<T, Phases> phases{};
    [[nodiscard]] each_phase<T, Phases> const& all_frequencies() const { return frequencies; }
    [[nodiscard]] each_phase<T, Phases> const& all_phases() const { return phases; }
};
template <class T> struct vibration<1, T> {
    T frequency{};
    T phase{};
    [[nodiscard]] std::array<T, 1> all_frequencies() const { return {frequency}; }
    [[nodiscard]] std::array<T, 1> all_phases() const { return {phase}; }
};

/// A mechanical system under fast forcing, M x'' = f(x, theta), theta = frequency t + phase (paper 001, section 3).
/// Make one with `vibrated`. As it stands it is an ordinary system that a stepper can integrate directly, resolving
/// every vibration; `effective` turns it into its slow motion.
template <class Space, std::size_t Phases, class T, class Mass, class Force> class vibrated_system
    : public turning_phases<T, Phases> {
    using traits = detail::force_traits<Force>;
    using function = typename traits::function;

public:
    using space_type = Space;
    using scalar = T;
    using vector = typename Space::template vector<T>;
    using state = motion<vector>;
    using typename turning_phases<T, Phases>::angles;
    static constexpr bool uses_time = traits::time;
    static constexpr bool uses_velocity = traits::velocity;

    struct work_type {
        std::uint64_t force_evaluations = 0;
        [[no_unique_address]] detail::force_work<function> force{};
        static auto members(auto& self) { return std::tie(self.force_evaluations); }
    };

    vibrated_system(Space space, vibration<Phases, T> const& options, Mass mass, Force force)
        : turning_phases<T, Phases>(options.all_frequencies(), options.all_phases())
        , space_(space)
        , mass_(std::move(mass))
        , force_(detail::bare_force(std::move(force))) {
        mass_.check(space_.size());
    }

    [[nodiscard]] Space const& space() const { return space_; }
    [[nodiscard]] Mass const& mass() const { return mass_; }
    [[nodiscard]] work_type work() const { return {0, detail::work_for(force_)}; }
    void count(work_type const& work, statistics& counts) const { counts.force_evaluations += work.force_evaluations; }

    /// M^-1 f at given phases and slow time; v is ignored by forces that do not depend on it.
    void acceleration_at(T t, angles const& theta, vector const& q, vector const& v, vector& out,
                         work_type& work) const {
        static_assert(
            force_signature_is_right,
            "the force of a vibrated system is called as f(q, theta), wrapped by with_time as f(q, theta, t), "
            "wrapped by with_velocity as f(q, v, theta, t); in a fixed space it returns an array (or a number "
            "when there is one coordinate), in a dynamic one it writes into a last argument; one that brings work() is "
            "called as f(at, out, work)");
        ++work.force_evaluations;
        if constexpr (detail::brings_work<function>) {
            force_point<T> at{.position = q, .phase = listed(theta), .time = t};
            if constexpr (uses_velocity) at.velocity = v;
            force_(at, std::span<T>(out), work.force);
        } else if constexpr (uses_velocity) {
            detail::call_force<Space>(force_, out, q, v, theta, t);
        } else if constexpr (uses_time) {
            detail::call_force<Space>(force_, out, q, theta, t);
        } else {
            detail::call_force<Space>(force_, out, q, theta);
        }
        mass_.divide(out);
    }

    void acceleration(T t, vector const& q, vector& out, work_type& work) const
        requires(!uses_velocity)
    {
        acceleration_at(t, this->phase_at(t), q, q, out, work);
    }
    void acceleration(T t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(uses_velocity)
    {
        acceleration_at(t, this->phase_at(t), q, v, out, work);
    }

    /// The steps of a window in one piece, where the force has such a piece for this micro stepper: it returns how many
    /// evaluations of itself that took, or 0, having done nothing. Roundings are those of step after step.
    template <class Micro, class View, class Memory, class Sum>
    [[nodiscard]] bool run_window(Micro const& micro, View const& seen, T h, int steps, state& x, Memory& memory,
                                  work_type& work, Sum& sum) const
        requires requires(function const& force) {
            force.fused_window(*this, micro, seen, h, steps, x, memory, work.force, sum);
        }
    {
        std::uint64_t const evaluations = force_.fused_window(*this, micro, seen, h, steps, x, memory, work.force, sum);
        work.force_evaluations += evaluations;
        return evaluations > 0;
    }

private:
    static constexpr bool force_signature_is_right = [] {
        if constexpr (uses_velocity) return detail::force_fits<Space, vector, function, vector, vector, angles, T>;
        else if constexpr (uses_time) return detail::force_fits<Space, vector, function, vector, angles, T>;
        else return detail::force_fits<Space, vector, function, vector, angles>;
    }();

    [[no_unique_address]] Space space_;
    [[no_unique_address]] Mass mass_;
    [[no_unique_address]] function force_;
};

/// A vibrated system with N coordinates: `vibrated<1>({.frequency = omega}, [=](auto const& q, auto theta) {...})`.
/// With several phases, `vibrated<1, 2>({.frequencies = {w1, w2}}, f)`, theta is an array.
template <std::size_t N, std::size_t Phases = 1, class T = double, class Force>
[[nodiscard]] auto vibrated(vibration<Phases, T> const& options, Force force) {
    return vibrated_system<fixed<N>, Phases, T, unit_mass, Force>({}, options, {}, std::move(force));
}
/// The same with a mass: `vibrated<2>({.frequency = w}, mass({1., 2.}), f)`.
template <std::size_t N, std::size_t Phases = 1, class T = double, class Mass, class Force>
[[nodiscard]] auto vibrated(vibration<Phases, T> const& options, Mass mass, Force force) {
    return vibrated_system<fixed<N>, Phases, T, Mass, Force>({}, options, std::move(mass), std::move(force));
}
/// A vibrated system of run-time size: `vibrated(dynamic(n), {.frequency = w}, f)`; f writes into its last argument.
template <std::size_t Phases = 1, class T = double, class Force>
[[nodiscard]] auto vibrated(dynamic space, vibration<Phases, T> const& options, Force force) {
    return vibrated_system<dynamic, Phases, T, unit_mass, Force>(space, options, {}, std::move(force));
}
template <std::size_t Phases = 1, class T = double, class Mass, class Force>
[[nodiscard]] auto vibrated(dynamic space, vibration<Phases, T> const& options, Mass mass, Force force) {
    return vibrated_system<dynamic, Phases, T, Mass, Force>(space, options, std::move(mass), std::move(force));
}

} // namespace lento
