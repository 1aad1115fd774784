#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/reader.hpp"

#include <lento/expression/graph.hpp>
#include <lento/io/problem.hpp>

namespace lento::detail {

inline constexpr expression::permission of_motion{.position = true, .velocity = true, .phase = true, .time = true};
inline constexpr expression::permission of_potential{.position = true, .velocity = false, .phase = true, .time = true};
inline constexpr expression::permission of_state{.position = true, .velocity = false, .phase = false, .time = true};

/// Reads a problem file table by table. What a kind of system has of its own stands in a file of its own,
/// read_KIND.cpp.
class problem_reader {
public:
    problem_reader(entry root, std::string const& source) : from_(std::move(root), source) { made_.source = source; }

    problem read();

private:
    using statement = expression::statement;
    using permission = expression::permission;

    // ---- parts of the file ----

    /// A table that must be there, and a key of one.
    entry const& section(char const* name, char const* why) const;
    entry const& required(entry const& table, char const* key, std::string const& why) const;
    void must_not_meet(entry const& table, char const* one, char const* other) const;

    void read_parameters();
    void read_system();
    void read_names(entry const& names);
    void read_definitions(entry const& system);
    /// What forces and the potential say; none at all is an error unless there may be no force.
    std::vector<statement> forces(entry const& system, bool needed);
    void read_forces(entry const& system);
    void read_mass(entry const* mass);
    void read_mass_matrix(entry const& mass);
    void read_initial();
    void assign_values(entry const& table, std::vector<double>& values, std::vector<char>* given);
    void read_time();
    std::size_t output_count(entry const& given);
    void read_observables();
    void require_memory() const;

    // ---- the system, by kind: a further kind is a line in `kinds` and a function here ----

    struct kind_description {
        std::string_view name;
        problem_kind kind;
        void (problem_reader::*read)(entry const&);
    };
    static std::vector<kind_description> kinds();

    void read_vibrated(entry const& system);
    void read_phases(entry const& system);
    void read_slow_velocity(entry const& map);
    void check_evenness() const;

    void read_plain(entry const& system);
    void read_rates(entry const& system);

    void read_constrained(entry const& system);
    void read_constraints(entry const& list);
    std::vector<statement> function_of_coordinates(entry const& given, std::size_t& count);
    constraint_formulas functions(std::vector<statement> const& all, std::size_t count, bool springs);

    void read_stiff(entry const& system);
    /// Windows in long double run on the bytecode, and formulas are compiled as they are read.
    void choose_engine_for_windows();
    void relax(std::vector<statement> const& constraints);
    /// The force with -load grad g of every spring added; pull(spring) is its load.
    template <class Pull> std::vector<statement> with_springs(std::vector<statement> force,
                                                              std::vector<statement> const& springs, Pull const& pull);
    void compile_springs(std::vector<statement> const& slow, std::vector<statement> const& springs);

    void read_split(entry const& system);
    std::vector<statement> split_part(entry const& system, char const* key, permission allowed);
    void recognise_linear(std::vector<statement> const& fast);

    // ---- formulas ----

    static void append(std::vector<statement>& to, std::vector<statement> const& more) {
        to.insert(to.end(), more.begin(), more.end());
    }
    /// The statements of a formula given for a coordinate or a family.
    std::vector<statement> assigned(entry const& at, permission allowed, bool velocities, bool* velocity = nullptr);
    compiled_formulas compiled(std::vector<statement> const& statements, std::size_t outputs);
    void evaluate_constants(std::vector<statement> const& statements, std::vector<double>& out);
    /// How many of the statements write each coordinate.
    std::vector<double> coverage(std::vector<statement> statements);
    [[nodiscard]] bool depend_on(std::vector<statement> const& statements, expression::source on);
    [[nodiscard]] std::string name_of(std::size_t slot) const { return made_.coordinate_name(slot); }

    reader from_;
    problem made_;
    entry const* must_be_even_ = nullptr;
};

} // namespace lento::detail
