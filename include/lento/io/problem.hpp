#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <lento/expression/notebook.hpp>
#include <lento/io/constraint_formulas.hpp>
#include <lento/io/method.hpp>
#include <lento/io/problem_error.hpp>
#include <lento/solve/options.hpp>
#include <lento/system/mass.hpp>

namespace lento {

/// The kinds of system that problem files can describe here.
enum class problem_kind { vibrated, stiff, constrained, split, plain };
[[nodiscard]] std::string_view name(problem_kind kind);

using mass_matrix = any_mass::form;

/// A problem file, read, checked and compiled: all that a run needs. A value; runs do not change it.
struct problem {
    std::string source; ///< the file, or the name of a built-in problem
    std::string title;
    std::vector<std::pair<std::string, double>> parameters;

    problem_kind kind = problem_kind::plain;
    bool first_order = false;
    std::vector<expression::coordinate_family> families;
    std::size_t size = 0; ///< how many coordinates or variables

    compiled_formulas force; ///< or the rate of a first-order system; all of it
    bool uses_velocity = false;
    bool uses_time = false;
    compiled_formulas potential; ///< null without one
    compiled_formulas gradient;  ///< minus the potential's derivatives: its part of the force
    mass_matrix mass;
    std::vector<double> frequencies;
    std::vector<double> phases;
    compiled_formulas slow_velocity; ///< or null
    double period = 0;               ///< of a split or plain system's fast motion, where it is given

    constraint_formulas constraints; ///< of a constrained or a vibrated system
    constraint_formulas springs;     ///< of a stiff system, or a constrained one that is relaxed
    std::vector<double> omegas;      ///< of the springs
    compiled_formulas stiff_force;   ///< with the springs, and after it their loads omega^2 g
    compiled_formulas pulled_force;  ///< with springs that pull with given loads, the direction
    compiled_formulas slow_force;    ///< without springs

    double epsilon = 0;     ///< of a split system x' = fast(x)/epsilon + slow(x, t)
    compiled_formulas fast; ///< its parts
    compiled_formulas slow;
    std::vector<std::vector<long double>> fast_matrix; ///< by rows, where the fast part is linear

    std::vector<double> position; ///< at the start; a first-order system's state
    std::vector<double> velocity;
    initial_state given = initial_state::physical;
    bool project = false; ///< put the start onto the constraints

    double start = 0;
    double end = 0;
    std::vector<double> output_times;
    reported_state report = reported_state::slow;

    std::vector<std::string> observables;
    compiled_formulas observe; ///< null without observables

    method_options method;

    [[nodiscard]] std::string coordinate_name(std::size_t slot) const; ///< "q" or "x[7]"
};

/// What the command line changes in a file: settings as KEY=VALUE, a later one over an earlier one.
using problem_settings = std::vector<std::string>;

/// Reads a problem from its text; `source` names it in errors. Throws problem_error.
[[nodiscard]] problem read_problem(std::string_view text, std::string const& source,
                                   problem_settings const& settings = {});
/// Reads a file, or a built-in problem when there is no such file. Throws problem_error.
[[nodiscard]] problem load_problem(std::string const& file_or_name, problem_settings const& settings = {});

/// A problem that comes with the program.
struct builtin_problem {
    std::string_view name;
    std::string_view text;
};
[[nodiscard]] std::vector<builtin_problem> const& builtin_problems();

} // namespace lento
