#include "problem/single_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/sentences.hpp"
#include "problem/within_memory.hpp"

#include <lento/problem/any_integrator.hpp>

namespace lento::detail {
namespace {

/// What a method adds to the coordinates comes after them; a map has velocities beside positions.
template <class State>
std::function<void(double, State const&)> seen_by(problem const& what, motion_observer const& observer) {
    if (!observer) return {};
    return [&observer, size = what.size, first_order = what.first_order](double t, State const& x) {
        if constexpr (State::is_motion) {
            observer(t, std::span(x.position).first(size), std::span(x.velocity).first(size));
        } else {
            std::span<double const> const all(x.state);
            observer(t, all.first(size), first_order ? std::span<double const>() : all.subspan(size, size));
        }
    };
}

template <class State> solve_options<State> options_of(problem const& what, prepared_run const& ready,
                                                       run_controls const& controls, motion_observer const& observer) {
    solve_options<State> made;
    made.start = what.start;
    made.end = what.end;
    made.output_times = what.output_times;
    made.given = what.given;
    made.report = what.report;
    made.project = what.project == start_projection::constraints;
    made.max_steps = ready.max_steps;
    made.max_evaluations = controls.max_evaluations;
    made.interrupt = controls.interrupt;
    made.progress = controls.progress;
    made.observer = seen_by<State>(what, observer);
    return made;
}

template <class State> void take(solution<State> solved, problem_run& into) {
    into.result = solved.result;
    into.message = std::move(solved.message);
    into.warnings = std::move(solved.warnings);
    into.statistics = solved.statistics;
    into.t = std::move(solved.t);
    into.multipliers = std::move(solved.multipliers);
    into.mean_multipliers = std::move(solved.mean_multipliers);
    if constexpr (State::is_motion) {
        into.position = std::move(solved.position);
        into.velocity = std::move(solved.velocity);
    } else {
        into.position = std::move(solved.state);
        into.velocity.clear();
    }
}

/// What is reported are numbers: rows end before the first that is none, and then the run has not succeeded.
void require_numbers(problem const& what, problem_run& run) {
    std::size_t good = 0;
    for (; good < run.t.size(); ++good) {
        auto const bad = [&](std::vector<std::vector<double>> const& rows) {
            if (good >= rows.size()) return what.size;
            auto const at = std::find_if_not(rows[good].begin(), rows[good].end(),
                                             [](double value) { return std::isfinite(value); });
            return at == rows[good].end() ? what.size : static_cast<std::size_t>(at - rows[good].begin());
        };
        auto const slot = std::min(bad(run.position), bad(run.velocity));
        if (slot == what.size) continue;
        if (exit_code(run.result) == 0)
            run.refuse(outcome::non_finite, "the reported state is not finite: " + what.coordinate_name(slot) +
                                                " at t = " + show(run.t[good]) +
                                                "; what is reported lies beyond double precision");
        break;
    }
    run.t.resize(good);
    for (auto* rows : {&run.position, &run.velocity, &run.multipliers, &run.mean_multipliers})
        rows->resize(std::min(rows->size(), good));
}

/// One try: what the method makes of the problem, run.
void attempt(problem const& what, chosen_method& chosen, run_controls const& controls, motion_observer const& observer,
             problem_run& into) {
    auto ready = chosen.row->make(what, *chosen.options, chosen.automatic);
    into.reasons.insert(into.reasons.end(), ready.reasons.begin(), ready.reasons.end());
    into.full = ready.full;
    if (what.report == reported_state::full && !ready.lifts)
        throw does_not_apply("this method follows the slow motion alone; report = \"full\" needs one that knows the "
                             "fast motion too");
    if (ready.in_one_piece) {
        take(ready.in_one_piece({ready.position, ready.velocity},
                                options_of<any_motion>(what, ready, controls, observer)),
             into);
    } else if (auto* work = std::get_if<std::unique_ptr<stepping<any_motion>>>(&ready.stepping)) {
        any_motion start{std::move(ready.position), std::move(ready.velocity)};
        any_motion_integrator run(std::move(*work), std::move(start),
                                  options_of<any_motion>(what, ready, controls, observer));
        take(run_within_memory(run, what.output_times.size()), into);
    } else {
        any_point_integrator run(std::move(std::get<std::unique_ptr<stepping<any_point>>>(ready.stepping)),
                                 {std::move(ready.position)}, options_of<any_point>(what, ready, controls, observer));
        take(run_within_memory(run, what.output_times.size()), into);
    }
    if (ready.leave) ready.leave(into);
    require_numbers(what, into);
}

/// What a try took that is given up, besides its steps, which then were not taken.
void add_work(statistics spent, statistics& to) {
    spent.macro_steps = spent.macro_rejected = 0;
    to += spent;
}
void forget_rows(problem_run& run) {
    run.t.clear();
    run.warnings.clear();
    for (auto* rows : {&run.position, &run.velocity, &run.multipliers, &run.mean_multipliers}) rows->clear();
}

} // namespace

problem_run run_once(problem const& what, chosen_method& chosen, run_controls const& controls,
                     motion_observer const& observer) {
    problem_run into;
    try {
        do {
            add_work(std::exchange(into.statistics, {}), into.choosing);
            forget_rows(into);
            try {
                attempt(what, chosen, controls, observer, into);
            } catch (does_not_apply const& error) { into.refuse(error.result, error.what()); }
        } while (chosen.row->again(what, *chosen.options, into, chosen.automatic));
    } catch (bad_start const& error) {
        throw problem_error(what.source, 0, "initial", as_sentence(error.what()));
    } catch (misuse const& error) { throw problem_error(what.source, 0, "method", as_sentence(error.what())); }
    into.statistics += into.choosing;
    return into;
}

} // namespace lento::detail
