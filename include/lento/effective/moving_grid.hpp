#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

#include <lento/effective/path_differences.hpp>
#include <lento/effective/phase_torus.hpp>

namespace lento {

/// Where the moving spectral mean samples a force: the points of a torus of phases, each at 2 r + 1 places of the slow
/// path, s = k h, |k| <= r. With it the tables for what is made of the samples, none of which depends on the frequency
/// but by the units of h. Slow derivatives are those of the polynomial through the places.
template <class T> class moving_grid {
public:
    static constexpr int most_radius = path_differences::most_radius; ///< that of the oscillation of order 4
    static constexpr std::size_t most_places = path_differences::most_places;
    using row = std::array<T, most_places>; ///< a number for each place from -r to r

    moving_grid(independent_phases const& phases, torus_rule const& rule)
        : samples_(rule.samples.size()), modes_(rule.modes.size()), mirrored_(rule.mirrored) {
        long double slowest = *std::min_element(phases.frequencies.begin(), phases.frequencies.end());
        long double nearest = std::numeric_limits<long double>::infinity();
        for (auto const& each : rule.modes) nearest = std::min(nearest, std::abs(each.frequency));
        // a radian of the slowest oscillation: what differences miss is then far below the next term of the series, and
        // sweeps do not feed on their rounding errors, as they do where places are nearer. Of a slow beat that radian
        // is taken too, or its differences would be nothing but rounding
        bool const beats = nearest < 0.02L * slowest;
        long double const step = 1 / (beats ? nearest : std::max(std::min(nearest, slowest), 0.2L * slowest));
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
            biases_.push_back(phases.merged ? bias{} : bias_of(each, rule));
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

    /// The mean over the samples of cos(m.phi) and sin(m.phi) as they come out in T. It is of the size of a rounding
    /// error and always the same: a force of size 1e9 would be off by 1e-7 at every evaluation.
    struct bias {
        T cosine{};
        T sine{};
    };
    [[nodiscard]] bias const& rounded(std::size_t mode) const { return biases_[mode]; }

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
    [[nodiscard]] static constexpr std::size_t at(int place) { return path_differences::at(place); }

private:
    [[nodiscard]] static bias bias_of(torus_rule::mode const& of, torus_rule const& rule) {
        using std::cos;
        using std::sin;
        long double cosine = 0;
        long double sine = 0;
        for (auto const& phi : rule.samples) {
            T angle(0);
            for (std::size_t j = 0; j < phi.size(); ++j) angle += T(of.order[j]) * static_cast<T>(phi[j]);
            cosine += static_cast<long double>(cos(angle));
            sine += static_cast<long double>(sin(angle));
        }
        auto const count = static_cast<long double>(rule.samples.size());
        return {static_cast<T>(cosine / count), static_cast<T>(sine / count)};
    }
    [[nodiscard]] static response oscillate(long double frequency, long double step, int power, int radius, int k) {
        response made;
        std::complex<long double> const turn(0, frequency * step);
        std::complex<long double> factor = power == 1 ? step / turn : step * step / (turn * turn);
        std::array<std::complex<long double>, most_places> sum{};
        for (int j = 0; j <= 2 * radius; ++j) {
            auto const share = factor * static_cast<long double>(power == 1 ? 1 : j + 1);
            for (int place = -radius; place <= radius; ++place)
                sum[at(place)] += share * path_differences::derivative(radius, j, place, k);
            factor /= -turn;
        }
        for (std::size_t i = 0; i < most_places; ++i) {
            made.real[i] = static_cast<T>(sum[i].real());
            made.imaginary[i] = static_cast<T>(sum[i].imag());
        }
        return made;
    }
    [[nodiscard]] static row integrate(long double step, int times, int radius, int k) {
        row made{};
        for (int place = -radius; place <= radius; ++place) {
            long double part = path_differences::integral(radius, times, place, k);
            for (int n = 0; n < times; ++n) part *= step;
            made[at(place)] = static_cast<T>(part);
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
    std::vector<bias> biases_;
    std::vector<response> responses_;
    std::vector<row> integrals_;
};

} // namespace lento
