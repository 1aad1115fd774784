#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/system/phase.hpp>

/// How many harmonics of a phase a force has, and how many points the moving spectral mean then needs. Both are the
/// same at every frequency, so that counts are.
namespace lento {

/// The highest harmonics of one phase.
struct harmonic_reach {
    int position = 1; ///< of the force at rest
    int velocity = 0; ///< of what the leading oscillation of the velocity adds to it; 0 where it adds nothing
};

/// Points for a mean of x'' = f whose error is O(W^-(order + 2)): every power of 1/W adds the force's own harmonics to
/// those of the force along the oscillation.
[[nodiscard]] inline int points_for_mean(int order, harmonic_reach const& of) {
    int const by_velocity = of.velocity + (order + 1) * std::max(of.position, of.velocity - 1);
    return std::max(8, 1 + std::max((order + 3) * of.position, of.velocity > 0 ? by_velocity : 0));
}
/// Points for an oscillation that is right to the same order.
[[nodiscard]] inline int points_for_oscillation(int order, harmonic_reach const& of) {
    int const by_velocity = of.velocity + (order - 1) * std::max(of.position, of.velocity - 1);
    int const highest = std::max((order + 1) * of.position, of.velocity > 0 ? by_velocity : 0);
    return std::max(points_for_mean(order, of), 2 + 2 * highest);
}

/// The same for x' = f, errors of O(W^-(order + 2)).
[[nodiscard]] inline int points_for_mean_rate(int order, harmonic_reach const& of) {
    return std::max(9, 1 + (order + 2) * of.position);
}
[[nodiscard]] inline int points_for_oscillating_rate(int order, harmonic_reach const& of) {
    return std::max(points_for_mean_rate(order, of), 1 + 2 * (order + 1) * of.position);
}

/// What counts as a harmonic, beside the largest one.
inline constexpr double smallest_harmonic = 1e-3;

/// The highest harmonic of equidistant samples of a turn; at least 1, where all are below the floor too, and 0 where
/// there are more than so many samples show.
template <class V> [[nodiscard]] int highest_harmonic(std::vector<V> const& samples, typename V::value_type floor) {
    using T = typename V::value_type;
    using std::cos;
    using std::sin;
    std::size_t const count = samples.size();
    std::vector<T> size(count / 2);
    V cosine = samples[0];
    V sine = samples[0];
    for (std::size_t m = 1; m < size.size(); ++m) {
        set_scaled(cosine, T(0), samples[0]);
        set_scaled(sine, T(0), samples[0]);
        for (std::size_t i = 0; i < count; ++i) {
            T const angle = two_pi<T> * T(m * i % count) / T(count);
            add_scaled(cosine, cos(angle) / T(count), samples[i]);
            add_scaled(sine, sin(angle) / T(count), samples[i]);
        }
        size[m] = std::max(max_norm(cosine), max_norm(sine));
    }
    T const largest = *std::max_element(size.begin(), size.end());
    int highest = 1;
    for (std::size_t m = 1; m < size.size(); ++m)
        if (size[m] > T(smallest_harmonic) * largest && size[m] > floor) highest = static_cast<int>(m);
    return 4 * static_cast<std::size_t>(highest) > count ? 0 : highest;
}

} // namespace lento
