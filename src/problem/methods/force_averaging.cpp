#include "problem/methods/springs.hpp"

#include <lento/effective/averaging.hpp>

namespace lento::detail {
namespace {

/// Force averaging of paper 000 for hard springs.
struct averaging {
    static constexpr std::string_view name = "hmm";
    static constexpr std::string_view sentence = "follows the slow motion of hard springs: averages their force over "
                                                 "short windows";
    static constexpr unsigned kinds = for_kinds<stiff_kind, stiff_potential_kind, constrained_kind>;

    struct settings : spring_settings {
        std::optional<return_settings> projection{};
        static constexpr auto options() {
            using own = settings;
            return std::tuple{option{"macro", &own::macro, "steps the slow motion"},
                              option{"micro", &own::micro, "steps the fast motion inside windows"},
                              option{"window", &own::window, "what a slow evaluation looks at"},
                              option{"projection", &own::projection, "puts the motion back onto the slow manifold"},
                              option{"relaxation", &own::relaxation, "makes springs of constraints"},
                              option{"engine", &own::engine, "what computes formulas"}};
        }
    };
    /// Leaves less than 1e-4 of the fast motion.
    static window usual() { return {.kernel = exponential{.moments = 3}, .periods = 40, .steps_per_period = 12}; }

    static std::string why_not(problem const& what) { return why_no_springs(what, name); }
    static void read(method_text& from, settings& into) {
        from.read(fields_of(into));
        check_springs(from, into, usual());
    }
    static prepared_run make(problem const& what, settings& chosen, bool) {
        if (what.report == reported_state::full)
            throw does_not_apply(
                "this method follows the slow motion alone; report = \"full\" needs the method direct");
        std::vector<std::string> reasons;
        chosen.macro.choose(what, reasons);
        fill_springs(chosen, usual());
        auto const system = system_of(what, chosen);
        prepared_run made = start_of(what, system, chosen.macro);
        start_at(spring_start(what, chosen.engine), made);
        if (chosen.projection && chosen.projection->every)
            begin_anew(system, chosen.macro, *chosen.projection->every, what.given, made);
        made.reasons = std::move(reasons);
        if (what.as<stiff_potential_kind>() != nullptr) made.leave = tell_no_loads;
        return made;
    }

private:
    static any_system system_of(problem const& what, settings const& chosen) {
        projection const back{.every = 0, .drift = chosen.projection ? chosen.projection->drift.value_or(0) : 0};
        auto const over = window_of(chosen);
        return on_stiff(what, chosen, [&](auto const& system) {
            return effective_in(system, chosen.window.scalar,
                                [&](auto one) { return force_averaging<verlet, decltype(one)>(over, {}, back); });
        });
    }
};

} // namespace

method_row force_averaging_row() { return row_of<averaging>(); }

} // namespace lento::detail
