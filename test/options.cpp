// Options as plain data: read, written, set, listed, and described by a schema.

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <lento/problem/choice.hpp>
#include <lento/problem/entry.hpp>
#include <lento/problem/fields.hpp>
#include <lento/problem/problem_error.hpp>

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
              "\"hare\".");
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

} // namespace
