#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include <lento/system/plain.hpp>
#include <lento/system/vibrated.hpp>

/// Vibrated pendulums with known averaged equations. Angles are measured from the upward vertical.
namespace lento::model {

/// The inverted pendulum of paper 001: pivot acceleration vmax omega cos(theta), vertical.
struct vibrated_pendulum {
    double omega = 1e6;
    double phase = 0;
    double g = 9.8;
    double l = 0.2;
    double vmax = 4;

    [[nodiscard]] auto system() const {
        return vibrated<1>({.frequency = omega, .phase = phase}, [*this](auto const& q, auto theta) {
            using std::cos, std::sin;
            return (g + vmax * omega * cos(theta)) * sin(q[0]) / l;
        });
    }
    /// (2.5)-(2.6)
    [[nodiscard]] auto averaged() const {
        return plain<1>([*this](auto const& q, auto) {
            using std::cos, std::sin;
            return (g / l - vmax * vmax / (2 * l * l) * cos(q[0])) * sin(q[0]);
        });
    }
    /// (2.7): the slow velocity of a physical state.
    [[nodiscard]] auto slow_velocity() const {
        return [*this](auto const& q, auto const& v, auto theta) {
            using std::sin;
            return v[0] - vmax * sin(theta) * sin(q[0]) / l;
        };
    }
    [[nodiscard]] auto oscillating_force() const {
        return [*this](auto const& q, auto theta) {
            using std::cos, std::sin;
            return std::array{vmax * cos(theta) * sin(q[0]) / l};
        };
    }
    [[nodiscard]] auto steady_force() const {
        return [*this](auto const& q, auto) {
            using std::sin;
            return std::array{g * sin(q[0]) / l};
        };
    }
};

/// The inverted pendulum of paper 004: l q'' = (g + sin(2 pi t/epsilon)/epsilon) sin q.
struct sine_pendulum {
    double epsilon = 1e-6;
    double g = 0.1;
    double l = 0.05;

    [[nodiscard]] double frequency() const { return 2 * std::numbers::pi / epsilon; }
    [[nodiscard]] auto system() const {
        return vibrated<1>({.frequency = frequency()}, [*this](auto const& q, auto theta) {
            using std::sin;
            return (g + sin(theta) / epsilon) * sin(q[0]) / l;
        });
    }
    /// (9)
    [[nodiscard]] auto averaged() const {
        return plain<1>([*this](auto const& q, auto) {
            using std::cos, std::sin;
            return (g - cos(q[0]) / (8 * std::numbers::pi * std::numbers::pi * l)) * sin(q[0]) / l;
        });
    }
    /// The paper's reconstruction, solved for the slow velocity.
    [[nodiscard]] auto slow_velocity() const {
        return [*this](auto const& q, auto const& v, auto theta) {
            using std::cos, std::sin;
            return v[0] + sin(q[0]) * cos(theta) / (2 * std::numbers::pi * l);
        };
    }
};

/// A pendulum whose pivot is shaken sideways, acceleration vmax omega cos(theta).
struct horizontal_pendulum {
    double omega = 1e6;
    double phase = 0;
    double g = 9.8;
    double l = 0.2;
    double vmax = 4;

    [[nodiscard]] auto system() const {
        return vibrated<1>({.frequency = omega, .phase = phase}, [*this](auto const& q, auto theta) {
            using std::cos, std::sin;
            return (g * sin(q[0]) - vmax * omega * cos(theta) * cos(q[0])) / l;
        });
    }
    /// Stable at cos Q = -2 g l/vmax^2, to both sides of the lower equilibrium, when vmax^2 > 2 g l.
    [[nodiscard]] auto averaged() const {
        return plain<1>([*this](auto const& q, auto) {
            using std::cos, std::sin;
            return (g / l + vmax * vmax / (2 * l * l) * cos(q[0])) * sin(q[0]);
        });
    }
    [[nodiscard]] auto oscillating_force() const {
        return [*this](auto const& q, auto theta) {
            using std::cos;
            return std::array{-vmax * cos(theta) * cos(q[0]) / l};
        };
    }
    [[nodiscard]] auto steady_force() const {
        return [*this](auto const& q, auto) {
            using std::sin;
            return std::array{g * sin(q[0]) / l};
        };
    }
};

/// The pendulum of paper 001 shaken vertically at two incommensurate frequencies.
struct twice_vibrated_pendulum {
    double omega1 = 1e6;
    double omega2 = 1e6 * std::numbers::sqrt2;
    double g = 9.8;
    double l = 0.2;
    double vmax1 = 3;
    double vmax2 = 2.5;

    [[nodiscard]] auto system() const {
        return vibrated<1, 2>({.frequencies = {omega1, omega2}}, [*this](auto const& q, auto const& theta) {
            using std::cos, std::sin;
            auto const pivot = vmax1 * omega1 * cos(theta[0]) + vmax2 * omega2 * cos(theta[1]);
            return (g + pivot) * sin(q[0]) / l;
        });
    }
    [[nodiscard]] auto averaged() const {
        return plain<1>([*this](auto const& q, auto) {
            using std::cos, std::sin;
            return (g / l - (vmax1 * vmax1 + vmax2 * vmax2) / (2 * l * l) * cos(q[0])) * sin(q[0]);
        });
    }
};

} // namespace lento::model
