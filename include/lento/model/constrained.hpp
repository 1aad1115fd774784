#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <lento/constraint/family.hpp>
#include <lento/system/constrained.hpp>
#include <lento/system/plain.hpp>

/// Constrained motions with known answers. Multipliers follow M q'' = F - g'^T lambda.
namespace lento::model {

/// A mass on a rod that swings in space, z upwards; constraint |r|^2 - l^2 = 0.
struct spherical_pendulum {
    double m = 2;
    double l = 0.5;
    double g = 9.8;

    [[nodiscard]] auto system() const {
        return constrained<3, 1>(
            mass(m), [*this](auto const&, auto) { return std::array{0., 0., -m * g}; },
            [*this](auto const& q) { return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - l * l; });
    }
    using angles = std::array<double, 2>; ///< from the downward vertical, and around it
    [[nodiscard]] std::array<double, 3> place(angles const& q) const {
        return {l * std::sin(q[0]) * std::cos(q[1]), l * std::sin(q[0]) * std::sin(q[1]), -l * std::cos(q[0])};
    }
    [[nodiscard]] std::array<double, 3> velocity(angles const& q, angles const& w) const {
        double const out = l * std::cos(q[0]) * w[0];
        double const around = l * std::sin(q[0]) * w[1];
        return {out * std::cos(q[1]) - around * std::sin(q[1]), out * std::sin(q[1]) + around * std::cos(q[1]),
                l * std::sin(q[0]) * w[0]};
    }
    [[nodiscard]] auto reduced() const {
        return plain<2>(with_velocity([*this](auto const& q, auto const& w, auto) {
            using std::cos, std::sin;
            return std::array{sin(q[0]) * cos(q[0]) * w[1] * w[1] - g / l * sin(q[0]),
                              -2 * cos(q[0]) / sin(q[0]) * w[0] * w[1]};
        }));
    }
    [[nodiscard]] double tension(angles const& q, angles const& w) const {
        auto const v = velocity(q, w);
        double const square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        return m * (square / l + g * std::cos(q[0])) / (2 * l);
    }
};

/// A heavy particle on an ellipsoid with half axes a; constraint sum x_i^2/a_i^2 - 1 = 0.
struct ellipsoid_particle {
    double m = 1.5;
    std::array<double, 3> a{1, 1.5, 0.8};
    double g = 3;

    [[nodiscard]] auto system() const {
        return constrained<3, 1>(
            mass(m), [*this](auto const&, auto) { return std::array{0., 0., -m * g}; },
            [a = a](auto const& q) {
                return q[0] * q[0] / (a[0] * a[0]) + q[1] * q[1] / (a[1] * a[1]) + q[2] * q[2] / (a[2] * a[2]) - 1.;
            });
    }
    using angles = std::array<double, 2>; ///< x = a (sin q1 cos q2, sin q1 sin q2, cos q1)
    [[nodiscard]] std::array<double, 3> place(angles const& q) const {
        return {a[0] * std::sin(q[0]) * std::cos(q[1]), a[1] * std::sin(q[0]) * std::sin(q[1]), a[2] * std::cos(q[0])};
    }
    [[nodiscard]] std::array<double, 3> velocity(angles const& q, angles const& w) const {
        auto const [polar, around] = tangents(q);
        std::array<double, 3> v{};
        for (std::size_t i = 0; i < 3; ++i) v[i] = polar[i] * w[0] + around[i] * w[1];
        return v;
    }
    [[nodiscard]] auto reduced() const {
        return plain<2>(with_velocity([*this](auto const& q, auto const& w, auto) { return turn(q, w); }));
    }
    [[nodiscard]] double multiplier(angles const& q, angles const& w) const {
        auto const [polar, around] = tangents(q);
        auto const bent = bend(q, w);
        auto const p = turn(q, w);
        auto const x = place(q);
        double along = 0;
        double square = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            double const gradient = 2 * x[i] / (a[i] * a[i]);
            double const acceleration = polar[i] * p[0] + around[i] * p[1] + bent[i];
            along += gradient * ((i == 2 ? -m * g : 0) - m * acceleration);
            square += gradient * gradient;
        }
        return along / square;
    }

private:
    [[nodiscard]] std::array<std::array<double, 3>, 2> tangents(angles const& q) const {
        double const s = std::sin(q[0]), c = std::cos(q[0]), s2 = std::sin(q[1]), c2 = std::cos(q[1]);
        return {{{a[0] * c * c2, a[1] * c * s2, -a[2] * s}, {-a[0] * s * s2, a[1] * s * c2, 0}}};
    }
    /// The part of the acceleration that the second derivatives of the map make.
    [[nodiscard]] std::array<double, 3> bend(angles const& q, angles const& w) const {
        double const s = std::sin(q[0]), c = std::cos(q[0]), s2 = std::sin(q[1]), c2 = std::cos(q[1]);
        double const square = w[0] * w[0] + w[1] * w[1];
        return {a[0] * (-s * c2 * square - 2 * c * s2 * w[0] * w[1]),
                a[1] * (-s * s2 * square + 2 * c * c2 * w[0] * w[1]), -a[2] * c * w[0] * w[0]};
    }
    [[nodiscard]] angles turn(angles const& q, angles const& w) const {
        auto const t = tangents(q);
        auto const bent = bend(q, w);
        double matrix[2][2]{};
        double force[2]{};
        for (std::size_t k = 0; k < 2; ++k)
            for (std::size_t i = 0; i < 3; ++i) {
                force[k] += t[k][i] * ((i == 2 ? -g : 0) - bent[i]);
                for (std::size_t n = 0; n < 2; ++n) matrix[k][n] += t[k][i] * t[n][i];
            }
        double const determinant = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0];
        return {(force[0] * matrix[1][1] - force[1] * matrix[0][1]) / determinant,
                (force[1] * matrix[0][0] - force[0] * matrix[1][0]) / determinant};
    }
};

/// A bead on a straight wire that turns at a constant rate in a horizontal plane: the constraint depends on time. The
/// distance from the axis is r0 cosh(rate t) + (v0/rate) sinh(rate t).
struct rotating_wire {
    double m = 0.7;
    double rate = 1.3;
    double r0 = 0.4;
    double v0 = -0.1;

    [[nodiscard]] auto system() const {
        return constrained<2, 1>(
            mass(m), [](auto const&, auto) { return std::array{0., 0.}; },
            with_time([rate = rate](auto const& q, auto t) {
                using std::cos, std::sin;
                return q[1] * cos(rate * t) - q[0] * sin(rate * t);
            }));
    }
    [[nodiscard]] double distance(double t) const { return r0 * std::cosh(rate * t) + v0 / rate * std::sinh(rate * t); }
    [[nodiscard]] double speed(double t) const { return r0 * rate * std::sinh(rate * t) + v0 * std::cosh(rate * t); }
    [[nodiscard]] std::array<double, 2> place(double t) const {
        return {distance(t) * std::cos(rate * t), distance(t) * std::sin(rate * t)};
    }
    [[nodiscard]] std::array<double, 2> velocity(double t) const {
        double const around = rate * distance(t);
        return {speed(t) * std::cos(rate * t) - around * std::sin(rate * t),
                speed(t) * std::sin(rate * t) + around * std::cos(rate * t)};
    }
    [[nodiscard]] double multiplier(double t) const { return -2 * m * rate * speed(t); }
};

/// A chain of n equal rods that hangs from the origin, a mass at the end of each: length 1 and mass 1 in all.
struct hanging_chain {
    std::size_t n = 10;
    double g = 9.8;

    [[nodiscard]] double rod() const { return 1. / static_cast<double>(n); }
    [[nodiscard]] auto system() const {
        double const weight = g * rod();
        return constrain(plain(dynamic(2 * n), mass(rod()),
                               [weight](auto const&, auto, auto& force) {
                                   for (std::size_t i = 0; i < force.size(); i += 2) {
                                       force[i] = 0;
                                       force[i + 1] = -weight;
                                   }
                               }),
                         family<4>(
                             n,
                             [](std::size_t i) {
                                 if (i == 0) return std::array{std::size_t(0), std::size_t(1), nowhere, nowhere};
                                 return std::array{2 * i, 2 * i + 1, 2 * i - 2, 2 * i - 1};
                             },
                             [square = rod() * rod()](std::size_t, auto const& q) {
                                 auto const x = q[0] - q[2];
                                 auto const y = q[1] - q[3];
                                 return x * x + y * y - square;
                             }));
    }
    /// All rods at one angle to the downward vertical.
    [[nodiscard]] std::vector<double> straight(double angle) const {
        std::vector<double> q(2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            q[2 * i] = static_cast<double>(i + 1) * rod() * std::sin(angle);
            q[2 * i + 1] = -static_cast<double>(i + 1) * rod() * std::cos(angle);
        }
        return q;
    }
    /// The multiplier of rod i at rest, hanging down: it carries what is below.
    [[nodiscard]] double tension(std::size_t i) const { return static_cast<double>(n - i) * rod() * g / (2 * rod()); }
    [[nodiscard]] double energy(std::vector<double> const& q, std::vector<double> const& v) const {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            sum += rod() * ((v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1]) / 2 + g * q[2 * i + 1]);
        return sum;
    }
};

} // namespace lento::model
