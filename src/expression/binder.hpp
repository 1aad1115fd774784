#pragma once

#include "lento/expression/formula_reader.hpp"
#include "lento/expression/ranges.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lento::expression {

/// Gives the names of a parsed formula their meaning: builds its nodes in the graph of a formula_reader.
///
/// Loops stay loops. Where an index of a loop reaches both members of a family and values defined by hand (x[0] = 0),
/// the loop is split there, so that in each piece every x[...] means one thing and no loop body needs a branch. A loop
/// is also split where a loop inside it begins to be empty, so that ranges of indices are known exactly. What is left
/// is proven to stay inside the family, by arithmetic that does not wrap.
class binder {
public:
    binder(formula_reader& book, parsed_formula const& text, permission allowed)
        : book_(book), graph_(book.graph_), text_(&text), allowed_(allowed) {}

    /// The node of a range of items; names of indices in `named_indices` are visible.
    node value(std::uint32_t begin, std::uint32_t end);
    node whole() { return value(0, static_cast<std::uint32_t>(text_->items.size())); }

    /// A bound: one index, or the smallest or largest of several.
    struct bound {
        enum class choice : std::uint8_t { single, smallest, largest } kind = choice::single;
        std::vector<affine> of;
    };
    bound index(std::uint32_t begin, std::uint32_t end);
    affine single_index(std::uint32_t begin, std::uint32_t end);
    std::int64_t fixed_index(std::uint32_t begin, std::uint32_t end, std::string const& what);

    /// A piece of a loop: its variable (nothing when it has one value only), the index's value, the node of the body.
    struct piece {
        std::optional<variable> loop;
        affine index;
        node value;
    };
    std::vector<piece> pieces(std::string const& name, loop_bounds const& bounds, std::function<node()> const& body);

    [[noreturn]] void fail(std::string const& sentence, place where, std::string expected = {},
                           std::string nearest = {}) const;
    [[nodiscard]] place span_of(std::uint32_t begin, std::uint32_t end) const;

private:
    struct operand {
        node value;
        place where;
    };
    using definition = formula_reader::definition;
    /// Thrown through a loop's body to its loop: this index must be separated from the others first.
    struct cut {
        variable loop;
        affine at;
    };
    /// Restores what a nested formula or loop changes, also when an error or a cut passes.
    template <class State> class restored {
    public:
        explicit restored(State& state) : state_(state), before_(state) {}
        restored(restored const&) = delete;
        restored& operator=(restored const&) = delete;
        ~restored() { state_ = std::move(before_); }

    private:
        State& state_;
        State before_;
    };
    /// No index may go further, in either direction.
    static constexpr std::int64_t largest_index = 1'000'000'000'000'000;

    static std::string shown_number(long double value);
    /// Reading ends in a bounded time: every step of it is counted, and refused when they are too many.
    void spend(std::uint64_t steps) const;

    void apply_operator(item const& what, std::vector<operand>& stack);
    node checked(operation op, operand const& a, operand const& b, node result, place where) const;
    void require_finite(node made_of_constants, place where) const;
    node divided(operand const& a, operand const& b);
    node name(item const& what);
    node plain_name(item const& what, std::string const& text);
    node phase(item const& what, std::string_view text);
    node indexed(item const& what, std::uint32_t header);
    node sum(item const& what, std::uint32_t header);
    node family_member(formula_reader::indexed_name const& meaning, affine const& index, item const& what);
    node defined(definition const& what, affine const& index, item const& use);
    node bound_definition(definition const& what, affine const& index, bool closed, item const& use);
    node velocity_of_definition(node value, item const& use);
    void require_defined(formula_reader::indexed_name const& meaning, affine const& index, std::int64_t low,
                         std::int64_t high, item const& what) const;
    void separate(formula_reader::indexed_name const& meaning, affine const& index, std::int64_t low, std::int64_t high,
                  item const& what) const;
    [[nodiscard]] std::optional<cut> meeting(affine const& index, std::int64_t value, item const& what) const;
    [[nodiscard]] std::int64_t low_of(affine const& index) const;
    [[nodiscard]] std::int64_t high_of(affine const& index) const;
    [[noreturn]] void out_of_range(coordinate_family const& family, affine const& index, std::int64_t low,
                                   std::int64_t high, item const& what) const;
    [[noreturn]] void unknown(item const& what, std::string const& text) const;
    [[nodiscard]] bool is_allowed(source from) const;
    [[nodiscard]] std::string allowed_names() const;
    void require_allowed(source from, std::string const& what, place where) const;
    void require_allowed(node value, item const& use) const;
    node piece_of_loop(std::string const& name, affine const& index, variable v, loop_bounds const& bounds,
                       std::function<node()> const& body);
    bool tidied(loop_bounds& bounds) const;
    void require_filled(loop_bounds const& bounds) const;
    [[nodiscard]] long double require_few_terms(std::string const& name) const;
    void require_computable(affine const& index, place where) const;
    affine index_name(item const& what) const;
    void apply_index_operator(item const& what, std::vector<bound>& stack);
    std::int64_t whole_number(long double value, place where) const;
    void require_index_size(affine const& index, place where) const;
    [[nodiscard]] std::string shown(affine const& index) const;

    formula_reader& book_;
    graph& graph_;
    parsed_formula const* text_;
    permission allowed_;
    std::string origin_;
    std::vector<std::pair<std::string, affine>> indices_; // visible names of indices
    std::vector<known_range> known_;                      // the loops around this place
    std::vector<std::map<std::pair<definition const*, affine>, node>> local_definitions_{{}};
    std::vector<definition const*> open_definitions_;
};

} // namespace lento::expression
