#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/base/outcome.hpp>
#include <lento/base/statistics.hpp>
#include <lento/solve/interpolation.hpp>

namespace lento {

namespace detail {

/// Rows of output: positions and velocities, or states.
template <class State> struct rows {
    std::vector<typename State::vector> position;
    std::vector<typename State::vector> velocity;
    void reserve(std::size_t n) {
        position.reserve(n);
        velocity.reserve(n);
    }
    void push(State const& x) {
        position.push_back(x.position);
        velocity.push_back(x.velocity);
    }
};
template <class State>
    requires(!State::is_motion)
struct rows<State> {
    std::vector<typename State::vector> state;
    void reserve(std::size_t n) { state.reserve(n); }
    void push(State const& x) { state.push_back(x.state); }
};

} // namespace detail

/// An event that happened: which of the given ones, when, and the state there.
template <class State> struct event_hit {
    std::size_t event = 0;
    double t = 0;
    State x;
};

/// What a run gives: rows at the output times (`t`, and `position` and `velocity`, or `state`), observables a column
/// each, how it ended and what it cost. True when it ended well.
template <class State> class solution : public detail::rows<State> {
public:
    std::vector<double> t;
    std::vector<std::vector<double>> observables;
    std::vector<std::vector<double>> multipliers;      ///< a row per time, with constraints
    std::vector<std::vector<double>> mean_multipliers; ///< the same, the mean of the window added
    std::vector<event_hit<State>> events;
    outcome result = outcome::success;
    std::string message;
    double end = 0; ///< how far the run came
    std::vector<warning> warnings;
    lento::statistics statistics;
    std::vector<dense_node<State>> nodes; ///< the ends of all steps, kept on request
    std::size_t nodes_needed = 2;
    std::vector<dense_node<State>> nodes_inside; ///< points inside steps that are too long to interpolate over
    bool checks_rows = false;                    ///< whether such points were looked for

    explicit operator bool() const { return exit_code(result) == 0; }

    /// The solution at any time of the run; it must have been asked for (`dense = true`).
    [[nodiscard]] State at(double time) const {
        if (nodes.empty())
            throw misuse("the solution was not kept between its output times; ask solve for dense = true");
        double const first_time = static_cast<double>(nodes.front().t);
        bool const backward = nodes.back().t < nodes.front().t;
        double const last_node = static_cast<double>(nodes.back().t); // a terminal event lies inside a step
        double const last_time = backward ? std::max(end, last_node) : std::min(end, last_node);
        if (!(backward ? time <= first_time && time >= last_time : time >= first_time && time <= last_time))
            throw misuse("the solution reaches from " + show(first_time) + " to " + show(last_time) +
                         ", but it is asked for at " + show(time));
        State out = nodes.front().x;
        if (nodes.size() == 1) return out;
        using T = typename dense_node<State>::T;
        auto const next =
            std::lower_bound(nodes.begin() + 1, nodes.end() - 1, T(time), [backward](auto const& node, T const& when) {
                return backward ? node.t > when : node.t < when;
            });
        auto const last = static_cast<std::size_t>(next - nodes.begin());
        // the step's own ends, and as many neighbours as needed, evenly on both sides where there are
        std::size_t const wanted = std::min(nodes.size(), nodes_needed + (nodes.back().has_derivative ? 0 : 1));
        std::size_t first = last + wanted / 2 < wanted ? 0 : last + wanted / 2 - wanted;
        first = std::min(first, nodes.size() - wanted);
        auto const around = std::span<dense_node<State> const>(nodes).subspan(first, wanted);
        detail::chosen_nodes<State> const chosen(around, last - 1 - first, inside_of(last - 1));
        step_interpolant<State> step;
        step.build(chosen.nodes());
        if (checks_rows) step.choose_slopes(chosen);
        step.at(T(time), out);
        return out;
    }

private:
    [[nodiscard]] std::span<dense_node<State> const> inside_of(std::size_t step) const {
        auto const in_order = [backward = nodes.back().t < nodes.front().t](auto const& a, auto const& b) {
            return backward ? a.t > b.t : a.t < b.t;
        };
        auto const begin = std::upper_bound(nodes_inside.begin(), nodes_inside.end(), nodes[step], in_order);
        return {begin, std::lower_bound(begin, nodes_inside.end(), nodes[step + 1], in_order)};
    }
};

} // namespace lento
