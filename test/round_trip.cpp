// What a run says it used is enough to run it again: for every built-in problem, every method that applies, to the bit.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/problem/check.hpp>
#include <lento/problem/method.hpp>
#include <lento/problem/problem_schema.hpp>
#include <lento/problem/run.hpp>

namespace {

using namespace lento;

class EveryProblem : public testing::TestWithParam<std::string> {
protected:
    problem what = load_problem(GetParam());

    void SetUp() override {
        // a few steps tell as much as all
        double const span = what.end - what.start;
        what.output_times = {what.start + span / 3, what.end};
        if (what.size > 1000) GTEST_SKIP() << "long vectors take long";
    }
    /// What a file must say of a method, and few steps.
    [[nodiscard]] entry settings_for(method_row const& row) const {
        double const span = what.end - what.start;
        std::vector<entry> macro{entry("max_steps", 12)};
        std::vector<entry> made{entry("name", row.name)};
        auto options = row.options();
        for (auto const& table : options.all()) {
            auto const* inner = std::get_if<fields>(&table.value);
            if (inner == nullptr) continue;
            for (auto const& each : *inner) {
                if (has_value(each) || !std::holds_alternative<double*>(each.value)) continue;
                if (table.name == "macro") macro.emplace_back(std::string(each.name), span / 100);
                else made.push_back(entry(std::string(table.name), {entry(std::string(each.name), 30.)}));
            }
        }
        made.emplace_back("macro", std::move(macro));
        return entry("method", std::move(made));
    }
};

void expect_same_run(problem_run const& a, problem_run const& b, std::string const& about) {
    EXPECT_EQ(a.result, b.result) << about << a.message << " / " << b.message;
    EXPECT_EQ(a.message, b.message) << about;
    EXPECT_EQ(a.t, b.t) << about;
    EXPECT_EQ(a.position, b.position) << about;
    EXPECT_EQ(a.velocity, b.velocity) << about;
    EXPECT_EQ(a.multipliers, b.multipliers) << about;
    for (auto const& each : statistics::counts())
        EXPECT_EQ(a.statistics.*each.member, b.statistics.*each.member) << about << each.name;
    EXPECT_TRUE(same_values(a.method, b.method)) << about << to_json(a.method) << "\n" << to_json(b.method);
}

TEST_P(EveryProblem, RunsAgainFromWhatItSaysItUsed) {
    int ran = 0;
    for (auto const& row : methods()) {
        if (!row.is_for(what)) continue;
        std::string const about = std::string(row.name) + ": ";
        what.method = settings_for(row);
        problem_run first;
        try {
            first = run_problem(what);
        } catch (problem_error const& error) {
            EXPECT_EQ(error.key, "initial") << error.what(); // off the constraints of a limit
            continue;
        }
        if (exit_code(first.result) != 5) ++ran;
        what.method = from_json(to_json(first.method));
        what.method.key = what.method.path = "method";
        expect_same_run(first, run_problem(what), about);
    }
    EXPECT_GE(ran, 1);
    what.method = entry("method", std::vector<entry>{});
    auto chosen = run_problem(what);
    what.method = from_json(to_json(chosen.method));
    what.method.key = what.method.path = "method";
    for (auto const& each : statistics::counts()) // without what tries took that were given up
        chosen.statistics.*each.member -= chosen.choosing.*each.member;
    expect_same_run(chosen, run_problem(what), "auto: ");
}

TEST_P(EveryProblem, ReadsBackAsItIsWritten) {
    auto const text = to_toml(write(what));
    auto const again = read_problem(text, GetParam());
    EXPECT_EQ(to_toml(write(again)), text);
    EXPECT_EQ(again.position, what.position);
    EXPECT_EQ(again.velocity, what.velocity);
    EXPECT_EQ(again.output_times, what.output_times);
    entry const few("method", {entry("macro", {entry("max_steps", 5)})});
    auto one = what;
    auto other = again;
    one.method = other.method = few;
    expect_same_run(run_problem(one), run_problem(other), "");
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (auto const& each : builtin_problems()) all.emplace_back(each.name);
    return all;
}
INSTANTIATE_TEST_SUITE_P(BuiltIn, EveryProblem, testing::ValuesIn(names()), [](auto const& test) {
    std::string name = test.param;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
});

/// What ends an automatic run is among the settings that it writes: a refusal is refused again, for the same reason.
TEST(Refusal, ReadsBackAsOne) {
    struct refused {
        std::string name;
        problem_settings settings;
        outcome with;
    };
    std::vector<refused> const all{
        {"vibrated-pendulum", {"omega=60"}, outcome::no_scale_separation},
        // steps shorter than the windows that stand in for the spectral mean
        {"vibrated-pendulum",
         {"omega=1e4", "time.end=0.1", "system.force.q=(g + vmax*omega*cos(theta))*sin(q)/l + 0.5*omega*cos(theta)*q'"},
         outcome::no_scale_separation},
        // windows of a soft spring in steps for a hard one, longer in all than a direct run
        {"two-springs",
         {"system.stiff=[{ g = 'sqrt(x1^2 + y1^2) - 1', omega = 100 },"
          " { g = 'sqrt((x1-x2)^2 + (y1-y2)^2) - 1', omega = 2e5 }]"},
         outcome::no_scale_separation}};
    for (auto const& each : all) {
        auto what = load_problem(each.name, each.settings);
        what.estimate = false; // else they are offered to direct integration
        auto const first = run_problem(what);
        EXPECT_EQ(first.result, each.with) << each.name << ": " << first.message;
        what.method = from_json(to_json(first.method));
        what.method.key = what.method.path = "method";
        auto const again = run_problem(what);
        EXPECT_EQ(again.result, first.result) << again.message << to_json(first.method);
        EXPECT_EQ(again.message, first.message);
    }
}

TEST(Check, PrintsTheSettingsThatAreUsed) {
    for (std::string const name : {"stellar-orbits", "two-springs", "vibrated-pendulum"}) {
        auto what = load_problem(name, {"method.macro={ scheme = 'adams', order = 6, step = 0.01 }"});
        auto const run = run_problem(what);
        std::string expected;
        for (auto const& each : run.method.children)
            if (each.key != "name")
                expected += (expected.empty() ? "" : ", ") + each.key + " = " + to_inline_toml(each);
        for (auto const& line : check_problem(what).lines)
            if (line.topic == "as given") {
                EXPECT_NE(line.sentence.find(expected), std::string::npos) << line.sentence;
            }
    }
}

/// Python's validator, where it is installed.
int validated(std::string const& script) {
    auto const file = std::filesystem::temp_directory_path() / ("lento-schema-" + std::to_string(std::rand()) + ".py");
    std::ofstream(file) << script;
    int const status = std::system(("/usr/bin/python3 " + file.string()).c_str());
    std::filesystem::remove(file);
    return status;
}

TEST(Schema, AcceptsAllProblemsAndFindsWhatIsMisspelt) {
    if (std::system("/usr/bin/python3 -c 'import jsonschema, tomllib' 2>/dev/null") != 0)
        GTEST_SKIP() << "Python's jsonschema is not installed";
    auto const schema =
        std::filesystem::temp_directory_path() / ("lento-schema-" + std::to_string(std::rand()) + ".json");
    std::ofstream(schema) << to_json(problem_schema());
    std::string const script = R"(
import glob, json, sys, tomllib
import jsonschema
schema = json.load(open(')" + schema.string() +
                               R"('))
check = jsonschema.Draft202012Validator(schema)
bad = 0
for name in glob.glob(')" + std::string(LENTO_SOURCE_DIR) +
                               R"(/problems/*.toml'):
    found = list(check.iter_errors(tomllib.load(open(name, 'rb'))))
    if found:
        bad += 1
        print(name, found[0].message[:300])
good = tomllib.load(open(')" + std::string(LENTO_SOURCE_DIR) +
                               R"(/problems/vibrated-pendulum.toml', 'rb'))
def refuses(change):
    import copy
    wrong = copy.deepcopy(good)
    change(wrong)
    return not check.is_valid(wrong)
def sets(path, value):
    def change(d):
        for key in path[:-1]: d = d.setdefault(key, {})
        d[path[-1]] = value
    return change
wrong = [sets(['sytem'], {}), sets(['system', 'frequncy'], 1), sets(['time', 'ends'], 1), sets(['method', 'nam'], 'hmm'),
         sets(['method'], {'name': 'hmm', 'window': {'kernel': 'exponential', 'regularity': 3}}),
         sets(['method'], {'name': 'hmm', 'macro': {'scheme': 'verlet', 'stp': 0.1}}), sets(['method'], {'name': 'hmmm'})]
for k, each in enumerate(wrong):
    if not refuses(each):
        bad += 1
        print('wrong file', k, 'is accepted')
sys.exit(bad)
)";
    EXPECT_EQ(validated(script), 0);
    std::filesystem::remove(schema);
}

} // namespace
