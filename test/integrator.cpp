// Runs step by step, backward in time, and with steps that nobody looks at.

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/solve/integrator.hpp>

namespace {

auto oscillator() {
    return lento::plain<2>([](auto const& q, auto t) {
        using std::sin;
        return std::array{-q[0] - 0.3 * q[1] + sin(t) / 5, -4 * q[1] - 0.3 * q[0] * q[0]};
    });
}
using state = lento::motion<std::array<double, 2>>;
state const start{{1, 0.2}, {0, 0.5}};

template <class Solution> void expect_same_bits(Solution const& a, Solution const& b) {
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.result, b.result);
    EXPECT_EQ(a.message, b.message);
    EXPECT_EQ(a.statistics.macro_steps, b.statistics.macro_steps);
    EXPECT_EQ(a.statistics.macro_rejected, b.statistics.macro_rejected);
    EXPECT_EQ(a.statistics.force_evaluations, b.statistics.force_evaluations);
}

template <class Stepper> class EveryFixedStepper : public testing::Test {};
using fixed_steppers = testing::Types<lento::verlet, lento::rk4, lento::rkn8, lento::composition6, lento::stormer6,
                                      lento::cowell8, lento::implicit_midpoint, lento::adams>;
TYPED_TEST_SUITE(EveryFixedStepper, fixed_steppers);

template <class Stepper> Stepper with_step(double step) {
    Stepper made{};
    made.step = step;
    return made;
}

TYPED_TEST(EveryFixedStepper, TakesUnseenStepsAsSeenOnes) {
    auto const stepper = with_step<TypeParam>(0.01);
    lento::solve_options<state> options{.end = 40, .output_count = 4};
    auto const unseen = lento::solve(oscillator(), stepper, start, options);
    std::uint64_t looks = 0;
    options.observer = [&](double, state const&) { ++looks; };
    auto const seen = lento::solve(oscillator(), stepper, start, options);
    EXPECT_EQ(looks, seen.statistics.macro_steps);
    expect_same_bits(unseen, seen);
}

TYPED_TEST(EveryFixedStepper, MeetsANotFiniteForceUnseenAsItDoesSeen) {
    auto const wall = lento::plain<1>([](auto const& q, auto) { return -1 / std::sqrt(1 - q[0]); });
    auto const stepper = with_step<TypeParam>(0.001);
    using one = lento::motion<std::array<double, 1>>;
    lento::solve_options<one> options{.end = 10, .output_count = 3};
    auto const unseen = lento::solve(wall, stepper, {.position = {0.}, .velocity = {3.}}, options);
    options.observer = [](double, one const&) {};
    auto const seen = lento::solve(wall, stepper, {.position = {0.}, .velocity = {3.}}, options);
    EXPECT_EQ(unseen.result, lento::outcome::non_finite);
    expect_same_bits(unseen, seen);
}

TYPED_TEST(EveryFixedStepper, GoesBackToWhereItCameFrom) {
    auto const stepper = with_step<TypeParam>(0.001);
    auto const there = lento::solve(oscillator(), stepper, start, {.end = 5, .output_times = {5}});
    ASSERT_TRUE(there);
    auto const back = lento::solve(oscillator(), stepper, {there.position.back(), there.velocity.back()},
                                   {.start = 5, .end = 0, .output_times = {2.5, 0}});
    ASSERT_TRUE(back) << back.message;
    EXPECT_EQ(back.t, (std::vector{2.5, 0.}));
    auto const middle = lento::solve(oscillator(), lento::dormand_prince{.rtol = 1e-12, .atol = 1e-13}, start,
                                     {.end = 5, .output_times = {2.5}});
    double const allowed = 40 * std::pow(0.001, std::min(4, lento::order_of(stepper)));
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(back.position[1][i], start.position[i], allowed);
        EXPECT_NEAR(back.velocity[1][i], start.velocity[i], allowed);
        EXPECT_NEAR(back.position[0][i], middle.position[0][i], allowed);
    }
}

TEST(BackwardTime, ServesEventsDenseOutputAndAdaptiveSteps) {
    lento::solve_options<state> options{.start = 5, .end = -5, .output_count = 11, .dense = true};
    options.events.push_back({[](double, state const& x) { return x.position[0]; }, 0, false});
    auto const run = lento::solve(oscillator(), lento::dormand_prince{.rtol = 1e-10, .atol = 1e-12}, start, options);
    ASSERT_TRUE(run) << run.message;
    EXPECT_EQ(run.t.front(), 5);
    EXPECT_EQ(run.t.back(), -5);
    ASSERT_FALSE(run.events.empty());
    for (std::size_t i = 1; i < run.events.size(); ++i) EXPECT_LT(run.events[i].t, run.events[i - 1].t);
    for (auto const& hit : run.events) EXPECT_NEAR(hit.x.position[0], 0, 1e-9);
    auto const turned = lento::plain<2>([](auto const& q, auto t) {
        using std::sin;
        return std::array{-q[0] - 0.3 * q[1] + sin(-t) / 5, -4 * q[1] - 0.3 * q[0] * q[0]};
    });
    auto const mirrored = lento::solve(turned, lento::dormand_prince{.rtol = 1e-10, .atol = 1e-12},
                                       {start.position, {-start.velocity[0], -start.velocity[1]}},
                                       {.start = -5, .end = 5, .output_count = 11});
    for (std::size_t row = 0; row < run.t.size(); ++row) {
        EXPECT_NEAR(run.position[row][0], mirrored.position[row][0], 1e-8);
        EXPECT_NEAR(run.velocity[row][1], -mirrored.velocity[row][1], 1e-8);
    }
    EXPECT_NEAR(run.at(0.3).position[0],
                lento::solve(oscillator(), lento::dormand_prince{.rtol = 1e-10, .atol = 1e-12}, start,
                             {.start = 5, .end = 0.3, .output_times = {0.3}})
                    .position[0][0],
                1e-7);
}

TEST(BackwardTime, WantsItsOutputTimesToDecrease) {
    EXPECT_THROW(static_cast<void>(lento::solve(oscillator(), lento::rk4{.step = 0.1}, start,
                                                {.start = 1, .end = 0, .output_times = {0.2, 0.5}})),
                 lento::misuse);
}

TEST(Integrator, StepsOneByOneToTheSameEnd) {
    lento::solve_options<state> const options{.end = 3, .output_count = 7};
    lento::integrator run(oscillator(), lento::dormand_prince{}, start, options);
    int steps = 0;
    double last = 0;
    while (run.advance()) {
        EXPECT_GT(run.time(), last);
        last = run.time();
        ++steps;
    }
    auto const stepwise = run.finish();
    auto const whole = lento::solve(oscillator(), lento::dormand_prince{}, start, options);
    EXPECT_EQ(static_cast<std::uint64_t>(steps) + 1, whole.statistics.macro_steps);
    expect_same_bits(stepwise, whole);
}

TEST(Integrator, HandsOverWhatItHasWhenItIsLeft) {
    lento::integrator run(oscillator(), lento::rk4{.step = 0.1}, start, {.end = 10, .output_count = 101});
    for (int k = 0; k < 30; ++k) ASSERT_TRUE(run.advance());
    auto const part = run.finish();
    EXPECT_EQ(part.statistics.macro_steps, 30U);
    EXPECT_GT(part.t.size(), 20U);
    EXPECT_NEAR(part.end, 3, 1e-12);
    EXPECT_EQ(part.result, lento::outcome::interrupted);
    EXPECT_EQ(part.message.find("the run was ended at t = 3"), 0U) << part.message;
    EXPECT_NEAR(part.t.back(), 3, 1e-12); // rows that waited for the next steps come too

    lento::integrator none(oscillator(), lento::rk4{.step = 0.1}, start, {.end = 10});
    EXPECT_EQ(none.finish().result, lento::outcome::interrupted);
}

/// A run that is cut after some steps and gone on with from its numbers.
template <class System, class Stepper, class State, class Options>
void expect_the_same_when_cut(System const& system, Stepper const& stepper, State const& from, Options const& options) {
    auto const whole = lento::solve(system, stepper, from, options);
    ASSERT_TRUE(whole) << whole.message;
    lento::integrator first(system, stepper, from, options);
    for (int k = 0; k < 7; ++k) ASSERT_TRUE(first.advance());
    auto const numbers = first.write();
    ASSERT_TRUE(numbers.has_value());
    auto const part = first.finish();
    lento::integrator second(system, stepper, from, options);
    second.resume(*numbers);
    auto const rest = second.run();
    ASSERT_TRUE(rest) << rest.message;
    // what waited for better interpolation at the cut may have been handed out twice
    ASSERT_GE(part.t.size() + rest.t.size(), whole.t.size());
    for (std::size_t k = 1; k <= rest.t.size(); ++k) {
        EXPECT_EQ(rest.t[rest.t.size() - k], whole.t[whole.t.size() - k]);
        EXPECT_EQ(rest.position[rest.t.size() - k], whole.position[whole.t.size() - k]);
        EXPECT_EQ(rest.velocity[rest.t.size() - k], whole.velocity[whole.t.size() - k]);
    }
    EXPECT_EQ(rest.statistics.macro_steps, whole.statistics.macro_steps);
    EXPECT_EQ(rest.statistics.force_evaluations, whole.statistics.force_evaluations);
    EXPECT_EQ(rest.statistics.effective_evaluations, whole.statistics.effective_evaluations);
}

TYPED_TEST(EveryFixedStepper, GoesOnFromNumbersToTheSameBits) {
    expect_the_same_when_cut(oscillator(), with_step<TypeParam>(0.05), start,
                             lento::solve_options<state>{.end = 3, .output_count = 13});
}

TEST(GoingOn, OfAdaptiveStepsAndEffectiveSystems) {
    expect_the_same_when_cut(oscillator(), lento::dormand_prince{}, start,
                             lento::solve_options<state>{.end = 30, .output_count = 31});
    auto const pendulum = lento::vibrated<1>({.frequency = 1e4}, [](auto const& q, auto theta) {
        return (9.8 + 4e4 * std::cos(theta)) * std::sin(q[0]) / 0.2;
    });
    using one = lento::motion<std::array<double, 1>>;
    one const tilted{{0.5}, {0.}};
    lento::solve_options<one> const options{.end = 1, .output_count = 11};
    expect_the_same_when_cut(lento::effective(pendulum), lento::dormand_prince{}, tilted, options);
    expect_the_same_when_cut(lento::effective(pendulum, lento::asynchronous{lento::one_period{.steps = 80}}),
                             lento::rkn6{.step = 0.05}, tilted, options);
}

TEST(GoingOn, RefusesNumbersOfAnotherRun) {
    lento::integrator run(oscillator(), lento::rk4{.step = 0.1}, start, {.end = 1});
    EXPECT_FALSE(run.write().has_value()); // it has not begun
    ASSERT_TRUE(run.advance());
    auto numbers = *run.write();
    numbers.pop_back();
    lento::integrator other(oscillator(), lento::rk4{.step = 0.1}, start, {.end = 1});
    EXPECT_THROW(other.resume(numbers), lento::misuse);

    auto const whole = *run.write();
    lento::integrator longer_steps(oscillator(), lento::rk4{.step = 0.37}, start, {.end = 1});
    EXPECT_THROW(longer_steps.resume(whole), lento::misuse);
    lento::integrator longer(oscillator(), lento::rk4{.step = 0.1}, start, {.end = 2});
    EXPECT_THROW(longer.resume(whole), lento::misuse);
    auto const chain = [](std::size_t n) {
        return lento::integrator(lento::plain(lento::dynamic(n),
                                              [](auto const& q, auto, auto& out) {
                                                  for (std::size_t i = 0; i < q.size(); ++i) out[i] = -q[i];
                                              }),
                                 lento::rk4{.step = 0.1}, {std::vector<double>(n, 1.), std::vector<double>(n)},
                                 {.end = 1});
    };
    auto three = chain(3);
    ASSERT_TRUE(three.advance());
    EXPECT_THROW(chain(2).resume(*three.write()), lento::misuse);
    EXPECT_NO_THROW(chain(3).resume(*three.write()));
}

/// The first step is a guess; far from t = 0 it may be below what tells two times apart, and the right one is not.
TEST(AdaptiveSteps, BeginFarFromTimeZero) {
    auto const fast = lento::plain<1>([](auto const& q, auto) { return std::array{-1e10 * q[0]}; });
    for (double const from : {10., 1e3, 1e6}) {
        auto const run = lento::solve(fast, lento::dormand_prince{}, {{1}, {0}},
                                      {.start = from, .end = from + 1e-3, .output_count = 2});
        ASSERT_TRUE(run) << run.message;
        double const elapsed = run.t.back() - run.t.front();
        EXPECT_NEAR(run.position.back()[0], std::cos(1e5 * elapsed), 1e-3 + 1e5 * from * 1e-14) << from;
    }
}

} // namespace
