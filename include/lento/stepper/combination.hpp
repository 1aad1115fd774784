#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <lento/base/arithmetic.hpp>

/// Sums of stages: one sweep per sum.
namespace lento::detail {

/// Calls each(part) with what takes a state's parts out of it: position and velocity, or the whole.
template <class State, class Each> [[gnu::always_inline]] inline void for_each_part(State const&, Each const& each) {
    if constexpr (State::is_motion) {
        each([](auto& x) -> auto& { return x.position; });
        each([](auto& x) -> auto& { return x.velocity; });
    } else {
        each([](auto& x) -> auto& { return x.state; });
    }
}

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
