// Off-the-shelf codes as steppers: SUNDIALS CVODE, ARKODE, IDA and Boost.odeint on Lento's systems.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/constrained.hpp>
#include <lento/model/springs.hpp>

namespace {

using namespace lento;

template <class Stepper> bool is_there() {
    if constexpr (std::is_same_v<Stepper, odeint_dormand_prince>) return has_odeint();
    else return has_sundials();
}

template <class Stepper> class EveryCode : public testing::Test {
    void SetUp() override {
        if (!is_there<Stepper>()) GTEST_SKIP() << "this build has no " << Stepper::name;
    }
};
struct code_names {
    template <class Stepper> static std::string GetName(int) { return std::string(Stepper::name); }
};
using codes = testing::Types<cvode_adams, cvode_bdf, arkode_dormand_prince, arkode_implicit, odeint_dormand_prince>;
TYPED_TEST_SUITE(EveryCode, codes, code_names);

auto const oscillator = plain<1>([](auto const& q, auto) { return -q[0]; });

TYPED_TEST(EveryCode, ReproducesAnOscillationAtItsTolerance) {
    for (double const rtol : {1e-5, 1e-8}) {
        auto const run = solve(oscillator, TypeParam{.rtol = rtol, .atol = rtol}, {.position = {1}},
                               {.end = 10, .output_count = 101, .dense = true});
        ASSERT_TRUE(run) << run.message;
        ASSERT_EQ(run.t.size(), 101U);
        EXPECT_EQ(run.end, 10);
        double worst = 0;
        for (std::size_t i = 0; i < run.t.size(); ++i)
            worst = std::max({worst, std::abs(run.position[i][0] - std::cos(run.t[i])),
                              std::abs(run.velocity[i][0] + std::sin(run.t[i])),
                              std::abs(run.at(run.t[i]).position[0] - std::cos(run.t[i]))});
        EXPECT_LT(worst, 300 * rtol);
        EXPECT_GT(worst, 1e-3 * rtol); // it works for its tolerance, not for nothing
    }
}

TYPED_TEST(EveryCode, TakesVelocitiesTimesMassesAndFirstOrder) {
    // q'' = -0.2 q' - q + t, twice as heavy: q = t - 0.2 + decaying oscillation
    auto const damped = plain<1>(
        mass(2.), with_velocity([](auto const& q, auto const& v, auto t) { return 2 * (t - q[0] - 0.2 * v[0]); }));
    TypeParam const fine{.rtol = 1e-9, .atol = 1e-10};
    auto const run = solve(damped, fine, {.position = {0.8}, .velocity = {1}}, {.end = 5});
    double const w = std::sqrt(0.99);
    EXPECT_NEAR(run.position.back()[0], 4.8 + std::exp(-0.5) * (std::cos(w * 5) + 0.1 / w * std::sin(w * 5)), 1e-7);

    auto const decay =
        plain_first_order<2>([](auto const& x, auto t) { return std::array{-x[0] + std::sin(t), -2 * x[1]}; });
    auto const second = solve(decay, fine, {.state = {0.5, 1}}, {.end = 2});
    EXPECT_NEAR(second.state.back()[0], (std::sin(2.) - std::cos(2.)) / 2 + std::exp(-2.), 1e-8);
    EXPECT_NEAR(second.state.back()[1], std::exp(-4.), 1e-8);
}

TYPED_TEST(EveryCode, TakesRunTimeSizesAndKeepsItsStepsInBounds) {
    auto const many = plain(dynamic(30), [](auto const& q, auto, auto& out) {
        for (std::size_t i = 0; i < q.size(); ++i) out[i] = -q[i];
    });
    auto const run = solve(many, TypeParam{.max_step = 0.01}, {.position = std::vector<double>(30, 2.)}, {.end = 1});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(run.position.back()[29], 2 * std::cos(1.), 1e-4);
    for (std::size_t i = 1; i < run.t.size(); ++i) EXPECT_LE(run.t[i] - run.t[i - 1], 0.01 * (1 + 1e-12));
    EXPECT_GE(run.statistics.macro_steps, 100U);
}

TYPED_TEST(EveryCode, CountsWhatItCountsItself) {
    auto const star = plain<2>([](auto const& q, auto t) {
        return std::array{-q[0] - 2 * q[0] * q[1] + std::cos(t) / 20, -q[1] - q[0] * q[0] + q[1] * q[1]};
    });
    TypeParam const stepper{.rtol = 1e-6, .atol = 1e-8};
    auto work = star.work();
    auto memory = stepper.start(star);
    motion<std::array<double, 2>> x{{0.1, 0.2}, {0.3, -0.1}};
    double t = 0;
    std::uint64_t steps = 0;
    for (; t < 10; ++steps) t = stepper.advance(star, t, 1e-3, 10., x, memory, work);
    EXPECT_EQ(t, 10);
    EXPECT_EQ(memory.code->counts().evaluations, work.force_evaluations);
    EXPECT_EQ(memory.code->counts().steps, steps);

    auto const run = solve(star, stepper, {.position = {0.1, 0.2}, .velocity = {0.3, -0.1}}, {.end = 10});
    if constexpr (!std::is_same_v<TypeParam, odeint_dormand_prince>) { // whose first step is given above
        EXPECT_EQ(run.statistics.force_evaluations, work.force_evaluations);
        EXPECT_EQ(run.statistics.macro_steps, steps);
        EXPECT_EQ(run.statistics.macro_rejected, memory.code->counts().rejected);
    }
    EXPECT_EQ(run.statistics.newton_iterations > 0,
              (std::is_same_v<TypeParam, cvode_bdf> || std::is_same_v<TypeParam, arkode_implicit>));
}

TYPED_TEST(EveryCode, FindsEvents) {
    auto const run = solve(oscillator, TypeParam{.rtol = 1e-9, .atol = 1e-10}, {.position = {1}},
                           {.end = 10, .events = {{.value = [](double, auto const& x) { return x.position[0]; }}}});
    EXPECT_EQ(run.result, outcome::stopped_by_event);
    ASSERT_EQ(run.events.size(), 1U);
    EXPECT_NEAR(run.events[0].t, std::numbers::pi / 2, 1e-7);
}

TYPED_TEST(EveryCode, TellsAForceThatIsNotFiniteAndWhen) {
    auto const torn = plain<2>([](auto const& q, auto t) { return std::array{-q[0], -q[1] + std::sqrt(0.7 - t)}; });
    auto const run = solve(torn, TypeParam{}, {.position = {1, 1}}, {.end = 2, .output_count = 21});
    EXPECT_EQ(run.result, outcome::non_finite) << run.message;
    EXPECT_NE(run.message.find("component 2"), std::string::npos) << run.message;
    EXPECT_GT(run.end, 0.5); // ARKODE does not try shorter steps
    EXPECT_LE(run.end, 0.7);
    EXPECT_GE(run.t.size(), 6U); // what there is up to then is kept
}

TYPED_TEST(EveryCode, TellsASingularity) {
    auto const escaping = plain_first_order<1>([](auto const& x, auto) { return x[0] * x[0]; });
    auto const run = solve(escaping, TypeParam{}, {.state = {1}}, {.end = 2, .max_steps = 100000});
    EXPECT_TRUE(run.result == outcome::step_too_small || run.result == outcome::non_finite) << run.message;
    EXPECT_NEAR(run.end, 1, 0.01);
}

TYPED_TEST(EveryCode, LetsTheUsersExceptionThroughAndNoneOfItsOwn) {
    auto const thrower = plain<1>([](auto const& q, auto t) {
        if (t > 0.3) throw std::runtime_error("enough");
        return -q[0];
    });
    EXPECT_THROW(static_cast<void>(solve(thrower, TypeParam{}, {.position = {1}}, {.end = 1})), std::runtime_error);
    EXPECT_THROW(static_cast<void>(solve(oscillator, TypeParam{.rtol = 0, .atol = 0}, {.position = {1}}, {.end = 1})),
                 misuse);
}

auto vibrated_pendulum(double omega) {
    return vibrated<1>({.frequency = omega}, [=](auto const& q, auto theta) {
        return (9.8 + 4 * omega * std::cos(theta)) * std::sin(q[0]) / 0.2;
    });
}

TYPED_TEST(EveryCode, IntegratesTheSlowMotionOfAVibratedSystem) {
    auto const slow = effective(vibrated_pendulum(1e5));
    auto const expected = solve(slow, dormand_prince{.rtol = 1e-10, .atol = 1e-12}, {.position = {0.5}}, {.end = 1});
    auto const run = solve(slow, TypeParam{.rtol = 1e-8, .atol = 1e-9}, {.position = {0.5}}, {.end = 1});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(run.position.back()[0], expected.position.back()[0], 2e-6);
    EXPECT_GT(run.statistics.effective_evaluations, run.statistics.macro_steps);
}

TYPED_TEST(EveryCode, HandsOnAFailedWindow) {
    // the force ceases to be even at t = 0.3, and a window that starts at rest no longer applies
    auto const changing = vibrated<1>({.frequency = 1e5}, with_time([](auto const& q, auto theta, auto t) {
                                          return -q[0] + std::cos(theta) + (t > 0.3 ? std::sin(theta) : 0);
                                      }));
    auto const slow = effective(changing, asynchronous{one_period{.steps = 16}});
    auto const run = solve(slow, TypeParam{}, {.position = {0.5}}, {.end = 10});
    EXPECT_EQ(run.result, outcome::not_applicable) << run.message;
    EXPECT_GT(run.end, 0.1);
    EXPECT_LT(run.end, 5);
}

window twenty_periods(double omega) {
    double const period = 2 * std::numbers::pi / omega;
    return {.length = 20 * period, .step = period / 6, .unchecked = true};
}

// docs/papers.md: 000.10, 000.11
TYPED_TEST(EveryCode, IsAMacroIntegratorForForceAveraging) {
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 1000};
    auto const x = springs.stretched_second();
    auto const slow = effective(springs.second_hard(), force_averaging{twenty_periods(1000)});
    auto const expected = solve(slow, rk4{.step = 1. / 64}, x, {.end = 5});
    auto const run = solve(slow, TypeParam{.rtol = 1e-7, .atol = 1e-8}, x, {.end = 5});
    ASSERT_TRUE(run) << run.message;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(run.position.back()[i], expected.position.back()[i], 2e-5) << i;
    // every evaluation is a window of 121 forces, the start's own among them
    EXPECT_EQ(run.statistics.force_evaluations, 121 * (run.statistics.effective_evaluations + 1));
}

TYPED_TEST(EveryCode, BeginsAnewWhereTheMotionIsPutBack) {
    model::two_springs const springs{.omega_1 = 500, .omega_2 = 500};
    auto const x = springs.stretched_second();
    auto const slow =
        effective(springs.both_hard(), force_averaging{twenty_periods(500), verlet{}, projection{.every = 0.5}});
    TypeParam const stepper{.rtol = 1e-6, .atol = 1e-8};
    auto const run = solve(slow, stepper, x, {.end = 2});
    ASSERT_TRUE(run) << run.message;
    EXPECT_EQ(run.statistics.projections, 4U); // at the start, 0.5, 1, 1.5; the end stays as it is
}

// docs/papers.md: 003.34
TYPED_TEST(EveryCode, IntegratesOnTheSlowManifold) {
    model::two_springs const springs{.omega_1 = 1e4, .omega_2 = 1e4};
    auto const x = model::two_springs::on_constraints();
    auto const slow = effective(springs.both_hard(), slow_manifold{cubic_window(1e4)});
    auto const expected = solve(slow, rk4{.step = 1. / 64}, x, {.end = 1});
    auto const run = solve(slow, TypeParam{.rtol = 1e-6, .atol = 1e-7}, x, {.end = 1});
    ASSERT_TRUE(run) << run.message;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(run.position.back()[i], expected.position.back()[i], 2e-5) << i;
}

// ---- ARKODE's implicit methods ----

class ImplicitTables : public testing::TestWithParam<implicit_table> {
    void SetUp() override {
        if (!has_sundials()) GTEST_SKIP() << "this build has no arkode-implicit";
    }
};
INSTANTIATE_TEST_SUITE_P(All, ImplicitTables,
                         testing::Values(implicit_table::trapezoid, implicit_table::tr_bdf2, implicit_table::kvaerno3),
                         [](auto const& each) { return "table_" + std::to_string(static_cast<int>(each.param)); });

TEST_P(ImplicitTables, StepOverADecayThatIsOver) {
    // x' = -1e6 (x - cos t) - sin t: x = cos t
    auto const stiff = plain_first_order<1>([](auto const& x, auto t) { return -1e6 * (x[0] - cos(t)) - sin(t); });
    auto const run =
        solve(stiff, arkode_implicit{.rtol = 1e-5, .atol = 1e-6, .table = GetParam()}, {.state = {1}}, {.end = 5});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(run.state.back()[0], std::cos(5.), 1e-4);
    EXPECT_LT(run.statistics.macro_steps, 100'000U); // explicit ones need millions
}

TEST_P(ImplicitTables, HaveTheirOrder) {
    // steps of one length: errors that no tolerance forbids
    auto const error = [](double h) {
        auto const run =
            solve(oscillator,
                  arkode_implicit{.rtol = 1e-2, .atol = 1e-2, .first_step = h, .max_step = h, .table = GetParam()},
                  {.position = {1}}, {.end = 2});
        return std::abs(run.position.back()[0] - std::cos(2.));
    };
    double const power = GetParam() == implicit_table::kvaerno3 ? 3 : 2;
    EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), power, 0.3);
}

// docs/papers.md: 003.31
TEST(ImplicitTables, OnlyTheTrapezoidKeepsAnEnergyThatIsNotResolved) {
    if (!has_sundials()) GTEST_SKIP() << "this build has no arkode-implicit";
    // an oscillation that no tolerance asks for, stepped over with omega h = 10
    auto const fast = plain<1>([](auto const& q, auto) { return -1e6 * q[0]; });
    auto const energy = [&](implicit_table table) {
        auto const run =
            solve(fast, arkode_implicit{.rtol = 1, .atol = 1, .first_step = 0.01, .max_step = 0.01, .table = table},
                  {.position = {1e-6}}, {.end = 1});
        return 1e6 * run.position.back()[0] * run.position.back()[0] + run.velocity.back()[0] * run.velocity.back()[0];
    };
    EXPECT_NEAR(energy(implicit_table::trapezoid), 1e-6, 1e-8);
    EXPECT_LT(energy(implicit_table::tr_bdf2), 1e-12);
    EXPECT_LT(energy(implicit_table::kvaerno3), 1e-12);
}

// ---- IDA ----

class Ida : public testing::Test {
    void SetUp() override {
        if (!has_sundials()) GTEST_SKIP() << "this build has no ida";
    }
};

TEST_F(Ida, KeepsABeadOnATurningWire) {
    model::rotating_wire const wire;
    auto const run = solve(wire.system(), ida{.rtol = 1e-7, .atol = 1e-8},
                           {.position = wire.place(0), .velocity = wire.velocity(0)}, {.end = 1.5, .output_count = 16});
    ASSERT_TRUE(run) << run.message;
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        auto const place = wire.place(run.t[i]);
        for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(run.position[i][k], place[k], 1e-5);
        EXPECT_NEAR(run.multipliers[i][0], wire.multiplier(run.t[i]), 1e-3);
    }
}

TEST_F(Ida, CountsWhatItCountsItself) {
    model::spherical_pendulum const p;
    auto const system = p.system();
    ida const stepper{};
    auto work = system.work();
    auto memory = stepper.start(system);
    motion<std::array<double, 3>> x{p.place({1, 0}), p.velocity({1, 0}, {0.2, 2})};
    double t = 0;
    std::uint64_t steps = 0;
    for (; t < 1; ++steps) t = stepper.advance(system, t, 1e-2, 1., x, memory, work);
    auto const own = memory.code->counts();
    EXPECT_EQ(own.evaluations + 1, work.inner.force_evaluations); // and the start's
    EXPECT_EQ(own.steps, steps);
    auto const run = solve(system, stepper, {p.place({1, 0}), p.velocity({1, 0}, {0.2, 2})}, {.end = 1});
    EXPECT_GT(run.statistics.newton_iterations, run.statistics.macro_steps / 2);
}

TEST_F(Ida, TakesAFamilyOfConstraints) {
    model::hanging_chain const chain{.n = 6};
    auto const fine = solve(chain.system(), lobatto4{.step = 1e-3}, {.position = chain.straight(0.5)}, {.end = 0.5});
    auto const run =
        solve(chain.system(), ida{.rtol = 1e-7, .atol = 1e-8}, {.position = chain.straight(0.5)}, {.end = 0.5});
    ASSERT_TRUE(run) << run.message;
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(run.position.back()[i], fine.position.back()[i], 1e-5);
    EXPECT_THROW(static_cast<void>(ida{}.start(model::hanging_chain{.n = 1000}.system())), misuse);
}

/// Multipliers are not known at the first, short steps: no iteration waits for them, however long the chain.
TEST_F(Ida, StartsChainsWithAnyTolerance) {
    for (std::size_t const n : {5U, 10U, 20U})
        for (double const rtol : {1e-4, 1e-6, 1e-8}) {
            model::hanging_chain const chain{.n = n};
            motion<std::vector<double>> const start{.position = chain.straight(0.5), .velocity = {}};
            auto const run = solve(chain.system(), ida{.rtol = rtol, .atol = 1e-3 * rtol}, start, {.end = 0.5});
            ASSERT_TRUE(run) << n << ", " << rtol << ": " << run.message;
            auto const fine =
                solve(chain.system(), adaptive_lobatto4{.rtol = 1e-9, .atol = 1e-10}, start, {.end = 0.5});
            for (std::size_t i = 0; i < 2 * n; ++i)
                EXPECT_NEAR(run.position.back()[i], fine.position.back()[i], 10 * rtol) << n << ", " << rtol;
        }
}

TEST_F(Ida, TellsAForceThatIsNotFinite) {
    auto const torn = constrained<2, 1>([](auto const& q, auto t) { return std::array{0 * q[0], -std::sqrt(0.5 - t)}; },
                                        [](auto const& q) { return q[0] * q[0] + q[1] * q[1] - 1.; });
    auto const run = solve(torn, ida{}, {.position = {1, 0}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::non_finite) << run.message;
    EXPECT_LE(run.end, 0.5);
    EXPECT_GT(run.end, 0.4);
}

} // namespace
