// Stiff systems of run-time size: chains of hard and soft springs of any length.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/chains.hpp>
#include <lento/model/constrained.hpp>
#include <lento/model/springs.hpp>

namespace {

using namespace lento;

window three_moments(double fast) {
    double const period = 2 * std::numbers::pi / fast;
    return {.kernel = exponential{.moments = 3}, .length = 20 * period, .step = period / 6};
}

/// The two springs of the papers, written as a family.
auto two_springs_as_family(double omega) {
    return stiff(
        dynamic(4), [](auto const&, auto, auto& force) { std::fill(force.begin(), force.end(), 0.); },
        spring{omega, family<4>(
                          2,
                          [](std::size_t j) {
                              return j == 0 ? std::array<std::size_t, 4>{0, 1, nowhere, nowhere}
                                            : std::array<std::size_t, 4>{0, 1, 2, 3};
                          },
                          [](std::size_t, auto const& q) {
                              using std::sqrt;
                              auto const x = q[0] - q[2];
                              auto const y = q[1] - q[3];
                              return sqrt(x * x + y * y) - 1.;
                          })});
}
motion<std::vector<double>> grown(model::two_springs::state const& x) {
    return {{x.position.begin(), x.position.end()}, {x.velocity.begin(), x.velocity.end()}};
}

TEST(StiffFamily, IsTheSameSystemAsOneOfFixedSize) {
    double const omega = 500;
    auto const family = two_springs_as_family(omega);
    auto const fixed = model::two_springs{.omega_1 = omega, .omega_2 = omega}.both_hard();
    auto const x = model::two_springs::displaced();
    auto const y = grown(x);
    auto a_work = family.work();
    auto b_work = fixed.work();
    std::vector<double> a(4);
    std::array<double, 4> b{};
    family.acceleration(0, y.position, a, a_work);
    fixed.acceleration(0, x.position, b, b_work);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a[i], b[i], 1e-10 * omega * omega);
    auto const a_band = family.fast_band(0, y.position, a_work);
    auto const b_band = fixed.fast_band(0, x.position, b_work);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(a_band[j], b_band[j], 1e-9 * omega);
    auto const found = project(family, slow_manifold{cubic_window(omega)}, y);
    auto const expected = project(fixed, slow_manifold{cubic_window(omega)}, x);
    ASSERT_TRUE(found) << found.failed.message;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.x.position[i], expected.x.position[i], 1e-12);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(found.multipliers[j], expected.multipliers[j], 1e-7);
    EXPECT_EQ(found.statistics.projection_iterations, expected.statistics.projection_iterations);
    EXPECT_EQ(found.statistics.force_evaluations, expected.statistics.force_evaluations);
}

template <class Found, class Expected> void expect_same_warnings(Found const& found, Expected const& expected) {
    ASSERT_EQ(found.warnings.size(), expected.warnings.size());
    for (std::size_t i = 0; i < found.warnings.size(); ++i)
        EXPECT_EQ(found.warnings[i].sentence, expected.warnings[i].sentence);
}

TEST(StiffFamily, TellsOfItsEnergiesAsOneOfFixedSizeDoes) {
    double const omega = 500;
    model::two_springs const springs{.omega_1 = omega, .omega_2 = omega};
    auto const x = springs.stretched_second();
    auto const family = two_springs_as_family(omega);
    // the windows' kernel is the published one, which lets the stages excite the springs
    window const view{.length = 40 * std::numbers::pi / omega, .step = std::numbers::pi / omega / 3, .unchecked = true};
    auto const expected =
        solve(effective(springs.both_hard(), force_averaging{view}), rk4{.step = 0.125}, x, {.end = 2});
    auto const found = solve(effective(family, force_averaging{view}), rk4{.step = 0.125}, grown(x), {.end = 2});
    expect_same_warnings(found, expected);
    std::string all;
    for (auto const& each : found.warnings) all += each.code + " ";
    EXPECT_NE(all.find("fast_energy_ignored"), std::string::npos) << all;
    EXPECT_NE(all.find("constraint_drift"), std::string::npos) << all;
    expect_same_warnings(
        solve(effective(family, slow_manifold{cubic_window(omega)}), rk4{.step = 0.125}, grown(x), {.end = 2}),
        solve(effective(springs.both_hard(), slow_manifold{cubic_window(omega)}), rk4{.step = 0.125}, x, {.end = 2}));
}

/// Copies of one mass whose fast frequency grows with |x|, of which some carry energy.
auto widening_copies(std::size_t copies, double omega) {
    return stiff(
        dynamic(2 * copies),
        [](auto const& q, auto, auto& force) {
            for (std::size_t i = 0; i < q.size(); i += 2) {
                force[i] = -q[i];
                force[i + 1] = 0;
            }
        },
        spring{omega, family<2>(
                          copies, [](std::size_t i) { return std::array{2 * i, 2 * i + 1}; },
                          [](std::size_t, auto const& q) { return q[1] * sqrt(1. + q[0] * q[0]); })});
}

TEST(StiffFamily, OfManySpringsTellsOfItsEnergyToo) {
    std::size_t const copies = 50;
    motion<std::vector<double>> x{std::vector<double>(2 * copies), std::vector<double>(2 * copies)};
    for (std::size_t i = 0; i < copies; ++i) {
        x.position[2 * i] = 1;
        x.velocity[2 * i + 1] = i % 2 == 0 ? 1 : 0.5;
    }
    auto const system = widening_copies(copies, 1e3);
    auto const run = solve(effective(system, slow_manifold{cubic_window(1e3)}), rk4{.step = 1. / 8}, x, {.end = 5});
    ASSERT_TRUE(run) << run.message;
    ASSERT_EQ(run.warnings.size(), 1U);
    EXPECT_EQ(run.warnings[0].code, "fast_energy_ignored");
    // each lively copy holds 1/2 and is pulled with 1/4, each other one with a quarter of that
    EXPECT_NE(run.warnings[0].sentence.find("an energy of 15.6"), std::string::npos) << run.warnings[0].sentence;
    double const pull = std::sqrt(25 * (1. / 16 + 1. / 256));
    auto work = system.work();
    auto modes = system.modes();
    spring_swing swing{std::vector<double>(copies), std::vector<double>(copies)};
    for (std::size_t i = 0; i < copies; ++i) swing.rate[i] = 1e3 * std::sqrt(2.) * x.velocity[2 * i + 1];
    system.excite(0, x.position, swing, modes, work);
    EXPECT_NEAR(modes.energy(), 25 * (0.5 + 0.125), 1e-9);
    EXPECT_NEAR(system.adiabatic_acceleration(0, x.position, modes, work), pull, 1e-9);
}

TEST(StiffFamily, FollowsLoadsAsOneOfFixedSizeDoes) {
    double const omega = 1e6;
    model::two_springs const springs{.omega_1 = omega, .omega_2 = omega};
    auto const x = model::two_springs::on_constraints();
    projection_options const fast{.tolerance = 1e-5, .iterations = 1, .notch_steps = 5, .loads = 4};
    slow_manifold const closure{cubic_window(omega), fast};
    auto const expected =
        solve(effective(springs.both_hard(), closure), adams{.step = 1. / 64}, x, {.end = 1, .output_times = {1}});
    auto const found = solve(effective(two_springs_as_family(omega), closure), adams{.step = 1. / 64}, grown(x),
                             {.end = 1, .output_times = {1}});
    ASSERT_TRUE(found) << found.message;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.position[0][i], expected.position[0][i], 1e-9);
    EXPECT_EQ(found.statistics.force_evaluations, expected.statistics.force_evaluations);
    EXPECT_EQ(found.statistics.constraint_evaluations, expected.statistics.constraint_evaluations);
    EXPECT_EQ(found.statistics.jacobian_evaluations, expected.statistics.jacobian_evaluations);
}

TEST(AlternatingChain, FollowsItsLoadsInShortWindowsAtAnyLength) {
    // all fast modes have one frequency, so that one zero serves: three steps a side
    std::vector<std::uint64_t> forces;
    for (std::size_t const n : {10U, 200U}) {
        model::alternating_chain const chain{.pairs = n / 2, .omega = 1e4};
        motion<std::vector<double>> const x{chain.mode(1), std::vector<double>(n)};
        projection_options const fast{.tolerance = 1e-5, .iterations = 1, .notch_steps = 3, .loads = 4};
        auto const slow = effective(chain.system(), slow_manifold{cubic_window(1e4), fast});
        auto const run = solve(slow, adams{.step = 1. / 16}, x, {.end = 3, .output_times = {3}});
        ASSERT_TRUE(run) << run.message;
        double const turned = std::cos(3 * chain.slow_frequency(1));
        for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(run.position[0][i], turned * x.position[i], 1e-6) << i;
        auto const shorter = solve(slow, adams{.step = 1. / 16}, x, {.end = 2, .output_times = {2}});
        forces.push_back(run.statistics.force_evaluations - shorter.statistics.force_evaluations);
    }
    EXPECT_EQ(forces[0], 16U * 7U);
    EXPECT_EQ(forces[1], 16U * 7U);
}

// docs/papers.md: 000.40
TEST(StiffFamily, TakesMassesTimesVelocitiesAndAFrequencyForEachSpring) {
    // two separate masses: 4 q'' = -0.8 q' - w^2 (q - t/2)
    auto const slow =
        plain(dynamic(2), mass(std::vector{4., 4.}), with_velocity([](auto const&, auto const& v, auto, auto& force) {
                  for (std::size_t i = 0; i < v.size(); ++i) force[i] = -0.8 * v[i];
              }));
    auto const system = stiff(slow, {6., 10.},
                              family<1>(
                                  2, [](std::size_t i) { return std::array{i}; },
                                  with_time([](std::size_t, auto const& q, auto const& t) { return q[0] - 0.5 * t; })));
    auto work = system.work();
    auto const band = system.fast_band(0, {0, 0}, work);
    EXPECT_NEAR(band[0], 3, 1e-12);
    EXPECT_NEAR(band[1], 5, 1e-12);
    std::array const springs{6., 10.};
    motion<std::vector<double>> x{{0, 0}, {0.5, 0.5}};
    for (std::size_t i = 0; i < 2; ++i) x.position[i] = 1 - 0.4 / (springs[i] * springs[i]);
    auto const run = solve(system, dormand_prince{.rtol = 1e-11, .atol = 1e-13}, x, {.end = 2});
    for (std::size_t i = 0; i < 2; ++i) {
        double const square = springs[i] * springs[i];
        double const w = std::sqrt(square / 4 - 0.01);
        double const expected = 1 - 0.4 / square + std::exp(-0.2) * (std::cos(w * 2) + 0.1 / w * std::sin(w * 2));
        EXPECT_NEAR(run.position.back()[i], expected, 1e-9);
    }
    EXPECT_THROW(static_cast<void>(stiff(slow, {6.},
                                         family<1>(
                                             2, [](std::size_t i) { return std::array{i}; },
                                             [](std::size_t, auto const& q) { return q[0]; }))),
                 misuse);
}

TEST(StiffFamily, BandIsThatOfTheNormalModesAtAnyLength) {
    for (std::size_t const n : {8U, 32U, 33U, 200U, 2000U}) {
        model::hard_chain const chain{.masses = n + 1, .omega = 100};
        auto const system = chain.system();
        auto work = system.work();
        auto const band = system.fast_band(0, std::vector<double>(n + 1), work);
        EXPECT_NEAR(band.front(), chain.fast_frequency(1), 1e-6 * chain.fast_frequency(1)) << n;
        EXPECT_NEAR(band.back(), chain.fast_frequency(n), 2e-3 * chain.fast_frequency(n)) << n;
        EXPECT_GE(band.back(), chain.fast_frequency(n) * (1 - 1e-3)) << n;
    }
    for (std::size_t const pairs : {3U, 1000U}) {
        auto const system = model::alternating_chain{.pairs = pairs, .omega = 100}.system();
        auto work = system.work();
        for (double const w : system.fast_band(0, std::vector<double>(2 * pairs), work))
            EXPECT_NEAR(w, 100 * std::sqrt(2.), 1e-6);
    }
}

// docs/papers.md: 003.38
TEST(AlternatingChain, WorkOfAStepDoesNotDependOnItsLength) {
    std::vector<std::uint64_t> averaged, projected;
    for (std::size_t const n : {10U, 100U, 1000U}) {
        model::alternating_chain const chain{.pairs = n / 2};
        motion<std::vector<double>> const x{chain.mode(1), std::vector<double>(n)};
        auto const slow = effective(chain.system(), force_averaging{three_moments(1e3)});
        auto const run = solve(slow, rk4{.step = 0.25}, x, {.end = 1});
        ASSERT_TRUE(run) << run.message;
        averaged.push_back(run.statistics.force_evaluations);
        auto const on_manifold = effective(chain.system(), slow_manifold{cubic_window(1e3), {.iterations = 2}});
        // what finding the first points takes depends on how far they are; a step of the multistep method does not
        auto const shorter = solve(on_manifold, adams{.step = 0.125}, x, {.end = 1.5});
        auto const longer = solve(on_manifold, adams{.step = 0.125}, x, {.end = 2});
        ASSERT_TRUE(longer) << longer.message;
        projected.push_back(longer.statistics.force_evaluations - shorter.statistics.force_evaluations);
    }
    EXPECT_EQ(averaged[0], averaged[1]);
    EXPECT_EQ(averaged[0], averaged[2]);
    EXPECT_EQ(averaged[0], 17U * 121U);
    EXPECT_EQ(projected[0], projected[1]);
    EXPECT_EQ(projected[0], projected[2]);
    EXPECT_EQ(projected[0], 4U * 2U * 37U);
}

/// How far the averaged motion is from the limit's mode j at t = 3.
double distance_from_mode(double omega, std::size_t j) {
    model::alternating_chain const chain{.pairs = 20, .omega = omega};
    motion<std::vector<double>> const x{chain.mode(j), std::vector<double>(40)};
    auto const slow = effective(chain.system(), force_averaging{three_moments(omega)});
    auto const run = solve(slow, dormand_prince{.rtol = 1e-9, .atol = 1e-10}, x, {.end = 3});
    EXPECT_TRUE(run) << run.message;
    double worst = 0;
    for (std::size_t i = 0; i < 40; ++i)
        worst =
            std::max(worst, std::abs(run.position.back()[i] - std::cos(3 * chain.slow_frequency(j)) * x.position[i]));
    return worst;
}
TEST(AlternatingChain, FollowsTheModesOfItsLimit) {
    for (std::size_t const j : {1U, 7U, 20U}) {
        double const coarse = distance_from_mode(300, j);
        double const fine = distance_from_mode(1200, j);
        EXPECT_LT(fine, 1e-5) << j;
        EXPECT_LT(fine, std::max(coarse / 8, 1e-7)) << j; // 1/omega^2 would be 16
    }
}

TEST(AlternatingChain, KeepsItsEnergyAndItsPairsOnTheSlowManifold) {
    model::alternating_chain const chain{.pairs = 50};
    auto v = chain.mode(3);
    motion<std::vector<double>> const x{chain.mode(1), v};
    auto const slow = effective(chain.system(), slow_manifold{cubic_window(1e3)});
    auto const run = solve(slow, rk4{.step = 0.05}, x, {.end = 5, .output_count = 6});
    ASSERT_TRUE(run) << run.message;
    double const before = chain.energy(run.position.front(), run.velocity.front());
    EXPECT_NEAR(chain.energy(run.position.back(), run.velocity.back()), before, 1e-5 * before);
    auto const limit = solve(chain.system().limit(), lobatto4{.step = 0.02}, x, {.end = 5, .output_count = 6});
    ASSERT_TRUE(limit) << limit.message;
    for (std::size_t j = 0; j < 50; ++j) EXPECT_NEAR(run.multipliers.back()[j], limit.multipliers.back()[j], 1e-3) << j;
}

TEST(AlternatingChain, IsTheRelaxationOfItsLimit) {
    model::hanging_chain const rods{.n = 4, .g = 1};
    double const omega = 3000;
    auto const hard = relaxed(omega, rods.system());
    motion<std::vector<double>> const x{rods.straight(0.5), std::vector<double>(8)};
    auto const run =
        solve(effective(hard, slow_manifold{window{.kernel = cubic{}, .periods = 6, .steps_per_period = 10}}),
              rk4{.step = 0.01}, x, {.end = 0.5});
    ASSERT_TRUE(run) << run.message;
    auto const limit = solve(rods.system(), lobatto4{.step = 0.005}, x, {.end = 0.5});
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(run.position.back()[i], limit.position.back()[i], 2e-3) << i;
}

TEST(HardChain, WorkGrowsWithItsBand) {
    std::vector<double> steps;
    for (std::size_t const n : {10U, 20U, 40U}) {
        model::hard_chain const chain{.masses = n, .omega = 1e4};
        motion<std::vector<double>> const x{std::vector<double>(n, 1.), std::vector<double>(n)};
        window const view{.kernel = exponential{.moments = 3}, .periods = 20, .steps_per_period = 6};
        auto const slow = effective(chain.system(), force_averaging{view});
        auto const run = solve(slow, rk4{.step = 0.25}, x, {.end = 1});
        ASSERT_TRUE(run) << run.message;
        EXPECT_NEAR(run.position.back()[n / 2], std::cos(1.), 1e-3);
        steps.push_back(static_cast<double>(run.statistics.micro_steps));
    }
    EXPECT_NEAR(steps[1] / steps[0], 2, 0.1);
    EXPECT_NEAR(steps[2] / steps[1], 2, 0.1);
}

TEST(HardChain, IsRefusedWithTheNumbersWhereItsBandReachesTheSlowMotion) {
    model::hard_chain const chain{.masses = 200, .omega = 500};
    motion<std::vector<double>> const x{std::vector<double>(200, 1.), std::vector<double>(200)};
    window const view{.kernel = exponential{.moments = 3}, .periods = 20, .steps_per_period = 6};
    auto const slow = effective(chain.system(), force_averaging{view});
    auto work = slow.work();
    slow.begin(0, x, work);
    EXPECT_NEAR(slow.modes(work).slow, 1, 1e-6);
    auto const run = solve(slow, rk4{.step = 0.25}, x, {.end = 1000});
    EXPECT_EQ(run.result, outcome::no_scale_separation) << run.message;
    EXPECT_NE(run.message.find("7.85"), std::string::npos) << run.message; // the slowest fast mode
    EXPECT_EQ(run.statistics.force_evaluations, 0U);
}

TEST(StiffFamily, DependentSpringsAreRefused) {
    auto const ring = stiff(
        dynamic(3), [](auto const&, auto, auto& f) { std::fill(f.begin(), f.end(), 0.); },
        spring{10., family<2>(
                        3, [](std::size_t i) { return std::array{i, (i + 1) % 3}; },
                        [](std::size_t, auto const& q) { return q[1] - q[0]; })});
    motion<std::vector<double>> const x{{0, 0, 0}, {0, 0, 0}};
    slow_manifold const closure{cubic_window(10)};
    auto const run = solve(effective(ring, closure), rk4{.step = 0.25}, x, {.end = 20});
    EXPECT_EQ(run.result, outcome::not_applicable);
    EXPECT_FALSE(run.message.empty());
    EXPECT_TRUE(run.t.empty());
    auto const point = project(ring, closure, x);
    EXPECT_EQ(point.failed.result, outcome::not_applicable);
    EXPECT_EQ(point.failed.message, run.message);
}

} // namespace
