// Pairs of high order: errors go with the tolerance on both scales, rows between long steps, what a run costs, what
// rounding does to it, and sums of states that do not lose digits.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>

namespace {

using namespace lento;
using real = long double;
using pair_of_numbers = std::array<double, 2>;
using state = motion<pair_of_numbers>;

// ---- motions that are known exactly ----

/// An orbit of eccentricity e, by Kepler's equation.
struct orbit {
    double e = 0.3;

    [[nodiscard]] auto system() const {
        return plain<2>([](auto const& q, auto) {
            double const square = q[0] * q[0] + q[1] * q[1];
            double const cube = square * std::sqrt(square);
            return pair_of_numbers{-q[0] / cube, -q[1] / cube};
        });
    }
    [[nodiscard]] motion<std::array<real, 2>> at(real t) const {
        real angle = t;
        for (int k = 0; k < 50; ++k) angle -= (angle - e * std::sin(angle) - t) / (1 - e * std::cos(angle));
        real const b = std::sqrt(1 - real(e) * e);
        real const r = 1 - e * std::cos(angle);
        return {{std::cos(angle) - e, b * std::sin(angle)}, {-std::sin(angle) / r, b * std::cos(angle) / r}};
    }
};
/// Two springs, one of them pushed: errors do not grow, so that those between steps show.
struct pushed_springs {
    static constexpr double w = 7;

    [[nodiscard]] auto system() const {
        return plain<2>([](auto const& q, auto t) { return pair_of_numbers{-q[0] + 3 * std::cos(w * t), -4 * q[1]}; });
    }
    [[nodiscard]] motion<std::array<real, 2>> at(real t) const {
        real const a = 3 / (1 - real(w) * w);
        return {{std::cos(t) + a * std::cos(w * t), std::sin(2 * t)},
                {-std::sin(t) - a * w * std::sin(w * t), 2 * std::cos(2 * t)}};
    }
};

template <class Problem> state start_of(Problem const& problem) {
    auto const x = problem.at(0);
    return {{double(x.position[0]), double(x.position[1])}, {double(x.velocity[0]), double(x.velocity[1])}};
}
template <class Problem> double error_of(Problem const& problem, double t, state const& x) {
    auto const exact = problem.at(t);
    real worst = 0;
    for (std::size_t i = 0; i < 2; ++i)
        worst =
            std::max({worst, std::abs(x.position[i] - exact.position[i]), std::abs(x.velocity[i] - exact.velocity[i])});
    return double(worst);
}
template <class Stepper> Stepper with_tolerance(double tolerance) {
    Stepper made;
    made.rtol = tolerance;
    made.atol = tolerance;
    return made;
}

template <class Stepper> class EveryPair : public testing::Test {};
using pairs = testing::Types<adaptive_rkn8, rkn12, dop853>;
TYPED_TEST_SUITE(EveryPair, pairs);

// ---- errors ----

TYPED_TEST(EveryPair, HasAnErrorThatGoesWithItsTolerance) {
    std::vector<double> logs;
    for (double const tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        auto const run = solve(orbit{}.system(), with_tolerance<TypeParam>(tolerance), start_of(orbit{}),
                               {.end = 10, .output_count = 1});
        double const error = error_of(orbit{}, 10, {run.position.back(), run.velocity.back()});
        EXPECT_LT(error, 100 * tolerance); // the step's tolerance, over some ten steps
        logs.push_back(std::log10(error));
    }
    EXPECT_NEAR(logs.front() - logs.back(), 6, 1.6); // decades of error for six of tolerance
}

TYPED_TEST(EveryPair, HasAnErrorThatGoesWithItsToleranceOnTheEffectivePendulum) {
    auto const slow = effective(model::vibrated_pendulum{.omega = 1e4}.system(), picard{});
    auto const end_of = [&](auto const& stepper) {
        auto const run = solve(slow, stepper, {.position = {0.5}, .velocity = {0.3}},
                               {.end = 0.48, .output_count = 1, .given = initial_state::slow});
        EXPECT_TRUE(run) << run.message;
        return run.position.back()[0];
    };
    double const limit = end_of(composition8{.step = 0.48 / 96});
    double last = 1;
    for (double const tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
        double const error = std::abs(end_of(with_tolerance<TypeParam>(tolerance)) - limit);
        EXPECT_LT(error, 3 * tolerance);
        EXPECT_LT(error, last / 3);
        last = error;
    }
}

// ---- rows ----

/// The largest errors of rows, and of the ends of steps.
struct two_errors {
    double rows = 0;
    double steps = 0;
};
template <class Stepper, class Problem>
two_errors errors_between(Problem const& problem, Stepper const& stepper, std::size_t rows) {
    two_errors found;
    auto const note = [&](double t, state const& x) { found.steps = std::max(found.steps, error_of(problem, t, x)); };
    auto const run = solve(problem.system(), stepper, start_of(problem),
                           {.end = 30, .output_count = rows, .observer = note, .dense = true});
    EXPECT_EQ(run.t.size(), rows);
    for (std::size_t i = 0; i < run.t.size(); ++i)
        found.rows = std::max(found.rows, error_of(problem, run.t[i], {run.position[i], run.velocity[i]}));
    return found;
}

template <class Stepper> constexpr double dense_output_is_of_lower_order = 1;
template <> constexpr double dense_output_is_of_lower_order<dop853> = 4; // 7 instead of 8

TYPED_TEST(EveryPair, IsAsAccurateBetweenItsStepsAsAtThem) {
    auto const check = [](auto const& problem, double tolerance, std::size_t rows) {
        auto const found = errors_between(problem, with_tolerance<TypeParam>(tolerance), rows);
        // far below the tolerance and at rounding it need not be
        double allowed = 3 * found.steps * dense_output_is_of_lower_order<TypeParam> + 0.01 * tolerance + 2e-13;
        // near rounding polynomials through long steps multiply it: 5.3e-13 of rkn8, half of the tolerance
        if (tolerance < 1e-11) allowed = std::max(allowed, 0.6 * tolerance);
        EXPECT_LT(found.rows, allowed) << tolerance << ", " << rows << " rows";
    };
    for (double const tolerance : {1e-3, 1e-6, 1e-9, 1e-12})
        for (std::size_t const rows : {12U, 1001U}) {
            check(orbit{}, tolerance, rows);
            check(pushed_springs{}, tolerance, rows);
        }
}

TYPED_TEST(EveryPair, IsAccurateWhereDenseOutputIsAskedForLater) {
    auto const run = solve(orbit{}.system(), with_tolerance<TypeParam>(1e-9), start_of(orbit{}),
                           {.end = 30, .output_count = 1, .dense = true});
    double const at_end = error_of(orbit{}, 30, {run.position.back(), run.velocity.back()});
    for (int k = 0; k <= 500; ++k) EXPECT_LT(error_of(orbit{}, 0.06 * k, run.at(0.06 * k)), 10 * at_end + 1e-9);
}

TYPED_TEST(EveryPair, MovesTheSameHoweverManyRowsAreAsked) {
    auto const check = [](auto const& system, auto const& start, double end) {
        auto const stepper = with_tolerance<TypeParam>(1e-6);
        auto const one = solve(system, stepper, start, {.end = end, .output_count = 1});
        auto const many = solve(system, stepper, start, {.end = end, .output_count = 1001});
        EXPECT_EQ(one.position.back(), many.position.back());
        EXPECT_EQ(one.velocity.back(), many.velocity.back());
        EXPECT_EQ(one.statistics.macro_steps, many.statistics.macro_steps);
    };
    check(orbit{}.system(), start_of(orbit{}), 30);
    auto const pendulum = model::vibrated_pendulum{.omega = 1e4}.system();
    motion<std::array<double, 1>> const x{{0.5}, {0}};
    check(effective(pendulum, picard{}), x, 1);
    check(effective(pendulum, asynchronous{one_period{.steps = 40}}), x, 1);
}

TYPED_TEST(EveryPair, RunsBackInTimeAndFindsEventsThere) {
    auto const stepper = with_tolerance<TypeParam>(1e-10);
    auto const across = [](double, state const& x) { return x.position[1]; };
    auto const there = solve(orbit{}.system(), stepper, start_of(orbit{}),
                             {.end = 7, .output_count = 50, .events = {{across, 0, false}}});
    ASSERT_EQ(there.events.size(), 2U); // after half an orbit and after a whole one
    EXPECT_NEAR(there.events[0].t, std::numbers::pi, 1e-8);
    EXPECT_NEAR(there.events[1].t, 2 * std::numbers::pi, 1e-8);
    auto const back = solve(orbit{}.system(), stepper, {there.position.back(), there.velocity.back()},
                            {.start = 7, .end = 0, .output_count = 50, .events = {{across, 0, false}}});
    ASSERT_GE(back.events.size(), 2U);
    EXPECT_NEAR(back.events[0].t, 2 * std::numbers::pi, 1e-8);
    for (std::size_t i = 0; i < back.t.size(); ++i)
        EXPECT_LT(error_of(orbit{}, back.t[i], {back.position[i], back.velocity[i]}), 1e-7);
}

// ---- work ----

/// How often rounding was looked at: after 1, 2, 4, 8 ... steps.
std::uint64_t looks(std::uint64_t steps) {
    std::uint64_t count = 0;
    for (std::uint64_t k = 1; k < steps; k *= 2) ++count;
    return count;
}

TEST(Pairs, CostExactlyTheirEvaluations) {
    auto const counts = [](auto const& stepper) {
        return solve(orbit{.e = 0.7}.system(), stepper, start_of(orbit{.e = 0.7}), {.end = 30, .output_count = 1})
            .statistics;
    };
    auto const eighth = counts(adaptive_rkn8{});
    EXPECT_EQ(eighth.force_evaluations,
              1 + 8 * (eighth.macro_steps + eighth.macro_rejected) + looks(eighth.macro_steps));
    auto const twelfth = counts(rkn12{});
    EXPECT_EQ(twelfth.force_evaluations,
              17 * twelfth.macro_steps + 16 * twelfth.macro_rejected + looks(twelfth.macro_steps));
    auto const hairers = counts(dop853{});
    EXPECT_EQ(hairers.force_evaluations,
              12 * hairers.macro_steps + 11 * hairers.macro_rejected + looks(hairers.macro_steps));
}

TEST(Pairs, OfHigherOrderNeedFewerEvaluationsForHighAccuracy) {
    auto const evaluations = [](auto const& stepper) {
        auto const run = solve(orbit{}.system(), stepper, start_of(orbit{}), {.end = 100, .output_count = 1});
        EXPECT_LT(error_of(orbit{}, 100, {run.position.back(), run.velocity.back()}), 1e-8);
        return run.statistics.force_evaluations;
    };
    auto const fifth = evaluations(dormand_prince{.rtol = 1e-12, .atol = 1e-12});
    auto const eighth = evaluations(dop853{.rtol = 1e-12, .atol = 1e-12});
    auto const special = evaluations(adaptive_rkn8{.rtol = 1e-11, .atol = 1e-11});
    auto const twelfth = evaluations(rkn12{.rtol = 1e-11, .atol = 1e-11});
    EXPECT_LT(eighth, fifth / 2);
    EXPECT_LT(special, eighth);
    EXPECT_LT(twelfth, special);
}

// ---- step control ----

template <class Stepper>
statistics pendulum_counts(Stepper const& stepper, solution<motion<std::array<double, 1>>>* all = nullptr) {
    auto run = solve(model::vibrated_pendulum{.omega = 1e4}.system(), stepper, {.position = {0.5}},
                     {.end = 0.2, .output_count = 1});
    EXPECT_TRUE(run) << run.message;
    auto const counts = run.statistics;
    if (all != nullptr) *all = std::move(run);
    return counts;
}

TEST(PiControl, RejectsFewStepsWhereTheStandardOneRejectsMany) {
    auto const share = [](statistics const& counts) {
        return double(counts.macro_rejected) / double(counts.macro_steps + counts.macro_rejected);
    };
    EXPECT_GT(share(pendulum_counts(dormand_prince{.rtol = 1e-6, .atol = 1e-6})), 0.2);
    EXPECT_LT(share(pendulum_counts(dormand_prince{.rtol = 1e-6, .atol = 1e-6, .control = control_rule::pi})), 0.02);
    EXPECT_LT(share(pendulum_counts(dormand_prince_8{.rtol = 1e-6, .atol = 1e-6, .control = feedback_rule::pi})), 0.05);
    EXPECT_LT(share(pendulum_counts(adaptive_rkn8{.rtol = 1e-6, .atol = 1e-6})), 0.05);
    EXPECT_LT(share(pendulum_counts(rkn12{.rtol = 1e-6, .atol = 1e-6})), 0.05);
}

template <class Stepper> void expect_floor(Stepper stepper) {
    solution<motion<std::array<double, 1>>> coarse, fine;
    stepper.rtol = stepper.atol = 1e-10;
    auto const before = pendulum_counts(stepper, &coarse);
    EXPECT_TRUE(coarse.warnings.empty());
    stepper.rtol = stepper.atol = 1e-15;
    auto const below = pendulum_counts(stepper, &fine);
    // five decades are ten times the steps at order 5, but there is rounding in between
    EXPECT_LT(below.force_evaluations, 6 * before.force_evaluations) << Stepper::name;
    ASSERT_EQ(fine.warnings.size(), 1U) << Stepper::name;
    EXPECT_EQ(fine.warnings[0].code, "round_off");
    EXPECT_NE(fine.warnings[0].sentence.find("1e-15"), std::string::npos) << fine.warnings[0].sentence;
    EXPECT_NEAR(fine.position.back()[0], coarse.position.back()[0], 1e-8);
}

TEST(PiControl, GoesOnAtTheFloorOfRounding) {
    expect_floor(rkn12{});
    expect_floor(adaptive_rkn8{});
    expect_floor(dop853{});
    expect_floor(dormand_prince_8{.control = feedback_rule::pi});
}

TEST(PiControl, ReachesItsStepFromAnyFirstOne) {
    for (double const first : {1e-12, 1e-3, 10.}) {
        auto const run = solve(orbit{}.system(), rkn12{.rtol = 1e-9, .atol = 1e-9, .first_step = first},
                               start_of(orbit{}), {.end = 30, .output_count = 1});
        EXPECT_LT(error_of(orbit{}, 30, {run.position.back(), run.velocity.back()}), 1e-8);
        EXPECT_LT(run.statistics.macro_steps + run.statistics.macro_rejected, 90U);
    }
}

TYPED_TEST(EveryPair, PassesAJumpOfTheForceAndEndsAtASingularity) {
    auto const pushed = plain<1>([](auto const& q, auto t) { return std::array{t > 1 ? 1 - q[0] : -q[0]}; });
    auto const run = solve(pushed, with_tolerance<TypeParam>(1e-8), {.position = {1}}, {.end = 2, .output_count = 1});
    ASSERT_TRUE(run) << run.message;
    // from t = 1 on it swings about 1
    double const x = 1 + (std::cos(1.) - 1) * std::cos(1.) - std::sin(1.) * std::sin(1.);
    EXPECT_NEAR(run.position.back()[0], x, 1e-6);
    for (auto const& each : run.warnings) EXPECT_EQ(each.code, "force_jumps") << each.sentence;

    auto const wall = plain<1>([](auto const& q, auto) { return std::array{-1 / std::sqrt(1 - q[0])}; });
    auto const stopped = solve(wall, with_tolerance<TypeParam>(1e-8), {.position = {0.}, .velocity = {3.}},
                               {.end = 10, .output_count = 101});
    EXPECT_FALSE(stopped);
    EXPECT_GT(stopped.end, 0.3);
    EXPECT_LT(stopped.end, 1);
    EXPECT_FALSE(stopped.t.empty());
}

// ---- sums ----

/// How far from its place a body is after so many orbits.
template <class Stepper> double lag(Stepper const& stepper, int orbits) {
    double const end = 2 * std::numbers::pi * orbits;
    auto const run =
        solve(orbit{.e = 0.1}.system(), stepper, start_of(orbit{.e = 0.1}), {.end = end, .output_count = 1});
    return error_of(orbit{.e = 0.1}, end, {run.position.back(), run.velocity.back()});
}

TEST(CompensatedSums, KeepHighOrderPairsAboveRoundingForAThousandOrbits) {
    // plain sums of the state stay behind by some 4e-10, whatever the tolerance
    EXPECT_LT(lag(with_tolerance<rkn12>(1e-15), 1000), 1.5e-10);
    EXPECT_LT(lag(with_tolerance<adaptive_rkn8>(1e-14), 1000), 1e-10);
}

template <class Stepper> void expect_gain(Stepper stepper, double step) {
    stepper.step = step;
    stepper.compensated = false;
    double const plain = lag(stepper, 1000);
    stepper.compensated = true;
    double const compensated = lag(stepper, 1000);
    EXPECT_GT(plain, 1e-10) << Stepper::name;
    EXPECT_LT(compensated, plain / 5) << Stepper::name;
}

TEST(CompensatedSums, LoseFarFewerDigitsWithFixedSteps) {
    expect_gain(rkn8{}, 0.02);
    expect_gain(composition8{}, 0.03);
    expect_gain(stormer8{}, 0.004);
    expect_gain(cowell8{}, 0.005);
}

TEST(CompensatedSums, AreAChoiceOfTheRunAndNotOfWindows) {
    // the same step by hand: what a window does, and a run that does not ask for more
    auto const system = orbit{}.system();
    auto x = start_of(orbit{});
    rkn8 const stepper{.step = 0.05};
    EXPECT_FALSE(stepper.compensated);
    auto work = system.work();
    auto memory = stepper.start(system);
    for (int k = 0; k < 100; ++k) stepper.advance(system, 0.05 * k, 0.05, x, memory, work);
    auto const run = solve(system, stepper, start_of(orbit{}), {.end = 5, .output_count = 1});
    EXPECT_EQ(run.position.back(), x.position);
    EXPECT_EQ(run.velocity.back(), x.velocity);
    EXPECT_TRUE(composition6{}.compensated);
    auto const window = composition6{}.start(system);
    EXPECT_FALSE(window.compensates);
}

} // namespace
