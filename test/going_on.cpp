// Runs that are cut after some steps and gone on with from numbers: every scheme, and every method of every problem.

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/io/problem_file.hpp>
#include <lento/lento.hpp>
#include <lento/problem/method.hpp>
#include <lento/problem/schemes.hpp>

namespace {

using namespace lento;

constexpr std::uint64_t all_steps = 16;
constexpr int cut = 6;

template <class State> using run = basic_integrator<stepping<State>>;

template <class Solution> auto const& rows_of(Solution const& solved) {
    if constexpr (requires { solved.state; }) return solved.state;
    else return solved.position;
}

/// make() gives a stepping at work, anew each time.
template <class State, class Make> void
expect_the_same_when_cut(Make const& make, State const& start, solve_options<State> options, std::string const& about) {
    options.max_steps = all_steps;
    auto const whole = run<State>(make(), start, options).run();
    run<State> first(make(), start, options);
    for (int k = 0; k < cut; ++k)
        if (!first.advance()) return; // it ended before
    auto const numbers = first.write();
    ASSERT_TRUE(numbers.has_value()) << about << " cannot be written down";
    run<State> second(make(), start, options);
    second.resume(*numbers);
    auto const rest = second.run();
    EXPECT_EQ(rest.result, whole.result) << about << rest.message << " / " << whole.message;
    ASSERT_LE(rest.t.size(), whole.t.size()) << about;
    for (std::size_t k = 1; k <= rest.t.size(); ++k) {
        EXPECT_EQ(rest.t[rest.t.size() - k], whole.t[whole.t.size() - k]) << about;
        EXPECT_EQ(rows_of(rest)[rest.t.size() - k], rows_of(whole)[whole.t.size() - k]) << about;
    }
    for (auto const& each : statistics::counts())
        EXPECT_EQ(rest.statistics.*each.member, whole.statistics.*each.member) << about << each.name;
}

/// A system with a start, of one of the sorts that schemes are for.
template <class State> struct begun {
    any_system system;
    State start;
};
begun<any_motion> oscillator() {
    return {any_system(plain(dynamic(2),
                             [](auto const& q, auto t, auto& out) {
                                 out[0] = -q[0] - 0.3 * q[1] + std::sin(t) / 5;
                                 out[1] = -4 * q[1] - 0.3 * q[0] * q[0];
                             })),
            {{1, 0.2}, {0, 0.5}}};
}
begun<any_motion> pendulum() {
    auto const both = [](std::size_t) { return std::array{std::size_t(0), std::size_t(1)}; };
    auto const rod = [](std::size_t, auto const& q) { return q[0] * q[0] + q[1] * q[1] - 1; };
    return {any_system(constrain(plain(dynamic(2), [](auto const&, auto, auto& out) { out = {0, -1}; }),
                                 family<2>(1, both, rod))),
            {{1, 0}, {0, 0.5}}};
}
begun<any_point> two_flows() {
    std::vector<std::vector<long double>> const turn{{0, 1}, {-1, 0}};
    auto const bent = split(dynamic(2), {.epsilon = 1e-3}, linear(turn),
                            [](auto const& x, auto, auto& out) { out = {x[1] - x[0] * x[0] * x[0], 0}; });
    path_window const path{.delta = 20, .filter = exponential{}, .steps = 100};
    return {any_system(effective(bent, backward_forward{path})), {{1, 0.5}}};
}

/// Whether the scheme is for such a system; then it goes on exactly there, or says that it cannot.
template <class State> bool goes_on(any_stepper const& scheme, begun<State> const& at, std::string const& name) {
    if (!scheme.why_not(at.system.facts()).empty()) return false;
    using pair = std::unique_ptr<stepping<State>>;
    auto const make = [&] { return std::get<pair>(scheme.on(at.system)); };
    if (scheme.rules().chooses_steps) {
        run<State> foreign(make(), at.start, {.end = 2});
        EXPECT_TRUE(foreign.advance());
        EXPECT_FALSE(foreign.write().has_value()); // such a code begins anew
    } else {
        expect_the_same_when_cut(make, at.start, solve_options<State>{.end = 20, .output_count = 41}, name);
    }
    return true;
}

class EveryScheme : public testing::TestWithParam<std::string> {};

TEST_P(EveryScheme, GoesOnFromNumbersToTheSameBits) {
    auto scheme = make_scheme(GetParam());
    for (auto const& each : scheme.options()) {
        if (each.name == "step")
            if (auto* const* step = std::get_if<double*>(&each.value)) **step = 0.05;
        if (each.name == "fitted_to") *std::get<double*>(each.value) = 2;
    }
    int const serves = goes_on(scheme, oscillator(), GetParam()) + goes_on(scheme, pendulum(), GetParam()) +
                       goes_on(scheme, two_flows(), GetParam());
    EXPECT_GT(serves, 0);
}

std::vector<std::string> built_schemes() {
    std::vector<std::string> names;
    for (auto const& row : schemes())
        if (row.built) names.emplace_back(row.name);
    return names;
}
auto as_identifier(testing::TestParamInfo<std::string> const& test) {
    std::string name = test.param;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(Rows, EveryScheme, testing::ValuesIn(built_schemes()), as_identifier);

class EveryProblem : public testing::TestWithParam<std::string> {};

TEST_P(EveryProblem, GoesOnUnderEveryMethod) {
    auto what = load_problem(GetParam());
    if (what.size > 1000) GTEST_SKIP() << "long vectors take long";
    double const span = what.end - what.start;
    for (auto const& row : methods()) {
        if (!row.is_for(what)) continue;
        std::vector<entry> told{entry("name", row.name)};
        auto options = row.options();
        for (auto const& table : options.all())
            if (auto const* inner = std::get_if<fields>(&table.value))
                for (auto const& each : *inner)
                    if (!has_value(each) && std::holds_alternative<double*>(each.value))
                        told.push_back(
                            entry(std::string(table.name),
                                  {entry(std::string(each.name), table.name == "macro" ? span / 100 : 30.)}));
        what.method = entry("method", std::move(told));
        auto chosen = choose_method(what);
        if (chosen.row == nullptr) continue;
        auto const prepared = [&] { return chosen.row->make(what, *chosen.options, false); };
        prepared_run ready;
        try {
            ready = prepared();
        } catch (does_not_apply const&) { continue; } catch (bad_start const&) {
            continue;
        }
        auto const go = [&]<class State>(State const& start) {
            solve_options<State> made;
            made.start = what.start;
            made.end = what.end;
            made.given = what.given;
            made.output_count = 101;
            try {
                expect_the_same_when_cut(
                    [&] { return std::move(std::get<std::unique_ptr<stepping<State>>>(prepared().stepping)); }, start,
                    made, GetParam() + ", " + std::string(row.name) + ": ");
            } catch (bad_start const&) {} // off the constraints of a limit
        };
        if (ready.stepping.index() == 0) go(any_motion{ready.position, ready.velocity});
        else go(any_point{ready.position});
    }
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (auto const& each : builtin_problems()) all.emplace_back(each.name);
    return all;
}
INSTANTIATE_TEST_SUITE_P(BuiltIn, EveryProblem, testing::ValuesIn(names()), as_identifier);

} // namespace
