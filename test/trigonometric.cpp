// Trigonometric integrators and impulse methods: the rivals of the methods for split systems.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include <lento/lento.hpp>
#include <lento/model/split.hpp>

namespace {

using namespace lento;
using two = std::array<double, 2>;

/// Two oscillators with frequencies 20 and 1 and a smooth coupling.
auto coupled() {
    return oscillatory<2>({{400, 0}, {0, 1}},
                          [](auto const& q, auto) { return two{std::sin(q[1]) * q[1], std::cos(q[0]) * q[1] * q[1]}; });
}

template <class T> class EverySpringStepper : public testing::Test {};
using spring_steppers = testing::Types<deuflhard, gautschi, mollified_impulse, impulse>;
TYPED_TEST_SUITE(EverySpringStepper, spring_steppers);

TYPED_TEST(EverySpringStepper, ConvergesAtOrderTwo) {
    auto const system = coupled();
    auto const end = [&](auto const& stepper) {
        return solve(system, stepper, {.position = {0.1, 0.8}, .velocity = {0.5, 0}}, {.end = 2}).position.back();
    };
    auto const exact = end(dormand_prince_8{.rtol = 1e-12, .atol = 1e-13});
    auto const error = [&](double step) {
        TypeParam stepper;
        stepper.step = step;
        auto const x = end(stepper);
        return std::hypot(x[0] - exact[0], x[1] - exact[1]);
    };
    EXPECT_NEAR(std::log2(error(0.005) / error(0.0025)), 2, 0.15);
}

TYPED_TEST(EverySpringStepper, RunsBackToWhereItStarted) {
    auto const system = coupled();
    TypeParam stepper;
    stepper.step = 0.05;
    auto work = system.work();
    auto memory = stepper.start(system);
    motion<two> x{{0.1, 0.8}, {0.5, 0}};
    for (int k = 0; k < 100; ++k) stepper.advance(system, 0.05 * k, 0.05, x, memory, work);
    EXPECT_GT(std::abs(x.position[1] - 0.8), 1e-2);
    memory.fresh = false;
    for (auto& v : x.velocity) v = -v;
    for (int k = 0; k < 100; ++k) stepper.advance(system, 0.05 * k, 0.05, x, memory, work);
    EXPECT_NEAR(x.position[0], 0.1, 1e-11);
    EXPECT_NEAR(x.position[1], 0.8, 1e-11);
}

// docs/papers.md: 002.12
TEST(Trigonometric, StepsOverOscillationsItKnows) {
    // without a slow force the motion is exact at any step; with a constant one Gautschi's method still is
    auto const free = oscillatory<1>({{1e8}}, [](auto const&, auto) { return 0.; });
    auto const run = solve(free, deuflhard{.step = 0.013}, {.position = {1}, .velocity = {0}}, {.end = 0.13});
    EXPECT_NEAR(run.position.back()[0], std::cos(1300.), 1e-9);
    auto const pushed = oscillatory<1>({{400}}, [](auto const&, auto) { return 3.; });
    auto const exact = solve(pushed, gautschi{.step = 0.07}, {.position = {1}, .velocity = {0}}, {.end = 0.7});
    EXPECT_NEAR(exact.position.back()[0], 3. / 400 + (1 - 3. / 400) * std::cos(14.), 1e-12);
    auto const impulses = solve(pushed, deuflhard{.step = 0.07}, {.position = {1}, .velocity = {0}}, {.end = 0.7});
    EXPECT_GT(std::abs(impulses.position.back()[0] - exact.position.back()[0]), 1e-5);
}

TEST(Trigonometric, CountsOneForceAndOneTurnAStep) {
    auto const run =
        solve(coupled(), deuflhard{.step = 0.1}, {.position = {0.1, 0.8}, .velocity = {0.5, 0}}, {.end = 1});
    EXPECT_EQ(run.statistics.force_evaluations, 11U);
    EXPECT_EQ(run.statistics.linear_flow_applications, 10U);
}

TEST(Trigonometric, SpringsAndSplitSystemAreTheSameChain) {
    model::fermi_pasta_ulam<3> const fpu{.epsilon = 1e-2};
    auto const start = fpu.start();
    auto const first =
        solve(fpu.system(), dormand_prince_8{.rtol = 1e-12, .atol = 1e-13}, {.state = start}, {.end = 2});
    auto const second = solve(fpu.springs(), deuflhard{.step = 1e-4}, fpu.as_motion(start), {.end = 2});
    auto const z = fpu.as_point(second.position.back(), second.velocity.back());
    for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(z[i], first.state.back()[i], 1e-5) << i;
    EXPECT_NEAR(fpu.energy(first.state.back()), fpu.energy(start), 1e-10);
}

TEST(Trigonometric, RefusesSpringsThatPushAndLopsidedMatrices) {
    auto const none = [](auto const&, auto) { return two{}; };
    auto const message = [&](std::vector<std::vector<long double>> const& stiffness) -> std::string {
        try {
            (void)oscillatory<2>(stiffness, none);
        } catch (misuse const& error) { return error.what(); }
        return {};
    };
    EXPECT_NE(message({{-4, 0}, {0, 1}}).find("-4"), std::string::npos);
    EXPECT_NE(message({{4, 0.5L}, {0.25L, 1}}).find("symmetric"), std::string::npos);
    EXPECT_NE(message({{4}}).find("1"), std::string::npos);
}

} // namespace
