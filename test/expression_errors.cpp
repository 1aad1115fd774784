#include "lento/expression/expression.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace lento::expression;

namespace {

/// A formula that is wrong, and all that its error says.
struct bad_formula {
    std::string text;
    std::size_t offset, length;
    std::string sentence, expected, nearest, origin;
};

/// A problem with a bit of everything for bad formulas to refer to.
struct Errors : testing::Test {
    Errors() {
        book.parameter("vmax", 4);
        book.parameter("omega", 1e6L);
        book.parameter("l", 0.2L);
        book.parameter("l0", 0);
        book.parameter("n", 10);
        book.coordinate("x");
        book.coordinate("y");
        book.coordinate("c[1..n]");
        book.phases(1);
        book.define("c[n+1]", "0");
        book.define("a1", "2*b1");
        book.define("b1", "a1+x");
        book.define("r[i]", "c[i+1]-c[i-1]");
        book.define("w[0]", "1");
    }
    template <class Action> formula_error error_of(Action&& action) {
        try {
            action();
        } catch (formula_error const& error) { return error; }
        ADD_FAILURE() << "there was no error";
        return {"", {}};
    }
    void expect(std::string const& sentence, std::function<void()> const& action) {
        EXPECT_EQ(error_of(action).what(), sentence);
    }
    formula_reader book;
};

std::vector<bad_formula> corpus() {
    return {
        {R"f()f", 0, 0, R"s(The formula ends too early.)s", R"e(a number, a name or ()e", "", ""},
        {R"f(x +)f", 3, 0, R"s(The formula ends too early.)s", R"e(a number, a name or ()e", "", ""},
        {R"f((x + 1)f", 0, 1, R"s(This parenthesis is never closed.)s", R"e())e", "", ""},
        {R"f(x + 1))f", 5, 1, R"s(This parenthesis closes nothing.)s", R"e(an operator or the end)e", "", ""},
        {R"f(x * / y)f", 4, 1, R"s(The "/" does not fit here.)s", R"e(a number, a name or ()e", "", ""},
        {R"f(sin x)f", 0, 3, R"s(sin is a function and needs its arguments in parentheses.)s", R"e(sin(...))e", "", ""},
        {R"f(sin)f", 0, 3, R"s(sin is a function and needs its arguments in parentheses.)s", R"e(sin(...))e", "", ""},
        {R"f(sin())f", 0, 5, R"s(sin takes 1 argument, but here it has 0.)s", R"e(1 argument)e", "", ""},
        {R"f(atan2(x))f", 0, 8, R"s(atan2 takes 2 arguments, but here it has 1.)s", R"e(2 arguments)e", "", ""},
        {R"f(min(1, 2, 3))f", 0, 12, R"s(min takes 2 arguments, but here it has 3.)s", R"e(2 arguments)e", "", ""},
        {R"f(sinn(x))f", 0, 4, R"s(There is no function sinn. Is sin meant?)s", R"e(a function)e", "sin", ""},
        {R"f(foo(x))f", 0, 3, R"s(There is no function foo. If a product is meant, write *.)s", R"e(a function)e", "",
         ""},
        {R"f(2x)f", 1, 1, R"s(An operator is missing between 2 and x.)s", R"e(2*x)e", "", ""},
        {R"f(1.5.2)f", 3, 1, R"s(A number has one decimal point, but here another one follows.)s", R"e(an operator)e",
         "", ""},
        {R"f(1e)f", 0, 2, R"s(The number has an e but no exponent after it.)s", R"e(digits after the e)e", "", ""},
        {R"f(1e+)f", 0, 3, R"s(The number has an e but no exponent after it.)s", R"e(digits after the e)e", "", ""},
        {R"f(1e400)f", 0, 5, R"s(The number 1e400 is too large: double precision ends at 1.8e308.)s",
         R"e(a number below 1.8e308)e", "", ""},
        {R"f(1e-400)f", 0, 6, R"s(The number 1e-400 is too small: double precision ends at 4.9e-324.)s",
         R"e(0 or a larger number)e", "", ""},
        {R"f(x ** 2)f", 2, 2, R"s(Powers are written with ^ here, not with **.)s", R"e(^)e", "", ""},
        {R"f(x / 0)f", 4, 1, R"s(Division by zero.)s", R"e(a divisor that is not 0)e", "", ""},
        {R"f(x / 0.0)f", 4, 3, R"s(Division by zero.)s", R"e(a divisor that is not 0)e", "", ""},
        {R"f(x / (1 - 1))f", 5, 5, R"s(Division by zero: 1 - 1 is 0.)s", R"e(a divisor that is not 0)e", "", ""},
        {R"f(x / l0)f", 4, 2, R"s(Division by zero: l0 is 0.)s", R"e(a divisor that is not 0)e", "", ""},
        {R"f(0^-1)f", 0, 4, R"s(Division by zero: a negative power of 0 has no value.)s", R"e(a base that is not 0)e",
         "", ""},
        {R"f(log(0))f", 0, 6, R"s(This part of the formula has no finite value, whatever the state is.)s",
         R"e(a finite value)e", "", ""},
        {R"f(sqrt(-1))f", 0, 8, R"s(This part of the formula has no finite value, whatever the state is.)s",
         R"e(a finite value)e", "", ""},
        {R"f(exp(1000))f", 0, 9, R"s(This part of the formula has no finite value, whatever the state is.)s",
         R"e(a finite value)e", "", ""},
        {R"f(vmx*x)f", 0, 3, R"s(The name vmx is not known here. Is vmax meant?)s", R"e(a known name)e", "vmax", ""},
        {R"f(omga)f", 0, 4, R"s(The name omga is not known here. Is omega meant?)s", R"e(a known name)e", "omega", ""},
        {R"f(theta2)f", 0, 6, R"s(There is no phase theta2.)s", R"e(theta)e", "", ""},
        {R"f(x'')f", 2, 1, R"s(A prime stands only once and directly after a coordinate, as in q' or x[i]'.)s",
         R"e(an operator or the end)e", "", ""},
        {R"f(l')f", 0, 1, R"s(l is not a coordinate and has no velocity.)s", R"e(a coordinate before the prime)e", "",
         ""},
        {R"f(2')f", 1, 1, R"s(A prime stands only once and directly after a coordinate, as in q' or x[i]'.)s",
         R"e(an operator or the end)e", "", ""},
        {R"f(t')f", 0, 1, R"s(t is not a coordinate and has no velocity.)s", R"e(a coordinate before the prime)e", "",
         ""},
        {R"f(pi')f", 0, 2, R"s(pi is not a coordinate and has no velocity.)s", R"e(a coordinate before the prime)e", "",
         ""},
        {R"f((x)')f", 3, 1, R"s(A prime stands only once and directly after a coordinate, as in q' or x[i]'.)s",
         R"e(an operator or the end)e", "", ""},
        {R"f(c)f", 0, 1, R"s(c is a family and needs an index, as in c[1].)s", R"e(c[...])e", "", ""},
        {R"f(c[0])f", 0, 1, R"s(c[0] does not exist: c runs from 1 to 10.)s",
         R"e(an index from 1 to 10, or define."c[0]")e", "", ""},
        {R"f(c[12])f", 0, 1, R"s(c[12] does not exist: c runs from 1 to 10.)s",
         R"e(an index from 1 to 10, or define."c[12]")e", "", ""},
        {R"f(c[x])f", 2, 1, R"s(An index is made of whole numbers, parameters and indices, but here stands x.)s",
         R"e(an index such as i+1 or 2*i-1)e", "", ""},
        {R"f(c[1.5])f", 2, 3, R"s(An index must be a whole number, but this is 1.5.)s", R"e(a whole number)e", "", ""},
        {R"f(c[i])f", 2, 1, R"s(The name i is not known here.)s", R"e(a known name)e", "", ""},
        {R"f(c[2^70])f", 3, 1, R"s(This power is not a whole number below 1e15.)s", R"e(a whole number)e", "", ""},
        {R"f(x[1])f", 0, 1, R"s(x is a single quantity and takes no index.)s", R"e(x without brackets)e", "", ""},
        {R"f(sum(i, 1, 10))f", 12, 1, R"s(This sum has no body; it is written as sum(i, 1, n, x[i]^2).)s", R"e(,)e", "",
         ""},
        {R"f(sum(i, 1))f", 8, 1, R"s(This sum has no upper bound; it is written as sum(i, 1, n, x[i]^2).)s", R"e(,)e",
         "", ""},
        {R"f(sum(2, 1, 10, c[i]))f", 4, 1, R"s(A name is missing here.)s",
         R"e(the index of the sum, as in sum(i, 1, n, x[i]^2))e", "", ""},
        {R"f(sum(n, 1, 10, x))f", 4, 1, R"s(The index of this sum cannot be called n, because that name is taken.)s",
         R"e(another name, as i or j)e", "", ""},
        {R"f(sum(i, 1, n, c[i+2]))f", 13, 1, R"s(The index i+2 of c reaches 12 at i = 10, but c runs from 1 to 10.)s",
         R"e(an index from 1 to 10, or define."c[12]")e", "", ""},
        {R"f(sum(i, 0, n, c[i]))f", 13, 1, R"s(The index i of c reaches 0 at i = 0, but c runs from 1 to 10.)s",
         R"e(an index from 1 to 10, or define."c[0]")e", "", ""},
        {R"f(sum(i, 1, n, c[2*i]))f", 13, 1, R"s(The index 2*i of c reaches 20 at i = 10, but c runs from 1 to 10.)s",
         R"e(an index from 1 to 10, or define."c[20]")e", "", ""},
        {R"f(sum(i, 1, n, sum(i, 1, 2, c[i])))f", 17, 1,
         R"s(The index of this sum cannot be called i, because that name is taken.)s", R"e(another name, as i or j)e",
         "", ""},
        {R"f(sum(i, 1, n/4, c[i]))f", 11, 1, R"s(An index must be a whole number, but this quotient is 2.5.)s",
         R"e(a whole number)e", "", ""},
        {R"f(sum(i, 1, n, sum(j, 1, n, c[i*j])))f", 29, 1, R"s(The product of two indices cannot be an index.)s",
         R"e(an index such as 2*i+j)e", "", ""},
        {R"f(sum(i, 1, n, sum(j, i, n, c[j+i])))f", 26, 1,
         R"s(The index i+j of c reaches 20, but c runs from 1 to 10.)s",
         R"e(an index from 1 to 10, or define."c[20]")e", "", ""},
        {R"f(sum(i, 1, n, c[i], 3))f", 17, 1,
         R"s(sum takes an index, a lower bound, an upper bound and a body, but here a fifth part follows.)s", R"e())e",
         "", ""},
        {R"f(sum(i, min(1, 2), n, c[i]))f", 7, 9,
         R"s(The lower bound of a sum may be the largest of several indices, but not the smallest.)s",
         R"e(max(..., ...))e", "", ""},
        {R"f(sum(i, 1, 1e16, i))f", 10, 4, R"s(The index 1e16 is larger than 1e15.)s", R"e(a smaller index)e", "", ""},
        {R"f(sum(i, 1, n, c[max(i, 2)]))f", 15, 9,
         R"s(min and max may stand in the bounds of a sum, but not in an index.)s",
         R"e(an index such as i+1 or 2*i-1)e", "", ""},
        {R"f(sum(i, sin(1), n, c[i]))f", 7, 3, R"s(The function sin cannot be part of an index.)s",
         R"e(an index such as i+1 or 2*i-1)e", "", ""},
        {R"f(x = 3)f", 2, 1, R"s(The "=" does not fit here.)s", R"e(an operator or the end)e", "", ""},
        {R"f(x, y)f", 1, 1, R"s(The "," does not fit here.)s", R"e(an operator or the end)e", "", ""},
        {R"f(x $ y)f", 2, 1, R"s(The character $ has no meaning in a formula.)s",
         R"e(a number, a name or one of + - * / ^ ( ) [ ] , ')e", "", ""},
        {R"f(x + ω)f", 4, 2, R"s(The character ω has no meaning in a formula.)s",
         R"e(a number, a name or one of + - * / ^ ( ) [ ] , ')e", "", ""},
        {R"f([1])f", 0, 1, R"s(The "[" does not fit here.)s", R"e(a number, a name or ()e", "", ""},
        {R"f(c[1)f", 1, 1, R"s(This bracket is never closed.)s", R"e(])e", "", ""},
        {R"f(a1)f", 0, 2, R"s(The definition of a1 refers to itself: a1 -> b1 -> a1.)s",
         R"e(definitions without a circle)e", "", "b1"},
        {R"f(r[1])f", 7, 1, R"s(c[0] does not exist: c runs from 1 to 10.)s",
         R"e(an index from 1 to 10, or define."c[0]")e", "", "r[i]"},
        {R"f(w[2])f", 0, 1, R"s(w[2] is not defined.)s", R"e(an index that is defined)e", "", ""},
        {R"f(x..y)f", 1, 2, R"s(The ".." does not fit here.)s", R"e(an operator or the end)e", "", ""},
        {R"f(1/1e-320)f", 2, 6, R"s(The divisor is so small that its inverse overflows.)s", R"e(a larger divisor)e", "",
         ""},
        {R"f(sum(i, 1, n, x[i]'))f", 13, 1, R"s(x is a single quantity and takes no index.)s",
         R"e(x without brackets)e", "", ""},
        {R"f(1 + sum)f", 4, 3, R"s(sum is a function and needs its arguments in parentheses.)s",
         R"e(sum(i, 1, n, ...))e", "", ""},
        {R"f(x y)f", 2, 1, R"s(The "y" does not fit here.)s", R"e(an operator or the end)e", "", ""},
        {R"f(3 (x))f", 2, 1, R"s(The "(" does not fit here.)s", R"e(an operator or the end)e", "", ""},
        {R"f(min(x y))f", 6, 1, R"s(The "y" does not fit here.)s", R"e(an operator or ))e", "", ""},
        {R"f(c[1]'')f", 5, 1, R"s(A prime stands only once and directly after a coordinate, as in q' or x[i]'.)s",
         R"e(an operator or the end)e", "", ""},
        {R"f(c[1, 2])f", 3, 1, R"s(The "," does not fit here.)s", R"e(an operator or ])e", "", ""},
        {R"f(sum(i, 1, n, sum(j, 1, i, c[j-i])))f", 26, 1,
         R"s(The index -i+j of c reaches -9, but c runs from 1 to 10.)s",
         R"e(an index from 1 to 10, or define."c[-9]")e", "", ""},
        {R"f(c[n/0])f", 3, 1, R"s(Division by zero.)s", R"e(a divisor that is not 0)e", "", ""},
        {R"f(c[-n/3])f", 4, 1, R"s(An index must be a whole number, but this quotient is -3.33333333333.)s",
         R"e(a whole number)e", "", ""},
        {R"f(xx)f", 0, 2, R"s(The name xx is not known here.)s", R"e(a known name)e", "", ""},
        {R"f(thetaa)f", 0, 6, R"s(The name thetaa is not known here. Is theta meant?)s", R"e(a known name)e", "theta",
         ""},
        {R"f(sum(i, 1, n, E))f", 13, 1, R"s(The name E is not known here.)s", R"e(a known name)e", "", ""},
        {"1 + sum(i, 1, 1e14, sum(j, 1, 10, i))", 0, 37, "The loops over j and around it would take about 1e+15 steps.",
         "fewer terms", "", ""},
        {"x + \xff", 4, 1, "The byte 0xFF is not part of any UTF-8 character.", "plain text", "", ""},
        {"x \xe2\x82", 2, 1, "The byte 0xE2 is not part of any UTF-8 character.", "plain text", "", ""},
        {"x + \x01", 4, 1, "The control character 0x01 cannot be part of a formula.", "plain text", "", ""},
        {std::string("x\0y", 3), 1, 1, "The control character 0x00 cannot be part of a formula.", "plain text", "", ""},
    };
}

TEST_F(Errors, SayWhatWhereAndWhatWasExpected) {
    for (auto const& bad : corpus()) {
        SCOPED_TRACE(bad.text);
        auto const error = error_of([&] { book.scalar(bad.text); });
        EXPECT_EQ(error.what(), bad.sentence);
        EXPECT_EQ(error.offset, bad.offset);
        EXPECT_EQ(error.length, bad.length);
        EXPECT_EQ(error.expected, bad.expected);
        EXPECT_EQ(error.nearest, bad.nearest);
        EXPECT_EQ(error.origin, bad.origin);
        EXPECT_EQ(error.formula == bad.text, bad.origin.empty());
        EXPECT_LE(error.offset + error.length, error.formula.size());
    }
    EXPECT_GE(corpus().size(), 60U);
}

TEST_F(Errors, PutACaretUnderTheCulprit) {
    EXPECT_EQ(with_caret(error_of([&] { book.scalar("2*vmx + 1"); })), "2*vmx + 1\n  ^^^");
    EXPECT_EQ(with_caret(error_of([&] { book.scalar("2*(x +"); })), "2*(x +\n      ^");
    EXPECT_EQ(with_caret(error_of([&] { book.scalar("x +\n  y +* 2"); })), "  y +* 2\n     ^");
    EXPECT_EQ(with_caret(error_of([&] { book.scalar("é"); })), "é\n^");
    auto const far =
        with_caret(error_of([&] { book.scalar(std::string(1000, ' ') + "vmx" + std::string(1000, ' ')); }));
    EXPECT_LT(far.size(), 300U);
    EXPECT_NE(far.find("^^^"), std::string::npos);
}

TEST_F(Errors, DeepNestingIsRefusedAndNeverOverflowsTheStack) {
    auto const refused = [&](std::string const& text) {
        EXPECT_STREQ(error_of([&] { book.scalar(text); }).what(), "The formula is nested more than 500 levels deep.");
    };
    constexpr std::size_t many = 100'000;
    std::string powers = "x";
    std::string calls;
    std::string indices;
    for (std::size_t i = 0; i < many; ++i) {
        powers += "^x";
        calls += "sin(";
        indices += "c[";
    }
    refused(std::string(many, '(') + "x" + std::string(many, ')'));
    refused(std::string(many, '('));
    refused(powers);
    refused(calls);
    refused(indices);
    EXPECT_EQ(error_of([&] { book.scalar(std::string(many, '(')); }).offset, 500U);
    auto const limit = std::string(deepest_nesting, '(') + "x" + std::string(deepest_nesting, ')');
    EXPECT_EQ(book.scalar(limit), book.scalar("x"));
    EXPECT_EQ(book.scalar(std::string(many, '-') + "x"), book.scalar("x")); // signs do not nest
}

TEST_F(Errors, OfFormulasThatMayNotDependOnTheState) {
    permission const of_constraints{.position = true, .velocity = false, .phase = false, .time = true};
    expect("The velocity y' cannot appear in this formula.", [&] { book.scalar("x + y'", of_constraints); });
    expect("The phase theta cannot appear in this formula.", [&] { book.scalar("theta", of_constraints); });
    expect("The velocity c[3]' cannot appear in this formula.", [&] { book.scalar("c[3]'", of_constraints); });
    expect("The coordinate x cannot appear in this formula.", [&] { book.number("x"); });
    book.define("speed", "x'");
    auto const error = error_of([&] { book.scalar("2*speed", of_constraints); });
    EXPECT_STREQ(error.what(), "speed is defined by velocities, which cannot appear in this formula.");
    EXPECT_EQ(error.offset, 2U);
    EXPECT_EQ(error.expected, "a formula of parameters, coordinates, t");
    EXPECT_NO_THROW(book.scalar("x*t", of_constraints));
}

TEST_F(Errors, OfDeclarations) {
    expect("The name sin is reserved.", [&] { book.coordinate("sin[1..3]"); });
    expect("The name theta7 is reserved.", [&] { book.parameter("theta7", 1); });
    expect("The name vmax is already a parameter.", [&] { book.coordinate("vmax"); });
    expect("The name c is already a coordinate.", [&] { book.parameter("c", 1); });
    expect("The name a1 is already defined.", [&] { book.define("a1", "1"); });
    expect("The family d[1..0] has no members.", [&] { book.coordinate("d[1..0]"); });
    expect("With d[1..10000000] the problem would have more than 10 million coordinates.",
           [&] { book.coordinate("d[1..10000000]"); });
    expect("A range is written as 1..n, but there is no .. here.", [&] { book.coordinate("d[1, 2]"); });
    expect("An index must be a whole number, but this is 0.2.", [&] { book.coordinate("d[1..l]"); });
    expect("A name is missing here.", [&] { book.coordinate("3"); });
    expect("A range is written as i = 1..n, but there is no = here.", [&] { book.for_all("i in 1..n", "x", 0); });
    expect("The parameter big is not a finite number.", [&] { book.parameter("big", 1e400L); });
    EXPECT_EQ(book.coordinate_count(), 12U);
}

TEST_F(Errors, OfDefinitions) {
    expect("c[3] is a coordinate and cannot be defined.", [&] { book.define("c[3]", "0"); });
    expect("c is a family of coordinates: only single indices outside its range can be defined.",
           [&] { book.define("c[i]", "0"); });
    expect("The value of c[11] is already defined.", [&] { book.define("c[11]", "0"); });
    expect("r[...] is already defined for all indices.", [&] { book.define("r[k]", "0"); });
    expect("A velocity cannot be defined: it follows from the coordinate.", [&] { book.define("q'", "0"); });
    expect("This is not a name: a formula can be given for q, for x[7], or for x[i].",
           [&] { book.define("x + 1", "0"); });
    expect("The formula ends too early.", [&] { book.define("fresh", ""); });
    EXPECT_NO_THROW(book.define("fresh", "1")); // the failed definition left nothing behind
}

TEST_F(Errors, OfTargets) {
    expect("There is no coordinate z.", [&] { book.assign("z", "0"); });
    expect("There is no family d[...] of coordinates.", [&] { book.assign("d[i]", "0"); });
    expect("c[12] does not exist: c runs from 1 to 10.", [&] { book.assign("c[12]", "0"); });
    expect("The name i is not known here.", [&] { book.assign("c[i+1]", "0"); });
    auto const error = error_of([&] { book.assign("c[i]", "c[i-1]"); });
    EXPECT_STREQ(error.what(), "The index i-1 of c reaches 0 at i = 1, but c runs from 1 to 10.");
    EXPECT_EQ(error.formula, "c[i-1]");
}

TEST_F(Errors, DefinitionsThatMultiplyAreReadOnce) {
    // Each uses the one before twice: without sharing this would take 2^90 steps.
    book.define("d0", "x");
    for (int i = 1; i <= 90; ++i) {
        auto const last = std::string("d").append(std::to_string(i - 1));
        book.define(std::string("d").append(std::to_string(i)),
                    std::string("sin(").append(last).append(")*").append(last));
    }
    EXPECT_TRUE(book.formulas().depends_on(book.scalar("d90"), source::position));
    std::string deep = "x";
    for (int i = 0; i <= 150; ++i) {
        book.define(std::string("e").append(std::to_string(i)), deep);
        deep = std::string("e").append(std::to_string(i));
    }
    expect("Definitions refer to each other more than 100 levels deep.", [&] { book.scalar("e150"); });
}

TEST_F(Errors, AreAllThatAnyTextCanCause) {
    std::vector<std::string> const tokens{
        "x",      "y'", "c[",    "]", "(",      ")",      "+",  "-",     "*",   "/",    "^",    ",",     "sum(i,",
        "sum(j,", "i",  "j",     "n", "1",      "0",      "2",  "1e300", "0.5", "sin(", "min(", "r[",    "w[0]",
        "a1",     "t",  "theta", "'", "c[i+1]", "c[n-i]", "1,", "n,",    "i,",  "log(", "\x80", "c[2*i]"};
    std::mt19937 random(4);
    auto good = 0;
    for (int k = 0; k < 20'000; ++k) {
        std::string text;
        for (auto length = 1 + random() % 12; length > 0; --length) text += tokens[random() % tokens.size()];
        try {
            auto& g = book.formulas();
            auto const n = book.scalar(text);
            bytecode const code(g, make_schedule(g, gradient(g, n, source::position), 12));
            EXPECT_EQ(code.outputs(), 12U);
            ++good;
        } catch (formula_error const& error) {
            EXPECT_LE(error.offset + error.length, error.formula.size()) << text;
            EXPECT_FALSE(with_caret(error).empty());
        }
    }
    EXPECT_GT(good, 500);
}

} // namespace
