// Problem files: every feature, and the same numbers and counts as the C++ interface.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>
#include <lento/problem/run.hpp>
#include <lento/problem/schemes.hpp>

namespace {

using namespace lento;
using namespace lento_test;

model::vibrated_pendulum const pendulum;
double const pendulum_force = pendulum.vmax * pendulum.omega / pendulum.l;

/// Then the kind of the system alone decides, and tolerances are those of the steps.
problem_settings const unmeasured{"accuracy.estimate=false"};

TEST(BuiltinProblem, VibratedPendulumIsTheModel) {
    auto const code =
        solve(effective(pendulum.system()), dormand_prince{}, {.position = {0.5}}, {.end = 1, .output_count = 11});
    expect_same(solved("vibrated-pendulum", unmeasured), code, pendulum_force);
}

TEST(BuiltinProblem, SinePendulumIsTheModel) {
    model::sine_pendulum const sine;
    auto const code =
        solve(effective(sine.system()), dormand_prince{}, {.position = {0.2}}, {.end = 4, .output_count = 21});
    expect_same(solved("sine-pendulum", unmeasured), code, 1 / (sine.epsilon * sine.l));
}

TEST(BuiltinProblem, HorizontalPendulumIsTheModel) {
    model::horizontal_pendulum const sideways;
    auto const code =
        solve(effective(sideways.system()), dormand_prince{}, {.position = {2.}}, {.end = 1, .output_count = 11});
    expect_same(solved("horizontal-pendulum", unmeasured), code, pendulum_force);
}

TEST(BuiltinProblem, TwiceVibratedPendulumIsTheModel) {
    model::twice_vibrated_pendulum const twice;
    auto const code =
        solve(effective(twice.system()), dormand_prince{}, {.position = {0.5}}, {.end = 1, .output_count = 11});
    expect_same(solved("twice-vibrated-pendulum", unmeasured), code, 4 * pendulum_force);
}

TEST(BuiltinProblem, AllRun) {
    ASSERT_GE(builtin_problems().size(), 8U);
    for (auto const& each : builtin_problems()) {
        auto const run = solved(std::string(each.name));
        EXPECT_EQ(run.result, outcome::success) << each.name << ": " << run.message;
        EXPECT_TRUE(run.warnings.empty()) << each.name;
    }
}

TEST(BuiltinProblem, PaulTrapFollowsThePseudopotentialWithWorkIndependentOfOmega) {
    std::string text(std::find_if(builtin_problems().begin(), builtin_problems().end(), [](auto const& each) {
                         return each.name == "paul-trap";
                     })->text);
    auto const replace = [&](std::string const& old, std::string const& by) {
        text.replace(text.find(old), old.size(), by);
    };
    problem_settings const tight{"accuracy.rtol=1e-9", "accuracy.atol=1e-11", "accuracy.estimate=false"};
    replace("kind = \"vibrated\"", "kind = \"plain\"");
    replace("frequency = \"omega\"\n", "");
    replace("-a*omega*cos(theta) * sum(i, 1, n, x[i]^2 - y[i]^2)/2", "a^2/4 * sum(i, 1, n, x[i]^2 + y[i]^2)");
    auto const averaged = solved_text(text, tight);
    ASSERT_EQ(averaged.result, outcome::success) << averaged.message;
    double work = 0;
    for (std::string const omega : {"1e6", "1e7"}) {
        auto settings = tight;
        settings.push_back("omega=" + omega);
        settings.emplace_back("initial.state=slow");
        auto const slow = solved("paul-trap", settings);
        ASSERT_EQ(slow.result, outcome::success) << slow.message;
        for (std::size_t i = 0; i < 9; ++i)
            EXPECT_NEAR(slow.position.back()[i], averaged.position.back()[i], 100 / std::stod(omega)) << omega;
        auto const now = static_cast<double>(slow.statistics.force_evaluations);
        if (work > 0) { EXPECT_NEAR(now, work, 0.05 * work); }
        work = now;
    }
}

// ---- methods ----

problem_settings const papers_method{"method.name=hmm", "method.macro={ scheme = 'verlet', step = 0.0125 }",
                                     "method.micro={ scheme = 'verlet', steps_per_period = 80 }",
                                     "method.window={ kernel = 'one-period' }"};

problem_settings with(problem_settings settings, problem_settings const& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

TEST(Method, ThePapersIsTheOneOfTheLibrary) {
    auto const code = solve(effective(pendulum.system(), asynchronous{one_period{.steps = 80}}), verlet{.step = 0.0125},
                            {.position = {0.5}}, {.end = 1, .output_count = 11, .given = initial_state::slow});
    auto const file = solved("vibrated-pendulum", with(papers_method, {"initial.state=slow"}));
    expect_same(file, code, pendulum_force);
    EXPECT_EQ(file.statistics.micro_steps, 3240U);
}

TEST(Method, StartsKernelsAndMicroSchemesAreThoseOfTheLibrary) {
    solve_options<motion<std::array<double, 1>>> const options{.end = 1, .output_count = 11};
    motion<std::array<double, 1>> const start{.position = {0.5}};
    verlet const macro{.step = 0.0125};
    expect_same(solved("vibrated-pendulum", with(papers_method, {"method.start=centred"})),
                solve(effective(pendulum.system(), centred{one_period{.steps = 80}}), macro, start, options),
                pendulum_force);
    expect_same(
        solved("vibrated-pendulum", with(papers_method, {"method.micro={ scheme = 'rk4', steps_per_period = 21 }"})),
        solve(effective(pendulum.system(), asynchronous{one_period{.steps = 21}, rk4{}}), macro, start, options),
        pendulum_force);
    expect_same(
        solved("vibrated-pendulum",
               with(papers_method, {"method.micro={ scheme = 'verlet-fitted', steps_per_period = 4 }"})),
        solve(effective(pendulum.system(), asynchronous{one_period{.steps = 4}, verlet{.fitted_to = pendulum.omega}}),
              macro, start, options),
        pendulum_force);
    window const smooth{.kernel = polynomial{.moments = 3, .regularity = 5}, .periods = 30, .steps_per_period = 40};
    problem_settings const as_file{"method.window={ kernel = 'polynomial', moments = 3, regularity = 5, periods = 30 }",
                                   "method.micro={ scheme = 'verlet', steps_per_period = 40 }"};
    expect_same(
        solved("vibrated-pendulum", with(with(papers_method, as_file), {"method.start=synchronous"})),
        solve(effective(pendulum.system(), synchronous{smooth, pendulum.slow_velocity()}), macro, start, options),
        pendulum_force);
    expect_same(
        solved("vibrated-pendulum", with(papers_method, {"method.window={ kernel = 'exponential', length = 4e-4 }",
                                                         "method.micro={ scheme = 'verlet', step = 1e-7 }"})),
        solve(effective(pendulum.system(), asynchronous{window{.kernel = exponential{}, .length = 4e-4, .step = 1e-7}}),
              macro, start, options),
        pendulum_force);
    for (std::string const kernel : {"cubic", "cosine"}) {
        auto const run = solved("vibrated-pendulum", with(papers_method, {"method.window={ kernel = '" + kernel +
                                                                          "', periods = 60, unchecked = true }"}));
        EXPECT_EQ(run.result, outcome::success) << kernel << ": " << run.message;
    }
}

TEST(Method, EverySchemeRunsWhereItAppliesAndRefusesElsewhere) {
    for (auto const& row : schemes()) {
        std::string const name(row.name);
        if (!row.built) continue;
        if (name == "turning-euler") continue; // of backward-forward alone
        if (name == "shake" || name == "rattle" || name == "lobatto4" || name == "ida")
            continue; // of constraints alone
        bool const foreign =
            name.rfind("cvode", 0) == 0 || name.rfind("arkode", 0) == 0 || name.rfind("odeint", 0) == 0;
        bool const chooses_steps = foreign || name == "dormand-prince" || name == "dop853" || name == "rkn12";
        std::string const macro = chooses_steps ? "method.macro={ scheme = '" + name + "' }"
                                                : "method.macro={ scheme = '" + name + "', step = 0.01 }";
        problem_settings settings{macro};
        if (name == "verlet-fitted") settings.emplace_back("method.macro.fitted_to=1.4");
        if (foreign && !(name.rfind("odeint", 0) == 0 ? has_odeint() : has_sundials())) {
            EXPECT_THROW(static_cast<void>(solved("vibrated-pendulum", settings)), problem_error) << name;
            continue;
        }
        auto const slow = solved("vibrated-pendulum", settings);
        EXPECT_EQ(slow.result, outcome::success) << name << ": " << slow.message;
        EXPECT_EQ(slow.used("macro.scheme")->text, name);
        double const tolerance = name == "euler" || name == "symplectic-euler" ? 1 : 0.1;
        EXPECT_NEAR(slow.position.back()[0], 0.1685, tolerance) << name;
        auto const damped = solved("double-well", settings);
        auto const flow = solved("lorenz", settings);
        bool const whole_state = name.rfind("dormand-prince", 0) == 0 || name == "dop853" || name == "euler" ||
                                 name == "midpoint" || name == "rk4" || name == "adams" ||
                                 name == "implicit-midpoint" || name == "trapezoid" || foreign;
        bool const takes_velocity = whole_state || name.rfind("verlet", 0) == 0 || name == "symplectic-euler";
        EXPECT_EQ(damped.result, takes_velocity ? outcome::success : outcome::not_applicable) << name;
        EXPECT_EQ(flow.result, whole_state ? outcome::success : outcome::not_applicable) << name;
    }
}

TEST(Method, DirectResolvesEveryVibration) {
    model::vibrated_pendulum const slow_pendulum{.omega = 1e3};
    auto const code = solve(slow_pendulum.system(), dormand_prince{.rtol = 1e-8, .atol = 1e-10}, {.position = {0.5}},
                            {.end = 1, .output_count = 11});
    auto const file = solved("vibrated-pendulum", {"omega=1e3", "accuracy.rtol=1e-8", "accuracy.atol=1e-10",
                                                   "method.name=direct", "method.macro.scheme=dormand-prince"});
    expect_same(file, code, 1e6); // adaptive steps amplify rounding
    EXPECT_TRUE(file.full);
}

TEST(Method, WhatDoesNotApplyIsRefusedWithAnOutcome) {
    std::string const damping = "system.force.q=(g + vmax*omega*cos(theta))*sin(q)/l - 0.1*q'";
    auto const result = [&](problem_settings const& settings) { return solved("vibrated-pendulum", settings).result; };
    EXPECT_EQ(result({damping, "method.start=asynchronous"}), outcome::not_applicable);
    EXPECT_EQ(result({"method.window={ kernel = 'one-period' }", "method.start=synchronous"}), outcome::not_applicable);
    EXPECT_EQ(result({"initial.state=slow", "method.name=direct"}), outcome::not_applicable);
    EXPECT_EQ(result({"omega=3", "accuracy.estimate=false"}), outcome::no_scale_separation);
    EXPECT_EQ(result({"omega=60", "accuracy.estimate=false"}), outcome::no_scale_separation);
    EXPECT_EQ(result({"method.window={ kernel = 'exponential', periods = 4 }"}), outcome::window_too_short);
    EXPECT_EQ(result({"system.even=false", "system.phase=0.3", "system.force.q=(g + vmax*omega*sin(theta))*sin(q)/l",
                      "method.window={ kernel = 'one-period' }"}),
              outcome::not_applicable);
    EXPECT_EQ(result({"method.macro={ max_steps = 3 }"}), outcome::step_limit);
}

TEST(Method, AForceOfTheVelocityIsAveragedBySweepsOrSynchronously) {
    auto const averaged = solved_text(R"toml(
        [system]
        kind = "plain"
        coordinates = ["q"]
        force.q = "(9.8/0.2 - 4^2/(2*0.2^2)*cos(q))*sin(q) - 0.1*q'"
        [initial]
        q = 0.5
        [time]
        end = 1
        output = 11)toml");
    for (auto const* method : {"method.name=auto", "method.start=synchronous"}) {
        auto const run =
            solved("vibrated-pendulum", {"system.force.q=(g + vmax*omega*cos(theta))*sin(q)/l - 0.1*q'", method});
        ASSERT_EQ(run.result, outcome::success) << method << run.message;
        EXPECT_FALSE(run.reasons.empty());
        for (std::size_t row = 0; row < run.t.size(); ++row)
            EXPECT_NEAR(run.position[row][0], averaged.position[row][0], 1e-3) << method;
    }
}

TEST(Method, SynchronousWindowsAreTakenWhereSweepsDoNotSettle) {
    // as strong in the velocity as the vibration itself
    auto const run =
        solved("vibrated-pendulum", {"omega=1e4", "time.end=0.1", "accuracy.estimate=false",
                                     "system.force.q=(g + vmax*omega*cos(theta))*sin(q)/l + 0.5*omega*cos(theta)*q'"});
    EXPECT_EQ(run.used("start")->text, "synchronous");
    EXPECT_TRUE(std::any_of(run.reasons.begin(), run.reasons.end(), [](std::string const& reason) {
        return reason.find("does not settle") != std::string::npos;
    }));
}

// ---- features of the format ----

std::string const two_springs = R"toml(
    [system]
    kind = "plain"
    coordinates = ["x", "y"]
    potential = "x^2 + (y - x)^2/2"
    [initial]
    x = 1
    "y'" = "1/2"
    y = -0.5
    [time]
    end = 2
    output = [0.5, 2]
)toml";

TEST(Format, MassesMayBeANumberAListATableOrAMatrix) {
    auto const last = [](std::string const& mass) {
        auto const run = solved_text(two_springs, {"system.mass=" + mass});
        EXPECT_EQ(run.result, outcome::success) << run.message;
        return run.position.back();
    };
    EXPECT_EQ(last("2"), last("[2, 2.0]"));
    EXPECT_EQ(last("[1, 3]"), last("{ y = '1 + 2' }"));
    EXPECT_NE(last("[1, 3]"), last("[3, 1]"));
    auto const list = last("[1, 3]");
    auto const matrix = last("[[1, 0], [0, '3']]");
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(matrix[i], list[i], 1e-10);
    EXPECT_NE(last("[[2, 1], [1, 2]]"), last("[2, 2]"));
}

TEST(Format, PotentialsAndForcesAddUp) {
    auto const forces =
        solved_text(two_springs, {"system.potential=0", "system.force={ x = '-2*x + (y - x)', y = 'x - y' }"});
    auto const potential = solved_text(two_springs);
    auto const mixed = solved_text(two_springs, {"system.potential=x^2", "system.force={ x = 'y - x', y = 'x - y' }"});
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(forces.position.back()[i], potential.position.back()[i], 1e-9);
        EXPECT_NEAR(mixed.position.back()[i], potential.position.back()[i], 1e-9);
    }
}

TEST(Format, TimesStartsAndVelocitiesAreTakenAsGiven) {
    auto const run = solved_text(two_springs, {"time.start=0.5"});
    EXPECT_EQ(run.t, (std::vector<double>{0.5, 2}));
    EXPECT_EQ(run.position.front(), (std::vector<double>{1, -0.5}));
    EXPECT_EQ(run.velocity.front(), (std::vector<double>{0, 0.5}));
    EXPECT_EQ(solved_text(two_springs, {"time.output=5"}).t, (std::vector<double>{0, 0.5, 1, 1.5, 2}));
    EXPECT_EQ(solved_text(two_springs, {"time.output=1"}).t, (std::vector<double>{2}));
    EXPECT_EQ(solved("vibrated-pendulum", {"time.output='2*5'"}).t.size(), 10U);
}

TEST(Format, FirstOrderSystemsHaveVariablesAndRates) {
    auto const run = solved_text(R"toml(
        parameters.w = 2
        [system]
        kind = "plain"
        variables = ["x", "y"]
        rate.x = "w*y"
        rate.y = "-w*x"
        [initial]
        x = 1
        y = 0
        [time]
        end = 3
        [observe]
        radius = "hypot(x, y)"
        [accuracy]
        rtol = 1e-9
        atol = 1e-11)toml");
    ASSERT_EQ(run.result, outcome::success);
    EXPECT_NEAR(run.position.back()[0], std::cos(6.0), 1e-7);
    EXPECT_NEAR(run.observables[0].back(), 1, 1e-7);
    EXPECT_EQ(run.t.size(), 101U);
    EXPECT_TRUE(run.velocity.empty());
}

TEST(Format, FamiliesAreTheirMembers) {
    std::string const family = R"toml(
        parameters.n = 3
        [system]
        kind = "plain"
        coordinates = ["x[1..n]"]
        mass."x[i]" = "1 + i/n"
        mass."x[2]" = 5
        define."x[0]" = "0"
        define."x[n+1]" = "0"
        potential = "sum(i, 0, n, (x[i+1]-x[i])^4/4)"
        force."x[i]" = "-0.1*x[i]'"
        force."x[2]" = "-x[2]"
        [initial]
        "x[i]" = "i/10"
        "x[i]'" = "-i"
        "x[2]" = 0.7
        [time]
        end = 3
        output = 4)toml";
    std::string const written_out = R"toml(
        [system]
        kind = "plain"
        coordinates = ["a", "b", "c"]
        mass = ["4/3", 5, 2]
        potential = "a^4/4 + (b-a)^4/4 + (c-b)^4/4 + c^4/4"
        force.a = "-0.1*a'"
        force.b = "-0.1*b' - b"
        force.c = "-0.1*c'"
        [initial]
        a = 0.1
        b = 0.7
        c = 0.3
        "a'" = -1
        "b'" = -2
        "c'" = -3
        [time]
        end = 3
        output = 4)toml";
    auto const what = read_problem(family, "test");
    EXPECT_EQ(what.coordinate_name(2), "x[3]");
    auto const one = run_problem(what);
    auto const other = solved_text(written_out);
    ASSERT_EQ(one.result, outcome::success) << one.message;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(one.position.back()[i], other.position.back()[i], 1e-8);
}

TEST(Format, ALongChainLoadsAtOnce) {
    auto const began = std::chrono::steady_clock::now();
    auto const what = load_problem("chain", {"n=100000"});
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    EXPECT_EQ(what.size, 100000U);
    EXPECT_LT(seconds, 10); // below 1 where the machine is free and nothing is instrumented
}

TEST(Format, ObservablesSeeTheReportedState) {
    problem_settings const settings{"observe.speed=q'", "observe.phase=cos(theta)", "observe.twice=2*t", "omega=1e4",
                                    "accuracy.estimate=false"};
    auto const slow = solved("vibrated-pendulum", settings);
    auto const full = solved("vibrated-pendulum", with(settings, {"time.report=full", "time.output=[0, 0.12345]"}));
    EXPECT_FALSE(slow.full);
    EXPECT_TRUE(full.full);
    EXPECT_NEAR(slow.observables[0].back(), 0.2 * std::cos(slow.position.back()[0]), 1e-15);
    EXPECT_EQ(slow.observables[1].back(), slow.velocity.back()[0]);
    EXPECT_NEAR(slow.observables[2].back(), std::cos(1e4), 1e-9);
    EXPECT_EQ(slow.observables[3].back(), 2);
    EXPECT_NEAR(full.velocity[0][0], 0, 1e-6); // at the start the physical state comes back
    auto const direct = solved("vibrated-pendulum", {"omega=1e4", "method.name=direct", "time.output=[0, 0.12345]",
                                                     "accuracy.rtol=1e-9", "accuracy.atol=1e-10"});
    EXPECT_NEAR(full.position[1][0], direct.position[1][0], 1e-4);
    EXPECT_NEAR(full.velocity[1][0], direct.velocity[1][0], 1e-2);
}

TEST(Format, SettingsReachParametersAndAnyKey) {
    auto const what =
        load_problem("vibrated-pendulum", {"omega=1e5", "l='g/50'", "parameters.vmax=3", "initial.q'=0.25",
                                           "initial.\"q\"=0.1", "title=Mine", "time.end=2*l", "accuracy.rtol=1e-3"});
    EXPECT_EQ(what.title, "Mine");
    EXPECT_EQ(what.as<vibrated_kind>()->frequencies, std::vector<double>{1e5});
    EXPECT_EQ(what.position[0], 0.1);
    EXPECT_EQ(what.velocity[0], 0.25);
    EXPECT_NEAR(what.end, 2 * 9.8 / 50, 1e-15);
    EXPECT_EQ(what.rtol, 1e-3);
    // a tolerance on the command line wins over the file's macro scheme
    auto const set = load_problem("vibrated-pendulum", {"method.macro={ rtol = 1e-2 }", "accuracy.rtol=1e-5"});
    EXPECT_EQ(run_problem(set).used("macro.rtol")->real, 1e-5);
}

TEST(Format, ASlowExplicitTimeIsPartOfTheForce) {
    std::string const push = "system.force.q=(g + vmax*omega*cos(theta))*sin(q)/l + 5*sin(3*t)";
    auto const spectral = solved("vibrated-pendulum", {push});
    auto const windows = solved("vibrated-pendulum", {push, "method.start=centred"});
    auto const plain = solved("vibrated-pendulum");
    EXPECT_NEAR(spectral.position.back()[0], windows.position.back()[0], 1e-3);
    EXPECT_GT(std::abs(spectral.position.back()[0] - plain.position.back()[0]), 0.01);
}

TEST(Document, EveryExampleRuns) {
    std::ostringstream content;
    for (auto const& page : std::filesystem::directory_iterator(LENTO_SOURCE_DIR "/docs"))
        if (page.path().extension() == ".md") content << std::ifstream(page.path()).rdbuf();
    std::string const text = content.str();
    std::string const opening = "```toml\n";
    int examples = 0;
    for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1)) {
        std::size_t const begin = at + opening.size();
        auto const run = solved_text(text.substr(begin, text.find("```", begin) - begin));
        EXPECT_EQ(run.result, outcome::success) << "example " << examples << ": " << run.message;
        ++examples;
    }
    EXPECT_GE(examples, 9);
}

TEST(Results, AreTheDocumentedOnes) {
    auto const what = load_problem("vibrated-pendulum");
    auto const run = run_problem(what);
    std::string const csv = to_csv(what, run);
    EXPECT_TRUE(csv.starts_with("t,q,q',height\n0,0.50000")) << csv.substr(0, 80);
    EXPECT_NE(csv.find("# outcome: success\n"), std::string::npos);
    std::string const text = to_text(what, run);
    EXPECT_NE(text.find("success: reached t = 1"), std::string::npos);
    auto const stopped = solved("vibrated-pendulum", {"method.macro={ max_steps = 30 }"});
    EXPECT_NE(to_csv(what, stopped).find("# outcome: step_limit (incomplete)\n"), std::string::npos);
    EXPECT_GT(stopped.t.size(), 1U);
}

/// A direct run of few coordinates knows their number, one of many does not: coordinates that rest make many of few.
TEST(DirectRun, OfFewCoordinatesIsThatOfMany) {
    auto const text = [](int moving, int resting, std::string const& friction) {
        std::string names;
        std::string forces;
        std::string start;
        for (int i = 1; i <= moving; ++i) {
            auto const q = "q" + std::to_string(i);
            auto const next = "q" + std::to_string(i % moving + 1);
            names += (i > 1 ? ", '" : "'") + q + "'";
            forces += "force." + q + " = \"-sin(" + q + ") - " + next + "^3 + cos(3*t)" + friction + "*" + q + "'\"\n";
            start += q + " = 0." + std::to_string(i) + "\n";
        }
        for (int i = 1; i <= resting; ++i) {
            auto const z = "z" + std::to_string(i);
            names += ", '" + z + "'";
            forces += "force." + z + " = \"0\"\n";
            start += z + " = 0\n";
        }
        return "[system]\nkind = \"plain\"\ncoordinates = [" + names + "]\n" + forces + "[initial]\n" + start +
               "[time]\nend = 2\noutput = 5\n";
    };
    for (std::string const friction : {" - 0.1", " + 0"})
        for (std::string const macro :
             {"{}", "{ scheme = 'rk4', step = 0.01 }", "{ scheme = 'verlet', step = 0.01 }",
              "{ scheme = 'adams', order = 4, step = 0.01 }", "{ scheme = 'dormand-prince', rtol = 1e-9 }"})
            for (int moving = 1; moving <= 4; ++moving) {
                SCOPED_TRACE(macro + ", " + std::to_string(moving) + " coordinates, friction" + friction);
                problem_settings const settings{"method={ name = 'direct', macro = " + macro + " }",
                                                "method.engine=bytecode"};
                auto const few = solved_text(text(moving, 0, friction), settings);
                auto const many = solved_text(text(moving, 5 - moving, friction), settings);
                EXPECT_EQ(largest_difference(few, many), 0);
                EXPECT_GT(few.statistics.force_evaluations, 20U);
                expect_equal_counts(few, many);
            }
}

TEST(InitialState, MayBeTrueWithoutQuotes) {
    auto const quoted = solved("vibrated-pendulum", {"initial.state='true'"});
    auto const bare = solved("vibrated-pendulum", {"initial.state=true"});
    EXPECT_EQ(largest_difference(quoted, bare), 0);
    EXPECT_THROW(solved("vibrated-pendulum", {"initial.state=false"}), problem_error);
}

/// The start and the reported state are those of all harmonics that are of O(1/omega^2), however many phases there are.
TEST(ThreePhases, AreAveragedToSecondOrder) {
    std::string const text = R"toml(
[parameters]
w = 2000
[system]
kind = "vibrated"
coordinates = ["q"]
frequencies = ["w", "w*sqrt(2)", "w*sqrt(7)"]
phases = [0.3, 0.7, 1]
force.q = "(9.8 + 3*w*cos(theta1) + 2*w*cos(theta2) + w*cos(theta3))*sin(q)"
[initial]
q = 0.5
[time]
end = 1
output = 2
report = "full"
[accuracy]
rtol = 1e-9
atol = 1e-11
)toml";
    auto const error = [&](std::string const& w) {
        return largest_difference(solved_text(text, {"w=" + w, "accuracy.estimate=false"}),
                                  solved_text(text, {"w=" + w, "method.name=direct"}));
    };
    double const coarse = error("1000");
    EXPECT_LT(coarse, 2e-3);
    EXPECT_LT(error("4000"), coarse / 10);
}

TEST(PhaseGrid, ThatIsTooLargeIsRefused) {
    EXPECT_THROW(
        solved("twice-vibrated-pendulum", {"method={ name = 'hmm', window = { kernel = 'picard', points = 65 } }"}),
        problem_error);
}

TEST(FixedStep, BelowWhatARunCanTakeIsRefused) {
    EXPECT_THROW(solved("vibrated-pendulum", {"method={ name = 'direct', macro = { scheme = 'rk4', step = 1e-300 } }"}),
                 problem_error);
}

} // namespace
