// Where the moving spectral mean ends, what it refuses and with which words, and what surrounds it: physical states,
// steppers, phases that are merged, runs that go on.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <lento/base/archive.hpp>
#include <lento/effective/one_phase.hpp>
#include <lento/effective/phase_torus.hpp>
#include <lento/effective/picard.hpp>
#include <lento/model/linkage.hpp>
#include <lento/model/pendulum.hpp>
#include <lento/solve/any_system.hpp>
#include <lento/solve/solve.hpp>
#include <lento/stepper/composition.hpp>
#include <lento/stepper/nystrom.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/stormer.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/vibrated.hpp>

namespace {

using namespace lento;
using std::cos;
using std::sin;

using one = motion<std::array<double, 1>>;

template <class System, class Stepper = dormand_prince> auto moved(System const& system, picard const& closure,
                                                                   one const& start = {{0.5}, {0.1}},
                                                                   Stepper const& stepper = {}, double end = 1) {
    return solve(effective(system, closure), stepper, start, {.end = end});
}
template <class Run> void expect_refusal(Run const& run, outcome result, std::string const& words) {
    EXPECT_EQ(run.result, result) << run.message;
    EXPECT_NE(run.message.find(words), std::string::npos) << run.message;
}

// ---- forces that it is not for ----

TEST(MovingMeanRefuses, ASwitchedForce) {
    auto const square = vibrated<1>({.frequency = 1e4}, [](auto const& q, auto theta) {
        return -q[0] + 1e4 * (cos(theta) > 0 ? 1 : -1) * sin(q[0]);
    });
    for (int const order : {2, 4})
        expect_refusal(moved(square, {.order = order}), outcome::not_applicable, "not smooth in phase 1");
}

/// Dry friction changes its sign where the oscillating velocity does.
TEST(MovingMeanRefuses, AForceThatIsRoughAlongItsOscillation) {
    auto const rubbing = [](double velocity) {
        return solve(
            effective(vibrated<1>({.frequency = 1e4}, with_velocity([](auto const& q, auto const& v, auto theta, auto) {
                                      return -q[0] + 1e4 * cos(theta) - 0.5 * (v[0] > 0 ? 1 : -1);
                                  })),
                      picard{.order = 2}),
            dormand_prince{}, {{0.5}, {velocity}}, {.end = 3});
    };
    expect_refusal(rubbing(0.1), outcome::not_applicable, "not smooth");
    // at first it slides faster than it oscillates
    auto const later = rubbing(3);
    expect_refusal(later, outcome::not_applicable, "not smooth in theta");
    EXPECT_GT(later.t.back(), 0.1);
}

TEST(MovingMeanRefuses, AKinkOnThePath) {
    auto const bouncing = vibrated<1>({.frequency = 1e4}, [](auto const& q, auto theta) {
        return -3 * std::abs(q[0]) - 2 + 1e4 * cos(theta) * q[0];
    });
    expect_refusal(moved(bouncing, {.order = 2}, {{0}, {1}}), outcome::not_applicable, "kink");
    EXPECT_TRUE(moved(bouncing, {}, {{0}, {1}})); // order 0 does not mind
}

TEST(MovingMeanRefuses, PassesThatDoNotSettle) {
    auto const strong = [](double share) {
        return vibrated<1>({.frequency = 1e4}, with_velocity([=](auto const& q, auto const& v, auto theta, auto) {
                               return 1e4 * cos(theta) * sin(q[0]) - share * 1e4 * v[0];
                           }));
    };
    for (int const order : {2, 4}) {
        expect_refusal(moved(strong(0.5), {.order = order}), outcome::not_applicable, "does not settle");
        EXPECT_TRUE(moved(strong(1e-4), {.order = order}));
    }
}

TEST(MovingMeanRefuses, AForceThatIsNotFinite) {
    auto const root = vibrated<1>({.frequency = 1e4},
                                  [](auto const& q, auto theta) { return -std::sqrt(q[0]) - 9 + 1e2 * cos(theta); });
    expect_refusal(moved(root, {.order = 2}, {{0.5}, {0}}, rk4{.step = 0.01}), outcome::non_finite, "not finite");
}

TEST(MovingMeanRefuses, NearResonancesAndNamesTheBeat) {
    auto const beating = [](double second) {
        return vibrated<1, 2>({.frequencies = {1e3, second}}, [=](auto const& q, auto const& theta) {
            return -9 * sin(q[0]) + 1e3 * (cos(theta[0]) + cos(theta[1])) * sin(q[0]);
        });
    };
    for (int const order : {2, 4}) {
        expect_refusal(moved(beating(1012), {.order = order}), outcome::no_scale_separation,
                       "1 * 1000 - 1 * 1012 = 12");
        expect_refusal(moved(beating(1990), {.order = order}), outcome::no_scale_separation,
                       "2 * 1000 - 1 * 1990 = 10");
        EXPECT_TRUE(moved(beating(1618), {.order = order}));
    }
}

TEST(MovingMeanRefuses, AStartOffTheConstraints) {
    model::linked_pendulum<1> const rod{.m = {1}, .l = {0.2}, .omega = 1e4};
    auto const slow = effective(rod.vibrated_system(), picard{.order = 2});
    auto const from = [&](motion<std::array<double, 2>> const& start) {
        return solve(slow, rk4{.step = 0.01}, start, {.end = 0.1});
    };
    EXPECT_TRUE(from({rod.place({0.3}), rod.velocity({0.3}, {1.})}));
    EXPECT_THROW(static_cast<void>(from({{0.1, 0.2}, {0, 0}})), bad_start);
    EXPECT_THROW(static_cast<void>(from({rod.place({0.3}), {1, 1}})), bad_start);
    EXPECT_THROW(static_cast<void>(effective(rod.vibrated_system(), picard{})), does_not_apply);
}

TEST(MovingMeanRefuses, NumbersThatMakeNoSense) {
    auto const system = model::vibrated_pendulum{.omega = 1e4}.system();
    auto const message = [&](picard const& closure) {
        try {
            static_cast<void>(effective(system, closure));
        } catch (misuse const& error) { return std::string(error.what()); }
        return std::string();
    };
    EXPECT_NE(message({.order = 3}).find("order 3"), std::string::npos);
    EXPECT_NE(message({.order = -2}).find("order -2"), std::string::npos);
    EXPECT_NE(message({.points = 2, .order = 2}).find("has 2"), std::string::npos);
    EXPECT_NE(message({.passes = 0, .order = 2}).find("has 0"), std::string::npos);
}

TEST(MovingMean, WarnsOfGivenPointsThatAreTooFew) {
    auto const sharp = vibrated<1>({.frequency = 1e3}, [](auto const& q, auto theta) {
        return -q[0] + 1e3 * cos(5 * theta) * sin(q[0]) + 3 * cos(8 * theta);
    });
    auto const run = moved(sharp, {.points = 8, .order = 2});
    ASSERT_TRUE(run) << run.message;
    ASSERT_EQ(run.warnings.size(), 1u);
    EXPECT_EQ(run.warnings[0].code, "unresolved_harmonics");
    EXPECT_TRUE(moved(sharp, {.order = 2}).warnings.empty());
}

// ---- steppers ----

/// The mean depends on the slow velocity, also where the force does not.
TEST(MovingMean, RunsWithSteppersForForcesOfVelocity) {
    auto const system = model::vibrated_pendulum{.omega = 1e3}.system();
    auto const slow = effective(system, picard{.order = 2});
    EXPECT_TRUE(facts_of(slow).uses_velocity);
    EXPECT_FALSE(facts_of(effective(system, picard{})).uses_velocity);
    auto const truth = moved(system, {.order = 2}, {{0.5}, {0}}, dormand_prince{.rtol = 1e-10, .atol = 1e-10});
    auto const by_verlet = moved(system, {.order = 2}, {{0.5}, {0}}, verlet{.step = 1e-3});
    ASSERT_TRUE(by_verlet) << by_verlet.message;
    EXPECT_NEAR(by_verlet.position.back()[0], truth.position.back()[0], 1e-3);
    expect_refusal(moved(system, {.order = 2}, {{0.5}, {0}}, rkn6{.step = 0.01}), outcome::not_applicable,
                   "depends on the slow velocity");
    expect_refusal(moved(system, {.order = 4}, {{0.5}, {0}}, stormer6{.step = 0.01}), outcome::not_applicable,
                   "depends on the slow velocity");
    EXPECT_THROW(static_cast<void>(moved(system, {.order = 2}, {{0.5}, {0}}, composition4{.step = 0.01})),
                 does_not_apply);
    EXPECT_TRUE(moved(system, {}, {{0.5}, {0}}, composition4{.step = 0.01}));
}

TEST(MovingMean, GivesTheNumbersOfTheFixedSpaceInADynamicOneAndErased) {
    double const w = 1e3;
    auto const force = [=](auto const& q, auto theta, auto& out) { out[0] = (2 + w * cos(theta)) * sin(q[0]); };
    auto const dynamic_system = vibrated(dynamic(1), {.frequency = w}, force);
    auto const fixed_system = vibrated<1>({.frequency = w}, [=](auto const& q, auto theta) {
        std::array<double, 1> out{};
        force(q, theta, out);
        return out;
    });
    picard const closure{.order = 4};
    auto const a = solve(effective(fixed_system, closure), rk4{.step = 0.05}, {{0.5}, {0}}, {.end = 1});
    auto const b = solve(effective(dynamic_system, closure), rk4{.step = 0.05}, {{0.5}, {0}}, {.end = 1});
    EXPECT_EQ(a.position.back()[0], b.position.back()[0]);
    EXPECT_EQ(a.statistics.force_evaluations, b.statistics.force_evaluations);
    any_system const erased(effective(dynamic_system, closure));
    EXPECT_TRUE(erased.facts().uses_velocity);
    auto work = erased.work();
    std::vector<double> out(1);
    std::vector<double> other(1);
    erased->evaluate(0, {0.5}, {1}, out, *work);
    erased->evaluate(0, {0.5}, {-2}, other, *work);
    EXPECT_NE(out[0], other[0]);
}

// ---- physical states ----

TEST(MovingMean, LiftsBackWhatItLowers) {
    for (double const omega : {50., 1e3, 1e6})
        for (int const order : {2, 4}) {
            auto const slow =
                effective(vibrated<2>({.frequency = omega, .phase = 0.3},
                                      with_velocity([=](auto const& q, auto const& v, auto theta, auto t) {
                                          double const shake = omega * cos(theta + 0.2 * q[1]);
                                          return std::array{-q[0] + shake * sin(q[0]) - 0.1 * v[0],
                                                            -2 * q[1] * cos(t) + shake * q[0] * q[0]};
                                      })),
                          picard{.order = order});
            auto work = slow.work();
            for (double const t : {0., 0.123, 7.7}) {
                motion<std::array<double, 2>> const physical{{0.6, -0.3}, {0.4, 1.1}};
                auto x = physical;
                slow.lower(t, x, work);
                EXPECT_GT(std::abs(x.velocity[0] - physical.velocity[0]), 1e-3); // the oscillation is not small
                slow.lift(t, x, work);
                for (std::size_t i = 0; i < 2; ++i) {
                    EXPECT_NEAR(x.position[i], physical.position[i], 1e-11);
                    EXPECT_NEAR(x.velocity[i], physical.velocity[i], 1e-11);
                }
            }
        }
}

/// A mean over the faster phase is a vibrated system too.
TEST(MovingMean, AveragesAMeanAgain) {
    auto const system = model::twice_vibrated_pendulum{.omega1 = 1e6, .omega2 = 1e3}.system();
    auto const partly = effective_over<0>(system, asynchronous{one_period{.steps = 64}});
    auto const run = solve(effective(partly, picard{.order = 2}), rk4{.step = 0.02}, {{0.5}, {0}},
                           {.end = 0.5, .output_count = 2, .report = reported_state::full});
    auto const whole = solve(effective(system, picard{.order = 2}), rk4{.step = 0.02}, {{0.5}, {0}},
                             {.end = 0.5, .output_count = 2, .report = reported_state::full});
    ASSERT_TRUE(run) << run.message;
    ASSERT_TRUE(whole) << whole.message;
    EXPECT_NEAR(run.position.back()[0], whole.position.back()[0], 2e-3); // 64 steps of Verlet leave that much
}

// ---- phases ----

TEST(MovingMean, MergesPhasesInSmallWholeRatios) {
    double const w = 300;
    auto const force = [=](double q, double first, double second) {
        return -sin(q) + w * cos(first) * cos(q) + 0.8 * w * sin(second) * sin(q + 0.3);
    };
    for (auto const& [p, q] : {std::pair{1, 2}, {2, 3}, {1, 1}, {1, 5}}) {
        auto const two =
            vibrated<1, 2>({.frequencies = {p * w, q * w}, .phases = {0.2, -1.1}},
                           [=](auto const& x, auto const& theta) { return force(x[0], theta[0], theta[1]); });
        auto const written = vibrated<1>({.frequency = w}, [=, p = p, q = q](auto const& x, auto theta) {
            return force(x[0], p * theta + 0.2, q * theta - 1.1);
        });
        auto const run = [](auto const& system) {
            return solve(effective(system, picard{.order = 4}), dormand_prince{.rtol = 1e-10, .atol = 1e-10},
                         {{0.5}, {0.1}}, {.end = 1, .output_count = 3, .report = reported_state::full});
        };
        auto const merged = run(two);
        auto const single = run(written);
        ASSERT_TRUE(merged) << merged.message;
        ASSERT_TRUE(single) << single.message;
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(merged.position[k][0], single.position[k][0], 1e-9) << p << " : " << q;
    }
}

TEST(IndependentPhases, AreFewerThanThoseInResonance) {
    auto const merged = [](std::vector<long double> const& frequencies) {
        std::vector<long double> starts;
        for (std::size_t j = 0; j < frequencies.size(); ++j) starts.push_back(0.3L * static_cast<long double>(j));
        auto const made = independent(frequencies, starts);
        for (std::size_t p = 0; p < frequencies.size(); ++p) {
            long double sum = 0;
            for (std::size_t j = 0; j < made.size(); ++j) sum += made.turns[p][j] * made.frequencies[j];
            EXPECT_NEAR(static_cast<double>(sum / frequencies[p]), 1, 1e-15);
        }
        EXPECT_EQ(made.merged, made.size() < frequencies.size());
        return made.size();
    };
    EXPECT_EQ(merged({5}), 1u);
    EXPECT_EQ(merged({5, 10}), 1u);
    EXPECT_EQ(merged({2, 3}), 1u);
    EXPECT_EQ(merged({3, 4}), 2u); // numbers above 6 in all are weak
    EXPECT_EQ(merged({1, std::numbers::sqrt2}), 2u);
    EXPECT_EQ(merged({1, 2, std::numbers::sqrt2}), 2u);
    EXPECT_EQ(merged({1, std::numbers::sqrt2, 1 + std::numbers::sqrt2_v<long double>}), 2u);
    EXPECT_EQ(merged({4, 2, 6}), 1u);
    EXPECT_EQ(merged({1, 2, 4, std::numbers::sqrt3}), 2u);
    EXPECT_EQ(merged({3 * 0.1, 0.1}), 1u);      // but for rounding
    EXPECT_EQ(merged({1e9L, 1e9L + 0.5L}), 2u); // a beat, whose end a merged phase would never see
    EXPECT_EQ(merged({2e9L, 3e9L + 0.01L}), 2u);
    auto const slowest = [](std::vector<long double> const& frequencies) {
        std::vector<long double> const starts(frequencies.size());
        return beat(independent(frequencies, starts)).frequency;
    };
    EXPECT_NEAR(slowest({1e9L, 1e9L + 0.5L}), 0.5, 1e-6);
    EXPECT_NEAR(slowest({2e9L, 3e9L + 0.01L}), 0.02, 1e-6); // 2:3, though of numbers up to 5 in all
}

/// However slow a beat is beside its phases, as long as it is fast beside the slow motion it is an oscillation.
TEST(MovingMean, KnowsABeatOfCloseFrequencies) {
    for (double const w : {1e5, 1e9, 1e11}) {
        auto const lasers =
            vibrated<1, 2>({.frequencies = {w, w + 40}, .phases = {0, 0}}, [](auto const& x, auto const& theta) {
                return -x[0] + std::cos(theta[0]) * std::cos(theta[1]);
            });
        auto const run = solve(effective(lasers, picard{.order = 4}), dormand_prince_8{.rtol = 1e-11, .atol = 1e-13},
                               {{1}, {0}}, {.end = 31, .output_count = 2, .report = reported_state::full});
        ASSERT_TRUE(run) << run.message;
        double const swing = -0.5 / (40 * 40 - 1);
        EXPECT_NEAR(run.position.back()[0], (1 - swing) * std::cos(31) + swing * std::cos(40 * 31), 1e-8) << w;
    }
}

/// The mean of e^{i m.phi} over the samples vanishes for all harmonics it is made for, and modes are told apart.
TEST(TorusRule, SeesTheHarmonicsThatItIsFor) {
    auto const mean = [](torus_rule const& rule, std::vector<int> const& order) {
        long double real = 0;
        long double imaginary = 0;
        for (auto const& phi : rule.samples) {
            long double angle = 0;
            for (std::size_t j = 0; j < phi.size(); ++j) angle += order[j] * phi[j];
            real += std::cos(angle);
            imaginary += std::sin(angle);
        }
        return static_cast<double>(std::hypot(real, imaginary)) / static_cast<double>(rule.samples.size());
    };
    std::vector<std::pair<std::vector<long double>, std::vector<int>>> const cases{{{1}, {9}},
                                                                                   {{1, 1.618L}, {8, 8}},
                                                                                   {{1, 1.618L}, {8, 12}},
                                                                                   {{1, 1.618L, 2.7L}, {8, 8, 8}},
                                                                                   {{1, 1.618L, 2.7L}, {6, 9, 8}}};
    for (auto const& [frequencies, points] : cases)
        for (bool const products : {false, true}) {
            auto const rule =
                sampled(independent(frequencies, std::vector<long double>(points.size())), points, products);
            ASSERT_FALSE(rule.samples.empty());
            for (std::size_t a = 0; a < rule.modes.size(); ++a) {
                EXPECT_LT(mean(rule, rule.modes[a].order), 1e-15);
                for (std::size_t b = 0; b < a && rule.samples.size() <= 200; ++b)
                    for (int const sign : {1, -1}) {
                        auto apart = rule.modes[a].order;
                        for (std::size_t j = 0; j < apart.size(); ++j) apart[j] += sign * rule.modes[b].order[j];
                        EXPECT_LT(mean(rule, apart), 1e-15);
                    }
            }
            for (std::size_t i = 0; i < rule.samples.size(); ++i)
                for (std::size_t j = 0; j < points.size(); ++j) {
                    auto const turns = (rule.samples[i][j] + rule.samples[rule.mirrored[i]][j]) / two_pi<long double>;
                    EXPECT_NEAR(static_cast<double>(turns), std::round(static_cast<double>(turns)), 1e-15);
                }
        }
    auto const samples = [](std::vector<long double> const& frequencies, bool products) {
        return sampled(independent(frequencies, std::vector<long double>(frequencies.size())),
                       std::vector<int>(frequencies.size(), 8), products)
            .samples.size();
    };
    EXPECT_EQ(samples({1, 1.618L}, false), 32u);
    EXPECT_EQ(samples({1, 1.618L}, true), 64u);
    EXPECT_EQ(samples({1, 1.618L, 2.7L}, false), 104u);
}

// ---- order 0 ----

/// What was measured before there were orders: 001's pendulum at omega = 1e4 with rkn6, and the forces that it took.
TEST(OrderZero, IsTheSpectralMean) {
    auto const system = model::vibrated_pendulum{.omega = 1e4}.system();
    for (auto const& closure : {picard{}, picard{.order = 0}, picard{.points = 8, .passes = 3}}) {
        auto const run = solve(effective(system, closure), rkn6{.step = 0.02}, {{0.5}, {0}},
                               {.end = 2, .output_count = 5, .report = reported_state::full});
        ASSERT_TRUE(run) << run.message;
        EXPECT_NEAR(run.position.back()[0], -0.3985665358972382, 1e-12);
        EXPECT_EQ(run.statistics.force_evaluations, 7850u);
        EXPECT_EQ(run.statistics.effective_evaluations, 500u);
    }
}

} // namespace
