// Constrained motions against reduced coordinates, closed forms and SUNDIALS IDA: SHAKE, RATTLE, their compositions,
// Lobatto's pair, the underlying equation, chains.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/constrained.hpp>
#include <lento/model/linkage.hpp>

namespace {

using namespace lento;

template <class V> double distance(V const& a, V const& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

/// A model's motion to t = end: where it starts and what must come out, positions and multipliers.
template <class System> struct problem {
    System system;
    state_of<System> start;
    double end;
    vector_of<System> position;
    std::vector<double> multipliers;
};

constexpr dormand_prince exactly{.rtol = 1e-13, .atol = 1e-14};

template <class Model, class Angles, class Tension>
auto from_angles(Model const& model, Angles const& q, Angles const& w, double end, Tension tension) {
    auto const exact = solve(model.reduced(), exactly, {.position = q, .velocity = w}, {.end = end});
    using System = decltype(model.system());
    return problem<System>{model.system(),
                           {model.place(q), model.velocity(q, w)},
                           end,
                           model.place(exact.position.back()),
                           tension(exact.position.back(), exact.velocity.back())};
}

template <std::size_t N>
auto linked(model::linked_pendulum<N> const& p, std::array<double, N> const& q, std::array<double, N> const& w) {
    return from_angles(p, q, w, 1.5, [p](auto const& angle, auto const& turn) {
        auto const lambda = p.tensions(angle, turn, p.g);
        return std::vector<double>(lambda.begin(), lambda.end());
    });
}
auto plane_pendulum() { return linked<1>({.m = {0.8}, .l = {0.6}}, {2.}, {1.5}); }
auto double_pendulum() { return linked<2>({.m = {0.3, 0.2}, .l = {1, 0.7}}, {2., 1.2}, {0.3, -0.5}); }
auto triple_pendulum() {
    return linked<3>({.m = {0.3, 0.2, 0.1}, .l = {0.5, 0.6, 0.7}}, {2.6, 3.6, 2.9}, {0.3, -0.5, 0.2});
}
auto space_pendulum() {
    model::spherical_pendulum const p;
    return from_angles(p, std::array{1., 0.3}, std::array{0.5, 2.1}, 1.5,
                       [p](auto const& q, auto const& w) { return std::vector{p.tension(q, w)}; });
}
auto on_ellipsoid() {
    model::ellipsoid_particle const p;
    return from_angles(p, std::array{1., 0.3}, std::array{0.5, 1.1}, 1.5,
                       [p](auto const& q, auto const& w) { return std::vector{p.multiplier(q, w)}; });
}
auto on_wire() {
    model::rotating_wire const w;
    using System = decltype(w.system());
    return problem<System>{w.system(), {w.place(0), w.velocity(0)}, 1.5, w.place(1.5), {w.multiplier(1.5)}};
}

/// Calls check(name, problem) for every model of fixed size.
template <class Check> void for_every_model(Check check) {
    check("plane pendulum", plane_pendulum());
    check("double pendulum", double_pendulum());
    check("triple pendulum", triple_pendulum());
    check("space pendulum", space_pendulum());
    check("ellipsoid", on_ellipsoid());
    check("rotating wire", on_wire());
}

struct errors {
    double position;
    double multipliers;
};
template <class System, class Stepper> errors run_errors(problem<System> const& p, Stepper const& stepper) {
    auto const run = solve(p.system, stepper, p.start, {.end = p.end});
    EXPECT_TRUE(run) << run.message;
    return {distance(run.position.back(), p.position), distance(run.multipliers.back(), p.multipliers)};
}

template <class Stepper> void expect_order(char const* model, auto const& p, int steps) {
    auto const coarse = run_errors(p, Stepper{.step = p.end / steps});
    auto const fine = run_errors(p, Stepper{.step = p.end / (2 * steps)});
    double const least = std::pow(2., Stepper::order) * 0.75;
    constexpr double rounding = 3e-13;
    EXPECT_TRUE(coarse.position > least * fine.position || coarse.position < rounding)
        << model << ' ' << Stepper::name << ' ' << coarse.position << ' ' << fine.position;
    EXPECT_TRUE(coarse.multipliers > least * fine.multipliers || coarse.position < rounding)
        << model << ' ' << Stepper::name << ' ' << coarse.multipliers << ' ' << fine.multipliers;
}

TEST(EveryConstrainedStepper, ConvergesAtItsOrderOnEveryModel) {
    for_every_model([](char const* name, auto const& p) {
        expect_order<shake>(name, p, 200);
        expect_order<rattle>(name, p, 200);
        expect_order<rattle4>(name, p, 100);
        expect_order<rattle6>(name, p, 60);
        expect_order<lobatto4>(name, p, 100);
    });
}

TEST(AdaptiveLobatto, StaysWithinTheToleranceOnEveryModel) {
    for_every_model([](char const* name, auto const& p) {
        double size = 0;
        for (double const lambda : p.multipliers) size = std::max(size, std::abs(lambda));
        for (double const tolerance : {1e-4, 1e-7}) {
            auto const e = run_errors(p, adaptive_lobatto4{.rtol = tolerance, .atol = tolerance});
            EXPECT_LT(e.position, tolerance) << name;
            EXPECT_LT(e.multipliers, 10 * tolerance * (1 + size)) << name;
        }
    });
}

// docs/papers.md: 000.13
TEST(UnderlyingEquation, GivesTheConstrainedMotionWithAnyRungeKuttaMethod) {
    for_every_model([](char const* name, auto const& p) {
        auto const run = solve(underlying(p.system), dormand_prince{.rtol = 1e-10, .atol = 1e-12},
                               {.position = p.start.position, .velocity = p.start.velocity}, {.end = p.end});
        ASSERT_TRUE(run) << run.message;
        EXPECT_LT(distance(run.position.back(), p.position), 1e-7) << name;
        EXPECT_LT(distance(run.multipliers.back(), p.multipliers), 1e-6) << name;
        auto const coarse = solve(underlying(p.system), rk4{.step = p.end / 400}, p.start, {.end = p.end});
        EXPECT_LT(distance(coarse.position.back(), p.position), 1e-5) << name;
    });
}

TEST(Ida, AgreesOnEveryModel) {
    if (!has_sundials()) GTEST_SKIP() << "this build has no ida";
    for_every_model([](char const* name, auto const& p) {
        auto const theirs = solve(p.system, ida{.rtol = 1e-8, .atol = 1e-8}, p.start, {.end = p.end});
        auto const ours = solve(p.system, rattle6{.step = p.end / 400}, p.start, {.end = p.end});
        ASSERT_TRUE(ours);
        ASSERT_TRUE(theirs) << theirs.message;
        EXPECT_LT(distance(theirs.position.back(), ours.position.back()), 1e-6) << name;
        for (std::size_t j = 0; j < theirs.multipliers.back().size(); ++j)
            EXPECT_NEAR(theirs.multipliers.back()[j] / ours.multipliers.back()[j], 1, 1e-4) << name;
    });
}

TEST(Rattle, KeepsPositionsAndVelocitiesOnTheConstraints) {
    for_every_model([](char const* name, auto const& p) {
        auto work = p.system.work();
        auto const run = solve(p.system, rattle{.step = p.end / 300}, p.start, {.end = p.end});
        ASSERT_TRUE(run);
        auto values = p.system.constraints().zeros();
        for (std::size_t i = 0; i < run.t.size(); ++i) {
            p.system.constraints().values(run.t[i], run.position[i], values, work.constraint);
            EXPECT_LT(max_norm(values), 2e-15) << name;
            p.system.constraints().rate(run.t[i], run.position[i], run.velocity[i], values, work.constraint);
            EXPECT_LT(max_norm(values), 2e-14) << name;
        }
    });
}

TEST(Rattle, HasTheMeanOfItsMultipliersInCommonWithShake) {
    auto const p = double_pendulum();
    double const h = 0.01;
    shake const a{};
    rattle const b{};
    auto x = p.start;
    auto y = p.start;
    auto work = p.system.work();
    auto in_a = a.start(p.system);
    auto in_b = b.start(p.system);
    std::array<double, 2> before{};
    for (int n = 0; n < 50; ++n) {
        double const t = n * h;
        auto const lambda = in_a.lambda; // of the point the step starts from
        a.advance(p.system, t, h, x, in_a, work);
        b.advance(p.system, t, h, y, in_b, work);
        EXPECT_LT(distance(x.position, y.position), 1e-13);
        for (std::size_t j = 0; j < 2 && n > 0; ++j)
            EXPECT_NEAR((in_b.position_multipliers[j] + before[j]) / 2, lambda[j], 1e-9) << n;
        before = in_b.velocity_multipliers;
    }
}

template <class Stepper> double way_back(double step, int steps) {
    auto const p = triple_pendulum();
    auto const there = solve(p.system, Stepper{.step = step}, p.start, {.end = step * steps, .output_count = 2});
    auto turned = state_of<std::decay_t<decltype(p.system)>>{there.position.back(), there.velocity.back()};
    for (double& v : turned.velocity) v = -v;
    auto const back =
        solve(p.system, Stepper{.step = step}, turned, {.end = step * steps, .output_count = 2, .project = true});
    return distance(back.position.back(), p.start.position);
}

TEST(SymmetricSteppers, RunBackToWhereTheyStarted) {
    EXPECT_LT(way_back<rattle>(0.005, 200), 1e-11);
    EXPECT_LT(way_back<rattle4>(0.02, 50), 1e-11);
    EXPECT_LT(way_back<rattle6>(0.02, 50), 1e-11);
    EXPECT_LT(way_back<lobatto4>(0.02, 50), 1e-11);
}

/// Slope of a linear fit times the length, over the range of what is fitted.
double drift(std::vector<double> const& values) {
    double mean = 0, time = 0, square = 0, both = 0;
    auto const n = static_cast<double>(values.size());
    for (double const value : values) mean += value / n;
    for (std::size_t i = 0; i < values.size(); ++i) {
        time = static_cast<double>(i) - (n - 1) / 2;
        square += time * time;
        both += time * (values[i] - mean);
    }
    auto const [low, high] = std::minmax_element(values.begin(), values.end());
    return std::abs(both / square * n) / (*high - *low);
}

TEST(Rattle, KeepsTheEnergyOverAHundredThousandSteps) {
    model::linked_pendulum<2> const p{.m = {0.3, 0.2}, .l = {1, 0.7}};
    std::array<double, 2> const q{2.8, 3.3}; // regular motion around the lower equilibrium
    std::vector<double> energy;
    auto const system = p.system();
    auto const run = solve(system, rattle{.step = 0.02}, {.position = p.place(q)},
                           {.end = 2000, .output_count = 2, .observer = [&](double, auto const& x) {
                                energy.push_back(p.energy(x.position, x.velocity));
                            }});
    ASSERT_TRUE(run) << run.message;
    EXPECT_EQ(run.statistics.macro_steps, 100'000u);
    EXPECT_LT(drift(energy), 0.05);
}

TEST(ConstrainedMotion, MayBeDampedAndDriven) {
    // a pendulum with friction and a force in time: q'' = sin(q) g/l - c q' + a cos(3 t) cos(q)/l
    double const l = 0.6, g = 9.8, c = 0.4, a = 2;
    auto const reduced = plain<1>(with_velocity([=](auto const& q, auto const& w, auto t) {
        return g / l * std::sin(q[0]) - c * w[0] + a * std::cos(3 * t) * std::cos(q[0]) / l;
    }));
    auto const exact = solve(reduced, exactly, {.position = {2.}}, {.end = 1.5});
    double const x = l * std::sin(exact.position.back()[0]);
    auto const system = constrained<2, 1>(with_velocity([=](auto const&, auto const& v, auto t) {
                                              return std::array{a * std::cos(3 * t) - c * v[0], -g - c * v[1]};
                                          }),
                                          [=](auto const& q) { return q[0] * q[0] + q[1] * q[1] - l * l; });
    auto const error = [&](auto const& stepper) {
        auto const run = solve(system, stepper, {.position = {l * std::sin(2.), l * std::cos(2.)}}, {.end = 1.5});
        EXPECT_TRUE(run) << run.message;
        return std::abs(run.position.back()[0] - x);
    };
    EXPECT_NEAR(error(rattle{.step = 0.01}) / error(rattle{.step = 0.005}), 4, 0.6);
    EXPECT_NEAR(error(shake{.step = 0.01}) / error(shake{.step = 0.005}), 4, 0.6);
    EXPECT_GT(error(lobatto4{.step = 0.04}) / error(lobatto4{.step = 0.02}), 13);
    EXPECT_LT(error(adaptive_lobatto4{.rtol = 1e-8, .atol = 1e-9}), 1e-7);
}

TEST(ConstrainedMotion, IsHandedOutOnTheConstraintsBetweenStepsToo) {
    auto const p = space_pendulum();
    model::spherical_pendulum const model;
    auto const run = solve(p.system, lobatto4{.step = 0.02}, p.start, {.end = 1.5, .output_count = 38});
    auto const exact = solve(model.reduced(), exactly, {.position = {1., 0.3}, .velocity = {0.5, 2.1}},
                             {.end = 1.5, .output_count = 38});
    ASSERT_TRUE(run);
    ASSERT_EQ(run.multipliers.size(), 38u);
    auto work = p.system.work();
    std::array<double, 1> value{};
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        p.system.constraints().values(run.t[i], run.position[i], value, work.constraint);
        EXPECT_LT(std::abs(value[0]), 1e-15);
        EXPECT_LT(distance(run.position[i], model.place(exact.position[i])), 5e-7);
        EXPECT_NEAR(run.multipliers[i][0], model.tension(exact.position[i], exact.velocity[i]), 4e-5);
    }
}

TEST(Counts, OfRattleAreExact) {
    auto const p = double_pendulum();
    auto const run = solve(p.system, rattle{.step = 0.015}, p.start, {.end = 1.5});
    EXPECT_EQ(run.statistics.macro_steps, 100u);
    EXPECT_EQ(run.statistics.force_evaluations, 101u);
    EXPECT_GE(run.statistics.newton_iterations, 200u);
    EXPECT_GT(run.statistics.constraint_evaluations, run.statistics.newton_iterations);
    EXPECT_EQ(run.statistics.micro_steps, 0u);
}

TEST(HangingChain, AtRestCarriesWhatHangsBelow) {
    model::hanging_chain const chain{.n = 500};
    auto const run = solve(chain.system(), rattle{.step = 1e-4}, {.position = chain.straight(0), .velocity = {}},
                           {.end = 1e-2, .output_count = 2});
    ASSERT_TRUE(run) << run.message;
    for (std::size_t i = 0; i < chain.n; i += 99)
        EXPECT_NEAR(run.multipliers.back()[i] / chain.tension(i), 1, 1e-8) << i;
    EXPECT_LT(distance(run.position.back(), chain.straight(0)), 1e-10);
}

TEST(HangingChain, KeepsItsEnergyAsItSwings) {
    model::hanging_chain const chain{.n = 100};
    std::vector<double> const start = chain.straight(0.5);
    auto const run = solve(chain.system(), rattle{.step = 2e-4}, {.position = start, .velocity = {}},
                           {.end = 0.3, .output_count = 2});
    ASSERT_TRUE(run) << run.message;
    double const before = chain.energy(start, std::vector<double>(2 * chain.n));
    EXPECT_NEAR(chain.energy(run.position.back(), run.velocity.back()), before, 1e-5);
    EXPECT_GT(distance(run.position.back(), start), 0.15); // it did swing
}

} // namespace
