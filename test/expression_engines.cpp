// The engines agree with each other and with C++, whatever the build has of them.

#include "expression_random.hpp"
#include "lento/expression/arithmetic.hpp"
#include "lento/expression/expression.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <thread>

using namespace lento::expression;

namespace {

std::vector<engine_kind> all_engines() {
    std::vector<engine_kind> kinds{engine_kind::automatic, engine_kind::bytecode};
    if (llvm_is_there()) kinds.push_back(engine_kind::llvm);
    return kinds;
}

/// Units in the last place between two numbers; 0 for two that are both not numbers.
double ulps(double a, double b) {
    if (std::isnan(a) && std::isnan(b)) return 0;
    if (a == b) return 0;
    if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
    auto const ordered = [](double x) {
        auto const bits = std::bit_cast<std::int64_t>(x);
        return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
    };
    return std::abs(static_cast<double>(ordered(a)) - static_cast<double>(ordered(b)));
}

std::vector<double> outputs(engine const& code, inputs<double> const& from) {
    auto const work = code.work();
    std::vector<double> out(code.outputs(), 77);
    code.evaluate(from, out, *work);
    return out;
}

/// Numbers of all sizes, zeros, infinities and what is not a number.
std::vector<double> all_sorts_of_numbers() {
    std::vector<double> made{0,
                             -0.0,
                             1,
                             -1,
                             0.5,
                             -0.5,
                             3.14159,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN(),
                             1e308,
                             -1e308,
                             5e-324};
    random_formulas random(7, {});
    for (int i = 0; i < 250; ++i) made.push_back(random.between(-1, 1) * std::exp(random.between(-30, 30)));
    return made;
}

constexpr operation first_unary = operation::negate, last_unary = operation::tanh;
constexpr operation first_binary = operation::add, last_binary = operation::hypot;

operation after(operation op) { return static_cast<operation>(static_cast<int>(op) + 1); }

TEST(Engines, EveryOperationIsTheOneOfCxx) {
    auto const numbers = all_sorts_of_numbers();
    for (auto const kind : all_engines()) {
        graph g;
        std::vector<statement> statements;
        auto const x = g.element(source::position, to_affine(0)), y = g.element(source::velocity, to_affine(0));
        std::size_t count = 0;
        for (auto op = first_unary; op <= last_unary; op = after(op))
            statements.push_back(output(count++, g.unary(op, x)));
        for (auto op = first_binary; op <= last_binary; op = after(op))
            statements.push_back(output(count++, g.binary(op, x, y)));
        statements.push_back(output(count++, g.quotient(x, y)));
        auto const code = compile(g, make_schedule(g, statements, count), kind);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            auto const a = numbers[i], b = numbers[(7 * i + 3) % numbers.size()];
            auto const out = outputs(*code, {.position = std::span(&a, 1), .velocity = std::span(&b, 1)});
            std::size_t at = 0;
            for (auto op = first_unary; op <= last_unary; op = after(op), ++at)
                EXPECT_EQ(ulps(out[at], apply(op, a)), 0)
                    << name(kind) << ", operation " << static_cast<int>(op) << " of " << a;
            for (auto op = first_binary; op <= last_binary; op = after(op), ++at)
                EXPECT_EQ(ulps(out[at], apply(op, a, b)), 0)
                    << name(kind) << ", operation " << static_cast<int>(op) << " of " << a << " and " << b;
            EXPECT_EQ(ulps(out[at], a / b), 0) << name(kind) << ", " << a << " / " << b;
        }
    }
}

/// What a formula says and what C++ says. Not a number passes through min, max, sign and step.
struct said {
    char const* formula;
    double (*in_cxx)(double x, double y);
};
bool any_nan(double x, double y) { return std::isnan(x) || std::isnan(y); }
constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();
constexpr said functions[] = {
    {"-x", [](double x, double) { return -x; }},
    {"x + y", [](double x, double y) { return x + y; }},
    {"x - y", [](double x, double y) { return x - y; }},
    {"x*y", [](double x, double y) { return x * y; }},
    {"x/y", [](double x, double y) { return x / y; }},
    {"x^y", [](double x, double y) { return std::pow(x, y); }},
    {"pow(x, y)", [](double x, double y) { return std::pow(x, y); }},
    {"pow(y, x)", [](double x, double y) { return std::pow(y, x); }},
    {"x^0", [](double, double) { return 1.0; }},
    {"x^1", [](double x, double) { return x; }},
    {"x^2", [](double x, double) { return x * x; }},
    {"x^3", [](double x, double) { return x * (x * x); }},
    {"x^-1", [](double x, double) { return 1 / x; }},
    {"x^0.5", [](double x, double) { return std::sqrt(x); }},
    {"x^2.5", [](double x, double) { return std::pow(x, 2.5); }},
    {"2^x", [](double x, double) { return std::pow(2, x); }},
    {"0^x", [](double x, double) { return std::pow(0, x); }},
    {"1^x", [](double x, double) { return std::pow(1, x); }},
    {"min(x, y)", [](double x, double y) { return any_nan(x, y) ? nan_ : std::min(x, y); }},
    {"max(x, y)", [](double x, double y) { return any_nan(x, y) ? nan_ : std::max(x, y); }},
    {"abs(x)", [](double x, double) { return std::abs(x); }},
    {"sign(x)", [](double x, double) { return std::isnan(x) ? x : double(x > 0) - double(x < 0); }},
    {"step(x)", [](double x, double) { return std::isnan(x) ? x : double(x >= 0); }},
    {"sqrt(x)", [](double x, double) { return std::sqrt(x); }},
    {"1/sqrt(x)", [](double x, double) { return 1 / std::sqrt(x); }},
    {"y/sqrt(x)", [](double x, double y) { return y / std::sqrt(x); }},
    {"exp(x)", [](double x, double) { return std::exp(x); }},
    {"log(x)", [](double x, double) { return std::log(x); }},
    {"sin(x)", [](double x, double) { return std::sin(x); }},
    {"cos(x)", [](double x, double) { return std::cos(x); }},
    {"tan(x)", [](double x, double) { return std::tan(x); }},
    {"asin(x)", [](double x, double) { return std::asin(x); }},
    {"acos(x)", [](double x, double) { return std::acos(x); }},
    {"atan(x)", [](double x, double) { return std::atan(x); }},
    {"atan2(x, y)", [](double x, double y) { return std::atan2(x, y); }},
    {"sinh(x)", [](double x, double) { return std::sinh(x); }},
    {"cosh(x)", [](double x, double) { return std::cosh(x); }},
    {"tanh(x)", [](double x, double) { return std::tanh(x); }},
    {"hypot(x, y)", [](double x, double y) { return std::hypot(x, y); }},
};

/// Each alone and as a family.
TEST(Engines, EveryFunctionSaysWhatCxxSays) {
    auto const numbers = all_sorts_of_numbers();
    auto const n = numbers.size();
    std::vector<double> others(n);
    for (std::size_t i = 0; i < n; ++i) others[i] = numbers[(7 * i + 3) % n];
    for (auto const kind : all_engines())
        for (auto const& [formula, in_cxx] : functions) {
            formula_reader book;
            for (auto const* name : {"x", "y"}) book.coordinate(name);
            auto& g = book.formulas();
            auto const code = compile(g, make_schedule(g, {output(0, book.scalar(formula))}, 1), kind);
            formula_reader many;
            many.parameter("n", static_cast<long double>(n));
            for (auto const* name : {"x[1..n]", "y[1..n]"}) many.coordinate(name);
            std::string text;
            for (char const* at = formula; *at != 0; ++at) {
                bool const name = (*at == 'x' || *at == 'y') && (at == formula || std::isalpha(at[-1]) == 0) &&
                                  std::isalpha(at[1]) == 0;
                text += name ? std::string(1, *at) + "[i]" : std::string(1, *at);
            }
            auto& family = many.formulas();
            auto const loop = compile(family, make_schedule(family, many.assign("x[i]", text).statements, 2 * n), kind);
            auto both = numbers;
            both.insert(both.end(), others.begin(), others.end());
            auto const out = outputs(*loop, {.position = both});
            for (std::size_t i = 0; i < n; ++i) {
                double const q[] = {numbers[i], others[i]};
                auto const expected = in_cxx(q[0], q[1]);
                EXPECT_EQ(ulps(outputs(*code, {.position = q})[0], expected), 0)
                    << name(kind) << ", " << formula << " of " << q[0] << " and " << q[1];
                EXPECT_LE(ulps(out[i], expected), 4) << name(kind) << ", " << text << " of " << q[0] << " and " << q[1];
            }
        }
}

/// At kinks, zeros and poles all choose the same derivative.
TEST(Engines, DerivativesAtSpecialPointsGiveTheSameBits) {
    std::vector<double> const special{0, 1, -1, 0.5, std::numeric_limits<double>::infinity(), nan_};
    for (auto const kind : all_engines())
        for (auto const& each : functions) {
            formula_reader book;
            for (auto const* name : {"x", "y"}) book.coordinate(name);
            auto& g = book.formulas();
            auto const plan = make_schedule(g, gradient(g, book.scalar(each.formula), source::position), 2);
            auto const code = compile(g, plan, kind);
            for (auto const x : special)
                for (auto const y : special) {
                    double const q[] = {x, y};
                    std::vector<double> reference(2);
                    evaluate<double>(g, plan, {.position = q}, reference);
                    auto const out = outputs(*code, {.position = q});
                    for (std::size_t k = 0; k < 2; ++k)
                        EXPECT_EQ(ulps(out[k], reference[k]), 0)
                            << name(kind) << ", slope of " << each.formula << " at " << x << ", " << y;
                }
        }
}

/// In loops vector functions may stand in: within 4 units in the last place, and the same for all that is not finite.
TEST(Engines, EveryOperationOfAFamilyIsWithinFourUlps) {
    auto const numbers = all_sorts_of_numbers();
    auto const n = numbers.size();
    std::vector<double> others(n);
    for (std::size_t i = 0; i < n; ++i) others[i] = numbers[(7 * i + 3) % n];
    for (auto const kind : all_engines())
        for (auto op = first_unary; op <= last_binary; op = after(op)) {
            graph g;
            auto const i = g.loop(0, {{to_affine(0)}, {to_affine(static_cast<std::int64_t>(n) - 1)}});
            auto const x = g.element(source::position, to_affine(i)), y = g.element(source::velocity, to_affine(i));
            auto const value = is_unary(op) ? g.unary(op, x) : g.binary(op, x, y);
            auto const code = compile(g, make_schedule(g, {{{i}, to_affine(i), value}}, n), kind);
            auto const out = outputs(*code, {.position = numbers, .velocity = others});
            for (std::size_t k = 0; k < n; ++k) {
                auto const expected = is_unary(op) ? apply(op, numbers[k]) : apply(op, numbers[k], others[k]);
                EXPECT_LE(ulps(out[k], expected), 4) << name(kind) << ", operation " << static_cast<int>(op) << " of "
                                                     << numbers[k] << " and " << others[k];
            }
        }
}

TEST(Engines, RandomFormulasGiveTheSameBits) {
    random_formulas random(31, {"x", "y", "z", "y'", "t", "theta"});
    for (int i = 0; i < 60; ++i) {
        formula_reader book;
        for (auto const* name : {"x", "y", "z"}) book.coordinate(name);
        book.phases(1);
        std::vector<statement> statements;
        std::string all;
        for (std::size_t k = 0; k < 3; ++k) {
            auto const text = random.any(5);
            try {
                statements.push_back(output(k, book.scalar(text)));
                for (auto s : gradient(book.formulas(), statements.back().value, source::position)) {
                    s.target.constant += 3;
                    statements.push_back(s);
                }
            } catch (formula_error const&) { continue; }
            all += text + "\n";
        }
        std::vector<double> const q{random.between(-2, 2), random.between(0, 2), random.between(0.1, 1)};
        double const theta[] = {0.4};
        auto& g = book.formulas();
        auto const plan = make_schedule(g, statements, 7);
        inputs<double> const from{.position = q, .velocity = q, .phase = theta, .time = 0.25};
        auto const reference = outputs(*compile_bytecode(g, plan), from);
        for (auto const kind : all_engines()) {
            auto const out = outputs(*compile(g, plan, kind), from);
            for (std::size_t k = 0; k < out.size(); ++k)
                EXPECT_EQ(ulps(out[k], reference[k]), 0) << name(kind) << "\n" << all;
        }
    }
}

/// Formulas of products, sums, roots and quotients round alike also where they run as vectors.
TEST(Engines, LoopsWithoutTranscendentalFunctionsGiveTheSameBits) {
    std::vector<std::string> const texts{"x[i]*y[i]/(1 + x[i+1]^2) - sqrt(y[2*i])*i",
                                         "(x[i+1]-x[i])^4/4 + (x[i+1] - x[i-1])^2/2",
                                         "y[n-i]*x[i]^2 + t*x[1]",
                                         "(x[i+1] - x[i])^2*y[i]^3",
                                         "x[i+1]*x[i-1]*x[i]",
                                         "min(x[i], y[i])*max(x[i+1], 0.9) + abs(y[i] - 1)",
                                         "x[i]*sum(j, 1, i, y[j]*x[j]^2)",
                                         "sum(j, i + 1, n, 1/sqrt((x[i]-x[j])^2 + 1e-3))"};
    for (auto const n : {1, 2, 3, 7, 40, 257})
        for (auto const& text : texts) {
            formula_reader book;
            book.parameter("n", n);
            book.coordinate("x[1..n]");
            book.coordinate("y[0..2*n]");
            book.define("x[0]", "0.5*t");
            book.define("x[n+1]", "x[1]^2");
            auto& g = book.formulas();
            auto statements = book.assign("x[i]", text).statements;
            auto const slopes = gradient(g, book.scalar("sum(i, 1, n, " + text + ")"), source::position, -1);
            statements.insert(statements.end(), slopes.begin(), slopes.end());
            auto const size = static_cast<std::size_t>(3 * n + 1);
            std::vector<double> q(size);
            random_formulas random(5, {});
            for (auto& c : q) c = random.between(0.1, 1.9);
            auto const plan = make_schedule(g, statements, size);
            inputs<double> const from{.position = q, .time = 0.25};
            std::vector<double> reference(size);
            evaluate<double>(g, plan, from, reference);
            for (auto const kind : all_engines()) {
                auto const out = outputs(*compile(g, plan, kind), from);
                for (std::size_t k = 0; k < size; ++k)
                    EXPECT_EQ(ulps(out[k], reference[k]), 0) << name(kind) << ", n = " << n << ", output " << k << "\n"
                                                             << text;
            }
        }
}

TEST(Engines, SayWhatIsMissing) {
    for (auto const kind : all_engines()) {
        formula_reader book;
        for (auto const* name : {"x", "y"}) book.coordinate(name);
        auto& g = book.formulas();
        auto const code = compile(g, make_schedule(g, book.assign("y", "x + y'").statements, 2), kind);
        auto const work = code->work();
        double const q[] = {1, 2};
        double out[] = {9, 9};
        code->evaluate({.position = q, .velocity = q}, out, *work);
        EXPECT_EQ(out[0], 0);
        EXPECT_EQ(out[1], 3);
        EXPECT_THROW(code->evaluate({.position = q}, out, *work), std::invalid_argument);
        EXPECT_THROW(code->evaluate({.position = q, .velocity = q}, std::span(out, 1), *work), std::invalid_argument);
    }
    if (built_with_llvm()) return;
    graph g;
    EXPECT_THROW(compile(g, make_schedule(g, {}, 0), engine_kind::llvm), std::runtime_error);
}

TEST(Engines, ThreadsShareAProgramAndItsMarches) {
    for (auto const kind : all_engines()) {
        formula_reader book;
        book.parameter("n", 100);
        book.coordinate("x[1..n]");
        auto& g = book.formulas();
        auto const slopes = gradient(g, book.scalar("sum(i, 2, n, (x[i]-x[i-1])^4)"), source::position);
        auto const code = compile(g, make_schedule(g, slopes, 100), kind);
        std::vector<std::vector<double>> out(2, std::vector<double>(100));
        std::vector<double> q(100);
        for (std::size_t i = 0; i < q.size(); ++i) q[i] = std::sin(static_cast<double>(i));
        std::vector<std::thread> threads;
        for (auto& o : out)
            threads.emplace_back([&] {
                auto const work = code->work();
                for (int k = 0; k < 20; ++k) code->evaluate({.position = q}, o, *work);
                auto* const loop = code->step_loop({.size = 100}, *work);
                EXPECT_EQ(loop != nullptr, kind == engine_kind::llvm);
            });
        for (auto& t : threads) t.join();
        EXPECT_EQ(out[0], out[1]);
        EXPECT_NE(out[0][5], 0);
    }
}

TEST(Engines, TheAutomaticOneChangesWhileItRunsAndGivesTheSameBits) {
    formula_reader book;
    book.coordinate("x");
    auto& g = book.formulas();
    std::string text = "sin(x)";
    for (int i = 1; i < 200; ++i) text = "(" + text + ")*x + 1/" + std::to_string(i);
    auto const plan = make_schedule(g, {output(0, book.scalar(text))}, 1);
    auto const changing = compile(g, plan);
    auto const fixed = compile_bytecode(g, plan);
    auto const work = changing->work(), other_work = fixed->work();
    bool changed = false;
    for (int i = 0; i < 250'000; ++i) {
        double const x = 1e-5 * i;
        double out = 0;
        changing->evaluate({.position = std::span(&x, 1)}, std::span(&out, 1), *work);
        if (!changed && i % 1000 == 0) changed = changing->step_loop({.size = 1}, *work) != nullptr;
        if (i % 100 != 0) continue;
        double expected = 0;
        fixed->evaluate({.position = std::span(&x, 1)}, std::span(&expected, 1), *other_work);
        ASSERT_EQ(out, expected);
    }
    EXPECT_EQ(changed, llvm_is_there());
}

TEST(Engines, ManyAreMadeAndDestroyed) {
    if (!llvm_is_there()) GTEST_SKIP() << "without LLVM there is nothing to leak";
    auto const resident = [] {
        long pages = 0;
        if (auto* const file = std::fopen("/proc/self/statm", "r")) {
            if (std::fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
            std::fclose(file);
        }
        return pages;
    };
    long before = 0;
    for (int i = 0; i < 120; ++i) {
        if (i == 40) before = resident();
        formula_reader book;
        book.coordinate("x");
        auto& g = book.formulas();
        auto const code = compile(g, make_schedule(g, {output(0, book.scalar("sin(x)*x"))}, 1), engine_kind::llvm);
        double const x = i;
        EXPECT_EQ(outputs(*code, {.position = std::span(&x, 1)})[0], std::sin(x) * x);
    }
    EXPECT_LE(resident() - before, 2000) << "pages of memory";
}

} // namespace

/// The address sanitizer keeps what is freed for a while, 256 MB of it; here memory is measured, so it must let go.
extern "C" char const* __asan_default_options();
extern "C" char const* __asan_default_options() { return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64"; }
