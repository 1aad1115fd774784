#include "problem/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/matrix_functions.hpp"

namespace lento::detail {
namespace {

/// The power at each whole number of turns, of all signals together, each with its line through the ends' means taken
/// off and tapered by Hann's window.
std::vector<double> power_of(std::vector<std::vector<double>> const& rows) {
    std::size_t const n = rows.size();
    std::vector<double> power(n / 2);
    std::vector<double> signal(n);
    for (std::size_t i = 0; i < rows.front().size(); ++i) {
        // the straight line of least squares is the trend
        double mean = 0;
        double slope = 0;
        double weight = 0;
        double const middle = static_cast<double>(n - 1) / 2;
        for (std::size_t k = 0; k < n; ++k) {
            double const x = static_cast<double>(k) - middle;
            mean += rows[k][i];
            slope += x * rows[k][i];
            weight += x * x;
        }
        mean /= static_cast<double>(n);
        slope /= weight;
        for (std::size_t k = 0; k < n; ++k) {
            double const taper =
                0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
            signal[k] = taper * (rows[k][i] - mean - slope * (static_cast<double>(k) - middle));
        }
        auto const own = power_spectrum(signal);
        for (std::size_t m = 0; m < power.size(); ++m) power[m] += own[m];
    }
    return power;
}

} // namespace

std::vector<double> strongest_frequencies(std::vector<std::vector<double>> const& rows, double step, std::size_t most) {
    constexpr std::size_t fewest_turns = 3;
    if (rows.size() < 8 * fewest_turns || rows.front().empty()) return {};
    auto const power = power_of(rows);
    double const strongest = *std::max_element(power.begin() + fewest_turns, power.end());
    if (!std::isfinite(strongest) || strongest <= 0) return {};

    std::vector<std::size_t> peaks;
    constexpr double faintest = 1e-6; // an amplitude of a thousandth
    for (std::size_t m = fewest_turns; m + 2 < power.size(); ++m) {
        bool const highest =
            power[m] > power[m - 1] && power[m] >= power[m + 1] && power[m] > power[m - 2] && power[m] >= power[m + 2];
        if (highest && power[m] > faintest * strongest) peaks.push_back(m);
    }
    std::sort(peaks.begin(), peaks.end(), [&](std::size_t a, std::size_t b) { return power[a] > power[b]; });
    if (peaks.size() > most) peaks.resize(most);

    std::vector<double> frequencies;
    double const resolution = 2 * std::numbers::pi / (static_cast<double>(rows.size()) * step);
    for (std::size_t const m : peaks) {
        // the lobe of Hann's window is nearly a parabola in the logarithm
        double const before = std::log(power[m - 1]);
        double const at = std::log(power[m]);
        double const after = std::log(power[m + 1]);
        double const bend = before - 2 * at + after;
        double const shift = bend < 0 ? 0.5 * (before - after) / bend : 0;
        frequencies.push_back(resolution * (static_cast<double>(m) + shift));
    }
    return frequencies;
}

} // namespace lento::detail
