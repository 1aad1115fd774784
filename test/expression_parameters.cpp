#include "lento/expression/parameters.hpp"

#include <gtest/gtest.h>

using namespace lento::expression;

namespace {

/// The error of an action, which must have one.
template <class Action> formula_error error_of(Action&& action) {
    try {
        action();
    } catch (formula_error const& error) { return error; }
    ADD_FAILURE() << "no error";
    return {"", {}};
}

TEST(Parameters, MayStandInAnyOrder) {
    parameter_table table;
    table.set("c", "2*b + a");
    table.set("b", "a^2");
    table.set("a", 3.0L);
    table.set("d", "sum(i, 1, 4, i)*pi/pi");
    auto const values = table.resolve();
    ASSERT_EQ(values.size(), 4U);
    EXPECT_EQ(values[0], (std::pair<std::string, long double>("c", 21)));
    EXPECT_EQ(values[1].second, 9);
    EXPECT_EQ(values[3].second, 10);
    formula_reader book;
    table.declare(book);
    EXPECT_EQ(book.number("c + b"), 30);
}

TEST(Parameters, CanBeReplaced) {
    parameter_table table;
    table.set("omega", 1e6L);
    table.set("period", "2*pi/omega");
    table.set("omega", "4*pi");
    EXPECT_EQ(table.resolve()[1].second, 0.5L);
}

TEST(Parameters, CirclesAreNamed) {
    parameter_table table;
    table.set("start", "1 + b");
    table.set("b", "2*c");
    table.set("c", "d - 1");
    table.set("d", "3 + sin(b)");
    auto const error = error_of([&] { (void)table.resolve(); });
    EXPECT_STREQ(error.what(), "The parameters depend on each other in a circle: b -> c -> d -> b.");
    EXPECT_EQ(error.origin, "d");
    EXPECT_EQ(error.formula, "3 + sin(b)");
    EXPECT_EQ(error.offset, 8U);
    EXPECT_EQ(error.length, 1U);
    parameter_table own;
    own.set("a", "a");
    EXPECT_STREQ(error_of([&] { (void)own.resolve(); }).what(),
                 "The parameters depend on each other in a circle: a -> a.");
}

TEST(Parameters, ErrorsNameTheirFormula) {
    parameter_table table;
    table.set("vmax", 4.0L);
    table.set("a", "2*vmx");
    auto const error = error_of([&] { (void)table.resolve(); });
    EXPECT_STREQ(error.what(), "The parameter vmx is not known. Is vmax meant?");
    EXPECT_EQ(error.nearest, "vmax");
    EXPECT_EQ(error.origin, "a");
    EXPECT_EQ(error.offset, 2U);

    parameter_table reserved;
    reserved.set("sin", 1.0L);
    EXPECT_NE(std::string(error_of([&] { (void)reserved.resolve(); }).what()).find("sin"), std::string::npos);
    parameter_table broken;
    broken.set("a", "1 +");
    EXPECT_EQ(error_of([&] { (void)broken.resolve(); }).origin, "a");
    parameter_table zero;
    zero.set("l", 0.0L);
    zero.set("k", "1/l");
    EXPECT_STREQ(error_of([&] { (void)zero.resolve(); }).what(), "Division by zero: l is 0.");
    parameter_table time;
    time.set("k", "2*t");
    EXPECT_STREQ(error_of([&] { (void)time.resolve(); }).what(), "The time t cannot appear in this formula.");
}

TEST(Parameters, LongChainsDoNotOverflow) {
    parameter_table table;
    constexpr int count = 3000;
    auto const name = [](int i) { return std::string("p").append(std::to_string(i)); };
    for (int i = count; i > 0; --i) table.set(name(i), name(i - 1).append(" + 1"));
    table.set("p0", 0.0L);
    EXPECT_EQ(table.resolve().front().second, count);
}

} // namespace
