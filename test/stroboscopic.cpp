// Stroboscopic averaging and the spectral mean: orders, full output, other kinds of system, wrong periods.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numbers>

#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>
#include <lento/model/split.hpp>

namespace {
std::atomic<long> allocations = 0;
} // namespace

// Counts every allocation of this program, so that a time loop can be shown to make none. Not inlined, because GCC 12
// then takes malloc and free for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace lento;
using four = std::array<double, 4>;

constexpr double pi = std::numbers::pi;

template <class A, class B> double largest_difference(A const& a, B const& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(a[i] - b[i])));
    return largest;
}

/// The stellar orbits directly, at given times.
auto direct_orbits(double epsilon, std::vector<double> times) {
    double const end = times.back();
    return solve(model::stellar_orbits{.epsilon = epsilon}.system(), dormand_prince_8{.rtol = 1e-12, .atol = 1e-13},
                 {.state = model::stellar_orbits::start()}, {.end = end, .output_times = std::move(times)});
}

TEST(DormandPrince8, IsOfOrderEight) {
    auto const system = plain_first_order<2, long double>([](auto const& x, auto) {
        using std::sin;
        return std::array<long double, 2>{x[1], -sin(x[0])};
    });
    auto const end = [&](double step) {
        return solve(system, fixed_dormand_prince_8{.step = step}, {.state = {1, 0}}, {.end = 4}).state.back();
    };
    auto const exact = end(1. / 64);
    EXPECT_NEAR(std::log2(largest_difference(end(0.5), exact) / largest_difference(end(0.25), exact)), 8, 0.5);
}

TEST(DormandPrince8, KeepsItsToleranceWithFewerEvaluationsThanDormandPrince5) {
    auto const system = model::expanding_spiral{.epsilon = 0.02}.system();
    auto const run = [&](auto const& stepper) {
        auto const made = solve(system, stepper, {.state = {1, 0}}, {.end = 1});
        double const error = std::hypot(made.state.back()[0] - std::exp(1) * std::cos(50),
                                        made.state.back()[1] - std::exp(1) * std::sin(50));
        return std::pair{error, made.statistics.force_evaluations};
    };
    auto const eight = run(dormand_prince_8{.rtol = 1e-11, .atol = 1e-11});
    auto const five = run(dormand_prince{.rtol = 1e-11, .atol = 1e-11});
    EXPECT_LT(eight.first, 1e-8);
    EXPECT_LT(five.first, 1e-8);
    EXPECT_LT(eight.second, five.second / 2);
}

// ---- orders ----

template <class Slow, class Stepper> double order_in_step(Slow const& slow, Stepper stepper) {
    auto const end = [&](auto const& method) {
        return solve(slow, method, {.state = model::stellar_orbits::start()}, {.end = 2}).state.back();
    };
    auto const exact = end(fixed_dormand_prince_8{.step = 0.125});
    auto const coarse = end(stepper);
    stepper.step /= 2;
    return std::log2(largest_difference(coarse, exact) / largest_difference(end(stepper), exact));
}

TEST(Stroboscopic, KeepsTheOrderOfEveryMacroStepper) {
    auto const slow = effective(interaction_picture(model::stellar_orbits{}.system()), stroboscopic{{.steps = 16}});
    EXPECT_NEAR(order_in_step(slow, euler{.step = 0.02}), 1, 0.05);
    EXPECT_NEAR(order_in_step(slow, midpoint{.step = 0.05}), 2, 0.1);
    EXPECT_NEAR(order_in_step(slow, rk4{.step = 0.25}), 4, 0.2);
}

TEST(Stroboscopic, HasTheOrderOfItsDifferenceInEpsilon) {
    auto const error = [](double epsilon, int order) {
        auto const system = model::stellar_orbits{.epsilon = epsilon}.system();
        double const end = system.period() * std::round(2 / system.period());
        auto const run =
            solve(effective(interaction_picture(system), stroboscopic{{.order = order, .steps = 64}}),
                  fixed_dormand_prince_8{.step = 0.25}, {.state = model::stellar_orbits::start()}, {.end = end});
        return largest_difference(run.state.back(), direct_orbits(epsilon, {end}).state.back());
    };
    EXPECT_NEAR(std::log2(error(1e-2, 2) / error(5e-3, 2)), 2, 0.4);
    EXPECT_NEAR(std::log2(error(2e-2, 4) / error(1e-2, 4)), 4, 0.8);
}

TEST(Stroboscopic, TheGivenPictureAgreesWithTheInteractionPicture) {
    auto const system = model::stellar_orbits{.epsilon = 1e-3}.system();
    double const end = system.period() * 200;
    auto const turning = solve(effective(interaction_picture(system), stroboscopic{{.steps = 32}}),
                               rk4{.step = end / 10}, {.state = model::stellar_orbits::start()}, {.end = end});
    auto const given = solve(effective(system, stroboscopic{{.steps = 24}, fixed_dormand_prince_8{}}),
                             rk4{.step = end / 10}, {.state = model::stellar_orbits::start()}, {.end = end});
    ASSERT_TRUE(given) << given.message;
    EXPECT_LT(largest_difference(turning.state.back(), given.state.back()), 1e-5);
    EXPECT_EQ(given.statistics.linear_flow_applications, 0U);
    // ten steps, four stages each, a window to either side; and one period to see that the fast flow returns
    EXPECT_EQ(given.statistics.effective_evaluations, 40U);
    EXPECT_EQ(given.statistics.force_evaluations, (40U * 2 + 1) * 24 * 13);
}

TEST(Stroboscopic, GivesTheFullSolutionAtAnyTime) {
    double const epsilon = 1e-3;
    auto const system = model::stellar_orbits{.epsilon = epsilon}.system();
    std::vector<double> const times = {0.3001, 0.8123, 1.5};
    auto const exact = direct_orbits(epsilon, times);
    auto const run = [&](auto const& slow) {
        return solve(slow, fixed_dormand_prince_8{.step = 0.25}, {.state = model::stellar_orbits::start()},
                     {.end = 1.5, .output_times = times, .report = reported_state::full});
    };
    auto const strobe = run(effective(interaction_picture(system), stroboscopic{{.order = 4, .steps = 32}}));
    auto const mean = run(effective(interaction_picture(system), picard{.points = 9, .passes = 3}));
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_LT(largest_difference(strobe.state[i], exact.state[i]), 2e-6);
        EXPECT_LT(largest_difference(mean.state[i], exact.state[i]), 2e-5);
    }
}

TEST(Stroboscopic, WorkDoesNotDependOnEpsilon) {
    auto const work = [](double epsilon) {
        auto const slow = effective(interaction_picture(model::stellar_orbits{.epsilon = epsilon}.system()),
                                    stroboscopic{{.steps = 8}});
        auto const run = solve(slow, rk4{.step = 0.5}, {.state = model::stellar_orbits::start()}, {.end = 3});
        return run.statistics.force_evaluations;
    };
    EXPECT_EQ(work(1e-4), work(1e-8));
}

TEST(Stroboscopic, AgreesWithBackwardForwardInTheSlowVariables) {
    auto const turning = interaction_picture(model::stellar_orbits{}.system());
    auto const ends = [](auto const& slow) {
        return model::stellar_orbits::slow_variables(
            solve(slow, rk4{.step = 0.1}, {.state = model::stellar_orbits::start()}, {.end = 3}).state.back());
    };
    auto const strobe = ends(effective(turning, stroboscopic{{.steps = 16}}));
    auto const filtered =
        ends(effective(turning, backward_forward{path_window{.delta = 60, .filter = polynomial{1, 5}, .steps = 90}}));
    EXPECT_LT(largest_difference(strobe, filtered), 20 * 1e-4);
}

// ---- the spectral mean ----

TEST(SpectralMean, GainsAnOrderOfEpsilonWithASecondPass) {
    auto const error = [](double epsilon, int passes) {
        auto const system = model::stellar_orbits{.epsilon = epsilon}.system();
        double const end = system.period() * std::round(2 / system.period());
        auto const run = solve(effective(interaction_picture(system), picard{.points = 9, .passes = passes}),
                               fixed_dormand_prince_8{.step = 0.25}, {.state = model::stellar_orbits::start()},
                               {.end = end, .output_times = {end}, .report = reported_state::full});
        return largest_difference(run.state.back(), direct_orbits(epsilon, {end}).state.back());
    };
    EXPECT_NEAR(std::log2(error(4e-3, 1) / error(1e-3, 1)), 2, 0.5);
    EXPECT_NEAR(std::log2(error(4e-3, 2) / error(1e-3, 2)), 4, 0.8);
}

TEST(SpectralMean, DoesNotCareAboutTheFastPhaseToSecondOrder) {
    auto const defect = [](double epsilon) {
        auto const turning = interaction_picture(model::stellar_orbits{.epsilon = epsilon}.system());
        auto const slow = effective(turning, picard{.points = 9, .passes = 2});
        auto work = turning.work();
        auto own = slow.work();
        four x = {0.9, 0.2, 0.7, -0.4};
        four straight{};
        four turned{};
        slow.rate(0, x, straight, own);
        turning.turn_by(1.1 * epsilon, x, work);
        slow.rate(0, x, turned, own);
        turning.turn_by(-1.1 * epsilon, turned, work);
        return largest_difference(straight, turned);
    };
    EXPECT_LT(defect(1e-3), 20 * 1e-3 * 1e-3);
    EXPECT_LT(defect(1e-4), 20 * 1e-4 * 1e-4);
}

TEST(SpectralMean, LiftAndLowerAreInverse) {
    auto const slow = effective(interaction_picture(model::stellar_orbits{.epsilon = 1e-3}.system()),
                                picard{.points = 9, .passes = 3});
    auto work = slow.work();
    point<four> x{{0.9, 0.2, 0.7, -0.4}};
    slow.lower(0, x, work);
    EXPECT_GT(largest_difference(x.state, four{0.9, 0.2, 0.7, -0.4}), 1e-5);
    slow.lift(0, x, work);
    EXPECT_LT(largest_difference(x.state, four{0.9, 0.2, 0.7, -0.4}), 1e-8);
}

TEST(SplitSystems, EvaluateWithoutAllocating) {
    auto const turning = interaction_picture(model::stellar_orbits{}.system());
    auto const quiet = [](auto const& slow) {
        auto work = slow.work();
        four const x = {1, 0, 1, 0};
        four out{};
        slow.rate(0, x, out, work); // makes the nodes of the windows
        long const before = allocations;
        slow.rate(0.1, x, out, work);
        return allocations == before;
    };
    EXPECT_TRUE(quiet(effective(turning, stroboscopic{{.steps = 8}})));
    EXPECT_TRUE(quiet(effective(turning, picard{.points = 9})));
    EXPECT_TRUE(
        quiet(effective(turning, backward_forward{path_window{.delta = 20, .filter = polynomial{1, 2}, .steps = 20}})));
    EXPECT_TRUE(
        quiet(effective(model::stellar_orbits{}.system(),
                        backward_forward{path_window{.delta = 20, .filter = polynomial{1, 2}}, dormand_prince{}})));
}

TEST(SplitSystems, RunInLongDouble) {
    auto const system = model::stellar_orbits{.epsilon = 1e-3}.system<long double>();
    auto const run = solve(effective(interaction_picture(system), stroboscopic{{.order = 4, .steps = 64}}),
                           fixed_dormand_prince_8{.step = 0.125},
                           {.state = model::stellar_orbits::start<long double>()}, {.end = 1});
    auto const in_double =
        solve(effective(interaction_picture(model::stellar_orbits{.epsilon = 1e-3}.system()),
                        stroboscopic{{.order = 4, .steps = 64}}),
              fixed_dormand_prince_8{.step = 0.125}, {.state = model::stellar_orbits::start()}, {.end = 1});
    EXPECT_LT(largest_difference(run.state.back(), in_double.state.back()), 1e-11);
}

// ---- other kinds of system ----

// docs/papers.md: 001.39
TEST(Stroboscopic, FollowsAVibratedPendulumAtWholePeriodsAndBetween) {
    model::vibrated_pendulum const pendulum{.omega = 1e4};
    double const period = 2 * pi / pendulum.omega;
    auto const slow = effective(pendulum.system(), stroboscopic{{.order = 4, .steps = 32}});
    std::vector<double> const times = {100 * period, 300.3 * period, 400 * period};
    auto const run = solve(slow, rk4{.step = 20 * period}, {.state = {0.5, 0}},
                           {.end = 400 * period, .output_times = times, .report = reported_state::full});
    ASSERT_TRUE(run) << run.message;
    auto const direct = solve(pendulum.system(), dormand_prince{.rtol = 1e-11, .atol = 1e-11}, {.position = {0.5}},
                              {.end = 400 * period, .output_times = times});
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_NEAR(run.state[i][0], direct.position[i][0], 2e-5) << times[i];
        EXPECT_NEAR(run.state[i][1], direct.velocity[i][0], 2e-3) << times[i];
    }
}

TEST(Stroboscopic, TreatsAPlainSystemWithAKnownPeriodAlike) {
    model::vibrated_pendulum const pendulum{.omega = 1e4};
    double const period = 2 * pi / pendulum.omega;
    auto const plainly = plain<1>([=](auto const& q, auto t) {
        return (pendulum.g + pendulum.vmax * pendulum.omega * std::cos(pendulum.omega * t)) * std::sin(q[0]) /
               pendulum.l;
    });
    auto const end = [&](auto const& slow) {
        return solve(slow, rk4{.step = 50 * period}, {.state = {0.5, 0}}, {.end = 200 * period}).state.back();
    };
    auto const vibrated_end = end(effective(pendulum.system(), stroboscopic{{.steps = 32}}));
    auto const plain_end = end(effective(plainly, stroboscopic{{.steps = 32, .period = period}}));
    EXPECT_LT(largest_difference(vibrated_end, plain_end), 1e-6);
}

// ---- wrong periods ----

TEST(Stroboscopic, AWrongPeriodIsDetected) {
    for (double const wrong : {1.001, 1 + 1e-5}) {
        auto const system = split<2>({.epsilon = 1e-4, .period = 2 * pi * wrong}, linear({{0, 1}, {-1, 0}}),
                                     [](auto const& x, auto) { return std::array<double, 2>{0, x[0] * x[0]}; });
        auto const turning = solve(effective(interaction_picture(system), stroboscopic{{.steps = 8}}), rk4{.step = 0.1},
                                   {.state = {1, 0}}, {.end = 1});
        EXPECT_EQ(turning.result, outcome::not_applicable) << wrong;
        EXPECT_EQ(exit_code(turning.result), 5);
        EXPECT_NE(turning.message.find("misses its start"), std::string::npos) << turning.message;
        auto const given =
            solve(effective(system, stroboscopic{{.steps = 64}}), rk4{.step = 0.1}, {.state = {1, 0}}, {.end = 1});
        EXPECT_EQ(given.result, outcome::not_applicable) << wrong;
        auto const mean =
            solve(effective(interaction_picture(system), picard{}), rk4{.step = 0.1}, {.state = {1, 0}}, {.end = 1});
        EXPECT_EQ(mean.result, outcome::not_applicable) << wrong;
    }
}

TEST(Stroboscopic, APlainMotionThatDoesNotReturnIsRefused) {
    auto const fast = plain<1>([](auto const& q, auto) { return -1e8 * q[0]; });
    auto const run = [&](double period) {
        return solve(effective(fast, stroboscopic{{.steps = 64, .period = period}}), rk4{.step = 0.1},
                     {.state = {1, 0.3}}, {.end = 1});
    };
    EXPECT_EQ(run(2 * pi * 1.2e-4).result, outcome::not_applicable);
    EXPECT_EQ(run(2 * pi * 1e-4).result, outcome::success);
}

TEST(Stroboscopic, RefusesOrdersAndStepsThatItDoesNotHave) {
    auto const system = model::stellar_orbits{}.system();
    EXPECT_THROW((void)effective(system, stroboscopic{{.order = 3}}), misuse);
    EXPECT_THROW((void)effective(system, stroboscopic{{.steps = 0}}), misuse);
    EXPECT_THROW((void)effective(interaction_picture(system), picard{.points = 2}), misuse);
}

} // namespace
