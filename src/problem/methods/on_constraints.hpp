#pragma once

#include <utility>

#include <lento/problem/method.hpp>
#include <lento/problem/problem.hpp>
#include <lento/solve/any_system.hpp>
#include <lento/system/newton.hpp>

namespace lento::detail {

/// A problem's start on its constraints, for motions that nothing keeps there; put there where the problem says so.
template <class System> [[nodiscard]] any_motion start_on_constraints(problem const& what, System const& system) {
    auto work = system.work();
    auto at = system.constraints().start();
    auto room = make_newton_room(system);
    any_motion start{what.position, what.velocity};
    bool const put_there = what.project == start_projection::constraints;
    auto const failed = on_constraints(system, what.start, start, put_there, at, room, system.constraint_work(work));
    if (failed.happened()) throw does_not_apply(failed.message, failed.result);
    return start;
}

} // namespace lento::detail
