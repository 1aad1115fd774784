// Results do not depend on the units in which lengths are given: ions move by micrometres.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/problem/check.hpp>

namespace {

using namespace lento;
using namespace lento_test;

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

/// With lengths in units of s, in which everything is 1/s times as large.
std::string pendulum(double s, double omega) {
    return "[parameters]\ns = " + number(s) + "\nomega = " + number(omega) +
           "\n[system]\nkind = \"vibrated\"\ncoordinates = [\"q\"]\nfrequency = \"omega\"\nphase = 0.4\n"
           "force.q = \"s*(5 + 4*omega*cos(theta))*sin(q/s)\"\n"
           "[initial]\nq = \"0.5*s\"\n\"q'\" = \"2*s\"\n[time]\nend = 1\noutput = 5\nreport = \"full\"\n";
}
std::string oscillator(double s) {
    return "[parameters]\ns = " + number(s) +
           "\n[system]\nkind = \"split\"\nvariables = [\"x\", \"v\"]\nepsilon = 0.01\nperiod = \"2*pi\"\n"
           "fast.x = \"v\"\nfast.v = \"-x\"\nslow.v = \"(1 - (x/s)^2)*v + 0.3*x^2/s\"\n"
           "[initial]\nx = \"0.5*s\"\nv = \"0.3*s\"\n[time]\nend = 1\noutput = 5\nreport = \"full\"\n";
}

template <class Text> void expect_the_same(Text text, std::string const& method, double within) {
    auto const in = [&](double s) { return solved_text(text(s) + "[method]\n" + method); };
    auto const usual = in(1);
    ASSERT_EQ(usual.result, outcome::success) << usual.message;
    for (double const s : {1e-9, 5e-6, 1e6}) {
        auto const scaled = in(s);
        ASSERT_EQ(scaled.result, outcome::success) << method << ": " << scaled.message;
        ASSERT_EQ(scaled.t.size(), usual.t.size());
        for (std::size_t k = 0; k < usual.t.size(); ++k)
            for (std::size_t i = 0; i < usual.position[k].size(); ++i)
                EXPECT_NEAR(scaled.position[k][i] / s, usual.position[k][i], within) << method << ", s = " << s;
    }
}

TEST(Units, DoNotMatterToTheSpectralMean) {
    for (auto const* order : {"0", "2", "4"})
        expect_the_same([](double s) { return pendulum(s, 200); },
                        "name = \"hmm\"\nwindow = { kernel = \"picard\", order = " + std::string(order) +
                            " }\nmacro = { scheme = \"rk4\", step = 0.02 }\n",
                        2e-9);
}
TEST(Units, DoNotMatterToWindows) {
    expect_the_same([](double s) { return pendulum(s, 5000); },
                    "name = \"hmm\"\nwindow = { kernel = \"exponential\", periods = 20 }\nstart = \"synchronous\"\n"
                    "macro = { scheme = \"rk4\", step = 0.1 }\n",
                    1e-8);
}
TEST(Units, DoNotMatterToFastFlows) {
    for (auto const* order : {"0", "2"})
        expect_the_same(oscillator,
                        "name = \"hmm\"\nwindow = { kernel = \"picard\", order = " + std::string(order) +
                            " }\nmacro = { scheme = \"rk4\", step = 0.02 }\n",
                        1e-10);
}

/// Two ions that are micrometres apart: derivatives along differences of a metre would see another trap.
TEST(Units, DoNotMatterToChecks) {
    std::string const trap = "[system]\nkind = \"plain\"\ncoordinates = [\"x\", \"y\"]\n"
                             "potential = \"(x^2 + y^2)/2 + 1.6e-16/abs(x - y)\"\n"
                             "[initial]\nx = 5e-6\ny = -4e-6\n[time]\nend = 10\n";
    auto const found = check_problem(read_problem(trap, "trap", {}));
    EXPECT_TRUE(found.faults.empty()) << found.faults.front();
    std::string kept;
    for (auto const& line : found.lines)
        if (line.topic == "conserved" || line.sentence.find("energy") != std::string::npos) kept += line.sentence;
    EXPECT_NE(kept.find("energy"), std::string::npos);
}

} // namespace
