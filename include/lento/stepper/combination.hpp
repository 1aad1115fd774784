#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lento/base/arithmetic.hpp>

/// Sums of stages: one sweep per sum. `weighted` has weights that the compiler knows: nothing of a table is left at run
/// time.
namespace lento::detail {

/// sum_j weights_j of(j)[i] over a range of j, backward where From > To, without the weights that are 0. The newest
/// force should come last: all before it is summed while that is evaluated.
template <class Weights, std::size_t From = 0,
          std::size_t To = std::tuple_size_v<std::remove_cvref_t<decltype(Weights::weights)>>, class Of>
[[nodiscard, gnu::always_inline]] inline auto weighted(Of const& of, std::size_t i) {
    using T = typename std::remove_cvref_t<decltype(Weights::weights)>::value_type;
    T sum(0);
    auto const add = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
        if constexpr (Weights::weights[J] != T(0)) sum += Weights::weights[J] * of(J)[i];
    };
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        (add(std::integral_constant<std::size_t, (From < To ? From + K : From - 1 - K)>{}), ...);
    }(std::make_index_sequence<(From < To ? To - From : From - To)>{});
    return sum;
}

/// Calls each(part) with what takes a state's parts out of it: position and velocity, or the whole.
template <class State, class Each> [[gnu::always_inline]] inline void for_each_part(State const&, Each const& each) {
    if constexpr (State::is_motion) {
        each([](auto& x) -> auto& { return x.position; });
        each([](auto& x) -> auto& { return x.velocity; });
    } else {
        each([](auto& x) -> auto& { return x.state; });
    }
}

/// Rows of a table as types.
template <class Method, class T, std::size_t Stage> struct stage_weights {
    static constexpr auto const& weights = Method::template coefficients<T>.a[Stage];
};
template <class Method, class T> struct end_weights {
    static constexpr auto const& weights = Method::template coefficients<T>.b;
};
template <class Method, class T> struct error_weights {
    static constexpr auto const& weights = Method::template coefficients<T>.error;
};

/// What T has no room for of weights that are known more precisely. A weight is wrong in the same way in every step:
/// over long runs that shows before any other rounding.
template <class T, std::size_t N> [[nodiscard]] constexpr std::array<T, N>
rest_of(std::array<T, N> const& weights, std::array<long double, N> const& exact) {
    std::array<T, N> rest{};
    for (std::size_t j = 0; j < N; ++j) rest[j] = static_cast<T>(exact[j] - static_cast<long double>(weights[j]));
    return rest;
}

/// a + b, and what rounding has lost of it (Knuth 1969).
template <class T> [[gnu::always_inline]] inline T two_sum(T a, T b, T& lost) {
    T const sum = a + b;
    T const part = sum - a;
    lost = (a - (sum - part)) + (b - part);
    return sum;
}

/// x + step + rest, and what rounding has lost of it; the rest may be far below the last digit of the step, and would
/// always be rounded away if it were added to that.
template <class T> [[gnu::always_inline]] inline T add_up(T x, T step, T rest, T& lost) {
    T below;
    T const sum = two_sum(x, step, below);
    return two_sum(sum, below + rest, lost);
}

/// x += step, with what rounding has lost so far (Kahan 1965): exact to the last digit of the step where the step is
/// the smaller one.
template <class T> [[gnu::always_inline]] inline void add_compensated(T& x, T step, T& lost) {
    T const all = step + lost;
    T const sum = x + all;
    lost = all - (sum - x);
    x = sum;
}

/// A number with its last digit changed, up or down.
template <class T> [[nodiscard]] inline T rounded(T x, bool up = true) {
    constexpr T epsilon = std::numeric_limits<T>::epsilon();
    return up ? x * (T(1) + epsilon) : x * (T(1) - epsilon);
}
/// The same for every component, in turn: what is common to all would hide in forces between bodies.
template <class V> inline void set_rounded(V& to, V const& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = rounded(from[i], i % 2 == 0);
}
/// sqrt(sum of squares): how errors that know nothing of each other add up.
template <class T, std::size_t N> [[nodiscard]] inline T root_of_squares(std::array<T, N> const& weights) {
    using std::sqrt;
    T sum(0);
    for (T const& weight : weights) sum += weight * weight;
    return sqrt(sum);
}

/// An error of one component in units of what the tolerances allow it; one that stays 0 without error meets any
/// tolerance, also 0.
template <class T> [[nodiscard]] inline double error_ratio(T error, T before, T after, double rtol, double atol) {
    using std::abs;
    if (error == T(0)) return 0;
    T const size = abs(before) > abs(after) ? abs(before) : abs(after);
    return static_cast<double>(abs(error) / (T(atol) + T(rtol) * size));
}
/// The larger of two errors; NaN wins.
[[nodiscard]] inline double worse(double a, double b) { return a > b || a != a ? a : b; }

/// to = from + h sum_j weights_j stage_j over the first stages, in one sweep. Each component is summed in the order of
/// the stages, without those whose weight is 0. GCC keeps the promise of __restrict for parameters only.
template <class T, std::size_t Stages, std::size_t... J>
inline void sweep_weighted(T* __restrict to, T const* from, std::size_t n, T h, std::array<T, Stages> const& weights,
                           std::index_sequence<J...>, std::array<T const*, sizeof...(J)> const& stage) {
    std::array<T, sizeof...(J)> const scaled{h * weights[J]...};
    for (std::size_t i = 0; i < n; ++i) {
        T sum = from[i];
        ((weights[J] != T(0) ? sum += scaled[J] * stage[J][i] : sum), ...);
        to[i] = sum;
    }
}
/// One component of it.
template <class T, std::size_t Stages, class Of, std::size_t... J>
[[nodiscard, gnu::always_inline]] inline T weighted_component(T from, T h, std::array<T, Stages> const& weights,
                                                              std::index_sequence<J...>, Of const& of, std::size_t i) {
    T sum = from;
    ((weights[J] != T(0) ? sum += h * weights[J] * of(J)[i] : sum), ...);
    return sum;
}
/// All parts of a state. A few numbers of known size stay in registers; the fence, which costs no instruction, keeps
/// the compiler from loading in one piece what was written in two, velocity and force: that waits for the cache.
template <std::size_t Count, class State, class T, std::size_t Stages>
[[gnu::always_inline]] inline void set_weighted(State& to, State const& from, T h, std::array<T, Stages> const& weights,
                                                std::array<State, Stages> const& stage) {
    for_each_part(to, [&](auto part) {
        auto const of = [&](std::size_t j) -> auto const& { return part(stage[j]); };
        constexpr std::make_index_sequence<Count> first{};
        constexpr std::size_t size = known_size<std::remove_cvref_t<decltype(part(to))>>;
        if constexpr (size > 0 && size <= 16) {
            std::atomic_signal_fence(std::memory_order_acq_rel);
            for_each_index<std::remove_cvref_t<decltype(part(to))>>(size, [&](std::size_t i) {
                part(to)[i] = weighted_component(part(from)[i], h, weights, first, of, i);
            });
        } else {
            [&]<std::size_t... J>(std::index_sequence<J...>) {
                sweep_weighted(part(to).data(), part(from).data(), part(to).size(), h, weights, first,
                               {of(J).data()...});
            }(first);
        }
    });
}

} // namespace lento::detail
