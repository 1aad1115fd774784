#include "problem/slow_start.hpp"

#include "problem/methods/springs.hpp"

namespace lento::detail {

problem from_slow_point(problem const& what, statistics& counts) {
    auto const& kind = *what.as<stiff_kind>();
    problem made = what;
    by_velocity(kind.slow_force.uses(expression::source::velocity), [&](auto velocity) {
        auto const found = project(formula_stiff<velocity>(what, kind, engine_kind::bytecode),
                                   published_manifold(what, kind), {what.position, what.velocity}, what.start);
        if (!found) throw does_not_apply(found.failed.message, found.failed.result);
        made.position = found.x.position;
        made.velocity = found.x.velocity;
        counts += found.statistics;
        return true;
    });
    // constraints in the place of the springs are a little farther
    made.project = start_projection::constraints;
    return made;
}

} // namespace lento::detail
