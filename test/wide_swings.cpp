// Fast motions that are not small: what the motion with fast energy makes of them is told, and how far it may be off.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/effective/adiabatic.hpp>
#include <lento/solve/solve.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/system/stiff.hpp>

namespace {

using namespace lento;
template <std::size_t N> using state_in = motion<std::array<double, N>>;

/// Systems of one spring, so that there are no resonances, from a start that is stretched by so much.
struct channel {
    static constexpr char const* name = "channel";
    static auto of(double omega) {
        return stiff<2>([](auto const& q, auto) { return std::array{-q[0], 0 * q[0]}; },
                        spring{omega, [](auto const& q) {
                                   using std::sqrt;
                                   return q[1] * sqrt(1. + q[0] * q[0]);
                               }});
    }
    static state_in<2> start(double out) { return {{1, out}, {0.3, 0}}; }
};
struct uneven_pendulum {
    static constexpr char const* name = "uneven pendulum";
    static auto of(double omega) {
        return stiff<2>([](auto const& q, auto) { return std::array{0.3 + 0 * q[0], -2 + 0 * q[0]}; },
                        spring{omega, [](auto const& q) {
                                   using std::sqrt;
                                   return (sqrt(q[0] * q[0] + q[1] * q[1]) - 1.) * (1. + q[1] / 2.);
                               }});
    }
    static state_in<2> start(double out) { return {{1 + out, 0}, {0, 0.5}}; }
};
struct ellipsoid {
    static constexpr char const* name = "ellipsoid";
    static auto of(double omega) {
        return stiff<3>(
            [](auto const& q, auto) { return std::array{-0.5 * q[0], 0 * q[1], -1 + 0 * q[2]}; },
            spring{omega, [](auto const& q) { return (q[0] * q[0] / 4 + q[1] * q[1] + q[2] * q[2] - 1) / 2; }});
    }
    static state_in<3> start(double out) { return {{2 + out, 0, 0}, {0, 0.6, -0.2}}; }
};

struct told {
    double error = 0; ///< the largest of a coordinate in a row
    double path = 0;
    bool warns = false;
};
template <class Problem> told swung(double omega, double out) {
    auto const system = Problem::of(omega);
    auto const start = Problem::start(out);
    constexpr std::size_t rows = 21; // most of them inside a step of the slow motion
    auto const direct =
        solve(system, dormand_prince_8{.rtol = 1e-9, .atol = 1e-11}, start, {.end = 1, .output_count = rows});
    auto const slow = effective(system, adiabatic{});
    auto const run = solve(slow, dormand_prince_8{.rtol = 1e-7, .atol = 1e-9}, slow.extended(start),
                           {.end = 1, .output_count = rows});
    EXPECT_TRUE(direct) << direct.message;
    told found;
    found.warns = !run;
    for (auto const& each : run.warnings) found.warns = found.warns || each.code == "wide_swing";
    for (std::size_t k = 1; k < run.t.size(); ++k)
        for (std::size_t i = 0; i < start.position.size(); ++i) {
            found.error = std::max(found.error, std::abs(run.position[k][i] - direct.position[k][i]));
            found.path += std::abs(run.position[k][i] - run.position[k - 1][i]);
        }
    return found;
}

template <class Problem> struct WideSwingsOf : testing::Test {};
using problems = testing::Types<channel, uneven_pendulum, ellipsoid>;
TYPED_TEST_SUITE(WideSwingsOf, problems);

TYPED_TEST(WideSwingsOf, AreToldWhereTheyMatter) {
    for (double const omega : {300., 1000.})
        for (double const out : {1e-3, 0.01, 0.03, 0.06}) {
            auto const found = swung<TypeParam>(omega, out);
            bool const right = found.error < 2 * out + 1e-3 * found.path; // the swing itself, and what is not told
            EXPECT_TRUE(right || found.warns) << TypeParam::name << " " << omega << " " << out << ": " << found.error;
        }
}
TYPED_TEST(WideSwingsOf, AreNotThoseOfABoundedEnergy) {
    for (double const omega : {100., 1000.}) EXPECT_FALSE(swung<TypeParam>(omega, 0.5 / omega).warns) << omega;
}
TEST(WideSwings, HaveNoKnownPhase) {
    auto const slow = effective(uneven_pendulum::of(1000), adiabatic{});
    auto const run =
        solve(slow, dormand_prince_8{.rtol = 1e-9, .atol = 1e-11}, slow.extended(uneven_pendulum::start(0.06)),
              {.end = 2, .output_count = 3, .report = reported_state::full});
    EXPECT_EQ(run.result, outcome::not_applicable);
    EXPECT_NE(run.message.find("phase"), std::string::npos) << run.message;
}

} // namespace
