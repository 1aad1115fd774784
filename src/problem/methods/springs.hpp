#pragma once

#include "problem/formula_potential.hpp"
#include "problem/kinds/formula_stiff.hpp"
#include "problem/methods/row.hpp"
#include "problem/systems.hpp"

#include <lento/effective/slow_manifold.hpp>
#include <lento/effective/window.hpp>

/// What the methods for hard springs share: force averaging and the projection onto the slow manifold.
namespace lento::detail {

/// The numbers that windows compute in.
enum class window_scalar { doubles, long_doubles };
constexpr std::array<std::string_view, 2> names_of(window_scalar) { return {"double", "long double"}; }

/// Windows of springs are stepped by Verlet's method.
struct spring_micro_settings {
    only_choice<verlet> scheme{only<verlet>{}};
    std::optional<double> steps_per_period{};
    std::optional<double> step{};
    static constexpr std::array<exclusive_pair, 1> exclusive{{{"steps_per_period", "step"}}};
    static constexpr auto options() {
        using own = spring_micro_settings;
        return std::tuple{option{"scheme", &own::scheme, "steps the fast motion"},
                          option{"steps_per_period", &own::steps_per_period,
                                 "Verlet steps per period of the fastest spring", positive},
                          option{"step", &own::step, "or the step itself", positive, "time"}};
    }
};

struct spring_window_settings : window_settings {
    window_scalar scalar = window_scalar::doubles;
    static constexpr auto options() {
        return std::tuple_cat(window_settings::options(), std::tuple{option{"scalar", &spring_window_settings::scalar,
                                                                            "the numbers that windows compute in"}});
    }
};

/// How often a motion is put back onto the slow manifold.
struct return_settings {
    std::optional<double> every{};
    std::optional<double> drift{};
    static constexpr bool says_something = true;
    static constexpr auto options() {
        using own = return_settings;
        return std::tuple{option{"every", &own::every,
                                 "so often the motion begins anew, put back onto the slow manifold", positive, "time"},
                          option{"drift", &own::drift,
                                 "it is put back when springs hold more than this times the kinetic energy", positive}};
    }
};

/// The frequency of springs that stand for constraints.
struct relaxation_settings {
    double omega = 0;
    static constexpr auto options() {
        return std::tuple{option{"omega", &relaxation_settings::omega,
                                 "makes a spring of this frequency of every constraint", positive, "1/time"}};
    }
};

/// What is common to both methods.
struct spring_settings {
    macro_settings macro{};
    spring_micro_settings micro{};
    spring_window_settings window{};
    std::optional<relaxation_settings> relaxation{};
    engine_kind engine = engine_kind::automatic;
};

/// The springs of a problem: its own, or those that its constraints are relaxed to.
[[nodiscard]] stiff_kind springs_of(problem const& what, std::optional<relaxation_settings> const& relaxation);
/// Where a run starts: on the constraints that are relaxed where the problem asks for it.
[[nodiscard]] any_motion spring_start(problem const& what, engine_kind engine);
inline void start_at(any_motion from, prepared_run& run) {
    run.position = std::move(from.position);
    run.velocity = std::move(from.velocity);
}
/// Of a potential nobody knows springs, whose loads could be told.
void tell_no_loads(problem_run& run);
/// Why a method that follows springs does not apply.
[[nodiscard]] std::string why_no_springs(problem const& what, std::string_view method);
/// Only constraints are relaxed, and they must be.
void check_relaxation(method_text const& from, std::optional<relaxation_settings> const& read);
/// After the tables were read. `usual` is the method's own window.
void check_springs(method_text const& from, spring_settings& read, window const& usual);
/// Fills in what is left open, and makes the window.
void fill_springs(spring_settings& chosen, window const& usual);
[[nodiscard]] window window_of(spring_settings const& chosen);

/// The window of a projection onto the slow manifold, as published.
[[nodiscard]] window manifold_window();
/// How closely points are projected there, in numbers of this rounding: multipliers are omega^2 g, but a spring's rate
/// is noise below omega times the last digit of a coordinate, and its stretch below that digit.
struct manifold_tolerances {
    double rate;
    double stretch;
};
[[nodiscard]] manifold_tolerances manifold_tolerances_for(problem const& what, std::vector<double> const& frequencies,
                                                          double rounding);
/// The way onto the slow manifold as published, with these tolerances.
[[nodiscard]] slow_manifold<> published_manifold(problem const& what, std::vector<double> const& frequencies);
/// A run that begins anew at intervals, each time from where it is put back; the first part starts from the given
/// state.
void begin_anew(any_system const& system, macro_settings const& macro, double every, initial_state first,
                prepared_run& made);

/// Calls use(system) with the stiff system of a problem, compiled for a run: its springs, those that its constraints
/// are relaxed to, or its potential.
template <class Use> auto on_stiff(problem const& what, std::optional<relaxation_settings> const& relaxation,
                                   engine_kind with, Use const& use) {
    if (auto const* potential = what.as<stiff_potential_kind>())
        return by_velocity(potential->slow_force.uses(expression::source::velocity),
                           [&](auto velocity) { return use(formula_potential<velocity>(what, *potential, with)); });
    auto const kind = springs_of(what, relaxation);
    return by_velocity(kind.slow_force.uses(expression::source::velocity),
                       [&](auto velocity) { return use(formula_stiff<velocity>(what, kind, with)); });
}
template <class Use> auto on_stiff(problem const& what, spring_settings const& chosen, Use const& use) {
    // long double runs on the bytecode
    bool const wide = chosen.window.scalar == window_scalar::long_doubles;
    return on_stiff(what, chosen.relaxation, wide ? engine_kind::bytecode : chosen.engine, use);
}

/// A closure of a stiff system whose windows have the numbers that are asked for: `closure(of)` makes it for `of` of
/// that type.
template <class System, class Closure>
[[nodiscard]] any_system effective_in(System const& system, window_scalar numbers, Closure const& closure) {
    if constexpr (System::sees_near) // which a potential's windows, in double alone, do not
        if (numbers == window_scalar::long_doubles) return any_system(effective(system, closure(1.0L)));
    return any_system(effective(system, closure(1.)));
}

} // namespace lento::detail
