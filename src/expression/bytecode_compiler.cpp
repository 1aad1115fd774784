#include "lento/expression/bytecode.hpp"

#include "expression/first_stores.hpp"
#include "lento/expression/ranges.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace lento::expression {

namespace {

std::uint32_t id(node n) { return static_cast<std::uint32_t>(n); }

} // namespace

/// Translates a schedule, scope by scope.
class bytecode_compiler {
public:
    bytecode_compiler(bytecode& made, graph const& g) : made_(made), g_(g), stores_(g) {}

    void run(schedule const& outputs) {
        made_.extent_ = needed_sizes_of(g_, outputs);
        collect_constants(outputs.top);
        made_.scalar_count_ = static_cast<std::uint32_t>(made_.constants_.size());
        scopes_.emplace_back();
        collect_inputs(outputs.top);
        collect_results(outputs.top, outputs.outputs);
        scalar_scope(outputs.top, made_.main_);
        number_streams();
        made_.zeros_ = stores_.zeros(outputs.outputs);
    }

private:
    using code = bytecode::code;
    using instruction = bytecode::instruction;
    using address = bytecode::address;
    using step_kind = schedule_step::kind;
    static constexpr std::uint32_t stream_mark = 1U << 31U; // vectors that are streams, until all blocks are counted

    struct location {
        bool is_vector = false;
        std::uint32_t at = 0;
    };
    using locations = std::unordered_map<std::uint32_t, location>;

    /// Constants get the first registers; on the way, how often each node is used is counted.
    void collect_constants(schedule_scope const& scope) {
        auto const use = [this](node n) {
            ++uses_[id(n)];
            if (g_.is_constant(n) &&
                constants_.try_emplace(id(n), static_cast<std::uint32_t>(made_.constants_.size())).second)
                made_.constants_.push_back(g_.value(n));
        };
        for (auto const& step : scope.steps) {
            if (step.what == step_kind::loop) continue;
            if (step.what == step_kind::store) {
                use(step.value);
            } else if (step.what == step_kind::accumulate) {
                use(g_.first(step.value));
            } else {
                if (is_unary(g_.op(step.value)) || is_binary(g_.op(step.value))) use(g_.first(step.value));
                if (is_binary(g_.op(step.value))) use(g_.second(step.value));
            }
        }
        for (auto const& child : scope.children) collect_constants(child);
    }

    /// Elements with fixed slots get the next registers, in order, so that they are copied in runs.
    void collect_inputs(schedule_scope const& top) {
        std::vector<std::tuple<source, std::int64_t, node>> elements;
        for (auto const& step : top.steps)
            if (step.what == step_kind::compute && g_.op(step.value) == operation::element)
                elements.emplace_back(g_.from(step.value), g_.slot(step.value).constant, step.value);
        std::sort(elements.begin(), elements.end());
        for (auto const& [from, slot, n] : elements) {
            auto const target = made_.scalar_count_++;
            scopes_.back()[id(n)] = {false, target};
            auto& runs = made_.inputs_;
            if (!runs.empty() && runs.back().from == from && runs.back().slot + runs.back().count == slot)
                ++runs.back().count;
            else runs.push_back({from, target, static_cast<std::uint32_t>(slot), 1});
        }
    }

    /// Without loops every output has one store: values are computed where they go out from, in order, to be copied in
    /// runs. A constant, an input, or a value that goes out a second time still is stored.
    void collect_results(schedule_scope const& top, std::size_t outputs) {
        if (!top.children.empty()) return;
        std::map<std::uint32_t, node> leaving; // by output
        for (auto const& step : top.steps)
            if (step.what == step_kind::store && !g_.is_constant(step.value) &&
                !scopes_.back().contains(id(step.value)))
                leaving.emplace(static_cast<std::uint32_t>(step.target.constant), step.value);
        auto const first = made_.scalar_count_;
        for (auto const& [slot, n] : leaving) {
            if (!results_.try_emplace(id(n), slot).second) continue;
            auto const from = first + slot;
            auto& runs = made_.results_;
            if (!runs.empty() && runs.back().slot + runs.back().count == slot) ++runs.back().count;
            else runs.push_back({from, slot, 1});
        }
        if (!results_.empty()) made_.scalar_count_ += static_cast<std::uint32_t>(outputs);
        first_result_ = first;
    }
    [[nodiscard]] bool is_result(schedule_step const& store) const {
        auto const at = results_.find(id(store.value));
        return at != results_.end() && store.target.is_constant() && at->second == store.target.constant;
    }
    /// The register that a value of scalar code is computed in.
    std::uint32_t target_of(node n) {
        auto const at = results_.find(id(n));
        return at == results_.end() ? made_.scalar_count_++ : first_result_ + at->second;
    }

    [[nodiscard]] location find(node n) const {
        if (g_.is_constant(n)) return {false, constants_.at(id(n))};
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            auto const at = scope->find(id(n));
            if (at != scope->end()) return at->second;
        }
        throw std::logic_error("a formula was compiled in the wrong order.");
    }

    std::uint32_t counter(variable v) {
        return counters_.try_emplace(v, static_cast<std::uint32_t>(counters_.size())).first->second;
    }

    address address_of(source from, affine const& slot, std::optional<variable> innermost = {}) {
        address made{from, slot.constant, innermost ? slot.coefficient(*innermost) : 0, {}};
        for (auto const& [v, factor] : slot.terms) made.terms.emplace_back(counter(v), factor);
        return made;
    }

    std::uint32_t keep(address made) {
        made_.addresses_.push_back(std::move(made));
        return static_cast<std::uint32_t>(made_.addresses_.size() - 1);
    }

    // ------------------------------------------------------------ what can be fused

    /// What the instruction that uses a value computes along with it, when that is in the same scope: products of
    /// additions, and negations that only a store or a sum uses. An instruction costs more than its arithmetic, so in
    /// scalar code two additions may share a product, and there is more that is fused.
    void find_fused(schedule_scope const& scope, bool scalar) {
        std::unordered_set<std::uint32_t> here;
        std::unordered_map<std::uint32_t, std::uint32_t> added; // how many additions use a value
        for (auto const& step : scope.steps) {
            if (step.what == step_kind::compute) here.insert(id(step.value));
            if (step.what == step_kind::store && !is_result(step)) fuse(here, step.value, operation::negate);
            if (step.what == step_kind::accumulate) fuse(here, g_.first(step.value), operation::negate);
            if (!adds(step)) continue;
            ++added[id(g_.first(step.value))];
            ++added[id(g_.second(step.value))];
        }
        for (auto const& step : scope.steps) {
            if (!adds(step)) continue;
            for (auto const n : {g_.second(step.value), g_.first(step.value)}) {
                bool const shared = scalar && uses_[id(n)] == 2 && added[id(n)] == 2;
                bool const fused = fuse(here, n, operation::multiply, shared ? 2 : 1);
                if (fused && !scalar) break; // one product only
            }
        }
        if (scalar)
            for (auto const& step : scope.steps)
                if (step.what == step_kind::compute) fuse_factors(here, step.value);
    }

    /// Products of three factors, and roots that something is divided by.
    void fuse_factors(std::unordered_set<std::uint32_t> const& here, node n) {
        auto const op = g_.op(n);
        if (op == operation::invert) fuse(here, g_.first(n), operation::sqrt);
        if (op == operation::divide) fuse(here, g_.second(n), operation::sqrt);
        if (op != operation::multiply || is_fused(n)) return;
        for (auto const factor : {g_.second(n), g_.first(n)})
            if (!of_three_.contains(id(factor)) && !is_fused(factor) && fuse(here, factor, operation::multiply)) {
                of_three_.insert(id(n));
                return;
            }
    }

    [[nodiscard]] bool adds(schedule_step const& step) const {
        return step.what == step_kind::compute &&
               (g_.op(step.value) == operation::add || g_.op(step.value) == operation::subtract);
    }
    bool fuse(std::unordered_set<std::uint32_t> const& here, node n, operation op, std::uint32_t uses = 1) {
        if (g_.op(n) != op || uses_[id(n)] != uses || !here.contains(id(n))) return false;
        fused_.insert(id(n));
        return true;
    }
    [[nodiscard]] bool is_fused(node n) const { return fused_.contains(id(n)); }

    /// An instruction for a unary or binary node, without its destination; operands are found by `find`.
    instruction arithmetic(node n) const {
        auto const op = g_.op(n);
        auto const a = g_.first(n);
        if (is_unary(op)) return is_fused(a) ? made_of(code::invert_root, {g_.first(a)}) : made_of(op, {a});
        auto const b = g_.second(n);
        if (!is_fused(a) && !is_fused(b)) return made_of(op, {a, b});
        if (op == operation::divide) return made_of(code::divide_by_root, {a, g_.first(b)});
        if (is_fused(a) && is_fused(b))
            return made_of(op == operation::add ? code::add_products : code::subtract_products,
                           {g_.first(a), g_.second(a), g_.first(b), g_.second(b)});
        auto const product = is_fused(b) ? b : a;
        auto const fused_op = op == operation::multiply ? code::multiply_three
                              : op == operation::add    ? code::multiply_add
                              : is_fused(b)             ? code::subtract_product
                                                        : code::multiply_subtract;
        return made_of(fused_op, {g_.first(product), g_.second(product), is_fused(b) ? a : b});
    }

    template <class Code> instruction made_of(Code op, std::initializer_list<node> operands) const {
        instruction made;
        made.op = static_cast<std::uint16_t>(op);
        std::array<std::uint32_t*, 4> const places{&made.a, &made.b, &made.c, &made.e};
        std::uint16_t flag = bytecode::scalar_a;
        std::size_t at = 0;
        for (auto const n : operands) {
            set(*places[at++], made.mode, flag, find(n));
            flag = static_cast<std::uint16_t>(flag << 1U);
        }
        return made;
    }

    static void set(std::uint32_t& operand, std::uint16_t& mode, std::uint16_t flag, location const& where) {
        operand = where.at;
        if (!where.is_vector) mode = static_cast<std::uint16_t>(mode | flag);
    }

    /// A store or an accumulation of a node or of its negative.
    instruction consuming(node value, code plain, code negative) const {
        instruction made;
        made.op = static_cast<std::uint16_t>(is_fused(value) ? negative : plain);
        set(made.a, made.mode, bytecode::scalar_a, find(is_fused(value) ? g_.first(value) : value));
        return made;
    }

    // ------------------------------------------------------------ scalar code

    void scalar_scope(schedule_scope const& scope, std::vector<instruction>& into) {
        find_fused(scope, true);
        std::vector<node> before_loop;
        pending_.emplace_back();
        for (auto const& step : scope.steps) {
            if (step.what == step_kind::compute) {
                before_loop.push_back(step.value);
                pending_.back().insert(id(step.value));
            }
            if (step.what == step_kind::loop) {
                for (auto n : before_loop) scalar_tree(scope, n, into);
                before_loop.clear();
                scalar_loop(scope.children[step.child], into);
            }
            if (step.what == step_kind::accumulate) {
                scalar_tree(scope, g_.first(step.value), into);
                auto made = consuming(g_.first(step.value), code::accumulate, code::accumulate_negative);
                made.d = find(step.value).at;
                into.push_back(made);
            }
            if (step.what == step_kind::store) {
                scalar_tree(scope, step.value, into);
                auto const store = scalar_store(step, !scope.loop);
                if (!is_result(step)) into.push_back(store);
            }
        }
        pending_.pop_back();
        instruction end;
        end.op = static_cast<std::uint16_t>(code::end);
        into.push_back(end);
    }

    /// A node after the nodes it needs, the last made of them (on the longest path, as a rule) directly before it: the
    /// machine hands a result on to the next instruction faster than through memory.
    void scalar_tree(schedule_scope const& scope, node root, std::vector<instruction>& into) {
        std::vector<std::pair<node, bool>> waiting{{root, false}};
        while (!waiting.empty()) {
            auto const [n, ready] = waiting.back();
            waiting.pop_back();
            if (!pending_.back().contains(id(n))) continue;
            if (ready) {
                scalar_value(scope, n, into);
                pending_.back().erase(id(n));
                continue;
            }
            waiting.emplace_back(n, true);
            if (is_unary(g_.op(n))) waiting.emplace_back(g_.first(n), false);
            if (!is_binary(g_.op(n))) continue;
            waiting.emplace_back(std::max(g_.first(n), g_.second(n)), false);
            waiting.emplace_back(std::min(g_.first(n), g_.second(n)), false);
        }
    }

    instruction scalar_store(schedule_step const& step, bool once) {
        auto const first = stores_.assigns(step.target, once);
        if (!step.target.is_constant()) {
            auto made = consuming(step.value, code::store, code::store_negative);
            made.d = keep(address_of(source::position, step.target));
            return made;
        }
        auto made = first ? consuming(step.value, code::assign_fixed, code::assign_fixed_negative)
                          : consuming(step.value, code::store_fixed, code::store_fixed_negative);
        made.d = static_cast<std::uint32_t>(step.target.constant);
        return made;
    }

    void scalar_value(schedule_scope const& scope, node n, std::vector<instruction>& into) {
        if (is_fused(n)) return;
        if (!scope.loop && g_.op(n) == operation::element) return; // an input
        auto const target = target_of(n);
        instruction made;
        if (g_.op(n) == operation::element) {
            made.op = static_cast<std::uint16_t>(code::load);
            made.a = keep(address_of(g_.from(n), g_.slot(n)));
        } else if (g_.op(n) == operation::index) {
            made.op = static_cast<std::uint16_t>(code::index);
            made.a = counter(g_.over(n));
        } else {
            made = arithmetic(n);
        }
        made.d = target;
        into.push_back(made);
        scopes_.back()[id(n)] = {false, target};
    }

    void scalar_loop(schedule_scope const& child, std::vector<instruction>& into) {
        for (auto const& step : child.steps) {
            if (step.what != step_kind::accumulate) continue;
            instruction clear;
            clear.op = static_cast<std::uint16_t>(code::clear);
            clear.d = made_.scalar_count_++;
            into.push_back(clear);
            scopes_.back()[id(step.value)] = {false, clear.d};
        }
        bytecode::loop made;
        made.counter = counter(*child.loop);
        made.innermost = child.children.empty();
        auto const& bounds = g_.bounds(*child.loop);
        for (auto const& bound : bounds.lower) made.lower.push_back(address_of(source::position, bound));
        for (auto const& bound : bounds.upper) made.upper.push_back(address_of(source::position, bound));
        auto const at_top = scopes_.size() == 1;
        scopes_.emplace_back();
        if (made.innermost) block_scope(child, made, at_top);
        else scalar_scope(child, made.body);
        scopes_.pop_back();
        instruction call;
        call.op = static_cast<std::uint16_t>(code::loop);
        call.a = static_cast<std::uint32_t>(made_.loops_.size());
        into.push_back(call);
        made_.loops_.push_back(std::move(made));
        made_.counter_count_ = static_cast<std::uint32_t>(counters_.size());
    }

    // ------------------------------------------------------------ blocks

    void block_scope(schedule_scope const& scope, bytecode::loop& into, bool at_top) {
        find_fused(scope, false);
        auto const v = *scope.loop;
        std::uint32_t next = 0;
        for (auto const& step : scope.steps) {
            if (step.what == step_kind::compute) block_value(step.value, v, into, next);
            if (step.what == step_kind::accumulate) {
                auto made = consuming(g_.first(step.value), code::accumulate, code::accumulate_negative);
                made.d = find(step.value).at;
                into.body.push_back(made);
            }
            if (step.what == step_kind::store) {
                auto const first = stores_.assigns(step.target, at_top && step.target.coefficient(v) == 1);
                auto made = first ? consuming(step.value, code::assign, code::assign_negative)
                                  : consuming(step.value, code::store, code::store_negative);
                made.d = keep(address_of(source::position, step.target, v));
                into.body.push_back(made);
            }
        }
        share_blocks(into.body, next);
    }

    void block_value(node n, variable v, bytecode::loop& into, std::uint32_t& next) {
        if (is_fused(n)) return;
        instruction made;
        if (g_.op(n) == operation::element) {
            auto where = address_of(g_.from(n), g_.slot(n), v);
            if (where.stride == 1) {
                auto const stream = stream_mark | made_.stream_count_++;
                into.streams.push_back({stream, keep(std::move(where))});
                scopes_.back()[id(n)] = {true, stream};
                return;
            }
            made.op = static_cast<std::uint16_t>(code::load);
            made.a = keep(std::move(where));
        } else if (g_.op(n) == operation::index) {
            made.op = static_cast<std::uint16_t>(code::index);
            made.a = counter(v);
        } else {
            made = arithmetic(n);
        }
        made.d = next++;
        into.body.push_back(made);
        scopes_.back()[id(n)] = {true, made.d};
    }

    static bool writes_vector(instruction const& i) { return i.op <= static_cast<std::uint16_t>(code::index); }
    static bool reads_vectors(instruction const& i) {
        return i.op != static_cast<std::uint16_t>(code::load) && i.op != static_cast<std::uint16_t>(code::index);
    }
    template <class Visit> static void each_vector_operand(instruction& i, Visit&& visit) {
        if (!reads_vectors(i)) return;
        auto const is_own = i.op > static_cast<std::uint16_t>(code::first_own);
        auto const is_product = is_own && i.op < static_cast<std::uint16_t>(code::load);
        if ((i.mode & bytecode::scalar_a) == 0) visit(i.a);
        if ((is_product || (!is_own && is_binary(static_cast<operation>(i.op)))) && (i.mode & bytecode::scalar_b) == 0)
            visit(i.b);
        if (is_product && (i.mode & bytecode::scalar_c) == 0) visit(i.c);
    }

    /// Lets values share blocks when they do not live at the same time, so that a loop's blocks stay in the cache.
    void share_blocks(std::vector<instruction>& body, std::uint32_t count) {
        std::vector<std::size_t> last(count, 0);
        for (std::size_t i = 0; i < body.size(); ++i)
            each_vector_operand(body[i], [&](std::uint32_t operand) {
                if ((operand & stream_mark) == 0) last[operand] = i;
            });
        std::vector<std::uint32_t> place(count, 0);
        std::vector<std::uint32_t> free;
        std::uint32_t used = 0;
        for (std::size_t i = 0; i < body.size(); ++i) {
            auto const target = body[i].d;
            if (writes_vector(body[i])) {
                if (free.empty()) free.push_back(used++);
                place[target] = free.back(); // taken before operands are given back: no operation works in place
                free.pop_back();
                body[i].d = place[target];
            }
            std::set<std::uint32_t> ending;
            each_vector_operand(body[i], [&](std::uint32_t& operand) {
                if ((operand & stream_mark) != 0) return;
                if (last[operand] == i) ending.insert(place[operand]);
                operand = place[operand];
            });
            free.insert(free.end(), ending.begin(), ending.end());
        }
        made_.block_count_ = std::max(made_.block_count_, used);
    }

    void number_streams() {
        auto const number = [this](std::uint32_t& operand) {
            if ((operand & stream_mark) != 0) operand = (operand & ~stream_mark) + made_.block_count_;
        };
        for (auto& loop : made_.loops_) {
            if (!loop.innermost) continue;
            for (auto& i : loop.body) each_vector_operand(i, number);
            for (auto& stream : loop.streams) number(stream.vector);
        }
    }

    bytecode& made_;
    graph const& g_;
    std::unordered_map<std::uint32_t, std::uint32_t> constants_;
    std::unordered_map<std::uint32_t, std::uint32_t> uses_;
    std::unordered_set<std::uint32_t> fused_;
    std::unordered_set<std::uint32_t> of_three_; // products with a product among their factors, in one instruction
    std::unordered_map<std::uint32_t, std::uint32_t> results_; // values that are computed where they go out from
    std::uint32_t first_result_ = 0;
    std::vector<locations> scopes_;
    std::vector<std::unordered_set<std::uint32_t>> pending_; // of each scope: nodes to be computed
    std::map<variable, std::uint32_t> counters_;
    first_stores stores_;
};

bytecode::bytecode(graph const& g, schedule const& outputs) { bytecode_compiler(*this, g).run(outputs); }

std::size_t bytecode::instruction_count() const {
    auto total = main_.size();
    for (auto const& loop : loops_) total += loop.body.size();
    return total;
}

std::unique_ptr<engine> compile_bytecode(graph const& g, schedule const& outputs) {
    return std::make_unique<bytecode>(g, outputs);
}

} // namespace lento::expression
