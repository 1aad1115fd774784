#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

#include <lento/base/outcome.hpp>
#include <lento/effective/spring_window.hpp>
#include <lento/system/concepts.hpp>

namespace lento {

namespace detail {

/// v^T M v/2 with the mass that this motion has: v^T v/(v^T M^-1 v).
template <class Mass, class V> [[nodiscard]] double kinetic_energy(Mass const& mass, V const& v, V& light) {
    light = v;
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

[[nodiscard]] warning motion_is_fast(double time, double displaced, double path);
[[nodiscard]] warning fast_energy_ignored(double time, double energy, double acceleration, double span, double path);
[[nodiscard]] warning fast_motion_dropped(double time, double energy, double moving);
[[nodiscard]] failure motion_is_lost(double time, double energy, double moving, double shift, double path);
[[nodiscard]] warning constraint_drift(double time, double energy, double moving, double acceleration, double span,
                                       double path);

} // namespace detail

/// Watches what rounding does to springs: omega^2 times the last digit of a coordinate is an acceleration, which must
/// be small beside that of the motion, or must at least leave the velocity of a motion that has hardly any.
class round_off_watch {
public:
    void observe(double t, double frequency, double epsilon, double size, double acceleration, double speed) {
        largest_ = std::max(largest_, acceleration);
        fastest_ = std::max(fastest_, speed);
        if (std::isnan(first_)) first_ = t;
        last_ = t;
        double const noise = frequency * frequency * epsilon * size;
        if (!(noise > noise_)) return;
        noise_ = noise;
        time_ = t;
        frequency_ = frequency;
    }
    void report(std::vector<warning>& warnings) const;
    static auto members(auto& self) {
        return std::tie(self.noise_, self.largest_, self.fastest_, self.first_, self.last_, self.time_,
                        self.frequency_);
    }

private:
    double noise_ = 0;
    double largest_ = 0; ///< acceleration of the motion
    double fastest_ = 0;
    double first_ = std::numeric_limits<double>::quiet_NaN();
    double last_ = 0;
    double time_ = 0;
    double frequency_ = 0;
};

/// Watches two energies that the slow motion of a stiff system should not have to do with: the one the start holds in
/// its fast modes, which acts on the true slow motion and is ignored, and the one that windows have which start off the
/// slow manifold, which is not real and acts on the computed one. Neither matters while the fast frequencies stay the
/// same along the motion. Both are turned into an acceleration, at every macro step where there is energy enough.
template <class System> class fast_energy_watch {
    static constexpr double negligible = 1e-5; ///< against the kinetic energy
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using loads = typename System::multiplier_vector;

public:
    explicit fast_energy_watch(System const& system)
        : carried_(system.modes())
        , passing_(carried_)
        , seen_{std::vector<double>(carried_.springs), std::vector<double>(carried_.springs)}
        , excited_(seen_)
        , light_(system.space().template zeros<T>()) {}

    /// The start and its slow point.
    void start(System const& system, T t, V const& q, V const& v, V const& slow_q, V const& slow_v,
               work_of<System>& work) {
        start_ = last_ = static_cast<double>(t);
        note_displacement(q, slow_q);
        auto const less = [&](loads const& found, double sign, std::vector<double>& sum) {
            for (std::size_t j = 0; j < sum.size(); ++j)
                sum[j] += sign * system.frequencies()[j] * static_cast<double>(found[j]);
        };
        std::fill(seen_.stretch.begin(), seen_.stretch.end(), 0.);
        std::fill(seen_.rate.begin(), seen_.rate.end(), 0.);
        less(system.stretch(t, q, work), 1, seen_.stretch);
        less(system.stretch(t, slow_q, work), -1, seen_.stretch);
        less(system.stretch_rate(t, q, v, work), 1, seen_.rate);
        less(system.stretch_rate(t, slow_q, slow_v, work), -1, seen_.rate);
        system.excite(t, slow_q, seen_, carried_, work);
        ignored_.energy = carried_.energy();
    }
    /// A window that began with these loads and had others in the mean.
    void window(System const& system, loads const& first, loads const& mean) {
        double energy = 0;
        for (std::size_t j = 0; j < first.size(); ++j) {
            seen_.stretch[j] = static_cast<double>(first[j] - mean[j]) / system.frequencies()[j];
            energy += seen_.stretch[j] * seen_.stretch[j] / 2;
        }
        if (!(energy > excited_energy_)) return;
        excited_energy_ = energy;
        excited_.stretch.swap(seen_.stretch);
        std::fill(excited_.rate.begin(), excited_.rate.end(), 0.);
    }
    /// A macro step has come to this state.
    void step(System const& system, T t, V const& q, V const& v, work_of<System>& work) {
        double const now = static_cast<double>(t);
        if (std::isnan(last_)) start_ = last_ = now; // the start was given as slow
        double const elapsed = std::abs(now - last_);
        path_ += detail::euclidean_norm(v) * elapsed;
        last_ = now;
        double const kinetic = detail::kinetic_energy(system.mass(), v, light_);
        most_kinetic_ = std::max(most_kinetic_, kinetic);
        if (ignored_.energy > negligible * most_kinetic_)
            ignored_.observe(now, elapsed, kinetic, system.adiabatic_acceleration(t, q, carried_, work));
        if (excited_energy_ > negligible * most_kinetic_) {
            system.excite(t, q, excited_, passing_, work);
            drift_.energy = excited_energy_;
            drift_.observe(now, elapsed, kinetic, system.adiabatic_acceleration(t, q, passing_, work));
        }
        excited_energy_ = 0;
        for (auto* each : {&ignored_, &drift_}) {
            each->shift += elapsed * each->speed;
            if (std::isnan(each->since) && matters(*each)) each->since = now;
        }
    }
    /// The run has ended here, maybe without a look at its last step.
    void arrive(double now, double speed) { last_part_ = std::isnan(last_) ? 0 : speed * std::abs(now - last_); }
    /// What there is to say at the end of a run: where the accelerations, all in one direction, would have moved the
    /// motion by a thousandth of its path. A warning's time is the one from which on it mattered.
    void report(std::vector<warning>& warnings) const {
        double const span = std::abs(last_ - start_);
        double const whole = path_ + last_part_;
        if (displaced_ > 0.1 * whole && displaced_ > 1e-6 * size_)
            warnings.push_back(detail::motion_is_fast(start_, displaced_, whole));
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
    /// A failure where what windows hold that start off the slow manifold would have moved the motion by more than its
    /// whole path: nothing of it is left.
    [[nodiscard]] failure verdict() const {
        if (!(drift_.shift > path_ + last_part_)) return {};
        return detail::motion_is_lost(drift_.since, drift_.at_energy, drift_.at_kinetic, drift_.shift,
                                      path_ + last_part_);
    }
    /// Where the start holds more than a share of the motion's energy: the full motion is not the slow one.
    void report_dropped(double negligible_share, std::vector<warning>& warnings) const {
        if (ignored_.energy > negligible_share * most_kinetic_ && most_kinetic_ > 0)
            warnings.push_back(detail::fast_motion_dropped(start_, ignored_.energy, most_kinetic_));
    }
    static auto members(auto& self) {
        return std::tie(self.start_, self.last_, self.displaced_, self.size_, self.path_, self.most_kinetic_,
                        self.carried_, self.passing_, self.excited_, self.excited_energy_, self.ignored_, self.drift_);
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
        static auto members(auto& self) {
            return std::tie(self.energy, self.acceleration, self.time, self.at_energy, self.at_kinetic, self.speed,
                            self.shift, self.since);
        }
    };
    /// The fast motion of a start is as wide as it is away from its slow point.
    void note_displacement(V const& q, V const& slow_q) {
        displaced_ = size_ = 0;
        for (std::size_t i = 0; i < q.size(); ++i) {
            displaced_ = std::max(displaced_, std::abs(static_cast<double>(q[i] - slow_q[i])));
            size_ = std::max(size_, std::abs(static_cast<double>(q[i])));
        }
    }
    [[nodiscard]] bool matters(largest const& of) const { return of.shift > 1e-3 * path_; }

    double start_ = std::numeric_limits<double>::quiet_NaN();
    double last_ = std::numeric_limits<double>::quiet_NaN();
    double displaced_ = 0;
    double size_ = 0;
    double last_part_ = 0; ///< of the path
    double path_ = 0;
    double most_kinetic_ = 0;
    fast_modes carried_; ///< with the actions of the start
    fast_modes passing_; ///< with those of a window
    spring_swing seen_;
    spring_swing excited_;
    double excited_energy_ = 0;
    V light_;
    largest ignored_;
    largest drift_;
};

/// All that is looked at where a macro step of a stiff system ends.
template <class System> struct stiff_watch {
    fast_energy_watch<System> energy;
    band_watch band;
    round_off_watch rounding;
    vector_of<System> last_velocity;
    int steps = 0;
    static auto members(auto& self) {
        return std::tie(self.energy, self.band, self.rounding, self.last_velocity, self.steps);
    }

    explicit stiff_watch(System const& system)
        : energy(system), last_velocity(system.space().template zeros<scalar_of<System>>()) {}

    /// Whether to look at this step: always, but where springs are many, so that their frequencies are dear, at some of
    /// the first steps and then at every sixteenth.
    [[nodiscard]] bool looks(System const& system) {
        ++steps;
        return system.are_few() || (steps & (steps - 1)) == 0 || steps % 16 == 0;
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
        rounding.report(warnings);
        energy.report(warnings);
    }
};

} // namespace lento
