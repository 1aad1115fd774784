// The tolerance of an automatic direct run means the run, its error is measured, and both are told.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "solved.hpp"

#include <lento/problem/roughly.hpp>
#include <lento/stepper/foreign_code.hpp>

namespace {

using namespace lento;
using namespace lento_test;

std::string const orbit = R"toml(
[system]
kind = "plain"
coordinates = ["x", "y"]
force.x = "-x/(x^2+y^2)^1.5"
force.y = "-y/(x^2+y^2)^1.5"
[initial]
x = 0.7
y = 0
"y'" = "sqrt(1.3/0.7)"
[time]
end = 63
output = 22
)toml";

/// The largest error of the orbit over its size.
double orbit_error(problem_run const& run) {
    double worst = 0;
    for (std::size_t k = 0; k < run.t.size(); ++k) {
        double anomaly = run.t[k];
        for (int turn = 0; turn < 50; ++turn)
            anomaly -= (anomaly - 0.3 * std::sin(anomaly) - run.t[k]) / (1 - 0.3 * std::cos(anomaly));
        worst = std::max(worst, std::abs(run.position[k][0] - (std::cos(anomaly) - 0.3)) / 1.3);
        worst = std::max(worst, std::abs(run.position[k][1] - std::sqrt(0.91) * std::sin(anomaly)) / std::sqrt(0.91));
    }
    return worst;
}

/// A force that jumps has equal steps converge with order 1 or less, whatever the scheme.
TEST(Estimates, OfEqualStepsDoNotBelieveTheSchemesOrder) {
    std::string const text = "[system]\nkind = \"plain\"\ncoordinates = [\"x\"]\nforce.x = \"-x + step(t - 7.3)\"\n"
                             "[initial]\nx = 1\n[time]\nend = 20\noutput = 41\n[method]\nname = \"direct\"\n";
    for (std::string const macro : {"scheme = \"rkn8\", step = 0.0123", "scheme = \"dormand-prince-8\", step = 0.0123",
                                    "scheme = \"rk4\", step = 0.031"}) {
        auto const run = solved_text(text + "macro = { " + macro + " }\n");
        ASSERT_EQ(run.result, outcome::success) << run.message;
        ASSERT_TRUE(run.error_estimate);
        double worst = 0;
        for (std::size_t k = 0; k < run.t.size(); ++k) {
            double const t = run.t[k];
            double const truth = std::cos(t) + (t > 7.3 ? 1 - std::cos(t - 7.3) : 0);
            worst = std::max(worst, std::abs(run.position[k][0] - truth));
        }
        double const told = run.error_estimate->total * 1.9; // the motion's size
        EXPECT_GT(told, worst / 5) << macro;
        EXPECT_LT(told, worst * 50) << macro;
    }
}
/// Whoever means an absolute tolerance alone writes a tiny relative one.
TEST(Tolerances, BelowRoundingLeaveTheAbsoluteOne) {
    for (auto const* rtol : {"1e-18", "1e-30"}) {
        auto const run = solved_text("[system]\nkind = \"plain\"\ncoordinates = [\"x\"]\nforce.x = \"-x\"\n[initial]\n"
                                     "x = 1\n[time]\nend = 50\noutput = 51\n[accuracy]\natol = 1e-6\nrtol = " +
                                     std::string(rtol) + "\n");
        ASSERT_EQ(run.result, outcome::success) << run.message;
        for (std::size_t k = 0; k < run.t.size(); ++k)
            EXPECT_NEAR(run.position[k][0], std::cos(run.t[k]), 3e-6) << "rtol = " << rtol;
    }
}
/// Where atol decides, what is told is the motion's error all the same.
TEST(Estimates, AreOverTheMotionsSizeWhateverAtolIs) {
    auto const run = solved_text("[system]\nkind = \"plain\"\ncoordinates = [\"x\"]\nforce.x = \"-x\"\n[initial]\n"
                                 "x = 1\n[time]\nend = 50\noutput = 51\n[accuracy]\natol = 1e-4\nrtol = 1e-10\n");
    ASSERT_TRUE(run.error_estimate);
    double worst = 0;
    for (std::size_t k = 0; k < run.t.size(); ++k)
        worst = std::max(worst, std::abs(run.position[k][0] - std::cos(run.t[k])));
    EXPECT_GT(run.error_estimate->total, worst / 3);
    EXPECT_LT(run.error_estimate->total, worst * 30);
    EXPECT_LE(run.error_estimate->ratio, 3);
}

TEST(Estimates, ArePrintedToOneDigit) {
    EXPECT_EQ(roughly(3.4e-7), "3e-7");
    EXPECT_EQ(roughly(9.7e-7), "1e-6");
    EXPECT_EQ(roughly(0), "0");
    EXPECT_EQ(roughly(error_estimate::unknown), "unknown");
}

std::string const oscillator = R"toml(
[system]
kind = "plain"
coordinates = ["x"]
force.x = "-x"
[initial]
x = 1
[time]
end = 30
output = 31
)toml";
double oscillator_error(problem_run const& run) {
    double worst = 0;
    for (std::size_t k = 0; k < run.t.size(); ++k)
        worst = std::max(worst, std::abs(run.position[k][0] - std::cos(run.t[k])));
    return worst;
}

std::string tolerance(double rtol) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.0e", rtol);
    return text.data();
}

TEST(AutomaticAccuracy, IsThatOfTheWholeRun) {
    int small = 0;
    for (double const rtol : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
        auto const run = solved_text(orbit, {"accuracy.rtol=" + tolerance(rtol), "accuracy.atol=0"});
        ASSERT_EQ(run.result, outcome::success) << run.message;
        double const error = orbit_error(run);
        EXPECT_LT(error, 2 * rtol) << rtol;
        ASSERT_TRUE(run.error_estimate) << rtol;
        EXPECT_GT(run.error_estimate->total, error / 10) << rtol;
        EXPECT_LT(run.error_estimate->total, 30 * error) << rtol;
        small += run.error_estimate->total < error / 3 ? 1 : 0;
        EXPECT_NEAR(run.error_estimate->ratio, run.error_estimate->total / rtol, 0.1 * run.error_estimate->ratio);
        EXPECT_GT(run.estimate_evaluations, 0U);
        EXPECT_TRUE(run.warnings.empty()) << run.warnings[0].sentence;
    }
    EXPECT_LE(small, 1); // tolerances are no law of errors
}

TEST(AutomaticAccuracy, IsReadBackFromWhatWasUsed) {
    auto const run = solved_text(orbit, {"accuracy.rtol=1e-7"});
    problem what = read_problem(orbit, "test", {"accuracy.rtol=1e-7"});
    what.method = run.method;
    auto const again = run_problem(what);
    EXPECT_EQ(again.position, run.position);
    EXPECT_EQ(again.statistics.force_evaluations, run.statistics.force_evaluations);
    EXPECT_TRUE(same_values(again.method, run.method)) << to_json(run.method) << to_json(again.method);
}

TEST(AutomaticAccuracy, IsATenthPerStepWhereNothingIsMeasured) {
    auto const run = solved_text(orbit, {"accuracy.rtol=1e-6", "accuracy.atol=1e-8", "accuracy.estimate=false"});
    EXPECT_FALSE(run.error_estimate);
    EXPECT_EQ(run.estimate_evaluations, 0U);
    EXPECT_NEAR(run.used("macro.rtol")->real, 1e-7, 1e-20);
    EXPECT_NEAR(run.used("macro.atol")->real, 1e-9, 1e-22);
}

TEST(AutomaticAccuracy, LeavesTolerancesThatAreGivenAlone) {
    auto const run = solved_text(orbit, {"accuracy.rtol=1e-6", "method.macro={ rtol = 1e-5, atol = 1e-7 }"});
    EXPECT_EQ(run.used("macro.rtol")->real, 1e-5);
    ASSERT_TRUE(run.error_estimate);
    EXPECT_GT(run.error_estimate->total, orbit_error(run) / 3);
}

TEST(NamedAccuracy, IsMeasuredAndChangesNothing) {
    for (std::string const scheme :
         {"dormand-prince", "dop853", "dormand-prince-8", "rkn8", "rkn12", "odeint-dormand-prince"})
        for (double const rtol : {1e-4, 1e-6, 1e-8}) {
            problem_settings settings{"method.name=direct", "method.macro.scheme=" + scheme,
                                      "accuracy.rtol=" + tolerance(rtol), "accuracy.atol=" + tolerance(1e-2 * rtol)};
            auto const run = solved_text(orbit, settings);
            settings.emplace_back("accuracy.estimate=false");
            auto const alone = solved_text(orbit, settings);
            EXPECT_EQ(run.position, alone.position) << scheme;
            EXPECT_EQ(run.statistics.force_evaluations, alone.statistics.force_evaluations) << scheme;
            EXPECT_EQ(run.used("macro.rtol")->real, rtol) << scheme;
            EXPECT_FALSE(alone.error_estimate) << scheme;
            ASSERT_TRUE(run.error_estimate) << scheme;
            EXPECT_GT(run.error_estimate->total, orbit_error(run) / 3) << scheme << rtol;
            EXPECT_LT(run.error_estimate->total, 20 * orbit_error(run)) << scheme << rtol;
            EXPECT_TRUE(run.warnings.empty()) << scheme;
        }
}

TEST(NamedAccuracy, IsMeasuredOfEqualSteps) {
    struct row {
        std::string scheme;
        double step;
    };
    for (auto const& [scheme, step] : {row{"verlet", 0.02},
                                       {"verlet", 1.2},
                                       {"rk4", 0.1},
                                       {"composition6", 0.2},
                                       {"implicit-midpoint", 0.1},
                                       {"stormer8", 0.1}}) {
        auto const run = solved_text(oscillator, {"method.name=direct", "method.macro.scheme=" + scheme,
                                                  "method.macro.step=" + std::to_string(step)});
        ASSERT_TRUE(run.error_estimate) << scheme;
        EXPECT_GT(run.error_estimate->total, oscillator_error(run) / 3) << scheme;
        EXPECT_LT(run.error_estimate->total, 10 * oscillator_error(run)) << scheme;
    }
}

TEST(NamedAccuracy, SeesThroughStepsThatToleranceDoesNotChange) {
    // steps at the limit of stability: a looser tolerance changes nothing
    std::string const stiff = R"toml(
[system]
kind = "plain"
variables = ["x"]
rate.x = "-1000*(x - cos(t)) - sin(t)"
[initial]
x = 1
[time]
end = 10
output = 21
[method]
name = "direct"
macro = { scheme = "dormand-prince" }
)toml";
    for (double const rtol : {1e-3, 1e-5, 1e-7}) {
        auto const run = solved_text(stiff, {"accuracy.rtol=" + tolerance(rtol), "accuracy.atol=0"});
        ASSERT_TRUE(run.error_estimate);
        EXPECT_GT(run.error_estimate->total, oscillator_error(run) / 3) << rtol;
    }
    // a run of few steps
    auto const few = solved_text(oscillator, {"time.end=0.3", "method.name=direct", "method.macro.scheme=rkn12"});
    ASSERT_TRUE(few.error_estimate);
    EXPECT_GT(few.error_estimate->total + 1e-15, oscillator_error(few) / 3);
}

TEST(Sensitivity, IsToldWithTheTimeUntilWhichTheToleranceHolds) {
    auto const run = solved("lorenz", {"time.end=40", "time.output=401", "accuracy.rtol=1e-6"});
    ASSERT_EQ(run.result, outcome::success) << run.message;
    ASSERT_TRUE(warns_of(run, "sensitive"));
    auto const truth =
        solved("lorenz", {"time.end=40", "time.output=401", "method.name=direct",
                          "method.macro={ scheme = 'dop853', rtol = 1e-14, atol = 1e-14 }", "accuracy.estimate=false"});
    double const holds = run.warnings[0].time;
    EXPECT_GT(holds, 5);
    EXPECT_LT(holds, 39);
    for (std::size_t k = 0; k < run.t.size() && run.t[k] <= holds; ++k)
        EXPECT_NEAR(run.position[k][0], truth.position[k][0], 3e-5) << run.t[k];
}

TEST(Accuracy, ThatCannotBeReachedIsTold) {
    auto const run = solved_text(orbit, {"accuracy.rtol=1e-16", "accuracy.atol=0"});
    EXPECT_EQ(run.result, outcome::success) << run.message;
    EXPECT_TRUE(warns_of(run, "accuracy_not_reached"));
}

TEST(Accuracy, IsUnknownOfARunThatFails) {
    auto const run = solved_text(orbit, {"method.name=direct", "method.macro.max_steps=10"});
    EXPECT_EQ(run.result, outcome::step_limit);
    EXPECT_FALSE(run.error_estimate);
}

TEST(Accuracy, IsPartOfTheResults) {
    auto const what = read_problem(orbit, "test", {"accuracy.rtol=1e-6"});
    auto const run = run_problem(what);
    auto const document = nlohmann::json::parse(to_json(what, run));
    auto const& estimate = document.at("error_estimate");
    for (auto const* key : {"total", "numerical", "modelling", "roundoff", "ratio"})
        EXPECT_TRUE(estimate.at(key).is_number()) << key;
    EXPECT_TRUE(estimate.at("coordinate") == "x" || estimate.at("coordinate") == "y");
    EXPECT_EQ(document.at("statistics").at("estimate_evaluations"), run.estimate_evaluations);
    EXPECT_NE(to_text(what, run).find("error about "), std::string::npos);
    EXPECT_NE(to_text(what, run).find("(asked 1e-6)"), std::string::npos);
    EXPECT_NE(to_csv(what, run).find("# error_estimate: {"), std::string::npos);
    auto without = what;
    without.estimate = false;
    EXPECT_TRUE(nlohmann::json::parse(to_json(what, run_problem(without))).at("error_estimate").is_null());
}

TEST(Stiffness, IsSeenByItsCountsAndMetWithAnImplicitScheme) {
    if (!has_sundials()) GTEST_SKIP() << "SUNDIALS is not built in";
    std::string const stiff = R"toml(
[system]
kind = "plain"
variables = ["x"]
rate.x = "-k*(x - cos(t)) - sin(t)"
[initial]
x = 1
[time]
end = 10
output = 21
)toml";
    for (std::string const k : {"1e3", "1e6"}) {
        auto const run = solved_text("[parameters]\nk = " + k + stiff, {"accuracy.rtol=1e-5"});
        ASSERT_EQ(run.result, outcome::success) << run.message;
        EXPECT_LT(oscillator_error(run), 1e-5) << k;
        EXPECT_LT(run.statistics.force_evaluations, 3000U) << k;
        EXPECT_LT(run.estimate_evaluations, 20'000U) << k;
        EXPECT_EQ(run.used("macro.scheme")->text, "cvode-bdf") << k;
        ASSERT_TRUE(run.error_estimate) << k;
        EXPECT_GT(run.error_estimate->total, oscillator_error(run) / 3) << k;
    }
    // fast, but not stiff: the steps follow the tolerance
    auto const turning = solved_text(R"toml(
[system]
kind = "plain"
variables = ["x", "y"]
rate.x = "100*y - 0.001*x"
rate.y = "-100*x - 0.001*y"
[initial]
x = 1
y = 0
[time]
end = 100
output = 21
)toml");
    EXPECT_EQ(turning.used("macro.scheme")->text, "dop853");
}

/// Robertson's reactions: at the start nothing is fast, after a thousandth of the time it is.
TEST(Stiffness, IsFoundOnTheWay) {
    if (!has_sundials()) GTEST_SKIP() << "SUNDIALS is not built in";
    auto const run = solved_text(R"toml(
[system]
kind = "plain"
variables = ["x", "y", "z"]
rate.x = "-0.04*x + 1e4*y*z"
rate.y = "0.04*x - 1e4*y*z - 3e7*y^2"
rate.z = "3e7*y^2"
[initial]
x = 1
y = 0
z = 0
[time]
end = 40
output = 11
)toml",
                                 {"accuracy.rtol=1e-4"});
    ASSERT_EQ(run.result, outcome::success) << run.message;
    EXPECT_EQ(run.used("macro.scheme")->text, "cvode-bdf");
    EXPECT_LT(run.statistics.force_evaluations + run.estimate_evaluations, 2000U);
    EXPECT_NEAR(run.position.back()[0], 0.7158270688, 1e-4); // Hairer and Wanner 1996, section IV.1
    EXPECT_NEAR(run.position.back()[1], 9.185534765e-6, 1e-9);
}

/// Two coordinates with a hard damper between them: of second order, its force depends on the velocity.
TEST(Stiffness, OfADamperIsFoundAtTheStart) {
    if (!has_sundials()) GTEST_SKIP() << "SUNDIALS is not built in";
    for (std::string const rtol : {"1e-3", "1e-6", "1e-10"}) {
        auto const run = solved_text(R"toml(
[system]
kind = "plain"
coordinates = ["x"]
force.x = "-sin(t) - 1e6*(x - sin(t)) - 2e3*(x' - cos(t))"
[initial]
x = 0
"x'" = 1
[time]
end = 10
output = 21
)toml",
                                     {"accuracy.rtol=" + rtol});
        ASSERT_EQ(run.result, outcome::success) << run.message;
        EXPECT_EQ(run.used("macro.scheme")->text, "cvode-bdf") << rtol;
        EXPECT_LT(run.statistics.force_evaluations + run.estimate_evaluations, 30'000U) << rtol;
        for (std::size_t k = 0; k < run.t.size(); ++k)
            EXPECT_NEAR(run.position[k][0], std::sin(run.t[k]), std::stod(rtol)) << rtol;
    }
}

/// Near a mass that attracts, some directions shrink as fast as others grow: steps are short for the sake of accuracy.
TEST(Stiffness, IsNoneWhereSomethingGrowsAsFast) {
    auto const run = solved_text(R"toml(
[parameters]
m = 0.012277471
n = "1 - m"
[system]
kind = "plain"
coordinates = ["x", "y"]
define.a = "((x+m)^2 + y^2)^1.5"
define.b = "((x-n)^2 + y^2)^1.5"
force.x = "x + 2*y' - n*(x+m)/a - m*(x-n)/b"
force.y = "y - 2*x' - n*y/a - m*y/b"
[initial]
x = 0.994
y = 0
"y'" = -2.00158510637908252
[time]
end = 17.0652165601579625558917206249
output = 3
)toml",
                                 {"accuracy.rtol=1e-7"});
    ASSERT_EQ(run.result, outcome::success) << run.message;
    EXPECT_EQ(run.used("macro.scheme")->text, "dop853");
    EXPECT_NEAR(run.position.back()[0], 0.994, 1e-5); // the orbit of Arenstorf closes
}

/// What decays fast, but is driven faster, no implicit scheme does with less.
TEST(Stiffness, IsNoneWhereAForceIsFasterThanWhatDecays) {
    auto const run = solved_text(R"toml(
[system]
kind = "plain"
variables = ["x"]
rate.x = "-5e3*(x - cos(2e4*t))"
[initial]
x = 0
[time]
end = 1
output = 21
)toml",
                                 {"accuracy.rtol=1e-3"});
    ASSERT_EQ(run.result, outcome::success) << run.message;
    EXPECT_EQ(run.used("macro.scheme")->text, "dop853");
    double const share = 1. / 17; // k^2/(k^2 + w^2)
    for (std::size_t k = 0; k < run.t.size(); ++k) {
        double const t = run.t[k];
        double const exact = share * (std::cos(2e4 * t) + 4 * std::sin(2e4 * t) - std::exp(-5e3 * t));
        EXPECT_NEAR(run.position[k][0], exact, 1e-3 * 4 * share) << t;
    }
}

// ---- forces that act in a short part of the time or of the way ----

/// A plain problem in one coordinate, or with a rate, and a step that sees all of its force.
struct short_force {
    std::string force;
    std::string start;
    double end;
    double step;
};
problem short_problem(short_force const& of, double rtol) {
    bool const rate = of.start.find("rate") != std::string::npos;
    auto what = read_problem(
        "[system]\nkind = \"plain\"\n" +
            std::string(rate ? "variables = [\"x\"]\nrate.x = \"" : "coordinates = [\"x\"]\nforce.x = \"") + of.force +
            "\"\n[initial]\nx = " + (rate ? "1" : of.start) + "\n[time]\nend = " + std::to_string(of.end) +
            "\noutput = 21\n",
        of.force);
    what.rtol = rtol;
    what.atol = rtol / 1000;
    return what;
}
/// The error over what is allowed, beside a run in short steps.
double short_error(short_force const& of, problem const& what, problem_run const& run) {
    auto closely = short_problem(of, 1e-13);
    closely.estimate = false;
    closely.method =
        entry("method", {entry("name", "direct"), entry("macro", {entry("scheme", "dop853"), entry("max_step", of.step),
                                                                  entry("rtol", 1e-13), entry("atol", 1e-15)})});
    auto const truth = run_problem(closely);
    EXPECT_EQ(truth.result, outcome::success) << of.force << truth.message;
    double size = 0;
    double worst = 0;
    for (std::size_t k = 0; k < truth.t.size(); ++k) {
        size = std::max(size, std::abs(truth.position[k][0]));
        worst = std::max(worst, std::abs(run.position.at(k)[0] - truth.position[k][0]));
    }
    return worst / std::max(what.atol, what.rtol * size);
}
void expect_within(short_force const& of, double most) {
    for (double const rtol : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8}) {
        auto const what = short_problem(of, rtol);
        auto const run = run_problem(what);
        ASSERT_EQ(run.result, outcome::success) << of.force << run.message;
        EXPECT_LT(short_error(of, what, run), most) << of.force << " at " << rtol;
        EXPECT_LT(run.statistics.force_evaluations + run.estimate_evaluations, 2'000'000U) << of.force << rtol;
    }
}
TEST(ShortForces, AreSeenWhereAnExponentialHasItsTop) {
    expect_within({"20*exp(-2000*(t-5)^2)", "1", 10, 0.003}, 3);
    expect_within({"-x + 3*exp(-2000*(t-5)^2)", "1", 10, 0.003}, 3);
    expect_within({"3e4*exp(-1e7*(t-5)^2)", "1", 10, 1e-4}, 3);
    expect_within({"-0.1*x + 5*exp(-4000*(t-2.7)^2)", "rate", 8, 0.003}, 3);
}
TEST(ShortForces, AreSeenOnTheWay) {
    expect_within({"-sin(x) + 2*exp(-3000*(x-0.3)^2)", "1", 10, 0.003}, 10);
    expect_within({"300*(x-1.5)*exp(-500*(x-1.5)^2)", "0\n\"x'\" = 1", 5, 0.003}, 3);
    expect_within({"-x + 4/(1 + 3e4*(x+0.2)^2)", "1", 10, 0.002}, 3);
}
TEST(ShortForces, AreSeenWhereOthersAreNarrow) {
    expect_within({"1/(1 + 1e4*(t-3.3)^2)", "1", 10, 0.003}, 3);
    expect_within({"-x + 30/cosh(400*(t-6.1))", "1", 10, 0.002}, 3);
    expect_within({"-x + 5*exp(-abs(t-4.1)/0.01)", "1", 10, 0.002}, 3);
    expect_within({"-x + 100*(tanh(500*(t-5)) - tanh(500*(t-5.01)))", "1", 10, 0.001}, 3);
}
TEST(ShortForces, AreNoSwitches) {
    expect_within({"tanh(20*(t-3))", "1", 10, 0.01}, 3);
    expect_within({"-0.3*x + atan(300*(t-4.3))", "1", 10, 0.003}, 3);
    expect_within({"-tanh(50*(x-0.5))", "1", 10, 0.01}, 3);
    // what steps see anyway takes no shorter ones
    auto const run = run_problem(short_problem({"-0.3*x + atan(300*(t-4.3))", "1", 10, 0.003}, 1e-4));
    EXPECT_LT(run.statistics.force_evaluations, 2'000U);
}
/// The top of an exponential may be far narrower than the step, and its argument no parabola.
TEST(ShortForces, AreSeenWhereTheTopIsFarNarrowerThanTheStep) {
    expect_within({"-x + 1000*exp(1e6*(cos(t-7.3)-1))", "1", 10, 3e-4}, 3);
    expect_within({"-x + 1000*exp(-((t-7.3)/1e-3)^4)", "1", 10, 3e-4}, 3);
    expect_within({"-x + 1000*2^(-((t-7.3)/1e-3)^2)", "1", 10, 3e-4}, 3);
}
/// It is missed by some runs, and must not be by those that are held against each other.
TEST(ShortForces, AreSeenByEveryRun) {
    auto const what = short_problem({"-x + 1000*exp(-1e6*sin((t-7.3)/10)^2)", "1", 20, 1e-3}, 1e-4);
    auto const run = run_problem(what);
    ASSERT_EQ(run.result, outcome::success) << run.message;
    EXPECT_LT(short_error({"-x + 1000*exp(-1e6*sin((t-7.3)/10)^2)", "1", 20, 1e-3}, what, run), 3);
}
/// Exact: 1 from t0 to t0 + width, a times.
TEST(ShortForces, MayBeRectangular) {
    struct pulse {
        double width;
        double size;
    };
    for (auto const& [width, size] : {pulse{2, 1}, {0.5, 1}, {0.2, 1}, {0.2, 5}, {0.1, 10}, {0.02, 50}, {0.02, 1}})
        for (double const t0 : {7.3, 15.1})
            for (bool const rate : {false, true}) {
                auto const text = [](double x) { return std::to_string(x); };
                auto const what = short_problem({(rate ? "-0.5*x + " : "-x + ") + text(size) + "*(step(t-" + text(t0) +
                                                     ") - step(t-" + text(t0 + width) + "))",
                                                 rate ? "rate" : "1", 20, 0},
                                                1e-4);
                auto const run = run_problem(what);
                ASSERT_EQ(run.result, outcome::success) << run.message;
                EXPECT_LT(run.statistics.macro_steps, 5000U) << width << ' ' << size << ' ' << t0;
                for (std::size_t k = 0; k < run.t.size(); ++k) {
                    double const t = run.t[k];
                    double const first = std::max(t - t0, 0.);
                    double const last = std::max(t - t0 - width, 0.);
                    double const exact =
                        rate ? std::exp(-0.5 * t) + 2 * size * (std::exp(-0.5 * last) - std::exp(-0.5 * first))
                             : std::cos(t) + size * (std::cos(last) - std::cos(first));
                    EXPECT_NEAR(run.position[k][0], exact, 10 * 1e-4 * (1 + size * width))
                        << width << ' ' << size << ' ' << t0 << ' ' << rate << ' ' << t;
                }
            }
}
/// Beside a kink the interpolated way leaves that of a stiff system, and what the force takes back is no burst.
TEST(ShortForces, AreNoneWhereAStiffForceTakesThemBack) {
    if (!has_sundials()) GTEST_SKIP() << "this build has no cvode-bdf";
    for (std::string const target : {"max(0, sin(t))", "max(0, sin(1.1*t))", "abs(cos(t))", "abs(cos(0.9*t))"})
        for (auto const* rtol : {"1e-4", "1e-6"}) {
            auto const run = solved_text("[system]\nkind = \"plain\"\ncoordinates = [\"x\"]\n"
                                         "force.x = \"-1e5*x' - 1e5*(x - " +
                                             target + ")\"\n[initial]\nx = 0\n[time]\nend = 50\noutput = 11\n",
                                         {std::string("accuracy.rtol=") + rtol});
            ASSERT_EQ(run.result, outcome::success) << run.message;
            EXPECT_LT(run.statistics.force_evaluations + run.estimate_evaluations, 200'000U) << target << rtol;
        }
}
/// Where it acts, the force is as large as omega and turns with it.
TEST(ShortForces, OfVibratedSystemsAreSeen) {
    for (std::string const wall : {"exp(-100*(q-1.5)^2)", "exp(-400*(q-2.1)^2)", "1/(1 + 1e3*(q-1.2)^2)^4"}) {
        auto what = read_problem(R"toml(
[parameters]
w = 2e4
[system]
kind = "vibrated"
coordinates = ["q"]
frequency = "w"
force.q = "w*)toml" + wall + R"toml(*cos(theta)"
[initial]
q = 0
"q'" = 1
[time]
end = 3
output = 7
report = "full"
)toml",
                                 wall);
        auto closely = what;
        closely.estimate = false;
        closely.rtol = 1e-12;
        closely.method = entry(
            "method", {entry("name", "direct"), entry("macro", {entry("scheme", "dop853"), entry("max_step", 1e-4),
                                                                entry("rtol", 1e-12), entry("atol", 1e-14)})});
        auto const truth = run_problem(closely);
        ASSERT_EQ(truth.result, outcome::success) << truth.message;
        for (double const rtol : {1e-3, 1e-5}) {
            what.rtol = rtol;
            what.atol = rtol / 1000;
            auto const run = run_problem(what);
            ASSERT_EQ(run.result, outcome::success) << run.message;
            for (std::size_t k = 0; k < run.t.size(); ++k)
                EXPECT_NEAR(run.position[k][0], truth.position[k][0], 10 * rtol) << wall << rtol << run.method_name();
        }
    }
}
/// Errors of steps that meet kinks do not follow the tolerance, so that less is taken off the difference of two runs.
TEST(Kinks, OfSplitSystemsLeaveTheErrorKnown) {
    for (std::string const slow : {"max(0, 1 - x^2)*v - 0.1*v", "-0.3*sign(v)", "-abs(x)*v", "min(x, 0.2)*v - 0.5*v",
                                   "-0.2*v*step(x) - 0.1*abs(v)*v"}) {
        for (auto const* epsilon : {"1e-2", "1e-3"}) {
            auto what = read_problem(R"toml(
[parameters]
e = 1e-2
[system]
kind = "split"
variables = ["x", "v"]
epsilon = "e"
fast.x = "v"
fast.v = "-x"
slow.v = ")toml" + slow + R"toml("
[initial]
x = 1
v = 0.3
[time]
end = 2
output = 21
report = "full"
)toml",
                                     slow, {std::string("e=") + epsilon});
            auto closely = what;
            closely.estimate = false;
            closely.method = entry(
                "method", {entry("name", "direct"),
                           entry("macro", {entry("scheme", "dop853"), entry("rtol", 1e-12), entry("atol", 1e-14)})});
            auto const truth = run_problem(closely);
            ASSERT_EQ(truth.result, outcome::success) << truth.message;
            for (double const rtol : {1e-2, 1e-3, 1e-4, 1e-5}) {
                what.rtol = rtol;
                what.atol = rtol / 1000;
                auto const run = run_problem(what);
                ASSERT_EQ(run.result, outcome::success) << run.message;
                double worst = 0;
                for (std::size_t k = 0; k < run.t.size(); ++k)
                    for (std::size_t i = 0; i < 2; ++i)
                        worst = std::max(worst, std::abs(run.position[k][i] - truth.position[k][i]));
                bool const warned = warns_of(run, "accuracy_not_reached") || warns_of(run, "sensitive");
                EXPECT_TRUE(worst < 10 * rtol || warned) << slow << epsilon << rtol << worst;
            }
        }
    }
}

// ---- harmonics that a method which was asked for does not see ----

TEST(Harmonics, BeyondWhatAMethodSamplesAreTold) {
    struct sampled {
        std::string force;
        std::vector<std::string> method;
        bool warned;
    };
    std::string const one = "-sin(q) + 20*omega*cos(theta)*q*0.01";
    std::string const nine = "-sin(q) + 20*omega*(cos(theta) + 0.1*cos(9*theta))*q*0.01";
    std::string const kicks = "-sin(q) + omega*0.1*sign(cos(theta))*q";
    std::string const points = "method.window={ kernel = 'picard', points = ";
    for (auto const& [force, method, warned] : {sampled{one, {points + "8 }"}, false},
                                                {nine, {points + "8 }"}, true},
                                                {nine, {points + "20 }"}, false},
                                                {kicks, {points + "8 }"}, true},
                                                {one,
                                                 {"method.window={ kernel = 'exponential', periods = 40, moments = 3 }",
                                                  "method.micro={ scheme = 'rk4', steps_per_period = 16 }"},
                                                 false},
                                                {nine,
                                                 {"method.window={ kernel = 'exponential', periods = 40, moments = 3 }",
                                                  "method.micro={ scheme = 'rk4', steps_per_period = 16 }"},
                                                 true}}) {
        problem_settings settings{"method.name=hmm"};
        settings.insert(settings.end(), method.begin(), method.end());
        auto const run = solved_text("[parameters]\nomega = 1e4\n[system]\nkind = \"vibrated\"\ncoordinates = "
                                     "[\"q\"]\nfrequency = \"omega\"\nforce.q = \"" +
                                         force + "\"\n[initial]\nq = 0.5\n[time]\nend = 1\noutput = 5\n",
                                     settings);
        ASSERT_EQ(run.result, outcome::success) << force << run.message;
        EXPECT_EQ(warns_of(run, "unresolved_harmonics"), warned) << force << method.front();
    }
}
/// The advice of the warning is followed.
TEST(Harmonics, AreResolvedAsTheWarningSays) {
    std::string const text =
        "[parameters]\nomega = 1e4\n[system]\nkind = \"vibrated\"\ncoordinates = [\"q\"]\nfrequency = "
        "\"omega\"\nforce.q = "
        "\"-sin(q) + 0.2*omega*(cos(theta) + 0.1*cos(9*theta))*q\"\n[initial]\nq = 0.5\n[time]\nend = 1\noutput = 5\n";
    for (auto const* key : {"window.points", "micro.steps_per_period", "micro.step"}) {
        bool const by_points = key == std::string("window.points");
        problem_settings settings{"method.name=hmm",
                                  by_points ? "method.window={ kernel = 'picard' }"
                                            : "method.window={ kernel = 'exponential', periods = 40, moments = 3 }",
                                  std::string("method.") + key + "=" +
                                      (key == std::string("micro.step") ? "4e-5" : "12")};
        auto const run = solved_text(text, settings);
        ASSERT_TRUE(warns_of(run, "unresolved_harmonics")) << key << run.message;
        auto const& sentence =
            std::ranges::find(run.warnings, std::string("unresolved_harmonics"), &warning::code)->sentence;
        std::string const words = std::string("use ") + key + " = ";
        auto const at = sentence.find(words);
        ASSERT_NE(at, std::string::npos) << sentence;
        auto const number =
            sentence.substr(at + words.size(), sentence.find(' ', at + words.size()) - at - words.size());
        settings.back() = std::string("method.") + key + "=" + number;
        auto const again = solved_text(text, settings);
        EXPECT_EQ(again.result, outcome::success) << again.message;
        EXPECT_FALSE(warns_of(again, "unresolved_harmonics")) << sentence;
    }
}

/// A coordinate beside them that is as large as it likes does not hide it.
TEST(Sensitivity, IsToldWhateverIsBesideIt) {
    for (std::string const spectator : {"1e5", "1e7"})
        for (auto const* tolerances : {"rtol = 1e-6\natol = 1", "rtol = 1e-9\natol = 1", "rtol = 0\natol = 1e-6"}) {
            auto const run = solved_text("[system]\nkind = \"plain\"\nvariables = [\"x\", \"y\", \"z\", \"w\"]\n"
                                         "rate.x = \"10*(y-x)\"\nrate.y = \"x*(28-z) - y\"\nrate.z = \"x*y - 8*z/3\"\n"
                                         "rate.w = \"" +
                                         spectator +
                                         "\"\n[initial]\nx = 1\ny = 1\nz = 1\nw = 0\n[time]\nend = 60\noutput = 61\n"
                                         "[accuracy]\n" +
                                         tolerances + "\n");
            ASSERT_EQ(run.result, outcome::success) << run.message;
            EXPECT_TRUE(warns_of(run, "sensitive") || warns_of(run, "accuracy_not_reached")) << spectator << tolerances;
        }
}
/// Where atol alone is asked for, rounding is beside what that allows.
TEST(Accuracy, OfAnAbsoluteToleranceIsNotLostInRounding) {
    auto const run = solved_text("[system]\nkind = \"plain\"\nvariables = [\"a\", \"b\"]\nrate.a = \"-a\"\n"
                                 "rate.b = \"-1e-3*b\"\n[initial]\na = 1\nb = 1e6\n[time]\nend = 50\noutput = 11\n"
                                 "[accuracy]\nrtol = 0\natol = 1e-3\n");
    ASSERT_EQ(run.result, outcome::success) << run.message;
    for (std::size_t k = 0; k < run.t.size(); ++k) {
        EXPECT_NEAR(run.position[k][0], std::exp(-run.t[k]), 1e-2);
        EXPECT_NEAR(run.position[k][1], 1e6 * std::exp(-1e-3 * run.t[k]), 1e-2);
    }
    EXPECT_FALSE(warns_of(run, "accuracy_not_reached"));
    ASSERT_TRUE(run.error_estimate);
    EXPECT_LT(run.error_estimate->ratio, 3);
}

/// Runs may have lost each other before their first row after the start.
TEST(Accuracy, OfRunsThatLoseEachOtherAtOnceIsANumber) {
    auto const run = run_problem(read_problem(R"toml(
[system]
kind = "plain"
coordinates = ["x"]
force.x = "-sin(x)"
[initial]
x = 1.5
[time]
end = 1e5
output = 41
)toml",
                                              "test", {"accuracy.rtol=1e-2"}));
    EXPECT_EQ(run.result, outcome::success) << run.message;
    ASSERT_TRUE(run.error_estimate.has_value());
    EXPECT_TRUE(std::isfinite(run.error_estimate->ratio));
}

} // namespace
