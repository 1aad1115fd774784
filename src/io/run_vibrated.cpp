#include "io/closures.hpp"
#include "io/closures_constrained.hpp"
#include "io/formula_constrained.hpp"
#include "io/runner.hpp"

#include <algorithm>
#include <cstdint>

#include <lento/system/phase.hpp>

namespace lento::detail {
namespace {

constexpr double auto_periods = 40;

class vibrated final : public runner {
public:
    using runner::runner;

private:
    void choose() override {
        method_options& method = made_.used;
        if (automatic_)
            take_method("hmm", "the system is vibrated, so its slow motion is followed without its vibrations");
        if (constrained()) choose_constrained_macro();
        else choose_macro();
        if (method.name == "stroboscopic" && !method.view) {
            method.micro = rk4{};
            method.view = strobe{.order = 4, .steps = 32};
            because("order 4 and 32 steps of rk4 a period");
        }
        if (method.name == "direct" || method.name == "stroboscopic") return;
        if (constrained()) choose_constrained_window();
        else choose_window();
    }

    [[nodiscard]] bool constrained() const { return what_.constraints.count > 0; }
    void choose_constrained_macro() {
        method_options& method = made_.used;
        if (method.macro) return;
        method.macro = adaptive_lobatto4{.rtol = method.rtol, .atol = method.atol};
        because("macro scheme lobatto4: of order 4 on the constraints, with steps that meet rtol = " +
                show(method.rtol) + " and atol = " + show(method.atol));
    }
    void choose_constrained_window() {
        method_options& method = made_.used;
        if (!method.view) {
            method.view = window(one_period{.steps = 64});
            method.micro = shake{};
            because("kernel one-period with 64 steps of SHAKE: the period is known");
        }
        if (method.start != window_start::chosen) return;
        method.start = window_start::centred;
        because("start centred: it has no bias of O(1/omega)");
    }

    void choose_window() {
        method_options& method = made_.used;
        automatic_window_ = !method.view;
        if (!method.view) {
            method.view = picard{};
            because("kernel picard: the spectral mean over a period is cheapest where it applies");
        }
        if (std::holds_alternative<picard>(*method.view)) return;
        if (!method.micro) method.micro = rk4{};
        if (method.start != window_start::chosen) return;
        method.start = what_.uses_velocity ? window_start::synchronous : window_start::asynchronous;
        because(what_.uses_velocity ? "start synchronous: the force depends on the velocity"
                                    : "start asynchronous: the force does not depend on the velocity");
    }

    bool applies() override {
        method_options const& method = made_.used;
        if (method.name == "direct") return direct_from_true_state();
        if (constrained() && what_.uses_velocity)
            return refuse(outcome::not_applicable, "windows with constraints forget the velocity, but this force "
                                                   "depends on it; use the method direct");
        if (constrained() && what_.frequencies.size() > 1 && fixed_periods(std::get<window>(*method.view).kernel) > 0)
            return refuse(outcome::not_applicable, "a mean over one period needs one phase; use a smooth kernel");
        double const period = slowest_period();
        if (period > what_.end - what_.start)
            return refuse(outcome::no_scale_separation,
                          "the slowest fast period is " + show(period) + ", but the whole run only " +
                              show(what_.end - what_.start) + ": the scales are not separated. Use the method direct.");
        if (method.name == "stroboscopic") return true;
        bool const spectral = std::holds_alternative<picard>(*method.view);
        if (what_.uses_velocity && !spectral && method.start != window_start::synchronous)
            return refuse(outcome::not_applicable, "an asynchronous or centred start forgets the velocity, but this "
                                                   "force depends on it; use start = \"synchronous\"");
        if (!spectral && method.start == window_start::synchronous &&
            fixed_periods(std::get<window>(*method.view).kernel) > 0)
            return refuse(
                outcome::not_applicable,
                "a one-period mean leaves an error of O(1) in a synchronous window, because the slow drift of "
                "the samples is not periodic; use a smooth kernel, or an asynchronous or centred start");
        return true;
    }

    void run() override {
        if (made_.used.name == "direct") {
            made_.full = true;
            if (constrained() && what_.uses_velocity) solve_system(make_constrained<true>(what_));
            else if (constrained()) solve_system(make_constrained<false>(what_));
            else solve_motion();
            return;
        }
        made_.full = what_.report == reported_state::full;
        if (made_.used.name == "stroboscopic") return run_stroboscopic();
        run_window();
        if (automatic_window_ && made_.result == outcome::not_applicable && what_.uses_velocity) {
            because(made_.message);
            choose_synchronous_window();
            run_in_long_steps();
        }
        lengthen_while_it_leaks();
        if (automatic_ && made_.result == outcome::success) require_long_steps();
    }

    /// Where the spectral mean does not settle on a force that depends on the velocity.
    void choose_synchronous_window() {
        method_options& method = made_.used;
        method.view = window{.kernel = exponential{.moments = 3}, .periods = auto_periods, .steps_per_period = 32};
        method.micro = rk4{};
        method.start = window_start::synchronous;
        because("start synchronous, kernel exponential over 40 periods: the force depends on the velocity");
    }
    /// Steps shorter than a window are dearer than a direct solution: no more are taken than fit into the run.
    void run_in_long_steps() {
        auto const allowed = made_.used.max_steps;
        double const span = what_.end - what_.start;
        double const window = auto_periods * slowest_period();
        auto const fitting = static_cast<std::uint64_t>(std::max(1., span / window));
        made_.used.max_steps = std::min(allowed, fitting);
        run_window();
        made_.used.max_steps = allowed;
        if (made_.result == outcome::step_limit && fitting < allowed)
            refuse(
                outcome::no_scale_separation,
                "the oscillation around the slow position is not small, and windows of " + show(window) +
                    " that resolve it are longer than the steps which the slow motion needs. Use the method direct.");
    }
    void lengthen_while_it_leaks() {
        constexpr double longest = 320;
        for (;;) {
            auto* view = std::get_if<window>(&*made_.used.view);
            if (view == nullptr || !automatic_window_ || !leaks()) break;
            if (view->periods >= longest) {
                refuse(outcome::window_too_short, "no window of up to 320 periods filters this force well enough: " +
                                                      made_.warnings.front().sentence);
                break;
            }
            view->periods *= 2;
            because("the window of " + show(view->periods / 2) + " periods leaks; twice as long");
            run_window();
        }
    }

    [[nodiscard]] bool leaks() const {
        return made_.result == outcome::window_too_short ||
               std::any_of(made_.warnings.begin(), made_.warnings.end(),
                           [](warning const& each) { return each.code == "window_leakage"; });
    }

    void run_window() {
        if (constrained()) {
            guarded([&] { solve_system(make_effective_constrained(what_, made_.used)); });
            return;
        }
        auto const system = [&]() -> erased_effective {
            try {
                switch (what_.frequencies.size()) {
                case 1: return make_effective<1>(what_, made_.used);
                case 2: return make_effective<2>(what_, made_.used);
                default: return make_effective<3>(what_, made_.used);
                }
            } catch (does_not_apply const&) { throw; } catch (misuse const& error) {
                throw problem_error(what_.source, 0, "method.window", as_sentence(error.what()));
            }
        };
        guarded([&] { std::visit([&](auto const& effective) { solve_system(effective); }, system()); });
    }

    /// Where the slow motion needs steps below the fast period, nothing separates the scales.
    void require_long_steps() {
        double const step = (what_.end - what_.start) / static_cast<double>(made_.statistics.macro_steps);
        double const period = slowest_period();
        if (step < period)
            refuse(outcome::no_scale_separation,
                   "the slow motion needs steps of " + show(step) + ", but a fast period takes " + show(period) +
                       ": the scales are not separated. Use the method direct, or ask for less accuracy.");
    }
    [[nodiscard]] double slowest_period() const {
        auto const fast = fast_frequencies(what_.frequencies);
        return two_pi<double> / *std::min_element(fast.begin(), fast.end());
    }

    bool automatic_window_ = false;
};

} // namespace

std::unique_ptr<runner> vibrated_runner(problem const& what, run_controls const& controls) {
    return std::make_unique<vibrated>(what, controls);
}

} // namespace lento::detail
