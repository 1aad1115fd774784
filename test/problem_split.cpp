// Split systems from problem files: the same numbers and counts as the C++ models, and what auto chooses.

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/lento.hpp>
#include <lento/model/split.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;
using namespace lento_test;

model::stellar_orbits const stars;
auto const star_start = model::stellar_orbits::start();
std::string const papers_micro =
    "method.micro={ scheme = 'dormand-prince', rtol = 1e-5, atol = 1e-6, control = 'ode45' }";
dormand_prince const papers_stepper{.rtol = 1e-5, .atol = 1e-6, .control = control_rule::ode45};

TEST(SplitProblem, StroboscopeInTheInteractionPictureIsChosenAndIsTheLibrarys) {
    auto const code = solve(effective(interaction_picture(stars.system()), stroboscopic{{.order = 2, .steps = 16}}),
                            dormand_prince{}, {.state = star_start}, {.end = 14, .output_count = 29});
    auto const file = solved("stellar-orbits", {"accuracy.estimate=false"});
    EXPECT_EQ(file.method_name(), "stroboscopic");
    expect_same(file, code, 2);
}

TEST(SplitProblem, StroboscopeOfTheSystemAsGiven) {
    auto const code = solve(effective(stars.system(), stroboscopic{{.order = 4, .steps = 200}}), rk4{.step = 0.25},
                            {.state = star_start}, {.end = 2, .output_count = 5, .report = reported_state::full});
    auto const file =
        solved("stellar-orbits",
               {"method.name=stroboscopic", "method.order=4", "method.macro={ scheme = 'rk4', step = 0.25 }",
                "method.micro={ steps_per_period = 200 }", "time.end=2", "time.output=5", "time.report=full"});
    expect_same(file, code, 2 / stars.epsilon);
}

TEST(SplitProblem, StellarOrbitsByThePapersBackwardForward) {
    for (int const q : {2, 5}) {
        auto const slow =
            effective(stars.system(),
                      backward_forward{path_window{.delta = 7, .filter = polynomial{.moments = 1, .regularity = q}},
                                       papers_stepper});
        auto const code = solve(slow, midpoint{.step = 0.25}, {.state = star_start}, {.end = 14, .output_count = 57});
        auto const file =
            solved("stellar-orbits",
                   {"method.name=backward-forward", "method.macro={ scheme = 'midpoint', step = 0.25 }",
                    "method.window={ kernel = 'polynomial', regularity = " + std::to_string(q) + ", delta = 7 }",
                    papers_micro, "time.output=57"});
        expect_same(file, code, 2 / stars.epsilon);
        EXPECT_EQ(file.warnings.size(), code.warnings.size());
    }
}

TEST(SplitProblem, StellarOrbitsByFlavors) {
    auto const code = solve(stars.system(), flavors{{.step = 0.05, .delta = 20}, papers_stepper}, {.state = star_start},
                            {.end = 14, .output_count = 2});
    auto const file = solved("stellar-orbits", {"method.name=flavors", "method.macro={ step = 0.05 }",
                                                "method.window={ delta = 20 }", papers_micro, "time.output=2"});
    expect_same(file, code, 2 / stars.epsilon);
}

TEST(SplitProblem, TableTwoOfPaperTwo) {
    dormand_prince const micro{.rtol = 1e-8, .atol = 1e-6, .control = control_rule::ode45};
    auto const spiral = model::rippled_spiral{}.system();
    for (int const q : {1, 3, 5}) {
        path_window const path{.delta = 60, .filter = polynomial{.moments = 1, .regularity = q}, .steps = 600};
        problem_settings const settings{
            "method.name=backward-forward", "method.macro={ scheme = 'turning-euler', step = 1 }",
            "method.window={ kernel = 'polynomial', delta = 60, regularity = " + std::to_string(q) + " }"};
        auto with = settings;
        with.emplace_back("method.micro={ scheme = 'dormand-prince', rtol = 1e-8, atol = 1e-6, control = 'ode45' }");
        expect_same(solved("rippled-spiral", with),
                    solve(effective(spiral, backward_forward{path, micro}), turning_euler{.step = 1},
                          {.state = model::rippled_spiral::start}, {.end = 10, .output_count = 11}),
                    10 / 1e-4);
        with = settings;
        with.emplace_back("method.picture=interaction");
        with.emplace_back("method.micro={ scheme = 'rk4', step = 1e-5 }");
        expect_same(solved("rippled-spiral", with),
                    solve(effective(interaction_picture(spiral), backward_forward{path}), turning_euler{.step = 1},
                          {.state = model::rippled_spiral::start}, {.end = 10, .output_count = 11}),
                    10 / 1e-4);
    }
}

TEST(SplitProblem, WithoutThePeriodTwoFiltersAndARampAreChosen) {
    problem_settings const unknown{"method.macro={ scheme = 'dormand-prince-8', step = 1 }", "time.report=full",
                                   "time.output=15"};
    std::string text;
    for (auto const& each : builtin_problems())
        if (each.name == "stellar-orbits") text = each.text;
    std::string const line = "period = \"2*pi\"                   # of the fast flow, in units of epsilon\n";
    ASSERT_NE(text.find(line), std::string::npos);
    text.erase(text.find(line), line.size());
    auto const file = run_problem(read_problem(text, "test", unknown));
    EXPECT_EQ(file.method_name(), "backward-forward");
    auto const slow = effective(
        interaction_picture(stars.system()),
        backward_forward{path_window{
            .delta = 40, .filter = polynomial{1, 5}, .steps = 50, .extrapolate = polynomial{1, 7}, .ramp = true}});
    auto const code = solve(slow, fixed_dormand_prince_8{.step = 1}, {.state = star_start},
                            {.end = 14, .output_count = 15, .report = reported_state::full});
    expect_same(file, code, 2);
}

TEST(SplitProblem, SpectralMean) {
    auto const code =
        solve(effective(interaction_picture(stars.system()), picard{.points = 9, .passes = 2}),
              fixed_dormand_prince_8{.step = 0.5}, {.state = star_start}, {.end = 14, .output_count = 29});
    expect_same(
        solved("stellar-orbits", {"method.name=hmm", "method.window={ kernel = 'picard', points = 9, passes = 2 }",
                                  "method.macro={ scheme = 'dormand-prince-8', step = 0.5 }"}),
        code, 2);
}

TEST(SplitProblem, FermiPastaUlamIsTheModelForAnyLength) {
    model::fermi_pasta_ulam<3> const three{};
    auto const closure = stroboscopic{{.order = 4, .steps = 16}};
    auto const short_run = [&](auto const& fpu) {
        return solve(effective(interaction_picture(fpu.system()), closure), dormand_prince{}, {.state = fpu.start()},
                     {.end = 5, .output_count = 6});
    };
    expect_same(solved("fermi-pasta-ulam", {"time.end=5", "time.output=6", "accuracy.estimate=false"}),
                short_run(three), 100);
    expect_same(solved("fermi-pasta-ulam", {"time.end=5", "time.output=6", "accuracy.estimate=false", "k=7"}),
                short_run(model::fermi_pasta_ulam<7>{}), 100);
}

// docs/papers.md: 002.14
TEST(SplitProblem, SpiralsAndOscillatorsFollowTheirKnownMotions) {
    auto const spiral = solved("expanding-spiral");
    for (std::size_t i = 0; i < spiral.t.size(); ++i)
        EXPECT_NEAR(spiral.observables[0][i], std::exp(spiral.t[i]), 2e-6 * std::exp(spiral.t[i]));
    auto const rippled = solved("rippled-spiral");
    for (std::size_t i = 0; i < rippled.t.size(); ++i) EXPECT_NEAR(rippled.observables[0][i], 0.5 + rippled.t[i], 1e-3);
    auto const forced = solved("forced-oscillator");
    for (std::size_t i = 0; i < forced.t.size(); ++i)
        EXPECT_NEAR(forced.observables[0][i], model::forced_oscillator{}.amplitude(forced.t[i]), 1e-4);
    auto const coupled = solved("coupled-oscillators");
    for (std::size_t i = 0; i < coupled.t.size(); ++i)
        EXPECT_NEAR(coupled.observables[0][i], model::coupled_oscillators::first_share(coupled.t[i]), 3e-4);
}

TEST(SplitProblem, DirectIsTheOrdinarySystem) {
    auto const code = solve(stars.system(), dormand_prince{.rtol = 1e-8, .atol = 1e-10}, {.state = star_start},
                            {.end = 0.05, .output_count = 3});
    auto const file =
        solved("stellar-orbits", {"method={ name = 'direct', macro = { scheme = 'dormand-prince' } }",
                                  "accuracy.rtol=1e-8", "accuracy.atol=1e-10", "time.end=0.05", "time.output=3"});
    expect_same(file, code, 2 / stars.epsilon);
    EXPECT_TRUE(file.full);
}

TEST(SplitProblem, WorkDoesNotDependOnEpsilon) {
    std::string const steps = "method.macro={ scheme = 'rk4', step = 0.25 }";
    auto const coarse = solved("stellar-orbits", {"epsilon=1e-5", steps});
    auto const fine = solved("stellar-orbits", {"epsilon=1e-8", steps});
    ASSERT_EQ(fine.result, outcome::success) << fine.message;
    EXPECT_EQ(coarse.statistics.force_evaluations, fine.statistics.force_evaluations);
}

std::string const nonlinear = R"toml(
[system]
kind = "split"
variables = ["x", "y", "z"]
epsilon = 1e-3
fast.x = "y"
fast.y = "-x"
fast.z = "x*y"
slow.x = "-x"
[initial]
x = 1
y = 0
z = 0
[time]
end = 1
output = 3
)toml";

TEST(SplitProblem, ANonlinearFastPartNeedsThePeriodOrALength) {
    auto const refused = run_problem(read_problem(nonlinear, "test", {"accuracy.estimate=false"}));
    EXPECT_EQ(refused.result, outcome::not_applicable);
    EXPECT_NE(refused.message.find("system.period"), std::string::npos);
    auto const offered = run_problem(read_problem(nonlinear, "test"));
    EXPECT_EQ(offered.method_name(), "direct") << offered.message;
    auto const turned = run_problem(
        read_problem(nonlinear, "test",
                     {"method.name=backward-forward", "method.window={ delta = 40 }", "method.picture=interaction"}));
    EXPECT_EQ(turned.result, outcome::not_applicable);
    EXPECT_NE(turned.message.find("linear in the variables"), std::string::npos) << turned.message;
    // the radius in the plane decays like exp(-t/2)
    auto const run = run_problem(read_problem(
        nonlinear, "test",
        {"method.name=backward-forward", "method.window={ kernel = 'polynomial', regularity = 3, delta = 60 }"}));
    ASSERT_EQ(run.result, outcome::success) << run.message;
    EXPECT_NEAR(std::hypot(run.position.back()[0], run.position.back()[1]), std::exp(-0.5), 5e-3);
    auto const strobe = run_problem(read_problem(nonlinear, "test", {"system.period=2*pi", "accuracy.estimate=false"}));
    ASSERT_EQ(strobe.result, outcome::success) << strobe.message;
    EXPECT_EQ(strobe.used("picture")->text, "given");
    EXPECT_NEAR(std::hypot(strobe.position.back()[0], strobe.position.back()[1]), std::exp(-0.5), 1e-3);
}

TEST(SplitProblem, FullStateIsRefusedWhereItIsNotKnown) {
    auto const run = run_problem(read_problem(
        nonlinear, "test", {"method.name=backward-forward", "method.window={ delta = 40 }", "time.report=full"}));
    EXPECT_EQ(run.result, outcome::not_applicable);
}

TEST(SplitProblem, TheDocumentIsEnoughToRunItAgain) {
    auto const first = solved("stellar-orbits", {"method.name=backward-forward",
                                                 "method.window={ kernel = 'polynomial', regularity = 5, delta = 40 }",
                                                 "method.picture=interaction", "method.extrapolate=true",
                                                 "method.ramp=true", "time.end=1", "time.output=3"});
    ASSERT_EQ(first.result, outcome::success) << first.message;
    std::string const text = to_json(first.method);
    EXPECT_NE(text.find("\"extrapolate\": {\"kernel\": \"polynomial\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"picture\": \"interaction\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"delta\": 40"), std::string::npos) << text;
}

TEST(PlainProblem, AStroboscopeSeesAPlainSystemOncePerPeriod) {
    std::string const text = R"toml(
[parameters]
w = 1000
[system]
kind = "plain"
coordinates = ["q"]
force.q = "-w^2*q - 2*0.3*q'"
frequency = "w"
[initial]
q = 1
[time]
end = "2*pi/w*500"
output = 6
)toml";
    auto const run = run_problem(read_problem(text, "test", {"accuracy.estimate=false"}));
    ASSERT_EQ(run.result, outcome::success) << run.message;
    EXPECT_EQ(run.method_name(), "stroboscopic");
    for (std::size_t i = 0; i < run.t.size(); ++i)
        EXPECT_NEAR(run.position[i][0], std::exp(-0.3 * run.t[i]), 2e-4) << run.t[i];
    EXPECT_EQ(run.velocity.size(), run.t.size());
}

TEST(MicroSteps, AreSoManyThatTheyCanBeTaken) {
    auto const run = [](problem_settings const& settings) { return solved("coupled-oscillators", settings); };
    for (auto const* step : {"1e-15", "1e-300", "1e300"}) {
        auto const refused =
            run({"method={ name = 'flavors', macro = { step = 0.01 }, window = { delta = 6 }, micro = { step = " +
                     std::string(step) + " } }",
                 "time.end=0.02"});
        EXPECT_EQ(refused.result, outcome::not_applicable) << step << refused.message;
        EXPECT_NE(refused.message.find("the micro steps make"), std::string::npos) << refused.message;
    }
}

} // namespace
