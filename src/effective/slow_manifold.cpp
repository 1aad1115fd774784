#include <lento/effective/slow_manifold.hpp>

#include <cmath>
#include <numbers>

namespace lento {

window cubic_window(double omega) {
    double const period = 2 * std::numbers::pi / omega;
    return {.kernel = cubic{}, .length = 6 * period, .step = period / 6, .unchecked = true};
}

namespace detail {

void notch_weights(std::span<double const> angles, int steps, std::array<double, longest_notch + 1>& out) {
    auto const zeros = static_cast<int>(angles.size());
    // a polynomial of degree `steps` in u = 1 - cos(angle): zeros first, the rest makes it 1 + O(u^(rest + 1))
    int const depth = 2 * zeros < steps ? 2 : 1;
    int const rest = steps - depth * zeros;
    std::array<double, longest_notch + 1> stop{}; // prod (1 - u/u_j)^depth, by powers of u
    std::array<double, longest_notch + 1> lift{}; // 1/stop, cut off
    stop[0] = 1;
    int degree = 0;
    for (double const angle : angles)
        for (int d = 0; d < depth; ++d) {
            double const inverse = 1 / (1 - std::cos(angle));
            ++degree;
            for (int k = degree; k > 0; --k)
                stop[static_cast<std::size_t>(k)] -= inverse * stop[static_cast<std::size_t>(k - 1)];
        }
    for (int k = 0; k <= rest; ++k) {
        double sum = k == 0 ? 1 : 0;
        for (int i = 1; i <= k; ++i) sum -= stop[static_cast<std::size_t>(i)] * lift[static_cast<std::size_t>(k - i)];
        lift[static_cast<std::size_t>(k)] = sum;
    }
    // its cosine series, by sums over Chebyshev's points
    int const points = steps + 1;
    out.fill(0);
    for (int i = 0; i < points; ++i) {
        double const angle = std::numbers::pi * (i + 0.5) / points;
        double const u = 1 - std::cos(angle);
        double value = 0;
        for (int k = rest; k >= 0; --k) value = value * u + lift[static_cast<std::size_t>(k)];
        for (double const zero : angles)
            for (int d = 0; d < depth; ++d) value *= 1 - u / (1 - std::cos(zero));
        for (int k = 0; k <= steps; ++k) out[static_cast<std::size_t>(k)] += value * std::cos(k * angle) / points;
    }
}

} // namespace detail
} // namespace lento
