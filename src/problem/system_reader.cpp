#include "problem/system_reader.hpp"

#include "problem/sentences.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unistd.h>

#include <lento/expression/derivative.hpp>
#include <lento/expression/parameters.hpp>
#include <lento/problem/method.hpp>
#include <lento/solve/control.hpp>
#include <lento/system/phase.hpp>

namespace lento::detail {

namespace {

/// Kinds that share a name say by what [system] holds which of them it is.
struct kind_row {
    std::string_view name;
    bool (*reads)(entry const&);
    any_kind (*read)(system_reader&, entry const&);
};
template <class Kind> constexpr kind_row row_of_kind() {
    return {Kind::name,
            [](entry const& system) {
                if constexpr (requires { Kind::reads(system); }) return Kind::reads(system);
                else return system.kind == entry_kind::table;
            },
            [](system_reader& in, entry const& system) -> any_kind { return Kind::read(in, system); }};
}
template <class... Kind> constexpr std::array<kind_row, sizeof...(Kind)> rows_of_kinds(std::variant<Kind...> const*) {
    return {row_of_kind<Kind>()...};
}
constexpr auto kinds = rows_of_kinds(static_cast<any_kind const*>(nullptr));

} // namespace

problem system_reader::read() {
    from.allow_only(from.root(), {"title", "parameters", "system", "initial", "time", "observe", "accuracy", "method"});
    made.title = made.source;
    if (auto const* title = from.root().find("title")) made.title = from.text(*title);
    read_parameters();
    read_system();
    read_initial();
    read_time();
    read_observables();
    read_accuracy();
    if (auto const* method = from.root().find("method")) made.method = from.table(*method);
    static_cast<void>(choose_method(made)); // what is wrong with [method] is told now
    require_memory();
    check_evenness(*this);
    return std::move(made);
}

/// A table that must be there.
entry const& system_reader::section(char const* name, char const* why) const {
    auto const* found = from.root().find(name);
    if (found == nullptr) from.fail(name, std::string("The table [") + name + "] is missing: " + why + ".");
    return from.table(*found);
}

void system_reader::allow(entry const& system, system_keys keys) const {
    std::vector<std::string> known;
    for (auto const& each : keys) known.emplace_back(each.name);
    from.allow_only(system, known);
}

entry const& system_reader::required(entry const& table, char const* key, std::string const& why) const {
    auto const* found = table.find(key);
    if (found == nullptr) from.fail(table, std::string("The key \"") + key + "\" is missing: " + why + ".");
    return *found;
}

void system_reader::must_not_meet(entry const& table, char const* one, char const* other) const {
    if (table.find(one) != nullptr && table.find(other) != nullptr)
        from.fail(*table.find(other), std::string("Give ") + one + " or " + other + ", but not both.");
}

void system_reader::read_parameters() {
    auto const* table = from.root().find("parameters");
    if (table == nullptr) return;
    made.written_parameters = *table;
    expression::parameter_table parameters;
    expression::formula_reader names; // tells what cannot be a parameter's name, one by one
    for (auto const& each : from.table(*table).children) {
        from.guarded(each, [&] {
            names.parameter(each.key, 1);
            if (each.kind == entry_kind::text) parameters.set(each.key, each.text);
            else parameters.set(each.key, static_cast<long double>(from.number(each)));
            return 0;
        });
    }
    from.guarded(*table, [&] {
        auto const values = parameters.resolve(); // in the order of the table
        for (std::size_t i = 0; i < values.size(); ++i) {
            auto const& [name, value] = values[i];
            made.parameters.emplace_back(name, static_cast<double>(value));
            from.guarded(table->children[i],
                         [this, &name = name, value = value] { return from.book().parameter(name, value), 0; });
        }
        return 0;
    });
}

void system_reader::read_system() {
    entry const& system = section("system", "it says what moves");
    std::vector<std::string> known;
    for (auto const& each : kinds)
        if (std::find(known.begin(), known.end(), each.name) == known.end()) known.emplace_back(each.name);
    entry const& kind = required(system, "kind", "it is one of " + listed(known));
    from.require_known(kind, "kind", from.text(kind), known);
    for (auto const& each : kinds)
        if (each.name == kind.text && each.reads(system)) made.kind = each.read(*this, system);
    made.system = system;
}

void system_reader::read_names(entry const& names) {
    if (from.list(names).children.empty()) from.fail(names, "At least one name is needed.");
    for (auto const& each : names.children) {
        std::string const& declaration = from.text(each);
        from.guarded(each, [&] { return from.book().coordinate(declaration), 0; });
        auto const& name = from.book().families().back().name;
        if (name == "state" || name == "project")
            from.fail(each, "The name " + name + " is a key of [initial]; use another one.");
    }
    made.families = from.book().families();
    made.size = from.book().coordinate_count();
}

void system_reader::read_definitions(entry const& system) {
    auto const* define = system.find("define");
    if (define == nullptr) return;
    for (auto const& each : from.table(*define).children)
        from.guarded(each, [&] { return from.book().define(each.key, from.formula(each)), 0; });
}

std::vector<expression::statement> system_reader::forces(entry const& system, bool needed) {
    auto const* force = system.find("force");
    auto const* potential = system.find("potential");
    if (needed && force == nullptr && potential == nullptr)
        from.fail(system, "There is neither a force nor a potential; give force.NAME for coordinates, or potential.");
    auto& graph = from.book().formulas();
    std::vector<statement> all;
    if (potential != nullptr) {
        std::string const text = from.formula(*potential);
        from.guarded(*potential, [&] {
            auto const energy = from.book().scalar(text, of_potential);
            all = expression::gradient(graph, energy, expression::source::position, -1);
            made.potential = formula({output(0, energy)}, 1);
            made.gradient = formula(all, made.size);
            return 0;
        });
    }
    if (force != nullptr)
        for (auto const& each : from.table(*force).children) append(all, assigned(each, of_motion, false));
    return all;
}

void system_reader::read_forces(entry const& system) { made.force = formula(forces(system, true), made.size); }

void system_reader::read_mass(entry const* mass) {
    if (mass == nullptr) return;
    std::vector<double> masses;
    switch (mass->kind) {
    case entry_kind::table:
        masses.assign(made.size, 1);
        assign_values(*mass, masses, nullptr);
        break;
    case entry_kind::list: {
        bool const matrix = !mass->children.empty() && mass->children[0].kind == entry_kind::list;
        if (matrix) {
            read_mass_matrix(*mass);
            return;
        }
        for (auto const& each : mass->children) masses.push_back(from.number(each));
        break;
    }
    default: {
        double const value = from.number(*mass);
        made.mass = from.guarded(*mass, [&] { return any_mass(scalar_mass<double>(value), made.size); });
        return;
    }
    }
    made.mass = from.guarded(*mass, [&] { return any_mass(diagonal_mass<double>(masses), made.size); });
}

void system_reader::read_mass_matrix(entry const& mass) {
    std::vector<std::vector<double>> rows;
    for (auto const& row : mass.children) {
        rows.emplace_back();
        for (auto const& each : from.list(row).children) rows.back().push_back(from.number(each));
    }
    made.mass = from.guarded(mass, [&] {
        require_size("the mass matrix", rows.size(), made.size);
        return any_mass(full_mass<double>(rows), made.size);
    });
}

void system_reader::read_initial() {
    entry const& initial = section("initial", "it gives the positions at the start");
    made.position.assign(made.size, 0);
    if (!made.first_order) made.velocity.assign(made.size, 0);
    std::vector<char> given(made.size, 0);
    if (auto const* state = initial.find("state")) {
        bool const bare = state->kind == entry_kind::boolean && state->truth; // true without quotes
        if (!bare) from.require_known(*state, "state", from.text(*state), {"true", "slow"});
        if (state->text == "slow") {
            if (!std::visit([](auto const& kind) { return kind.has_slow_state; }, made.kind))
                from.fail(*state, "A " + std::string(made.kind_name()) + " system has no slow state.");
            made.given = initial_state::slow;
        }
    }
    if (auto const* project = initial.find("project")) {
        if (made.constraints() == nullptr && !made.is_stiff())
            from.fail(*project, "There are no constraints to project the start onto.");
        read_projection(*project);
    }
    assign_values(initial, made.position, &given);
    auto const missing = std::find(given.begin(), given.end(), 0);
    if (missing != given.end())
        from.fail(initial,
                  "The start of " + name_of(static_cast<std::size_t>(missing - given.begin())) + " is missing.");
}

/// true, or "slow-manifold".
void system_reader::read_projection(entry const& project) {
    if (project.kind != entry_kind::text) {
        if (from.truth(project)) made.project = start_projection::constraints;
        return;
    }
    from.require_known(project, "projection of the start", project.text, {"slow-manifold"});
    if (!made.is_stiff()) from.fail(project, "Only the hard springs of a stiff system have a slow manifold.");
    if (made.given == initial_state::slow) from.fail(project, "A start that is the slow state is there already.");
    made.project = start_projection::slow_manifold;
}

/// Values of coordinates by name: families first, then single members, which override them.
void system_reader::assign_values(entry const& table, std::vector<double>& values, std::vector<char>* given) {
    for (bool const single : {false, true})
        for (auto const& each : table.children) {
            if (given != nullptr && (each.key == "state" || each.key == "project")) continue;
            bool velocity = false;
            auto const all =
                assigned(each, expression::parameters_only, given != nullptr && !made.first_order, &velocity);
            bool const is_single = all.size() == 1 && all[0].loops.empty();
            if (is_single != single) continue;
            auto& to = velocity ? made.velocity : values;
            auto parts = all;
            if (single) parts[0].target = expression::to_affine(0);
            auto const worth = from.guarded(each, [&] { return from.book().numbers(parts, single ? 1 : made.size); });
            auto const put = [&](std::size_t slot, double value) {
                if (!std::isfinite(value))
                    from.fail(each, "The value of " + name_of(slot) + " is not finite: " + show(value) + ".");
                to[slot] = value;
                if (given != nullptr && !velocity) (*given)[slot] = 1;
            };
            if (single) {
                put(static_cast<std::size_t>(all[0].target.constant), worth[0]);
                continue;
            }
            auto const covered = coverage(all);
            for (std::size_t i = 0; i < made.size; ++i)
                if (covered[i] > 0) put(i, worth[i]);
        }
}

void system_reader::read_time() {
    entry const& time = section("time", "it gives the end of the run");
    from.allow_only(time, {"start", "end", "output", "report"});
    if (auto const* start = time.find("start")) made.start = from.number(*start);
    entry const& end = required(time, "end", "the run must end somewhere");
    made.end = from.number(end);
    if (!(made.end > made.start))
        from.fail(end, "The end must lie after the start, but the run goes from " + show(made.start) + " to " +
                           show(made.end) + ".");
    constexpr std::size_t usual = 101;
    auto const* output = time.find("output");
    if (output != nullptr && output->kind == entry_kind::list) {
        if (output->children.empty()) from.fail(*output, "At least one output time is needed.");
        for (auto const& each : output->children) made.output_times.push_back(from.number(each));
        made.output_times =
            from.guarded(*output, [&] { return checked_output(made.start, made.end, made.output_times, 0); });
    } else {
        std::size_t const count = output == nullptr ? usual : output_count(*output);
        made.output_times = from.guarded(end, [&] { return checked_output(made.start, made.end, {}, count); });
    }
    if (auto const* report = time.find("report")) {
        from.require_known(*report, "report", from.text(*report), {"slow", "full"});
        if (report->text == "full") made.report = reported_state::full;
    }
}

std::size_t system_reader::output_count(entry const& given) {
    auto const count = from.whole(given);
    constexpr std::int64_t most = 100'000'000;
    if (count < 1 || count > most)
        from.fail(given,
                  "The number of output times must lie between 1 and 1e8, but it is " + std::to_string(count) + ".");
    return static_cast<std::size_t>(count);
}

void system_reader::read_observables() {
    auto const* observe = from.root().find("observe");
    if (observe == nullptr) return;
    made.written_observables = *observe;
    std::vector<statement> all;
    for (auto const& each : from.table(*observe).children) {
        std::string const text = from.formula(each);
        auto const allowed = made.first_order ? of_state : of_motion;
        all.push_back(
            output(made.observables.size(), from.guarded(each, [&] { return from.book().scalar(text, allowed); })));
        auto const& families = from.book().families();
        bool const taken = each.key == "t" || std::any_of(families.begin(), families.end(), [&](auto const& family) {
                               return !family.indexed && (each.key == family.name || each.key == family.name + "'");
                           });
        if (taken) from.fail(each, "The results have a column " + each.key + " already. Expected: another name.");
        made.observables.push_back(each.key);
    }
    if (!all.empty()) made.observe = formula(all, all.size());
}

void system_reader::read_accuracy() {
    auto const* accuracy = from.root().find("accuracy");
    if (accuracy == nullptr) return;
    from.allow_only(from.table(*accuracy), {"rtol", "atol", "estimate"});
    auto const read_tolerance = [&](char const* key, double& value) {
        auto const* given = accuracy->find(key);
        if (given == nullptr) return;
        value = from.number(*given);
        if (!(value >= 0)) from.fail(*given, "A tolerance cannot be negative, but this is " + show(value) + ".");
    };
    read_tolerance("rtol", made.rtol);
    read_tolerance("atol", made.atol);
    if (auto const* given = accuracy->find("estimate")) made.estimate = from.truth(*given);
    if (made.rtol == 0 && made.atol == 0) from.fail(*accuracy, "rtol and atol cannot both be 0.");
}

void system_reader::require_memory() const {
    double const rows = static_cast<double>(made.output_times.size());
    double const bytes = rows * (static_cast<double>(made.size) * (made.first_order ? 8 : 16) + 64);
    double const memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    constexpr double share = 0.8;
    if (bytes > share * memory)
        from.fail("time.output", "The results would take " + show(bytes / 1e9) + " GB, and this machine has " +
                                     show(memory / 1e9) + " GB. Ask for fewer output times.");
}

/// The statements of a formula given for a coordinate or a family.
std::vector<expression::statement> system_reader::assigned(entry const& at, permission allowed, bool velocities,
                                                           bool* velocity) {
    std::string const text = from.formula(at);
    auto found = from.guarded(at, [&] { return from.book().assign(at.key, text, allowed); });
    if (found.velocity && !velocities) from.fail(at, "This is given for the coordinate, without the prime.");
    if (velocity != nullptr) *velocity = found.velocity;
    return std::move(found.statements);
}

bool system_reader::depend_on(std::vector<statement> const& statements, expression::source on) {
    auto const& graph = from.book().formulas();
    return std::any_of(statements.begin(), statements.end(),
                       [&](auto const& each) { return graph.depends_on(each.value, on); });
}

/// How many of the statements write each coordinate.
std::vector<double> system_reader::coverage(std::vector<statement> statements) {
    for (auto& each : statements) each.value = from.book().formulas().constant(1);
    return from.book().numbers(statements, made.size);
}

} // namespace lento::detail
