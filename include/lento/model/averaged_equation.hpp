#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <lento/base/gradient.hpp>
#include <lento/base/mass.hpp>
#include <lento/system/phase.hpp>
#include <lento/system/plain.hpp>

namespace lento::model {

/// The analytic averaged equation (3.7) of paper 001 for f = omega f1(x, theta) + f0(x, theta) with <f1> = 0,
///     M X'' = <f1'(X, theta) M^-1 s(X, theta)> + <f0(X, theta)>,   d^2 s/d theta^2 = f1, <s> = 0,
/// as a plain system. f1' is found by differentiation of the user's generic f1, s by exact integration of its
/// trigonometric interpolant on 64 phases. Independent of everything in effective/: it is the referee.
template <std::size_t N, class Oscillating, class Steady, class Mass = unit_mass>
[[nodiscard]] auto averaged_equation(Oscillating f1, Steady f0, Mass mass = {}) {
    return plain<N>(mass, [=](std::array<double, N> const& x, double) {
        constexpr std::size_t samples = 64;
        constexpr int highest = samples / 2 - 1;
        auto const phase = [](std::size_t k) { return two_pi<double> * static_cast<double>(k) / samples; };
        std::array<std::array<double, N>, samples> force{};
        for (std::size_t k = 0; k < samples; ++k) force[k] = f1(x, phase(k));

        std::array<double, N> mean{};
        for (std::size_t k = 0; k < samples; ++k) {
            std::array<double, N> s{};
            for (std::size_t j = 0; j < samples; ++j) {
                double weight = 0;
                for (int m = 1; m <= highest; ++m) weight -= 2 * std::cos(m * (phase(k) - phase(j))) / (m * m);
                for (std::size_t i = 0; i < N; ++i) s[i] += weight / samples * force[j][i];
            }
            mass.divide(s);
            std::array<dual<double>, N> along{};
            for (std::size_t i = 0; i < N; ++i) along[i] = {x[i], s[i]};
            auto const derivative = f1(along, dual<double>(phase(k)));
            auto const steady = f0(x, phase(k));
            for (std::size_t i = 0; i < N; ++i) mean[i] += (derivative[i].slope[0] + steady[i]) / samples;
        }
        return mean;
    });
}

} // namespace lento::model
