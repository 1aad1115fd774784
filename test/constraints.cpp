// The room constraint/: derivatives, changes without cancellation, linear solves, projections, and what is refused.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/base/dense_solve.hpp>
#include <lento/lento.hpp>
#include <lento/model/constrained.hpp>
#include <lento/model/linkage.hpp>

namespace {

using namespace lento;

/// Every function an increment knows, in one.
constexpr auto everything = [](auto const& q) {
    using std::abs, std::atan2, std::cos, std::exp, std::hypot, std::log, std::pow, std::sin, std::sqrt, std::tan;
    auto const x = q[0];
    auto const y = q[1];
    return sin(x) * y - cos(x * y) / (1.0 + y * y) + sqrt(x + 2. * y) * tan(x / 3.) + exp(-x) * log(y) + abs(x - 5.) +
           pow(y, 1.7) + hypot(x, y) - atan2(y, x);
};

TEST(Increments, KeepTheirDigitsHoweverSmallTheChange) {
    for (double const size : {1e-1, 1e-4, 1e-8, 1e-12, 1e-15}) {
        std::array<double, 2> const at{0.7, 1.3};
        std::array<double, 2> const by{size, -0.6 * size};
        std::array<increment<double>, 2> const moved{increment<double>{at[0], by[0]}, increment<double>{at[1], by[1]}};
        double const change = everything(moved).change;
        // the reference integrates the derivative along the change, which cannot cancel
        double reference = 0;
        constexpr std::array<std::array<double, 2>, 4> gauss{{{0.069431844202973712, 0.173927422568726929},
                                                              {0.330009478207571868, 0.326072577431273071},
                                                              {0.669990521792428132, 0.326072577431273071},
                                                              {0.930568155797026288, 0.173927422568726929}}};
        for (auto const& [s, weight] : gauss) {
            std::array<dual<double>, 2> const point{dual<double>{at[0] + s * by[0], by[0]},
                                                    dual<double>{at[1] + s * by[1], by[1]}};
            reference += weight * everything(point).slope[0];
        }
        EXPECT_NEAR(change / reference, 1, 1e-13) << size;
    }
}

TEST(Increments, OfARodAreExactWhereADifferenceLosesAllDigits) {
    auto const rod = [](auto const& q) { return q[0] * q[0] + q[1] * q[1] - 0.04; };
    double const h = 2e-9;
    double lost = 0;
    for (double angle = 0.1; angle < 3; angle += 0.1) {
        std::array<double, 2> const r{0.2 * std::sin(angle), 0.2 * std::cos(angle)};
        std::array<double, 2> const u{1e-3 * r[0], 2e-3 * r[1]};
        std::array<increment<double>, 2> const moved{increment<double>{r[0], h * u[0]},
                                                     increment<double>{r[1], h * u[1]}};
        double const exact = h * (2 * (r[0] * u[0] + r[1] * u[1]) + h * (u[0] * u[0] + u[1] * u[1]));
        EXPECT_NEAR(rod(moved).change / exact, 1, 1e-14);
        std::array<double, 2> const end{r[0] + h * u[0], r[1] + h * u[1]};
        lost = std::max(lost, std::abs((rod(end) - rod(r)) / exact - 1));
    }
    EXPECT_GT(lost, 1e-5); // the trap is real
}

TEST(Gradients, AgreeWithDualNumbers) {
    std::array<double, 2> const at{0.7, 1.3};
    std::array<gradient<double, 2>, 2> const variables{gradient<double, 2>::variable(at[0], 0),
                                                       gradient<double, 2>::variable(at[1], 1)};
    auto const slope = everything(variables).slope;
    for (std::size_t i = 0; i < 2; ++i) {
        std::array<dual<double>, 2> along{at[0], at[1]};
        along[i].slope[0] = 1;
        EXPECT_NEAR(slope[i], everything(along).slope[0], 1e-14);
    }
}

/// Three constraints of five coordinates, dependent on time.
auto curious_system() {
    return constrained<5, 3>(
        mass({1., 2., 0.5, 3., 1.5}), [](auto const&, auto) { return std::array<double, 5>{}; },
        with_time([](auto const& q, auto t) {
            using std::cos, std::sin;
            return std::array{q[0] * q[1] - cos(t) * q[4], q[2] * q[2] + q[3] * sin(q[0]) - 1. * t,
                              q[3] - q[4] * q[4] + t * t * q[1]};
        }));
}

TEST(Constraints, SecondDerivativeAlongAMotionIsThatOfTheMotion) {
    auto const system = curious_system();
    auto work = system.work();
    auto const& g = system.constraints();
    std::array<double, 5> const q{0.3, -0.4, 0.9, 1.1, 0.2};
    std::array<double, 5> const v{1, 0.5, -0.7, 0.2, 0.9};
    double const t = 0.6;
    double const d = 1e-4;
    std::array<double, 3> bend{}, rate{}, ahead{}, here{}, behind{};
    g.curvature(t, q, v, bend, work.constraint);
    g.rate(t, q, v, rate, work.constraint);
    auto p = q;
    for (std::size_t i = 0; i < 5; ++i) p[i] += d * v[i];
    g.values(t + d, p, ahead, work.constraint);
    for (std::size_t i = 0; i < 5; ++i) p[i] -= 2 * d * v[i];
    g.values(t - d, p, behind, work.constraint);
    g.values(t, q, here, work.constraint);
    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(rate[j], (ahead[j] - behind[j]) / (2 * d), 1e-7);
        EXPECT_NEAR(bend[j], (ahead[j] - 2 * here[j] + behind[j]) / (d * d), 1e-6);
    }
    EXPECT_EQ(work.constraint.evaluations, 5u);
}

TEST(Constraints, FactorsSolveTheirMatrix) {
    auto const system = curious_system();
    auto work = system.work();
    auto const& g = system.constraints();
    std::array<double, 5> const q{0.3, -0.4, 0.9, 1.1, 0.2};
    auto at = g.start();
    ASSERT_TRUE(g.linearise(0.6, q, system.mass(), at, work.constraint));
    std::array<double, 3> const wanted{0.3, -2, 0.7};
    std::array<double, 5> pulled{};
    g.pull(at, -1, wanted, pulled); // M^-1 g'^T wanted
    for (bool const between : {false, true}) {
        std::array<double, 3> x{};
        g.along(at, pulled, x);
        if (between) g.solve_between(0.6, q, at, x, work.constraint);
        else g.solve(at, x);
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(x[j], wanted[j], 1e-13);
    }
}

/// A symmetric positive definite matrix by rows, without a pattern.
std::vector<double> some_matrix(std::size_t n) {
    std::vector<double> a(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            a[i * n + j] = std::sin(1. + static_cast<double>((i + 1) * (j + 1))) + (i == j ? 2. * double(n) : 0.);
    return a;
}
std::vector<double> times(std::vector<double> const& a, std::vector<double> const& x) {
    std::vector<double> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j) out[i] += a[i * x.size() + j] * x[j];
    return out;
}

TEST(DenseSolve, FactorsAndEliminationSolveTheirMatrixAtAnySize) {
    for (std::size_t const n : {1U, 2U, 3U, 7U, 32U}) {
        auto const a = some_matrix(n);
        std::vector<double> wanted(n);
        for (std::size_t i = 0; i < n; ++i) wanted[i] = std::cos(static_cast<double>(i));
        auto factored = a;
        auto const accept = [](double pivot, double whole) { return pivot > 1e-13 * whole; };
        ASSERT_EQ(detail::factor_symmetric(std::span(factored), n, accept), n);
        auto x = times(a, wanted);
        detail::solve_symmetric(std::span<double const>(factored), std::span(x));
        auto spent = a;
        std::swap_ranges(spent.begin(), spent.begin() + std::ptrdiff_t(n), spent.end() - std::ptrdiff_t(n));
        auto y = times(spent, wanted); // no longer symmetric, and in need of row pivots
        EXPECT_GT(detail::eliminate(std::span(spent), std::span(y)), 0.5);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_NEAR(x[i], wanted[i], 1e-13) << n;
            EXPECT_NEAR(y[i], wanted[i], 1e-13) << n;
        }
    }
}

TEST(DenseSolve, StopsAtTheFirstRowThatDependsOnThoseBeforeIt) {
    std::vector<double> a{2, 1, 3, 1, 1, 2, 3, 2, 5}; // the last row is the sum of the others
    double share = 1;
    EXPECT_EQ(detail::factor_symmetric(std::span(a), 3,
                                       [&](double pivot, double whole) {
                                           share = pivot / whole;
                                           return pivot > 1e-13 * whole;
                                       }),
              2U);
    EXPECT_NEAR(share, 0, 1e-15);
}

TEST(Constraints, GivenGradientsServeAsWellAsAutomaticOnes) {
    auto const g = [](auto const& q) { return q[0] * q[0] + q[1] * q[1] - 1.; };
    auto const force = [](auto const&, auto) { return std::array{0., -1.}; };
    auto const automatic = constrain(plain<2>(force), constraints<1>(g));
    auto const given =
        constrain(plain<2>(force), constraints<1>(g, [](auto const& q) { return std::array{2 * q[0], 2 * q[1]}; }));
    auto const a = solve(automatic, rattle{.step = 0.01}, {.position = {1, 0}}, {.end = 1});
    auto const b = solve(given, rattle{.step = 0.01}, {.position = {1, 0}}, {.end = 1});
    ASSERT_TRUE(a && b);
    EXPECT_NEAR(a.position.back()[0], b.position.back()[0], 1e-14);
    EXPECT_GT(b.statistics.jacobian_evaluations, 0u);
}

TEST(Projection, IsOrthogonalInTheMetricOfTheMass) {
    model::linked_pendulum<3> const pendulum{.m = {1, 0.3, 2}, .l = {1, 0.7, 0.4}};
    auto const system = pendulum.system();
    auto work = system.work();
    auto const& g = system.constraints();
    auto q = pendulum.place({0.3, 1.2, -2});
    for (std::size_t i = 0; i < 6; ++i) q[i] += 0.03 * std::sin(7. * static_cast<double>(i) + 1);
    auto const before = q;
    auto at = g.start();
    auto room = make_newton_room(system);
    ASSERT_TRUE(project_position(system, 0., q, at, room, work.constraint));
    std::array<double, 3> values{};
    g.values(0, q, values, work.constraint);
    for (double const value : values) EXPECT_LT(std::abs(value), 1e-15);
    // what is left of the shift after a projection onto the tangent space at the new point must vanish
    ASSERT_TRUE(g.linearise(0, q, system.mass(), at, work.constraint));
    std::array<double, 6> shift{};
    for (std::size_t i = 0; i < 6; ++i) shift[i] = q[i] - before[i];
    double const size = max_norm(shift);
    project_velocity(system, 0., q, shift, at, room, work.constraint);
    EXPECT_GT(size, 1e-3);
    EXPECT_LT(max_norm(shift), 1e-11);

    std::array<double, 6> v{1, 2, 3, -1, 0.5, 0.2};
    project_velocity(system, 0., q, v, at, room, work.constraint);
    g.rate(0, q, v, values, work.constraint);
    for (double const value : values) EXPECT_LT(std::abs(value), 1e-14);
}

TEST(SparseConstraints, AgreeWithDenseOnes) {
    model::hanging_chain const chain{.n = 3};
    double const third = 1. / 3;
    model::linked_pendulum<3> const pendulum{.m = {third, third, third}, .l = {third, third, third}};
    std::array<double, 3> const angles{2.2, 2.9, -2.5};
    auto const start = pendulum.place(angles);
    auto const dense = solve(pendulum.system(), rattle{.step = 1e-3}, {.position = start}, {.end = 0.3});
    auto const sparse =
        solve(chain.system(), rattle{.step = 1e-3},
              {.position = std::vector<double>(start.begin(), start.end()), .velocity = {}}, {.end = 0.3});
    ASSERT_TRUE(dense && sparse) << sparse.message;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(dense.position.back()[i], sparse.position.back()[i], 1e-11);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(dense.multipliers.back()[i], sparse.multipliers.back()[i], 1e-9);
}

// ---- what is refused ----

auto falling = [](auto const&, auto) { return std::array{0., -1.}; };
auto drifting = [](auto const&, auto) { return std::array{0., 0., 0.}; };

template <class Call> std::string misuse_of(Call call) {
    try {
        call();
    } catch (misuse const& error) { return error.what(); }
    return "nothing was thrown";
}

TEST(BadConstraints, DependentGradientsAreNamed) {
    auto const twice = constrained<3, 2>(drifting, [](auto const& q) {
        return std::array{q[0] * q[0] + q[1] * q[1] - 1., 3. * (q[0] * q[0] + q[1] * q[1]) - 3.};
    });
    auto const run = solve(twice, rattle{.step = 0.1}, {.position = {1, 0, 0}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::constraint_failed);
    EXPECT_EQ(run.end, 0);
    EXPECT_NE(run.message.find("constraint 2 depends on that of constraint 1"), std::string::npos) << run.message;
    EXPECT_NE(run.message.find("t = 0"), std::string::npos) << run.message;
}

TEST(BadConstraints, GradientsThatBecomeDependentAreNamedWithTheTime) {
    // on z = 0, y = 0 the second gradient is (0, 1 - x, 1): at x = 1 it is the first
    auto const system = constrained<3, 2>(
        drifting, [](auto const& q) { return std::array{q[2] + 0. * q[0], q[2] - q[1] * (q[0] - 1.)}; });
    auto const run = solve(system, rattle{.step = 0.125}, {.position = {0, 0, 0}, .velocity = {1, 0, 0}}, {.end = 2});
    EXPECT_EQ(run.result, outcome::constraint_failed);
    EXPECT_NE(run.message.find("at t = 1 the gradient of constraint 2 depends"), std::string::npos) << run.message;
    ASSERT_FALSE(run.t.empty());
    EXPECT_EQ(run.t.back(), 0.875); // what there was is kept
}

TEST(BadConstraints, SparseDependentGradientsAreNamed) {
    auto const system = constrain(plain(dynamic(4), mass(1.),
                                        [](auto const&, auto, auto& f) {
                                            for (auto& x : f) x = 0;
                                        }),
                                  family<2>(
                                      3,
                                      [](std::size_t i) {
                                          if (i == 1) return std::array{std::size_t(2), std::size_t(3)};
                                          return std::array{std::size_t(0), std::size_t(1)};
                                      },
                                      [](std::size_t i, auto const& q) {
                                          return (q[0] * q[0] + q[1] * q[1] - 1.) * static_cast<double>(i + 1);
                                      }));
    auto const run = solve(system, rattle{.step = 0.1}, {.position = {1, 0, 0, 1}, .velocity = {}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::constraint_failed);
    EXPECT_TRUE(run.message.find("constraint 3 depends on that of constraint 1") != std::string::npos ||
                run.message.find("constraint 1 depends on that of constraint 3") != std::string::npos)
        << run.message;
}

TEST(BadConstraints, MoreThanCoordinatesIsMisuse) {
    EXPECT_EQ(misuse_of([] {
                  return constrained<2, 3>(falling, [](auto const& q) { return std::array{q[0], q[1], q[0] + q[1]}; });
              }),
              "there are 3 constraints for 2 coordinates; there cannot be more constraints than coordinates");
    EXPECT_NE(misuse_of([] {
                  return constrain(plain(dynamic(2), [](auto const&, auto, auto& f) { f[0] = f[1] = 0; }),
                                   family<1>(
                                       2, [](std::size_t i) { return std::array{3 * i}; },
                                       [](std::size_t, auto const& q) { return q[0]; }));
              }).find("constraint 2 refers to coordinate 4"),
              std::string::npos);
}

auto circle() {
    return constrained<2, 1>(falling, [](auto const& q) { return q[0] * q[0] + q[1] * q[1] - 1.; });
}

TEST(BadConstraints, AnInconsistentStartSaysByHowMuchAndProjectMendsIt) {
    auto const where =
        misuse_of([] { return solve(circle(), rattle{.step = 0.1}, {.position = {1.1, 0}}, {.end = 1}); });
    EXPECT_NE(where.find("constraint 1 is 0.21 at t = 0"), std::string::npos) << where;
    EXPECT_NE(where.find("must move by 0.1"), std::string::npos) << where;
    EXPECT_NE(where.find("project = true"), std::string::npos) << where;
    auto const speed = misuse_of(
        [] { return solve(circle(), shake{.step = 0.1}, {.position = {1, 0}, .velocity = {0.25, 1}}, {.end = 1}); });
    EXPECT_NE(speed.find("constraint 1 changes at the rate 0.5"), std::string::npos) << speed;
    EXPECT_NE(speed.find("must change by 0.25"), std::string::npos) << speed;

    auto const run = solve(circle(), rattle{.step = 0.1}, {.position = {1.1, 0}, .velocity = {0.25, 1}},
                           {.end = 1, .project = true});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(run.position.front()[0], 1, 1e-15);
    EXPECT_NEAR(run.velocity.front()[0], 0, 1e-15);
    EXPECT_NEAR(run.velocity.front()[1], 1, 1e-15);
}

TEST(BadConstraints, AVanishingGradientIsAnOutcome) {
    auto const squared = constrained<2, 1>(falling, [](auto const& q) {
        auto const r = q[0] * q[0] + q[1] * q[1] - 1.;
        return r * r;
    });
    for (double const angle : {0., 0.3}) { // exactly zero, and zero but for rounding
        auto const run =
            solve(squared, rattle{.step = 0.1}, {.position = {std::cos(angle), std::sin(angle)}}, {.end = 1});
        EXPECT_EQ(run.result, outcome::constraint_failed);
        EXPECT_NE(run.message.find("at t = 0 the gradient of constraint 1 vanishes"), std::string::npos) << run.message;
    }
}

TEST(BadConstraints, ThatCanNoLongerBeMetSayWhenAndByHowMuch) {
    // a line that leaves the sphere at t = 0.5
    auto const leaving =
        constrained<3, 2>(drifting, with_time([](auto const& q, auto t) {
                              return std::array{q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1., q[1] - 0.5 - t};
                          }));
    state_of<decltype(leaving)> const start{.position = {std::sqrt(0.75), 0.5, 0}};
    auto const run = solve(leaving, rattle{.step = 0.15}, start, {.end = 1, .project = true});
    EXPECT_EQ(run.result, outcome::constraint_failed);
    EXPECT_NE(run.message.find("can no longer be met at t = 0.6"), std::string::npos) << run.message;
    EXPECT_NE(run.message.find("is off by"), std::string::npos) << run.message;
    EXPECT_NEAR(run.end, 0.45, 1e-12);
    auto const adaptive =
        solve(leaving, adaptive_lobatto4{.rtol = 1e-6, .atol = 1e-9}, start, {.end = 1, .project = true});
    EXPECT_EQ(exit_code(adaptive.result), 4);
    EXPECT_LT(adaptive.end, 0.5);
    EXPECT_GT(adaptive.end, 0.45);
}

TEST(BadConstraints, NewtonThatDoesNotConvergeAsksForASmallerStep) {
    state_of<decltype(circle())> const fast{.position = {1, 0}, .velocity = {0, 20}};
    auto const run = solve(circle(), rattle{.step = 0.1}, fast, {.end = 1});
    EXPECT_EQ(run.result, outcome::constraint_failed);
    EXPECT_NE(run.message.find("did not converge before t = 0.1: after 50 iterations constraint 1 is off by"),
              std::string::npos)
        << run.message;
    EXPECT_NE(run.message.find("smaller step"), std::string::npos);
    EXPECT_TRUE(solve(circle(), rattle{.step = 0.01}, fast, {.end = 1}));
}

} // namespace
