#pragma once

#include <array>
#include <cstddef>

/// Differences along the slow path: derivatives and integrals of the polynomial through 2 r + 1 equidistant places.
namespace lento {

/// The places k = -radius ... radius, in units of their distance.
struct path_differences {
    static constexpr int most_radius = 3;
    static constexpr std::size_t most_places = 2 * most_radius + 1;
    /// Where the number of a place stands in a list of those of the largest radius.
    [[nodiscard]] static constexpr std::size_t at(int place) { return static_cast<std::size_t>(place + most_radius); }

    /// What the value at a place adds to the j-th derivative at k.
    [[nodiscard]] static long double derivative(int radius, int j, int place, int k);
    /// ... to the integral from 0 to k, taken once or twice.
    [[nodiscard]] static long double integral(int radius, int times, int place, int k);
};

} // namespace lento
