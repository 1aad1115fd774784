#pragma once

#include "lento/expression/affine.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lento::expression {

struct statement;

/// What a node of a graph does with its operands.
enum class operation : std::uint8_t {
    constant,
    index,
    element,
    sum,
    negate,
    invert,
    abs,
    sign,
    step,
    sqrt,
    exp,
    log,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    add,
    subtract,
    multiply,
    power,
    min,
    max,
    atan2,
    hypot,
    divide, // made by `quotient` alone
};

/// Operations with one operand are negate ... tanh; with two add ... divide.
constexpr bool is_unary(operation op) { return op >= operation::negate && op <= operation::tanh; }
constexpr bool is_binary(operation op) { return op >= operation::add; }

/// The arrays a formula reads at evaluation. `direction` is for derivatives along a direction given at run time,
/// `parameter` for parameters that are not folded into the formulas.
enum class source : std::uint8_t { position, velocity, phase, time, direction, parameter };
inline constexpr std::size_t source_count = 6;

/// A node of a graph; nodes are made before the nodes that use them, so their order is an order of evaluation.
enum class node : std::uint32_t {};

/// The bounds of a loop variable: from the largest lower to the smallest upper bound, both included; may be empty.
struct loop_bounds {
    std::vector<affine> lower;
    std::vector<affine> upper;
    auto operator<=>(loop_bounds const&) const = default;
};

/// Hash-consed formulas: equal subexpressions are one node, and every constructor simplifies.
///
/// Simplification changes values only by rounding where they are finite, with these deliberate exceptions: 0*x and
/// x - x are 0 also where x is infinite or not a number, the sign of zero is not kept, and a/b = a*inv(b) overflows for
/// divisors below 5.6e-309, and constant factors between 1e-30 and 1e30 move to the front of a product, which matters
/// only for values beyond 1e240. Constants are long double and finite in double: what would not be stays an operation.
class graph {
public:
    graph();

    node constant(long double value);
    node index(variable of);                       ///< a loop variable as a number
    node index(affine const& value);               ///< an affine index as a number
    node element(source from, affine const& slot); ///< from[slot]
    node unary(operation op, node a);
    node binary(operation op, node a, node b);
    /// The sum of the body over the variable's range, in order. Its variable is replaced by one of the lowest level
    /// that lies inside all it depends on, so that equal sums are one node wherever they stand.
    node sum(variable over, node body);

    node negate(node a) { return unary(operation::negate, a); }
    node invert(node a) { return unary(operation::invert, a); }
    node add(node a, node b) { return binary(operation::add, a, b); }
    node subtract(node a, node b) { return binary(operation::subtract, a, b); }
    node multiply(node a, node b) { return binary(operation::multiply, a, b); }
    node divide(node a, node b); ///< a * inv(b); two constants give their quotient
    node quotient(node a, node b) { return make(operation::divide, a, b); } ///< a / b, once nothing is derived any more
    node power(node a, node b) { return binary(operation::power, a, b); }

    /// The loop variable of a nesting level with these bounds; the same one for the same level and bounds.
    variable loop(std::uint32_t level, loop_bounds const& bounds);
    [[nodiscard]] loop_bounds const& bounds(variable of) const { return loops_[static_cast<std::size_t>(of)].bounds; }
    [[nodiscard]] std::uint32_t level(variable of) const { return loops_[static_cast<std::size_t>(of)].level; }

    [[nodiscard]] operation op(node n) const { return at(n).op; }
    [[nodiscard]] node first(node n) const { return node{at(n).a}; }
    [[nodiscard]] node second(node n) const { return node{at(n).b}; }
    [[nodiscard]] long double value(node n) const { return constants_[at(n).a]; }    ///< of a constant
    [[nodiscard]] source from(node n) const { return static_cast<source>(at(n).a); } ///< of an element
    [[nodiscard]] affine const& slot(node n) const { return slots_[at(n).b]; }       ///< of an element
    [[nodiscard]] variable over(node n) const;                                       ///< of an index or a sum
    [[nodiscard]] std::span<variable const> free_variables(node n) const { return free_sets_[at(n).free]; }
    [[nodiscard]] bool depends_on(node n, variable on) const;
    [[nodiscard]] std::uint32_t stage(node n) const { return at(n).stage; } ///< sums it must wait for, in a row
    [[nodiscard]] bool is_constant(node n) const { return op(n) == operation::constant; }
    [[nodiscard]] bool is_constant(node n, long double value_) const { return is_constant(n) && value(n) == value_; }
    [[nodiscard]] std::size_t size() const { return nodes_.size(); }

    /// The nodes that some others need (themselves included), in order of evaluation.
    [[nodiscard]] std::vector<node> needed_by(std::span<node const> roots) const;
    [[nodiscard]] bool depends_on(node n, source on) const { return (at(n).reads & reading(on)) != 0; }
    /// A graph of what some statements need, and nothing else: their values become its nodes, which are in the same
    /// order as here. Loop variables stay what they are.
    [[nodiscard]] graph part(std::vector<statement>& needed) const;
    /// The same formula with one loop variable replaced by an index that does not contain it.
    node substitute(node in, variable replaced, affine const& by);

private:
    struct record {
        operation op;
        std::uint8_t reads; // a bit for each source
        std::uint32_t a, b, free, stage;
    };
    struct key {
        operation op;
        std::uint32_t a, b;
        bool operator==(key const&) const = default;
    };
    struct key_hash {
        std::size_t operator()(key const& k) const noexcept;
    };
    struct loop_record {
        std::uint32_t level;
        loop_bounds bounds;
    };
    class replacement;

    static constexpr std::uint8_t reading(source from) {
        return static_cast<std::uint8_t>(1U << static_cast<unsigned>(from));
    }
    [[nodiscard]] record const& at(node n) const { return nodes_[static_cast<std::size_t>(n)]; }
    node make(record const& wanted);
    node make(operation op, node a);
    node make(operation op, node a, node b);
    std::uint32_t free_set(std::vector<variable> variables);
    std::uint32_t united(std::uint32_t a, std::uint32_t b);
    std::vector<variable> free_in_sum(variable over, node body) const;
    node made_sum(variable over, node body, std::uint32_t free);
    bool fold(operation op, node a, node b, node& result);
    bool has_negative_constant(node n) const { return is_constant(n) && value(n) < 0; }
    node simplified_unary(operation op, node a);
    node simplified_negate(node a);
    node simplified_add(node a, node b);
    node simplified_subtract(node a, node b);
    node simplified_multiply(node a, node b);
    node simplified_power(node a, node b);
    node whole_power(node a, int exponent);

    std::vector<record> nodes_;
    std::vector<long double> constants_;
    std::vector<affine> slots_;
    std::vector<loop_record> loops_;
    std::vector<std::vector<variable>> free_sets_;
    std::unordered_map<key, node, key_hash> known_;
    std::unordered_map<long double, node> known_constants_;
    std::map<affine, std::uint32_t> known_slots_;
    std::map<std::pair<std::uint32_t, loop_bounds>, variable> known_loops_;
    std::map<std::vector<variable>, std::uint32_t> known_free_sets_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_unions_;
};

/// One contribution to an output array: for all values of the loops, outermost first, out[target] += value.
struct statement {
    std::vector<variable> loops;
    affine target;
    node value;
};

/// A single output without loops: out[slot] += value.
inline statement output(std::size_t slot, node value) {
    return {{}, to_affine(static_cast<std::int64_t>(slot)), value};
}

} // namespace lento::expression
