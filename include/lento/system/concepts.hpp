#pragma once

#include <concepts>
#include <string>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/outcome.hpp>
#include <lento/base/space.hpp>
#include <lento/base/statistics.hpp>

/// What a stepper may ask of a system. Systems are const values; scratch and counters live in the `work` they make,
/// one per run or thread.
namespace lento {

template <class S> using scalar_of = typename S::scalar;
template <class S> using vector_of = typename S::vector;
template <class S> using state_of = typename S::state;
template <class S> using work_of = decltype(std::declval<S const&>().work());

template <class S>
concept system_like = requires(S const& system, work_of<S>& work, statistics& counts) {
    typename S::scalar;
    typename S::vector;
    typename S::state;
    system.space();
    system.count(work, counts);
};

/// x'' = a(t, x)
template <class S>
concept separable =
    system_like<S> && requires(S const& system, scalar_of<S> t, vector_of<S> const& q, vector_of<S>& out,
                               work_of<S>& work) { system.acceleration(t, q, out, work); };

/// x'' = a(t, x, x')
template <class S>
concept velocity_dependent =
    system_like<S> && requires(S const& system, scalar_of<S> t, vector_of<S> const& q, vector_of<S>& out,
                               work_of<S>& work) { system.acceleration(t, q, q, out, work); };

template <class S>
concept second_order = separable<S> || velocity_dependent<S>;

/// x' = r(t, x)
template <class S>
concept first_order = system_like<S> && requires(S const& system, scalar_of<S> t, vector_of<S> const& x,
                                                 vector_of<S>& out, work_of<S>& work) { system.rate(t, x, out, work); };

/// Whether its acceleration depends on the velocity. Some systems know at run time only: they are both of the above.
template <second_order S> [[nodiscard]] constexpr bool needs_velocity(S const& system) {
    if constexpr (requires { system.needs_velocity(); }) return system.needs_velocity();
    else return !separable<S>;
}

/// Every one-step method that treats the state as a whole needs no more than this.
template <class S>
concept differential = second_order<S> || first_order<S>;

/// A system whose evaluations may fail with a reason of their own (a window that does not filter, say).
template <class Work>
concept can_fail = requires(Work& work) {
    { work.failed } -> std::convertible_to<failure const&>;
    { work.warnings } -> std::convertible_to<std::vector<warning> const&>;
};

namespace detail {

/// What has failed spoils its result, so that nothing goes on from it. True where that is so.
template <class V, can_fail Work> inline bool spoil_after_failure(V& out, Work const& work) {
    if (work.failed.happened()) spoil(out);
    return work.failed.happened();
}

} // namespace detail

/// The failure that a nested work reports, the innermost first; none when nothing can fail there.
template <class Work> [[nodiscard]] failure failure_inside(Work const& work) {
    if constexpr (requires { work.inner; })
        if (failure const inner = failure_inside(work.inner); inner.happened()) return inner;
    if constexpr (can_fail<Work>) return work.failed;
    else return {};
}
/// Forgets failures on every level.
template <class Work> void forgive(Work& work) {
    if constexpr (requires { work.inner; }) forgive(work.inner);
    if constexpr (can_fail<Work>) work.failed = {};
}
/// The warnings of every level, the innermost first.
template <class Work> void gather_warnings(Work const& work, std::vector<warning>& all) {
    if constexpr (requires { work.inner; }) gather_warnings(work.inner, all);
    if constexpr (can_fail<Work>) all.insert(all.end(), work.warnings.begin(), work.warnings.end());
}

/// A system that knows how its state relates to the physical one: `lower` gives the slow state of a true one,
/// `lift` the reverse.
template <class S>
concept has_true_state = requires(S const& system, scalar_of<S> t, state_of<S>& x, work_of<S>& work) {
    system.lower(t, x, work);
    system.lift(t, x, work);
};

/// The highest derivative at a point: the acceleration of a second-order system, the rate of a first-order one.
template <second_order S>
inline void evaluate(S const& system, scalar_of<S> t, state_of<S> const& x, vector_of<S>& out, work_of<S>& work) {
    if constexpr (velocity_dependent<S>) system.acceleration(t, x.position, x.velocity, out, work);
    else system.acceleration(t, x.position, out, work);
}
template <first_order S>
inline void evaluate(S const& system, scalar_of<S> t, state_of<S> const& x, vector_of<S>& out, work_of<S>& work) {
    system.rate(t, x.state, out, work);
}

namespace detail {

/// What every view of a system has: the system's own types, space, work and counts. A view adds the right-hand side as
/// it is seen from there.
template <class System> struct view_on {
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;

    System const* system;

    [[nodiscard]] auto const& space() const { return system->space(); }
    [[nodiscard]] auto work() const { return system->work(); }
    void count(work_of<System> const& work, statistics& counts) const { system->count(work, counts); }
};

} // namespace detail

/// A state of zeros.
template <system_like S> [[nodiscard]] state_of<S> origin(S const& system) {
    using T = scalar_of<S>;
    if constexpr (state_of<S>::is_motion)
        return {system.space().template zeros<T>(), system.space().template zeros<T>()};
    else return {system.space().template zeros<T>()};
}

} // namespace lento
