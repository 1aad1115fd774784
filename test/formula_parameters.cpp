// Parameters that stay inputs of compiled formulas: other values without compiling again.

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/expression/expression.hpp>
#include <lento/lento.hpp>

namespace {

using namespace lento;
using namespace lento::expression;
using vector = std::vector<double>;

std::vector<engine_kind> engines() {
    std::vector<engine_kind> all{engine_kind::bytecode};
    if (llvm_is_there()) all.push_back(engine_kind::llvm);
    return all;
}

struct named_value {
    char const* name;
    long double value;
};

/// Formulas for x and y with parameters folded into them, or as inputs.
formula written(std::vector<std::string> const& texts, std::vector<named_value> const& parameters, bool folded) {
    formula_reader book;
    for (auto const& [name, value] : parameters) {
        if (folded) book.parameter(name, value);
        else book.input(name);
    }
    book.coordinate("x");
    book.coordinate("y");
    book.phases(1);
    std::vector<statement> all;
    for (std::size_t i = 0; i < texts.size(); ++i) all.push_back(output(i, book.scalar(texts[i])));
    return {std::make_shared<graph>(book.formulas()), all, texts.size()};
}

void expect_near(vector const& a, vector const& b, double tolerance, std::string const& what) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i], b[i], tolerance * std::max(1., std::abs(b[i]))) << what << ", component " << i;
}

std::vector<std::string> const texts{"k*x^p - 3*k/y + cos(k*t)", "(k + 2)*y' - x/(1 + k) + p*sin(theta)"};

TEST(FormulaParameters, ChangeWithoutCompilingAgain) {
    vector const q{0.7, 1.3}, v{0.1, -0.4}, theta{0.6};
    for (auto const engine : engines()) {
        auto const open = written(texts, {{"k", 0}, {"p", 0}}, false).compile(engine);
        auto work = open.with_parameters({1, 1}).work();
        for (auto const& values : {vector{2, 3}, vector{0.5, 1.5}, vector{-1.5, 2}}) {
            auto const closed = written(texts, {{"k", values[0]}, {"p", values[1]}}, true).compile(engine);
            auto closed_work = closed.work();
            vector out(2), expected(2);
            force_point<double> const at{.position = q, .velocity = v, .phase = theta, .time = 0.3};
            open.with_parameters(values)(at, out, work);
            closed(at, expected, closed_work);
            expect_near(out, expected, 1e-14, std::string(name(engine)));
        }
    }
}

TEST(FormulaParameters, BothEnginesGiveTheBitsOfTheSimpleEvaluator) {
    auto const open = written(texts, {{"k", 0}, {"p", 0}}, false);
    vector const q{0.7, 1.3}, v{0.1, -0.4}, theta{0.6}, values{2.25, 1.5};
    inputs<double> const from{.position = q, .velocity = v, .phase = theta, .time = 0.3, .parameter = values};
    graph own = open.graph();
    auto const plan = make_schedule(own, open.statements(), 2);
    vector expected(2);
    evaluate<double>(own, plan, from, expected);
    for (auto const engine : engines()) {
        vector out(2);
        auto const code = compile(own, plan, engine);
        EXPECT_EQ(code->parameters(), 2U);
        code->evaluate(from, out, *code->work());
        EXPECT_EQ(out, expected) << name(engine);
    }
}

TEST(FormulaParameters, ChangeInWindowsToo) {
    std::vector<std::string> const forces{"-k*x + 1000*p*y*cos(theta)", "-y/k + sin(t)"};
    window const view{.kernel = exponential{}, .periods = 12, .steps_per_period = 20, .unchecked = true};
    motion<vector> const start{{1, 0.5}, {0, 0.3}};
    auto const run = [&](compiled_formula const& force, auto const& micro) {
        auto const system = vibrated(dynamic(2), {.frequency = 1e3}, with_time(force));
        return solve(effective(system, asynchronous(view, micro)), verlet{.step = 0.05}, start,
                     {.end = 0.5, .output_count = 3});
    };
    auto const both = [&](auto const& micro) {
        for (auto const& values : {vector{2, 1}, vector{0.5, -0.7}}) {
            std::vector<solution<motion<vector>>> all;
            for (auto const engine : engines()) {
                auto const closed = written(forces, {{"k", values[0]}, {"p", values[1]}}, true).compile(engine);
                auto const open = written(forces, {{"k", 0}, {"p", 0}}, false).compile(engine);
                auto const expected = run(closed, micro);
                all.push_back(run(open.with_parameters(values), micro));
                EXPECT_EQ(all.back().result, outcome::success) << all.back().message;
                EXPECT_EQ(all.back().statistics.force_evaluations, expected.statistics.force_evaluations);
                expect_near(all.back().position.back(), expected.position.back(), 1e-11, std::string(name(engine)));
            }
            for (auto const& each : all) EXPECT_EQ(each.position, all.front().position);
        }
    };
    both(verlet{});
    both(rk4{});
}

TEST(FormulaParameters, AreConstantInDerivatives) {
    formula_reader book;
    book.input("k");
    book.coordinate("x");
    auto& g = book.formulas();
    auto const energy = book.scalar("k*x^2/2 + k^2");
    auto const force = expression::gradient(g, energy, source::position, -1);
    vector const x{3}, k{5};
    vector out(1);
    evaluate<double>(g, make_schedule(g, force, 1), {.position = x, .parameter = k}, out);
    EXPECT_EQ(out[0], -15);
    EXPECT_EQ(time_derivative(g, book.scalar("k*t + k")), book.scalar("k"));
    auto const by_parameter = expression::gradient(g, energy, source::parameter);
    evaluate<double>(g, make_schedule(g, by_parameter, 1), {.position = x, .parameter = k}, out);
    EXPECT_EQ(out[0], 4.5 + 10);
    EXPECT_EQ(book.scalar(book.print(energy)), energy); // and keep their names in print
}

template <class Error> std::string sentence(std::function<void()> const& wrong) {
    try {
        wrong();
    } catch (Error const& error) { return error.what(); }
    return "nothing was wrong";
}
TEST(FormulaParameters, AreRefusedWhereANumberIsNeededAtOnce) {
    formula_reader book;
    EXPECT_EQ(book.input("n"), 0U);
    EXPECT_EQ(book.input("m"), 1U);
    book.parameter("l", 3);
    EXPECT_NE(sentence<formula_error>([&] { book.parameter("n", 2); }).find("already a parameter"), std::string::npos);
    EXPECT_NE(sentence<formula_error>([&] { static_cast<void>(book.number("2*n")); }).find("stays an input"),
              std::string::npos);
    EXPECT_NE(sentence<formula_error>([&] { book.coordinate("x[1..n]"); }).find("stays an input"), std::string::npos);
    EXPECT_EQ(book.number("2*l"), 6);
    auto const open = written({"k*x"}, {{"k", 0}}, false).compile(engine_kind::bytecode);
    EXPECT_NE(sentence<misuse>([&] { static_cast<void>(open.with_parameters({})); }).find("read 1 parameters, but 0"),
              std::string::npos);
    vector const q{1, 1};
    vector out(1);
    auto work = open.work();
    EXPECT_NE(sentence<std::invalid_argument>([&] { open({.position = q}, out, work); }).find("need 1 parameters"),
              std::string::npos);
}

} // namespace
