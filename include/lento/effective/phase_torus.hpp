#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// The torus of the phases of a vibrated system: which of them turn on their own, where a mean over all of them is
/// sampled, and which harmonics the samples tell apart.
namespace lento {

/// Phases phi that turn on their own. They are those of a system, theta = phi, or fewer where some of these are in
/// small whole ratios: theta_p = offsets_p + sum_j turns_pj phi_j.
struct independent_phases {
    std::vector<long double> frequencies;
    std::vector<long double> starts;     ///< phi at time 0
    std::vector<long double> offsets;    ///< one for each given phase
    std::vector<std::vector<int>> turns; ///< a row for each given phase
    bool merged = false;                 ///< there are fewer than were given

    [[nodiscard]] std::size_t size() const { return frequencies.size(); }
    /// The given phases at a point of the torus.
    [[nodiscard]] std::vector<long double> given(std::span<long double const> phi) const;
};

/// Merges phases between which a combination with small whole numbers, up to 6 in all, stands still.
[[nodiscard]] independent_phases independent(std::span<long double const> frequencies,
                                             std::span<long double const> starts);

/// Samples of the torus, and one of each pair of opposite harmonics that they tell apart. The mean over them is right
/// for every harmonic with sum_j |m_j|/points_j < 1 and, where products of harmonics of several phases are asked for,
/// for every one with |m_j| < points_j.
struct torus_rule {
    struct mode {
        std::vector<int> order;
        long double frequency;
    };
    std::vector<std::vector<long double>> samples; ///< points phi, within half a turn of 0
    std::vector<mode> modes;
    std::vector<std::size_t> mirrored; ///< the sample at -phi
};

/// A grid of points_j equidistant values of each phase or, of several phases without products, a lattice, which needs
/// half as many samples for two and a fifth for three. Empty where more than 2048 would be needed.
[[nodiscard]] torus_rule sampled(independent_phases const& phases, std::span<int const> points, bool products);

/// The slowest sum or difference of several phases with whole numbers up to 4 in all.
struct slowest_beat {
    double frequency = 0; ///< 0: there is one phase only
    std::string name;     ///< "2 * 100 - 1 * 190"
};
[[nodiscard]] slowest_beat beat(independent_phases const& phases);

} // namespace lento
