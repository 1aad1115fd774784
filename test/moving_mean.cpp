// The moving spectral mean of vibrated systems: how accurate it is, and that its cost knows no frequency.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/effective/picard.hpp>
#include <lento/model/averaged_equation.hpp>
#include <lento/model/linkage.hpp>
#include <lento/model/pendulum.hpp>
#include <lento/solve/solve.hpp>
#include <lento/stepper/nystrom.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/system/vibrated.hpp>

namespace {

using namespace lento;
using std::cos;
using std::sin;

/// The largest difference of positions of a closure's full motion to the direct solution, over the largest position.
template <class System> double full_error(System const& system, picard const& closure, state_of<System> const& start,
                                          double end, std::size_t outputs) {
    auto const truth =
        solve(system, dormand_prince_8{.rtol = 1e-13, .atol = 1e-15}, start, {.end = end, .output_count = outputs});
    auto const run = solve(effective(system, closure), dormand_prince_8{.rtol = 1e-11, .atol = 1e-12}, start,
                           {.end = end, .output_count = outputs, .report = reported_state::full});
    EXPECT_TRUE(truth) << truth.message;
    EXPECT_TRUE(run) << run.message;
    if (!truth || !run) return 1;
    double worst = 0;
    double size = 0;
    for (std::size_t k = 0; k < truth.t.size(); ++k)
        for (std::size_t i = 0; i < truth.position[k].size(); ++i) {
            worst = std::max(worst, std::abs(static_cast<double>(run.position[k][i] - truth.position[k][i])));
            size = std::max(size, std::abs(static_cast<double>(truth.position[k][i])));
        }
    return worst / size;
}

// ---- where laboratories work ----

TEST(MovingMean, FollowsThePendulumWhereTheSpectralMeanIsNotSeparated) {
    struct bar {
        double omega, second, fourth;
    };
    for (auto const& [omega, second, fourth] : {bar{200, 3e-3, 4e-4}, {500, 1e-4, 2e-6}, {1000, 8e-6, 3e-8}}) {
        auto const system = model::vibrated_pendulum{.omega = omega}.system();
        auto const error = [&](int order, int points) {
            return full_error(system, picard{.points = points, .order = order}, {{0.5}, {0}}, 5, 26);
        };
        EXPECT_LT(error(2, 8), second) << "omega = " << omega;
        EXPECT_LT(error(4, 8), fourth) << "omega = " << omega;
    }
}

/// x'' = (omega^2 q/2) cos(theta) x: a Paul trap, with the secular frequency 1.
TEST(MovingMean, FollowsIonsOverFiveSecularPeriods) {
    struct bar {
        double q, second, fourth;
    };
    for (auto const& [q, second, fourth] :
         {bar{0.3, 8e-2, 6e-3}, {0.2, 1.5e-2, 5e-4}, {0.1, 1e-3, 1e-5}, {0.03, 1e-5, 1e-8}}) {
        double const omega = 2 * std::numbers::sqrt2 / q;
        double const strength = omega * omega * q / 2;
        auto const system =
            vibrated<1>({.frequency = omega}, [=](auto const& x, auto theta) { return strength * cos(theta) * x[0]; });
        double const end = 5 * 2 * std::numbers::pi;
        EXPECT_LT(full_error(system, picard{.order = 2}, {{1}, {0}}, end, 61), second) << "q = " << q;
        EXPECT_LT(full_error(system, picard{.order = 4}, {{1}, {0}}, end, 61), fourth) << "q = " << q;
    }
}

// ---- two powers of omega per order ----

/// Positions and velocities at the end, in numbers of 64 bits, so that six powers fit into a decade.
using real = long double;
template <std::size_t N> using motion_of = motion<std::array<real, N>>;

template <class System> double error_at_end(System const& system, int order, state_of<System> const& start,
                                            state_of<System> const& truth, double end) {
    auto const run = solve(effective(system, picard{.order = order}), dormand_prince_8{.rtol = 1e-15, .atol = 1e-17},
                           start, {.end = end, .output_count = 2, .report = reported_state::full});
    EXPECT_TRUE(run) << run.message;
    if (!run) return 1;
    double worst = 0;
    for (std::size_t i = 0; i < truth.position.size(); ++i)
        worst = std::max({worst, std::abs(static_cast<double>(run.position.back()[i] - truth.position[i])),
                          std::abs(static_cast<double>(run.velocity.back()[i] - truth.velocity[i]))});
    return worst;
}

/// Over a decade the errors of orders 0, 2 and 4 fall at least like these powers, up to a half.
template <class Make, class State> void expect_powers(Make const& make, State const& start,
                                                      std::array<double, 3> const& powers, double slowest = 40,
                                                      double fastest = 400, double end = 2) {
    std::array<std::array<double, 3>, 2> errors{};
    for (std::size_t k = 0; k < 2; ++k) {
        auto const system = make(real(k == 0 ? slowest : fastest));
        auto const truth =
            solve(system, dormand_prince_8{.rtol = 1e-16, .atol = 1e-18}, start, {.end = end, .output_count = 2});
        ASSERT_TRUE(truth) << truth.message;
        State const last{truth.position.back(), truth.velocity.back()};
        for (std::size_t order = 0; order < 3; ++order)
            if (powers[order] > 0)
                errors[k][order] = error_at_end(system, static_cast<int>(2 * order), start, last, end);
    }
    for (std::size_t order = 0; order < 3; ++order) {
        if (powers[order] == 0) continue;
        double const slope = std::log(errors[0][order] / errors[1][order]) / std::log(fastest / slowest);
        EXPECT_GT(slope, powers[order] - 0.5) << "order " << 2 * order << ": " << errors[0][order] << " at " << slowest
                                              << ", " << errors[1][order] << " at " << fastest;
        if (order > 0 && powers[order - 1] > 0) { EXPECT_LT(errors[0][order], errors[0][order - 1]); }
    }
}

constexpr std::array<double, 3> of_position{2, 4, 6};
constexpr std::array<double, 3> with_drag{2, 3, 6};
constexpr std::array<double, 3> without_symmetry_in_time{1, 3, 5};

TEST(PowersOfOmega, OfAForceOfPosition) {
    expect_powers(
        [](real w) {
            return vibrated<1, 1, real>({.frequency = w}, [=](auto const& q, auto theta) {
                return 2 * sin(q[0]) + w * cos(theta) * sin(q[0] - real(0.4));
            });
        },
        motion_of<1>{{0.5}, {0.2}}, of_position);
}

TEST(PowersOfOmega, WithLinearDrag) {
    expect_powers(
        [](real w) {
            return vibrated<1, 1, real>(
                {.frequency = w}, with_velocity([=](auto const& q, auto const& v, auto theta, auto) {
                    return 2 * sin(q[0]) + w * cos(theta) * sin(q[0] - real(0.4)) - real(0.3) * v[0];
                }));
        },
        motion_of<1>{{0.5}, {0.2}}, with_drag);
}

TEST(PowersOfOmega, WithCubicDrag) {
    expect_powers(
        [](real w) {
            return vibrated<1, 1, real>({.frequency = w},
                                        with_velocity([=](auto const& q, auto const& v, auto theta, auto) {
                                            return 2 * sin(q[0]) + w * cos(theta) * sin(q[0] - real(0.4)) -
                                                   real(0.2) * v[0] - real(0.1) * v[0] * v[0] * v[0];
                                        }));
        },
        motion_of<1>{{0.5}, {0.2}}, with_drag);
}

TEST(PowersOfOmega, OfAChargeInAMagneticField) {
    expect_powers(
        [](real w) {
            return vibrated<2, 1, real>({.frequency = w},
                                        with_velocity([=](auto const& q, auto const& v, auto theta, auto) {
                                            real const shake = real(1.5) * w * cos(theta);
                                            real const field = 1 + q[0] / 2;
                                            return std::array<real, 2>{-q[0] + field * v[1] + shake * sin(q[0]),
                                                                       -q[1] - field * v[0] - shake * q[1] * cos(q[0])};
                                        }));
        },
        motion_of<2>{{0.8, 0.1}, {0.1, 0.5}}, of_position);
}

TEST(PowersOfOmega, OfAForceOfSlowTime) {
    expect_powers(
        [](real w) {
            return vibrated<1, 1, real>({.frequency = w}, with_time([=](auto const& q, auto theta, auto t) {
                                            return sin(q[0]) * (1 + (real(1.5) + real(0.5) * sin(t)) * w * cos(theta)) +
                                                   real(0.3) * cos(t);
                                        }));
        },
        motion_of<1>{{0.5}, {0.2}}, without_symmetry_in_time);
}

TEST(PowersOfOmega, WithAMassMatrix) {
    expect_powers(
        [](real w) {
            full_mass<real> const heavy(std::vector<std::vector<real>>{{2, real(0.5)}, {real(0.5), 1}});
            return vibrated<2, 1, real>({.frequency = w}, heavy, [=](auto const& q, auto theta) {
                real const shake = w * cos(theta);
                return std::array<real, 2>{-q[0] + shake * sin(q[0] - q[1]), -2 * q[1] + shake * cos(q[0])};
            });
        },
        motion_of<2>{{0.5, -0.2}, {0.1, 0.3}}, of_position);
}

TEST(PowersOfOmega, OfSeveralHarmonicsWithoutSymmetryInTime) {
    expect_powers(
        [](real w) {
            return vibrated<2, 1, real>({.frequency = w}, [=](auto const& x, auto theta) {
                auto const q = x[0];
                auto const p = x[1];
                return std::array<real, 2>{-q + w * cos(theta) * sin(p) + w * real(0.3) * sin(2 * theta) * q * q,
                                           -real(1.5) * p - w * sin(theta) * q * q / 2 +
                                               real(0.4) * w * cos(2 * theta + real(0.5)) * cos(p)};
            });
        },
        motion_of<2>{{0.3, 0.5}, {0.1, 0}}, without_symmetry_in_time);
}

TEST(PowersOfOmega, OfTwoPhases) {
    expect_powers(
        [](real w) {
            real const golden = std::numbers::phi_v<real>;
            return vibrated<1, 2, real>({.frequencies = {w, golden * w}}, [=](auto const& q, auto const& theta) {
                return sin(q[0]) * (1 + w * cos(theta[0]) + w * cos(theta[1]));
            });
        },
        motion_of<1>{{0.6}, {0.2}}, of_position);
}

TEST(PowersOfOmega, OfTwoPhasesInResonance) {
    expect_powers(
        [](real w) {
            return vibrated<1, 2, real>({.frequencies = {w, 2 * w}, .phases = {0, real(0.7)}},
                                        [=](auto const& q, auto const& theta) {
                                            return -sin(q[0]) + 2 * w * cos(theta[0]) * cos(q[0]) +
                                                   real(1.5) * w * cos(theta[1]) * sin(q[0] + real(0.3));
                                        });
        },
        motion_of<1>{{0.4}, {0.3}}, {0, 3, 5}); // order 0 refuses
}

TEST(PowersOfOmega, OfThreePhases) {
    expect_powers(
        [](real w) {
            return vibrated<1, 3, real>({.frequencies = {w, real(3.742) * w, real(5.21) * w}}, [=](auto const& q,
                                                                                                   auto const& theta) {
                return sin(q[0]) * (1 + w * cos(theta[0]) + 2 * w * cos(theta[1])) + 2 * w * cos(theta[2]) * cos(q[0]);
            });
        },
        motion_of<1>{{0.5}, {0.2}}, {0, 4, 6}, 20, 200, 0.7); // order 0 would take 512 samples a sweep
}

/// Two rods in cartesian coordinates: constraints hold as well as the motion is right.
TEST(PowersOfOmega, WithConstraints) {
    std::array<std::array<double, 2>, 2> errors{};
    std::array<double, 2> const frequencies{200, 1000};
    for (std::size_t k = 0; k < 2; ++k) {
        model::linked_pendulum<2> const rods{.m = {1, 0.5}, .l = {0.3, 0.2}, .omega = frequencies[k]};
        auto const system = rods.vibrated_system();
        motion<std::array<double, 4>> const start{rods.place({0.3, 0.2}), {}};
        auto const truth = solve(underlying(system), dormand_prince_8{.rtol = 1e-13, .atol = 1e-14}, start,
                                 {.end = 1, .output_count = 3});
        for (std::size_t order = 0; order < 2; ++order) {
            auto const run = solve(effective(system, picard{.order = order == 0 ? 2 : 4}),
                                   dormand_prince_8{.rtol = 1e-11, .atol = 1e-12}, start,
                                   {.end = 1, .output_count = 3, .report = reported_state::full});
            ASSERT_TRUE(run) << run.message;
            double& error = errors[k][order];
            for (std::size_t row = 0; row < 3; ++row) {
                for (std::size_t i = 0; i < 4; ++i)
                    error = std::max(error, std::abs(run.position[row][i] - truth.position[row][i]));
                for (double const off : rods.constraint()(run.position[row])) EXPECT_LT(std::abs(off), error + 1e-12);
            }
        }
    }
    double const decades = std::log10(frequencies[1] / frequencies[0]);
    EXPECT_GT(std::log10(errors[0][0] / errors[1][0]) / decades, 3.5) << errors[0][0] << ", " << errors[1][0];
    EXPECT_GT(std::log10(errors[0][1] / errors[1][1]) / decades, 5.5) << errors[0][1] << ", " << errors[1][1];
}

// ---- points ----

/// A force with cos(2 theta) needs more points than one with cos(theta) alone.
TEST(MovingMean, TakesAsManyPointsAsTheHarmonicsNeed) {
    double const w = 100;
    auto const system = vibrated<2>({.frequency = w}, [=](auto const& x, auto theta) {
        auto const q = x[0];
        auto const p = x[1];
        return std::array{-q + w * cos(theta) * sin(p) + w * 0.3 * sin(2 * theta) * q * q,
                          -1.5 * p - w * sin(theta) * q * q / 2 + 0.4 * w * cos(2 * theta + 0.5) * cos(p)};
    });
    auto const error = [&](picard const& closure) { return full_error(system, closure, {{0.3, 0.5}, {0, 0}}, 3, 7); };
    double const chosen = error({.order = 4});
    EXPECT_LT(chosen, 2e-9);
    EXPECT_LT(chosen, 1e-3 * error({.points = 8, .order = 4}));
    EXPECT_LT(chosen, 3 * error({.points = 32, .order = 4}));
}

/// At the start, q = 0, the second harmonic does not show.
TEST(MovingMean, TakesMorePointsWhenHarmonicsShowOnTheWay) {
    double const w = 200;
    auto const system = vibrated<1>({.frequency = w}, [=](auto const& q, auto theta) {
        return 1 - q[0] + w * cos(theta) * cos(q[0]) + w * sin(2 * theta) * q[0] * q[0];
    });
    auto const error = [&](picard const& closure) { return full_error(system, closure, {{0}, {0}}, 3, 7); };
    double const chosen = error({.order = 4});
    EXPECT_LT(chosen, 0.1 * error({.points = 8, .order = 4}));
    EXPECT_LT(chosen, 3 * error({.points = 32, .order = 4}) + 1e-11);
}

/// A lattice needs half of the samples of a grid for two phases, and loses nothing.
TEST(MovingMean, SamplesTwoPhasesOnALattice) {
    double const w = 400;
    auto const system = model::twice_vibrated_pendulum{.omega1 = w, .omega2 = std::numbers::phi * w}.system();
    auto const run = [&](picard const& closure) {
        return solve(effective(system, closure), dormand_prince_8{.rtol = 1e-11, .atol = 1e-12}, {{0.5}, {0}},
                     {.end = 1});
    };
    auto const lattice = run({.order = 2});
    auto const grid = run({.points = 8, .order = 2});
    ASSERT_TRUE(lattice) << lattice.message;
    ASSERT_TRUE(grid) << grid.message;
    auto const truth = solve(system, dormand_prince_8{.rtol = 1e-13, .atol = 1e-15}, {{0.5}, {0}}, {.end = 1});
    EXPECT_LT(lattice.statistics.force_evaluations, 0.65 * static_cast<double>(grid.statistics.force_evaluations));
    auto const error = [&](picard const& closure) { return full_error(system, closure, {{0.5}, {0}}, 1, 5); };
    EXPECT_LT(error({.order = 2}), 1.5 * error({.points = 8, .order = 2}));
}

// ---- cost ----

template <class Make, class State> void expect_equal_counts(Make const& make, State const& start) {
    for (int const order : {2, 4}) {
        std::vector<std::uint64_t> fixed;
        std::vector<std::uint64_t> adaptive;
        for (double const omega : {1e3, 1e4, 1e6, 1e8}) {
            auto const slow = effective(make(omega), picard{.order = order});
            auto const steps =
                solve(slow, rk4{.step = 0.1}, start, {.end = 3, .output_count = 4, .report = reported_state::full});
            auto const tolerance = solve(slow, dormand_prince{.rtol = 1e-4, .atol = 1e-4}, start, {.end = 3});
            EXPECT_TRUE(steps) << steps.message;
            EXPECT_TRUE(tolerance) << tolerance.message;
            fixed.push_back(steps.statistics.force_evaluations);
            // at 1e3 the slow motion itself is a little different, and so are its steps
            if (omega > 1e3) adaptive.push_back(tolerance.statistics.force_evaluations);
        }
        EXPECT_EQ(fixed, std::vector(fixed.size(), fixed[0])) << "order " << order;
        EXPECT_EQ(adaptive, std::vector(adaptive.size(), adaptive[0])) << "order " << order;
    }
}

TEST(CountsOfTheMovingMean, DoNotDependOnOmega) {
    using one = motion<std::array<double, 1>>;
    using two = motion<std::array<double, 2>>;
    expect_equal_counts([](double w) { return model::vibrated_pendulum{.omega = w}.system(); }, one{{0.5}, {0}});
    expect_equal_counts(
        [](double w) {
            return vibrated<1>({.frequency = w}, with_velocity([=](auto const& q, auto const& v, auto theta, auto) {
                                   return 2 * sin(q[0]) + w * cos(theta) * sin(q[0] - 0.4) - 0.1 * v[0] * v[0] * v[0];
                               }));
        },
        one{{0.5}, {0}});
    expect_equal_counts(
        [](double w) {
            return vibrated<2>({.frequency = w}, [=](auto const& x, auto theta) {
                return std::array{-x[0] + w * cos(theta) * sin(x[1]) + w * 0.3 * sin(2 * theta) * x[0] * x[0],
                                  -1.5 * x[1] + 0.4 * w * cos(2 * theta + 0.5) * cos(x[1])};
            });
        },
        two{{0.3, 0.5}, {0, 0}});
    expect_equal_counts(
        [](double w) { return model::twice_vibrated_pendulum{.omega1 = w, .omega2 = std::numbers::phi * w}.system(); },
        one{{0.5}, {0}});
}

/// 8, and of the even force here 7 times the points per evaluation, where every sweep at every place would take 12; 23
/// instead of 35 of order 4. Once per run come the choice of the points and the slow state of the start.
TEST(CountsOfTheMovingMean, AreThoseOfTheSweepsThatCount) {
    auto const system = model::vibrated_pendulum{.omega = 1e5}.system();
    auto const forces = [&](int order, double end) {
        return solve(effective(system, picard{.order = order}), rk4{.step = 0.01}, {{0.5}, {0}}, {.end = end})
            .statistics;
    };
    for (auto const& [order, most] : {std::pair{2, 55.}, {4, 177.}}) {
        auto const shorter = forces(order, 1);
        auto const longer = forces(order, 3);
        double const per_evaluation = static_cast<double>(longer.force_evaluations - shorter.force_evaluations) /
                                      static_cast<double>(longer.effective_evaluations - shorter.effective_evaluations);
        EXPECT_LT(per_evaluation, most) << "order " << order;
    }
}

// ---- rounding ----

/// At omega = 1e8 the force is 1e8 times the mean. The error over 3 seconds with rtol 1e-11, against the averaged
/// equation, which differs by O(1/omega^2).
template <class System, class Averaged>
void expect_no_loss(System const& system, Averaged const& averaged, state_of<System> const& start, double allowed) {
    auto const truth =
        solve(averaged, dormand_prince_8{.rtol = 1e-12, .atol = 1e-13}, start, {.end = 3, .output_count = 7});
    for (int const order : {2, 4}) {
        auto const run =
            solve(effective(system, picard{.order = order}), dormand_prince_8{.rtol = 1e-11, .atol = 1e-11}, start,
                  {.end = 3, .output_count = 7, .given = initial_state::slow});
        ASSERT_TRUE(run) << run.message;
        ASSERT_EQ(run.t, truth.t);
        for (std::size_t k = 0; k < run.t.size(); ++k)
            for (std::size_t i = 0; i < start.position.size(); ++i)
                EXPECT_NEAR(static_cast<double>(run.position[k][i] - truth.position[k][i]), 0, allowed)
                    << "order " << order << ", t = " << run.t[k];
    }
}

TEST(MovingMean, LosesNoDigitsAtLargeFrequencies) {
    double const w = 1e8;
    expect_no_loss(
        vibrated<1>({.frequency = w},
                    [=](auto const& q, auto theta) { return 2 * sin(q[0]) + w * cos(theta) * sin(q[0] - 0.4); }),
        plain<1>([](auto const& q, auto) { return 2 * sin(q[0]) - sin(2 * q[0] - 0.8) / 4; }), {{0.5}, {0}}, 1e-9);
    auto const fast = [](auto const& x, auto theta) {
        return std::array{cos(theta) * sin(x[1]) + 0.3 * sin(2 * theta) * x[0] * x[0],
                          -0.5 * sin(theta) * x[0] * x[0] + 0.4 * cos(2 * theta + 0.5) * cos(x[1])};
    };
    auto const slow = [](auto const& x, auto) { return std::array{-x[0], -1.5 * x[1]}; };
    expect_no_loss(vibrated<2>({.frequency = w},
                               [=](auto const& x, auto theta) {
                                   auto force = fast(x, theta);
                                   for (std::size_t i = 0; i < 2; ++i) force[i] = w * force[i] + slow(x, theta)[i];
                                   return force;
                               }),
                   model::averaged_equation<2>(fast, slow), {{0.3, 0.5}, {0, 0}}, 1e-9);
}

/// 9.8 + 4e8 cos(theta), as it stands in the formula of 001's pendulum, is g to 6e-8 in double: that much of the error
/// no mean of the formula can know. The spectral mean of order 0 is off by 1e-8.
TEST(MovingMean, LosesOfThePendulumWhatTheFormulaLoses) {
    model::vibrated_pendulum const pendulum{.omega = 1e8};
    expect_no_loss(pendulum.system(), pendulum.averaged(), {{0.5}, {0}}, 6e-9);
    auto const exact = vibrated<1, 1, long double>({.frequency = 1e8L}, [](auto const& q, auto theta) {
        return (9.8L + 4 * 1e8L * cos(theta)) * sin(q[0]) / 0.2L;
    });
    auto const averaged =
        plain<1, long double>([](auto const& q, auto) { return (9.8L / 0.2L - 200 * cos(q[0])) * sin(q[0]); });
    expect_no_loss(exact, averaged, {{0.5L}, {0}}, 1e-10);
}

} // namespace
