#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <lento/base/space.hpp>

/// The few vector operations of the time loops, one sweep each. Arguments never alias.
namespace lento {
namespace detail {

template <class V> inline constexpr std::size_t known_size = 0;
template <class T, std::size_t N> inline constexpr std::size_t known_size<std::array<T, N>> = N;

/// Calls each(i) for i < n. Small sizes known to the compiler are unrolled here and not left to a later pass of it:
/// only arrays without a variable index are moved from memory into registers.
template <class V, class Each> inline void for_each_index(std::size_t n, Each each) {
    constexpr std::size_t size = known_size<V>;
    if constexpr (size > 0 && size <= 16)
        [&]<std::size_t... I>(std::index_sequence<I...>) { (each(I), ...); }(std::make_index_sequence<size>{});
    else
        for (std::size_t i = 0; i < n; ++i) each(i);
}

/// A function of its own, because GCC keeps the promise of __restrict for parameters only. In a few numbers that a
/// force has just written one by one, a wide load waits until they all have reached the cache: the fence, which costs
/// no instruction, keeps the compiler from widening the loop.
template <bool Few, class T> inline void sweep_kick_and_drift(T* __restrict s, T weight, T* __restrict v,
                                                              T* __restrict q, T const* __restrict a, T kick, T drift,
                                                              std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        if constexpr (Few) std::atomic_signal_fence(std::memory_order_acq_rel);
        s[i] += weight * a[i];
        v[i] += kick * a[i];
        q[i] += drift * v[i];
    }
}

/// y = x, one number at a time: GCC would gather the numbers for wide stores where they are last written, within a
/// loop that comes before, and then wait for them there.
template <class V> inline void hand_over(V& y, V const& x) {
    for_each_index<V>(y.size(), [&](std::size_t i) {
        std::atomic_signal_fence(std::memory_order_acq_rel);
        y[i] = x[i];
    });
}

/// Not a number in any component.
template <class V> inline void spoil(V& x) {
    for (auto& component : x) component = std::numeric_limits<typename V::value_type>::quiet_NaN();
}

} // namespace detail

/// y += a x
template <class V, class T> inline void add_scaled(V& y, T a, V const& x) {
    auto* __restrict to = y.data();
    auto const* __restrict from = x.data();
    std::size_t const n = y.size();
    detail::for_each_index<V>(n, [=](std::size_t i) { to[i] += a * from[i]; });
}

/// y = a x
template <class V, class T> inline void set_scaled(V& y, T a, V const& x) {
    auto* __restrict to = y.data();
    auto const* __restrict from = x.data();
    std::size_t const n = y.size();
    detail::for_each_index<V>(n, [=](std::size_t i) { to[i] = a * from[i]; });
}

/// y = b y + a x
template <class V, class T> inline void scale_and_add(V& y, T b, T a, V const& x) {
    auto* __restrict to = y.data();
    auto const* __restrict from = x.data();
    std::size_t const n = y.size();
    detail::for_each_index<V>(n, [=](std::size_t i) { to[i] = b * to[i] + a * from[i]; });
}

/// y = x + a z
template <class V, class T> inline void set_sum(V& y, V const& x, T a, V const& z) {
    auto* __restrict to = y.data();
    auto const* __restrict base = x.data();
    auto const* __restrict from = z.data();
    std::size_t const n = y.size();
    detail::for_each_index<V>(n, [=](std::size_t i) { to[i] = base[i] + a * from[i]; });
}

/// velocity += kick acceleration, then position += drift velocity: the body of a leapfrog, in one sweep
template <class V, class T>
inline void kick_and_drift(V& velocity, V& position, V const& acceleration, T kick, T drift) {
    auto* __restrict v = velocity.data();
    auto* __restrict q = position.data();
    auto const* __restrict a = acceleration.data();
    std::size_t const n = velocity.size();
    detail::for_each_index<V>(n, [=](std::size_t i) {
        v[i] += kick * a[i];
        q[i] += drift * v[i];
    });
}

/// The same, and sum += weight acceleration, in one sweep
template <class V, class T>
inline void sum_kick_and_drift(V& sum, T weight, V& velocity, V& position, V const& acceleration, T kick, T drift) {
    std::size_t const n = velocity.size();
    auto* const s = sum.data();
    auto* const v = velocity.data();
    auto* const q = position.data();
    auto const* const a = acceleration.data();
    if constexpr (detail::known_size<V> > 0) {
        detail::for_each_index<V>(n, [=](std::size_t i) {
            s[i] += weight * a[i];
            v[i] += kick * a[i];
            q[i] += drift * v[i];
        });
    } else if (n <= 8) {
        detail::sweep_kick_and_drift<true>(s, weight, v, q, a, kick, drift, n);
    } else {
        detail::sweep_kick_and_drift<false>(s, weight, v, q, a, kick, drift, n);
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

/// y = x without reallocating when the sizes agree. For a few numbers of a vector a call would take longer than they.
template <class V> inline void copy_vector(V& y, V const& x) {
    constexpr std::size_t few = 8;
    if (detail::known_size<V> == 0 && x.size() <= few && y.size() == x.size()) detail::hand_over(y, x);
    else y = x;
}
template <class V> inline void copy_state(motion<V>& y, motion<V> const& x) {
    copy_vector(y.position, x.position);
    copy_vector(y.velocity, x.velocity);
}
template <class V> inline void copy_state(point<V>& y, point<V> const& x) { copy_vector(y.state, x.state); }

template <class V> [[nodiscard]] inline bool all_finite(motion<V> const& x) {
    return all_finite(x.position) && all_finite(x.velocity);
}
template <class V> [[nodiscard]] inline bool all_finite(point<V> const& x) { return all_finite(x.state); }

} // namespace lento
