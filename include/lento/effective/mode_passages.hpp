#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

#include <lento/base/outcome.hpp>

namespace lento {

/// A passage of fast modes in which their actions changed: a resonance Omega_i + Omega_j = Omega_k (i may be j), or two
/// frequencies that met.
struct mode_passage {
    double time = 0;
    std::array<std::size_t, 3> modes{}; ///< of a meeting the first two
    bool meeting = false;
    double most = 0;    ///< by how much an action may have changed, the phase being anything
    double applied = 0; ///< by how much it was changed, the phase being known
    double doubt = 0;   ///< what is left of it
    static auto members(auto& self) {
        return std::tie(self.time, self.modes, self.meeting, self.most, self.applied, self.doubt);
    }
};

namespace detail {

/// What is known of the fast modes at the end of a step.
struct mode_course {
    double time = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> phase;
    std::vector<double> frequency;
    std::vector<double> rate; ///< of the frequency
    static auto members(auto& self) { return std::tie(self.time, self.phase, self.frequency, self.rate); }
};

/// Where a combination of frequencies passes through zero in a step.
struct resonance_passage {
    double time = 0;
    double phase = 0; ///< of the combination there
    double rate = 0;  ///< of its frequency
    double width = 0; ///< how long it takes
    double bend = 0;  ///< by how much of itself the rate changes meanwhile
};

/// Those of one step, in their order: a cubic has no more.
struct resonance_passages {
    std::array<resonance_passage, 3> all{};
    std::size_t count = 0;
    [[nodiscard]] auto begin() const { return all.begin(); }
    [[nodiscard]] auto end() const { return all.begin() + static_cast<std::ptrdiff_t>(count); }
};
/// Looks for Omega_i + Omega_j - Omega_k = 0 within a step, by Hermite's interpolation.
[[nodiscard]] resonance_passages find_resonances(mode_course const& from, mode_course const& to, std::size_t i,
                                                 std::size_t j, std::size_t k);

/// By how much the first mode's action changes in it at most: actions J, frequencies, and the potential's coefficient
/// of the modes' displacements. The second one's changes by as much (where it is the first one: no more), the third
/// one's by the reverse, or half of it.
[[nodiscard]] double largest_change(bool twice, std::array<double, 3> const& actions,
                                    std::array<double, 3> const& frequencies, double coefficient, double width);

/// Where two frequencies come closest to each other in a step.
struct mode_meeting {
    bool happened = false;
    double time = 0;
    double share = 0; ///< of their actions that two modes exchange, each being carried on by its shape
};
/// Looks for it between the ends of a step, and how fast the shapes of the two turn into each other there, times
/// their difference. Two levels that cross at a rate r but for a coupling V keep their order but for exp(-2 pi V^2/r)
/// (Landau and Zener 1932); difference, its rate and the turning at a point near by give r and V.
[[nodiscard]] mode_meeting find_meeting(mode_course const& from, mode_course const& to, double mixing_from,
                                        double mixing_to, std::size_t i, std::size_t j);

[[nodiscard]] warning actions_in_doubt(mode_passage const& passed, double shift, double end);
[[nodiscard]] failure phases_unknown(double time, double doubt);

} // namespace detail
} // namespace lento
