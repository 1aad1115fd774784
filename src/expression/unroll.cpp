#include "lento/expression/schedule.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace lento::expression {

namespace {

/// Writes loops out until too many copies have been made.
class unroller {
public:
    unroller(graph& g, std::size_t most_copies) : g_(g), left_(most_copies) {}

    /// False when the copies were too many: what has been made is then worthless.
    [[nodiscard]] bool succeeded() const { return left_ > 0; }

    void write_out(statement const& what, std::vector<statement>& into) {
        if (what.loops.empty()) {
            into.push_back({{}, what.target, value(what.value)});
            return;
        }
        for_each_index(what.loops.front(), [&](std::int64_t i) { write_out(at(what, i), into); });
    }

private:
    template <class Body> void for_each_index(variable v, Body&& body) {
        auto const bounds = g_.bounds(v); // a copy: the body makes new loops
        auto const less = [](affine const& a, affine const& b) { return a.constant < b.constant; };
        auto const low = std::max_element(bounds.lower.begin(), bounds.lower.end(), less)->constant;
        auto const high = std::min_element(bounds.upper.begin(), bounds.upper.end(), less)->constant;
        for (auto i = low; i <= high && succeeded(); ++i) {
            --left_;
            if (succeeded()) body(i);
        }
    }

    /// A statement with its outermost variable fixed; the variables of its other loops may change with their bounds.
    statement at(statement const& what, std::int64_t i) {
        std::vector<std::pair<variable, affine>> replaced{{what.loops.front(), to_affine(i)}};
        statement made{{}, what.target, what.value};
        for (auto loop = what.loops.begin() + 1; loop != what.loops.end(); ++loop) {
            auto bounds = g_.bounds(*loop);
            for (auto* list : {&bounds.lower, &bounds.upper})
                for (auto& bound : *list)
                    for (auto const& [v, by] : replaced) bound = bound.with(v, by);
            made.loops.push_back(g_.loop(g_.level(*loop), bounds));
            if (made.loops.back() != *loop) replaced.emplace_back(*loop, to_affine(made.loops.back()));
        }
        for (auto const& [v, by] : replaced) {
            made.target = made.target.with(v, by);
            made.value = g_.substitute(made.value, v, by);
        }
        return made;
    }

    /// A formula without free indices, its sums written out: outer ones first, whose index then is a number in inner
    /// bounds.
    node value(node root) {
        std::unordered_map<std::uint32_t, node> made;
        auto const now = [&made](node n) { return made.at(static_cast<std::uint32_t>(n)); };
        for (auto n : below(root)) {
            auto result = n;
            if (g_.op(n) == operation::sum) result = sum(n);
            else if (is_unary(g_.op(n))) result = g_.unary(g_.op(n), now(g_.first(n)));
            else if (is_binary(g_.op(n))) result = g_.binary(g_.op(n), now(g_.first(n)), now(g_.second(n)));
            made[static_cast<std::uint32_t>(n)] = result;
        }
        return now(root);
    }

    node sum(node n) {
        auto total = g_.constant(0);
        auto const body = g_.first(n);
        auto const v = g_.over(n);
        for_each_index(v, [&](std::int64_t i) { total = g_.add(total, value(g_.substitute(body, v, to_affine(i)))); });
        return total;
    }

    /// The nodes below one node down to the sums, in order of evaluation.
    [[nodiscard]] std::vector<node> below(node root) const {
        std::vector<node> found;
        std::vector<node> waiting{root};
        std::unordered_map<std::uint32_t, bool> seen;
        while (!waiting.empty()) {
            auto const n = waiting.back();
            waiting.pop_back();
            if (std::exchange(seen[static_cast<std::uint32_t>(n)], true)) continue;
            found.push_back(n);
            if (is_unary(g_.op(n)) || is_binary(g_.op(n))) waiting.push_back(g_.first(n));
            if (is_binary(g_.op(n))) waiting.push_back(g_.second(n));
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    graph& g_;
    std::size_t left_;
};

} // namespace

std::vector<statement> unroll_short_loops(graph& g, std::vector<statement> const& statements, std::size_t most_copies) {
    std::vector<statement> result;
    unroller writer(g, most_copies + 1);
    for (auto const& s : statements) {
        writer.write_out(s, result);
        if (!writer.succeeded()) return statements;
    }
    return result;
}

} // namespace lento::expression
