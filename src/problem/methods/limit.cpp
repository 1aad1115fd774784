#include "problem/methods/on_constraints.hpp"
#include "problem/methods/row.hpp"
#include "problem/systems.hpp"

#include <lento/effective/underlying.hpp>
#include <lento/stepper/rattle.hpp>
#include <lento/stepper/shake.hpp>

/// Constrained systems, and the limit of hard springs: their force without springs, and what these hold as constraints.
namespace lento::detail {
namespace {

struct rigid {
    expression::formula const& force;
    function_formulas const& constraints;
};
rigid limit_of(problem const& what) {
    if (auto const* stiff = what.as<stiff_kind>()) return {stiff->slow_force, stiff->springs};
    return {what.force, what.as<constrained_kind>()->constraints};
}

constexpr unsigned limit_kinds = for_kinds<constrained_kind, stiff_kind>;

/// The ordinary differential equation under the constraints.
struct underlying_equation {
    static constexpr std::string_view name = "underlying";
    static constexpr std::string_view sentence = "the ordinary differential equation under the constraints";
    static constexpr unsigned kinds = limit_kinds;
    struct settings {
        macro_settings macro{};
        bool unchecked = false;
        engine_kind engine = engine_kind::automatic;
        static constexpr auto options() {
            return std::tuple{option{"macro", &underlying_equation::settings::macro, "steps the motion"},
                              option{"unchecked", &underlying_equation::settings::unchecked,
                                     "start off the constraints, which the equation then does not come back to"},
                              option{"engine", &underlying_equation::settings::engine, "what computes formulas"}};
        }
    };
    static void read(method_text& from, settings& into) {
        from.read(fields_of(into));
        into.macro.complete(from, true);
    }
    /// Nothing keeps this motion on the constraints, so that at least its start must be there, unless its drift off
    /// them is what is looked for.
    static prepared_run make(problem const& what, settings& chosen, bool) {
        std::vector<std::string> reasons;
        chosen.macro.choose(what, reasons);
        auto const limit = limit_of(what);
        auto const system = make_constrained<true>(what, limit.force, limit.constraints, chosen.engine);
        auto start = chosen.unchecked ? any_motion{what.position, what.velocity} : start_on_constraints(what, system);
        prepared_run made = start_of(what, any_system(underlying(system)), chosen.macro);
        made.position = std::move(start.position);
        made.velocity = std::move(start.velocity);
        made.full = made.lifts = true;
        made.reasons = std::move(reasons);
        return made;
    }
};

/// A scheme that keeps constraints, with steps of one length.
template <class Stepper> struct keeping {
    static constexpr std::string_view name = Stepper::name;
    static constexpr std::string_view sentence = Stepper::name == shake::name
                                                     ? "SHAKE for constraints, or for the limit of hard springs"
                                                     : "RATTLE for constraints, or for the limit of hard springs";
    static constexpr unsigned kinds = limit_kinds;
    struct settings {
        fixed_macro_settings<Stepper> macro{};
        engine_kind engine = engine_kind::automatic;
        static constexpr auto options() {
            return std::tuple{option{"macro", &keeping::settings::macro, "steps the motion"},
                              option{"engine", &keeping::settings::engine, "what computes formulas"}};
        }
    };
    static void read(method_text& from, settings& into) {
        std::string const method(name);
        if (!from.has("macro"))
            from.fail("macro", "The method " + method + " needs a step, as in macro = { step = 0.01 }.");
        from.read(fields_of(into));
    }
    static prepared_run make(problem const& what, settings& chosen, bool) {
        auto const limit = limit_of(what);
        auto scheme = make_scheme(name);
        *number_of(scheme, "step") = chosen.macro.step;
        macro_settings macro;
        macro.scheme.value = scheme;
        macro.max_steps = chosen.macro.max_steps;
        auto made = by_velocity(limit.force.uses(expression::source::velocity), [&](auto velocity) {
            return start_of(what,
                            any_system(make_constrained<velocity>(what, limit.force, limit.constraints, chosen.engine)),
                            macro);
        });
        made.full = made.lifts = true;
        return made;
    }
};

} // namespace

method_row underlying_row() { return row_of<underlying_equation>(); }
method_row shake_row() { return row_of<keeping<shake>>(); }
method_row rattle_row() { return row_of<keeping<rattle>>(); }

} // namespace lento::detail
