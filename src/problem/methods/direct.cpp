#include "problem/formula_jacobian.hpp"
#include "problem/kinds/split_structure.hpp"
#include "problem/methods/direct_scheme.hpp"
#include "problem/methods/few.hpp"
#include "problem/methods/springs.hpp"
#include "problem/systems.hpp"

#include <lento/effective/put_back.hpp>
#include <lento/problem/run.hpp>

namespace lento::detail {
namespace {

/// The system as it stands, every oscillation resolved.
struct direct {
    static constexpr std::string_view name = "direct";
    static constexpr std::string_view sentence = "integrates the system as it is, every oscillation resolved";
    static constexpr unsigned kinds =
        for_kinds<plain_kind, vibrated_kind, stiff_kind, constrained_kind, split_kind, stiff_potential_kind>;
    static constexpr bool steps_alone_err = true;
    struct settings {
        macro_settings macro{};
        std::optional<return_settings> projection{};
        engine_kind engine = engine_kind::automatic;
        static constexpr auto options() {
            return std::tuple{option{"macro", &direct::settings::macro, "steps the motion"},
                              option{"projection", &direct::settings::projection,
                                     "puts the motion of hard springs back onto the slow manifold"},
                              option{"engine", &direct::settings::engine, "what computes formulas"}};
        }
    };

    static std::string why_not(problem const& what) { return direct_from_true_state(what); }
    static std::string suits(problem const& what) {
        if (what.as<constrained_kind>() != nullptr) return "a constrained system is integrated on its constraints";
        if (what.as<plain_kind>() != nullptr) return "a plain system is integrated as it is";
        if (!resonates_with_time(what).empty())
            return "the slow part depends on the time in step with the fast flow, whose phase must be known";
        return {};
    }
    static void read(method_text& from, settings& into) {
        from.read(fields_of(into));
        into.macro.complete(from, true, from.what().constraints() != nullptr);
        if (from.has("projection") && !from.what().is_stiff())
            throw does_not_apply("only stiff systems have a slow manifold to be put back onto; leave projection out");
    }
    static prepared_run make(problem const& what, settings& chosen, bool) {
        std::vector<std::string> reasons;
        if (!chosen.macro.scheme.value && what.constraints() == nullptr) choose_scheme(what, chosen.macro, reasons);
        chosen.macro.choose(what, reasons, what.constraints() != nullptr);
        auto const system = system_of(what, chosen.engine);
        prepared_run made = start_of(what, system, chosen.macro);
        if (uses_jacobian(*chosen.macro.scheme.value))
            if (auto known = jacobian_of(what, chosen.engine))
                made.stepping = at_work(*chosen.macro.scheme.value, system, std::move(known));
        made.in_one_piece = few_coordinates(what, *chosen.macro.scheme.value, chosen.engine);
        if (chosen.projection) keep_slow(what, chosen, made);
        made.full = made.lifts = true;
        made.reasons = std::move(reasons);
        if (auto const* stiff = what.as<stiff_kind>())
            made.leave = [stiff](problem_run& run) { find_loads(*stiff, run); };
        return made;
    }

private:
    /// The motion is put back onto the slow manifold, at intervals as an initial value problem of its own. The start
    /// stays where it is given.
    static void keep_slow(problem const& what, settings const& chosen, prepared_run& made) {
        auto const system = on_stiff(what, std::nullopt, chosen.engine, [&](auto const& springs) {
            auto const onto = published_manifold(what, springs.frequencies());
            if (auto const& drift = chosen.projection->drift)
                return any_system(effective(springs, put_back(onto, *drift)));
            return any_system(effective(springs, put_back(onto)));
        });
        double const whole = what.end - what.start;
        made.stepping = at_work(*chosen.macro.scheme.value, system);
        begin_anew(system, chosen.macro, chosen.projection->every.value_or(whole), initial_state::slow, made);
    }
    static void choose_scheme(problem const& what, macro_settings& macro, std::vector<std::string>& reasons) {
        auto const found = direct_scheme_for(what, what.rtol > 0 ? what.rtol : what.atol);
        macro.scheme.value = make_scheme(found.name);
        *number_of(*macro.scheme.value, "rtol") = what.rtol;
        *number_of(*macro.scheme.value, "atol") = what.atol;
        reasons.push_back("macro scheme " + std::string(found.name) + ": " + found.reason);
    }
    static any_system system_of(problem const& what, engine_kind engine) {
        if (what.first_order) return any_system(make_flow(what, engine));
        return by_velocity(what.uses_velocity(), [&](auto velocity) {
            if (auto const* constraints = what.constraints())
                return any_system(make_constrained<velocity>(what, what.force, *constraints, engine));
            return any_system(make_motion<velocity>(what, what.force, engine));
        });
    }
};

} // namespace

method_row direct_row() { return row_of<direct>(); }

} // namespace lento::detail
