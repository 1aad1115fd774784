#include <lento/io/problem.hpp>

#include "io/force_probe.hpp"
#include "io/reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

#include <lento/expression/derivative.hpp>
#include <lento/expression/parameters.hpp>
#include <lento/expression/schedule.hpp>
#include <lento/solve/control.hpp>

namespace lento {
namespace {

using detail::entry;
using detail::entry_kind;
using detail::reader;
using expression::permission;
using expression::statement;

constexpr permission of_motion{.position = true, .velocity = true, .phase = true, .time = true};
constexpr permission of_potential{.position = true, .velocity = false, .phase = true, .time = true};
constexpr permission of_state{.position = true, .velocity = false, .phase = false, .time = true};

class problem_reader {
public:
    problem_reader(entry root, std::string const& source) : from_(std::move(root), source) { made_.source = source; }

    problem read() {
        from_.allow_only(from_.root(),
                         {"title", "parameters", "system", "initial", "time", "observe", "accuracy", "method"});
        made_.title = made_.source;
        if (auto const* title = from_.root().find("title")) made_.title = from_.text(*title);
        read_parameters();
        engine_ = detail::read_engine(from_);
        read_system();
        read_initial();
        read_time();
        read_observables();
        made_.method = detail::read_method(from_, made_.frequencies);
        require_memory();
        check_evenness();
        return std::move(made_);
    }

private:
    // ---- parts of the file ----

    /// A table that must be there.
    entry const& section(char const* name, char const* why) const {
        auto const* found = from_.root().find(name);
        if (found == nullptr) from_.fail(name, std::string("The table [") + name + "] is missing: " + why + ".");
        return from_.table(*found);
    }
    entry const& required(entry const& table, char const* key, std::string const& why) const {
        auto const* found = table.find(key);
        if (found == nullptr) from_.fail(table, std::string("The key \"") + key + "\" is missing: " + why + ".");
        return *found;
    }
    static void must_not_meet(reader const& from, entry const& table, char const* one, char const* other) {
        if (table.find(one) != nullptr && table.find(other) != nullptr)
            from.fail(*table.find(other), std::string("Give ") + one + " or " + other + ", but not both.");
    }

    void read_parameters() {
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
                from_.guarded(*table->find(name), [&] { return from_.book().parameter(name, value), 0; });
            }
            return 0;
        });
    }

    // ---- the system, by kind: a further kind is a line here and a function below ----

    struct kind_description {
        std::string_view name;
        problem_kind kind;
        void (problem_reader::*read)(entry const&);
    };
    static std::vector<kind_description> kinds() {
        return {{"vibrated", problem_kind::vibrated, &problem_reader::read_vibrated},
                {"plain", problem_kind::plain, &problem_reader::read_plain}};
    }

    void read_system() {
        entry const& system = section("system", "it says what moves");
        entry const& kind = required(system, "kind", "it is vibrated or plain");
        std::vector<std::string> known;
        for (auto const& each : kinds()) known.emplace_back(each.name);
        from_.require_known(kind, "kind", from_.text(kind), known, {"stiff", "constrained", "split"});
        for (auto const& each : kinds())
            if (each.name == kind.text) {
                made_.kind = each.kind;
                (this->*each.read)(system);
            }
    }

    void read_vibrated(entry const& system) {
        from_.allow_only(system, {"kind", "coordinates", "define", "mass", "force", "potential", "frequency",
                                  "frequencies", "phase", "phases", "even", "slow_velocity"});
        read_names(required(system, "coordinates", "it lists what moves, as in [\"q\"]"));
        read_phases(system);
        from_.book().phases(made_.frequencies.size());
        read_definitions(system);
        read_forces(system);
        read_mass(system.find("mass"));
        if (auto const* map = system.find("slow_velocity")) read_slow_velocity(*map);
        if (auto const* even = system.find("even")) must_be_even_ = from_.truth(*even) ? even : nullptr;
    }

    void read_plain(entry const& system) {
        must_not_meet(from_, system, "coordinates", "variables");
        made_.first_order = system.find("variables") != nullptr;
        if (made_.first_order) {
            from_.allow_only(system, {"kind", "variables", "define", "rate", "period", "frequency"});
            read_names(*system.find("variables"));
        } else {
            from_.allow_only(system,
                             {"kind", "coordinates", "define", "mass", "force", "potential", "period", "frequency"});
            read_names(required(system, "coordinates",
                                "it lists what moves, as in [\"q\"]; first-order systems have variables"));
        }
        must_not_meet(from_, system, "period", "frequency");
        if (auto const* period = system.find("period")) made_.period = from_.positive(*period);
        if (auto const* frequency = system.find("frequency"))
            made_.period = two_pi<double> / from_.positive(*frequency);
        read_definitions(system);
        if (made_.first_order) {
            read_rate(required(system, "rate", "it gives the right-hand sides, as in rate.x = \"-x\""));
        } else {
            read_forces(system);
            read_mass(system.find("mass"));
        }
    }

    void read_names(entry const& names) {
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

    void read_phases(entry const& system) {
        must_not_meet(from_, system, "frequency", "frequencies");
        must_not_meet(from_, system, "phase", "phases");
        auto const* one = system.find("frequency");
        auto const* several = system.find("frequencies");
        if (one == nullptr && several == nullptr)
            from_.fail(system, "The key \"frequency\" is missing: theta = frequency * t + phase.");
        if (one != nullptr) made_.frequencies = {from_.positive(*one)};
        if (several != nullptr)
            for (auto const& each : from_.list(*several).children) made_.frequencies.push_back(from_.positive(each));
        constexpr std::size_t most = 3;
        if (made_.frequencies.empty() || made_.frequencies.size() > most)
            from_.fail(*several, "A vibrated system has one to three frequencies here, but these are " +
                                     std::to_string(made_.frequencies.size()) + ".");
        auto const* phase = system.find("phase");
        auto const* phases = system.find("phases");
        if (phase != nullptr) {
            if (made_.frequencies.size() > 1)
                from_.fail(*phase, "There are several frequencies; give phases, one for each.");
            made_.phases = {from_.number(*phase)};
        } else if (phases != nullptr) {
            for (auto const& each : from_.list(*phases).children) made_.phases.push_back(from_.number(each));
            if (made_.phases.size() != made_.frequencies.size())
                from_.fail(*phases, "There are " + std::to_string(made_.frequencies.size()) + " frequencies, but " +
                                        std::to_string(made_.phases.size()) + " phases.");
        } else {
            made_.phases.assign(made_.frequencies.size(), 0);
        }
    }

    void read_definitions(entry const& system) {
        auto const* define = system.find("define");
        if (define == nullptr) return;
        for (auto const& each : from_.table(*define).children)
            from_.guarded(each, [&] { return from_.book().define(each.key, from_.formula(each)), 0; });
    }

    void read_forces(entry const& system) {
        auto const* force = system.find("force");
        auto const* potential = system.find("potential");
        if (force == nullptr && potential == nullptr)
            from_.fail(system,
                       "There is neither a force nor a potential; give force.NAME for coordinates, or potential.");
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
        for (auto const& each : all) {
            made_.uses_velocity = made_.uses_velocity || graph.depends_on(each.value, expression::source::velocity);
            made_.uses_time = made_.uses_time || graph.depends_on(each.value, expression::source::time);
        }
        made_.force = compiled(all, made_.size);
    }

    void read_rate(entry const& rate) {
        std::vector<statement> all;
        for (auto const& each : from_.table(rate).children) append(all, assigned(each, of_state, false));
        for (auto const& each : all)
            made_.uses_time =
                made_.uses_time || from_.book().formulas().depends_on(each.value, expression::source::time);
        made_.force = compiled(all, made_.size);
    }

    void read_slow_velocity(entry const& map) {
        std::vector<statement> all;
        for (auto const& each : from_.table(map).children) append(all, assigned(each, of_motion, false));
        auto const covered = coverage(all);
        auto& graph = from_.book().formulas();
        for (std::size_t i = 0; i < made_.size; ++i) {
            auto const slot = expression::to_affine(static_cast<std::int64_t>(i));
            if (covered[i] == 0) all.push_back(output(i, graph.element(expression::source::velocity, slot)));
            if (covered[i] > 1) from_.fail(map, "The slow velocity of " + name_of(i) + " is given more than once.");
        }
        made_.slow_velocity = compiled(all, made_.size);
    }

    void read_mass(entry const* mass) {
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
    void read_mass_matrix(entry const& mass) {
        std::vector<std::vector<double>> rows;
        for (auto const& row : mass.children) {
            rows.emplace_back();
            for (auto const& each : from_.list(row).children) rows.back().push_back(from_.number(each));
        }
        made_.mass = from_.guarded(mass, [&] {
            require_size("the mass matrix", rows.size(), made_.size);
            return full_mass<double>(std::move(rows));
        });
    }

    // ---- the rest of the file ----

    void read_initial() {
        entry const& initial = section("initial", "it gives the positions at the start");
        made_.position.assign(made_.size, 0);
        if (!made_.first_order) made_.velocity.assign(made_.size, 0);
        std::vector<char> given(made_.size, 0);
        if (auto const* state = initial.find("state")) {
            from_.require_known(*state, "state", from_.text(*state), {"true", "slow"});
            if (state->text == "slow") {
                if (made_.kind != problem_kind::vibrated)
                    from_.fail(*state, "Only vibrated systems have a slow state here.");
                made_.given = initial_state::slow;
            }
        }
        if (auto const* project = initial.find("project"))
            from_.fail(*project, "There are no constraints to project the start onto.");
        assign_values(initial, made_.position, &given);
        auto const missing = std::find(given.begin(), given.end(), 0);
        if (missing != given.end())
            from_.fail(initial,
                       "The start of " + name_of(static_cast<std::size_t>(missing - given.begin())) + " is missing.");
    }

    /// Values of coordinates by name: families first, then single members, which override them.
    void assign_values(entry const& table, std::vector<double>& values, std::vector<char>* given) {
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

    void read_time() {
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
            made_.output_times = from_.guarded(
                *output, [&] { return detail::checked_output(made_.start, made_.end, made_.output_times, 0); });
        } else {
            std::size_t const count = output == nullptr ? usual : output_count(*output);
            made_.output_times = detail::checked_output(made_.start, made_.end, {}, count);
        }
        if (auto const* report = time.find("report")) {
            from_.require_known(*report, "report", from_.text(*report), {"slow", "full"});
            if (report->text == "full") made_.report = reported_state::full;
        }
    }
    std::size_t output_count(entry const& given) {
        auto const count = from_.whole(given);
        constexpr std::int64_t most = 100'000'000;
        if (count < 1 || count > most)
            from_.fail(given, "The number of output times must lie between 1 and 1e8, but it is " +
                                  std::to_string(count) + ".");
        return static_cast<std::size_t>(count);
    }

    void read_observables() {
        auto const* observe = from_.root().find("observe");
        if (observe == nullptr) return;
        std::vector<statement> all;
        for (auto const& each : from_.table(*observe).children) {
            std::string const text = from_.formula(each);
            auto const allowed = made_.first_order ? of_state : of_motion;
            all.push_back(output(made_.observables.size(),
                                 from_.guarded(each, [&] { return from_.book().scalar(text, allowed); })));
            made_.observables.push_back(each.key);
        }
        if (!all.empty()) made_.observe = compiled(all, all.size());
    }

    // ---- checks of the whole ----

    void require_memory() const {
        double const rows = static_cast<double>(made_.output_times.size());
        double const bytes = rows * (static_cast<double>(made_.size) * (made_.first_order ? 8 : 16) + 64);
        double const memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
        constexpr double share = 0.8;
        if (bytes > share * memory)
            from_.fail("time.output", "The results would take " + show(bytes / 1e9) + " GB, and this machine has " +
                                          show(memory / 1e9) + " GB. Ask for fewer output times.");
    }

    void check_evenness() const {
        if (must_be_even_ == nullptr) return;
        double const oddness = detail::largest_odd_part(made_);
        constexpr double rounding = 1e-12;
        if (oddness > rounding)
            from_.fail(*must_be_even_, "The force is not even in theta: at opposite phases it differs by " +
                                           show(oddness) + " of its size. Take even out, or use a centred start.");
    }

    // ---- formulas ----

    static void append(std::vector<statement>& to, std::vector<statement> const& more) {
        to.insert(to.end(), more.begin(), more.end());
    }

    /// The statements of a formula given for a coordinate or a family.
    std::vector<statement> assigned(entry const& at, permission allowed, bool velocities, bool* velocity = nullptr) {
        std::string const text = from_.formula(at);
        auto made = from_.guarded(at, [&] { return from_.book().assign(at.key, text, allowed); });
        if (made.velocity && !velocities) from_.fail(at, "This is given for the coordinate, without the prime.");
        if (velocity != nullptr) *velocity = made.velocity;
        return std::move(made.statements);
    }

    compiled_formulas compiled(std::vector<statement> const& statements, std::size_t outputs) {
        auto& graph = from_.book().formulas();
        auto const written_out = unroll_short_loops(graph, statements);
        return compile(graph, make_schedule(graph, written_out, outputs), engine_);
    }

    void evaluate_constants(std::vector<statement> const& statements, std::vector<double>& out) {
        auto& graph = from_.book().formulas();
        auto const code = compile_bytecode(graph, make_schedule(graph, statements, out.size()));
        auto const work = code->work();
        code->evaluate({}, out, *work);
    }

    /// How many of the statements write each coordinate.
    std::vector<double> coverage(std::vector<statement> statements) {
        for (auto& each : statements) each.value = from_.book().formulas().constant(1);
        std::vector<double> counts(made_.size);
        evaluate_constants(statements, counts);
        return counts;
    }

    [[nodiscard]] std::string name_of(std::size_t slot) const { return made_.coordinate_name(slot); }

    reader from_;
    problem made_;
    expression::engine_kind engine_ = expression::engine_kind::automatic;
    entry const* must_be_even_ = nullptr;
};

std::string file_content(std::string const& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw problem_error(file, 0, {}, std::string("The file cannot be read: ") + std::strerror(errno) + ".");
    constexpr std::size_t largest = 64U << 20U;
    std::string text;
    std::vector<char> piece(1U << 16U);
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > largest)
            throw problem_error(file, 0, {}, "The file is larger than 64 MB and surely no problem file.");
    }
    return text;
}

} // namespace

std::string_view name(problem_kind kind) {
    switch (kind) {
    case problem_kind::vibrated: return "vibrated";
    case problem_kind::plain: return "plain";
    }
    return "unknown";
}

std::string problem::coordinate_name(std::size_t slot) const {
    for (auto const& family : families)
        if (slot >= family.first_slot && slot - family.first_slot < family.size()) {
            if (!family.indexed) return family.name;
            return family.name + "[" +
                   std::to_string(family.lower + static_cast<std::int64_t>(slot - family.first_slot)) + "]";
        }
    throw misuse("there is no coordinate number " + std::to_string(slot + 1) + "; the problem has " +
                 std::to_string(size));
}

problem read_problem(std::string_view text, std::string const& source, problem_settings const& settings) {
    entry root = detail::parse_document(text, source);
    for (auto const& each : settings) {
        apply_setting(root, each, source);
        // tolerances on the command line win over those of the file's macro scheme
        for (auto const* key : {"rtol", "atol"})
            if (each.rfind(std::string("accuracy.") + key + "=", 0) == 0) remove_entry(root, {"method", "macro", key});
    }
    return problem_reader(std::move(root), source).read();
}

problem load_problem(std::string const& file_or_name, problem_settings const& settings) {
    struct stat found{};
    bool const exists = stat(file_or_name.c_str(), &found) == 0;
    bool const directory = exists && S_ISDIR(found.st_mode);
    if (exists && !directory) return read_problem(file_content(file_or_name), file_or_name, settings);
    auto const& builtin = builtin_problems();
    auto const known =
        std::find_if(builtin.begin(), builtin.end(), [&](auto const& each) { return each.name == file_or_name; });
    if (known != builtin.end()) return read_problem(known->text, file_or_name, settings);
    if (directory) throw problem_error(file_or_name, 0, {}, "This is a directory, not a problem file.");
    std::vector<std::string> names;
    for (auto const& each : builtin) names.emplace_back(each.name);
    std::string const nearest = expression::nearest_name(file_or_name, names);
    throw problem_error(file_or_name, 0, {},
                        "There is no such file and no built-in problem of that name." +
                            (nearest.empty() ? "" : " Is \"" + nearest + "\" meant?") +
                            " `lento list problems` shows the built-in ones.");
}

} // namespace lento
