// Kernels of windows, from problem files: those that know their own length, and the notch.

#include <cmath>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/lento.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;
using namespace lento_test;

TEST(ChebyshevWindow, OfAVibratedSystemIsTheLibrarysAndHalfAsLongAsASmoothOne) {
    std::string const macro = "method.macro={ scheme = 'rkn4', step = 0.01 }";
    auto const file = solved("vibrated-pendulum", {macro, "method.start=centred",
                                                   "method.window={ kernel = 'chebyshev', attenuation = 1e-10 }"});
    double const omega = 1e6;
    auto const pendulum = vibrated<1>({.frequency = omega}, [=](auto const& q, auto theta) {
        return (9.8 + 4 * omega * std::cos(theta)) * std::sin(q[0]) / 0.2;
    });
    auto const slow =
        effective(pendulum, centred(window{.kernel = chebyshev{.attenuation = 1e-10}, .steps_per_period = 32}, rk4{}));
    auto const code = solve(slow, rkn4{.step = 0.01}, {.position = {0.5}}, {.end = 1, .output_count = 11});
    ASSERT_EQ(file.t.size(), code.t.size());
    for (std::size_t row = 0; row < code.t.size(); ++row)
        EXPECT_NEAR(file.position[row][0], code.position[row][0], 1e-7) << code.t[row];
    EXPECT_EQ(file.statistics.force_evaluations, code.statistics.force_evaluations);

    // the oscillating force is 1e5 times the mean one
    auto const exact = solved("vibrated-pendulum", {macro});
    EXPECT_LT(largest_difference(file, exact), 1e-3);
    EXPECT_TRUE(file.warnings.empty());
    auto const smooth = solved("vibrated-pendulum", {macro, "method.start=centred", "method.window.periods=40"});
    EXPECT_LT(largest_difference(smooth, exact), 1e-3);
    EXPECT_LT(2 * file.statistics.micro_steps, smooth.statistics.micro_steps);
}

TEST(ChebyshevWindow, OfAStiffSystemFollowsTheSlowestSpring) {
    problem_settings const common{"time.end=1", "time.output=3", "omega=1e3"};
    auto const with = [&](std::string const& method) {
        auto settings = common;
        settings.push_back("method=" + method);
        return solved("two-springs", settings);
    };
    auto const exact = with("{ name = 'ipa', macro = { scheme = 'rk4', step = 0.02 } }");
    auto const smooth = with("{ name = 'ipa', macro = { scheme = 'rk4', step = 0.02 }, window = { kernel = "
                             "'exponential', moments = 3, periods = 20 } }");
    auto const low =
        with("{ name = 'ipa', macro = { scheme = 'rk4', step = 0.02 }, window = { kernel = 'chebyshev' } }");
    EXPECT_LT(largest_difference(low, exact), 1e-6);
    auto const each = [](problem_run const& run) {
        return static_cast<double>(run.statistics.micro_steps) /
               static_cast<double>(run.statistics.projection_iterations);
    };
    EXPECT_LT(each(low), each(smooth));
}

TEST(ChebyshevWindow, TakesALengthWhereOneIsGiven) {
    auto const steps = [](std::string const& window) {
        auto const run =
            solved("vibrated-pendulum", {"method.macro={ scheme = 'rkn4', step = 0.05 }", "method.start=centred",
                                         "method.window=" + window, "time.end=0.1", "time.output=2"});
        return run.statistics.micro_steps;
    };
    EXPECT_EQ(steps("{ kernel = 'chebyshev', attenuation = 1e-4, periods = 12, unchecked = true }"),
              steps("{ kernel = 'exponential', periods = 12, unchecked = true }"));
}

TEST(NotchWindow, IsTheProjectionThatFollowsLoads) {
    problem_settings const common{"time.end=1", "time.output=3"};
    auto const with = [&](std::string const& method) {
        auto settings = common;
        settings.push_back("method={ name = 'ipa', " + method + " }");
        return solved("two-springs", settings);
    };
    auto const notch = with("window = { kernel = 'notch' }");
    auto const loads = with("projection = { loads = 4 }");
    EXPECT_EQ(notch.statistics.force_evaluations, loads.statistics.force_evaluations);
    EXPECT_EQ(largest_difference(notch, loads), 0);
    auto const published = with("window = { kernel = 'cubic' }");
    EXPECT_LT(notch.statistics.force_evaluations, published.statistics.force_evaluations);
    EXPECT_LT(largest_difference(notch, published), 1e-4);
}

} // namespace
