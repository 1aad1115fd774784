#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/effective/micro_window.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// The zero-mean oscillation xi(X, theta) of a vibrated system around its slow position X, by trigonometric
/// interpolation of the force on a grid of phases: d^2 xi/dt^2 = f - <f> along the turning phases. With one pass the
/// force is taken at X itself; every further pass takes it at X + xi, and where it depends on the velocity at
/// V + d xi/dt, and gains a factor O(1/omega) (Picard).
template <vibrating System> class oscillation {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using angles = typename System::angles;
    using list = std::remove_cvref_t<decltype(std::declval<System const&>().frequencies())>; // a number for each phase

public:
    /// Samples of the force over the grid of phases, and the displacements and their rates there. The rates are empty
    /// where no force asks for them.
    struct work_type {
        std::vector<V> force;
        std::vector<V> displacement;
        std::vector<V> rate;
        V point;
        V velocity;
        V fresh;
    };

    oscillation(System const& system, int points)
        : points_(static_cast<std::size_t>(points)), frequencies_(system.frequencies()) {
        if (points < 3) throw misuse("a period needs at least 3 sampled phases, but it has " + std::to_string(points));
        constexpr std::size_t most = 4096; // their weights on each other take 128 MB
        std::size_t total = 1;
        for (std::size_t j = 0; j < phases(); ++j) {
            total *= points_;
            if (total > most)
                throw misuse("a grid of " + std::to_string(points) + " points in each of " + std::to_string(phases()) +
                             " phases is too large; it may have 4096 in all");
        }
        for (std::size_t i = 0; i < total; ++i) {
            grid_.push_back(grid_phase(i));
            mirrored_.push_back(opposite(i));
        }
        modes_ = resolved_modes();
        tabulate(on_grid_, false);
        if constexpr (System::uses_velocity) tabulate(rates_on_grid_, true);
    }

    [[nodiscard]] std::size_t samples() const { return grid_.size(); }
    [[nodiscard]] std::size_t points() const { return points_; }
    [[nodiscard]] angles phase(std::size_t sample) const { return System::packed(grid_[sample]); }
    /// The phases beyond those of a sample, all by the same angle.
    [[nodiscard]] angles phase(std::size_t sample, T angle) const {
        list theta = grid_[sample];
        for (std::size_t j = 0; j < phases(); ++j) theta[j] += angle;
        return System::packed(theta);
    }
    /// The sample at the opposite phase.
    [[nodiscard]] std::size_t mirrored(std::size_t sample) const { return mirrored_[sample]; }

    [[nodiscard]] work_type work(System const& system) const {
        V const zeros = system.space().template zeros<T>();
        return {std::vector<V>(samples(), zeros),
                std::vector<V>(samples(), zeros),
                std::vector<V>(System::uses_velocity ? samples() : 0, zeros),
                zeros,
                zeros,
                zeros};
    }

    /// Samples the force along X + xi over the whole grid, or over its first half when the force is even. Returns the
    /// largest change of a sample.
    [[nodiscard]] T sample(System const& system, T t, V const& x, V const& v, bool even, work_type& work,
                           work_of<System>& inner) const {
        T change(0);
        for (std::size_t i = 0; i < samples(); ++i) {
            std::size_t const twin = mirrored(i);
            if (even && twin < i) {
                work.force[i] = work.force[twin];
                continue;
            }
            set_sum(work.point, x, T(1), work.displacement[i]);
            if constexpr (System::uses_velocity) {
                set_sum(work.velocity, v, T(1), work.rate[i]);
                system.acceleration_at(t, phase(i), work.point, work.velocity, work.fresh, inner);
            } else {
                system.acceleration_at(t, phase(i), work.point, v, work.fresh, inner);
            }
            std::swap(work.force[i], work.fresh);
            add_scaled(work.fresh, T(-1), work.force[i]);
            change = std::max(change, max_norm(work.fresh));
        }
        return change;
    }
    /// The displacements at the grid's phases that belong to the sampled force, and their rates.
    void displace(work_type& work) const {
        combine(on_grid_, work.force, work.displacement);
        if constexpr (System::uses_velocity) combine(rates_on_grid_, work.force, work.rate);
    }
    void rest(work_type& work) const {
        for (auto* all : {&work.displacement, &work.rate})
            for (V& each : *all)
                for (auto& component : each) component = T(0); // not 0 times an old force: that may be NaN
    }

    /// xi at given phases, from the samples.
    void displacement_at(angles const& theta, work_type const& work, V& out) const {
        set_scaled(out, T(0), work.force[0]);
        for (std::size_t i = 0; i < samples(); ++i) add_scaled(out, weight(theta, i, false), work.force[i]);
    }
    /// d xi/dt at given phases, from the samples.
    void velocity_at(angles const& theta, work_type const& work, V& out) const {
        set_scaled(out, T(0), work.force[0]);
        for (std::size_t i = 0; i < samples(); ++i) add_scaled(out, weight(theta, i, true), work.force[i]);
    }

    /// Both at given phases for the slow position X, in `passes` sweeps of the grid.
    void at(System const& system, T t, angles const& theta, V const& x, V const& v, int passes, V& displacement,
            V& velocity, work_type& work, work_of<System>& inner) const {
        rest(work);
        for (int pass = 0; pass < passes; ++pass) {
            if (pass > 0) displace(work);
            static_cast<void>(sample(system, t, x, v, false, work, inner));
        }
        displacement_at(theta, work, displacement);
        velocity_at(theta, work, velocity);
    }

private:
    struct mode {
        list order;
        T frequency;
    };

    /// out_i = sum_j weights_ij force_j
    static void combine(std::vector<T> const& weights, std::vector<V> const& force, std::vector<V>& out) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            set_scaled(out[i], T(0), force[0]);
            for (std::size_t j = 0; j < force.size(); ++j) add_scaled(out[i], weights[i * force.size() + j], force[j]);
        }
    }
    /// What the force at each grid point adds at each other one: a matter of their difference alone.
    void tabulate(std::vector<T>& table, bool rate) const {
        std::vector<T> apart(samples());
        for (std::size_t i = 0; i < samples(); ++i) apart[i] = weight(phase(i), 0, rate);
        table.resize(samples() * samples());
        for (std::size_t i = 0; i < samples(); ++i)
            for (std::size_t j = 0; j < samples(); ++j) {
                std::size_t difference = 0;
                for (std::size_t k = 0, scale = 1; k < phases(); ++k, scale *= points_)
                    difference += scale * ((i / scale + points_ - j / scale % points_) % points_);
                table[i * samples() + j] = apart[difference];
            }
    }
    [[nodiscard]] std::size_t phases() const { return frequencies_.size(); }
    [[nodiscard]] list grid_phase(std::size_t i) const {
        list theta = frequencies_;
        for (std::size_t j = 0; j < phases(); ++j, i /= points_) theta[j] = two_pi<T> * T(i % points_) / T(points_);
        return theta;
    }

    [[nodiscard]] std::size_t opposite(std::size_t sample) const {
        std::size_t result = 0;
        for (std::size_t j = 0, scale = 1; j < phases(); ++j, scale *= points_)
            result += scale * ((points_ - sample / scale % points_) % points_);
        return result;
    }

    /// One of each pair of opposite modes that the grid resolves, but not the mean.
    [[nodiscard]] std::vector<mode> resolved_modes() const {
        std::vector<mode> modes;
        T const highest = T((points_ - 1) / 2);
        list order = frequencies_;
        for (std::size_t j = 0; j < phases(); ++j) order[j] = -highest;
        for (bool more = true; more;) {
            T sign(0);
            T frequency(0);
            T size(0);
            for (std::size_t j = 0; j < phases(); ++j) {
                if (sign == T(0)) sign = order[j];
                frequency += order[j] * frequencies_[j];
                size = size > frequencies_[j] ? size : frequencies_[j];
            }
            if (sign > T(0)) {
                using std::abs;
                if (abs(frequency) > T(1e-9) * size) modes.push_back({order, frequency});
            }
            more = false;
            for (std::size_t j = 0; j < phases() && !more; ++j) {
                more = order[j] < highest;
                order[j] = more ? order[j] + T(1) : -highest;
            }
        }
        return modes;
    }

    /// What the force at a grid point adds to xi (or its rate) at theta: -sum cos(m phi)/(m w)^2 (sum sin(m phi)/(m w))
    /// over the resolved modes m, phi the difference of phases.
    [[nodiscard]] T weight(angles const& theta, std::size_t sample, bool rate) const {
        using std::cos;
        using std::sin;
        T sum(0);
        for (mode const& each : modes_) {
            T phi(0);
            for (std::size_t j = 0; j < phases(); ++j) phi += each.order[j] * (listed(theta)[j] - grid_[sample][j]);
            sum += rate ? sin(phi) / each.frequency : -cos(phi) / (each.frequency * each.frequency);
        }
        return T(2) * sum / T(samples());
    }

    std::size_t points_;
    list frequencies_;
    std::vector<list> grid_;
    std::vector<std::size_t> mirrored_;
    std::vector<mode> modes_;
    std::vector<T> on_grid_;       // what the force at the second grid point adds to xi at the first
    std::vector<T> rates_on_grid_; // and to d xi/dt
};

/// True and slow states of a vibrated system: x = X + xi, v = V + d xi/dt - xi_X V. The last term joins the motion of
/// xi with X and the velocity's own share in the second-order oscillation; it is right to O(1/omega^2).
template <vibrating System> class slow_state_map {
    using T = scalar_of<System>;
    using V = vector_of<System>;

public:
    /// 8 phases of one or two, fewer of more, because the grid is a torus; with fewer than 5 the second harmonics,
    /// which are of O(1/omega^2), would be lost.
    explicit slow_state_map(System const& system) : oscillation_(system, system.frequencies().size() <= 2 ? 8 : 5) {}

    struct work_type {
        typename oscillation<System>::work_type samples;
        V x;
        V v;
        V displacement;
        V velocity;
        V change;
        V point;
        V scratch;
    };
    [[nodiscard]] work_type work(System const& system) const {
        V const zeros = system.space().template zeros<T>();
        return {oscillation_.work(system), zeros, zeros, zeros, zeros, zeros, zeros, zeros};
    }

    /// Replaces a physical state by its slow one. Where the system is itself a mean over a faster phase, that one
    /// first.
    void lower(System const& system, T t, state_of<System>& state, work_type& work, work_of<System>& inner) const {
        if constexpr (has_true_state<System>) system.lower(t, state, inner);
        work.x = state.position;
        work.v = state.velocity;
        for (int iteration = 0; iteration < 2; ++iteration) {
            find(system, t, state, work, inner);
            set_sum(state.position, work.x, T(-1), work.displacement);
            set_sum(state.velocity, work.v, T(-1), work.velocity);
        }
        transport(system, t, state, work, inner);
        add_scaled(state.velocity, T(1), work.change);
    }
    /// Replaces a slow state by the physical one.
    void lift(System const& system, T t, state_of<System>& state, work_type& work, work_of<System>& inner) const {
        transport(system, t, state, work, inner);
        find(system, t, state, work, inner);
        add_scaled(state.position, T(1), work.displacement);
        add_scaled(state.velocity, T(1), work.velocity);
        add_scaled(state.velocity, T(-1), work.change);
        if constexpr (has_true_state<System>) system.lift(t, state, inner);
    }

private:
    void find(System const& system, T t, state_of<System> const& state, work_type& work, work_of<System>& inner) const {
        oscillation_.at(system, t, system.phase_at(t), state.position, state.velocity, 2, work.displacement,
                        work.velocity, work.samples, inner);
    }
    /// xi_X V by a central difference of the first-pass oscillation.
    void transport(System const& system, T t, state_of<System> const& state, work_type& work,
                   work_of<System>& inner) const {
        set_scaled(work.change, T(0), state.velocity);
        if (!(max_norm(state.velocity) > T(0))) return;
        // a time, so that it does not matter in what units lengths are: within it the slow motion hardly moves
        auto const frequencies = system.frequencies();
        T const reach = T(1e-3) / static_cast<T>(*std::min_element(frequencies.begin(), frequencies.end()));
        for (T const side : {T(1), T(-1)}) {
            set_sum(work.point, state.position, side * reach, state.velocity);
            oscillation_.at(system, t, system.phase_at(t), work.point, state.velocity, 1, work.displacement,
                            work.scratch, work.samples, inner);
            add_scaled(work.change, side / (T(2) * reach), work.displacement);
        }
    }

    oscillation<System> oscillation_;
};

} // namespace lento
