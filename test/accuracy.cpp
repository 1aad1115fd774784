// The tolerance of an automatic direct run means the run, its error is measured, and both are told.

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
