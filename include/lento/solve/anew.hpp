#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/solve/solve.hpp>

namespace lento {

namespace detail {

/// Where initial value problems begin anew: at equal intervals, the last of which may be shorter.
[[nodiscard]] inline std::vector<double> beginnings(double start, double end, double every) {
    constexpr double most = 1e6;
    double const span = std::abs(end - start);
    if (!(every > 0) || span / every > most)
        throw misuse("a run of " + show(span) + " cannot begin anew after every " + show(every) +
                     "; take an interval of at least " + show(span / most));
    std::vector<double> times{start};
    double const step = end > start ? every : -every;
    for (int k = 1; std::abs(k * step) < span * (1 - 1e-9); ++k) times.push_back(start + k * step);
    times.push_back(end);
    return times;
}

/// The rows, counts and warnings of a later part of a run. What a part says again is not said twice.
template <class State> void append(solution<State>& whole, solution<State>&& part, bool reports_end) {
    std::size_t const rows = part.t.size() - (part.t.empty() || reports_end ? 0 : 1);
    auto const move_rows = [&](auto& from, auto& to) {
        for (std::size_t i = 0; i < std::min(rows, from.size()); ++i) to.push_back(std::move(from[i]));
    };
    move_rows(part.t, whole.t);
    if constexpr (State::is_motion) {
        move_rows(part.position, whole.position);
        move_rows(part.velocity, whole.velocity);
    } else {
        move_rows(part.state, whole.state);
    }
    move_rows(part.multipliers, whole.multipliers);
    move_rows(part.mean_multipliers, whole.mean_multipliers);
    whole.statistics += part.statistics;
    whole.result = part.result;
    whole.message = std::move(part.message);
    whole.end = part.end;
    for (auto& each : part.warnings)
        if (std::none_of(whole.warnings.begin(), whole.warnings.end(),
                         [&](warning const& told) { return told.code == each.code; }))
            whole.warnings.push_back(std::move(each));
}

} // namespace detail

/// A run as a sequence of initial value problems: after every so long a time the stepper begins anew from the state
/// that it has reached, which the system then lowers as it does a start. An averaged stiff system is so projected back
/// onto its slow manifold (paper 000, section 4.3), and the step control of a code knows nothing of what was before.
/// Rows are those at the output times, at a new beginning the state before it; neither events nor dense output are
/// kept.
template <class System, class Stepper, class State>
[[nodiscard]] solution<State> solve_anew(System const& system, Stepper const& stepper, State initial,
                                         std::type_identity_t<solve_options<State>> const& options, double every) {
    if (!options.events.empty() || options.dense || !options.observables.empty())
        throw misuse("a run that begins anew keeps no events, observables or dense output; solve its parts one by one");
    if (options.output_times.empty()) throw misuse("a run that begins anew reports at output times; give them");
    auto const times = detail::beginnings(options.start, options.end, every);
    bool const backward = options.end < options.start;
    auto const is_later = [&](double a, double b) { return backward ? a < b : a > b; };
    solution<State> whole;
    auto next = options.output_times.begin();
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
        auto piece = options;
        piece.start = times[k];
        piece.end = times[k + 1];
        if (k > 0) piece.given = initial_state::physical;
        auto const first = next;
        while (next != options.output_times.end() && !is_later(*next, piece.end)) ++next;
        piece.output_times.assign(first, next);
        bool const reports_end = first != next && *(next - 1) == piece.end;
        if (!reports_end) piece.output_times.push_back(piece.end); // to go on from
        piece.max_steps -= std::min(piece.max_steps, whole.statistics.macro_steps);
        piece.max_evaluations -= std::min(piece.max_evaluations, whole.statistics.force_evaluations);
        auto part = solve(system, stepper, initial, piece);
        bool const arrived = exit_code(part.result) == 0 && !part.t.empty();
        if (arrived) {
            if constexpr (State::is_motion) initial = {part.position.back(), part.velocity.back()};
            else initial = {part.state.back()};
        }
        detail::append(whole, std::move(part), reports_end || !arrived);
        if (!arrived) break;
    }
    return whole;
}

} // namespace lento
