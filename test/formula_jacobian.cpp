// Derivatives of a problem's force from its formulas, what implicit codes save by them, and the rate that they tell.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "problem/formula_jacobian.hpp"
#include "problem/stiffness.hpp"
#include "solved.hpp"

#include <lento/expression/compiled_formula.hpp>
#include <lento/lento.hpp>
#include <lento/system/phase.hpp>

namespace {

using namespace lento;
using namespace lento_test;
using detail::fastest_of;
using detail::jacobian_of;
using expression::engine_kind;

/// y' of a problem, by its formulas.
std::vector<double> rate_of(problem const& what, double t, std::vector<double> const& y) {
    std::size_t const n = what.size;
    auto const force = what.force.compile(engine_kind::bytecode);
    auto work = force.work();
    std::vector<double> theta;
    for (std::size_t j = 0; j < what.frequencies().size(); ++j)
        theta.push_back(reduced_phase(what.phases()[j], what.frequencies()[j], t));
    std::vector<double> const position(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<double> const velocity(y.begin() + static_cast<std::ptrdiff_t>(n), y.end());
    std::vector<double> out(n);
    force.evaluate({.position = position, .velocity = velocity, .phase = theta, .time = t}, out, work);
    if (what.first_order) return out;
    what.mass.divide(out);
    std::vector<double> whole = velocity;
    whole.insert(whole.end(), out.begin(), out.end());
    return whole;
}

struct described_problem {
    std::string name;
    std::string system;
};
std::ostream& operator<<(std::ostream& to, described_problem const& each) { return to << each.name; }
class Derivatives : public testing::TestWithParam<described_problem> {};

TEST_P(Derivatives, AreThoseOfTheWholeRightHandSide) {
    auto const what = read_problem(GetParam().system + "[time]\nend = 1\n", "test", {});
    auto const known = jacobian_of(what, engine_kind::bytecode);
    ASSERT_NE(known, nullptr);
    std::size_t const size = known->size();
    ASSERT_EQ(size, what.first_order ? what.size : 2 * what.size);
    std::vector<double> y(size);
    for (std::size_t i = 0; i < size; ++i) y[i] = 0.7 + 0.3 * std::sin(static_cast<double>(3 * i + 1));
    double const t = 0.3;
    std::vector<double> columns(size * size);
    auto const work = known->start();
    known->evaluate(t, y, columns, *work);
    double largest = 0;
    for (double const each : columns) largest = std::max(largest, std::abs(each));
    for (std::size_t j = 0; j < size; ++j) {
        double const reach = 1e-5;
        auto ahead = y;
        auto behind = y;
        ahead[j] += reach;
        behind[j] -= reach;
        auto const after = rate_of(what, t, ahead);
        auto const before = rate_of(what, t, behind);
        for (std::size_t i = 0; i < size; ++i)
            EXPECT_NEAR(columns[j * size + i], (after[i] - before[i]) / (2 * reach), 1e-8 * largest) << i << ", " << j;
    }
}

INSTANTIATE_TEST_SUITE_P(
    OfProblems, Derivatives,
    testing::Values(
        described_problem{"first_order", "[system]\nkind = \"plain\"\nvariables = [\"x\", \"y\", \"z\"]\n"
                                         "rate.x = \"-0.04*x + 1e2*y*z + t\"\nrate.y = \"x^3/(1+z^2)\"\n"
                                         "rate.z = \"hypot(x, y)\"\n[initial]\nx = 1\ny = 0\nz = 0\n"},
        described_problem{"velocities_and_masses",
                          "[system]\nkind = \"plain\"\ncoordinates = [\"x\", \"y\"]\nmass = [2, 5]\n"
                          "force.x = \"-x*y - 3*x'^2*y'\"\nforce.y = \"sin(x*t) - exp(y')\"\n"
                          "[initial]\nx = 1\ny = 0\n"},
        described_problem{"sums_and_families",
                          "[parameters]\nn = 5\n[system]\nkind = \"plain\"\ncoordinates = [\"x[1..n]\", \"y[1..n]\"]\n"
                          "potential = \"-sum(i, 1, n-1, sum(j, i+1, n, 1/sqrt((x[i]-x[j]+9*(i-j))^2 + "
                          "(y[i]-y[j])^2)))\"\n[initial]\n\"x[i]\" = \"i\"\n\"y[i]\" = 0\n"},
        described_problem{"phases", "[system]\nkind = \"vibrated\"\ncoordinates = [\"q\"]\nfrequency = 50\n"
                                    "force.q = \"(9.8 + 400*cos(theta))*sin(q) - q'\"\n[initial]\nq = 0.5\n"}),
    [](auto const& each) { return each.param.name; });

TEST(Derivatives, AreNotMadeForMoreUnknownsThanAMatrixHas) {
    auto const chain = [](int n) {
        return read_problem("[parameters]\nn = " + std::to_string(n) +
                                "\n[system]\nkind = \"plain\"\nvariables = [\"x[1..n]\"]\nrate.\"x[i]\" = \"-i*x[i]\"\n"
                                "[initial]\n\"x[i]\" = 1\n[time]\nend = 1\n",
                            "test", {});
    };
    EXPECT_NE(jacobian_of(chain(500), engine_kind::bytecode), nullptr);
    EXPECT_EQ(jacobian_of(chain(501), engine_kind::bytecode), nullptr);
}

// ---- the largest eigenvalue ----

TEST(FastestChange, IsTheLargestEigenvalueWhateverItsKind) {
    auto const of = [](std::vector<double> const& columns) {
        return fastest_of(columns, static_cast<std::size_t>(std::sqrt(columns.size())));
    };
    EXPECT_NEAR(of({-3}).growth, -3, 1e-12);
    auto const decaying = of({-1000, 0, 0, 5, -2, 0, 1, 1, -1});
    EXPECT_NEAR(decaying.growth, -1000, 10);
    EXPECT_NEAR(decaying.turn, 0, 10);
    auto const turning = of({-1, -40, 40, -1}); // x' = -x + 40 y, y' = -40 x - y
    EXPECT_NEAR(turning.growth, -1, 1e-6);
    EXPECT_NEAR(turning.turn, 40, 1e-6);
    auto const twice = of({0, -1e6, 1, -2e3}); // a double one
    EXPECT_NEAR(twice.growth, -1e3, 10);
    EXPECT_EQ(of({0, 0, 0, 0}).rate(), 0);
    auto const both = of({0, 1, 1, 0}); // 1 and -1
    EXPECT_NEAR(both.rate(), 1, 1e-12);
}

// ---- implicit codes ----

class ImplicitCodes : public testing::TestWithParam<std::string> {
    void SetUp() override {
        if (!has_sundials()) GTEST_SKIP() << "this build has no SUNDIALS";
    }
};

/// Diffusion with a reaction on n points: the same numbers with a Jacobian of formulas and with one of differences,
/// which takes n evaluations per matrix.
std::string const diffusion = R"toml(
[parameters]
n = 60
[system]
kind = "plain"
variables = ["x[1..n]"]
define."x[0]" = "1"
define."x[n+1]" = "0"
rate."x[i]" = "(n+1)^2*(x[i+1] - 2*x[i] + x[i-1]) + x[i]*(1 - x[i])"
[initial]
"x[i]" = 0
[time]
end = 1
output = 11
)toml";

TEST_P(ImplicitCodes, TakeDerivativesOfFormulasInsteadOfDifferences) {
    auto const settings =
        std::string("method={ name = 'direct', macro = { scheme = '") + GetParam() + "', rtol = 1e-6, atol = 1e-8 } }";
    auto const what = read_problem(diffusion, "test", {settings, "accuracy.estimate=false"});
    auto const with = run_problem(what);
    ASSERT_EQ(with.result, outcome::success) << with.message;
    EXPECT_GT(with.statistics.jacobian_evaluations, 0U);

    auto const system = plain_first_order(dynamic(what.size), what.force.compile());
    solve_options<any_point> const options{.end = 1, .output_times = what.output_times};
    auto const without = GetParam() == "cvode-bdf"
                             ? solve(system, cvode_bdf{.rtol = 1e-6, .atol = 1e-8}, {what.position}, options)
                             : solve(system, arkode_implicit{.rtol = 1e-6, .atol = 1e-8}, {what.position}, options);
    ASSERT_TRUE(without) << without.message;
    EXPECT_EQ(without.statistics.jacobian_evaluations, 0U);
    // a matrix of differences takes 60 evaluations
    EXPECT_LT(with.statistics.force_evaluations + 30 * with.statistics.jacobian_evaluations,
              without.statistics.force_evaluations);
    ASSERT_EQ(with.position.size(), without.state.size());
    for (std::size_t k = 0; k < with.position.size(); ++k)
        for (std::size_t i = 0; i < what.size; ++i)
            EXPECT_NEAR(with.position[k][i], without.state[k][i], 1e-4) << k << ", " << i;
}
INSTANTIATE_TEST_SUITE_P(OfSundials, ImplicitCodes, testing::Values("cvode-bdf", "arkode-implicit"),
                         [](auto const& each) {
                             std::string name = each.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

/// The derivative of a root is infinite at zero, its difference is not.
TEST(Derivatives, ThatAreNotFiniteAreTakenByDifferences) {
    if (!has_sundials()) GTEST_SKIP() << "this build has no SUNDIALS";
    auto const run = solved_text(R"toml(
[system]
kind = "plain"
variables = ["x", "y"]
rate.x = "1e3*(1 - x) - sqrt(abs(y))"
rate.y = "x"
[initial]
x = 0
y = 0
[time]
end = 1
output = 3
[method]
name = "direct"
macro = { scheme = "cvode-bdf", rtol = 1e-7, atol = 1e-10 }
[accuracy]
estimate = false
)toml");
    ASSERT_EQ(run.result, outcome::success) << run.message;
    EXPECT_GT(run.statistics.jacobian_evaluations, 0U);
    EXPECT_NEAR(run.position.back()[1], 1 - 1e-3 - 2. / 3 * 1e-3, 1e-5); // x is near 1 - sqrt(t)/1e3
}

} // namespace
