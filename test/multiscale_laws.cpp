// Laws of whole multiscale runs: orders on both scales, geometry, work that does not depend on the frequency.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>

namespace {

using namespace lento;
using model::vibrated_pendulum;

// ---- orders ----

/// Slow positions and velocities from 0.5 at rest, at times that are no multiples of the step.
template <class Slow, class Stepper> std::vector<double> path(Slow const& slow, Stepper stepper, double step) {
    stepper.step = step;
    auto const run = solve(
        slow, stepper, {.position = {0.5}, .velocity = {0.3}},
        {.end = 0.48, .output_times = {0.0331, 0.1033, 0.2217, 0.31, 0.4111, 0.48}, .given = initial_state::slow});
    std::vector<double> values;
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        values.push_back(run.position[i][0]);
        values.push_back(run.velocity[i][0] / 12); // angular velocities are some 12 times larger
    }
    EXPECT_EQ(values.size(), 12U) << run.message;
    return values;
}

double largest_difference(std::vector<double> const& a, std::vector<double> const& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

/// Observed order over two halvings of the step, against the H -> 0 limit of the same effective system.
template <class Stepper, class Slow> double macro_order(Slow const& slow, double coarse) {
    static auto const limit = path(slow, composition8{}, 0.48 / 96);
    double const first = largest_difference(path(slow, Stepper{}, coarse), limit);
    double const second = largest_difference(path(slow, Stepper{}, coarse / 4), limit);
    return std::log2(first / second) / 2;
}

template <class Stepper> class EveryMacroStepper : public testing::Test {};
using macro_steppers =
    testing::Types<euler, symplectic_euler, verlet, midpoint, rk4, rkn4, rkn6, rkn8, composition4, composition6,
                   composition8, stormer4, stormer5, stormer6, stormer7, stormer8, cowell4, cowell5, cowell6, cowell7,
                   cowell8, runge_kutta<dormand_prince_method>, fixed_dormand_prince_8, fixed_dop853, fixed_rkn12>;
TYPED_TEST_SUITE(EveryMacroStepper, macro_steppers);

// docs/papers.md: 001.7
TYPED_TEST(EveryMacroStepper, ConvergesAtItsOrderOnTheEffectivePendulumStateAndDenseOutput) {
    // the spectral mean at omega = 1e4 is smooth to round-off, so that order 8 can be seen
    static auto const slow = effective(vibrated_pendulum{.omega = 1e4}.system(), picard{});
    constexpr int order = TypeParam::order;
    // steps small enough for the asymptotic range, large enough to stay above rounding
    constexpr bool multistep = requires { TypeParam::history; };
    double const steps = order == 1 ? 2000 : order == 2 ? 100 : order <= 5 ? 40 : order == 6 ? 20 : order <= 8 ? 10 : 2;
    double const observed = macro_order<TypeParam>(slow, 0.48 / (multistep ? 4 * steps : steps));
    EXPECT_GT(observed, order - 0.5);
    EXPECT_LT(observed, order + 3); // with large steps the error of interpolation, of higher order, still shows
}

template <class Micro> double window_force(Micro micro, int steps) {
    vibrated_pendulum const pendulum{.omega = 1e4};
    // a smooth kernel, whose sums are spectrally accurate, so that only the stepper's error is left
    window const smooth{.periods = 8, .steps_per_period = static_cast<double>(steps)};
    auto const slow = effective(pendulum.system(), asynchronous{smooth, micro});
    auto work = slow.work();
    std::array<double, 1> out{};
    slow.acceleration(0, {0.5}, out, work);
    return out[0];
}

template <class Micro> class EveryMicroStepper : public testing::Test {};
using micro_steppers = testing::Types<verlet, midpoint, rk4, rkn4, rkn6, composition4, composition6, stormer4>;
TYPED_TEST_SUITE(EveryMicroStepper, micro_steppers);

// docs/papers.md: 001.6
TYPED_TEST(EveryMicroStepper, MakesTheWindowsForceConvergeAtItsOrder) {
    double const limit = window_force(rkn8{}, 128);
    int const coarse = TypeParam::order <= 2 ? 32 : TypeParam::order <= 4 ? 16 : 12;
    double const first = std::abs(window_force(TypeParam{}, coarse) - limit);
    double const second = std::abs(window_force(TypeParam{}, 2 * coarse) - limit);
    EXPECT_NEAR(std::log2(first / second), TypeParam::order, 0.4);
}

TEST(FittedVerlet, NeedsThreeStepsAPeriodWhereVerletNeedsMany) {
    vibrated_pendulum const pendulum{.omega = 1e6};
    auto const force = [&](verlet micro, int steps) {
        auto const slow = effective(pendulum.system(), asynchronous{one_period{.steps = steps}, micro});
        auto work = slow.work();
        std::array<double, 1> out{};
        slow.acceleration(0, {0.5}, out, work);
        return out[0];
    };
    double const limit = force(verlet{}, 2000);
    EXPECT_NEAR(force(verlet{.fitted_to = 1e6}, 3), limit, 2e-4 * std::abs(limit));
    EXPECT_GT(std::abs(force(verlet{}, 3) - limit), 0.3 * std::abs(limit));
}

// ---- geometry of Algorithm 2 ----

auto algorithm_2(double omega) {
    return effective(vibrated_pendulum{.omega = omega}.system(), asynchronous{one_period{.steps = 40}});
}

// docs/papers.md: 001.18
TEST(AsynchronousHmm, RunsBackToWhereItStarted) {
    auto const slow = algorithm_2(1e6);
    auto const there = solve(slow, verlet{.step = 0.01}, {.position = {0.5}, .velocity = {0.7}},
                             {.end = 1, .output_count = 2, .given = initial_state::slow});
    auto const back =
        solve(slow, verlet{.step = 0.01}, {.position = there.position.back(), .velocity = {-there.velocity.back()[0]}},
              {.end = 1, .output_count = 2, .given = initial_state::slow});
    EXPECT_NEAR(back.position.back()[0], 0.5, 1e-8); // round-off of an O(omega) force
    EXPECT_NEAR(back.velocity.back()[0], -0.7, 1e-7);
    // a method that is not reversible does not come back that well
    auto const rk_there = solve(slow, rk4{.step = 0.01}, {.position = {0.5}, .velocity = {0.7}},
                                {.end = 1, .output_count = 2, .given = initial_state::slow});
    auto const rk_back = solve(slow, rk4{.step = 0.01},
                               {.position = rk_there.position.back(), .velocity = {-rk_there.velocity.back()[0]}},
                               {.end = 1, .output_count = 2, .given = initial_state::slow});
    EXPECT_GT(std::abs(rk_back.position.back()[0] - 0.5), 1e-6);
}

TEST(AsynchronousHmm, KeepsItsDiscreteEnergyOverAHundredThousandSteps) {
    vibrated_pendulum const p;
    auto const slow = algorithm_2(1e6);
    double const h = 0.01;
    std::size_t const steps = 100000;
    double n = 0, mean_t = 0, mean_e = 0, tt = 0, te = 0, lowest = 1e300, highest = -1e300;
    auto const energy = [&](motion<std::array<double, 1>> const& x) {
        double const c = std::cos(x.position[0]);
        double const s = std::sin(x.position[0]);
        return x.velocity[0] * x.velocity[0] / 2 + p.g / p.l * c + p.vmax * p.vmax / (4 * p.l * p.l) * s * s;
    };
    std::vector<std::pair<double, double>> samples;
    samples.reserve(steps);
    auto const run = solve(slow, verlet{.step = h}, {.position = {0.5}},
                           {.end = h * static_cast<double>(steps),
                            .output_count = 2,
                            .given = initial_state::slow,
                            .observer = [&](double t, auto const& x) { samples.emplace_back(t, energy(x)); }});
    ASSERT_TRUE(run);
    ASSERT_EQ(samples.size(), steps);
    for (auto const& [t, e] : samples) {
        n += 1;
        mean_t += t;
        mean_e += e;
        lowest = std::min(lowest, e);
        highest = std::max(highest, e);
    }
    mean_t /= n;
    mean_e /= n;
    for (auto const& [t, e] : samples) {
        tt += (t - mean_t) * (t - mean_t);
        te += (t - mean_t) * (e - mean_e);
    }
    double const drift = te / tt * h * static_cast<double>(steps);
    EXPECT_GT(highest - lowest, 1e-3); // it oscillates, with the macro step's error
    EXPECT_LT(std::abs(drift), 0.05 * (highest - lowest));
}

/// How far one Verlet step over the effective force is from symplectic: the antisymmetric part of its force's Jacobian,
/// times the step. Two coordinates under a vibrating potential, in long double because it is small.
long double symplectic_defect(long double omega) {
    using T = long double;
    auto const system = vibrated<2, 1, T>({.frequency = omega}, [omega](auto const& x, auto theta) {
        using std::cos, std::sin;
        // - grad of (1 - omega cos(theta)/4) sin(x) cos(y + x y/2)
        T const inner = x[1] + x[0] * x[1] / 2;
        T const strength = T(1) - omega * cos(theta) / 4;
        return std::array<T, 2>{-strength * (cos(x[0]) * cos(inner) - sin(x[0]) * sin(inner) * x[1] / 2),
                                strength * sin(x[0]) * sin(inner) * (1 + x[0] / 2)};
    });
    auto const slow = effective(system, asynchronous{one_period{.steps = 40}});
    auto work = slow.work();
    auto const force = [&](T x, T y) {
        std::array<T, 2> out{};
        slow.acceleration(T(0), {x, y}, out, work);
        return out;
    };
    T const d = 1e-4L;
    T const cross_1 = (force(0.4L, 0.3L + d)[0] - force(0.4L, 0.3L - d)[0]) / (2 * d);
    T const cross_2 = (force(0.4L + d, 0.3L)[1] - force(0.4L - d, 0.3L)[1]) / (2 * d);
    return std::abs(cross_1 - cross_2);
}

// docs/papers.md: 001.18
TEST(AsynchronousHmm, IsSymplecticUpToOneOverOmegaForTwoDegreesOfFreedom) {
    auto const at_1e4 = symplectic_defect(1e4L);
    auto const at_1e5 = symplectic_defect(1e5L);
    EXPECT_GT(at_1e4, 1e-7L); // not exactly symplectic, whatever the paper says
    EXPECT_NEAR(static_cast<double>(at_1e4 / at_1e5), 10, 1);
}

// ---- work ----

TEST(AsynchronousHmm, WorkDoesNotDependOnOmega) {
    auto const run = [](double omega) {
        return solve(algorithm_2(omega), dormand_prince{.rtol = 1e-5, .atol = 1e-7}, {.position = {0.5}}, {.end = 1});
    };
    auto const slow = run(1e6);
    auto const fast = run(1e8);
    EXPECT_TRUE(slow);
    EXPECT_EQ(slow.statistics.force_evaluations, fast.statistics.force_evaluations);
    EXPECT_EQ(slow.statistics.macro_steps, fast.statistics.macro_steps);
    EXPECT_EQ(slow.statistics.micro_steps, fast.statistics.micro_steps);
}

TEST(AsynchronousHmm, CountsEveryForceEvaluation) {
    double const omega = 1e6;
    std::uint64_t calls = 0;
    auto const system = vibrated<1>({.frequency = omega}, [&calls](auto const& q, auto theta) {
        ++calls;
        return (9.8 + 4e6 * std::cos(theta)) * std::sin(q[0]) / 0.2;
    });
    auto const check = [&](auto const& closure, auto const& stepper) {
        calls = 0;
        auto const run = solve(effective(system, closure), stepper, {.position = {0.5}, .velocity = {0.2}},
                               {.end = 0.3, .output_count = 7, .report = reported_state::full});
        EXPECT_TRUE(run) << run.message;
        EXPECT_EQ(run.statistics.force_evaluations, calls);
    };
    check(asynchronous{one_period{.steps = 40}}, verlet{.step = 0.02});
    check(asynchronous{window{.periods = 40, .steps_per_period = 20}, rk4{}}, rk4{.step = 0.05});
    check(centred{one_period{.steps = 20}}, rkn8{.step = 0.05});
    check(synchronous{window{.periods = 40, .steps_per_period = 20}}, dormand_prince{.rtol = 1e-4, .atol = 1e-6});
    check(picard{}, stormer6{.step = 0.02});
}

TEST(Tolerance, IsMetByAdaptiveMacroSteps) {
    vibrated_pendulum const pendulum{.omega = 1e8};
    for (double const tolerance : {1e-3, 1e-5, 1e-7}) {
        auto const run =
            solve(effective(pendulum.system(), picard{}), dormand_prince{.rtol = tolerance, .atol = tolerance},
                  {.position = {0.5}}, {.end = 1, .output_count = 101, .given = initial_state::slow});
        auto const exact = solve(pendulum.averaged(), dormand_prince{.rtol = 1e-12, .atol = 1e-13}, {.position = {0.5}},
                                 {.end = 1, .output_count = 101});
        double error = 0;
        for (std::size_t i = 0; i < run.t.size(); ++i)
            error = std::max(error, std::abs(run.position[i][0] - exact.position[i][0]));
        EXPECT_LT(error, 10 * tolerance);
        EXPECT_GT(error, 1e-3 * tolerance);
    }
}

} // namespace
