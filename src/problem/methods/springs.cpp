#include "problem/methods/springs.hpp"

#include <algorithm>
#include <limits>

#include "problem/functions.hpp"
#include "problem/methods/on_constraints.hpp"

#include <lento/base/arithmetic.hpp>
#include <lento/problem/run.hpp>
#include <lento/solve/anew.hpp>

namespace lento::detail {

stiff_kind springs_of(problem const& what, std::optional<relaxation_settings> const& relaxation) {
    if (auto const* own = what.as<stiff_kind>()) return *own;
    return relaxed(what, relaxation->omega);
}

any_motion spring_start(problem const& what, engine_kind engine) {
    auto const* rigid = what.as<constrained_kind>();
    if (rigid == nullptr || what.project == start_projection::none) return {what.position, what.velocity};
    return start_on_constraints(what, make_constrained<true>(what, what.force, rigid->constraints, engine));
}

void tell_no_loads(problem_run& run) { run.multipliers.clear(); }

std::string why_no_springs(problem const& what, std::string_view method) {
    if (what.as<constrained_kind>() == nullptr) return {};
    auto const* relaxation = what.method.find("relaxation");
    if (relaxation != nullptr) return {};
    return "the method " + std::string(method) +
           " follows stiff systems; relaxation = { omega = 1e4 } makes springs of the constraints";
}

void check_relaxation(method_text const& from, std::optional<relaxation_settings> const& read) {
    bool const constrained = from.what().as<constrained_kind>() != nullptr;
    if (!constrained && from.has("relaxation"))
        from.fail("relaxation", "The system has springs, and no constraints to relax; leave this out.");
    if (constrained && !read)
        from.fail("relaxation", "Constraints are followed where they are relaxed: give relaxation = { omega = 1e4 }.");
}

void check_springs(method_text const& from, spring_settings& read, window const& usual) {
    read.macro.complete(from, false);
    check_relaxation(from, read.relaxation);
    if (!read.window.kernel.value) read.window.set_filter(usual.kernel);
    if (read.window.spectral() != nullptr)
        throw does_not_apply("the picard kernel samples phases, and a stiff system has none");
    if (!read.window.filter())
        throw does_not_apply("the notch kernel has its zeros at the local frequencies of springs, which the method ipa "
                             "follows; use another kernel");
    auto const filter = *read.window.filter();
    from.guarded("window", [&] { check(filter); });
    if (fixed_periods(filter) > 0)
        throw does_not_apply("the fast motion of a stiff system has no one period; use a smooth kernel");
    if (read.window.scalar == window_scalar::long_doubles && from.what().as<stiff_potential_kind>() != nullptr)
        throw does_not_apply("windows of a stiff potential compute in double; leave window.scalar out");
    if (read.window.scalar == window_scalar::long_doubles && read.engine == engine_kind::llvm)
        from.fail("window.scalar", "Windows in long double run on the bytecode; leave the engine out.");
    fill_springs(read, usual);
}

void fill_springs(spring_settings& chosen, window const& usual) {
    if (!chosen.window.kernel.value) chosen.window.set_filter(usual.kernel);
    bool const knows_length = std::holds_alternative<chebyshev>(*chosen.window.filter());
    if (!knows_length && !chosen.window.periods && !chosen.window.length) chosen.window.periods = usual.periods;
    if (!chosen.micro.steps_per_period && !chosen.micro.step) chosen.micro.steps_per_period = usual.steps_per_period;
}

window manifold_window() { return {.kernel = cubic{}, .periods = 6, .steps_per_period = 6}; }

manifold_tolerances manifold_tolerances_for(problem const& what, std::vector<double> const& frequencies,
                                            double rounding) {
    double const hardest = *std::max_element(frequencies.begin(), frequencies.end());
    double const size = std::max(1., max_norm(what.position));
    double const rate = std::max(1e-7 / hardest, 16 * hardest * rounding * size);
    return {rate, std::min(rate, std::max(1e-2 / (hardest * hardest), 16 * rounding * size))};
}

slow_manifold<> published_manifold(problem const& what, std::vector<double> const& frequencies) {
    auto const within = manifold_tolerances_for(what, frequencies, std::numeric_limits<double>::epsilon());
    return {manifold_window(), {.tolerance = within.rate, .stretch_tolerance = within.stretch}};
}

void begin_anew(any_system const& system, macro_settings const& macro, double every, initial_state first,
                prepared_run& made) {
    made.in_one_piece = [system, scheme = *macro.scheme.value, every, first](any_motion const& start,
                                                                             solve_options<any_motion> const& options) {
        auto parts = options;
        parts.given = first;
        return solve_anew(system, scheme, start, parts, every);
    };
}

window window_of(spring_settings const& chosen) {
    return {.kernel = *chosen.window.filter(),
            .periods = chosen.window.periods.value_or(0),
            .length = chosen.window.length.value_or(0),
            .steps_per_period = chosen.micro.steps_per_period.value_or(0),
            .step = chosen.micro.step.value_or(0),
            .unchecked = chosen.window.unchecked.value_or(false)};
}

} // namespace lento::detail
