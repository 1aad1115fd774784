#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/constraint/newton.hpp>
#include <lento/solve/abilities.hpp>
#include <lento/solve/control.hpp>
#include <lento/solve/options.hpp>
#include <lento/solve/record.hpp>
#include <lento/solve/solution.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/step_control.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/arithmetic.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/misuse.hpp>

namespace lento {
namespace detail {

/// A system whose evaluations are watched for the first one that is not finite.
template <any_system S> struct witness {
    using space_type = typename S::space_type;
    using scalar = scalar_of<S>;
    using vector = vector_of<S>;
    using state = state_of<S>;
    struct work_type {
        work_of<S>* inner = nullptr;
        bool found = false;
        scalar time{};
        std::size_t component = 0;
        void look(scalar t, vector const& value) {
            if (found || all_finite(value)) return;
            found = true;
            time = t;
            component = first_non_finite(value);
        }
    };

    S const& system;

    [[nodiscard]] auto const& space() const { return system.space(); }
    [[nodiscard]] work_type work() const { return {}; }
    [[nodiscard]] work_type watch(work_of<S>& inner) const { return {&inner, false, {}, 0}; }
    void count(work_type const&, statistics&) const {}
    void acceleration(scalar t, vector const& q, vector& out, work_type& work) const
        requires(separable<S>)
    {
        system.acceleration(t, q, out, *work.inner);
        work.look(t, out);
    }
    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(velocity_dependent<S>)
    {
        system.acceleration(t, q, v, out, *work.inner);
        work.look(t, out);
    }
    void rate(scalar t, vector const& x, vector& out, work_type& work) const
        requires(first_order<S>)
    {
        system.rate(t, x, out, *work.inner);
        work.look(t, out);
    }
};

/// One run: the time loop around what the system and the stepper bring.
template <any_system S, class Stepper> class run final : run_record<state_of<S>> {
    using T = scalar_of<S>;
    using State = state_of<S>;
    using base = run_record<State>;
    using base::clock_, base::done_, base::failed_, base::history_, base::options_, base::result_, base::scratch_,
        base::x_;

public:
    run(S const& system, Stepper const& stepper, State initial, solve_options<State> const& options)
        : base(std::move(initial), options)
        , system_(system)
        , stepper_(stepper)
        , work_(system.work())
        , memory_(stepper.start(system))
        , control_(order_of(stepper), smallest_step(), largest_step(), as_ode45()) {
        check_stepper();
        this->check_initial(system.space().size());
        check_constraints();
        this->begin_record(order_of(stepper), knows_multipliers<S>, knows_mean_multipliers<S>);
    }

    [[nodiscard]] solution<State> operator()() {
        auto const began = std::chrono::steady_clock::now();
        if (!failed_.happened() && begun() && separated()) integrate();
        finish();
        result_.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        return this->take_result();
    }

private:
    // ---- checks ----

    [[nodiscard]] double smallest_step() const {
        if constexpr (adaptive_stepper<Stepper>) return stepper_.min_step;
        else return 0;
    }
    [[nodiscard]] double largest_step() const {
        if constexpr (adaptive_stepper<Stepper>)
            return as_ode45() ? std::min(stepper_.max_step, 0.1 * (options_.end - options_.start)) : stepper_.max_step;
        else return stepper_.step;
    }
    [[nodiscard]] bool as_ode45() const {
        if constexpr (requires { stepper_.control; }) return stepper_.control == control_rule::ode45;
        else return false;
    }
    void check_stepper() const {
        if constexpr (adaptive_stepper<Stepper>)
            check_tolerances(stepper_.rtol, stepper_.atol, stepper_.first_step, stepper_.min_step, stepper_.max_step);
        else {
            require_positive("the step", stepper_.step);
            constexpr double most = 1e15; // no run takes as many
            if ((options_.end - options_.start) / stepper_.step > most)
                throw misuse("the step " + show(stepper_.step) + " is too short for a run of " +
                             show(options_.end - options_.start));
        }
    }
    /// The start must lie on the constraints, or be put there; dependent constraints are a failure of the run.
    void check_constraints() {
        if constexpr (constrained_motion<S>) {
            auto at = system_.constraints().start();
            auto room = make_newton_room(system_);
            auto& work = system_.constraint_work(work_);
            failed_ = on_constraints(system_, T(options_.start), x_, options_.project, at, room, work);
        }
    }
    /// What depends on the start is worked out first; false where the system does not apply there.
    [[nodiscard]] bool begun() {
        if constexpr (begins<S>) {
            system_.begin(clock_.now(), x_, work_);
            return !own_failure();
        } else {
            return true;
        }
    }
    /// A window as long as the run, or as the step, is no separation of scales.
    [[nodiscard]] bool separated() {
        if constexpr (windowed<S>) {
            double const span = options_.end - options_.start;
            double const window = system_.window_length(work_);
            if (2 * window > span) failed_ = window_covers_run(window, span);
            if constexpr (judges_windows<S>)
                if (!failed_.happened())
                    failed_ = system_.verdict(span, adaptive_stepper<Stepper> ? 0 : largest_step(), work_);
        }
        return !failed_.happened();
    }

    // ---- the loop ----

    void integrate() {
        lower_initial_state();
        if (!remember_point() || !know_derivative()) return;
        this->start_events();
        double step = first_step();
        while (!done_) {
            if (!this->may_go_on()) return;
            if (!take_step(step)) return;
            if (!revise_point()) return;
            if (!remember_point()) return;
            ++result_.statistics.macro_steps;
            done_ = !(clock_.now() < T(options_.end));
            // the derivative at the new point belongs to the next step; after the last one it is used only if known
            if (!done_ && !know_derivative()) return;
            if (!this->hand_out(self_timed<Stepper> || steps_over_oscillations<Stepper>)) return;
            if (options_.observer) options_.observer(static_cast<double>(clock_.now()), x_);
        }
    }

    void lower_initial_state() {
        if constexpr (lowers<S>)
            if (options_.given == initial_state::physical) system_.lower(clock_.now(), x_, work_);
    }
    /// A system may put the end of a step back where the slow motion is; the last point stays as it was computed.
    [[nodiscard]] bool revise_point() {
        if constexpr (revises<S> && !settles_with<Stepper, S>) {
            if (!(clock_.now() < T(options_.end)) || !all_finite(x_)) return true;
            if (system_.revise(clock_.now(), x_, work_)) memory_.fresh = false;
            return !own_failure();
        }
        return true;
    }

    [[nodiscard]] double first_step() {
        if constexpr (!adaptive_stepper<Stepper>) {
            return stepper_.step;
        } else {
            if (stepper_.first_step > 0) return control_.limited(stepper_.first_step);
            double const threshold = stepper_.atol / (stepper_.rtol > 0 ? stepper_.rtol : 1);
            double rate = 0;
            if constexpr (State::is_motion)
                rate = std::max(relative_rate(x_.position, x_.velocity, threshold),
                                relative_rate(x_.velocity, memory_.derivative(), threshold));
            else rate = relative_rate(x_.state, memory_.derivative(), threshold);
            return control_.first(rate, stepper_.rtol, options_.end - options_.start);
        }
    }

    [[nodiscard]] bool take_step(double& step) {
        if constexpr (self_timed<Stepper>) {
            T const reached = stepper_.advance(system_, clock_.now(), T(step), T(options_.end), x_, memory_, work_);
            if (own_failure()) return false;
            failed_ = memory_.failed;
            clock_.set(reached);
            return !failed_.happened();
        } else if constexpr (adaptive_stepper<Stepper>) {
            return take_adaptive_step(step);
        } else {
            bool last = false;
            T const h = this->fitted(step, false, last);
            stepper_.advance(system_, clock_.now(), h, x_, memory_, work_);
            if (own_failure()) return false;
            this->move_clock(h, last);
            return true;
        }
    }
    [[nodiscard]] bool take_adaptive_step(double& step) {
        for (;;) {
            if (control_.too_small(step, static_cast<double>(clock_.now()))) {
                failed_ = step_too_small(static_cast<double>(clock_.now()), step);
                if (not_finite_) failed_ = bad_trial_.happened() ? bad_trial_ : non_finite_step(tried_, x_);
                return false;
            }
            bool last = false;
            T const h = this->fitted(step, as_ode45(), last);
            double const error = stepper_.attempt(system_, clock_.now(), h, x_, memory_, work_);
            if (own_failure() && !forgive_trial()) return false;
            bool const accepted = error <= 1;
            not_finite_ = !std::isfinite(error);
            tried_ = h;
            double const tried = static_cast<double>(h);
            double const proposed = control_.next(tried, error, accepted);
            // a step cut short by the end says nothing against the longer one
            step = accepted && tried < step && !as_ode45() ? std::max(proposed, step) : proposed;
            if (accepted) {
                stepper_.accept(system_, x_, memory_);
                if constexpr (requires { stepper_.control; }) emit_inside(h, last);
                this->move_clock(h, last);
                return true;
            }
            ++result_.statistics.macro_rejected;
            if (!this->may_go_on()) return false;
        }
    }

    /// A failure that the system itself reports: it knows more than a NaN tells.
    [[nodiscard]] bool own_failure() {
        if constexpr (constrained_motion<S>)
            if (auto const& failed = system_.constraint_work(work_).failed; failed.happened()) failed_ = failed;
        if (failed_.happened()) return true;
        if constexpr (can_fail<work_of<S>>)
            if (work_.failed.happened()) failed_ = work_.failed;
        if (failed_.happened()) return true;
        if constexpr (requires { memory_.failed.happened(); }) failed_ = memory_.failed;
        return failed_.happened();
    }
    /// A trial that met a force that is not finite says nothing yet: a shorter one may stay inside. True when forgiven.
    [[nodiscard]] bool forgive_trial() {
        if constexpr (can_fail<work_of<S>>) {
            if (failed_.result != outcome::non_finite) return false;
            bad_trial_ = std::exchange(failed_, {});
            forgive(work_);
            return true;
        } else {
            return false;
        }
    }
    /// Names what made a step of length h from the last point not finite. The step is taken once more to find the
    /// evaluation of the force that did it, because stages spread a NaN to other components. Without such an evaluation
    /// the state itself has escaped, and x tells where.
    [[nodiscard]] failure non_finite_step(T h, State const& x) {
        // steppers for constraints leave the force's own components in the velocity
        if constexpr (!can_fail<work_of<S>> && !constrained_motion<S> && !takes_apart<Stepper> &&
                      !self_timed<Stepper>) {
            witness<S> const seen{system_};
            auto watched = seen.watch(work_);
            auto memory = stepper_.start(seen);
            State again = history_.back().x;
            if constexpr (adaptive_stepper<Stepper>)
                static_cast<void>(stepper_.attempt(seen, history_.back().t, h, again, memory, watched));
            else stepper_.advance(seen, history_.back().t, h, again, memory, watched);
            if (watched.found) return state_not_finite(static_cast<double>(watched.time), watched.component, "force");
        }
        double const t = static_cast<double>(history_.back().t + h);
        return state_not_finite(t, base::bad_component(x), "state");
    }

    /// Adds the current point to the history; false when it is not finite.
    [[nodiscard]] bool remember_point() {
        if (!all_finite(x_)) {
            blame_point();
            return false;
        }
        this->add_node();
        if (memory_.fresh) return know_derivative();
        return true;
    }
    void blame_point() {
        if (history_.empty()) { // the slow state of a start where the force is not finite
            if (failed_ = failure_inside(work_); !failed_.happened())
                failed_ = state_not_finite(static_cast<double>(clock_.now()), base::bad_component(x_),
                                           "force around the start");
        } else {
            failed_ = non_finite_step(clock_.now() - history_.back().t, x_);
            clock_.set(history_.back().t);
        }
    }

    /// The highest derivative at the current point, for the next step and for dense output.
    [[nodiscard]] bool know_derivative() {
        if (history_.back().has_derivative) return true;
        stepper_.prepare(system_, clock_.now(), x_, memory_, work_);
        if (own_failure() || !this->take_derivative(memory_.derivative())) return false;
        if constexpr (knows_multipliers<S>) remember_multipliers(history_.back());
        if (options_.dense) this->keep_node();
        return true;
    }
    void remember_multipliers(dense_node<State>& node) {
        auto const fill = [](std::vector<double>& to, auto const& from) {
            to.resize(from.size());
            for (std::size_t j = 0; j < to.size(); ++j) to[j] = static_cast<double>(from[j]);
        };
        if constexpr (requires { memory_.multipliers(); }) fill(node.multipliers, memory_.multipliers());
        else fill(node.multipliers, system_.multipliers(work_));
        if constexpr (knows_mean_multipliers<S>) {
            fill(node.mean_multipliers, system_.mean_multipliers(work_));
            for (std::size_t j = 0; j < node.multipliers.size(); ++j) node.mean_multipliers[j] += node.multipliers[j];
        }
    }

    // ---- what the record asks ----

    [[nodiscard]] bool inside(T t, State& out) override {
        if constexpr (self_timed<Stepper>) return stepper_.inside(t, out, memory_);
        else if constexpr (steps_over_oscillations<Stepper>) return step_inside(t, out);
        else return base::inside(t, out);
    }
    /// A shorter step to t from the point before the last.
    [[nodiscard]] bool step_inside(T t, State& out) {
        auto const& before = history_[history_.size() - 2];
        out = before.x;
        auto memory = stepper_.start(system_);
        stepper_.advance(system_, before.t, t - before.t, out, memory, work_);
        return true;
    }
    void back_onto_constraints(T t, State& x) override {
        if constexpr (constrained_motion<S>) {
            auto at = system_.constraints().start();
            auto room = make_newton_room(system_);
            auto const unchanged = x.position;
            if (project_position(system_, t, x.position, at, room, system_.constraint_work(work_)))
                project_velocity(system_, t, x.position, x.velocity, at, room, system_.constraint_work(work_));
            else x.position = unchanged;
        } else {
            base::back_onto_constraints(t, x);
        }
    }
    [[nodiscard]] bool lifted(T t, State& x) override {
        if constexpr (has_true_state<S>) {
            system_.lift(t, x, work_);
            if (all_finite(x)) return true;
            if (!own_failure())
                failed_ = state_not_finite(static_cast<double>(t), base::bad_component(x), "physical state");
            return false;
        } else {
            return base::lifted(t, x);
        }
    }
    /// With the control of ode45 its own interpolant serves the output times inside a step, at once.
    void emit_inside(T h, bool last) {
        if constexpr (requires { stepper_.between(h, h, scratch_, memory_); }) {
            if (!as_ode45() || this->every_step_ || !options_.events.empty()) return;
            T const from = clock_.now();
            T const to = last ? T(options_.end) : from + h;
            auto& next = this->next_output_;
            for (; next < this->output_.size() && T(this->output_[next]) < to; ++next) {
                T const t = T(this->output_[next]);
                scratch_ = history_.back().x;
                if (t > from) stepper_.between((t - from) / h, h, scratch_, memory_);
                this->emit(t, scratch_);
            }
        } else {
            static_cast<void>(h), static_cast<void>(last);
        }
    }

    // ---- the end ----

    void finish() {
        if constexpr (confirms<S>)
            if (!failed_.happened()) {
                system_.confirm(clock_.now(), x_, work_);
                static_cast<void>(own_failure());
            }
        this->hand_out_rest();
        if constexpr (windowed<S>) this->compare_with_window(system_.window_length(work_));
        gather_warnings(work_, result_.warnings);
        system_.count(work_, result_.statistics);
        if constexpr (requires { memory_.count(result_.statistics); }) memory_.count(result_.statistics);
    }

    S const& system_;
    Stepper const& stepper_;
    work_of<S> work_;
    memory_of<Stepper, S> memory_;
    bool not_finite_ = false;
    T tried_{};
    failure bad_trial_;
    step_control control_;
};

} // namespace detail

/// Integrates a system from its initial state: `solve(system, verlet{.step = 0.01}, {.position = {0.5}}, {.end = 1})`.
/// The system may be the given one (a direct solution) or an effective one (its slow motion). What happens in a run is
/// told by the solution's outcome; misuse is thrown.
template <any_system S, class Stepper>
[[nodiscard]] solution<state_of<S>> solve(S const& system, Stepper const& stepper,
                                          std::type_identity_t<state_of<S>> initial,
                                          std::type_identity_t<solve_options<state_of<S>>> const& options) {
    return detail::run<S, Stepper>(system, stepper, std::move(initial), options)();
}

} // namespace lento
