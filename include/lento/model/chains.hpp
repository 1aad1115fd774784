#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <lento/constraint/family.hpp>
#include <lento/system/stiff_family.hpp>

/// Chains of springs on a line, of any length, with their normal modes. Coordinates are displacements from rest.
namespace lento::model {

/// Pairs of unit masses: within a pair a hard spring, between pairs and at the walls a soft one of constant `soft`. The
/// fast modes all have the frequency sqrt(2) omega, whatever the length. In the limit a pair is a mass of 2.
struct alternating_chain {
    std::size_t pairs = 5;
    double omega = 1e3;
    double soft = 1;

    [[nodiscard]] auto system() const {
        return stiff(
            dynamic(2 * pairs),
            [k = soft](auto const& q, auto, auto& force) {
                std::size_t const last = q.size() - 1;
                force[0] = -k * q[0];
                force[last] = -k * q[last];
                for (std::size_t i = 1; i < last; i += 2) {
                    double const pull = k * (q[i + 1] - q[i]);
                    force[i] = pull;
                    force[i + 1] = -pull;
                }
            },
            spring{omega, family<2>(
                              pairs, [](std::size_t i) { return std::array{2 * i, 2 * i + 1}; },
                              [](std::size_t, auto const& q) { return q[1] - q[0]; })});
    }
    /// The frequency of mode j = 1 ... pairs of the limit.
    [[nodiscard]] double slow_frequency(std::size_t j) const {
        return std::sqrt(2 * soft) * std::sin(std::numbers::pi * share(j) / 2);
    }
    /// Mode j of the limit, of height 1.
    [[nodiscard]] std::vector<double> mode(std::size_t j) const {
        std::vector<double> q(2 * pairs);
        for (std::size_t i = 0; i < pairs; ++i)
            q[2 * i] = q[2 * i + 1] = std::sin(std::numbers::pi * share(j) * static_cast<double>(i + 1));
        return q;
    }
    [[nodiscard]] double energy(std::vector<double> const& q, std::vector<double> const& v) const {
        std::size_t const last = q.size() - 1;
        double sum = soft * (q[0] * q[0] + q[last] * q[last]) / 2;
        for (std::size_t i = 1; i < last; i += 2) sum += soft * (q[i + 1] - q[i]) * (q[i + 1] - q[i]) / 2;
        for (std::size_t i = 0; i < last; i += 2) sum += omega * omega * (q[i + 1] - q[i]) * (q[i + 1] - q[i]) / 2;
        for (double const each : v) sum += each * each / 2;
        return sum;
    }

private:
    [[nodiscard]] double share(std::size_t j) const { return static_cast<double>(j) / static_cast<double>(pairs + 1); }
};

/// Equal masses, 1 in all, with hard springs between neighbours, each held to its place by a soft spring so that the
/// chain as a whole swings with frequency `slow`. Of the hard springs alone the modes have the frequencies 2 omega
/// sin(pi j/(2 masses)), j = 1 ... masses - 1: the slowest is pi/(2 masses) of the fastest.
struct hard_chain {
    std::size_t masses = 10;
    double omega = 1e3;
    double slow = 1;

    [[nodiscard]] auto system() const {
        double const weight = 1. / static_cast<double>(masses);
        return stiff(
            dynamic(masses), mass(weight),
            [k = slow * slow * weight](auto const& q, auto, auto& force) {
                for (std::size_t i = 0; i < q.size(); ++i) force[i] = -k * q[i];
            },
            spring{omega * std::sqrt(weight), family<2>(
                                                  masses - 1, [](std::size_t i) { return std::array{i, i + 1}; },
                                                  [](std::size_t, auto const& q) { return q[1] - q[0]; })});
    }
    [[nodiscard]] double fast_frequency(std::size_t j) const {
        return 2 * omega * std::sin(std::numbers::pi * static_cast<double>(j) / (2 * static_cast<double>(masses)));
    }
};

} // namespace lento::model
