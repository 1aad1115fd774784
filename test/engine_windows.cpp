// Windows in one compiled piece: the bits and counts of the loop in C++, for every way a window can start.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/lento.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;

/// The same run with two engines.
struct pair_of_runs {
    problem_run bytecode, llvm;
    pair_of_runs(std::string const& text, problem_settings settings) {
        settings.emplace_back("method.engine=bytecode");
        bytecode = run_problem(read_problem(text, "test", settings));
        settings.back() = "method.engine=llvm";
        llvm = run_problem(read_problem(text, "test", settings));
    }
};

void expect_equal(pair_of_runs const& runs, std::string const& what) {
    auto const& [a, b] = runs;
    EXPECT_EQ(name(a.result), name(b.result)) << what;
    EXPECT_EQ(a.message, b.message) << what;
    EXPECT_EQ(a.t, b.t) << what;
    EXPECT_EQ(a.position, b.position) << what;
    EXPECT_EQ(a.velocity, b.velocity) << what;
    for (auto const& each : statistics::counts())
        EXPECT_EQ(a.statistics.*each.member, b.statistics.*each.member) << what << ": " << each.name;
    EXPECT_EQ(a.warnings.size(), b.warnings.size()) << what;
}
void expect_equal_success(pair_of_runs const& runs, std::string const& what) {
    EXPECT_EQ(runs.bytecode.result, outcome::success) << runs.bytecode.message << what;
    expect_equal(runs, what);
}

/// Only for builds and machines that have LLVM: there is nothing to compare otherwise.
class CompiledWindow : public testing::Test {
protected:
    void SetUp() override {
        if (!expression::llvm_is_there()) GTEST_SKIP() << "LLVM is not there";
    }
};

std::string system(std::string const& body, std::string const& more = "") {
    return "[parameters]\nomega = 1e4\n[system]\nkind = \"vibrated\"\n" + body + "\n[time]\nend = 0.5\noutput = 6\n" +
           more +
           "\n[method]\nname = \"hmm\"\nmacro = { scheme = \"rk4\", step = 0.0625 }\n"
           "micro = { scheme = \"verlet\", steps_per_period = 20 }\n";
}
std::string const pendulum = "coordinates = [\"q\"]\nfrequency = \"omega\"\n"
                             "force.q = \"(9.8 + 4*omega*cos(theta)) * sin(q) / 0.2\"\n[initial]\nq = 0.5";
std::string const smooth = "window = { kernel = \"exponential\", periods = 12, unchecked = true }\n";

TEST_F(CompiledWindow, GivesTheSameBitsForEveryStart) {
    for (auto const* start : {"asynchronous", "centred", "synchronous"})
        for (auto const* scheme : {"verlet", "rk4"})
            expect_equal_success({system(pendulum) + smooth,
                                  {std::string("method.start=") + start, std::string("method.micro.scheme=") + scheme}},
                                 std::string(start) + scheme);
    expect_equal_success({system(pendulum) + "window = { kernel = \"one-period\" }\n", {}}, "one period");
    expect_equal_success({system(pendulum) + smooth, {"method.micro.scheme=verlet-fitted"}}, "fitted");
}

TEST_F(CompiledWindow, GivesTheSameBitsForEveryForce) {
    std::vector<std::string> const systems{
        // not even: both sides run
        "coordinates = [\"x\", \"y\"]\nfrequency = \"omega\"\nphase = 0.3\n"
        "force.x = \"omega*cos(theta)*x - y + sin(t)\"\nforce.y = \"-y^3 + 0.5*omega*sin(theta)*x\"\n[initial]\nx = "
        "0.3\ny = 0.1",
        "coordinates = [\"x\", \"y\"]\nfrequency = \"omega\"\nmass = 2.5\n"
        "force.x = \"omega*cos(theta)*x - y\"\nforce.y = \"-y^3\"\n[initial]\nx = 0.3\ny = 0.1",
        "coordinates = [\"x\", \"y\"]\nfrequency = \"omega\"\nmass = [1, 3]\n"
        "force.x = \"omega*cos(theta)*x - y\"\nforce.y = \"-y^3\"\n[initial]\nx = 0.3\ny = 0.1",
        "coordinates = [\"x\", \"y\"]\nfrequency = \"omega\"\nmass = [[2, 1], [1, 2]]\n"
        "force.x = \"omega*cos(theta)*x - y\"\nforce.y = \"-y^3\"\n[initial]\nx = 0.3\ny = 0.1",
        "coordinates = [\"x\"]\nfrequencies = [\"omega\", \"1.4*omega\"]\n"
        "force.x = \"omega*(cos(theta1) + 0.5*cos(theta2))*x - x\"\n[initial]\nx = 0.3",
        "coordinates = [\"x[1..30]\"]\nfrequency = \"omega\"\n"
        "define.\"x[0]\" = \"0\"\ndefine.\"x[31]\" = \"0\"\n"
        "potential = \"sum(i, 0, 30, (x[i+1]-x[i])^2/2 + (x[i+1]-x[i])^4/4)\"\n"
        "force.\"x[i]\" = \"0.1*omega*cos(theta)*x[i]\"\n[initial]\n\"x[i]\" = \"0.1 + i/100\""};
    for (auto const& each : systems)
        for (auto const* start : {"asynchronous", "centred", "synchronous"})
            for (auto const* scheme : {"verlet", "rk4"})
                expect_equal_success(
                    {system(each) + smooth,
                     {std::string("method.start=") + start, std::string("method.micro.scheme=") + scheme}},
                    each + "\n" + start + scheme);
}

TEST_F(CompiledWindow, GivesTheSameBitsForForcesOfTheVelocity) {
    std::string const rubbed = "coordinates = [\"x\", \"y\"]\nfrequency = \"omega\"\n"
                               "force.x = \"omega*cos(theta)*x - y - 0.3*x'\"\nforce.y = \"-y^3 + x*y'\"\n[initial]\nx "
                               "= 0.3\ny = 0.1";
    for (auto const* scheme : {"verlet", "rk4"})
        expect_equal_success(
            {system(rubbed) + smooth + "start = \"synchronous\"\n", {std::string("method.micro.scheme=") + scheme}},
            "with friction");
    std::string const chain = "coordinates = [\"x[1..20]\"]\nfrequency = \"omega\"\n"
                              "force.\"x[i]\" = \"0.1*omega*cos(theta)*x[i] - 0.2*x[i]'\"\n[initial]\n\"x[i]\" = "
                              "\"0.1 + i/100\"";
    expect_equal_success({system(chain) + smooth + "start = \"synchronous\"\n", {}}, "a family with friction");
    expect_equal_success({system(pendulum).replace(system(pendulum).find("[initial]"), 0,
                                                   "slow_velocity.q = \"q' - 20*sin(theta)*sin(q)\"\n") +
                              smooth + "start = \"synchronous\"\n",
                          {}},
                         "with a given slow velocity");
}

/// A force that becomes infinite or is not a number ends both runs with the same words.
TEST_F(CompiledWindow, FailsWithTheSameWords) {
    for (auto const* force :
         {"log(0.4 - q)", "1/(q - 0.5)", "exp(1000*q)*1e300", "sqrt(cos(theta)) + q", "omega^2*sqrt(0.6 - q)"}) {
        pair_of_runs const runs(system(std::string("coordinates = [\"q\"]\nfrequency = \"omega\"\nforce.q = \"") +
                                       force + "\"\n[initial]\nq = 0.5\nstate = \"slow\"") +
                                    smooth + "start = \"asynchronous\"\n",
                                {});
        expect_equal(runs, force);
        EXPECT_NE(runs.llvm.result, outcome::success) << force;
    }
}

TEST_F(CompiledWindow, IsTheLoopInCxxWithTheSameForce) {
    double const omega = 1e4;
    auto const model = vibrated<1>({.frequency = omega}, [=](auto const& q, auto theta) {
        return 5.0 * ((9.8 + 4.0 * omega * std::cos(theta)) * std::sin(q[0]));
    });
    window const view{.kernel = exponential{}, .periods = 12, .steps_per_period = 20, .unchecked = true};
    auto const code = solve(effective(model, asynchronous{view}), rk4{.step = 0.0625}, {.position = {0.5}},
                            {.end = 0.5, .output_count = 6});
    pair_of_runs const runs(system(pendulum) + smooth + "start = \"asynchronous\"\n", {});
    ASSERT_EQ(runs.llvm.position.size(), code.position.size());
    for (std::size_t row = 0; row < code.position.size(); ++row)
        EXPECT_EQ(runs.llvm.position[row][0], code.position[row][0]);
    EXPECT_EQ(runs.llvm.statistics.force_evaluations, code.statistics.force_evaluations);
}

TEST(EngineChoice, IsReadAndRefused) {
    auto const with = [](std::string const& engine) {
        return read_problem(system(pendulum), "test", {"method.engine=" + engine});
    };
    EXPECT_EQ(run_problem(with("bytecode")).used("engine")->text, "bytecode");
    EXPECT_EQ(run_problem(read_problem(system(pendulum), "test")).used("engine")->text, "auto");
    try {
        with("lvm");
        FAIL() << "an unknown engine was let through";
    } catch (problem_error const& error) {
        EXPECT_NE(std::string(error.what()).find("There is no engine \"lvm\"."), std::string::npos) << error.what();
    }
    if (expression::llvm_is_there()) {
        EXPECT_EQ(run_problem(with("llvm")).used("engine")->text, "llvm");
        return;
    }
    EXPECT_THROW(with("llvm"), problem_error);
}

} // namespace
