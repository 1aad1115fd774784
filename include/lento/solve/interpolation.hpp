#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/space.hpp>

/// Dense output: Hermite interpolation through the ends of the last steps, from what the stepper knows there anyway.
namespace lento {

namespace detail {

inline constexpr std::size_t most_nodes = 8;
inline constexpr std::size_t most_data = 3;

/// A node of Hermite interpolation and how many derivatives (the value included) are known there.
template <class T> struct hermite_node {
    T t;
    int data;
};

/// Weights of a node's value and derivatives in the interpolant, and in its slope.
template <class T> struct hermite_weights {
    std::array<std::array<T, most_data>, most_nodes> value{};
    std::array<std::array<T, most_data>, most_nodes> slope{};
};

/// Instantiated for double and long double.
template <class T> [[nodiscard]] hermite_weights<T> hermite(std::span<hermite_node<T> const> nodes, T t);

} // namespace detail

/// The end of a step: the state there and, once it is known, the highest derivative.
template <class State> struct dense_node {
    using T = typename State::vector::value_type;
    T t{};
    State x;
    typename State::vector derivative;
    bool has_derivative = false;
    std::vector<double> multipliers{};      ///< with constraints, where the derivative is known
    std::vector<double> mean_multipliers{}; ///< the same, the mean of the window added
    static auto members(auto& self) {
        return std::tie(self.t, self.x, self.derivative, self.has_derivative, self.multipliers, self.mean_multipliers);
    }
};

/// The last nodes of a run, side by side. Those of small systems walk through a longer row of rooms, so that a new one
/// seldom moves the others.
template <class State> class recent_nodes {
public:
    /// Makes rooms for nodes like this one, of which so many are kept.
    void keep(std::size_t most, dense_node<State> const& like) {
        constexpr std::size_t few = 16, longer = 4;
        most_ = most;
        rooms_.assign(like.derivative.size() <= few ? longer * most : most, like);
    }
    [[nodiscard]] bool empty() const { return first_ == end_; }
    [[nodiscard]] std::size_t size() const { return end_ - first_; }
    [[nodiscard]] dense_node<State>& back() { return rooms_[end_ - 1]; }
    [[nodiscard]] dense_node<State> const& back() const { return rooms_[end_ - 1]; }
    [[nodiscard]] dense_node<State> const& operator[](std::size_t i) const { return rooms_[first_ + i]; }
    [[nodiscard]] std::span<dense_node<State> const> last(std::size_t count) const {
        return std::span<dense_node<State> const>(rooms_).subspan(end_ - count, count);
    }
    [[nodiscard]] std::span<dense_node<State> const> all() const { return last(size()); }

    /// A node after the last one, with what an earlier one left in it; the first one goes when there are enough.
    [[nodiscard]] dense_node<State>& next() {
        if (size() == most_) ++first_;
        if (end_ == rooms_.size()) {
            for (std::size_t i = 0; i < size(); ++i) std::swap(rooms_[i], rooms_[first_ + i]);
            end_ -= std::exchange(first_, 0);
        }
        return rooms_[end_++];
    }

    static auto members(auto& self) { return std::tie(self.rooms_, self.most_, self.first_, self.end_); }
    /// Whether what was read back is what a run can have written.
    [[nodiscard]] bool is_sound() const {
        return most_ > 0 && first_ < end_ && end_ <= rooms_.size() && size() <= most_;
    }

private:
    std::vector<dense_node<State>> rooms_;
    std::size_t most_ = 0, first_ = 0, end_ = 0;
};

/// How many nodes an interpolant as accurate as a method of this order needs, all derivatives known: order + 1 data
/// for the order, two more so that the interpolant stays below the method's error also with large steps.
template <class State> [[nodiscard]] constexpr std::size_t nodes_for_order(int order) {
    std::size_t const data = State::is_motion ? 3 : 2;
    std::size_t const nodes = (static_cast<std::size_t>(order) + 2 + data) / data;
    return nodes < 2 ? 2 : nodes;
}

/// Multipliers at time t: the polynomial through those of some consecutive nodes, where they are known.
template <class State> void interpolate_rows(std::span<dense_node<State> const> nodes, double t,
                                             std::vector<double> dense_node<State>::* row, std::vector<double>& out) {
    out.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].has_derivative) continue;
        double weight = 1;
        for (std::size_t j = 0; j < nodes.size(); ++j)
            if (j != i && nodes[j].has_derivative)
                weight *= (t - static_cast<double>(nodes[j].t)) / static_cast<double>(nodes[i].t - nodes[j].t);
        auto const& values = nodes[i].*row;
        out.resize(values.size());
        for (std::size_t k = 0; k < values.size(); ++k) out[k] += weight * values[k];
    }
}

/// The nodes around t without those that crowd together beside its step, as when a method starts with tiny steps: they
/// add nothing but rounding errors.
template <class State> [[nodiscard]] std::span<dense_node<State> const>
uncrowded(std::span<dense_node<State> const> nodes, typename dense_node<State>::T t) {
    using T = typename dense_node<State>::T;
    constexpr T crowded = T(1) / 20;
    bool const backward = nodes.back().t < nodes.front().t;
    auto const length = [&](std::size_t i) {
        return backward ? nodes[i].t - nodes[i + 1].t : nodes[i + 1].t - nodes[i].t;
    };
    std::size_t last = 1;
    while (last + 1 < nodes.size() && (backward ? nodes[last].t > t : nodes[last].t < t)) ++last;
    std::size_t first = last - 1;
    T const step = length(first);
    while (first > 0 && length(first - 1) > crowded * step) --first;
    while (last + 1 < nodes.size() && length(last) > crowded * step) ++last;
    return nodes.subspan(first, last - first + 1);
}

/// The interpolant through some consecutive nodes, at time t.
template <class State>
void interpolate(std::span<dense_node<State> const> given, typename dense_node<State>::T t, State& out) {
    using T = typename dense_node<State>::T;
    auto const nodes = uncrowded<State>(given, t);
    constexpr int known = State::is_motion ? 2 : 1;
    std::array<detail::hermite_node<T>, detail::most_nodes> times{};
    for (std::size_t i = 0; i < nodes.size(); ++i) times[i] = {nodes[i].t, known + (nodes[i].has_derivative ? 1 : 0)};
    auto const w = detail::hermite<T>(std::span<detail::hermite_node<T> const>(times.data(), nodes.size()), t);
    auto const combine = [&](auto const& weights, auto& to) {
        for (auto& component : to) component = T(0);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if constexpr (State::is_motion) {
                add_scaled(to, weights[i][0], nodes[i].x.position);
                add_scaled(to, weights[i][1], nodes[i].x.velocity);
                if (nodes[i].has_derivative) add_scaled(to, weights[i][2], nodes[i].derivative);
            } else {
                add_scaled(to, weights[i][0], nodes[i].x.state);
                if (nodes[i].has_derivative) add_scaled(to, weights[i][1], nodes[i].derivative);
            }
        }
    };
    if constexpr (State::is_motion) {
        combine(w.value, out.position);
        combine(w.slope, out.velocity);
    } else {
        combine(w.value, out.state);
    }
}

} // namespace lento
