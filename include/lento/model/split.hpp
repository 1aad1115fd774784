#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <lento/system/oscillatory.hpp>
#include <lento/system/split.hpp>

/// Split systems with known slow behaviour: those of paper 002, and two more.
namespace lento::model {

/// The expanding spiral (2.3) of paper 002, x' = i x/epsilon + x: its radius grows like e^t.
struct expanding_spiral {
    double epsilon = 1e-4;

    template <class T = double> [[nodiscard]] auto system() const {
        return split<2, T>({.epsilon = static_cast<T>(epsilon), .period = 2 * std::numbers::pi_v<T>},
                           linear({{0, -1}, {1, 0}}), [](auto const& x, auto) { return x; });
    }
    [[nodiscard]] static double radius(double start, double t) { return start * std::exp(t); }
};

/// The spiral (3.1) of paper 002, x' = i x/epsilon + Re(x) x + x/|x|: its radius grows like t, with a ripple of
/// O(epsilon).
struct rippled_spiral {
    double epsilon = 1e-4;
    static constexpr std::array<double, 2> start = {0.5, 0};

    template <class T = double> [[nodiscard]] auto system() const {
        return split<2, T>({.epsilon = static_cast<T>(epsilon), .period = 2 * std::numbers::pi_v<T>},
                           linear({{0, -1}, {1, 0}}), [](auto const& x, auto) {
                               using std::sqrt;
                               auto const growth = x[0] + T(1) / sqrt(x[0] * x[0] + x[1] * x[1]);
                               return std::array<T, 2>{growth * x[0], growth * x[1]};
                           });
    }
    /// (3.3)
    [[nodiscard]] static double averaged_radius(double t) { return start[0] + t; }
};

/// Stars near a circular orbit, (3.4) of paper 002 (Kevorkian and Cole): resonant for a = 2 b.
struct stellar_orbits {
    double epsilon = 1e-4;
    double a = 2;
    double b = 1;

    template <class T = double> [[nodiscard]] auto system() const {
        T const first = static_cast<T>(a);
        T const second = static_cast<T>(b);
        T const period = a == 2 && b == 1 ? 2 * std::numbers::pi_v<T> : T(0);
        return split<4, T>({.epsilon = static_cast<T>(epsilon), .period = period},
                           linear({{0, a, 0, 0}, {-a, 0, 0, 0}, {0, 0, 0, b}, {0, 0, -b, 0}}),
                           [=](auto const& x, auto) {
                               return std::array<T, 4>{T(0), x[2] * x[2] / first, T(0), T(2) * x[0] * x[2] / second};
                           });
    }
    template <class T = double> [[nodiscard]] static std::array<T, 4> start() { return {1, 0, 1, 0}; }
    /// (3.5), slow in resonance; without it the first two are.
    template <class V> [[nodiscard]] static std::array<double, 3> slow_variables(V const& x) {
        auto const at = [&x](std::size_t i) { return static_cast<double>(x[i]); };
        return {at(0) * at(0) + at(1) * at(1), at(2) * at(2) + at(3) * at(3),
                at(0) * at(2) * at(2) + 2 * at(1) * at(2) * at(3) - at(0) * at(3) * at(3)};
    }
};

/// A chain of 2k springs, stiff and soft in turn, in the coordinates (3.8) of paper 002: y, x, u, v with k entries
/// each. The stiff springs oscillate with (x, v), the soft ones couple them on the time scale 1/epsilon.
template <std::size_t K = 3> struct fermi_pasta_ulam {
    double epsilon = 2e-3;
    static constexpr std::size_t size = 4 * K;

    template <class T = double> [[nodiscard]] auto system() const {
        std::vector<std::vector<long double>> fast(size, std::vector<long double>(size));
        for (std::size_t i = 0; i < K; ++i) {
            fast[K + i][3 * K + i] = 1;
            fast[3 * K + i][K + i] = -1;
        }
        T const e = static_cast<T>(epsilon);
        return split<size, T>({.epsilon = e, .period = 2 * std::numbers::pi_v<T>}, linear(std::move(fast)),
                              [e](auto const& z, auto) {
                                  std::array<T, size> out{};
                                  T before = cubed(z[0] - e * z[K]);
                                  for (std::size_t i = 0; i < K; ++i) {
                                      T const next = i + 1 < K ? z[i + 1] - e * z[K + i + 1] : T(0);
                                      T const after = cubed(next - z[i] - e * z[K + i]);
                                      out[i] = z[2 * K + i];
                                      out[2 * K + i] = after - before;
                                      out[3 * K + i] = after + before;
                                      before = after;
                                  }
                                  return out;
                              });
    }

    /// The same as x'' = -K x + g(x), positions y and x (the velocities of x are v/epsilon): for trigonometric
    /// integrators.
    template <class T = double> [[nodiscard]] auto springs() const {
        std::vector<std::vector<long double>> stiffness(2 * K, std::vector<long double>(2 * K));
        for (std::size_t i = 0; i < K; ++i)
            stiffness[K + i][K + i] = 1 / (static_cast<long double>(epsilon) * static_cast<long double>(epsilon));
        T const e = static_cast<T>(epsilon);
        return oscillatory<2 * K, T>(stiffness, [e](auto const& q, auto) {
            std::array<T, 2 * K> out{};
            T before = cubed(q[0] - e * q[K]);
            for (std::size_t i = 0; i < K; ++i) {
                T const next = i + 1 < K ? q[i + 1] - e * q[K + i + 1] : T(0);
                T const after = cubed(next - q[i] - e * q[K + i]);
                out[i] = after - before;
                out[K + i] = (after + before) / e;
                before = after;
            }
            return out;
        });
    }
    /// A state of `system` as one of `springs`, and back.
    [[nodiscard]] motion<std::array<double, 2 * K>> as_motion(std::array<double, size> const& z) const {
        motion<std::array<double, 2 * K>> m;
        for (std::size_t i = 0; i < 2 * K; ++i) {
            m.position[i] = z[i];
            m.velocity[i] = i < K ? z[2 * K + i] : z[2 * K + i] / epsilon;
        }
        return m;
    }
    [[nodiscard]] std::array<double, size> as_point(std::array<double, 2 * K> const& position,
                                                    std::array<double, 2 * K> const& velocity) const {
        std::array<double, size> z{};
        for (std::size_t i = 0; i < 2 * K; ++i) {
            z[i] = position[i];
            z[2 * K + i] = i < K ? velocity[i] : velocity[i] * epsilon;
        }
        return z;
    }

    /// y_1 = u_1 = x_1 = 1, all else 0: the paper's start.
    template <class T = double> [[nodiscard]] static std::array<T, size> start() {
        std::array<T, size> z{};
        z[0] = z[K] = z[2 * K] = 1;
        return z;
    }
    /// The same mirrored at the middle of the chain (odd k): y antisymmetric, x symmetric. The motion stays so and is
    /// regular, where the paper's is chaotic.
    template <class T = double> [[nodiscard]] static std::array<T, size> symmetric_start() {
        auto z = start<T>();
        z[K - 1] = z[3 * K - 1] = -1;
        z[2 * K - 1] = 1;
        return z;
    }
    /// I_i = x_i^2 + v_i^2, twice the energy of a stiff spring.
    template <class V> [[nodiscard]] static std::array<double, K> stiff_energies(V const& z) {
        std::array<double, K> energies{};
        for (std::size_t i = 0; i < K; ++i) {
            auto const x = static_cast<double>(z[K + i]);
            auto const v = static_cast<double>(z[3 * K + i]);
            energies[i] = x * x + v * v;
        }
        return energies;
    }
    /// J_i: I_i about the moving centre epsilon g_i(y), free of the ripple of O(epsilon).
    template <class V> [[nodiscard]] std::array<double, K> actions(V const& z) const {
        std::array<double, K> actions{};
        for (std::size_t i = 0; i < K; ++i) {
            auto const at = [&z](std::size_t j) { return static_cast<double>(z[j]); };
            double const before = at(i) - (i > 0 ? at(i - 1) : 0);
            double const after = (i + 1 < K ? at(i + 1) : 0) - at(i);
            double const x = at(K + i) - epsilon * (cubed(before) + cubed(after));
            actions[i] = x * x + at(3 * K + i) * at(3 * K + i);
        }
        return actions;
    }
    /// The total energy, conserved.
    template <class V> [[nodiscard]] double energy(V const& z) const {
        double sum = 0;
        double previous = 0;
        for (std::size_t i = 0; i < K; ++i) {
            auto const y = static_cast<double>(z[i]);
            auto const x = static_cast<double>(z[K + i]);
            auto const u = static_cast<double>(z[2 * K + i]);
            auto const v = static_cast<double>(z[3 * K + i]);
            double const stretch = y - epsilon * x - previous;
            sum += (u * u + v * v + x * x) / 2 + stretch * stretch * stretch * stretch / 4;
            previous = y + epsilon * x;
        }
        return sum + previous * previous * previous * previous / 4;
    }

private:
    template <class T> [[nodiscard]] static T cubed(T a) { return a * a * a; }
};

/// A weakly damped oscillator forced near its resonance, q'' + q = epsilon (force cos((1 + epsilon detuning) s) - 2
/// damping q') in the fast time s, as a split system in t = epsilon s. Its complex amplitude z, with q = Re(z e^{is}),
/// follows z' = -damping z - i force e^{i detuning t}/2 to O(epsilon).
struct forced_oscillator {
    double epsilon = 1e-4;
    double damping = 0.3;
    double force = 0.5;
    double detuning = 0.4;

    /// The forcing's phase (1 + epsilon detuning) t/epsilon is carried by two more variables that turn with the fast
    /// flow and are shifted by the slow time.
    template <class T = double> [[nodiscard]] auto system() const {
        return split<4, T>({.epsilon = static_cast<T>(epsilon), .period = 2 * std::numbers::pi_v<T>},
                           linear({{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, -1, 0}}),
                           [*this](auto const& x, auto) {
                               return std::array<T, 4>{T(0), T(force) * x[2] - T(2 * damping) * x[1],
                                                       T(detuning) * x[3], -T(detuning) * x[2]};
                           });
    }
    /// From rest, the forcing at its crest.
    static constexpr std::array<double, 4> start = {0, 0, 1, 0};
    /// |z| at time t, started from 0.
    [[nodiscard]] double amplitude(double t) const {
        double const decay = std::exp(-damping * t);
        double const real = std::cos(detuning * t) - decay;
        double const imaginary = std::sin(detuning * t);
        return force / 2 * std::hypot(real, imaginary) / std::hypot(damping, detuning);
    }
};

/// Two oscillators of one frequency with a weak coupling, (12) of paper 000 with its signs corrected:
/// q1'' = -omega^2 q1 - omega (q1 - q2), q2'' = -omega^2 q2 + omega (q1 - q2), epsilon = 1/omega. They exchange their
/// energy on the time scale 1.
struct coupled_oscillators {
    double epsilon = 1e-4;

    /// x = (q1, p1, q2, p2), p = q'/omega.
    template <class T = double> [[nodiscard]] auto system() const {
        return split<4, T>({.epsilon = static_cast<T>(epsilon), .period = 2 * std::numbers::pi_v<T>},
                           linear({{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, -1, 0}}),
                           [](auto const& x, auto) { return std::array<T, 4>{T(0), x[2] - x[0], T(0), x[0] - x[2]}; });
    }
    static constexpr std::array<double, 4> start = {1, 0, 0, 0};
    /// The exact solution from that start: q1 and q2 are cos cos and sin sin of the half sum and half difference of
    /// the two normal frequencies omega and sqrt(omega^2 + 2 omega).
    [[nodiscard]] std::array<double, 2> positions(double t) const {
        double const low = 1 / epsilon;
        double const high = std::sqrt(low * low + 2 * low);
        return {(std::cos(low * t) + std::cos(high * t)) / 2, (std::cos(low * t) - std::cos(high * t)) / 2};
    }
    /// The energy of the first oscillator over the total, without the O(epsilon) ripple: cos^2(t/2).
    [[nodiscard]] static double first_share(double t) { return std::cos(t / 2) * std::cos(t / 2); }
};

} // namespace lento::model
