#include "problem/kinds/split_structure.hpp"
#include "problem/methods/flows.hpp"
#include "problem/period.hpp"

#include <cmath>

#include <lento/effective/interaction.hpp>
#include <lento/effective/stroboscopic.hpp>
#include <lento/problem/run.hpp>
#include <lento/system/linear_flow.hpp>
#include <lento/system/phase.hpp>

namespace lento::detail {
namespace {

/// The map over one fast period, differenced.
struct strobing {
    static constexpr std::string_view name = "stroboscopic";
    static constexpr std::string_view sentence = "differences the map over one fast period, known or found";
    static constexpr unsigned kinds = for_kinds<vibrated_kind, split_kind, plain_kind>;

    struct settings {
        macro_settings macro{};
        flow_settings micro{};
        std::optional<int> order{};
        std::optional<double> period{};
        std::optional<picture> seen{};
        engine_kind engine = engine_kind::automatic;
        static constexpr auto options() {
            using own = settings;
            return std::tuple{option{"macro", &own::macro, "steps the motion as seen once per period"},
                              option{"micro", &own::micro, "follows the motion over a period"},
                              option{"order", &own::order, "of the central difference, 2 or 4", between(2, 4)},
                              option{"period", &own::period, "of the fast motion; left out: the system's, or found",
                                     positive, "time"},
                              option{"picture", &own::seen, "of split systems: the frame from which they are seen"},
                              option{"engine", &own::engine, "what computes formulas"}};
        }
    };

    static std::string why_not(problem const& what) {
        if (what.as<vibrated_kind>() == nullptr) return resonates_with_time(what);
        if (what.constraints() != nullptr) return "the stroboscope knows no constraints; use hmm";
        if (what.frequencies().size() > 1)
            return "the stroboscope needs one period, and there are several phases; use hmm";
        return {};
    }
    static std::string suits(problem const& what) {
        if (auto const* kind = what.as<split_kind>())
            return kind->period > 0 && resonates_with_time(what).empty() ? "the period of the fast flow is known" : "";
        auto const* kind = what.as<plain_kind>();
        bool const many = kind != nullptr && kind->period > 0 && 100 * kind->period < what.end - what.start;
        return many ? "the period of the fast motion is known, and the run covers many" : "";
    }

    /// Where the fast flow is not linear, whose spectral mean is cheaper: differences of higher order, and of shorter
    /// micro steps.
    static std::vector<closure> closures(problem const& what) {
        std::vector<closure> all;
        auto const* split = what.as<split_kind>();
        double const period = what.as<vibrated_kind>() == nullptr ? given_period(what) : 0;
        bool const many = split != nullptr || 100 * period < what.end - what.start;
        if (!(period > 0) || !many || (split != nullptr && !split->fast_matrix.empty())) return all;
        int const steps = split != nullptr ? steps_to_return(*split, period, false)
                                           : steps_per_period(what, period, what.rtol, engine_kind::automatic);
        if (steps == 0) return all;
        for (auto const& [order, times] : {std::pair{2, 1}, {4, 2}, {4, 4}}) {
            settings made;
            made.order = order;
            made.micro.steps_per_period = times * steps;
            all.push_back({described(made)});
        }
        return all;
    }

    static void read(method_text& from, settings& into) {
        problem const& what = from.what();
        from.read(fields_of(into));
        into.macro.complete(from, false);
        if (into.order && *into.order == 3) from.fail("order", "The stroboscope is of order 2 or 4, but this is 3.");
        if (into.micro.adaptive() != nullptr) from.fail("micro", "A period is sampled in equal steps: use rk4.");
        into.micro.complete(from);
        if (into.period && given_period(what) > 0)
            from.fail("period", "The system says its period itself; leave this out.");
        if (into.micro.step && given_period(what) == 0)
            from.fail("micro.step", "The period is not given; give steps_per_period, or system.period.");
        double const steps =
            into.micro.steps_per_period.value_or(into.micro.step ? given_period(what) / *into.micro.step : 1);
        constexpr double most = 1e8;
        if (!(steps <= most)) from.fail("micro", "That would be " + show(steps) + " micro steps per period.");
        auto const* split = what.as<split_kind>();
        if (split == nullptr && into.seen)
            from.fail("picture", "The method stroboscopic has no picture here; leave it out.");
        if (into.seen == picture::interaction) require_linear(*split);
    }

    static prepared_run make(problem const& what, settings& chosen, bool automatic) {
        std::vector<std::string> reasons;
        double const period = known_period(what, chosen, reasons);
        if (what.as<vibrated_kind>() != nullptr && period > what.end - what.start)
            throw does_not_apply("the slowest fast period is " + show(period) + ", but the whole run only " +
                                     show(what.end - what.start) +
                                     ": the scales are not separated. Use the method direct.",
                                 outcome::no_scale_separation);
        choose_look(what, period, automatic, chosen, reasons);
        chosen.macro.choose(what, reasons);
        int const steps = chosen.micro.steps_over(period, period, 0);
        strobe const look{.order = *chosen.order, .steps = steps, .period = period};
        prepared_run made = start_of(what, system_of(what, period, {look}, chosen), chosen.macro);
        made.reasons = std::move(reasons);
        enter_whole_state(what, made);
        return made;
    }

private:
    /// 0 where it is not given.
    static double given_period(problem const& what) {
        if (what.as<vibrated_kind>() != nullptr) return two_pi<double> / what.frequencies()[0];
        if (auto const* split = what.as<split_kind>()) return split->period;
        return what.as<plain_kind>()->period;
    }
    static double known_period(problem const& what, settings& chosen, std::vector<std::string>& reasons) {
        double const given = given_period(what);
        if (given > 0) return given;
        if (!chosen.period) chosen.period = found_period_of(what, chosen.engine, reasons);
        return *chosen.period;
    }
    static void choose_look(problem const& what, double period, bool automatic, settings& chosen,
                            std::vector<std::string>& reasons) {
        auto const* split = what.as<split_kind>();
        if (split != nullptr && automatic && !split->fast_matrix.empty()) {
            chosen.seen = picture::interaction;
            reasons.emplace_back("picture interaction: the fast part is linear, so that its flow is known exactly");
        }
        if (split != nullptr && !chosen.seen) chosen.seen = picture::given;
        if (!chosen.order && split != nullptr && automatic) {
            // a central difference over the period P leaves (P d/dt)^2/6 of the slow motion
            chosen.order = period * period / 6 < what.rtol ? 2 : 4;
            reasons.push_back("order " + std::to_string(*chosen.order) + ": the period is " + show(period) +
                              " and the tolerance " + show(what.rtol));
        }
        if (!chosen.order) chosen.order = automatic ? 4 : 2;
        if (chosen.micro.step || chosen.micro.steps_per_period) return;
        if (what.as<vibrated_kind>() != nullptr) chosen.micro.steps_per_period = 32;
        else if (split != nullptr)
            chosen.micro.steps_per_period = steps_to_return(*split, period, chosen.seen == picture::interaction);
        else choose_measured_steps(what, period, chosen, reasons);
    }
    static void choose_measured_steps(problem const& what, double period, settings& chosen,
                                      std::vector<std::string>& reasons) {
        int const steps = steps_per_period(what, period, what.rtol, chosen.engine);
        if (steps == 0)
            throw does_not_apply("a direct run over the period " + show(period) +
                                 " does not settle with up to a million steps of rk4; use the method direct");
        chosen.micro.steps_per_period = steps;
        reasons.push_back("order " + std::to_string(*chosen.order) + " and " + std::to_string(steps) +
                          " steps of rk4 per period: with these it is as accurate as its tolerance asks for in all "
                          "periods");
    }
    /// Steps of rk4 per period with which the fast flow alone returns well within what the slow part moves it by.
    static int steps_to_return(split_kind const& kind, double period, bool interaction) {
        if (interaction) return 16;
        double turns = 1;
        if (!kind.fast_matrix.empty())
            if (auto const frequencies = linear_flow(kind.fast_matrix).frequencies(); !frequencies.empty())
                turns = std::max(turns, std::round(period / kind.epsilon * frequencies.back() / two_pi<double>));
        // each turn of the fastest mode misses its start by about 2e3/steps^4, the slow part moves it by the period
        return static_cast<int>(turns * std::max(64., std::ceil(27 * std::pow(period / turns, -0.25))));
    }

    static any_system system_of(problem const& what, double period, stroboscopic<> const& closure,
                                settings const& chosen) {
        if (auto const* split = what.as<split_kind>()) {
            if (split->fast_matrix.empty())
                return any_system(effective(make_split<false>(what, *split, period, chosen.engine), closure));
            auto system = make_split<true>(what, *split, period, chosen.engine);
            if (chosen.seen == picture::interaction)
                return any_system(effective(interaction_picture(std::move(system)), closure));
            return any_system(effective(std::move(system), closure));
        }
        if (what.first_order) return any_system(effective(make_flow(what, chosen.engine), closure));
        return by_velocity(what.uses_velocity(), [&](auto velocity) {
            if (what.as<vibrated_kind>() != nullptr)
                return any_system(effective(make_vibrated<velocity>(what, chosen.engine), closure));
            return any_system(effective(make_motion<velocity>(what, what.force, chosen.engine), closure));
        });
    }
    /// The state of a stroboscope is the whole one: positions, then velocities.
    static void enter_whole_state(problem const& what, prepared_run& made) {
        if (what.first_order) return;
        made.position.insert(made.position.end(), what.velocity.begin(), what.velocity.end());
        made.velocity.clear();
        made.leave = [](problem_run& run) {
            for (auto& row : run.position) {
                auto const middle = row.begin() + static_cast<std::ptrdiff_t>(row.size() / 2);
                run.velocity.emplace_back(middle, row.end());
                row.erase(middle, row.end());
            }
        };
    }
};

} // namespace

method_row stroboscopic_row() { return row_of<strobing>(); }

} // namespace lento::detail
