#include <lento/problem/run.hpp>

#include "problem/accuracy.hpp"
#include "problem/decision.hpp"
#include "problem/harmonics.hpp"
#include "problem/single_run.hpp"
#include "problem/slow_start.hpp"

#include <lento/expression/compiled_formula.hpp>
#include <lento/system/phase.hpp>

namespace lento {
namespace {

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

problem_run run_chosen(problem const& what, chosen_method& chosen, run_controls const& controls) {
    if (detail::is_open(what, chosen)) return detail::run_cheapest(what, chosen, controls);
    if (chosen.row->steps_alone_err) return detail::run_within_tolerance(what, chosen, controls);
    auto made = detail::run_once(what, chosen, controls);
    if (chosen.automatic && what.estimate && !(what.rtol > 0))
        made.warnings.push_back({"accuracy_not_measured", what.start,
                                 "with rtol = 0 no closure's error is measured: give rtol, or take the method direct"});
    return made;
}

problem_run run_from_slow_point(problem const& what, chosen_method& chosen, run_controls const& controls) {
    statistics projecting;
    problem_run made;
    try {
        made = run_chosen(detail::from_slow_point(what, projecting), chosen, controls);
    } catch (does_not_apply const& error) { made.refuse(error.result, error.what()); }
    made.statistics += projecting;
    return made;
}

problem_run refused(problem const& what, chosen_method const& chosen) {
    problem_run made;
    made.refuse(outcome::not_applicable, chosen.refusal);
    made.method = what.method;
    made.observables.assign(what.observables.size(), {});
    return made;
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
    std::vector<std::vector<double>> columns(what.observables.size());
    auto chosen = choose_method(what);
    if (chosen.row == nullptr && !detail::is_open(what, chosen)) return refused(what, chosen);
    for (auto& each : columns) each.reserve(what.output_times.size()); // while there is memory for it
    if (what.project == start_projection::slow_manifold) made = run_from_slow_point(what, chosen, controls);
    else made = run_chosen(what, chosen, controls);
    if (chosen.row == nullptr) return refused(what, chosen);
    if (chosen.automatic)
        made.reasons.insert(made.reasons.begin(), "method " + std::string(chosen.row->name) + ": " + chosen.reason);
    made.method = write(chosen);
    if (!chosen.automatic && what.estimate && !chosen.row->steps_alone_err && exit_code(made.result) == 0)
        detail::warn_of_harmonics(what, made);
    made.observables = std::move(columns);
    observe(what, made);
    return made;
}

} // namespace lento
