// Rows between steps: as accurate as the steps, for every scheme, on both scales, in the first and last steps too.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>

namespace {

using namespace lento;

// ---- motions that are known between steps too ----

/// An orbit of eccentricity 0.3, by Kepler's equation.
struct orbit {
    static constexpr double e = 0.3;
    static constexpr double end = 30;
    static auto system() {
        return plain<2>([](auto const& q, auto) {
            double const square = q[0] * q[0] + q[1] * q[1];
            double const cube = square * std::sqrt(square);
            return std::array<double, 2>{-q[0] / cube, -q[1] / cube};
        });
    }
    static motion<std::array<double, 2>> at(double time) {
        long double const t = time;
        long double angle = t;
        for (int k = 0; k < 50; ++k) angle -= (angle - e * std::sin(angle) - t) / (1 - e * std::cos(angle));
        long double const b = std::sqrt(1 - static_cast<long double>(e) * e);
        long double const r = 1 - e * std::cos(angle);
        return {{double(std::cos(angle) - e), double(b * std::sin(angle))},
                {double(-std::sin(angle) / r), double(b * std::cos(angle) / r)}};
    }
};
/// Growth with the seasons, and a turning pointer: a system of first order.
struct seasons {
    static constexpr double end = 20;
    static auto system() {
        return plain_first_order<3>(
            [](auto const& x, auto t) { return std::array<double, 3>{x[0] * std::cos(t), -2 * x[2], 2 * x[1]}; });
    }
    static point<std::array<double, 3>> at(double t) {
        return {{std::exp(std::sin(t)), std::cos(2 * t), std::sin(2 * t)}};
    }
};
/// The slow motion of a vibrated pendulum; its truth comes from steps that end where the rows are.
struct slow_pendulum {
    static constexpr double end = 1.2;
    static auto system() { return effective(model::vibrated_pendulum{.omega = 1e4}.system(), picard{}); }
    static motion<std::array<double, 1>> at(double t) {
        static auto const truth = [] {
            return solve(system(), composition6{.step = end / 1440}, {.position = {0.5}, .velocity = {0.3}},
                         {.end = end, .given = initial_state::slow, .dense = true});
        }();
        return truth.at(t);
    }
};

template <class State> double distance(State const& a, State const& b) {
    double worst = 0;
    detail::for_each_part(a, [&](auto part) {
        for (std::size_t i = 0; i < part(a).size(); ++i) worst = std::max(worst, std::abs(part(a)[i] - part(b)[i]));
    });
    return worst;
}
template <class State> State row_of(solution<State> const& run, std::size_t i) {
    if constexpr (State::is_motion) return {run.position.at(i), run.velocity.at(i)};
    else return {run.state.at(i)};
}

/// The largest errors at the ends of steps, of rows between them, and of what dense output says there.
struct errors {
    double at_steps = 0;
    double of_rows = 0;
    double of_dense_output = 0;
};
template <class Problem, class Stepper> errors errors_of(Stepper const& stepper, std::size_t rows) {
    auto const start = Problem::at(0);
    auto const run_with = [&](std::size_t count, bool dense) {
        auto run = solve(Problem::system(), stepper, start,
                         {.end = Problem::end, .output_count = count, .given = initial_state::slow, .dense = dense});
        EXPECT_TRUE(run) << run.message;
        return run;
    };
    auto const worst_of = [](auto const& run) {
        double worst = 0;
        for (std::size_t i = 0; i < run.t.size(); ++i)
            worst = std::max(worst, distance(row_of(run, i), Problem::at(run.t[i])));
        return worst;
    };
    auto const steps = run_with(0, false);
    auto const between = run_with(rows, false);
    EXPECT_EQ(distance(row_of(steps, steps.t.size() - 1), row_of(between, rows - 1)), 0); // rows change no step
    auto const dense = run_with(0, true);
    errors found{worst_of(steps), worst_of(between), 0};
    for (double const t : between.t)
        found.of_dense_output = std::max(found.of_dense_output, distance(dense.at(t), Problem::at(t)));
    return found;
}

/// The largest component of a motion.
template <class Problem> double size_of() {
    double size = 0;
    for (int k = 0; k <= 200; ++k) {
        auto const x = Problem::at(Problem::end * k / 200);
        size = std::max(size, distance(x, decltype(x){}));
    }
    return size;
}

/// The law. What rounding makes of a polynomial through a dozen data is left alone.
template <class Problem, class Stepper> void expect_rows_like_steps(Stepper const& stepper) {
    static double const rounding = 512 * std::numeric_limits<double>::epsilon() * size_of<Problem>();
    for (std::size_t const rows : {12U, 480U}) {
        auto const found = errors_of<Problem>(stepper, rows);
        double const allowed = 3 * found.at_steps + rounding;
        EXPECT_LT(found.of_rows, allowed) << rows << " rows";
        EXPECT_LT(found.of_dense_output, allowed) << rows << " times";
    }
}

template <class Stepper> class EveryScheme : public testing::Test {};
using schemes =
    testing::Types<verlet, rk4, rkn6, rkn8, fixed_rkn12, composition6, composition8, stormer6, stormer8, cowell8,
                   fixed_dormand_prince_8, dormand_prince, dormand_prince_8, dop853, adaptive_rkn8, rkn12>;
TYPED_TEST_SUITE(EveryScheme, schemes);

/// Runs a law with steps from as long as a method may be used with to short ones, on a scale of time.
template <class Stepper, class Law> void with_all_steps(double scale, Law const& law) {
    Stepper stepper;
    if constexpr (Stepper::is_adaptive) {
        for (double const tolerance : {1e-3, 1e-6, 1e-9}) {
            SCOPED_TRACE("tolerance " + std::to_string(std::log10(tolerance)));
            stepper.rtol = stepper.atol = tolerance;
            law(stepper);
        }
    } else {
        constexpr bool multistep = requires { Stepper::history; };
        constexpr int order = Stepper::order;
        double const longest = multistep || order <= 2 ? 0.2 : order <= 4 ? 0.4 : order <= 6 ? 0.6 : order <= 8 ? 1 : 2;
        for (double const share : {1., 0.5, 0.23}) {
            SCOPED_TRACE("step " + std::to_string(longest * scale * share));
            stepper.step = longest * scale * share;
            law(stepper);
        }
    }
}

TYPED_TEST(EveryScheme, IsAsAccurateBetweenStepsAsAtThem) {
    with_all_steps<TypeParam>(1, [](auto const& stepper) { expect_rows_like_steps<orbit>(stepper); });
}
TYPED_TEST(EveryScheme, IsAsAccurateBetweenMacroStepsAsAtThem) {
    with_all_steps<TypeParam>(1. / 12, [](auto const& stepper) { expect_rows_like_steps<slow_pendulum>(stepper); });
}

template <class Stepper> class EverySchemeOfFirstOrderSystems : public testing::Test {};
using general_schemes = testing::Types<rk4, fixed_dormand_prince_8, dormand_prince, dormand_prince_8, dop853>;
TYPED_TEST_SUITE(EverySchemeOfFirstOrderSystems, general_schemes);

TYPED_TEST(EverySchemeOfFirstOrderSystems, IsAsAccurateBetweenStepsAsAtThem) {
    with_all_steps<TypeParam>(1, [](auto const& stepper) { expect_rows_like_steps<seasons>(stepper); });
}

// ---- what rows cost ----

/// Evaluations of a run of the orbit, and how many more some rows need; all of them counted.
struct cost {
    std::uint64_t run = 0;
    std::uint64_t rows = 0;
    std::uint64_t steps = 0;
};
template <class Stepper> cost cost_of(Stepper const& stepper, std::size_t rows) {
    std::uint64_t calls = 0;
    auto const system = plain<2>([&calls](auto const& q, auto) {
        ++calls;
        double const square = q[0] * q[0] + q[1] * q[1];
        double const cube = square * std::sqrt(square);
        return std::array<double, 2>{-q[0] / cube, -q[1] / cube};
    });
    auto const counted = [&](std::size_t count) {
        calls = 0;
        auto const run = solve(system, stepper, orbit::at(0), {.end = orbit::end, .output_count = count});
        EXPECT_EQ(run.statistics.force_evaluations, calls);
        return run.statistics;
    };
    auto const bare = counted(1);
    return {bare.force_evaluations, counted(rows).force_evaluations - bare.force_evaluations, bare.macro_steps};
}

/// What it takes to measure the error of steps: the first, second, fourth ... doubtful one once more in halves.
std::uint64_t looks(std::uint64_t stages, std::uint64_t doubtful) {
    return 2 * stages * static_cast<std::uint64_t>(std::bit_width(doubtful));
}

TEST(Rows, CostNothingBetweenShortSteps) {
    EXPECT_EQ(cost_of(verlet{.step = 0.1}, 1000).rows, 0U);
    EXPECT_EQ(cost_of(dormand_prince{.rtol = 1e-6, .atol = 1e-6}, 1000).rows, 0U);
    EXPECT_EQ(cost_of(rkn8{.step = 0.02}, 1000).rows, 0U);
}
TEST(Rows, CostALookNowAndThenWhereInterpolationIsGoodEnough) {
    auto const adaptive = cost_of(adaptive_rkn8{.rtol = 1e-9, .atol = 1e-9}, 1000);
    EXPECT_LE(adaptive.rows, looks(8, adaptive.steps));
    auto const fixed = cost_of(rkn8{.step = 0.05}, 1000);
    EXPECT_LE(fixed.rows, looks(9, fixed.steps));
}
TEST(Rows, CostAShorterStepEachWhereTheyAreFew) {
    auto const found = cost_of(rkn12{.rtol = 1e-6, .atol = 1e-6}, 5);
    EXPECT_LE(found.rows, 5 * 16U + 1 + looks(17, 5));
}
TEST(Rows, CostAFewShorterStepsPerStepWhereTheyAreMany) {
    for (std::size_t const rows : {1000U, 10000U}) {
        auto const found = cost_of(rkn12{.rtol = 1e-6, .atol = 1e-6}, rows);
        EXPECT_GT(found.rows, 0U);
        EXPECT_LE(found.rows, 5 * 17 * found.steps + 17);
    }
}

} // namespace
