// Stiff potentials of any form: their fast modes are found from the Hessian.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/problem/check.hpp>
#include <lento/problem/problem_schema.hpp>

namespace {

using namespace lento;
using namespace lento_test;

/// A mass at the end of a spring of length 1 in the plane, under gravity; `stiff` says what holds it.
std::string pendulum(std::string const& stiff) {
    return R"(
[parameters]
omega = 1e4
[system]
kind = "stiff"
coordinates = ["x", "y"]
mass = 2
potential = "2*3*y"
)" + stiff +
           R"(
[initial]
x = 0.8
y = -0.6
"x'" = 0.3
"y'" = 0.4
[time]
end = 2
output = 5
)";
}
std::string const spring = R"(stiff = [{ g = "sqrt(x^2 + y^2) - 1", omega = "omega" }])";
std::string const as_potential = R"(stiff_potential = "omega^2*(sqrt(x^2 + y^2) - 1)^2/2")";
/// Morse's potential: no spring of a constant frequency.
std::string const morse = R"(stiff_potential = "omega^2*(1 - exp(-3*(sqrt(x^2 + y^2) - 1)))^2/18")";

TEST(StiffPotential, OfASpringIsThatSpring) {
    for (std::string const method : {"ipa", "hmm", "direct", "impulse"}) {
        problem_settings settings{"method.name=" + method};
        settings.push_back(method == "impulse" ? "method.macro={ step = 0.01 }"
                           : method == "direct"
                               ? "method.macro={ scheme = 'dormand-prince', rtol = 1e-9, atol = 1e-12 }"
                               : "method.macro={ scheme = 'rk4', step = '1/256' }");
        if (method == "ipa") settings.emplace_back("method.projection={ tolerance = 1e-9 }");
        auto const of_spring = solved_text(pendulum(spring), settings);
        auto const of_potential = solved_text(pendulum(as_potential), settings);
        EXPECT_LT(largest_difference(of_spring, of_potential), 2e-8) << method;
        // a gradient of the potential takes one call, those of springs likewise: only what tells a slow point differs
        EXPECT_NEAR(static_cast<double>(of_potential.statistics.force_evaluations),
                    static_cast<double>(of_spring.statistics.force_evaluations),
                    0.1 * static_cast<double>(of_spring.statistics.force_evaluations))
            << method;
    }
}

// docs/papers.md: 000.41, 003.4
TEST(StiffPotential, IsFollowedAsItsDirectMotionIs) {
    problem_settings const slow_start{"initial.project='slow-manifold'"};
    auto const with = [&](problem_settings more) {
        more.insert(more.end(), slow_start.begin(), slow_start.end());
        return solved_text(pendulum(morse), more);
    };
    auto const direct = with({"method.name=direct", "accuracy.rtol=1e-10", "accuracy.atol=1e-12"});
    EXPECT_LT(largest_difference(direct, with({})), 1e-5); // nothing measures what a closure errs by
    EXPECT_EQ(with({}).method_name(), "direct");
    auto const unmeasured = with({"accuracy.estimate=false"});
    EXPECT_LT(largest_difference(direct, unmeasured), 1e-5);
    EXPECT_EQ(unmeasured.method_name(), "ipa");
    EXPECT_LT(largest_difference(direct, with({"method.name=ipa", "method.macro={ scheme = 'rk4', step = '1/64' }"})),
              1e-6);
    // averaging errs by what its window leaves, and by O(1/omega^2)
    EXPECT_LT(largest_difference(direct, with({"method.name=hmm", "method.macro={ scheme = 'rk4', step = '1/512' }"})),
              1e-4);
    auto const anew = with({"method.name=direct", "method.projection={ every = 0.5 }"});
    EXPECT_LT(largest_difference(direct, anew), 1e-4);
    EXPECT_GT(anew.statistics.projections, 3U);
}

/// The slow point, found by filtering, leads to the slow motion.
TEST(StiffPotential, ComesToThePendulumLikeOneOverOmegaSquared) {
    auto const angle = solved_text(R"toml(
[system]
kind = "plain"
coordinates = ["q"]
force.q = "-3*sin(q)"
[initial]
q = "atan(4/3)"
"q'" = 0.5
[time]
end = 2
output = 5
[accuracy]
rtol = 1e-10
)toml");
    std::array<double, 2> error{};
    for (std::size_t k = 0; k < 2; ++k) {
        auto const run = solved_text(pendulum(morse), {k == 0 ? "omega=1000" : "omega=2000", "method.name=direct",
                                                       "initial.project='slow-manifold'", "accuracy.rtol=1e-10"});
        ASSERT_EQ(run.result, outcome::success) << run.message;
        for (std::size_t row = 0; row < run.t.size(); ++row) {
            double const q = angle.position[row][0];
            error[k] = std::max(
                {error[k], std::abs(run.position[row][0] - std::sin(q)), std::abs(run.position[row][1] + std::cos(q))});
        }
    }
    EXPECT_NEAR(error[0] / error[1], 4, 0.2) << error[0] << ", " << error[1];
}

TEST(StiffPotential, TakesTimesAndFullMasses) {
    // x'' = -omega^2 (x - cos t): the slow motion is omega^2/(omega^2 - 1) cos t. The second coordinate is coupled to
    // it by the mass alone, and by a change of coordinates nothing else
    auto const run = solved_text(R"(
[system]
kind = "stiff"
coordinates = ["x", "y"]
mass = [[2, 1], [1, 2]]
stiff_potential = "0.75*1e6*((x + y) - cos(t))^2"
[initial]
state = "slow"
x = "0.5*1e6/(1e6 - 1) + 0.1"
y = "0.5*1e6/(1e6 - 1) - 0.1"
"x'" = 0.2
"y'" = -0.2
[time]
end = 3
output = 4
)");
    ASSERT_EQ(run.result, outcome::success) << run.message;
    for (std::size_t row = 0; row < run.t.size(); ++row) {
        EXPECT_NEAR(run.position[row][0] + run.position[row][1], 1e6 / (1e6 - 1) * std::cos(run.t[row]), 1e-6);
        EXPECT_NEAR(run.position[row][0] - run.position[row][1], 0.2 + 0.4 * run.t[row], 1e-6);
    }
}

/// A valley that narrows: the energy of the fast motion in it pushes the slow one back.
std::string valley(std::string const& stiff) {
    return R"(
[system]
kind = "stiff"
coordinates = ["x", "y"]
)" + stiff +
           R"(
[initial]
x = 0
y = 0
"x'" = 1
"y'" = 0.7
[time]
end = 0.75
)";
}

TEST(StiffPotential, TellsFastEnergyThatActsOnTheSlowMotion) {
    auto const of_spring = solved_text(valley(R"(stiff = [{ g = "(1 + x^2)*y", omega = 1e4 }])"),
                                       {"method.name=ipa", "method.macro={ scheme = 'rk4', step = '1/64' }"});
    auto const run = solved_text(valley(R"(stiff_potential = "1e8*((1 + x^2)*y)^2/2")"),
                                 {"method.name=ipa", "method.macro={ scheme = 'rk4', step = '1/64' }"});
    ASSERT_TRUE(warns_of(of_spring, "fast_energy_ignored")) << of_spring.message;
    ASSERT_TRUE(warns_of(run, "fast_energy_ignored")) << run.message;
    EXPECT_EQ(run.warnings.front().sentence, of_spring.warnings.front().sentence); // to the digits told
}

TEST(StiffPotential, MethodsThatNeedSpringsSaySo) {
    for (std::string const method : {"limit", "adiabatic", "underlying", "shake", "rattle"}) {
        auto const run = solved_text(pendulum(morse), {"method.name=" + method});
        EXPECT_EQ(run.result, outcome::not_applicable) << method;
        EXPECT_NE(run.message.find("functions g"), std::string::npos) << run.message;
        EXPECT_NE(run.message.find("direct, hmm, ipa"), std::string::npos) << run.message;
    }
    for (std::string const settings : {"method.projection={ loads = 4 }", "method.window={ kernel = 'notch' }",
                                       "method.window={ scalar = 'long double' }"}) {
        auto const run = solved_text(pendulum(morse), {"method.name=ipa", settings});
        EXPECT_EQ(run.result, outcome::not_applicable) << settings;
        EXPECT_NE(run.message.find("potential"), std::string::npos) << run.message;
    }
    auto const bent = solved_text(pendulum(morse), {"method.name=deuflhard", "method.macro={ step = 0.01 }"});
    EXPECT_NE(bent.message.find("not quadratic"), std::string::npos) << bent.message;
}

TEST(StiffPotential, ThatIsQuadraticIsSteppedOver) {
    auto const linear = [](std::string const& stiff) {
        return R"(
[system]
kind = "stiff"
coordinates = ["x", "y"]
mass = { x = 4 }
potential = "x^4 + y^2*x"
)" + stiff + R"(
[initial]
x = 0.5
y = 0.3
[time]
end = 2
output = 5
)";
    };
    for (std::string const method : {"deuflhard", "gautschi", "mollified-impulse"}) {
        problem_settings const settings{"method.name=" + method, "method.macro={ step = 0.01 }"};
        EXPECT_LT(largest_difference(solved_text(linear(R"(stiff = [{ g = "y - x - 0.1", omega = 50 }])"), settings),
                                     solved_text(linear(R"(stiff_potential = "50^2*(y - x - 0.1)^2/2")"), settings)),
                  1e-10)
            << method;
    }
}

TEST(StiffPotential, WithoutSeparatedModesIsRefused) {
    auto const run =
        solved_text(pendulum(R"(stiff_potential = "omega^2*(x^2 + 2*y^2)/2")"), {"omega=1", "accuracy.estimate=false"});
    EXPECT_EQ(run.result, outcome::no_scale_separation);
    EXPECT_NE(run.message.find("no gap"), std::string::npos) << run.message;
    // modes that become slow on the way
    auto const fading = solved_text(valley(R"(stiff_potential = "1e10*exp(-30*x)*y^2/2 + 1e2*x^2/2")"),
                                    {"initial={ x = 0, \"x'\" = 12, y = 0 }", "method.name=hmm",
                                     "method.macro={ scheme = 'rk4', step = '1/512' }"});
    EXPECT_EQ(fading.result, outcome::no_scale_separation) << fading.message;
}

TEST(StiffPotential, ReadsBackAndNothingElseIsTaken) {
    auto const read = read_problem(pendulum(morse), "test");
    auto const again = read_problem(write(read), "test");
    EXPECT_EQ(to_json(write(read)), to_json(write(again)));
    EXPECT_EQ(largest_difference(run_problem(read), run_problem(again)), 0);
    auto const sentence = [](std::string const& text) {
        try {
            static_cast<void>(read_problem(text, "test"));
        } catch (problem_error const& error) { return error.sentence; }
        return std::string("read");
    };
    EXPECT_EQ(sentence(pendulum(spring + "\n" + morse)), "Give stiff or stiff_potential, but not both.");
    EXPECT_EQ(sentence(pendulum("stiff_potential = 3")),
              "A stiff potential depends on the coordinates, but this one does not.");
    EXPECT_NE(sentence(pendulum("")).find("stiff_potential"), std::string::npos);
    EXPECT_NE(sentence(pendulum("stiff_potential = \"x'^2\"")).find("velocit"), std::string::npos);
}

} // namespace
