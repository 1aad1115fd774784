// Laws of the slow motion of stiff systems: what is conserved, exact normal modes, reversibility, what does not depend
// on omega; and what is said where the methods do not apply.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

namespace {

using namespace lento;
template <std::size_t N> using state_in = motion<std::array<double, N>>;

window periods(double omega, double count, double steps_a_period) {
    double const period = 2 * std::numbers::pi / omega;
    return {.length = count * period, .step = period / steps_a_period};
}
/// The fast variant: loads extrapolated from four windows, one notch window an evaluation.
projection_options fast(int springs) {
    return {.tolerance = 1e-5, .iterations = 1, .notch_steps = 2 * springs + 1, .loads = 4};
}
template <class Solution> bool warns_of(Solution const& run, std::string const& code) {
    return std::any_of(run.warnings.begin(), run.warnings.end(), [&](auto const& each) { return each.code == code; });
}

// ---- springs put under a load ----

auto heavy_springs(double omega) {
    return stiff<3>(
        mass({2., 3., 5.}), [](auto const& q, auto t) { return std::array{-q[0] + 0 * t, 0 * q[1], sin(q[2])}; },
        spring{omega, with_time([](auto const& q, auto const& t) { return q[0] * q[1] - q[2] - sin(t); })},
        spring{2 * omega, [](auto const& q) { return q[1] + q[2] * q[2] / 4.; }});
}

TEST(StiffSystem, PlacesAPointItsVelocityAndAccelerationUnderALoad) {
    auto const system = heavy_springs(1e5);
    auto work = system.work();
    std::array<double, 3> q = {1, 0.1, 0.2};
    std::array<double, 3> v = {0.3, -0.2, 0.5};
    std::array<double, 3> a = {0.1, 0.7, -0.4};
    decltype(system)::load_course const load{.value = {3, -7}, .rate = {11, 5}, .bend = {2, 1}};
    double const t = 0.4;
    for (int k = 0; k < 4; ++k) ASSERT_TRUE(system.place(t, q, v, load, work));
    system.place_acceleration(t, q, v, load, a, work);
    auto const g = system.stretch(t, q, work);
    auto const rate = system.stretch_rate(t, q, v, work);
    auto const after = [&](double dt) {
        auto moved = q;
        for (std::size_t i = 0; i < 3; ++i) moved[i] += v[i] * dt + a[i] * dt * dt / 2;
        return system.stretch(t + dt, moved, work);
    };
    double const dt = 1e-4;
    for (std::size_t j = 0; j < 2; ++j) {
        double const square = (j == 0 ? 1 : 4) * 1e10;
        EXPECT_NEAR(g[j] * square, load.value[j], 1e-4);
        EXPECT_NEAR(rate[j] * square, load.rate[j], 1e-4);
        double const bend = (after(dt)[j] - 2 * g[j] + after(-dt)[j]) / (dt * dt);
        EXPECT_NEAR(bend, load.bend[j] / square, 1e-6);
    }
}

TEST(StiffSystem, HasTheSameAccelerationSeenFromNearby) {
    auto const system = heavy_springs(100);
    auto work = system.work();
    std::array<double, 3> const q = {1, 0.1, 0.2};
    std::array<double, 3> const d = {0.01, -0.02, 0.03};
    std::array<double, 3> there = q;
    for (std::size_t i = 0; i < 3; ++i) there[i] += d[i];
    std::array<double, 3> direct{};
    std::array<double, 3> seen{};
    system.acceleration(0.5 + 0.125, there, direct, work);
    auto const load = work.load;
    system.acceleration_near({0.5, q, system.stretch(0.5, q, work)}, 0.125, d, seen, work);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(seen[i], direct[i], 1e-10);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(work.load[j], load[j], 1e-10);
}

TEST(LoadHistory, FollowsAPolynomialAndForgetsStepsThatAreTakenAgain) {
    detail::load_history<std::array<double, 1>> history;
    auto const cubic_at = [](double t) { return 1 + t * (2 + t * (3 + t)); };
    struct course {
        std::array<double, 1> value, rate, bend;
    };
    for (double const t : {0., 0.1, 0.25, 0.5, 0.7}) history.remember(t, 1e-3, {cubic_at(t)}, 4);
    history.remember(0.8, 1e-3, {1e9}, 4); // a trial
    for (double const t : {0.6, 0.75}) history.remember(t, 1e-3, {cubic_at(t)}, 4);
    std::array<course, decltype(history)::longest> table{};
    auto const& next = history.predict(0.9, table);
    EXPECT_NEAR(next.value[0], cubic_at(0.9), 1e-12);
    EXPECT_NEAR(next.rate[0], 2 + 6 * 0.9 + 3 * 0.81, 1e-11);
    EXPECT_NEAR(next.bend[0], 6 + 6 * 0.9, 1e-10);
}

// ---- what does not depend on omega ----

TEST(FollowedLoads, CostTheSameAndErrTheSameUpToOmega1e8InDouble) {
    auto const start = model::two_springs::on_constraints();
    auto const exact = solve(underlying(model::two_springs{.omega_1 = 1e8, .omega_2 = 1e8}.both_hard().limit()),
                             dormand_prince{.rtol = 1e-12, .atol = 1e-13}, start, {.end = 2, .output_times = {2}});
    std::array<std::uint64_t, 3> work{};
    std::array<double, 3> const omegas = {1e5, 1e6, 1e8};
    for (std::size_t i = 0; i < 3; ++i) {
        auto const system = model::two_springs{.omega_1 = omegas[i], .omega_2 = omegas[i]}.both_hard();
        auto const slow = effective(system, slow_manifold{cubic_window(omegas[i]), fast(2)});
        auto const run = solve(slow, adams{.step = 1. / 64}, start, {.end = 2, .output_times = {2}});
        ASSERT_TRUE(run) << run.message;
        EXPECT_TRUE(run.warnings.empty()) << run.warnings.front().sentence;
        work[i] = run.statistics.force_evaluations + run.statistics.constraint_evaluations +
                  run.statistics.jacobian_evaluations;
        for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(run.position[0][k], exact.position[0][k], 2e-8) << omegas[i];
    }
    EXPECT_EQ(work[0], work[1]);
    EXPECT_EQ(work[1], work[2]);
}

TEST(FollowedLoads, ConvergeAtTheOrderOfAdamsWhateverTheirNumber) {
    auto start = model::two_springs::on_constraints();
    for (double& v : start.velocity) v *= 2; // livelier: the error stays above rounding
    double const omega = 1e6;
    auto const system = model::two_springs{.omega_1 = omega, .omega_2 = omega}.both_hard();
    auto const exact = solve(underlying(system.limit()), dormand_prince{.rtol = 1e-13, .atol = 1e-14}, start,
                             {.end = 10, .output_times = {10}});
    for (int const loads : {3, 4, 5}) {
        auto const error = [&](double steps) {
            projection_options how = fast(2);
            how.loads = loads;
            auto const slow = effective(system, slow_manifold{cubic_window(omega), how});
            auto const run = solve(slow, adams{.step = 1 / steps}, start, {.end = 10, .output_times = {10}});
            double largest = 0;
            for (std::size_t k = 0; k < 4; ++k)
                largest = std::max(largest, std::abs(run.position[0][k] - exact.position[0][k]));
            return largest;
        };
        EXPECT_NEAR(std::log2(error(64) / error(128)), 6, 0.3) << loads;
    }
}

// docs/papers.md: 000.39, 003.3
TEST(FollowedLoads, KeepUpWithSpringsThatMoveInTimeMassesAndDrag) {
    // 4 y'' = -w^2 (y - cos t) - 0.8 y': the slow motion is the forced one, x has its own drag
    double const w = 1e6;
    auto const system = stiff<2>(mass(4.), with_velocity([](auto const& q, auto const& v, auto) {
                                     return std::array{-4 * q[0] - 0.8 * v[0], -0.8 * v[1]};
                                 }),
                                 spring{w, with_time([](auto const& q, auto const& t) { return q[1] - cos(t); })});
    state_in<2> const start{{1, 1}, {0, 0}};
    auto const slow = effective(system, slow_manifold{cubic_window(w), fast(1)});
    auto const run = solve(slow, adams{.step = 1. / 64}, start, {.end = 3, .output_times = {3}});
    ASSERT_TRUE(run) << run.message;
    double const f = std::sqrt(1 - 0.01);
    EXPECT_NEAR(run.position[0][0], std::exp(-0.3) * (std::cos(3 * f) + 0.1 / f * std::sin(3 * f)), 1e-9);
    EXPECT_NEAR(run.position[0][1], std::cos(3.), 1e-10);
    EXPECT_NEAR(run.velocity[0][1], -std::sin(3.), 1e-10);
    // the load is what bends the motion: lambda = -4 y'' - 0.8 y'
    EXPECT_NEAR(run.multipliers[0][0], 4 * std::cos(3.) + 0.8 * std::sin(3.), 1e-5);
}

TEST(FollowedLoads, ServeOtherSteppersAndSmoothWindowsToo) {
    double const w = 1e5;
    auto const system = model::two_springs{.omega_1 = w, .omega_2 = w}.both_hard();
    auto const start = model::two_springs::on_constraints();
    auto const exact = solve(underlying(system.limit()), dormand_prince{.rtol = 1e-12, .atol = 1e-13}, start,
                             {.end = 1, .output_times = {1}});
    auto const notched =
        effective(system, slow_manifold{cubic_window(w), {.tolerance = 1e-6, .notch_steps = 5, .loads = 3}});
    auto const smooth = effective(system, slow_manifold{cubic_window(w), {.tolerance = 1e-6, .loads = 3}});
    auto const expect_near = [&](auto const& run, double error) {
        ASSERT_TRUE(run) << run.message;
        for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(run.position[0][k], exact.position[0][k], error);
    };
    expect_near(solve(notched, rk4{.step = 1. / 32}, start, {.end = 1, .output_times = {1}}), 1e-7);
    expect_near(solve(smooth, rk4{.step = 1. / 32}, start, {.end = 1, .output_times = {1}}), 1e-7);
    expect_near(solve(notched, dormand_prince{.rtol = 1e-8, .atol = 1e-10}, start, {.end = 1, .output_times = {1}}),
                1e-7);
    expect_near(solve(notched, implicit_midpoint{.step = 1. / 64}, start, {.end = 1, .output_times = {1}}), 2e-4);
}

TEST(FollowedLoads, LeadFromAfarToTheSlowPointOfThePublishedProjection) {
    for (double const w : {1e3, 1e4, 1e6}) {
        auto const system = model::two_springs{.omega_1 = w, .omega_2 = w}.both_hard();
        auto const start = model::two_springs::displaced();
        auto const published = project(system, slow_manifold{cubic_window(w), {.tolerance = 1e-8}}, start);
        auto const found = project(system, slow_manifold{cubic_window(w), fast(2)}, start);
        ASSERT_TRUE(found) << found.failed.message;
        ASSERT_TRUE(published) << published.failed.message;
        for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.x.position[i], published.x.position[i], 1e-6) << w;
    }
}

// docs/papers.md: 003.36
TEST(FollowedLoads, FitTheirFilterToFrequenciesFarApart) {
    // a short notch for modes of 1 and 7 times omega amplifies rounding and all else by millions
    double const w = 1e4;
    auto const system = model::two_springs{.omega_1 = w, .omega_2 = 5 * w}.both_hard();
    auto const start = model::two_springs::on_constraints();
    window const view{.kernel = cubic{}, .periods = 6, .steps_per_period = 6};
    auto const with = [&](int steps) {
        auto const slow = effective(system, slow_manifold{view, {.tolerance = 1e-5, .notch_steps = steps, .loads = 4}});
        return solve(slow, dormand_prince{.rtol = 1e-7, .atol = 1e-9}, start, {.end = 2, .output_times = {2}});
    };
    EXPECT_EQ(with(5).result, outcome::projection_failed);
    auto const run = with(projection_options::fitted);
    ASSERT_TRUE(run) << run.message;
    auto const exact = solve(underlying(system.limit()), dormand_prince{.rtol = 1e-12, .atol = 1e-13}, start,
                             {.end = 2, .output_times = {2}});
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(run.position[0][k], exact.position[0][k], 1e-6);
}

TEST(FollowedLoads, AreRefusedInSenselessNumbers) {
    auto const system = model::two_springs{.omega_1 = 1e4, .omega_2 = 1e4}.both_hard();
    auto const refused = [&](projection_options const& how) {
        EXPECT_THROW(static_cast<void>(effective(system, slow_manifold{cubic_window(1e4), how})), misuse);
    };
    refused({.loads = 9});
    refused({.notch_steps = 5}); // without loads
    refused({.start_iterations = 3, .loads = 4});
    // how many steps a notch needs is known where a run begins
    slow_manifold const short_notch{cubic_window(1e4), {.notch_steps = 2, .loads = 4}};
    auto const start = model::two_springs::on_constraints();
    EXPECT_THROW(static_cast<void>(project(system, short_notch, start)), misuse);
    EXPECT_THROW(static_cast<void>(solve(effective(system, short_notch), rk4{.step = 0.1}, start, {.end = 1})), misuse);
}

// ---- a run plans its own window ----

/// One spring whose fast frequency is omega e^x at (x, 0).
auto hardening_spring(double omega) {
    return stiff<2>([](auto const& q, auto) { return std::array{-0.01 * q[0], 0 * q[1]}; },
                    spring{omega, [](auto const& q) {
                               using std::exp;
                               return q[1] * exp(q[0]);
                           }});
}

TEST(EffectiveStiffSystem, IsOneValueForAllStartsAndEveryRunPlansItsOwnWindow) {
    window const view{.kernel = cubic{}, .periods = 6, .steps_per_period = 8, .unchecked = true};
    std::array<state_in<2>, 2> const starts{{{{0, 1e-6}, {0.1, 0}}, {{0.5, 0}, {0, 1e-3}}}};
    auto const expect = [&](auto const& closure, auto const& stepper) {
        auto const slow = effective(hardening_spring(1e3), closure);
        std::array<double, 2> length{};
        for (std::size_t i : {0U, 1U, 0U}) {
            auto const one = solve(slow, stepper, starts[i], {.end = 1});
            auto const other = solve(effective(hardening_spring(1e3), closure), stepper, starts[i], {.end = 1});
            ASSERT_TRUE(one) << one.message;
            EXPECT_EQ(one.position, other.position);
            EXPECT_EQ(one.velocity, other.velocity);
            EXPECT_EQ(one.multipliers, other.multipliers);
            for (auto const& each : statistics::counts())
                EXPECT_EQ(one.statistics.*each.member, other.statistics.*each.member) << each.name;
            auto work = slow.work();
            slow.begin(0, starts[i], work);
            length[i] = slow.window_length(work);
        }
        EXPECT_NEAR(length[0] / length[1], std::exp(0.5), 1e-9);
    };
    window const smooth{.kernel = exponential{.moments = 3}, .periods = 40, .steps_per_period = 8};
    expect(force_averaging{smooth}, rk4{.step = 1. / 32});
    expect(force_averaging<verlet, long double>{smooth}, rk4{.step = 1. / 32});
    expect(slow_manifold{view}, dormand_prince{.rtol = 1e-5});
    expect(slow_manifold{view, fast(1)}, adams{.step = 1. / 64});
}

TEST(EffectiveStiffSystem, MustBegin) {
    auto const slow = effective(hardening_spring(1e3), slow_manifold{cubic_window(1e3)});
    auto work = slow.work();
    state_in<2> x{{0, 0}, {0.1, 0}};
    EXPECT_THROW(slow.lower(0, x, work), misuse);
    slow.begin(0, x, work);
    slow.lower(0, x, work);
    EXPECT_FALSE(work.failed.happened()) << work.failed.message;
}

TEST(EffectiveStiffSystem, RefusesSenselessWindowsWhereItIsMade) {
    auto const refused = [](window const& view) {
        EXPECT_THROW(static_cast<void>(effective(hardening_spring(1e3), force_averaging{view})), misuse);
    };
    refused({.periods = 6, .length = 1, .steps_per_period = 8});
    refused({.periods = 6});
    refused({.periods = 6, .steps_per_period = 8, .side = support::forward});
    refused(one_period{.steps = 8});
}

// ---- exact normal modes ----

/// Two masses, tied by a hard spring, each held by a soft one: the slow mode of the whole stiff system is known.
struct tied_masses {
    double omega;
    [[nodiscard]] auto system() const {
        return stiff<2>([](auto const& q, auto) { return std::array{-q[0], -3 * q[1]}; },
                        spring{omega, [](auto const& q) { return q[0] - q[1]; }});
    }
    [[nodiscard]] double slow_square() const { // of the eigenvalues of [[1 + w2, -w2], [-w2, 3 + w2]]
        double const w2 = omega * omega;
        return (3 + 4 * w2) / (2 + w2 + std::sqrt(1 + w2 * w2));
    }
    [[nodiscard]] state_in<2> on_slow_mode() const {
        double const w2 = omega * omega;
        return {{1, (1 + w2 - slow_square()) / w2}, {0, 0}};
    }
};

TEST(LinearSystems, FollowTheirSlowNormalModeOnTheSlowManifold) {
    tied_masses const masses{1e3};
    auto const start = masses.on_slow_mode();
    auto const expect = [&](auto const& run, double error) {
        ASSERT_TRUE(run) << run.message;
        double const turned = std::cos(2 * std::sqrt(masses.slow_square()));
        for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(run.position[0][i], start.position[i] * turned, error);
    };
    solve_options<state_in<2>> const span{.end = 2, .output_times = {2}};
    expect(solve(effective(masses.system(), slow_manifold{cubic_window(1e3), fast(1)}), adams{.step = 1. / 64}, start,
                 span),
           1e-7); // Verlet's h^2/12
    expect(solve(effective(masses.system(), slow_manifold{cubic_window(1e3)}), rk4{.step = 1. / 32}, start, span),
           1e-6);
    expect(solve(effective(masses.system(), force_averaging{periods(1e3, 20, 8)}), rk4{.step = 1. / 32}, start, span),
           2e-3);
}

// ---- conservation ----

/// A free dumbbell: two masses and a hard spring that nothing holds.
auto dumbbell(double omega) {
    return stiff<4>(mass({1., 1., 3., 3.}), no_force{}, spring{omega, model::two_springs::outer});
}

TEST(Dumbbell, KeepsEnergyMomentumAndAngularMomentum) {
    state_in<4> const start{{0, 0, 1, 0}, {0.25, -0.5, 0.25, 0.75}};
    auto const momentum = [](auto const& v) { return std::array{v[0] + 3 * v[2], v[1] + 3 * v[3]}; };
    auto const spin = [](auto const& q, auto const& v) {
        return q[0] * v[1] - q[1] * v[0] + 3 * (q[2] * v[3] - q[3] * v[2]);
    };
    auto const energy = [](auto const& v) { return (v[0] * v[0] + v[1] * v[1] + 3 * (v[2] * v[2] + v[3] * v[3])) / 2; };
    auto const expect = [&](auto const& run, double spun, double kept) {
        ASSERT_TRUE(run) << run.message;
        auto const p = momentum(run.velocity.front());
        for (std::size_t i = 0; i < run.t.size(); ++i) {
            EXPECT_NEAR(momentum(run.velocity[i])[0], p[0], 1e-11);
            EXPECT_NEAR(momentum(run.velocity[i])[1], p[1], 1e-11);
            EXPECT_NEAR(spin(run.position[i], run.velocity[i]), spin(run.position[0], run.velocity[0]), spun);
            EXPECT_NEAR(energy(run.velocity[i]), energy(run.velocity[0]), kept);
        }
    };
    auto const system = dumbbell(1e4);
    expect(
        solve(effective(system, slow_manifold{cubic_window(1e4), fast(1)}), adams{.step = 1. / 64}, start, {.end = 3}),
        1e-8, 1e-8);
    expect(solve(effective(system, force_averaging{periods(1e4, 20, 8)}), rk4{.step = 1. / 64}, start, {.end = 3}),
           1e-6, 1e-4);
    // the symmetric rule shows no drift
    expect(solve(effective(system, force_averaging{periods(1e4, 20, 8)}), implicit_midpoint{.step = 1. / 128}, start,
                 {.end = 3}),
           1e-6, 1e-4);
}

// docs/papers.md: 000.12
TEST(SymmetricRules, RunBackOnAveragedStiffSystems) {
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 1e3};
    auto const slow = effective(springs.second_hard(), force_averaging{periods(1e3, 20, 6)});
    auto work = slow.work();
    auto start = springs.stretched_second();
    slow.begin(0, start, work);
    slow.lower(0, start, work);
    auto const return_error = [&](auto const& stepper) {
        auto x = start;
        for (int way = 0; way < 2; ++way) {
            auto memory = stepper.start(slow);
            for (int k = 0; k < 32; ++k) stepper.advance(slow, k / 16., 1. / 16, x, memory, work);
            EXPECT_FALSE(memory.failed.happened()) << memory.failed.message;
            for (auto& v : x.velocity) v = -v;
        }
        double largest = 0;
        for (std::size_t i = 0; i < 4; ++i)
            largest = std::max(
                {largest, std::abs(x.position[i] - start.position[i]), std::abs(x.velocity[i] - start.velocity[i])});
        return largest;
    };
    EXPECT_LT(return_error(implicit_midpoint{}), 1e-12);
    EXPECT_LT(return_error(trapezoid{}), 1e-12);
}

// ---- relaxation and limit ----

// docs/papers.md: 003.23
TEST(Relaxed, TendsToTheConstrainedMotionLikeOneOverOmegaSquared) {
    auto const gravity = [](auto const& q, auto) { return std::array{0 * q[0], -1 + 0 * q[0]}; };
    auto const rod = constraints<1>([](auto const& q) { return (q[0] * q[0] + q[1] * q[1] - 1.) / 2.; });
    state_in<2> const start{{1, 0}, {0, 0}};
    auto const exact =
        solve(constrained<2, 1>(gravity, [](auto const& q) { return (q[0] * q[0] + q[1] * q[1] - 1.) / 2.; }),
              lobatto4{.step = 1. / 128}, start, {.end = 2, .output_times = {2}});
    ASSERT_TRUE(exact) << exact.message;
    std::array<double, 2> error{};
    std::array<double, 2> const omegas = {100, 400};
    for (std::size_t i = 0; i < 2; ++i) {
        auto const system = relaxed<2, 1>(omegas[i], gravity, rod);
        auto const slow = effective(system, slow_manifold{cubic_window(omegas[i]), fast(1)});
        auto const run = solve(slow, adams{.step = 1. / 128}, start, {.end = 2, .output_times = {2}});
        ASSERT_TRUE(run) << run.message;
        error[i] = std::hypot(run.position[0][0] - exact.position[0][0], run.position[0][1] - exact.position[0][1]);
        EXPECT_NEAR(run.multipliers[0][0], exact.multipliers[0][0], 10 / omegas[i]);
        // and there it is the constrained system again
        auto const back = solve(system.limit(), lobatto4{.step = 1. / 128}, start, {.end = 2, .output_times = {2}});
        EXPECT_NEAR(back.position[0][0], exact.position[0][0], 1e-12);
    }
    EXPECT_NEAR(error[0] / error[1], 16, 3);
}

TEST(ForceAveraging, KnowsTheMeanLoadsOfItsSprings) {
    model::two_springs const springs{.omega_1 = 1e4, .omega_2 = 1e4};
    auto const start = model::two_springs::on_constraints();
    auto const slow = effective(springs.both_hard(), force_averaging{periods(1e4, 40, 6)});
    auto const run = solve(slow, rk4{.step = 1. / 128}, start, {.end = 0.25});
    ASSERT_TRUE(run) << run.message;
    auto const rods = solve(springs.both_hard().limit(), lobatto4{.step = 1. / 128}, start, {.end = 0.25});
    ASSERT_EQ(run.multipliers.size(), rods.multipliers.size());
    for (std::size_t i = 0; i < run.t.size(); ++i)
        for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(run.multipliers[i][j], rods.multipliers[i][j], 5e-3) << i;
}

// ---- what is said where it goes wrong ----

/// Rubin and Ungar's effect: the fast frequency grows with |x|, so fast energy pulls the slow motion to x = 0.
auto const widening = [](auto const& q) { return q[1] * sqrt(1. + q[0] * q[0]); };
auto const pull_back = [](auto const& q, auto) { return std::array{-q[0], 0 * q[0]}; };

// docs/papers.md: 000.44
TEST(FastEnergy, ThatActsOnTheSlowMotionIsToldWithItsAcceleration) {
    double const w = 1e3;
    auto const system = stiff<2>(pull_back, spring{w, widening});
    auto const as_constraint = relaxed<2, 1>(w, pull_back, constraints<1>(widening));
    state_in<2> const lively{{1, 0}, {0, 1}};
    state_in<2> const quiet{{1, 0}, {0, 0}};
    auto const told = [](auto const& run) {
        EXPECT_TRUE(run) << run.message;
        for (auto const& each : run.warnings)
            if (each.code == "fast_energy_ignored") return each.sentence;
        return std::string();
    };
    auto const averaged = [&](auto const& of, auto const& x) {
        return told(solve(effective(of, force_averaging{periods(w, 20, 12)}), rk4{.step = 1. / 4}, x, {.end = 5}));
    };
    auto const projected = [&](auto const& of, auto const& x) {
        return told(solve(effective(of, slow_manifold{cubic_window(w)}), rk4{.step = 1. / 4}, x, {.end = 5}));
    };
    auto const followed = [&](auto const& x) {
        return told(
            solve(effective(system, slow_manifold{cubic_window(w), fast(1)}), adams{.step = 1. / 16}, x, {.end = 5}));
    };
    // J omega x/sqrt(1 + x^2) at |x| = 1, J omega = 1/2/sqrt 2: 0.25; an energy of 1/2
    for (auto const& sentence : {averaged(system, lively), projected(system, lively), followed(lively),
                                 averaged(as_constraint, lively), projected(as_constraint, lively)}) {
        EXPECT_NE(sentence.find("an energy of 0.5"), std::string::npos) << sentence;
        EXPECT_TRUE(sentence.find("up to 0.25") != std::string::npos ||
                    sentence.find("up to 0.24") != std::string::npos)
            << sentence;
    }
    EXPECT_EQ(averaged(system, quiet), "");
    EXPECT_EQ(projected(system, quiet), "");
    EXPECT_EQ(followed(quiet), "");
    EXPECT_EQ(projected(as_constraint, quiet), "");
}

TEST(FastEnergy, StaysInItsModeWhereFrequenciesCross) {
    // omega e^x and omega e^-x meet at x = 0; the energy is in the first, whose action then pushes with J omega e^x
    double const w = 1e3;
    auto const system = stiff<3>(no_force{}, spring{w, [](auto const& q) { return q[1] * exp(q[0]); }},
                                 spring{w, [](auto const& q) { return q[2] * exp(-q[0]); }});
    auto work = system.work();
    auto modes = system.modes();
    system.excite(0, {-0.5, 0, 0}, {{0, 0}, {w * std::exp(-0.5) * 0.1, 0}}, modes, work); // y' = 0.1
    double const action = 0.005 / (w * std::exp(-0.5));
    double seen = 0;
    for (double const x : {-0.3, -0.1, 0.1, 0.3, 0.5}) {
        seen = system.adiabatic_acceleration(0, {x, 0, 0}, modes, work);
        EXPECT_NEAR(seen, action * w * std::exp(x), 1e-12) << x;
    }
    // and a run tells of the largest, which is at its end
    state_in<3> const start{{-0.5, 0, 0}, {0.5, 0.1, 0}};
    auto const run = solve(effective(system, slow_manifold{cubic_window(w)}), rk4{.step = 1. / 16}, start, {.end = 2});
    auto const told = std::ranges::find(run.warnings, "fast_energy_ignored", &warning::code);
    ASSERT_NE(told, run.warnings.end());
    EXPECT_NE(told->sentence.find("up to 0.013"), std::string::npos) << told->sentence;
}

TEST(FastEnergy, OfTwoHardSpringsIsToldOnlyWhereThereIsSome) {
    model::two_springs const springs{.omega_1 = 1e4, .omega_2 = 1e4};
    auto const run = [&](auto const& x) {
        return solve(effective(springs.both_hard(), slow_manifold{cubic_window(1e4)}), rk4{.step = 1. / 8}, x,
                     {.end = 3});
    };
    EXPECT_TRUE(run(model::two_springs::on_constraints()).warnings.empty());
    EXPECT_TRUE(warns_of(run(springs.stretched_second()), "fast_energy_ignored"));
    // one hard spring of constant frequency holds any energy without a force
    model::two_springs const one{.omega_1 = 1, .omega_2 = 1e4};
    auto const x = one.stretched_second();
    auto const harmless =
        solve(effective(one.second_hard(), force_averaging{periods(1e4, 20, 6)}), rk4{.step = 1. / 16}, x, {.end = 3});
    EXPECT_FALSE(warns_of(harmless, "fast_energy_ignored"));
    EXPECT_FALSE(warns_of(harmless, "constraint_drift"));
}

TEST(ForceAveraging, TellsWhenItsStagesExciteTheSprings) {
    // the example of docs/stiff.md: off by 0.02 at H = 1/32, which shrinks like H^4 omega^2
    auto const gravity = [](auto const& q, auto) {
        return std::array{0 * q[0], -1 + 0 * q[0], 0 * q[0], -1 + 0 * q[0]};
    };
    auto const system =
        stiff<4>(gravity, spring{1e4, model::two_springs::inner}, spring{1e4, model::two_springs::outer});
    auto const start = model::two_springs::on_constraints();
    auto const slow = effective(system, force_averaging{periods(1e4, 40, 6)});
    EXPECT_TRUE(warns_of(solve(slow, rk4{.step = 1. / 32}, start, {.end = 1}), "constraint_drift"));
    EXPECT_FALSE(warns_of(solve(slow, rk4{.step = 1. / 256}, start, {.end = 1}), "constraint_drift"));
}

TEST(FastBand, ThatOutgrowsTheMicroStepEndsTheRunWithItsNumbers) {
    // the frequency grows like exp(x), x = 3 t
    auto const system = stiff<2>(no_force{}, spring{1e3, [](auto const& q) { return q[1] * exp(q[0]); }});
    state_in<2> const start{{0, 0}, {3, 0}};
    auto const averaged =
        solve(effective(system, force_averaging{periods(1e3, 20, 12)}), rk4{.step = 1. / 16}, start, {.end = 2});
    EXPECT_EQ(averaged.result, outcome::not_applicable) << averaged.message;
    EXPECT_NE(averaged.message.find("must stay below 2"), std::string::npos) << averaged.message;
    EXPECT_NEAR(averaged.end, std::log(2 * 12 / (2 * std::numbers::pi)) / 3, 0.13);
    auto const projected =
        solve(effective(system, slow_manifold{cubic_window(1e3)}), rk4{.step = 1. / 16}, start, {.end = 2});
    EXPECT_EQ(projected.result, outcome::not_applicable) << projected.message;
}

TEST(FastBand, ThatSoftensEndsTheRunWithItsNumbers) {
    auto const system = stiff<2>(no_force{}, spring{1e4, [](auto const& q) { return q[1] * exp(-q[0]); }});
    state_in<2> const start{{0, 0}, {3, 0}};
    auto const expect = [](auto const& run) {
        EXPECT_EQ(run.result, outcome::no_scale_separation) << run.message;
        EXPECT_NE(run.message.find("no longer hard"), std::string::npos) << run.message;
    };
    // on the way the response of a smooth window changes its sign, which an averaged motion does not survive
    auto const averaged =
        solve(effective(system, force_averaging{periods(1e4, 20, 12)}), rk4{.step = 1. / 16}, start, {.end = 3});
    EXPECT_EQ(averaged.result, outcome::filter_unstable) << averaged.message;
    expect(solve(effective(system, slow_manifold{cubic_window(1e4)}), rk4{.step = 1. / 16}, start, {.end = 3}));
    expect(
        solve(effective(system, slow_manifold{cubic_window(1e4), fast(1)}), adams{.step = 1. / 64}, start, {.end = 3}));
}

TEST(FastBand, ThatRunsIntoAFilterOfTheWrongSignEndsTheRun) {
    // the response at the start is positive, and the run too short to be refused; the frequency then drifts to where it
    // is negative
    double const w = 2e4;
    auto const system = stiff<2>(no_force{}, spring{w, [](auto const& q) { return q[1] * exp(q[0]); }});
    state_in<2> const start{{0, 0}, {0.02, 0}};
    double const step = 2 * std::numbers::pi / w / 6;
    int found = 0;
    for (int steps = 40; steps <= 60; ++steps) {
        window const view{.length = 2 * steps * step, .step = step};
        auto const slow = effective(system, force_averaging{view});
        auto const run = solve(slow, rk4{.step = 1. / 64}, start, {.end = 6});
        auto work = slow.work();
        slow.begin(0, start, work);
        if (slow.worst(work).response > 0 && run.result == outcome::filter_unstable && run.end > 0) {
            ++found;
            EXPECT_NE(run.message.find("runs away"), std::string::npos) << run.message;
        }
    }
    EXPECT_GT(found, 0);
}

TEST(SlowMotion, ThatIsNotSlowBesideAWindowIsTold) {
    // a slow force of frequency 20 and windows of 20 periods at omega = 400
    auto const system = stiff<2>([](auto const& q, auto) { return std::array{-400 * q[0], 0 * q[1]}; },
                                 spring{400, [](auto const& q) { return q[1]; }});
    state_in<2> const start{{1, 0}, {0, 0}};
    auto const run =
        solve(effective(system, force_averaging{periods(400, 20, 8)}), rk4{.step = 1. / 64}, start, {.end = 2});
    EXPECT_TRUE(warns_of(run, "no_scale_separation")) << run.message;
}

} // namespace
