#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <lento/base/option.hpp>
#include <lento/kernel/support.hpp>

namespace lento {

/// The low-pass of Dolph (1946) on Chebyshev's polynomials, times a polynomial that makes moments vanish: of all
/// filters of a length it has the widest band, from an edge up to the sampling rate, in which nothing above
/// `attenuation` of an oscillation is left. It is made for a grid and has no shape between its points; how long it must
/// be follows from the slowest frequency it is to remove.
struct chebyshev {
    double attenuation = 1e-6;
    int moments = 3;

    static constexpr std::string_view name = "chebyshev";
    static constexpr std::string_view sentence = "the shortest filter of a given attenuation; knows its length";
    static constexpr auto options() {
        return std::tuple{
            option{"attenuation", &chebyshev::attenuation, "what is left of a fast oscillation", between(1e-15, 0.1)},
            option{"moments", &chebyshev::moments, "the number of vanishing moments", between(0, 7)}};
    }
    /// Throws misuse: there is none.
    [[nodiscard]] long double shape(long double x) const;
    [[nodiscard]] std::vector<double> weights(int steps) const;
    [[nodiscard]] std::string why_not(support where) const;
};

/// Where the band begins that a Chebyshev filter of so many steps removes, in radians per step.
[[nodiscard]] double stop_band(chebyshev const& k, int steps);
/// The fewest steps with which the band begins no later than there.
[[nodiscard]] int steps_to_stop(chebyshev const& k, double radians_per_step);

} // namespace lento
