#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The papers' tables and figures: one file an experiment, listed in experiments.cpp.
namespace lento::reproduce {

/// One figure: what the paper prints, what came out, and whether they agree.
struct entry {
    std::string row;
    std::string column;
    std::optional<double> paper;
    double value = 0;
    double tolerance = 0; ///< relative, of the printed figure
    bool agrees = true;
    std::string note;
    std::optional<std::uint64_t> force_evaluations;
    bool known = false;   ///< known not to be reproducible; the note says why
    bool compared = true; ///< false: only shown, and left out of what agrees
};

/// A curve or a set of them, written as CSV on request.
struct table {
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::vector<double>> rows;
};

struct report {
    std::string id;
    std::string title;
    std::vector<entry> entries;
    std::vector<table> tables;
    std::vector<std::string> remarks;

    /// An entry compared with a printed (or otherwise known) figure.
    entry& compare(std::string row, std::string column, double paper, double value, double tolerance);
    /// An entry that the paper only draws, compared with an independent computation.
    entry& expect(std::string row, std::string column, double reference, double value, double tolerance);
    /// An entry that must not exceed a bound.
    entry& bound(std::string row, std::string column, double value, double at_most);
    /// An entry that is only reported.
    entry& show(std::string row, std::string column, double value);

    /// How many of the compared entries agree, and how many there are.
    [[nodiscard]] std::size_t agreeing() const;
    [[nodiscard]] std::size_t compared() const;
    /// Whether every entry agrees or is known not to.
    [[nodiscard]] bool good() const;
};

struct experiment {
    std::string_view id;
    std::string_view sentence;
    bool in_all = true; ///< false: runs only by name, because it is long
    report (*run)();
};

/// All experiments, in the order of the papers.
[[nodiscard]] std::vector<experiment> const& experiments();

[[nodiscard]] std::string to_text(report const& r);
[[nodiscard]] std::string to_json(report const& r, int indent = 2);
[[nodiscard]] std::string to_csv(table const& t);
/// The entries as CSV.
[[nodiscard]] std::string entries_csv(report const& r);

} // namespace lento::reproduce
