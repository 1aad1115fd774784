#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/reader.hpp"

#include <lento/expression/graph.hpp>
#include <lento/problem/problem.hpp>

namespace lento::detail {

inline constexpr expression::permission of_motion{.position = true, .velocity = true, .phase = true, .time = true};
inline constexpr expression::permission of_potential{.position = true, .velocity = false, .phase = true, .time = true};
inline constexpr expression::permission of_state{.position = true, .velocity = false, .phase = false, .time = true};

/// Reads a problem file table by table. What a kind of system has of its own it reads itself, with what is here.
class system_reader {
public:
    using statement = expression::statement;
    using permission = expression::permission;

    system_reader(entry root, std::string const& source) : from(std::move(root), source) { made.source = source; }

    problem read();

    // ---- what kinds read with ----

    /// Only these keys may stand in [system].
    void allow(entry const& system, system_keys keys) const;
    /// A key that must be there.
    entry const& required(entry const& table, char const* key, std::string const& why) const;
    void must_not_meet(entry const& table, char const* one, char const* other) const;
    void read_names(entry const& names);
    void read_definitions(entry const& system);
    /// What forces and the potential say; none at all is an error unless there may be no force.
    std::vector<statement> forces(entry const& system, bool needed);
    void read_forces(entry const& system);
    void read_mass(entry const* mass);
    /// A list of functions of the coordinates that stay zero.
    function_formulas read_constraints(entry const& list);
    /// A formula, or { g = ..., for = ... } for many; `count` grows by as many as there are.
    std::vector<statement> function_of_coordinates(entry const& given, std::size_t& count);
    /// The statements of a formula given for a coordinate or a family.
    std::vector<statement> assigned(entry const& at, permission allowed, bool velocities, bool* velocity = nullptr);
    /// Formulas that share the graph of the file.
    [[nodiscard]] expression::formula formula(std::vector<statement> statements, std::size_t outputs) const {
        return {from.graph(), std::move(statements), outputs};
    }
    /// How many of the statements write each coordinate.
    std::vector<double> coverage(std::vector<statement> statements);
    [[nodiscard]] bool depend_on(std::vector<statement> const& statements, expression::source on);
    [[nodiscard]] std::string name_of(std::size_t slot) const { return made.coordinate_name(slot); }
    static void append(std::vector<statement>& to, std::vector<statement> const& more) {
        to.insert(to.end(), more.begin(), more.end());
    }

    reader from;
    problem made;

private:
    /// A table that must be there.
    entry const& section(char const* name, char const* why) const;
    void read_parameters();
    void read_system();
    void read_mass_matrix(entry const& mass);
    void read_initial();
    void read_projection(entry const& project);
    void assign_values(entry const& table, std::vector<double>& values, std::vector<char>* given);
    void read_time();
    std::size_t output_count(entry const& given);
    void read_observables();
    void read_accuracy();
    void require_memory() const;
};

/// Of a vibrated system that claims it, once its start is known.
void check_evenness(system_reader& in);

} // namespace lento::detail
