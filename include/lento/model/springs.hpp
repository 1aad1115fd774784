#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <lento/system/stiff.hpp>

/// Stiff systems with known answers, those of the papers among them. All masses are 1.
namespace lento::model {

/// Two unit masses in the plane, the first held at the origin by a spring of constant omega_1^2, the second at the
/// first by one of omega_2^2, both of length 1 (paper 000, section 4; paper 003, section 5.1). Which springs are hard
/// is told by the function that makes the system.
struct two_springs {
    double omega_1 = 1;
    double omega_2 = 1;

    /// The first spring is soft: case (i) of paper 000.
    [[nodiscard]] auto second_hard() const {
        return stiff<4>(
            [w = omega_1](auto const& q, auto const&) {
                auto const f = soft(w, q[0], q[1]);
                return std::array{-f[0], -f[1], 0 * f[0], 0 * f[0]};
            },
            spring{omega_2, outer});
    }
    /// The second spring is soft: case (ii).
    [[nodiscard]] auto first_hard() const {
        return stiff<4>(
            [w = omega_2](auto const& q, auto const&) {
                auto const f = soft(w, q[0] - q[2], q[1] - q[3]);
                return std::array{-f[0], -f[1], f[0], f[1]};
            },
            spring{omega_1, inner});
    }
    /// Both are hard: case (iii), and paper 003.
    [[nodiscard]] auto both_hard() const {
        return stiff<4>(no_force{}, spring{omega_1, inner}, spring{omega_2, outer});
    }

    static constexpr auto inner = [](auto const& q) {
        using std::sqrt;
        return sqrt(q[0] * q[0] + q[1] * q[1]) - 1.;
    };
    static constexpr auto outer = [](auto const& q) {
        using std::sqrt;
        auto const x = q[0] - q[2];
        auto const y = q[1] - q[3];
        return sqrt(x * x + y * y) - 1.;
    };

    using state = motion<std::array<double, 4>>;
    /// The start of case (i), and of case (iii) with its hard springs: energy 1, half of it in the fast motion.
    [[nodiscard]] state stretched_second() const { return {{1, 0, 2 + 1 / omega_2, 0}, {0.5, -0.5, -0.5, 0.5}}; }
    /// The start of case (ii): much energy in the first spring.
    [[nodiscard]] state stretched_first() const { return {{1 + 20 / omega_1, 0, 2, 0}, {0.5, -0.5, -0.5, 0.5}}; }
    /// (29)-(30) of paper 003: away from the slow manifold.
    [[nodiscard]] static state displaced() { return {{1, 0.25, 2, 0}, {0, -0.5, 0, 0.5}}; }
    /// (31)-(32) of paper 003: on the constraint manifold.
    [[nodiscard]] static state on_constraints() { return {{1, 0, 2, 0}, {0, -0.5, 0, 0.5}}; }

private:
    template <class Number> static std::array<Number, 2> soft(double w, Number const& x, Number const& y) {
        using std::sqrt;
        Number const r = sqrt(x * x + y * y);
        Number const pull = w * w * (r - 1.) / r;
        return {pull * x, pull * y};
    }
};

/// A mass in the plane at the end of a hard spring of length 1 (paper 003, section 2.3). Its slow motions are uniform
/// circles, a little wider than the spring.
struct strong_spring {
    double omega = 1e3;

    using state = motion<std::array<double, 2>>;
    [[nodiscard]] auto system() const {
        return stiff<2>(no_force{}, spring{omega, [](auto const& q) {
                                               using std::sqrt;
                                               return sqrt(q[0] * q[0] + q[1] * q[1]) - 1.;
                                           }});
    }
    /// Where the spring balances the centrifugal force at this angular speed.
    [[nodiscard]] double radius(double speed) const { return omega * omega / (omega * omega - speed * speed); }
    [[nodiscard]] state circling(double speed, double t) const {
        double const r = radius(speed);
        double const c = std::cos(speed * t);
        double const s = std::sin(speed * t);
        return {{r * c, r * s}, {-r * speed * s, r * speed * c}};
    }
};

/// A heavy mass on a hard spring in space, z upwards. In the limit it is a spherical pendulum.
struct spring_pendulum {
    double omega = 1e3;
    double length = 1;
    double g = 1;

    using state = motion<std::array<double, 3>>;
    [[nodiscard]] auto system() const {
        return stiff<3>([g = g](auto const& q, auto const&) { return std::array{0 * q[0], 0 * q[0], -g + 0 * q[0]}; },
                        spring{omega, [l = length](auto const& q) {
                                   using std::sqrt;
                                   return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) - l;
                               }});
    }
    [[nodiscard]] double energy(state const& x) const {
        auto const& [q, v] = x;
        double const stretch = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) - length;
        return (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 + g * q[2] + omega * omega * stretch * stretch / 2;
    }
    /// The angular momentum about the vertical.
    [[nodiscard]] static double spin(state const& x) {
        return x.position[0] * x.velocity[1] - x.position[1] * x.velocity[0];
    }
};

/// x'' = -x, y'' = -omega^2 (y - cos t): a slow motion beside the driven spring (5) of paper 003, uncoupled as in its
/// section 4.2. The slow motion of the spring is omega^2/(omega^2 - 1) cos t.
struct driven_spring {
    double omega = 1e3;

    using state = motion<std::array<double, 2>>;
    [[nodiscard]] auto system() const {
        return stiff<2>([](auto const& q, auto const&) { return std::array{-q[0], 0 * q[0]}; },
                        spring{omega, with_time([](auto const& q, auto const& t) {
                                   using std::cos;
                                   return q[1] - cos(t);
                               })});
    }
    [[nodiscard]] double amplitude() const { return omega * omega / (omega * omega - 1); }
    /// The motion with this state at time 0.
    [[nodiscard]] state exact(state const& start, double t) const {
        double const a = amplitude();
        double const c = std::cos(omega * t);
        double const s = std::sin(omega * t);
        double const rho = start.position[1] - a;
        double const sigma = start.velocity[1];
        state x = slow(start, t);
        x.position[1] += rho * c + sigma / omega * s;
        x.velocity[1] += -rho * omega * s + sigma * c;
        return x;
    }
    /// Its slow part.
    [[nodiscard]] state slow(state const& start, double t) const {
        double const c = std::cos(t);
        double const s = std::sin(t);
        return {{start.position[0] * c + start.velocity[0] * s, amplitude() * c},
                {start.velocity[0] * c - start.position[0] * s, -amplitude() * s}};
    }
};

/// q'' = -K q - omega^2 (a.q) a: a linear system with one hard spring along a unit vector, and its normal modes.
template <std::size_t N> struct linear_springs {
    std::array<std::array<double, N>, N> soft; ///< K, symmetric
    std::array<double, N> direction;           ///< a
    double omega = 1e3;

    using vector = std::array<double, N>;
    using state = motion<vector>;
    struct normal_modes {
        vector square; ///< of the frequencies
        std::array<vector, N> shape;
    };

    [[nodiscard]] auto system() const {
        return stiff<N>(
            [k = soft](auto const& q, auto const&) {
                auto force = q;
                for (std::size_t i = 0; i < N; ++i) {
                    force[i] = 0 * q[i];
                    for (std::size_t j = 0; j < N; ++j) force[i] -= k[i][j] * q[j];
                }
                return force;
            },
            spring{omega, [a = direction](auto const& q) {
                       auto sum = a[0] * q[0];
                       for (std::size_t i = 1; i < N; ++i) sum += a[i] * q[i];
                       return sum;
                   }});
    }
    /// By Jacobi's rotations.
    [[nodiscard]] normal_modes modes() const {
        auto k = soft;
        std::array<vector, N> shape{};
        for (std::size_t i = 0; i < N; ++i) {
            shape[i][i] = 1;
            for (std::size_t j = 0; j < N; ++j) k[i][j] += omega * omega * direction[i] * direction[j];
        }
        auto const turn = [](double& x, double& y, double c, double s) {
            double const before = x;
            x = c * before - s * y;
            y = s * before + c * y;
        };
        for (int sweep = 0; sweep < 30; ++sweep)
            for (std::size_t p = 0; p < N; ++p)
                for (std::size_t q = p + 1; q < N; ++q) {
                    if (k[p][q] == 0) continue;
                    double const angle = std::atan2(2 * k[p][q], k[q][q] - k[p][p]) / 2;
                    double const c = std::cos(angle);
                    double const s = std::sin(angle);
                    for (std::size_t i = 0; i < N; ++i) turn(k[i][p], k[i][q], c, s);
                    for (std::size_t i = 0; i < N; ++i) turn(k[p][i], k[q][i], c, s);
                    for (std::size_t i = 0; i < N; ++i) turn(shape[p][i], shape[q][i], c, s);
                }
        normal_modes found{{}, shape};
        for (std::size_t i = 0; i < N; ++i) found.square[i] = k[i][i];
        return found;
    }
    /// The motion with this state at time 0.
    [[nodiscard]] state exact(state const& start, double t) const {
        return sum_of_modes(start, t, omega * omega * 1e9);
    }
    /// Its slow part: without the fast mode.
    [[nodiscard]] state slow(state const& start, double t) const { return sum_of_modes(start, t, omega * omega / 2); }

private:
    [[nodiscard]] state sum_of_modes(state const& start, double t, double below) const {
        auto const found = modes();
        state x{};
        for (std::size_t k = 0; k < N; ++k) {
            if (found.square[k] > below) continue;
            double const w = std::sqrt(found.square[k]);
            double position = 0;
            double velocity = 0;
            for (std::size_t i = 0; i < N; ++i) {
                position += found.shape[k][i] * start.position[i];
                velocity += found.shape[k][i] * start.velocity[i];
            }
            double const c = std::cos(w * t);
            double const s = std::sin(w * t);
            for (std::size_t i = 0; i < N; ++i) {
                x.position[i] += (position * c + velocity / w * s) * found.shape[k][i];
                x.velocity[i] += (velocity * c - position * w * s) * found.shape[k][i];
            }
        }
        return x;
    }
};

} // namespace lento::model
