#include <lento/io/run.hpp>

#include "io/closures.hpp"
#include "io/reader.hpp"
#include "io/scheme_run.hpp"

#include <algorithm>
#include <utility>

#include <lento/system/misuse.hpp>
#include <lento/system/phase.hpp>

namespace lento::detail {

extern template solution<state_of<erased_separable>> solve_with(erased_separable const&, scheme const&,
                                                                state_of<erased_separable>,
                                                                solve_options<state_of<erased_separable>> const&);
extern template solution<state_of<erased_general>> solve_with(erased_general const&, scheme const&,
                                                              state_of<erased_general>,
                                                              solve_options<state_of<erased_general>> const&);
extern template solution<state_of<formula_motion<false>>>
solve_with(formula_motion<false> const&, scheme const&, state_of<formula_motion<false>>,
           solve_options<state_of<formula_motion<false>>> const&);
extern template solution<state_of<formula_motion<true>>>
solve_with(formula_motion<true> const&, scheme const&, state_of<formula_motion<true>>,
           solve_options<state_of<formula_motion<true>>> const&);
extern template solution<state_of<formula_flow>> solve_with(formula_flow const&, scheme const&, state_of<formula_flow>,
                                                            solve_options<state_of<formula_flow>> const&);

} // namespace lento::detail

namespace lento {
namespace {

constexpr double auto_periods = 40;

/// One run of a problem: makes the choices that its method leaves open, solves, and hands the rows over.
class runner {
public:
    runner(problem const& what, run_controls const& controls) : what_(what), controls_(controls) {
        made_.used = what.method;
    }

    problem_run operator()() {
        choose();
        if (applies()) {
            if (made_.used.name == "direct") run_direct();
            else run_effective();
        }
        observe();
        return std::move(made_);
    }

private:
    // ---- choices ----

    void because(std::string sentence) { made_.reasons.push_back(std::move(sentence)); }

    void choose() {
        method_options& method = made_.used;
        automatic_ = method.name == "auto";
        if (automatic_) {
            bool const slow = what_.kind == problem_kind::vibrated;
            method.name = slow ? "hmm" : "direct";
            because(slow ? "method hmm: the system is vibrated, so its slow motion is followed without its vibrations"
                         : "method direct: a plain system is integrated as it is");
        }
        if (!method.macro) {
            method.macro = dormand_prince{.rtol = method.rtol, .atol = method.atol};
            because("macro scheme dormand-prince: it chooses its steps to meet rtol = " + show(method.rtol) +
                    " and atol = " + show(method.atol));
        }
        if (method.name != "direct") choose_window();
    }

    void choose_window() {
        method_options& method = made_.used;
        automatic_window_ = !method.view;
        if (!method.view && !what_.uses_velocity) {
            method.view = picard{};
            because(
                "kernel picard: the force does not depend on the velocity, so its spectral mean over a period serves");
        } else if (!method.view) {
            method.view = window{.kernel = exponential{.moments = 3}, .periods = auto_periods, .steps_per_period = 32};
            because("kernel exponential over 40 periods: the force depends on the velocity");
        }
        if (std::holds_alternative<picard>(*method.view)) return;
        if (!method.micro) method.micro = rk4{};
        if (method.start != window_start::chosen) return;
        method.start = what_.uses_velocity ? window_start::synchronous : window_start::asynchronous;
        because(what_.uses_velocity ? "start synchronous: the force depends on the velocity"
                                    : "start asynchronous: the force does not depend on the velocity");
    }

    // ---- whether the method applies ----

    bool refuse(outcome result, std::string message) {
        made_.result = result;
        made_.message = std::move(message);
        return false;
    }

    bool applies() {
        method_options const& method = made_.used;
        if (method.name == "direct") {
            if (what_.given == initial_state::slow)
                return refuse(outcome::not_applicable,
                              "a direct run starts from the true state, but the initial state is "
                              "the slow one; give the true one, or use the method hmm");
            return true;
        }
        auto const fast = fast_frequencies(what_.frequencies);
        double const period = two_pi<double> / *std::min_element(fast.begin(), fast.end());
        if (period > what_.end - what_.start)
            return refuse(outcome::no_scale_separation,
                          "the slowest fast period is " + show(period) + ", but the whole run only " +
                              show(what_.end - what_.start) + ": the scales are not separated. Use the method direct.");
        bool const spectral = std::holds_alternative<picard>(*method.view);
        if (what_.uses_velocity && (spectral || method.start != window_start::synchronous))
            return refuse(outcome::not_applicable,
                          std::string(spectral ? "the picard kernel" : "an asynchronous or centred start") +
                              " forgets the velocity, but this force depends on it; use start = \"synchronous\"");
        if (!spectral && method.start == window_start::synchronous &&
            fixed_periods(std::get<window>(*method.view).kernel) > 0)
            return refuse(
                outcome::not_applicable,
                "a one-period mean leaves an error of O(1) in a synchronous window, because the slow drift of "
                "the samples is not periodic; use a smooth kernel, or an asynchronous or centred start");
        return true;
    }

    // ---- running ----

    template <class State> [[nodiscard]] solve_options<State> options() const {
        solve_options<State> made;
        made.start = what_.start;
        made.end = what_.end;
        made.output_times = what_.output_times;
        made.given = what_.given;
        made.report = what_.report;
        made.max_steps = made_.used.max_steps;
        made.interrupt = controls_.interrupt;
        if (controls_.progress) made.observer = [this](double t, State const&) { controls_.progress(t); };
        return made;
    }

    template <class System> void solve_system(System const& system) {
        using State = state_of<System>;
        try {
            if constexpr (State::is_motion)
                take(detail::solve_with(system, *made_.used.macro, {what_.position, what_.velocity}, options<State>()));
            else take(detail::solve_with(system, *made_.used.macro, {what_.position}, options<State>()));
        } catch (misuse const& error) {
            throw problem_error(what_.source, 0, "method", detail::as_sentence(error.what()));
        }
    }

    template <class State> void take(solution<State> solved) {
        made_.result = solved.result;
        made_.message = std::move(solved.message);
        made_.warnings = std::move(solved.warnings);
        made_.statistics = solved.statistics;
        made_.t = std::move(solved.t);
        if constexpr (State::is_motion) {
            made_.position = std::move(solved.position);
            made_.velocity = std::move(solved.velocity);
        } else {
            made_.position = std::move(solved.state);
        }
    }

    void run_direct() {
        made_.full = true;
        if (what_.first_order) solve_system(detail::formula_flow(what_));
        else if (what_.uses_velocity) solve_system(detail::formula_motion<true>(what_));
        else solve_system(detail::formula_motion<false>(what_));
    }

    void run_effective() {
        made_.full = what_.report == reported_state::full;
        constexpr double longest = 320;
        for (;;) {
            run_window();
            auto* view = std::get_if<window>(&*made_.used.view);
            if (view == nullptr || !automatic_window_ || !leaks()) break;
            if (view->periods >= longest) {
                refuse(outcome::window_too_short, "no window of up to 320 periods filters this force well enough: " +
                                                      made_.warnings.front().sentence);
                break;
            }
            view->periods *= 2;
            because("the window of " + show(view->periods / 2) + " periods leaks; twice as long");
        }
        if (automatic_ && made_.result == outcome::success) require_long_steps();
    }

    [[nodiscard]] bool leaks() const {
        return made_.result == outcome::window_too_short ||
               std::any_of(made_.warnings.begin(), made_.warnings.end(),
                           [](warning const& each) { return each.code == "window_leakage"; });
    }

    void run_window() {
        auto const system = [&]() -> detail::erased_effective {
            try {
                switch (what_.frequencies.size()) {
                case 1: return detail::make_effective<1>(what_, made_.used);
                case 2: return detail::make_effective<2>(what_, made_.used);
                default: return detail::make_effective<3>(what_, made_.used);
                }
            } catch (misuse const& error) {
                throw problem_error(what_.source, 0, "method.window", detail::as_sentence(error.what()));
            }
        }();
        std::visit([&](auto const& effective) { solve_system(effective); }, system);
    }

    /// Where the slow motion needs steps below the fast period, nothing separates the scales.
    void require_long_steps() {
        double const step = (what_.end - what_.start) / static_cast<double>(made_.statistics.macro_steps);
        auto const fast = fast_frequencies(what_.frequencies);
        double const period = two_pi<double> / *std::min_element(fast.begin(), fast.end());
        if (step < period)
            refuse(outcome::no_scale_separation,
                   "the slow motion needs steps of " + show(step) + ", but a fast period takes " + show(period) +
                       ": the scales are not separated. Use the method direct, or ask for less accuracy.");
    }

    // ---- results ----

    void observe() {
        made_.observables.assign(what_.observables.size(), {});
        if (!what_.observe) return;
        auto const work = what_.observe->work();
        std::vector<double> values(what_.observables.size());
        std::vector<double> theta(what_.frequencies.size());
        std::vector<double> const none;
        for (std::size_t row = 0; row < made_.t.size(); ++row) {
            for (std::size_t j = 0; j < theta.size(); ++j)
                theta[j] = reduced_phase(what_.phases[j], what_.frequencies[j], made_.t[row]);
            what_.observe->evaluate({.position = made_.position[row],
                                     .velocity = what_.first_order ? none : made_.velocity[row],
                                     .phase = theta,
                                     .time = made_.t[row]},
                                    values, *work);
            for (std::size_t i = 0; i < values.size(); ++i) made_.observables[i].push_back(values[i]);
        }
    }

    problem const& what_;
    run_controls const& controls_;
    problem_run made_;
    bool automatic_ = false;
    bool automatic_window_ = false;
};

} // namespace

problem_run run_problem(problem const& what, run_controls const& controls) { return runner(what, controls)(); }

} // namespace lento
