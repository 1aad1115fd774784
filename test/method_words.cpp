// Nothing that [method] says is ignored: a key changes the run, or it is refused with a sentence. And what reading
// refuses the schema refuses too.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "io/document.hpp"
#include "program_run.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/method.hpp>
#include <lento/problem/problem_schema.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;

struct sample {
    std::string name;
    std::string text;
};

std::vector<sample> const& samples() {
    static std::vector<sample> const all{{"plain", R"toml(
[system]
kind = "plain"
coordinates = ["x"]
potential = "200*x^2 + x^4"
[initial]
x = 1
"x'" = 0.5
[time]
end = 20
)toml"},
                                         {"plain_with_period", R"toml(
[system]
kind = "plain"
coordinates = ["x", "y"]
period = "2*pi/200"
force.x = "-40000*x + y"
force.y = "-y*(1 + x^2)"
[initial]
x = 0.01
y = 1
[time]
end = 3.5
)toml"},
                                         {"vibrated", R"toml(
[system]
kind = "vibrated"
coordinates = ["q"]
frequency = 1e3
force.q = "(9.8 + 4e3*cos(theta))*sin(q)/0.2"
[initial]
q = 0.5
[time]
end = 0.5
)toml"},
                                         {"vibrated_with_friction", R"toml(
[system]
kind = "vibrated"
coordinates = ["q"]
frequency = 1e3
force.q = "(9.8 + 4e3*cos(theta))*sin(q)/0.2 - 0.1*q'"
[initial]
q = 0.5
[time]
end = 0.6
)toml"},
                                         {"vibrated_rod", R"toml(
[system]
kind = "vibrated"
coordinates = ["x", "y"]
frequency = 1e3
force.y = "-9.8 - 2e3*cos(theta)"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1
y = 0
[time]
end = 0.5
)toml"},
                                         {"stiff", R"toml(
[system]
kind = "stiff"
coordinates = ["x", "y"]
potential = "(x + y)^2/2 + x^4"
stiff = [{ g = "x - y - 1", omega = 300 }]
[initial]
x = 1
y = 0
[time]
end = 1
)toml"},
                                         {"constrained", R"toml(
[system]
kind = "constrained"
coordinates = ["x", "y"]
force.y = "-9.8"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1
y = 0
[time]
end = 0.5
)toml"},
                                         {"split", R"toml(
[system]
kind = "split"
variables = ["x", "v", "y"]
epsilon = 1e-3
fast.x = "v"
fast.v = "-x"
slow.v = "-v*y"
slow.y = "x^2 - y"
[initial]
x = 1
v = 0
y = 1
[time]
end = 0.5
)toml"},
                                         {"split_with_period", R"toml(
[system]
kind = "split"
variables = ["x", "v", "y"]
epsilon = 1e-3
period = "2*pi"
fast.x = "v"
fast.v = "-x"
slow.v = "-v*y"
slow.y = "x^2 - y"
[initial]
x = 1
v = 0
y = 1
[time]
end = 0.5
)toml"}};
    return all;
}

/// What only bounds a run, or says who computes the same numbers: it need not change this one.
bool only_bounds(std::string_view key) {
    static std::set<std::string_view> const all{"engine",   "min_step",         "max_iterations", "unchecked",
                                                "strict",   "compensated",      "longest",        "shortest",
                                                "max_step", "start_iterations", "negligible"};
    return all.contains(key);
}

entry with(entry const& method, std::string const& path, entry value) {
    entry made = method;
    entry* at = &made;
    auto const parts = split_path(path);
    for (auto const& part : parts) {
        auto const found =
            std::find_if(at->children.begin(), at->children.end(), [&](auto const& each) { return each.key == part; });
        if (found != at->children.end()) at = &*found;
        else at = &at->children.emplace_back(part, std::vector<entry>{});
    }
    value.key = parts.back();
    *at = std::move(value);
    return made;
}
entry const* at(entry const& method, std::string const& path) {
    entry const* found = &method;
    for (auto const& part : split_path(path))
        if (found != nullptr) found = found->find(part);
    return found;
}

struct attempted {
    bool refused = false;
    problem_run run{};
};
attempted tried(problem what, entry const& method) {
    what.method = method;
    what.method.key = what.method.path = "method";
    attempted made;
    try {
        made.run = run_problem(what);
        made.refused = exit_code(made.run.result) == 5;
        if (made.refused) { EXPECT_FALSE(made.run.message.empty()) << to_json(method); }
    } catch (problem_error const& error) {
        made.refused = true;
        EXPECT_FALSE(error.sentence.empty()) << to_json(method);
    }
    return made;
}

bool same_run(problem_run const& a, problem_run const& b) {
    auto const sentences = [](problem_run const& run) {
        std::string all = run.message;
        for (auto const& each : run.warnings) all += each.sentence;
        return all;
    };
    bool counts = true;
    for (auto const& each : statistics::counts())
        counts = counts && a.statistics.*each.member == b.statistics.*each.member;
    return counts && a.result == b.result && a.t == b.t && a.position == b.position && a.velocity == b.velocity &&
           a.multipliers == b.multipliers && a.mean_multipliers == b.mean_multipliers && sentences(a) == sentences(b);
}

/// Values other than the one there is.
std::vector<entry> candidates(field const& option, entry const* now, double span) {
    std::vector<entry> made;
    auto const add = [&](auto value) {
        if (!option.allowed.contain(static_cast<double>(value))) return;
        entry candidate(now != nullptr ? now->key : "", value);
        if (now == nullptr || !same_values(*now, candidate)) made.push_back(candidate);
    };
    double const there = now == nullptr ? 0 : now->kind == entry_kind::integer ? double(now->integer) : now->real;
    bool const real =
        std::holds_alternative<double*>(option.value) || std::holds_alternative<std::optional<double>*>(option.value);
    bool const whole = std::holds_alternative<int*>(option.value) ||
                       std::holds_alternative<std::optional<int>*>(option.value) ||
                       std::holds_alternative<std::uint64_t*>(option.value) ||
                       std::holds_alternative<std::optional<std::uint64_t>*>(option.value);
    if (real && there > 0)
        // (ten thousand times as many steps per period is what nobody asks for)
        for (double const factor : {0.5, 3., 0.04, option.name == "steps_per_period" ? 50. : 1e4}) add(there * factor);
    else if (real)
        for (double const value : {span / 16, 30., 3e-3, 0.5, 300.}) add(value);
    if (whole)
        for (int const value : {static_cast<int>(std::min(there, 1e6)) + 2, 2, 3, 4, 1, 6, 12, 0}) add(value);
    if (std::holds_alternative<bool*>(option.value) || std::holds_alternative<std::optional<bool>*>(option.value))
        for (bool const value : {false, true})
            if (now == nullptr || now->truth != value) made.emplace_back("", value);
    if (auto const* known = std::get_if<words>(&option.value))
        for (auto const name : known->names)
            if (now == nullptr || now->text != name) made.emplace_back("", name);
    return made;
}

/// The law over all options of a method for a problem.
class listener {
public:
    listener(problem const& what, std::string about) : what_(what), about_(std::move(about)) {}

    void hear(method_row const& row) {
        auto options = row.options();
        auto const all = options.all();
        entry base("method", {entry("name", row.name)});
        base = with_needed(all, "", std::move(base));
        if (what_.as<constrained_kind>() != nullptr)
            if (std::ranges::any_of(all, [](auto const& each) { return each.name == "relaxation"; }))
                base = with(base, "relaxation.omega", entry("", 300.));
        for (auto const* kernel : {"", "picard"}) {
            entry chosen = *kernel == 0 ? base : with(base, "window.kernel", entry("", kernel));
            auto const run = tried(what_, chosen);
            if (run.refused) continue;
            ++heard;
            // schemes are the same for every method: they are heard where a run is short
            bool const short_runs = what_.as<constrained_kind>() != nullptr || what_.source == samples()[0].name;
            return hear(all, "", chosen, run, short_runs && &row == &methods().front());
        }
    }
    int heard = 0;

private:
    [[nodiscard]] double span() const { return what_.end - what_.start; }
    [[nodiscard]] entry with_needed(fields const& all, std::string const& table, entry base) const {
        for (auto const& each : all) {
            std::string const path = joined_path(table, each.name);
            if (auto const* inner = std::get_if<fields>(&each.value)) base = with_needed(*inner, path, std::move(base));
            auto* const* number = std::get_if<double*>(&each.value);
            if (number == nullptr || has_value(each) || std::isinf(**number)) continue;
            base = with(base, path, entry("", each.name == "step" ? span() / 16 : 30.));
        }
        return base;
    }

    void hear(fields const& all, std::string const& table, entry const& base, attempted const& run, bool deeply) {
        for (auto const& each : all) {
            std::string const path = joined_path(table, each.name);
            if (auto const* inner = std::get_if<fields>(&each.value)) {
                hear(*inner, path, base, run, deeply);
            } else if (auto const* other = std::get_if<table_or_none>(&each.value)) {
                auto defaults = other->defaults();
                hear(defaults.all(), path, base, run, deeply);
            } else if (auto* const* chosen = std::get_if<choice*>(&each.value)) {
                hear_rows(**chosen, table, path, base, run, deeply);
            } else {
                hear_values(each, path, base, run);
            }
        }
    }
    void hear_rows(choice const& chosen, std::string const& table, std::string const& path, entry const& base,
                   attempted const& before, bool deeply) {
        for (auto const& row : chosen.rows()) {
            auto defaults = chosen.defaults(row.name);
            auto const all = defaults.all();
            entry without = base;
            if (auto const* now = at(base, path); now == nullptr || now->text != row.name)
                for (auto const& each : all) // of another row
                    if (auto* inside = const_cast<entry*>(at(without, table)))
                        std::erase_if(inside->children, [&](auto const& one) { return one.key == each.name; });
            entry const named = with_needed(all, table, with(without, path, entry("", row.name)));
            auto const run = tried(what_, named);
            if (run.refused) continue;
            auto const* was = at(before.run.method, path);
            if (was == nullptr || was->text != row.name) expect_heard(named, run, before, std::string(row.name));
            if (path == "macro.scheme" && !deeply) continue;
            for (auto const& each : all) {
                std::string const key = joined_path(table, each.name);
                auto const accepted = hear_values(each, key, named, run);
                if (!accepted || only_bounds(each.name)) continue;
                entry const first = with(named, key, *accepted);
                auto const first_run = tried(what_, first);
                if (first_run.refused) continue;
                for (auto const& other : all)
                    if (other.name != each.name) hear_values(other, joined_path(table, other.name), first, first_run);
            }
        }
    }
    /// A value that is accepted, if there is one.
    std::optional<entry> hear_values(field const& option, std::string const& path, entry const& base,
                                     attempted const& before) {
        std::optional<entry> accepted;
        bool changes = false;
        for (auto const& value : candidates(option, at(before.run.method, path), span())) {
            entry const named = with(base, path, value);
            auto const run = tried(what_, named);
            if (run.refused) continue;
            EXPECT_FALSE(same_values(run.run.method, before.run.method))
                << about_ << to_json(named) << "\n  is written as without " << path << ": " << to_json(run.run.method);
            accepted = value;
            changes = changes || !same_run(run.run, before.run);
        }
        EXPECT_TRUE(!accepted || changes || only_bounds(option.name))
            << about_ << path << " changes nothing beside " << to_json(base);
        return accepted;
    }
    void expect_heard(entry const& named, attempted const& run, attempted const& before, std::string const& what) {
        EXPECT_FALSE(same_values(run.run.method, before.run.method)) << about_ << to_json(named);
        EXPECT_FALSE(same_run(run.run, before.run)) << about_ << what << " changes nothing: " << to_json(named);
    }

    problem const& what_;
    std::string about_;
};

class EverySample : public testing::TestWithParam<std::size_t> {
protected:
    problem what = read_problem(samples()[GetParam()].text, samples()[GetParam()].name,
                                {"time.output=3", "accuracy.estimate=false", "accuracy.rtol=1e-3"});
};

TEST_P(EverySample, HearsEveryOptionOfEveryMethod) {
    int heard = 0;
    for (auto const& row : methods()) {
        if (!row.is_for(what)) continue;
        listener ear(what, what.source + ", " + std::string(row.name) + ": ");
        ear.hear(row);
        heard += ear.heard;
    }
    EXPECT_GE(heard, 2);
}

// without the two split systems, whose runs with every option take minutes
INSTANTIATE_TEST_SUITE_P(Kinds, EverySample, testing::Range(std::size_t(0), samples().size() - 2),
                         [](auto const& test) { return samples()[test.param].name; });

// ---- the command line and the file ----

std::string const springs = R"toml(
[system]
kind = "stiff"
coordinates = ["x", "y"]
stiff = [{ g = "x - y - 1", omega = 300 }]
[initial]
x = 1
y = 0
[time]
end = 1
[method]
name = "hmm"
macro = { scheme = "dormand-prince", rtol = 1e-4, atol = 1e-5 }
window = { kernel = "cubic" }
)toml";

TEST(CommandLine, TolerancesWinOverThoseOfTheFilesScheme) {
    for (std::string const setting : {"accuracy.rtol=1e-3", "accuracy={ rtol = 1e-3 }"}) {
        auto const run = run_problem(read_problem(springs, "test", {setting}));
        EXPECT_EQ(run.used("macro.rtol")->real, 1e-3) << setting;
        EXPECT_EQ(run.used("macro.atol")->real, 1e-5) << setting;
    }
    auto const both = run_problem(read_problem(springs, "test", {"accuracy.rtol=1e-3", "method.macro.rtol=1e-2"}));
    EXPECT_EQ(both.used("macro.rtol")->real, 1e-2);
}

TEST(CommandLine, AnotherMethodLeavesOutWhatTheFileSaysOfItsOwn) {
    auto const plain = read_problem(springs, "test", {"method.name=direct"});
    ASSERT_EQ(plain.notices.size(), 1U);
    EXPECT_EQ(plain.notices[0], "the method is direct, so that [method] of test, which is for hmm, is left out");
    EXPECT_EQ(run_problem(plain).used("macro.rtol")->real, plain.rtol);
    auto const set = read_problem(springs, "test", {"method.macro.rtol=1e-3", "method.name=direct"});
    EXPECT_EQ(run_problem(set).used("macro.rtol")->real, 1e-3);
    EXPECT_EQ(run_problem(set).used("macro.atol")->real, set.atol);
    auto const same = read_problem(springs, "test", {"method.name=hmm"});
    EXPECT_TRUE(same.notices.empty());
    EXPECT_EQ(run_problem(same).used("macro.rtol")->real, 1e-4);
    // a step of 1/4 belongs to the averaged motion
    auto const file = load_problem("soft-and-hard-spring", {"method.name=direct"});
    EXPECT_EQ(run_problem(file).used("macro.step"), nullptr);
    EXPECT_FALSE(file.notices.empty());
}

// ---- what is said and shown ----

TEST(Scheme, ThatDoesNotFitSaysWhyInASentence) {
    auto const said = [](std::size_t sample, std::string const& scheme) {
        return run_problem(
                   read_problem(samples()[sample].text, "test",
                                {"method={ name = 'direct', macro = { scheme = '" + scheme + "', step = 0.01 } }"}))
            .message;
    };
    EXPECT_EQ(said(0, "rattle"),
              "the scheme rattle keeps constraints, and this system has none; use dormand-prince, rk4 or verlet");
    EXPECT_EQ(said(3, "rkn4"), "the scheme rkn4 needs a force that does not depend on the velocity, and this one does; "
                               "use dormand-prince, rk4, midpoint or verlet");
    for (auto const* scheme : {"verlet", "rk4", "rkn4"})
        EXPECT_EQ(said(6, scheme),
                  "the scheme " + std::string(scheme) +
                      " keeps no constraints, and this system has some; use lobatto4, rattle or shake");
    EXPECT_EQ(said(7, "verlet"), "the scheme verlet integrates systems of second order, and this one is of first "
                                 "order; use dormand-prince, rk4, midpoint or euler");
    EXPECT_EQ(said(7, "shake"), "the scheme shake keeps constraints, and this system has none; use dormand-prince, "
                                "rk4, midpoint or euler");
}

TEST(Table, TellsTimesOfNeighbouringRowsApart) {
    auto const what =
        read_problem(samples()[0].text, "plain", {"time.start=1e6", "time.end=1000000.002", "time.output=3"});
    auto const text = to_text(what, run_problem(what));
    for (auto const* time : {"1000000.000", "1000000.001", "1000000.002"}) {
        std::string shown = time;
        if (shown.ends_with(".000")) shown = "1000000 ";
        EXPECT_NE(text.find(shown), std::string::npos) << text;
    }
}

/// The last step of a run may be of any length.
TEST(Flavors, TakesAStepThatDoesNotDivideTheRun) {
    auto const run = [](std::string const& step) {
        return run_problem(read_problem(samples()[8].text, "split",
                                        {"time.output=[0.5]", "method={ name = 'flavors', macro = { step = " + step +
                                                                  " }, window = { delta = 6.283 } }"}));
    };
    auto const dividing = run("0.025");
    for (std::string const step : {"0.02493", "0.02507", "0.03"}) {
        auto const other = run(step);
        EXPECT_EQ(other.result, outcome::success) << step << other.message;
        ASSERT_EQ(other.position.size(), 1U);
        EXPECT_NEAR(other.position[0][2], dividing.position[0][2], 0.02) << step; // its order is 1
    }
}

// ---- predictions ----

TEST(Prediction, KnowsWhatEqualStepsTakeAndAboutHowWrongTheyAre) {
    auto what = read_problem(samples()[0].text, "plain", {"time.end=4", "time.output=[4]"});
    auto const exact = run_problem(read_problem(
        samples()[0].text, "plain",
        {"time.end=4", "time.output=[4]",
         "method={ name = 'direct', macro = { scheme = 'dormand-prince-8', rtol = 1e-12, atol = 1e-13 } }"}));
    // (errors of symplectic Euler steps cancel over a turn, which the first of them do not show)
    for (auto const* scheme : {"verlet", "rk4", "rkn6", "stormer6", "adams", "composition4"}) {
        what.method = entry(
            "method", {entry("name", "direct"), entry("macro", {entry("scheme", scheme), entry("step", 1. / 512)})});
        auto chosen = choose_method(what);
        auto const predicted = chosen.row->predict(what, *chosen.options);
        auto const run = run_problem(what);
        EXPECT_EQ(predicted.counts.macro_steps, run.statistics.macro_steps) << scheme;
        auto const steps = static_cast<double>(run.statistics.macro_steps);
        auto const taken = static_cast<double>(run.statistics.force_evaluations);
        // looks at the stability of multistep schemes, after 64, 128, 256 ... steps, are not foreseen
        bool const looks = scheme == std::string_view("stormer6") || scheme == std::string_view("adams");
        double const surplus = taken - static_cast<double>(predicted.counts.force_evaluations);
        EXPECT_LT(surplus, 0.01 * taken + (looks ? 13 + 5 * std::log2(steps / 32) : 0)) << scheme;
        EXPECT_GT(surplus, -0.01 * taken) << scheme;
        double const error = std::abs(run.position[0][0] - exact.position[0][0]);
        EXPECT_GT(predicted.error, error / 30) << scheme;
        EXPECT_LT(predicted.error, error * 30) << scheme;
    }
}

// ---- the schema ----

/// A document, and whether both must refuse it.
struct document {
    entry root;
    bool broken = false;
};

/// Documents of a problem with every option of a method: sound ones, and such that are broken in one place.
class documents_of {
public:
    documents_of(entry root, std::vector<document>& to) : root_(std::move(root)), to_(to) {}

    void add(method_row const& row) {
        auto options = row.options();
        auto const all = options.all();
        entry base = with_needed(all, "method", with(root_, "method.name", entry("", row.name)));
        bool const relaxes = std::ranges::any_of(all, [](auto const& each) { return each.name == "relaxation"; });
        if (relaxes && root_.find("system")->find("constraints") != nullptr)
            base = with(base, "method.relaxation.omega", entry("", 300.));
        keep(base, false);
        keep(with(base, "method.nonsense", entry("", 1)), true);
        deeply_ = &row == &methods().front(); // schemes are the same for every method
        add(all, "method", base);
    }

private:
    void keep(entry root, bool broken) { to_.push_back({std::move(root), broken}); }
    static entry with_needed(fields const& all, std::string const& table, entry base) {
        for (auto const& each : all) {
            std::string const path = joined_path(table, each.name);
            if (auto const* inner = std::get_if<fields>(&each.value)) base = with_needed(*inner, path, std::move(base));
            if (is_needed(each)) base = with(base, path, entry("", each.name == "step" ? 0.01 : 30.));
        }
        return base;
    }
    static bool is_needed(field const& each) {
        auto* const* number = std::get_if<double*>(&each.value);
        return number != nullptr && !has_value(each) && !std::isinf(**number);
    }
    static entry without(entry root, std::string const& table, std::string_view key) {
        if (auto* inside = const_cast<entry*>(at(root, table)))
            std::erase_if(inside->children, [&](auto const& one) { return one.key == key; });
        return root;
    }

    void add(fields const& all, std::string const& table, entry const& base) {
        for (auto const& each : all) {
            std::string const path = joined_path(table, each.name);
            if (auto const* inner = std::get_if<fields>(&each.value)) {
                keep(with(base, path, entry("", 3)), true);
                keep(with(base, joined_path(path, "nonsense"), entry("", 3)), true);
                add(*inner, path, base);
            } else if (auto const* other = std::get_if<table_or_none>(&each.value)) {
                keep(with(base, path, entry("", 3)), true);
                keep(with(base, path, entry("", true)), false);
                keep(with(base, path, entry("", std::vector<entry>{})), false);
                auto defaults = other->defaults();
                add(defaults.all(), path, with_needed(defaults.all(), path, base));
            } else if (auto* const* chosen = std::get_if<choice*>(&each.value)) {
                add_rows(**chosen, table, path, base);
            } else {
                add_values(each, table, path, base);
            }
        }
    }
    void add_rows(choice const& chosen, std::string const& table, std::string const& path, entry const& base) {
        keep(with(base, path, entry("", "nonsense")), true);
        keep(with(base, path, entry("", 3)), true);
        for (auto const& row : chosen.rows()) {
            auto defaults = chosen.defaults(row.name);
            auto const all = defaults.all();
            entry const named = with_needed(all, table, with(base, path, entry("", row.name)));
            keep(named, false);
            if (path == "method.macro.scheme" && !deeply_) continue;
            keep(with(named, joined_path(table, "nonsense"), entry("", 1)), true);
            for (auto const& each : all) {
                add_values(each, table, joined_path(table, each.name), named);
                // without the row's name
                auto const values = candidates(each, nullptr, 1);
                if (!values.empty())
                    keep(without(with(base, joined_path(table, each.name), values.front()), table,
                                 path.substr(path.rfind('.') + 1)),
                         false);
            }
        }
    }
    void add_values(field const& option, std::string const& table, std::string const& path, entry const& base) {
        auto const values = candidates(option, nullptr, 1);
        for (auto const& each : values) // all words, some numbers
            if (&each - values.data() < 2 || std::holds_alternative<words>(option.value))
                keep(with(base, path, each), false);
        keep(with(base, path, entry::list("", {})), true);
        if (is_needed(option)) keep(without(base, table, option.name), true);
        bool const number = !std::holds_alternative<words>(option.value) && !option.name.empty();
        for (double const bad : {option.allowed.lowest - 1, option.allowed.highest * 2 + 1})
            if (number && std::isfinite(bad) && !option.allowed.contain(bad))
                keep(with(base, path, entry("", bad)), true);
        for (auto const& [one, other] : option.exclusive)
            if (other == option.name && !values.empty())
                keep(with(with(base, path, values.front()), joined_path(table, one), entry("", 0.01)), true);
    }

    entry root_;
    std::vector<document>& to_;
    bool deeply_ = false;
};

/// What reading says; empty where it says nothing.
std::string complaint(entry const& root) {
    try {
        static_cast<void>(read_problem(root, "test"));
    } catch (problem_error const& error) { return error.what(); }
    return {};
}

std::vector<document> all_documents() {
    std::vector<document> all;
    for (auto const& each : builtin_problems()) {
        if (each.name == std::string_view("chain")) continue; // its size takes long to read
        all.push_back({detail::parse_document(each.text, std::string(each.name)), false});
    }
    std::set<std::size_t> kinds;
    for (auto const& each : samples()) {
        entry const root = detail::parse_document(each.text, each.name);
        auto const what = read_problem(root, each.name);
        if (!kinds.insert(what.kind.index()).second) continue;
        documents_of documents(root, all);
        auto relaxed = what;
        relaxed.method = entry("method", {entry("relaxation", {entry("omega", 300.)})});
        for (auto const& row : methods()) // one that does not apply is refused before its settings are read
            if (row.is_for(what) && row.why_not(relaxed).empty()) documents.add(row);
        all.push_back({with(root, "method.macro.rtol", entry("", 1e-3)), false});
        all.push_back({with(root, "method.macro.step", entry("", 1e-3)), true});
        all.push_back({with(root, "method.window.kernel", entry("", "cubic")), false});
        all.push_back({with(root, "method.window.regularity", entry("", 3)), true});
        all.push_back({with(root, "accuracy.rtol", entry("", -1)), true});
        all.push_back({with(root, "accuracy.rtol", entry("", "1e-3/2")), false});
        all.push_back({with(root, "time.output", entry("", 0)), true});
        all.push_back({with(root, "time.report", entry("", "all")), true});
        all.push_back({with(root, "initial.state", entry("", "fast")), true});
        all.push_back({with(root, "initial.project", entry("", 1)), true});
        all.push_back({with(root, "system.springs", entry("", 1)), true});
    }
    auto const sample_named = [](std::string_view name) {
        for (auto const& each : samples())
            if (each.name == name) return detail::parse_document(each.text, each.name);
        return entry();
    };
    auto const list = [](std::vector<entry> members) { return entry::list("", std::move(members)); };
    auto const stiff = sample_named("stiff");
    auto const spring = [&](std::vector<entry> keys) {
        return with(stiff, "system.stiff", list({entry("", std::move(keys))}));
    };
    all.push_back({spring({entry("g", "x - y - 1")}), true});
    all.push_back({spring({entry("omega", 300)}), true});
    all.push_back({spring({entry("g", "x - y - 1"), entry("omega", -1)}), true});
    all.push_back({spring({entry("g", "x - y - 1"), entry("omega", "3e2"), entry("stiffness", 1)}), true});
    all.push_back({with(stiff, "system.stiff", list({entry("", "x - y - 1")})), true});
    all.push_back({with(stiff, "system.stiff", list({})), true});
    for (auto const* name : {"constrained", "vibrated_rod"}) {
        auto const rigid = sample_named(name);
        auto const constraint = [&](std::vector<entry> keys) {
            return with(rigid, "system.constraints", list({entry("", std::move(keys))}));
        };
        all.push_back({constraint({entry("g", "x^2 + y^2 - 1")}), false});
        all.push_back({constraint({entry("g", "x^2 + y^2 - 1"), entry("omega", 300)}), true});
        all.push_back({constraint({entry("for", "i = 1..2")}), true});
    }
    auto const vibrated = sample_named("vibrated");
    all.push_back({with(vibrated, "system.frequencies", list({entry("", 1e3)})), true});
    all.push_back({with(with(vibrated, "system.phase", entry("", 1)), "system.phases", list({entry("", 1)})), true});
    return all;
}

TEST(Schema, AgreesWithReading) {
    auto const documents = all_documents();
    entry all;
    all.children.push_back(problem_schema());
    all.children.back().key = "schema";
    std::vector<entry> roots;
    for (auto const& each : documents) roots.push_back(each.root);
    all.children.push_back(entry::list("documents", std::move(roots)));
    lento_test::scratch_directory const scratch;
    std::ofstream(scratch / "documents.json") << to_json(all);
    std::ofstream(scratch / "validate.py") << R"(
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(77)
given = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(given["schema"])
validator = jsonschema.Draft202012Validator(given["schema"])
print("".join("y" if validator.is_valid(each) else "n" for each in given["documents"]))
)";
    auto const judged = lento_test::run_command("/usr/bin/python3 " + (scratch / "validate.py").string() + " " +
                                                (scratch / "documents.json").string());
    if (judged.status == 77) GTEST_SKIP() << "Python's jsonschema is not installed (Debian's python3-jsonschema)";
    ASSERT_EQ(judged.status, 0) << judged.errors;
    ASSERT_GE(judged.output.size(), documents.size());
    RecordProperty("documents", std::to_string(documents.size()));
    EXPECT_GT(documents.size(), 1000U);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        bool const accepted = judged.output[i] == 'y';
        std::string const said = complaint(documents[i].root);
        auto const shown = [&] { return to_json(documents[i].root) + "\n  " + said; };
        if (documents[i].broken) {
            EXPECT_FALSE(accepted) << shown();
            EXPECT_NE(said, "") << shown();
        } else {
            EXPECT_TRUE(accepted || !said.empty()) << shown();
        }
    }
}

} // namespace
