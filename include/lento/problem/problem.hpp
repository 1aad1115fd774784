#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <lento/base/mass.hpp>
#include <lento/expression/coordinate_family.hpp>
#include <lento/expression/formula.hpp>
#include <lento/problem/entry.hpp>
#include <lento/problem/kinds/constrained.hpp>
#include <lento/problem/kinds/plain.hpp>
#include <lento/problem/kinds/split.hpp>
#include <lento/problem/kinds/stiff.hpp>
#include <lento/problem/kinds/stiff_potential.hpp>
#include <lento/problem/kinds/vibrated.hpp>
#include <lento/problem/problem_error.hpp>
#include <lento/solve/options.hpp>

namespace lento {

/// Every kind of system that problem files can describe.
using any_kind =
    std::variant<plain_kind, vibrated_kind, stiff_kind, constrained_kind, split_kind, stiff_potential_kind>;

/// Where a start is put before a run.
enum class start_projection {
    none,
    constraints,  ///< onto g = 0, where there are constraints
    slow_manifold ///< onto the slow manifold of hard springs, whatever the method
};

/// What is to be integrated, from where, until when, and how: all that a run needs. A value that runs do not change, so
/// that any number of threads may run it. Formulas are kept as graphs; a run compiles those that it asks for.
struct problem {
    std::string source{}; ///< the file, or the name of a built-in problem
    std::string title{};
    std::vector<std::pair<std::string, double>> parameters{};

    std::vector<expression::coordinate_family> families{};
    std::size_t size = 0; ///< how many coordinates or variables
    bool first_order = false;
    any_mass mass{};
    expression::formula force{};     ///< all of it; the rate of a first-order system
    expression::formula potential{}; ///< or none
    expression::formula gradient{};  ///< minus the potential's derivatives: its part of the force
    any_kind kind{};

    std::vector<double> position{}; ///< at the start; a first-order system's state
    std::vector<double> velocity{}; ///< none of a first-order system
    initial_state given = initial_state::physical;
    start_projection project = start_projection::none;

    double start = 0;
    double end = 0;
    std::vector<double> output_times{};
    reported_state report = reported_state::slow;

    std::vector<std::string> observables{};
    expression::formula observe{}; ///< none without observables

    double rtol = 1e-6; ///< what [accuracy] says
    double atol = 1e-9;
    bool estimate = true; ///< measure the error that is made
    entry method{};       ///< [method] as it stands: the method's row reads it
    entry system{};       ///< [system], [parameters] and [observe] likewise, so that the problem can be written
    entry written_parameters{};
    entry written_observables{};
    std::vector<std::string> notices{}; ///< what of the file is left out, and why

    template <class Kind> [[nodiscard]] Kind const* as() const { return std::get_if<Kind>(&kind); }
    [[nodiscard]] std::string_view kind_name() const;
    /// Hard springs or a stiff potential: a system with a slow manifold.
    [[nodiscard]] bool is_stiff() const { return as<stiff_kind>() != nullptr || as<stiff_potential_kind>() != nullptr; }
    /// Of a vibrated system; none of the others.
    [[nodiscard]] std::span<double const> frequencies() const;
    [[nodiscard]] std::span<double const> phases() const;
    /// Of a constrained or a vibrated system; null without any.
    [[nodiscard]] function_formulas const* constraints() const;
    [[nodiscard]] bool uses_velocity() const { return force.uses(expression::source::velocity); }
    [[nodiscard]] bool uses_time() const { return force.uses(expression::source::time); }
    [[nodiscard]] std::string coordinate_name(std::size_t slot) const; ///< "q" or "x[7]"
    /// What a formula of the parameters is worth.
    [[nodiscard]] double number(std::string_view formula) const;
};

/// Reads a problem from its tree; `source` names it in errors. Throws problem_error.
[[nodiscard]] problem read_problem(entry root, std::string const& source);
/// The tree that reads back as this problem. Throws misuse where its force is a function of another language.
[[nodiscard]] entry write(problem const& what);

} // namespace lento
