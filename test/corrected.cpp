// Windows with what they miss measured over one period, and added: two powers of omega, and every call is counted.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/effective/corrected.hpp>
#include <lento/effective/effective.hpp>
#include <lento/problem/problem_error.hpp>
#include <lento/solve/solve.hpp>
#include <lento/stepper/lobatto.hpp>
#include <lento/stepper/rattle.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/shake.hpp>
#include <lento/system/constrained.hpp>
#include <lento/system/vibrated.hpp>

namespace {

using namespace lento;
using namespace lento_test;
using std::cos;
using std::sin;

constexpr double end_time = 2;
constexpr std::size_t rows = 8; // at odd phases

template <class Solution> double farthest(Solution const& run, Solution const& truth) {
    EXPECT_TRUE(run) << run.message;
    if (!run || !truth) return 1;
    double worst = 0;
    for (std::size_t k = 0; k < truth.t.size(); ++k)
        for (std::size_t i = 0; i < truth.position[k].size(); ++i)
            worst = std::max({worst, std::abs(run.position[k][i] - truth.position[k][i]),
                              0.1 * std::abs(run.velocity[k][i] - truth.velocity[k][i])});
    return worst;
}
template <class System> auto followed(System const& system, state_of<System> const& start) {
    return solve(system, dormand_prince_8{.rtol = 1e-13, .atol = 1e-15}, start,
                 {.end = end_time, .output_count = rows});
}
template <class System, class Closure>
auto averaged(System const& system, Closure const& closure, state_of<System> const& start) {
    auto const slow = effective(system, closure);
    solve_options<state_of<System>> const options{
        .end = end_time, .output_count = rows, .report = reported_state::full};
    if constexpr (constrained_motion<std::remove_cvref_t<decltype(slow)>>)
        return solve(slow, adaptive_lobatto4{.rtol = 1e-7, .atol = 1e-9}, start, options);
    else return solve(slow, dormand_prince_8{.rtol = 1e-10, .atol = 1e-12}, start, options);
}

/// Over a factor of 8 in omega the corrected error falls at least like the power, up to a half.
template <class Make, class Closure, class State>
void expect_power(Make const& make, Closure const& closure, State const& start, double power, double slowest = 50) {
    std::array<double, 2> errors{};
    for (std::size_t k = 0; k < 2; ++k) {
        double const omega = k == 0 ? slowest : 8 * slowest;
        auto const system = make(omega);
        if constexpr (constrained_motion<std::remove_cvref_t<decltype(system)>>)
            errors[k] = farthest(averaged(system, corrected{closure}, start), followed(underlying(system), start));
        else errors[k] = farthest(averaged(system, corrected{closure}, start), followed(system, start));
    }
    EXPECT_GT(std::log(errors[0] / errors[1]) / std::log(8), power - 0.5)
        << errors[0] << " at " << slowest << ", " << errors[1] << " at " << 8 * slowest;
}

using one = motion<std::array<double, 1>>;
centred const well_resolved{one_period{.steps = 81}, rk4{}};

auto swing(double w) {
    return vibrated<1>({.frequency = w, .phase = 0.7},
                       [=](auto const& q, auto theta) { return 2 * sin(q[0]) + w * cos(theta) * sin(q[0] - 0.4); });
}

// ---- powers of omega ----

TEST(CorrectedWindows, HaveFourPowersWhereCentredOnesHaveTwo) {
    expect_power(swing, well_resolved, one{{0.5}, {0.2}}, 4);
}

TEST(CorrectedWindows, HaveThreePowersWhereAsynchronousOnesHaveOne) {
    auto const even = [](double w) {
        return vibrated<1>({.frequency = w},
                           [=](auto const& q, auto theta) { return 2 * sin(q[0]) + w * cos(theta) * sin(q[0] - 0.4); });
    };
    expect_power(even, asynchronous{one_period{.steps = 81}, rk4{}}, one{{0.5}, {0.2}}, 3);
}

TEST(CorrectedWindows, FollowASlowTime) {
    auto const make = [](double w) {
        return vibrated<1>({.frequency = w, .phase = -2}, with_time([=](auto const& q, auto theta, auto t) {
                               return sin(q[0]) * (1 + (1.5 + 0.5 * sin(t)) * w * cos(theta)) + 0.3 * cos(t);
                           }));
    };
    expect_power(make, well_resolved, one{{0.5}, {0.2}}, 3);
}

TEST(CorrectedWindows, FollowForcesOfVelocityInSynchronousWindows) {
    auto const make = [](double w) {
        return vibrated<1>({.frequency = w}, with_velocity([=](auto const& q, auto const& v, auto theta, auto) {
                               return 2 * sin(q[0]) + w * cos(theta) * sin(q[0] - 0.4) - 0.3 * v[0];
                           }));
    };
    window const over{.kernel = exponential{.moments = 3}, .periods = 20, .steps_per_period = 24};
    expect_power(make, synchronous{over, found_numerically{}, rk4{}}, one{{0.5}, {0.2}}, 3, 130);
}

TEST(CorrectedWindows, FollowSeveralHarmonicsWithAMass) {
    auto const make = [](double w) {
        return vibrated<2>({.frequency = w}, mass({2., 0.7}), [=](auto const& q, auto theta) {
            return std::array<double, 2>{-q[0] + w * (cos(theta) + 0.4 * sin(2 * theta)) * sin(q[0] - q[1]),
                                         -2 * q[1] + w * cos(theta) * cos(q[0])};
        });
    };
    expect_power(make, well_resolved, motion<std::array<double, 2>>{{0.5, -0.2}, {0.1, 0.3}}, 3);
}

TEST(CorrectedWindows, FollowPhasesWithACommonPeriod) {
    auto const make = [](double w) {
        return vibrated<1, 2>({.frequencies = {w, 2 * w}, .phases = {0.3, 0.6}}, [=](auto const& q, auto const& theta) {
            return -sin(q[0]) + w * (cos(theta[0]) * sin(q[0]) + cos(theta[1]) * cos(q[0]));
        });
    };
    // an even number of steps samples the common period
    expect_power(make, centred{one_period{.steps = 80}, rk4{}}, one{{0.5}, {0.2}}, 3);
}

/// A bead on a vibrated sphere, with constraint forces in the windows.
auto bead(double w) {
    return constrain(vibrated<3>({.frequency = w, .phase = 0.4},
                                 [=](auto const& q, auto theta) {
                                     double const shaken = w * cos(theta);
                                     return std::array<double, 3>{0.5 * shaken * q[2], 0.3 * shaken,
                                                                  -1 - 2 * shaken + 0.2 * q[0]};
                                 }),
                     constraints<1>([](auto const& q) { return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.; }));
}
motion<std::array<double, 3>> const on_sphere{{0.6, 0, 0.8}, {0, 0.5, 0}};

TEST(CorrectedWindows, FollowABeadOnASphereByShake) {
    // SHAKE's own error, 1/n^2 at every omega, is a part of what windows miss: two powers of omega are gained on it too
    expect_power(bead, centred{one_period{.steps = 64}, shake{}}, on_sphere, 2);
    for (double const omega : {50., 400.}) {
        auto const system = bead(omega);
        auto const truth = followed(underlying(system), on_sphere);
        centred const windows{one_period{.steps = 64}, shake{}};
        auto const run = averaged(system, corrected{windows}, on_sphere);
        EXPECT_LT(farthest(run, truth), farthest(averaged(system, windows, on_sphere), truth) / 50);
        for (auto const& q : run.position) EXPECT_NEAR(std::hypot(q[0], q[1], q[2]), 1, 1e-12);
    }
    expect_power(bead, centred{one_period{.steps = 64}, rattle{}}, on_sphere, 2);
}

// ---- cost and rounding ----

TEST(CorrectedWindows, CountEveryCallOfTheForce) {
    for (double const omega : {200., 2000.}) {
        std::uint64_t calls = 0;
        auto const system = vibrated<1>({.frequency = omega, .phase = 0.7}, [&calls, omega](auto const& q, auto theta) {
            ++calls;
            return 2 * sin(q[0]) + omega * cos(theta) * sin(q[0] - 0.4);
        });
        auto const run = averaged(system, corrected{well_resolved}, one{{0.5}, {0.2}});
        ASSERT_TRUE(run) << run.message;
        EXPECT_EQ(run.statistics.force_evaluations, calls);
    }
}

TEST(CorrectedWindows, CostTheSameAtEveryFrequency) {
    auto const cost = [](double omega) {
        auto const run = solve(effective(swing(omega), corrected{well_resolved}), rk4{.step = 0.1}, one{{0.5}, {0.2}},
                               {.end = end_time});
        EXPECT_TRUE(run) << run.message;
        return static_cast<double>(run.statistics.force_evaluations);
    };
    double const usual = cost(1e3);
    EXPECT_LT(cost(1e5), 1.2 * usual);
    EXPECT_LT(cost(1e8), 1.2 * usual);
}

TEST(CorrectedWindows, AreWindowsWhereACorrectionWouldBeRounding) {
    for (double const omega : {1e6, 1e8}) {
        auto const run = [&](auto const& closure) {
            return solve(effective(swing(omega), closure), rk4{.step = 0.05}, one{{0.5}, {0.2}},
                         {.end = end_time, .output_count = rows, .given = initial_state::slow});
        };
        auto const plain = run(well_resolved);
        auto const same = run(corrected{well_resolved});
        ASSERT_TRUE(plain && same) << same.message;
        EXPECT_EQ(same.position, plain.position) << omega;
    }
}

// ---- from files ----

std::string const pendulum_file = R"toml(
[system]
kind = "vibrated"
coordinates = ["q"]
frequency = 300
force.q = "2*sin(q) + 300*cos(theta)*sin(q - 0.4)"
[initial]
q = 0.5
"q'" = 0.2
[time]
end = 2
output = 8
report = "full"
)toml";
std::string const bead_file = R"toml(
[system]
kind = "vibrated"
coordinates = ["x", "y", "z"]
frequency = 200
phase = 0.4
force.x = "100*cos(theta)*z"
force.y = "60*cos(theta)"
force.z = "-1 - 400*cos(theta) + 0.2*x"
constraints = ["x^2 + y^2 + z^2 - 1"]
[initial]
x = 0.6
y = 0
z = 0.8
"y'" = 0.5
[time]
end = 2
output = 8
report = "full"
)toml";
std::string const finely = "macro = { scheme = 'dormand-prince-8', rtol = 1e-9, atol = 1e-11 } }";

TEST(CorrectedWindowsFromFile, AreThoseOfCode) {
    auto const direct = solved_text(pendulum_file, {"method={ name = 'direct', " + finely});
    std::string const windows = "name = 'hmm', micro = { scheme = 'rk4', steps_per_period = 81 }, ";
    auto const plain = solved_text(
        pendulum_file, {"method={ " + windows + "start = 'centred', window = { kernel = 'one-period' }, " + finely});
    auto const run = solved_text(
        pendulum_file, {"method={ " + windows + "window = { kernel = 'one-period', corrected = true }, " + finely});
    EXPECT_EQ(run.used("start")->text, "centred");
    EXPECT_TRUE(run.used("window.corrected")->truth);
    EXPECT_LT(largest_difference(run, direct), largest_difference(plain, direct) / 100);
    auto const by_steps = solved_text(pendulum_file, {"method={ " + windows +
                                                      "window = { kernel = 'one-period', corrected = true }, macro = { "
                                                      "scheme = 'rk4', step = 0.05 } }"});
    auto const code = solve(effective(vibrated<1>({.frequency = 300},
                                                  [](auto const& q, auto theta) {
                                                      return 2 * sin(q[0]) + 300 * cos(theta) * sin(q[0] - 0.4);
                                                  }),
                                      corrected{well_resolved}),
                            rk4{.step = 0.05}, one{{0.5}, {0.2}},
                            {.end = end_time, .output_count = rows, .report = reported_state::full});
    EXPECT_EQ(by_steps.statistics.effective_evaluations, code.statistics.effective_evaluations);
    for (std::size_t k = 0; k < rows; ++k) EXPECT_NEAR(by_steps.position[k][0], code.position[k][0], 1e-9);
}

TEST(CorrectedWindowsFromFile, KeepConstraints) {
    auto const direct = solved_text(
        bead_file, {"method={ name = 'direct', macro = { scheme = 'lobatto4', rtol = 1e-9, atol = 1e-11 } }"});
    auto const plain = solved_text(
        bead_file, {"method={ name = 'hmm', window = { kernel = 'one-period' }, macro = { rtol = 1e-7 } }"});
    auto const run = solved_text(
        bead_file, {"method={ name = 'hmm', window = { kernel = 'one-period', corrected = true }, " + finely});
    ASSERT_EQ(run.result, outcome::success) << run.message;
    EXPECT_LT(largest_difference(run, direct), largest_difference(plain, direct) / 50);
    ASSERT_EQ(run.multipliers.size(), run.t.size());
    for (std::size_t k = 0; k < run.t.size(); ++k)
        EXPECT_NEAR(run.multipliers[k][0], direct.multipliers[k][0], 1e-3 * std::abs(direct.multipliers[k][0]) + 1e-2);
}

TEST(CorrectedWindowsFromFile, AreReadBack) {
    auto const run = solved_text(pendulum_file, {"method={ name = 'hmm', window = { kernel = 'one-period', corrected = "
                                                 "true }, macro = { scheme = 'rk4', step = 0.1 } }"});
    ASSERT_EQ(run.result, outcome::success) << run.message;
    auto again = read_problem(pendulum_file, "again");
    again.method = run.method;
    auto const second = run_problem(again);
    EXPECT_EQ(second.position.back(), run.position.back());
}

TEST(CorrectedWindowsFromFile, RefuseWhatTheyDoNotServe) {
    auto const refusal = [](std::string const& text, std::string const& method) -> std::string {
        try {
            auto const run = solved_text(text, {"method={ name = 'hmm', " + method + " }"});
            return run.result == outcome::success ? "" : run.message;
        } catch (std::exception const& error) { return error.what(); }
    };
    EXPECT_NE(refusal(pendulum_file, "window = { kernel = 'picard', corrected = true }").find("orders of its own"),
              std::string::npos);
    std::string two = pendulum_file;
    two.replace(two.find("frequency = 300"), 15, "frequencies = [300, 485.4]");
    two.replace(two.find("300*cos(theta)"), 14, "300*cos(theta1)*cos(theta2)");
    std::string const told = refusal(two, "window = { corrected = true }, start = 'asynchronous'");
    EXPECT_NE(told.find("have none in common"), std::string::npos) << told;
}

// ---- where it ends ----

TEST(CorrectedWindows, NeedAPeriod) {
    auto const two = vibrated<1, 2>({.frequencies = {100, 161.8}}, [](auto const& q, auto const& theta) {
        return -sin(q[0]) + 100 * cos(theta[0]) * cos(theta[1]);
    });
    window const over{.kernel = exponential{}, .periods = 20, .steps_per_period = 24};
    try {
        static_cast<void>(effective(two, corrected{asynchronous{over}}));
        FAIL() << "accepted";
    } catch (does_not_apply const& refused) {
        EXPECT_NE(std::string(refused.what()).find("100, 161.8 have none in common"), std::string::npos);
    }
}

TEST(CorrectedWindows, TellWhereOneCannotResolveThePeriod) {
    auto const kicked = vibrated<1>({.frequency = 200}, [](auto const& q, auto theta) {
        return -q[0] + (cos(theta) > 0.3 ? 300 : -200) * sin(q[0]);
    });
    auto const run = solve(effective(kicked, corrected{centred{one_period{.steps = 400}}}), rk4{.step = 0.1},
                           one{{0.5}, {0.}}, {.end = 0.2});
    bool const told = std::any_of(run.warnings.begin(), run.warnings.end(),
                                  [](warning const& each) { return each.code == "rough_correction"; });
    EXPECT_TRUE(told || !run) << run.message;
}

TEST(CorrectedWindows, SayWhereTheOscillationIsNotSmall) {
    auto const run =
        solve(effective(vibrated<1>({.frequency = 5}, [](auto const& q, auto theta) { return 60 * cos(theta) * q[0]; }),
                        corrected{well_resolved}),
              rk4{.step = 0.1}, one{{0.5}, {0.}}, {.end = 10});
    EXPECT_EQ(run.result, outcome::not_applicable);
    EXPECT_NE(run.message.find("no slow state"), std::string::npos) << run.message;
}

TEST(CorrectedWindows, RefuseAStartOffTheConstraints) {
    auto const slow = effective(bead(200), corrected{centred{one_period{.steps = 64}, shake{}}});
    EXPECT_THROW(static_cast<void>(solve(slow, rk4{.step = 0.1}, {{0.6, 0, 0.9}, {0, 0.5, 0}}, {.end = 1})), misuse);
}

} // namespace
