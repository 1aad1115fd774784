// Options as plain data: read, written, set, listed, and described by a schema.

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "io/document.hpp"
#include "program_run.hpp"

#include <lento/lento.hpp>
#include <lento/problem/choice.hpp>
#include <lento/problem/entry.hpp>
#include <lento/problem/fields.hpp>
#include <lento/problem/problem_error.hpp>
#include <lento/problem/window_kernels.hpp>

namespace toy {

using lento::option;

// ---- a table of rows ----

struct hare {
    double speed = 7;
    std::optional<double> step;
    static constexpr auto options() {
        return std::tuple{option{"speed", &hare::speed, "how fast it runs", lento::positive, "length per time"},
                          option{"step", &hare::step, "the length of a leap", lento::positive, "length"}};
    }
};
struct tortoise {
    double step = 0; // it has none of its own
    int legs = 4;
    static constexpr auto options() {
        return std::tuple{option{"step", &tortoise::step, "the length of a step", lento::positive, "length"},
                          option{"legs", &tortoise::legs, "how many it uses", lento::between(1, 4)}};
    }
};
struct snail {
    static constexpr auto options() { return std::tuple{}; }
};
using runner = std::variant<hare, tortoise, snail>;

struct row {
    std::string_view name;
    std::string_view sentence;
    runner (*make)();
};
std::span<row const> runners() {
    static constexpr std::array<row, 3> all{{{"hare", "sleeps on the way", [] { return runner(hare{}); }},
                                             {"tortoise", "arrives", [] { return runner(tortoise{}); }},
                                             {"snail", "needs nothing", [] { return runner(snail{}); }}}};
    return all;
}
std::span<row const> slow_runners() { return runners().subspan(1); }
std::string_view name(runner const& which) { return runners()[which.index()].name; }
using runner_choice = lento::choice_of<runners>;

// ---- options of every type ----

enum class weather { sun, rain, snow };
constexpr std::array<std::string_view, 3> names_of(weather) { return {"sun", "rain", "snow"}; }
constexpr bool lacks(weather which) { return which == weather::snow; }

struct course {
    runner_choice runner;
    std::uint64_t max_steps = 1000;
    static constexpr auto options() {
        return std::tuple{option{"runner", &course::runner, "who runs"},
                          option{"max_steps", &course::max_steps, "more of them end the race", lento::at_least(1)}};
    }
};
struct prize {
    double worth = 10;
    std::string what = "a cup";
    static constexpr auto options() {
        return std::tuple{option{"worth", &prize::worth, "what it costs", lento::not_negative, "money"},
                          option{"what", &prize::what, "what it is"}};
    }
};
struct race {
    course first;
    lento::choice_of<slow_runners, runners> guest;
    std::optional<prize> reward;
    std::optional<toy::weather> forecast;
    toy::weather weather = toy::weather::sun;
    std::optional<int> laps;
    std::optional<bool> open;
    bool timed = true;
    std::vector<double> stops;
    lento::number_by_name handicap{0, {}};
    double longest = std::numeric_limits<double>::infinity();
    static constexpr auto options() {
        return std::tuple{option{"first", &race::first, "the first course"},
                          option{"guest", &race::guest, "who runs along"},
                          option{"reward", &race::reward, "what there is to win"},
                          option{"forecast", &race::forecast, "the weather that is expected"},
                          option{"weather", &race::weather, "the weather there is"},
                          option{"laps", &race::laps, "how many", lento::at_least(1)},
                          option{"open", &race::open, "whether everybody may run"},
                          option{"timed", &race::timed, "whether a clock runs"},
                          option{"stops", &race::stops, "where there is water", lento::not_negative, "length"},
                          option{"handicap", &race::handicap, "what the good ones carry", lento::not_negative, "mass"},
                          option{"longest", &race::longest, "a longer race is ended", lento::positive, "time"}};
    }
};

} // namespace toy

namespace {

using lento::entry;
using lento::fields_of;
using toy::race;

std::string written(race what) { return to_inline_toml(write(lento::fields_of(what))); }

/// What is said about a table, or what was read.
std::string answer(entry const& table, lento::number_reader const& formula = {}) {
    race what;
    try {
        read(table, lento::fields_of(what), formula, "race.toml");
    } catch (lento::problem_error const& error) { return error.what(); }
    return written(what);
}
std::string answer(std::string_view json) { return answer(lento::from_json(json)); }

/// A table with a kernel.
struct kernel_table {
    lento::kernel_choice kernel{};
    static constexpr auto options() { return std::tuple{lento::option{"kernel", &kernel_table::kernel, "the filter"}}; }
    [[nodiscard]] entry written() const {
        kernel_table copy = *this;
        return write(fields_of(copy));
    }
};

// ---- reading and writing ----

TEST(Options, WriteWhatIsGivenAndLeaveOutWhatIsOpen) {
    EXPECT_EQ(written({}),
              "{ first = { max_steps = 1000 }, weather = \"sun\", timed = true, stops = [], handicap = 0 }");
}

TEST(Options, ReadEveryTypeOfMember) {
    std::string const given =
        R"({"first": {"runner": "tortoise", "step": 0.25, "legs": 3, "max_steps": 7}, "guest": "snail",)"
        R"( "reward": {"worth": 2, "what": "a \"pot\""}, "forecast": "rain", "weather": "rain", "laps": 3, "open": false,)"
        R"( "timed": false, "stops": [1, 2.5], "handicap": {"hare": 1.5}, "longest": 1e3})";
    EXPECT_EQ(
        answer(given),
        R"({ first = { runner = "tortoise", step = 0.25, legs = 3, max_steps = 7 }, guest = "snail", )"
        R"(reward = { worth = 2, what = "a \"pot\"" }, forecast = "rain", weather = "rain", laps = 3, open = false, )"
        R"(timed = false, stops = [1, 2.5], handicap = { hare = 1.5 }, longest = 1000 })");
}

TEST(Options, ReadBackWhatTheyWrite) {
    race what;
    what.first.runner = toy::hare{.speed = 1. / 3, .step = 1e-300};
    what.guest = toy::tortoise{.step = 2};
    what.reward = toy::prize{};
    what.laps = 5;
    what.stops = {0.1, 1e17, 3};
    entry const once = write(fields_of(what));
    race again;
    read(once, fields_of(again));
    EXPECT_TRUE(same_values(write(fields_of(again)), once)) << to_json(once);
    EXPECT_EQ(std::get<toy::hare>(*again.first.runner.value).speed, 1. / 3);
}

TEST(Options, TakeARowWithItsOwnDefaultsWhenItIsNamed) {
    race what;
    what.first.runner = toy::tortoise{.step = 1, .legs = 2};
    read(lento::from_json(R"({"first": {"step": 3}})"), fields_of(what));
    EXPECT_EQ(std::get<toy::tortoise>(*what.first.runner.value).legs, 2); // it was not named: what there was stays
    read(lento::from_json(R"({"first": {"step": 3, "runner": "tortoise"}})"), fields_of(what));
    EXPECT_EQ(std::get<toy::tortoise>(*what.first.runner.value).legs, 4);
    EXPECT_EQ(std::get<toy::tortoise>(*what.first.runner.value).step, 3);
}

TEST(Options, TakeTrueForATableWithItsDefaults) {
    EXPECT_NE(answer(R"({"reward": true})").find("reward = { worth = 10, what = \"a cup\" }"), std::string::npos);
    EXPECT_EQ(answer(R"({"reward": false})"), answer("{}"));
    EXPECT_EQ(answer(R"({"reward": 3})"), "race.toml: reward: A table of keys is expected here, but this is a number.");
}

TEST(Options, TakeFormulasForNumbers) {
    auto const parameters = [](std::string_view formula) { return formula == "2*n" ? 8. : std::nan(""); };
    entry const table({}, {entry("laps", "2*n")});
    EXPECT_NE(answer(table, parameters).find("laps = 8"), std::string::npos);
    EXPECT_NE(answer(R"({"first": {"runner": "hare", "speed": "1/8"}})").find("speed = 0.125"), std::string::npos);
    EXPECT_EQ(answer(R"({"laps": "2*m"})").rfind("race.toml: laps: The name m is not known here.", 0), 0U)
        << answer(R"({"laps": "2*m"})");
    EXPECT_NE(answer(R"({"laps": "2*m"})").find("\n    2*m\n      ^"), std::string::npos);
}

// ---- what is said about wrong tables ----

TEST(WrongOption, IsToldWithItsPlaceAndTheNearestName) {
    EXPECT_EQ(answer(R"({"lapse": 1})"),
              "race.toml: lapse: The key \"lapse\" is not known here. Is \"laps\" meant? Known are first, guest, "
              "reward, forecast, weather, laps, open, timed, stops, handicap, longest.");
    EXPECT_EQ(answer(R"({"first": {"runner": "tortose"}})"),
              "race.toml: first.runner: There is no runner \"tortose\". Is \"tortoise\" meant? Known are hare, "
              "tortoise, snail.");
    EXPECT_EQ(answer(R"({"weather": "ran"})"),
              "race.toml: weather: There is no weather \"ran\". Is \"rain\" meant? Known are sun, rain.");
    EXPECT_EQ(answer(R"({"weather": "snow"})"),
              "race.toml: weather: This program does not have the weather \"snow\". It has sun, rain.");
    EXPECT_EQ(answer(R"({"guest": "hare"})"),
              "race.toml: guest: The guest \"hare\" cannot be used here. Known are tortoise, snail.");
}

TEST(WrongOption, OfAnotherRowIsToldWhereItBelongs) {
    EXPECT_EQ(answer(R"({"first": {"runner": "snail", "legs": 1}})"),
              "race.toml: first.legs: The key \"legs\" is not known here. Known are runner, max_steps. It belongs to "
              "the runner tortoise.");
    EXPECT_EQ(answer(R"({"first": {"step": 1}})"),
              "race.toml: first.step: The key \"step\" belongs to a runner: give its name too, as in runner = "
              "\"tortoise\".");
}

TEST(WrongOption, OfATableThatIsNamedIsToldByTheTablesName) {
    struct runner_table {
        toy::runner_choice name;
        static constexpr auto options() { return std::tuple{lento::option{"name", &runner_table::name, "who runs"}}; }
    } table;
    auto const said = [&](std::string_view json) {
        entry given = lento::from_json(json);
        given.path = "race.runner";
        try {
            read(given, fields_of(table));
        } catch (lento::problem_error const& error) { return std::string(error.what()); }
        return std::string();
    };
    EXPECT_EQ(said(R"({"name": "snial"})"),
              "race.runner.name: There is no runner \"snial\". Known are hare, tortoise, snail.");
    EXPECT_EQ(said(R"({"name": "hare", "legs": 2})"),
              "race.runner.legs: The key \"legs\" is not known here. Known are name, speed, step. It belongs to the "
              "runner tortoise.");
}

TEST(WrongOption, IsToldWhatWouldBeRight) {
    EXPECT_EQ(answer(R"({"first": {"runner": "tortoise", "step": -4}})"),
              "race.toml: first.step: step must be positive, but it is -4.");
    EXPECT_EQ(answer(R"({"first": {"runner": "tortoise", "step": 1, "legs": 5}})"),
              "race.toml: first.legs: legs must be between 1 and 4, but it is 5.");
    EXPECT_EQ(answer(R"({"laps": 0})"), "race.toml: laps: laps must be at least 1, but it is 0.");
    EXPECT_EQ(answer(R"({"laps": 1.5})"), "race.toml: laps: A whole number is expected here, but this is 1.5.");
    EXPECT_EQ(answer(R"({"laps": 1e12})"), "race.toml: laps: laps must be at most 2147483647, but it is 1e+12.");
    EXPECT_EQ(answer(R"({"laps": null})"), "race.toml: laps: A finite number is expected here, but this is nan.");
    EXPECT_EQ(answer(R"({"laps": []})"),
              "race.toml: laps: A number, or a formula of the parameters, is expected here, but this is a list.");
    EXPECT_EQ(answer(R"({"timed": 1})"), "race.toml: timed: true or false is expected here, but this is a number.");
    EXPECT_EQ(answer(R"({"guest": 1})"), "race.toml: guest: A text in quotes is expected here, but this is a number.");
    EXPECT_EQ(answer(R"({"stops": [1, -2]})"), "race.toml: stops[2]: stops must be at least 0, but it is -2.");
    EXPECT_EQ(answer(R"({"handicap": {"hare": -1}})"),
              "race.toml: handicap.hare: handicap must be at least 0, but it is -1.");
    EXPECT_EQ(answer(R"({"first": {"runner": "tortoise"}})"),
              "race.toml: first: The runner tortoise needs step: the length of a step.");
}

TEST(WrongOption, FromTheCommandLineIsNamed) {
    entry value("", -1);
    value.setting = "--set laps=-1";
    race what;
    try {
        set(fields_of(what), "laps", value);
        FAIL();
    } catch (lento::problem_error const& error) {
        EXPECT_STREQ(error.what(), "--set laps=-1: laps: laps must be at least 1, but it is -1.");
    }
}

// ---- setting ----

TEST(Options, AreSetByTheirPath) {
    race what;
    auto const all = fields_of(what);
    set(all, "first.runner", entry("", "tortoise"));
    set(all, "first.step", entry("", "1/4"));
    set(all, "reward.worth", entry("", 3));
    set(all, "reward.what", entry("", "honour"));
    EXPECT_EQ(std::get<toy::tortoise>(*what.first.runner.value).step, 0.25);
    EXPECT_EQ(what.reward->worth, 3);
    EXPECT_THROW(set(all, "first.stp", entry("", 1)), lento::problem_error);
}

// ---- rows on their own ----

TEST(Described, OwnsWhatItsFieldsPointInto) {
    lento::described one(toy::prize{.worth = 3});
    lento::described other = one;
    read(lento::from_json(R"({"worth": 5})"), other.all());
    EXPECT_EQ(one.as<toy::prize>().worth, 3);
    EXPECT_EQ(other.as<toy::prize>().worth, 5);
    auto const all = other.all();
    lento::described const moved = std::move(other);
    read(lento::from_json(R"({"worth": 6})"), all);
    EXPECT_EQ(moved.as<toy::prize>().worth, 6);
}

// ---- lists ----

TEST(List, ShowsEveryOptionWithDefaultSentenceLimitsAndUnit) {
    race what;
    EXPECT_EQ(list(fields_of(what)), R"(first               the first course
  runner: chosen    who runs
    hare            sleeps on the way
      speed = 7     how fast it runs (positive; length per time)
      step: chosen  the length of a leap (positive; length)
    tortoise        arrives
      step: needed  the length of a step (positive; length)
      legs = 4      how many it uses (between 1 and 4)
    snail           needs nothing
  max_steps = 1000  more of them end the race (at least 1)
guest: chosen       who runs along
  tortoise          arrives
    step: needed    the length of a step (positive; length)
    legs = 4        how many it uses (between 1 and 4)
  snail             needs nothing
reward: none        what there is to win
  worth = 10        what it costs (at least 0; money)
  what = "a cup"    what it is
forecast: chosen    the weather that is expected (sun, rain, snow)
weather = "sun"     the weather there is (sun, rain, snow)
laps: chosen        how many (at least 1)
open: chosen        whether everybody may run
timed = true        whether a clock runs
stops = []          where there is water (at least 0; length)
handicap = 0        what the good ones carry (at least 0; mass)
longest: none       a longer race is ended (positive; time)
)");
}

TEST(List, ShowsWhatIsChosenAsItIsSet) {
    toy::course what{.runner = toy::tortoise{.step = 0.5, .legs = 3}};
    EXPECT_EQ(list(fields_of(what), 2), R"(  runner = "tortoise"  who runs
    hare               sleeps on the way
      speed = 7        how fast it runs (positive; length per time)
      step: chosen     the length of a leap (positive; length)
    tortoise           arrives
      step = 0.5       the length of a step (positive; length)
      legs = 3         how many it uses (between 1 and 4)
    snail              needs nothing
  max_steps = 1000     more of them end the race (at least 1)
)");
}

// ---- kernels ----

TEST(Kernel, OfEveryRowIsReadBackAsItIsWritten) {
    for (auto const& each : lento::kernels()) {
        lento::kernel_choice chosen;
        chosen.choose(each.name);
        EXPECT_EQ(chosen.chosen(), each.name);
        EXPECT_FALSE(each.sentence.empty());
        check(*chosen.value);
        for (auto& option : chosen.options()) { // other than the defaults, and within their limits
            if (auto** number = std::get_if<double*>(&option.value)) **number *= 0.7;
            if (auto** number = std::get_if<int*>(&option.value)) **number += 1;
        }
        kernel_table const table{chosen};
        kernel_table again;
        entry const once = table.written();
        read(once, fields_of(again));
        EXPECT_TRUE(same_values(again.written(), once)) << to_json(once);
        EXPECT_EQ(weights(*again.kernel.value, 40), weights(*table.kernel.value, 40)) << each.name;
    }
}

TEST(Kernel, OfAWindowIsAFilterOrOneOfTwoOthers) {
    std::string names;
    for (auto const& each : lento::window_kernels()) {
        names += std::string(each.name) + " ";
        EXPECT_EQ(name(each.make()), each.name);
        EXPECT_EQ(lento::filter_of(each.make()).has_value(), each.name != "picard" && each.name != "notch");
    }
    EXPECT_EQ(names, "exponential polynomial cubic cosine chebyshev one-period notch picard ");
    kernel_table table;
    try {
        read(entry({}, {entry("kernel", "picard")}), fields_of(table));
        FAIL();
    } catch (lento::problem_error const& error) {
        EXPECT_EQ(error.sentence,
                  "The kernel \"picard\" cannot be used here. Known are exponential, polynomial, cubic, "
                  "cosine, chebyshev, one-period.");
    }
}

// ---- what the library describes ----

template <class Options> class EveryList : public testing::Test {};
using all_lists =
    testing::Types<lento::adams, lento::adaptive_lobatto4, lento::arkode_dormand_prince, lento::arkode_implicit,
                   lento::chebyshev, lento::composition4, lento::cosine, lento::cowell4, lento::cubic,
                   lento::cvode_adams, lento::cvode_bdf, lento::dormand_prince, lento::dormand_prince_8, lento::euler,
                   lento::exponential, lento::ida, lento::implicit_midpoint, lento::limit, lento::lobatto4,
                   lento::midpoint, lento::notch, lento::odeint_dormand_prince, lento::one_period_mean, lento::picard,
                   lento::polynomial, lento::projection_options, lento::rattle, lento::rk4, lento::rkn4, lento::shake,
                   lento::stormer4, lento::symplectic_euler, lento::trapezoid, lento::turning_euler, lento::verlet>;
TYPED_TEST_SUITE(EveryList, all_lists);

TYPED_TEST(EveryList, SaysWhatEachOptionIsAndHasDefaultsWithinTheirLimits) {
    TypeParam usual;
    std::vector<std::string_view> names;
    for (auto const& each : fields_of(usual)) {
        SCOPED_TRACE(each.name);
        ASSERT_FALSE(each.sentence.empty());
        EXPECT_TRUE(std::islower(static_cast<unsigned char>(each.sentence.front())) != 0 || each.sentence[0] == 'V');
        EXPECT_NE(each.sentence.back(), '.');
        EXPECT_EQ(std::count(names.begin(), names.end(), each.name), 0);
        names.push_back(each.name);
        // lengths have no default, and what is left open is chosen later: steps, and the points of a spectral mean
        bool const length = each.name == "step" || each.name == "delta";
        bool const open = each.name == "max_step" || each.name == "first_step" ||
                          (std::is_same_v<TypeParam, lento::picard> && each.name != "order");
        EXPECT_EQ(has_value(each), !length && !open);
    }
    TypeParam again;
    entry const once = write(fields_of(usual));
    for (auto const& each : once.children) set(fields_of(again), each.key, each);
    EXPECT_TRUE(same_values(write(fields_of(again)), once)) << to_json(once);
}

TEST(Scheme, ReadsItsControlAsAWord) {
    lento::dormand_prince scheme;
    read(lento::from_json(R"({"rtol": 1e-3, "control": "ode45"})"), fields_of(scheme));
    EXPECT_EQ(scheme.control, lento::control_rule::ode45);
    EXPECT_EQ(scheme.rtol, 1e-3);
    EXPECT_THROW(read(lento::from_json(R"({"control": "ode15s"})"), fields_of(scheme)), lento::problem_error);
}

// ---- schemas ----

/// Checks documents against a schema with Python's validator: the names of those that it judges otherwise.
lento_test::finished validated(entry const& schema, std::vector<entry> good, std::vector<entry> bad) {
    entry all;
    all.children.push_back(schema);
    all.children.back().key = "schema";
    all.children.push_back(entry::list("good", std::move(good)));
    all.children.push_back(entry::list("bad", std::move(bad)));
    lento_test::scratch_directory const scratch;
    std::ofstream(scratch / "case.json") << to_json(all);
    std::ofstream(scratch / "validate.py") << R"(
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(77)
case = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(case["schema"])
validator = jsonschema.Draft202012Validator(case["schema"])
for each in case["good"]:
    if not validator.is_valid(each): print("refused:", json.dumps(each))
for each in case["bad"]:
    if validator.is_valid(each): print("accepted:", json.dumps(each))
)";
    return lento_test::run_command("/usr/bin/python3 " + (scratch / "validate.py").string() + " " +
                                   (scratch / "case.json").string());
}

TEST(Schema, AcceptsWhatIsReadAndRefusesTheRest) {
    race what;
    std::vector<entry> good;
    for (auto const* each :
         {"{}", R"({"first": {"runner": "tortoise", "step": "1/80", "legs": 2}, "guest": "snail"})",
          R"({"first": {"runner": "hare", "max_steps": 3}, "reward": true, "stops": [1, "2/3"], "weather": "rain"})",
          R"({"reward": {"worth": 2}, "handicap": {"hare": 1}, "laps": 3, "longest": 7, "open": false})"})
        good.push_back(lento::from_json(each));
    std::vector<entry> bad;
    for (auto const* each :
         {R"({"frist": {}})", R"({"first": {"runner": "tortoise", "stp": 1}})",
          R"({"first": {"runner": "hare", "legs": 2}})", R"({"laps": 0})", R"({"laps": 1.5})", R"({"weather": "fog"})",
          R"({"weather": "snow"})", R"({"first": {"runner": "tortise"}})", R"({"first": {"runner": "tortoise"}})",
          R"({"first": {"legs": 2}})", R"({"guest": "hare"})", R"({"reward": {"price": 3}})",
          R"({"handicap": {"hare": -1}})", R"({"stops": [-1]})", R"({"timed": 1})"})
        bad.push_back(lento::from_json(each));
    for (auto const& each : good) EXPECT_EQ(answer(each).find("race.toml"), std::string::npos) << answer(each);
    for (auto const& each : bad) EXPECT_EQ(answer(each).rfind("race.toml: ", 0), 0U) << answer(each);
    auto const run = validated(schema(fields_of(what)), good, bad);
    if (run.status == 77) GTEST_SKIP() << "Python's jsonschema is not installed (Debian's python3-jsonschema)";
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(run.output, "");
}

TEST(Schema, OfAKernelFindsAKeyOfAnotherKernel) {
    kernel_table table;
    std::vector<entry> good;
    for (auto const& each : lento::kernels()) good.push_back(kernel_table{each.make()}.written());
    auto const run = validated(schema(fields_of(table)), good,
                               {lento::from_json(R"({"kernel": "cubic", "regularity": 3})"),
                                lento::from_json(R"({"kernel": "polynomial", "moments": 8})"),
                                lento::from_json(R"({"moments": 1})"), lento::from_json(R"({"kernel": "picard"})")});
    if (run.status == 77) GTEST_SKIP() << "Python's jsonschema is not installed (Debian's python3-jsonschema)";
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(run.output, "");
}

// ---- trees ----

/// Trees of everything that can be printed, odd texts and numbers among it.
class random_trees {
public:
    explicit random_trees(unsigned seed, bool finite) : engine_(seed), finite_(finite) {}

    entry table(int depth) {
        entry made;
        int const count = below(5);
        for (int i = 0; i < count; ++i) {
            std::string const key = below(2) == 0 ? "key" + std::to_string(i) : text() + std::to_string(i);
            made.children.push_back(value(key, depth - 1));
        }
        return made;
    }

private:
    int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
    entry value(std::string const& key, int depth) {
        switch (below(depth > 0 ? 7 : 5)) {
        case 0: return entry(key, below(2) == 0);
        case 1: return entry(key, static_cast<std::int64_t>(engine_()) << below(40));
        case 2: return entry(key, -static_cast<std::int64_t>(engine_()));
        case 3: return entry(key, real());
        case 4: return entry(key, text());
        case 5: {
            std::vector<entry> members;
            for (int i = below(4); i > 0; --i) members.push_back(value({}, depth - 1));
            return entry::list(key, std::move(members));
        }
        default: break;
        }
        entry made = table(depth);
        made.key = key;
        return made;
    }
    double real() {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        std::vector<double> const odd{0.,     -0.,    1.,    40.,    0.1,     1e15, 1e16,    123456789012345678., 1e22,
                                      1e-320, 5e-324, 1e308, 2.5e-7, -12345., 1e5,  1. / 3., 9007199254740993.};
        switch (below(finite_ ? 3 : 5)) {
        case 0: return odd[static_cast<std::size_t>(below(static_cast<int>(odd.size())))];
        case 1: return std::ldexp(static_cast<double>(engine_()) - 2e9, below(600) - 300);
        case 2: return static_cast<double>(below(100000)) / 1000;
        case 3: return below(2) == 0 ? infinity : -infinity;
        default: return std::nan("");
        }
    }
    std::string text() {
        static constexpr std::array<std::string_view, 14> pieces{"a", "Z",    " ",    "\"", "\\", "\n", "\t",
                                                                 "'", "\x01", "\x7f", "ü",  "日", ".",  "="};
        std::string made;
        for (int i = below(6); i > 0; --i) made += pieces[static_cast<std::size_t>(below(14))];
        if (below(20) == 0) made += std::string(1, '\0');
        return made;
    }

    std::mt19937 engine_;
    bool finite_;
};

TEST(Tree, IsTheSameAfterTomlAndBack) {
    random_trees trees(7, false);
    for (int i = 0; i < 2000; ++i) {
        entry const tree({}, {entry("first", trees.table(4).children), entry("second", i)});
        std::string const text = to_toml(tree);
        ASSERT_TRUE(same_values(lento::detail::parse_document(text, "tree"), tree)) << text;
    }
}

TEST(Tree, IsTheSameAfterJsonAndBack) {
    random_trees trees(11, true);
    for (int i = 0; i < 2000; ++i) {
        entry const tree = trees.table(5);
        std::string const text = to_json(tree);
        ASSERT_TRUE(same_values(lento::from_json(text), tree)) << text;
    }
    EXPECT_EQ(to_json(entry("", std::numeric_limits<double>::infinity())), "null");
}

TEST(Tree, KeepsTheBitsOfNumbers) {
    for (double const each : {-0., 0.1, 1e22, 5e-324, 1.7976931348623157e308, 2. / 3, 1e15, 123456789012345678.}) {
        entry const tree({}, {entry("x", each)});
        auto const bits = [](entry const& made) {
            auto const& x = made.children.at(0);
            return std::bit_cast<std::uint64_t>(x.kind == lento::entry_kind::real ? x.real
                                                                                  : static_cast<double>(x.integer));
        };
        EXPECT_EQ(bits(lento::from_json(to_json(tree))), bits(tree)) << to_json(tree);
        EXPECT_EQ(bits(lento::detail::parse_document(to_toml(tree), "tree")), bits(tree)) << to_toml(tree);
    }
}

TEST(Tree, IsPrintedForPeople) {
    entry const tree({}, {entry("name", "hmm"), entry("macro", {entry("scheme", "verlet"), entry("step", 1. / 80)}),
                          entry("micro", std::vector<entry>{}), entry("rtol", 1e-6), entry("q'", 100000.)});
    EXPECT_EQ(to_toml(tree), "name = \"hmm\"\nmacro = { scheme = \"verlet\", step = 0.0125 }\nmicro = {}\n"
                             "rtol = 1e-6\n\"q'\" = 1e5\n");
    EXPECT_EQ(to_json(tree), R"({"name": "hmm", "macro": {"scheme": "verlet", "step": 0.0125}, "micro": {}, )"
                             R"("rtol": 1e-6, "q'": 1e5})");
}

TEST(Tree, OfJsonKnowsItsPathsAndRefusesWhatIsNone) {
    auto const tree = lento::from_json(R"({"macro": {"steps": [1, {"x": 2}]}})");
    EXPECT_EQ(tree.find("macro")->find("steps")->children[1].find("x")->path, "macro.steps[2].x");
    auto const message = [](std::string const& text) {
        try {
            return to_json(lento::from_json(text, "run.json"));
        } catch (lento::problem_error const& error) { return std::string(error.what()); }
    };
    EXPECT_EQ(message("{\n\"a\": }").rfind("run.json:2: This is not JSON: ", 0), 0U) << message("{\n\"a\": }");
    EXPECT_EQ(message(R"({"a": {"b": 1, "b": 2}})"), "run.json: a.b: This key is given twice.");
    EXPECT_EQ(message(std::string(300, '[') + std::string(300, ']')), "run.json: This is nested more than 200 deep.");
    EXPECT_EQ(message("18446744073709551615"), "1.8446744073709552e19");
}

} // namespace
