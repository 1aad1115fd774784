// The tables and figures of the papers on vibrations from problem files: the numbers and counts of the C++ models.
// Those on split, constrained and stiff systems stand with their kinds.

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;
using namespace lento_test;
using angle = motion<std::array<double, 1>>;

problem_run pendulum_file(int n, std::string const& omega, std::string const& window, std::string const& start,
                          problem_settings const& more = {}) {
    std::string const steps = std::to_string(n);
    problem_settings settings{"omega=" + omega, "initial.state=slow",
                              "method={ name = 'hmm', macro = { scheme = 'verlet', step = '1/" + steps +
                                  "' }, micro = { scheme = 'verlet', steps_per_period = " + steps +
                                  " }, window = " + window + ", start = '" + start + "' }"};
    settings.insert(settings.end(), more.begin(), more.end());
    return run_problem(load_problem("vibrated-pendulum", settings));
}
template <class Closure>
solution<angle> pendulum_code(model::vibrated_pendulum const& pendulum, int n, Closure closure) {
    return solve(effective(pendulum.system(), closure), verlet{.step = 1. / n}, {.position = {0.5}},
                 {.end = 1, .output_count = 11, .given = initial_state::slow});
}

TEST(PaperOne, TableTwoOne) {
    for (std::string const omega : {"1e4", "1e8"})
        for (int const n : {10, 40}) {
            model::vibrated_pendulum const pendulum{.omega = std::stod(omega), .phase = -std::numbers::pi / 2};
            window const view{.periods = 40, .steps_per_period = static_cast<double>(n)};
            expect_same(
                pendulum_file(n, omega, "{ kernel = 'exponential', periods = 40 }", "synchronous",
                              {"system.phase=-pi/2", "system.slow_velocity={ q = \"q' - vmax*sin(theta)*sin(q)/l\" }"}),
                pendulum_code(pendulum, n, synchronous{view, pendulum.slow_velocity()}),
                pendulum.vmax * pendulum.omega / pendulum.l);
        }
}

TEST(PaperOne, TableTwoTwo) {
    for (std::string const omega : {"1e4", "1e8"})
        for (int const n : {10, 40}) {
            model::vibrated_pendulum const pendulum{.omega = std::stod(omega)};
            window const view{.periods = 40, .steps_per_period = static_cast<double>(n)};
            expect_same(pendulum_file(n, omega, "{ kernel = 'exponential', periods = 40 }", "asynchronous"),
                        pendulum_code(pendulum, n, asynchronous{view}), pendulum.vmax * pendulum.omega / pendulum.l);
        }
}

TEST(PaperOne, TableTwoThree) {
    for (std::string const omega : {"1e3", "1e6", "1e8"})
        for (int const n : {10, 20, 40, 80}) {
            model::vibrated_pendulum const pendulum{.omega = std::stod(omega)};
            expect_same(pendulum_file(n, omega, "{ kernel = 'one-period' }", "asynchronous"),
                        pendulum_code(pendulum, n, asynchronous{one_period{.steps = n}}),
                        pendulum.vmax * pendulum.omega / pendulum.l);
        }
}

TEST(PaperFour, FiguresFourAndSix) {
    model::sine_pendulum const pendulum;
    angle const start{{0.0}, {-0.4}};
    window const view{.periods = 50, .steps_per_period = 50};
    auto const file = [&](std::string const& macro, std::string const& micro) {
        return run_problem(load_problem(
            "sine-pendulum",
            {"initial={ q = 0, \"q'\" = -0.4, state = 'slow' }", "time.end=12", "time.output=25",
             "method={ name = 'hmm', macro = { scheme = '" + macro + "', step = 0.05 }, micro = { scheme = '" + micro +
                 "', steps_per_period = 50 }, window = { kernel = 'exponential', periods = 50 }, start = 'synchronous' "
                 "}"}));
    };
    solve_options<angle> const options{.end = 12, .output_count = 25, .given = initial_state::slow};
    auto const with = [&](auto micro) {
        return effective(pendulum.system(), synchronous{view, pendulum.slow_velocity(), micro});
    };
    double const force = 1 / (pendulum.epsilon * pendulum.l);
    expect_same(file("euler", "verlet"), solve(with(verlet{}), euler{.step = 0.05}, start, options), force);
    expect_same(file("symplectic-euler", "rk4"), solve(with(rk4{}), symplectic_euler{.step = 0.05}, start, options),
                force);
    expect_same(file("verlet", "verlet"), solve(with(verlet{}), verlet{.step = 0.05}, start, options), force);
}

TEST(VibratedProblem, TheStroboscopeSeesItToo) {
    model::vibrated_pendulum const pendulum{.omega = 1e4};
    auto const code = solve(effective(pendulum.system(), stroboscopic{{.order = 2, .steps = 32}}), dormand_prince{},
                            {.state = {0.5, 0}}, {.end = 0.5, .output_count = 6});
    auto const file = run_problem(load_problem(
        "vibrated-pendulum", {"omega=1e4", "time.end=0.5", "time.output=6", "method={ name = 'stroboscopic' }"}));
    ASSERT_EQ(file.result, outcome::success) << file.message;
    ASSERT_EQ(file.statistics.force_evaluations, code.statistics.force_evaluations);
    for (std::size_t i = 0; i < code.t.size(); ++i) EXPECT_NEAR(file.position[i][0], code.state[i][0], 1e-9);
}

} // namespace
