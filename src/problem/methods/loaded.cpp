#include "problem/methods/springs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <lento/effective/adiabatic.hpp>
#include <lento/effective/limit_estimate.hpp>
#include <lento/problem/run.hpp>

/// The slow motion of hard springs under their loads, without windows: the limit with its corrections, and the same
/// with the force of the fast energy.
namespace lento::detail {
namespace {

/// What both have.
struct loaded_settings {
    macro_settings macro{};
    std::optional<relaxation_settings> relaxation{};
    engine_kind engine = engine_kind::automatic;
};

void read_loaded(method_text& from, fields const& all, loaded_settings& into) {
    from.read(all);
    into.macro.complete(from, false);
    check_relaxation(from, into.relaxation);
}

/// Calls use(system) with the springs and the slow force apart.
template <class Use> auto with_springs(problem const& what, loaded_settings const& chosen, Use const& use) {
    auto const kind = springs_of(what, chosen.relaxation);
    return by_velocity(kind.slow_force.uses(expression::source::velocity),
                       [&](auto velocity) { return use(formula_stiff<velocity>(what, kind, chosen.engine)); });
}

/// What the scheme is asked for.
double tolerance_of(problem const& what, macro_settings const& macro) {
    auto scheme = *macro.scheme.value;
    auto const* asked = number_of(scheme, "rtol");
    return asked != nullptr ? *asked : what.rtol;
}

/// What a run takes, and what its order leaves: by a look along the first steps of the constrained motion.
template <class Method> prediction predict_loaded(problem const& what, described& options) {
    auto& chosen = options.as<typename Method::settings>();
    auto run = Method::make(what, chosen, false);
    auto const seen = with_springs(what, chosen, [&](auto const& system) {
        return estimate_limit(system, spring_start(what, chosen.engine), what.start, what.end - what.start);
    });
    double const size = std::max(max_norm(what.position), std::numeric_limits<double>::min());
    auto made = predicted(what, run, seen.error(Method::order_of(chosen)) / size);
    made.evaluations += seen.counts.force_evaluations;
    return made;
}

struct limit_of_springs {
    static constexpr std::string_view name = limit::name;
    static constexpr std::string_view sentence = limit::sentence;
    static constexpr unsigned kinds = for_kinds<stiff_kind, constrained_kind>;

    struct settings : loaded_settings {
        std::optional<int> order{};
        std::optional<double> borne{};
        std::optional<double> negligible{};
        static constexpr auto options() {
            using own = settings;
            return std::tuple{
                option{"macro", &own::macro, "steps the slow motion"},
                option{"order", &own::order, "the constrained limit (0), or off by 1/omega^4 (1) or 1/omega^6 (2)",
                       between(0, 2)},
                option{"borne", &own::borne,
                       "loads that displace the motion by less are not followed: order 0 up to there", at_least(0),
                       "length"},
                option{"negligible", &own::negligible,
                       "fast energy that is dropped without a word, as a share of the motion's", between(0, 1)},
                option{"relaxation", &own::relaxation, "makes springs of constraints"},
                option{"engine", &own::engine, "what computes formulas"}};
        }
    };

    static std::string why_not(problem const& what) { return why_no_springs(what, name); }
    /// The limit itself; the loads are followed together with the fast energy.
    static std::vector<closure> closures(problem const& what) {
        std::vector<closure> all;
        if (what.as<stiff_kind>() == nullptr) return all;
        settings made;
        made.order = 0;
        all.push_back({described(made)});
        return all;
    }
    static void read(method_text& from, settings& into) { read_loaded(from, fields_of(into), into); }
    static prepared_run make(problem const& what, settings& chosen, bool) {
        if (what.report == reported_state::full)
            throw does_not_apply("the limit follows the slow motion alone; report = \"full\" needs the method "
                                 "adiabatic or direct");
        std::vector<std::string> reasons;
        chosen.macro.choose(what, reasons);
        choose_order(what, chosen, reasons);
        limit const closure{.order = *chosen.order, .borne = *chosen.borne, .negligible = *chosen.negligible};
        auto made = with_springs(what, chosen, [&](auto const& system) {
            return start_of(what, any_system(effective(system, closure)), chosen.macro);
        });
        start_at(spring_start(what, chosen.engine), made);
        made.reasons = std::move(reasons);
        return made;
    }
    static int order_of(settings const& chosen) { return *chosen.order; }

private:
    /// An order that is asked for is followed from the start on; one that is not, where the tolerance asks for it: over
    /// a few units of the slow time loads move the motion by six times what they displace it.
    static void choose_order(problem const& what, settings& chosen, std::vector<std::string>& reasons) {
        double const rtol = tolerance_of(what, chosen.macro);
        if (!chosen.negligible) chosen.negligible = std::min(rtol, 1.);
        if (!chosen.borne) chosen.borne = chosen.order ? 0 : 0.1 / 6 * rtol * max_norm(what.position);
        if (chosen.order) return;
        chosen.order = 1;
        reasons.push_back("order 0 while loads displace the motion by less than " + show(*chosen.borne) +
                          ", then order 1: they move it by about six times that, a tenth of rtol = " + show(rtol));
    }
};

struct with_fast_energy {
    static constexpr std::string_view name = adiabatic::name;
    static constexpr std::string_view sentence = adiabatic::sentence;
    static constexpr unsigned kinds = for_kinds<stiff_kind, constrained_kind>;

    struct settings : loaded_settings {
        int order = 1;
        std::optional<double> negligible{};
        static constexpr auto options() {
            using own = settings;
            return std::tuple{
                option{"macro", &own::macro, "steps the slow motion"},
                option{"order", &own::order, "of the limit: 0, 1 or 2; what fast energy adds is of order 1/omega^2",
                       between(0, 2)},
                option{"negligible", &own::negligible,
                       "energies of modes that are ignored, as a share of that of the slow motion", between(0, 1)},
                option{"relaxation", &own::relaxation, "makes springs of constraints"},
                option{"engine", &own::engine, "what computes formulas"}};
        }
    };

    static std::string why_not(problem const& what) { return why_no_springs(what, name); }
    static std::vector<closure> closures(problem const& what) {
        std::vector<closure> all;
        constexpr std::size_t few = 32; // springs whose modes are all known: hard_springs::are_few
        auto const* kind = what.as<stiff_kind>();
        if (kind == nullptr || kind->springs.count > few) return all;
        constexpr double seldom_better = 10; // order 2 is an asymptotic series' next term, and no more
        for (int const order : {1, 2}) {
            settings made;
            made.order = order;
            all.push_back({described(made), seldom_better});
        }
        return all;
    }
    /// What fast motions of an amplitude leave out: they turn with the slow motion, and shift its start. Where they are
    /// reported, their phase runs off by the square of the slow rate over the fast one.
    static double hidden_error(problem const& what, problem_run const& run) {
        if (run.position.empty()) return 0;
        auto const course = course_of(what, run);
        double const at_start = course.softest.front();
        double const fastest = *std::ranges::min_element(course.softest); // of the softest spring
        if (!(fastest > 0)) return std::numeric_limits<double>::infinity();
        double amplitude = 0;
        double speed = 0;
        double length = 0; // of the way: where the origin is does not matter
        std::vector<double> travel(what.size);
        std::vector<double> size(what.size);
        std::vector<double> swing(what.size); // of the fast motion, at the start
        for (std::size_t i = 0; i < what.size; ++i) {
            swing[i] = std::max(std::abs(what.position[i] - run.position[0][i]),
                                std::abs(what.velocity[i] - run.velocity[0][i]) / at_start);
            amplitude = std::max(amplitude, swing[i]);
            double least = what.position[i];
            double most = least;
            for (std::size_t row = 0; row < run.t.size(); ++row) {
                least = std::min(least, run.position[row][i]);
                most = std::max(most, run.position[row][i]);
                speed = std::max(speed, std::abs(run.velocity[row][i]));
            }
            travel[i] = most - least;
            length = std::max(length, travel[i]);
            size[i] = std::max({std::abs(least), std::abs(most), what.atol / what.rtol});
        }
        double swinging = 0;
        for (std::size_t i = 0; i < what.size; ++i)
            if (size[i] > 0) swinging = std::max(swinging, course.loaded[i] / size[i]);
        swinging *= share_left_swinging(course.pace);
        if (!(length > 0)) return swinging;
        double const growth = std::sqrt(at_start / fastest); // the action is kept
        amplitude *= growth;
        double smallest = std::numeric_limits<double>::infinity(); // size of a coordinate that takes part
        for (std::size_t i = 0; i < what.size; ++i)
            if (travel[i] > 0.1 * length) smallest = std::min(smallest, size[i]);
        double const share = amplitude / length;
        double const rate = speed / length;
        double const turns = rate * (what.end - what.start);
        double const left_out = (turns * turns * share * share / 2 + share * rate / fastest * (1 + turns)) / 3;
        double const ahead = phase_by_force(what, run, amplitude, fastest);
        double const energy = speed > 0 ? amplitude * fastest / speed : 0; // its root, beside that of the motion
        double const moved = std::min(1., ahead) * std::min(1., energy * energy) * std::min(1., turns * turns / 2);
        double const error = (left_out + moved) * length / smallest + swinging;
        if (what.report != reported_state::full) return error;
        double widest = 0; // beside its coordinate, which may be nothing but a swing
        for (std::size_t i = 0; i < what.size; ++i) {
            double const wide = travel[i] > 0.1 * length ? amplitude : growth * swing[i];
            if (wide > 0) widest = std::max(widest, wide / std::max(size[i], wide));
        }
        return error + widest * std::min(1., rate * turns / fastest + ahead);
    }
    /// What the springs do along a slow run, each for itself.
    struct spring_course {
        std::vector<double> softest{}; ///< the lowest frequency at every row: springs may soften on the way
        double pace = 0;               ///< the fastest change of a frequency, over its square
        std::vector<double> loaded{};  ///< the most that loads displace each coordinate
    };
    static spring_course course_of(problem const& what, problem_run const& run) {
        auto const& kind = *what.as<stiff_kind>();
        auto const gradients = kind.springs.gradients.compile(expression::engine_kind::bytecode);
        auto const slow_force = kind.slow_force.compile(expression::engine_kind::bytecode);
        auto work = gradients.work();
        auto force_work = slow_force.work();
        std::vector<double> contributions(kind.springs.places.size());
        std::vector<double> force(what.size);
        std::vector<std::vector<double>> slopes(kind.springs.count, std::vector<double>(what.size));
        std::vector<double> before;
        spring_course made{.loaded = std::vector<double>(what.size)};
        auto const look = [&](double t, std::vector<double> const& q, std::vector<double> const& v, double elapsed) {
            gradients.evaluate({.position = q, .time = t}, contributions, work);
            slow_force.evaluate({.position = q, .velocity = v, .time = t}, force, force_work);
            for (auto& each : slopes) std::ranges::fill(each, 0.);
            for (std::size_t k = 0; k < contributions.size(); ++k)
                if (auto const& [spring, slot] = kind.springs.places[k]; spring < kind.springs.count)
                    slopes[spring][slot] += contributions[k];
            std::vector<double> frequencies;
            for (std::size_t j = 0; j < kind.springs.count; ++j) {
                auto lightened = slopes[j];
                what.mass.divide(lightened);
                double square = 0;
                double pull = 0;
                for (std::size_t i = 0; i < what.size; ++i) {
                    square += slopes[j][i] * lightened[i];
                    pull += lightened[i] * force[i];
                }
                double const now = kind.omegas[j] * std::sqrt(square);
                for (std::size_t i = 0; i < what.size; ++i)
                    made.loaded[i] = std::max(made.loaded[i], std::abs(lightened[i] * pull) / (now * now * square));
                if (!before.empty())
                    made.pace = std::max(made.pace,
                                         std::abs(now - before[j]) / elapsed / std::pow(std::min(now, before[j]), 2));
                frequencies.push_back(now);
            }
            made.softest.push_back(std::ranges::min(frequencies));
            before = std::move(frequencies);
        };
        look(run.t[0], run.position[0], run.velocity[0], 0);
        constexpr int parts = 16; // between rows, along a cubic
        for (std::size_t row = 1; row < run.t.size(); ++row) {
            double const h = run.t[row] - run.t[row - 1];
            auto const& v0 = run.velocity[row - 1];
            auto const& v1 = run.velocity[row];
            for (int part = 1; part <= parts; ++part) {
                double const s = static_cast<double>(part) / parts;
                auto q = run.position[row - 1];
                auto v = v0;
                for (std::size_t i = 0; i < what.size; ++i) {
                    double const across = run.position[row][i] - q[i];
                    q[i] += s * across + s * (1 - s) * ((1 - s) * (h * v0[i] - across) - s * (h * v1[i] - across));
                    v[i] += s * (v1[i] - v0[i]);
                }
                look(run.t[row - 1] + s * h, q, v, h / parts);
            }
        }
        return made;
    }
    /// A spring that softens and hardens within a few of its turns begins to swing by itself, with what its load has
    /// displaced it: as a share of that. By the time that it takes it is exponentially small.
    static double share_left_swinging(double pace) { return pace > 0 ? std::min(1., 10 * std::exp(-0.6 / pace)) : 0; }
    /// How far the slow force carries the phase of the fast motion in a run: it should not feel that motion. What is
    /// linear in the velocity is followed.
    static double phase_by_force(problem const& what, problem_run const& run, double amplitude, double fastest) {
        if (!(amplitude > 0)) return 0;
        auto const force = what.as<stiff_kind>()->slow_force.compile(expression::engine_kind::bytecode);
        auto work = force.work();
        std::vector<double> const none(what.size);
        auto const at = [&](std::size_t row, std::vector<double> const& shift, double in_position, double in_velocity) {
            auto q = run.position[row];
            auto v = run.velocity[row];
            for (std::size_t i = 0; i < what.size; ++i) {
                q[i] += in_position * shift[i];
                v[i] += in_velocity * shift[i];
            }
            std::vector<double> out(what.size);
            force.evaluate({.position = q, .velocity = v, .time = run.t[row]}, out, work);
            what.mass.divide(out);
            return out;
        };
        double felt = 0;
        auto const look = [&](std::size_t row, std::vector<double> const& shift) {
            auto const here = at(row, shift, 0, 0);
            auto const there = at(row, shift, amplitude, 0);
            auto const faster = at(row, shift, 0, amplitude * fastest);
            auto const twice = at(row, shift, 0, 2 * amplitude * fastest);
            for (std::size_t i = 0; i < what.size; ++i)
                felt = std::max({felt, std::abs(there[i] - here[i]), std::abs(twice[i] - 2 * faster[i] + here[i])});
        };
        constexpr std::size_t few = 16; // directions; beyond that all at once
        std::vector<double> all(what.size, 1);
        for (std::size_t row = 0; row < run.t.size(); ++row) {
            look(row, all);
            for (std::size_t i = 0; i < std::min(what.size, few); ++i) {
                auto one = none;
                one[i] = 1;
                look(row, one);
            }
        }
        return felt * (what.end - what.start) / (2 * fastest * amplitude);
    }
    static void read(method_text& from, settings& into) { read_loaded(from, fields_of(into), into); }
    static prepared_run make(problem const& what, settings& chosen, bool automatic) {
        std::vector<std::string> reasons;
        chosen.macro.choose(what, reasons);
        choose_negligible(what, chosen, reasons);
        adiabatic const closure{.order = chosen.order, .negligible = *chosen.negligible};
        auto made = with_springs(what, chosen, [&](auto const& system) {
            auto const slow = effective(system, closure);
            auto run = start_of(what, any_system(slow), chosen.macro);
            start_at(slow.extended(spring_start(what, chosen.engine)), run);
            return run;
        });
        bool const tells = automatic && what.report == reported_state::slow && what.as<stiff_kind>() != nullptr &&
                           what.given == initial_state::physical && what.project == start_projection::none;
        made.leave = [&what, tells](problem_run& run) { // without the modes
            for (auto* rows : {&run.position, &run.velocity})
                for (auto& row : *rows) row.resize(what.size);
            if (tells && !run.t.empty() && run.t[0] == what.start) tell_what_is_dropped(what, run);
        };
        made.reasons = std::move(reasons);
        return made;
    }
    static int order_of(settings const& chosen) { return chosen.order; }

private:
    /// The fast motion that a start has is followed, but no part of the slow motion that is reported.
    static void tell_what_is_dropped(problem const& what, problem_run& run) {
        auto const course = course_of(what, run);
        double const growth = std::sqrt(course.softest.front() / std::ranges::min(course.softest));
        std::size_t worst = 0;
        double beyond = 0;
        double dropped = 0;
        for (std::size_t i = 0; i < what.size; ++i) {
            double size = 0;
            for (auto const& row : run.position) size = std::max(size, std::abs(row[i]));
            double const amplitude =
                growth * std::hypot(what.position[i] - run.position[0][i],
                                    (what.velocity[i] - run.velocity[0][i]) / course.softest.front());
            double const allowed = std::max(what.atol, what.rtol * (size + amplitude));
            if (!(allowed > 0) || amplitude <= beyond * allowed) continue;
            beyond = amplitude / allowed;
            dropped = amplitude;
            worst = i;
        }
        constexpr double far = 3; // as of errors
        if (!(beyond > far)) return;
        run.warnings.push_back({"fast_motion_dropped", what.start,
                                "the slow motion that is reported leaves out a fast motion of " +
                                    what.coordinate_name(worst) + " of up to " + show(dropped) +
                                    ", which is beyond the tolerance; report = \"full\" has it"});
    }
    /// A tenth of the tolerance; where the fast motion is reported, none: a coordinate may be nothing else.
    static void choose_negligible(problem const& what, settings& chosen, std::vector<std::string>& reasons) {
        if (chosen.negligible) return;
        if (what.report == reported_state::full) {
            chosen.negligible = 0;
            reasons.push_back("no mode ignored, since the fast motion is reported");
            return;
        }
        double const rtol = tolerance_of(what, chosen.macro);
        chosen.negligible = rtol / 10;
        reasons.push_back("modes below " + show(*chosen.negligible) +
                          " of the slow motion's energy ignored: a tenth of rtol = " + show(rtol));
    }
};

template <class Method> method_row loaded_row() {
    auto row = row_of<Method>();
    row.predict = predict_loaded<Method>;
    return row;
}

} // namespace

method_row limit_row() { return loaded_row<limit_of_springs>(); }
method_row adiabatic_row() { return loaded_row<with_fast_energy>(); }

} // namespace lento::detail
