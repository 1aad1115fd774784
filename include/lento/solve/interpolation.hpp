#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/space.hpp>

/// Dense output: Hermite interpolation through the ends of the last steps, from what the stepper knows there anyway.
namespace lento {

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

namespace detail {

inline constexpr std::size_t most_nodes = 8;
inline constexpr std::size_t most_data = 3;

/// Newton's form of the polynomials through some nodes, one per component. The node that counts least comes last.
template <class T> class newton_form {
public:
    /// A node: its share of the step, and how many derivatives are known there, the value included.
    struct place {
        T share{};
        std::size_t data = 0;
    };

    /// datum(node, derivative, component) gives a derivative over its factorial, in the time of the step.
    template <class Datum> void build(std::span<place const> nodes, std::size_t components, Datum const& datum) {
        size_ = 0;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            last_ = size_;
            for (std::size_t r = 0; r < nodes[k].data; ++r) {
                node_[size_] = k;
                share_[size_++] = nodes[k].share;
            }
            for (std::size_t j = 0; j < k; ++j) inverse_[j][k] = T(1) / (nodes[k].share - nodes[j].share);
        }
        newton_.resize(size_ * components);
        for (std::size_t i = 0; i < components; ++i) divide(i, datum);
    }
    /// The value at the first node.
    [[nodiscard]] T first(std::size_t i) const { return newton_[i * size_]; }
    /// Value and slope.
    [[nodiscard]] std::array<T, 2> at(T s, std::size_t i) const {
        T const* const c = newton_.data() + i * size_;
        T value = c[size_ - 1];
        T slope(0);
        for (std::size_t k = size_ - 1; k-- > 0;) {
            T const distance = s - share_[k];
            slope = value + slope * distance;
            value = c[k] + value * distance;
        }
        return {value, slope};
    }
    /// The product of the distances to all data before those of the last node, and its slope: what the last node adds
    /// to a component is this times a polynomial of its own.
    [[nodiscard]] std::array<T, 2> lever(T s) const {
        T value(1);
        T slope(0);
        for (std::size_t k = 0; k < last_; ++k) {
            T const distance = s - share_[k];
            slope = value + slope * distance;
            value *= distance;
        }
        return {value, slope};
    }
    /// What the last node adds to value and slope.
    [[nodiscard]] std::array<T, 2> added(std::array<T, 2> const& lever, T s, std::size_t i) const {
        T const* const c = newton_.data() + i * size_;
        T const distance = s - share_[last_];
        T value = c[size_ - 1];
        T slope(0);
        for (std::size_t k = size_ - 1; k-- > last_;) {
            slope = value + slope * distance;
            value = c[k] + value * distance;
        }
        return {lever[0] * value, lever[1] * value + lever[0] * slope};
    }

private:
    static constexpr std::size_t most = most_nodes * most_data;

    template <class Datum> void divide(std::size_t i, Datum const& datum) {
        std::array<T, most> column; // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as it is used
        T* const c = newton_.data() + i * size_;
        c[0] = column[0] = datum(node_[0], 0U, i);
        for (std::size_t k = 1; k < size_; ++k) column[k] = datum(node_[k], 0U, i);
        for (std::size_t level = 1; level < size_; ++level) {
            for (std::size_t k = 0; k + level < size_; ++k) {
                std::size_t const left = node_[k];
                std::size_t const right = node_[k + level];
                column[k] = left == right ? datum(left, level, i) : (column[k + 1] - column[k]) * inverse_[left][right];
            }
            c[level] = column[0];
        }
    }

    std::array<T, most> share_{};
    std::array<std::size_t, most> node_{};
    std::array<std::array<T, most_nodes>, most_nodes> inverse_{};
    std::size_t size_ = 0;
    std::size_t last_ = 0;  // where the data of the last node begin
    std::vector<T> newton_; // those of a component side by side
};

/// Some nodes in the order in which they count for one step: its ends, those inside it, its neighbours, nearest first.
template <class State> struct chosen_nodes {
    using node = dense_node<State>;
    std::array<node const*, most_nodes> all{};
    std::size_t count = 0;

    /// Of consecutive nodes, without those that crowd together beside the step or far from it, as when a method starts
    /// with tiny steps: they add nothing but the errors of differences, which grow with the distance.
    chosen_nodes(std::span<node const> known, std::size_t step, std::span<node const> inside = {})
        : has_inside(!inside.empty()) {
        using std::abs;
        all[count++] = &known[step];
        all[count++] = &known[step + 1];
        for (node const& each : inside) all[count++] = &each;
        auto const length = [&](std::size_t i) { return abs(known[i + 1].t - known[i].t); };
        auto const stands_apart = [&](std::size_t i, typename node::T distance) {
            return length(i) > length(step) / 20 && length(i) > distance / 10;
        };
        std::size_t left = step;
        std::size_t right = step + 1;
        while (count < all.size()) {
            auto const to_left = left > 0 ? abs(known[left - 1].t - all[0]->t) : 0;
            auto const to_right = right + 1 < known.size() ? abs(known[right + 1].t - all[1]->t) : 0;
            bool const has_left = left > 0 && stands_apart(left - 1, to_left);
            bool const has_right = right + 1 < known.size() && stands_apart(right, to_right);
            if (!has_left && !has_right) break;
            bool const takes_left = has_left && (!has_right || to_left <= to_right);
            all[count++] = &known[takes_left ? --left : ++right];
        }
        std::size_t const half = known.size() / 2;
        bool const in_the_middle = half >= 2 && step + 1 >= half && step + half < known.size();
        lies_between = in_the_middle && left == 0 && right + 1 == known.size();
    }
    bool has_inside = false;   ///< nodes inside the step
    bool lies_between = false; ///< with as many nodes on either side
    [[nodiscard]] std::span<node const* const> nodes() const { return {all.data(), count}; }
};

/// In which step of consecutive nodes a time is.
template <class State>
[[nodiscard]] std::size_t step_of_time(std::span<dense_node<State> const> nodes, typename dense_node<State>::T t) {
    bool const backward = nodes.back().t < nodes.front().t;
    std::size_t step = 0;
    while (step + 2 < nodes.size() && (backward ? nodes[step + 1].t > t : nodes[step + 1].t < t)) ++step;
    return step;
}

} // namespace detail

/// The motion inside one step: Hermite interpolation, made once for all times there. Velocities are the slope of
/// positions, or have a polynomial of their own: the slope is more accurate as such, but multiplies rounding and the
/// errors of steps, by 4 over the length of the step between three nodes on either side, by 20 to 80 with nodes inside
/// or on one side only.
template <class State> class step_interpolant {
public:
    using node = dense_node<State>;
    using T = typename node::T;

    /// Through some nodes, the ends of the step first. They need not outlive the call.
    void build(std::span<node const* const> nodes) {
        from_ = nodes[0]->t;
        to_ = nodes[1]->t;
        inverse_length_ = T(1) / (to_ - from_);
        own_slopes_ = false;
        constexpr std::size_t always = State::is_motion ? 2 : 1;
        T const length = to_ - from_;
        auto const places = places_of(nodes, always);
        values_.build({places.data(), nodes.size()}, nodes[0]->derivative.size(),
                      [&](std::size_t k, std::size_t r, std::size_t i) {
                          if (r == 0) return value(nodes[k]->x)[i];
                          if constexpr (State::is_motion)
                              return r == 1 ? nodes[k]->x.velocity[i] * length
                                            : nodes[k]->derivative[i] * (length * length / T(2));
                          else return nodes[k]->derivative[i] * length;
                      });
    }
    /// Gives velocities a polynomial of their own.
    void build_slopes(std::span<node const* const> nodes)
        requires(State::is_motion)
    {
        T const length = to_ - from_;
        auto const places = places_of(nodes, 1);
        slopes_.build({places.data(), nodes.size()}, nodes[0]->derivative.size(),
                      [&](std::size_t k, std::size_t r, std::size_t i) {
                          return r == 0 ? nodes[k]->x.velocity[i] : nodes[k]->derivative[i] * length;
                      });
        own_slopes_ = true;
    }
    void use_own_slopes(bool own) { own_slopes_ = own; }
    /// Velocities as they are least in doubt; nodes inside the step tell more than slopes between them.
    void choose_slopes(detail::chosen_nodes<State> const& chosen) {
        if constexpr (State::is_motion) {
            auto const& end = chosen.all[1]->x;
            std::array<T, 2> const size{max_norm(end.position), max_norm(end.velocity)};
            auto const relative = [&size](std::size_t part, std::size_t) { return size[part]; };
            T const by_slope = doubt(end.position.size(), relative);
            build_slopes(chosen.nodes());
            own_slopes_ = chosen.has_inside || doubt(end.position.size(), relative) <= by_slope;
        } else {
            static_cast<void>(chosen);
        }
    }

    /// Whether a time is inside the step, its ends excluded.
    [[nodiscard]] bool covers(T t) const { return from_ < to_ ? from_ < t && t < to_ : to_ < t && t < from_; }
    void at(T t, State& out) const {
        T const s = (t - from_) * inverse_length_;
        detail::for_each_index<typename State::vector>(value(out).size(), [&](std::size_t i) {
            auto const [x, slope] = values_.at(s, i);
            value(out)[i] = x;
            if constexpr (State::is_motion)
                out.velocity[i] = own_slopes_ ? slopes_.at(s, i)[0] : slope * inverse_length_;
        });
    }

    /// How much is in doubt: the largest share of what is allowed that the last node adds, at three times inside the
    /// step. allowed(part, component) is what positions (part 0) or velocities (1) may be off by.
    template <class Allowed> [[nodiscard]] T doubt(std::size_t components, Allowed const& allowed) const {
        using std::abs;
        T worst(0);
        auto const note = [&worst](T ratio) { worst = ratio > worst || ratio != ratio ? ratio : worst; };
        for (T const s : {T(0.125), T(0.5), T(0.875)}) {
            auto const lever = values_.lever(s);
            std::array<T, 2> lever_of_slopes{};
            if (own_slopes_) lever_of_slopes = slopes_.lever(s);
            for (std::size_t i = 0; i < components; ++i) {
                auto const [more, steeper] = values_.added(lever, s, i);
                note(abs(more) / allowed(0U, i));
                if constexpr (State::is_motion) {
                    T const rounding = T(16) * std::numeric_limits<T>::epsilon() * abs(values_.first(i));
                    T const faster = own_slopes_ ? abs(slopes_.added(lever_of_slopes, s, i)[0])
                                                 : (abs(steeper) + rounding) * abs(inverse_length_);
                    note(faster / allowed(1U, i));
                }
            }
        }
        return worst;
    }

private:
    template <class X> [[nodiscard]] static auto& value(X& x) {
        if constexpr (State::is_motion) return x.position;
        else return x.state;
    }
    [[nodiscard]] auto places_of(std::span<node const* const> nodes, std::size_t always) const {
        std::array<typename detail::newton_form<T>::place, detail::most_nodes> places{};
        for (std::size_t k = 0; k < nodes.size(); ++k)
            places[k] = {(nodes[k]->t - from_) * inverse_length_, always + (nodes[k]->has_derivative ? 1U : 0U)};
        places[1].share = T(1);
        return places;
    }

    T from_{};
    T to_{};
    T inverse_length_{};
    bool own_slopes_ = false;
    detail::newton_form<T> values_;
    detail::newton_form<T> slopes_; // of motions
};

} // namespace lento
