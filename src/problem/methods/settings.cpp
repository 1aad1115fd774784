#include "problem/methods/settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/methods/row.hpp"
#include "problem/sentences.hpp"

#include <lento/base/arithmetic.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/problem/run.hpp>

namespace lento::detail {

// ---- [method] ----

method_text::method_text(problem const& what, entry const& method) : what_(what), method_(method), table_(method) {
    std::erase_if(table_.children, [](entry const& each) { return each.key == "name"; });
}

entry const* method_text::find(std::string_view path) const {
    entry const* at = &table_;
    for (auto const& part : split_path(path)) {
        at = at->find(part);
        if (at == nullptr) return nullptr;
    }
    return at;
}

bool method_text::names_method() const {
    auto const* name = method_.find("name");
    return name != nullptr && name->text != "auto";
}

void method_text::fail(std::string_view path, std::string const& sentence) const {
    auto parts = split_path(path);
    entry const* at = &method_;
    for (auto const& part : parts) {
        auto const* next = at->find(part);
        if (next == nullptr) break;
        at = next;
    }
    if (at == &method_ && at->find("name") != nullptr) at = at->find("name");
    bool const set = !at->setting.empty();
    std::string const place = at->path.empty() ? "method" : at->path;
    throw problem_error(set ? at->setting : what_.source, set ? 0 : at->line, place, sentence);
}

void method_text::read_table(std::string_view table, std::string_view except, fields const& into) const {
    entry given = *find(table);
    std::erase_if(given.children, [&](entry const& each) { return each.key == except; });
    lento::read(given, into, numbers(), what_.source);
}

void method_text::read(fields const& into) const {
    lento::read(table_, into, numbers(), what_.source);
    auto const* engine = find("engine");
    if (engine != nullptr && engine->text == "llvm" && !expression::llvm_is_there())
        fail("engine", expression::llvm_is_lacking());
}

// ---- macro ----

double* number_of(any_stepper& scheme, std::string_view name) {
    for (auto const& each : scheme.options())
        if (each.name == name)
            if (auto* const* number = std::get_if<double*>(&each.value)) return *number;
    return nullptr;
}

namespace {

any_stepper adaptive_scheme(problem const& what, bool constrained) {
    auto made = make_scheme(constrained ? "lobatto4" : "dormand-prince");
    *number_of(made, "rtol") = what.rtol;
    *number_of(made, "atol") = what.atol;
    return made;
}

} // namespace

void macro_settings::complete(method_text const& from, bool integrates_fast_motion, bool constrained) {
    if (!scheme.value) return;
    problem const& what = from.what();
    if (constrained && !from.has("macro.scheme")) {
        scheme.value = adaptive_scheme(what, constrained);
        from.read_table("macro", "max_steps", scheme.options());
    }
    if (auto* rtol = number_of(*scheme.value, "rtol"); rtol != nullptr && !from.has("macro.rtol")) *rtol = what.rtol;
    if (auto* atol = number_of(*scheme.value, "atol"); atol != nullptr && !from.has("macro.atol")) *atol = what.atol;
    auto* fitted = number_of(*scheme.value, "fitted_to");
    if (fitted == nullptr || *fitted > 0) return;
    auto const fast = what.frequencies();
    if (!integrates_fast_motion || fast.empty()) from.fail("macro", "verlet-fitted needs fitted_to, a frequency.");
    *fitted = *std::max_element(fast.begin(), fast.end());
}

void macro_settings::choose(problem const& what, std::vector<std::string>& reasons, bool constrained) {
    if (scheme.value) return;
    scheme.value = adaptive_scheme(what, constrained);
    std::string const tolerances = " rtol = " + show(what.rtol) + " and atol = " + show(what.atol);
    if (constrained)
        reasons.push_back("macro scheme lobatto4: of order 4 on the constraints, with steps that meet" + tolerances);
    else reasons.push_back("macro scheme dormand-prince: it chooses its steps to meet" + tolerances);
}

// ---- runs ----

any_stepping at_work(any_stepper const& stepper, any_system const& system) {
    if (std::string const why = stepper.why_not(system.facts()); !why.empty()) throw does_not_apply(why);
    return stepper.on(system);
}

prepared_run start_of(problem const& what, any_system const& system, macro_settings const& macro) {
    prepared_run made;
    made.stepping = at_work(*macro.scheme.value, system);
    made.position = what.position;
    made.velocity = what.velocity;
    made.lifts = system.facts().lifts;
    made.full = what.report == reported_state::full;
    made.max_steps = macro.max_steps;
    return made;
}

std::string direct_from_true_state(problem const& what) {
    if (what.given != initial_state::slow) return {};
    return "a direct run starts from the true state, but the initial state is the slow one; give the true one, or use "
           "a method for the slow motion";
}

void find_loads(stiff_kind const& kind, problem_run& run) {
    auto const stretch = kind.springs.values.compile();
    auto work = stretch.work();
    run.multipliers.clear();
    for (std::size_t row = 0; row < run.t.size(); ++row) {
        std::vector<double> lambda(kind.omegas.size());
        stretch.evaluate({.position = run.position[row], .time = run.t[row]}, lambda, work);
        for (std::size_t j = 0; j < lambda.size(); ++j) lambda[j] *= kind.omegas[j] * kind.omegas[j];
        run.multipliers.push_back(std::move(lambda));
    }
}

// ---- windows ----

std::optional<kernel> window_settings::filter() const { return kernel.value ? filter_of(*kernel.value) : std::nullopt; }
void window_settings::set_filter(lento::kernel const& chosen) {
    kernel.value = std::visit([](auto const& each) { return window_kernel(each); }, chosen);
}

// ---- predictions ----

namespace {

template <class State> State state_from(prepared_run const& run) {
    if constexpr (State::is_motion) return {run.position, run.velocity};
    else return {run.position};
}

template <class State> statistics counted(stepping<State> const& work) {
    statistics counts;
    work.count(counts);
    return counts;
}
template <class State> auto const& place_of(State const& x) {
    if constexpr (State::is_motion) return x.position;
    else return x.state;
}

/// Equal steps are known before: some are taken, so that their cost is known, and again with half the length, so that
/// their error is.
template <class State>
prediction predicted_steps(problem const& what, State const& from, stepping<State>& work, double floor) {
    prediction made;
    double const span = std::abs(what.end - what.start);
    double const step = work.rules.step;
    double const steps = std::max(1., std::ceil(span / step * (1 - 1e-12)));
    int const few = static_cast<int>(std::min(steps, 12.)); // multistep methods begin dearer than they go on
    statistics last;
    auto const walk = [&](State& x, double h, int count) {
        for (int k = 0; k < count; ++k) {
            last = counted(work);
            if (!work.advance(what.start + k * h, h, x)) return false;
        }
        return true;
    };
    State rough = from;
    bool fine = walk(rough, step, few);
    made.counts = counted(work);
    for (auto const& each : statistics::counts()) {
        auto& count = made.counts.*each.member;
        double const rest = static_cast<double>(count - last.*each.member) * (steps - few);
        count += static_cast<std::uint64_t>(std::min(rest, 1e18));
    }
    made.counts.macro_steps = static_cast<std::uint64_t>(std::min(steps, 1e18));
    State exact = from;
    work.leave();
    fine = fine && walk(exact, step / 2, 2 * few);
    made.evaluations = counted(work).force_evaluations;
    if (!fine) {
        auto const* failed = work.failed();
        made.error = std::numeric_limits<double>::infinity();
        made.reason = failed != nullptr ? failed->message : "the first steps fail";
        return made;
    }
    double off = 0;
    for (std::size_t i = 0; i < place_of(from).size(); ++i)
        off = std::max(off, std::abs(place_of(rough)[i] - place_of(exact)[i]));
    double const size = std::max(max_norm(place_of(exact)), 1e-12);
    double const halved = std::pow(2., std::max(1, work.rules.order));
    made.error = floor + off / size * halved / (halved - 1) * steps / few;
    made.reason = show(steps) + " steps of " + show(step) + ", the first of which were tried";
    return made;
}

template <class State>
prediction predicted_by(problem const& what, prepared_run const& run, stepping<State>& work, double floor) {
    prediction made;
    State x = state_from<State>(run);
    auto const evaluations = [&work] { return counted(work).force_evaluations; };
    work.begin(what.start, x);
    if (work.failed() == nullptr && what.given == initial_state::physical) work.lower(what.start, x);
    auto const before = evaluations();
    bool const fine = work.failed() == nullptr && work.prepare(what.start, x);
    made.evaluations = evaluations();
    if (!fine) {
        made.error = std::numeric_limits<double>::infinity();
        made.reason = work.failed()->message;
        return made;
    }
    if (!work.rules.adaptive) return predicted_steps(what, x, work, floor);
    double const once = static_cast<double>(made.evaluations - before);
    double size = 0;
    double speed = 0;
    if constexpr (State::is_motion) {
        size = std::max(max_norm(x.position), 1e-12);
        speed = std::max(std::sqrt(max_norm(*work.derivative) / size), max_norm(x.velocity) / size);
    } else {
        size = std::max(max_norm(x.state), 1e-12);
        speed = max_norm(*work.derivative) / size;
    }
    auto const& rules = work.rules;
    double const span = std::abs(what.end - what.start);
    double const order = std::max(1, rules.order);
    // an adaptive method of order p resolves the motion's own time scale to rtol^(1/p)
    double const step = std::min(span, 2 * std::pow(std::max(what.rtol, 1e-15), 1 / order) / std::max(speed, 1e-300));
    double const steps = std::max(1., std::ceil(span / step));
    double const stages = order + 1;
    made.counts.macro_steps = static_cast<std::uint64_t>(std::min(steps, 1e18));
    made.counts.force_evaluations = static_cast<std::uint64_t>(std::min(steps * stages * once, 1e18));
    made.error = floor + what.rtol;
    made.reason = "steps of about " + show(step) + ", " + show(once) + " force evaluations in each of " + show(stages) +
                  " stages";
    return made;
}

} // namespace

prediction predicted(problem const& what, prepared_run& run, double floor) {
    return std::visit([&](auto& work) { return predicted_by(what, run, *work, floor); }, run.stepping);
}

} // namespace lento::detail
