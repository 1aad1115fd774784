#include "problem/kinds/split_structure.hpp"
#include "problem/methods/flows.hpp"

#include <cmath>

#include <lento/stepper/flavors.hpp>

namespace lento::detail {
namespace {

/// How long the fast part is on.
struct switch_settings {
    double delta = 0;
    static constexpr auto options() {
        return std::tuple{
            option{"delta", &switch_settings::delta, "how long the fast part is switched on", positive, "epsilon"}};
    }
};

/// FLAVORS is a stepper of the split system itself.
struct switching_parts {
    static constexpr std::string_view name = "flavors";
    static constexpr std::string_view sentence = "switches the fast part on and off (a rival)";
    static constexpr unsigned kinds = for_kinds<split_kind>;

    struct settings {
        fixed_macro_settings<midpoint> macro{};
        flow_settings micro{};
        switch_settings window{};
        engine_kind engine = engine_kind::automatic;
        static constexpr auto options() {
            using own = settings;
            return std::tuple{option{"macro", &own::macro, "the whole step; between the fast parts the midpoint rule"},
                              option{"micro", &own::micro, "follows the system while its fast part is on"},
                              option{"window", &own::window, "how long the fast part is on"},
                              option{"engine", &own::engine, "what computes formulas"}};
        }
    };

    static std::string why_not(problem const& what) {
        auto const slow = direct_from_true_state(what);
        return slow.empty() ? resonates_with_time(what) : slow;
    }
    static void read(method_text& from, settings& into) {
        if (!from.has("window.delta"))
            from.fail("name",
                      "FLAVORS needs window.delta, how long the fast part is switched on, in units of epsilon.");
        if (!from.has("macro")) from.fail("name", "FLAVORS needs a step, as in macro = { step = 0.01 }.");
        from.read(fields_of(into));
        into.micro.complete(from);
        if (into.micro.steps_per_period && from.what().as<split_kind>()->period == 0)
            from.fail("micro.steps_per_period", "steps_per_period counts steps of the fast period, which is not given; "
                                                "give step, or system.period.");
    }
    static prepared_run make(problem const& what, settings& chosen, bool) {
        if (what.report == reported_state::full)
            throw does_not_apply("FLAVORS follows the slow motion alone; leave report = \"full\" out");
        auto const& kind = *what.as<split_kind>();
        prepared_run made;
        made.stepping =
            kind.fast_matrix.empty() ? at_work_on<false>(what, kind, chosen) : at_work_on<true>(what, kind, chosen);
        made.position = what.position;
        made.max_steps = chosen.macro.max_steps;
        return made;
    }

private:
    template <bool Linear>
    static any_stepping at_work_on(problem const& what, split_kind const& kind, settings& chosen) {
        auto const system = make_split<Linear>(what, kind, kind.period, chosen.engine);
        double const delta = chosen.window.delta;
        switching times{.step = chosen.macro.step, .delta = delta};
        if (auto const* adaptive = chosen.micro.adaptive()) return stepping_by(system, flavors(times, *adaptive));
        double const length = delta * kind.epsilon;
        times.steps = chosen.micro.steps_over(length, kind.period, std::ceil(delta / 0.1));
        if (!chosen.micro.step && !chosen.micro.steps_per_period) chosen.micro.step = length / times.steps;
        return stepping_by(system, flavors(times));
    }
    template <class System, class Stepper> static any_stepping stepping_by(System const& system, Stepper stepper) {
        return std::unique_ptr<stepping<any_point>>(
            std::make_unique<stepping_of<System, Stepper>>(system, std::move(stepper)));
    }
};

} // namespace

method_row flavors_row() { return row_of<switching_parts>(); }

} // namespace lento::detail
