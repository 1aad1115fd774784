#include "lento/expression/schedule.hpp"

#include "lento/expression/ranges.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>

namespace lento::expression {

namespace {

/// A scope while it is being filled.
struct growing_scope {
    std::optional<variable> loop;
    growing_scope* parent = nullptr;
    std::set<std::pair<std::uint32_t, node>> values; // by stage, then in order of evaluation
    std::vector<node> sums;
    std::vector<statement> stores;
    /// Loops by stage, variable, and class of targets (see `place`).
    std::map<std::tuple<std::uint32_t, variable, std::uint32_t>, std::unique_ptr<growing_scope>> children;

    growing_scope& child(std::uint32_t stage, variable over, std::uint32_t target_class) {
        auto& made = children[{stage, over, target_class}];
        if (!made) {
            made = std::make_unique<growing_scope>();
            made->loop = over;
            made->parent = this;
        }
        return *made;
    }
};

class scheduler {
public:
    explicit scheduler(graph const& g) : g_(g) {}

    schedule_scope run(std::vector<statement> const& statements) {
        growing_scope top;
        place(statements, 0, top);
        return finished(top);
    }

private:
    /// Stores of one block of indices happen statement by statement. That leaves the order of additions to each output
    /// as it is index by index only if targets differ by a constant: other targets form another class and get their own
    /// loop.
    void place(std::vector<statement> const& statements, std::size_t depth, growing_scope& here) {
        std::map<variable, std::vector<statement>> groups;
        for (auto const& s : statements) {
            if (s.loops.size() == depth) here.stores.push_back(s);
            else groups[s.loops[depth]].push_back(s);
        }
        for (auto const& s : here.stores) need(s.value, here);
        for (auto const& [over, group] : groups) {
            std::uint32_t stage = 0;
            for (auto const& s : group) stage = std::max(stage, g_.stage(s.value));
            auto const deeper = std::any_of(group.begin(), group.end(),
                                            [depth](statement const& s) { return s.loops.size() > depth + 1; });
            std::map<std::vector<std::pair<variable, std::int64_t>>, std::vector<statement>> classes;
            for (auto const& s : group) classes[deeper ? decltype(s.target.terms){} : s.target.terms].push_back(s);
            std::uint32_t number = 0;
            for (auto const& entry : classes) place(entry.second, depth + 1, here.child(stage, over, number++));
        }
        if (here.loop) order_stores(here);
    }

    /// The target that meets an output first, as the loop runs, comes first.
    void order_stores(growing_scope& here) const {
        std::stable_sort(here.stores.begin(), here.stores.end(), [&here](statement const& a, statement const& b) {
            auto const forward = a.target.coefficient(*here.loop) >= 0;
            return forward ? a.target.constant > b.target.constant : a.target.constant < b.target.constant;
        });
    }

    void need(node wanted, growing_scope& where) {
        std::vector<std::pair<node, growing_scope*>> waiting{{wanted, &where}};
        while (!waiting.empty()) {
            auto [n, scope] = waiting.back();
            waiting.pop_back();
            if (g_.is_constant(n)) continue;
            while (scope->loop && !g_.depends_on(n, *scope->loop)) scope = scope->parent;
            if (!scope->values.emplace(g_.stage(n), n).second) continue;
            if (g_.op(n) == operation::sum) {
                auto& loop = scope->child(g_.stage(g_.first(n)), g_.over(n), 0);
                loop.sums.push_back(n);
                waiting.emplace_back(g_.first(n), &loop);
                continue;
            }
            if (is_unary(g_.op(n)) || is_binary(g_.op(n))) waiting.emplace_back(g_.first(n), scope);
            if (is_binary(g_.op(n))) waiting.emplace_back(g_.second(n), scope);
        }
    }

    schedule_scope finished(growing_scope const& from) {
        schedule_scope result;
        result.loop = from.loop;
        auto value = from.values.begin();
        auto const compute_until = [&](std::uint32_t stage) {
            for (; value != from.values.end() && value->first <= stage; ++value)
                if (g_.op(value->second) != operation::sum)
                    result.steps.push_back({schedule_step::kind::compute, value->second});
        };
        for (auto const& [key, child] : from.children) {
            compute_until(std::get<0>(key));
            result.steps.push_back({schedule_step::kind::loop, {}, static_cast<std::uint32_t>(result.children.size())});
            result.children.push_back(finished(*child));
        }
        compute_until(~std::uint32_t{0});
        for (auto n : from.sums) result.steps.push_back({schedule_step::kind::accumulate, n});
        for (auto const& s : from.stores) result.steps.push_back({schedule_step::kind::store, s.value, 0, s.target});
        return result;
    }

    graph const& g_;
};

/// Products a*inv(b) whose inverse nothing else needs, in the loops that the product is in, become quotients: they
/// take one operation and one rounding less.
class quotient_maker {
public:
    quotient_maker(graph& g, std::vector<statement> const& statements) : g_(g) {
        std::vector<node> roots;
        roots.reserve(statements.size());
        for (auto const& s : statements) roots.push_back(s.value);
        auto const needed = g_.needed_by(roots);
        for (auto const n : needed) {
            auto const two = is_binary(g_.op(n));
            if (two || is_unary(g_.op(n)) || g_.op(n) == operation::sum) ++uses_[g_.first(n)];
            if (two) ++uses_[g_.second(n)];
        }
        for (auto const n : roots) ++uses_[n];
        for (auto const n : needed)
            if (auto const made = remade(n); made != n) changed_[n] = made;
    }
    [[nodiscard]] node now(node n) const {
        auto const at = changed_.find(n);
        return at == changed_.end() ? n : at->second;
    }

private:
    node remade(node n) {
        auto const op = g_.op(n);
        if (op == operation::multiply) {
            auto const a = g_.first(n), b = g_.second(n);
            if (goes(b, n)) return g_.quotient(now(a), now(g_.first(b)));
            if (goes(a, n)) return g_.quotient(now(b), now(g_.first(a)));
        }
        if (op == operation::sum && now(g_.first(n)) != g_.first(n)) return g_.sum(g_.over(n), now(g_.first(n)));
        if (is_unary(op) && now(g_.first(n)) != g_.first(n)) return g_.unary(op, now(g_.first(n)));
        if (is_binary(op) && (now(g_.first(n)) != g_.first(n) || now(g_.second(n)) != g_.second(n)))
            return g_.binary(op, now(g_.first(n)), now(g_.second(n)));
        return n;
    }
    [[nodiscard]] bool goes(node inverse, node product) const {
        return g_.op(inverse) == operation::invert && uses_.at(inverse) == 1 &&
               std::ranges::equal(g_.free_variables(inverse), g_.free_variables(product));
    }

    graph& g_;
    std::unordered_map<node, std::size_t> uses_;
    std::unordered_map<node, node> changed_;
};

double effort_in(graph const& g, schedule_scope const& scope) {
    double total = 0;
    for (auto const& step : scope.steps) {
        if (step.what != schedule_step::kind::loop) {
            total +=
                step.what == schedule_step::kind::compute && step.value != node{} && is_unary(g.op(step.value)) ? 4 : 1;
            continue;
        }
        auto const& child = scope.children[step.child];
        auto const& bounds = g.bounds(*child.loop);
        auto const low = static_cast<double>(smallest(bounds.lower.front(), ranges_of(g, bounds.lower.front())));
        auto const high = static_cast<double>(largest(bounds.upper.front(), ranges_of(g, bounds.upper.front())));
        total += std::max(high - low + 1, 0.) * effort_in(g, child);
    }
    return total;
}

} // namespace

double effort(graph const& g, schedule const& of) { return effort_in(g, of.top); }

schedule make_schedule(graph& g, std::vector<statement> const& statements, std::size_t outputs) {
    std::map<std::pair<std::vector<variable>, affine>, node> merged;
    for (auto const& s : statements) {
        auto const known = ranges_of(g, s.target);
        if (smallest(s.target, known) < 0 || largest(s.target, known) >= static_cast<std::int64_t>(outputs))
            throw std::invalid_argument("a statement reaches the output " + std::to_string(largest(s.target, known)) +
                                        ", but there are " + std::to_string(outputs) + " outputs.");
        auto const [at, fresh] = merged.try_emplace({s.loops, s.target}, s.value);
        if (!fresh) at->second = g.add(at->second, s.value);
    }
    std::vector<statement> once;
    for (auto const& [key, value] : merged)
        if (!g.is_constant(value, 0)) once.push_back({key.first, key.second, value});
    quotient_maker const quotients(g, once);
    for (auto& s : once) s.value = quotients.now(s.value);
    return {scheduler(g).run(once), outputs};
}

} // namespace lento::expression
