// Stiff systems: force averaging of paper 000.

#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

#include "reproduce/experiments.hpp"

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

TEST(ForceAveraging, WorkDoesNotDependOnOmega) {
    std::array<std::uint64_t, 2> forces{};
    for (std::size_t i = 0; i < 2; ++i) {
        model::two_springs const springs{.omega_1 = 1, .omega_2 = i == 0 ? 1e3 : 1e4};
        auto const x = springs.stretched_second();
        auto const slow = effective(springs.second_hard(), force_averaging{twenty_periods(springs.omega_2)}, x);
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

TEST(ForceAveraging, FollowsALinearSystemOntoItsSlowNormalMode) {
    // x'' = -x, y'' = -w^2 y: the slow mode is x alone
    double const w = 1e3;
    auto const system = stiff<2>([](auto const& q, auto) { return std::array{-q[0], 0 * q[0]}; },
                                 spring{w, [](auto const& q) { return q[1]; }});
    motion<std::array<double, 2>> const x{{1, 1e-3}, {0, 0.7}};
    auto const slow = effective(system, force_averaging{twenty_periods(w)}, x);
    auto const run = solve(slow, rk4{.step = 0.05}, x, {.end = 3});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(run.position.back()[0], std::cos(3.), 5e-4);
    EXPECT_NEAR(run.position.back()[1], 0, 1e-6);
}

TEST(ForceAveraging, RefusesAStepBeyondVerletsLimitWithTheNumbers) {
    model::two_springs const springs{.omega_1 = 500, .omega_2 = 500};
    auto const x = springs.stretched_second();
    double const period = 2 * std::numbers::pi / 500;
    try {
        static_cast<void>(
            effective(springs.both_hard(), force_averaging{window{.length = 20 * period, .step = period / 5}}, x));
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
    auto const run =
        solve(effective(springs.second_hard(), force_averaging{view}, x), rk4{.step = 0.25}, x, {.end = 10});
    EXPECT_EQ(run.result, outcome::filter_unstable) << run.message;
    EXPECT_EQ(run.statistics.force_evaluations, 0U);
}

TEST(ForceAveraging, RefusesAFilterOfTheWrongSign) {
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 2e4};
    auto const x = springs.stretched_second();
    double const h = 2 * std::numbers::pi / 2e4 / 6;
    auto const with = [&](int steps) {
        return effective(springs.second_hard(), force_averaging{window{.length = 2 * steps * h, .step = h}}, x);
    };
    EXPECT_GT(with(60).worst().response, 0);
    ASSERT_LT(with(53).worst().response, 0);
    EXPECT_EQ(solve(with(53), rk4{.step = 0.125}, x, {.end = 10}).result, outcome::filter_unstable);
    EXPECT_EQ(solve(with(60), rk4{.step = 0.125}, x, {.end = 10}).result, outcome::success);
}

TEST(ForceAveraging, ProjectsBackWhenAskedTo) {
    model::two_springs const springs{.omega_1 = 500, .omega_2 = 500};
    auto const x = springs.stretched_second();
    auto const system = springs.both_hard();
    auto const often = effective(system, force_averaging{twenty_periods(500), verlet{}, projection{.every = 1}}, x);
    auto const run = solve(often, rk4{.step = 0.125}, x, {.end = 4});
    ASSERT_TRUE(run) << run.message;
    EXPECT_EQ(run.statistics.projections, 4U);
    auto const drifted = effective(system, force_averaging{twenty_periods(500), verlet{}, projection{.drift = 0.5}}, x);
    auto const watched = solve(drifted, rk4{.step = 0.125}, x, {.end = 4});
    EXPECT_GT(watched.statistics.projections, 1U);
}

TEST(ForceAveraging, WindowsInLongDoubleGiveTheSameMotion) {
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 1e3};
    auto const x = springs.stretched_second();
    auto const in_double = effective(springs.second_hard(), force_averaging{twenty_periods(1e3)}, x);
    auto const in_long = effective(springs.second_hard(), force_averaging<verlet, long double>{twenty_periods(1e3)}, x);
    auto const a = solve(in_double, rk4{.step = 0.25}, x, {.end = 1});
    auto const b = solve(in_long, rk4{.step = 0.25}, x, {.end = 1});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a.position.back()[i], b.position.back()[i], 1e-11);
}

void everything_agrees(reproduce::report const& r) {
    EXPECT_FALSE(r.entries.empty());
    for (auto const& e : r.entries)
        EXPECT_TRUE(e.agrees || (e.known && !e.note.empty()))
            << r.id << ": " << e.row << ", " << e.column << ": " << e.value;
}

TEST(Paper000, Table1ComesOut) {
    auto const r = reproduce::table_000_1();
    everything_agrees(r);
    EXPECT_GE(r.agreeing(), 47U); // 46 of the 49 printed ones, and the bound beyond the paper
}
TEST(Paper000, Table2ComesOut) { everything_agrees(reproduce::table_000_2()); }
TEST(Paper000, CaseTwoComesOut) { everything_agrees(reproduce::case_000_ii()); }
TEST(Paper000, CaseThreeComesOutAndItsDriftIsTold) { everything_agrees(reproduce::case_000_iii()); }

} // namespace
