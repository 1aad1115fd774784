#include "expression_random.hpp"
#include "lento/expression/expression.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <thread>

using namespace lento::expression;

namespace {

/// Equal bits, where any two values that are not numbers count as equal, and any two zeros: formulas keep no sign of
/// zero.
template <class T> void expect_same(T a, T b, std::string const& what) {
    if (std::isnan(a) && std::isnan(b)) return;
    EXPECT_EQ(a, b) << what;
}

template <class T> void compare(formula_reader& book, std::vector<statement> const& statements, std::size_t count,
                                std::vector<T> const& q, std::string const& what) {
    auto& g = book.formulas();
    auto const plan = make_schedule(g, statements, count);
    T const theta[] = {T(0.4)};
    inputs<T> const from{.position = q, .velocity = q, .phase = theta, .time = T(0.25), .direction = q};
    std::vector<T> reference(count);
    std::vector<T> compiled(count, T(77));
    evaluate<T>(g, plan, from, reference);
    bytecode const code(g, plan);
    bytecode::registers<T> work(code);
    code.evaluate<T>(from, compiled, work);
    for (std::size_t i = 0; i < count; ++i) expect_same(compiled[i], reference[i], what);
}

TEST(Bytecode, EqualsTheReferenceBitForBitOnRandomFormulas) {
    random_formulas random(21, {"x", "y", "z", "y'", "t", "theta"});
    for (int i = 0; i < 400; ++i) {
        formula_reader book;
        for (auto const* name : {"x", "y", "z"}) book.coordinate(name);
        book.phases(1);
        std::vector<statement> statements;
        std::string all;
        for (std::size_t k = 0; k < 3; ++k) {
            auto const text = random.any(5);
            try {
                statements.push_back(output(k, book.scalar(text)));
                auto const slopes = gradient(book.formulas(), statements.back().value, source::position);
                for (auto s : slopes) {
                    s.target.constant += 3;
                    statements.push_back(s);
                }
            } catch (formula_error const&) { continue; }
            all += text + "\n";
        }
        std::vector<double> const q{random.between(-2, 2), random.between(0, 2), random.between(0.1, 1)};
        compare<double>(book, statements, 7, q, all);
        compare<long double>(book, statements, 7, {q[0], q[1], q[2]}, all);
    }
}

TEST(Bytecode, EqualsTheReferenceBitForBitInLoops) {
    random_formulas random(22, {"x[i]", "x[i+1]", "x[i-1]", "y[i]", "y[2*i]", "y[n-i]", "x[1]", "i", "t", "x[i]'"});
    for (int i = 0; i < 150; ++i) {
        auto const n = std::vector<int>{1, 2, 3, 7, 256, 257, 600}[random.below(7)];
        formula_reader book;
        book.parameter("n", n);
        book.coordinate("x[1..n]");
        book.coordinate("y[0..2*n]");
        book.define("x[0]", "0.5*t");
        book.define("x[n+1]", "x[1]^2");
        auto const text = random.any(4);
        auto const size = static_cast<std::size_t>(3 * n + 1);
        std::vector<double> q(size);
        for (auto& c : q) c = random.between(0.1, 1.9);
        auto& g = book.formulas();
        try {
            auto statements = book.assign("x[i]", text).statements;
            auto const energy = book.scalar("sum(i, 1, n, " + text + ")");
            auto const slopes = gradient(g, energy, source::position, -1);
            statements.insert(statements.end(), slopes.begin(), slopes.end());
            compare<double>(book, statements, size, q, text);
            compare<long double>(book, statements, size, std::vector<long double>(q.begin(), q.end()), text);
            compare<double>(book, {output(0, energy)}, 1, q, text);
        } catch (formula_error const&) { continue; }
    }
}

TEST(Bytecode, EqualsPlainCxx) {
    formula_reader book;
    book.parameter("g", 9.8L);
    book.parameter("l", 0.2L);
    book.parameter("vmax", 4);
    book.parameter("omega", 1e6L);
    book.coordinate("q");
    book.phases(1);
    auto const force = book.assign("q", "(g + vmax*omega*cos(theta)) * sin(q) / l");
    auto const code = compile_bytecode(book.formulas(), make_schedule(book.formulas(), force.statements, 1));
    auto const work = code->work();
    for (auto q : {0.1, 0.5, -2.0}) {
        double const theta[] = {1.7 * q};
        double out[1];
        code->evaluate({.position = std::span(&q, 1), .phase = theta}, out, *work);
        EXPECT_EQ(out[0], 5.0 * ((9.8 + 4e6 * std::cos(theta[0])) * std::sin(q)));
    }
}

TEST(Bytecode, WritesEveryOutputAndSaysWhatIsMissing) {
    formula_reader book;
    for (auto const* name : {"x", "y"}) book.coordinate(name);
    auto& g = book.formulas();
    auto const code = compile_bytecode(g, make_schedule(g, book.assign("y", "x + y'").statements, 2));
    auto const work = code->work();
    double const q[] = {1, 2};
    double out[] = {9, 9};
    code->evaluate({.position = q, .velocity = q}, out, *work);
    EXPECT_EQ(out[0], 0);
    EXPECT_EQ(out[1], 3);
    EXPECT_EQ(code->outputs(), 2U);
    EXPECT_THROW(code->evaluate({.position = q}, out, *work), std::invalid_argument);
    EXPECT_THROW(code->evaluate({.position = q, .velocity = q}, std::span(out, 1), *work), std::invalid_argument);
    EXPECT_THROW(make_schedule(g, book.assign("y", "x").statements, 1), std::invalid_argument);
}

TEST(Bytecode, LongFormulasRun) {
    formula_reader book;
    book.coordinate("x");
    std::string text = "x";
    for (int i = 1; i < 20'000; ++i) text += text_of(i % 2 == 0 ? "+x/" : "-sqrt(x)*", i);
    compare<double>(book, {output(0, book.scalar(text))}, 1, {1.3}, "a long formula");
}

TEST(Bytecode, ThreadsShareAProgram) {
    formula_reader book;
    book.parameter("n", 1000);
    book.coordinate("x[1..n]");
    auto& g = book.formulas();
    auto const code = compile_bytecode(
        g, make_schedule(g, gradient(g, book.scalar("sum(i, 2, n, (x[i]-x[i-1])^4)"), source::position), 1000));
    std::vector<std::vector<double>> out(2, std::vector<double>(1000));
    std::vector<double> q(1000);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = std::sin(static_cast<double>(i));
    std::vector<std::thread> threads;
    for (auto& o : out)
        threads.emplace_back([&] {
            auto const work = code->work();
            for (int k = 0; k < 20; ++k) code->evaluate({.position = q}, o, *work);
        });
    for (auto& t : threads) t.join();
    EXPECT_EQ(out[0], out[1]);
    EXPECT_NE(out[0][5], 0);
}

} // namespace
