#pragma once

#include <cmath>
#include <cstddef>

#include <lento/system/space.hpp>

/// The few vector operations of the time loops, one sweep each. Arguments never alias.
namespace lento {

/// y += a x
template <class V, class T> inline void add_scaled(V& y, T a, V const& x) {
    auto* __restrict to = y.data();
    auto const* __restrict from = x.data();
    std::size_t const n = y.size();
    for (std::size_t i = 0; i < n; ++i) to[i] += a * from[i];
}

/// y = a x
template <class V, class T> inline void set_scaled(V& y, T a, V const& x) {
    auto* __restrict to = y.data();
    auto const* __restrict from = x.data();
    std::size_t const n = y.size();
    for (std::size_t i = 0; i < n; ++i) to[i] = a * from[i];
}

/// y = x + a z
template <class V, class T> inline void set_sum(V& y, V const& x, T a, V const& z) {
    auto* __restrict to = y.data();
    auto const* __restrict base = x.data();
    auto const* __restrict from = z.data();
    std::size_t const n = y.size();
    for (std::size_t i = 0; i < n; ++i) to[i] = base[i] + a * from[i];
}

/// velocity += kick acceleration, then position += drift velocity: the body of a leapfrog, in one sweep
template <class V, class T> inline void kick_and_drift(V& velocity, V& position, V const& acceleration, T kick, T drift) {
    auto* __restrict v = velocity.data();
    auto* __restrict q = position.data();
    auto const* __restrict a = acceleration.data();
    std::size_t const n = velocity.size();
    for (std::size_t i = 0; i < n; ++i) {
        v[i] += kick * a[i];
        q[i] += drift * v[i];
    }
}

/// The first component that is not finite, or size() when all are.
template <class V> [[nodiscard]] inline std::size_t first_non_finite(V const& x) {
    using std::isfinite;
    std::size_t i = 0;
    while (i < x.size() && isfinite(x[i])) ++i;
    return i;
}

template <class V> [[nodiscard]] inline bool all_finite(V const& x) { return first_non_finite(x) == x.size(); }

/// The largest absolute component, or 0; NaN never wins.
template <class V> [[nodiscard]] inline auto max_norm(V const& x) {
    using std::abs;
    typename V::value_type largest(0);
    for (auto const& component : x)
        if (abs(component) > largest) largest = abs(component);
    return largest;
}

template <class V, class T> inline void add_scaled(motion<V>& y, T a, motion<V> const& x) {
    add_scaled(y.position, a, x.position);
    add_scaled(y.velocity, a, x.velocity);
}
template <class V, class T> inline void add_scaled(point<V>& y, T a, point<V> const& x) {
    add_scaled(y.state, a, x.state);
}

/// y = x without reallocating when the sizes agree
template <class State> inline void copy_state(State& y, State const& x) { y = x; }

template <class V> [[nodiscard]] inline bool all_finite(motion<V> const& x) {
    return all_finite(x.position) && all_finite(x.velocity);
}
template <class V> [[nodiscard]] inline bool all_finite(point<V> const& x) { return all_finite(x.state); }

} // namespace lento
