#include "problem/methods/on_constraints.hpp"
#include "problem/methods/row.hpp"
#include "problem/systems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <lento/effective/corrected.hpp>
#include <lento/effective/effective.hpp>
#include <lento/problem/run.hpp>
#include <lento/solve/shapes.hpp>
#include <lento/stepper/rattle.hpp>
#include <lento/stepper/shake.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/phase.hpp>

namespace lento::detail {
namespace {

/// The schemes that run inside windows.
enum class window_scheme { verlet, fitted_verlet, rk4, shake, rattle };
constexpr std::array<std::string_view, 5> names_of(window_scheme) {
    return {"verlet", "verlet-fitted", "rk4", "shake", "rattle"};
}

struct micro_settings {
    std::optional<window_scheme> scheme{};
    std::optional<double> steps_per_period{};
    std::optional<double> step{};
    std::optional<double> fitted_to{};

    static constexpr std::array<exclusive_pair, 1> exclusive{{{"steps_per_period", "step"}}};
    static constexpr auto options() {
        using own = micro_settings;
        return std::tuple{
            option{"scheme", &own::scheme, "steps the fast motion inside windows"},
            option{"steps_per_period", &own::steps_per_period, "its steps per period of the fastest phase", positive},
            option{"step", &own::step, "or the step itself", positive, "time"},
            option{"fitted_to", &own::fitted_to, "of verlet-fitted: the frequency whose oscillation is exact", positive,
                   "1/time"}};
    }
};

/// Where a window lies about its point.
enum class window_side { centred, forward, backward };
constexpr std::array<std::string_view, 3> names_of(window_side) { return {"centred", "forward", "backward"}; }
constexpr support support_of(window_side side) {
    return side == window_side::forward    ? support::forward
           : side == window_side::backward ? support::backward
                                           : support::centred;
}

/// Where windows lie, whether what they miss is added, and what ends a run whose scales are not separated; `auto` asks
/// for that.
struct vibration_window_settings : window_settings {
    std::optional<window_side> side{};
    std::optional<bool> corrected{};
    std::optional<double> longest{};
    std::optional<bool> strict{};
    static constexpr auto options() {
        using own = vibration_window_settings;
        return std::tuple_cat(
            window_settings::options(),
            std::tuple{option{"side", &own::side, "where synchronous windows lie about their point"},
                       option{"corrected", &own::corrected,
                              "what windows miss is measured over a period of the motion, and added"},
                       option{"longest", &own::longest,
                              "windows, one per step, that are longer in all: the scales are not separated", positive,
                              "time"},
                       option{"strict", &own::strict, "a leak of which others are warned ends the run"}});
    }
    [[nodiscard]] bool is_one_sided() const { return side && *side != window_side::centred; }
    /// The slow motion of a constrained system is then an ordinary one.
    [[nodiscard]] bool keeps_no_constraints() const { return spectral() != nullptr || corrected.value_or(false); }
};

/// A mean force that is known at run time only, inside another system: its work writes itself down.
template <class Shape> struct mean_inside : Shape {
    struct work_type : any_work {
        explicit work_type(any_work work) : any_work(std::move(work)) {}
        void write_to(archive& numbers) const { static_cast<void>((*this)->write(numbers)); }
        void read_from(archive& numbers) { (*this)->read(numbers); }
        friend failure failure_inside(work_type const& work) {
            return lento::failure_inside(static_cast<any_work const&>(work));
        }
        friend void forgive(work_type& work) { lento::forgive(static_cast<any_work&>(work)); }
        friend void gather_warnings(work_type const& work, std::vector<warning>& all) {
            lento::gather_warnings(static_cast<any_work const&>(work), all);
        }
    };
    using Shape::Shape;
    [[nodiscard]] work_type work() const { return work_type(Shape::work()); }
};

constexpr double usual_periods = 40;
constexpr double most_periods = 320; // of windows that are chosen here

/// Heterogeneous multiscale methods of papers 001 and 004: the force of a vibrated system, averaged over windows or
/// sampled over a period.
struct vibration_windows {
    static constexpr std::string_view name = "hmm";
    static constexpr std::string_view sentence =
        "follows the slow motion: averages the force over short windows, or over the samples of a period";
    static constexpr unsigned kinds = for_kinds<vibrated_kind>;
    static constexpr bool settings_for_auto = true;

    struct settings {
        macro_settings macro{};
        micro_settings micro{};
        vibration_window_settings window{};
        std::optional<window_start> start{};
        std::optional<double> shortest{};
        engine_kind engine = engine_kind::automatic;
        bool chosen_here = false; ///< the window was left open: it may be changed after a try

        static constexpr auto options() {
            using own = settings;
            return std::tuple{option{"macro", &own::macro, "steps the slow motion"},
                              option{"micro", &own::micro, "steps the fast motion inside windows"},
                              option{"window", &own::window, "what a slow evaluation looks at"},
                              option{"start", &own::start, "how windows start"},
                              option{"shortest", &own::shortest,
                                     "mean steps that are shorter: the scales are not separated", positive, "time"},
                              option{"engine", &own::engine, "what computes formulas"}};
        }
    };

    static std::string suits(problem const&) {
        return "the system is vibrated, so its slow motion is followed without its vibrations";
    }
    static double floor(problem const& what) {
        double const slowest = two_pi<double> / slowest_period(what);
        double const span = std::abs(what.end - what.start);
        return std::pow(slowest * std::min(span, 1.), -2);
    }

    /// The spectral mean around a point that stands still, and along the moving slow path. SHAKE's windows stay for
    /// constraints whose spectral mean does not serve.
    static std::vector<closure> closures(problem const&) {
        std::vector<closure> all;
        for (int const order : {0, 2, 4}) {
            settings made;
            made.window.kernel.value = picard{.order = order};
            all.push_back({described(made)});
        }
        return all;
    }

    /// The mean of a large force is as exact as its last digits; beside what the slow motion is accelerated by.
    static double hidden_error(problem const& what, problem_run const& run) {
        auto const force = what.force.compile(expression::engine_kind::bytecode);
        auto work = force.work();
        std::vector<double> out(what.size);
        std::vector<double> theta(what.frequencies().size());
        double fast = 0;
        constexpr int probes = 16;
        for (int probe = 0; probe < probes; ++probe) {
            for (std::size_t j = 0; j < theta.size(); ++j)
                theta[j] = two_pi<double> * probe / probes * static_cast<double>(j + 1);
            force.evaluate({.position = what.position, .velocity = what.velocity, .phase = theta, .time = what.start},
                           out, work);
            what.mass.divide(out);
            fast = std::max(fast, max_norm(out));
        }
        double slow = 0;
        for (std::size_t row = 1; row < run.t.size(); ++row)
            for (std::size_t i = 0; i < what.size; ++i)
                slow = std::max(slow, std::abs(run.velocity[row][i] - run.velocity[row - 1][i]) /
                                          (run.t[row] - run.t[row - 1]));
        return slow > 0 ? std::numeric_limits<double>::epsilon() / 2 * fast / slow : 0;
    }

    // ---- reading ----

    static void read(method_text& from, settings& into) {
        problem const& what = from.what();
        from.read(fields_of(into));
        bool const windows = from.has("window") || from.has("micro") || from.has("start");
        // the usual kernel is what `auto` uses; one that is named is taken as published
        if (windows && !into.window.kernel.value) into.window.kernel.choose_usual();
        into.macro.complete(from, false, what.constraints() != nullptr && !into.window.keeps_no_constraints());
        if (what.constraints() != nullptr && into.start == window_start::synchronous)
            throw does_not_apply("with constraints windows start asynchronous or centred");
        if (auto const* spectral = into.window.spectral()) return check_spectral(from, into, *spectral);
        if (windows && !into.window.filter())
            throw does_not_apply("the notch kernel has its zeros at the local frequencies of springs, which the method "
                                 "ipa follows; use another kernel");
        if (windows) check_window(from, into);
    }
    static void check_spectral(method_text const& from, settings const& read, picard const& spectral) {
        if (from.has("micro"))
            from.fail("micro", "The picard kernel samples phases and has no micro steps; leave this out.");
        if (read.start && *read.start != window_start::centred)
            from.fail("start", "The picard kernel is centred by construction; leave the start out.");
        if (from.has("window.corrected"))
            from.fail("window.corrected", "The picard kernel has orders of its own; use order = 2 or 4, and leave this "
                                          "out.");
        for (auto const* key :
             {"window.periods", "window.length", "window.unchecked", "window.side", "window.longest", "window.strict"})
            if (from.has(key)) from.fail(key, "The picard kernel looks at one period; leave this out.");
        from.guarded("window", [&] { spectral.check(); });
    }
    static void check_window(method_text const& from, settings& read) {
        problem const& what = from.what();
        bool const constrained = what.constraints() != nullptr;
        from.guarded("window", [&] { check(*read.window.filter()); });
        if (read.window.is_one_sided() && read.start.value_or(window_start::synchronous) != window_start::synchronous)
            throw does_not_apply("an asynchronous or centred window is symmetric about its start; a one-sided one goes "
                                 "with start = \"synchronous\"");
        if (read.window.is_one_sided() && constrained)
            throw does_not_apply("with constraints windows are symmetric about their start; leave the side out");
        if (read.micro.scheme) {
            bool const keeps =
                *read.micro.scheme == window_scheme::shake || *read.micro.scheme == window_scheme::rattle;
            if (keeps != constrained)
                from.fail("micro.scheme", constrained ? "With constraints windows are stepped by shake or rattle."
                                                      : "Without constraints windows are stepped by verlet, "
                                                        "verlet-fitted or rk4.");
        }
        if (read.micro.fitted_to && read.micro.scheme != window_scheme::fitted_verlet)
            from.fail("micro.fitted_to", "Only the scheme verlet-fitted is fitted to a frequency.");
        fill_window(what, read);
        from.guarded(from.has("window")  ? "window"
                     : from.has("micro") ? "micro"
                                         : "start",
                     [&] { static_cast<void>(plan(looked_through(what, read), what.frequencies())); });
    }

    // ---- choosing ----

    static void fill_window(problem const& what, settings& chosen) {
        if (!chosen.window.side) chosen.window.side = window_side::centred;
        auto const filter = *chosen.window.filter();
        bool const whole_period = fixed_periods(filter) > 0;
        bool const knows_length = whole_period || std::holds_alternative<chebyshev>(filter);
        if (!knows_length && !chosen.window.periods && !chosen.window.length) chosen.window.periods = usual_periods;
        // Verlet at 32 steps per period leaves 3e-3 of the mean force, whatever the frequency
        if (!chosen.micro.scheme)
            chosen.micro.scheme = what.constraints() != nullptr ? window_scheme::shake : window_scheme::rk4;
        if (*chosen.micro.scheme == window_scheme::fitted_verlet && !chosen.micro.fitted_to)
            chosen.micro.fitted_to = *std::max_element(what.frequencies().begin(), what.frequencies().end());
        if (!chosen.micro.steps_per_period && !chosen.micro.step)
            chosen.micro.steps_per_period = whole_period ? 80 : 32;
    }
    static void choose(problem const& what, settings& chosen, std::vector<std::string>& reasons) {
        bool const constrained = what.constraints() != nullptr && chosen.window.spectral() == nullptr;
        chosen.macro.choose(what, reasons, constrained && !chosen.window.keeps_no_constraints());
        bool const open = !chosen.window.kernel.value;
        if (constrained) {
            if (open) {
                chosen.window.set_filter(one_period_mean{});
                chosen.micro.scheme = window_scheme::shake;
                chosen.micro.steps_per_period = 64;
                fill_window(what, chosen);
                reasons.emplace_back("kernel one-period with 64 steps of SHAKE: the period is known");
            }
            if (!chosen.start) {
                chosen.start = window_start::centred;
                reasons.emplace_back("start centred: it has no bias of O(1/omega)");
            }
            return;
        }
        if (open) {
            chosen.chosen_here = true;
            chosen.window.kernel.value = picard{};
            reasons.emplace_back("kernel picard: the spectral mean over a period is cheapest where it applies");
        }
        chosen.window.fill_spectral();
        if (chosen.window.spectral() != nullptr) chosen.start = window_start::centred; // by construction
        if (chosen.start) return;
        if (chosen.window.is_one_sided()) {
            chosen.start = window_start::synchronous;
            reasons.emplace_back("start synchronous: the window lies to one side of its point");
            return;
        }
        if (chosen.window.corrected.value_or(false) && !what.uses_velocity()) {
            chosen.start = window_start::centred;
            reasons.emplace_back("start centred: without a bias of O(1/omega) the correction is worth most");
            return;
        }
        chosen.start = what.uses_velocity() ? window_start::synchronous : window_start::asynchronous;
        reasons.emplace_back(what.uses_velocity() ? "start synchronous: the force depends on the velocity"
                                                  : "start asynchronous: the force does not depend on the velocity");
    }

    // ---- running ----

    static prepared_run make(problem const& what, settings& chosen, bool automatic) {
        std::vector<std::string> reasons;
        choose(what, chosen, reasons);
        if (automatic && !chosen.shortest) chosen.shortest = slowest_period(what);
        require_applicable(what, chosen);
        prepared_run made = start_of(what, system_of(what, chosen), chosen.macro);
        made.reasons = std::move(reasons);
        if (what.constraints() != nullptr && chosen.window.keeps_no_constraints()) keep_constraints(what, chosen, made);
        if (chosen.window.longest) made.max_steps = std::min(made.max_steps, fitting_windows(what, chosen));
        return made;
    }
    /// An ordinary slow motion of a constrained system is not looked after by the loop: its start, and its constraint
    /// forces, which belong to full states.
    static void keep_constraints(problem const& what, settings const& chosen, prepared_run& made) {
        auto const system = make_constrained<true>(what, what.force, *what.constraints(), chosen.engine);
        if (what.given == initial_state::physical) {
            auto start = start_on_constraints(what, system);
            made.position = std::move(start.position);
            made.velocity = std::move(start.velocity);
        }
        if (!made.full) return;
        made.leave = [motion = underlying(system)](problem_run& run) {
            auto work = motion.work();
            std::vector<double> acceleration(motion.space().size());
            for (std::size_t row = 0; row < run.t.size(); ++row) {
                motion.acceleration(run.t[row], run.position[row], run.velocity[row], acceleration, work);
                run.multipliers.push_back(motion.multipliers(work));
            }
        };
    }
    static void require_applicable(problem const& what, settings const& chosen) {
        auto const filter = chosen.window.filter();
        bool const constrained = filter && what.constraints() != nullptr;
        if (constrained && what.uses_velocity())
            throw does_not_apply("windows with constraints forget the velocity, but this force depends on it; use the "
                                 "method direct");
        if (constrained && what.frequencies().size() > 1 && fixed_periods(*filter) > 0)
            throw does_not_apply("a mean over one period needs one phase; use a smooth kernel");
        require_separation(what);
        if (!filter) return;
        if (what.uses_velocity() && chosen.start != window_start::synchronous)
            throw does_not_apply("an asynchronous or centred start forgets the velocity, but this force depends on "
                                 "it; use start = \"synchronous\"");
        if (chosen.start == window_start::synchronous && fixed_periods(*filter) > 0)
            throw does_not_apply("a one-period mean leaves an error of O(1) in a synchronous window, because the slow "
                                 "drift of the samples is not periodic; use a smooth kernel, or an asynchronous or "
                                 "centred start");
    }

    static any_system system_of(problem const& what, settings const& chosen) {
        auto const* spectral = chosen.window.spectral();
        if (what.constraints() != nullptr && spectral == nullptr) return constrained_average(what, chosen);
        return by_velocity(what.uses_velocity(), [&](auto velocity) {
            auto const system = make_vibrated<velocity>(what, chosen.engine);
            if (auto const* constraints = what.constraints())
                return any_system(effective(with_constraints(system, what, *constraints, chosen), *spectral));
            if (spectral != nullptr) return any_system(effective(system, *spectral));
            return with_micro(chosen, [&](auto const& micro) {
                if (!chosen.window.corrected.value_or(false)) return average(system, system, what, chosen, micro);
                using shape = mean_inside<general_shape>;
                flashed_system const flashed(system);
                return any_system(corrected_system<std::remove_const_t<decltype(system)>, shape>(
                    flashed, shape(average(system, flashed, what, chosen, micro))));
            });
        });
    }
    /// Windows that start alike do not ask for the time's phases; those of others are seen as they are given.
    template <class System, class Seen, class Micro> static any_system
    average(System const& system, Seen const& seen, problem const& what, settings const& chosen, Micro const& micro) {
        auto const over = looked_through(what, chosen);
        if constexpr (!System::uses_velocity) {
            if (*chosen.start == window_start::centred) return any_system(effective(system, centred(over, micro)));
            if (*chosen.start == window_start::asynchronous)
                return any_system(effective(system, asynchronous(over, micro)));
        }
        std::optional<compiled_formula> map;
        if (auto const& given = what.as<vibrated_kind>()->slow_velocity) map = given.compile(chosen.engine);
        return any_system(effective(seen, synchronous(over, given_or_found(std::move(map)), micro)));
    }
    template <class System>
    static constrained_system<System, formula_constraints> with_constraints(System const& system, problem const& what,
                                                                            function_formulas const& constraints,
                                                                            settings const& chosen) {
        return {system, formula_constraints(compile(constraints, chosen.engine), what.size)};
    }
    static any_system constrained_average(problem const& what, settings const& chosen) {
        auto const system =
            with_constraints(make_vibrated<false>(what, chosen.engine), what, *what.constraints(), chosen);
        if (!chosen.window.corrected.value_or(false)) return constrained_windows(system, what, chosen);
        using shape = mean_inside<constrained_shape<false>>;
        auto mean = underlying(shape(constrained_windows(system, what, chosen)));
        return any_system(corrected_system<std::remove_const_t<decltype(system)>, decltype(mean)>(
            flashed_system(system), std::move(mean)));
    }
    template <class System>
    static any_system constrained_windows(System const& system, problem const& what, settings const& chosen) {
        auto const over = looked_through(what, chosen);
        auto const by = [&](auto const& micro) {
            if (*chosen.start == window_start::centred) return any_system(effective(system, centred(over, micro)));
            return any_system(effective(system, asynchronous(over, micro)));
        };
        return *chosen.micro.scheme == window_scheme::rattle ? by(rattle{}) : by(shake{});
    }
    template <class Make> static any_system with_micro(settings const& chosen, Make const& make) {
        if (*chosen.micro.scheme == window_scheme::rk4) return make(rk4{});
        return make(verlet{.fitted_to = chosen.micro.fitted_to.value_or(0)});
    }
    static window looked_through(problem const& what, settings const& chosen) {
        window over{.kernel = *chosen.window.filter(),
                    .periods = chosen.window.periods.value_or(0),
                    .length = chosen.window.length.value_or(0),
                    .steps_per_period = chosen.micro.steps_per_period.value_or(0),
                    .step = chosen.micro.step.value_or(0),
                    .side = support_of(chosen.window.side.value_or(window_side::centred)),
                    .unchecked = chosen.window.unchecked.value_or(false)};
        if (auto* mean = std::get_if<one_period_mean>(&over.kernel)) mean->rule = rule_for(what, over);
        return over;
    }
    /// An even number of steps in the period is summed by trapezoids, an odd one uniformly.
    static mean_rule rule_for(problem const& what, window const& over) {
        double const slowest = two_pi<double> / slowest_period(what);
        double const fastest = *std::max_element(what.frequencies().begin(), what.frequencies().end());
        double const steps =
            over.step != 0 ? two_pi<double> / slowest / over.step : over.steps_per_period * fastest / slowest;
        return std::fmod(std::round(steps), 2) == 0 ? mean_rule::trapezoid : mean_rule::uniform;
    }
    static double slowest_period(problem const& what) {
        auto const fast = fast_frequencies(what.frequencies());
        return two_pi<double> / *std::min_element(fast.begin(), fast.end());
    }
    static void require_separation(problem const& what) {
        double const period = slowest_period(what);
        double const span = what.end - what.start;
        if (period > span)
            throw does_not_apply("the slowest fast period is " + show(period) + ", but the whole run only " +
                                     show(span) + ": the scales are not separated. Use the method direct.",
                                 outcome::no_scale_separation);
    }

    // ---- another try ----

    static std::uint64_t fitting_windows(problem const& what, settings const& chosen) {
        double const fitting = *chosen.window.longest / window_length(what, chosen);
        return static_cast<std::uint64_t>(std::clamp(fitting, 1., 1e18));
    }
    static double window_length(problem const& what, settings const& chosen) {
        return plan(looked_through(what, chosen), what.frequencies()).length;
    }
    static bool leaks(problem_run const& run) {
        return run.result == outcome::window_too_short ||
               std::any_of(run.warnings.begin(), run.warnings.end(),
                           [](warning const& each) { return each.code == "window_leakage"; });
    }
    static bool again(problem const& what, settings& chosen, problem_run& last, bool) {
        if (chosen.chosen_here && chosen.window.spectral() != nullptr && last.result == outcome::not_applicable &&
            what.uses_velocity()) {
            last.reasons.push_back(last.message);
            chosen.window.set_filter(exponential{.moments = 3});
            chosen.start = window_start::synchronous;
            fill_window(what, chosen);
            // steps shorter than a window are dearer than a direct solution
            chosen.window.longest = what.end - what.start;
            chosen.window.strict = true;
            last.reasons.emplace_back(
                "start synchronous, kernel exponential over 40 periods: the force depends on the velocity");
            return true;
        }
        if (chosen.window.longest && last.result == outcome::step_limit &&
            fitting_windows(what, chosen) < chosen.macro.max_steps)
            last.refuse(outcome::no_scale_separation,
                        "the oscillation around the slow position is not small, and windows of " +
                            show(window_length(what, chosen)) +
                            " that resolve it are longer than the steps which the slow motion needs. Use the method "
                            "direct.");
        if (chosen.window.strict.value_or(false) && leaks(last)) {
            if (chosen.chosen_here && *chosen.window.periods < most_periods) {
                last.reasons.push_back("the window of " + show(*chosen.window.periods) +
                                       " periods leaks; twice as long");
                *chosen.window.periods *= 2;
                chosen.window.longest.reset();
                return true;
            }
            last.refuse(outcome::window_too_short,
                        (chosen.window.periods == most_periods
                             ? "no window of up to 320 periods filters this force well enough: "
                             : "the window does not filter this force well enough: ") +
                            (last.warnings.empty() ? last.message : last.warnings.front().sentence));
        }
        if (chosen.shortest && last.result == outcome::success) require_long_steps(what, *chosen.shortest, last);
        return false;
    }
    /// Where the slow motion needs steps below the fast period, nothing separates the scales.
    static void require_long_steps(problem const& what, double shortest, problem_run& last) {
        double const step = (what.end - what.start) / static_cast<double>(last.statistics.macro_steps);
        if (step < shortest)
            last.refuse(outcome::no_scale_separation,
                        "the slow motion needs steps of " + show(step) + " in the mean, and below the fast period, " +
                            show(shortest) +
                            ", the scales are not separated. Use the method direct, or ask for less accuracy.");
    }
};

} // namespace

method_row vibration_windows_row() { return row_of<vibration_windows>(); }

} // namespace lento::detail
