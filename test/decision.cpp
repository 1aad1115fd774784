// With nothing said of the method, cost and error decide: what is reported is within the tolerance at every separation
// of scales, and its error is known.

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <lento/io/problem_file.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;

problem with_tolerance(std::string const& name, std::vector<std::string> const& settings, double rtol) {
    auto what = load_problem(name, settings);
    what.rtol = rtol;
    what.atol = rtol / 1000;
    return what;
}
problem_run directly(problem what) {
    what.rtol = 1e-12;
    what.atol = 1e-14;
    what.estimate = false;
    what.report = reported_state::full;
    what.method = entry("method", {entry("name", "direct")});
    return run_problem(what);
}
/// The largest error of a coordinate over what is allowed.
double error_over_allowed(problem const& what, problem_run const& run, problem_run const& truth) {
    double worst = 0;
    for (std::size_t i = 0; i < what.size; ++i) {
        double size = 0;
        for (auto const& row : truth.position) size = std::max(size, std::abs(row[i]));
        for (std::size_t k = 0; k < truth.t.size(); ++k)
            worst = std::max(worst, std::abs(run.position[k][i] - truth.position[k][i]) /
                                        std::max(what.atol, what.rtol * size));
    }
    return worst;
}

struct sample {
    std::string name;
    std::string parameter;
    std::vector<double> values; ///< from scales that are near to scales that are far apart
};
std::vector<sample> const samples{{"vibrated-pendulum", "omega", {100, 1000, 3e4}},
                                  {"twice-vibrated-pendulum", "omega1", {300, 3000}},
                                  {"stellar-orbits", "epsilon", {0.05, 5e-4}},
                                  {"spring-pendulum", "omega", {50, 2000}},
                                  {"driven-spring", "omega", {50, 2000}}};

TEST(Decision, KeepsTheToleranceAtEverySeparation) {
    for (auto const& [name, parameter, values] : samples)
        for (double const value : values) {
            std::vector<std::string> const settings{parameter + "=" + std::to_string(value), "time.report=\"full\""};
            auto const truth = directly(load_problem(name, settings));
            ASSERT_EQ(truth.result, outcome::success) << name << ": " << truth.message;
            for (double const rtol : {1e-3, 1e-6}) {
                auto const what = with_tolerance(name, settings, rtol);
                auto const run = run_problem(what);
                std::string const which =
                    name + " " + std::to_string(value) + " " + std::to_string(rtol) + " by " + run.method_name();
                ASSERT_EQ(run.result, outcome::success) << which << ": " << run.message;
                EXPECT_LT(error_over_allowed(what, run, truth), 3) << which;
                ASSERT_TRUE(run.error_estimate.has_value()) << which;
                EXPECT_LT(run.error_estimate->ratio, 3) << which;
            }
        }
}
TEST(Decision, TakesClosuresWhereScalesAreFarApartOnly) {
    for (auto const& [name, parameter, values] : samples) {
        auto const method = [&](double value) {
            return run_problem(with_tolerance(name, {parameter + "=" + std::to_string(value)}, 1e-4)).method_name();
        };
        EXPECT_EQ(method(values.front()), "direct") << name;
        EXPECT_NE(method(parameter == "epsilon" ? 1e-5 : 1e6), "direct") << name;
    }
}
TEST(Decision, CostsTheSameWhateverTheFrequency) {
    for (auto const* name : {"vibrated-pendulum", "spring-pendulum"}) {
        std::vector<double> counts;
        for (auto const* omega : {"omega=1e5", "omega=1e6", "omega=1e8"}) {
            auto const run = run_problem(with_tolerance(name, {omega}, 1e-4));
            EXPECT_EQ(run.result, outcome::success) << run.message;
            counts.push_back(static_cast<double>(run.statistics.force_evaluations));
        }
        EXPECT_LT(std::ranges::max(counts), 1.05 * std::ranges::min(counts)) << name;
    }
}
TEST(Decision, TakesTheOrderThatTheToleranceNeeds) {
    auto const order = [](double rtol) {
        auto const run = run_problem(with_tolerance("stellar-orbits", {"epsilon=1e-4"}, rtol));
        EXPECT_EQ(run.method_name(), "hmm");
        auto const* found = run.used("window.order");
        return found != nullptr ? found->integer : -1;
    };
    EXPECT_EQ(order(1e-2), 0);
    EXPECT_EQ(order(1e-7), 2);
}
/// The part that no step can make smaller, held against the truth where it is most of the error.
TEST(Decision, KnowsWhatAClosureIsWrongBy) {
    for (auto const& [name, setting] :
         {std::pair{"vibrated-pendulum", "omega=20000"}, {"stellar-orbits", "epsilon=3e-4"}}) {
        auto what = with_tolerance(name, {setting, "time.report=\"full\""}, 1e-3);
        auto const run = run_problem(what);
        ASSERT_TRUE(run.error_estimate.has_value()) << run.message;
        ASSERT_EQ(run.method_name(), "hmm");
        what.method = run.method;
        what.rtol = 1e-10;
        auto& macro = *std::ranges::find(what.method.children, "macro", &entry::key);
        for (auto& each : macro.children)
            if (each.key == "rtol" || each.key == "atol") each.real = 1e-11;
        auto const closely = run_problem(what);
        auto const truth = directly(what);
        what.atol = 1e-13;
        double const error = 1e-10 * error_over_allowed(what, closely, truth);
        EXPECT_GT(run.error_estimate->modelling, 0.4 * error) << name;
        EXPECT_LT(run.error_estimate->modelling, 2.5 * error) << name;
    }
}
/// At such frequencies the mean force has lost its last digits: no closure gets there, and a direct run would take
/// years.
TEST(Decision, TellsWhatRoundingLeaves) {
    auto const run = run_problem(with_tolerance("vibrated-pendulum", {"omega=1e10"}, 1e-9));
    EXPECT_EQ(run.result, outcome::success) << run.message;
    EXPECT_TRUE(
        std::ranges::any_of(run.warnings, [](auto const& each) { return each.code == "accuracy_not_reached"; }));
}
/// A run that is shorter than a fast period has no slow motion, but a motion.
TEST(Decision, OffersWhatClosuresRefuseToDirectIntegration) {
    auto const run =
        run_problem(with_tolerance("vibrated-pendulum", {"omega=1e4", "time.end=1e-4", "time.output=3"}, 1e-6));
    EXPECT_EQ(run.result, outcome::success) << run.message;
    EXPECT_EQ(run.method_name(), "direct");
}
/// Where the true start is not known there is no direct run, and closures are chosen without its price.
TEST(Decision, ChoosesAmongClosuresFromASlowStart) {
    auto const run = run_problem(with_tolerance("vibrated-pendulum", {"omega=1e5", "initial.state=\"slow\""}, 1e-4));
    EXPECT_EQ(run.result, outcome::success) << run.message;
    EXPECT_EQ(run.method_name(), "hmm");
    EXPECT_TRUE(run.error_estimate.has_value());
}
/// Two oscillators whose frequencies have no common period, so that flows are compared. Averaged, the amplitude of one
/// decays, and that of the other goes to 2, as Van der Pol's does; it has harmonics that few micro steps would take for
/// others.
std::string const without_period = R"(
[system]
kind = "split"
variables = ["x", "v", "y", "w"]
epsilon = 1e-6
fast.x = "v"
fast.v = "-x"
fast.y = "(1 + sqrt(5))/2*w"
fast.w = "-(1 + sqrt(5))/2*y"
slow.v = "-x^3 - 0.3*v"
slow.w = "(1 - y^2)*w"
[initial]
x = 0.8
v = 0.3
y = 0.4
w = 0
[time]
end = 2
output = 9
report = "full"
)";
TEST(Decision, MeasuresFlowsThatAreCompared) {
    for (double const rtol : {1e-2, 1e-5}) {
        auto what = read_problem(without_period, "without-period");
        what.rtol = rtol;
        what.atol = rtol / 1000;
        auto const run = run_problem(what);
        ASSERT_EQ(run.result, outcome::success) << run.message;
        EXPECT_EQ(run.method_name(), "backward-forward");
        ASSERT_TRUE(run.error_estimate.has_value());
        EXPECT_LT(run.error_estimate->ratio, 3);
        EXPECT_TRUE(run.warnings.empty());
        for (std::size_t k = 0; k < run.t.size(); ++k) {
            auto const& at = run.position[k];
            double const decayed = std::hypot(0.8, 0.3) * std::exp(-0.15 * run.t[k]);
            double const grown = 2 / std::sqrt(1 + (4 / 0.16 - 1) * std::exp(-run.t[k]));
            EXPECT_NEAR(std::hypot(at[0], at[1]), decayed, rtol) << run.t[k];
            EXPECT_NEAR(std::hypot(at[2], at[3]), grown, rtol) << run.t[k];
        }
    }
}
/// A direct run is not taken where it would take longer than one may wait, and what is run instead says what it lacks.
TEST(Decision, SaysWhereNothingMeasuresTheError) {
    std::string const potential = R"(
[parameters]
omega = 5000
[system]
kind = "stiff"
coordinates = ["x", "y"]
potential = "y"
stiff_potential = "omega^2*(sqrt(x^2 + y^2) - 1)^2/2"
[initial]
x = 1
y = 0
"x'" = 0
"y'" = 0
[time]
end = 2
output = 3
)";
    auto what = read_problem(potential, "potential");
    what.rtol = 1e-3;
    auto const waiting = run_problem(what);
    EXPECT_EQ(waiting.method_name(), "direct");
    EXPECT_TRUE(waiting.error_estimate.has_value());
    auto const hasty = run_problem(what, {.budget = 1e-6});
    EXPECT_EQ(hasty.result, outcome::success) << hasty.message;
    EXPECT_NE(hasty.method_name(), "direct");
    EXPECT_TRUE(
        std::ranges::any_of(hasty.warnings, [](auto const& each) { return each.code == "accuracy_not_measured"; }));
}
/// Springs that soften to a twentieth of their frequency on the way: what loads and fast energy displace grows, and is
/// either right or told to be left out.
TEST(Decision, KnowsSpringsThatSoften) {
    struct soft {
        std::string g;
        std::string omega;
        std::string load;
        std::string speed;
    };
    for (auto const& [g, omega, load, speed] : {soft{"y*(0.05 + x^2)", "300", "-1", "0"},
                                                {"y*(0.05 + x^2)", "1000", "-3", "-1"},
                                                {"y*(0.1 + 0.9*x^2)", "1000", "-10", "-1"},
                                                {"y*(1.05 + sin(3*x))", "3000", "1", "-0.3"}})
        for (auto const* report : {"full", "slow"}) {
            auto what = read_problem(
                "[system]\nkind = \"stiff\"\ncoordinates = [\"x\", \"y\"]\nforce.x = \"-x\"\nforce.y = \"" + load +
                    "\"\nstiff = [{ g = \"" + g + "\", omega = " + omega + " }]\n[initial]\nx = 1\ny = 0\n\"x'\" = " +
                    speed + "\n[time]\nend = 3\noutput = 31\nreport = \"" + report + "\"\n",
                g);
            auto const truth = directly(what);
            ASSERT_EQ(truth.result, outcome::success) << truth.message;
            for (double const rtol : {1e-1, 1e-2, 1e-3, 1e-4}) {
                what.rtol = rtol;
                what.atol = rtol / 1000;
                auto const run = run_problem(what);
                ASSERT_EQ(run.result, outcome::success) << g << run.message;
                bool const told = std::ranges::any_of(run.warnings, [](auto const& each) {
                    return each.code == "fast_motion_dropped" || each.code == "fast_energy_ignored";
                });
                EXPECT_TRUE(error_over_allowed(what, run, truth) < 10 || (told && report == std::string("slow")))
                    << g << " " << report << " " << rtol << ": " << error_over_allowed(what, run, truth);
            }
        }
}

// ---- the table of what was considered ----

/// The one line that is taken; fails where that is not one.
considered const& taken_of(std::vector<considered> const& choice) {
    EXPECT_EQ(std::ranges::count_if(choice, &considered::taken), 1);
    static considered const none;
    auto const found = std::ranges::find_if(choice, &considered::taken);
    return found != choice.end() ? *found : none;
}
considered const* line_of(std::vector<considered> const& choice, std::string const& name) {
    auto const found = std::ranges::find(choice, name, &considered::name);
    return found != choice.end() ? &*found : nullptr;
}
TEST(Choice, IsToldBeforeTheRunBegins) {
    for (auto const& [name, setting, begins] : {std::tuple{"vibrated-pendulum", "omega=1e6", "hmm of order "},
                                                {"vibrated-pendulum", "omega=100", "direct"},
                                                {"spring-pendulum", "omega=1e5", ""},
                                                {"stellar-orbits", "epsilon=1e-4", "hmm of order "},
                                                {"lorenz", "", "direct"}}) {
        auto what = with_tolerance(
            name, *setting != '\0' ? std::vector<std::string>{setting} : std::vector<std::string>{}, 1e-4);
        std::vector<considered> told;
        int calls = 0;
        double latest = what.start; // where runs have come to when it is told
        double at_call = what.start;
        run_controls controls;
        controls.progress = [&](double t) { latest = t; };
        controls.chosen = [&](std::vector<considered> const& all) {
            told = all;
            at_call = latest;
            latest = what.start;
            ++calls;
        };
        auto const run = run_problem(what, controls);
        ASSERT_EQ(run.result, outcome::success) << name << run.message;
        EXPECT_EQ(calls, 1) << name;
        EXPECT_LT(at_call, what.end) << name; // a trial at most
        EXPECT_GE(latest, what.end) << name;
        ASSERT_EQ(told.size(), run.choice.size()) << name;
        auto const& taken = taken_of(told);
        EXPECT_EQ(taken.name.rfind(begins, 0), 0U) << name << ": " << taken.name;
        EXPECT_EQ(taken.name.rfind(run.method_name(), 0), 0U) << name << ": " << taken.name;
        EXPECT_NE(line_of(told, "direct"), nullptr) << name;
        for (auto const& each : told) EXPECT_FALSE(each.reason.empty()) << name << ": " << each.name;
    }
}
/// What is expected is of the size of what comes.
TEST(Choice, ExpectsWhatComes) {
    for (auto const& [name, setting] : {std::pair{"vibrated-pendulum", "omega=1e6"},
                                        {"vibrated-pendulum", "omega=2000"},
                                        {"stellar-orbits", "epsilon=1e-4"},
                                        {"spring-pendulum", "omega=2000"}}) {
        auto const run = run_problem(with_tolerance(name, {setting}, 1e-5));
        auto const& taken = taken_of(run.choice);
        ASSERT_TRUE(taken.evaluations.has_value()) << name;
        double const ratio = *taken.evaluations / static_cast<double>(run.statistics.force_evaluations);
        EXPECT_GT(ratio, 0.25) << name << setting;
        EXPECT_LT(ratio, 4) << name << setting;
        if (taken.name == "direct") continue;
        ASSERT_TRUE(taken.error.has_value()) << name;
        EXPECT_LE(*taken.error, 0.5) << name;
        auto const* direct = line_of(run.choice, "direct");
        ASSERT_NE(direct, nullptr);
        EXPECT_GT(direct->evaluations.value_or(0), *taken.evaluations) << name;
    }
}
TEST(Choice, IsEmptyWhereTheMethodIsGiven) {
    auto const run = run_problem(with_tolerance("vibrated-pendulum", {"omega=1e6", "method.name=\"hmm\""}, 1e-4));
    EXPECT_TRUE(run.choice.empty());
}

// ---- the advice of refusals ----

std::string const pushed_and_damped = R"toml(
[system]
kind = "vibrated"
coordinates = ["q"]
frequency = 1e4
force.q = "-q - q' + 1e4*cos(theta)*sin(q)"
[initial]
q = 0.5
[time]
end = 1
)toml";
std::string const hard_fast_part = R"toml(
[system]
kind = "split"
variables = ["x", "v"]
epsilon = 1e-3
fast.x = "v"
fast.v = "-x^3"
slow.v = "-v"
[initial]
x = 1
v = 0
[time]
end = 1
)toml";
std::string const short_plain = R"toml(
[system]
kind = "plain"
coordinates = ["q"]
force.q = "-q"
[initial]
q = 1
[time]
end = 1
)toml";
/// What is refused, the words of its refusal, and settings that do as these say.
struct refusal {
    std::string problem; ///< a name, or a text
    std::vector<std::string> settings;
    std::string advice;
    std::vector<std::string> followed;
};
std::string window_of(std::string const& kernel) { return "method.window={ kernel = '" + kernel + "' }"; }
TEST(Advice, OfRefusalsWorksWhenItIsFollowed) {
    std::string const hmm = "method.name=hmm";
    std::string const unmeasured = "accuracy.estimate=false";
    for (auto const& [name, settings, advice, followed] :
         {refusal{
              "vibrated-pendulum", {"omega=3", unmeasured}, "Use the method direct", {"omega=3", "method.name=direct"}},
          {"vibrated-pendulum",
           {hmm, "method.window={ kernel = 'exponential', periods = 1 }"},
           "Use at least 7 periods",
           {hmm, "method.window={ kernel = 'exponential', periods = 7 }"}},
          {"vibrated-pendulum",
           {hmm, "method.window={ kernel = 'exponential', periods = 1 }"},
           "or the one-period mean where the force is even",
           {hmm, window_of("one-period")}},
          {"twice-vibrated-pendulum",
           {hmm, window_of("one-period")},
           "use a smooth kernel over 40 periods",
           {hmm, "method.window={ kernel = 'exponential', periods = 40 }"}},
          {"twice-vibrated-pendulum",
           {hmm, window_of("one-period")},
           "or the picard estimator",
           {hmm, window_of("picard")}},
          {"twice-vibrated-pendulum", {"method.name=stroboscopic"}, "use hmm", {hmm}},
          {pushed_and_damped,
           {hmm, window_of("exponential"), "method.start=asynchronous"},
           "use start = \"synchronous\"",
           {hmm, window_of("exponential"), "method.start=synchronous"}},
          {hard_fast_part, {unmeasured}, "give system.period", {unmeasured, "system.period=7.4163"}},
          {hard_fast_part,
           {unmeasured},
           "method.name = \"backward-forward\" with window.delta",
           {"method={ name = 'backward-forward', window = { delta = 40 } }"}},
          {"stellar-orbits",
           {hmm, window_of("cosine")},
           "window = { kernel = \"picard\" }",
           {hmm, window_of("picard")}},
          {short_plain, {"method.name=stroboscopic"}, "or use the method direct", {"method.name=direct"}},
          {short_plain, {hmm}, "those that do are direct", {"method.name=direct"}}}) {
        auto const run = [&text = name](std::vector<std::string> const& with) {
            bool const is_text = text.find('\n') != std::string::npos;
            return run_problem(is_text ? read_problem(text, "test", with) : load_problem(text, with));
        };
        auto const refused = run(settings);
        EXPECT_EQ(exit_code(refused.result), 5) << name << settings.front();
        EXPECT_NE(refused.message.find(advice), std::string::npos) << advice << ": " << refused.message;
        auto const done = run(followed);
        EXPECT_EQ(done.result, outcome::success) << advice << ": " << done.message;
    }
    // and with nothing said, the same problems need no advice
    for (auto const& text : {hard_fast_part, pushed_and_damped, short_plain})
        EXPECT_EQ(run_problem(read_problem(text, "test")).result, outcome::success);
    EXPECT_EQ(run_problem(load_problem("vibrated-pendulum", {"omega=3"})).result, outcome::success);
}

TEST(Decision, IsNotMadeWhereTheMethodIsGivenOrNothingIsMeasured) {
    auto const named = run_problem(with_tolerance("vibrated-pendulum", {"omega=100", "method.name=\"hmm\""}, 1e-4));
    EXPECT_EQ(named.method_name(), "hmm");
    auto const unmeasured = run_problem(with_tolerance("vibrated-pendulum", {"accuracy.estimate=false"}, 1e-4));
    EXPECT_EQ(unmeasured.method_name(), "hmm");
    EXPECT_FALSE(unmeasured.error_estimate.has_value());
    EXPECT_EQ(unmeasured.estimate_evaluations, 0U);
}

} // namespace
