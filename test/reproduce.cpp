// The papers' figures come out, and to the digits of an independent prototype where there is one.

#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reproduce/experiments.hpp"

namespace {

using namespace lento::reproduce;

entry const& at(report const& r, std::string const& row, std::string const& column) {
    for (auto const& e : r.entries)
        if (e.row == row && e.column == column) return e;
    throw std::out_of_range("no entry " + row + " / " + column);
}

void everything_agrees(report const& r) {
    EXPECT_FALSE(r.entries.empty());
    for (auto const& e : r.entries)
        EXPECT_TRUE(e.agrees || (e.known && !e.note.empty()))
            << r.id << ": " << e.row << ", " << e.column << ": " << e.value;
}

constexpr std::array<char const*, 4> rows = {"H=1/10", "H=1/20", "H=1/40", "H=1/80"};

void column_is(report const& r, std::string const& column, std::array<double, 4> const& expected, double tolerance) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_NEAR(at(r, rows[i], column).value, expected[i], tolerance * expected[i]) << r.id << " " << column;
}

TEST(Paper001, Table21ComesOut) { everything_agrees(table_001_2_1()); }

TEST(Paper001, Table22ComesOutToTheDigitsOfThePrototype) {
    auto const r = table_001_2_2();
    everything_agrees(r);
    column_is(r, "omega=1e4", {4.1029e-1, 1.0964e-1, 2.9462e-2, 9.1116e-3}, 1e-3);
    column_is(r, "omega=1e6", {4.0753e-1, 1.0718e-1, 2.7068e-2, 6.7353e-3}, 1e-3);
    column_is(r, "omega=1e8", {4.0530e-1, 1.0522e-1, 2.5140e-2, 4.8154e-3}, 1e-3);
    column_is(r, "Averaged", {2.7389e-1, 7.4346e-2, 1.8990e-2, 4.7153e-3}, 1e-3);
}

TEST(Paper001, Table23ComesOutToTheDigitsOfThePrototype) {
    auto const r = table_001_2_3();
    everything_agrees(r);
    column_is(r, "omega=1e3", {3.8645e-1, 9.1154e-2, 1.1555e-2, 8.6691e-3}, 1e-3);
    column_is(r, "omega=1e4", {4.0543e-1, 1.0558e-1, 2.5523e-2, 5.2001e-3}, 1e-3);
    column_is(r, "omega=1e6", {4.0749e-1, 1.0715e-1, 2.7035e-2, 6.7027e-3}, 1e-3);
    column_is(r, "omega=1e8", {4.0751e-1, 1.0716e-1, 2.7050e-2, 6.7177e-3}, 1e-3);
}

TEST(Paper001, IsOutdoneWithFewForceEvaluations) {
    auto const r = work_precision_001();
    everything_agrees(r);
    // the floor of a velocity-independent force at omega = 1e3
    EXPECT_NEAR(at(r, "picard 8, floor", "omega=1e3, Q(0)=0.5").value, 1.5e-3, 0.1e-3);
}

TEST(Paper001, Figure41ComesOut) { everything_agrees(figure_001_4_1()); }
TEST(Paper004, Figure3ComesOut) { everything_agrees(figure_004_3()); }
TEST(Paper004, Figure4ComesOut) { everything_agrees(figure_004_4()); }
TEST(Paper004, Figure5ComesOut) { everything_agrees(figure_004_5()); }
TEST(Paper004, Figure6ComesOut) { everything_agrees(figure_004_6()); }
TEST(Paper004, Figure7ComesOut) { everything_agrees(figure_004_7()); }

// ---- the reports themselves ----

TEST(Report, ComparesWithItsTolerance) {
    report r;
    EXPECT_TRUE(r.compare("a", "b", 2, 2.019, 0.01).agrees);
    EXPECT_FALSE(r.compare("a", "c", 2, 2.021, 0.01).agrees);
    EXPECT_FALSE(r.compare("a", "d", 2, std::nan(""), 0.01).agrees);
    EXPECT_FALSE(r.bound("a", "e", 3, 2).agrees);
    EXPECT_FALSE(r.bound("a", "f", std::nan(""), 2).agrees);
    EXPECT_EQ(r.agreeing(), 1U);
    EXPECT_FALSE(r.good());
}

TEST(Report, KnownDisagreementsAreGoodEnough) {
    report r;
    auto& e = r.compare("a", "b", 2, 3, 0.01);
    e.known = true;
    e.note = "a slip of the paper";
    EXPECT_TRUE(r.good());
    EXPECT_EQ(r.agreeing(), 0U);
}

TEST(Report, IsTheDocumentedJson) {
    report r{.id = "001/table", .title = "a table", .entries = {}, .tables = {}, .remarks = {}};
    r.compare("H=1/80", "omega=1e6", 6.70e-3, 6.7027e-3, 0.01).force_evaluations = 3335;
    r.show("H=1/80", "curve", std::nan(""));
    auto const document = nlohmann::json::parse(to_json(r));
    EXPECT_EQ(document["id"], "001/table");
    EXPECT_EQ(document["agree"], 1);
    EXPECT_EQ(document["of"], 1); // what is only shown is not counted
    auto const& first = document["entries"][0];
    EXPECT_EQ(first["paper"], 6.70e-3);
    EXPECT_EQ(first["value"], 6.7027e-3);
    EXPECT_EQ(first["agrees"], true);
    EXPECT_EQ(first["force_evaluations"], 3335);
    EXPECT_TRUE(document["entries"][1]["paper"].is_null());
    EXPECT_TRUE(document["entries"][1]["value"].is_null());
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
