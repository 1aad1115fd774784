#include "expression_random.hpp"
#include "lento/expression/expression.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <random>

using namespace lento::expression;

namespace {

/// Outputs of statements, by the reference and by the bytecode, which must agree bit for bit.
std::vector<double> outputs(formula_reader& book, std::vector<statement> const& statements, std::size_t count,
                            std::vector<double> const& q, std::vector<double> const& v = {}) {
    auto& g = book.formulas();
    auto const plan = make_schedule(g, statements, count);
    std::vector<double> reference(count, -1);
    inputs<double> const from{.position = q, .velocity = v, .time = 0.3};
    evaluate<double>(g, plan, from, reference);
    auto const code = compile_bytecode(g, plan);
    auto const work = code->work();
    std::vector<double> compiled(count, -1);
    for (int again = 0; again < 2; ++again) {
        code->evaluate(from, compiled, *work);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(compiled[i], reference[i]) << "output " << i;
    }
    return reference;
}

double scalar(formula_reader& book, node n, std::vector<double> const& q, std::vector<double> const& v = {}) {
    return outputs(book, {output(0, n)}, 1, q, v)[0];
}

std::vector<double> numbers(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> result(count);
    for (auto& r : result) r = std::uniform_real_distribution<double>(0.2, 1.8)(random);
    return result;
}

/// The same families with single coordinates instead: x[3] becomes x3.
struct unrolled {
    formula_reader book;
    explicit unrolled(std::vector<std::string> const& families, int n) {
        for (auto const& name : families)
            for (int i = 1; i <= n; ++i) book.coordinate(text_of(name, i));
    }
};

/// A problem as a family and, written out, without one.
struct family_case {
    char const* name;
    std::vector<std::string> families;
    std::vector<std::pair<std::string, std::string>> definitions;
    std::string potential;
    std::function<std::string(int)> written_out;
};

std::string x(int i) { return text_of("x", i); }
std::string x(int i, int n, std::string const& left, std::string const& right) {
    return i < 1 ? left : i > n ? right : x(i);
}

std::string joined(int low, int high, std::function<std::string(int)> const& term) {
    std::string text = "0";
    for (int i = low; i <= high; ++i) text.append(" + ").append(term(i));
    return text;
}

std::string spring(std::string const& a, std::string const& b) {
    return text_of("((", a, ")-(", b, "))^2/2 + sin((", a, ")-(", b, "))");
}

std::string pairs(int n) {
    return joined(1, n, [n](int i) {
        return joined(i + 1, n,
                      [i](int j) { return text_of("1/sqrt((x", i, "-x", j, ")^2 + (y", i, "-y", j, ")^2 + 0.1)"); });
    });
}

std::string product_of_sums(int n) {
    auto const e = text_of("(", joined(1, n, [](int k) { return text_of("x", k, "^2"); }), ")");
    return text_of(e, "*(", joined(1, n, [e](int i) { return text_of("x", i, "*", e); }), ") + exp(-", e, ")");
}

std::string inner_sums(int n) {
    return joined(1, n, [](int i) {
        return text_of("cos(", joined(1, i, [](int j) { return text_of(j, "*x", j); }), ")*(",
                       joined(1, i, [](int j) { return x(j); }), ")");
    });
}

std::string nested_across_the_wall(int n) {
    return joined(0, n, [n](int i) {
        return joined(0, n - i, [n, i](int j) {
            return text_of(x(i + j, n, "0.5", ""), "*(", x(i, n, "0.5", ""), ")^2*(", j, "+1)");
        });
    });
}

std::vector<family_case> cases() {
    auto const springs = [](int low, std::string const& left, std::function<std::string(int)> const& right) {
        return [=](int n) {
            return joined(low, n, [=](int i) { return spring(x(i + 1, n, left, right(n)), x(i, n, left, right(n))); });
        };
    };
    return {
        {"FixedEnds",
         {"x"},
         {{"x[0]", "0"}, {"x[n+1]", "0"}},
         "sum(i, 0, n, (x[i+1]-x[i])^2/2 + sin(x[i+1]-x[i]))",
         springs(0, "0", [](int) { return "0"; })},
        {"Periodic",
         {"x"},
         {{"x[n+1]", "x[1]"}},
         "sum(i, 1, n, (x[i+1]-x[i])^2/2 + sin(x[i+1]-x[i]))",
         springs(1, "0", [](int) { return "x1"; })},
        {"MovingWall",
         {"x"},
         {{"x[0]", "sin(t)"}, {"x[n+1]", "x[n]^2"}, {"r[i]", "x[i+1]-x[i]"}},
         "sum(i, 0, n, r[i]^2/2 + sin(r[i]))",
         springs(0, "sin(t)", [](int n) { return text_of("x", n, "^2"); })},
        {"WeightedByIndex",
         {"x"},
         {},
         "sum(i, 1, n, (1 + i/n)*x[i]^3)",
         [](int n) { return joined(1, n, [n](int i) { return text_of("(1 + ", i, "/", n, ")*x", i, "^3"); }); }},
        {"Pairs", {"x", "y"}, {}, "sum(i, 1, n, sum(j, i+1, n, 1/sqrt((x[i]-x[j])^2 + (y[i]-y[j])^2 + 0.1)))", pairs},
        {"ProductOfSums", {"x"}, {{"E", "sum(k, 1, n, x[k]^2)"}}, "E*sum(i, 1, n, x[i]*E) + exp(-E)", product_of_sums},
        {"Backwards",
         {"x"},
         {},
         "sum(i, 1, n, x[i]*x[n+1-i]^2)",
         [](int n) { return joined(1, n, [n](int i) { return text_of("x", i, "*x", n + 1 - i, "^2"); }); }},
        {"InnerSumsOfOuterIndex", {"x"}, {}, "sum(i, 1, n, cos(sum(j, 1, i, j*x[j]))*sum(j, 1, i, x[j]))", inner_sums},
        {"NestedAcrossTheWall",
         {"x"},
         {{"x[0]", "0.5"}},
         "sum(i, 0, n, sum(j, 0, n-i, x[i+j]*x[i]^2*(j+1)))",
         nested_across_the_wall},
    };
}

class Families : public testing::TestWithParam<family_case> {};

TEST_P(Families, LoopsEqualTheFormulaWrittenOut) {
    for (int n : {1, 2, 3, 7, 130, 300}) {
        auto const& problem = GetParam();
        auto const quadratic = std::string(problem.name).find("Nested") == 0 || std::string(problem.name) == "Pairs" ||
                               std::string(problem.name) == "InnerSumsOfOuterIndex" ||
                               std::string(problem.name) == "ProductOfSums";
        if (n > 100 && quadratic) continue;
        SCOPED_TRACE(n);
        formula_reader family;
        family.parameter("n", n);
        for (auto const& name : problem.families) family.coordinate(name + "[1..n]");
        for (auto const& [name, text] : problem.definitions) family.define(name, text);
        unrolled single(problem.families, n);
        auto const size = problem.families.size() * static_cast<std::size_t>(n);
        auto const q = numbers(size, 17U + static_cast<unsigned>(n));
        auto const loops = family.scalar(problem.potential);
        auto const plain = single.book.scalar(problem.written_out(n));
        auto const energy = scalar(single.book, plain, q);
        EXPECT_NEAR(scalar(family, loops, q), energy, 1e-12 * std::abs(energy));

        auto const force = outputs(family, gradient(family.formulas(), loops, source::position, -1), size, q);
        auto const expected =
            outputs(single.book, gradient(single.book.formulas(), plain, source::position, -1), size, q);
        for (std::size_t i = 0; i < size; ++i)
            EXPECT_NEAR(force[i], expected[i], 1e-11 * (1 + std::abs(expected[i]))) << i;
    }
}

TEST_P(Families, ShortLoopsCanBeWrittenOut) {
    for (int n : {1, 2, 3, 7}) {
        SCOPED_TRACE(n);
        formula_reader family;
        family.parameter("n", n);
        for (auto const& name : GetParam().families) family.coordinate(name + "[1..n]");
        for (auto const& [name, text] : GetParam().definitions) family.define(name, text);
        auto& g = family.formulas();
        auto const q = numbers(family.coordinate_count(), 8);
        auto const loops = gradient(g, family.scalar(GetParam().potential), source::position, -1);
        auto const written = unroll_short_loops(g, loops, 5000);
        EXPECT_TRUE(make_schedule(g, written, q.size()).top.children.empty());
        auto const expected = outputs(family, loops, q.size(), q);
        auto const result = outputs(family, written, q.size(), q);
        for (std::size_t i = 0; i < q.size(); ++i)
            EXPECT_NEAR(result[i], expected[i], 1e-11 * (1 + std::abs(expected[i]))) << i;
        auto const refused = unroll_short_loops(g, loops, 1);
        if (n == 7) { EXPECT_FALSE(make_schedule(g, refused, q.size()).top.children.empty()); }
    }
}

TEST_P(Families, PrintedLoopsReadBackAsTheSameNode) {
    formula_reader family;
    family.parameter("n", 9);
    for (auto const& name : GetParam().families) family.coordinate(name + "[1..n]");
    for (auto const& [name, text] : GetParam().definitions) family.define(name, text);
    auto const n = family.scalar(GetParam().potential);
    EXPECT_EQ(family.scalar(family.print(n)), n) << family.print(n);
}

TEST_P(Families, DerivativeAlongTheVelocityIsTheGradientTimesTheVelocity) {
    formula_reader family;
    family.parameter("n", 9);
    for (auto const& name : GetParam().families) family.coordinate(name + "[1..n]");
    for (auto const& [name, text] : GetParam().definitions) family.define(name, text);
    auto& g = family.formulas();
    auto const n = family.scalar(GetParam().potential);
    auto const q = numbers(family.coordinate_count(), 1);
    auto const v = numbers(family.coordinate_count(), 2);
    auto const slope = outputs(family, gradient(g, n, source::position), q.size(), q);
    auto expected = 0.0;
    for (std::size_t i = 0; i < q.size(); ++i) expected += slope[i] * v[i];
    EXPECT_NEAR(scalar(family, derivative_along(g, n, source::position, source::velocity), q, v), expected,
                1e-11 * (1 + std::abs(expected)));
}

TEST_P(Families, ProgramsDoNotGrowWithTheFamily) {
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> nodes;
    auto const begin = std::chrono::steady_clock::now();
    for (long double n : {20.0L, 1000.0L, 1e6L}) {
        formula_reader family;
        family.parameter("n", n);
        for (auto const& name : GetParam().families) family.coordinate(name + "[1..n]");
        for (auto const& [name, text] : GetParam().definitions) family.define(name, text);
        auto& g = family.formulas();
        auto const count = family.coordinate_count();
        auto const statements = gradient(g, family.scalar(GetParam().potential), source::position, -1);
        bytecode const code(g, make_schedule(g, statements, count));
        sizes.push_back(code.instruction_count());
        nodes.push_back(g.size());
    }
    EXPECT_EQ(sizes[0], sizes[1]);
    EXPECT_EQ(sizes[1], sizes[2]);
    EXPECT_EQ(nodes[1], nodes[2]);
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 1.0);
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(cases()),
                         [](auto const& info) { return std::string(info.param.name); });

TEST(Assignment, GivesEveryMemberItsFormula) {
    for (int n : {1, 2, 3, 7, 300}) {
        formula_reader book;
        book.parameter("n", n);
        book.coordinate("q");
        book.coordinate("x[1..n]");
        book.define("x[0]", "q");
        book.define("x[n+1]", "0");
        auto const size = static_cast<std::size_t>(n) + 1;
        auto const q = numbers(size, 5);
        auto const v = numbers(size, 6);
        auto const family = book.assign("x[i]", "x[i+1] - 2*x[i] + x[i-1] - 0.1*x[i]' + i");
        EXPECT_FALSE(family.velocity);
        auto statements = family.statements;
        auto const one = book.assign("x[1]", "100").statements;
        statements.insert(statements.end(), one.begin(), one.end());
        auto const result = outputs(book, statements, size, q, v);
        EXPECT_EQ(result[0], 0);
        for (int i = 1; i <= n; ++i) {
            auto const k = static_cast<std::size_t>(i);
            auto const right = i == n ? 0 : q[k + 1];
            auto const expected = right - 2 * q[k] + q[k - 1] - 0.1 * v[k] + i + (i == 1 ? 100 : 0);
            EXPECT_NEAR(result[k], expected, 1e-12 * (1 + std::abs(expected))) << n << " " << i;
        }
    }
}

TEST(Assignment, KnowsVelocitiesAndSingleMembers) {
    formula_reader book;
    book.parameter("n", 5);
    book.coordinate("x[1..n]");
    EXPECT_TRUE(book.assign("x[i]'", "0.5*i", parameters_only).velocity);
    EXPECT_TRUE(book.assign("x[3]'", "2").velocity);
    EXPECT_EQ(book.assign("x[n]", "2").statements.at(0).target, to_affine(4));
    EXPECT_EQ(book.slot("x[n-1]"), 3U);
    EXPECT_EQ(book.coordinate_name(3), "x[4]");
}

TEST(Assignment, RangesGiveConsecutiveOutputs) {
    formula_reader book;
    book.parameter("n", 10);
    book.coordinate("x[1..n]");
    EXPECT_EQ(book.range("i = 1..n/2"), (std::pair<std::int64_t, std::int64_t>(1, 5)));
    auto const constraints = book.for_all("i = 1..n/2", "x[2*i] - x[2*i-1]", 2);
    auto const q = numbers(10, 3);
    auto const result = outputs(book, constraints, 7, q);
    EXPECT_EQ(result[0], 0);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(result[2 + i], q[2 * i + 1] - q[2 * i]);

    auto& g = book.formulas();
    std::vector<std::vector<double>> dense(7, std::vector<double>(10));
    for (auto const& e : jacobian(g, constraints, source::position)) {
        ASSERT_EQ(e.loops.size(), 1U);
        auto const& bounds = g.bounds(e.loops[0]);
        for (auto i = bounds.lower[0].constant; i <= bounds.upper[0].constant; ++i)
            dense[static_cast<std::size_t>(e.row.with(e.loops[0], to_affine(i)).constant)]
                 [static_cast<std::size_t>(e.column.with(e.loops[0], to_affine(i)).constant)] +=
                evaluate<double>(g, g.substitute(e.value, e.loops[0], to_affine(i)), {.position = q});
    }
    for (std::size_t row = 0; row < 7; ++row)
        for (std::size_t column = 0; column < 10; ++column) {
            auto const expected = row < 2 ? 0 : column == 2 * (row - 2) + 1 ? 1 : column == 2 * (row - 2) ? -1 : 0;
            EXPECT_EQ(dense[row][column], expected) << row << " " << column;
        }
}

TEST(Assignment, BoundaryValuesHaveVelocities) {
    formula_reader book;
    book.parameter("n", 4);
    book.coordinate("x[1..n]");
    book.define("x[0]", "sin(t)*x[2]");
    EXPECT_EQ(book.scalar("x[0]'"), book.scalar("x[2]*cos(t) + sin(t)*x[2]'"));
    EXPECT_NE(book.scalar("sum(i, 1, n, x[i-1]')"), book.scalar("sum(i, 2, n, x[i-1]')"));
}

TEST(Sums, OverNothingAreZeroAndOverConstantsAreProducts) {
    formula_reader book;
    book.parameter("n", 4);
    book.coordinate("x[1..n]");
    EXPECT_EQ(book.scalar("sum(i, 3, 2, x[1])"), book.scalar("0"));
    EXPECT_EQ(book.scalar("sum(i, 1, 5, x[1])"), book.scalar("5*x[1]"));
    EXPECT_EQ(book.number("sum(i, 1, n, i^2)"), 30);
    EXPECT_EQ(book.number("sum(i, 1, n, sum(j, i, n, 1))"), 10);
    EXPECT_EQ(book.number("sum(i, 1, n, sum(j, i+2, n, j))"), 3 + 4 + 4);
    EXPECT_EQ(book.number("sum(i, 1, 10, sum(j, max(i, 4), min(i+1, 8), j))"),
              4 + 4 + 5 + 5 + 6 + 6 + 7 + 7 + 8 + 8); // i = 3..8
}

TEST(Sums, OfEqualShapeAreOneNode) {
    formula_reader book;
    book.parameter("n", 50);
    book.coordinate("x[1..n]");
    EXPECT_EQ(book.scalar("sum(i, 1, n, x[i]^2)"), book.scalar("sum(k, 1, n, x[k]*x[k])"));
}

TEST(Sums, UseOneLoopForOneRange) {
    formula_reader book;
    book.parameter("n", 50);
    book.coordinate("x[1..n]");
    auto& g = book.formulas();
    std::vector<statement> const both{output(0, book.scalar("sum(i, 1, n, x[i]^2)")),
                                      output(1, book.scalar("sum(i, 1, n, sin(x[i]))"))};
    EXPECT_EQ(make_schedule(g, both, 2).top.children.size(), 1U);
}

TEST(Size, AChainOfTenMillionIsReadAtOnce) {
    auto const begin = std::chrono::steady_clock::now();
    formula_reader book;
    book.parameter("n", 1e7L);
    book.coordinate("x[1..n]");
    book.define("x[0]", "0");
    book.define("x[n+1]", "0");
    auto& g = book.formulas();
    auto const potential = book.scalar("sum(i, 0, n, (x[i+1]-x[i])^4/4)");
    bytecode const code(g, make_schedule(g, gradient(g, potential, source::position, -1), book.coordinate_count()));
    EXPECT_LT(code.instruction_count(), 60U);
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 0.2);
}

} // namespace
