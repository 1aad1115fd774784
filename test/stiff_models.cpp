// Stiff models against their known answers: normal modes, slow motions, conserved quantities, limits.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/constrained.hpp>
#include <lento/model/springs.hpp>

namespace {

using namespace lento;

dormand_prince const exactly{.rtol = 1e-11, .atol = 1e-13};

template <class V> double distance(V const& a, V const& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}
window three_moments(double omega) {
    double const period = 2 * std::numbers::pi / omega;
    return {.kernel = exponential{.moments = 3}, .length = 30 * period, .step = period / 12};
}

model::linear_springs<3> linear(double omega) {
    return {.soft = {{{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}}, .direction = {0.6, 0, 0.8}, .omega = omega};
}
motion<std::array<double, 3>> const at_rest{{0.5, -0.3, 0.2}, {0.1, 0.7, -0.4}};

TEST(LinearSprings, ModesAreThoseOfTheMatrix) {
    auto const springs = linear(30);
    auto const modes = springs.modes();
    for (std::size_t k = 0; k < 3; ++k) {
        double along = 0;
        for (std::size_t i = 0; i < 3; ++i) along += springs.direction[i] * modes.shape[k][i];
        for (std::size_t i = 0; i < 3; ++i) {
            double product = 900 * along * springs.direction[i];
            for (std::size_t j = 0; j < 3; ++j) product += springs.soft[i][j] * modes.shape[k][j];
            EXPECT_NEAR(product, modes.square[k] * modes.shape[k][i], 1e-11);
        }
    }
    auto const start = springs.exact(at_rest, 0);
    EXPECT_LT(distance(start.position, at_rest.position), 1e-14);
    EXPECT_LT(distance(start.velocity, at_rest.velocity), 1e-13);
}

TEST(LinearSprings, DirectIntegrationGivesTheNormalModes) {
    auto const springs = linear(30);
    auto const run = solve(springs.system(), exactly, at_rest, {.end = 4});
    auto const expected = springs.exact(at_rest, 4);
    EXPECT_LT(distance(run.position.back(), expected.position), 1e-8);
    EXPECT_LT(distance(run.velocity.back(), expected.velocity), 1e-7);
}

// docs/papers.md: 000.15
TEST(LinearSprings, TheSlowManifoldIsTheSumOfTheSlowModes) {
    auto const springs = linear(1000);
    auto const slow = effective(springs.system(), slow_manifold{cubic_window(1000)});
    auto const run = solve(slow, dormand_prince{.rtol = 1e-9, .atol = 1e-10}, at_rest, {.end = 2});
    ASSERT_TRUE(run) << run.message;
    EXPECT_LT(distance(run.position.back(), springs.slow(at_rest, 2).position), 2e-6);
    EXPECT_LT(distance(run.velocity.back(), springs.slow(at_rest, 2).velocity), 2e-6);
}

// docs/papers.md: 000.3
TEST(LinearSprings, ForceAveragingFollowsTheSlowModes) {
    std::array<double, 2> error{};
    for (std::size_t i = 0; i < 2; ++i) {
        double const omega = i == 0 ? 250 : 1000;
        auto const springs = linear(omega);
        auto const start = springs.slow(at_rest, 0);
        auto const slow = effective(springs.system(), force_averaging{three_moments(omega)});
        auto const run = solve(slow, dormand_prince{.rtol = 1e-9, .atol = 1e-10}, start, {.end = 2});
        ASSERT_TRUE(run) << run.message;
        error[i] = distance(run.position.back(), springs.slow(at_rest, 2).position);
    }
    EXPECT_LT(error[1], 1e-4);
    EXPECT_LT(error[1], error[0] / 8) << error[0]; // 1/omega^2 is 16
}

// docs/papers.md: 000.16
TEST(StrongSpring, CirclesForEver) {
    model::strong_spring const spring{.omega = 50};
    auto const direct = solve(spring.system(), exactly, spring.circling(2, 0), {.end = 3});
    EXPECT_LT(distance(direct.position.back(), spring.circling(2, 3).position), 1e-8);

    model::strong_spring const hard{.omega = 1e3};
    auto const start = hard.circling(0.8, 0);
    auto const point = project(hard.system(), slow_manifold{cubic_window(1e3)}, start);
    EXPECT_LT(distance(point.x.position, start.position), 1e-9); // it was a slow point already
    EXPECT_NEAR(point.multipliers[0], 0.64 * hard.radius(0.8), 1e-3);
    auto const run =
        solve(effective(hard.system(), slow_manifold{cubic_window(1e3)}), rk4{.step = 0.05}, start, {.end = 3});
    ASSERT_TRUE(run) << run.message;
    EXPECT_LT(distance(run.position.back(), hard.circling(0.8, 3).position), 2e-6);
}

// docs/papers.md: 003.16
TEST(StrongSpring, APointOffItsCircleIsPutOntoOne) {
    model::strong_spring const hard{.omega = 1e3};
    auto const point = project(hard.system(), slow_manifold{cubic_window(1e3)}, {{1.001, 0}, {0.3, 0.8}});
    ASSERT_TRUE(point) << point.failed.message;
    double const r = std::hypot(point.x.position[0], point.x.position[1]);
    double const speed = std::hypot(point.x.velocity[0], point.x.velocity[1]) / r;
    EXPECT_NEAR(r, hard.radius(speed), 1e-9);
}

// docs/papers.md: 003.37
TEST(SpringPendulum, KeepsEnergyAndSpin) {
    model::spring_pendulum const pendulum{.omega = 1e3};
    model::spring_pendulum::state const start{{0.6, 0, -0.8}, {0, 0.5, 0}};
    auto const slow = effective(pendulum.system(), slow_manifold{cubic_window(1e3)});
    auto const run = solve(slow, rk4{.step = 1. / 64}, start, {.end = 3});
    ASSERT_TRUE(run) << run.message;
    model::spring_pendulum::state const first{run.position.front(), run.velocity.front()};
    model::spring_pendulum::state const last{run.position.back(), run.velocity.back()};
    EXPECT_NEAR(pendulum.energy(last), pendulum.energy(first), 2e-6);
    EXPECT_NEAR(pendulum.spin(last), pendulum.spin(first), 2e-6);
}

TEST(SpringPendulum, ComesToItsLimitLikeOneOverOmegaSquared) {
    model::spherical_pendulum const rod{.m = 1, .l = 1, .g = 1};
    model::spring_pendulum::state const start{{0.6, 0, -0.8}, {0, 0.5, 0}};
    auto const limit = solve(rod.system(), lobatto4{.step = 0.005}, start, {.end = 2});
    std::array<double, 2> error{};
    for (std::size_t i = 0; i < 2; ++i) {
        double const omega = i == 0 ? 400 : 1600;
        auto const system = model::spring_pendulum{.omega = omega}.system();
        auto const run =
            solve(effective(system, slow_manifold{cubic_window(omega)}), rk4{.step = 1. / 64}, start, {.end = 2});
        ASSERT_TRUE(run) << run.message;
        error[i] = distance(run.position.back(), limit.position.back());
    }
    EXPECT_NEAR(error[0] / error[1], 16, 2) << error[0] << " " << error[1];
}

// docs/papers.md: 003.15
TEST(DrivenSpring, ClosedFormIsTheMotion) {
    model::driven_spring const spring{.omega = 40};
    model::driven_spring::state const start{{0.5, 0.9}, {0.2, -0.1}};
    auto const run = solve(spring.system(), exactly, start, {.end = 3});
    EXPECT_LT(distance(run.position.back(), spring.exact(start, 3).position), 1e-8);
    EXPECT_LT(distance(run.velocity.back(), spring.exact(start, 3).velocity), 1e-7);
}

// docs/papers.md: 003.2
TEST(DrivenSpring, ProjectionFindsTheSlowMotionAndGlidesLittle) {
    model::driven_spring const spring{.omega = 1e3};
    model::driven_spring::state const start{{0.5, 0.9}, {0.2, -0.1}};
    auto const found = project(spring.system(), slow_manifold{cubic_window(1e3)}, start);
    ASSERT_TRUE(found) << found.failed.message;
    EXPECT_NEAR(found.x.position[1], spring.amplitude(), 1e-9);
    EXPECT_NEAR(found.x.velocity[1], 0, 1e-6);
    EXPECT_NEAR(found.x.position[0], 0.5, 1e-8); // section 4.2: nothing holds it, and it hardly moves
    auto const run =
        solve(effective(spring.system(), slow_manifold{cubic_window(1e3)}), rk4{.step = 0.05}, start, {.end = 3});
    ASSERT_TRUE(run) << run.message;
    EXPECT_LT(distance(run.position.back(), spring.slow(start, 3).position), 5e-6);
}

} // namespace
