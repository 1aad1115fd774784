// Runs that cannot be right end with a sentence: schemes beyond their stability, solutions that their own errors make
// grow, tolerances below rounding, forces that jump, singularities, starts that overflow.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>

namespace {

using namespace lento;
using one = motion<std::array<double, 1>>;

auto oscillator(double frequency = 1) {
    return plain<1>([square = frequency * frequency](auto const& q, auto) { return -square * q[0]; });
}
template <class Solution> bool has_warning(Solution const& run, std::string const& code) {
    return std::ranges::any_of(run.warnings, [&](auto const& each) { return each.code == code; });
}
template <class Solution> double largest(Solution const& run) {
    double most = 0;
    for (auto const& q : run.position) most = std::max(most, max_norm(q));
    return most;
}
/// The step that a refusal advises.
double advised(std::string const& message) {
    std::string const words = "use steps up to ";
    auto const at = message.find(words);
    return at == std::string::npos ? 0 : std::stod(message.substr(at + words.size()));
}

// ---- schemes beyond their stability ----

template <class Stepper> class EveryMultistepScheme : public testing::Test {};
using multistep = testing::Types<stormer4, stormer5, stormer6, stormer7, stormer8, cowell4, cowell5, cowell6, cowell7,
                                 cowell8, adams>;
TYPED_TEST_SUITE(EveryMultistepScheme, multistep);

TYPED_TEST(EveryMultistepScheme, IsRefusedBeyondItsStabilityAndStableUpToTheStepItAdvises) {
    for (double const frequency : {1., 1e4}) {
        TypeParam scheme;
        scheme.step = 2.5 / frequency;
        solve_options<one> const options{.end = 3000 / frequency, .output_count = 2};
        auto const refused = solve(oscillator(frequency), scheme, {.position = {1}}, options);
        EXPECT_EQ(refused.result, outcome::not_applicable) << refused.message;
        EXPECT_NE(refused.message.find("beyond the stability"), std::string::npos) << refused.message;
        scheme.step = advised(refused.message);
        ASSERT_GT(scheme.step, 0) << refused.message;
        auto const advised_run = solve(oscillator(frequency), scheme, {.position = {1}}, options);
        EXPECT_TRUE(advised_run) << advised_run.message;
        EXPECT_LT(largest(advised_run), 10);
        scheme.step *= 1.5;
        EXPECT_FALSE(solve(oscillator(frequency), scheme, {.position = {1}}, options));
    }
}

TYPED_TEST(EveryMultistepScheme, IsRefusedWhereTheFastestMotionHasNoAmplitude) {
    TypeParam scheme;
    scheme.step = 0.1;
    auto const springs = plain<3>([](auto const& q, auto) { return std::array{-q[0], -2 * q[1], -1e4 * q[2]}; });
    auto const run = solve(springs, scheme, {.position = {1, 1, 0}}, {.end = 100, .output_count = 2});
    EXPECT_EQ(run.result, outcome::not_applicable) << run.message;
}

TYPED_TEST(EveryMultistepScheme, IsLookedAfterAlongTheRun) {
    TypeParam scheme;
    scheme.step = 0.02;
    auto const stiffening = plain<1>([](auto const& q, auto t) { return -(1 + t * t) * q[0]; });
    auto const run = solve(stiffening, scheme, {.position = {1}}, {.end = 2000, .output_count = 2});
    EXPECT_TRUE(run.result == outcome::not_applicable || run.result == outcome::non_finite) << run.message;
    EXPECT_GT(run.end, 1);
}

TYPED_TEST(EveryMultistepScheme, TakesAHandfulOfEvaluationsToBeLookedAfter) {
    TypeParam scheme;
    scheme.step = 0.01;
    auto const run = solve(oscillator(), scheme, {.position = {1}}, {.end = 100, .output_count = 2});
    ASSERT_TRUE(run) << run.message;
    constexpr std::uint64_t per_step = requires { TypeParam::settles; } ? 2 : 1;
    EXPECT_LE(run.statistics.force_evaluations, per_step * 10'000 + 200);
}

TYPED_TEST(EveryMultistepScheme, MayFollowWhatGrowsByItself) {
    TypeParam scheme;
    scheme.step = 0.1;
    auto const growing = plain<1>([](auto const& q, auto) { return 100 * q[0]; });
    auto const run = solve(growing, scheme, {.position = {1}, .velocity = {10}}, {.end = 5, .output_count = 2});
    EXPECT_TRUE(run) << run.message;
}

TEST(Adams, IsRefusedBeyondItsStabilityOnSystemsOfFirstOrder) {
    auto const decay = plain_first_order<2>([](auto const& x, auto) { return std::array{-100 * x[0], -x[1]}; });
    auto const run = solve(decay, adams{.step = 0.1}, {{1, 1}}, {.end = 10, .output_count = 2});
    EXPECT_EQ(run.result, outcome::not_applicable) << run.message;
    EXPECT_TRUE(solve(decay, adams{.step = advised(run.message)}, {{1, 1}}, {.end = 10, .output_count = 2}));
}

// ---- solutions that their errors make grow ----

TEST(Growth, ByTheErrorsOfStepsIsToldWithItsTime) {
    auto const run = solve(oscillator(), dormand_prince{.rtol = 1e-2, .atol = 1e-2}, {.position = {1}},
                           {.end = 20'000, .output_count = 2});
    EXPECT_EQ(run.result, outcome::non_finite) << run.message;
    EXPECT_NE(run.message.find("escapes"), std::string::npos) << run.message;
    EXPECT_LT(largest(run), 1e5);
}
TEST(Growth, OfAFixedStepBeyondItsStabilityIsToldToo) {
    for (double const step : {2.01, 2.5}) {
        auto const run = solve(oscillator(), verlet{.step = step}, {.position = {1}}, {.end = 2000, .output_count = 2});
        EXPECT_EQ(run.result, outcome::non_finite) << run.message;
    }
}
TEST(Growth, ThatAForeignCodeCallsSuccessIsToldToo) {
    if (!has_sundials()) GTEST_SKIP() << "SUNDIALS is not here";
    auto const pendulum = model::vibrated_pendulum{.omega = 1e4}.system();
    auto const run =
        solve(pendulum, cvode_adams{.rtol = 1e-3, .atol = 1e-3}, {.position = {0.5}}, {.end = 1, .output_count = 2});
    EXPECT_TRUE(!run || largest(run) < 10) << run.message << ' ' << largest(run);
}
TEST(Growth, OfTheSolutionItselfIsNoFailure) {
    auto const growing = plain<1>([](auto const& q, auto) { return q[0]; });
    auto const flying = plain<1>([](auto const&, auto) { return 1; });
    auto const decay = plain_first_order<1>([](auto const& x, auto) { return std::array{x[0]}; });
    for (double const tolerance : {1e-2, 1e-6}) {
        dormand_prince const scheme{.rtol = tolerance, .atol = tolerance};
        EXPECT_TRUE(solve(growing, scheme, {.position = {1}}, {.end = 60, .output_count = 2}));
        EXPECT_TRUE(solve(flying, scheme, {.position = {1e-6}}, {.end = 1e5, .output_count = 2}));
        EXPECT_TRUE(solve(decay, scheme, {{1}}, {.end = 60, .output_count = 2}));
    }
    EXPECT_TRUE(solve(growing, verlet{.step = 0.01}, {.position = {1}}, {.end = 60, .output_count = 2}));
    EXPECT_TRUE(solve(growing, rk4{.step = 0.1}, {.position = {1}}, {.end = 60, .output_count = 2}));
}

// ---- bad input ----

template <class Stepper> class EveryPair : public testing::Test {};
using pairs = testing::Types<dormand_prince, dormand_prince_8, dop853, adaptive_rkn8, rkn12>;
TYPED_TEST_SUITE(EveryPair, pairs);

template <class Stepper> Stepper with(double rtol, double atol) {
    Stepper made;
    made.rtol = rtol;
    made.atol = atol;
    return made;
}

TYPED_TEST(EveryPair, TellsOfTolerancesBelowRounding) {
    for (auto const& [rtol, atol] : {std::array{1e-17, 1e-20}, std::array{0., 1e-18}}) {
        auto const run = solve(oscillator(), with<TypeParam>(rtol, atol), {.position = {1}},
                               {.end = 10, .output_count = 2, .max_evaluations = 5'000'000});
        EXPECT_EQ(std::ranges::count_if(run.warnings, [](auto const& each) { return each.code == "round_off"; }), 1);
        if (run) EXPECT_NEAR(run.position.back()[0], std::cos(10.), 1e-11);
        else EXPECT_NE(run.message.find("larger rtol"), std::string::npos) << run.message;
    }
}
TYPED_TEST(EveryPair, GoesByTheAbsoluteToleranceAlone) {
    auto const run = solve(oscillator(), with<TypeParam>(0, 1e-8), {.position = {1}}, {.end = 10, .output_count = 2});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(run.position.back()[0], std::cos(10.), 1e-6);
    EXPECT_FALSE(has_warning(run, "round_off"));
    EXPECT_THROW(static_cast<void>(solve(oscillator(), with<TypeParam>(0, 0), {.position = {1}}, {.end = 10})), misuse);
}
TYPED_TEST(EveryPair, LocatesAJumpOfTheForce) {
    auto const jump = plain<1>([](auto const& q, auto t) { return (t > 13.3 ? 1. : 0.) - q[0]; });
    auto const run = solve(jump, with<TypeParam>(1e-8, 1e-8), {.position = {1}}, {.end = 40, .output_count = 2});
    ASSERT_TRUE(run) << run.message;
    ASSERT_TRUE(has_warning(run, "force_jumps"));
    EXPECT_NEAR(run.warnings.front().time, 13.3, 1e-2) << run.warnings.front().sentence;
    double const exact = std::cos(40.) + 1 - std::cos(40 - 13.3);
    EXPECT_NEAR(run.position.back()[0], exact, 1e-5);
}
TYPED_TEST(EveryPair, SaysNothingOfJumpsWhereThereAreNone) {
    auto const orbit = plain<2>([](auto const& q, auto) {
        double const square = q[0] * q[0] + q[1] * q[1];
        return std::array{-q[0] / (square * std::sqrt(square)), -q[1] / (square * std::sqrt(square))};
    });
    for (double const e : {0.3, 0.9, 0.99}) {
        motion<std::array<double, 2>> const far{{1 + e, 0}, {0, std::sqrt((1 - e) / (1 + e))}};
        for (double const tolerance : {1e-4, 1e-8}) {
            auto const run = solve(orbit, with<TypeParam>(tolerance, tolerance), far, {.end = 40, .output_count = 2});
            EXPECT_FALSE(has_warning(run, "force_jumps")) << "eccentricity " << e << ", tolerance " << tolerance;
        }
    }
}
TYPED_TEST(EveryPair, TellsOfASingularityWithItsTime) {
    auto const fall = plain<1>([](auto const& q, auto) { return -1 / (q[0] * q[0]); });
    auto const run = solve(fall, with<TypeParam>(1e-8, 1e-8), {.position = {1}}, {.end = 10, .output_count = 2});
    EXPECT_EQ(run.result, outcome::step_too_small) << run.message;
    EXPECT_NEAR(run.end, std::numbers::pi / std::sqrt(8.), 1e-5); // two bodies at rest fall on each other
    EXPECT_NE(run.message.find("singularity"), std::string::npos) << run.message;
    auto const escape = plain<1>([](auto const& q, auto) { return 6 * q[0] * q[0]; });
    auto const gone = solve(escape, with<TypeParam>(1e-8, 1e-8), {.position = {1}, .velocity = {2}},
                            {.end = 10, .output_count = 2}); // (1 - t)^-2
    EXPECT_FALSE(gone);
    EXPECT_NEAR(gone.end, 1, 1e-5) << gone.message;
}
TYPED_TEST(EveryPair, TellsOfAStartThatOverflows) {
    auto const cubic = plain<1>([](auto const& q, auto) { return -q[0] * q[0] * q[0]; });
    auto const run = solve(cubic, with<TypeParam>(1e-6, 1e-6), {.position = {1e200}}, {.end = 1, .output_count = 2});
    EXPECT_EQ(run.result, outcome::non_finite) << run.message;
    EXPECT_EQ(run.end, 0);
    auto const large =
        solve(oscillator(), with<TypeParam>(1e-6, 1e-6), {.position = {1e308}}, {.end = 1, .output_count = 2});
    EXPECT_EQ(large.result, outcome::non_finite) << large.message;
    EXPECT_NE(large.message.find("overflows"), std::string::npos) << large.message;
}

} // namespace
