// The moving mean of constrained systems from files, beside direct runs.

#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/problem/problem_error.hpp>

namespace {

using namespace lento;
using namespace lento_test;

std::string with_method(std::string const& tables) { return "method={ " + tables + " }"; }

problem_settings rods(double omega, std::string const& tables, std::string const& report = "full") {
    return {"n=2",           "omega=" + std::to_string(omega), "time.end=0.2",
            "time.output=3", "time.report=" + report,          with_method(tables)};
}
std::string const finely = "macro = { scheme = 'dormand-prince-8', rtol = 1e-10, atol = 1e-12 }";
std::string const order_2 = "name = 'hmm', window = { kernel = 'picard', order = 2 }, ";
std::string const order_4 = "name = 'hmm', window = { kernel = 'picard', order = 4 }, ";

TEST(MovingMeanFromFile, AveragesConstrainedSystems) {
    std::array<double, 2> second{};
    std::array<double, 2> fourth{};
    for (std::size_t k = 0; k < 2; ++k) {
        double const omega = k == 0 ? 1000 : 3000;
        auto const direct =
            solved("linked-pendulum", rods(omega, "name = 'direct', macro = { scheme = 'lobatto4', rtol "
                                                  "= 1e-10, atol = 1e-12 }"));
        second[k] = largest_difference(direct, solved("linked-pendulum", rods(omega, order_2 + finely)));
        fourth[k] = largest_difference(direct, solved("linked-pendulum", rods(omega, order_4 + finely)));
    }
    EXPECT_LT(second[1], second[0] / 50); // two powers more than windows: 81
    EXPECT_LT(fourth[0], second[0] / 3);
}

TEST(MovingMeanFromFile, KnowsConstraintForcesOfFullStates) {
    auto const full = solved("linked-pendulum", rods(2000, order_4 + finely));
    auto const direct = solved("linked-pendulum", rods(2000, "name = 'direct', macro = { scheme = 'lobatto4', rtol = "
                                                             "1e-10, atol = 1e-12 }"));
    ASSERT_EQ(full.multipliers.size(), full.t.size());
    for (std::size_t row = 0; row < full.t.size(); ++row)
        for (std::size_t j = 0; j < 2; ++j)
            EXPECT_NEAR(full.multipliers[row][j], direct.multipliers[row][j],
                        1e-3 * std::abs(direct.multipliers[row][j]));
    EXPECT_TRUE(solved("linked-pendulum", rods(2000, order_4 + finely, "slow")).multipliers.empty());
}

TEST(MovingMeanFromFile, TakesForcesOfVelocityWithConstraints) {
    auto settings = rods(1000, order_4 + finely);
    settings.push_back("system.force.\"x[i]\"=\"-0.05*m*x[i]'\"");
    auto direct = rods(1000, "name = 'direct', macro = { scheme = 'lobatto4', rtol = 1e-10, atol = 1e-12 }");
    direct.push_back(settings.back());
    EXPECT_LT(largest_difference(solved("linked-pendulum", settings), solved("linked-pendulum", direct)), 1e-6);
}

TEST(MovingMeanFromFile, StartsOnTheConstraints) {
    auto off = rods(2000, order_2 + finely);
    off.push_back("initial.\"y[2]\"=\"2.01*l\"");
    EXPECT_THROW(static_cast<void>(solved("linked-pendulum", off)), problem_error);
    off.push_back("initial.project=true");
    auto const put = solved("linked-pendulum", off);
    ASSERT_EQ(put.result, outcome::success) << put.message;
    auto const& q = put.position[0];
    EXPECT_NEAR(std::hypot(q[1] - q[0], q[3] - q[2]), 0.1, 1e-12);
}

} // namespace
