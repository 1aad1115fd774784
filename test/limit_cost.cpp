// What the limit of hard springs costs beside the motion on constraints by the codes made for that.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solved.hpp"

#include <lento/problem/problem.hpp>
#include <lento/stepper/foreign.hpp>

namespace {

using namespace lento;
using namespace lento_test;

/// The stiff problems of the library, started without fast energy.
struct hard_problem {
    std::string name;
    std::string omega;
    problem_settings start;
};
std::vector<hard_problem> const hard_problems{
    {"driven-spring", "omega", {}},
    {"hard-and-soft-spring", "hard", {"initial.x1=1", "initial.\"x1'\"=0"}},
    {"soft-and-hard-spring", "hard", {"initial.x2=2", "initial.\"x2'\"=0.5"}},
    {"spring-pendulum", "omega", {}},
    {"strong-spring", "omega", {}},
    {"two-springs", "omega", {}},
    {"polymer", "omega", {}},
};

/// The same with rods for springs.
problem with_rods(hard_problem const& given, std::string const& method) {
    auto settings = given.start;
    settings.push_back("method={ " + method + " }");
    settings.emplace_back("accuracy={ rtol = 1e-4, atol = 1e-7 }");
    auto tree = write(load_problem(given.name, {given.start}));
    for (auto& table : tree.children) {
        if (table.key != "system") continue;
        for (auto& each : table.children) {
            if (each.key == "kind") each.text = "constrained";
            if (each.key != "stiff") continue;
            each.key = "constraints";
            for (auto& spring : each.children)
                std::erase_if(spring.children, [](entry const& option) { return option.key == "omega"; });
        }
        bool const has_force = table.find("force") != nullptr || table.find("potential") != nullptr;
        if (!has_force) table.children.emplace_back("potential", "0*" + table.find("coordinates")->children[0].text);
    }
    std::erase_if(tree.children, [](entry const& table) { return table.key == "method" || table.key == "accuracy"; });
    return read_problem(to_toml(tree), given.name, {settings.end() - 2, settings.end()});
}

std::uint64_t all_of(problem_run const& run) {
    auto const& counts = run.statistics;
    return counts.force_evaluations + counts.constraint_evaluations + counts.jacobian_evaluations;
}

/// The fewest evaluations of all kinds by codes for constraints at the tolerance; RATTLE with the longest of steps that
/// meets it.
std::uint64_t cheapest(hard_problem const& given, problem_run const& truth) {
    std::vector<std::string> methods{"name = 'direct', macro = { scheme = 'lobatto4' }",
                                     "name = 'underlying', macro = { scheme = 'dormand-prince-8' }"};
    if (has_sundials()) methods.emplace_back("name = 'direct', macro = { scheme = 'ida' }");
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (auto const& method : methods) {
        auto const run = run_problem(with_rods(given, method));
        EXPECT_EQ(run.result, outcome::success) << given.name << " " << method << ": " << run.message;
        fewest = std::min(fewest, all_of(run));
    }
    for (double step = 0.25; step > 1e-3; step /= 2) {
        auto const run =
            run_problem(with_rods(given, "name = 'rattle', macro = { step = " + std::to_string(step) + " }"));
        if (run.result != outcome::success || largest_difference(run, truth) > 1e-4) continue;
        return std::min(fewest, all_of(run));
    }
    return fewest;
}

TEST(CostOfTheLimit, IsThatOfTheBestCodeForConstraintsAtEveryOmega) {
    for (auto const& each : hard_problems) {
        auto const truth = run_problem(
            with_rods(each, "name = 'direct', macro = { scheme = 'lobatto4', rtol = 1e-10, atol = 1e-12 }"));
        auto const fewest = cheapest(each, truth);
        std::uint64_t first = 0;
        for (std::string const omega : {"1e5", "1e6", "1e8"}) {
            auto settings = each.start;
            settings.push_back(each.omega + "=" + omega);
            settings.emplace_back("accuracy={ rtol = 1e-4, atol = 1e-7 }");
            settings.emplace_back("method={ name = 'limit' }");
            settings.emplace_back("time.report=slow");
            auto const run = solved(each.name, settings);
            EXPECT_LT(largest_difference(run, truth), 1e-3) << each.name << " at " << omega;
            EXPECT_LT(all_of(run), 3 * fewest) << each.name << " at " << omega; // 1.2 for most
            if (first == 0) first = all_of(run);
            EXPECT_EQ(all_of(run), first) << each.name << " at " << omega;
        }
        RecordProperty(each.name, std::to_string(first) + " against " + std::to_string(fewest));
    }
}

} // namespace
