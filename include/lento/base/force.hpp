#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

/// How a user's function is called. What it returns is decided by the space, what it takes by its wrapper; nothing is
/// probed, so a generic lambda is never instantiated with arguments it was not written for.
namespace lento {

/// A force that also depends on the slow time: f(q, theta, t).
template <class F> struct timed {
    F function;
};
/// A force that also depends on the velocity and the slow time: f(q, v, theta, t) or, without phases, f(q, v, t).
template <class F> struct damped {
    F function;
};

/// Where a force that brings its own scratch is evaluated. What the system does not have, and the velocity where the
/// force is not wrapped by with_velocity, is empty.
template <class T> struct force_point {
    std::span<T const> position{};
    std::span<T const> velocity{};
    std::span<T const> phase{};
    T time{};
};

/// Marks a vibrated force as f(q, theta, t): it has a slow explicit time.
template <class F> [[nodiscard]] timed<F> with_time(F function) { return {std::move(function)}; }
/// Marks a force as f(q, v, theta, t), or f(q, v, t) for a plain system.
template <class F> [[nodiscard]] damped<F> with_velocity(F function) { return {std::move(function)}; }

namespace detail {

template <class F> struct force_traits {
    using function = F;
    static constexpr bool time = false;
    static constexpr bool velocity = false;
};
template <class F> struct force_traits<timed<F>> {
    using function = F;
    static constexpr bool time = true;
    static constexpr bool velocity = false;
};
template <class F> struct force_traits<damped<F>> {
    using function = F;
    static constexpr bool time = true;
    static constexpr bool velocity = true;
};

template <class F> [[nodiscard]] F bare_force(F function) { return function; }
template <class F> [[nodiscard]] F bare_force(timed<F> wrapped) { return std::move(wrapped.function); }
template <class F> [[nodiscard]] F bare_force(damped<F> wrapped) { return std::move(wrapped.function); }

/// Calls f in a fixed space: it returns an array, or a number when there is one coordinate.
template <class Space, class V, class F, class... Arguments>
    requires(Space::is_fixed)
inline void call_force(F const& f, V& out, Arguments const&... arguments) {
    if constexpr (Space::size() == 1) {
        auto const value = f(arguments...);
        if constexpr (std::is_convertible_v<decltype(value), typename V::value_type>) out[0] = value;
        else out = value;
    } else {
        out = f(arguments...);
    }
}
/// Calls f in a dynamic space: it writes into its last argument.
template <class Space, class V, class F, class... Arguments>
    requires(!Space::is_fixed)
inline void call_force(F const& f, V& out, Arguments const&... arguments) {
    f(arguments..., out);
}

/// A force may bring scratch of its own: `work()` makes it, the work of the system keeps it, and it comes back as the
/// last argument. Such a force is called in every space as f(at, out, work), at being a force_point and out a span.
template <class F>
concept brings_work = requires(F const& f) { f.work(); };

struct no_work {};
template <class F> [[nodiscard]] auto work_for(F const& f) {
    if constexpr (brings_work<F>) return f.work();
    else return no_work{};
}
template <class F> using force_work = decltype(work_for(std::declval<F const&>()));

/// Calls f with its work at a point, or, where it brings none, with the arguments as above.
template <class Space, class V, class F, class... Arguments>
inline void call_with_work(F const& f, force_work<F>& work, force_point<typename V::value_type> const& at, V& out,
                           Arguments const&... arguments) {
    if constexpr (brings_work<F>) f(at, std::span<typename V::value_type>(out), work);
    else call_force<Space>(f, out, arguments...);
}

template <class Space, class V, class F, class... Arguments> inline constexpr bool force_fits = [] {
    using T = typename V::value_type;
    if constexpr (brings_work<F>)
        return std::is_invocable_v<F const&, force_point<T> const&, std::span<T>, force_work<F>&>;
    else if constexpr (Space::is_fixed) return std::is_invocable_v<F const&, Arguments const&...>;
    else return std::is_invocable_v<F const&, Arguments const&..., V&>;
}();

} // namespace detail
} // namespace lento
