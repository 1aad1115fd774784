#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "reproduce/experiment.hpp"

/// What every experiment of the papers must fulfil, beside its own figures.
namespace lento::reproduce {

inline void entry_is_honest(entry const& e, std::string const& where) {
    EXPECT_TRUE(e.agrees || (e.known && !e.note.empty())) << where << ": " << e.value;
    EXPECT_EQ(e.paper.has_value(), !e.print.empty()) << where;
    EXPECT_EQ(e.reference.has_value(), !e.source.empty()) << where << " has a reference from nowhere";
    if (e.source.rfind("the print", 0) == 0 && e.tolerance > 0.01) {
        EXPECT_FALSE(e.note.empty()) << where << " is compared more widely than it is printed, and does not say so";
    }
    if (!e.paper) return;
    EXPECT_EQ(*e.paper, std::stod(e.print)) << where;
    double const unit = *e.paper == 0 ? 1 : 2 * half_a_unit(e.print) / std::abs(*e.paper);
    if (e.tolerance > 1.000001 * unit) {
        EXPECT_FALSE(e.note.empty()) << where << " is compared more widely than it is printed, and does not say so";
    }
}

/// The numbers of a column, or none.
inline std::vector<double> column_of(table const& t, std::string const& name) {
    auto const at = std::find(t.columns.begin(), t.columns.end(), name);
    if (at == t.columns.end()) return {};
    std::vector<double> values;
    for (auto const& row : t.rows) values.push_back(row[static_cast<std::size_t>(at - t.columns.begin())]);
    return values;
}

inline void curve_can_be_drawn(report const& r, panel const& p, curve const& c, std::string const& where) {
    auto const source =
        std::find_if(r.tables.begin(), r.tables.end(), [&](table const& t) { return t.name == c.table; });
    ASSERT_NE(source, r.tables.end()) << where << " draws from a table " << c.table << " that is not there";
    auto const x = column_of(*source, c.x);
    auto const y = column_of(*source, c.y);
    EXPECT_FALSE(x.empty()) << where << ": no column " << c.x << " in " << c.table;
    EXPECT_FALSE(y.empty()) << where << ": no column " << c.y << " in " << c.table;
    int drawn = 0;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        bool const inside = (!p.x.logarithmic || x[i] > 0) && (!p.y.logarithmic || y[i] > 0);
        drawn += std::isfinite(x[i]) && std::isfinite(y[i]) && inside ? 1 : 0;
    }
    EXPECT_GE(drawn, 2) << where << ": nothing to be seen of " << c.y;
}

inline void figure_can_be_drawn(report const& r, figure const& f) {
    EXPECT_FALSE(f.name.empty());
    EXPECT_FALSE(f.caption.empty()) << f.name;
    EXPECT_FALSE(f.panels.empty()) << f.name;
    EXPECT_GE(f.columns, 1) << f.name;
    bool legend = false;
    bool below = false;
    for (auto const& p : f.panels) {
        EXPECT_FALSE(p.y.label.empty()) << f.name;
        EXPECT_FALSE(p.curves.empty()) << f.name;
        below = below || !p.x.label.empty();
        for (auto const& c : p.curves) {
            legend = legend || !c.label.empty();
            curve_can_be_drawn(r, p, c, f.name);
        }
    }
    EXPECT_TRUE(legend) << f.name << " has no legend";
    EXPECT_TRUE(below) << f.name << " does not say what is drawn to the right";
}

/// Every entry agrees or is known not to, with a reason; nothing is compared more widely than it says; tables are
/// rectangular; figures have what the drawing needs.
inline void comes_out(report const& r) {
    EXPECT_FALSE(r.entries.empty()) << r.id;
    for (auto const& e : r.entries) entry_is_honest(e, r.id + ": " + e.row + ", " + e.column);
    for (auto const& t : r.tables) {
        EXPECT_FALSE(t.rows.empty()) << r.id << ": " << t.name;
        for (auto const& row : t.rows) EXPECT_EQ(row.size(), t.columns.size()) << r.id << ": " << t.name;
    }
    for (auto const& f : r.figures) figure_can_be_drawn(r, f);
    if (r.id.find("figure") != std::string::npos) { EXPECT_FALSE(r.figures.empty()) << r.id; }
}

} // namespace lento::reproduce
