#include <lento/lento.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

// The time loop: output, dense output, observables, events, outcomes, statistics, and what it refuses.
namespace {

using lento::outcome;
using lento::solve;

constexpr double pi = std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// x'' = -x, whose solution from (1, 0) is the cosine.
struct oscillating {
    template <class V, class T> V operator()(V const& q, T) const { return {-q[0]}; }
};
auto const oscillator = lento::plain<1>(oscillating{});
using state = lento::state_of<decltype(oscillator)>;
using options = lento::solve_options<state>;

auto cosine_by_rkn8(options const& asked, double step = 0.05) {
    return solve(oscillator, lento::rkn8{.step = step}, {.position = {1}}, asked);
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

// ---- output ----

TEST(Output, IsEveryStepUnlessAskedOtherwise) {
    auto const run = solve(oscillator, lento::verlet{.step = 0.25}, {.position = {1}}, {.end = 1});
    ASSERT_TRUE(run);
    EXPECT_EQ(run.t, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
    EXPECT_EQ(run.position.size(), 5U);
    EXPECT_EQ(run.velocity.size(), 5U);
    EXPECT_EQ(run.position.front()[0], 1);
    EXPECT_EQ(run.end, 1);
}

TEST(Output, ComesAtTheAskedTimesOnAndOffTheGrid) {
    std::vector<double> const asked{0, 0.01, 0.05, 0.123456, 0.5, 0.987, 1};
    auto const run = cosine_by_rkn8({.end = 1, .output_times = asked});
    EXPECT_EQ(run.t, asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        EXPECT_NEAR(run.position[i][0], std::cos(asked[i]), 1e-14);
        EXPECT_NEAR(run.velocity[i][0], -std::sin(asked[i]), 1e-12);
    }
}

TEST(Output, IsEquidistantWhenOnlyCounted) {
    auto const run = cosine_by_rkn8({.start = -1, .end = 2, .output_count = 31});
    ASSERT_EQ(run.t.size(), 31U);
    for (std::size_t i = 0; i < 31; ++i) {
        EXPECT_NEAR(run.t[i], -1 + 0.1 * static_cast<double>(i), 1e-15);
        EXPECT_NEAR(run.position[i][0], std::cos(run.t[i] + 1), 1e-14);
    }
    EXPECT_EQ(run.t.front(), -1);
    EXPECT_EQ(run.t.back(), 2);
    EXPECT_EQ(cosine_by_rkn8({.end = 1, .output_count = 1}).t, std::vector<double>{1});
}

TEST(Output, DoesNotChangeTheSteps) {
    auto const sparse = solve(oscillator, lento::dormand_prince{}, {.position = {1}}, {.end = 3, .output_count = 1});
    auto const dense = solve(oscillator, lento::dormand_prince{}, {.position = {1}}, {.end = 3, .output_count = 1000});
    EXPECT_EQ(sparse.statistics.macro_steps, dense.statistics.macro_steps);
    EXPECT_EQ(sparse.statistics.force_evaluations, dense.statistics.force_evaluations);
    EXPECT_EQ(sparse.position.back(), dense.position.back());
    EXPECT_EQ(dense.t.size(), 1000U);
}

TEST(Output, IsInterpolatedWithinARunOfOneStep) {
    auto const run = solve(oscillator, lento::rk4{.step = 0.01}, {.position = {1}}, {.end = 0.01, .output_count = 5});
    EXPECT_EQ(run.statistics.macro_steps, 1U);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(run.position[i][0], std::cos(run.t[i]), 1e-11);
}

TEST(Output, HasAColumnForEveryObservable) {
    auto const energy = [](double, state const& x) {
        return (x.position[0] * x.position[0] + x.velocity[0] * x.velocity[0]) / 2;
    };
    auto const time = [](double t, state const&) { return 2 * t; };
    auto const run = cosine_by_rkn8({.end = 1, .output_count = 11, .observables = {energy, time}});
    ASSERT_EQ(run.observables.size(), 2U);
    ASSERT_EQ(run.observables[0].size(), 11U);
    for (std::size_t i = 0; i < 11; ++i) {
        EXPECT_NEAR(run.observables[0][i], 0.5, 1e-12);
        EXPECT_EQ(run.observables[1][i], 2 * run.t[i]);
    }
}

TEST(Observer, SeesTheEndOfEveryStep) {
    std::vector<double> times;
    auto const run = cosine_by_rkn8({.end = 1, .output_count = 2, .observer = [&](double t, state const& x) {
                                         times.push_back(t);
                                         EXPECT_NEAR(x.position[0], std::cos(t), 1e-13);
                                     }});
    EXPECT_EQ(times.size(), run.statistics.macro_steps);
    EXPECT_NEAR(times.front(), 0.05, 1e-15);
    EXPECT_EQ(times.back(), 1);
}

TEST(FirstOrderSystems, ComeOutAsStates) {
    auto const decay = lento::plain_first_order<1>([](auto const& x, auto) { return -x[0]; });
    auto const run = solve(decay, lento::dormand_prince{.rtol = 1e-10, .atol = 1e-12}, {.state = {1}},
                           {.end = 2, .output_count = 9, .dense = true});
    ASSERT_TRUE(run);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(run.state[i][0], std::exp(-run.t[i]), 1e-9);
    EXPECT_NEAR(run.at(0.77).state[0], std::exp(-0.77), 1e-9);
}

// ---- dense output ----

TEST(DenseOutput, GivesTheSolutionAtAnyTime) {
    auto const run = cosine_by_rkn8({.end = 3, .output_count = 1, .dense = true});
    for (int k = 0; k <= 1000; ++k) {
        double const t = 3 * k / 1000.;
        EXPECT_NEAR(run.at(t).position[0], std::cos(t), 1e-13);
        EXPECT_NEAR(run.at(t).velocity[0], -std::sin(t), 1e-12);
    }
}

TEST(DenseOutput, MeetsTheEndsOfTheSteps) {
    auto const run = solve(oscillator, lento::verlet{.step = 0.25}, {.position = {1}}, {.end = 1, .dense = true});
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        EXPECT_NEAR(run.at(run.t[i]).position[0], run.position[i][0], 1e-15);
        EXPECT_NEAR(run.at(run.t[i]).velocity[0], run.velocity[i][0], 1e-14);
    }
    // through many nodes as well, where rounding could spoil the ends of the run
    auto const fine = cosine_by_rkn8({.end = 1, .dense = true});
    for (std::size_t i = 0; i < fine.t.size(); ++i) {
        EXPECT_NEAR(fine.at(fine.t[i]).position[0], fine.position[i][0], 1e-15);
        EXPECT_NEAR(fine.at(fine.t[i]).velocity[0], fine.velocity[i][0], 1e-14);
    }
}

template <class Action> void expect_misuse(Action const& action, std::vector<std::string> const& words) {
    try {
        action();
        ADD_FAILURE() << "nothing was thrown; expected a sentence with: " << words.front();
    } catch (lento::misuse const& error) {
        for (auto const& word : words)
            EXPECT_TRUE(contains(error.what(), word)) << '"' << error.what() << "\" lacks \"" << word << '"';
    }
}

TEST(DenseOutput, RefusesWhatItDoesNotHave) {
    auto const kept = cosine_by_rkn8({.end = 1, .dense = true});
    expect_misuse([&] { static_cast<void>(kept.at(1.5)); }, {"from 0 to 1", "1.5"});
    expect_misuse([&] { static_cast<void>(kept.at(-0.5)); }, {"-0.5"});
    expect_misuse([&] { static_cast<void>(kept.at(nan)); }, {"nan"});
    auto const forgotten = cosine_by_rkn8({.end = 1});
    expect_misuse([&] { static_cast<void>(forgotten.at(0.5)); }, {"dense = true"});
}

// ---- events ----

lento::event<state> crossing(double level, int direction, bool terminal) {
    return {[level](double, state const& x) { return x.position[0] - level; }, direction, terminal};
}

TEST(Events, AreLocatedToTenDigits) {
    auto const run = cosine_by_rkn8({.end = 10, .output_count = 2, .events = {crossing(0, 0, false)}});
    EXPECT_EQ(run.result, outcome::success);
    ASSERT_EQ(run.events.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(run.events[i].t, pi * (static_cast<double>(i) + 0.5), 1e-10);
        EXPECT_NEAR(run.events[i].x.position[0], 0, 1e-10);
        EXPECT_NEAR(std::abs(run.events[i].x.velocity[0]), 1, 1e-10);
        EXPECT_EQ(run.events[i].event, 0U);
    }
}

TEST(Events, AreLocatedToTenDigitsInTheFirstStepToo) {
    for (double const level : {0.9999, 0.9995, 0.999}) {
        auto const run = cosine_by_rkn8({.end = 1, .output_count = 1, .events = {crossing(level, 0, false)}});
        ASSERT_EQ(run.events.size(), 1U);
        EXPECT_NEAR(run.events[0].t, std::acos(level), 1e-10) << level;
    }
}

TEST(Events, HeedTheirDirection) {
    auto const run =
        cosine_by_rkn8({.end = 10, .output_count = 2, .events = {crossing(0, 1, false), crossing(0, -1, false)}});
    ASSERT_EQ(run.events.size(), 3U);
    EXPECT_EQ(run.events[0].event, 1U);
    EXPECT_EQ(run.events[1].event, 0U);
    EXPECT_EQ(run.events[2].event, 1U);
    EXPECT_NEAR(run.events[1].t, 1.5 * pi, 1e-10);
}

TEST(Events, ThatAreTerminalEndTheRunThere) {
    auto const run = cosine_by_rkn8({.end = 10, .output_count = 101, .events = {crossing(0.5, -1, true)}});
    EXPECT_EQ(run.result, outcome::stopped_by_event);
    EXPECT_TRUE(run);
    EXPECT_NEAR(run.end, pi / 3, 1e-10);
    EXPECT_TRUE(contains(run.message, "event 1")) << run.message;
    EXPECT_TRUE(contains(run.message, "1.0472")) << run.message;
    // the asked times before it, and the event itself
    ASSERT_EQ(run.t.size(), 12U);
    EXPECT_DOUBLE_EQ(run.t[10], 1.0);
    EXPECT_NEAR(run.t[11], pi / 3, 1e-10);
    EXPECT_NEAR(run.position.back()[0], 0.5, 1e-10);
    ASSERT_EQ(run.events.size(), 1U);
}

TEST(Events, EndTheRunAtTheFirstTerminalOneAndForgetLaterOnes) {
    auto const run = cosine_by_rkn8(
        {.end = 10, .events = {crossing(0.2, 0, true), crossing(0.21, 0, false), crossing(0.19, 0, false)}}, 0.5);
    EXPECT_EQ(run.result, outcome::stopped_by_event);
    ASSERT_EQ(run.events.size(), 2U);
    EXPECT_EQ(run.events[0].event, 1U);
    EXPECT_EQ(run.events[1].event, 0U);
    EXPECT_EQ(run.t.back(), run.events[1].t);
}

TEST(Events, SeveralInOneStepAreAllFoundInOrder) {
    // a step of 1 holds two or three zeros of cos(7 t + 0.2)
    lento::event<state> const fast{[](double t, state const&) { return std::cos(7 * t + 0.2); }, 0, false};
    auto const run = cosine_by_rkn8({.end = 10, .output_count = 2, .events = {fast, crossing(0, 0, false)}}, 1);
    std::vector<double> times;
    for (auto const& hit : run.events)
        if (hit.event == 0) times.push_back(hit.t);
    ASSERT_EQ(times.size(), 22U);
    for (std::size_t k = 0; k < times.size(); ++k)
        EXPECT_NEAR(times[k], (pi * (static_cast<double>(k) + 0.5) - 0.2) / 7, 1e-12);
    EXPECT_TRUE(
        std::is_sorted(run.events.begin(), run.events.end(), [](auto const& a, auto const& b) { return a.t < b.t; }));
    EXPECT_EQ(run.events.size(), 25U);
}

TEST(Events, DoNotCountTheZeroTheyStartFrom) {
    auto const run = cosine_by_rkn8({.end = 7, .output_count = 2, .events = {crossing(1, 0, false)}});
    for (auto const& hit : run.events) EXPECT_GT(hit.t, 6);
}

TEST(Events, WorkWithAdaptiveStepsAndFirstOrderSystems) {
    auto const decay = lento::plain_first_order<1>([](auto const& x, auto) { return -x[0]; });
    auto const run = solve(decay, lento::dormand_prince{.rtol = 1e-11, .atol = 1e-13}, {.state = {1}},
                           {.end = 5, .events = {{[](double, auto const& x) { return x.state[0] - 0.25; }, -1, true}}});
    EXPECT_EQ(run.result, outcome::stopped_by_event);
    EXPECT_NEAR(run.end, std::log(4), 1e-10);
}

// ---- how runs end ----

TEST(StepLimit, EndsTheRunAndKeepsTheOutput) {
    auto const run = solve(oscillator, lento::verlet{.step = 0.1}, {.position = {1}}, {.end = 10, .max_steps = 25});
    EXPECT_EQ(run.result, outcome::step_limit);
    EXPECT_FALSE(run);
    EXPECT_EQ(run.statistics.macro_steps, 25U);
    EXPECT_EQ(run.t.size(), 26U);
    EXPECT_NEAR(run.end, 2.5, 1e-14);
    EXPECT_TRUE(contains(run.message, "25 steps") && contains(run.message, "max_steps")) << run.message;
}

TEST(StepLimit, KeepsTheAskedTimesThatWereReached) {
    auto const run = cosine_by_rkn8({.end = 10, .output_count = 101, .max_steps = 1}, 0.25);
    EXPECT_EQ(run.t.size(), 3U);
    EXPECT_NEAR(run.position.back()[0], std::cos(0.2), 1e-8);
}

TEST(StepTooSmall, EndsTheRunAtASingularity) {
    auto const exploding = lento::plain_first_order<1>([](auto const& x, auto) { return x[0] * x[0]; });
    auto const run = solve(exploding, lento::dormand_prince{}, {.state = {1}}, {.end = 2}); // 1/(1 - t)
    EXPECT_EQ(run.result, outcome::step_too_small);
    EXPECT_NEAR(run.end, 1, 1e-4);
    EXPECT_GT(run.t.size(), 10U);
    EXPECT_TRUE(contains(run.message, "singularity")) << run.message;
}

TEST(Interrupt, EndsTheRunAndKeepsTheOutput) {
    std::atomic<bool> stop = false;
    auto const watch = [&](double t, state const&) { stop = t > 0.45; };
    auto const run = solve(oscillator, lento::verlet{.step = 0.1}, {.position = {1}},
                           {.end = 10, .observer = watch, .interrupt = &stop});
    EXPECT_EQ(run.result, outcome::interrupted);
    EXPECT_EQ(run.t.size(), 6U);
    EXPECT_NEAR(run.end, 0.5, 1e-15);
    EXPECT_TRUE(contains(run.message, "0.5")) << run.message;
}

/// Two coupled coordinates whose force has a NaN in one component during [from, to]. Coupling spreads it at once.
struct spoilt {
    std::size_t component;
    double from;
    double to = infinity;
    double value = nan;
    template <class V, class T> V operator()(V const& q, T t) const {
        V out{q[1] - 2 * q[0], q[0] - 2 * q[1]};
        if (t >= from && t <= to) out[component] = value;
        return out;
    }
};

template <class Stepper> void expect_non_finite(Stepper const& stepper, double within) {
    for (std::size_t const component : {0U, 1U})
        for (double const value : {nan, infinity}) {
            SCOPED_TRACE(std::string(Stepper::name) + ", component " + std::to_string(component + 1));
            auto const system = lento::plain<2>(spoilt{component, 0.5, infinity, value});
            auto const run = solve(system, stepper, {.position = {1, 0}}, {.end = 1, .dense = true});
            EXPECT_EQ(run.result, outcome::non_finite);
            EXPECT_TRUE(contains(run.message, "component " + std::to_string(component + 1))) << run.message;
            EXPECT_TRUE(contains(run.message, "force")) << run.message;
            auto const place = run.message.find("t = ");
            ASSERT_NE(place, std::string::npos) << run.message;
            EXPECT_NEAR(std::stod(run.message.substr(place + 4)), 0.5, within) << run.message;
            // what came before is kept, and nothing that is not finite
            ASSERT_FALSE(run.t.empty());
            EXPECT_GT(run.t.back(), 0.5 - 0.11);
            EXPECT_EQ(run.end, run.t.back());
            for (auto const& q : run.position) EXPECT_TRUE(lento::all_finite(q));
            for (auto const& v : run.velocity) EXPECT_TRUE(lento::all_finite(v));
            EXPECT_TRUE(lento::all_finite(run.at(0.37)));
            // a step that failed is no step
            EXPECT_EQ(run.statistics.macro_steps + 1, run.t.size());
        }
}

TEST(NonFiniteForce, IsNamedByTimeAndComponentWithFixedSteps) {
    expect_non_finite(lento::euler{.step = 0.0625}, 1e-9);
    expect_non_finite(lento::symplectic_euler{.step = 0.0625}, 1e-9);
    expect_non_finite(lento::verlet{.step = 0.0625}, 1e-9);
    expect_non_finite(lento::rk4{.step = 0.0625}, 1e-9);
    expect_non_finite(lento::rk4{.step = 0.1}, 0.05);
    expect_non_finite(lento::rkn8{.step = 0.0625}, 1e-9);
    expect_non_finite(lento::composition4{.step = 0.1}, 0.1);
    expect_non_finite(lento::stormer6{.step = 0.0625}, 1e-9);
}

TEST(NonFiniteForce, IsNamedByTimeAndComponentWithAdaptiveSteps) {
    expect_non_finite(lento::dormand_prince{.max_step = 0.1}, 1e-6);
}

TEST(NonFiniteForce, IsNamedInFirstOrderSystemsAndVelocityDependentForces) {
    auto const first = lento::plain_first_order<2>(spoilt{1, 0.5});
    auto const run = solve(first, lento::rk4{.step = 0.0625}, {.state = {1, 0}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::non_finite);
    EXPECT_TRUE(contains(run.message, "component 2 at t = 0.5")) << run.message;
    auto const dragged =
        lento::plain<2>(lento::with_velocity([](auto const& q, auto const&, auto t) { return spoilt{1, 0.5}(q, t); }));
    auto const other = solve(dragged, lento::verlet{.step = 0.0625}, {.position = {1, 0}}, {.end = 1});
    EXPECT_TRUE(contains(other.message, "component 2 at t = 0.5")) << other.message;
}

TEST(NonFiniteForce, AtTheStartLeavesTheStart) {
    auto const system = lento::plain<2>(spoilt{1, 0});
    auto const run = solve(system, lento::verlet{.step = 0.1}, {.position = {1, 0}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::non_finite);
    EXPECT_EQ(run.t, std::vector<double>{0});
    EXPECT_TRUE(contains(run.message, "component 2 at t = 0;")) << run.message;
}

TEST(NonFiniteForce, BetweenTheStepsIsNotSeenByAnybody) {
    // the law is about evaluations: a gap that no stage meets does no harm
    auto const system = lento::plain<2>(spoilt{1, 0.51, 0.52});
    EXPECT_TRUE(solve(system, lento::verlet{.step = 0.0625}, {.position = {1, 0}}, {.end = 1}));
}

TEST(EscapedState, IsNonFiniteToo) {
    auto const running = lento::plain<1>([](auto const& q, auto) { return q[0] * q[0] * q[0]; });
    auto const run = solve(running, lento::verlet{.step = 0.1}, {.position = {5}}, {.end = 100});
    EXPECT_EQ(run.result, outcome::non_finite);
    EXPECT_TRUE(contains(run.message, "component 1")) << run.message;
    for (auto const& q : run.position) EXPECT_TRUE(std::isfinite(q[0]));
}

/// The same under fast forcing: M x'' = f(x, theta, t).
template <class Closure> void expect_non_finite_window(Closure const& closure) {
    for (std::size_t const component : {0U, 1U}) {
        SCOPED_TRACE(component);
        double const omega = 1e4;
        auto const system =
            lento::vibrated<2>({.frequency = omega}, lento::with_time([=](auto const& q, auto theta, auto t) {
                                   auto out = spoilt{component, 0.49}(q, t);
                                   out[0] += omega * std::cos(theta) * std::sin(q[0]);
                                   return out;
                               }));
        auto const slow = lento::effective(system, closure);
        auto const fixed = solve(slow, lento::verlet{.step = 0.0625}, {.position = {1, 0}}, {.end = 1});
        EXPECT_EQ(fixed.result, outcome::non_finite);
        EXPECT_TRUE(contains(fixed.message, "number " + std::to_string(component + 1))) << fixed.message;
        EXPECT_TRUE(contains(fixed.message, "t = 0.49") || contains(fixed.message, "t = 0.5")) << fixed.message;
        ASSERT_EQ(fixed.t.size(), 8U); // 0 ... 0.4375
        for (auto const& q : fixed.position) EXPECT_TRUE(lento::all_finite(q));
        EXPECT_EQ(fixed.end, fixed.t.back());
        EXPECT_EQ(fixed.statistics.macro_steps, 7U);

        auto const adaptive =
            solve(slow, lento::dormand_prince{.rtol = 1e-4, .max_step = 0.1}, {.position = {1, 0}}, {.end = 1});
        EXPECT_EQ(adaptive.result, outcome::non_finite);
        EXPECT_TRUE(contains(adaptive.message, "number " + std::to_string(component + 1))) << adaptive.message;
        ASSERT_FALSE(adaptive.t.empty());
        EXPECT_GT(adaptive.t.back(), 0.3);
        EXPECT_LT(adaptive.t.back(), 0.5);
        for (auto const& q : adaptive.position) EXPECT_TRUE(lento::all_finite(q));
    }
}

TEST(NonFiniteForce, InsideAWindowIsNamedByTimeAndComponent) {
    expect_non_finite_window(lento::asynchronous{lento::one_period{.steps = 16}});
    expect_non_finite_window(lento::centred{lento::one_period{.steps = 16}});
    expect_non_finite_window(lento::picard{});
    expect_non_finite_window(
        lento::synchronous{lento::window{.kernel = lento::exponential{}, .periods = 30, .steps_per_period = 16}});
}

TEST(NonFiniteForce, AtTheStartOfAWindowIsAnOutcomeToo) {
    auto const system = lento::vibrated<1>(
        {.frequency = 1e4}, [](auto const& q, auto theta) { return std::sqrt(q[0] - 2) * std::cos(theta); });
    auto const run =
        solve(lento::effective(system, lento::picard{}), lento::verlet{.step = 0.1}, {.position = {1}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::non_finite);
    EXPECT_FALSE(run.message.empty());
}

TEST(Outcomes, HaveTheNamesAndExitCodesOfTheProgram) {
    struct {
        outcome result;
        char const* name;
        int code;
    } const contract[] = {
        {outcome::success, "success", 0},
        {outcome::stopped_by_event, "stopped_by_event", 0},
        {outcome::step_limit, "step_limit", 4},
        {outcome::step_too_small, "step_too_small", 4},
        {outcome::non_finite, "non_finite", 4},
        {outcome::projection_failed, "projection_failed", 4},
        {outcome::constraint_failed, "constraint_failed", 4},
        {outcome::interrupted, "interrupted", 4},
        {outcome::output_failed, "output_failed", 4},
        {outcome::no_scale_separation, "no_scale_separation", 5},
        {outcome::window_too_short, "window_too_short", 5},
        {outcome::filter_unstable, "filter_unstable", 5},
        {outcome::not_applicable, "not_applicable", 5},
    };
    for (auto const& [result, name, code] : contract) {
        EXPECT_EQ(lento::name(result), name);
        EXPECT_EQ(lento::exit_code(result), code);
    }
}

// ---- what it refuses ----

TEST(Misuse, OfTheInterval) {
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.start = 1, .end = 1})); }, {"takes time", "1 to 1"});
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.end = nan})); }, {"end time", "finite", "nan"});
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.end = infinity})); }, {"end time", "inf"});
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.start = -infinity, .end = 1})); }, {"start time", "-inf"});
}

TEST(Misuse, OfTheStep) {
    for (double const step : {0., -0.1, nan, infinity})
        expect_misuse([=] { static_cast<void>(cosine_by_rkn8({.end = 1}, step)); },
                      {"the step must be finite and positive", lento::show(step)});
    for (double const frequency : {-3., nan, infinity})
        expect_misuse(
            [=] {
                static_cast<void>(solve(oscillator, lento::verlet{.step = 0.1, .fitted_to = frequency},
                                        {.position = {1}}, {.end = 1}));
            },
            {"frequency", "finite and positive", lento::show(frequency)});
}

TEST(Misuse, OfTolerancesAndStepLimits) {
    auto const refuse = [](lento::dormand_prince const& stepper, std::vector<std::string> const& words) {
        expect_misuse([&] { static_cast<void>(solve(oscillator, stepper, {.position = {1}}, {.end = 1})); }, words);
    };
    refuse({.rtol = -1e-6}, {"tolerances", "-1e-06"});
    refuse({.rtol = nan}, {"tolerances", "nan"});
    refuse({.rtol = 0, .atol = 0}, {"tolerances", "not both zero"});
    refuse({.atol = infinity}, {"tolerances", "inf"});
    refuse({.first_step = -1}, {"first step", "-1"});
    refuse({.min_step = -2}, {"smallest step", "-2"});
    refuse({.min_step = 2, .max_step = 1}, {"largest step", "1 and 2"});
    refuse({.max_step = 0}, {"largest step", "0"});
}

TEST(Misuse, OfOutputTimes) {
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.end = 1, .output_times = {0.5, 1.25}})); },
                  {"between 0 and 1", "1.25"});
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.end = 1, .output_times = {-0.5, 1}})); },
                  {"between 0 and 1", "-0.5"});
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.end = 1, .output_times = {0.5, 0.25}})); },
                  {"increase", "0.5 is followed by 0.25"});
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.end = 1, .output_times = {0.5, 0.5}})); }, {"increase"});
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.end = 1, .output_times = {nan}})); }, {"nan"});
    expect_misuse([] { static_cast<void>(cosine_by_rkn8({.end = 1, .output_times = {1}, .output_count = 3})); },
                  {"not both"});
}

struct force_of_any_size {
    template <class V, class T> void operator()(V const& q, T, V& out) const {
        for (std::size_t i = 0; i < q.size(); ++i) out[i] = -q[i];
    }
};

TEST(Misuse, OfInitialData) {
    auto const two = lento::plain(lento::dynamic(2), force_of_any_size{});
    auto const run = [&](std::vector<double> position, std::vector<double> velocity) {
        static_cast<void>(
            solve(two, lento::verlet{.step = 0.1}, {std::move(position), std::move(velocity)}, {.end = 1}));
    };
    EXPECT_NO_THROW(run({1, 2}, {}));
    expect_misuse([&] { run({1, 2, 3}, {0, 0}); }, {"initial position", "3 entries", "2 coordinates"});
    expect_misuse([&] { run({}, {0, 0}); }, {"initial position", "0 entries"});
    expect_misuse([&] { run({1, 2}, {1}); }, {"initial velocity", "1 entries", "2 coordinates"});
    expect_misuse([&] { run({1, nan}, {}); }, {"initial position", "finite", "nan"});
    expect_misuse([&] { run({1, 2}, {infinity, 0}); }, {"initial velocity", "finite", "inf"});
    auto const none = lento::plain(lento::dynamic(0), force_of_any_size{});
    expect_misuse([&] { static_cast<void>(solve(none, lento::verlet{.step = 0.1}, {}, {.end = 1})); },
                  {"at least one coordinate"});
    auto const decay = lento::plain_first_order<1>([](auto const& x, auto) { return -x[0]; });
    expect_misuse([&] { static_cast<void>(solve(decay, lento::rk4{.step = 0.1}, {.state = {nan}}, {.end = 1})); },
                  {"initial state", "nan"});
}

TEST(Misuse, OfFrequencies) {
    for (double const frequency : {0., -1e4, nan, infinity})
        expect_misuse(
            [=] {
                static_cast<void>(lento::vibrated<1>({.frequency = frequency},
                                                     [](auto const& q, auto theta) { return q[0] * theta; }));
            },
            {"the frequency must be finite and positive", lento::show(frequency)});
    expect_misuse(
        [] {
            static_cast<void>(lento::vibrated<1, 2>({.frequencies = {1e4, -3}},
                                                    [](auto const& q, auto theta) { return q[0] * theta[1]; }));
        },
        {"frequency", "-3"});
    expect_misuse(
        [] {
            static_cast<void>(lento::vibrated<1>({.frequency = 1, .phase = nan},
                                                 [](auto const& q, auto theta) { return q[0] * theta; }));
        },
        {"phase", "nan"});
}

TEST(Misuse, OfMasses) {
    for (double const mass : {0., -2., nan, infinity})
        expect_misuse([=] { static_cast<void>(lento::mass(mass)); },
                      {"the mass must be finite and positive", lento::show(mass)});
    expect_misuse([] { static_cast<void>(lento::mass(0)); }, {"the mass must be finite and positive", "0"});
    expect_misuse([] { static_cast<void>(lento::mass({1., -3., 2.})); }, {"mass 2", "-3"});
    expect_misuse([] { static_cast<void>(lento::mass({{1., 0.5}, {0.25, 1.}})); },
                  {"symmetric", "(2, 1)", "0.25", "0.5"});
    expect_misuse([] { static_cast<void>(lento::mass({{1., 2.}, {2., 4.}})); }, {"positive definite", "pivot 2", "0"});
    expect_misuse([] { static_cast<void>(lento::mass({{1., 0.}, {0., -2.}})); },
                  {"positive definite", "pivot 2", "-2"});
    expect_misuse([] { static_cast<void>(lento::mass({{1., 0.}, {0.}})); },
                  {"row of the mass matrix", "1 entries", "2"});
    expect_misuse([] { static_cast<void>(lento::mass({{nan, 0.}, {0., 1.}})); }, {"mass matrix", "nan"});
    auto const force = [](auto const& q, auto) { return q; };
    expect_misuse([=] { static_cast<void>(lento::plain<2>(lento::mass({1., 2., 3.}), force)); },
                  {"masses", "3 entries", "2 coordinates"});
    expect_misuse([=] { static_cast<void>(lento::plain<3>(lento::mass({{1., 0.}, {0., 1.}}), force)); },
                  {"mass matrix", "2 entries", "3 coordinates"});
}

// ---- masses ----

/// The force of two coupled anharmonic springs, and the acceleration under M^-1 worked out by hand.
struct springs {
    std::array<std::array<double, 2>, 2> inverse{{{1, 0}, {0, 1}}};
    template <class V, class T> V operator()(V const& q, T t) const {
        V const f{-q[0] - q[1] * q[1] * q[1] + std::cos(t), q[0] - 3 * q[1]};
        return {inverse[0][0] * f[0] + inverse[0][1] * f[1], inverse[1][0] * f[0] + inverse[1][1] * f[1]};
    }
};
template <class Mass> void expect_like_by_hand(Mass const& mass, springs const& by_hand) {
    auto const given =
        solve(lento::plain<2>(mass, springs{}), lento::rk4{.step = 0.05}, {.position = {1, 0.5}}, {.end = 2});
    auto const worked = solve(lento::plain<2>(by_hand), lento::rk4{.step = 0.05}, {.position = {1, 0.5}}, {.end = 2});
    for (std::size_t i = 0; i < given.t.size(); ++i)
        for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(given.position[i][c], worked.position[i][c], 1e-14);
    EXPECT_GT(std::abs(worked.position.back()[0] - 1), 0.05);
}

TEST(Mass, ScalarDiagonalAndFullAreLikeTheProblemDividedByHand) {
    expect_like_by_hand(lento::mass(4.), {{{{0.25, 0}, {0, 0.25}}}});
    expect_like_by_hand(lento::mass(4), {{{{0.25, 0}, {0, 0.25}}}}); // not an integer division
    expect_like_by_hand(lento::mass({2., 5.}), {{{{0.5, 0}, {0, 0.2}}}});
    expect_like_by_hand(lento::mass({{2., 1.}, {1., 3.}}), {{{{0.6, -0.2}, {-0.2, 0.4}}}});
}

TEST(Mass, ActsInDynamicSpacesAndVibratedSystemsToo) {
    auto const dynamic = lento::plain(lento::dynamic(2), lento::mass({2., 5.}), force_of_any_size{});
    auto const run = solve(dynamic, lento::rkn8{.step = 0.05}, {.position = {1, 1}}, {.end = 1});
    EXPECT_NEAR(run.position.back()[0], std::cos(std::sqrt(1 / 2.)), 1e-12);
    EXPECT_NEAR(run.position.back()[1], std::cos(std::sqrt(1 / 5.)), 1e-12);
    auto const forced = lento::vibrated<1>({.frequency = 3, .phase = 0.5}, lento::mass(2.),
                                           [](auto const&, auto theta) { return std::cos(theta); });
    auto const swing = solve(forced, lento::rkn8{.step = 0.02},
                             {.position = {-std::cos(0.5) / 18}, .velocity = {std::sin(0.5) / 6}}, {.end = 5});
    EXPECT_NEAR(swing.position.back()[0], -std::cos(15.5) / 18, 1e-12);
}

// ---- time and counts ----

TEST(LastStep, IsCutWhereTheStepDoesNotDivideTheInterval) {
    auto const run = solve(oscillator, lento::rkn8{.step = 0.3}, {.position = {1}}, {.end = 1});
    ASSERT_EQ(run.t.size(), 5U);
    EXPECT_NEAR(run.t[3], 0.9, 1e-15);
    EXPECT_EQ(run.t[4], 1);
    EXPECT_NEAR(run.position.back()[0], std::cos(1), 1e-9);
    EXPECT_NEAR(run.velocity.back()[0], -std::sin(1), 1e-9);
    EXPECT_EQ(run.statistics.macro_steps, 4U);
    // one step longer than the run
    auto const single = solve(oscillator, lento::rkn8{.step = 7}, {.position = {1}}, {.end = 0.1});
    EXPECT_EQ(single.t, (std::vector<double>{0, 0.1}));
    EXPECT_NEAR(single.position.back()[0], std::cos(0.1), 1e-14);
}

TEST(LastStep, OfAMultistepMethodIsAsAccurateAsTheOthers) {
    auto const cut = solve(oscillator, lento::stormer8{.step = 0.03}, {.position = {1}}, {.end = 1});
    EXPECT_EQ(cut.statistics.macro_steps, 34U);
    EXPECT_NEAR(cut.position.back()[0], std::cos(1), 1e-11);
    EXPECT_NEAR(cut.velocity.back()[0], -std::sin(1), 1e-11);
}

TEST(Time, IsExactAfterAMillionStepsOfATenth) {
    auto const resting = lento::plain<1>([](auto const&, auto) { return 0.; });
    double longest = 0;
    std::uint64_t k = 0;
    auto const compare = [&](double t, auto const&) {
        longest = std::max(longest, std::abs(t - static_cast<double>(++k) / 10));
    };
    auto const run = solve(resting, lento::verlet{.step = 0.1}, {.position = {0}, .velocity = {1}},
                           {.end = 1e5, .output_count = 2, .observer = compare});
    EXPECT_EQ(run.statistics.macro_steps, 1'000'000U);
    EXPECT_EQ(run.t.back(), 1e5);
    EXPECT_EQ(run.end, 1e5);
    EXPECT_LT(longest, 3e-11); // two roundings of 1e5; without compensation 1e-8
}

TEST(Time, LosesNothingInTheClock) {
    lento::clock_time<double> clock(0);
    double plain = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        clock.advance(0.1);
        plain += 0.1;
    }
    EXPECT_EQ(clock.now(), 1e5);
    EXPECT_NE(plain, 1e5);
}

TEST(Statistics, AreExact) {
    std::uint64_t calls = 0;
    auto const counted = lento::plain<1>([&calls](auto const& q, auto) {
        ++calls;
        return -q[0];
    });
    auto const fixed =
        solve(counted, lento::rk4{.step = 0.1}, {.position = {1}}, {.end = 1, .output_count = 57, .dense = true});
    EXPECT_EQ(fixed.statistics.force_evaluations, calls);
    EXPECT_EQ(fixed.statistics.force_evaluations, 40U);
    EXPECT_EQ(fixed.statistics.macro_steps, 10U);
    EXPECT_EQ(fixed.statistics.macro_rejected, 0U);
    EXPECT_EQ(fixed.statistics.micro_steps, 0U);
    EXPECT_EQ(fixed.statistics.effective_evaluations, 0U);
    calls = 0;
    auto const adaptive = solve(counted, lento::dormand_prince{.rtol = 1e-9, .first_step = 1}, {.position = {1}},
                                {.end = 10, .output_count = 57});
    EXPECT_EQ(adaptive.statistics.force_evaluations, calls);
    EXPECT_GT(adaptive.statistics.macro_rejected, 0U);
    EXPECT_EQ(calls, 1 + 6 * (adaptive.statistics.macro_steps + adaptive.statistics.macro_rejected));
}

TEST(Statistics, TellProcessorTimeAndWhatAClockShows) {
    auto const sleepy = lento::plain<1>([](auto const& q, auto) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return -q[0];
    });
    auto const asleep = solve(sleepy, lento::rk4{.step = 0.1}, {.position = {1}}, {.end = 1});
    EXPECT_GT(asleep.statistics.wall_seconds, 0.04);
    EXPECT_LT(asleep.statistics.seconds, 0.02);
    EXPECT_GT(asleep.statistics.seconds, 0);
    auto const busy = lento::plain<1>([](auto const& q, auto) { return -q[0]; });
    std::atomic<bool> done{false};
    std::thread other([&done] { // its time is not this run's
        while (!done) {}
    });
    auto const run = solve(busy, lento::rk4{.step = 1e-5}, {.position = {1}}, {.end = 1});
    done = true;
    other.join();
    EXPECT_LE(run.statistics.seconds, 1.01 * run.statistics.wall_seconds + 1e-3);
}

TEST(Statistics, CountTheEvaluationsOfAFailedRunToo) {
    std::uint64_t calls = 0;
    auto const counted = lento::plain<1>([&calls](auto const& q, auto t) {
        ++calls;
        return t > 0.55 ? nan : -q[0];
    });
    auto const run = solve(counted, lento::rk4{.step = 0.1}, {.position = {1}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::non_finite);
    EXPECT_EQ(run.statistics.force_evaluations, calls);
    EXPECT_EQ(run.statistics.macro_steps, 5U);
}

TEST(Statistics, DoNotDependOnWhatIsAskedOfTheRun) {
    auto const bare = cosine_by_rkn8({.end = 1, .output_count = 1});
    auto const full = cosine_by_rkn8({.end = 1,
                                      .output_count = 500,
                                      .observables = {[](double t, state const&) { return t; }},
                                      .events = {crossing(0.7, 0, false)},
                                      .dense = true});
    EXPECT_EQ(bare.statistics.force_evaluations, full.statistics.force_evaluations);
    EXPECT_EQ(bare.position.back(), full.position.back());
}

} // namespace

namespace {

TEST(AdaptiveSteps, SurviveATrialOutsideTheDomainAlsoOverAnEffectiveSystem) {
    // sqrt(q) is not a number beyond the wall at q = 0; a long trial step looks there, a shorter one does not
    auto const system = lento::vibrated<1>(
        {.frequency = 1e6}, [](auto const& q, auto theta) { return 0.25 / std::sqrt(q[0]) + std::cos(theta); });
    auto const run = lento::solve(lento::effective(system, lento::picard{}),
                                  lento::dormand_prince{.rtol = 1e-6, .atol = 1e-8, .first_step = 0.9},
                                  {.position = {0.02}, .velocity = {-0.3}}, {.end = 1});
    EXPECT_TRUE(run) << run.message;
    EXPECT_GT(run.statistics.macro_rejected, 0U);
    EXPECT_GT(run.position.back()[0], 0.0);
}

TEST(TerminalEvents, EndWhatTheObserverAndTheDenseSolutionSee) {
    auto const falling = lento::plain<1>([](auto const&, auto) { return -9.8; });
    double last_seen = 0;
    auto const run = lento::solve(falling, lento::verlet{.step = 0.3}, {.position = {1}},
                                  {.end = 2,
                                   .observer = [&](double t, auto const&) { last_seen = t; },
                                   .events = {{.value = [](double, auto const& x) { return x.position[0]; }}},
                                   .dense = true});
    EXPECT_EQ(run.result, lento::outcome::stopped_by_event);
    EXPECT_NEAR(run.end, std::sqrt(2 / 9.8), 1e-9);
    EXPECT_LE(last_seen, run.end);
    EXPECT_NEAR(run.at(run.end).position[0], 0, 1e-9);
    EXPECT_THROW((void)run.at(run.end + 0.01), lento::misuse);
}

} // namespace
