// Periods of fast motions that a problem file does not give: found where they are there, refused where they are not.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;
using namespace lento_test;

constexpr double two_pi = 2 * std::numbers::pi;

double found_period(problem_run const& run) {
    EXPECT_EQ(run.result, outcome::success) << run.message;
    EXPECT_EQ(run.reasons.empty() ? "" : run.reasons[0].substr(0, 7), "period ");
    auto const* period = run.used("period");
    return period == nullptr ? 0 : period->real;
}

/// Two oscillators of one frequency, weakly coupled; their energies wander between them.
std::string const coupled = R"toml(
[parameters]
w = 100
e = 0.05
[system]
kind = "plain"
coordinates = ["x", "y"]
potential = "w^2*(x^2 + y^2)/2 + e*w*(x - y)^2/2"
[initial]
x = 1
y = 0
[time]
end = 200
output = 9
[accuracy]
rtol = 1e-6
atol = 1e-8
[method]
name = "stroboscopic"
order = 4
micro = { steps_per_period = 100 }
)toml";

TEST(Period, OfAWeaklyCoupledMotionIsFoundAndItsSlowMotionIsTheOneWithThePeriodGiven) {
    auto const found = solved_text(coupled);
    EXPECT_NEAR(found_period(found), two_pi / 100, 1e-3 * two_pi / 100);
    auto const given = solved_text(coupled, {"system.frequency=w"});
    ASSERT_EQ(given.result, outcome::success) << given.message;
    // energies are slow: those of the normal modes beat with e/2
    auto const energy = [](problem_run const& run, std::size_t row) {
        return std::pow(run.velocity[row][0] / 100, 2) + std::pow(run.position[row][0], 2);
    };
    for (std::size_t row = 0; row < found.t.size(); ++row) {
        EXPECT_NEAR(energy(found, row), energy(given, row), 2e-3) << found.t[row];
        EXPECT_NEAR(energy(found, row), std::pow(std::cos(0.05 / 2 * found.t[row]), 2), 5e-3) << found.t[row];
    }
    EXPECT_LT(found.statistics.macro_steps, 100U);
}

TEST(Period, OfAForcingIsThatOfTheForceAndNotOfTheMotion) {
    std::string const forced = R"toml(
[parameters]
w = 1000
[system]
kind = "plain"
coordinates = ["q"]
force.q = "-q + w*cos(w*t + 0.3)*sin(q) + w*sin(2*w*t)*0.1"
[initial]
q = 0.5
"q'" = 0.2
[time]
end = 10
output = 3
[method]
name = "stroboscopic"
)toml";
    EXPECT_NEAR(found_period(solved_text(forced)), two_pi / 1000, 1e-9 * two_pi / 1000);
}

TEST(Period, OfAMotionWithCommensurateFrequenciesIsTheirCommonOne) {
    std::string const text = R"toml(
[system]
kind = "plain"
coordinates = ["x", "y"]
potential = "1e4*(2^2*x^2 + 3^2*y^2)/2"
[initial]
x = 1
y = 1
[time]
end = 50
output = 2
[method]
name = "stroboscopic"
)toml";
    EXPECT_NEAR(found_period(solved_text(text)), two_pi / 100, 1e-8);
}

TEST(Period, OfALinearFastFlowFollowsFromItsFrequencies) {
    std::string const text = R"toml(
[system]
kind = "split"
variables = ["x", "v", "y", "w"]
epsilon = 1e-3
fast.x = "2*v"
fast.v = "-2*x"
fast.y = "3*w"
fast.w = "-3*y"
slow.v = "-x*y"
slow.w = "-y^3"
[initial]
x = 1
v = 0
y = 1
w = 0
[time]
end = 1
output = 5
[method]
name = "stroboscopic"
)toml";
    auto const found = solved_text(text);
    auto const given = solved_text(text, {"system.period=2*pi"});
    ASSERT_EQ(found.result, outcome::success) << found.message;
    ASSERT_EQ(given.result, outcome::success) << given.message;
    EXPECT_EQ(found.statistics.force_evaluations, given.statistics.force_evaluations);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.position.back()[i], given.position.back()[i], 1e-9);
}

TEST(Period, IsNotLookedForByAuto) {
    auto const run = solved_text(coupled, {"method.name=auto", "time.end=0.5"});
    EXPECT_EQ(run.method_name(), "direct");
}

TEST(Period, OfAForcingIsLookedForAwayFromTheStartToo) {
    auto const run = solved_text(R"toml(
[system]
kind = "plain"
coordinates = ["x"]
force.x = "-x + 1e3*cos(1000*t) + 1e3*x*cos(1000*sqrt(2)*t)"
[initial]
x = 0
"x'" = 1
[time]
end = 5
[method]
name = "stroboscopic"
)toml");
    EXPECT_EQ(run.result, outcome::not_applicable);
}

/// Half a turn on, the motion is as far away as it goes, and yet a turn before and after it are the same.
TEST(Period, ThatIsHalfTheTrueOneIsRefused) {
    std::string const text = R"toml(
[system]
kind = "plain"
coordinates = ["x"]
frequency = 1
force.x = "-x - 1e-4*x'"
[initial]
x = 1
[time]
end = 2e4
output = 2
[observe]
amplitude = "hypot(x, x')"
)toml";
    auto const right = solved_text(text, {"accuracy.estimate=false"});
    EXPECT_EQ(right.method_name(), "stroboscopic");
    ASSERT_EQ(right.result, outcome::success) << right.message;
    EXPECT_NEAR(right.observables[0].back(), std::exp(-1.), 1e-3);
    for (std::string const wrong : {"2", "2/3", "1.5"}) {
        auto const run = solved_text(text, {"system.frequency=" + wrong, "accuracy.estimate=false"});
        EXPECT_EQ(run.result, outcome::not_applicable) << wrong << ": " << run.message;
    }
}

/// What is missed in one period adds up over thousands: the steps in a period follow the tolerance and the turns in it.
TEST(Period, HasAsManyStepsAsItsTurnsAndTheToleranceAskFor) {
    std::string const text = R"toml(
[system]
kind = "plain"
coordinates = ["x", "y"]
period = "2*pi"
mass = [2, 0.5]
potential = "x^2 + 0.5*4*y^2/2 + 1e-4*x^2*y"
[initial]
x = 1
y = 0.3
"y'" = 0.5
[time]
end = 2e4
output = 5
[observe]
ex = "x^2 + x'^2"
ey = "y^2 + y'^2/4"
)toml";
    auto const exact = solved_text(text, {"method={ name = 'stroboscopic', micro = { steps_per_period = 2048 } }",
                                          "accuracy.rtol=1e-9", "accuracy.atol=1e-11"});
    ASSERT_EQ(exact.result, outcome::success) << exact.message;
    EXPECT_NEAR(exact.observables[1].back(), 0.1232, 1e-4); // as a direct run with rtol = 1e-12 has it
    for (std::string const rtol : {"1e-6", "1e-8"}) {
        auto const run = solved_text(text, {"accuracy.rtol=" + rtol, "accuracy.atol=1e-11", "accuracy.estimate=false"});
        ASSERT_EQ(run.result, outcome::success) << run.message;
        for (std::size_t i : {0U, 1U})
            EXPECT_NEAR(run.observables[i].back(), exact.observables[i].back(), 100 * std::stod(rtol)) << rtol;
    }
}

} // namespace
