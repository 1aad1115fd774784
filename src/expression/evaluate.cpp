#include "lento/expression/evaluate.hpp"

#include "lento/expression/arithmetic.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace lento::expression {

namespace {

template <class T> class evaluator {
public:
    evaluator(graph const& g, inputs<T> const& from) : g_(g), from_(from) {}

    T value(node n) {
        auto& plan = plan_of(n);
        for (std::size_t i = 0; i < plan.nodes.size(); ++i) plan.values[i] = value_in(plan, i);
        return plan.values.back();
    }

    void run(schedule_scope const& scope, std::span<T> out) {
        for (auto const& step : scope.steps) {
            if (step.what == schedule_step::kind::store)
                out[static_cast<std::size_t>(index(step.target))] += value(step.value);
            if (step.what != schedule_step::kind::loop) continue;
            auto const& child = scope.children[step.child];
            for_each_index(*child.loop, [&] { run(child, out); });
        }
    }

private:
    /// The nodes below one node down to the sums, in order of evaluation.
    struct plan {
        std::vector<node> nodes;
        std::vector<T> values;
        std::unordered_map<std::uint32_t, std::size_t> place;
    };

    plan& plan_of(node root) {
        auto& made = plans_[root];
        if (!made.nodes.empty()) return made;
        std::vector<node> waiting{root};
        while (!waiting.empty()) {
            auto const n = waiting.back();
            waiting.pop_back();
            if (!made.place.try_emplace(static_cast<std::uint32_t>(n)).second) continue;
            made.nodes.push_back(n);
            if (is_unary(g_.op(n)) || is_binary(g_.op(n))) waiting.push_back(g_.first(n));
            if (is_binary(g_.op(n))) waiting.push_back(g_.second(n));
        }
        std::sort(made.nodes.begin(), made.nodes.end());
        for (std::size_t i = 0; i < made.nodes.size(); ++i) made.place[static_cast<std::uint32_t>(made.nodes[i])] = i;
        made.values.resize(made.nodes.size());
        return made;
    }

    T value_in(plan const& within, std::size_t at) {
        auto const n = within.nodes[at];
        auto const operand = [&within](node m) {
            return within.values[within.place.at(static_cast<std::uint32_t>(m))];
        };
        auto const op = g_.op(n);
        if (op == operation::constant) return static_cast<T>(g_.value(n));
        if (op == operation::index) return static_cast<T>(indices_[g_.over(n)]);
        if (op == operation::element) return element(g_.from(n), static_cast<std::size_t>(index(g_.slot(n))));
        if (op == operation::sum) {
            T total = 0;
            for_each_index(g_.over(n), [&] { total += value(g_.first(n)); });
            return total;
        }
        if (is_unary(op)) return apply(op, operand(g_.first(n)));
        return apply(op, operand(g_.first(n)), operand(g_.second(n)));
    }

    T element(source from, std::size_t slot) const {
        switch (from) {
        case source::position: return from_.position[slot];
        case source::velocity: return from_.velocity[slot];
        case source::phase: return from_.phase[slot];
        case source::direction: return from_.direction[slot];
        case source::parameter: return from_.parameter[slot];
        default: return from_.time;
        }
    }

    [[nodiscard]] std::int64_t index(affine const& of) const {
        auto total = of.constant;
        for (auto const& [v, factor] : of.terms) total += factor * indices_.at(v);
        return total;
    }

    template <class Body> void for_each_index(variable v, Body&& body) {
        auto const& bounds = g_.bounds(v);
        auto low = index(bounds.lower[0]);
        auto high = index(bounds.upper[0]);
        for (auto const& bound : bounds.lower) low = std::max(low, index(bound));
        for (auto const& bound : bounds.upper) high = std::min(high, index(bound));
        auto const known = indices_.find(v);
        auto const before =
            known == indices_.end() ? 0 : known->second; // an inner sum may use the variable of an outer one
        for (auto i = low; i <= high; ++i) {
            indices_[v] = i;
            body();
        }
        indices_[v] = before;
    }

    graph const& g_;
    inputs<T> const& from_;
    std::map<variable, std::int64_t> indices_;
    std::map<node, plan> plans_;
};

} // namespace

template <class T> T evaluate(graph const& g, node n, inputs<T> const& from) { return evaluator<T>(g, from).value(n); }

template <class T> void evaluate(graph const& g, schedule const& outputs, inputs<T> const& from, std::span<T> out) {
    std::fill(out.begin(), out.end(), T(0));
    evaluator<T>(g, from).run(outputs.top, out);
}

template double evaluate(graph const&, node, inputs<double> const&);
template long double evaluate(graph const&, node, inputs<long double> const&);
template void evaluate(graph const&, schedule const&, inputs<double> const&, std::span<double>);
template void evaluate(graph const&, schedule const&, inputs<long double> const&, std::span<long double>);

} // namespace lento::expression
