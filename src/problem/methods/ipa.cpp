#include "problem/methods/springs.hpp"

#include <algorithm>
#include <limits>

#include <lento/base/arithmetic.hpp>
#include <lento/effective/slow_manifold.hpp>
#include <lento/problem/run.hpp>
#include <lento/stepper/adams.hpp>

namespace lento::detail {
namespace {

constexpr double loads_tolerance = 1e-5; // relative; its error in the motion is much less

/// How a point is taken to the slow manifold; see lento::projection_options.
struct projection_settings {
    std::optional<double> tolerance{};
    std::optional<double> stretch_tolerance{};
    int max_iterations = 30;
    int iterations = 0;
    int start_iterations = 0;
    std::optional<int> notch_steps{};
    int loads = 0;
    std::optional<double> every{};
    std::optional<double> drift{};
    std::optional<double> longest{};

    static constexpr auto options() {
        using own = projection_settings;
        return std::tuple{
            option{"tolerance", &own::tolerance, "of g and its rate, or relatively of the loads", between(1e-300, 1e6)},
            option{"stretch_tolerance", &own::stretch_tolerance, "of g alone; the tolerance is then that of its rate",
                   between(1e-300, 1e6)},
            option{"max_iterations", &own::max_iterations, "filterings until the projection has failed",
                   between(0, 1e6)},
            option{"iterations", &own::iterations, "filterings of a multistep method's prediction, untested",
                   between(0, 1e6)},
            option{"start_iterations", &own::start_iterations, "filterings of the start, untested", between(0, 1e6)},
            option{"notch_steps", &own::notch_steps,
                   "steps to a side of windows with zeros at the fast frequencies; -1: fitted", between(-1, 1e6)},
            option{"loads", &own::loads, "how many windows' loads are extrapolated", between(0, 8)},
            option{"every", &own::every, "steps end where they do, and so often the motion begins anew, put back",
                   positive, "time"},
            option{"drift", &own::drift,
                   "steps end where they do, put back when springs hold more than this times the kinetic energy",
                   positive},
            option{"longest", &own::longest, "windows that are longer in all: the scales are not separated", positive,
                   "time"}};
    }
};

/// The integrator of paper 003: every evaluation is projected onto the slow manifold.
struct ipa {
    static constexpr std::string_view name = "ipa";
    static constexpr std::string_view sentence = "projects every evaluation of a stiff system onto its slow manifold";
    static constexpr unsigned kinds = for_kinds<stiff_kind, stiff_potential_kind, constrained_kind>;

    struct settings : spring_settings {
        settings() { window.kernel.preset = window_kernel(cubic{}); }
        projection_settings projection{};
        static constexpr auto options() {
            using own = settings;
            return std::tuple{option{"macro", &own::macro, "steps the slow motion"},
                              option{"micro", &own::micro, "steps the fast motion inside windows"},
                              option{"window", &own::window, "what a projection looks at"},
                              option{"projection", &own::projection, "how a point is taken to the slow manifold"},
                              option{"relaxation", &own::relaxation, "makes springs of constraints"},
                              option{"engine", &own::engine, "what computes formulas"}};
        }
    };
    static window usual() { return manifold_window(); }

    static std::string why_not(problem const& what) { return why_no_springs(what, name); }
    static std::string suits(problem const& what) {
        if (!what.is_stiff()) return {};
        return "every evaluation of a stiff system's slow motion is on its slow manifold";
    }
    static void read(method_text& from, settings& into) {
        from.read(fields_of(into));
        if (into.window.kernel.value && std::holds_alternative<lento::notch>(*into.window.kernel.value)) {
            // the start is projected with the usual window; from there on the springs' loads tell where the zeros are
            for (auto const* key : {"window.periods", "window.length", "window.unchecked"})
                if (from.has(key)) from.fail(key, "The notch kernel knows its length; leave this out.");
            if (!from.has("projection.loads")) into.projection.loads = 4;
            into.window.kernel.value.reset();
        }
        check_springs(from, into, usual());
        auto const& scheme = into.macro.scheme.value;
        bool const predicts = scheme && scheme->as<adams>() != nullptr;
        if (into.projection.iterations > 0 && !predicts)
            from.fail("projection.iterations",
                      "So often the prediction of Adams's method is filtered: give macro.scheme "
                      "= \"adams\", or leave this out.");
        follow_relaxed(from, into);
        if (into.projection.loads > 0 && from.what().as<stiff_potential_kind>() != nullptr)
            throw does_not_apply("loads are followed where springs are known one by one, as functions g, and a stiff "
                                 "potential does not say them; leave projection.loads and the notch kernel out");
        if (into.projection.loads > 0 && from.has("projection.stretch_tolerance"))
            throw does_not_apply(
                "where loads are followed there is one tolerance, theirs; leave stretch_tolerance out");
        if (into.projection.loads == 0 && from.has("projection.notch_steps"))
            from.fail("projection.notch_steps", "Windows with zeros at the fast frequencies are for loads that are "
                                                "followed: give projection.loads too, or leave this out.");
        if (into.projection.loads > 0 && !into.projection.notch_steps)
            into.projection.notch_steps = projection_options::fitted;
    }
    static prepared_run make(problem const& what, settings& chosen, bool automatic) {
        if (what.report == reported_state::full)
            throw does_not_apply(
                "this method follows the slow motion alone; report = \"full\" needs the method direct");
        std::vector<std::string> reasons;
        // windows take 6 steps per period, and a direct solution ten times as many
        double const longest = 5 * (what.end - what.start);
        if (automatic && !chosen.projection.longest && what.as<stiff_potential_kind>() != nullptr) {
            chosen.projection.longest = longest;
        } else if (automatic && !chosen.projection.longest) {
            chosen.projection = {.tolerance = loads_tolerance,
                                 .notch_steps = projection_options::fitted,
                                 .loads = 4,
                                 .longest = longest};
            reasons.emplace_back("loads of 4 windows extrapolated, and windows with zeros at the springs' frequencies: "
                                 "the shortest way there");
        }
        chosen.macro.choose(what, reasons);
        fill_springs(chosen, usual());
        auto const system = system_of(what, chosen, reasons);
        prepared_run made = start_of(what, system, chosen.macro);
        start_at(spring_start(what, chosen.engine), made);
        if (chosen.projection.every) begin_anew(system, chosen.macro, *chosen.projection.every, what.given, made);
        made.reasons = std::move(reasons);
        if (what.as<stiff_potential_kind>() != nullptr) made.leave = tell_no_loads;
        return made;
    }
    /// Where the loads of an automatic run cannot be followed: projected as published.
    static bool again(problem const&, settings& chosen, problem_run& last, bool automatic) {
        if (!automatic || last.result != outcome::projection_failed || chosen.projection.loads == 0) return false;
        last.reasons.push_back("the loads could not be followed (" + last.message +
                               "): projected as published instead");
        chosen.projection = {.longest = chosen.projection.longest};
        return true;
    }

private:
    /// Springs that stand for constraints may have any frequency, and the harder they are the nearer is the motion to
    /// the constrained one: their loads are followed, which rounding does not spoil.
    static void follow_relaxed(method_text const& from, settings& into) {
        if (!into.relaxation || from.has("projection") || into.window.scalar == window_scalar::long_doubles) return;
        into.projection.loads = 4;
        if (from.has("window")) into.projection.notch_steps = 0; // through the window that is asked for
    }
    static void choose_tolerance(problem const& what, std::vector<double> const& frequencies, settings& chosen,
                                 std::vector<std::string>& reasons) {
        auto& how = chosen.projection;
        if (how.tolerance) return;
        if (how.loads > 0) {
            how.tolerance = loads_tolerance;
            return;
        }
        double const rounding = chosen.window.scalar == window_scalar::long_doubles
                                    ? static_cast<double>(std::numeric_limits<long double>::epsilon())
                                    : std::numeric_limits<double>::epsilon();
        auto const found = manifold_tolerances_for(what, frequencies, rounding);
        how.tolerance = found.rate;
        if (!how.stretch_tolerance) how.stretch_tolerance = found.stretch;
        double const hardest = *std::max_element(frequencies.begin(), frequencies.end());
        reasons.push_back("projection tolerance " + show(*how.tolerance) + ": springs of frequency " + show(hardest));
    }
    static projection_options options_of(settings const& chosen) {
        auto const& given = chosen.projection;
        double const never = std::numeric_limits<double>::infinity();
        projection_options how{.tolerance = *given.tolerance,
                               .stretch_tolerance = given.stretch_tolerance.value_or(0),
                               .max_iterations = given.max_iterations,
                               .iterations = given.iterations,
                               .start_iterations = given.start_iterations,
                               .notch_steps = given.notch_steps.value_or(0),
                               .loads = given.loads,
                               .drift = given.drift.value_or(given.every ? never : 0)};
        if (given.longest) how.longest = *given.longest;
        return how;
    }
    static any_system system_of(problem const& what, settings& chosen, std::vector<std::string>& reasons) {
        auto const over = window_of(chosen);
        return on_stiff(what, chosen, [&](auto const& system) {
            choose_tolerance(what, system.frequencies(), chosen, reasons);
            auto const how = options_of(chosen);
            return effective_in(system, chosen.window.scalar,
                                [&](auto one) { return slow_manifold<verlet, decltype(one)>(over, how); });
        });
    }
};

} // namespace

method_row ipa_row() { return row_of<ipa>(); }

} // namespace lento::detail
