// Hard springs whose fast motion carries energy: the slow motion under its force, the fast motion back from its phases,
// and what is told where modes pass through resonances or meet.

#include <algorithm>
#include <array>
#include <cmath>
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
template <std::size_t N> using state_in = motion<std::array<double, N>>;

template <class Solution> bool warns_of(Solution const& run, std::string const& code) {
    return std::any_of(run.warnings.begin(), run.warnings.end(), [&](auto const& each) { return each.code == code; });
}
/// The largest difference in the coordinates that both have.
template <class Row, class Other> double apart(Row const& a, Other const& b) {
    double found = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) found = std::max(found, std::abs(a[i] - b[i]));
    return found;
}
template <class Rows, class Others> double distance(Rows const& a, Others const& b) {
    double found = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) found = std::max(found, apart(a[k], b[k]));
    return found;
}
/// A run of an adiabatic system step by step, so that its work can be looked at.
template <class System> struct stepped {
    System system;
    typename System::state x;
    work_of<System> work;
    double t;

    stepped(System slow, typename System::state const& start, double from = 0)
        : system(std::move(slow)), x(start), work(system.work()), t(from) {
        system.begin(t, x, work);
        system.lower(t, x, work);
        EXPECT_FALSE(work.failed.happened()) << work.failed.message;
    }
    void to(double end, double step) {
        fixed_dormand_prince_8 const stepper{.step = step};
        auto memory = stepper.start(system);
        auto const steps = static_cast<int>(std::lround((end - t) / step));
        for (int k = 0; k < steps; ++k) {
            stepper.advance(system, t, step, x, memory, work);
            t += step;
            memory.fresh = false;
            EXPECT_TRUE(system.revise(t, x, work));
        }
        EXPECT_FALSE(work.failed.happened()) << work.failed.message;
    }
};
template <class System, class State> auto begun(System const& system, State const& x, double t = 0) {
    auto slow = effective(system, adiabatic{});
    auto const start = slow.extended(x);
    return stepped<decltype(slow)>(std::move(slow), start, t);
}
template <class State> State own_part(auto const& x, State like) {
    std::copy_n(x.position.begin(), like.position.size(), like.position.begin());
    std::copy_n(x.velocity.begin(), like.velocity.size(), like.velocity.begin());
    return like;
}

// ---- the example of Rubin and Ungar's force: x'' = -x - J x/sqrt(1 + x^2) ----

auto channel(double omega) {
    return stiff<2>([](auto const& q, auto) { return std::array{-q[0], 0 * q[0]}; },
                    spring{omega, [](auto const& q) {
                               using std::sqrt;
                               return q[1] * sqrt(1. + q[0] * q[0]);
                           }});
}
/// At rest, and without symmetry in time.
std::array<state_in<2>, 2> channel_starts(double omega) {
    return {state_in<2>{{1, 0}, {0, 1}}, state_in<2>{{1, 0.5 / omega}, {0.5, 1}}};
}

TEST(Adiabatic, FollowsTheForceOfTheFastEnergyAtEveryOmega) {
    for (double const omega : {1e3, 1e4, 1e6, 1e8})
        for (auto const& start : channel_starts(omega)) {
            auto const slow = effective(channel(omega), adiabatic{});
            auto const run = solve(slow, dormand_prince_8{.rtol = 1e-7, .atol = 1e-9}, slow.extended(start),
                                   {.end = 5, .output_count = 2});
            ASSERT_TRUE(run) << run.message;
            EXPECT_LT(run.statistics.force_evaluations, 1000U) << omega;
            double exact = 0;
            if (omega < 1e5) {
                auto const direct = solve(channel(omega), dormand_prince_8{.rtol = 1e-10, .atol = 1e-12}, start,
                                          {.end = 5, .output_count = 2});
                exact = direct.position.back()[0];
            } else { // the limit of the slow motion, with the action of the start
                double const energy = start.velocity[1] * start.velocity[1] / 2 + (start.velocity[0] > 0 ? 0.25 : 0);
                double const action = energy / std::numbers::sqrt2;
                auto const limit_of_it =
                    plain<1>([=](auto const& q, auto) { return -q[0] - action * q[0] / std::sqrt(1 + q[0] * q[0]); });
                exact = solve(limit_of_it, dormand_prince_8{.rtol = 1e-12, .atol = 1e-13}, {{1.}, {start.velocity[0]}},
                              {.end = 5, .output_count = 2})
                            .position.back()[0];
            }
            EXPECT_NEAR(run.position.back()[0], exact, 1e-6) << omega;
            EXPECT_GT(std::abs(run.position.back()[0] - std::cos(5.)), 0.1); // what the limit would give or nearly so
        }
}
/// At rest differences along the motion vanish by symmetry, and say nothing of how far apart they should be taken.
TEST(Adiabatic, StartsFromRest) {
    for (double const omega : {1e2, 1e3, 1e4}) {
        motion<std::array<double, 2>> const still{{1, 0.5 / omega}, {0, 1}};
        double const action = 0.75; // (1 + 0.25 (1 + 1))/2 over the root of 2, the same at every omega
        auto const averaged =
            solve(plain<1>([=](auto const& q, auto) {
                      return std::array{-q[0] - action / std::numbers::sqrt2 * q[0] / std::sqrt(1 + q[0] * q[0])};
                  }),
                  dormand_prince{.rtol = 1e-11, .atol = 1e-13}, {{1}, {0}}, {.end = 5, .output_count = 2});
        double first = 0;
        for (int const order : {0, 1, 2}) {
            auto const slow = effective(channel(omega), adiabatic{.order = order});
            auto const run = solve(slow, dormand_prince_8{.rtol = 1e-8, .atol = 1e-11}, slow.extended(still),
                                   {.end = 5, .output_count = 2});
            ASSERT_TRUE(run) << run.message;
            double const last = run.position.back()[0];
            EXPECT_NEAR(last, averaged.position.back()[0], 0.1 / omega) << "order " << order;
            if (order == 1) first = last;
            if (order == 2) { EXPECT_NEAR(last, first, 2e-6); }
        }
    }
}
TEST(Adiabatic, CountsTheSameAtEveryOmega) {
    auto const counted = [](double omega) {
        auto const slow = effective(channel(omega), adiabatic{});
        return solve(slow, dormand_prince_8{.rtol = 1e-7, .atol = 1e-9}, slow.extended(channel_starts(omega)[0]),
                     {.end = 5, .output_count = 2})
            .statistics;
    };
    auto const at = counted(1e3);
    for (double const omega : {1e4, 1e6, 1e8}) {
        EXPECT_EQ(counted(omega).macro_steps, at.macro_steps) << omega;
        EXPECT_EQ(counted(omega).effective_evaluations, at.effective_evaluations) << omega;
    }
}
TEST(Adiabatic, ConservesTheEnergyOfTheSlowMotion) {
    auto run = begun(channel(100), channel_starts(100)[1]);
    auto const energy = [&] {
        double const x = run.x.position[0];
        double const v = run.x.velocity[0];
        return v * v / 2 + x * x / 2 + run.system.actions(run.x, run.work)[0] * 100 * std::sqrt(1 + x * x);
    };
    double const before = energy();
    run.to(5, 0.1);
    EXPECT_NEAR(energy(), before, 1e-3 * before); // its own corrections are of 1/omega^2
    auto finer = begun(channel(1e5), channel_starts(1e5)[1]);
    EXPECT_EQ(finer.system.actions(finer.x, finer.work).size(), 1U);
}

// ---- systems with normal velocity 0.3 ----

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
        return stiff<3>(with_velocity(force), spring{omega, surface});
    }
    static constexpr auto surface = [](auto const& q) { return (q[0] * q[0] / 4 + q[1] * q[1] + q[2] * q[2] - 1) / 2; };
};
/// Drag that grows with the speed, so that the fast motion adds to it.
struct ellipsoid_with_cubic_drag : ellipsoid_with_drag {
    static constexpr char const* name = "ellipsoid with cubic drag";
    static auto of(double omega) {
        auto const force = [](auto const& q, auto const& v, auto) {
            auto const square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            return std::array{-0.5 * q[0] - 2. * square * v[0], -2. * square * v[1], -1 - 2. * square * v[2]};
        };
        return stiff<3>(with_velocity(force), spring{omega, surface});
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

/// A slow point with a velocity along the slowest mode.
template <class Problem> auto kicked(double omega, double speed) {
    auto const system = Problem::of(omega);
    auto const slow = effective(system, limit{.order = 2});
    auto x = Problem::start;
    auto work = slow.work();
    slow.begin(0, x, work);
    slow.lower(0, x, work);
    auto inner = system.work();
    static_cast<void>(system.fast_band(0, x.position, inner));
    std::size_t const springs = system.frequencies().size();
    fast_modes modes(springs, springs);
    system.follow(modes, inner.springs.at, inner.springs);
    auto const slowest = static_cast<std::size_t>(std::min_element(modes.frequencies.begin(), modes.frequencies.end()) -
                                                  modes.frequencies.begin());
    auto pull = system.springs().zeros();
    auto direction = x.position;
    system.direct(modes, slowest, inner.springs.at, pull, direction);
    add_scaled(x.velocity, speed, direction);
    return x;
}
/// Mean positions about some times, by a smooth filter of unit mass and vanishing second moment over 12 periods.
struct filter_grid {
    static constexpr int half = 40;
    std::vector<double> times;
    std::vector<double> weights;
    std::size_t centres;
    filter_grid(double end, std::size_t count, double period) : centres(count) {
        double const reach = std::min(6 * period, 0.4 * end / static_cast<double>(count));
        double zeroth = 0, second = 0, fourth = 0;
        auto const bell = [](double x) { return std::pow(1 - x * x, 6); };
        for (int j = -half; j <= half; ++j) {
            double const x = j / (half + 1.);
            zeroth += bell(x);
            second += bell(x) * x * x;
            fourth += bell(x) * x * x * x * x;
        }
        double const b = -second / fourth;
        for (int j = -half; j <= half; ++j) {
            double const x = j / (half + 1.);
            weights.push_back(bell(x) * (1 + b * x * x) / (zeroth + b * second));
        }
        for (std::size_t k = 1; k <= count; ++k)
            for (int j = -half; j <= half; ++j)
                times.push_back(end * static_cast<double>(k) / static_cast<double>(count) - reach +
                                reach * j / (half + 1.));
    }
    template <class Rows, class Others> [[nodiscard]] double distance(Rows const& a, Others const& b) const {
        double found = a.size() == times.size() && b.size() == times.size() ? 0 : INFINITY;
        for (std::size_t k = 0; k < centres && found < INFINITY; ++k)
            for (std::size_t i = 0; i < std::min(a[0].size(), b[0].size()); ++i) {
                double sum = 0;
                for (std::size_t j = 0; j < weights.size(); ++j)
                    sum += weights[j] * (a[k * weights.size() + j][i] - b[k * weights.size() + j][i]);
                found = std::max(found, std::abs(sum));
            }
        return found;
    }
};
template <class Rows> double largest(Rows const& a) {
    double found = 0;
    for (auto const& row : a)
        for (double const each : row) found = std::max(found, std::abs(each));
    return found;
}
/// Errors of the slow motion, and of the full one, over t = 5, beside the largest coordinate.
struct errors {
    double slow;
    double full;
};
template <class Problem> errors errors_at(double omega, int order = 1) {
    auto const system = Problem::of(omega);
    auto const start = kicked<Problem>(omega, 0.3);
    filter_grid const grid(5, 8, 2 * std::numbers::pi / omega);
    auto const direct = solve(system, dormand_prince_8{.rtol = 1e-10, .atol = 1e-12}, start,
                              {.end = 5.001, .output_times = grid.times});
    auto const slow = effective(system, adiabatic{.order = order});
    dormand_prince_8 const stepper{.rtol = 1e-9, .atol = 1e-11, .max_step = 0.05};
    auto const mean = solve(slow, stepper, slow.extended(start), {.end = 5.1, .output_times = grid.times});
    auto const full = solve(slow, stepper, slow.extended(start),
                            {.end = 5.1, .output_times = grid.times, .report = reported_state::full});
    EXPECT_TRUE(mean && full && direct) << mean.message << full.message;
    double const size = largest(direct.position);
    return {grid.distance(mean.position, direct.position) / size, distance(full.position, direct.position) / size};
}

template <class Problem> struct AdiabaticMotionOf : testing::Test {};
using problems = testing::Types<pendulum, two_springs, hard_and_harder, ellipsoid_with_drag, ellipsoid_with_cubic_drag,
                                moving_surfaces>;
TYPED_TEST_SUITE(AdiabaticMotionOf, problems);

TYPED_TEST(AdiabaticMotionOf, IsAccurateWithFastEnergy) {
    auto const soft = errors_at<TypeParam>(100);
    auto const hard = errors_at<TypeParam>(1000);
    EXPECT_LT(soft.slow, 5e-4) << TypeParam::name;
    EXPECT_LT(hard.slow, 5e-6) << TypeParam::name;
    EXPECT_GT(std::log10(soft.full / hard.full), 1.5) << TypeParam::name; // powers of omega: two
    EXPECT_LT(hard.full, 2e-5) << TypeParam::name;
}
TYPED_TEST(AdiabaticMotionOf, LowersWhatItLifts) {
    double const omega = 300;
    auto const start = kicked<TypeParam>(omega, 0.3);
    auto const run = begun(TypeParam::of(omega), start);
    auto const& slow = run.system;
    auto back = run.x;
    auto work = run.work;
    slow.lift(0, back, work);
    EXPECT_LT(apart(back.position, start.position), 3e-8) << TypeParam::name; // less what is negligible
    EXPECT_LT(apart(back.velocity, start.velocity), 3e-5) << TypeParam::name;
}

// ---- resonances: the first frequency passes through half of the second ----

/// Two hard springs of which half the energy is in the fast motion, case (iii) of paper 000, at other fast phases.
state_in<4> with_phases(double omega, double first, double second) {
    model::two_springs const springs{omega, omega};
    auto run = begun(springs.both_hard(), springs.stretched_second());
    run.x.position[4] = first / omega;
    run.x.position[5] = second / omega;
    run.system.lift(0, run.x, run.work);
    return own_part(run.x, state_in<4>{});
}
struct passed {
    double error;
    double doubt;
};
/// The slow motion at some times against the slow points of the direct one.
std::vector<passed> pass_resonances(double omega, state_in<4> const& start) {
    model::two_springs const springs{omega, omega};
    auto const direct = solve(springs.both_hard(), dormand_prince_8{.rtol = 1e-9, .atol = 1e-11}, start,
                              {.end = 10, .output_count = 5});
    auto run = begun(springs.both_hard(), start);
    std::vector<passed> found;
    for (std::size_t k = 1; k < direct.t.size(); ++k) {
        run.to(direct.t[k], 0.05);
        auto const truth = begun(springs.both_hard(), state_in<4>{direct.position[k], direct.velocity[k]}, direct.t[k]);
        auto const own = own_part(run.x, state_in<4>{});
        found.push_back({apart(own.position, truth.x.position), run.system.doubt(run.work)});
    }
    return found;
}

// docs/papers.md: 000.44
TEST(Adiabatic, PassesResonancesOfTwoHardSprings) {
    model::two_springs const springs{500, 500};
    auto const start = springs.stretched_second();
    auto const direct = solve(springs.both_hard(), dormand_prince_8{.rtol = 1e-10, .atol = 1e-12}, start,
                              {.end = 10, .output_count = 41});
    auto const slow = effective(springs.both_hard(), adiabatic{});
    auto const run = solve(slow, dormand_prince_8{.rtol = 1e-7, .atol = 1e-9}, slow.extended(start),
                           {.end = 10, .output_count = 41});
    ASSERT_TRUE(run && direct) << run.message;
    EXPECT_LT(distance(run.position, direct.position), 1.4e-2); // 2e-3 is the fast motion itself; the limit: 0.16
    EXPECT_TRUE(warns_of(run, "actions_in_doubt"));
}
TEST(Adiabatic, KnowsWhatItDoesNotKnowOfResonances) {
    for (double const omega : {500., 2000.}) {
        int covered = 0;
        int all = 0;
        std::vector<double> last;
        for (int k = 0; k < 16; ++k) {
            double const turn = 2 * std::numbers::pi;
            auto const found =
                pass_resonances(omega, with_phases(omega, turn * (k + 0.5) / 16, turn * std::fmod(k * 0.618, 1)));
            for (auto const& each : found) {
                ++all;
                if (each.error < each.doubt) ++covered;
            }
            last.push_back(found.back().error);
        }
        EXPECT_GE(10 * covered, 9 * all) << omega;
        std::nth_element(last.begin(), last.begin() + 8, last.end());
        EXPECT_LT(last[8], 0.15 / std::sqrt(omega)) << omega;
    }
}
TEST(Adiabatic, KeepsActionsBetweenResonances) {
    double const omega = 1000;
    model::two_springs const springs{omega, omega};
    auto run = begun(springs.both_hard(), springs.stretched_second());
    auto const direct = solve(springs.both_hard(), dormand_prince_8{.rtol = 1e-11, .atol = 1e-13},
                              springs.stretched_second(), {.end = 2, .output_times = {1, 1.5, 2}});
    std::vector<std::vector<double>> actions;
    for (std::size_t k = 0; k < 3; ++k) {
        auto const truth = begun(springs.both_hard(), state_in<4>{direct.position[k], direct.velocity[k]}, direct.t[k]);
        actions.push_back(truth.work.carried.actions);
        std::sort(actions.back().begin(), actions.back().end());
    }
    for (std::size_t m = 0; m < 2; ++m) { // to 1/omega^2 of themselves
        EXPECT_NEAR(actions[1][m], actions[0][m], 3e-5 * actions[0][m]);
        EXPECT_NEAR(actions[2][m], actions[0][m], 3e-5 * actions[0][m]);
    }
    run.to(2, 0.05);
    ASSERT_EQ(run.system.passages(run.work).size(), 1U);
    auto const& passage = run.system.passages(run.work)[0];
    EXPECT_FALSE(passage.meeting);
    auto now = run.system.actions(run.x, run.work);
    std::sort(now.begin(), now.end());
    for (std::size_t m = 0; m < 2; ++m) EXPECT_NEAR(now[m], actions[2][m], passage.doubt);
}

// ---- two frequencies that meet, at a distance of 2 kappa omega ----

auto meeting(double omega, double kappa) {
    return stiff<3>(no_force{}, spring{omega, [=](auto const& q) { return (1. + q[0] / 4.) * q[1] + kappa * q[2]; }},
                    spring{omega, [=](auto const& q) { return (1. - q[0] / 4.) * q[2] + kappa * q[1]; }});
}

TEST(Adiabatic, KnowsWhatModesExchangeWhereTheyMeet) {
    double const omega = 1000;
    int covered = 0;
    int all = 0;
    for (double const kappa : {1e-4, 1e-3, 3e-3, 0.01, 0.02, 0.03})
        for (int k = 0; k < 6; ++k)
            for (double const step : {0.02, 0.1}) {
                state_in<3> const start{{-1, 0.4 / omega * std::cos(k), 0.1 / omega}, {1, 0.4 * std::sin(k), 0.2}};
                auto const direct = solve(meeting(omega, kappa), dormand_prince_8{.rtol = 1e-10, .atol = 1e-12}, start,
                                          {.end = 2, .output_times = {2}});
                auto const truth = begun(meeting(omega, kappa), state_in<3>{direct.position[0], direct.velocity[0]}, 2);
                auto run = begun(meeting(omega, kappa), start);
                run.to(2, step);
                ++all;
                if (std::abs(run.x.position[0] - truth.x.position[0]) < run.system.doubt(run.work)) ++covered;
                ASSERT_EQ(run.system.passages(run.work).size(), 1U) << kappa << " " << step;
                EXPECT_TRUE(run.system.passages(run.work)[0].meeting);
            }
    EXPECT_GE(10 * covered, 9 * all);
}
TEST(Adiabatic, CarriesModesThroughACrossing) {
    for (double const step : {0.02, 0.1, 0.5}) {
        auto run = begun(meeting(1000, 0), state_in<3>{{-1, 4e-4, 0}, {1, 0, 0.2}});
        auto const before = run.system.actions(run.x, run.work);
        run.to(2, step);
        EXPECT_EQ(run.system.actions(run.x, run.work), before);
        EXPECT_TRUE(run.system.passages(run.work).empty());
        EXPECT_EQ(run.system.doubt(run.work), 0);
    }
}

// ---- many springs, and what is refused ----

TEST(Adiabatic, OfAChainOfTwentyHardSpringsIsCheap) {
    model::hanging_chain const chain{.n = 20};
    motion<std::vector<double>> const start{chain.straight(0.6), std::vector<double>(40)};
    auto const exact = solve(underlying(chain.system()), dormand_prince_8{.rtol = 1e-10, .atol = 1e-12}, start,
                             {.end = 2, .output_count = 21});
    auto const all = [](statistics const& counts) {
        return counts.force_evaluations + counts.constraint_evaluations + counts.jacobian_evaluations;
    };
    auto const system = relaxed(1e5, chain.system());
    auto const slow = effective(system, adiabatic{.negligible = 1e-5});
    dormand_prince_8 const stepper{.rtol = 1e-4, .atol = 1e-6};
    auto const run = solve(slow, stepper, slow.extended(start), {.end = 2, .output_count = 21});
    auto const plain_run = solve(effective(system, limit{}), stepper, start, {.end = 2, .output_count = 21});
    ASSERT_TRUE(run && plain_run && exact) << run.message;
    EXPECT_LT(distance(run.position, exact.position), 1e-3);
    EXPECT_LT(distance(plain_run.position, exact.position), 1e-3);
    EXPECT_LT(all(run.statistics), 20000U);
    EXPECT_LT(all(plain_run.statistics), 20000U);
}
TEST(Adiabatic, OfSofterChainsTheLimitAnswersAndSaysHowWell) {
    model::hanging_chain const chain{.n = 20};
    motion<std::vector<double>> const start{chain.straight(0.6), std::vector<double>(40)};
    for (double const omega : {1e2, 1e3, 1e4}) {
        auto const system = relaxed(omega, chain.system());
        auto const slow = effective(system, limit{});
        auto point = start;
        auto work = slow.work();
        slow.begin(0, point, work);
        slow.lower(0, point, work);
        auto const direct =
            solve(system, dormand_prince_8{.rtol = 1e-8, .atol = 1e-10}, point, {.end = 2, .output_count = 21});
        auto const run =
            solve(slow, dormand_prince_8{.rtol = 1e-6, .atol = 1e-8}, start, {.end = 2, .output_count = 21});
        ASSERT_TRUE(run && direct) << run.message;
        double const error = distance(run.position, direct.position);
        EXPECT_EQ(warns_of(run, "no_scale_separation"), omega < 5e3) << omega << ": " << error;
        EXPECT_LT(error, omega > 5e3 ? 1e-5 : omega > 5e2 ? 0.1 : 2) << omega;
    }
}
TEST(Adiabatic, NeedsFewSprings) {
    model::alternating_chain const chain{.pairs = 40, .omega = 1e3};
    auto const slow = effective(chain.system(), adiabatic{});
    auto const run = solve(slow, rk4{.step = 0.1},
                           slow.extended(motion<std::vector<double>>{chain.mode(1), chain.mode(2)}), {.end = 1});
    EXPECT_EQ(run.result, outcome::not_applicable);
    EXPECT_NE(run.message.find("40 springs"), std::string::npos) << run.message;
}
TEST(Adiabatic, GivesTheFullMotionOnlyWhereItsPhaseIsKnown) {
    auto const full = [](double omega) {
        auto const slow = effective(channel(omega), adiabatic{});
        return solve(slow, dormand_prince_8{.rtol = 1e-7, .atol = 1e-9}, slow.extended(channel_starts(omega)[0]),
                     {.end = 5, .output_count = 6, .report = reported_state::full});
    };
    EXPECT_TRUE(full(1e3)) << full(1e3).message;
    auto const unknown = full(1e9);
    EXPECT_EQ(exit_code(unknown.result), 5);
    EXPECT_NE(unknown.message.find("phase"), std::string::npos) << unknown.message;
}
TEST(Adiabatic, WithoutFastEnergyIsTheLimit) {
    auto const system = two_springs::of(200);
    auto const start = kicked<two_springs>(200, 0);
    auto const slow = effective(system, adiabatic{});
    auto const a = solve(slow, rk4{.step = 0.02}, slow.extended(start), {.end = 1, .output_count = 2});
    auto const b = solve(effective(system, limit{}), rk4{.step = 0.02}, start, {.end = 1, .output_count = 2});
    ASSERT_TRUE(a && b);
    EXPECT_LT(distance(a.position, b.position), 1e-12);
    EXPECT_THROW(static_cast<void>(effective(system, adiabatic{.order = 3})), misuse);
}

} // namespace
