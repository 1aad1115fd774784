#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <lento/effective/stiff_window.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/outcome.hpp>

namespace lento {

namespace detail {

/// v^T M v/2 with the mass that this motion has: v^T v/(v^T M^-1 v).
template <class Mass, class V> [[nodiscard]] double kinetic_energy(Mass const& mass, V const& v) {
    V light = v;
    mass.divide(light);
    double square = 0;
    double divided = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        square += static_cast<double>(v[i] * v[i]);
        divided += static_cast<double>(v[i] * light[i]);
    }
    return divided > 0 ? square * square / divided / 2 : 0;
}
template <class V> [[nodiscard]] double euclidean_norm(V const& v) {
    double square = 0;
    for (auto const& component : v) square += static_cast<double>(component * component);
    return std::sqrt(square);
}

[[nodiscard]] warning fast_energy_ignored(double time, double energy, double acceleration, double span, double path);
[[nodiscard]] warning constraint_drift(double time, double energy, double moving, double acceleration, double span,
                                       double path);

} // namespace detail

/// A stiff system that knows how the energy of its fast modes acts on the slow motion.
template <class System>
concept feels_fast_energy = stiff_motion<System> && requires(System const& system, scalar_of<System> t,
                                                             vector_of<System> const& q, work_of<System>& work) {
    system.adiabatic_acceleration(t, q, system.actions(t, q, typename System::swing{}, work), work);
};

/// Watches two energies that the slow motion of a stiff system should not have to do with: the one the start holds in
/// its fast modes, which acts on the true slow motion and is ignored, and the one that windows have which start off the
/// slow manifold, which is not real and acts on the computed one. Neither matters while the fast frequencies stay the
/// same along the motion. Both are turned into an acceleration, at every macro step where there is energy enough.
template <class System> class fast_energy_watch {
    static constexpr double negligible = 1e-5; ///< against the kinetic energy
    using T = scalar_of<System>;
    using V = vector_of<System>;

public:
    /// The start and its slow point.
    void start(System const& system, T t, V const& q, V const& v, V const& slow_q, V const& slow_v,
               work_of<System>& work) {
        start_ = last_ = static_cast<double>(t);
        if constexpr (feels_fast_energy<System>) {
            auto const loose = system.stretch(t, q, work);
            auto const slow = system.stretch(t, slow_q, work);
            auto const loose_rate = system.stretch_rate(t, q, v, work);
            auto const slow_rate = system.stretch_rate(t, slow_q, slow_v, work);
            typename System::swing seen;
            for (std::size_t j = 0; j < loose.size(); ++j) {
                seen.stretch[j] = system.frequencies()[j] * static_cast<double>(loose[j] - slow[j]);
                seen.rate[j] = system.frequencies()[j] * static_cast<double>(loose_rate[j] - slow_rate[j]);
            }
            actions_ = system.actions(t, slow_q, seen, work);
            auto const band = system.fast_band(t, slow_q, work);
            ignored_.energy = 0;
            for (std::size_t j = 0; j < band.size(); ++j) ignored_.energy += actions_[j] * band[j];
        }
    }
    /// A window that began with these loads and had others in the mean.
    template <class Loads> void window(System const& system, Loads const& first, Loads const& mean) {
        if constexpr (feels_fast_energy<System>) {
            typename System::swing seen;
            double energy = 0;
            for (std::size_t j = 0; j < first.size(); ++j) {
                seen.stretch[j] = static_cast<double>(first[j] - mean[j]) / system.frequencies()[j];
                energy += seen.stretch[j] * seen.stretch[j] / 2;
            }
            if (!(energy > excited_.energy)) return;
            excited_.energy = energy;
            excited_.seen = seen;
        }
    }
    /// A macro step has come to this state.
    void step(System const& system, T t, V const& q, V const& v, work_of<System>& work) {
        if constexpr (feels_fast_energy<System>) {
            double const now = static_cast<double>(t);
            if (std::isnan(last_)) start_ = last_ = now; // the start was given as slow
            double const elapsed = now - last_;
            path_ += detail::euclidean_norm(v) * elapsed;
            last_ = now;
            double const kinetic = detail::kinetic_energy(system.mass(), v);
            most_kinetic_ = std::max(most_kinetic_, kinetic);
            if (ignored_.energy > negligible * most_kinetic_)
                ignored_.observe(now, elapsed, kinetic, system.adiabatic_acceleration(t, q, actions_, work));
            if (excited_.energy > negligible * most_kinetic_) {
                auto const found = system.actions(t, q, excited_.seen, work);
                drift_.energy = excited_.energy;
                drift_.observe(now, elapsed, kinetic, system.adiabatic_acceleration(t, q, found, work));
            }
            excited_.energy = 0;
            for (auto* each : {&ignored_, &drift_}) {
                each->shift += elapsed * each->speed;
                if (std::isnan(each->since) && matters(*each)) each->since = now;
            }
        } else {
            static_cast<void>(system), static_cast<void>(t), static_cast<void>(q), static_cast<void>(v),
                static_cast<void>(work);
        }
    }
    /// What there is to say at the end of a run: where the accelerations, all in one direction, would have moved the
    /// motion by a thousandth of its path. A warning's time is the one from which on it mattered.
    void report(std::vector<warning>& warnings) const {
        double const span = last_ - start_;
        if (matters(ignored_)) {
            warnings.push_back(
                detail::fast_energy_ignored(ignored_.time, ignored_.energy, ignored_.acceleration, span, path_));
            warnings.back().time = ignored_.since;
        }
        if (matters(drift_)) {
            warnings.push_back(detail::constraint_drift(drift_.time, drift_.at_energy, drift_.at_kinetic,
                                                        drift_.acceleration, span, path_));
            warnings.back().time = drift_.since;
        }
    }

private:
    struct largest {
        double energy = 0;
        double acceleration = 0;
        double time = 0;
        double at_energy = 0;
        double at_kinetic = 0;
        double speed = 0; ///< what the acceleration has added up to, had it always had one direction
        double shift = 0;
        double since = std::numeric_limits<double>::quiet_NaN(); ///< the time from which on it matters
        void observe(double t, double elapsed, double kinetic, double seen) {
            speed += elapsed * seen;
            if (!(seen > acceleration)) return;
            acceleration = seen;
            time = t;
            at_energy = energy;
            at_kinetic = kinetic;
        }
    };
    [[nodiscard]] bool matters(largest const& of) const { return of.shift > 1e-3 * path_; }

    struct nothing {};
    template <class S> struct parts {
        using swing = nothing;
        using actions = nothing;
    };
    template <feels_fast_energy S> struct parts<S> {
        using swing = typename S::swing;
        using actions = std::array<double, S::spring_count>;
    };
    struct excitation {
        double energy = 0;
        typename parts<System>::swing seen{};
    };

    double start_ = std::numeric_limits<double>::quiet_NaN();
    double last_ = std::numeric_limits<double>::quiet_NaN();
    double path_ = 0;
    double most_kinetic_ = 0;
    typename parts<System>::actions actions_{};
    excitation excited_;
    largest ignored_;
    largest drift_;
};

/// All that is looked at where a macro step of a stiff system ends.
template <class System> struct stiff_watch {
    fast_energy_watch<System> energy;
    band_watch band;
    vector_of<System> last_velocity;
    int steps = 0;

    /// Whether to look at this step: always, but of large systems, whose frequencies are dear, at some of the first
    /// ones and then at every sixteenth.
    [[nodiscard]] bool looks() {
        ++steps;
        return System::space_type::is_fixed || (steps & (steps - 1)) == 0 || steps % 16 == 0;
    }
    /// `frequencies` are those at q. An averaged motion `runs_away` where the filter's response is negative.
    template <class Band> void step(System const& system, window_plan const& plan, scalar_of<System> t,
                                    vector_of<System> const& q, vector_of<System> const& v, Band const& frequencies,
                                    bool runs_away, work_of<System>& work, failure& failed) {
        add_scaled(last_velocity, scalar_of<System>(-1), v);
        band.step(plan, static_cast<double>(t), frequencies, runs_away, detail::euclidean_norm(v),
                  detail::euclidean_norm(last_velocity), failed);
        last_velocity = v;
        if (!failed.happened()) energy.step(system, t, q, v, work);
    }
    void report(window_plan const& plan, std::vector<warning>& warnings) const {
        band.report(plan, warnings);
        energy.report(warnings);
    }
};

} // namespace lento
