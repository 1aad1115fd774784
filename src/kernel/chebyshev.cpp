#include <lento/kernel/chebyshev.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <lento/base/misuse.hpp>

namespace lento {
namespace {

using real = long double;

constexpr int longest_low_pass = 20'000; // its weights cost the square of this

/// T_n(a x + b) / T_n(a + b) in x = cos(theta), which is 1 at theta = 0 and stays below `left` from the angle on where
/// a x + b is 1; times the powers of u = 1 - x that make it flat at theta = 0.
struct low_pass {
    real n = 0;
    real a = 0;
    real b = 0;
    real left = 0;
    std::vector<real> flat;

    low_pass(int degree, int flatness, real ripple) : n(degree), left(ripple) {
        real const angle = std::acosh(1 / ripple) / n;
        real const y = std::cosh(angle);
        a = (1 + y) / 2; // so that a + b = y, and x = -1 is taken to -1
        b = (y - 1) / 2;
        // derivatives of T_n at y over its value there, by Chebyshev's equation differentiated
        std::vector<real> slope{1, n * std::tanh(n * angle) / std::sinh(angle)};
        for (int k = 0; k + 2 <= flatness; ++k) {
            auto const at = static_cast<std::size_t>(k);
            slope.push_back(((2 * k + 1) * y * slope[at + 1] + (static_cast<real>(k) * k - n * n) * slope[at]) /
                            (1 - y * y));
        }
        std::vector<real> series{1}; // of the response in u, and then of its inverse
        for (int k = 1; k <= flatness; ++k)
            series.push_back(slope[static_cast<std::size_t>(k)] * std::pow(-a, k) / std::tgamma(real(k + 1)));
        flat = {1};
        for (std::size_t k = 1; k < series.size(); ++k) {
            real sum = 0;
            for (std::size_t j = 1; j <= k; ++j) sum -= series[j] * flat[k - j];
            flat.push_back(sum);
        }
    }
    [[nodiscard]] real flattened(real u) const {
        real sum = 0;
        for (std::size_t k = flat.size(); k-- > 0;) sum = sum * u + flat[k];
        return sum;
    }
    [[nodiscard]] real edge() const { return std::acos(std::clamp((1 - b) / a, real(-1), real(1))); }
    /// The largest response beyond the edge: the powers of u only grow, so that it is the one at theta = pi.
    [[nodiscard]] real largest() const { return left * flattened(2); }
    [[nodiscard]] real operator()(real x) const {
        real const z = a * x + b;
        real const t = z > 1 ? std::cosh(n * std::acosh(z)) : std::cos(n * std::acos(std::max(real(-1), z)));
        return left * t * flattened(1 - x);
    }
};

/// The low-pass of so many steps whose largest response, with its moments, is the attenuation.
low_pass designed(chebyshev const& k, int steps) {
    int const flatness = k.moments / 2;
    int const degree = steps / 2 - flatness;
    if (degree < 1)
        throw misuse("a window of " + std::to_string(steps) + " steps cannot carry " + std::to_string(k.moments) +
                     " vanishing moments; use more steps or fewer moments");
    real low = std::log(static_cast<real>(k.attenuation)) - 60;
    real high = std::log(static_cast<real>(k.attenuation));
    if (flatness == 0) low = high;
    for (int halving = 0; halving < 80 && high - low > 1e-15L; ++halving) {
        real const middle = (low + high) / 2;
        (low_pass(degree, flatness, std::exp(middle)).largest() > k.attenuation ? high : low) = middle;
    }
    return {degree, flatness, std::exp(low)};
}

} // namespace

long double chebyshev::shape(long double) const {
    throw misuse("a Chebyshev filter is made for the grid of a window and has no shape between its points; use a "
                 "polynomial kernel here");
}

/// The weights with that response: a polynomial of degree steps/2 in cos(theta) is told by steps + 1 samples of a turn.
std::vector<double> chebyshev::weights(int steps) const {
    if (steps > longest_low_pass)
        throw misuse("a Chebyshev filter has at most " + std::to_string(longest_low_pass) +
                     " steps, but this window has " + std::to_string(steps));
    low_pass const filter = designed(*this, steps);
    auto const samples = static_cast<std::size_t>(steps) + 1;
    std::vector<real> cosine_of(samples);
    std::vector<real> responses(samples);
    for (std::size_t j = 0; j < samples; ++j) {
        cosine_of[j] = std::cos(2 * std::numbers::pi_v<real> * static_cast<real>(j) / static_cast<real>(samples));
        responses[j] = filter(cosine_of[j]);
    }
    std::vector<double> result(samples);
    std::size_t const middle = samples / 2;
    for (std::size_t i = 0; i <= middle; ++i) {
        real sum = 0;
        for (std::size_t j = 0; j < samples; ++j) sum += responses[j] * cosine_of[i * j % samples];
        result[middle - i] = result[middle + i] = static_cast<double>(sum / static_cast<real>(samples));
    }
    return result;
}

std::string chebyshev::why_not(support where) const {
    if (where == support::centred) return {};
    return "a Chebyshev filter gives the value at the window's centre; use a polynomial kernel for one-sided windows "
           "and for flows";
}

double stop_band(chebyshev const& k, int steps) {
    require_allowed(k);
    return static_cast<double>(designed(k, steps).edge());
}

int steps_to_stop(chebyshev const& k, double radians_per_step) {
    require_allowed(k);
    require_positive("the angle per step", radians_per_step);
    int too_few = k.moments / 2; // steps to a side, as those below
    int enough = too_few + 1;
    while (stop_band(k, 2 * enough) > radians_per_step) {
        too_few = enough;
        enough *= 2;
        if (2 * enough > longest_low_pass)
            throw does_not_apply("a Chebyshev filter would take more than " + std::to_string(longest_low_pass) +
                                 " steps to remove an oscillation of " + show(radians_per_step) +
                                 " radians a step; use larger steps");
    }
    while (enough - too_few > 1) {
        int const middle = (enough + too_few) / 2;
        (stop_band(k, 2 * middle) > radians_per_step ? too_few : enough) = middle;
    }
    return 2 * enough;
}

} // namespace lento
