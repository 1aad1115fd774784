#include "lento/expression/formula.hpp"

#include <algorithm>

#include "lento/expression/schedule.hpp"

#include <lento/expression/compiled_formula.hpp>

namespace lento::expression {

bool formula::uses(source from) const {
    if (is_foreign()) return std::find(reads_.begin(), reads_.end(), from) != reads_.end();
    std::vector<node> roots;
    roots.reserve(statements().size());
    for (auto const& each : statements()) roots.push_back(each.value);
    auto const needed = graph_->needed_by(roots);
    return std::any_of(needed.begin(), needed.end(),
                       [&](node each) { return graph_->op(each) == operation::element && graph_->from(each) == from; });
}

compiled_formula formula::compile(engine_kind with) const {
    if (is_foreign()) return {code_};
    auto mine = statements();
    auto own = graph_->part(mine); // writing loops out and ordering make nodes
    mine = unroll_short_loops(own, mine);
    return {expression::compile(own, make_schedule(own, mine, outputs_), with)};
}

} // namespace lento::expression
