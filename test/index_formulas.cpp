// Indices never leave their arrays, and whatever is read ends: laws over thousands of formulas of indices.

#include "index_formulas.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include <lento/expression/ranges.hpp>

namespace {

using namespace index_formulas;

index_case case_of(unsigned seed) {
    std::mt19937 random(seed);
    return generator([&random](unsigned n) { return static_cast<unsigned>(random() % n); }).make();
}

/// Seconds that something takes.
template <class Work> double seconds(Work const& work) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(IndexFormulas, AgreeWithACheckedEvaluationOrAreRefused) {
    constexpr unsigned cases = 5000;
    std::size_t agreed = 0, refused = 0, not_proven = 0;
    for (unsigned seed = 0; seed < cases; ++seed) {
        auto const one = case_of(seed);
        verdict found;
        EXPECT_LT(seconds([&] { found = compared(one); }), 5) << shown(one);
        EXPECT_EQ(found.fault, "") << shown(one);
        agreed += found.what == verdict::kind::agrees ? 1 : 0;
        refused += found.what == verdict::kind::refused ? 1 : 0;
        bool const moderate = !one.huge && !one.fractional;
        not_proven += moderate && found.what == verdict::kind::refused_although_sound ? 1 : 0;
    }
    EXPECT_GT(agreed, cases / 2);
    EXPECT_GT(refused, cases / 10);
    EXPECT_LT(not_proven, cases / 200); // inner loops that are empty for reasons beyond one bound
}

TEST(IndexFormulas, AgreeInTheCodeOfLlvm) {
    if (!llvm_is_there()) GTEST_SKIP();
    for (unsigned seed = 0; seed < 40; ++seed) {
        auto const one = case_of(seed);
        EXPECT_EQ(compared(one, engine_kind::llvm).fault, "") << shown(one);
    }
}

/// The sentence of an error, or nothing.
template <class Read> std::string refusal(Read const& read) {
    try {
        read();
    } catch (formula_error const& error) { return error.what(); }
    return {};
}

TEST(Indices, ThatWouldWrapAreRefused) {
    formula_reader book;
    book.coordinate("x[1..9]");
    auto const refused = [&](std::string const& text) { return refusal([&] { book.scalar(text); }); };
    // 2^64 + 1 is 1 where it wraps
    EXPECT_EQ(refused("sum(j, 0, 4294967296, sum(k, 536870912*j, 536870912*j+1, x[8*k+1]))"),
              "The index k would go beyond 1e15.");
    EXPECT_EQ(refused("sum(j, 0, 1000000, sum(k, 1000000000*j, 1000000000*j, x[18446744074*k-18446744073]))"),
              "This index is too large.");
    EXPECT_EQ(refused("sum(j, 1, 1000000, sum(k, 1, 1000000, x[1000000000*j-1000000000*j+k]))").find("The index k"),
              0U);
    EXPECT_EQ(refused("sum(j, 2147483647, 2147483648, sum(k, 4294967296-2*j, 9, x[k]))"),
              "The index k of x reaches 0 at k = 0, but x runs from 1 to 9.");
}

TEST(Indices, OfAffineFormsThrowInsteadOfWrapping) {
    auto const most = std::numeric_limits<std::int64_t>::max();
    EXPECT_THROW(to_affine(most) + to_affine(1), index_overflow);
    EXPECT_THROW(to_affine(most / 2) * 3, index_overflow);
    EXPECT_THROW((to_affine(variable{0}) * (most / 2)) * 3, index_overflow);
    EXPECT_THROW(-to_affine(std::numeric_limits<std::int64_t>::min()), index_overflow);
}

TEST(Indices, RangesAreNeverTooNarrow) {
    constexpr variable i{0}, j{1};
    auto const far = std::int64_t{1} << 40;
    std::vector<known_range> const known{{i, {to_affine(0)}, {to_affine(far)}},
                                         {j, {to_affine(i) * far}, {to_affine(i) * far, to_affine(7)}}};
    EXPECT_EQ(largest(to_affine(j), known), 7);
    EXPECT_EQ(smallest(to_affine(j), known), 0);
    EXPECT_EQ(largest(to_affine(i) * far, known), unbounded); // 2^80
    EXPECT_EQ(smallest(to_affine(i) * -far, known), -unbounded);
    EXPECT_EQ(largest(to_affine(variable{2}), known), unbounded); // nothing is known of it
    EXPECT_TRUE(is_computable(to_affine(j) * far, known));
    EXPECT_FALSE(is_computable(to_affine(i) * far - to_affine(i) * (far / 2), known));
}

constexpr variable elsewhere{0}, mine{1};

/// A sum over a loop made by hand, which no reader has looked at, beside another loop that is not open.
double sum_of_elements(loop_bounds const& bounds, affine const& slot, engine_kind with) {
    graph g;
    EXPECT_EQ(g.loop(0, {{to_affine(0)}, {to_affine(1)}}), elsewhere);
    EXPECT_EQ(g.loop(1, bounds), mine);
    std::string fault;
    auto const out =
        outputs(g, {output(0, g.sum(mine, g.element(source::position, slot)))}, 1, {1, 2, 4, 8}, with, fault);
    EXPECT_EQ(fault, "");
    return out[0];
}

TEST(Engines, CompileNoIndexThatIsNotProven) {
    auto const i = to_affine(mine);
    loop_bounds const all{{to_affine(0)}, {to_affine(3)}};
    for (auto const with : {engine_kind::bytecode, engine_kind::automatic, engine_kind::llvm}) {
        if (with == engine_kind::llvm && !llvm_is_there()) continue;
        EXPECT_EQ(sum_of_elements(all, i, with), 15);
        EXPECT_THROW(sum_of_elements(all, i - to_affine(1), with), formula_error); // before the first
        EXPECT_THROW(sum_of_elements(all, i + to_affine(1), with),
                     std::invalid_argument); // beyond the last: at run time
        EXPECT_THROW(sum_of_elements({{to_affine(0)}, {to_affine(elsewhere)}}, i, with), formula_error); // not open
        EXPECT_THROW(
            sum_of_elements({{to_affine(1)}, {to_affine(3)}}, i * (std::int64_t{1} << 62) - to_affine(1), with),
            formula_error); // wraps
        graph g;
        auto const v = g.loop(0, all);
        schedule plan = make_schedule(g, {{{v}, to_affine(v), g.index(v)}}, 4);
        plan.outputs = 3;
        EXPECT_THROW(compile(g, plan, with), formula_error); // a store beyond the outputs
    }
}

/// A lattice of m times m, with one value beyond its end.
struct lattice_reader {
    formula_reader book;
    explicit lattice_reader(int m) {
        book.parameter("m", m);
        book.coordinate("x[1..m*m]");
        book.define("x[m*m+1]", "0");
    }
};

TEST(Lattices, AreReadInMillisecondsAndRunAsLoops) {
    for (auto const* text : {"sum(i, 1, m, sum(j, 0, m-1, (x[m*j+i+1]-x[m*j+i])^2/2))",
                             "sum(j, 0, m-1, sum(i, 1, m, (x[m*j+i+1]-x[m*j+i])^2/2))"}) {
        std::vector<std::size_t> sizes;
        for (int const m : {4, 100, 1000}) {
            lattice_reader lattice(m);
            auto& g = lattice.book.formulas();
            std::vector<statement> force;
            auto n = node{};
            EXPECT_LT(
                seconds([&] {
                    n = lattice.book.scalar(text);
                    force = gradient(g, n, source::position, -1);
                    sizes.push_back(
                        bytecode(g, make_schedule(g, force, lattice.book.coordinate_count())).instruction_count());
                }),
                0.1);
            std::vector<double> x(lattice.book.coordinate_count());
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
            auto energy = 0.5 * x.back() * x.back();
            for (std::size_t i = 1; i < x.size(); ++i) energy += 0.5 * (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
            std::string fault;
            EXPECT_NEAR(outputs(g, {output(0, n)}, 1, x, engine_kind::bytecode, fault)[0], energy, 1e-11 * energy);
            auto const pull = outputs(g, force, x.size(), x, engine_kind::bytecode, fault);
            for (std::size_t i = 1; i + 1 < x.size(); ++i)
                ASSERT_NEAR(pull[i], x[i + 1] - 2 * x[i] + x[i - 1], 1e-13) << i;
            EXPECT_EQ(fault, "");
        }
        EXPECT_EQ(sizes[1], sizes[2]);
    }
}

TEST(Lattices, OfTheSmallestSizesAreReadToo) {
    formula_reader book;
    book.coordinate("x[1..5]");
    book.define("x[6]", "10");
    auto const n = book.scalar("sum(i, 1, 2, sum(j, 1, 2, x[2*j+i]))");
    std::string fault;
    EXPECT_EQ(outputs(book.formulas(), {output(0, n)}, 1, {1, 2, 3, 4, 5}, engine_kind::bytecode, fault)[0],
              3 + 4 + 5 + 10);
}

/// However odd a text is, reading and differentiating it ends soon, with a value or a sentence.
void expect_soon(std::string const& text, std::vector<std::pair<std::string, std::string>> const& definitions = {}) {
    SCOPED_TRACE(text.substr(0, 200));
    EXPECT_LT(seconds([&] {
                  try {
                      formula_reader book(1e9L);
                      book.coordinate("x[1..20]");
                      for (auto const& [name, meaning] : definitions) book.define(name, meaning);
                      auto& g = book.formulas();
                      auto const all = gradient(g, book.scalar(text), source::position);
                      static_cast<void>(compile_bytecode(g, make_schedule(g, unroll_short_loops(g, all), 20)));
                  } catch (formula_error const&) {}
              }),
              5);
}

/// Sums inside each other around a body: the bounds of each by the name of the one around it, which the first lacks.
template <class Bounds> std::string nested(int depth, std::string body, Bounds const& bounds) {
    for (int k = depth; k > 0; --k)
        body =
            "sum(i" + std::to_string(k) + ", " + bounds(k == 1 ? "1" : "i" + std::to_string(k - 1)) + ", " + body + ")";
    return body;
}
std::string rising(int depth) {
    return nested(depth, "x[1]*i" + std::to_string(depth), [](std::string const& outer) { return outer + ", 2"; });
}

TEST(Reading, OfDeepAndOddSumsEnds) {
    expect_soon(rising(20));
    expect_soon(rising(26));
    expect_soon(rising(200));
    expect_soon(nested(12, "x[i12]",
                       [](std::string const& outer) { return "max(1, " + outer + "-3), min(4, 7-" + outer + ")"; }));
    expect_soon(nested(29, "x[i29+1]", [](std::string const&) { return "0, 1"; }));
    std::string many = "1";
    for (int k = 2; k < 300; ++k) many = "max(" + many + ", " + std::to_string(k) + "*i-" + std::to_string(k * k) + ")";
    expect_soon("sum(i, 1, 9, sum(j, " + many + ", 20, x[j]))");
    expect_soon("sum(i, 1, 1e12, x[1]*i)");
    expect_soon("sum(i, 1, 1000000, sum(j, 2*i, 3*i, sum(k, 5*j-7*i, 11*i-3*j, x[1]*k)))");
}

TEST(Engines, DoNotHandDeepLoopsToLlvm) {
    formula_reader book;
    book.coordinate("x[1..20]");
    auto& g = book.formulas();
    auto const plan = make_schedule(g, {output(0, book.scalar(rising(20)))}, 1);
    auto const code = compile(g, plan, engine_kind::automatic);
    auto const work = code->work();
    std::vector<double> const x(20, 1);
    std::vector<double> out(1);
    EXPECT_LT(seconds([&] {
                  for (int k = 0; k < 100; ++k) code->evaluate({.position = x}, out, *work);
              }),
              5);
    EXPECT_EQ(out[0], 1 + 20 * 2);
    if (llvm_is_there()) { EXPECT_THROW(compile(g, plan, engine_kind::llvm), formula_error); }
}

TEST(Reading, OfDefinitionsThatMultiplyEnds) {
    std::vector<std::pair<std::string, std::string>> doubling{{"a0[i]", "x[1]*i"}}, shared{{"b0[i]", "x[1]*i"}};
    for (int k = 1; k <= 60; ++k) {
        auto const before = "a" + std::to_string(k - 1);
        doubling.emplace_back("a" + std::to_string(k) + "[i]", before + "[2*i] + " + before + "[2*i+1]");
        auto const last = "b" + std::to_string(k - 1) + "[i]";
        shared.emplace_back("b" + std::to_string(k) + "[i]",
                            "sum(j, i, i+1, j*" + last + ") + sum(k, i, i+2, k*" + last + ")");
    }
    expect_soon("a60[1]", doubling);
    expect_soon("sum(i, 1, 3, b8[i])", shared);
    std::vector<std::pair<std::string, std::string>> walls;
    for (int k = 21; k < 400; ++k) walls.emplace_back("x[" + std::to_string(k) + "]", std::to_string(k));
    expect_soon("sum(i, 1, 100, sum(j, 1, 100, sum(k, 1, 100, x[i+j+k])))", walls);
    expect_soon("sum(i, 1, 100, sum(j, 1, 100, sum(k, 1, 100, x[2*i+3*j+5*k-9])))", walls);
}

TEST(Reading, OfNumbersEnds) {
    formula_reader book;
    EXPECT_EQ(refusal([&] { static_cast<void>(book.number("sum(i, 1, 1e12, i)")); }),
              "The loops over i and around it would take about 1e+12 steps.");
    EXPECT_EQ(static_cast<double>(book.number("sum(i, 1, 1e6, i)")), 500000500000.);
    int computed = 0;
    std::string last;
    EXPECT_LT(seconds([&] {
                  for (; computed < 1000 && last.empty(); ++computed)
                      last = refusal([&] { static_cast<void>(book.number("sum(i, 1, 2e5, cos(i))")); });
              }),
              20);
    EXPECT_GT(computed, 5);
    EXPECT_EQ(last, "The numbers of this problem take too long to compute."); // all of them together
}

} // namespace
