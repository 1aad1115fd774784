#include "lento/expression/graph.hpp"

#include "lento/expression/arithmetic.hpp"
#include "lento/expression/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_set>
#include <utility>

namespace lento::expression {

namespace {

std::uint32_t id(node n) { return static_cast<std::uint32_t>(n); }

/// Constants must survive the rounding to double: finite, and zero only when they are zero.
bool fits_double(long double value) {
    auto const magnitude = std::abs(value);
    return magnitude == 0 || (magnitude <= static_cast<long double>(std::numeric_limits<double>::max()) &&
                              magnitude >= static_cast<long double>(std::numeric_limits<double>::min()));
}

/// Repeated multiplication up to here stays within 4 units in the last place of the exact power.
constexpr int largest_whole_power = 8;

} // namespace

std::size_t graph::key_hash::operator()(key const& k) const noexcept {
    auto mixed = (static_cast<std::uint64_t>(k.a) << 32U | k.b) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29U;
    mixed = (mixed + static_cast<std::uint64_t>(k.op)) * 0xBF58476D1CE4E5B9U;
    return static_cast<std::size_t>(mixed ^ mixed >> 32U);
}

graph::graph() : free_sets_{{}} { known_free_sets_[{}] = 0; }

node graph::make(record const& wanted) {
    auto const [at, fresh] =
        known_.try_emplace(key{wanted.op, wanted.a, wanted.b}, node{static_cast<std::uint32_t>(nodes_.size())});
    if (fresh) {
        if (nodes_.size() >= std::numeric_limits<std::uint32_t>::max())
            throw std::length_error("the formulas of this problem have more than four billion parts.");
        nodes_.push_back(wanted);
    }
    return at->second;
}

node graph::make(operation op, node a) { return make({op, at(a).reads, id(a), 0, at(a).free, at(a).stage}); }

node graph::make(operation op, node a, node b) {
    auto const reads = static_cast<std::uint8_t>(at(a).reads | at(b).reads);
    return make({op, reads, id(a), id(b), united(at(a).free, at(b).free), std::max(at(a).stage, at(b).stage)});
}

std::uint32_t graph::free_set(std::vector<variable> variables) {
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    auto const [at, fresh] = known_free_sets_.try_emplace(variables, static_cast<std::uint32_t>(free_sets_.size()));
    if (fresh) free_sets_.push_back(std::move(variables));
    return at->second;
}

std::uint32_t graph::united(std::uint32_t a, std::uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    auto const [at, fresh] = known_unions_.try_emplace(std::minmax(a, b), 0);
    if (fresh) {
        auto both = free_sets_[a];
        both.insert(both.end(), free_sets_[b].begin(), free_sets_[b].end());
        at->second = free_set(std::move(both));
    }
    return at->second;
}

node graph::constant(long double value) {
    if (!std::isfinite(static_cast<double>(value)))
        throw formula_error("A constant of a formula is not finite.", {}, "a finite number");
    auto const known = known_constants_.find(value + 0.0L);
    if (known != known_constants_.end()) return known->second;
    auto const place = static_cast<std::uint32_t>(constants_.size());
    constants_.push_back(value + 0.0L); // -0 + 0 is +0: one zero only
    auto const made = make({operation::constant, 0, place, 0, 0, 0});
    known_constants_.emplace(value + 0.0L, made);
    return made;
}

node graph::index(variable of) {
    return make({operation::index, 0, static_cast<std::uint32_t>(of), 0, free_set({of}), 0});
}

node graph::index(affine const& value) {
    auto total = constant(0);
    for (auto const& [v, factor] : value.terms)
        total = add(total, multiply(constant(static_cast<long double>(factor)), index(v)));
    return add(total, constant(static_cast<long double>(value.constant)));
}

node graph::element(source from, affine const& slot) {
    auto const [at, fresh] = known_slots_.try_emplace(slot, static_cast<std::uint32_t>(slots_.size()));
    if (fresh) slots_.push_back(slot);
    std::vector<variable> variables;
    for (auto const& term : slot.terms) variables.push_back(term.first);
    return make({operation::element, reading(from), static_cast<std::uint32_t>(from), at->second,
                 free_set(std::move(variables)), 0});
}

variable graph::loop(std::uint32_t level, loop_bounds const& bounds) {
    auto const [at, fresh] =
        known_loops_.try_emplace({level, bounds}, variable{static_cast<std::uint32_t>(loops_.size())});
    if (fresh) loops_.push_back({level, bounds});
    return at->second;
}

variable graph::over(node n) const { return variable{op(n) == operation::sum ? at(n).b : at(n).a}; }

bool graph::depends_on(node n, variable on) const {
    auto const variables = free_variables(n);
    return std::binary_search(variables.begin(), variables.end(), on);
}

node graph::sum(variable over, node body) {
    if (is_constant(body, 0)) return body;
    if (op(body) == operation::negate) return negate(sum(over, first(body)));
    auto const& range = bounds(over);
    auto const known = [](std::vector<affine> const& list) { return list.size() == 1 && list[0].is_constant(); };
    if (known(range.lower) && known(range.upper)) {
        auto const low = range.lower[0].constant;
        auto const high = range.upper[0].constant;
        if (high < low) return constant(0);
        auto const count = static_cast<long double>(high) - static_cast<long double>(low) + 1;
        if (!depends_on(body, over)) return multiply(constant(count), body);
        if (high == low) return substitute(body, over, affine(range.lower[0]));
    }
    auto variables = free_in_sum(over, body);
    std::uint32_t lowest = 0;
    for (auto v : variables) lowest = std::max(lowest, level(v) + 1);
    if (level(over) != lowest) {
        auto const moved = loop(lowest, loop_bounds(range));
        return sum(moved, substitute(body, over, to_affine(moved)));
    }
    return made_sum(over, body, free_set(std::move(variables)));
}

node graph::made_sum(variable over, node body, std::uint32_t free) {
    return make({operation::sum, at(body).reads, id(body), static_cast<std::uint32_t>(over), free, at(body).stage + 1});
}

std::vector<variable> graph::free_in_sum(variable over, node body) const {
    std::vector<variable> variables;
    for (auto v : free_variables(body))
        if (v != over) variables.push_back(v);
    auto const& range = bounds(over);
    for (auto const* list : {&range.lower, &range.upper})
        for (auto const& bound : *list)
            for (auto const& term : bound.terms) variables.push_back(term.first);
    return variables;
}

bool graph::fold(operation op, node a, node b, node& result) {
    if (!is_constant(a) || !is_constant(b)) return false;
    auto const value_ = is_unary(op) ? apply(op, value(a)) : apply(op, value(a), value(b));
    if (!std::isfinite(value_) || !fits_double(value_)) return false;
    result = constant(value_);
    return true;
}

node graph::unary(operation op, node a) {
    node folded{};
    return fold(op, a, a, folded) ? folded : simplified_unary(op, a);
}

node graph::binary(operation op, node a, node b) {
    node folded{};
    if (fold(op, a, b, folded)) return folded;
    switch (op) {
    case operation::add: return simplified_add(a, b);
    case operation::subtract: return simplified_subtract(a, b);
    case operation::multiply: return simplified_multiply(a, b);
    case operation::power: return simplified_power(a, b);
    case operation::min:
    case operation::max: return a == b ? a : make(op, a, b);
    default: return make(op, a, b);
    }
}

node graph::divide(node a, node b) {
    if (is_constant(a) && is_constant(b) && value(b) != 0 && fits_double(value(a) / value(b)))
        return constant(value(a) / value(b));
    return multiply(a, invert(b));
}

node graph::simplified_unary(operation op, node a) {
    auto const inner = this->op(a);
    switch (op) {
    case operation::negate: return simplified_negate(a);
    case operation::invert:
        if (inner == operation::invert) return first(a);
        if (inner == operation::negate) return negate(invert(first(a)));
        break;
    case operation::abs:
        if (inner == operation::abs || inner == operation::sqrt || inner == operation::exp || inner == operation::hypot)
            return a;
        if (inner == operation::negate) return unary(op, first(a));
        break;
    case operation::cos:
    case operation::cosh:
        if (inner == operation::negate) return unary(op, first(a));
        break;
    case operation::sin:
    case operation::tan:
    case operation::sinh:
    case operation::tanh:
        if (inner == operation::negate) return negate(unary(op, first(a)));
        break;
    default: break;
    }
    return make(op, a);
}

node graph::simplified_negate(node a) {
    if (op(a) == operation::negate) return first(a);
    if (op(a) == operation::subtract) return subtract(second(a), first(a));
    if (op(a) == operation::multiply && is_constant(first(a))) return multiply(constant(-value(first(a))), second(a));
    return make(operation::negate, a);
}

node graph::simplified_add(node a, node b) {
    if (is_constant(a, 0)) return b;
    if (is_constant(b, 0)) return a;
    if (op(b) == operation::negate) return subtract(a, first(b));
    if (op(a) == operation::negate) return subtract(b, first(a));
    if (has_negative_constant(b)) return subtract(a, constant(-value(b)));
    if (has_negative_constant(a)) return subtract(b, constant(-value(a)));
    if (a == b) return multiply(constant(2), a);
    return make(operation::add, std::min(a, b), std::max(a, b));
}

node graph::simplified_subtract(node a, node b) {
    if (a == b) return constant(0);
    if (is_constant(a, 0)) return negate(b);
    if (is_constant(b, 0)) return a;
    if (op(b) == operation::negate) return add(a, first(b));
    if (has_negative_constant(b)) return add(a, constant(-value(b)));
    if (op(a) == operation::negate) return negate(add(first(a), b));
    return make(operation::subtract, a, b);
}

node graph::simplified_multiply(node a, node b) {
    if (is_constant(b) || (!is_constant(a) && b < a)) std::swap(a, b); // a constant factor comes first
    if (is_constant(a, 0)) return a;
    if (is_constant(a, 1)) return b;
    if (is_constant(a, -1)) return negate(b);
    if (op(a) == operation::negate) return negate(multiply(first(a), b));
    if (op(b) == operation::negate)
        return is_constant(a) ? multiply(constant(-value(a)), first(b)) : negate(multiply(a, first(b)));
    if (is_constant(a) && op(b) == operation::multiply && is_constant(first(b))) {
        auto const product = value(a) * value(first(b));
        if (fits_double(product)) return multiply(constant(product), second(b));
    }
    auto const moderate = [this](node n) {
        return op(n) == operation::multiply && is_constant(first(n)) && std::abs(value(first(n))) < 1e30L &&
               std::abs(value(first(n))) > 1e-30L;
    };
    if (moderate(b)) return multiply(first(b), multiply(a, second(b)));
    if (moderate(a)) return multiply(first(a), multiply(second(a), b));
    return make(operation::multiply, a, b);
}

node graph::whole_power(node a, int exponent) {
    if (exponent == 1) return a;
    if (exponent % 2 == 1) return multiply(a, whole_power(a, exponent - 1));
    auto const half = whole_power(a, exponent / 2);
    return multiply(half, half);
}

node graph::simplified_power(node a, node b) {
    if (!is_constant(b)) return make(operation::power, a, b);
    auto const exponent = value(b);
    if (exponent == 0) return constant(1);
    if (exponent == 0.5L) return unary(operation::sqrt, a);
    if (exponent == -0.5L) return invert(unary(operation::sqrt, a));
    if (std::abs(exponent) <= largest_whole_power && exponent == std::trunc(exponent)) {
        auto const positive = whole_power(a, static_cast<int>(std::abs(exponent)));
        return exponent < 0 ? invert(positive) : positive;
    }
    return make(operation::power, a, b);
}

std::vector<node> graph::needed_by(std::span<node const> roots) const {
    std::vector<node> found;
    std::vector<node> waiting(roots.begin(), roots.end());
    std::vector<bool> seen(roots.empty() ? 0 : id(*std::max_element(roots.begin(), roots.end())) + std::size_t{1});
    while (!waiting.empty()) {
        auto const n = waiting.back();
        waiting.pop_back();
        if (seen[id(n)]) continue;
        seen[id(n)] = true;
        found.push_back(n);
        if (is_unary(op(n)) || is_binary(op(n)) || op(n) == operation::sum) waiting.push_back(first(n));
        if (is_binary(op(n))) waiting.push_back(second(n));
    }
    std::sort(found.begin(), found.end());
    return found;
}

graph graph::part(std::vector<statement>& needed) const {
    std::vector<node> roots;
    roots.reserve(needed.size());
    for (auto const& each : needed) roots.push_back(each.value);
    auto const all = needed_by(roots);
    graph made;
    made.loops_ = loops_;
    made.known_loops_ = known_loops_;
    made.nodes_.reserve(all.size());
    made.known_.reserve(all.size());
    std::vector<node> moved(all.empty() ? 0 : id(all.back()) + std::size_t{1});
    auto const now = [&moved](node n) { return moved[id(n)]; };
    for (auto const n : all) {
        auto& there = moved[id(n)];
        if (is_constant(n)) there = made.constant(value(n));
        else if (op(n) == operation::index) there = made.index(over(n));
        else if (op(n) == operation::element) there = made.element(from(n), slot(n));
        else if (op(n) == operation::sum)
            there = made.made_sum(over(n), now(first(n)), made.free_set(free_sets_[at(n).free]));
        else
            there = is_unary(op(n)) ? made.make(op(n), now(first(n))) : made.make(op(n), now(first(n)), now(second(n)));
    }
    for (auto& each : needed) each.value = now(each.value);
    return made;
}

/// Replaces a variable in a formula, and with it those of the loops inside whose bounds change. A sum is made anew once
/// for each meaning of the variables that it depends on, however deep it is nested and however often it is used.
class graph::replacement {
public:
    replacement(graph& g, variable replaced, affine const& by) : g_(g), now_{{replaced, by}} {}

    node in(node root) {
        if (!changes(root)) return root;
        std::unordered_map<std::uint32_t, node> changed;
        auto const now = [&changed](node n) {
            auto const at = changed.find(id(n));
            return at == changed.end() ? n : at->second;
        };
        for (auto const n : changing_below(root)) {
            auto const op = g_.op(n);
            if (op == operation::index) changed[id(n)] = g_.index(*meaning(g_.over(n)));
            else if (op == operation::element) changed[id(n)] = g_.element(g_.from(n), moved(g_.slot(n)));
            else if (op == operation::sum) changed[id(n)] = sum(n);
            else if (is_unary(op)) changed[id(n)] = g_.unary(op, now(g_.first(n)));
            else changed[id(n)] = g_.binary(op, now(g_.first(n)), now(g_.second(n)));
        }
        return now(root);
    }

private:
    /// What stands for a variable, nothing where it stays: the innermost replacement counts.
    [[nodiscard]] affine const* meaning(variable v) const {
        for (auto each = now_.rbegin(); each != now_.rend(); ++each)
            if (each->first == v) return &each->second;
        return nullptr;
    }
    [[nodiscard]] bool changes(node n) const {
        auto const variables = g_.free_variables(n);
        return std::any_of(variables.begin(), variables.end(), [this](variable v) { return meaning(v) != nullptr; });
    }
    /// The nodes that change below one node, down to the sums, in order of evaluation.
    [[nodiscard]] std::vector<node> changing_below(node root) const {
        std::vector<node> found;
        std::vector<node> waiting{root};
        std::unordered_set<std::uint32_t> seen;
        while (!waiting.empty()) {
            auto const n = waiting.back();
            waiting.pop_back();
            if (!changes(n) || !seen.insert(id(n)).second) continue;
            found.push_back(n);
            if (is_unary(g_.op(n)) || is_binary(g_.op(n))) waiting.push_back(g_.first(n));
            if (is_binary(g_.op(n))) waiting.push_back(g_.second(n));
        }
        std::sort(found.begin(), found.end());
        return found;
    }
    /// All at once: what is put in is not looked at again.
    [[nodiscard]] affine moved(affine const& index) const {
        auto made = to_affine(index.constant);
        for (auto const& [v, factor] : index.terms) {
            auto const* by = meaning(v);
            made += (by == nullptr ? to_affine(v) : *by) * factor;
        }
        return made;
    }
    node sum(node n) {
        std::vector<std::pair<variable, affine>> meanings;
        std::uint32_t lowest = 0;
        for (auto const v : g_.free_variables(n)) {
            auto const* by = meaning(v);
            meanings.emplace_back(v, by == nullptr ? to_affine(v) : *by);
            for (auto const& term : meanings.back().second.terms) lowest = std::max(lowest, g_.level(term.first) + 1);
        }
        auto const known = sums_.find({n, meanings});
        if (known != sums_.end()) return known->second;
        auto const inner = g_.over(n);
        auto range = g_.bounds(inner);
        for (auto* list : {&range.lower, &range.upper})
            for (auto& bound : *list) bound = moved(bound);
        auto const over = g_.loop(lowest, range);
        now_.emplace_back(inner, to_affine(over));
        auto const body = in(g_.first(n));
        now_.pop_back();
        return sums_[{n, std::move(meanings)}] = g_.sum(over, body);
    }

    graph& g_;
    std::vector<std::pair<variable, affine>> now_;
    std::map<std::pair<node, std::vector<std::pair<variable, affine>>>, node> sums_;
};

node graph::substitute(node in, variable replaced, affine const& by) { return replacement(*this, replaced, by).in(in); }

} // namespace lento::expression
