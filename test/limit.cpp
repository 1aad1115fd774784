// The limit of hard springs, and its corrections: exact motions, two powers of omega per order, counts that do not know
// omega, digits that omega = 1e8 does not take.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/effective/limit_estimate.hpp>
#include <lento/lento.hpp>
#include <lento/model/chains.hpp>
#include <lento/model/springs.hpp>

namespace {

using namespace lento;
template <std::size_t N> using state_in = motion<std::array<double, N>>;

template <class Solution> bool warns_of(Solution const& run, std::string const& code) {
    return std::any_of(run.warnings.begin(), run.warnings.end(), [&](auto const& each) { return each.code == code; });
}
template <class Rows, class Others> double distance(Rows const& a, Others const& b) {
    double largest = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
        for (std::size_t i = 0; i < a[k].size(); ++i) largest = std::max(largest, std::abs(a[k][i] - b[k][i]));
    return largest;
}
template <class Rows> double largest(Rows const& a) {
    double found = 0;
    for (auto const& row : a)
        for (double const each : row) found = std::max(found, std::abs(each));
    return found;
}
/// The slow point of a start.
template <class System, class State> State slow_point_of(System const& system, State x) {
    auto const slow = effective(system, limit{.order = 2});
    auto work = slow.work();
    slow.begin(0, x, work);
    slow.lower(0, x, work);
    EXPECT_FALSE(work.failed.happened()) << work.failed.message;
    return x;
}
/// Looked at on the way; the last point of a run is not put back under its loads.
template <class State> auto until(double end) {
    solve_options<State> options{.end = 1.05 * end};
    for (int k = 0; k <= 10; ++k) options.output_times.push_back(end * k / 10);
    return options;
}

// ---- systems without fast energy ----

constexpr auto length_of_first = [](auto const& q) {
    using std::sqrt;
    return sqrt(q[0] * q[0] + q[1] * q[1]) - 1.;
};
constexpr auto length_of_second = [](auto const& q) {
    using std::sqrt;
    auto const x = q[2] - q[0];
    auto const y = q[3] - q[1];
    return sqrt(x * x + y * y) - 1.;
};

struct pendulum {
    static constexpr char const* name = "pendulum";
    static constexpr state_in<2> start{{1, 0}, {0, 0.5}};
    static auto of(double omega) {
        return stiff<2>([](auto const& q, auto) { return std::array{0.3 + 0 * q[0], -2 + 0 * q[0]}; },
                        spring{omega, length_of_first});
    }
};
struct two_springs {
    static constexpr char const* name = "two springs";
    static constexpr state_in<4> start{{1, 0, 1.6, 0.8}, {0, -0.5, 0.4, 0.3}};
    static auto of(double omega) {
        auto const weight = [](auto const& q, auto) {
            return std::array{0 * q[0], -1 + 0 * q[0], 0 * q[0], -1 + 0 * q[0]};
        };
        return stiff<4>(weight, spring{omega, length_of_first}, spring{omega, length_of_second});
    }
};
struct hard_and_harder {
    static constexpr char const* name = "springs 1 : 3";
    static constexpr state_in<4> start = two_springs::start;
    static auto of(double omega) {
        auto const force = [](auto const& q, auto) {
            return std::array{0 * q[0], -1 + 0 * q[0], -0.5 * q[2], -1 + 0 * q[0]};
        };
        return stiff<4>(force, spring{omega, length_of_first}, spring{3 * omega, length_of_second});
    }
};
struct ellipsoid_with_drag {
    static constexpr char const* name = "ellipsoid with drag";
    static constexpr state_in<3> start{{1.5, 0.5, 0.43301270189221935}, {0, 0.6, -0.2}};
    static auto of(double omega) {
        auto const force = [](auto const& q, auto const& v, auto t) {
            using std::cos;
            return std::array{-0.5 * q[0] - 0.1 * v[0], 0.2 * cos(t) - 0.1 * v[1], -1 - 0.1 * v[2]};
        };
        return stiff<3>(with_velocity(force), spring{omega, [](auto const& q) {
                                                         return (q[0] * q[0] / 4 + q[1] * q[1] + q[2] * q[2] - 1) / 2;
                                                     }});
    }
};
struct moving_surfaces {
    static constexpr char const* name = "springs in time, full mass";
    static constexpr state_in<3> start{{1, 0.4, 0.4}, {0, 0, 0}};
    static auto of(double omega) {
        auto const force = [](auto const& q, auto t) {
            using std::sin;
            return std::array{-q[0] + 0 * t, 0 * q[1], sin(q[2])};
        };
        auto const first = [](auto const& q, auto const& t) {
            using std::sin;
            return q[0] * q[1] - q[2] - sin(t);
        };
        return stiff<3>(mass({{2., 0.5, 0.}, {0.5, 3., 0.2}, {0., 0.2, 5.}}), force, spring{omega, with_time(first)},
                        spring{2 * omega, [](auto const& q) { return q[1] + q[2] * q[2] / 4. - 0.5; }});
    }
};
/// A chain of four heavy masses with hard springs between them, of run-time size.
struct hanging_chain {
    static constexpr char const* name = "hanging chain";
    static inline motion<std::vector<double>> const start{{1, 1.6, 1.8, 1.2, 0, -0.8, -1.77, -2.57},
                                                          {0, 0, 0, 0, 0.2, 0, 0, 0.1}};
    static auto of(double omega) {
        auto const weight = [](auto const&, auto, auto& force) {
            for (std::size_t i = 0; i < 4; ++i) {
                force[i] = 0;
                force[i + 4] = -1;
            }
        };
        auto const where = [](std::size_t i) {
            return std::array{i > 0 ? i - 1 : nowhere, i > 0 ? i + 3 : nowhere, i, i + 4};
        };
        auto const stretch = [](std::size_t, auto const& q) {
            using std::sqrt;
            return sqrt((q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1])) - 1.;
        };
        return stiff(dynamic(8), weight, spring{4 * omega, family<4>(4, where, stretch)});
    }
};

/// The largest error, beside the largest coordinate, of an order against the direct motion from the slow point.
template <class Problem> double error_of(int order, double omega, double end, double rtol) {
    auto const system = Problem::of(omega);
    auto const start = slow_point_of(system, Problem::start);
    using state = std::remove_const_t<decltype(start)>;
    auto const direct =
        solve(system, dormand_prince_8{.rtol = rtol / 100, .atol = rtol / 1e3}, start, until<state>(end));
    auto const slow =
        solve(effective(system, limit{.order = order}),
              dormand_prince_8{.rtol = rtol, .atol = rtol / 100, .max_step = 0.05}, start, until<state>(end));
    EXPECT_TRUE(direct && slow) << slow.message;
    return distance(slow.position, direct.position) / largest(direct.position);
}

template <class Problem> struct LimitOf : testing::Test {};
using problems =
    testing::Types<pendulum, two_springs, hard_and_harder, ellipsoid_with_drag, moving_surfaces, hanging_chain>;
TYPED_TEST_SUITE(LimitOf, problems);

TYPED_TEST(LimitOf, GainsTwoPowersOfOmegaPerOrder) {
    for (int const order : {0, 1, 2}) {
        double const few = error_of<TypeParam>(order, 100, 1.5, 1e-11);
        double const many = error_of<TypeParam>(order, 200, 1.5, 1e-11);
        double const power = std::log2(few / many);
        if (many < 1e-11) continue; // rounding of the reference
        EXPECT_GT(power, 2 * (order + 1) - 0.5) << TypeParam::name << " " << order << ": " << few << " " << many;
        EXPECT_LT(power, 2 * (order + 1) + 1.5) << TypeParam::name << " " << order << ": " << few << " " << many;
    }
}
TYPED_TEST(LimitOf, CountsTheSameAtEveryOmega) {
    for (int const order : {0, 1, 2}) {
        using state = std::remove_cvref_t<decltype(TypeParam::start)>;
        auto const counted = [&](double omega) {
            auto const run = solve(effective(TypeParam::of(omega), limit{.order = order}),
                                   dormand_prince_8{.rtol = 1e-6, .atol = 1e-9}, TypeParam::start, until<state>(2));
            EXPECT_TRUE(run) << run.message;
            return run.statistics;
        };
        auto const at = counted(1e3);
        for (double const omega : {1e5, 1e8}) {
            auto const there = counted(omega);
            EXPECT_EQ(there.force_evaluations, at.force_evaluations) << TypeParam::name << " " << order << " " << omega;
            EXPECT_EQ(there.macro_steps, at.macro_steps) << TypeParam::name << " " << order << " " << omega;
        }
    }
}
TYPED_TEST(LimitOf, LosesNoDigitsAtOmega1e8) {
    // where the limit itself is off by 1e-16
    using state = std::remove_cvref_t<decltype(TypeParam::start)>;
    auto const start = slow_point_of(TypeParam::of(1e8), TypeParam::start);
    auto const exact = solve(underlying(TypeParam::of(1).limit()), dormand_prince_8{.rtol = 1e-13, .atol = 1e-14},
                             start, until<state>(2));
    for (int const order : {0, 1, 2}) {
        auto const run =
            solve(effective(TypeParam::of(1e8), limit{.order = order}),
                  dormand_prince_8{.rtol = 1e-11, .atol = 1e-13, .max_step = 0.05}, start, until<state>(2));
        ASSERT_TRUE(run && exact) << run.message << exact.message;
        EXPECT_LT(distance(run.position, exact.position), 1e-9) << TypeParam::name << " " << order;
    }
}

// ---- the figures that the corrections are for: t = 5 ----

template <class Problem> struct CorrectedLimitOf : testing::Test {};
using few_problems = testing::Types<pendulum, two_springs, hard_and_harder>;
TYPED_TEST_SUITE(CorrectedLimitOf, few_problems);

TYPED_TEST(CorrectedLimitOf, IsAccurateAtModerateOmega) {
    EXPECT_LT(error_of<TypeParam>(1, 100, 5, 1e-9), 1e-4);
    EXPECT_LT(error_of<TypeParam>(1, 1000, 5, 1e-9), 2e-8);
    EXPECT_GT(error_of<TypeParam>(0, 100, 5, 1e-9), 1e-3); // without them
}
TYPED_TEST(CorrectedLimitOf, TakesFewForces) {
    for (double const omega : {1e2, 1e3, 1e8}) {
        using state = std::remove_cvref_t<decltype(TypeParam::start)>;
        auto const run = solve(effective(TypeParam::of(omega), limit{}), dormand_prince_8{.rtol = 1e-6, .atol = 1e-9},
                               TypeParam::start, until<state>(5));
        ASSERT_TRUE(run) << run.message;
        EXPECT_LT(run.statistics.force_evaluations, 3000U);
    }
}

// ---- exact motions ----

TEST(Limit, OfOrderOneCirclesExactly) {
    model::strong_spring const spring{.omega = 20};
    auto const start = spring.circling(1.5, 0);
    for (int const order : {1, 2}) {
        auto const run = solve(effective(spring.system(), limit{.order = order}),
                               dormand_prince_8{.rtol = 1e-12, .atol = 1e-13}, start, {.end = 3, .output_count = 2});
        ASSERT_TRUE(run) << run.message;
        auto const exact = spring.circling(1.5, 3);
        EXPECT_NEAR(run.position.back()[0], exact.position[0], 1e-8); // order 0: 1e-2
        EXPECT_NEAR(run.position.back()[1], exact.position[1], 1e-8);
    }
}
TEST(Limit, SumsTheSeriesOfTheDrivenSpring) {
    // y = cos(t)/(1 - omega^-2) = cos(t) (1 + omega^-2 + omega^-4 + ...)
    for (double const omega : {10., 20.}) {
        model::driven_spring const spring{.omega = omega};
        model::driven_spring::state const start{{1, spring.amplitude()}, {0, 0}};
        for (int const order : {0, 1, 2}) {
            auto const run = solve(effective(spring.system(), limit{.order = order}),
                                   dormand_prince_8{.rtol = 1e-12, .atol = 1e-14, .max_step = 0.1}, start,
                                   {.end = 2, .output_times = {1}});
            ASSERT_TRUE(run) << run.message;
            double const error = std::abs(run.position[0][1] - spring.slow(start, 1).position[1]);
            EXPECT_LT(error, 2 * std::pow(omega, -2. * (order + 1))) << order;
            EXPECT_NEAR(run.position[0][0], std::cos(1.), 1e-10);
        }
    }
}
TEST(Limit, FollowsTheSlowModesOfLinearSystems) {
    for (int const order : {0, 1, 2}) {
        double error[2] = {};
        for (int const k : {0, 1}) {
            double const omega = 20. * (k + 1);
            model::linear_springs<3> const springs{.soft = {{{2, 0.5, 0.3}, {0.5, 1, -0.2}, {0.3, -0.2, 1.5}}},
                                                   .direction = {0.6, 0.8, 0},
                                                   .omega = omega};
            state_in<3> const physical{{1, -0.75, 0.3}, {0.2, 0.1, -0.4}};
            auto const start = springs.slow(physical, 0);
            auto const run = solve(effective(springs.system(), limit{.order = order}),
                                   dormand_prince_8{.rtol = 1e-12, .atol = 1e-14, .max_step = 0.1}, start,
                                   {.end = 4.1, .output_times = {1, 2, 3, 4}});
            ASSERT_TRUE(run) << run.message;
            for (std::size_t i = 0; i < run.t.size(); ++i)
                error[k] = std::max(error[k], distance(std::vector{run.position[i]},
                                                       std::vector{springs.slow(physical, run.t[i]).position}));
        }
        EXPECT_GT(std::log2(error[0] / error[1]), 2 * (order + 1) - 0.5) << order << ": " << error[0];
    }
}
TEST(Limit, OfAChainFollowsItsModes) {
    // of run-time size, and more springs than are taken for few
    model::alternating_chain const chain{.pairs = 50, .omega = 1e3};
    motion<std::vector<double>> const start{chain.mode(1), std::vector<double>(100)};
    auto const run = solve(effective(chain.system(), limit{}), dormand_prince_8{.rtol = 1e-10, .atol = 1e-12}, start,
                           {.end = 5, .output_count = 2});
    ASSERT_TRUE(run) << run.message;
    double const now = std::cos(chain.slow_frequency(1) * 5);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(run.position.back()[i], now * start.position[i], 2e-6);
}
TEST(Limit, IsTheSameOfAFamilyAsOfSingleSprings) {
    auto const weight = [](auto const& q, auto) {
        return std::array{0 * q[0], -1 + 0 * q[0], 0 * q[0], -1 + 0 * q[0]};
    };
    auto const single = stiff<4>(weight, spring{50., length_of_first}, spring{50., length_of_second});
    auto const family_of = family<4>(
        2,
        [](std::size_t i) {
            return i == 0 ? std::array{nowhere, nowhere, std::size_t(0), std::size_t(1)}
                          : std::array{std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(3)};
        },
        [](std::size_t, auto const& q) {
            using std::sqrt;
            return sqrt((q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1])) - 1.;
        });
    auto const many =
        stiff(dynamic(4), [](auto const&, auto, auto& force) { force = {0, -1, 0, -1}; }, spring{50., family_of});
    auto const& x = two_springs::start;
    motion<std::vector<double>> const y{{x.position.begin(), x.position.end()}, {x.velocity.begin(), x.velocity.end()}};
    for (int const order : {0, 1, 2}) {
        auto const a =
            solve(effective(single, limit{.order = order}), rk4{.step = 0.02}, x, {.end = 1, .output_count = 2});
        auto const b =
            solve(effective(many, limit{.order = order}), rk4{.step = 0.02}, y, {.end = 1, .output_count = 2});
        ASSERT_TRUE(a && b);
        for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a.position.back()[i], b.position.back()[i], 1e-9) << order;
        for (std::size_t j = 0; j < 2; ++j)
            EXPECT_NEAR(a.multipliers.back()[j], b.multipliers.back()[j], 1e-6) << order;
        EXPECT_EQ(a.statistics.force_evaluations, b.statistics.force_evaluations);
    }
}

// ---- points, loads, steppers ----

TEST(Limit, PutsAStartUnderItsLoads) {
    double const omega = 1e3;
    auto const system = two_springs::of(omega);
    auto x = two_springs::start;
    x.position[0] += 0.05;
    x.velocity[1] += 0.2;
    auto const slow = slow_point_of(system, x);
    auto const again = slow_point_of(system, slow);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(again.position[i], slow.position[i], 1e-13);
    auto const of_order_one = effective(system, limit{});
    auto work = of_order_one.work();
    of_order_one.begin(0, slow, work);
    std::array<double, 4> a{};
    of_order_one.acceleration(0, slow.position, slow.velocity, a, work);
    auto inner = system.work();
    auto const pulls = system.multipliers_at(0, slow.position, inner);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(of_order_one.multipliers(work)[j], pulls[j], 1e-6);
}
TEST(Limit, HasTheMultipliersOfTheConstrainedMotion) {
    auto const start = slow_point_of(two_springs::of(1e8), two_springs::start);
    auto const rigid = solve(underlying(two_springs::of(1).limit()), dormand_prince_8{.rtol = 1e-11, .atol = 1e-12},
                             start, {.end = 1, .output_count = 2});
    auto const slow = solve(effective(two_springs::of(1e8), limit{}), dormand_prince_8{.rtol = 1e-11, .atol = 1e-12},
                            start, {.end = 1, .output_count = 2});
    ASSERT_TRUE(rigid && slow);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(slow.multipliers[0][j], rigid.multipliers[0][j], 1e-9);
}
TEST(Limit, KeepsTheOrderOfItsStepper) {
    auto const slow = effective(two_springs::of(100), limit{});
    auto const end_with = [&](auto stepper) {
        auto const run = solve(slow, stepper, two_springs::start, {.end = 1, .output_count = 2});
        EXPECT_TRUE(run) << run.message;
        return run.position;
    };
    auto const exact = end_with(dormand_prince_8{.rtol = 1e-12, .atol = 1e-13});
    double const coarse = distance(end_with(rk4{.step = 1. / 16}), exact);
    double const fine = distance(end_with(rk4{.step = 1. / 32}), exact);
    EXPECT_NEAR(std::log2(coarse / fine), 4, 0.5) << coarse;
    EXPECT_LT(distance(end_with(adams{.step = 1. / 64}), exact), 1e-5);
    EXPECT_LT(distance(end_with(dormand_prince{.rtol = 1e-8, .atol = 1e-10}), exact), 1e-6);
}
TEST(Limit, RunsBackToWhereItStarted) {
    auto const slow = effective(ellipsoid_with_drag::of(100), limit{});
    auto const start = slow_point_of(ellipsoid_with_drag::of(100), ellipsoid_with_drag::start);
    dormand_prince_8 const stepper{.rtol = 1e-11, .atol = 1e-13};
    auto const there = solve(slow, stepper, start, {.end = 2, .output_count = 2});
    auto const back =
        solve(slow, stepper, {there.position.back(), there.velocity.back()}, {.start = 2, .end = 0, .output_count = 2});
    ASSERT_TRUE(there && back);
    EXPECT_TRUE(back.warnings.empty()) << back.warnings.front().sentence;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back.position.back()[i], start.position[i], 1e-6);
}
TEST(Limit, OfOrderZeroCostsLittleMoreThanTheEquationUnderTheConstraints) {
    auto const all = [](statistics const& counts) {
        return static_cast<double>(counts.force_evaluations + counts.constraint_evaluations +
                                   counts.jacobian_evaluations);
    };
    auto const compare = [&](auto const& system, auto const& start, double end) {
        dormand_prince_8 const stepper{.rtol = 1e-4, .atol = 1e-7};
        auto const rigid = solve(underlying(system.limit()), stepper, start, {.end = end, .output_count = 2});
        auto const slow = solve(effective(system, limit{.order = 0}), stepper, start, {.end = end, .output_count = 2});
        ASSERT_TRUE(rigid && slow) << slow.message;
        EXPECT_LT(all(slow.statistics), 1.5 * all(rigid.statistics));
    };
    double const omega = 1e5;
    model::two_springs const springs{.omega_1 = omega, .omega_2 = omega};
    compare(springs.both_hard(), model::two_springs::on_constraints(), 10);
    model::spring_pendulum const spherical{.omega = omega, .g = 9.8};
    compare(spherical.system(), state_in<3>{{std::sin(1.), 0, -std::cos(1.)}, {0, 3 * std::sin(1.), 0}}, 3);
    compare(model::strong_spring{.omega = omega}.system(), state_in<2>{{1, 0}, {0, 1}}, 10);
}

TYPED_TEST(CorrectedLimitOf, IsEstimatedBeforehand) {
    auto const estimate = estimate_limit(TypeParam::of(100), TypeParam::start, 0, 5);
    ASSERT_FALSE(estimate.failed.happened()) << estimate.failed.message;
    for (int const order : {0, 1}) {
        double const ratio = estimate.error(order) / error_of<TypeParam>(order, 100, 5, 1e-9);
        EXPECT_GT(ratio, 1. / 30) << TypeParam::name << " " << order;
        EXPECT_LT(ratio, 30) << TypeParam::name << " " << order;
    }
}

// ---- what it says ----

TEST(Limit, WarnsOfFastEnergyThatActsOnTheSlowMotion) {
    auto const channel = stiff<2>([](auto const& q, auto) { return std::array{-q[0], 0 * q[0]}; },
                                  spring{1e3, [](auto const& q) {
                                             using std::sqrt;
                                             return q[1] * sqrt(1. + q[0] * q[0]);
                                         }});
    auto const run = solve(effective(channel, limit{}), dormand_prince_8{}, {{1, 0}, {0, 1}}, {.end = 5});
    ASSERT_TRUE(run);
    EXPECT_TRUE(warns_of(run, "fast_energy_ignored"));
}
TEST(Limit, OfSoftSpringsGivesAnAnswerAndSaysWhatItIsWorth) {
    auto const run =
        solve(effective(hard_and_harder::of(4), limit{}), dormand_prince_8{}, hard_and_harder::start, {.end = 2});
    ASSERT_TRUE(run) << run.message;
    EXPECT_TRUE(warns_of(run, "no_scale_separation"));
    auto const hard =
        solve(effective(hard_and_harder::of(1e3), limit{}), dormand_prince_8{}, hard_and_harder::start, {.end = 2});
    EXPECT_FALSE(warns_of(hard, "no_scale_separation"));
}
TEST(Limit, RefusesDependentSpringsAndUnknownOrders) {
    auto const twice = stiff<2>(no_force{}, spring{1e3, [](auto const& q) { return q[0]; }},
                                spring{1e3, [](auto const& q) { return 2 * q[0]; }});
    auto const run = solve(effective(twice, limit{}), rk4{.step = 0.1}, {{0, 0}, {0, 1}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::constraint_failed);
    EXPECT_NE(run.message.find("depends on"), std::string::npos) << run.message;
    EXPECT_THROW(static_cast<void>(effective(pendulum::of(1e3), limit{.order = 3})), misuse);
}

} // namespace
