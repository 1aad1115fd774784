// Effective systems by force averaging: what the effective force is, and when it must not be trusted.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <tuple>
#include <type_traits>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/averaged_equation.hpp>
#include <lento/model/pendulum.hpp>

namespace {

using namespace lento;
using model::vibrated_pendulum;

/// The effective force at one point, whatever the system.
template <class S> double force_at(S const& system, double q, double v = 0, double t = 0) {
    auto work = system.work();
    vector_of<S> out = system.space().template zeros<scalar_of<S>>();
    vector_of<S> position = out;
    vector_of<S> velocity = out;
    position[0] = scalar_of<S>(q);
    velocity[0] = scalar_of<S>(v);
    if constexpr (separable<S>) system.acceleration(scalar_of<S>(t), position, out, work);
    else system.acceleration(scalar_of<S>(t), position, velocity, out, work);
    return static_cast<double>(out[0]);
}

double averaged_force(vibrated_pendulum const& pendulum, double q) { return force_at(pendulum.averaged(), q); }

window const forty_periods{.periods = 40, .steps_per_period = 64};

/// The pendulum under sin(theta) instead of cos(theta): not even in theta.
auto sine_forced(double omega) {
    return vibrated<1>({.frequency = omega}, [=](auto const& q, auto theta) {
        return (9.8 + 4 * omega * std::sin(theta)) * std::sin(q[0]) / 0.2;
    });
}

// docs/papers.md: 004.20
TEST(AsynchronousForce, ApproachesTheAveragedOneLikeOneOverOmega) {
    double previous = 0;
    for (double const omega : {1e4, 1e5, 1e6}) {
        vibrated_pendulum const pendulum{.omega = omega};
        double const miss = force_at(effective(pendulum.system(), asynchronous{one_period{.steps = 64}, rk4{}}), 0.5) -
                            averaged_force(pendulum, 0.5);
        if (previous != 0) { EXPECT_NEAR(previous / miss, 10, 0.5); }
        previous = miss;
    }
}

TEST(CentredForce, ApproachesTheAveragedOneLikeOneOverOmegaSquared) {
    double previous = 0;
    for (double const omega : {1e3, 1e4}) {
        vibrated_pendulum const pendulum{.omega = omega};
        double const miss = force_at(effective(pendulum.system(), centred{one_period{.steps = 64}, rk4{}}), 0.5) -
                            averaged_force(pendulum, 0.5);
        if (previous != 0) { EXPECT_NEAR(previous / miss, 100, 15); }
        previous = miss;
    }
}

TEST(SpectralForce, ApproachesTheAveragedOneLikeOneOverOmegaSquared) {
    double previous = 0;
    for (double const omega : {1e3, 1e4}) {
        vibrated_pendulum const pendulum{.omega = omega};
        double const miss = force_at(effective(pendulum.system(), picard{.points = 8, .passes = 3}), 0.5) -
                            averaged_force(pendulum, 0.5);
        if (previous != 0) { EXPECT_NEAR(previous / miss, 100, 15); }
        previous = miss;
    }
}

/// Drag that is not linear feels the vibration's velocity, which is of the size of the slow one.
auto dragged_pendulum(double omega) {
    return vibrated<1>({.frequency = omega}, with_velocity([=](auto const& q, auto const& v, auto theta, auto) {
                           return (9.8 + 4 * omega * std::cos(theta)) * std::sin(q[0]) / 0.2 -
                                  0.1 * v[0] * std::abs(v[0]);
                       }));
}

TEST(SpectralForce, FollowsAForceOfTheVelocityToSecondOrder) {
    double previous = 0;
    for (double const omega : {1e3, 4e3}) {
        auto const system = dragged_pendulum(omega);
        auto const slow = effective(system, picard{});
        auto const run = solve(slow, dormand_prince{.rtol = 1e-9, .atol = 1e-11}, {.position = {0.5}},
                               {.end = 1, .output_count = 5});
        auto const direct = solve(system, dormand_prince_8{.rtol = 1e-10, .atol = 1e-12}, {.position = {0.5}},
                                  {.end = 1, .output_count = 5});
        auto work = slow.work();
        double error = 0;
        for (std::size_t i = 0; i < run.t.size(); ++i) {
            state_of<decltype(system)> x{direct.position[i], direct.velocity[i]};
            slow.lower(direct.t[i], x, work);
            error = std::max(error, std::abs(x.position[0] - run.position[i][0]));
        }
        EXPECT_LT(error, 2e3 / (omega * omega)); // that of the undamped pendulum is 1.5e3/omega^2
        if (previous != 0) { EXPECT_GT(previous / error, 12); }
        previous = error;
    }
}

TEST(SpectralForce, RefusesAnOscillationThatDoesNotSettle) {
    auto const strong = [](double share) {
        double const omega = 1e5;
        return vibrated<1>({.frequency = omega}, with_velocity([=](auto const& q, auto const& v, auto theta, auto) {
                               return omega * std::cos(theta) * (std::sin(q[0]) + share * v[0]) - q[0];
                           }));
    };
    auto const result = [&](double share) {
        return solve(effective(strong(share), picard{}), rk4{.step = 0.01}, {.position = {0.5}}, {.end = 0.1}).result;
    };
    EXPECT_EQ(result(0.5), outcome::not_applicable); // the mean stays the same by symmetry; the oscillation does not
    EXPECT_EQ(result(0), outcome::success);
    auto const hurried = effective(strong(0.5), picard{.passes = 2});
    EXPECT_EQ(solve(hurried, rk4{.step = 0.01}, {.position = {0.5}}, {.end = 0.1}).result, outcome::not_applicable);
}

// docs/papers.md: 004.4
TEST(SynchronousForce, IsTheSameWithTheVelocityMapGivenOrFound) {
    for (double const omega : {1e4, 1e6}) {
        vibrated_pendulum const pendulum{.omega = omega, .phase = 0.4};
        double const given = force_at(
            effective(pendulum.system(), synchronous{forty_periods, pendulum.slow_velocity()}), 0.5, 1.5, 0.37);
        double const found = force_at(effective(pendulum.system(), synchronous{forty_periods}), 0.5, 1.5, 0.37);
        EXPECT_NEAR(given, averaged_force(pendulum, 0.5), 3e5 / omega + 0.2);
        EXPECT_NEAR(found, given, 2e4 / omega);
    }
}

TEST(SynchronousForce, SeesVelocitiesAndSlowTime) {
    // a damped pendulum whose gravity grows with time: the mean force has the same terms
    double const omega = 1e6;
    vibrated_pendulum const pendulum{.omega = omega};
    auto const damped_pendulum =
        vibrated<1>({.frequency = omega}, with_velocity([=](auto const& q, auto const& v, auto theta, auto t) {
                        return (9.8 + t + 4 * omega * std::cos(theta)) * std::sin(q[0]) / 0.2 - 0.7 * v[0];
                    }));
    window const fine{.periods = 40, .steps_per_period = 64};
    double const force =
        force_at(effective(damped_pendulum, synchronous{fine, found_numerically{}, rk4{}}), 0.5, 1.5, 0.37);
    EXPECT_NEAR(force, averaged_force(pendulum, 0.5) + 0.37 * std::sin(0.5) / 0.2 - 0.7 * 1.5, 1e-2);
}

// docs/papers.md: 004.6
TEST(SynchronousForce, TakesOneSidedWindows) {
    // the upper scheme of paper 004's figure 2: the window lies after its point, or before it
    vibrated_pendulum const pendulum{.omega = 1e6};
    for (support const side : {support::forward, support::backward}) {
        window const view{
            .kernel = polynomial{.moments = 2, .regularity = 9}, .periods = 60, .steps_per_period = 64, .side = side};
        double const force =
            force_at(effective(pendulum.system(), synchronous{view, pendulum.slow_velocity(), rk4{}}), 0.5, 1.5, 0.1);
        EXPECT_NEAR(force, averaged_force(pendulum, 0.5), 0.1);
    }
}

// docs/papers.md: 001.3
TEST(HalfWindows, GiveWhatWholeOnesGive) {
    vibrated_pendulum const pendulum{.omega = 1e5};
    auto const slow = effective(pendulum.system(), asynchronous{forty_periods});
    auto work = slow.work();
    std::array<double, 1> out{};
    slow.acceleration(0, {0.5}, out, work);
    statistics counts;
    slow.count(work, counts);
    EXPECT_EQ(counts.micro_steps, 20U * 64U); // half of 40 periods
    // a force with an odd part too small to matter is not even: it takes the whole window, to the same force
    auto const nearly_even = vibrated<1>({.frequency = 1e5}, [=](auto const& q, auto theta) {
        return (9.8 + 4e5 * std::cos(theta) + 1e-6 * std::sin(theta)) * std::sin(q[0]) / 0.2;
    });
    auto const whole = effective(nearly_even, asynchronous{forty_periods});
    auto whole_work = whole.work();
    std::array<double, 1> whole_out{};
    whole.acceleration(0, {0.5}, whole_out, whole_work);
    statistics whole_counts;
    whole.count(whole_work, whole_counts);
    EXPECT_EQ(whole_counts.micro_steps, 40U * 64U);
    EXPECT_NEAR(out[0], whole_out[0], 1e-6);
}

// docs/papers.md: 001.17
TEST(OnePeriodMean, DividesWhatIsEvenByOmegaSquaredAndWhatIsOddByOmega) {
    constexpr int steps = 64;
    auto const w = weights(one_period_mean{}, steps);
    auto const mean = [&](double omega, auto const& of) {
        double sum = 0;
        for (int i = 0; i <= steps; ++i) {
            double const theta = 2 * std::numbers::pi * (i - steps / 2) / steps;
            sum += w[static_cast<std::size_t>(i)] * of(theta / omega, theta);
        }
        return sum;
    };
    auto const even = [](double t, double theta) { return std::cos(t) * std::cos(theta); };
    auto const odd = [](double t, double theta) { return std::sin(t) * std::sin(theta); };
    EXPECT_NEAR(mean(100, even) / mean(200, even), 4, 0.01);
    EXPECT_NEAR(mean(100, odd) / mean(200, odd), 2, 0.005);
}

// docs/papers.md: 001.17
TEST(OnePeriodMean, IsRefusedForASineForcingStartedAtRest) {
    auto const run = solve(effective(sine_forced(1e6), asynchronous{one_period{.steps = 80}}), verlet{.step = 0.01},
                           {.position = {0.5}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::not_applicable);
    EXPECT_EQ(exit_code(run.result), 5);
    EXPECT_NE(run.message.find("even"), std::string::npos);
}

TEST(OnePeriodMean, IsSoundForASineForcingWithACentredStart) {
    double const expected = averaged_force({.omega = 1e6}, 0.5);
    EXPECT_NEAR(force_at(effective(sine_forced(1e6), centred{one_period{.steps = 80}, rk4{}}), 0.5), expected, 1e-3);
    EXPECT_NEAR(force_at(effective(sine_forced(1e6), picard{}), 0.5), expected, 1e-3);
    EXPECT_NEAR(force_at(effective(sine_forced(1e6), asynchronous{forty_periods, rk4{}}), 0.5), expected, 0.05);
}

TEST(Evenness, IsCheckedAgainAlongTheWay) {
    // the odd part vanishes at the start, q = 0.5
    double const omega = 1e6;
    auto const tricky = vibrated<1>({.frequency = omega}, [=](auto const& q, auto theta) {
        return (9.8 + 4 * omega * std::cos(theta)) * std::sin(q[0]) / 0.2 + omega * (q[0] - 0.5) * std::sin(theta);
    });
    auto const run = solve(effective(tricky, asynchronous{one_period{.steps = 80}}), verlet{.step = 0.0125},
                           {.position = {0.5}}, {.end = 1, .given = initial_state::slow});
    EXPECT_EQ(run.result, outcome::not_applicable);
    EXPECT_GT(run.t.size(), 0U); // what came before is kept
}

TEST(Evenness, ThatEndsDuringARunEndsTheRun) {
    // a sine forcing is switched on between two regular probes
    double const omega = 1e6;
    auto const switched =
        vibrated<1>({.frequency = omega}, with_time([=](auto const& q, auto theta, auto t) {
                        double const sine = t > 0.2 ? 1 : 0;
                        return (9.8 + 4 * omega * (std::cos(theta) + sine * std::sin(theta))) * std::sin(q[0]) / 0.2;
                    }));
    auto const check = [&](auto const& closure, double end) {
        auto const run = solve(effective(switched, closure), verlet{.step = 1. / 200}, {.position = {0.5}},
                               {.end = end, .given = initial_state::slow});
        EXPECT_EQ(run.result, outcome::not_applicable) << run.message;
        EXPECT_NE(run.message.find("in doubt"), std::string::npos);
    };
    for (double const end : {0.3, 0.21}) { // the last one is seen only by the look at the end
        check(picard{}, end);
        check(asynchronous{one_period{.steps = 40}}, end);
        check(asynchronous{forty_periods}, end);
    }
}

TEST(Resonance, OfSeveralPhasesIsRefused) {
    auto const run_with = [](double w2, std::array<double, 2> phases, auto const& closure) {
        auto const system =
            vibrated<1, 2>({.frequencies = {1e5, w2}, .phases = phases}, [=](auto const& q, auto const& theta) {
                return (9.8 + 3e5 * std::cos(theta[0]) + 3 * w2 * std::cos(theta[1])) * std::sin(q[0]) / 0.2;
            });
        return solve(effective(system, closure), verlet{.step = 0.02}, {.position = {0.5}},
                     {.end = 1, .given = initial_state::slow})
            .result;
    };
    window const smooth{.periods = 40, .steps_per_period = 32};
    EXPECT_EQ(run_with(1e5, {0, 1.5}, picard{}), outcome::not_applicable);
    EXPECT_EQ(run_with(2e5, {0, 0}, picard{}), outcome::not_applicable);
    EXPECT_EQ(run_with(2e5, {0, 1.5}, asynchronous{smooth}), outcome::not_applicable);
    EXPECT_EQ(run_with(2e5, {0, 0}, asynchronous{smooth}), outcome::success); // starting at zero loses nothing
    EXPECT_EQ(run_with(2e5, {0, 0}, asynchronous{one_period{.steps = 64}}), outcome::success);
    EXPECT_THROW((void)run_with(1.41421356e5, {0, 0}, asynchronous{one_period{.steps = 64}}), does_not_apply);
}

TEST(SpectralForce, KnowsWhenThePeriodIsNotShortAgainstTheRun) {
    auto const run =
        solve(effective(vibrated_pendulum{.omega = 5}.system()), dormand_prince{}, {.position = {0.5}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::no_scale_separation);
}

TEST(SpectralForce, WarnsOfHarmonicsItCannotSee) {
    auto const sharp = vibrated<1>({.frequency = 1e6}, [](auto const& q, auto theta) {
        return (9.8 + 4e6 * (std::cos(theta) + 0.01 * std::cos(8 * theta))) * std::sin(q[0]) / 0.2;
    });
    auto const run = solve(effective(sharp), verlet{.step = 0.01}, {.position = {0.5}}, {.end = 0.05});
    ASSERT_FALSE(run.warnings.empty());
    EXPECT_EQ(run.warnings.front().code, "unresolved_harmonics");
    auto const fine =
        solve(effective(sharp, picard{.points = 24}), verlet{.step = 0.01}, {.position = {0.5}}, {.end = 0.05});
    EXPECT_TRUE(fine.warnings.empty());
}

TEST(DefaultClosure, HasNoErrorThatStaysAtLargeOmega) {
    double const omega = 1e6;
    auto const dragged =
        vibrated<1>({.frequency = omega}, with_velocity([=](auto const& q, auto const& v, auto theta, auto) {
                        return (9.8 + 4 * omega * std::cos(theta)) * std::sin(q[0]) / 0.2 - 0.7 * v[0];
                    }));
    EXPECT_NEAR(force_at(effective(dragged), 0.5, 1.5, 0.1), averaged_force({.omega = omega}, 0.5) - 0.7 * 1.5, 2e-2);
}

TEST(FullReports, FailWhereTheForceIsNotFinite) {
    auto const holed = vibrated<1>({.frequency = 1e6}, with_time([](auto const& q, auto theta, auto t) {
                                       return t > 0.5003 && t < 0.5004 ? std::nan("") : std::cos(theta) - q[0];
                                   }));
    auto const run = solve(effective(holed), verlet{.step = 0.01}, {.position = {0.5}},
                           {.end = 1, .output_times = {0.2, 0.50035, 0.8}, .report = reported_state::full});
    EXPECT_EQ(run.result, outcome::non_finite);
    EXPECT_EQ(run.t.size(), 1U);
}

TEST(LeakRule, RefusesAWindowThatFiltersByLuckOnly) {
    model::sine_pendulum const pendulum;
    auto const run_with = [&](double periods, bool unchecked) {
        window const view{.periods = periods, .steps_per_period = 50, .unchecked = unchecked};
        auto const slow = effective(pendulum.system(), synchronous{view, pendulum.slow_velocity(), rk4{}});
        double const h = 0.01 + 0.3e-6; // t_n/eps is no integer
        return solve(slow, verlet{.step = h}, {.position = {0}, .velocity = {-0.4}},
                     {.end = 2, .given = initial_state::slow});
    };
    auto const refused = run_with(10, false);
    EXPECT_EQ(refused.result, outcome::window_too_short);
    EXPECT_EQ(exit_code(refused.result), 5);
    EXPECT_NE(refused.message.find("10 fast periods"), std::string::npos);
    auto const unchecked = run_with(10, true);
    EXPECT_TRUE(unchecked);
    ASSERT_FALSE(unchecked.warnings.empty());
    EXPECT_EQ(unchecked.warnings.front().code, "window_leakage");
    auto const right = run_with(50, false);
    EXPECT_TRUE(right);
    EXPECT_TRUE(right.warnings.empty());
    auto const exact = solve(pendulum.averaged(), dormand_prince{.rtol = 1e-11, .atol = 1e-12},
                             {.position = {0}, .velocity = {-0.4}}, {.end = 2, .output_times = right.t});
    for (std::size_t i = 0; i < right.t.size(); ++i) EXPECT_NEAR(right.position[i][0], exact.position[i][0], 1e-4);
}

// docs/papers.md: 001.23
TEST(SeveralPhases, AverageToTheSumOfTheirEffects) {
    model::twice_vibrated_pendulum const pendulum;
    double const expected = force_at(pendulum.averaged(), 0.5);
    // windows are counted in periods of the difference frequency, the slowest fast motion
    window const view{.periods = 40, .steps_per_period = 64};
    auto const slow = effective(pendulum.system(), asynchronous{view, rk4{}});
    EXPECT_NEAR(slow.plan().periods, 40, 0.01);
    EXPECT_NEAR(slow.plan().length, 40 * 2 * std::numbers::pi / (pendulum.omega2 - pendulum.omega1), 1e-7);
    EXPECT_NEAR(force_at(slow, 0.5), expected, 0.1);
    EXPECT_NEAR(force_at(effective(pendulum.system(), picard{.points = 8}), 0.5), expected, 1e-3);
}

TEST(SeveralPhases, RunsAtOneCostForAllFrequencies) {
    auto const run = [](double omega) {
        model::twice_vibrated_pendulum const pendulum{.omega1 = omega, .omega2 = omega * std::numbers::sqrt2};
        return solve(effective(pendulum.system(), asynchronous{window{.periods = 40, .steps_per_period = 32}}),
                     verlet{.step = 0.02}, {.position = {0.5}}, {.end = 1, .given = initial_state::slow});
    };
    auto const slow = run(1e5);
    auto const fast = run(1e7);
    EXPECT_TRUE(slow);
    EXPECT_EQ(slow.statistics.force_evaluations, fast.statistics.force_evaluations);
}

/// A pendulum shaken at as many frequencies as there are phases, which the force sees as a list.
template <std::size_t Phases>
auto shaken_pendulum(each_phase<double, Phases> const& frequencies, each_phase<double, Phases> const& starts) {
    auto const force = [=](auto const& q, auto const& theta) {
        double pivot = 9.8;
        for (std::size_t j = 0; j < frequencies.size(); ++j) pivot += 3 * frequencies[j] * std::cos(listed(theta)[j]);
        return pivot * std::sin(q[0]) / 0.2;
    };
    if constexpr (Phases == 1) return vibrated<1>({.frequency = frequencies[0], .phase = starts[0]}, force);
    else return vibrated<1, Phases>({.frequencies = frequencies, .phases = starts}, force);
}
template <std::size_t Phases, class Closure> void expect_bits_of_a_known_number(Closure const& closure) {
    std::array<double, 3> const all{1e6, 1.4142e6, 2.236e6};
    std::array<double, 3> const starts{0.3, 0.4, 0.5};
    std::array<double, Phases> some{};
    std::array<double, Phases> some_starts{};
    std::copy_n(all.begin(), Phases, some.begin());
    std::copy_n(starts.begin(), Phases, some_starts.begin());
    auto const seen = [&](auto const& system) {
        auto const slow = effective(system, closure);
        auto work = slow.work();
        motion<std::array<double, 1>> x{{0.5}, {0.1}};
        std::array<double, 1> force{};
        slow.lower(0.7, x, work);
        evaluate(slow, 0.7, x, force, work);
        slow.lift(0.7, x, work);
        EXPECT_FALSE(work.failed.happened()) << work.failed.message;
        statistics counts;
        slow.count(work, counts);
        return std::tuple(x.position, x.velocity, force, counts.force_evaluations, work.warnings.size());
    };
    EXPECT_EQ(seen(shaken_pendulum<any_phases>(phase_list<double>(some), phase_list<double>(some_starts))),
              seen(shaken_pendulum<Phases>(some, some_starts)));
}

TEST(AnyNumberOfPhases, GivesTheBitsOfAKnownNumber) {
    window const view{.kernel = exponential{.moments = 3}, .periods = 40, .steps_per_period = 32};
    auto const every_closure = [&]<std::size_t Phases>(std::integral_constant<std::size_t, Phases>) {
        expect_bits_of_a_known_number<Phases>(asynchronous{view, rk4{}});
        expect_bits_of_a_known_number<Phases>(centred{view});
        expect_bits_of_a_known_number<Phases>(synchronous{view});
        expect_bits_of_a_known_number<Phases>(picard{.points = 5});
    };
    every_closure(std::integral_constant<std::size_t, 1>{});
    every_closure(std::integral_constant<std::size_t, 2>{});
    every_closure(std::integral_constant<std::size_t, 3>{});
}
TEST(AnyNumberOfPhases, HasAsManyStartsAsFrequenciesAndAtMostThree) {
    std::array<double, 4> const many{1e5, 2e5, 3e5, 4e5};
    EXPECT_THROW(phase_list<double>(std::span(many)), misuse);
    EXPECT_THROW(phase_list<double>(std::span(many).first(0)), misuse);
    auto const two = phase_list<double>(std::span(many).first(2));
    auto const three = phase_list<double>(std::span(many).first(3));
    EXPECT_THROW(shaken_pendulum<any_phases>(two, three), misuse);
    EXPECT_THROW(static_cast<void>(effective(shaken_pendulum<any_phases>(two, two), stroboscopic{strobe{}})),
                 does_not_apply);
}

TEST(ThreeScales, AreTwoEffectiveSystemsOneInTheOther) {
    model::twice_vibrated_pendulum const pendulum{.omega1 = 1e8, .omega2 = 1e4};
    auto const once = effective_over<0>(pendulum.system(), asynchronous{one_period{.steps = 40}, rk4{}});
    auto const twice = effective(once, asynchronous{one_period{.steps = 40}, rk4{}});
    auto const run =
        solve(twice, verlet{.step = 0.0125}, {.position = {0.5}}, {.end = 1, .given = initial_state::slow});
    ASSERT_TRUE(run) << run.message;
    auto const averaged = solve(pendulum.averaged(), verlet{.step = 0.0125}, {.position = {0.5}}, {.end = 1});
    for (std::size_t i = 0; i < run.t.size(); ++i) EXPECT_NEAR(run.position[i][0], averaged.position[i][0], 4e-3);
    // outermost and innermost are counted: 81 windows, each of 21 windows of 20 micro steps
    EXPECT_EQ(run.statistics.macro_steps, 80U);
    EXPECT_EQ(run.statistics.effective_evaluations, 81U);
    EXPECT_GE(run.statistics.micro_steps, 81U * 21U * 20U);
}

TEST(ThreeScales, KnowTheirPhysicalState) {
    // the partly averaged system, integrated directly, lies on the physical motion once it is lifted
    model::twice_vibrated_pendulum const pendulum{.omega1 = 2e4, .omega2 = 50, .vmax1 = 4, .vmax2 = 0.2};
    auto const once = effective_over<0>(pendulum.system(), asynchronous{one_period{.steps = 40}, rk4{}});
    auto const full = solve(once, rkn6{.step = 0.002}, {.position = {0.5}},
                            {.end = 0.3, .output_count = 7, .report = reported_state::full});
    auto const direct = solve(pendulum.system(), dormand_prince{.rtol = 1e-10, .atol = 1e-11}, {.position = {0.5}},
                              {.end = 0.3, .output_count = 7});
    ASSERT_TRUE(full) << full.message;
    for (std::size_t i = 0; i < full.t.size(); ++i) EXPECT_NEAR(full.position[i][0], direct.position[i][0], 2e-3);
}

TEST(ThreeScales, TakeTheFastestPhaseFirst) {
    model::twice_vibrated_pendulum const pendulum{.omega1 = 1e8, .omega2 = 1e4};
    EXPECT_THROW((void)effective_over<1>(pendulum.system(), asynchronous{one_period{.steps = 40}}), does_not_apply);
}

TEST(ThreeScales, TellWhatHappensInside) {
    // the inner window is too short for its kernel, and says so through the outer one
    model::twice_vibrated_pendulum const pendulum{.omega1 = 1e8, .omega2 = 1e4};
    window const leaking{.periods = 6, .steps_per_period = 20, .unchecked = true};
    auto const run = solve(
        effective(effective_over<0>(pendulum.system(), asynchronous{leaking}), asynchronous{one_period{.steps = 16}}),
        verlet{.step = 0.02}, {.position = {0.5}}, {.end = 0.1, .given = initial_state::slow});
    ASSERT_FALSE(run.warnings.empty());
    EXPECT_EQ(run.warnings.front().code, "window_leakage");
    window refused = leaking;
    refused.unchecked = false;
    auto const other = solve(effective(effective_over<0>(pendulum.system(), asynchronous{refused}), picard{}),
                             verlet{.step = 0.02}, {.position = {0.5}}, {.end = 0.1, .given = initial_state::slow});
    EXPECT_EQ(other.result, outcome::window_too_short) << other.message;
}

TEST(CloseFrequencies, AreNotSeparated) {
    model::twice_vibrated_pendulum const pendulum{.omega1 = 1e4, .omega2 = 1e4 + 20};
    auto const run = solve(effective(pendulum.system(), asynchronous{window{.periods = 40, .steps_per_period = 16}}),
                           verlet{.step = 0.02}, {.position = {0.5}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::no_scale_separation);
    EXPECT_EQ(exit_code(run.result), 5);
}

// docs/papers.md: 001.21
TEST(AnalyticEquation, IsTheModelsOwn) {
    vibrated_pendulum const vertical;
    auto const vertical_referee = model::averaged_equation<1>(vertical.oscillating_force(), vertical.steady_force());
    model::horizontal_pendulum const horizontal;
    auto const horizontal_referee =
        model::averaged_equation<1>(horizontal.oscillating_force(), horizontal.steady_force());
    for (double const q : {0.1, 0.5, 1.3, 2.9}) {
        EXPECT_NEAR(force_at(vertical_referee, q), force_at(vertical.averaged(), q), 1e-11);
        EXPECT_NEAR(force_at(horizontal_referee, q), force_at(horizontal.averaged(), q), 1e-11);
    }
}

/// Two coordinates, a full mass matrix, a force with odd and even harmonics.
struct shaken_pair {
    double omega;
    static auto oscillating() {
        return [](auto const& x, auto theta) {
            using std::cos, std::sin;
            auto const a = cos(theta) + 0.4 * sin(2.0 * theta);
            auto const b = sin(theta) - 0.3 * cos(3.0 * theta);
            return std::array{a * sin(x[0] + 0.5 * x[1]), b * cos(x[1]) + a * x[0] * x[1]};
        };
    }
    static auto steady() {
        return [](auto const& x, auto theta) {
            using std::cos, std::sin;
            return std::array{-x[0] + cos(theta) * x[1], -sin(x[1]) + cos(theta) * cos(theta)};
        };
    }
    static auto inertia() { return mass({{2., 0.5}, {0.5, 1.}}); }
    [[nodiscard]] auto system() const {
        return vibrated<2>({.frequency = omega}, inertia(), [w = omega](auto const& x, auto theta) {
            auto const f1 = oscillating()(x, theta);
            auto const f0 = steady()(x, theta);
            return std::array{w * f1[0] + f0[0], w * f1[1] + f0[1]};
        });
    }
};

// docs/papers.md: 001.20, 004.19
TEST(AnalyticEquation, IsTheLimitOfEveryClosureAlsoWithMassAndHarmonics) {
    auto const referee =
        model::averaged_equation<2>(shaken_pair::oscillating(), shaken_pair::steady(), shaken_pair::inertia());
    std::array<double, 2> const x{0.7, -0.4};
    std::array<double, 2> expected{};
    auto referee_work = referee.work();
    referee.acceleration(0, x, expected, referee_work);
    shaken_pair const pair{1e6};
    auto const check = [&](auto const& slow, double tolerance) {
        auto work = slow.work();
        std::array<double, 2> out{};
        slow.acceleration(0, x, out, work);
        EXPECT_NEAR(out[0], expected[0], tolerance);
        EXPECT_NEAR(out[1], expected[1], tolerance);
    };
    check(effective(pair.system(), asynchronous{forty_periods, rk4{}}), 2e-3);
    check(effective(pair.system(), centred{one_period{.steps = 64}, rk4{}}), 1e-4);
    check(effective(pair.system(), picard{.points = 16}), 1e-6); // with mixed harmonics the next term is O(1/omega)
}

// docs/papers.md: 001.22
TEST(TrueAndSlowStates, AreInverseToSecondOrder) {
    double previous = 0;
    for (double const omega : {1e3, 1e4}) {
        vibrated_pendulum const pendulum{.omega = omega, .phase = 0.9};
        auto const slow = effective(pendulum.system(), picard{});
        auto work = slow.work();
        motion<std::array<double, 1>> x{{0.5}, {1.5}};
        slow.lift(0.3, x, work);
        EXPECT_GT(std::abs(x.velocity[0] - 1.5), 0.5); // the vibration's own velocity is O(1)
        slow.lower(0.3, x, work);
        double const miss = std::abs(x.position[0] - 0.5) + std::abs(x.velocity[0] - 1.5);
        EXPECT_LT(miss, 2e4 / (omega * omega));
        if (previous != 0) { EXPECT_GT(previous / miss, 50); }
        previous = miss;
    }
}

TEST(TrueAndSlowStates, FollowTheDirectSolution) {
    // a physical start, the full motion asked for: it is the direct solution up to O(1/omega^2) in the effective force
    double previous = 0;
    for (double const omega : {1e3, 4e3}) {
        vibrated_pendulum const pendulum{.omega = omega, .phase = 0.7};
        auto const direct = solve(pendulum.system(), dormand_prince{.rtol = 1e-11, .atol = 1e-12}, {.position = {0.5}},
                                  {.end = 0.5, .output_count = 14});
        auto const full = solve(effective(pendulum.system(), picard{}), rkn6{.step = 0.01}, {.position = {0.5}},
                                {.end = 0.5, .output_count = 14, .report = reported_state::full});
        double miss = 0;
        for (std::size_t i = 0; i < direct.t.size(); ++i) {
            miss = std::max(miss, std::abs(direct.position[i][0] - full.position[i][0]));
            EXPECT_NEAR(direct.velocity[i][0], full.velocity[i][0], 4e5 / (omega * omega));
        }
        EXPECT_LT(miss, 3e3 / (omega * omega));
        if (previous != 0) { // 16 for four times the frequency
            EXPECT_GT(previous / miss, 10);
        }
        previous = miss;
    }
}

TEST(LongDoubleWindows, AgreeWithDouble) {
    auto const make = [](auto one) {
        using T = decltype(one);
        return vibrated<1, 1, T>({.frequency = T(1e6)}, [](auto const& q, auto theta) {
            using std::cos, std::sin;
            return (T(9.8) + T(4e6) * cos(theta)) * sin(q[0]) / T(0.2);
        });
    };
    auto const closure = asynchronous{one_period{.steps = 40}};
    EXPECT_NEAR(force_at(effective(make(1.), closure), 0.5), force_at(effective(make(1.L), closure), 0.5), 1e-7);
}

TEST(DynamicSpace, GivesTheNumbersOfTheFixedOne) {
    double const omega = 1e5;
    auto const fixed_pair = shaken_pair{omega}.system();
    auto const dynamic_pair =
        vibrated(dynamic(2), {.frequency = omega}, shaken_pair::inertia(), [=](auto const& x, auto theta, auto& out) {
            auto const f1 = shaken_pair::oscillating()(x, theta);
            auto const f0 = shaken_pair::steady()(x, theta);
            for (std::size_t i = 0; i < 2; ++i) out[i] = omega * f1[i] + f0[i];
        });
    auto const a =
        solve(effective(fixed_pair, centred{forty_periods}), rk4{.step = 0.05}, {.position = {0.7, -0.4}}, {.end = 1});
    auto const b = solve(effective(dynamic_pair, centred{forty_periods}), rk4{.step = 0.05}, {.position = {0.7, -0.4}},
                         {.end = 1});
    ASSERT_EQ(a.t.size(), b.t.size());
    for (std::size_t i = 0; i < a.t.size(); ++i)
        for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(a.position[i][k], b.position[i][k]);
    EXPECT_EQ(a.statistics.force_evaluations, b.statistics.force_evaluations);
}

TEST(Misuse, IsToldInSentences) {
    auto const message = [](auto const& act) -> std::string {
        try {
            act();
        } catch (misuse const& error) { return error.what(); }
        return "";
    };
    auto const system = vibrated_pendulum{}.system();
    EXPECT_NE(message([&] { (void)effective(system, asynchronous{window{.steps_per_period = 20}}); }).find("periods"),
              std::string::npos);
    EXPECT_NE(message([&] { (void)effective(system, asynchronous{window{.periods = 40}}); }).find("steps_per_period"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  (void)effective(system, asynchronous{window{.periods = -3, .steps_per_period = 9}});
              }).find("-3"),
              std::string::npos);
    EXPECT_NE(message([&] { (void)effective(system, synchronous{one_period{}}); }).find("one-period"),
              std::string::npos);
    EXPECT_NE(message([&] { (void)effective(system, picard{.points = 2}); }).find("2"), std::string::npos);
    EXPECT_NE(message([&] { (void)effective(system, asynchronous{one_period{}, verlet{.step = 123}}); }).find("123"),
              std::string::npos);
    EXPECT_NE(message([&] { (void)vibrated_pendulum{.omega = -5}.system(); }).find("-5"), std::string::npos);
    EXPECT_NE(message([&] { (void)vibrated_pendulum{.omega = std::nan("")}.system(); }).find("nan"), std::string::npos);
}

} // namespace
