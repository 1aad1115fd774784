// Constrained problems from files: the same motion as the C++ models, multipliers, bad starts, constraints of vibrated
// systems.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/lento.hpp>
#include <lento/model/constrained.hpp>
#include <lento/model/linkage.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;
using namespace lento_test;

model::spherical_pendulum const sphere;
/// The start of the file: its formulas are computed in long double, and a last bit may decide when Newton's iteration
/// ends.
motion<std::array<double, 3>> start_of_file() {
    auto const file = load_problem("spherical-pendulum");
    motion<std::array<double, 3>> start;
    std::copy(file.position.begin(), file.position.end(), start.position.begin());
    std::copy(file.velocity.begin(), file.velocity.end(), start.velocity.begin());
    return start;
}
auto const sphere_start = start_of_file();

TEST(ConstrainedProblem, TheOrderFourStepperWithAdaptiveStepsIsChosen) {
    auto const file = solved("spherical-pendulum");
    EXPECT_EQ(file.method_name(), "direct");
    EXPECT_EQ(file.used("macro.scheme")->text, "lobatto4");
    adaptive_lobatto4 const stepper{.rtol = file.used("macro.rtol")->real, .atol = file.used("macro.atol")->real};
    expect_same(file, solve(sphere.system(), stepper, sphere_start, {.end = 5, .output_count = 51}),
                sphere.m * sphere.g);
}

TEST(ConstrainedProblem, ShakeRattleLobattoAndTheUnderlyingEquationAreTheLibrarys) {
    solve_options<motion<std::array<double, 3>>> const options{.end = 1, .output_count = 11};
    problem_settings const times{"time.end=1", "time.output=11"};
    auto const with = [&](problem_settings more) {
        more.insert(more.end(), times.begin(), times.end());
        return solved("spherical-pendulum", more);
    };
    double const force = sphere.m * sphere.g;
    expect_same(with({"method={ name = 'shake', macro = { step = 0.01 } }"}),
                solve(sphere.system(), shake{.step = 0.01}, sphere_start, options), force);
    expect_same(with({"method={ name = 'rattle', macro = { step = 0.01 } }"}),
                solve(sphere.system(), rattle{.step = 0.01}, sphere_start, options), force);
    expect_same(with({"method={ macro = { scheme = 'lobatto4', step = 0.05 } }"}),
                solve(sphere.system(), lobatto4{.step = 0.05}, sphere_start, options), force);
    expect_same(with({"method={ name = 'underlying', macro = { scheme = 'rk4', step = 0.01 } }"}),
                solve(underlying(sphere.system()), rk4{.step = 0.01}, sphere_start, options), force);
}

TEST(ConstrainedProblem, MultipliersHaveTheContractsSign) {
    auto const run = solved("spherical-pendulum", {"around=0", "polar=0", "initial.\"y'\"=0.5"});
    ASSERT_EQ(run.result, outcome::success) << run.message;
    // the rod holds weight and turns: lambda = (m v^2/l + m g)/(2 l)
    EXPECT_NEAR(run.multipliers[0][0], 2 * (0.25 / 0.5 + 9.8) / (2 * 0.5), 1e-9);
    EXPECT_NE(to_json(load_problem("spherical-pendulum"), run).find("\"multipliers\": [["), std::string::npos);
    EXPECT_NE(to_csv(load_problem("spherical-pendulum"), run).find(",lambda1,energy"), std::string::npos);
}

TEST(ConstrainedProblem, AConstraintMayDependOnTheTime) {
    model::rotating_wire const wire;
    auto const run = solved("rotating-wire");
    ASSERT_EQ(run.result, outcome::success) << run.message;
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        EXPECT_NEAR(run.observables[0][i], wire.distance(run.t[i]), 1e-5) << run.t[i];
        EXPECT_NEAR(run.multipliers[i][0], wire.multiplier(run.t[i]), 1e-3) << run.t[i];
    }
}

TEST(ConstrainedProblem, FamiliesOfConstraintsAreChains) {
    for (int const n : {5, 60}) {
        model::hanging_chain const chain{.n = static_cast<std::size_t>(n)};
        auto const file = solved("hanging-chain", {"n=" + std::to_string(n), "time.end=0.2", "time.output=3",
                                                   "method={ name = 'rattle', macro = { step = 0.002 } }"});
        auto const code =
            solve(chain.system(), rattle{.step = 0.002}, {chain.straight(0.6), {}}, {.end = 0.2, .output_count = 3});
        ASSERT_EQ(file.result, outcome::success) << file.message;
        auto const size = static_cast<std::size_t>(n);
        for (std::size_t i = 0; i < size; ++i) {
            EXPECT_NEAR(file.position.back()[i], code.position.back()[2 * i], 1e-12);
            EXPECT_NEAR(file.position.back()[size + i], code.position.back()[2 * i + 1], 1e-12);
        }
    }
}

TEST(ConstrainedProblem, EveryFormOfMassTellsTheSameMotion) {
    auto const plain = solved("spherical-pendulum");
    auto const list = solved("spherical-pendulum", {"system.mass=[2, 2, 2]"});
    auto const full = solved("spherical-pendulum", {"system.mass=[[2, 0, 0], [0, 2, 0], [0, 0, 2]]"});
    for (std::size_t i = 0; i < plain.t.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_NEAR(list.position[i][k], plain.position[i][k], 1e-12);
            EXPECT_NEAR(full.position[i][k], plain.position[i][k], 1e-12);
        }
}

TEST(ConstrainedProblem, AStartOffTheConstraintsIsRefusedWithItsSizeOrPutThere) {
    for (std::string const name : {"direct", "underlying"}) try {
            static_cast<void>(solved("spherical-pendulum", {"initial.z=-0.3", "method.name=" + name}));
            ADD_FAILURE() << "no error";
        } catch (problem_error const& error) {
            std::string const message = error.what();
            EXPECT_NE(message.find("initial: The initial position does not meet the constraints: constraint 1 is "),
                      std::string::npos)
                << message;
        }
    EXPECT_THROW(static_cast<void>(solved("spherical-pendulum", {"initial.\"z'\"=1"})), problem_error);
    auto const put = solved("spherical-pendulum", {"initial.z=-0.3", "initial.project=true"});
    ASSERT_EQ(put.result, outcome::success) << put.message;
    auto const& q = put.position[0];
    EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2], 0.25, 1e-14);
}

TEST(ConstrainedProblem, DependentConstraintsFailTheRun) {
    auto const run =
        solved("spherical-pendulum", {"system.constraints=['x^2 + y^2 + z^2 - l^2', '3*(x^2 + y^2 + z^2 - l^2)']"});
    EXPECT_EQ(run.result, outcome::constraint_failed);
    EXPECT_NE(run.message.find("constraint 2 depends on"), std::string::npos) << run.message;
}

TEST(ConstrainedProblem, ForcesMayDependOnTheVelocity) {
    auto const damped =
        solved("spherical-pendulum", {"system.force={ x = \"-0.5*x'\", y = \"-0.5*y'\", z = \"-0.5*z'\" }"});
    ASSERT_EQ(damped.result, outcome::success) << damped.message;
    EXPECT_LT(damped.observables[0].back(), damped.observables[0].front() - 0.5);
}

// docs/papers.md: 001.28
TEST(VibratedProblem, ThePapersDoublePendulumIsTheLibrarys) {
    auto const model = model::double_pendulum(1e6);
    auto const slow = effective(model.vibrated_system(), asynchronous{one_period{.steps = 64}, shake{}});
    auto const code = solve(slow, rattle{.step = 1. / 160}, {model.place({0.5, 0}), {}},
                            {.end = 1, .output_count = 17, .given = initial_state::slow});
    auto const file = solved("double-pendulum");
    expect_same(file, code, model.vmax * model.omega * 0.015);
    ASSERT_EQ(file.mean_multipliers.size(), file.t.size());
    for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(file.multipliers.back()[j], code.multipliers.back()[j], 1e-6);
        EXPECT_NEAR(file.mean_multipliers.back()[j], code.mean_multipliers.back()[j], 1e-6);
    }
    EXPECT_NE(to_json(load_problem("double-pendulum"), file).find("\"mean_multipliers\": [["), std::string::npos);
}

TEST(VibratedProblem, ShakeOnBothScalesIsFigureFourOne) {
    // computed independently for omega = 1e8
    auto const run = solved("double-pendulum", {"omega=1e8", "method.macro={ scheme = 'shake', step = '1/160' }"});
    ASSERT_EQ(run.result, outcome::success) << run.message;
    EXPECT_NEAR(run.observables[0][4], -.1171510, 2e-6);
    EXPECT_NEAR(run.observables[1][4], -.3528781, 4e-6);
    EXPECT_NEAR(run.multipliers[4][0], .8770260, 1e-5); // the paper has the opposite sign
    EXPECT_NEAR(run.multipliers[4][1], 1.1715598, 1e-5);
}

TEST(VibratedProblem, LinksStandUprightWithWorkIndependentOfOmega) {
    auto const at = [](std::string const& omega, problem_settings settings) {
        settings.push_back("omega=" + omega);
        auto run = solved("linked-pendulum", settings);
        EXPECT_EQ(run.result, outcome::success) << run.message;
        for (double const height : run.observables[1]) EXPECT_GT(height, 0.29);
        return run.statistics;
    };
    // with equal steps the same forces; within windows that are a hundred times shorter Newton starts closer
    problem_settings const equal{"method={ macro = { scheme = 'rattle', step = 0.002 } }"};
    auto const slower = at("1e6", equal);
    auto const faster = at("1e8", equal);
    EXPECT_EQ(faster.force_evaluations, slower.force_evaluations);
    EXPECT_LE(faster.newton_iterations, slower.newton_iterations);
    // the steps of the default method feel the motion's own change with 1/omega, 1e-6 beside a tolerance of 1e-5
    auto const by_default = at("1e6", {"accuracy.estimate=false"});
    auto const faster_by_default = at("1e8", {"accuracy.estimate=false"});
    double const forces = static_cast<double>(by_default.force_evaluations);
    EXPECT_NEAR(static_cast<double>(faster_by_default.force_evaluations), forces, 0.02 * forces);
    EXPECT_LE(faster_by_default.newton_iterations, by_default.newton_iterations);
}

} // namespace
