#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/constraint/fast_band.hpp>
#include <lento/constraint/hard_springs.hpp>
#include <lento/effective/slow_path.hpp>
#include <lento/effective/swing_watch.hpp>
#include <lento/system/concepts.hpp>

namespace lento {

/// One fast mode's swing: its displacement, and its velocity over its frequency.
struct mode_swing {
    double out = 0;
    double back = 0; ///< velocity over frequency
    static auto members(auto& self) { return std::tie(self.out, self.back); }
    [[nodiscard]] double square() const { return out * out + back * back; }
    /// Of the phase in out = a cos, back = -a sin.
    [[nodiscard]] double phase() const { return std::atan2(-back, out); }
};

/// The fast motion of hard springs about a slow one, by normal modes: at a slow point Q the springs' matrix
/// W g' M^-1 g'^T W has eigenvalues Omega_m^2 and eigenvectors s_m, and the fast motion is along the directions
/// n_m = M^-1 g'^T W s_m/Omega_m. Its actions J_m = E_m/Omega_m are adiabatic invariants and act on the slow motion
/// with the force -sum_m J_m grad Omega_m (Rubin and Ungar 1957, Takens 1980, Bornemann 1998).
template <springs_apart System> class fast_motion {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using path = slow_path<System>;
    using loads = typename path::loads;
    using linear = typename path::linear;

public:
    /// The modes at a point.
    struct modes_here {
        fast_modes modes;
        std::vector<V> direction;
        std::vector<loads> pull; ///< W s
    };
    /// How they change along the motion, and what forces of velocity do to them.
    struct changes {
        std::vector<double> rate;    ///< dOmega_m/dt
        std::vector<double> damping; ///< dJ_m/dt over J_m
        std::vector<V> turning;      ///< dn_m/dt along g = 0
        std::vector<V> drag;         ///< M^-1 dF/dv n_m along g = 0
        std::vector<double> turned;  ///< n_k . dn_m/dt at [k, m]
        std::vector<double> mixing;  ///< the same times Omega_m - Omega_k, which is known where they agree, too
        std::vector<double> dragged; ///< n_k . dF/dv n_m
        std::vector<loads> bend;     ///< g''[n_k, n_m]
    };
    struct work_type {
        modes_here here;
        modes_here aside; ///< at the other nodes of a path
        changes change;
        V turned;
        V moved;
        V pushed;
        V mean; ///< what a force of the velocity is changed by in the mean
        loads bent;
        loads other;
    };

    [[nodiscard]] work_type work(System const& system) const {
        V const zeros = system.space().template zeros<T>();
        auto const none = system.springs().zeros();
        std::size_t const n = system.frequencies().size();
        modes_here const one{fast_modes(n, n), std::vector<V>(n, zeros), std::vector<loads>(n, none)};
        std::vector<double> const none_each(n);
        std::vector<double> const none_both(n * n);
        std::vector<V> const still(n, zeros);
        changes const change{none_each, none_each, still,     still,
                             none_both, none_both, none_both, std::vector<loads>(n * n, none)};
        return {one, one, change, zeros, zeros, zeros, zeros, none, none};
    }

    /// The modes at a node, carried on from those of a reference; the actions are the reference's.
    void find(System const& system, fast_modes const& reference, linear const& at, modes_here& here,
              work_of<System>& inner) const {
        here.modes = reference;
        system.follow(here.modes, at, inner.springs);
        for (std::size_t m = 0; m < here.modes.count(); ++m)
            system.direct(here.modes, m, at, here.pull[m], here.direction[m]);
    }
    /// Adds the force of the actions at a node, and sets what the springs' mean stretch is off by it.
    void push(System const& system, T t, typename path::node& at, modes_here const& here, work_type& work,
              work_of<System>& inner) const {
        auto& pushed = work.pushed;
        std::fill(pushed.begin(), pushed.end(), T(0));
        std::fill(at.shift.begin(), at.shift.end(), T(0));
        for (std::size_t m = 0; m < here.modes.count(); ++m) {
            double const action = here.modes.actions[m];
            if (!(action > 0)) continue;
            set_scaled(work.other, T(action), here.pull[m]);
            system.springs().turn(t, at.q, here.direction[m], work.other, pushed, inner.springs);
            // <g> = W^-2 lambda = g(Q) + <g''[y, y]>/2
            second_derivative(system, t, at.q, here.direction[m], here.direction[m], work.bent, work, inner);
            add_scaled(at.shift, T(-action / here.modes.frequencies[m] / 2), work.bent);
        }
        for (std::size_t j = 0; j < at.shift.size(); ++j)
            at.shift[j] *= T(system.frequencies()[j]) * T(system.frequencies()[j]);
        system.mass().divide(pushed);
        add_scaled(at.force, T(-1), pushed);
    }
    /// The rates of the frequencies of excited modes along a velocity.
    void find_rates(System const& system, T t, V const& q, V const& v, work_type& work, work_of<System>& inner) const {
        auto const& here = work.here;
        for (std::size_t m = 0; m < here.modes.count(); ++m) {
            work.change.rate[m] = 0;
            if (!(here.modes.actions[m] > 0)) continue;
            change_of_gradient(system, t, q, v, here.direction[m], work.bent, work, inner);
            work.change.rate[m] = product(here.pull[m], work.bent);
        }
    }
    /// What forces of velocity do to the excited modes, and the modes to their mean: the force is sampled where a mode
    /// has these shares of its largest velocity.
    template <class Shares> void find_drag(System const& system, T t, typename path::node const& at,
                                           Shares const& shares, work_type& work, work_of<System>& inner) const {
        auto const& here = work.here;
        auto const& springs = system.springs();
        std::fill(work.mean.begin(), work.mean.end(), T(0));
        for (std::size_t m = 0; m < here.modes.count(); ++m) {
            auto& drag = work.change.drag[m];
            std::fill(drag.begin(), drag.end(), T(0));
            work.change.damping[m] = 0;
            double const action = here.modes.actions[m];
            if (!(action > 0)) continue;
            double const speed = std::sqrt(2 * action * here.modes.frequencies[m]);
            T const part = T(1) / T(2 * shares.size());
            for (double const share : shares)
                for (int const side : {-1, 1}) {
                    set_sum(work.moved, at.v, T(side * share * speed), here.direction[m]);
                    system.slow_acceleration(t, at.q, work.moved, work.turned, inner);
                    add_scaled(work.mean, part, work.turned);
                    add_scaled(drag, part * T(side * share * 2 / speed), work.turned);
                }
            add_scaled(work.mean, T(-1), at.force);
            springs.along(at.at, drag, work.bent);
            work.change.damping[m] = product(here.pull[m], work.bent) / here.modes.frequencies[m];
        }
    }
    /// All that a swing about the slow motion looked at last is displaced by: at orders above 0.
    void find_changes(System const& system, T t, V const& v, T h, path const& along, typename path::work_type& motion,
                      work_type& work, work_of<System>& inner) const {
        auto const& here = work.here;
        auto& change = work.change;
        auto const& at = along.middle(motion);
        std::size_t const n = here.modes.count();
        for (std::size_t m = 0; m < n; ++m) {
            if (!(here.modes.actions[m] > 0)) continue;
            set_scaled(work.other, T(1 / here.modes.frequencies[m]), here.pull[m]);
            along.turn(system, h, work.other, motion, change.turning[m]);
            to_tangent(system, at.at, change.turning[m], work);
            system.springs().along(at.at, change.drag[m], work.bent);
            for (std::size_t k = 0; k < n; ++k)
                change.dragged[k * n + m] = product(here.pull[k], work.bent) / here.modes.frequencies[k];
            to_tangent(system, at.at, change.drag[m], work);
            for (std::size_t k = 0; k < n; ++k) {
                auto& bend = change.bend[k * n + m];
                if (k < m && here.modes.actions[k] > 0) bend = change.bend[m * n + k];
                else second_derivative(system, t, at.q, here.direction[k], here.direction[m], bend, work, inner);
            }
        }
        find_turned(system, t, at.q, v, work, inner);
    }
    /// Adds the displacement and velocity of a swing beyond sum_m out_m n_m and sum_m back_m Omega_m n_m: what normals
    /// that turn, drag, and second harmonics add, to the order of 1/omega^2 and 1/omega.
    void displace(System const& system, T t, std::vector<mode_swing> const& swing, path const& along,
                  typename path::work_type const& motion, V& q, V& v, work_type& work, work_of<System>& inner) const {
        auto const& modes = work.here.modes;
        for (std::size_t m = 0; m < modes.count(); ++m)
            if (modes.actions[m] > 0) displace_linearly(m, swing[m], q, v, work);
        for (std::size_t m = 0; m < modes.count(); ++m)
            for (std::size_t k = 0; k <= m; ++k)
                if (modes.actions[m] > 0 && modes.actions[k] > 0)
                    displace_twice(system, t, k, m, swing, along.middle(motion), q, v, work, inner);
    }
    [[nodiscard]] static double product(loads const& a, loads const& b) {
        double sum = 0;
        for (std::size_t j = 0; j < a.size(); ++j) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
        return sum;
    }
    /// The potential's coefficient of out_i out_j out_k, three modes or twice the first: what couples them where their
    /// frequencies are in resonance.
    [[nodiscard]] double coupling(System const& system, T t, V const& q, std::size_t i, std::size_t j, std::size_t k,
                                  work_type& work, work_of<System>& inner) const {
        auto const& here = work.here;
        auto const one = [&](std::size_t a, std::size_t b, std::size_t c) {
            second_derivative(system, t, q, here.direction[b], here.direction[c], work.bent, work, inner);
            return here.modes.frequencies[a] * product(here.pull[a], work.bent);
        };
        if (i == j) return one(k, i, i) / 2 + one(i, i, k);
        return one(i, j, k) + one(j, i, k) + one(k, i, j);
    }
    /// The acceleration along g = 0 under the action 1 of a mode.
    void push_along(System const& system, T t, V const& q, linear const& at, std::size_t m, V& out, work_type& work,
                    work_of<System>& inner) const {
        std::fill(out.begin(), out.end(), T(0));
        set_scaled(work.other, T(-1), work.here.pull[m]);
        system.springs().turn(t, q, work.here.direction[m], work.other, out, inner.springs);
        system.mass().divide(out);
        to_tangent(system, at, out, work);
    }
    /// How wide a mode swings there, beside the bends of the springs, its gradient and the turning of its direction;
    /// the slow motion has that speed and acceleration.
    [[nodiscard]] swing_width width(System const& system, T t, std::size_t m, path const& along, bool turns, T h,
                                    typename path::work_type const& motion, V const& q, V const& v, double acceleration,
                                    work_type& work, work_of<System>& inner) const {
        auto const& here = work.here;
        auto const& springs = system.springs();
        auto const& at = inner.springs.at;
        double const frequency = here.modes.frequencies[m];
        double const action = here.modes.actions[m];
        double const out = std::sqrt(2 * action / frequency);
        double const unit = static_cast<double>(max_norm(here.direction[m]));
        double const speed = static_cast<double>(max_norm(v));
        second_derivative(system, t, q, here.direction[m], here.direction[m], work.bent, work, inner);
        springs.solve(at, work.bent);
        std::fill(work.turned.begin(), work.turned.end(), T(0));
        springs.pull(at, T(1), work.bent, work.turned);
        double const bend = static_cast<double>(max_norm(work.turned)) / unit;
        push_along(system, t, q, at, m, work.turned, work, inner);
        double const slope = static_cast<double>(max_norm(work.turned)) / frequency;
        double turning = 0;
        if (turns && (speed > 0 || acceleration > 0)) {
            set_scaled(work.other, T(1 / frequency), here.pull[m]);
            along.turn(system, h, work.other, motion, work.turned);
            to_tangent(system, at, work.turned, work);
            // a second difference over short times is rounding for the most part
            double const span = static_cast<double>(h);
            double const change = static_cast<double>(max_norm(work.turned));
            double const rounding = 64 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                                    static_cast<double>(max_norm(work.other)) / (span * span);
            if (change > rounding) turning = change / std::max(speed, acceleration * std::abs(span));
        }
        double const share = out * std::max({bend, slope / unit, turning});
        double const square = share * share;
        return {share, square * (acceleration + action * frequency * std::max(slope, bend * unit)), square * frequency};
    }
    /// n_k . dn_m/dt and dOmega_m/dt, from how the springs' matrix changes along a velocity. Where two frequencies
    /// agree shapes may be any.
    void find_turned(System const& system, T t, V const& q, V const& v, work_type& work, work_of<System>& inner) const {
        auto const& here = work.here;
        auto const& frequency = here.modes.frequencies;
        std::size_t const n = here.modes.count();
        auto& turned = work.change.turned;
        for (std::size_t m = 0; m < n; ++m) {
            change_of_gradient(system, t, q, v, here.direction[m], work.bent, work, inner);
            for (std::size_t k = 0; k < n; ++k) turned[k * n + m] = frequency[k] * product(here.pull[k], work.bent);
            work.change.rate[m] = turned[m * n + m] / frequency[m];
        }
        for (std::size_t m = 0; m < n; ++m)
            for (std::size_t k = 0; k < m; ++k) {
                double const both = turned[k * n + m] + turned[m * n + k];
                double const apart = difference(frequency[m], frequency[k]);
                work.change.mixing[k * n + m] = work.change.mixing[m * n + k] = both / (frequency[m] + frequency[k]);
                turned[k * n + m] = apart == 0 ? 0 : both / apart;
                turned[m * n + k] = -turned[k * n + m];
            }
        for (std::size_t m = 0; m < n; ++m) turned[m * n + m] = 0;
    }

private:
    /// g''[a, b]: differences of exact second derivatives along a line, in which explicit times drop out.
    void second_derivative(System const& system, T t, V const& q, V const& a, V const& b, loads& out, work_type& work,
                           work_of<System>& inner) const {
        std::fill(out.begin(), out.end(), T(0));
        auto const add = [&](T first, T second, T weight) {
            set_scaled(work.moved, first, a);
            add_scaled(work.moved, second, b);
            system.springs().curvature(t, q, work.moved, work.other, inner.springs);
            add_scaled(out, weight, work.other);
        };
        bool const same = &a == &b;
        for (T const first : {T(-1), T(1)}) add(first, same ? T(0) : first, T(1) / T(same ? 2 : 8));
        if (same) add(T(0), T(0), T(-1));
        else
            for (T const first : {T(-1), T(1)}) add(first, -first, T(-1) / T(8));
    }
    /// (dg'/dt) n along a motion of velocity v
    void change_of_gradient(System const& system, T t, V const& q, V const& v, V const& n, loads& out, work_type& work,
                            work_of<System>& inner) const {
        std::fill(out.begin(), out.end(), T(0));
        for (int const side : {-1, 1}) {
            set_sum(work.moved, v, T(side), n);
            system.springs().curvature(t, q, work.moved, work.other, inner.springs);
            add_scaled(out, T(side) / T(4), work.other);
        }
    }
    void to_tangent(System const& system, linear const& at, V& x, work_type& work) const {
        system.springs().along(at, x, work.bent);
        system.springs().solve(at, work.bent);
        system.springs().pull(at, T(1), work.bent, x);
    }
    /// a^2 - b^2, 0 where they nearly agree: there what is divided by it is not small, and not known.
    [[nodiscard]] static double difference(double a, double b) {
        double const apart = a * a - b * b;
        return std::abs(apart) > 0.02 * (a * a + b * b) ? apart : 0;
    }
    void displace_linearly(std::size_t m, mode_swing const& swing, V& q, V& v, work_type const& work) const {
        auto const& here = work.here;
        auto const& change = work.change;
        std::size_t const n = here.modes.count();
        double const frequency = here.modes.frequencies[m];
        add_scaled(q, T(2 * swing.back / frequency), change.turning[m]);
        add_scaled(q, T(-swing.back / frequency), change.drag[m]);
        add_scaled(v, T(swing.out), change.drag[m]);
        add_scaled(v, T(-swing.out), change.turning[m]);
        for (std::size_t k = 0; k < n; ++k) {
            double const apart = difference(here.modes.frequencies[k], frequency);
            if (k == m || apart == 0) continue;
            double const turned = change.turned[k * n + m];
            double const beside = frequency * (change.dragged[k * n + m] - 2 * turned) / apart;
            add_scaled(q, T(swing.back * beside), here.direction[k]);
            add_scaled(v, T(swing.out * (turned - frequency * beside)), here.direction[k]);
        }
        add_scaled(v, T(-swing.out * (change.rate[m] / frequency - change.damping[m]) / 2), here.direction[m]);
    }
    /// The response to the force that is quadratic in two modes, at the sum and the difference of their frequencies.
    void displace_twice(System const& system, T t, std::size_t j, std::size_t k, std::vector<mode_swing> const& swing,
                        typename path::node const& at, V& q, V& v, work_type& work, work_of<System>& inner) const {
        auto const& here = work.here;
        auto const& frequency = here.modes.frequencies;
        std::size_t const n = here.modes.count();
        auto const& bend = work.change.bend;
        V& along = work.turned;
        std::fill(along.begin(), along.end(), T(0));
        auto const pull_along = [&](std::size_t a, std::size_t b) {
            set_scaled(work.other, T(frequency[a]), here.pull[a]);
            system.springs().turn(t, at.q, here.direction[b], work.other, along, inner.springs);
        };
        pull_along(j, k);
        if (j != k) pull_along(k, j);
        system.mass().divide(along);
        to_tangent(system, at.at, along, work);
        for (int const side : {1, -1}) {
            double const turning = frequency[j] + side * frequency[k];
            if (std::abs(turning) < 0.02 * (frequency[j] + frequency[k])) continue; // that is slow
            double const cosine = (swing[j].out * swing[k].out - side * swing[j].back * swing[k].back) / 2;
            double const sine = -(swing[j].back * swing[k].out + side * swing[j].out * swing[k].back) / 2;
            add_scaled(q, T(cosine / (turning * turning)), along);
            add_scaled(v, T(-sine / turning), along);
            for (std::size_t i = 0; i < n; ++i) {
                double const apart = difference(frequency[i], turning);
                if (apart == 0) continue;
                double force = frequency[i] * product(here.pull[i], bend[j * n + k]) * (j == k ? 0.5 : 1) +
                               frequency[j] * product(here.pull[j], bend[i * n + k]);
                if (j != k) force += frequency[k] * product(here.pull[k], bend[i * n + j]);
                add_scaled(q, T(-force * cosine / apart), here.direction[i]);
                add_scaled(v, T(force * turning * sine / apart), here.direction[i]);
            }
        }
    }
};

} // namespace lento
