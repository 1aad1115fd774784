// The papers' figures come out, and to the digits of an independent prototype where there is one.

#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reproduce/experiments.hpp"
#include "test/comes_out.hpp"

namespace {

using namespace lento::reproduce;

entry const& at(report const& r, std::string const& row, std::string const& column) {
    for (auto const& e : r.entries)
        if (e.row == row && e.column == column) return e;
    throw std::out_of_range("no entry " + row + " / " + column);
}

constexpr std::array<char const*, 4> rows = {"H=1/10", "H=1/20", "H=1/40", "H=1/80"};

void column_is(report const& r, std::string const& column, std::array<double, 4> const& expected, double tolerance) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_NEAR(at(r, rows[i], column).value, expected[i], tolerance * expected[i]) << r.id << " " << column;
}

TEST(Paper001, Table21ComesOut) {
    auto const r = table_001_2_1();
    comes_out(r);
    // the column omega = 1e8 is round-off of the print, whatever its digits
    for (auto const* row : rows) EXPECT_TRUE(at(r, row, "omega=1e8").known) << row;
}

TEST(Paper001, Table22ComesOutToTheDigitsOfThePrototype) {
    auto const r = table_001_2_2();
    comes_out(r);
    column_is(r, "omega=1e4", {4.1029e-1, 1.0964e-1, 2.9462e-2, 9.1116e-3}, 1e-3);
    column_is(r, "omega=1e6", {4.0753e-1, 1.0718e-1, 2.7068e-2, 6.7353e-3}, 1e-3);
    column_is(r, "omega=1e8", {4.0530e-1, 1.0522e-1, 2.5140e-2, 4.8154e-3}, 1e-3);
    column_is(r, "Averaged", {2.7389e-1, 7.4346e-2, 1.8990e-2, 4.7153e-3}, 1e-3);
}

TEST(Paper001, Table23ComesOutToTheDigitsOfThePrototype) {
    auto const r = table_001_2_3();
    comes_out(r);
    column_is(r, "omega=1e3", {3.8645e-1, 9.1154e-2, 1.1555e-2, 8.6691e-3}, 1e-3);
    column_is(r, "omega=1e4", {4.0543e-1, 1.0558e-1, 2.5523e-2, 5.2001e-3}, 1e-3);
    column_is(r, "omega=1e6", {4.0749e-1, 1.0715e-1, 2.7035e-2, 6.7027e-3}, 1e-3);
    column_is(r, "omega=1e8", {4.0751e-1, 1.0716e-1, 2.7050e-2, 6.7177e-3}, 1e-3);
}

TEST(Paper001, IsOutdoneWithFewForceEvaluations) {
    auto const r = work_precision_001();
    comes_out(r);
    // the floor of a velocity-independent force at omega = 1e3
    EXPECT_NEAR(at(r, "picard 8, floor", "omega=1e3, Q(0)=0.5").value, 1.5e-3, 0.1e-3);
}

TEST(Paper001, Figure21ComesOut) { comes_out(figure_001_2_1()); }
TEST(Paper001, ClaimsComeOut) { comes_out(claims_001()); }
TEST(Paper001, Figure41ComesOut) { comes_out(figure_001_4_1()); }
TEST(Paper000, Example2ComesOut) { comes_out(example_000_2()); }
TEST(Paper003, Formula38ToTheLetterComesOut) { comes_out(literal_003()); }
TEST(Paper003, ImplicitCodesComeOut) { comes_out(implicit_codes_003()); }
TEST(Paper004, Figure3ComesOut) { comes_out(figure_004_3()); }
TEST(Paper004, Figure4ComesOut) { comes_out(figure_004_4()); }
TEST(Paper004, Figure5ComesOut) { comes_out(figure_004_5()); }
TEST(Paper004, Figure6ComesOut) { comes_out(figure_004_6()); }
TEST(Paper004, Figure7ComesOut) { comes_out(figure_004_7()); }
TEST(Paper004, ClaimsComeOut) { comes_out(claims_004()); }

TEST(Beyond, OrdersComeOut) { comes_out(orders_beyond()); }

// ---- the reports themselves ----

TEST(Report, ReadsTheUnitOfAPrintedNumber) {
    EXPECT_DOUBLE_EQ(half_a_unit("6.70e-3"), 5e-6);
    EXPECT_DOUBLE_EQ(half_a_unit("-0.4999951"), 5e-8);
    EXPECT_DOUBLE_EQ(half_a_unit("19.341"), 5e-4);
    EXPECT_DOUBLE_EQ(half_a_unit("350740"), 0.5);
    EXPECT_DOUBLE_EQ(half_a_unit("1e9"), 5e8);
}

TEST(Report, AgreesToTheLastDigitPrinted) {
    report r;
    EXPECT_TRUE(r.compare("a", "b", "4.3e-1", 0.4349).agrees);
    EXPECT_FALSE(r.compare("a", "b", "4.3e-1", 0.4351).agrees);
    EXPECT_FALSE(r.compare("a", "b", "4.3e-1", 0.4249).agrees);
    EXPECT_TRUE(r.compare("a", "b", "4.3e-1", 0.4399, digits::cut).agrees);
    EXPECT_FALSE(r.compare("a", "b", "4.3e-1", 0.4401, digits::cut).agrees);
    EXPECT_FALSE(r.compare("a", "b", "4.3e-1", 0.4249, digits::cut).agrees);
    EXPECT_TRUE(r.compare("a", "b", "-4.3e-1", -0.4399, digits::cut).agrees);
    EXPECT_FALSE(r.compare("a", "b", "-4.3e-1", -0.4249, digits::cut).agrees);
    EXPECT_FALSE(r.compare("a", "b", "4.3e-1", std::nan("")).agrees);
    EXPECT_TRUE(r.compare("a", "b", "22", 22).agrees);
    EXPECT_FALSE(r.compare("a", "b", "22", 23).agrees);
    EXPECT_TRUE(r.about("a", "b", "1e-5", 1.9e-5, 2).agrees);
    EXPECT_FALSE(r.about("a", "b", "1e-5", 2.1e-5, 2).agrees);
}

TEST(Report, ComparesWithItsTolerance) {
    report r;
    EXPECT_TRUE(r.expect("a", "b", 2, "theory", 2.019, 0.01).agrees);
    EXPECT_FALSE(r.expect("a", "c", 2, "theory", 2.021, 0.01).agrees);
    EXPECT_FALSE(r.expect("a", "d", 2, "theory", std::nan(""), 0.01).agrees);
    EXPECT_FALSE(r.bound("a", "e", 3, 2).agrees);
    EXPECT_FALSE(r.bound("a", "f", std::nan(""), 2).agrees);
    EXPECT_EQ(r.agreeing(), 1U);
    EXPECT_FALSE(r.good());
    // wider than the last digit printed, which the entry says
    EXPECT_TRUE(r.compare("a", "g", "2.0", 2.3, 0.2).agrees);
    EXPECT_NE(r.entries.back().note.find("20 %"), std::string::npos);
}

TEST(Report, KnownDisagreementsAreGoodEnough) {
    report r;
    r.compare("a", "b", "2", 3).known_because("a slip of the paper");
    EXPECT_TRUE(r.good());
    EXPECT_EQ(r.agreeing(), 0U);
    EXPECT_EQ(r.entries.back().note, "a slip of the paper");
    // but not where the value is not what it was
    r.compare("a", "c", "2", 3).and_expect(3.5, prototype, 0.01).known_because("a slip of the paper");
    EXPECT_FALSE(r.good());
}

TEST(Report, CountsByWhatWasCompared) {
    report r;
    r.compare("a", "b", "2", 2);
    r.compare("a", "c", "2", 3).known_because("a slip of the paper");
    r.expect("a", "d", 2, "theory", 2, 0);
    r.expect("a", "e", 2, "theory", 3, 0);
    r.bound("a", "f", 1, 2);
    r.show("a", "g", 1);
    tally both = r.counts();
    both += r.counts();
    EXPECT_EQ(both.experiments, 2U);
    EXPECT_EQ(both.printed.agree, 2U);
    EXPECT_EQ(both.printed.known, 2U);
    EXPECT_EQ(both.references.disagree, 2U);
    EXPECT_EQ(both.bounds.agree, 2U);
    EXPECT_EQ(both.shown, 2U);
    EXPECT_EQ(to_text(both),
              "2 experiments: 2 of 4 printed figures agree (2 are known not to), 2 of 4 references, 2 of 2 "
              "bounds; 2 disagree, 2 are only shown");
}

TEST(Report, IsTheDocumentedJson) {
    report r{.id = "001/table", .title = "a table"};
    r.compare("H=1/80", "omega=1e6", "6.70e-3", 6.7027e-3).force_evaluations = 3335;
    r.show("H=1/80", "curve", std::nan(""));
    r.expect("order", "curve", 2, "theory", 2.1, 0.01).known_because("no reason");
    r.bound("order", "bound", 2, 3);
    r.tables.push_back({.name = "errors", .columns = {"1/H", "error"}, .rows = {{10, 0.5}, {20, std::nan("")}}});
    r.figures.push_back({.name = "001/table",
                         .caption = "errors",
                         .panels = {{.title = "",
                                     .x = {.label = "1/H", .logarithmic = true},
                                     .y = {.label = "error", .from = 0},
                                     .curves = {{"errors", "1/H", "error", "ours", stroke::stars, 3}},
                                     .printed = {{0.4, "printed"}}}}});
    auto const document = nlohmann::json::parse(to_json(r));
    EXPECT_EQ(document["id"], "001/table");
    EXPECT_EQ(document["agree"], 2);
    EXPECT_EQ(document["of"], 3); // what is only shown is not counted
    auto const& first = document["entries"][0];
    EXPECT_EQ(first["paper"], 6.70e-3);
    EXPECT_EQ(first["print"], "6.70e-3");
    EXPECT_EQ(first["value"], 6.7027e-3);
    EXPECT_EQ(first["compared_with"], "paper");
    EXPECT_EQ(first["agrees"], true);
    EXPECT_EQ(first["known"], false);
    EXPECT_EQ(first["force_evaluations"], 3335);
    EXPECT_TRUE(document["entries"][1]["paper"].is_null());
    EXPECT_TRUE(document["entries"][1]["value"].is_null());
    EXPECT_EQ(document["entries"][1]["compared_with"], "nothing");
    EXPECT_TRUE(document["entries"][2]["paper"].is_null()); // only what a paper prints
    EXPECT_EQ(document["entries"][2]["reference"], 2);
    EXPECT_EQ(document["entries"][2]["source"], "theory");
    EXPECT_EQ(document["entries"][3]["at_most"], 3);
    EXPECT_EQ(document["tables"][0]["columns"][1], "error");
    EXPECT_EQ(document["tables"][0]["rows"][0][1], 0.5);
    EXPECT_TRUE(document["tables"][0]["rows"][1][1].is_null());
    auto const& drawn = document["figures"][0]["panels"][0];
    EXPECT_EQ(drawn["x"]["scale"], "logarithmic");
    EXPECT_EQ(drawn["y"]["scale"], "linear");
    EXPECT_EQ(drawn["y"]["from"], 0);
    EXPECT_EQ(drawn["curves"][0]["stroke"], "stars");
    EXPECT_EQ(drawn["curves"][0]["label"], "ours");
    EXPECT_EQ(drawn["printed"][0]["y"], 0.4);
    // a row of a table is a line of the file
    EXPECT_NE(to_json(r).find("\n        [10.0,0.5],\n"), std::string::npos);
}

TEST(Report, ListsEveryExperimentOnce) {
    for (auto const& a : experiments()) {
        int same = 0;
        for (auto const& b : experiments()) same += a.id == b.id ? 1 : 0;
        EXPECT_EQ(same, 1) << a.id;
        EXPECT_FALSE(a.sentence.empty());
    }
}

} // namespace
