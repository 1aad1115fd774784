// A report as files: everything in JSON, entries and tables as CSV.

#include "reproduce/experiment.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lento::reproduce {
namespace {

using json = nlohmann::ordered_json;

json number(double value) {
    if (!std::isfinite(value)) return nullptr;
    return value;
}
json number(std::optional<double> const& value) { return value ? number(*value) : json(nullptr); }

json as_json(entry const& e) {
    json item;
    item["row"] = e.row;
    item["column"] = e.column;
    item["paper"] = number(e.paper);
    if (e.paper) item["print"] = e.print;
    item["reference"] = number(e.reference);
    if (e.reference) item["source"] = e.source;
    if (e.at_most) item["at_most"] = number(e.at_most);
    item["value"] = number(e.value);
    item["tolerance"] = number(e.tolerance);
    item["compared_with"] = e.compared_with();
    item["agrees"] = e.agrees;
    item["known"] = e.known;
    item["note"] = e.note;
    if (e.force_evaluations) item["force_evaluations"] = *e.force_evaluations;
    return item;
}

json as_json(table const& t) {
    json item;
    item["name"] = t.name;
    item["columns"] = t.columns;
    item["rows"] = json::array();
    for (auto const& row : t.rows) {
        json list = json::array();
        for (double const value : row) list.push_back(number(value));
        item["rows"].push_back(std::move(list));
    }
    return item;
}

std::string_view name_of(stroke how) {
    switch (how) {
    case stroke::line: return "line";
    case stroke::dashes: return "dashes";
    case stroke::dotted: return "dotted";
    case stroke::dots: return "dots";
    case stroke::circles: return "circles";
    case stroke::stars: return "stars";
    case stroke::diamonds: return "diamonds";
    case stroke::squares: return "squares";
    case stroke::printed: return "printed";
    }
    return "line";
}

json as_json(axis const& a) {
    json item;
    item["label"] = a.label;
    item["scale"] = a.logarithmic ? "logarithmic" : "linear";
    if (a.from) item["from"] = *a.from;
    if (a.to) item["to"] = *a.to;
    return item;
}

json as_json(panel const& p) {
    json item;
    item["title"] = p.title;
    item["x"] = as_json(p.x);
    item["y"] = as_json(p.y);
    if (p.equal_scales) item["equal_scales"] = true;
    item["curves"] = json::array();
    for (auto const& c : p.curves) {
        json one{{"table", c.table}, {"x", c.x}, {"y", c.y}, {"label", c.label}, {"stroke", name_of(c.how)}};
        if (c.colour) one["colour"] = *c.colour;
        item["curves"].push_back(std::move(one));
    }
    item["printed"] = json::array();
    for (auto const& l : p.printed) item["printed"].push_back({{"y", l.y}, {"label", l.label}});
    return item;
}

json as_json(figure const& f) {
    json item;
    item["name"] = f.name;
    item["caption"] = f.caption;
    item["columns"] = f.columns;
    item["panels"] = json::array();
    for (auto const& p : f.panels) item["panels"].push_back(as_json(p));
    return item;
}

template <class Items> json list_of(Items const& items) {
    json list = json::array();
    for (auto const& each : items) list.push_back(as_json(each));
    return list;
}

/// Indented, but with lists of plain values on one line: a row of a table is a line of the file.
std::string laid_out(json const& value, std::size_t depth = 0) {
    auto const plain = [](json const& each) { return each.is_primitive(); };
    if (value.empty() || value.is_primitive() || (value.is_array() && std::all_of(value.begin(), value.end(), plain)))
        return value.dump();
    std::string const inside(2 * depth + 2, ' ');
    std::string text = value.is_object() ? "{" : "[";
    bool first = true;
    for (auto const& [key, item] : value.items()) {
        text += (first ? "\n" : ",\n") + inside;
        first = false;
        if (value.is_object()) text += json(key).dump() + ": ";
        text += laid_out(item, depth + 1);
    }
    return text + '\n' + std::string(2 * depth, ' ') + (value.is_object() ? '}' : ']');
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

} // namespace

std::string to_json(report const& r) {
    json document;
    document["id"] = r.id;
    document["title"] = r.title;
    document["entries"] = list_of(r.entries);
    document["agree"] = r.agreeing();
    document["of"] = r.compared();
    document["remarks"] = r.remarks;
    document["figures"] = list_of(r.figures);
    document["tables"] = list_of(r.tables);
    return laid_out(document);
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
    auto const given = [](std::optional<double> const& value) { return value ? fmt::format("{}", *value) : ""; };
    std::string text = "row,column,paper,value,reference,at_most,tolerance,compared_with,agrees,known,"
                       "force_evaluations,source,note\n";
    for (auto const& e : r.entries)
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(e.row), quoted(e.column), given(e.paper),
                            e.value, given(e.reference), given(e.at_most), e.tolerance, e.compared_with(), e.agrees,
                            e.known, e.force_evaluations ? std::to_string(*e.force_evaluations) : "", quoted(e.source),
                            quoted(e.note));
    return text;
}

} // namespace lento::reproduce
