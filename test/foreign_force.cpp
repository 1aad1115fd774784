// Functions of another language as the forces of systems.

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/expression/foreign_formula.hpp>
#include <lento/io/problem_file.hpp>
#include <lento/lento.hpp>
#include <lento/problem/run.hpp>
#include <lento/system/foreign_force.hpp>

namespace {

using namespace lento;
using vector = std::vector<double>;

/// What a call saw.
struct seen {
    double factor = 1;
    int calls = 0;
    bool velocity = false;
    bool phase = false;
};

extern "C" {
static void pendulum(double t, double const* q, double const* v, double const* theta, double* out, void* data) {
    auto& what = *static_cast<seen*>(data);
    ++what.calls;
    what.velocity = v != nullptr;
    what.phase = theta != nullptr;
    double const shake = theta != nullptr ? 9.8 + 4000 * std::cos(*theta) : 9.8 + std::cos(t);
    out[0] = what.factor * (shake * std::sin(q[0]));
    if (v != nullptr) out[0] -= 0.1 * v[0];
}
}

template <class System> auto run(System const& system, double step) {
    return solve(system, rk4{.step = step}, {{0.5}, {0}}, {.end = 0.2, .output_count = 3});
}

extern "C" {
static void heavy(double, double const* q, double const* v, double const*, double* out, void*) {
    out[0] = -0.1 * q[0];
    out[1] = v != nullptr ? -1 - 0.1 * v[1] : -1;
}
}

TEST(ForeignForce, IsTheSlowForceOfAStiffSystem) {
    auto const rod = [](auto const& q) {
        using std::sqrt;
        return sqrt(q[0] * q[0] + q[1] * q[1]) - 1;
    };
    auto const run = [&](auto const& slow) {
        return solve(
            effective(stiff<2>(slow, spring{1e3, rod}), force_averaging({.periods = 10, .steps_per_period = 40})),
            rk4{.step = 0.1}, {{1, 0}, {0, 0}}, {.end = 0.5});
    };
    auto const free = [](auto const& q, double) { return std::array{-0.1 * q[0], -1.}; };
    auto const rubbed = [](auto const& q, auto const& v, double) { return std::array{-0.1 * q[0], -1 - 0.1 * v[1]}; };
    foreign_force const force(heavy, nullptr);
    auto const by_hand = run(free);
    ASSERT_TRUE(by_hand) << by_hand.message;
    EXPECT_EQ(run(force).position, by_hand.position);
    EXPECT_EQ(run(with_velocity(force)).position, run(with_velocity(rubbed)).position);
    EXPECT_NE(run(with_velocity(force)).position, by_hand.position);
}

TEST(ForeignForce, GivesTheBitsOfTheSameForceInCxx) {
    seen data{-2};
    foreign_force const force(pendulum, &data);
    auto const free = [](auto const& q, double t) { return -2 * ((9.8 + std::cos(t)) * std::sin(q[0])); };
    auto const rubbed = [](auto const& q, auto const& v, double t) {
        return -2 * ((9.8 + std::cos(t)) * std::sin(q[0])) - 0.1 * v[0];
    };
    auto const shaken = [](auto const& q, double theta) {
        return -2 * ((9.8 + 4000 * std::cos(theta)) * std::sin(q[0]));
    };
    EXPECT_EQ(run(plain<1>(force), 0.01).position, run(plain<1>(free), 0.01).position);
    EXPECT_FALSE(data.velocity);
    EXPECT_FALSE(data.phase);
    auto const by_hand = run(plain<1>(mass(3.), with_velocity(rubbed)), 0.01);
    data.calls = 0;
    EXPECT_EQ(run(plain<1>(mass(3.), with_velocity(force)), 0.01).position, by_hand.position);
    EXPECT_EQ(static_cast<std::uint64_t>(data.calls), by_hand.statistics.force_evaluations);
    EXPECT_TRUE(data.velocity);
    window const view{.kernel = exponential{}, .periods = 12, .steps_per_period = 20, .unchecked = true};
    auto const slow = [&](auto const& f) {
        return run(effective(vibrated<1>({.frequency = 1e3}, f), asynchronous(view)), 0.05).position;
    };
    EXPECT_EQ(slow(force), slow(shaken));
    EXPECT_TRUE(data.phase);
}

TEST(ForeignForce, IsARateAndAPartOfSplitSystems) {
    seen data{-1};
    auto const rate = foreign_force(pendulum, &data);
    vector out(1);
    auto const flow = plain_first_order(dynamic(1), rate);
    auto work = flow.work();
    flow.rate(0.3, {0.5}, out, work);
    EXPECT_EQ(out[0], -((9.8 + std::cos(0.3)) * std::sin(0.5)));
    auto const parts = split(dynamic(1), {.epsilon = 0.5}, rate, rate);
    auto both = parts.work();
    vector together(1);
    parts.rate(0, {0.5}, together, both);
    flow.rate(0, {0.5}, out, work);
    EXPECT_EQ(together[0], 2 * out[0] + out[0]);
}

TEST(ForeignForce, KeepsItsDataAndNeedsAFunction) {
    std::weak_ptr<seen> data;
    {
        auto const given = std::make_shared<seen>();
        data = given;
        auto const system = plain<1>(foreign_force(pendulum, given));
        auto const copy = std::make_unique<decltype(system)>(system);
        EXPECT_GE(data.use_count(), 3);
        static_cast<void>(run(*copy, 0.1));
    }
    EXPECT_TRUE(data.expired());
    EXPECT_THROW(foreign_force(nullptr), misuse);
}

extern "C" {
static void shaken(double, double const* q, double const* v, double const* theta, double* out, void* data) {
    auto& what = *static_cast<seen*>(data);
    what.velocity = v != nullptr;
    out[0] = (9.8 + 4 * 1e4 * std::cos(*theta)) * std::sin(q[0]) / 0.2;
}
}

TEST(ForeignForce, IsTheForceOfAProblem) {
    // which scheme is cheapest depends on how large the formulas are: it is named
    for (std::string const method : {"{ name = 'direct', macro = { scheme = 'dormand-prince' } }", "{ name = 'hmm' }",
                                     "{ name = 'stroboscopic' }"}) {
        auto what = load_problem("vibrated-pendulum", {"omega=1e4", "time.end=0.1", "method=" + method});
        auto const by_formula = run_problem(what);
        seen data;
        what.force = expression::foreign_formula(foreign_force(shaken, &data), 1, {expression::source::phase});
        auto const by_function = run_problem(what);
        ASSERT_EQ(by_function.result, outcome::success) << by_function.message;
        ASSERT_EQ(by_function.t, by_formula.t);
        for (std::size_t row = 0; row < by_formula.t.size(); ++row)
            EXPECT_NEAR(by_function.position[row][0], by_formula.position[row][0], 1e-9) << method;
        EXPECT_EQ(by_function.statistics.force_evaluations, by_formula.statistics.force_evaluations) << method;
        EXPECT_FALSE(data.velocity);
        EXPECT_THROW(static_cast<void>(write(what)), misuse);
    }
}

TEST(ForeignForce, HasNoFormulasToAddSpringsTo) {
    auto what = load_problem("spherical-pendulum", {"method={ name = 'ipa', relaxation = { omega = 1e4 } }"});
    what.force = expression::foreign_formula(foreign_force(heavy), what.size);
    EXPECT_EQ(run_problem(what).result, outcome::not_applicable);
}

} // namespace
