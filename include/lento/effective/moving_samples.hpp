#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/effective/moving_grid.hpp>

namespace lento {

/// Samples of a force on a `moving_grid` and what is made of them, sweep after sweep: the slow path and the oscillation
/// around it, at every place of the path and every point of the torus. Power 2: x'' = f, power 1: x' = f.
template <class V, int Power> class moving_samples {
    using T = typename V::value_type;
    using grid = moving_grid<T>;

public:
    moving_samples() = default;
    /// Room for places up to the radius; `rates` where the force asks for velocities.
    moving_samples(grid const& on, int radius, bool rates, V const& zeros)
        : radius_(radius)
        , samples_(on.samples())
        , force_(places() * samples_, zeros)
        , position_(places() * samples_, zeros)
        , velocity_(rates ? places() * samples_ : 0, zeros)
        , mean_(places(), zeros)
        , place_(places(), zeros)
        , speed_(places(), zeros)
        , cosine_(places() * on.modes(), zeros)
        , sine_(places() * on.modes(), zeros)
        , raw_(on.modes())
        , whole_mean_(zeros)
        , zeros_(zeros)
        , fresh_(zeros)
        , real_(zeros)
        , imaginary_(zeros) {}

    /// The sweeps of a mean of order 2 r: each gains a factor 1/W, and is taken with as many places as that is worth.
    /// Of the last one the mean at place 0 is wanted only, unless the oscillation is.
    [[nodiscard]] static int radius_of(int sweep, int sweeps, int radius, bool whole) {
        return sweep < sweeps || whole ? std::min(radius, sweep / 2) : 0;
    }

    /// Takes all sweeps around the slow state (x, v) at time t. `force(t, sample, point, velocity, out)` is asked for
    /// every sample; `even` sweeps look at one of opposite phases only: the first oscillation of an even force is even.
    template <class Force>
    void sweep(grid const& on, T t, V const& x, V const& v, int sweeps, bool whole, bool even, Force const& force) {
        sweep(on, t, x, v, sweeps, radius_, whole, even, force);
    }
    /// The same with fewer places than there is room for.
    template <class Force> void sweep(grid const& on, T t, V const& x, V const& v, int sweeps, int radius, bool whole,
                                      bool even, Force const& force) {
        change_ = T(0);
        largest_ = T(0);
        known_ = 0;
        for (int number = 1; number <= sweeps; ++number) {
            int const reach = radius_of(number, sweeps, radius, whole);
            follow(on, x, v, reach, number == 1);
            displace(on, reach, number == 1);
            take(on, t, reach, number == 1, even && number <= 2, force);
            known_ = reach;
            partial_ = number == sweeps && !whole;
            if (partial_) whole_mean_ = mean();
            average();
            if (partial_) remove_bias(on);
            else analyse(on);
            for (std::size_t m = 0; number == 1 && m < on.modes(); ++m)
                raw_[m] = std::max(max_norm(cosine_[harmonic(on, 0, m)]), max_norm(sine_[harmonic(on, 0, m)]));
        }
    }

    [[nodiscard]] V const& mean() const { return mean_[slot(0)]; }
    /// The size of each harmonic before anything oscillates.
    [[nodiscard]] std::vector<T> const& raw() const { return raw_; }
    [[nodiscard]] T last_change() const { return change_; }
    [[nodiscard]] T change_before() const { return before_; }
    /// The largest sample of all sweeps and places.
    [[nodiscard]] T largest_force() const { return largest_; }
    /// The first component that is not finite of any sample at place 0.
    [[nodiscard]] std::size_t bad_component() const {
        for (std::size_t i = 0; i < samples_; ++i)
            if (!all_finite(force_[index(0, i)])) return first_non_finite(force_[index(0, i)]);
        return first_non_finite(mean());
    }

    /// Adds the oscillation (power Power) or its rate (power 1) at phases phi to out.
    template <class Phases> void add_oscillation(grid const& on, int power, Phases const& phi, V& out) {
        using std::cos;
        using std::sin;
        for (std::size_t m = 0; m < on.modes(); ++m) {
            respond(on, m, power, 0);
            T const angle = on.angle(m, phi);
            add_scaled(out, T(2) * cos(angle), real_);
            add_scaled(out, T(-2) * sin(angle), imaginary_);
        }
    }

    /// How fast the slow motion is, from the first two derivatives of its acceleration along the last sweep of radius 1
    /// and more: as those of an oscillation of that frequency, S^2 = (|F'| + |F''|/S)/(|V| + |F|/S).
    [[nodiscard]] T slow_rate(grid const& on) {
        using std::sqrt;
        auto const at = [&](int k) -> V const& { return k == 0 && partial_ ? whole_mean_ : mean_[slot(k)]; };
        T const rounding = T(1e-13) * largest_;
        auto const size = [&](T units) {
            T const found = max_norm(fresh_);
            return found > rounding ? found / units : T(0);
        };
        T const h = on.step();
        set_sum(fresh_, at(1), T(-1), at(-1));
        T const first = size(T(2) * h);
        set_sum(fresh_, at(1), T(1), at(-1));
        add_scaled(fresh_, T(-2), at(0));
        T const second = size(h * h);
        T const speed = Power == 2 ? max_norm(speed_[slot(0)]) : T(0);
        T const force = max_norm(at(0));
        T rate = T(1) / h;
        for (int round = 0; round < 30 && rate > T(0); ++round) {
            T const all = speed + force / rate;
            rate = all > T(0) ? sqrt((first + second / rate) / all) : T(0);
        }
        return rate;
    }

    /// Whether fourth differences along the path, of the samples and of their mean, are far below lower ones. Of a kink
    /// they are not.
    [[nodiscard]] bool smooth_along_path() {
        differences of_samples;
        for (std::size_t i = 0; i < samples_; ++i)
            include(of_samples, [&](int k) -> V const& { return force_[index(k, i)]; });
        differences of_mean;
        include(of_mean, [&](int k) -> V const& { return mean_[slot(k)]; });
        T const rounding = T(1e-12) * largest_;
        return of_samples.small(rounding) && of_mean.small(rounding);
    }

private:
    /// The largest first or second, and the largest fourth difference.
    struct differences {
        T lower{};
        T fourth{};
        [[nodiscard]] bool small(T rounding) const { return !(fourth > lower / T(4) && fourth > rounding); }
    };
    template <class At> void include(differences& found, At const& at) {
        set_sum(fresh_, at(1), T(-1), at(-1));
        found.lower = std::max(found.lower, max_norm(fresh_) / T(2));
        set_sum(fresh_, at(1), T(1), at(-1));
        add_scaled(fresh_, T(-2), at(0));
        found.lower = std::max(found.lower, max_norm(fresh_));
        for (auto& each : fresh_) each *= T(-4);
        add_scaled(fresh_, T(-2), at(0));
        add_scaled(fresh_, T(1), at(2));
        add_scaled(fresh_, T(1), at(-2));
        found.fourth = std::max(found.fourth, max_norm(fresh_));
    }

    [[nodiscard]] std::size_t places() const { return 2 * static_cast<std::size_t>(radius_) + 1; }
    [[nodiscard]] std::size_t slot(int k) const { return static_cast<std::size_t>(k + radius_); }
    [[nodiscard]] std::size_t index(int k, std::size_t sample) const { return slot(k) * samples_ + sample; }
    [[nodiscard]] std::size_t harmonic(grid const& on, int k, std::size_t mode) const {
        return slot(k) * on.modes() + mode;
    }

    /// The slow path through x under the means found so far.
    void follow(grid const& on, V const& x, V const& v, int reach, bool first) {
        for (int k = -reach; k <= reach; ++k) {
            V& place = place_[slot(k)];
            V& speed = speed_[slot(k)];
            if constexpr (Power == 2) {
                set_sum(place, x, T(k) * on.step(), v);
                speed = v;
            } else {
                place = x;
            }
            if (first || k == 0) continue;
            auto const& once = on.integral(1, known_, k);
            auto const& whole = on.integral(Power, known_, k);
            for (int from = -known_; from <= known_; ++from) {
                add_scaled(place, whole[grid::at(from)], mean_[slot(from)]);
                if constexpr (Power == 2) add_scaled(speed, once[grid::at(from)], mean_[slot(from)]);
            }
        }
    }
    /// The oscillation around the path under the harmonics found so far.
    void displace(grid const& on, int reach, bool first) {
        for (int k = -reach; k <= reach; ++k)
            for (std::size_t i = 0; i < samples_; ++i) {
                position_[index(k, i)] = place_[slot(k)];
                if (!velocity_.empty()) velocity_[index(k, i)] = speed_[slot(k)];
            }
        if (first) return;
        for (int k = -reach; k <= reach; ++k)
            for (std::size_t m = 0; m < on.modes(); ++m) {
                add_mode(on, m, k, Power, position_);
                if (!velocity_.empty()) add_mode(on, m, k, 1, velocity_);
            }
    }
    void add_mode(grid const& on, std::size_t m, int k, int power, std::vector<V>& to) {
        respond(on, m, power, k);
        for (std::size_t i = 0; i < samples_; ++i) {
            add_scaled(to[index(k, i)], T(2) * on.cosine(m, i), real_);
            add_scaled(to[index(k, i)], T(-2) * on.sine(m, i), imaginary_);
        }
    }
    /// xi_m, or its rate, at a place.
    void respond(grid const& on, std::size_t m, int power, int k) {
        auto const& weights = on.oscillation(m, power, analysed_, k);
        set_scaled(real_, T(0), zeros_);
        set_scaled(imaginary_, T(0), zeros_);
        for (int from = -analysed_; from <= analysed_; ++from) { // c_m = cosine - i sine
            V const& cosine = cosine_[harmonic(on, from, m)];
            V const& sine = sine_[harmonic(on, from, m)];
            T const real = weights.real[grid::at(from)];
            T const imaginary = weights.imaginary[grid::at(from)];
            add_scaled(real_, real, cosine);
            add_scaled(real_, imaginary, sine);
            add_scaled(imaginary_, imaginary, cosine);
            add_scaled(imaginary_, -real, sine);
        }
    }
    template <class Force> void take(grid const& on, T t, int reach, bool first, bool even, Force const& force) {
        T change(0);
        for (int k = -reach; k <= reach; ++k) {
            T const when = t + T(k) * on.step();
            for (std::size_t i = 0; i < samples_; ++i) {
                std::size_t const twin = on.mirrored(i);
                V& kept = force_[index(k, i)];
                if (even && twin < i) {
                    kept = force_[index(k, twin)];
                    continue;
                }
                force(when, i, position_[index(k, i)], velocity_.empty() ? place_[slot(k)] : velocity_[index(k, i)],
                      fresh_);
                std::swap(kept, fresh_);
                largest_ = std::max(largest_, max_norm(kept));
                if (k != 0) continue;
                if (!first) add_scaled(fresh_, T(-1), kept);
                change = std::max(change, max_norm(first ? kept : fresh_));
            }
        }
        before_ = change_;
        change_ = change;
    }
    /// Means with compensated sums (Neumaier 1974): the samples are far larger than their mean.
    void average() {
        using std::abs;
        for (int k = -known_; k <= known_; ++k)
            for (std::size_t d = 0; d < zeros_.size(); ++d) {
                T sum(0);
                T lost(0);
                for (std::size_t i = 0; i < samples_; ++i) {
                    T const next = force_[index(k, i)][d];
                    T const all = sum + next;
                    lost += abs(sum) >= abs(next) ? (sum - all) + next : (next - all) + sum;
                    sum = all;
                }
                mean_[slot(k)][d] = (sum + lost) / T(samples_);
            }
    }
    /// What rounded phases leave of the harmonics in the mean at place 0.
    void remove_bias(grid const& on) {
        for (std::size_t m = 0; m < on.modes(); ++m) {
            add_scaled(mean_[slot(0)], T(-2) * on.rounded(m).cosine, cosine_[harmonic(on, 0, m)]);
            add_scaled(mean_[slot(0)], T(-2) * on.rounded(m).sine, sine_[harmonic(on, 0, m)]);
        }
    }
    void analyse(grid const& on) {
        analysed_ = known_;
        T const share = T(1) / T(samples_);
        for (int k = -analysed_; k <= analysed_; ++k)
            for (std::size_t m = 0; m < on.modes(); ++m) {
                V& cosine = cosine_[harmonic(on, k, m)];
                V& sine = sine_[harmonic(on, k, m)];
                set_scaled(cosine, T(0), zeros_);
                set_scaled(sine, T(0), zeros_);
                for (std::size_t i = 0; i < samples_; ++i) {
                    add_scaled(cosine, share * on.cosine(m, i), force_[index(k, i)]);
                    add_scaled(sine, share * on.sine(m, i), force_[index(k, i)]);
                }
            }
    }

    int radius_ = 0;
    std::size_t samples_ = 0;
    std::vector<V> force_;
    std::vector<V> position_;
    std::vector<V> velocity_; ///< empty where no force asks for it
    std::vector<V> mean_;
    std::vector<V> place_;
    std::vector<V> speed_;
    std::vector<V> cosine_;
    std::vector<V> sine_;
    std::vector<T> raw_;
    V whole_mean_{}; ///< at place 0, of the last sweep over more places than that
    V zeros_{};
    V fresh_{};
    V real_{};
    V imaginary_{};
    int known_ = 0;    ///< the radius of the last sweep
    int analysed_ = 0; ///< that of the last one whose harmonics were found
    bool partial_ = false;
    T change_{};
    T before_{};
    T largest_{};
};

} // namespace lento
