#include "reproduce/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <lento/base/decimal.hpp>

namespace lento::reproduce {
namespace {

double number_in(std::string_view print) { return decimal<double>(std::string(print)); }

entry& add(report& r, std::string row, std::string column, double value) {
    entry fresh;
    fresh.row = std::move(row);
    fresh.column = std::move(column);
    fresh.value = value;
    r.entries.push_back(std::move(fresh));
    return r.entries.back();
}

entry& add_printed(report& r, std::string row, std::string column, std::string_view print, double value) {
    entry& e = add(r, std::move(row), std::move(column), value);
    e.paper = number_in(print);
    e.print = print;
    return e;
}

/// Relative to a number, or absolute where that is 0.
double relative(double difference, double of) { return of == 0 ? difference : difference / std::abs(of); }

bool near(double value, double wanted, double tolerance) {
    return std::abs(value - wanted) <= tolerance * (wanted == 0 ? 1 : std::abs(wanted));
}

/// A little above 1, because a printed half unit is no binary number.
constexpr double rounding = 1.0000001;

} // namespace

double half_a_unit(std::string_view print) {
    auto const e = print.find_first_of("eE");
    auto const mantissa = print.substr(0, e);
    auto const point = mantissa.find('.');
    auto const decimals = point == std::string_view::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
    int const exponent = e == std::string_view::npos ? 0 : std::atoi(std::string(print.substr(e + 1)).c_str());
    return 0.5 * std::pow(10., exponent - decimals);
}

std::string_view entry::compared_with() const {
    if (!compared) return "nothing";
    if (at_most) return "bound";
    if (paper) return reference ? "paper and reference" : "paper";
    return "reference";
}

entry& entry::known_because(std::string reason) {
    if (agrees || !near_reference) return *this;
    known = true;
    note += (note.empty() ? "" : "; ") + reason;
    return *this;
}

entry& entry::and_expect(double other, std::string from, double within) {
    reference = other;
    source = std::move(from);
    near_reference = near(value, other, within);
    agrees = agrees && near_reference;
    return *this;
}

entry& report::compare(std::string row, std::string column, std::string_view print, double value, digits shortened) {
    entry& e = add_printed(*this, std::move(row), std::move(column), print, value);
    double const half = half_a_unit(print);
    double const above = (shortened == digits::cut ? 2 : 1) * half;
    double const excess = *e.paper < 0 ? *e.paper - value : value - *e.paper;
    e.tolerance = relative(above, *e.paper);
    e.agrees = excess >= -rounding * half && excess <= rounding * above;
    return e;
}

entry& report::compare(std::string row, std::string column, std::string_view print, double value, double tolerance) {
    entry& e = add_printed(*this, std::move(row), std::move(column), print, value);
    e.tolerance = tolerance;
    e.agrees = near(value, *e.paper, tolerance);
    if (tolerance > rounding * relative(2 * half_a_unit(print), *e.paper))
        e.note = fmt::format("within {:.2g} %, which is more than the last digit printed", 100 * tolerance);
    return e;
}

entry& report::about(std::string row, std::string column, std::string_view print, double value, double factor) {
    entry& e = add_printed(*this, std::move(row), std::move(column), print, value);
    e.tolerance = factor - 1;
    e.agrees = value <= factor * *e.paper && value >= *e.paper / factor;
    e.note = fmt::format("printed as 'about': within a factor {:g}", factor);
    return e;
}

entry& report::expect(std::string row, std::string column, double reference, std::string source, double value,
                      double tolerance) {
    entry& e = add(*this, std::move(row), std::move(column), value);
    e.tolerance = tolerance;
    return e.and_expect(reference, std::move(source), tolerance);
}

entry& report::bound(std::string row, std::string column, double value, double at_most) {
    entry& e = add(*this, std::move(row), std::move(column), value);
    e.at_most = at_most;
    e.agrees = value <= at_most;
    e.note = fmt::format("must not exceed {:g}", at_most);
    return e;
}

entry& report::show(std::string row, std::string column, double value) {
    entry& e = add(*this, std::move(row), std::move(column), value);
    e.agrees = std::isfinite(value);
    e.compared = false;
    return e;
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

tally report::counts() const {
    tally sum;
    sum.experiments = 1;
    for (auto const& e : entries) {
        if (!e.compared) {
            ++sum.shown;
            continue;
        }
        auto& share = e.at_most ? sum.bounds : e.paper ? sum.printed : sum.references;
        ++(e.agrees ? share.agree : e.known ? share.known : share.disagree);
    }
    return sum;
}

tally::share& tally::share::operator+=(share const& other) {
    agree += other.agree;
    known += other.known;
    disagree += other.disagree;
    return *this;
}

tally& tally::operator+=(tally const& other) {
    experiments += other.experiments;
    printed += other.printed;
    references += other.references;
    bounds += other.bounds;
    shown += other.shown;
    return *this;
}

std::string to_text(tally const& counts) {
    auto const share = [](tally::share const& s) { return fmt::format("{} of {}", s.agree, s.all()); };
    return fmt::format("{} experiments: {} printed figures agree ({} are known not to), {} references, {} bounds; {} "
                       "disagree, {} are only shown",
                       counts.experiments, share(counts.printed), counts.printed.known, share(counts.references),
                       share(counts.bounds),
                       counts.printed.disagree + counts.references.disagree + counts.bounds.disagree, counts.shown);
}

namespace {

std::string shortened(double value) {
    if (value == std::round(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
    return fmt::format("{:.5g}", value);
}

/// The widths of the columns of a report, as wide as their longest entry.
struct widths {
    std::size_t row = 3;
    std::size_t column = 6;
    bool references = false;

    explicit widths(report const& r) {
        for (auto const& e : r.entries) {
            row = std::max(row, e.row.size());
            column = std::max(column, e.column.size());
            references = references || e.reference;
        }
    }
    [[nodiscard]] std::string line(std::string_view first, std::string_view second, std::string_view paper,
                                   std::string_view reference, std::string_view value, std::string_view forces) const {
        auto const known = references ? fmt::format("  {:>11}", reference) : "";
        return fmt::format("  {:<{}}  {:<{}}  {:>11}{}  {:>11}  {:>9}", first, row, second, column, paper, known, value,
                           forces);
    }
};

} // namespace

std::string to_text(report const& r) {
    std::string text = fmt::format("{}  {}\n", r.id, r.title);
    widths const table(r);
    text += table.line("row", "column", "paper", "reference", "value", "forces") + '\n';
    std::map<std::string, int> sources;
    for (auto const& e : r.entries) {
        text += table.line(e.row, e.column, e.print, e.reference ? shortened(*e.reference) : "", shortened(e.value),
                           e.force_evaluations ? std::to_string(*e.force_evaluations) : "");
        if (!e.agrees) text += e.known ? "  known not to agree" : "  DISAGREES";
        if (!e.note.empty()) text += fmt::format("  ({})", e.note);
        while (text.back() == ' ') text.pop_back();
        text += '\n';
        if (!e.source.empty()) ++sources[e.source];
    }
    for (auto const& [source, count] : sources)
        text += fmt::format("  reference: {} ({} number{})\n", source, count, count == 1 ? "" : "s");
    for (auto const& remark : r.remarks) text += fmt::format("  note: {}\n", remark);
    text += fmt::format("  {} of {} agree\n", r.agreeing(), r.compared());
    return text;
}

} // namespace lento::reproduce
