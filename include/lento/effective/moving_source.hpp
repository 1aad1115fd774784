#pragma once

#include <cstddef>
#include <vector>

#include <lento/effective/harmonic_reach.hpp>
#include <lento/effective/interaction.hpp>
#include <lento/effective/micro_window.hpp>
#include <lento/effective/phase_torus.hpp>
#include <lento/system/phase.hpp>

/// What the moving spectral mean samples: a force or rate at a time, a place on the torus of phases, a position and a
/// velocity.
namespace lento::detail {

/// x'' = f(x, x', theta, t)
template <vibrating System> struct vibrated_source {
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;
    using place = typename System::angles;
    static constexpr int power = 2;
    static constexpr bool uses_velocity = System::uses_velocity;

    System const& system;
    work_of<System>& inner;

    [[nodiscard]] static independent_phases phases_of(System const& system) {
        auto const frequencies = system.frequencies();
        auto const starts = system.phase_at(scalar(0));
        auto const listed_starts = listed(starts);
        return independent(std::vector<long double>(frequencies.begin(), frequencies.end()),
                           std::vector<long double>(listed_starts.begin(), listed_starts.end()));
    }
    [[nodiscard]] place at(independent_phases const& phases, std::vector<long double> const& phi) const {
        auto theta = system.frequencies(); // as many numbers
        auto const given = phases.given(phi);
        for (std::size_t p = 0; p < theta.size(); ++p) theta[p] = static_cast<scalar>(given[p]);
        return System::packed(theta);
    }
    void operator()(scalar t, place const& theta, vector const& q, vector const& v, vector& out) const {
        system.acceleration_at(t, theta, q, v, out, inner);
    }
    [[nodiscard]] static int points_for_mean(int order, harmonic_reach const& of) {
        return lento::points_for_mean(order, of);
    }
    [[nodiscard]] static int points_for_oscillation(int order, harmonic_reach const& of) {
        return lento::points_for_oscillation(order, of);
    }
};

/// w' = e^{-sA/epsilon} f0(e^{sA/epsilon} w, t): a split system in the interaction picture, a time s into its period.
template <class System> struct turning_source {
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = point<vector>;
    using place = scalar;
    static constexpr int power = 1;
    static constexpr bool uses_velocity = false;

    System const& system;
    work_of<System>& inner;

    [[nodiscard]] static independent_phases phases_of(System const& system) {
        return {.frequencies = {two_pi<long double> / static_cast<long double>(system.period())},
                .starts = {0},
                .offsets = {0},
                .turns = {{1}}};
    }
    [[nodiscard]] place at(independent_phases const& phases, std::vector<long double> const& phi) const {
        return static_cast<scalar>(phi[0] / phases.frequencies[0]);
    }
    void operator()(scalar t, place const& elapsed, vector const& x, vector const&, vector& out) const {
        // frames agree at t - elapsed: the slow time is t
        system.window_rate(t - elapsed, elapsed, scalar(1), true, x, out, inner);
    }
    [[nodiscard]] static int points_for_mean(int order, harmonic_reach const& of) {
        return points_for_mean_rate(order, of);
    }
    [[nodiscard]] static int points_for_oscillation(int order, harmonic_reach const& of) {
        return points_for_oscillating_rate(order, of);
    }
};

} // namespace lento::detail
