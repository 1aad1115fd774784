// Where runs of the limit of hard springs start, with which order, and what they leave out: starts on g = 0 swing about
// a slow motion, whose middle must be found; loads that do nothing are not followed; dropped energy is told.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <lento/effective/adiabatic.hpp>
#include <lento/effective/limit.hpp>
#include <lento/solve/solve.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/system/stiff.hpp>

namespace {

using namespace lento;
template <std::size_t N> using state_in = motion<std::array<double, N>>;

template <class Row> double distance(Row const& a, Row const& b) {
    double found = 0;
    for (std::size_t i = 0; i < a.size(); ++i) found = std::max(found, std::abs(a[i] - b[i]));
    return found;
}
/// Looked at on the way; the last point of a run is not put back under its loads.
template <class State> auto until(double end) {
    solve_options<State> options{.end = 1.05 * end};
    for (int k = 0; k <= 10; ++k) options.output_times.push_back(end * k / 10);
    return options;
}
constexpr auto length_of_first = [](auto const& q) {
    using std::sqrt;
    return sqrt(q[0] * q[0] + q[1] * q[1]) - 1.;
};

// ---- from a start on g = 0 ----

// Systems whose fast frequencies do not change, so that the energy of the swing, omega^-2, does nothing to the slow
// motion.

struct pendulum {
    static constexpr char const* name = "pendulum";
    static constexpr state_in<2> start{{1, 0}, {0, 0.5}};
    static auto of(double omega) {
        return stiff<2>([](auto const& q, auto) { return std::array{0.3 + 0 * q[0], -2 + 0 * q[0]}; },
                        spring{omega, length_of_first});
    }
};
/// Charged, in a magnetic field, and with drag.
struct charged_pendulum {
    static constexpr char const* name = "charged pendulum";
    static constexpr state_in<2> start{{1, 0}, {0, 0.5}};
    static auto of(double omega) {
        auto const force = [](auto const&, auto const& v, auto) {
            return std::array{0.3 + 1.5 * v[1] - 0.1 * v[0], -2 - 1.5 * v[0] - 0.1 * v[1]};
        };
        return stiff<2>(with_velocity(force), spring{omega, length_of_first});
    }
};
/// Of a length that changes.
struct breathing_pendulum {
    static constexpr char const* name = "breathing pendulum";
    static constexpr state_in<2> start{{1, 0}, {0.3, 0.5}};
    static auto of(double omega) {
        auto const length = [](auto const& q, auto const& t) {
            using std::sin;
            using std::sqrt;
            return sqrt(q[0] * q[0] + q[1] * q[1]) - 1. - 0.3 * sin(t);
        };
        return stiff<2>([](auto const& q, auto) { return std::array{0.3 + 0 * q[0], -2 + 0 * q[0]}; },
                        spring{omega, with_time(length)});
    }
};
/// With a mass whose inverse, ((1, 0, b), (0, 1, b), (b, b, c))/2, couples the pendulum to another coordinate.
struct coupled_pendulum {
    static constexpr char const* name = "coupled pendulum";
    static constexpr state_in<3> start{{1, 0, 0.2}, {0, 0.5, -0.1}};
    static auto of(double omega) {
        auto const force = [](auto const& q, auto const& v, auto) {
            return std::array{0.3 + 0.8 * v[1], -2 - 0.8 * v[0], -q[2] - 0.2 * v[2]};
        };
        double const unit = 1 / 0.065;
        return stiff<3>(mass({{0.14 * unit, 0.01 * unit, -0.05 * unit},
                              {0.01 * unit, 0.14 * unit, -0.05 * unit},
                              {-0.05 * unit, -0.05 * unit, 0.25 * unit}}),
                        with_velocity(force), spring{omega, length_of_first});
    }
};

/// Smooth means over 20 periods about some times, of differences: what both motions have in common does not matter.
struct bell {
    static constexpr int half = 80;
    static constexpr std::array<double, 3> centres{1.3, 2, 2.7};
    double reach;
    explicit bell(double omega) : reach(20 * std::numbers::pi / omega) {}
    template <class State> [[nodiscard]] auto options() const {
        solve_options<State> made{.end = 4.2};
        for (double const centre : centres)
            for (int j = -half; j <= half; ++j) made.output_times.push_back(centre + reach * j / (half + 1.));
        std::sort(made.output_times.begin(), made.output_times.end());
        return made;
    }
    /// The largest of the means, in the coordinates that both have.
    template <class Run, class Other> [[nodiscard]] double distance(Run const& a, Other const& b) const {
        double found = 0;
        for (double const centre : centres)
            for (std::size_t i = 0; i < b.position[0].size(); ++i) {
                double sum = 0;
                double mass = 0;
                for (std::size_t k = 0; k < b.t.size(); ++k) {
                    double const x = (b.t[k] - centre) / reach;
                    if (!(std::abs(x) < 1)) continue;
                    sum += std::pow(1 - x * x, 6) * (a.position[k][i] - b.position[k][i]);
                    mass += std::pow(1 - x * x, 6);
                }
                found = std::max(found, std::abs(sum / mass));
            }
        return found;
    }
};
dormand_prince_8 const truly{.rtol = 1e-13, .atol = 1e-15};
dormand_prince_8 const slowly{.rtol = 1e-11, .atol = 1e-13, .max_step = 0.05};

template <class Problem> double error_from_surface(int order, double omega) {
    auto const system = Problem::of(omega);
    using state = std::remove_cvref_t<decltype(Problem::start)>;
    bell const mean(omega);
    auto const direct = solve(system, truly, Problem::start, mean.options<state>());
    auto const slow = solve(effective(system, limit{.order = order}), slowly, Problem::start, mean.options<state>());
    EXPECT_TRUE(direct && slow) << slow.message;
    return mean.distance(slow, direct);
}

template <class Problem> struct LimitFromSurfaceOf : testing::Test {};
using swinging = testing::Types<pendulum, charged_pendulum, breathing_pendulum, coupled_pendulum>;
TYPED_TEST_SUITE(LimitFromSurfaceOf, swinging);

TYPED_TEST(LimitFromSurfaceOf, OfOrderOneGainsTwoPowersOfOmega) {
    for (int const order : {0, 1}) {
        double const few = error_from_surface<TypeParam>(order, 50);
        double const many = error_from_surface<TypeParam>(order, 200);
        double const power = std::log(few / many) / std::log(4.);
        EXPECT_GT(power, 2 * (order + 1) - 0.5) << TypeParam::name << " " << order << ": " << few << " " << many;
        EXPECT_LT(power, 2 * (order + 1) + 1.5) << TypeParam::name << " " << order << ": " << few << " " << many;
    }
}
/// Where frequencies change the energy of the swing acts: the motion with fast energy has the power, the limit has not.
TEST(LimitStarts, EnergyOfASwingIsLeftToTheMotionWithFastEnergy) {
    auto const second = [](auto const& q) {
        using std::sqrt;
        return sqrt((q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1])) - 1.;
    };
    auto const weight = [](auto const& q, auto) {
        return std::array{0 * q[0], -1 + 0 * q[0], 0 * q[0], -1 + 0 * q[0]};
    };
    state_in<4> const start{{1, 0, 1.6, 0.8}, {0, -0.5, 0.4, -0.8}};
    std::array<double, 2> rigid{};
    std::array<double, 2> limited{};
    std::array<double, 2> kept{};
    for (std::size_t k = 0; k < 2; ++k) {
        double const omega = k == 0 ? 60 : 240;
        auto const system = stiff<4>(weight, spring{omega, length_of_first}, spring{omega, second});
        bell const mean(omega);
        auto const direct = solve(system, truly, start, mean.options<state_in<4>>());
        auto const slow = effective(system, adiabatic{.negligible = 0});
        auto const to = mean.options<std::remove_cvref_t<decltype(slow.extended(start))>>();
        kept[k] = mean.distance(solve(slow, slowly, slow.extended(start), to), direct);
        for (int const order : {0, 1})
            (order == 0 ? rigid : limited)[k] = mean.distance(
                solve(effective(system, limit{.order = order}), slowly, start, mean.options<state_in<4>>()), direct);
    }
    EXPECT_NEAR(std::log(limited[0] / limited[1]) / std::log(4.), 2, 0.5) << limited[0] << " " << limited[1];
    EXPECT_LT(limited[1], rigid[1] / 10) << rigid[1];
    EXPECT_GT(std::log(kept[0] / kept[1]) / std::log(4.), 3.5) << kept[0] << " " << kept[1];
}

// ---- with an order that the tolerance asks for ----

/// All counts of a run to t = 5 that follows loads from where on they displace it by more than this.
struct counted {
    statistics counts;
    std::array<double, 2> end;
};
counted run_bearing(double omega, int order, double borne) {
    auto const run =
        solve(effective(pendulum::of(omega), limit{.order = order, .borne = borne}),
              dormand_prince_8{.rtol = 1e-6, .atol = 1e-9}, pendulum::start, {.end = 5, .output_count = 2});
    EXPECT_TRUE(run) << run.message;
    return {run.statistics, run.position.back()};
}

TEST(LimitStarts, LoadsThatAreBorneCostNothing) {
    auto const rigid = run_bearing(1e5, 0, 0);
    auto const open = run_bearing(1e5, 1, 1e-8);                                  // they displace it by 4e-10
    EXPECT_LE(open.counts.force_evaluations, rigid.counts.force_evaluations + 1); // one to see that
    EXPECT_EQ(open.end, rigid.end);
    EXPECT_GT(run_bearing(1e5, 1, 0).counts.force_evaluations, 2 * rigid.counts.force_evaluations);
}
TEST(LimitStarts, LoadsAreFollowedFromWhereTheyAreNotBorne) {
    // at rest on the side, it hangs from its spring only later
    auto const of = [](double omega) {
        return stiff<2>([](auto const& q, auto) { return std::array{0 * q[0], -2 + 0 * q[0]}; },
                        spring{omega, length_of_first});
    };
    auto const to = until<state_in<2>>(2);
    dormand_prince_8 const stepper{.rtol = 1e-10, .atol = 1e-12, .max_step = 0.02};
    state_in<2> const start{{1, 0}, {}};
    auto const at = [&](int order, double borne) {
        auto const run = solve(effective(of(100), limit{.order = order, .borne = borne}), stepper, start, to);
        EXPECT_TRUE(run) << run.message;
        return run;
    };
    auto const loaded = at(1, 0);
    auto const rigid = at(0, 0);
    for (double const borne : {1e-4, 1e-5}) {
        double error = 0;
        for (std::size_t k = 0; k < loaded.t.size(); ++k)
            error = std::max(error, distance(at(1, borne).position[k], loaded.position[k]));
        EXPECT_LT(error, 6 * borne);
        EXPECT_GT(error, 0);
    }
    EXPECT_GT(distance(rigid.position.back(), loaded.position.back()), 6e-4);
}

// ---- what is left out ----

TEST(LimitStarts, EnergyThatIsDroppedIsTold) {
    auto const warned = [](double speed, double negligible) {
        auto start = pendulum::start;
        start.velocity[0] = speed; // along the spring
        auto const run = solve(effective(pendulum::of(1e4), limit{.negligible = negligible}),
                               dormand_prince_8{.rtol = 1e-6, .atol = 1e-9}, start, {.end = 2, .output_count = 2});
        EXPECT_TRUE(run) << run.message;
        for (auto const& each : run.warnings)
            if (each.code == "fast_motion_dropped") return each.sentence;
        return std::string();
    };
    EXPECT_NE(warned(0.2, 1e-6).find("an energy of 0.02"), std::string::npos) << warned(0.2, 1e-6);
    EXPECT_NE(warned(0.02, 1e-6), "");
    EXPECT_EQ(warned(0.02, 1e-3), ""); // 2e-4 of an energy of about 2
    EXPECT_EQ(warned(0, 1e-6), "");
}

} // namespace
