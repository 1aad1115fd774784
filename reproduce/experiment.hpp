#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/figure.hpp"

/// The papers' tables and figures: one file an experiment, listed in experiments.cpp.
namespace lento::reproduce {

/// One number: what the paper prints, or what else is known of it, what came out, and whether they agree.
struct entry {
    std::string row;
    std::string column;
    double value = 0;
    std::optional<double> paper{};     ///< only what a paper prints
    std::string print{};               ///< the same in its own digits
    std::optional<double> reference{}; ///< what else it is compared with
    std::string source{};              ///< where the reference is from
    std::optional<double> at_most{};   ///< the bound it is compared with
    double tolerance = 0;              ///< relative, of what it is compared with
    bool agrees = true;
    bool known = false;   ///< known not to be reproducible; the note says why, or that nobody knows
    bool compared = true; ///< false: only shown, and left out of what agrees
    bool near_reference = true;
    std::string note{};
    std::optional<std::uint64_t> force_evaluations{};

    /// "paper", "reference", "paper and reference", "bound" or "nothing".
    [[nodiscard]] std::string_view compared_with() const;
    /// Where it does not agree with the print, it is known not to, for this reason; it must be near its reference.
    entry& known_because(std::string reason);
    /// Also compares with a number that no paper prints.
    entry& and_expect(double other, std::string from, double within);
};

/// How a paper shortens its numbers.
enum class digits {
    rounded, ///< half a unit of the last digit printed, to both sides
    cut      ///< some are rounded and others cut off: a whole unit above the print, half a one below
};

/// The source of most references: the numbers of a second program, written independently.
inline constexpr char const* prototype = "an independent prototype";
/// The source of values of ours that the document of the papers states.
inline constexpr char const* stated = "our own value, as docs/papers.md states it";

/// How many numbers agree, by what they were compared with.
struct tally {
    struct share {
        std::size_t agree = 0;
        std::size_t known = 0;
        std::size_t disagree = 0;
        share& operator+=(share const& other);
        [[nodiscard]] std::size_t all() const { return agree + known + disagree; }
    };
    std::size_t experiments = 0;
    share printed;    ///< with a paper's figures
    share references; ///< with others
    share bounds;
    std::size_t shown = 0;
    tally& operator+=(tally const& other);
};

struct report {
    std::string id;
    std::string title;
    std::vector<entry> entries{};
    std::vector<table> tables{};
    std::vector<std::string> remarks{};
    std::vector<figure> figures{};

    /// An entry compared with a figure as the paper prints it, such as "6.70e-3", to its last digit.
    entry& compare(std::string row, std::string column, std::string_view print, double value,
                   digits shortened = digits::rounded);
    /// The same within a relative tolerance; the entry says so where that is wider than the last digit.
    entry& compare(std::string row, std::string column, std::string_view print, double value, double tolerance);
    /// The same for a figure that the paper gives as "about", within a factor.
    entry& about(std::string row, std::string column, std::string_view print, double value, double factor);
    /// An entry compared with a number that no paper prints: theory, or an independent computation.
    entry& expect(std::string row, std::string column, double reference, std::string source, double value,
                  double tolerance);
    /// An entry that must not exceed a bound.
    entry& bound(std::string row, std::string column, double value, double at_most);
    /// An entry that is only reported.
    entry& show(std::string row, std::string column, double value);

    /// How many of the compared entries agree, and how many there are.
    [[nodiscard]] std::size_t agreeing() const;
    [[nodiscard]] std::size_t compared() const;
    /// Whether every entry agrees or is known not to.
    [[nodiscard]] bool good() const;
    [[nodiscard]] tally counts() const;
};

struct experiment {
    std::string_view id;
    std::string_view sentence;
    bool in_all = true; ///< false: runs only by name, because it is long
    report (*run)();
    std::string_view items{}; ///< of docs/papers.md that it shows
};

/// All experiments, in the order of the papers.
[[nodiscard]] std::vector<experiment> const& experiments();

/// Half a unit of the last digit of a printed number, as in "6.70e-3".
[[nodiscard]] double half_a_unit(std::string_view print);

[[nodiscard]] std::string to_text(report const& r);
/// One line.
[[nodiscard]] std::string to_text(tally const& counts);
[[nodiscard]] std::string to_json(report const& r);
[[nodiscard]] std::string to_csv(table const& t);
/// The entries as CSV.
[[nodiscard]] std::string entries_csv(report const& r);

} // namespace lento::reproduce
