// Every run ends: its limits are known before, and a hopeless pace is seen early.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <lento/io/problem_file.hpp>
#include <lento/problem/run.hpp>
#include <lento/solve/run_limits.hpp>

namespace {

using lento::outcome;
using lento::detail::run_limits;

lento::problem_run run_of(char const* name, lento::problem_settings const& settings, double max_evaluations = 1e10) {
    return lento::run_problem(lento::load_problem(name, settings),
                              {.max_evaluations = static_cast<std::uint64_t>(max_evaluations)});
}

TEST(RunLimits, EndARunAfterItsEvaluations) {
    for (auto const* method : {"direct", "hmm"}) {
        auto const whole = run_of("vibrated-pendulum", {"omega=1e4", std::string("method.name=") + method});
        ASSERT_EQ(whole.result, outcome::success);
        auto const most = whole.statistics.force_evaluations / 2;
        auto const cut =
            run_of("vibrated-pendulum", {"omega=1e4", std::string("method.name=") + method}, static_cast<double>(most));
        EXPECT_EQ(cut.result, outcome::step_limit);
        EXPECT_NE(cut.message.find("max_evaluations"), std::string::npos) << cut.message;
        EXPECT_GE(cut.statistics.force_evaluations, most);
        EXPECT_LT(cut.statistics.force_evaluations, whole.statistics.force_evaluations);
        EXPECT_LT(cut.t.size(), whole.t.size());
    }
}

TEST(RunLimits, HoldForStepsThatNobodyLooksAtToo) {
    auto const run = run_of(
        "double-well", {"method={ name = 'direct', macro = { scheme = 'rk4', step = 1e-4 } }", "time.output=2"}, 1000);
    EXPECT_EQ(run.result, outcome::step_limit);
    EXPECT_LT(run.statistics.force_evaluations, 2000U);
    EXPECT_GE(run.statistics.force_evaluations, 1000U);
}

/// A run is stopped after the evaluations of a moment, also where a step takes thousands.
TEST(RunLimits, LetNobodyWaitLong) {
    run_limits limits(0, 1, 1'000'000'000, 100'000'000'000);
    ASSERT_FALSE(limits.look(1e-5, 1, 25'000).happened());
    EXPECT_LE(limits.unseen(1), 40U);
    run_limits quick(0, 1, 1'000'000'000, 100'000'000'000);
    ASSERT_FALSE(quick.look(1e-5, 1, 4).happened());
    EXPECT_GT(quick.unseen(1), 500U);
    EXPECT_EQ(quick.unseen(1'000'000), 0U); // it is time to look
}

TEST(RunLimits, EndRunsThatWouldNeverEnd) {
    for (auto const* omega : {"omega=1e60", "omega=1e154", "omega=1e300"}) {
        auto const run = run_of("vibrated-pendulum", {omega});
        EXPECT_EQ(run.result, outcome::step_limit) << run.message;
        EXPECT_NE(run.message.find("so slow that it would take about"), std::string::npos) << run.message;
        EXPECT_LT(run.statistics.macro_steps, 2000U);
        EXPECT_LT(run.statistics.force_evaluations + run.estimate_evaluations, 20'000'000U);
    }
}

TEST(RunLimits, LetRunsGoOnThatBeginSlowly) {
    // a thousand steps for the first millionth, which then grow
    run_limits limits(0, 1, 1'000'000, 100'000'000);
    double step = 1e-9;
    double t = 0;
    for (std::uint64_t steps = 1; t < 1; ++steps) {
        t += step;
        if (steps > 1000) step *= 1.01;
        if (limits.due(steps)) { ASSERT_FALSE(limits.look(t, steps, 6 * steps).happened()) << t; }
    }
}

TEST(RunLimits, SeeAHopelessPaceTheSoonerTheWorseItIs) {
    auto const end_of = [](double step) {
        run_limits limits(0, 1, 1'000'000, std::numeric_limits<std::uint64_t>::max());
        for (std::uint64_t steps = 1; steps < 10'000'000; ++steps)
            if (limits.due(steps) && limits.look(static_cast<double>(steps) * step, steps, steps).happened())
                return steps;
        return std::uint64_t{0};
    };
    EXPECT_LE(end_of(1e-30), 1001U);
    EXPECT_GT(end_of(1e-9), 1001U);
    EXPECT_LT(end_of(1e-9), 1'000'000U);
    EXPECT_EQ(end_of(2e-7), 0U); // five times as many as allowed: the limit itself ends it
}

TEST(Results, OfRunsThatSucceedAreNumbers) {
    // every step is finite, but what an interpolant adds up between two of them may not be
    auto const run =
        run_of("vibrated-pendulum",
               {"system={ kind = 'plain', coordinates = ['q'], force.q = '-q' }", "initial={ q = 1.7e308 }",
                "observe={}", "time={ end = 10, output = 37 }", "method={ macro = { scheme = 'rk4', step = 0.5 } }"});
    if (run.result == outcome::success) {
        EXPECT_EQ(run.t.size(), 37U);
    } else {
        EXPECT_EQ(run.result, outcome::non_finite) << run.message;
        EXPECT_EQ(run.message.find("the reported state is not finite: q at t = "), 0U) << run.message;
    }
    ASSERT_EQ(run.t.size(), run.position.size());
    ASSERT_EQ(run.t.size(), run.velocity.size());
    for (auto const* rows : {&run.position, &run.velocity})
        for (auto const& row : *rows)
            for (double const value : row) EXPECT_TRUE(std::isfinite(value));
}

} // namespace
