#pragma once

#include "lento/expression/error.hpp"
#include "lento/expression/graph.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lento::expression {

/// A function of the formula language, with the operation it stands for.
struct function_name {
    std::string_view name;
    operation op;
    int arity;
};

/// All functions but `sum`.
std::vector<function_name> const& functions();
/// The function of that name, or nothing.
function_name const* find_function(std::string_view name);
/// Names that a problem cannot give to its own things: functions, pi, t, theta, theta1, theta2, ...
bool is_reserved(std::string_view name);

/// What an item of a parsed formula does.
enum class item_kind : std::uint8_t {
    number,
    name,
    indexed,
    sum,
    negate,
    add,
    subtract,
    multiply,
    divide,
    power,
    call
};

/// An item of a parsed formula. Operators follow their operands, so that long formulas need no recursion; `indexed` and
/// `sum` stand before their parts, because those are read in another way: [lower][upper][body] or [index].
struct item {
    item_kind kind;
    bool primed = false; ///< of a name or an indexed name
    function_name const* function = nullptr;
    place where;                   ///< of the operator, name or number
    place name{};                  ///< of a sum: its index
    std::uint32_t second_part = 0; ///< of a sum: where the items of the upper bound begin
    std::uint32_t third_part = 0;  ///< of a sum: where the items of the body begin
    std::uint32_t end = 0;         ///< of indexed and sum: one past its last part
    long double value = 0;         ///< of a number
};

/// A parsed formula: its text and its items.
struct parsed_formula {
    std::string text;
    std::vector<item> items;
    [[nodiscard]] std::string_view part(place where) const {
        return std::string_view(text).substr(where.offset, where.length);
    }
};

/// The most levels of parentheses, calls, powers and indices inside each other.
inline constexpr int deepest_nesting = 500;

/// Reads a formula; throws formula_error.
parsed_formula parse(std::string_view text);

/// A declared range: `x[1..n]`, a plain `q` (then without bounds), or `i = 1..n/2`; the bounds are ranges of items.
struct range_declaration {
    parsed_formula source;
    place name;
    bool has_range = false;
    std::uint32_t upper_begin = 0; ///< items before it are the lower bound, items from it on the upper one
};

/// Reads `x[1..n]` or `q`.
range_declaration parse_coordinate(std::string_view text);
/// Reads `i = 1..n/2`.
range_declaration parse_range(std::string_view text);

} // namespace lento::expression
