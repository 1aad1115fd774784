#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <lento/system/constrained.hpp>
#include <lento/system/vibrated.hpp>

/// Pendulums of rods in cartesian coordinates, their pivot vibrated or not. Angles are those of the rods to the upward
/// vertical.
namespace lento::model {

namespace detail {

/// Solves a small symmetric positive definite system in place.
template <std::size_t N>
[[nodiscard]] std::array<double, N> solve_dense(std::array<std::array<double, N>, N> a, std::array<double, N> b) {
    for (std::size_t k = 0; k < N; ++k)
        for (std::size_t i = k + 1; i < N; ++i) {
            double const factor = a[i][k] / a[k][k];
            for (std::size_t j = k; j < N; ++j) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (std::size_t k = N; k-- > 0;) {
        for (std::size_t j = k + 1; j < N; ++j) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return b;
}

} // namespace detail

/// A pendulum of N rods in the plane, the pivot at the origin of its own frame with vertical acceleration
/// vmax omega cos(theta). Coordinates are x1, y1, x2, y2, ...; constraint i is |r_i|^2 - l_i^2 = 0.
template <std::size_t N> struct linked_pendulum {
    std::array<double, N> m{};
    std::array<double, N> l{};
    double omega = 1e6;
    double g = 9.8;
    double vmax = 4;

    using angles = std::array<double, N>;
    using position = std::array<double, 2 * N>;

    [[nodiscard]] auto constraint() const {
        return [l = l](auto const& q) {
            using number = std::decay_t<decltype(q[0])>;
            std::array<number, N> values{};
            values[0] = q[0] * q[0] + q[1] * q[1] - l[0] * l[0];
            for (std::size_t i = 1; i < N; ++i) {
                auto const x = q[2 * i] - q[2 * i - 2];
                auto const y = q[2 * i + 1] - q[2 * i - 1];
                values[i] = x * x + y * y - l[i] * l[i];
            }
            return values;
        };
    }
    /// The gradients, written out: half the work of a micro step otherwise goes into finding them.
    struct gradients {
        template <class Number>
        [[nodiscard]] std::array<std::array<Number, 2 * N>, N> operator()(std::array<Number, 2 * N> const& q) const {
            std::array<std::array<Number, 2 * N>, N> rows{};
            rows[0][0] = 2 * q[0];
            rows[0][1] = 2 * q[1];
            for (std::size_t i = 1; i < N; ++i)
                for (std::size_t k = 0; k < 2; ++k) {
                    rows[i][2 * i + k] = 2 * (q[2 * i + k] - q[2 * i + k - 2]);
                    rows[i][2 * i + k - 2] = -rows[i][2 * i + k];
                }
            return rows;
        }
        [[nodiscard]] static constexpr bool touches(std::size_t rod, std::size_t coordinate) {
            return coordinate / 2 == rod || coordinate / 2 + 1 == rod;
        }
    };
    [[nodiscard]] auto mass_matrix() const {
        std::vector<double> diagonal;
        for (double const value : m) diagonal.insert(diagonal.end(), 2, value);
        return mass(diagonal);
    }

    /// (4.3), seen from the pivot
    [[nodiscard]] auto vibrated_system() const {
        return constrain(vibrated<2 * N>({.frequency = omega}, mass_matrix(),
                                         [*this](auto const& q, auto theta) {
                                             using std::cos;
                                             std::decay_t<decltype(q)> force{};
                                             auto const down = g + vmax * omega * cos(theta);
                                             for (std::size_t i = 0; i < N; ++i) force[2 * i + 1] = -m[i] * down;
                                             return force;
                                         }),
                         constraints<N>(constraint(), gradients{}));
    }
    /// The pivot at rest
    [[nodiscard]] auto system() const {
        return constrained<2 * N, N>(
            mass_matrix(),
            [*this](auto const& q, auto) {
                std::decay_t<decltype(q)> force{};
                for (std::size_t i = 0; i < N; ++i) force[2 * i + 1] = -m[i] * g;
                return force;
            },
            constraint());
    }

    [[nodiscard]] position place(angles const& q) const {
        position x{};
        for (std::size_t i = 0; i < N; ++i) {
            x[2 * i] = (i > 0 ? x[2 * i - 2] : 0) + l[i] * std::sin(q[i]);
            x[2 * i + 1] = (i > 0 ? x[2 * i - 1] : 0) + l[i] * std::cos(q[i]);
        }
        return x;
    }
    [[nodiscard]] position velocity(angles const& q, angles const& w) const {
        position v{};
        for (std::size_t i = 0; i < N; ++i) {
            v[2 * i] = (i > 0 ? v[2 * i - 2] : 0) + l[i] * std::cos(q[i]) * w[i];
            v[2 * i + 1] = (i > 0 ? v[2 * i - 1] : 0) - l[i] * std::sin(q[i]) * w[i];
        }
        return v;
    }
    [[nodiscard]] static angles measure(position const& x) {
        angles q{};
        for (std::size_t i = 0; i < N; ++i)
            q[i] = std::atan2(x[2 * i] - (i > 0 ? x[2 * i - 2] : 0), x[2 * i + 1] - (i > 0 ? x[2 * i - 1] : 0));
        return q;
    }

    /// The mass carried by rod i and beyond.
    [[nodiscard]] double carried(std::size_t i) const {
        double sum = 0;
        for (; i < N; ++i) sum += m[i];
        return sum;
    }
    /// The angles' own equation of motion, with gravity `down`: what the pendulum in cartesian coordinates must agree
    /// with.
    [[nodiscard]] angles angular_acceleration(angles const& q, angles const& w, double down) const {
        std::array<angles, N> matrix{};
        angles force{};
        for (std::size_t i = 0; i < N; ++i) {
            force[i] = carried(i) * down * l[i] * std::sin(q[i]);
            for (std::size_t j = 0; j < N; ++j) {
                double const weight = carried(i > j ? i : j) * l[i] * l[j];
                matrix[i][j] = weight * std::cos(q[i] - q[j]);
                force[i] -= weight * std::sin(q[i] - q[j]) * w[j] * w[j];
            }
        }
        return detail::solve_dense(matrix, force);
    }
    [[nodiscard]] auto reduced() const {
        return plain<N>(
            with_velocity([*this](auto const& q, auto const& w, auto) { return angular_acceleration(q, w, g); }));
    }
    /// The averaged motion in angles: the pivot's vibration adds the potential (vmax^2/4) c(q) A(q)^-1 c(q), where A is
    /// the matrix of the kinetic energy and c_i = carried_i l_i sin(q_i) (Kapitza; Levi 1999).
    [[nodiscard]] auto averaged() const {
        return plain<N>(with_velocity([*this](auto const& q, auto const& w, auto) {
            constexpr double reach = 1e-5;
            angles slope{};
            for (std::size_t i = 0; i < N; ++i) {
                auto ahead = q;
                auto behind = q;
                ahead[i] += reach;
                behind[i] -= reach;
                slope[i] = (vibration_potential(ahead) - vibration_potential(behind)) / (2 * reach);
            }
            auto result = angular_acceleration(q, w, g);
            auto const added = detail::solve_dense(kinetic_matrix(q), slope);
            for (std::size_t i = 0; i < N; ++i) result[i] -= added[i];
            return result;
        }));
    }
    /// What an observer of the angles' motion finds for the multipliers, from the balance of forces on each mass.
    [[nodiscard]] angles tensions(angles const& q, angles const& w, double down) const {
        auto const turn = angular_acceleration(q, w, down);
        position a{};
        for (std::size_t i = 0; i < N; ++i) {
            a[2 * i] = (i > 0 ? a[2 * i - 2] : 0) + l[i] * (std::cos(q[i]) * turn[i] - std::sin(q[i]) * w[i] * w[i]);
            a[2 * i + 1] =
                (i > 0 ? a[2 * i - 1] : 0) - l[i] * (std::sin(q[i]) * turn[i] + std::cos(q[i]) * w[i] * w[i]);
        }
        angles lambda{};
        double pull_x = 0; // what the rods beyond exert on this mass
        double pull_y = 0;
        for (std::size_t i = N; i-- > 0;) {
            double const x = l[i] * std::sin(q[i]);
            double const y = l[i] * std::cos(q[i]);
            double const force_x = m[i] * a[2 * i] - pull_x;
            double const force_y = m[i] * (a[2 * i + 1] + down) - pull_y;
            lambda[i] = -(force_x * x + force_y * y) / (2 * l[i] * l[i]);
            pull_x = 2 * lambda[i] * x;
            pull_y = 2 * lambda[i] * y;
        }
        return lambda;
    }
    [[nodiscard]] double energy(position const& x, position const& v) const {
        double sum = 0;
        for (std::size_t i = 0; i < N; ++i)
            sum += m[i] * ((v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1]) / 2 + g * x[2 * i + 1]);
        return sum;
    }

private:
    [[nodiscard]] std::array<angles, N> kinetic_matrix(angles const& q) const {
        std::array<angles, N> matrix{};
        for (std::size_t i = 0; i < N; ++i)
            for (std::size_t j = 0; j < N; ++j)
                matrix[i][j] = carried(i > j ? i : j) * l[i] * l[j] * std::cos(q[i] - q[j]);
        return matrix;
    }
    [[nodiscard]] double vibration_potential(angles const& q) const {
        angles c{};
        for (std::size_t i = 0; i < N; ++i) c[i] = carried(i) * l[i] * std::sin(q[i]);
        auto const solved = detail::solve_dense(kinetic_matrix(q), c);
        double sum = 0;
        for (std::size_t i = 0; i < N; ++i) sum += c[i] * solved[i];
        return vmax * vmax / 4 * sum;
    }
};

/// The double pendulum of section 4 of paper 001.
[[nodiscard]] inline linked_pendulum<2> double_pendulum(double omega) {
    return {.m = {0.01, 0.005}, .l = {0.2, 0.1}, .omega = omega};
}

} // namespace lento::model
