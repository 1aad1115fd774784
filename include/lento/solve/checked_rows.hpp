#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <lento/solve/interpolation.hpp>
#include <lento/stepper/combination.hpp>

namespace lento::detail {

/// Hermite interpolation through some nodes, made once for all times inside a step: Newton's form for every component,
/// with the nodes in the order in which they are given.
template <class T> class step_polynomial {
public:
    /// A node: its share of the step, and how many derivatives are known there, the value included.
    struct place {
        T share{};
        std::size_t data = 0;
    };

    /// datum(node, derivative, component) gives a derivative over its factorial, in the time of the step. The last node
    /// counts least: see `doubt`.
    template <class Datum> void build(std::span<place const> nodes, std::size_t components, Datum const& datum) {
        components_ = components;
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
    /// Value and slope.
    [[nodiscard]] std::array<T, 2> at(T s, std::size_t i) const { return sum(s, i, 0); }
    /// What the last node adds to them.
    [[nodiscard]] std::array<T, 2> doubt(T s, std::size_t i) const { return sum(s, i, last_); }

private:
    static constexpr std::size_t most = most_nodes * most_data;

    template <class Datum> void divide(std::size_t i, Datum const& datum) {
        std::array<T, most> column{};
        for (std::size_t k = 0; k < size_; ++k) column[k] = datum(node_[k], 0U, i);
        newton_[i] = column[0];
        for (std::size_t level = 1; level < size_; ++level) {
            for (std::size_t k = 0; k + level < size_; ++k) {
                std::size_t const left = node_[k];
                std::size_t const right = node_[k + level];
                column[k] = left == right ? datum(left, level, i) : (column[k + 1] - column[k]) * inverse_[left][right];
            }
            newton_[level * components_ + i] = column[0];
        }
    }
    /// The terms from one on, by Horner's scheme.
    [[nodiscard]] std::array<T, 2> sum(T s, std::size_t i, std::size_t from) const {
        T value = newton_[(size_ - 1) * components_ + i];
        T slope(0);
        for (std::size_t k = size_ - 1; k-- > 0;) {
            slope = value + slope * (s - share_[k]);
            value = value * (s - share_[k]) + (k < from ? T(0) : newton_[k * components_ + i]);
        }
        return {value, slope};
    }

    std::array<T, most> share_{};
    std::array<std::size_t, most> node_{};
    std::array<std::array<T, most_nodes>, most_nodes> inverse_{};
    std::size_t size_ = 0;
    std::size_t last_ = 0; // where the data of the last node begin
    std::size_t components_ = 0;
    std::vector<T> newton_;
};

/// Rows between long steps. Through the ends of steps of high order a polynomial may miss what is between, most of all
/// in the first and last steps, which have no nodes on one side: whether it does is seen by what the farthest node adds
/// to it. Where that is too much, shorter steps from the beginning of the step tell: one for a row, or where there are
/// many rows two to five that give nodes inside.
template <class State> class checked_rows {
public:
    using node = dense_node<State>;
    using T = typename node::T;

    checked_rows() = default;
    /// So much of the tolerance may be in doubt. Tolerances of 0: steps of fixed length, whose error is found by taking
    /// some of them in halves.
    checked_rows(double rtol, double atol, double share, node const& room)
        : rtol_(rtol), atol_{atol, atol}, share_(share), measures_(rtol == 0 && atol == 0) {
        inner_.fill(room);
    }

    [[nodiscard]] bool of_fixed_steps() const { return measures_; }
    /// How many nodes a method of this order wants, on both sides of a step together.
    [[nodiscard]] static constexpr std::size_t nodes_for(int order) {
        std::size_t const enough = nodes_for_order<State>(order) + 1; // one of them for the check
        return std::min(enough + enough % 2, most_nodes - 1);
    }

    /// The state at a time within the known nodes, in a step from which so many rows are wanted. step_aside(from, h,
    /// to, derivative) takes a shorter step; false where it cannot.
    template <class StepAside>
    void at(std::span<node const> known, T t, std::size_t rows, State& out, StepAside const& step_aside) {
        bool const backward = known.back().t < known.front().t;
        std::size_t step = 0;
        while (step + 2 < known.size() && (backward ? known[step + 1].t > t : known[step + 1].t < t)) ++step;
        bool const good = is_good(known, step, step_aside);
        constexpr std::size_t few = 2;
        if (!good && known_inside_ == 0 && rows <= few &&
            step_aside(known[step], t - known[step].t, inner_[0], false)) {
            out = inner_[0].x;
            return;
        }
        if (!good && known_inside_ == 0) look_inside(known, step, step_aside);
        evaluate((t - from_) / length_, out);
    }
    /// The same from nodes inside the step that are known already.
    void at(std::span<node const> known, std::size_t step, std::span<node const> inside, T t, State& out) {
        known_inside_ = std::min(inside.size(), inner_.size());
        std::copy_n(inside.begin(), known_inside_, inner_.begin());
        rtol_ = 1; // for a choice of polynomials
        static_cast<void>(interpolates_well(known, step, share_));
        evaluate((t - from_) / length_, out);
    }
    /// Nodes inside a step, where its ends and those of others are not enough to tell what is there.
    template <class StepAside>
    [[nodiscard]] std::span<node> inside(std::span<node const> known, std::size_t step, StepAside const& step_aside) {
        if (!is_good(known, step, step_aside) && known_inside_ == 0) look_inside(known, step, step_aside);
        return {inner_.data(), known_inside_};
    }
    /// Whether the ends of steps are enough to tell what is inside one.
    template <class StepAside>
    [[nodiscard]] bool is_good(std::span<node const> known, std::size_t step, StepAside const& step_aside) {
        std::array<T, 2> const asked{known[step].t, known.back().t};
        if (made_for_ == asked) return good_;
        made_for_ = asked;
        known_inside_ = 0;
        double const allowed = lies_between(known, step) ? share_ : share_ / 8;
        if (measures_) allow_rounding(known[step + 1].x, allowed);
        good_ = interpolates_well(known, step, allowed);
        if (!good_ && measures_ && ++bad_steps_ >= next_look_) {
            next_look_ = 2 * bad_steps_;
            measure(known, step, step_aside);
            allow_rounding(known[step + 1].x, allowed);
            good_ = interpolates_well(known, step, allowed);
        }
        return good_;
    }

    static auto members(auto& self) { return std::tie(self.measured_, self.bad_steps_, self.next_look_); }

private:
    /// Whether there are as many nodes on either side, none of them far nearer than the step is long.
    [[nodiscard]] static bool lies_between(std::span<node const> known, std::size_t step) {
        std::size_t const beside = known.size() / 2 - 1;
        if (known.size() < 4 || step < beside || step + 1 + beside >= known.size()) return false;
        return uncrowded<State>(known, (known[step].t + known[step + 1].t) / T(2)).size() == known.size();
    }
    /// What is below rounding is good enough.
    void allow_rounding(State const& x, double allowed) {
        atol_ = measured_;
        constexpr auto rounding = static_cast<double>(1024 * std::numeric_limits<T>::epsilon());
        std::size_t number = 0;
        for_each_part(x, [&](auto part) {
            double& most = atol_[number++];
            for (auto const& value : part(x))
                most = std::max(most, rounding * std::abs(static_cast<double>(value)) / allowed);
        });
    }
    /// The error of a step of fixed length, as its difference to two steps of half the length: the largest component of
    /// positions, and of velocities.
    template <class StepAside>
    void measure(std::span<node const> known, std::size_t step, StepAside const& step_aside) {
        T const half = (known[step + 1].t - known[step].t) / T(2);
        if (!step_aside(known[step], half, inner_[0], true) || !step_aside(inner_[0], half, inner_[1], false)) return;
        std::size_t number = 0;
        for_each_part(known[step].x, [&](auto part) {
            auto const& end = part(known[step + 1].x);
            double& most = measured_[number++];
            for (std::size_t i = 0; i < end.size(); ++i)
                most = std::max(most, std::abs(static_cast<double>(part(inner_[1].x)[i] - end[i])));
        });
    }
    template <class StepAside>
    void look_inside(std::span<node const> known, std::size_t step, StepAside const& step_aside) {
        T const length = known[step + 1].t - known[step].t;
        for (double const share : {0.25, 0.75, 0.5, 0.1, 0.9}) {
            bool const in_pairs = known_inside_ == 2 || known_inside_ == 3;
            if (in_pairs && interpolates_well(known, step, share_)) return;
            if (!step_aside(known[step], T(share) * length, inner_[known_inside_], true)) break;
            ++known_inside_;
        }
        static_cast<void>(interpolates_well(known, step, share_)); // as well as it can
    }
    /// Makes the polynomials through a step's ends, what is known inside and some nodes around it, and looks at them.
    [[nodiscard]] bool interpolates_well(std::span<node const> known, std::size_t step, double allowed) {
        std::array<node const*, most_nodes> chosen{&known[step], &known[step + 1]};
        std::size_t count = 2;
        for (std::size_t k = 0; k < known_inside_; ++k) chosen[count++] = &inner_[k];
        auto const around = uncrowded<State>(known, (chosen[0]->t + chosen[1]->t) / T(2));
        node const* left = chosen[0]; // nearest first
        node const* right = chosen[1];
        for (bool more = true; more && count < chosen.size();) {
            bool const has_left = left != &around.front();
            bool const has_right = right != &around.back();
            more = has_left || has_right;
            using std::abs;
            if (has_left && (!has_right || abs((left - 1)->t - chosen[0]->t) <= abs((right + 1)->t - chosen[1]->t)))
                chosen[count++] = --left;
            else if (has_right) chosen[count++] = ++right;
        }
        build({chosen.data(), count});
        own_slopes_ = false;
        double const by_slope = known_inside_ == 0 ? doubt() : std::numeric_limits<double>::infinity();
        own_slopes_ = State::is_motion;
        double const by_own = doubt();
        own_slopes_ = by_own <= by_slope;
        return std::min(by_own, by_slope) <= allowed;
    }
    /// The largest doubt in a step, in units of the tolerance.
    [[nodiscard]] double doubt() const {
        double worst = 0;
        for (T const s : {T(0.125), T(0.5), T(0.875)})
            for (std::size_t i = 0; i < components_; ++i) worst = worse(worst, doubt(s, i));
        return worst;
    }
    [[nodiscard]] double doubt(T s, std::size_t i) const {
        auto const [x, slope] = values_.at(s, i);
        auto const [more, steeper] = values_.doubt(s, i);
        double const in_value = error_ratio(more, x, x, rtol_, atol_[0]);
        if constexpr (!State::is_motion) return in_value;
        T const v = (own_slopes_ ? slopes_.at(s, i)[0] : slope) / length_;
        T const rounding = T(16) * std::numeric_limits<T>::epsilon() * x;
        T const faster = (own_slopes_ ? slopes_.doubt(s, i)[0] : std::abs(steeper) + std::abs(rounding)) / length_;
        return worse(in_value, error_ratio(faster, v, v, rtol_, atol_[1]));
    }
    void evaluate(T s, State& out) const {
        for (std::size_t i = 0; i < value(out).size(); ++i) {
            auto const [x, slope] = values_.at(s, i);
            value(out)[i] = x;
            if constexpr (State::is_motion) out.velocity[i] = (own_slopes_ ? slopes_.at(s, i)[0] : slope) / length_;
        }
    }
    template <class X> [[nodiscard]] static auto& value(X& x) {
        if constexpr (State::is_motion) return x.position;
        else return x.state;
    }
    /// Velocities have a polynomial of their own. The slope of that of positions is more accurate as such, but
    /// multiplies rounding and the errors of steps: by 4 over the length of the step between three nodes on either
    /// side, by 20 to 80 with nodes inside or on one side only.
    void build(std::span<node const* const> nodes) {
        from_ = nodes[0]->t;
        length_ = nodes[1]->t - from_;
        std::array<typename step_polynomial<T>::place, most_nodes> places{};
        constexpr std::size_t always = State::is_motion ? 2 : 1;
        for (std::size_t k = 0; k < nodes.size(); ++k)
            places[k] = {(nodes[k]->t - from_) / length_, always + (nodes[k]->has_derivative ? 1U : 0U)};
        components_ = nodes[0]->derivative.size();
        values_.build({places.data(), nodes.size()}, components_, [&](std::size_t k, std::size_t r, std::size_t i) {
            if (r == 0) return value(nodes[k]->x)[i];
            if constexpr (State::is_motion)
                return r == 1 ? nodes[k]->x.velocity[i] * length_
                              : nodes[k]->derivative[i] * (length_ * length_ / T(2));
            else return nodes[k]->derivative[i] * length_;
        });
        if constexpr (State::is_motion) {
            for (std::size_t k = 0; k < nodes.size(); ++k) --places[k].data;
            slopes_.build({places.data(), nodes.size()}, components_, [&](std::size_t k, std::size_t r, std::size_t i) {
                return r == 0 ? nodes[k]->x.velocity[i] * length_ : nodes[k]->derivative[i] * (length_ * length_);
            });
        }
    }

    double rtol_ = 0;
    std::array<double, 2> atol_{};     // of positions and velocities
    std::array<double, 2> measured_{}; // the errors of steps of fixed length
    double share_ = 1;
    bool measures_ = false;
    std::uint64_t bad_steps_ = 0;
    std::uint64_t next_look_ = 1;
    std::array<node, 5> inner_;
    std::size_t known_inside_ = 0; // how many of them
    step_polynomial<T> values_;
    step_polynomial<T> slopes_; // of motions
    T from_{};
    T length_{};
    std::size_t components_ = 0;
    bool own_slopes_ = false; // velocities by these
    bool good_ = false;
    std::optional<std::array<T, 2>> made_for_; // a step's beginning, and the newest node known then
};

} // namespace lento::detail
