#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include <lento/effective/limit.hpp>
#include <lento/stepper/runge_kutta.hpp>

namespace lento {

/// What the orders of the limit are worth along a motion: how far the springs' loads displace it, and by what share the
/// next order changes their forces, at the most.
struct limit_estimate {
    double displacement = 0;
    double share = 0;
    failure failed{};
    statistics counts{}; ///< of the look
    /// About what an order is off by after a few units of the slow time.
    [[nodiscard]] double error(int order) const { return 6 * displacement * std::pow(share, order); }
};

/// Looks at the loads along the first steps of the constrained motion, at most 64, a few hundred forces: a start alone
/// may happen to be without load.
template <springs_apart System> [[nodiscard]] limit_estimate
estimate_limit(System const& system, state_of<System> const& start, double t, double span) {
    using T = scalar_of<System>;
    constexpr int most = 64;
    loaded_motion<System> const loaded(system, 1);
    auto seen = loaded.work();
    auto const force = [&](T then, auto& at) { system.slow_acceleration(then, at.q, at.v, at.force, seen.inner); };
    limit_estimate made;
    if (!loaded.plan(T(t), start, force, seen)) return {0, 0, seen.inner.springs.failed, {}};
    double const longest = span / 8;
    double const step = seen.spacing.pace > 0 ? std::min(longest, 0.4 / seen.spacing.pace) : longest;

    auto const rigid = effective(system, limit{.order = 0});
    auto work = rigid.work();
    rk4 const stepper{.step = step};
    auto memory = stepper.start(rigid);
    auto x = start;
    rigid.lower(T(t), x, work);
    for (int k = 0; k < most && k * step < span && !work.failed.happened(); ++k) {
        T const now = T(t + k * step);
        if (!loaded.look_closely(now, x.position, x.velocity, force, seen)) break;
        auto const& path = loaded.path_of();
        seen.spacing.acceleration = std::max(seen.spacing.acceleration, path.size(seen.motion));
        made.displacement = std::max(made.displacement, path.displacement(system, seen.motion));
        made.share = std::max(made.share, path.correction(system, seen.spacing.acceleration, seen.motion));
        stepper.advance(rigid, now, T(step), x, memory, work);
        memory.fresh = false;
        static_cast<void>(rigid.revise(now + T(step), x, work));
    }
    made.failed = work.failed;
    system.count(seen.inner, made.counts);
    rigid.count(work, made.counts);
    return made;
}

} // namespace lento
