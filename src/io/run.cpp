#include <lento/io/run.hpp>

#include "io/closures_split.hpp"
#include "io/formula_system.hpp"
#include "io/oscillators.hpp"
#include "io/period.hpp"
#include "io/runner.hpp"

#include <lento/system/phase.hpp>

namespace lento {
namespace detail {

problem_run runner::operator()() {
    automatic_ = made_.used.name == "auto";
    choose();
    if (applies()) run();
    observe();
    return std::move(made_);
}

bool runner::refuse(outcome result, std::string message) {
    made_.result = result;
    made_.message = std::move(message);
    return false;
}

void runner::take_method(std::string name, std::string_view reason) {
    because("method " + name + ": " + std::string(reason));
    made_.used.name = std::move(name);
}

void runner::choose_macro() {
    method_options& method = made_.used;
    if (method.macro) return;
    method.macro = dormand_prince{.rtol = method.rtol, .atol = method.atol};
    because("macro scheme dormand-prince: it chooses its steps to meet rtol = " + show(method.rtol) +
            " and atol = " + show(method.atol));
}

bool runner::direct_from_true_state() {
    if (what_.given != initial_state::slow) return true;
    return refuse(outcome::not_applicable, "a direct run starts from the true state, but the initial state is the slow "
                                           "one; give the true one, or use a method for the slow motion");
}

template <bool Velocity> void runner::solve_motion_by_size() {
    switch (what_.size) {
    case 1: return solve_system(make_motion<Velocity, fixed<1>>(what_));
    case 2: return solve_system(make_motion<Velocity, fixed<2>>(what_));
    case 3: return solve_system(make_motion<Velocity, fixed<3>>(what_));
    case 4: return solve_system(make_motion<Velocity, fixed<4>>(what_));
    default: return solve_system(make_motion<Velocity>(what_));
    }
}
void runner::solve_motion() {
    if (what_.uses_velocity) solve_motion_by_size<true>();
    else solve_motion_by_size<false>();
}

void runner::run_stroboscopic() {
    guarded([&] {
        using State = state_of<erased_first_order>;
        auto const slow = make_stroboscopic(what_, made_.used);
        auto start = what_.position;
        start.insert(start.end(), what_.velocity.begin(), what_.velocity.end());
        auto solved = solve_with(slow, *made_.used.macro, State{std::move(start)}, options<State>());
        take_rest(solved);
        for (auto const& row : solved.state) {
            auto const middle = row.begin() + static_cast<std::ptrdiff_t>(what_.size);
            made_.position.emplace_back(row.begin(), middle);
            if (!what_.first_order) made_.velocity.emplace_back(middle, row.end());
        }
    });
}

void runner::find_multipliers() {
    auto const work = what_.springs.values->work();
    for (std::size_t row = 0; row < made_.t.size(); ++row) {
        std::vector<double> lambda(what_.omegas.size());
        what_.springs.values->evaluate({.position = made_.position[row], .time = made_.t[row]}, lambda, *work);
        for (std::size_t j = 0; j < lambda.size(); ++j) lambda[j] *= what_.omegas[j] * what_.omegas[j];
        made_.multipliers.push_back(std::move(lambda));
    }
}

void runner::observe() {
    made_.observables.assign(what_.observables.size(), {});
    if (!what_.observe) return;
    auto const work = what_.observe->work();
    std::vector<double> values(what_.observables.size());
    std::vector<double> theta(what_.frequencies.size());
    std::vector<double> const none;
    for (std::size_t row = 0; row < made_.t.size(); ++row) {
        for (std::size_t j = 0; j < theta.size(); ++j)
            theta[j] = reduced_phase(what_.phases[j], what_.frequencies[j], made_.t[row]);
        what_.observe->evaluate({.position = made_.position[row],
                                 .velocity = what_.first_order ? none : made_.velocity[row],
                                 .phase = theta,
                                 .time = made_.t[row]},
                                values, *work);
        for (std::size_t i = 0; i < values.size(); ++i) made_.observables[i].push_back(values[i]);
    }
}

} // namespace detail

namespace {

problem_run run_as_given(problem const& what, run_controls const& controls) {
    std::string const& method = what.method.name;
    bool const relaxed = method == "hmm" || method == "ipa";
    bool const limit = method == "shake" || method == "rattle" || method == "underlying";
    if (detail::steps_over_springs(method)) return (*detail::springs_runner(what, controls))();
    switch (what.kind) {
    case problem_kind::vibrated: return (*detail::vibrated_runner(what, controls))();
    case problem_kind::stiff:
        if (limit) {
            problem rigid = what; // the springs' limit: constraints
            rigid.force = what.slow_force;
            rigid.constraints = what.springs;
            return (*detail::constrained_runner(rigid, controls))();
        }
        return (*detail::stiff_runner(what, controls))();
    case problem_kind::constrained:
        return relaxed ? (*detail::stiff_runner(what, controls))() : (*detail::constrained_runner(what, controls))();
    case problem_kind::split: return (*detail::split_runner(what, controls))();
    case problem_kind::plain: break;
    }
    return (*detail::plain_runner(what, controls))();
}

problem_run refused(problem const& what, std::string why) {
    problem_run made;
    made.result = outcome::not_applicable;
    made.message = std::move(why);
    made.used = what.method;
    made.observables.assign(what.observables.size(), {});
    return made;
}

/// Methods that go from period to period.
bool needs_period(problem const& what) {
    if (what.period > 0) return false;
    if (what.kind == problem_kind::split) return what.method.name == "stroboscopic" || what.method.name == "hmm";
    return what.kind == problem_kind::plain && what.method.name == "stroboscopic";
}

} // namespace

problem_run run_problem(problem const& what, run_controls const& controls) {
    if (!what.method.refusal.empty()) return refused(what, what.method.refusal);
    if (!needs_period(what)) return run_as_given(what, controls);
    auto const found = detail::find_period(what);
    if (!found.lacking.empty()) return refused(what, found.lacking);
    problem known = what;
    known.period = found.period;
    auto made = run_as_given(known, controls);
    made.reasons.insert(made.reasons.begin(), found.how);
    return made;
}

} // namespace lento
