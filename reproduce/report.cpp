#include "reproduce/experiment.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lento::reproduce {
namespace {

nlohmann::ordered_json number(double value) {
    if (!std::isfinite(value)) return nullptr;
    return value;
}

std::string quoted(std::string const& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string result = "\"";
    for (char const c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + '"';
}

std::string figure(double value) {
    if (value == std::round(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
    return fmt::format("{:.5g}", value);
}

} // namespace

entry& report::compare(std::string row, std::string column, double paper, double value, double tolerance) {
    entries.push_back({.row = std::move(row),
                       .column = std::move(column),
                       .paper = paper,
                       .value = value,
                       .tolerance = tolerance,
                       .agrees = std::abs(value - paper) <= tolerance * std::abs(paper),
                       .note = {},
                       .force_evaluations = {}});
    return entries.back();
}

entry& report::expect(std::string row, std::string column, double reference, double value, double tolerance) {
    entries.push_back({.row = std::move(row),
                       .column = std::move(column),
                       .paper = {},
                       .value = value,
                       .tolerance = tolerance,
                       .agrees = std::abs(value - reference) <= tolerance * std::abs(reference),
                       .note = fmt::format("expected {:g}", reference),
                       .force_evaluations = {}});
    return entries.back();
}

entry& report::bound(std::string row, std::string column, double value, double at_most) {
    entries.push_back({.row = std::move(row),
                       .column = std::move(column),
                       .paper = {},
                       .value = value,
                       .tolerance = 0,
                       .agrees = value <= at_most,
                       .note = fmt::format("must not exceed {:g}", at_most),
                       .force_evaluations = {}});
    return entries.back();
}

entry& report::show(std::string row, std::string column, double value) {
    entries.push_back({.row = std::move(row),
                       .column = std::move(column),
                       .paper = {},
                       .value = value,
                       .tolerance = 0,
                       .agrees = std::isfinite(value),
                       .note = {},
                       .force_evaluations = {},
                       .compared = false});
    return entries.back();
}

std::size_t report::agreeing() const {
    return static_cast<std::size_t>(
        std::count_if(entries.begin(), entries.end(), [](entry const& e) { return e.compared && e.agrees; }));
}

std::size_t report::compared() const {
    return static_cast<std::size_t>(
        std::count_if(entries.begin(), entries.end(), [](entry const& e) { return e.compared; }));
}

bool report::good() const {
    return std::all_of(entries.begin(), entries.end(), [](entry const& e) { return e.agrees || e.known; });
}

std::string to_text(report const& r) {
    std::string text = fmt::format("{}  {}\n", r.id, r.title);
    std::size_t row_width = 3;
    std::size_t column_width = 6;
    for (auto const& e : r.entries) {
        row_width = std::max(row_width, e.row.size());
        column_width = std::max(column_width, e.column.size());
    }
    text += fmt::format("  {:<{}}  {:<{}}  {:>11}  {:>11}  {:>9}\n", "row", row_width, "column", column_width, "paper",
                        "value", "forces");
    for (auto const& e : r.entries) {
        text += fmt::format("  {:<{}}  {:<{}}  {:>11}  {:>11}  {:>9}  {}", e.row, row_width, e.column, column_width,
                            e.paper ? figure(*e.paper) : "", figure(e.value),
                            e.force_evaluations ? std::to_string(*e.force_evaluations) : "",
                            e.agrees ? "" : (e.known ? "known not to agree" : "DISAGREES"));
        if (!e.note.empty()) text += fmt::format("  ({})", e.note);
        while (text.back() == ' ') text.pop_back();
        text += '\n';
    }
    for (auto const& remark : r.remarks) text += fmt::format("  note: {}\n", remark);
    text += fmt::format("  {} of {} agree\n", r.agreeing(), r.compared());
    return text;
}

std::string to_json(report const& r, int indent) {
    nlohmann::ordered_json document;
    document["id"] = r.id;
    document["title"] = r.title;
    document["entries"] = nlohmann::ordered_json::array();
    for (auto const& e : r.entries) {
        nlohmann::ordered_json item;
        item["row"] = e.row;
        item["column"] = e.column;
        item["paper"] = e.paper ? number(*e.paper) : nlohmann::ordered_json(nullptr);
        item["value"] = number(e.value);
        item["tolerance"] = number(e.tolerance);
        item["agrees"] = e.agrees;
        item["note"] = e.note;
        if (e.force_evaluations) item["force_evaluations"] = *e.force_evaluations;
        document["entries"].push_back(std::move(item));
    }
    document["agree"] = r.agreeing();
    document["of"] = r.compared();
    document["remarks"] = r.remarks;
    return document.dump(indent);
}

std::string to_csv(table const& t) {
    std::string text;
    for (std::size_t i = 0; i < t.columns.size(); ++i) text += (i > 0 ? "," : "") + quoted(t.columns[i]);
    text += '\n';
    for (auto const& row : t.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format("{}{}", i > 0 ? "," : "", row[i]);
        text += '\n';
    }
    return text;
}

std::string entries_csv(report const& r) {
    std::string text = "row,column,paper,value,tolerance,agrees,force_evaluations,note\n";
    for (auto const& e : r.entries)
        text += fmt::format("{},{},{},{},{},{},{},{}\n", quoted(e.row), quoted(e.column),
                            e.paper ? fmt::format("{}", *e.paper) : "", e.value, e.tolerance, e.agrees,
                            e.force_evaluations ? std::to_string(*e.force_evaluations) : "", quoted(e.note));
    return text;
}

} // namespace lento::reproduce
