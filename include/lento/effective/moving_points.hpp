#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <lento/effective/harmonic_reach.hpp>
#include <lento/effective/moving_samples.hpp>
#include <lento/effective/phase_torus.hpp>
#include <lento/effective/window.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// A grid of the moving spectral mean, and its points as the source of the force knows them.
template <class Source> struct moving_sampling {
    moving_grid<typename Source::scalar> grid;
    std::vector<typename Source::place> places;
    std::vector<std::vector<typename Source::scalar>> phases; ///< those that turn on their own
};

/// How many points the moving spectral mean samples in each phase.
struct moving_numbers {
    std::vector<int> mean;        ///< for the mean; empty: not yet chosen
    std::vector<int> oscillation; ///< for the oscillation
    std::vector<int> reach;       ///< the highest harmonic of each phase that was seen
    bool products = false;        ///< the force has products of harmonics of several phases
    static auto members(auto& self) { return std::tie(self.mean, self.oscillation, self.reach, self.products); }
    friend bool operator==(moving_numbers const&, moving_numbers const&) = default;
};

/// The sweeps of a moving spectral mean of some order.
[[nodiscard]] constexpr int usual_passes(int order) { return order == 0 ? 3 : order == 2 ? 4 : 7; }

/// Chooses these numbers at a slow state: as many points as the harmonics of the force ask for, and more until another
/// number of them, without a common divisor, gives the same mean. Refuses forces that the moving mean is not for.
template <class Source> class moving_points {
    using T = typename Source::scalar;
    using V = typename Source::vector;
    using samples = moving_samples<V, Source::power>;
    using sampling = moving_sampling<Source>;
    using place_on_torus = std::vector<long double>;

public:
    moving_points(independent_phases phases, int order)
        : phases_(std::move(phases)), beat_(beat(phases_)), order_(order) {}

    [[nodiscard]] independent_phases const& phases() const { return phases_; }

    /// Points in every phase, as they were given.
    [[nodiscard]] moving_numbers given(int points) const {
        std::vector<int> const all(phases_.size(), points);
        return {.mean = all, .oscillation = all, .reach = all, .products = phases_.size() == 2};
    }
    [[nodiscard]] moving_numbers chosen(Source const& force, T t, V const& x, V const& v, failure& failed) const {
        moving_numbers made;
        auto const found = reaches(force, t, x, v, failed);
        if (failed.happened()) return made;
        made.products = has_products(force, t, x, v);
        std::vector<int> points;
        for (auto const& each : found) points.push_back(Source::points_for_mean(order_, each));
        while (!agrees(force, t, x, v, points, made.products, failed)) {
            if (failed.happened()) return made;
            for (int& each : points) each += (each + 1) / 2;
        }
        for (std::size_t j = 0; j < found.size(); ++j) {
            made.reach.push_back(found[j].position);
            // as right in the velocity as in the position; of one phase another power is cheap
            int const order = phases_.size() == 1 ? order_ + 2 : order_ + 1;
            made.oscillation.push_back(std::max(points[j], Source::points_for_oscillation(order, found[j])));
        }
        made.mean = std::move(points);
        return made;
    }

    /// Null where it would be too large.
    [[nodiscard]] std::shared_ptr<sampling const> make(Source const& force, T t, std::vector<int> const& points,
                                                       bool products, failure& failed) const {
        auto const rule = sampled(phases_, points, products);
        if (rule.samples.empty()) {
            failed = too_many_samples(static_cast<double>(t), phases_.size());
            return nullptr;
        }
        auto made = std::make_shared<sampling>(sampling{moving_grid<T>(phases_, rule), {}, {}});
        for (auto const& phi : rule.samples) {
            made->places.push_back(force.at(phases_, phi));
            made->phases.emplace_back(phi.begin(), phi.end());
        }
        return made;
    }
    /// A few points more, which share no harmonic of the grid.
    [[nodiscard]] static std::vector<int> coprime(std::vector<int> const& points) {
        std::vector<int> others;
        for (int const each : points) {
            others.push_back(each + 3);
            while (std::gcd(each, others.back()) != 1) ++others.back();
        }
        return others;
    }
    /// Whether harmonics show that were not seen when the points were chosen.
    [[nodiscard]] static bool has_grown(sampling const& on, samples const& in, moving_numbers const& chosen) {
        auto const& raw = in.raw();
        T const largest = raw.empty() ? T(0) : *std::max_element(raw.begin(), raw.end());
        T const least = std::max(T(smallest_harmonic) * largest, rounding * in.largest_force());
        for (std::size_t m = 0; m < raw.size(); ++m)
            for (std::size_t j = 0; raw[m] > least && j < chosen.reach.size(); ++j)
                if (std::abs(on.grid.order(m)[j]) > chosen.reach[j]) return true;
        return false;
    }
    /// Refuses a slow motion that is not so many times slower than a beat of several phases.
    void watch_beat(T t, T slow_rate, int times, failure& failed) const {
        auto const rate = static_cast<double>(slow_rate);
        if (beat_.frequency > 0 && beat_.frequency < times * rate)
            failed = slow_beat(static_cast<double>(t), beat_.name, beat_.frequency, rate);
    }

private:
    static constexpr T rounding = T(1e-12); ///< of the largest force: no harmonic
    static constexpr int most_points = 96;

    /// A point of the torus that nothing distinguishes.
    [[nodiscard]] place_on_torus somewhere() const {
        place_on_torus phi;
        for (std::size_t j = 0; j < phases_.size(); ++j) phi.push_back(0.4L + 0.9L * static_cast<long double>(j));
        return phi;
    }

    // ---- harmonics ----

    [[nodiscard]] std::vector<harmonic_reach> reaches(Source const& force, T t, V const& x, V const& v,
                                                      failure& failed) const {
        constexpr std::size_t fewest = 16, most = 128;
        std::vector<harmonic_reach> found(phases_.size());
        for (std::size_t j = 0; j < found.size(); ++j) {
            std::size_t count = fewest;
            while (count <= most && !reach_along(force, t, x, v, j, count, found[j])) count *= 2;
            if (count > most) failed = rough_in_phase(static_cast<double>(t), j, most / 4);
        }
        return found;
    }
    /// The harmonics of one phase, seen by so many samples; false where these are too few.
    [[nodiscard]] bool reach_along(Source const& force, T t, V const& x, V const& v, std::size_t phase,
                                   std::size_t count, harmonic_reach& found) const {
        auto phi = somewhere();
        auto const turned = [&](std::size_t i) {
            phi[phase] = two_pi<long double> * static_cast<long double>(i) / static_cast<long double>(count);
            return force.at(phases_, phi);
        };
        std::vector<V> values(count, x);
        for (std::size_t i = 0; i < count; ++i) force(t, turned(i), x, v, values[i]);
        T const least = rounding * largest(values);
        found.position = highest_harmonic(values, least);
        if constexpr (Source::uses_velocity) {
            auto const rate = oscillating_velocity(values, static_cast<T>(phases_.frequencies[phase]));
            V speed = v;
            V feels = x;
            for (std::size_t i = 0; i < count; ++i) {
                set_sum(speed, v, T(1), rate[i]);
                force(t, turned(i), x, speed, feels);
                add_scaled(values[i], T(-1), feels); // what the velocity adds, but for its sign
            }
            if (!(largest(values) > least)) return found.position > 0;
            found.velocity = highest_harmonic(values, least);
            if (found.velocity == 0) return false;
        }
        return found.position > 0;
    }
    [[nodiscard]] static T largest(std::vector<V> const& values) {
        T found(0);
        for (V const& each : values) found = std::max(found, max_norm(each));
        return found;
    }
    /// The integral over time, without mean, of a force sampled over a turn of one phase.
    [[nodiscard]] static std::vector<V> oscillating_velocity(std::vector<V> const& force, T frequency) {
        using std::sin;
        std::size_t const count = force.size();
        std::vector<T> weights(count);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t m = 1; m < count / 2; ++m)
                weights[i] += T(2) * sin(two_pi<T> * T(m * i % count) / T(count)) / (T(m) * frequency * T(count));
        std::vector<V> rate(count, force[0]);
        for (std::size_t i = 0; i < count; ++i) {
            set_scaled(rate[i], T(0), force[0]);
            for (std::size_t k = 0; k < count; ++k) add_scaled(rate[i], weights[(i + count - k) % count], force[k]);
        }
        return rate;
    }
    /// Whether phases are multiplied with each other in the force: mixed differences do not vanish then.
    [[nodiscard]] bool has_products(Source const& force, T t, V const& x, V const& v) const {
        std::vector<V> corners(4, x);
        for (std::size_t j = 0; j < phases_.size(); ++j)
            for (std::size_t k = 0; k < j; ++k) {
                for (std::size_t corner = 0; corner < 4; ++corner) {
                    auto phi = somewhere();
                    if (corner % 2 == 1) phi[j] += 1.9L;
                    if (corner / 2 == 1) phi[k] += 2.3L;
                    force(t, force.at(phases_, phi), x, v, corners[corner]);
                }
                T const size = largest(corners);
                add_scaled(corners[0], T(-1), corners[1]);
                add_scaled(corners[0], T(-1), corners[2]);
                add_scaled(corners[0], T(1), corners[3]);
                if (max_norm(corners[0]) > T(smallest_harmonic) * size) return true;
            }
        return false;
    }

    // ---- agreement ----

    [[nodiscard]] V mean(Source const& force, sampling const& on, T t, V const& x, V const& v, int order,
                         samples& in) const {
        in.sweep(on.grid, t, x, v, usual_passes(order), order / 2, true, false,
                 [&](T when, std::size_t i, V const& q, V const& speed, V& out) {
                     force(when, on.places[i], q, speed, out);
                 });
        return in.mean();
    }
    [[nodiscard]] static T apart(V a, V const& b) {
        add_scaled(a, T(-1), b);
        return max_norm(a);
    }
    /// Whether the mean over so many points is that over others, as far as the closure itself is right. That is
    /// estimated from orders 0, 2 and 4 as from terms of a geometric series, and a start at rest flatters it.
    [[nodiscard]] bool agrees(Source const& force, T t, V const& x, V const& v, std::vector<int> const& points,
                              bool products, failure& failed) const {
        auto const others = coprime(points);
        auto const on = make(force, t, points, products, failed);
        auto const other = make(force, t, others, products, failed);
        if (failed.happened()) return false;
        V zeros = x;
        set_scaled(zeros, T(0), x);
        samples in(on->grid, 2, Source::uses_velocity, zeros);
        V const plain = mean(force, *on, t, x, v, 0, in);
        V const second = mean(force, *on, t, x, v, 2, in);
        V const fourth = mean(force, *on, t, x, v, 4, in);
        if (!all_finite(fourth)) return true; // an evaluation will tell why
        if (!in.smooth_along_path()) failed = rough_along_path(static_cast<double>(t));
        else watch_beat(t, in.slow_rate(on->grid), 10, failed);
        if (failed.happened()) return false;
        T const step = apart(fourth, second);
        T const before = apart(second, plain);
        T const level = order_ == 2 || !(before > step) ? step : step * (step / before);
        samples elsewhere(other->grid, order_ / 2, Source::uses_velocity, zeros);
        T const difference = apart(order_ == 2 ? second : fourth, mean(force, *other, t, x, v, order_, elsewhere));
        if (!(difference > std::max(T(10) * level, T(1e-14) * in.largest_force()))) return true;
        if (*std::max_element(points.begin(), points.end()) > most_points)
            failed = rough_force(static_cast<double>(t), points[0], others[0], static_cast<double>(difference),
                                 static_cast<double>(max_norm(fourth)));
        return false;
    }

    independent_phases phases_;
    slowest_beat beat_;
    int order_;
};

} // namespace lento
