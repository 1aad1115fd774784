// The closures of hard springs without windows from files: the limit in all orders, and the same with fast energy, with
// the numbers and counts of C++.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>
#include <lento/problem/method.hpp>

namespace {

using namespace lento;
using namespace lento_test;

std::string with_method(std::string const& tables) { return "method={ " + tables + " }"; }
std::string const steps = "macro = { scheme = 'dormand-prince-8', rtol = 1e-6, atol = 1e-9 }";
/// Steps of one length, which rounding does not change.
std::string const even_steps = "macro = { scheme = 'rk4', step = 0.03125 }";
rk4 const stepper{.step = 0.03125};

// ---- full reports ----

/// A coordinate that is nothing but a fast motion has to be right beside its own size.
TEST(FullReport, KnowsACoordinateThatOnlySwings) {
    std::string const text = "[system]\nkind = \"stiff\"\ncoordinates = [\"x\", \"y\"]\nforce.x = \"-sin(x)\"\n"
                             "force.y = \"-0.3\"\nstiff = [{ g = \"y*sqrt(1+x^2)\", omega = 3000 }]\n"
                             "[initial]\nx = 1\ny = 0\n\"x'\" = 0.5\n[time]\nend = 5\noutput = 6\nreport = \"full\"\n"
                             "[accuracy]\nrtol = 1e-4\natol = 1e-10\n";
    auto const run = solved_text(text);
    auto const direct = solved_text(text + "[method]\nname = \"direct\"\nmacro = { scheme = \"rkn12\", rtol = 1e-11, "
                                           "atol = 1e-18 }\n");
    ASSERT_EQ(run.result, outcome::success) << run.message;
    for (std::size_t k = 0; k < run.t.size(); ++k) {
        EXPECT_NEAR(run.position[k][0], direct.position[k][0], 2e-4);
        EXPECT_NEAR(run.position[k][1], direct.position[k][1], 10e-10);
    }
}

// ---- the limit ----

TEST(LimitFromFile, IsTheLibrarysInEveryOrder) {
    for (double const omega : {100., 1e6}) {
        model::two_springs const springs{omega, omega};
        for (int const order : {0, 1, 2}) {
            SCOPED_TRACE("omega = " + std::to_string(omega) + ", order " + std::to_string(order));
            auto const code = solve(effective(springs.both_hard(), limit{.order = order}), stepper,
                                    model::two_springs::on_constraints(), {.end = 2, .output_count = 9});
            auto const file = solved(
                "two-springs", {"omega=" + std::to_string(omega), "time.end=2", "time.output=9",
                                with_method("name = 'limit', order = " + std::to_string(order) + ", " + even_steps)});
            expect_same(file, code, 1e6); // second differences of loads over a thousandth of the slow time
        }
    }
}

/// Evaluations of all kinds.
double all_of(problem_run const& run) {
    EXPECT_EQ(run.result, outcome::success) << run.message;
    return static_cast<double>(run.statistics.force_evaluations + run.statistics.constraint_evaluations +
                               run.statistics.jacobian_evaluations);
}
/// The stiff problems that come with the program, hard and without fast energy.
struct hard_problem {
    std::string name;
    problem_settings at;
};
std::vector<hard_problem> const hard_problems{
    {"two-springs", {"omega=1e5"}},
    {"spring-pendulum", {"omega=1e5"}},
    {"strong-spring", {"omega=1e5"}},
    {"driven-spring", {"omega=1e5"}},
    {"polymer", {"omega=1e5"}},
    {"hard-and-soft-spring", {"hard=1e5", "initial.x1=1", "initial.\"x1'\"=0"}},
    {"soft-and-hard-spring", {"hard=1e5", "initial.x2=2", "initial.\"x2'\"=0.5"}},
};

TEST(LimitFromFile, TakesLittleMoreThanTheConstrainedMotion) {
    for (auto const& each : hard_problems) {
        auto const with = [&](std::string const& method) {
            auto settings = each.at;
            settings.emplace_back("accuracy.rtol=1e-4");
            settings.push_back(with_method("name = '" + method + "', macro = { scheme = 'dormand-prince-8' }"));
            return solved(each.name, settings);
        };
        auto const limit = with("limit");
        auto const rigid = with("underlying");
        EXPECT_LT(all_of(limit), 1.5 * all_of(rigid)) << each.name; // 3 is asked for
        EXPECT_LT(largest_difference(limit, rigid), 1e-3) << each.name;
    }
}

TEST(LimitFromFile, FollowsLoadsWhereTheToleranceAsksForIt) {
    auto const with = [](std::string const& rtol, std::string const& order) {
        return solved("two-springs",
                      {"omega=1000", "time.end=2", "accuracy.rtol=" + rtol, with_method("name = 'limit'" + order)});
    };
    EXPECT_LT(all_of(with("1e-3", "")), all_of(with("1e-3", ", order = 1")) / 2);
    auto const fine = with("1e-9", "");
    EXPECT_GT(all_of(fine), all_of(with("1e-9", ", order = 0")) * 2);
    EXPECT_EQ(fine.used("order")->integer, 1);
    EXPECT_GT(fine.used("borne")->real, 0);
    EXPECT_EQ(with("1e-9", ", order = 1").used("borne")->real, 0);
}

TEST(LimitFromFile, TellsOfTheEnergyThatItDrops) {
    auto const warned = [](std::string const& rtol) {
        auto const run = solved("two-springs", {"omega=1e5", "time.end=2", "initial.\"x1'\"=0.01",
                                                "accuracy.rtol=" + rtol, with_method("name = 'limit'")});
        return warns_of(run, "fast_motion_dropped");
    };
    EXPECT_TRUE(warned("1e-6")); // 5e-5 of energies of about 1
    EXPECT_FALSE(warned("1e-3"));
}

/// Everything that a slow force and springs may depend on.
std::string const moving_surfaces = R"toml(
[parameters]
w = 200
drag = 0.1
[system]
kind = "stiff"
coordinates = ["x", "y", "z"]
mass = [[2, 0.5, 0], [0.5, 3, 0.2], [0, 0.2, 5]]
force.x = "-x - drag*x'"
force.z = "sin(z) - drag*z'"
stiff = [{ g = "x*y - z - sin(t)", omega = "w" }, { g = "y + z^2/4 - 0.5", omega = "2*w" }]
[initial]
x = "0.4/0.46"
y = 0.46
z = 0.4
[time]
end = 2
output = 5
)toml";
auto surfaces(double w) {
    auto const force = [](auto const& q, auto const& v, auto) {
        return std::array{-q[0] - 0.1 * v[0], 0 * q[1], std::sin(q[2]) - 0.1 * v[2]};
    };
    auto const first = [](auto const& q, auto const& t) {
        using std::sin;
        return q[0] * q[1] - q[2] - sin(t);
    };
    return stiff<3>(mass({{2., 0.5, 0.}, {0.5, 3., 0.2}, {0., 0.2, 5.}}), with_velocity(force),
                    spring{w, with_time(first)},
                    spring{2 * w, [](auto const& q) { return q[1] + q[2] * q[2] / 4. - 0.5; }});
}
motion<std::array<double, 3>> const surface_start{{0.4 / 0.46, 0.46, 0.4}, {}};

TEST(LimitFromFile, TakesDragSpringsInTimeAndAFullMass) {
    auto const code = solve(effective(surfaces(200), limit{}), stepper, surface_start, {.end = 2, .output_count = 5});
    expect_same(solved_text(moving_surfaces, {with_method("name = 'limit', order = 1, " + even_steps)}), code, 1e6);
}

TEST(LimitFromFile, RelaxesConstraints) {
    std::string const relaxation = "name = 'limit', relaxation = { omega = 1e5 }, " + steps;
    auto const rigid = solved("hanging-chain", {with_method("name = 'underlying', " + steps), "n=8"});
    auto const chain = solved("hanging-chain", {with_method(relaxation), "n=8"});
    EXPECT_LT(largest_difference(rigid, chain), 1e-4);
    EXPECT_THROW(static_cast<void>(solved("two-springs", {with_method(relaxation)})), problem_error);
}

TEST(LimitFromFile, RefusesInSentences) {
    auto const refused = [](std::string const& name, problem_settings const& settings, outcome with,
                            std::string const& sentence) {
        auto const run = solved(name, settings);
        EXPECT_EQ(run.result, with) << name << ": " << run.message;
        EXPECT_NE(run.message.find(sentence), std::string::npos) << run.message;
    };
    auto const name = [](std::string const& method) { return "method={ name = '" + method + "' }"; };
    refused("two-springs", {name("limit"), "time.report=full"}, outcome::not_applicable,
            "report = \"full\" needs the method adiabatic or direct");
    refused("polymer", {"n=41", name("adiabatic")}, outcome::not_applicable, "40 springs");
    for (std::string const method : {"limit", "adiabatic"}) {
        refused("hanging-chain", {name(method)}, outcome::not_applicable,
                "relaxation = { omega = 1e4 } makes springs of the constraints");
        refused("strong-spring", {"system.stiff=[{ g = 'x', omega = 1e3 }, { g = '2*x', omega = 1e3 }]", name(method)},
                outcome::constraint_failed, "depends on");
    }
}

TEST(LimitFromFile, PredictsWhatItsOrderLeaves) {
    for (int const order : {0, 1}) {
        auto const settings = with_method("name = 'limit', order = " + std::to_string(order) +
                                          ", macro = { scheme = 'dormand-prince-8', rtol = 1e-9, atol = 1e-11 }");
        problem_settings const soft{"omega=50", "time.end=2", "initial.\"y1'\"=-0.7", "initial.\"y2'\"=0.9"};
        auto with_order = soft;
        with_order.push_back(settings);
        auto const what = load_problem("two-springs", with_order);
        auto chosen = choose_method(what);
        ASSERT_NE(chosen.row, nullptr);
        auto const predicted = chosen.row->predict(what, *chosen.options);
        EXPECT_GT(predicted.evaluations, 50U);
        auto better = soft;
        better.push_back(with_method("name = 'limit', order = 2, "
                                     "macro = { scheme = 'dormand-prince-8', rtol = 1e-9, atol = 1e-11 }"));
        double const error = largest_difference(run_problem(what), solved("two-springs", better));
        EXPECT_GT(predicted.error, error / 20) << order;
        EXPECT_LT(predicted.error, error * 50) << order;
    }
}

// ---- with fast energy ----

std::string const channel = R"toml(
[parameters]
w = 1e3
[system]
kind = "stiff"
coordinates = ["x", "y"]
force.x = "-x"
stiff = [{ g = "y*sqrt(1 + x^2)", omega = "w" }]
[initial]
x = 1
y = "0.5/w"
"x'" = 0.5
"y'" = 1
[time]
end = 5
output = 6
)toml";

TEST(AdiabaticFromFile, IsTheLibrarys) {
    auto const system = stiff<2>([](auto const& q, auto) { return std::array{-q[0], 0 * q[0]}; },
                                 spring{1e3, [](auto const& q) {
                                            using std::sqrt;
                                            return q[1] * sqrt(1. + q[0] * q[0]);
                                        }});
    auto const slow = effective(system, adiabatic{.negligible = 1e-7});
    for (auto const report : {reported_state::slow, reported_state::full}) {
        auto const code = solve(slow, dormand_prince_8{.rtol = 1e-8, .atol = 1e-10},
                                slow.extended(motion<std::array<double, 2>>{{1, 5e-4}, {0.5, 1}}),
                                {.end = 5, .output_count = 6, .report = report});
        auto const file =
            solved_text(channel, {report == reported_state::full ? "time.report=full" : "time.report=slow",
                                  with_method("name = 'adiabatic', negligible = 1e-7, "
                                              "macro = { scheme = 'dormand-prince-8', rtol = 1e-8, atol = 1e-10 }")});
        ASSERT_TRUE(code) << code.message;
        ASSERT_EQ(file.result, outcome::success) << file.message;
        EXPECT_EQ(file.full, report == reported_state::full);
        expect_equal_counts(file, code);
        for (std::size_t row = 0; row < file.t.size(); ++row) {
            ASSERT_EQ(file.position[row].size(), 2U);
            ASSERT_EQ(file.velocity[row].size(), 2U);
            for (std::size_t i = 0; i < 2; ++i) {
                EXPECT_NEAR(file.position[row][i], code.position[row][i], 1e-9);
                EXPECT_NEAR(file.velocity[row][i], code.velocity[row][i], 1e-6); // a phase times omega
            }
        }
    }
}

TEST(AdiabaticFromFile, FollowsDirectRunsWithDragSpringsInTimeAndAFullMass) {
    // struck across the first surface
    problem_settings const struck{"initial.\"y'\"=0.2", "initial.\"z'\"=-1", "time.report=full", "w=1000"};
    auto direct = struck;
    direct.push_back(
        with_method("name = 'direct', macro = { scheme = 'dormand-prince-8', rtol = 1e-10, atol = 1e-12 }"));
    auto slow = struck;
    slow.push_back(with_method("name = 'adiabatic', "
                               "macro = { scheme = 'dormand-prince-8', rtol = 1e-9, atol = 1e-11 }"));
    EXPECT_LT(largest_difference(solved_text(moving_surfaces, direct), solved_text(moving_surfaces, slow)), 5e-6);
    auto without = struck;
    without[2] = "time.report=slow";
    without.push_back(with_method("name = 'limit', " + steps));
    EXPECT_GT(largest_difference(solved_text(moving_surfaces, direct), solved_text(moving_surfaces, without)), 1e-4);
}

TEST(AdiabaticFromFile, IgnoresModesBelowTheTolerance) {
    auto const used = [](std::string const& report) {
        auto const run = solved_text(channel, {"time.report=" + report, with_method("name = 'adiabatic', " + steps)});
        EXPECT_EQ(run.result, outcome::success) << run.message;
        return run.used("negligible")->real;
    };
    EXPECT_DOUBLE_EQ(used("slow"), 1e-7);
    EXPECT_DOUBLE_EQ(used("full"), 0);
    auto const unknown = solved_text(channel, {"w=1e9", "time.report=full", with_method("name = 'adiabatic'")});
    EXPECT_EQ(exit_code(unknown.result), 5);
    EXPECT_NE(unknown.message.find("phase"), std::string::npos) << unknown.message;
}

} // namespace
