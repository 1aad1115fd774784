// Stiff systems: force averaging (paper 000), the slow manifold (paper 003), and what they bring along.

#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

#include "reproduce/experiments.hpp"
#include "test/comes_out.hpp"

namespace {

using namespace lento;

window twenty_periods(double omega) {
    double const period = 2 * std::numbers::pi / omega;
    return {.length = 20 * period, .step = period / 6, .unchecked = true};
}

TEST(StiffSystem, ForceIsTheGradientOfItsPotential) {
    model::two_springs const springs{.omega_1 = 7, .omega_2 = 11};
    auto const system = springs.both_hard();
    auto work = system.work();
    std::array<double, 4> const q = {1.1, 0.2, 1.7, -0.4};
    auto const energy = [&](std::array<double, 4> const& x) {
        auto const g = system.stretch(0, x, work);
        return (49 * g[0] * g[0] + 121 * g[1] * g[1]) / 2;
    };
    std::array<double, 4> force{};
    system.acceleration(0, q, force, work);
    for (std::size_t i = 0; i < 4; ++i) {
        auto above = q, below = q;
        above[i] += 1e-5;
        below[i] -= 1e-5;
        EXPECT_NEAR(force[i], -(energy(above) - energy(below)) / 2e-5, 1e-7);
    }
}

TEST(StiffSystem, BandOfTwoHardSpringsIsTheGoldenOneWhenStretchedOut) {
    model::two_springs const springs{.omega_1 = 100, .omega_2 = 100};
    auto const system = springs.both_hard();
    auto work = system.work();
    auto const band = system.fast_band(0, {1, 0, 2, 0}, work);
    EXPECT_NEAR(band[0], 100 * (std::sqrt(5.) - 1) / 2, 1e-9);
    EXPECT_NEAR(band[1], 100 * (std::sqrt(5.) + 1) / 2, 1e-9);
}

// docs/papers.md: 000.38, 003.3
TEST(StiffSystem, MassTimeAndVelocityEnter) {
    // m y'' = -m w^2 ... : a driven, damped, linear spring with its normal mode known
    auto const system = stiff<1>(mass(4.), with_velocity([](auto const&, auto const& v, auto) { return -0.8 * v[0]; }),
                                 spring{6., with_time([](auto const& q, auto const& t) { return q[0] - 0.5 * t; })});
    // 4 q'' = -0.8 q' - 36 (q - t/2): q = t/2 - 0.8*0.5/36 + oscillation of frequency 3
    double const offset = 0.4 / 36;
    double const w = std::sqrt(9. - 0.01);
    auto const run = solve(system, dormand_prince{.rtol = 1e-11, .atol = 1e-13},
                           {.position = {1 - offset}, .velocity = {0.5}}, {.end = 2});
    double const decay = std::exp(-0.1 * 2);
    double const expected = 1 - offset + decay * (std::cos(w * 2) + 0.1 / w * std::sin(w * 2));
    EXPECT_NEAR(run.position.back()[0], expected, 1e-9);
}

// docs/papers.md: 000.14
TEST(StiffSystem, LimitIsTheConstrainedSystem) {
    model::two_springs const springs{.omega_1 = 1e4, .omega_2 = 1e4};
    auto const rods = springs.both_hard().limit();
    auto const run = solve(rods, rattle{.step = 1e-3}, model::two_springs::on_constraints(), {.end = 1});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(std::hypot(run.position.back()[0], run.position.back()[1]), 1, 1e-12);
    // a force-free double pendulum keeps its kinetic energy, and its multipliers at the start are 1.5 and 1.25
    double kinetic = 0;
    for (double const v : run.velocity.back()) kinetic += v * v / 2;
    EXPECT_NEAR(kinetic, 0.25, 1e-6);
    EXPECT_NEAR(run.multipliers.front()[0], 1.5, 1e-3);
    EXPECT_NEAR(run.multipliers.front()[1], 1.25, 1e-3);
}

// docs/papers.md: 000.7
TEST(ForceAveraging, WorkDoesNotDependOnOmega) {
    std::array<std::uint64_t, 2> forces{};
    for (std::size_t i = 0; i < 2; ++i) {
        model::two_springs const springs{.omega_1 = 1, .omega_2 = i == 0 ? 1e3 : 1e4};
        auto const x = springs.stretched_second();
        auto const slow = effective(springs.second_hard(), force_averaging{twenty_periods(springs.omega_2)});
        auto const run = solve(slow, rk4{.step = 0.25}, x, {.end = 2});
        ASSERT_TRUE(run) << run.message;
        forces[i] = run.statistics.force_evaluations;
        EXPECT_EQ(run.statistics.effective_evaluations, 32U);
        EXPECT_EQ(run.statistics.projections, 1U);
        EXPECT_EQ(run.statistics.micro_steps, 33U * 120U);
    }
    EXPECT_EQ(forces[0], forces[1]);
    EXPECT_EQ(forces[0], 33U * 121U);
}

// docs/papers.md: 000.2
TEST(ForceAveraging, FollowsALinearSystemOntoItsSlowNormalMode) {
    // x'' = -x, y'' = -w^2 y: the slow mode is x alone
    double const w = 1e3;
    auto const system = stiff<2>([](auto const& q, auto) { return std::array{-q[0], 0 * q[0]}; },
                                 spring{w, [](auto const& q) { return q[1]; }});
    motion<std::array<double, 2>> const x{{1, 1e-3}, {0, 0.7}};
    auto const slow = effective(system, force_averaging{twenty_periods(w)});
    auto const run = solve(slow, rk4{.step = 0.05}, x, {.end = 3});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(run.position.back()[0], std::cos(3.), 5e-4);
    EXPECT_NEAR(run.position.back()[1], 0, 1e-6);
}

TEST(ForceAveraging, RefusesAStepBeyondVerletsLimitWithTheNumbers) {
    model::two_springs const springs{.omega_1 = 500, .omega_2 = 500};
    auto const x = springs.stretched_second();
    double const period = 2 * std::numbers::pi / 500;
    auto const slow =
        effective(springs.both_hard(), force_averaging{window{.length = 20 * period, .step = period / 5}});
    try {
        static_cast<void>(solve(slow, rk4{.step = 0.25}, x, {.end = 2}));
        FAIL() << "h Omega = 2.03 was taken";
    } catch (misuse const& refused) {
        EXPECT_NE(std::string(refused.what()).find("2.03"), std::string::npos) << refused.what();
    }
}

TEST(ForceAveraging, RefusesAFilterThatLeavesAnOscillationTooFastForTheStep) {
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 1e6};
    auto const x = springs.stretched_second();
    double const period = 2 * std::numbers::pi / 1e6;
    window const view{.length = 20 * period, .step = period / 6};
    auto const run = solve(effective(springs.second_hard(), force_averaging{view}), rk4{.step = 0.25}, x, {.end = 10});
    EXPECT_EQ(run.result, outcome::filter_unstable) << run.message;
    EXPECT_EQ(run.statistics.force_evaluations, 0U);
}

TEST(ForceAveraging, RefusesAFilterOfTheWrongSign) {
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 2e4};
    auto const x = springs.stretched_second();
    double const h = 2 * std::numbers::pi / 2e4 / 6;
    auto const with = [&](int steps) {
        return effective(springs.second_hard(), force_averaging{window{.length = 2 * steps * h, .step = h}});
    };
    auto const response = [&](int steps) {
        auto const slow = with(steps);
        auto work = slow.work();
        slow.begin(0, x, work);
        return slow.worst(work).response;
    };
    EXPECT_GT(response(60), 0);
    ASSERT_LT(response(53), 0);
    EXPECT_EQ(solve(with(53), rk4{.step = 0.125}, x, {.end = 10}).result, outcome::filter_unstable);
    EXPECT_EQ(solve(with(60), rk4{.step = 0.125}, x, {.end = 10}).result, outcome::success);
}

TEST(ForceAveraging, ProjectsBackWhenAskedTo) {
    model::two_springs const springs{.omega_1 = 500, .omega_2 = 500};
    auto const x = springs.stretched_second();
    auto const system = springs.both_hard();
    auto const often = effective(system, force_averaging{twenty_periods(500), verlet{}, projection{.every = 1}});
    auto const run = solve(often, rk4{.step = 0.125}, x, {.end = 4});
    ASSERT_TRUE(run) << run.message;
    EXPECT_EQ(run.statistics.projections, 4U);
    auto const drifted = effective(system, force_averaging{twenty_periods(500), verlet{}, projection{.drift = 0.5}});
    auto const watched = solve(drifted, rk4{.step = 0.125}, x, {.end = 4});
    EXPECT_GT(watched.statistics.projections, 1U);
}

TEST(ForceAveraging, WindowsInLongDoubleGiveTheSameMotion) {
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 1e3};
    auto const x = springs.stretched_second();
    auto const in_double = effective(springs.second_hard(), force_averaging{twenty_periods(1e3)});
    auto const in_long = effective(springs.second_hard(), force_averaging<verlet, long double>{twenty_periods(1e3)});
    auto const a = solve(in_double, rk4{.step = 0.25}, x, {.end = 1});
    auto const b = solve(in_long, rk4{.step = 0.25}, x, {.end = 1});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a.position.back()[i], b.position.back()[i], 1e-11);
}

TEST(Paper000, Table1ComesOut) {
    auto const r = reproduce::table_000_1();
    reproduce::comes_out(r);
    EXPECT_GE(r.agreeing(), 47U); // 46 of the 49 printed ones, and the bound beyond the paper
}
TEST(Paper000, Table2ComesOut) { reproduce::comes_out(reproduce::table_000_2()); }
TEST(Paper000, Figure1ComesOut) { reproduce::comes_out(reproduce::figure_000_1()); }
TEST(Paper000, Figure2ComesOut) { reproduce::comes_out(reproduce::figure_000_2()); }
TEST(Paper000, Figure3ComesOut) { reproduce::comes_out(reproduce::figure_000_3()); }
TEST(Paper000, Figure4ComesOut) { reproduce::comes_out(reproduce::figure_000_4()); }
TEST(Paper000, Figure5ComesOutAndItsDriftIsTold) { reproduce::comes_out(reproduce::figure_000_5()); }
TEST(Paper000, Figure6ComesOut) { reproduce::comes_out(reproduce::figure_000_6()); }
TEST(Paper000, ClaimsComeOut) { reproduce::comes_out(reproduce::claims_000()); }

TEST(SlowManifold, ProjectionOfALinearSystemIsItsSlowMotion) {
    // y'' = -w^2 (y - cos t): the slow motion is A cos t, A = w^2/(w^2 - 1), (5) of paper 003; x follows its own slow
    // force
    double const w = 1e3;
    auto const system = stiff<2>([](auto const& q, auto) { return std::array{-q[0], 0 * q[0]}; },
                                 spring{w, with_time([](auto const& q, auto const& t) {
                                            using std::cos;
                                            return q[1] - cos(t);
                                        })});
    double const t = 0.7;
    auto const found = project(system, slow_manifold{cubic_window(w)}, {{0.5, 0.9}, {0.2, -0.1}}, t);
    ASSERT_TRUE(found) << found.failed.message;
    double const a = w * w / (w * w - 1);
    EXPECT_NEAR(found.x.position[1], a * std::cos(t), 1e-9);
    // Verlet's velocity of a slow motion is off by h^2/6 of it
    EXPECT_NEAR(found.x.velocity[1], -a * std::sin(t), 2e-7);
    EXPECT_NEAR(found.x.position[0], 0.5, 1e-8);
    EXPECT_NEAR(found.multipliers[0], std::cos(t), 1e-2);
}

// docs/papers.md: 003.24
TEST(SlowManifold, CostOfAProjectionDoesNotDependOnOmega) {
    for (double const omega : {1e3, 1e4}) {
        model::two_springs const springs{.omega_1 = omega, .omega_2 = omega};
        auto const found =
            project(springs.both_hard(), slow_manifold{cubic_window(omega)}, model::two_springs::displaced());
        EXPECT_EQ(found.statistics.projection_iterations, 5U);
        EXPECT_EQ(found.statistics.force_evaluations, 5U * 37U);
    }
}

TEST(SlowManifold, TellsWhenItDoesNotConverge) {
    model::two_springs const springs{.omega_1 = 1e3, .omega_2 = 1e3};
    auto const found =
        project(springs.both_hard(), slow_manifold{cubic_window(1e3), {.tolerance = 1e-17, .max_iterations = 4}},
                model::two_springs::displaced());
    EXPECT_EQ(found.failed.result, outcome::projection_failed) << found.failed.message;
}

TEST(SlowManifold, KeepsEnergyAndAngularMomentumOfTheRods) {
    model::two_springs const springs{.omega_1 = 1e4, .omega_2 = 1e4};
    auto const x = model::two_springs::on_constraints();
    auto const slow = effective(springs.both_hard(), slow_manifold{cubic_window(1e4)});
    auto const run = solve(slow, rk4{.step = 1. / 32}, x, {.end = 2});
    ASSERT_TRUE(run) << run.message;
    auto const kinetic = [&](std::size_t i) {
        double sum = 0;
        for (double const v : run.velocity[i]) sum += v * v / 2;
        return sum;
    };
    auto const spin = [&](std::size_t i) {
        auto const& q = run.position[i];
        auto const& v = run.velocity[i];
        return q[0] * v[1] - q[1] * v[0] + q[2] * v[3] - q[3] * v[2];
    };
    EXPECT_NEAR(kinetic(run.t.size() - 1), kinetic(0), 1e-6);
    EXPECT_NEAR(spin(run.t.size() - 1), spin(0), 1e-6);
    EXPECT_NEAR(run.multipliers.front()[0], 1.5, 1e-4);
}

// docs/papers.md: 003.39
TEST(NotchFilter, HasUnitMassNoSecondMomentAndItsZeros) {
    std::array<double, 2> const angles = {0.66, 2.02};
    for (int const steps : {3, 5, 8}) {
        std::array<long double, detail::longest_notch + 1> w{};
        detail::notch_weights(angles, steps, w);
        long double mass = w[0], moment = 0;
        std::array<long double, 2> response = {w[0], w[0]};
        std::array<long double, 2> slope{};
        for (int k = 1; k <= steps; ++k) {
            long double const each = 2 * w[static_cast<std::size_t>(k)];
            mass += each;
            moment += each * k * k;
            for (std::size_t j = 0; j < 2; ++j) {
                response[j] += each * std::cos(k * static_cast<long double>(angles[j]));
                slope[j] += each * k * std::sin(k * static_cast<long double>(angles[j]));
            }
        }
        EXPECT_NEAR(static_cast<double>(mass - 1), 0, 1e-17);
        EXPECT_NEAR(static_cast<double>(moment), 0, 1e-16);
        for (long double const left : response) EXPECT_NEAR(static_cast<double>(left), 0, 1e-17);
        // with enough weights the zeros are double
        for (long double const left : slope)
            if (steps >= 5) { EXPECT_NEAR(static_cast<double>(left), 0, 1e-15); }
    }
}

TEST(Adams, ConvergesAtItsOrder) {
    auto const oscillator = plain<1>([](auto const& q, auto) { return -q[0]; });
    for (int const order : {2, 3, 4, 5, 6, 7, 8}) {
        std::array<double, 2> error{};
        for (int i = 0; i < 2; ++i) {
            auto const run =
                solve(oscillator, adams{.step = 0.1 / (i + 1), .order_wanted = order}, {.position = {1}}, {.end = 5});
            error[static_cast<std::size_t>(i)] =
                std::hypot(run.position.back()[0] - std::cos(5.), run.velocity.back()[0] + std::sin(5.));
        }
        EXPECT_GT(std::log2(error[0] / error[1]), order - 0.5) << order;
    }
    EXPECT_THROW(static_cast<void>(adams{.step = 0.1, .order_wanted = 9}.start(oscillator)), misuse);
}

TEST(Adams, TakesTwoEvaluationsAStep) {
    auto const oscillator = plain<1>([](auto const& q, auto) { return -q[0]; });
    auto const run =
        solve(oscillator, adams{.step = 0.01, .order_wanted = 3}, {.position = {1}}, {.end = 1, .output_times = {1}});
    // two starting steps of four, 98 of two; the slope at the very end is not needed; 13 to look at stability at the
    // start, 5 after 64 steps
    EXPECT_EQ(run.statistics.force_evaluations, 2U * 4U + 98U * 2U + 13U + 5U);
}

// docs/papers.md: 000.9
TEST(StepControl, Ode45LandsOnTheEndAndReportsInside) {
    auto const oscillator = plain<1>([](auto const& q, auto) { return -q[0]; });
    dormand_prince const stepper{.rtol = 1e-6, .atol = 1e-9, .control = control_rule::ode45};
    auto const run = solve(oscillator, stepper, {.position = {1}}, {.end = 5, .output_count = 51});
    ASSERT_EQ(run.t.size(), 51U);
    for (std::size_t i = 0; i < run.t.size(); ++i)
        EXPECT_NEAR(run.position[i][0], std::cos(run.t[i]), 1e-4) << run.t[i];
    EXPECT_EQ(run.t.back(), 5);
}

TEST(Paper003, Table1ComesOut) { reproduce::comes_out(reproduce::table_003_1()); }
TEST(Paper003, SlowPointsComeOut) { reproduce::comes_out(reproduce::slow_points_003()); }
TEST(Paper003, MultipliersComeOut) { reproduce::comes_out(reproduce::multipliers_003()); }
TEST(Paper003, Figure2ComesOut) { reproduce::comes_out(reproduce::figure_003_2()); }
TEST(Paper003, Figure3ComesOut) { reproduce::comes_out(reproduce::figure_003_3()); }
TEST(Paper003, Figure4ComesOut) { reproduce::comes_out(reproduce::figure_003_4()); }
TEST(Paper003, Figure5ComesOut) { reproduce::comes_out(reproduce::figure_003_5()); }
TEST(Paper003, Figure6ComesOut) { reproduce::comes_out(reproduce::figure_003_6()); }
TEST(Paper003, ClaimsComeOut) { reproduce::comes_out(reproduce::claims_003()); }
TEST(Paper003, IsOutdoneWithFewEvaluations) {
    auto const r = reproduce::work_precision_003();
    reproduce::comes_out(r);
    for (auto const& e : r.entries) EXPECT_FALSE(e.known) << e.row; // a bar is met or missed
}

} // namespace
