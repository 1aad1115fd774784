// Results do not depend on where the origin of the coordinates is: a position of zero has no size to judge anything by.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/lento.hpp>

namespace {

using namespace lento;
using namespace lento_test;

/// The largest difference beside the size of the motion, of a problem with the origin at its start, and elsewhere.
template <class Text> double moved_by(Text const& text, double c) {
    auto const here = solved_text(text("0"));
    auto const there = solved_text(text(std::to_string(c)));
    EXPECT_EQ(here.result, outcome::success) << here.message;
    EXPECT_EQ(there.result, outcome::success) << there.message;
    double most = 0;
    for (std::size_t k = 0; k < std::min(here.t.size(), there.t.size()); ++k)
        for (std::size_t i = 0; i < here.position[k].size(); ++i)
            most = std::max(most, std::abs(here.position[k][i] - (there.position[k][i] - c)));
    return most;
}

/// The tolerance is a relative one, so the shift costs a factor.
TEST(Origin, MayBeTheStartOfHardSprings) {
    for (auto const* omega : {"300", "1e4", "1e6"}) {
        auto const pendulum = [&](std::string const& c) {
            return "[parameters]\nw = " + std::string(omega) + "\nc = " + c +
                   "\n[system]\nkind = \"stiff\"\ncoordinates = [\"u\", \"v\"]\nforce.v = \"-1\"\n"
                   "stiff = [{ g = \"sqrt((u-c+1)^2 + (v-c)^2) - 1\", omega = \"w\" }]\n"
                   "[initial]\nu = \"c\"\nv = \"c\"\n[time]\nend = 2\noutput = 3\n"
                   "[accuracy]\nrtol = 1e-8\natol = 1e-13\n";
        };
        EXPECT_LT(moved_by(pendulum, 1), 3e-8) << omega;
    }
}
TEST(Origin, MayLieOnAConstraint) {
    for (auto const* radius : {"0.1", "0.3", "0.7", "1.1"}) {
        auto const circle = [&](std::string const& c) {
            return "[parameters]\nr = " + std::string(radius) + "\nc = " + c +
                   "\n[system]\nkind = \"constrained\"\ncoordinates = [\"x\", \"y\"]\nforce.y = \"-1\"\n"
                   "constraints = [\"(x-c+r)^2 + (y-c)^2 - r^2\"]\n[initial]\nx = \"c\"\ny = \"c\"\n"
                   "[time]\nend = 1\noutput = 3\n";
        };
        EXPECT_LT(moved_by(circle, 2), 1e-5) << radius;
    }
}
/// A start that misses its constraints is refused there too, linear ones included.
TEST(Origin, ExcusesNoStartThatMissesAConstraint) {
    auto const at = [](char const* x, char const* y) {
        return solved_text("[system]\nkind = \"constrained\"\ncoordinates = [\"x\", \"y\"]\nforce.x = \"-x\"\n"
                           "constraints = [\"y\"]\n[initial]\nx = " +
                           std::string(x) + "\ny = " + y + "\n[time]\nend = 1\noutput = 2\n");
    };
    EXPECT_EQ(at("1", "1e-15").result, outcome::success);
    EXPECT_THROW(static_cast<void>(at("1", "1e-8")), problem_error);
    EXPECT_THROW(static_cast<void>(at("1e-10", "1e-11")), problem_error);
}
TEST(Origin, MayLieOnASurface) {
    for (auto const* scheme : {"lobatto4", "rattle"}) {
        auto const bead = [&](std::string const& c) {
            return "[parameters]\nc = " + c +
                   "\n[system]\nkind = \"constrained\"\ncoordinates = [\"x\", \"y\", \"z\"]\nforce.z = \"-9.81\"\n"
                   "force.x = \"0.1\"\nconstraints = [\"z-c - 0.1*sin(3*(x-c)) + 0.05*(y-c)\"]\n"
                   "[initial]\nx = \"c\"\ny = \"c\"\nz = \"c\"\n[time]\nend = 2\noutput = 3\n[method]\n" +
                   (std::string(scheme) == "rattle"
                        ? "name = \"rattle\"\nmacro = { step = 1e-4 }\n"
                        : "name = \"direct\"\nmacro = { scheme = \"lobatto4\", rtol = 1e-8, atol = 1e-10 }\n");
        };
        EXPECT_LT(moved_by(bead, 1), 1e-6) << scheme;
    }
}

/// In any units of time, where the start is at rest at the origin or passes through it.
TEST(Origin, LeavesTheSpacingOfLoadsItsTime) {
    auto const pair = [](double unit) {
        return solved_text("[parameters]\nT = " + std::to_string(unit) +
                           "\n[system]\nkind = \"stiff\"\ncoordinates = [\"a\", \"b\"]\nforce.a = \"-sin(a)/T^2\"\n"
                           "force.b = \"(-3*sin(b) - 0.5*b^2)/T^2\"\n"
                           "stiff = [{ g = \"b - a + 0.2*a^2\", omega = \"40/T\" }]\n"
                           "[initial]\na = 0\nb = 0\n\"a'\" = \"1/T\"\n\"b'\" = \"1/T\"\nstate = \"slow\"\n"
                           "[time]\nend = \"5*T\"\noutput = 3\n[method]\nname = \"limit\"\norder = 2\n"
                           "macro = { scheme = \"dop853\", rtol = 1e-8, atol = 1e-10 }\n");
    };
    auto const usual = pair(1);
    ASSERT_EQ(usual.result, outcome::success) << usual.message;
    EXPECT_FALSE(warns_of(usual, "no_scale_separation"));
    for (double const unit : {1e-3, 1e4}) {
        auto const other = pair(unit);
        ASSERT_EQ(other.result, outcome::success) << other.message;
        EXPECT_FALSE(warns_of(other, "no_scale_separation")) << unit;
        EXPECT_NEAR(other.position.back()[0], usual.position.back()[0], 1e-7) << unit;
    }
}
TEST(Origin, IsNoSignOfInstability) {
    for (auto const* size : {"1", "1e-10", "1e8"}) {
        auto const run = solved_text("[parameters]\ns = " + std::string(size) +
                                     "\n[system]\nkind = \"plain\"\ncoordinates = [\"x\"]\n"
                                     "force.x = \"-x - (x/s)^3*s\"\n[initial]\nx = 0\n\"x'\" = \"0.1*s\"\n"
                                     "[time]\nend = 20\noutput = 3\n[method]\nname = \"direct\"\n"
                                     "macro = { scheme = \"stormer6\", step = 0.05 }\n");
        EXPECT_EQ(run.result, outcome::success) << run.message;
    }
}

TEST(BackwardTime, CostsAdaptiveLobattoNoMoreThanForwardTime) {
    auto const system = constrain(plain<2>([](auto const&, auto) { return std::array{0., -9.8}; }),
                                  constraints<1>([](auto const& q) { return q[0] * q[0] + q[1] * q[1] - 1.; }));
    adaptive_lobatto4 const stepper{.rtol = 1e-7, .atol = 1e-7};
    auto const forth = solve(system, stepper, {{1, 0}, {0, 0}}, {.end = 3});
    ASSERT_TRUE(forth) << forth.message;
    auto const back = solve(system, stepper, {forth.position.back(), forth.velocity.back()}, {.start = 3, .end = 0});
    ASSERT_TRUE(back) << back.message;
    EXPECT_LT(back.statistics.force_evaluations, 1.3 * static_cast<double>(forth.statistics.force_evaluations));
    EXPECT_NEAR(back.position.back()[0], 1, 1e-5);
    EXPECT_NEAR(back.position.back()[1], 0, 1e-5);
}

} // namespace
