#include "problem/kinds/split_structure.hpp"
#include "problem/methods/flows.hpp"
#include "problem/period.hpp"
#include "problem/scheme.hpp"

#include <algorithm>
#include <cmath>

#include <lento/effective/backward_forward.hpp>
#include <lento/effective/interaction.hpp>
#include <lento/effective/window.hpp>
#include <lento/problem/window_kernels.hpp>
#include <lento/stepper/drift_kick.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/linear_flow.hpp>

namespace lento::detail {
namespace {

/// The flows that are compared, and their filter.
struct path_settings {
    kernel_choice kernel{lento::kernel(polynomial{})};
    double delta = 0;
    int points = 1;
    static constexpr auto options() {
        using own = path_settings;
        return std::tuple{option{"kernel", &own::kernel, "weighs the slow part along a flow; one-period: not at all"},
                          option{"delta", &own::delta, "the length of a flow: several of the slowest fast period",
                                 positive, "epsilon"},
                          option{"points", &own::points, "points of the path to either side", at_least(1)}};
    }
};
/// A second filter, which removes the O(epsilon) that the first leaves.
struct second_filter {
    kernel_choice kernel{};
    static constexpr auto options() {
        return std::tuple{option{"kernel", &second_filter::kernel, "left out: the polynomial, two degrees smoother"}};
    }
};

/// Backward-forward HMM of paper 002.
struct comparing_flows {
    static constexpr std::string_view name = "backward-forward";
    static constexpr std::string_view sentence = "compares flows with and without the slow part";
    static constexpr unsigned kinds = for_kinds<split_kind>;

    struct settings {
        macro_settings macro{};
        flow_settings micro{};
        path_settings window{};
        std::optional<picture> seen{};
        std::optional<second_filter> extrapolate{};
        bool ramp = false;
        engine_kind engine = engine_kind::automatic;
        static constexpr auto options() {
            using own = settings;
            return std::tuple{
                option{"macro", &own::macro, "steps along the effective path"},
                option{"micro", &own::micro, "follows the flows"},
                option{"window", &own::window, "the flows that are compared"},
                option{"picture", &own::seen, "the frame from which the system is seen"},
                option{"extrapolate", &own::extrapolate, "a second filter, which removes what the first leaves"},
                option{"ramp", &own::ramp, "start from and report the true state"},
                option{"engine", &own::engine, "what computes formulas"}};
        }
    };

    static std::string why_not(problem const& what) { return resonates_with_time(what); }
    static std::string suits(problem const& what) {
        auto const* kind = what.as<split_kind>();
        if (kind == nullptr || kind->period > 0 || kind->fast_matrix.empty()) return {};
        if (linear_flow(kind->fast_matrix).frequencies().empty() || !resonates_with_time(what).empty()) return {};
        return "the period of the fast flow is not known";
    }

    /// Shorter micro steps each. The length of flows is not among what they differ in: longer ones stand beside. Where
    /// a period is found the spectral mean is cheaper.
    static std::vector<closure> closures(problem const& what) {
        std::vector<closure> all;
        if (suits(what).empty() || find_period(what, engine_kind::automatic).lacking.empty()) return all;
        settings made;
        std::vector<std::string> reasons;
        choose_path(*what.as<split_kind>(), made, reasons);
        constexpr double longer = 1.4;
        for (int times = 1; times <= 4; times *= 2) {
            settings beside = made;
            beside.window.delta *= longer;
            all.push_back({.options = described(made), .beside = {described(beside)}});
            *made.micro.step /= 2;
        }
        return all;
    }

    static void read(method_text& from, settings& into) {
        problem const& what = from.what();
        if (from.names_method() && !from.has("window.delta"))
            from.fail("window", "backward-forward needs window.delta, the length of its flows in units of epsilon: "
                                "several of the slowest fast period.");
        refuse_other_views(from, "window.kernel");
        refuse_other_views(from, "extrapolate.kernel");
        from.read(fields_of(into));
        into.macro.complete(from, false);
        into.micro.complete(from);
        from.guarded("window", [&] { check(*into.window.kernel.value); });
        auto const& kind = *what.as<split_kind>();
        if (into.micro.steps_per_period && kind.period == 0)
            from.fail("micro.steps_per_period", "steps_per_period counts steps of the fast period, which is not given; "
                                                "give step, or system.period.");
        if (into.extrapolate && !into.extrapolate->kernel.value) {
            auto const* smooth = std::get_if<polynomial>(&*into.window.kernel.value);
            if (smooth == nullptr)
                from.fail("extrapolate", "Only for the polynomial kernel there is a usual second one; give it as { "
                                         "kernel = ... }.");
            into.extrapolate->kernel.value = kernel(polynomial{smooth->moments, smooth->regularity + 2});
        }
        if (into.seen == picture::interaction) require_linear(kind);
        double const steps = steps_wanted(kind, into);
        constexpr double most = 1e8;
        if (!(steps <= most)) from.fail("micro", "That would be " + show(steps) + " micro steps per window.");
    }
    static void refuse_other_views(method_text const& from, std::string_view path) {
        auto const* given = from.find(path);
        if (given == nullptr) return;
        if (given->text == "picard")
            throw does_not_apply("the picard kernel samples a period and filters nothing; use another kernel");
        if (given->text == "notch")
            throw does_not_apply("the notch kernel has its zeros at the local frequencies of springs, which the method "
                                 "ipa follows; use another kernel");
    }

    static prepared_run make(problem const& what, settings& chosen, bool automatic) {
        std::vector<std::string> reasons;
        auto const& kind = *what.as<split_kind>();
        if (automatic && chosen.window.delta == 0) choose_path(kind, chosen, reasons);
        if (!chosen.seen) chosen.seen = picture::given;
        chosen.macro.choose(what, reasons);
        prepared_run made = is_verlet(chosen) ? drifting(what, kind, chosen)
                                              : start_of(what, system_of(what, kind, chosen), chosen.macro);
        made.reasons = std::move(reasons);
        return made;
    }

private:
    /// Without the period a filter forgets the fast phase; how long it must be is told by the slowest combination of
    /// the fast frequencies. A second one removes the O(epsilon) that the first leaves.
    static void choose_path(split_kind const& kind, settings& chosen, std::vector<std::string>& reasons) {
        chosen.seen = picture::interaction;
        reasons.emplace_back("picture interaction: the fast part is linear, so that its flow is known exactly");
        auto const frequencies = linear_flow(kind.fast_matrix).frequencies();
        auto const fast = fast_frequencies(frequencies);
        double const slowest = *std::min_element(fast.begin(), fast.end());
        polynomial const first{.moments = 1, .regularity = 5};
        polynomial const second{.moments = 1, .regularity = 7};
        double const delta = 5 * (second.regularity + 1) / slowest;
        chosen.window.delta = delta;
        chosen.window.kernel.value = kernel(first);
        chosen.extrapolate = second_filter{kernel(second)};
        chosen.ramp = true;
        chosen.micro.step = delta * kind.epsilon / std::ceil(0.625 * delta * frequencies.back());
        reasons.push_back("delta " + show(delta) +
                          ": long enough for the slowest combination of the fast frequencies, " + show(slowest) +
                          "/epsilon");
    }
    /// A flow is followed in steps of 1/40 of its fastest period, or of 0.1 epsilon where that is not known.
    static double usual_steps(split_kind const& kind, settings const& chosen) {
        double const delta = chosen.window.delta;
        if (!kind.fast_matrix.empty()) {
            auto const frequencies = linear_flow(kind.fast_matrix).frequencies();
            if (!frequencies.empty())
                return std::ceil(delta * frequencies.back() * (chosen.seen == picture::interaction ? 0.7 : 6.4));
        }
        return delta / 0.1;
    }
    static double steps_wanted(split_kind const& kind, settings const& chosen) {
        double const length = chosen.window.delta * kind.epsilon;
        if (chosen.micro.step) return length / *chosen.micro.step;
        if (chosen.micro.steps_per_period) return *chosen.micro.steps_per_period * length / kind.period;
        return usual_steps(kind, chosen);
    }
    static path_window path_of(split_kind const& kind, settings& chosen) {
        double const length = chosen.window.delta * kind.epsilon;
        path_window path{.delta = chosen.window.delta,
                         .filter = *chosen.window.kernel.value,
                         .points = chosen.window.points,
                         .ramp = chosen.ramp};
        if (fixed_periods(*path.filter) > 0) path.filter.reset(); // a mean over delta: nothing is weighed
        if (chosen.extrapolate) path.extrapolate = chosen.extrapolate->kernel.value;
        if (chosen.micro.adaptive() == nullptr) {
            path.steps = chosen.micro.steps_over(length, kind.period, usual_steps(kind, chosen));
            if (!chosen.micro.step && !chosen.micro.steps_per_period) chosen.micro.step = length / path.steps;
        } else {
            path.steps = 1;
        }
        return path;
    }
    static any_system system_of(problem const& what, split_kind const& kind, settings& chosen) {
        auto const path = path_of(kind, chosen);
        if (kind.fast_matrix.empty())
            return over(make_split<false>(what, kind, kind.period, chosen.engine), path, chosen);
        auto system = make_split<true>(what, kind, kind.period, chosen.engine);
        if (chosen.seen == picture::interaction) return over(interaction_picture(std::move(system)), path, chosen);
        return over(std::move(system), path, chosen);
    }
    [[nodiscard]] static bool is_verlet(settings const& chosen) {
        return chosen.macro.scheme.value->name() == verlet::name;
    }
    /// Verlet's method for the positions and velocities among the slow variables: the path is made with positions held,
    /// and the macro step moves them.
    static prepared_run drifting(problem const& what, split_kind const& kind, settings& chosen) {
        auto const [positions, velocities] = find_drifts(what, kind);
        if (positions.empty())
            throw does_not_apply("the scheme verlet moves positions by their velocities, slow variables whose whole "
                                 "rate is another slow variable, and this system has none; use midpoint or rk4");
        double const step = *number_of(*chosen.macro.scheme.value, "step");
        auto const path = path_of(kind, chosen);
        auto const system = [&] {
            if (kind.fast_matrix.empty())
                return over(frozen(make_split<false>(what, kind, kind.period, chosen.engine), positions), path, chosen);
            auto held = frozen(make_split<true>(what, kind, kind.period, chosen.engine), positions);
            if (chosen.seen == picture::interaction) return over(interaction_picture(std::move(held)), path, chosen);
            return over(std::move(held), path, chosen);
        }();
        prepared_run made;
        made.stepping = at_work<flow_shape>(drift_kick{step, positions, velocities}, system);
        made.position = what.position;
        made.max_steps = chosen.macro.max_steps;
        made.lifts = system.facts().lifts;
        made.full = what.report == reported_state::full;
        return made;
    }
    template <class System> static any_system over(System system, path_window const& path, settings const& chosen) {
        if (auto const* adaptive = chosen.micro.adaptive())
            return any_system(effective(std::move(system), backward_forward{path, *adaptive}));
        return any_system(effective(std::move(system), backward_forward{path}));
    }
};

} // namespace

method_row backward_forward_row() { return row_of<comparing_flows>(); }

} // namespace lento::detail
