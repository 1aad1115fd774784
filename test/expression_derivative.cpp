#include "expression_random.hpp"
#include "lento/expression/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace lento::expression;

namespace {

constexpr std::array<char const*, 4> names{"x", "y", "z", "w"};

struct Derivative : testing::Test {
    Derivative() {
        for (auto const* name : names) book.coordinate(name);
    }
    formula_reader book;
    graph& g = book.formulas();
    node element(std::int64_t slot) { return g.element(source::position, to_affine(slot)); }
    long double value(node n, std::array<long double, 4> const& q, std::array<long double, 4> const& v = {}) const {
        return evaluate<long double>(book.formulas(), n, {.position = q, .velocity = v});
    }
};

TEST_F(Derivative, AgreesWithDifferencesOnRandomFormulas) {
    random_formulas random(3, {"x", "y", "z", "w"});
    auto compared = 0;
    for (int i = 0; i < 300; ++i) {
        auto const text = random.smooth(4);
        auto const n = book.scalar(text);
        auto const slot = i % 4;
        auto const slope = partial_derivative(g, n, element(slot));
        std::array<long double, 4> q{};
        for (auto& c : q) c = random.between(0.3, 1.7);
        auto const difference = [&](long double h) {
            auto high = q;
            auto low = q;
            high[static_cast<std::size_t>(slot)] += h;
            low[static_cast<std::size_t>(slot)] -= h;
            return (value(n, high) - value(n, low)) / (2 * h);
        };
        auto const h = 1e-4L;
        auto const extrapolated = (4 * difference(h / 2) - difference(h)) / 3;
        if (!std::isfinite(extrapolated) || std::abs(value(n, q)) > 1e6L || std::abs(extrapolated) > 1e6L) continue;
        ++compared;
        ASSERT_NEAR(static_cast<double>(value(slope, q)), static_cast<double>(extrapolated),
                    1e-8 * (1 + std::abs(static_cast<double>(extrapolated))))
            << text;
    }
    EXPECT_GT(compared, 200);
}

TEST_F(Derivative, OfEveryFunctionAgreesWithDifferences) {
    for (auto const* text :
         {"1/x",         "sqrt(x)",     "exp(x)",      "log(x)",      "sin(x)",      "cos(x)",      "tan(x)",
          "asin(x)",     "acos(x)",     "atan(x)",     "sinh(x)",     "cosh(x)",     "tanh(x)",     "x^y",
          "y^x",         "x^2.5",       "x^9",         "x^-2",        "atan2(x, y)", "atan2(y, x)", "hypot(x, y)",
          "hypot(y, x)", "min(x, 2*y)", "max(x, 2*y)", "min(2*y, x)", "max(2*y, x)", "abs(x)*x",    "abs(-x - 1)",
          "step(x)*x^2", "sign(x)*x^2", "x*y/(x + y)", "-x*x"}) {
        auto const n = book.scalar(text);
        std::array<long double, 4> const q{0.43L, 0.81L, 0, 0};
        auto const h = 1e-5L;
        auto const difference = (value(n, {q[0] + h, q[1]}) - value(n, {q[0] - h, q[1]})) / (2 * h);
        EXPECT_NEAR(static_cast<double>(value(partial_derivative(g, n, element(0)), q)),
                    static_cast<double>(difference), 1e-7)
            << text;
    }
}

TEST_F(Derivative, BackwardEqualsForward) {
    random_formulas random(5, {"x", "y", "z", "w"});
    for (int i = 0; i < 300; ++i) {
        auto const text = random.smooth(5);
        auto const n = book.scalar(text);
        std::array<long double, 4> q{};
        for (auto& c : q) c = random.between(0.3, 1.7);
        std::array<long double, 4> backward{};
        for (auto const& s : gradient(g, n, source::position))
            backward[static_cast<std::size_t>(s.target.constant)] += value(s.value, q);
        for (std::size_t k = 0; k < 4; ++k) {
            auto const forward = value(partial_derivative(g, n, element(static_cast<std::int64_t>(k))), q);
            if (!std::isfinite(forward)) continue;
            ASSERT_LE(std::abs(backward[k] - forward), 1e-14L * (1 + std::abs(forward)) * (1 + std::abs(value(n, q))))
                << text;
        }
    }
}

TEST_F(Derivative, SecondDerivativeAlongTheVelocityIsThatOfTheMotion) {
    random_formulas random(9, {"x", "y", "z", "w"});
    for (int i = 0; i < 100; ++i) {
        auto const text = random.smooth(3);
        auto const n = book.scalar(text);
        auto const second = derivative_along(g, derivative_along(g, n, source::position, source::velocity),
                                             source::position, source::velocity);
        std::array<long double, 4> const q{0.7L, 1.1L, 0.9L, 0.5L};
        std::array<long double, 4> const v{0.3L, -0.2L, 0.5L, 0.1L};
        auto const moved = [&](long double s) {
            return value(n, {q[0] + s * v[0], q[1] + s * v[1], q[2] + s * v[2], q[3] + s * v[3]});
        };
        auto const h = 1e-3L;
        auto const difference =
            (-moved(2 * h) + 16 * moved(h) - 30 * moved(0) + 16 * moved(-h) - moved(-2 * h)) / (12 * h * h);
        if (!std::isfinite(difference) || std::abs(difference) > 1e3L) continue;
        ASSERT_NEAR(static_cast<double>(value(second, q, v)), static_cast<double>(difference),
                    1e-6 * (1 + std::abs(static_cast<double>(difference))))
            << text;
    }
}

TEST_F(Derivative, TimeDerivativeSeesExplicitTime) {
    auto const n = time_derivative(g, book.scalar("x*sin(3*t) + y^2"));
    EXPECT_EQ(n, book.scalar("x*(3*cos(3*t)) + sin(3*t)*x' + 2*y*y'"));
}

TEST_F(Derivative, AtKinksIsAsDocumented) {
    auto const at_zero = [&](char const* text) {
        return value(partial_derivative(g, book.scalar(text), element(0)), {});
    };
    EXPECT_EQ(at_zero("abs(x)"), 0);
    EXPECT_EQ(at_zero("step(x)"), 0);
    EXPECT_EQ(at_zero("sign(x)"), 0);
    EXPECT_EQ(at_zero("min(x, 5*x)"), 1);
    EXPECT_EQ(at_zero("max(5*x, x)"), 5);
}

TEST_F(Derivative, GradientCostsASmallMultipleOfTheFormula) {
    std::string text = "0";
    formula_reader many;
    auto const name = [](int i) { return std::string("q").append(std::to_string(i)); };
    for (int i = 0; i < 200; ++i) many.coordinate(name(i));
    for (int i = 1; i < 200; ++i) {
        text.append(" + sqrt(1 + (")
            .append(name(i))
            .append("-")
            .append(name(i - 1))
            .append(")^2)*cos(")
            .append(name(i))
            .append(")/")
            .append(std::to_string(i));
    }
    auto& h = many.formulas();
    auto const n = many.scalar(text);
    bytecode const value_code(h, make_schedule(h, {output(0, n)}, 1));
    bytecode const gradient_code(h, make_schedule(h, gradient(h, n, source::position), 200));
    EXPECT_LT(gradient_code.instruction_count(), 5 * value_code.instruction_count());
}

TEST_F(Derivative, PartialDerivativeRefusesLoopsOverItsElement) {
    formula_reader chain;
    chain.coordinate("x[1..5]");
    auto const n = chain.scalar("sum(i, 1, 5, x[i]^2)");
    EXPECT_THROW(partial_derivative(chain.formulas(), n, chain.scalar("x[2]")), std::invalid_argument);
    EXPECT_THROW(partial_derivative(g, book.scalar("x"), book.scalar("x + y")), std::invalid_argument);
}

TEST_F(Derivative, JacobianHasTheEntriesOfTheConstraints) {
    std::vector<statement> const constraints{output(0, book.scalar("x^2 + y^2 - 1")), output(1, book.scalar("z*w"))};
    std::array<std::array<long double, 4>, 2> dense{};
    std::array<long double, 4> const q{2, 3, 5, 7};
    for (auto const& e : jacobian(g, constraints, source::position))
        dense[static_cast<std::size_t>(e.row.constant)][static_cast<std::size_t>(e.column.constant)] +=
            value(e.value, q);
    EXPECT_EQ(dense[0], (std::array<long double, 4>{4, 6, 0, 0}));
    EXPECT_EQ(dense[1], (std::array<long double, 4>{0, 0, 7, 5}));
}

} // namespace
