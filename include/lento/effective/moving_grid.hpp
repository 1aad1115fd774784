#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

#include <lento/effective/phase_torus.hpp>

namespace lento {

/// Where the moving spectral mean samples a force: the points of a torus of phases, each at 2 r + 1 places of the slow
/// path, s = k h, |k| <= r. With it the tables for what is made of the samples, none of which depends on the frequency
/// but by the units of h. Slow derivatives are those of the polynomial through the places.
template <class T> class moving_grid {
public:
    static constexpr int most_radius = 2;
    static constexpr std::size_t most_places = 2 * most_radius + 1;
    using row = std::array<T, most_places>; ///< a number for each place from -r to r

    moving_grid(independent_phases const& phases, torus_rule const& rule)
        : samples_(rule.samples.size()), modes_(rule.modes.size()), mirrored_(rule.mirrored) {
        long double slowest = *std::min_element(phases.frequencies.begin(), phases.frequencies.end());
        long double nearest = std::numeric_limits<long double>::infinity();
        for (auto const& each : rule.modes) nearest = std::min(nearest, std::abs(each.frequency));
        // half a radian of the slowest oscillation: rounding errors of fourth differences stay 16 times eps
        long double const step = 0.5L / std::max(std::min(nearest, slowest), 0.2L * slowest);
        step_ = static_cast<T>(step);
        for (int times = 1; times <= 2; ++times)
            for (int radius = 0; radius <= most_radius; ++radius)
                for (int k = -most_radius; k <= most_radius; ++k)
                    integrals_.push_back(integrate(step, times, radius, k));
        for (auto const& each : rule.modes) {
            orders_.push_back(each.order);
            frequencies_.push_back(static_cast<T>(each.frequency));
            for (auto const& phi : rule.samples) {
                long double angle = 0;
                for (std::size_t j = 0; j < phi.size(); ++j) angle += each.order[j] * phi[j];
                cosine_.push_back(static_cast<T>(std::cos(angle)));
                sine_.push_back(static_cast<T>(std::sin(angle)));
            }
            for (int power = 1; power <= 2; ++power)
                for (int radius = 0; radius <= most_radius; ++radius)
                    for (int k = -most_radius; k <= most_radius; ++k)
                        responses_.push_back(oscillate(each.frequency, step, power, radius, k));
        }
    }

    [[nodiscard]] std::size_t samples() const { return samples_; }
    [[nodiscard]] std::size_t modes() const { return modes_; }
    [[nodiscard]] std::size_t mirrored(std::size_t sample) const { return mirrored_[sample]; }
    [[nodiscard]] T step() const { return step_; }
    [[nodiscard]] T cosine(std::size_t mode, std::size_t sample) const { return cosine_[mode * samples_ + sample]; }
    [[nodiscard]] T sine(std::size_t mode, std::size_t sample) const { return sine_[mode * samples_ + sample]; }
    [[nodiscard]] T frequency(std::size_t mode) const { return frequencies_[mode]; }
    /// The whole numbers m of a mode, one for each phase.
    [[nodiscard]] std::vector<int> const& order(std::size_t mode) const { return orders_[mode]; }
    /// m.phi of a mode.
    template <class Phases> [[nodiscard]] T angle(std::size_t mode, Phases const& phi) const {
        T sum(0);
        for (std::size_t j = 0; j < orders_[mode].size(); ++j) sum += T(orders_[mode][j]) * phi[j];
        return sum;
    }

    /// What a harmonic c_m of the force at each place adds to the solution of (i W + d/ds)^power xi = c_m at place k,
    /// the series in d/ds being taken as far as the places go.
    struct response {
        row real{};
        row imaginary{};
    };
    [[nodiscard]] response const& oscillation(std::size_t mode, int power, int radius, int k) const {
        std::size_t const kind = (mode * 2 + static_cast<std::size_t>(power - 1)) * (most_radius + 1);
        return responses_[(kind + static_cast<std::size_t>(radius)) * most_places + at(k)];
    }
    /// What a mean at each place adds to its integral from 0 to k h, taken `times` times.
    [[nodiscard]] row const& integral(int times, int radius, int k) const {
        return integrals_[static_cast<std::size_t>((times - 1) * (most_radius + 1) + radius) * most_places + at(k)];
    }
    [[nodiscard]] static constexpr std::size_t at(int place) { return static_cast<std::size_t>(place + most_radius); }

private:
    /// The coefficient of s^j in the polynomial through 2 radius + 1 places that is 1 at one of them, 0 at the others.
    [[nodiscard]] static long double polynomial(int radius, int j, int place) {
        std::array<long double, most_places> coefficients{1};
        int degree = 0;
        for (int other = -radius; other <= radius; ++other) {
            if (other == place) continue;
            ++degree; // times (s - other)/(place - other)
            for (int i = degree; i >= 0; --i) {
                auto const n = static_cast<std::size_t>(i);
                long double const below = i > 0 ? coefficients[n - 1] : 0;
                coefficients[n] = (below - (i < degree ? coefficients[n] : 0) * other) / (place - other);
            }
        }
        return coefficients[static_cast<std::size_t>(j)];
    }
    [[nodiscard]] static long double power_of(int k, int j) {
        long double result = 1;
        for (int i = 0; i < j; ++i) result *= k;
        return result;
    }
    /// h^j d^j/ds^j at place k of the function that is 1 at one place and 0 at the others.
    [[nodiscard]] static long double derivative(int radius, int j, int place, int k) {
        long double sum = 0;
        for (int i = j; i <= 2 * radius; ++i) {
            long double falling = 1;
            for (int n = 0; n < j; ++n) falling *= i - n;
            sum += polynomial(radius, i, place) * falling * power_of(k, i - j);
        }
        return sum;
    }
    [[nodiscard]] static response oscillate(long double frequency, long double step, int power, int radius, int k) {
        response made;
        std::complex<long double> const turn(0, frequency * step);
        for (int place = -radius; place <= radius; ++place) {
            std::complex<long double> sum = 0;
            std::complex<long double> factor = power == 1 ? step / turn : step * step / (turn * turn);
            for (int j = 0; j <= 2 * radius; ++j) {
                sum += factor * static_cast<long double>(power == 1 ? 1 : j + 1) * derivative(radius, j, place, k);
                factor /= -turn;
            }
            made.real[at(place)] = static_cast<T>(sum.real());
            made.imaginary[at(place)] = static_cast<T>(sum.imag());
        }
        return made;
    }
    [[nodiscard]] static row integrate(long double step, int times, int radius, int k) {
        row made{};
        for (int place = -radius; place <= radius; ++place) {
            long double sum = 0;
            for (int j = 0; j <= 2 * radius; ++j) {
                long double part = polynomial(radius, j, place) * power_of(k, j);
                for (int i = 1; i <= times; ++i) part *= step * k / (j + i);
                sum += part;
            }
            made[at(place)] = static_cast<T>(sum);
        }
        return made;
    }

    std::size_t samples_;
    std::size_t modes_;
    std::vector<std::size_t> mirrored_;
    T step_{};
    std::vector<std::vector<int>> orders_;
    std::vector<T> frequencies_;
    std::vector<T> cosine_;
    std::vector<T> sine_;
    std::vector<response> responses_;
    std::vector<row> integrals_;
};

} // namespace lento
