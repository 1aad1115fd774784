#include <lento/problem/run.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "problem/sentences.hpp"
#include "problem/within_memory.hpp"

#include <lento/expression/compiled_formula.hpp>
#include <lento/problem/any_integrator.hpp>
#include <lento/problem/method.hpp>
#include <lento/system/phase.hpp>

namespace lento {
namespace {

template <class State>
solve_options<State> options_of(problem const& what, prepared_run const& ready, run_controls const& controls) {
    solve_options<State> made;
    made.start = what.start;
    made.end = what.end;
    made.output_times = what.output_times;
    made.given = what.given;
    made.report = what.report;
    made.project = what.project;
    made.max_steps = ready.max_steps;
    made.max_evaluations = controls.max_evaluations;
    made.interrupt = controls.interrupt;
    made.progress = controls.progress;
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
void attempt(problem const& what, chosen_method& chosen, run_controls const& controls, problem_run& into) {
    auto ready = chosen.row->make(what, *chosen.options, chosen.automatic);
    into.reasons.insert(into.reasons.end(), ready.reasons.begin(), ready.reasons.end());
    into.full = ready.full;
    if (what.report == reported_state::full && !ready.lifts)
        throw does_not_apply("this method follows the slow motion alone; report = \"full\" needs one that knows the "
                             "fast motion too");
    if (ready.in_one_piece) {
        take(ready.in_one_piece({ready.position, ready.velocity}, options_of<any_motion>(what, ready, controls)), into);
    } else if (auto* work = std::get_if<std::unique_ptr<stepping<any_motion>>>(&ready.stepping)) {
        any_motion start{std::move(ready.position), std::move(ready.velocity)};
        any_motion_integrator run(std::move(*work), std::move(start), options_of<any_motion>(what, ready, controls));
        take(detail::run_within_memory(run, what.output_times.size()), into);
    } else {
        any_point_integrator run(std::move(std::get<std::unique_ptr<stepping<any_point>>>(ready.stepping)),
                                 {std::move(ready.position)}, options_of<any_point>(what, ready, controls));
        take(detail::run_within_memory(run, what.output_times.size()), into);
    }
    if (ready.leave) ready.leave(into);
    require_numbers(what, into);
}

void observe(problem const& what, problem_run& run) {
    if (!what.observe) return;
    auto const formulas = what.observe.compile();
    auto work = formulas.work();
    std::vector<double> values(what.observables.size());
    std::vector<double> theta(what.frequencies().size());
    std::vector<double> const none;
    for (std::size_t row = 0; row < run.t.size(); ++row) {
        for (std::size_t j = 0; j < theta.size(); ++j)
            theta[j] = reduced_phase(what.phases()[j], what.frequencies()[j], run.t[row]);
        formulas.evaluate({.position = run.position[row],
                           .velocity = what.first_order ? none : run.velocity[row],
                           .phase = theta,
                           .time = run.t[row]},
                          values, work);
        for (std::size_t i = 0; i < values.size(); ++i) run.observables[i].push_back(values[i]);
    }
}

/// What an earlier try took besides its steps, which were not taken.
void add_work(statistics const& spent, statistics& to) {
    auto const steps = std::pair(to.macro_steps, to.macro_rejected);
    to += spent;
    std::tie(to.macro_steps, to.macro_rejected) = steps;
}

void run_chosen(problem const& what, chosen_method& chosen, run_controls const& controls, problem_run& into) {
    statistics spent;
    try {
        do {
            if (std::exchange(into.keeps_counts, false)) spent = into.statistics;
            into.t.clear();
            into.position.clear();
            into.velocity.clear();
            try {
                attempt(what, chosen, controls, into);
            } catch (does_not_apply const& error) { into.refuse(error.result, error.what()); }
        } while (chosen.row->again(what, *chosen.options, into, chosen.automatic));
    } catch (bad_start const& error) {
        throw problem_error(what.source, 0, "initial", detail::as_sentence(error.what()));
    } catch (misuse const& error) { throw problem_error(what.source, 0, "method", detail::as_sentence(error.what())); }
    add_work(spent, into.statistics);
}

} // namespace

std::string problem_run::method_name() const {
    auto const* name = used("name");
    return name != nullptr ? name->text : "";
}

entry const* problem_run::used(std::string_view path) const {
    entry const* at = &method;
    for (auto const& part : split_path(path))
        if (at != nullptr) at = at->find(part);
    return at;
}

problem_run run_problem(problem const& what, run_controls const& controls) {
    problem_run made;
    made.observables.assign(what.observables.size(), {});
    auto chosen = choose_method(what);
    if (chosen.row == nullptr) {
        made.refuse(outcome::not_applicable, chosen.refusal);
        made.method = what.method;
        return made;
    }
    if (chosen.automatic) made.reasons.push_back("method " + std::string(chosen.row->name) + ": " + chosen.reason);
    for (auto& column : made.observables) column.reserve(what.output_times.size()); // while there is memory for it
    run_chosen(what, chosen, controls, made);
    made.method = write(chosen);
    observe(what, made);
    return made;
}

} // namespace lento
