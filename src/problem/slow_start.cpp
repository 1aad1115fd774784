#include "problem/slow_start.hpp"

#include "problem/methods/springs.hpp"

namespace lento::detail {

problem from_slow_point(problem const& what, statistics& counts) {
    problem made = what;
    on_stiff(what, std::nullopt, engine_kind::bytecode, [&](auto const& system) {
        auto const found =
            project(system, published_manifold(what, system.frequencies()), {what.position, what.velocity}, what.start);
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
