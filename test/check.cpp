// What `lento check` finds out about a problem by itself: what is conserved, which frequencies the motion has.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/check.hpp>
#include <lento/problem/run.hpp>

namespace {

std::string sentence_on(std::string const& topic, std::string const& text) {
    auto const found = lento::check_problem(lento::read_problem(text, "test"));
    for (auto const& line : found.lines)
        if (line.topic == topic) return line.sentence;
    return "";
}

std::string two_bodies(std::string const& more) {
    return R"(
[parameters]
a = 1
[system]
kind = "plain"
coordinates = ["x1", "y1", "x2", "y2"]
)" + more +
           R"(
[initial]
x1 = 1
y1 = 0
y2 = 0
x2 = -1
"y1'" = 0.5
"y2'" = -0.4
[time]
end = 2
)";
}

std::string const gravity = "potential = \"-a/hypot(x1 - x2, y1 - y2)\"";

TEST(Conserved, BodiesThatAttractEachOther) {
    EXPECT_EQ(sentence_on("conserved", two_bodies(gravity)),
              "energy, momentum along x, momentum along y, angular momentum in x and y");
}

TEST(Conserved, ACentreKeepsNoMomentum) {
    EXPECT_EQ(sentence_on("conserved", two_bodies("potential = \"-1/hypot(x1, y1) - 1/hypot(x2, y2)\"")),
              "energy, angular momentum in x and y");
}

TEST(Conserved, UnequalMassesInTwoDirectionsDoNotTurn) {
    EXPECT_EQ(sentence_on("conserved", two_bodies(gravity + "\nmass = [1, 2, 1, 1]")),
              "energy, momentum along x, momentum along y");
}

TEST(Conserved, AMagneticForceDoesNoWorkAndFrictionDoes) {
    EXPECT_EQ(sentence_on("conserved", two_bodies(gravity + "\nforce.x1 = \"3*y1'\"\nforce.y1 = \"-3*x1'\"")),
              "energy");
    EXPECT_EQ(sentence_on("conserved", two_bodies("force.x1 = \"-0.001*x1'\"\n" + gravity)), "momentum along y");
}

TEST(Conserved, AForceThatTurnsHasNoPotential) {
    EXPECT_EQ(sentence_on("conserved", two_bodies("force.x1 = \"y1\"\nforce.y1 = \"-1.001*x1\"")),
              "nothing that the force shows");
}

TEST(Conserved, TimeTakesTheEnergyAway) {
    EXPECT_EQ(sentence_on("conserved", two_bodies("potential = \"-(1 + 0.1*t)/hypot(x1 - x2, y1 - y2)\"")),
              "momentum along x, momentum along y, angular momentum in x and y");
}

TEST(Frequencies, OfALinearSystemAreItsNormalModes) {
    // two equal masses, three springs: modes 30 and sqrt(30^2 + 2 k)
    std::string const text = R"(
[system]
kind = "plain"
coordinates = ["x", "y"]
potential = "450*(x^2 + y^2) + 800*(x - y)^2"
[initial]
x = 1
y = 0
[time]
end = 100
)";
    auto const found = sentence_on("fast motion", text);
    auto const at = found.find("strongest first: ");
    ASSERT_NE(at, std::string::npos) << found;
    std::string const numbers = found.substr(at + 17);
    double const first = std::stod(numbers);
    double const second = std::stod(numbers.substr(numbers.find(',') + 1));
    double const fast = std::sqrt(900. + 3200.);
    EXPECT_NEAR(first, fast, 0.01 * fast);
    EXPECT_NEAR(second, 30, 0.3);
}

TEST(Frequencies, OfAVibratedPendulumAreItsVibrationAndItsSlowSwing) {
    std::string const text = R"(
[system]
kind = "vibrated"
coordinates = ["q"]
frequency = 1e5
force.q = "(9.8 + 4e5*cos(theta))*sin(q)/0.2"
[initial]
q = 0.01
[time]
end = 4
)";
    EXPECT_NE(sentence_on("fast motion", text).find("the angular frequency 100"), std::string::npos);
    auto const slow = sentence_on("slow motion", text);
    std::string const words = "the angular frequency ";
    ASSERT_NE(slow.find(words), std::string::npos) << slow;
    // small swings about the upright position: Omega^2 = vmax^2/(2 l^2) - g/l
    double const exact = std::sqrt(16 / (2 * 0.04) - 9.8 / 0.2);
    EXPECT_NEAR(std::stod(slow.substr(slow.find(words) + words.size())), exact, 0.02 * exact);
}

/// Every problem's verdict on every method of its kind is what a run of it says.
TEST(Methods, ApplyAsTheCheckSaysTheyDo) {
    for (auto const& builtin : lento::builtin_problems()) {
        std::string const name(builtin.name);
        auto const what = lento::load_problem(name);
        auto const found = lento::check_problem(what);
        EXPECT_TRUE(found.faults.empty()) << name << ": " << found.faults.front();
        int judged = 0;
        for (auto const& line : found.lines) {
            if (line.topic == "underlying" || line.topic == "stroboscopic" || line.topic == "ipa") {
                auto tried = what;
                tried.method = lento::entry("method", {lento::entry("name", line.topic),
                                                       lento::entry("macro", {lento::entry("max_steps", 3)})});
                bool const does_not = line.sentence.rfind("does not apply", 0) == 0;
                bool const does = line.sentence.rfind("applies", 0) == 0;
                EXPECT_NE(does, does_not) << name << ": " << line.topic << " " << line.sentence;
                ++judged;
                if (!does) continue;
                EXPECT_NE(lento::exit_code(lento::run_problem(tried).result), 5) << name << ": " << line.topic;
            }
            if (line.topic == "direct") {
                bool const slow = what.given == lento::initial_state::slow;
                EXPECT_EQ(line.sentence.rfind("does not apply", 0) == 0, slow) << name << ": " << line.sentence;
                ++judged;
            }
        }
        EXPECT_GE(judged, 2) << name;
    }
}

/// Rows with the fast motion in them cost evaluations: those are counted that the file asks for.
TEST(Methods, AreCountedAsTheyRun) {
    for (std::string const report : {"slow", "full"}) {
        auto const what = lento::load_problem("vibrated-pendulum", {"time.report=" + report});
        auto const run = lento::run_problem(what);
        std::string said;
        for (auto const& line : lento::check_problem(what).lines)
            if (line.topic == "auto") said = line.sentence;
        EXPECT_NE(said.find("with " + std::to_string(run.statistics.force_evaluations) + " force evaluations"),
                  std::string::npos)
            << report << ": " << said << ", and " << run.statistics.force_evaluations;
    }
}

TEST(Methods, AreSuggestedAsAFileHasThem) {
    std::string const text = R"toml(
[system]
kind = "stiff"
coordinates = ["x", "y"]
potential = "(x + y)^2/2"
stiff = [{ g = "x - y - 1", omega = 1000 }]
[initial]
x = 1
y = 0
[time]
end = 2
)toml";
    for (std::string const method : {"hmm", "ipa", "limit", "adiabatic", "shake", "rattle", "deuflhard", "gautschi",
                                     "impulse", "mollified-impulse"}) {
        auto const sentence = sentence_on(method, text);
        ASSERT_EQ(sentence.rfind("applies", 0), 0U) << method << ": " << sentence;
        auto const at = sentence.find(": ");
        ASSERT_NE(at, std::string::npos) << sentence;
        std::string const tables = "{ name = '" + method + "', " + sentence.substr(at + 2) + " }";
        auto const run = lento::run_problem(lento::read_problem(text, "test", {"method=" + tables}));
        EXPECT_EQ(run.result, lento::outcome::success) << tables << ": " << run.message;
    }
    EXPECT_EQ(sentence_on("others", text), "for other kinds of systems: backward-forward, stroboscopic, flavors");
}

// ---- what may be meant ----

std::string driven(std::string const& kind, std::string const& force, std::string const& more = "") {
    return "[parameters]\nomega = 1e4\n[system]\nkind = \"" + kind + "\"\ncoordinates = [\"q\"]\n" +
           (kind == "vibrated" ? "frequency = \"omega\"\n" : "") + "force.q = \"" + force + "\"\n" + more +
           "[initial]\nq = 0.5\n[time]\nend = 1\n";
}
TEST(Driving, ByTimeInTheStepOfThetaIsNoticed) {
    for (std::string const force : {"(9.8 + 4*omega*cos(omega*t))*sin(q)", "-q + omega*cos(theta)*q + sin(3 + 1e4*t)",
                                    "cos(theta)*q - 2*cos(2*omega*t - q)"}) {
        auto const what = lento::read_problem(driven("vibrated", force), "test");
        ASSERT_EQ(what.notices.size(), 1U) << force;
        EXPECT_NE(what.notices[0].find("is theta meant?"), std::string::npos) << what.notices[0];
        EXPECT_NE(sentence_on("driving", driven("vibrated", force)).find("is theta meant?"), std::string::npos);
    }
    // slow sines of t, and other functions of it, are what they are
    for (std::string const force : {"omega*cos(theta)*q + sin(3*t)", "omega*cos(theta)*q*exp(-t)",
                                    "omega*cos(theta)*sin(q)", "omega*cos(theta)*q - q*sin(omega*q*t)"})
        EXPECT_TRUE(lento::read_problem(driven("vibrated", force), "test").notices.empty()) << force;
}
TEST(Driving, OfAPlainSystemIsNamed) {
    auto const said = sentence_on("driving", driven("plain", "(9.8 + 4*omega*cos(omega*t))*sin(q)"));
    EXPECT_NE(said.find("frequencies 10000;"), std::string::npos) << said;
    EXPECT_NE(said.find("kind = \"vibrated\""), std::string::npos) << said;
    EXPECT_EQ(sentence_on("driving", driven("plain", "-q")), "");
}
TEST(Driving, FastFrequenciesOfPlainSystemsAreNamed) {
    auto const said = sentence_on("fast frequency", driven("plain", "-omega^2*q - q^3"));
    EXPECT_NE(said.find("frequency = "), std::string::npos) << said;
    EXPECT_EQ(sentence_on("fast frequency", driven("plain", "-q")), "");
}

TEST(Methods, WithoutANameAreTriedToo) {
    auto const found =
        lento::check_problem(lento::load_problem("double-well", {"method.macro={ scheme = 'shake', step = 0.1 }"}));
    EXPECT_FALSE(found.lines.empty());
}

TEST(Methods, ThatDoNotApplySayWhy) {
    std::string const text = R"toml(
[system]
kind = "stiff"
coordinates = ["x", "y"]
force.x = "-0.1*x'"
stiff = [{ g = "hypot(x, y) - 1", omega = 1000 }]
[initial]
x = 1.5
y = 0
[time]
end = 2
)toml";
    EXPECT_EQ(sentence_on("gautschi", text), "does not apply: the force depends on the velocity");
    EXPECT_NE(sentence_on("rattle", text)
                  .find("does not apply: The initial position does not meet the constraints: "
                        "constraint 1 is 0.5"),
              std::string::npos);
}

} // namespace
