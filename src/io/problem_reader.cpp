#include "io/problem_reader.hpp"

#include <algorithm>
#include <cmath>
#include <unistd.h>

#include <lento/expression/derivative.hpp>
#include <lento/expression/parameters.hpp>
#include <lento/expression/schedule.hpp>
#include <lento/solve/control.hpp>
#include <lento/system/phase.hpp>

namespace lento::detail {

problem problem_reader::read() {
    from_.allow_only(from_.root(),
                     {"title", "parameters", "system", "initial", "time", "observe", "accuracy", "method"});
    made_.title = made_.source;
    if (auto const* title = from_.root().find("title")) made_.title = from_.text(*title);
    read_parameters();
    made_.method.engine = read_engine(from_);
    read_system();
    read_initial();
    read_time();
    read_observables();
    made_.method = read_method(from_, made_);
    require_memory();
    check_evenness();
    return std::move(made_);
}

/// A table that must be there.
entry const& problem_reader::section(char const* name, char const* why) const {
    auto const* found = from_.root().find(name);
    if (found == nullptr) from_.fail(name, std::string("The table [") + name + "] is missing: " + why + ".");
    return from_.table(*found);
}

entry const& problem_reader::required(entry const& table, char const* key, std::string const& why) const {
    auto const* found = table.find(key);
    if (found == nullptr) from_.fail(table, std::string("The key \"") + key + "\" is missing: " + why + ".");
    return *found;
}

void problem_reader::must_not_meet(entry const& table, char const* one, char const* other) const {
    if (table.find(one) != nullptr && table.find(other) != nullptr)
        from_.fail(*table.find(other), std::string("Give ") + one + " or " + other + ", but not both.");
}

void problem_reader::read_parameters() {
    auto const* table = from_.root().find("parameters");
    if (table == nullptr) return;
    expression::parameter_table parameters;
    expression::notebook names; // tells what cannot be a parameter's name, one by one
    for (auto const& each : from_.table(*table).children) {
        from_.guarded(each, [&] {
            names.parameter(each.key, 1);
            if (each.kind == entry_kind::text) parameters.set(each.key, each.text);
            else parameters.set(each.key, static_cast<long double>(from_.number(each)));
            return 0;
        });
    }
    from_.guarded(*table, [&] {
        for (auto const& [name, value] : parameters.resolve()) {
            made_.parameters.emplace_back(name, static_cast<double>(value));
            from_.guarded(*table->find(name),
                          [this, &name = name, value = value] { return from_.book().parameter(name, value), 0; });
        }
        return 0;
    });
}

std::vector<problem_reader::kind_description> problem_reader::kinds() {
    return {{"vibrated", problem_kind::vibrated, &problem_reader::read_vibrated},
            {"stiff", problem_kind::stiff, &problem_reader::read_stiff},
            {"constrained", problem_kind::constrained, &problem_reader::read_constrained},
            {"split", problem_kind::split, &problem_reader::read_split},
            {"plain", problem_kind::plain, &problem_reader::read_plain}};
}

void problem_reader::read_system() {
    entry const& system = section("system", "it says what moves");
    entry const& kind = required(system, "kind", "it is vibrated, stiff, constrained, split or plain");
    std::vector<std::string> known;
    for (auto const& each : kinds()) known.emplace_back(each.name);
    from_.require_known(kind, "kind", from_.text(kind), known);
    for (auto const& each : kinds())
        if (each.name == kind.text) {
            made_.kind = each.kind;
            (this->*each.read)(system);
        }
}

void problem_reader::read_names(entry const& names) {
    if (from_.list(names).children.empty()) from_.fail(names, "At least one name is needed.");
    for (auto const& each : names.children) {
        std::string const& declaration = from_.text(each);
        from_.guarded(each, [&] { return from_.book().coordinate(declaration), 0; });
        auto const& name = from_.book().families().back().name;
        if (name == "state" || name == "project")
            from_.fail(each, "The name " + name + " is a key of [initial]; use another one.");
    }
    made_.families = from_.book().families();
    made_.size = from_.book().coordinate_count();
}

void problem_reader::read_definitions(entry const& system) {
    auto const* define = system.find("define");
    if (define == nullptr) return;
    for (auto const& each : from_.table(*define).children)
        from_.guarded(each, [&] { return from_.book().define(each.key, from_.formula(each)), 0; });
}

std::vector<expression::statement> problem_reader::forces(entry const& system, bool needed) {
    auto const* force = system.find("force");
    auto const* potential = system.find("potential");
    if (needed && force == nullptr && potential == nullptr)
        from_.fail(system, "There is neither a force nor a potential; give force.NAME for coordinates, or potential.");
    auto& graph = from_.book().formulas();
    std::vector<statement> all;
    if (potential != nullptr) {
        std::string const text = from_.formula(*potential);
        from_.guarded(*potential, [&] {
            auto const energy = from_.book().scalar(text, of_potential);
            all = expression::gradient(graph, energy, expression::source::position, -1);
            made_.potential = compiled({output(0, energy)}, 1);
            made_.gradient = compiled(all, made_.size);
            return 0;
        });
    }
    if (force != nullptr)
        for (auto const& each : from_.table(*force).children) append(all, assigned(each, of_motion, false));
    return all;
}

void problem_reader::read_forces(entry const& system) {
    auto const all = forces(system, true);
    made_.uses_velocity = depend_on(all, expression::source::velocity);
    made_.uses_time = depend_on(all, expression::source::time);
    made_.force = compiled(all, made_.size);
}

void problem_reader::read_mass(entry const* mass) {
    if (mass == nullptr) return;
    std::vector<double> masses;
    switch (mass->kind) {
    case entry_kind::table:
        masses.assign(made_.size, 1);
        assign_values(*mass, masses, nullptr);
        break;
    case entry_kind::list: {
        bool const matrix = !mass->children.empty() && mass->children[0].kind == entry_kind::list;
        if (matrix) {
            read_mass_matrix(*mass);
            return;
        }
        for (auto const& each : mass->children) masses.push_back(from_.number(each));
        break;
    }
    default: {
        double const value = from_.number(*mass);
        made_.mass = from_.guarded(*mass, [&] { return scalar_mass<double>(value); });
        return;
    }
    }
    made_.mass = from_.guarded(*mass, [&] {
        diagonal_mass<double> made(masses);
        made.check(made_.size);
        return made;
    });
}

void problem_reader::read_mass_matrix(entry const& mass) {
    std::vector<std::vector<double>> rows;
    for (auto const& row : mass.children) {
        rows.emplace_back();
        for (auto const& each : from_.list(row).children) rows.back().push_back(from_.number(each));
    }
    made_.mass = from_.guarded(mass, [&] {
        require_size("the mass matrix", rows.size(), made_.size);
        return full_mass<double>(rows);
    });
}

void problem_reader::read_initial() {
    entry const& initial = section("initial", "it gives the positions at the start");
    made_.position.assign(made_.size, 0);
    if (!made_.first_order) made_.velocity.assign(made_.size, 0);
    std::vector<char> given(made_.size, 0);
    if (auto const* state = initial.find("state")) {
        bool const bare = state->kind == entry_kind::boolean && state->truth; // true without quotes
        if (!bare) from_.require_known(*state, "state", from_.text(*state), {"true", "slow"});
        if (state->text == "slow") {
            if (made_.kind == problem_kind::plain || made_.kind == problem_kind::constrained)
                from_.fail(*state, "A " + std::string(name(made_.kind)) + " system has no slow state.");
            made_.given = initial_state::slow;
        }
    }
    if (auto const* project = initial.find("project")) {
        if (made_.constraints.count == 0 && made_.springs.count == 0)
            from_.fail(*project, "There are no constraints to project the start onto.");
        made_.project = from_.truth(*project);
    }
    assign_values(initial, made_.position, &given);
    auto const missing = std::find(given.begin(), given.end(), 0);
    if (missing != given.end())
        from_.fail(initial,
                   "The start of " + name_of(static_cast<std::size_t>(missing - given.begin())) + " is missing.");
}

/// Values of coordinates by name: families first, then single members, which override them.
void problem_reader::assign_values(entry const& table, std::vector<double>& values, std::vector<char>* given) {
    for (bool const single : {false, true})
        for (auto const& each : table.children) {
            if (given != nullptr && (each.key == "state" || each.key == "project")) continue;
            bool velocity = false;
            auto const all =
                assigned(each, expression::parameters_only, given != nullptr && !made_.first_order, &velocity);
            bool const is_single = all.size() == 1 && all[0].loops.empty();
            if (is_single != single) continue;
            auto& to = velocity ? made_.velocity : values;
            std::vector<double> made(single ? 1 : made_.size);
            auto parts = all;
            if (single) parts[0].target = expression::to_affine(0);
            evaluate_constants(parts, made);
            auto const put = [&](std::size_t slot, double value) {
                if (!std::isfinite(value))
                    from_.fail(each, "The value of " + name_of(slot) + " is not finite: " + show(value) + ".");
                to[slot] = value;
                if (given != nullptr && !velocity) (*given)[slot] = 1;
            };
            if (single) {
                put(static_cast<std::size_t>(all[0].target.constant), made[0]);
                continue;
            }
            auto const covered = coverage(all);
            for (std::size_t i = 0; i < made_.size; ++i)
                if (covered[i] > 0) put(i, made[i]);
        }
}

void problem_reader::read_time() {
    entry const& time = section("time", "it gives the end of the run");
    from_.allow_only(time, {"start", "end", "output", "report"});
    if (auto const* start = time.find("start")) made_.start = from_.number(*start);
    entry const& end = required(time, "end", "the run must end somewhere");
    made_.end = from_.number(end);
    if (!(made_.end > made_.start))
        from_.fail(end, "The end must lie after the start, but the run goes from " + show(made_.start) + " to " +
                            show(made_.end) + ".");
    constexpr std::size_t usual = 101;
    auto const* output = time.find("output");
    if (output != nullptr && output->kind == entry_kind::list) {
        if (output->children.empty()) from_.fail(*output, "At least one output time is needed.");
        for (auto const& each : output->children) made_.output_times.push_back(from_.number(each));
        made_.output_times =
            from_.guarded(*output, [&] { return checked_output(made_.start, made_.end, made_.output_times, 0); });
    } else {
        std::size_t const count = output == nullptr ? usual : output_count(*output);
        made_.output_times = checked_output(made_.start, made_.end, {}, count);
    }
    if (auto const* report = time.find("report")) {
        from_.require_known(*report, "report", from_.text(*report), {"slow", "full"});
        if (report->text == "full") made_.report = reported_state::full;
    }
}

std::size_t problem_reader::output_count(entry const& given) {
    auto const count = from_.whole(given);
    constexpr std::int64_t most = 100'000'000;
    if (count < 1 || count > most)
        from_.fail(given,
                   "The number of output times must lie between 1 and 1e8, but it is " + std::to_string(count) + ".");
    return static_cast<std::size_t>(count);
}

void problem_reader::read_observables() {
    auto const* observe = from_.root().find("observe");
    if (observe == nullptr) return;
    std::vector<statement> all;
    for (auto const& each : from_.table(*observe).children) {
        std::string const text = from_.formula(each);
        auto const allowed = made_.first_order ? of_state : of_motion;
        all.push_back(
            output(made_.observables.size(), from_.guarded(each, [&] { return from_.book().scalar(text, allowed); })));
        auto const& families = from_.book().families();
        bool const taken = each.key == "t" || std::any_of(families.begin(), families.end(), [&](auto const& family) {
                               return !family.indexed && (each.key == family.name || each.key == family.name + "'");
                           });
        if (taken) from_.fail(each, "The results have a column " + each.key + " already. Expected: another name.");
        made_.observables.push_back(each.key);
    }
    if (!all.empty()) made_.observe = compiled(all, all.size());
}

void problem_reader::require_memory() const {
    double const rows = static_cast<double>(made_.output_times.size());
    double const bytes = rows * (static_cast<double>(made_.size) * (made_.first_order ? 8 : 16) + 64);
    double const memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    constexpr double share = 0.8;
    if (bytes > share * memory)
        from_.fail("time.output", "The results would take " + show(bytes / 1e9) + " GB, and this machine has " +
                                      show(memory / 1e9) + " GB. Ask for fewer output times.");
}

/// The statements of a formula given for a coordinate or a family.
std::vector<expression::statement> problem_reader::assigned(entry const& at, permission allowed, bool velocities,
                                                            bool* velocity) {
    std::string const text = from_.formula(at);
    auto made = from_.guarded(at, [&] { return from_.book().assign(at.key, text, allowed); });
    if (made.velocity && !velocities) from_.fail(at, "This is given for the coordinate, without the prime.");
    if (velocity != nullptr) *velocity = made.velocity;
    return std::move(made.statements);
}

compiled_formulas problem_reader::compiled(std::vector<statement> const& statements, std::size_t outputs) {
    auto& graph = from_.book().formulas();
    auto const written_out = unroll_short_loops(graph, statements);
    return compile(graph, make_schedule(graph, written_out, outputs), made_.method.engine);
}

void problem_reader::evaluate_constants(std::vector<statement> const& statements, std::vector<double>& out) {
    auto& graph = from_.book().formulas();
    auto const code = compile_bytecode(graph, make_schedule(graph, statements, out.size()));
    auto const work = code->work();
    code->evaluate({}, out, *work);
}

bool problem_reader::depend_on(std::vector<statement> const& statements, expression::source on) {
    auto const& graph = from_.book().formulas();
    return std::any_of(statements.begin(), statements.end(),
                       [&](auto const& each) { return graph.depends_on(each.value, on); });
}

/// How many of the statements write each coordinate.
std::vector<double> problem_reader::coverage(std::vector<statement> statements) {
    for (auto& each : statements) each.value = from_.book().formulas().constant(1);
    std::vector<double> counts(made_.size);
    evaluate_constants(statements, counts);
    return counts;
}

} // namespace lento::detail
