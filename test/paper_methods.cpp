// Methods of the papers that a problem file asks for: starts on the slow manifold, projections at intervals, DAEs by
// relaxation, Verlet along effective paths, forcing in step with the fast flow, one-sided windows.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/effective/put_back.hpp>
#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>
#include <lento/model/split.hpp>
#include <lento/model/springs.hpp>
#include <lento/solve/anew.hpp>

namespace {

using namespace lento;
using namespace lento_test;

problem_settings const case_three{"omega=500", "initial.x2=2+1/omega", "initial.\"x1'\"=0.5", "initial.\"x2'\"=-0.5"};

problem_settings with(problem_settings settings, problem_settings const& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

std::vector<double> evenly(double end, int count) {
    std::vector<double> times;
    for (int k = 0; k < count; ++k) times.push_back(end * k / (count - 1));
    return times;
}

double distance(std::vector<double> const& a, auto const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

// ---- runs that begin anew ----

// docs/papers.md: 000.4
TEST(ProjectionAtIntervals, GivesThePrintedErrorOfPaper000FromAFile) {
    auto const run = solved(
        "two-springs",
        with(case_three, {"accuracy.rtol=1e-3", "accuracy.atol=1e-6",
                          "method={ name = 'hmm', macro = { scheme = 'dormand-prince', control = 'ode45' }, micro = { "
                          "step = '2*pi/omega/6' }, window = { kernel = 'exponential', length = '20*2*pi/omega', "
                          "unchecked = true }, projection = { every = 1 } }"}));
    auto const exact =
        solved("two-springs", with(case_three, {"method={ name = 'direct', macro = { scheme = 'dormand-prince-8' } }",
                                                "accuracy.rtol=1e-9", "accuracy.atol=1e-11"}));
    EXPECT_NEAR(largest_difference(run, exact), 0.0359, 5e-5); // printed
    EXPECT_EQ(run.statistics.projections, 10U);
}

// docs/papers.md: 003.29
TEST(ProjectionAtIntervals, OfADirectRunIsTheLoopOfPaper003) {
    double const omega = 1e3;
    auto const system = model::two_springs{.omega_1 = omega, .omega_2 = omega}.both_hard();
    auto const file =
        solved("two-springs",
               {"omega=1e3", "time.end=3", "time.output=4", "accuracy.rtol=1e-8", "accuracy.atol=1e-11",
                "initial.project='slow-manifold'",
                "method={ name = 'direct', macro = { scheme = 'dormand-prince' }, projection = { every = 1 } }"});
    ASSERT_EQ(file.result, outcome::success) << file.message;
    slow_manifold const onto{
        window{.kernel = cubic{}, .periods = 6, .steps_per_period = 6},
        {.tolerance = std::max(1e-7 / omega, 32 * omega * std::numeric_limits<double>::epsilon())}};
    auto x = model::two_springs::on_constraints();
    std::uint64_t forces = 0;
    for (int k = 0; k < 3; ++k) {
        auto const point = project(system, onto, x);
        auto const part = solve(system, dormand_prince{.rtol = 1e-8, .atol = 1e-11}, point.x,
                                {.start = 1. * k, .end = k + 1., .output_times = {k + 1.}});
        x = {part.position.back(), part.velocity.back()};
        forces += part.statistics.force_evaluations + point.statistics.force_evaluations;
        EXPECT_LT(distance(file.position[static_cast<std::size_t>(k + 1)], part.position[0]), 1e-9) << k;
    }
    EXPECT_EQ(file.statistics.force_evaluations, forces);
    EXPECT_EQ(file.statistics.projections, 3U);
}

TEST(ProjectionAtIntervals, IsThatOfTheLibrarysRunThatBeginsAnew) {
    auto const system = model::two_springs{.omega_1 = 1e3, .omega_2 = 1e3}.both_hard();
    slow_manifold const onto{cubic_window(1e3), {.tolerance = 1e-10}};
    auto const start = project(system, onto, model::two_springs::on_constraints()).x;
    auto const often = solve_anew(effective(system, put_back(onto)), dormand_prince{.rtol = 1e-6, .atol = 1e-9}, start,
                                  {.end = 2, .output_times = evenly(2, 9), .given = initial_state::slow}, 0.5);
    ASSERT_TRUE(often) << often.message;
    EXPECT_EQ(often.statistics.projections, 3U);
    auto const exact =
        solve(system, dormand_prince_8{.rtol = 1e-12, .atol = 1e-13}, start, {.end = 2, .output_times = evenly(2, 9)});
    for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_EQ(often.t[i], exact.t[i]);
        for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(often.position[i][k], exact.position[i][k], 1e-5);
    }
}

TEST(ProjectionAtIntervals, OfAProjectedRunPutsStepsBackLessOften) {
    auto const method = [](std::string const& projection) {
        return problem_settings{
            "omega=1e3", "time.end=2", "time.output=3",
            "method={ name = 'ipa', macro = { scheme = 'rk4', step = 0.05 }, projection = " + projection + " }"};
    };
    auto const always = solved("two-springs", method("{ tolerance = 1e-9 }"));
    auto const seldom = solved("two-springs", method("{ tolerance = 1e-9, every = 0.5 }"));
    auto const drifting = solved("two-springs", method("{ tolerance = 1e-9, drift = 1e-3 }"));
    EXPECT_LT(largest_difference(always, seldom), 1e-4);
    EXPECT_LT(largest_difference(always, drifting), 1e-4);
    // evaluations are on the manifold all the same, but steps go on from where they end
    EXPECT_GT(largest_difference(always, seldom), 1e-12);
    EXPECT_GT(largest_difference(always, drifting), 1e-12);
    EXPECT_EQ(seldom.statistics.projections, always.statistics.projections);
}

// docs/papers.md: 003.30
TEST(ProjectionByDrift, PutsADirectMotionBackWhenItsSpringsHoldTooMuch) {
    problem_settings const stretched{"omega=1e3", "initial.x2=2+1/omega", "time.end=2", "time.output=3"};
    auto const back =
        solved("two-springs", with(stretched, {"method={ name = 'direct', projection = { drift = 0.1 } }"}));
    ASSERT_EQ(back.result, outcome::success) << back.message;
    EXPECT_GE(back.statistics.projections, 1U); // the start holds an energy of 1/2
    EXPECT_LE(back.statistics.projections, 3U);
    auto const slow = solved("two-springs", with(stretched, {"initial.project='slow-manifold'", "method.name=direct"}));
    EXPECT_LT(largest_difference(back, slow), 5e-3);
    auto const whole = solved("two-springs", with(stretched, {"method.name=direct"}));
    EXPECT_EQ(whole.statistics.projections, 0U);
    EXPECT_GT(largest_difference(whole, slow), 2e-2); // its energy acts on the slow motion
}

TEST(ProjectionAtIntervals, IsForHardSpringsAndRefusesTooManyBeginnings) {
    auto const wrong = [](std::string const& name, std::string const& method) {
        try {
            static_cast<void>(solved(name, {method}));
        } catch (problem_error const& error) { return std::string(error.what()); }
        return std::string();
    };
    auto const plain = solved("double-well", {"method={ name = 'direct', projection = { every = 1 } }"});
    EXPECT_EQ(plain.result, outcome::not_applicable);
    EXPECT_NE(plain.message.find("slow manifold"), std::string::npos) << plain.message;
    EXPECT_NE(wrong("two-springs", "method={ name = 'direct', projection = { every = 1e-9 } }").find("begin anew"),
              std::string::npos);
}

// ---- starts on the slow manifold ----

TEST(SlowStart, IsTheSlowPointForEveryMethodOfAStiffSystem) {
    auto const system = model::two_springs{.omega_1 = 1e4, .omega_2 = 1e4}.both_hard();
    slow_manifold const onto{window{.kernel = cubic{}, .periods = 6, .steps_per_period = 6},
                             {.tolerance = 32e4 * std::numeric_limits<double>::epsilon()}};
    auto const point = project(system, onto, model::two_springs::on_constraints());
    for (std::string const method :
         {"{ name = 'direct' }", "{ name = 'hmm' }", "{ name = 'ipa' }", "{ name = 'limit' }", "{ name = 'adiabatic' }",
          "{ name = 'underlying' }", "{ name = 'rattle', macro = { step = 0.01 } }",
          "{ name = 'impulse', macro = { step = 0.01 } }", "{ name = 'auto' }"}) {
        auto const run = solved("two-springs", {"time.end=0.2", "time.output=[0, 0.2]",
                                                "initial.project='slow-manifold'", "method=" + method});
        ASSERT_EQ(run.result, outcome::success) << method << run.message;
        EXPECT_GE(run.statistics.projections, 1U) << method;
        EXPECT_LT(distance(run.position[0], point.x.position), 5e-8) << method; // limits are 1/omega^2 away
    }
    auto const direct = solved("two-springs", {"time.end=0.2", "time.output=[0, 0.2]",
                                               "initial.project='slow-manifold'", "method={ name = 'direct' }"});
    EXPECT_LT(distance(direct.position[0], point.x.position), 1e-12);
    EXPECT_LT(distance(direct.velocity[0], point.x.velocity), 1e-10);
}

TEST(SlowStart, IsWrittenAndReadBackAndRefusedWhereThereIsNoManifold) {
    auto const what = load_problem("two-springs", {"initial.project='slow-manifold'"});
    EXPECT_EQ(read_problem(write(what), "test").project, start_projection::slow_manifold);
    auto const fails = [](std::string const& name, problem_settings const& settings) {
        EXPECT_THROW(static_cast<void>(load_problem(name, settings)), problem_error) << name;
    };
    fails("spherical-pendulum", {"initial.project='slow-manifold'"});
    fails("two-springs", {"initial.project='slow-manifold'", "initial.state=slow"});
    fails("two-springs", {"initial.project='slow'"});
}

// ---- DAEs by relaxation ----

std::string const two_rods = R"toml(
[system]
kind = "constrained"
coordinates = ["x1", "y1", "x2", "y2"]
potential = "9.8*(y1 + y2)"
constraints = ["sqrt(x1^2 + y1^2) - 1", "sqrt((x1-x2)^2 + (y1-y2)^2) - 1"]
[initial]
x1 = 1
y1 = 0
x2 = 2
y2 = 0
[time]
end = 0.5
output = 3
)toml";

problem_settings relaxed(std::string const& omega, std::string const& more) {
    return {"method={ name = 'ipa', macro = { scheme = 'rk4', step = '1/64' }, relaxation = { omega = " + omega + " }" +
            more + " }"};
}

// docs/papers.md: 000.42, 003.35
TEST(RelaxedConstraints, AreRightByThemselvesFrom1e4To1e8) {
    auto const exact = solved_text(two_rods, {"accuracy.rtol=1e-10", "accuracy.atol=1e-12"});
    std::uint64_t forces = 0;
    for (std::string const omega : {"1e4", "1e5", "1e6", "1e7", "1e8"}) {
        auto const run = solved_text(two_rods, relaxed(omega, ""));
        EXPECT_LT(largest_difference(run, exact), 1e-5) << omega;
        EXPECT_FALSE(warns_of(run, "round_off")) << omega;
        EXPECT_EQ(run.used("projection.loads")->integer, 4);
        forces = std::max(forces, run.statistics.force_evaluations);
        EXPECT_LT(forces, 20000U) << omega;
    }
}

// docs/papers.md: 000.42, 003.35
TEST(RelaxedConstraints, ThatLoseTheirDigitsToRoundingSaySo) {
    auto const exact = solved_text(two_rods, {"accuracy.rtol=1e-10", "accuracy.atol=1e-12"});
    auto const run = [&](std::string const& method, std::string const& scalar, std::string const& omega) {
        std::string const own = method == "ipa" ? ", projection = { loads = 0 }" : "";
        return solved_text(two_rods, {"method={ name = '" + method +
                                      "', macro = { scheme = 'rk4', step = '1/64' }, relaxation = { omega = " + omega +
                                      " }, window = { scalar = '" + scalar + "' }" + own + " }"});
    };
    // the published projection: right while omega^2 times the last digit is small beside the motion's acceleration
    for (std::string const omega : {"1e4", "1e5", "1e6"}) {
        auto const sound = run("ipa", "double", omega);
        EXPECT_LT(largest_difference(sound, exact), 1e-5) << omega;
        EXPECT_FALSE(warns_of(sound, "round_off")) << omega;
    }
    for (std::string const omega : {"1e7", "1e8", "1e9"})
        EXPECT_TRUE(warns_of(run("ipa", "double", omega), "round_off")) << omega;
    // in long double that is farther on
    auto const wide = run("ipa", "long double", "1e8");
    EXPECT_LT(largest_difference(wide, exact), 1e-5);
    EXPECT_FALSE(warns_of(wide, "round_off"));
    EXPECT_TRUE(warns_of(run("ipa", "long double", "1e10"), "round_off"));
    // force averaging is told of too, whatever it is that spoils it
    for (std::string const omega : {"1e4", "1e6", "1e8"}) {
        auto const averaged = run("hmm", "double", omega);
        EXPECT_TRUE(averaged.result != outcome::success || !averaged.warnings.empty()) << omega;
    }
}

TEST(RelaxedConstraints, ThatAveragingLosesAreNoSuccess) {
    auto const exact = solved_text(two_rods, {"accuracy.rtol=1e-10", "accuracy.atol=1e-12"});
    auto const averaged = [&](std::string const& omega, std::string const& step) {
        return solved_text(two_rods, {"method={ name = 'hmm', macro = { scheme = 'rk4', step = '" + step +
                                      "' }, relaxation = { omega = " + omega + " } }"});
    };
    EXPECT_LT(largest_difference(averaged("1e4", "1/64"), exact), 0.1); // with a warning
    auto const lost = averaged("1e5", "1/64"); // stages lie off the springs by H^2, and omega^2 H^4 is large
    EXPECT_EQ(lost.result, outcome::filter_unstable) << lost.message;
    EXPECT_NE(lost.message.find("smaller macro steps"), std::string::npos) << lost.message;
    EXPECT_LT(largest_difference(averaged("1e5", "1/512"), exact), 0.1); // which help
}

TEST(RoundOff, IsNoAlarmWhereNothingButTheSpringsPulls) {
    // a free motion along x: its acceleration is what rounding makes of it
    std::string const text = "[system]\nkind = \"stiff\"\ncoordinates = [\"x\", \"y\"]\n"
                             "stiff = [{ g = \"y\", omega = 1e4 }]\n"
                             "[initial]\nx = 1\n\"x'\" = 1\ny = 0\n[time]\nend = 2\noutput = 3\n";
    for (std::string const method : {"hmm", "ipa"}) {
        problem_settings const settings{"method={ name = '" + method +
                                        "', macro = { scheme = 'rk4', step = '1/32' } }"};
        auto const run = solved_text(text, settings);
        EXPECT_FALSE(warns_of(run, "round_off")) << method;
        EXPECT_NEAR(run.position.back()[0], 3, 1e-9);
    }
    // at 1e8 a digit of x is an acceleration of 2: that is one
    auto const harder = solved_text(text, {"method={ name = 'ipa', macro = { scheme = 'rk4', step = '1/32' } }",
                                           "system.stiff=[{ g = 'y', omega = 1e8 }]"});
    EXPECT_TRUE(warns_of(harder, "round_off")) << harder.message;
}

// ---- motions that are fast for the most part ----

// docs/papers.md: 000.43
TEST(WeaklyCoupledOscillators, OfLargeAmplitudeAreNoSlowMotionAndThatIsTold) {
    // (12) of paper 000: springs of frequency omega, coupled by omega
    std::string const text = "[parameters]\nomega = 500\n[system]\nkind = \"stiff\"\ncoordinates = [\"q1\", \"q2\"]\n"
                             "force.q1 = \"-omega*(q1 - q2)\"\nforce.q2 = \"omega*(q1 - q2)\"\n"
                             "stiff = [{ g = \"q1\", omega = \"omega\" }, { g = \"q2\", omega = \"omega\" }]\n"
                             "[initial]\nq1 = 1\nq2 = 0\n[time]\nend = 10\noutput = 11\n";
    for (std::string const method : {"auto", "ipa"}) {
        auto const run = solved_text(text, {"method.name=" + method});
        EXPECT_TRUE(run.result != outcome::success || warns_of(run, "fast_motion_dropped")) << method;
    }
    EXPECT_NE(solved_text(text, {"method.name=hmm"}).result, outcome::success);
    // springs that are stretched as the papers have it are none of that
    EXPECT_FALSE(warns_of(solved("hard-and-soft-spring"), "fast_motion_dropped"));
    EXPECT_FALSE(warns_of(solved("two-springs", with(case_three, {"method.name=ipa"})), "fast_motion_dropped"));
}

// ---- paths of split systems ----

// docs/papers.md: 002.5
TEST(VerletAlongAPath, IsThePapersRunOfTheChainFromItsFile) {
    model::fermi_pasta_ulam<3> const fpu{.epsilon = 2e-3};
    std::vector<std::size_t> const positions = {0, 1, 2};
    std::vector<std::size_t> const velocities = {6, 7, 8};
    auto const slow =
        effective(frozen(fpu.system(), positions),
                  backward_forward{path_window{.delta = 6 * std::numbers::pi, .filter = cosine{}},
                                   dormand_prince{.rtol = 1e-7, .atol = 1e-6, .control = control_rule::ode45}});
    auto const code =
        solve(slow, drift_kick{1. / 3, positions, velocities}, {.state = fpu.start()}, {.end = 4, .output_count = 13});
    auto const file = solved(
        "fermi-pasta-ulam",
        {"time.end=4", "time.output=13",
         "method={ name = 'backward-forward', macro = { scheme = 'verlet', step = '1/3' }, window = { kernel = "
         "'cosine', "
         "delta = '6*pi' }, micro = { scheme = 'dormand-prince', rtol = 1e-7, atol = 1e-6, control = 'ode45' } }"});
    expect_same(file, code, 1 / fpu.epsilon);
    // a longer chain, too
    auto const longer = solved(
        "fermi-pasta-ulam", {"time.end=2", "time.output=3", "k=5",
                             "method={ name = 'backward-forward', macro = { scheme = 'verlet', step = '1/3' }, window "
                             "= { kernel = 'cosine', delta = '6*pi' }, picture = 'interaction' }"});
    EXPECT_EQ(longer.result, outcome::success) << longer.message;
}

TEST(VerletAlongAPath, NeedsPositionsAndVelocitiesAmongTheSlowVariables) {
    auto const run = solved(
        "stellar-orbits", {"method={ name = 'backward-forward', macro = { scheme = 'verlet', step = 0.1 }, window = { "
                           "delta = 40 } }"});
    EXPECT_EQ(run.result, outcome::not_applicable);
    EXPECT_NE(run.message.find("positions by their velocities"), std::string::npos) << run.message;
}

/// An oscillator with the frequency 1/epsilon, forced with another one over epsilon.
std::string forced(std::string const& frequency, std::string const& method = "") {
    return "[system]\nkind = \"split\"\nvariables = [\"q\", \"p\"]\nepsilon = 1e-3\nperiod = \"2*pi\"\n"
           "fast.q = \"p\"\nfast.p = \"-q\"\nslow.p = \"2*cos(" +
           frequency +
           "*t/1e-3)\"\n[initial]\nq = 0\np = 0\n[time]\nend = 1\noutput = 3\n[observe]\n"
           "amplitude = \"hypot(q, p)\"\n" +
           method;
}

// docs/papers.md: 002.16
TEST(ForcingInFastTime, IsRefusedInStepWithTheFastFlowAndFollowedOutOfIt) {
    for (std::string const method : {"name = \"stroboscopic\"", "name = \"hmm\"\nwindow = { kernel = \"picard\" }",
                                     "name = \"backward-forward\"\nwindow = { delta = 40 }",
                                     "name = \"flavors\"\nmacro = { step = 0.05 }\nwindow = { delta = 20 }"}) {
        auto const refused = solved_text(forced("1", "[method]\n" + method));
        EXPECT_EQ(refused.result, outcome::not_applicable) << method;
        EXPECT_NE(refused.message.find("in step with the fast flow"), std::string::npos) << refused.message;
    }
    // auto knows better: the amplitude grows like t
    auto const resonant = solved_text(forced("1"));
    ASSERT_EQ(resonant.result, outcome::success) << resonant.message;
    EXPECT_EQ(resonant.method_name(), "direct");
    EXPECT_NEAR(resonant.observables[0].back(), 1, 1e-2);
    // out of step nothing comes of it
    std::string const path = "[method]\nname = \"backward-forward\"\nwindow = { delta = 60 }\n"
                             "macro = { scheme = \"rk4\", step = 0.1 }";
    auto const apart = solved_text(forced("1.7", path));
    ASSERT_EQ(apart.result, outcome::success) << apart.message;
    EXPECT_NEAR(apart.observables[0].back(), 0, 1e-2);
    // slow time is none of that
    auto const slow = solved_text(forced("1e-3", path));
    EXPECT_EQ(slow.result, outcome::success) << slow.message;
}

// ---- the underlying equation off its constraints ----

// docs/papers.md: 000.17
TEST(UnderlyingOffItsConstraints, ForgetsTheLengthOfTheSpringFromAFile) {
    problem_settings const outwards{"initial.\"x'\"=0.05", "initial.\"y'\"=1", "accuracy.rtol=1e-9",
                                    "accuracy.atol=1e-11", "time.output=11"};
    EXPECT_THROW(static_cast<void>(solved("strong-spring", with(outwards, {"method.name=underlying"}))), problem_error);
    for (bool const squared : {true, false}) {
        // g = (r^2 - 1)/2 makes the printed equation, under which r^2 is linear in time; g = r - 1 one under which r is
        std::string const g = squared ? "(x^2 + y^2 - 1)/2" : "sqrt(x^2 + y^2) - 1";
        auto const run = solved("strong-spring", with(outwards, {"system.stiff=[{ g = '" + g + "', omega = 1e4 }]",
                                                                 "method={ name = 'underlying', unchecked = true }"}));
        ASSERT_EQ(run.result, outcome::success) << run.message;
        for (std::size_t i = 0; i < run.t.size(); ++i) {
            double const r = std::hypot(run.position[i][0], run.position[i][1]);
            if (squared) EXPECT_NEAR(r * r, 1 + 0.1 * run.t[i], 1e-6);
            else EXPECT_NEAR(r, 1 + 0.05 * run.t[i], 1e-6);
        }
    }
}

// ---- slow momenta ----

// docs/papers.md: 001.37
TEST(SlowMomenta, OfAppendixANeedNoMapOfVelocities) {
    // the vibrated pendulum by its angle and its momentum over m l^2: x' = f(x, theta), in which nothing is large; only
    // the phase, carried by c and s, is fast
    std::string const text = R"toml(
[parameters]
g = 9.8
l = 0.2
vmax = 4
omega = 1e4
[system]
kind = "split"
variables = ["q", "p", "c", "s"]
epsilon = "1/omega"
period = "2*pi"
fast.c = "-s"
fast.s = "c"
slow.q = "p + vmax*s*sin(q)/l"
slow.p = "g*sin(q)/l - vmax*s*cos(q)*(p + vmax*s*sin(q)/l)/l"
[initial]
q = 0.5
p = 0
c = 1
s = 0
[time]
end = 1
output = 11
)toml";
    auto const error = [&](std::string const& omega) {
        auto const run = solved_text(text, {"omega=" + omega, "accuracy.estimate=false"});
        EXPECT_EQ(run.result, outcome::success) << run.message;
        model::vibrated_pendulum const pendulum{.omega = std::stod(omega)};
        auto const exact = solve(pendulum.averaged(), dormand_prince{.rtol = 1e-10, .atol = 1e-12}, {.position = {0.5}},
                                 {.end = 1, .output_count = 11});
        std::array<double, 2> largest{};
        for (std::size_t i = 0; i < run.t.size(); ++i) {
            largest[0] = std::max(largest[0], std::abs(run.position[i][0] - exact.position[i][0]));
            largest[1] = std::max(largest[1], std::abs(run.position[i][1] - exact.velocity[i][0]));
        }
        return largest;
    };
    auto const coarse = error("1e4");
    auto const fine = error("1e5");
    // both variables are slow: the momentum is the averaged velocity, up to O(1/omega)
    EXPECT_LT(coarse[0], 0.05);
    EXPECT_LT(coarse[1], 0.5);
    EXPECT_NEAR(coarse[0] / fine[0], 10, 3);
    EXPECT_NEAR(coarse[1] / fine[1], 10, 3);
}

// ---- one-sided windows ----

// docs/papers.md: 004.6
TEST(OneSidedWindows, AreAskedForInAFile) {
    auto const run = [](std::string const& side, std::string const& start = "") {
        return solved(
            "sine-pendulum",
            {"initial={ q = 0, \"q'\" = -0.4, state = 'slow' }", "time.end=2", "time.output=3",
             "method={ name = 'hmm', macro = { scheme = 'verlet', step = 0.05 }, micro = { scheme = 'rk4', "
             "steps_per_period = 64 }, window = { kernel = 'polynomial', moments = 2, regularity = 9, periods = "
             "60" +
                 side + " }" + start + " }"});
    };
    model::sine_pendulum const pendulum;
    motion<std::array<double, 1>> const begin{{0.0}, {-0.4}};
    auto const exact =
        solve(pendulum.averaged(), dormand_prince{.rtol = 1e-10, .atol = 1e-12}, begin, {.end = 2, .output_count = 3});
    for (std::string const side : {"forward", "backward", "centred"}) {
        auto const file = run(", side = '" + side + "'", ", start = 'synchronous'");
        ASSERT_EQ(file.result, outcome::success) << file.message;
        for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(file.position[i][0], exact.position[i][0], 2e-3) << side;
    }
    auto const file = run(", side = 'forward'"); // which makes the start synchronous
    ASSERT_EQ(file.result, outcome::success) << file.message;
    EXPECT_EQ(file.used("start")->text, "synchronous");
    EXPECT_EQ(file.used("window.side")->text, "forward");
    auto const refused = run(", side = 'forward'", ", start = 'asynchronous'");
    EXPECT_EQ(refused.result, outcome::not_applicable);
}

} // namespace
