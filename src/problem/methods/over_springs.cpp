#include "problem/formula_potential.hpp"
#include "problem/formula_two_forces.hpp"
#include "problem/kinds/formula_stiff.hpp"
#include "problem/methods/row.hpp"
#include "problem/oscillators.hpp"
#include "problem/systems.hpp"

#include <cmath>
#include <memory>

#include <lento/problem/run.hpp>
#include <lento/stepper/trigonometric.hpp>
#include <lento/system/oscillatory.hpp>
#include <lento/system/phase.hpp>

/// The methods that step over the oscillation of springs: trigonometric ones and the impulse method. Without springs
/// all of them are Verlet's.
namespace lento::detail {
namespace {

using vector = std::vector<double>;

expression::formula const& slow_force_of(problem const& what) {
    if (auto const* split = what.as<split_kind>()) return split->slow;
    if (auto const* potential = what.as<stiff_potential_kind>()) return potential->slow_force;
    return what.as<stiff_kind>()->slow_force;
}

/// The slow force in the coordinates z = sqrt(M) (x - rest).
class slow_kick {
public:
    struct work_type {
        compiled_formula::work_type formula;
        vector place;
        vector force;
    };
    slow_kick(problem const& what, std::shared_ptr<oscillators const> parts, engine_kind with)
        : parts_(std::move(parts))
        , size_(what.size)
        , split_(what.as<split_kind>() != nullptr)
        , slow_(slow_force_of(what).compile(with)) {}

    [[nodiscard]] work_type work() const { return {slow_.work(), vector(size_), vector(size_)}; }
    void operator()(force_point<double> const& at, std::span<double> out, work_type& work) const {
        auto const& parts = *parts_;
        auto const& z = at.position;
        for (std::size_t i = 0; i < z.size(); ++i)
            work.place[split_ ? parts.positions[i] : i] = parts.rest[i] + z[i] / parts.root_mass[i];
        slow_({.position = work.place, .time = at.time}, work.force, work.formula);
        for (std::size_t i = 0; i < z.size(); ++i) {
            double const force = split_ ? work.force[parts.velocities[i]] : work.force[i];
            out[i] = (split_ && parts.rates[i] < 0 ? -force : force) / parts.root_mass[i];
        }
    }

private:
    std::shared_ptr<oscillators const> parts_;
    std::size_t size_;
    bool split_;
    compiled_formula slow_;
};

/// Between the kicks of the impulse method.
struct impulse_micro_settings {
    only_choice<verlet> scheme{only<verlet>{}};
    std::optional<double> step{};
    std::optional<double> steps_per_period{};
    static constexpr std::array<exclusive_pair, 1> exclusive{{{"steps_per_period", "step"}}};
    static constexpr auto options() {
        using own = impulse_micro_settings;
        return std::tuple{
            option{"scheme", &own::scheme, "steps the fast motion"},
            option{"step", &own::step, "Verlet's steps between the kicks are at most so long", positive, "time"},
            option{"steps_per_period", &own::steps_per_period, "or so many per period of the fastest spring",
                   positive}};
    }
};

struct kick_settings {
    fixed_macro_settings<verlet> macro{};
    engine_kind engine = engine_kind::automatic;
    static constexpr auto options() {
        return std::tuple{option{"macro", &kick_settings::macro, "the step from kick to kick"},
                          option{"engine", &kick_settings::engine, "what computes formulas"}};
    }
};
struct impulse_settings : kick_settings {
    impulse_micro_settings micro{};
    static constexpr auto options() {
        using own = impulse_settings;
        return std::tuple{option{"macro", &own::macro, "the step from kick to kick"},
                          option{"micro", &own::micro, "the fast motion between kicks"},
                          option{"engine", &own::engine, "what computes formulas"}};
    }
};

template <class Settings> void read_kicks(method_text& from, std::string_view name, Settings& into) {
    std::string const method(name);
    if (!from.has("macro")) from.fail("name", "The method " + method + " needs a step, as in macro = { step = 0.01 }.");
    from.read(fields_of(into));
}

std::string follows_true_motion(problem const& what, std::string_view name) {
    if (what.given != initial_state::slow) return {};
    return "the method " + std::string(name) +
           " follows the true motion, but the initial state is the slow one; give the true one";
}

std::string why_no_oscillators(problem const& what, std::string_view name) {
    if (auto const lacking = find_oscillators(what).lacking; !lacking.empty())
        return "the method " + std::string(name) + " does not apply: " + lacking;
    return follows_true_motion(what, name);
}

/// A run in the coordinates of the oscillators, which is put back into the problem's.
template <class Stepper> prepared_run in_oscillators(problem const& what, std::shared_ptr<oscillators const> parts,
                                                     Stepper const& stepper, kick_settings const& chosen) {
    std::size_t const n = parts->size();
    bool const split = what.as<split_kind>() != nullptr;
    auto const system = oscillatory(dynamic(n), parts->stiffness, slow_kick(what, parts, chosen.engine));
    prepared_run made;
    made.stepping = std::unique_ptr<stepping<any_motion>>(
        std::make_unique<stepping_of<std::remove_cvref_t<decltype(system)>, Stepper>>(system, stepper));
    for (std::size_t i = 0; i < n; ++i) {
        double const x = what.position[split ? parts->positions[i] : i];
        double const v = split ? parts->rates[i] * what.position[parts->velocities[i]] : what.velocity[i];
        made.position.push_back(parts->root_mass[i] * (x - parts->rest[i]));
        made.velocity.push_back(parts->root_mass[i] * v);
    }
    made.max_steps = chosen.macro.max_steps;
    made.full = true;
    auto const* stiff = what.as<stiff_kind>();
    made.leave = [parts, split, stiff, size = what.size](problem_run& run) {
        for (std::size_t row = 0; row < run.position.size(); ++row) {
            vector position(size);
            vector velocity(split ? 0 : size);
            for (std::size_t i = 0; i < parts->size(); ++i) {
                position[split ? parts->positions[i] : i] = parts->rest[i] + run.position[row][i] / parts->root_mass[i];
                double const v = run.velocity[row][i] / parts->root_mass[i];
                if (split) position[parts->velocities[i]] = v / parts->rates[i];
                else velocity[i] = v;
            }
            run.position[row] = std::move(position);
            run.velocity[row] = std::move(velocity);
        }
        if (split) run.velocity.clear();
        if (stiff != nullptr) find_loads(*stiff, run);
    };
    return made;
}

template <class Stepper> struct over_oscillators {
    static constexpr std::string_view name = Stepper::name;
    static constexpr std::string_view sentence =
        Stepper::name == deuflhard::name  ? "kicks between exact motions of linear springs (a rival)"
        : Stepper::name == gautschi::name ? "the same, exact for a constant slow force (a rival)"
                                          : "kicks by the slow force at the averaged position (a rival)";
    static constexpr unsigned kinds = for_kinds<stiff_kind, stiff_potential_kind, split_kind>;
    using settings = kick_settings;

    static std::string why_not(problem const& what) { return why_no_oscillators(what, name); }
    static void read(method_text& from, settings& into) { read_kicks(from, name, into); }
    static prepared_run make(problem const& what, settings& chosen, bool) {
        auto const parts = std::make_shared<oscillators const>(find_oscillators(what));
        return in_oscillators(what, parts, Stepper{.step = chosen.macro.step}, chosen);
    }
};

/// The impulse method needs no linear springs: its fast motion is resolved.
struct impulses {
    static constexpr std::string_view name = impulse::name;
    static constexpr std::string_view sentence = "kicks between small steps under the fast force (a rival)";
    static constexpr unsigned kinds = for_kinds<stiff_kind, stiff_potential_kind, split_kind>;
    using settings = impulse_settings;

    static std::string why_not(problem const& what) {
        if (!what.is_stiff()) return why_no_oscillators(what, name);
        std::string const refused = "the method impulse does not apply: ";
        if (what.uses_velocity()) return refused + "the force depends on the velocity";
        auto const* springs = what.as<stiff_kind>();
        if (springs != nullptr && springs->springs.uses_time) return refused + "a spring depends on the time";
        auto const* potential = what.as<stiff_potential_kind>();
        if (potential != nullptr && potential->fast_force.uses(expression::source::time))
            return refused + "the stiff potential depends on the time";
        return follows_true_motion(what, name);
    }
    static void read(method_text& from, settings& into) { read_kicks(from, name, into); }
    static prepared_run make(problem const& what, settings& chosen, bool) {
        std::vector<std::string> reasons;
        std::shared_ptr<oscillators const> parts;
        if (!what.is_stiff()) parts = std::make_shared<oscillators const>(find_oscillators(what));
        double const fastest = parts ? parts->fastest() : fastest_of(what);
        if (!chosen.micro.step) {
            constexpr double usual = 20;
            double const steps = chosen.micro.steps_per_period.value_or(usual);
            chosen.micro.steps_per_period.reset(); // the step says the same
            chosen.micro.step = two_pi<double> / fastest / steps;
            reasons.push_back("micro step " + show(*chosen.micro.step) + ": " + show(steps) +
                              " in the fastest period of the springs");
        }
        auto const stepper = stepper_of(chosen);
        double const micro = chosen.macro.step / stepper.inner_steps;
        if (micro * fastest >= 2)
            throw does_not_apply("the micro step is " + show(micro) + ", but for springs of the frequency " +
                                 show(fastest) + " Verlet's method needs one below " + show(2 / fastest));
        auto made = parts ? in_oscillators(what, parts, stepper, chosen) : under_springs(what, stepper, chosen);
        made.reasons = std::move(reasons);
        return made;
    }

private:
    static double fastest_of(problem const& what) {
        auto const of = [&](auto const& system) {
            auto work = system.work();
            return system.fast_band(what.start, what.position, work).back();
        };
        if (auto const* potential = what.as<stiff_potential_kind>())
            return of(formula_potential<false>(what, *potential, engine_kind::bytecode));
        return of(formula_stiff<false>(what, *what.as<stiff_kind>(), engine_kind::bytecode));
    }
    static impulse stepper_of(settings const& chosen) {
        double const inner = std::ceil(chosen.macro.step / *chosen.micro.step * (1 - 1e-12));
        constexpr double most = 1e9;
        if (!(inner <= most)) throw misuse("a step would take " + show(inner) + " micro steps");
        return {.step = chosen.macro.step, .inner_steps = static_cast<int>(inner)};
    }
    static prepared_run under_springs(problem const& what, impulse const& stepper, settings const& chosen) {
        prepared_run made;
        auto const* springs = what.as<stiff_kind>();
        made.stepping =
            std::unique_ptr<stepping<any_motion>>(std::make_unique<stepping_of<formula_two_forces, impulse>>(
                springs != nullptr ? make_two_forces(what, *springs, chosen.engine)
                                   : make_two_forces(what, *what.as<stiff_potential_kind>(), chosen.engine),
                stepper));
        made.position = what.position;
        made.velocity = what.velocity;
        made.max_steps = chosen.macro.max_steps;
        made.full = true;
        if (springs != nullptr) made.leave = [springs](problem_run& run) { find_loads(*springs, run); };
        return made;
    }
};

} // namespace

method_row deuflhard_row() { return row_of<over_oscillators<deuflhard>>(); }
method_row gautschi_row() { return row_of<over_oscillators<gautschi>>(); }
method_row mollified_impulse_row() { return row_of<over_oscillators<mollified_impulse>>(); }
method_row impulse_row() { return row_of<impulses>(); }

} // namespace lento::detail
