// Constraints with a work of their own: scratch that functions bring, and constraints whose type is known at run time
// only, which every method must follow to the same bits and counts.

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "problem/formula_constraints.hpp"

#include <lento/constraint/any_constraints.hpp>
#include <lento/io/problem_file.hpp>
#include <lento/lento.hpp>
#include <lento/model/constrained.hpp>
#include <lento/model/linkage.hpp>
#include <lento/stepper/foreign.hpp>

namespace {

using namespace lento;
using motion_state = motion<std::vector<double>>;
using run_options = solve_options<motion_state>;

// ---- the same system with its constraints erased ----

template <class System, class Constraints> auto erased(constrained_system<System, Constraints> const& system) {
    return constrained_system<System, any_constraints>(system.unconstrained(),
                                                       any_constraints(system.constraints(), system.mass()));
}

void expect_equal_counts(statistics const& a, statistics const& b) {
    EXPECT_EQ(a.macro_steps, b.macro_steps);
    EXPECT_EQ(a.macro_rejected, b.macro_rejected);
    EXPECT_EQ(a.effective_evaluations, b.effective_evaluations);
    EXPECT_EQ(a.micro_steps, b.micro_steps);
    EXPECT_EQ(a.force_evaluations, b.force_evaluations);
    EXPECT_EQ(a.constraint_evaluations, b.constraint_evaluations);
    EXPECT_EQ(a.jacobian_evaluations, b.jacobian_evaluations);
    EXPECT_EQ(a.newton_iterations, b.newton_iterations);
}

template <class A, class B> void expect_equal_runs(A const& a, B const& b) {
    EXPECT_EQ(a.result, b.result);
    EXPECT_EQ(a.message, b.message);
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.multipliers, b.multipliers);
    EXPECT_EQ(a.mean_multipliers, b.mean_multipliers);
    EXPECT_GT(a.statistics.constraint_evaluations, 0U);
    expect_equal_counts(a.statistics, b.statistics);
}

template <class System, class Stepper> void expect_same_run(System const& system, Stepper const& stepper,
                                                            motion_state const& start, run_options const& options) {
    SCOPED_TRACE(std::string(Stepper::name));
    auto const typed = solve(system, stepper, start, options);
    ASSERT_TRUE(typed) << typed.message;
    expect_equal_runs(typed, solve(erased(system), stepper, start, options));
}

template <class System>
void expect_same_runs(System const& system, motion_state const& start, double step, bool project = false) {
    run_options const options{.end = 20 * step, .output_count = 3, .project = project};
    expect_same_run(system, shake{.step = step}, start, options);
    expect_same_run(system, rattle{.step = step}, start, options);
    if constexpr (separable_active<System>) expect_same_run(system, rattle4{.step = step}, start, options);
    expect_same_run(system, lobatto4{.step = step}, start, options);
    expect_same_run(system, adaptive_lobatto4{}, start, options);
    if (has_sundials()) expect_same_run(system, ida{}, start, options);
}

// ---- kinds of constraints ----

TEST(AnyConstraints, OfAFamilyGiveTheSameBits) {
    for (std::size_t const n : {3U, 5U}) {
        model::hanging_chain const chain{.n = n};
        expect_same_runs(chain.system(), {chain.straight(0.5), std::vector<double>(2 * n)}, 0.1 / double(n));
    }
}

/// A problem's constraints on a system with a force of its own.
template <class Force> auto with_formulas(problem const& given, Force force) {
    auto system = plain(dynamic(given.size), given.mass, std::move(force));
    return constrained_system<decltype(system), detail::formula_constraints>(
        std::move(system),
        detail::formula_constraints(compile(*given.constraints(), expression::engine_kind::automatic), given.size));
}
constexpr auto uneven = [](auto const& q, auto t, auto& force) {
    for (std::size_t i = 0; i < force.size(); ++i)
        force[i] = (std::sin(1. + static_cast<double>(i)) + 0.3 * std::cos(t) - q[i]) / static_cast<double>(q.size());
};
constexpr auto damping = [](auto const& q, auto const& v, auto t, auto& force) {
    uneven(q, t, force);
    for (std::size_t i = 0; i < force.size(); ++i) force[i] -= 0.1 * v[i] / static_cast<double>(q.size());
};

TEST(AnyConstraints, OfFormulasGiveTheSameBitsFewOrMany) {
    for (int const n : {2, 40}) {
        auto const given = load_problem("hanging-chain", {"parameters.n=" + std::to_string(n)});
        motion_state const start{given.position, given.velocity};
        expect_same_runs(with_formulas(given, uneven), start, 0.1 / n);
        expect_same_runs(with_formulas(given, with_velocity(damping)), start, 0.1 / n);
    }
}

TEST(AnyConstraints, UnderAFullMassAndOffTheConstraintsGiveTheSameBits) {
    auto given = load_problem("ellipsoid");
    given.mass = any_mass(full_mass<double>({{2, 0.3, 0.1}, {0.3, 1.5, 0.2}, {0.1, 0.2, 1}}), given.size);
    given.position[0] += 0.01; // put there by a projection
    expect_same_runs(with_formulas(given, uneven), {given.position, given.velocity}, 0.05, true);
}

TEST(AnyConstraints, OfAVibratedSystemGiveTheSameBitsInsideWindows) {
    std::size_t const n = 3;
    model::hanging_chain const chain{.n = n};
    auto const still = chain.system();
    auto shaken = vibrated(dynamic(2 * n), {.frequency = 1e4}, mass(chain.rod()),
                           [rod = chain.rod()](auto const& q, auto theta, auto& force) {
                               for (std::size_t i = 0; i < q.size(); ++i)
                                   force[i] = i % 2 == 0 ? 0 : -rod * (9.8 + 4e4 * std::cos(theta));
                           });
    auto const system = constrained_system(std::move(shaken), still.constraints());
    asynchronous const closure{one_period{.steps = 32}, shake{}};
    motion_state const start{chain.straight(2.8), std::vector<double>(2 * n)};
    run_options const options{.end = 0.05, .output_count = 3};
    auto const typed = solve(effective(system, closure), rattle{.step = 5e-3}, start, options);
    ASSERT_TRUE(typed) << typed.message;
    expect_equal_runs(typed, solve(effective(erased(system), closure), rattle{.step = 5e-3}, start, options));
}

TEST(AnyConstraints, SayTheSameWhenTheyFail) {
    auto const system = with_formulas(load_problem("hanging-chain", {"parameters.n=1"}), uneven);
    motion_state const fast{{1, 0}, {0, 20}};
    auto const run = [&](auto const& what) { return solve(what, rattle{.step = 0.1}, fast, {.end = 1}); };
    auto const typed = run(system);
    EXPECT_EQ(typed.result, outcome::constraint_failed);
    EXPECT_NE(typed.message.find("smaller step"), std::string::npos) << typed.message;
    expect_equal_runs(typed, run(erased(system)));
}

TEST(AnyConstraints, CountInTheWorkOfTheConstraintsBehindThem) {
    model::hanging_chain const chain{.n = 3};
    auto const system = chain.system();
    any_constraints const any(system.constraints(), system.mass());
    auto work = system.work();
    auto& own = system.constraint_work(work);
    auto out = any.zeros();
    any.values(0, chain.straight(0.5), out, own);
    EXPECT_EQ(own.evaluations, 1U);
    auto at = any.start();
    std::vector<double> const nowhere_to_go(6);
    EXPECT_FALSE(any.linearise(0, nowhere_to_go, system.mass(), at, own));
    EXPECT_TRUE(own.failed.happened());
}

TEST(AnyConstraints, CopiesOfFactorsAreTheirOwn) {
    model::hanging_chain const chain{.n = 3};
    auto const system = erased(chain.system());
    auto const& constraints = system.constraints();
    auto work = constraints.work();
    auto at = constraints.start();
    ASSERT_TRUE(constraints.linearise(0, chain.straight(0.5), system.mass(), at, work));
    auto const copy = at;
    std::vector<double> x{1, 2, 3};
    auto y = x;
    constraints.solve(at, x);
    auto bent = chain.straight(0.5);
    bent[2] += 0.1;
    ASSERT_TRUE(constraints.linearise(0, bent, system.mass(), at, work));
    constraints.solve(copy, y);
    EXPECT_EQ(x, y);
}

// ---- functions with scratch ----

/// A rod that counts how often it is looked at.
struct counting_rod {
    struct scratch {
        int calls = 0;
    };
    [[nodiscard]] static scratch work() { return {}; }
    template <class V> auto operator()(V const& q, scratch& work) const {
        ++work.calls;
        return q[0] * q[0] + q[1] * q[1] - 1.;
    }
    template <class V> auto operator()(std::size_t, V const& q, scratch& work) const { return (*this)(q, work); }
};
constexpr auto plain_rod = [](auto const& q) { return q[0] * q[0] + q[1] * q[1] - 1.; };

TEST(ConstraintFunctions, WithScratchOfTheirOwnGiveTheSameRun) {
    auto const falling = [](auto const&, auto) { return std::array{0., -1.}; };
    auto const bare = constrained<2, 1>(falling, plain_rod);
    auto const with_scratch = constrained<2, 1>(falling, counting_rod{});
    auto const same = [&](auto const& stepper) {
        solve_options<motion<std::array<double, 2>>> const options{.end = 1, .output_count = 5};
        auto const a = solve(bare, stepper, {.position = {1., 0.}, .velocity = {}}, options);
        auto const b = solve(with_scratch, stepper, {.position = {1., 0.}, .velocity = {}}, options);
        ASSERT_TRUE(a && b) << b.message;
        expect_equal_runs(a, b);
    };
    same(shake{.step = 0.01});
    same(rattle{.step = 0.01});
    same(adaptive_lobatto4{});
}

TEST(ConstraintFunctions, WithScratchOfTheirOwnServeMarchesOfShake) {
    auto const shaken = [](auto const& rod) {
        auto const force = [](auto const&, auto theta) {
            using std::cos;
            return std::array{0. * theta, -1. - 1e3 * cos(theta)};
        };
        return constrain(vibrated<2>({.frequency = 1e3}, force), constraints<1>(rod));
    };
    asynchronous const closure{one_period{.steps = 32}, shake{}};
    auto const run = [&](auto const& rod) {
        return solve(effective(shaken(rod), closure), rattle{.step = 0.02}, {.position = {0.6, 0.8}, .velocity = {}},
                     {.end = 0.2, .output_count = 3});
    };
    auto const a = run(plain_rod);
    auto const b = run(counting_rod{});
    ASSERT_TRUE(a && b) << b.message;
    expect_equal_counts(a.statistics, b.statistics);
    for (std::size_t row = 0; row < a.t.size(); ++row)
        for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(a.position[row][i], b.position[row][i], 1e-13);
}

TEST(ConstraintFunctions, OfAFamilyKeepTheirScratchInTheWork) {
    auto const system =
        constrain(plain(dynamic(2), [](auto const&, auto, auto& force) { force = {0, -1}; }),
                  family<2>(1, [](std::size_t) { return std::array{std::size_t(0), std::size_t(1)}; }, counting_rod{}));
    auto work = system.constraints().work();
    auto other = system.constraints().work();
    std::vector<double> out(1);
    for (int i = 0; i < 3; ++i) system.constraints().values(0, {1, 0}, out, work);
    EXPECT_EQ(work.scratch.calls, 3);
    EXPECT_EQ(other.scratch.calls, 0);
    expect_same_runs(system, {{1, 0}, {0, 0}}, 0.01);
}

TEST(ConstraintFunctions, OfOneProblemServeManyRunsAtOnce) {
    auto const given = load_problem("hanging-chain", {"parameters.n=5"});
    auto const system = with_formulas(given, uneven);
    auto const run = [&](double step) {
        return solve(system, rattle{.step = step}, motion_state{given.position, given.velocity},
                     {.end = 1, .output_count = 11});
    };
    std::array const steps{1e-3, 2e-3};
    std::array const alone{run(steps[0]), run(steps[1])};
    auto together = alone;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < 2; ++i) threads.emplace_back([&, i] { together[i] = run(steps[i]); });
    }
    for (std::size_t i = 0; i < 2; ++i) expect_equal_runs(alone[i], together[i]);
}

} // namespace
