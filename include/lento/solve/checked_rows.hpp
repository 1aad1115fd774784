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

#include <lento/solve/interpolation.hpp>
#include <lento/stepper/combination.hpp>

namespace lento::detail {

/// Rows between long steps. Through the ends of steps of high order a polynomial may miss what is between, most of all
/// in the first and last steps, which have no nodes on one side: whether it does is seen by what the farthest node adds
/// to it, held against the error of steps, which is measured now and then by taking one in halves. Where a polynomial
/// is not good enough, shorter steps from the beginning of the step tell: one for a row, or where there are many rows
/// two to five that give nodes inside.
template <class State> class checked_rows {
public:
    using node = dense_node<State>;
    using T = typename node::T;

    checked_rows() = default;
    /// Errors of steps are measured in units of these tolerances, which step control keeps them near to; with steps of
    /// fixed length (both are 0) as they are.
    checked_rows(double rtol, double atol, node const& room)
        : rtol_(T(rtol)), atol_(T(rtol == 0 && atol == 0 ? 1 : atol)) {
        inner_.fill(room);
    }

    /// How many nodes a method of this order wants, on both sides of a step together.
    [[nodiscard]] static constexpr std::size_t nodes_for(int order) {
        std::size_t const enough = nodes_for_order<State>(order) + 1; // one of them for the check
        return std::min(enough + enough % 2, most_nodes - 1);
    }

    /// The state at a time within the known nodes, in a step from which so many rows are wanted. step_aside(from, h,
    /// to, derivative) takes a shorter step; false where it cannot.
    template <class StepAside>
    void at(std::span<node const> known, T t, std::size_t rows, State& out, StepAside const& step_aside) {
        std::size_t const step = step_of_time<State>(known, t);
        bool const good = is_good(known, step, step_aside);
        constexpr std::size_t few = 2;
        if (!good && known_inside_ == 0 && rows <= few &&
            step_aside(known[step], t - known[step].t, inner_[0], false)) {
            out = inner_[0].x;
            return;
        }
        if (!good && known_inside_ == 0) look_inside(known, step, step_aside);
        inside_.at(t, out);
    }
    /// Whether the polynomials that there are serve a time, while no node comes that is newer than this one.
    [[nodiscard]] bool serves(T t, T newest) const {
        return made_for_ && (*made_for_)[1] == newest && (good_ || known_inside_ > 0) && inside_.covers(t);
    }
    void at(T t, State& out) const { inside_.at(t, out); }

    /// Nodes inside a step, where its ends and those of others are not enough to tell what is there.
    template <class StepAside>
    [[nodiscard]] std::span<node> inside(std::span<node const> known, std::size_t step, StepAside const& step_aside) {
        if (!is_good(known, step, step_aside) && known_inside_ == 0) look_inside(known, step, step_aside);
        return {inner_.data(), known_inside_};
    }
    /// Whether an interpolant of the stepper's own is as good as its steps, from its value in the middle of one.
    template <class StepAside>
    [[nodiscard]] bool is_as_good(node const& from, node const& to, State const& middle, StepAside const& step_aside) {
        made_for_.reset(); // the nodes inside are needed for this
        T const half = (to.t - from.t) / T(2);
        if (!measure(from, to, half, step_aside)) return true; // nothing tells otherwise
        set_rounding(to.x);
        bool good = true;
        std::size_t number = 0;
        for_each_part(middle, [&](auto part) {
            auto const& exact = part(inner_[0].x);
            using std::abs;
            for (std::size_t i = 0; i < exact.size(); ++i)
                good = good && abs(part(middle)[i] - exact[i]) <= allowed(T(1), number, exact[i]);
            ++number;
        });
        return good;
    }

    static auto members(auto& self) { return std::tie(self.measured_, self.bad_steps_, self.next_look_); }

private:
    /// Whether the ends of steps are enough to tell what is inside one.
    template <class StepAside>
    [[nodiscard]] bool is_good(std::span<node const> known, std::size_t step, StepAside const& step_aside) {
        std::array<T, 2> const asked{known[step].t, known.back().t};
        if (made_for_ == asked) return good_;
        made_for_ = asked;
        known_inside_ = 0;
        good_ = interpolates_well(known, step);
        if (!good_ && ++bad_steps_ >= next_look_) {
            next_look_ = 2 * bad_steps_;
            T const half = (known[step + 1].t - known[step].t) / T(2);
            good_ = measure(known[step], known[step + 1], half, step_aside) && interpolates_well(known, step);
        }
        return good_;
    }
    /// What is below rounding is good enough.
    void set_rounding(State const& x) {
        constexpr T rounding = T(256) * std::numeric_limits<T>::epsilon();
        std::size_t number = 0;
        for_each_part(x, [&](auto part) { rounding_[number++] = rounding * max_norm(part(x)); });
    }
    /// How much a component of that size may be off, as a share of the error of steps.
    [[nodiscard]] T allowed(T share, std::size_t part, T size) const {
        using std::abs;
        return share * measured_[part] * (atol_ + rtol_ * abs(size)) + rounding_[part];
    }
    /// The error of a step, as its difference to two steps of half the length: the largest component of positions, and
    /// of velocities. The middle stays in inner_[0].
    template <class StepAside>
    [[nodiscard]] bool measure(node const& from, node const& to, T half, StepAside const& step_aside) {
        if (!step_aside(from, half, inner_[0], true) || !step_aside(inner_[0], half, inner_[1], false)) return false;
        std::size_t number = 0;
        for_each_part(to.x, [&](auto part) {
            using std::abs;
            auto const& end = part(to.x);
            T& most = measured_[number++];
            for (std::size_t i = 0; i < end.size(); ++i) {
                T const off = abs(part(inner_[1].x)[i] - end[i]);
                if (off > T(0)) most = std::max(most, off / (atol_ + rtol_ * abs(end[i])));
            }
        });
        return true;
    }
    template <class StepAside>
    void look_inside(std::span<node const> known, std::size_t step, StepAside const& step_aside) {
        T const length = known[step + 1].t - known[step].t;
        for (double const share : {0.25, 0.75, 0.5, 0.1, 0.9}) {
            bool const in_pairs = known_inside_ == 2 || known_inside_ == 3;
            if (in_pairs && interpolates_well(known, step)) return;
            if (!step_aside(known[step], T(share) * length, inner_[known_inside_], true)) break;
            ++known_inside_;
        }
        static_cast<void>(interpolates_well(known, step)); // as well as it can
    }
    /// Makes the polynomials through a step's ends, what is known inside and some nodes around it, and looks at them.
    [[nodiscard]] bool interpolates_well(std::span<node const> known, std::size_t step) {
        chosen_nodes<State> const chosen(known, step, {inner_.data(), known_inside_});
        inside_.build(chosen.nodes());
        set_rounding(known[step + 1].x);
        // without nodes on both sides each adds little more than the one before, so that little doubt says less
        T const share = known_inside_ > 0 || chosen.lies_between ? T(1) : T(1) / T(8);
        auto const may_be_off = [&](std::size_t part, std::size_t i) {
            return allowed(share, part, component(known[step + 1].x, part, i));
        };
        std::size_t const components = known[step].derivative.size();
        T const by_slope = inside_.doubt(components, may_be_off);
        if constexpr (State::is_motion) {
            if (known_inside_ == 0 && by_slope <= T(1)) return true;
            inside_.build_slopes(chosen.nodes());
            T const by_own = inside_.doubt(components, may_be_off);
            inside_.use_own_slopes(known_inside_ > 0 || by_own <= by_slope);
            return by_own <= T(1);
        }
        return by_slope <= T(1);
    }
    [[nodiscard]] static T component(State const& x, std::size_t part, std::size_t i) {
        if constexpr (State::is_motion) return part == 0 ? x.position[i] : x.velocity[i];
        else return static_cast<void>(part), x.state[i];
    }

    T rtol_{};
    T atol_{1};
    std::array<T, 2> measured_{}; // the errors of steps, in positions and velocities
    std::array<T, 2> rounding_{};
    std::uint64_t bad_steps_ = 0;
    std::uint64_t next_look_ = 1;
    std::array<node, 5> inner_;
    std::size_t known_inside_ = 0; // how many of them
    step_interpolant<State> inside_;
    bool good_ = false;
    std::optional<std::array<T, 2>> made_for_; // a step's beginning, and the newest node known then
};

} // namespace lento::detail
