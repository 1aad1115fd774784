#pragma once

#include "lento/expression/coordinate_family.hpp"
#include "lento/expression/error.hpp"
#include "lento/expression/graph.hpp"
#include "lento/expression/syntax.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lento::expression {

/// What a formula at some place of a problem may depend on, besides parameters.
struct permission {
    bool position = true;
    bool velocity = true;
    bool phase = true;
    bool time = true;
};

/// Nothing but parameters (and the index of a family).
inline constexpr permission parameters_only{false, false, false, false};

/// A formula given for a coordinate ("q", "x[7]"), for a family ("x[i]"), or for their velocities ("x[i]'").
struct assignment {
    bool velocity = false;
    std::vector<statement> statements; ///< targets are slots of coordinates
};

/// The most coordinates a problem may have.
inline constexpr std::int64_t most_coordinates = 10'000'000;

/// The names of one problem and the graph of its formulas. Declare parameters, then coordinates, then definitions;
/// then read formulas. Whatever is wrong with a text is thrown as a formula_error.
class formula_reader {
public:
    formula_reader() = default;
    /// Formulas whose loops and sums take more than so many steps are refused.
    explicit formula_reader(long double most_terms) : most_terms_(most_terms) {}
    formula_reader(formula_reader const&) = delete; // formulas refer to each other inside
    formula_reader& operator=(formula_reader const&) = delete;

    void parameter(std::string_view name, long double value); ///< becomes part of the formulas
    /// A parameter that stays an input of compiled formulas: which slot of `source::parameter` it reads. It cannot be
    /// part of an index, or of what must be a number at once.
    std::size_t input(std::string_view name);
    void coordinate(std::string_view declaration);             ///< "q" or "x[1..n]"
    void phases(std::size_t count) { phases_ = count; }        ///< theta, or theta1, theta2, ...
    void define(std::string_view name, std::string_view text); ///< "E", "r[i]" for all i, or "x[0]" for one index

    long double number(std::string_view text); ///< a formula of the parameters
    /// What statements of parameters alone write. All numbers together may take a second or two to compute.
    std::vector<double> numbers(std::vector<statement> const& of, std::size_t outputs);
    node scalar(std::string_view text, permission allowed = {}); ///< a formula without free indices
    assignment assign(std::string_view target, std::string_view text, permission allowed = {});
    /// One output for each index of a range ("i = 1..n/2"), in slots from `first_slot` on.
    std::vector<statement> for_all(std::string_view range, std::string_view text, std::size_t first_slot,
                                   permission allowed = {});
    std::pair<std::int64_t, std::int64_t> range(std::string_view text); ///< bounds of "i = 1..n/2"

    [[nodiscard]] std::vector<std::string> const& inputs() const { return inputs_; } ///< by slot
    [[nodiscard]] std::size_t phase_count() const { return phases_; }
    [[nodiscard]] std::size_t coordinate_count() const { return count_; }
    [[nodiscard]] std::vector<coordinate_family> const& families() const { return families_; }
    [[nodiscard]] std::string coordinate_name(std::size_t slot) const; ///< "q" or "x[7]"
    std::size_t slot(std::string_view name);                           ///< of "q" or "x[7]"

    /// A formula that reads back as the same node; throws std::length_error when it is longer than `longest` bytes.
    [[nodiscard]] std::string print(node n, std::size_t longest = std::size_t{1} << 26U) const;

    [[nodiscard]] graph& formulas() { return graph_; }
    [[nodiscard]] graph const& formulas() const { return graph_; }

private:
    friend class binder;
    struct definition {
        std::string name;      // as given: "r[i]"
        std::string parameter; // the index, empty for a scalar or one index
        parsed_formula text;
    };
    /// What x[...] may mean: members of a family, single indices defined by hand, or a definition for all other
    /// indices.
    struct indexed_name {
        std::optional<std::size_t> family;
        definition const* general = nullptr;
        std::map<std::int64_t, definition const*> special;
    };

    /// A number, or the slot of an input.
    struct parameter_meaning {
        long double value = 0;
        std::optional<std::size_t> slot;
    };

    std::string bind_parameter(std::string_view name, parameter_meaning meaning);
    void require_free(std::string_view name, place where, std::string_view text) const;
    std::vector<std::string> known_names() const;
    parsed_formula parsed(std::string_view text);
    template <class T> std::vector<T> worth(std::vector<statement> of, std::size_t outputs, std::string_view text);

    long double most_terms_ = 1e14L;
    long double terms_ = 0;            // of all loops that were read
    double effort_left_ = 5e8;         // for numbers
    std::uint64_t patience_ = 250'000; // steps of reading that are left; every text brings some more
    graph graph_;
    std::size_t phases_ = 0;
    std::size_t count_ = 0;
    std::map<std::string, parameter_meaning, std::less<>> parameters_;
    std::vector<std::string> inputs_;
    std::vector<coordinate_family> families_;
    std::map<std::string, std::size_t, std::less<>> plain_coordinates_;
    std::map<std::string, definition const*, std::less<>> abbreviations_;
    std::map<std::string, indexed_name, std::less<>> indexed_;
    std::deque<definition> definitions_;
    std::map<std::pair<definition const*, std::int64_t>, node> closed_definitions_;
    std::map<node, node> velocities_; // of definitions
};

} // namespace lento::expression
