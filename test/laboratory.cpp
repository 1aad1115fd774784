// Problems as laboratories have them, with nothing said of the method: right over the whole run, in the units in which
// they are written, and at no more than a direct run costs.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solved.hpp"

namespace {

using namespace lento;
using namespace lento_test;

problem_run directly(problem what, double rtol, double atol) {
    what.estimate = false;
    what.report = reported_state::full;
    what.method =
        entry("method", {entry("name", "direct"),
                         entry("macro", {entry("scheme", "dop853"), entry("rtol", rtol), entry("atol", atol)})});
    return run_problem(what);
}
/// The largest error of a coordinate over its largest size.
double relative_error(problem const& what, problem_run const& run, problem_run const& truth) {
    double worst = 0;
    for (std::size_t i = 0; i < what.size; ++i) {
        double size = 0;
        double error = 0;
        for (std::size_t k = 0; k < truth.t.size(); ++k) {
            size = std::max(size, std::abs(truth.position[k][i]));
            error = std::max(error, std::abs(run.position[k][i] - truth.position[k][i]));
        }
        if (size > 0) worst = std::max(worst, error / size);
    }
    return worst;
}
std::uint64_t all_evaluations(problem_run const& run) {
    return run.statistics.force_evaluations + run.estimate_evaluations;
}

TEST(VibratedPendulum, IsRightInFullWhereLaboratoriesWork) {
    for (auto const* omega : {"200", "500", "1000", "2000", "5000"}) {
        auto const what = load_problem("vibrated-pendulum", {std::string("omega=") + omega, "accuracy.rtol=1e-6",
                                                             "accuracy.atol=1e-9", "time.report=\"full\""});
        auto const run = run_problem(what);
        ASSERT_EQ(run.result, outcome::success) << omega << run.message;
        EXPECT_LT(relative_error(what, run, directly(what, 1e-13, 1e-15)), 1e-5) << omega;
        EXPECT_TRUE(run.warnings.empty()) << omega << run.warnings.front().sentence;
    }
}

/// Two ions of calcium in a radio-frequency trap, cooled, in metres and seconds: they are 5e-6 m apart.
std::string const trap = R"toml(
[parameters]
q = 0.1
Omega = "2*pi*2e7"
coulomb = 3.4722e-3
damping = 2e4
[system]
kind = "vibrated"
coordinates = ["x[1..2]", "y[1..2]"]
frequency = "Omega"
define.r = "hypot(x[1] - x[2], y[1] - y[2])"
force."x[i]" = "-Omega^2/2*q*cos(theta)*x[i] - 2*damping*x[i]'"
force."y[i]" = "Omega^2/2*q*cos(theta)*y[i] - 2*damping*y[i]'"
force."x[1]" = "coulomb*(x[1] - x[2])/r^3"
force."x[2]" = "coulomb*(x[2] - x[1])/r^3"
force."y[1]" = "coulomb*(y[1] - y[2])/r^3"
force."y[2]" = "coulomb*(y[2] - y[1])/r^3"
[initial]
"x[1]" = "2.5e-6*(0.1/q)^(2/3)"
"x[2]" = "-2.6e-6*(0.1/q)^(2/3)"
"y[1]" = "0.4e-6*(0.1/q)^(2/3)"
"y[2]" = "-0.2e-6*(0.1/q)^(2/3)"
[time]
end = "4e-6*0.1/q"
output = 41
report = "full"
[accuracy]
rtol = 1e-4
atol = 1e-12
)toml";

TEST(PaulTrap, KeepsTwoIonsAtEveryStrengthInMetresAndSeconds) {
    for (auto const* strength : {"0.03", "0.1", "0.3"}) {
        auto const what = read_problem(trap, "trap", {std::string("q=") + strength});
        auto const run = run_problem(what);
        ASSERT_EQ(run.result, outcome::success) << strength << run.message;
        auto const truth = directly(what, 1e-12, 1e-20);
        ASSERT_EQ(truth.result, outcome::success) << strength << truth.message;
        double const error = relative_error(what, run, truth);
        EXPECT_LT(error, 1e-4) << strength << " by " << run.method_name();
        ASSERT_TRUE(run.error_estimate.has_value()) << strength;
        EXPECT_GT(run.error_estimate->total, error / 10) << strength;
        EXPECT_LT(run.error_estimate->ratio, 3) << strength;
    }
}

/// A micromechanical resonator of 100 kHz, driven at resonance from rest: it rings up over Q periods.
std::string const resonator = R"toml(
[parameters]
w = "2*pi*1e5"
Q = 1e4
push = 1e3
[system]
kind = "plain"
coordinates = ["x"]
frequency = "w"
force.x = "-w^2*x - w/Q*x' + push*cos(w*t)"
[initial]
x = 0
[time]
end = 0.1
output = 21
[accuracy]
rtol = 1e-3
atol = 1e-13
)toml";

TEST(Resonator, RingsUpFromRest) {
    auto const what = read_problem(resonator, "resonator");
    auto const run = run_problem(what);
    ASSERT_EQ(run.result, outcome::success) << run.message;
    double const w = 2 * M_PI * 1e5;
    double const quality = 1e4;
    double const final = 1e3 * quality / (w * w);
    double const decay = w / (2 * quality);
    double const turning = std::sqrt(w * w - decay * decay);
    for (std::size_t k = 0; k < run.t.size(); ++k) {
        double const t = run.t[k];
        double const exact = final * (std::sin(w * t) - w / turning * std::exp(-decay * t) * std::sin(turning * t));
        EXPECT_NEAR(run.position[k][0], exact, 1e-3 * final) << t << " by " << run.method_name();
    }
    auto const direct = directly(what, 1e-11, 1e-21); // as accurate
    EXPECT_LT(run.statistics.force_evaluations, 1.5 * static_cast<double>(direct.statistics.force_evaluations));
    EXPECT_LT(all_evaluations(run), 4 * direct.statistics.force_evaluations);
}

/// A satellite of a flattened Earth, as one measures it: metres, seconds, and its period as a hint.
std::string const satellite = R"toml(
[parameters]
mu = 3.986004418e14
R = 6.378137e6
J2 = 1.08263e-3
a = 7e6
year = 31557600
years = 2
[system]
kind = "plain"
coordinates = ["x", "y", "z"]
period = "2*pi*sqrt(a^3/mu)"
define.r = "sqrt(x^2 + y^2 + z^2)"
potential = "-mu/r + mu*J2*R^2/(2*r^3)*(3*z^2/r^2 - 1)"
[initial]
x = "a"
y = 0
z = 0
"y'" = "sqrt(mu/a)*0.6"
"z'" = "sqrt(mu/a)*0.8"
[time]
end = "years*year"
output = 21
[accuracy]
rtol = 1e-3
atol = 1e-3
)toml";

TEST(Satellite, CostsNoMoreThanItsDirectRunOverYears) {
    auto const what = read_problem(satellite, "satellite");
    auto const run = run_problem(what);
    ASSERT_EQ(run.result, outcome::success) << run.message;
    auto plain = read_problem(satellite, "satellite", {"method.name=\"direct\"", "accuracy.rtol=1e-10"});
    plain.atol = 1e-10 * 7e6;
    plain.estimate = false;
    auto const direct = run_problem(plain); // off by 5e-5 of the radius, the automatic run by 7e-5
    ASSERT_EQ(direct.result, outcome::success) << direct.message;
    EXPECT_LT(relative_error(what, run, direct), 1e-3);
    EXPECT_TRUE(run.warnings.empty());
    EXPECT_LT(run.statistics.force_evaluations, 2.5 * static_cast<double>(direct.statistics.force_evaluations));
    EXPECT_LT(all_evaluations(run), 5 * direct.statistics.force_evaluations);
}

} // namespace
