#pragma once

#include <array>
#include <cmath>

#include <lento/constraint/stiff.hpp>

/// Stiff systems of the papers.
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

} // namespace lento::model
