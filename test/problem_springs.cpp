// Methods that step over the oscillation of springs, from problem files: the same numbers and counts as the C++ models.

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/lento.hpp>
#include <lento/model/split.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;
using namespace lento_test;

/// The chain of stiff and soft springs: positions y and x, velocities u and v, as the file has them.
template <class Stepper> void expect_chain(Stepper const& stepper, problem_settings settings) {
    SCOPED_TRACE(Stepper::name);
    model::fermi_pasta_ulam<3> const chain;
    auto const code = solve(chain.springs(), stepper, chain.as_motion(chain.start()), {.end = 2, .output_count = 5});
    settings.insert(settings.end(), {"time.end=2", "time.output=5", "method.macro.step=0.01",
                                     "method.name=" + std::string(Stepper::name)});
    auto const file = solved("fermi-pasta-ulam", settings);
    ASSERT_EQ(file.result, outcome::success) << file.message;
    ASSERT_EQ(file.t.size(), code.t.size());
    EXPECT_TRUE(file.full);
    for (std::size_t row = 0; row < code.t.size(); ++row) {
        auto const z = chain.as_point(code.position[row], code.velocity[row]);
        // rounding of the fast force, 1/epsilon, as for other split systems
        for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(file.position[row][i], z[i], 1e-12 + 4 * 5e-12) << i;
    }
    expect_equal_counts(file, code);
}

TEST(OverSprings, TheChainOfStiffAndSoftSpringsIsTheLibrarys) {
    expect_chain(deuflhard{.step = 0.01}, {});
    expect_chain(gautschi{.step = 0.01}, {});
    expect_chain(mollified_impulse{.step = 0.01}, {});
    expect_chain(impulse{.step = 0.01, .inner_steps = 50}, {"method.micro.step=2e-4"});
}

/// Two masses on a line, held together by a hard linear spring of rest length 1 and pulled at by a soft one.
std::string const dumbbell = R"toml(
[parameters]
w = 300
[system]
kind = "stiff"
coordinates = ["x", "y"]
mass = [2, 3]
potential = "cos(x)"
force.y = "sin(t)"
stiff = [{ g = "y - x - 1", omega = "w" }]
[initial]
x = 0.2
y = 1.201
"x'" = 0.3
[time]
end = 2
output = 9
)toml";

TEST(OverSprings, AStiffSystemWithMassesAndARestLengthIsTheOscillatoryOne) {
    // in z = sqrt(m) (q - rest), rest = (-1/2, 1/2)
    double const a = std::sqrt(2.);
    double const b = std::sqrt(3.);
    long double const w2 = 300 * 300;
    auto const system = oscillatory<2>(
        {{w2 / 2, -w2 / (std::sqrt(2.L) * std::sqrt(3.L))}, {-w2 / (std::sqrt(2.L) * std::sqrt(3.L)), w2 / 3}},
        [=](auto const& z, auto t) { return std::array{std::sin(z[0] / a - 0.5) / a, std::sin(t) / b}; });
    auto const compare = [&](auto const& stepper) {
        auto const code = solve(system, stepper, {{a * 0.7, b * 0.701}, {a * 0.3, 0}}, {.end = 2, .output_count = 9});
        auto const file = solved_text(dumbbell, {"method.name=" + std::string(stepper.name), "method.macro.step=0.05"});
        ASSERT_EQ(file.result, outcome::success) << file.message;
        for (std::size_t row = 0; row < file.t.size(); ++row) {
            EXPECT_NEAR(file.position[row][0], code.position[row][0] / a - 0.5, 1e-9) << stepper.name;
            EXPECT_NEAR(file.velocity[row][1], code.velocity[row][1] / b, 1e-7) << stepper.name;
            EXPECT_NEAR(file.multipliers[row][0], 300. * 300 * (file.position[row][1] - file.position[row][0] - 1),
                        1e-9);
        }
        expect_equal_counts(file, code);
    };
    compare(deuflhard{.step = 0.05});
    compare(gautschi{.step = 0.05});
    compare(mollified_impulse{.step = 0.05});
}

TEST(OverSprings, AllOfThemConvergeToTheMotion) {
    problem_settings const fine{"accuracy.rtol=1e-11", "accuracy.atol=1e-12"};
    auto settings = fine;
    settings.emplace_back("method.name=direct");
    auto const exact = solved_text(dumbbell, settings);
    for (std::string const method : {"deuflhard", "gautschi", "mollified-impulse", "impulse"}) {
        auto const error = [&](std::string const& step) {
            auto const run =
                solved_text(dumbbell, {"method.name=" + method, "method.macro.step=" + step,
                                       method == "impulse" ? "method.micro.steps_per_period=2000" : "time.start=0"});
            EXPECT_EQ(run.result, outcome::success) << run.message;
            return std::hypot(run.position.back()[0] - exact.position.back()[0],
                              run.position.back()[1] - exact.position.back()[1]);
        };
        EXPECT_LT(error("0.0005"), 1e-5) << method;
        EXPECT_LT(error("0.0005"), error("0.002")) << method;
    }
}

TEST(OverSprings, TimesBetweenTheStepsAreSteppedTo) {
    // a free oscillation is exact at any step, also between the steps; nothing interpolates 32 turns
    std::string const free = R"toml(
[system]
kind = "stiff"
coordinates = ["x", "y"]
stiff = [{ g = "x", omega = 1000 }]
[initial]
x = 1
y = 0
[time]
end = 2
output = [0, 0.137, 0.25, 1.999]
[method]
name = "deuflhard"
macro = { step = 0.2 }
)toml";
    auto const run = solved_text(free);
    ASSERT_EQ(run.result, outcome::success) << run.message;
    for (std::size_t row = 0; row < run.t.size(); ++row)
        EXPECT_NEAR(run.position[row][0], std::cos(1000 * run.t[row]), 1e-9) << run.t[row];
}

std::string const pendulum = R"toml(
[system]
kind = "stiff"
coordinates = ["x", "y"]
force.y = "-1"
stiff = [{ g = "sqrt(x^2 + y^2) - 1", omega = 100 }]
[initial]
x = 1
y = 0
[time]
end = 1
output = 3
)toml";

// docs/papers.md: 002.11
TEST(OverSprings, ImpulsesNeedNoLinearSprings) {
    auto const exact = solved_text(pendulum, {"method.name=direct", "accuracy.rtol=1e-11", "accuracy.atol=1e-12"});
    auto const run =
        solved_text(pendulum, {"method.name=impulse", "method.macro.step=0.005", "method.micro.steps_per_period=400"});
    ASSERT_EQ(run.result, outcome::success) << run.message;
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(run.position.back()[i], exact.position.back()[i], 2e-4);
    // two forces at the start, then one slow and many fast ones per step
    auto const inner = run.statistics.micro_steps;
    EXPECT_EQ(inner % 200, 0U);
    EXPECT_EQ(run.statistics.force_evaluations, 2 + 200 + inner);
}

TEST(OverSprings, WhatTheyCannotTakeApartIsRefusedWithItsReason) {
    auto const refusal = [](problem_run const& run) {
        EXPECT_EQ(run.result, outcome::not_applicable) << run.message;
        EXPECT_EQ(run.t.size(), 0U);
        return run.message;
    };
    problem_settings const method{"method.name=deuflhard", "method.macro.step=0.01"};
    EXPECT_NE(refusal(solved_text(pendulum, method)).find("spring 1 is not linear"), std::string::npos);
    auto with = [&](std::string more) {
        auto all = method;
        all.push_back(std::move(more));
        return all;
    };
    EXPECT_NE(refusal(solved_text(dumbbell, with("system.force.x=-x'"))).find("depends on the velocity"),
              std::string::npos);
    EXPECT_NE(refusal(solved_text(dumbbell, with("system.mass=[[2, 1], [1, 2]]"))).find("full matrix"),
              std::string::npos);
    EXPECT_NE(refusal(solved_text(dumbbell, with("initial.state=slow"))).find("true motion"), std::string::npos);
    EXPECT_NE(refusal(solved("vibrated-pendulum", method)).find("nothing says which part"), std::string::npos);
    EXPECT_NE(refusal(solved("double-well", method)).find("nothing says which part"), std::string::npos);
    EXPECT_NE(refusal(solved("forced-oscillator", method)).find("pairs"), std::string::npos);
    EXPECT_NE(refusal(solved("expanding-spiral", method)).find("pairs"), std::string::npos);
}

TEST(OverSprings, TheUsedMethodCanBeRunAgain) {
    auto const first = solved_text(pendulum, {"method.name=impulse", "method.macro.step=0.01"});
    ASSERT_EQ(first.result, outcome::success) << first.message;
    double const step = first.used("micro.step")->real;
    EXPECT_NEAR(step, 2 * std::numbers::pi / 100 / 20, 1e-12);
    EXPECT_EQ(first.used("micro.steps_per_period"), nullptr) << to_json(first.method); // the step says the same
}

TEST(SpringMethods, RefuseWhatIsLinearOnOneSideOnly) {
    std::string const one_sided = R"toml(
[system]
kind = "stiff"
coordinates = ["x"]
stiff = [{ g = "max(x, 0)", omega = 100 }]
[initial]
x = 0.1
[time]
end = 1
output = 3
[method]
name = "gautschi"
macro = { step = 0.01 }
)toml";
    EXPECT_EQ(solved_text(one_sided).result, outcome::not_applicable);
    std::string const braked_when_fast = R"toml(
[system]
kind = "split"
variables = ["x", "v"]
epsilon = 1e-3
fast.x = "v"
fast.v = "-x"
slow.v = "-max(v - 4, 0)*100 + x^2"
[initial]
x = 1
v = 6
[time]
end = 0.1
output = 3
[method]
name = "gautschi"
macro = { step = 0.0005 }
)toml";
    EXPECT_EQ(solved_text(braked_when_fast).result, outcome::not_applicable);
    auto const coarse = solved_text(
        one_sided, {"method.name=impulse", "method.macro.step=0.1", "method.micro={ steps_per_period = 1 }"});
    EXPECT_EQ(coarse.result, outcome::not_applicable); // beyond Verlet's limit
}

/// Constraints that are relaxed to springs: what is asked of the start of the constrained system holds for this one.
TEST(Relaxation, StartsOnTheConstraintsWhereItIsAskedTo) {
    std::string const text = R"toml(
[system]
kind = "constrained"
coordinates = ["x", "y"]
force.y = "-9.8"
constraints = ["y - sin(x)"]
[initial]
x = 0.3
y = 0.1
project = true
[time]
end = 0.2
output = 3
)toml";
    auto const rigid = solved_text(text, {"method.name=direct"});
    for (auto const* method : {"method.name=ipa", "method.name=hmm", "method.name=limit"})
        EXPECT_LT(largest_difference(solved_text(text, {method, "method.relaxation.omega=1e4"}), rigid), 1e-4)
            << method;
}

TEST(Relaxation, NeedsItsFrequency) {
    for (auto const* method : {"ipa", "hmm", "limit", "adiabatic"})
        for (auto const* given : {"false", "true", "{}"}) {
            problem_settings const settings{"method.name=" + std::string(method),
                                            "method.relaxation=" + std::string(given)};
            EXPECT_THROW(static_cast<void>(solved("spherical-pendulum", settings)), problem_error) << method << given;
        }
}

/// Multipliers between steps rest on the ends of the step they are in, under every control of steps.
TEST(Multipliers, OfRowsInsideAStep) {
    for (auto const* problem : {"two-springs", "spring-pendulum"}) {
        auto const by = [&](std::string const& macro) {
            return solved(problem, {"method={ name = 'ipa', macro = " + macro + " }", "time.output=31"});
        };
        auto const fine = by("{ scheme = 'rk4', step = 0.002 }");
        auto const error = [&](problem_run const& run) {
            double largest = 0;
            EXPECT_EQ(run.multipliers.size(), fine.multipliers.size());
            for (std::size_t row = 0; row < std::min(run.multipliers.size(), fine.multipliers.size()); ++row)
                for (std::size_t j = 0; j < fine.multipliers[row].size(); ++j)
                    largest = std::max(largest, std::abs(run.multipliers[row][j] - fine.multipliers[row][j]));
            return largest;
        };
        double const usual = error(by("{ scheme = 'dormand-prince', rtol = 1e-6 }"));
        EXPECT_LT(error(by("{ scheme = 'dormand-prince', rtol = 1e-6, control = 'ode45' }")), 10 * usual + 1e-5)
            << problem;
    }
}

} // namespace
