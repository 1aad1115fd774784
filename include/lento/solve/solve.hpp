#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/constraint/newton.hpp>
#include <lento/solve/control.hpp>
#include <lento/solve/interpolation.hpp>
#include <lento/solve/options.hpp>
#include <lento/solve/solution.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/step_control.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/arithmetic.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/misuse.hpp>

namespace lento {
namespace detail {

/// Sorts events. A type of its own and no lambda, so that sorting is compiled once a state and not once a stepper.
struct earlier {
    template <class Hit> [[nodiscard]] bool operator()(Hit const& a, Hit const& b) const { return a.t < b.t; }
};

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

/// One run: the time loop, what it remembers of the last steps, and what it hands out.
template <any_system S, class Stepper> class run {
    using T = scalar_of<S>;
    using State = state_of<S>;

public:
    run(S const& system, Stepper const& stepper, State initial, solve_options<State> const& options)
        : system_(system)
        , stepper_(stepper)
        , options_(options)
        , work_(system.work())
        , memory_(stepper.start(system))
        , x_(std::move(initial))
        , clock_(T(options.start))
        , output_(checked_output(options.start, options.end, options.output_times, options.output_count))
        , control_(order_of(stepper), smallest_step(), largest_step(), as_ode45()) {
        check_stepper();
        check_initial();
        check_constraints();
        result_.nodes_needed = nodes_for_order<State>(order_of(stepper));
        // multipliers have no derivatives to interpolate with
        if constexpr (knows_multipliers)
            result_.nodes_needed = std::max(result_.nodes_needed, static_cast<std::size_t>(order_of(stepper)) + 1);
        result_.nodes_needed = std::min(result_.nodes_needed, most_nodes - 1);
        history_.reserve(result_.nodes_needed + 2);
        scratch_ = x_;
        every_step_ = output_.empty();
        result_.t.reserve(output_.size());
        result_.reserve(output_.size());
        result_.observables.resize(options.observables.size());
        event_values_.resize(options.events.size());
    }

    [[nodiscard]] solution<State> operator()() {
        auto const began = std::chrono::steady_clock::now();
        if (!failed_.happened() && separated()) integrate();
        finish();
        result_.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        return std::move(result_);
    }

private:
    static constexpr bool knows_multipliers =
        constrained_motion<S> || requires(S const& system, work_of<S> const& work) { system.multipliers(work); };

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
        else require_positive("the step", stepper_.step);
    }
    void check_initial() {
        std::size_t const n = system_.space().size();
        if (n == 0) throw misuse("a system needs at least one coordinate, but this one has 0");
        auto const check = [n](char const* what, auto const& values) {
            require_size(what, values.size(), n);
            for (auto const& value : values) require_finite(what, static_cast<double>(value));
        };
        if constexpr (State::is_motion) {
            if constexpr (!S::space_type::is_fixed)
                if (x_.velocity.empty()) x_.velocity.resize(n);
            check("the initial position", x_.position);
            check("the initial velocity", x_.velocity);
        } else {
            check("the initial state", x_.state);
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
    /// A window as long as the run, or as the step, is no separation of scales.
    [[nodiscard]] bool separated() {
        if constexpr (requires { system_.window_length(); }) {
            double const window = system_.window_length();
            if (2 * window > options_.end - options_.start) {
                failed_ = window_covers_run(window, options_.end - options_.start);
                return false;
            }
            if constexpr (requires { system_.modes().verdict(0.); })
                if (system_.plan().checked) failed_ = system_.modes().verdict(window);
            if (failed_.happened()) return false;
            if constexpr (requires { system_.worst().verdict(0., 0.); })
                if (system_.plan().checked)
                    failed_ = system_.worst().verdict(options_.end - options_.start,
                                                      adaptive_stepper<Stepper> ? 0 : largest_step());
            if (failed_.happened()) return false;
        }
        return true;
    }

    /// Steps that are shorter than a window on average are dearer than a direct solution, and often a sign that the
    /// scales are not separated.
    void compare_with_window() {
        if constexpr (requires { system_.window_length(); }) {
            if (result_.statistics.macro_steps == 0) return;
            double const covered = static_cast<double>(clock_.now()) - options_.start;
            double const step = covered / static_cast<double>(result_.statistics.macro_steps);
            if (step < system_.window_length())
                result_.warnings.push_back(window_exceeds_step(system_.window_length(), step));
        }
    }

    // ---- the loop ----

    void integrate() {
        lower_initial_state();
        if (!remember_point() || !know_derivative()) return;
        start_events();
        double step = first_step();
        while (!done_) {
            if (!may_go_on()) return;
            if (!take_step(step)) return;
            if (!revise_point()) return;
            if (!remember_point()) return;
            ++result_.statistics.macro_steps;
            done_ = !(clock_.now() < T(options_.end));
            // the derivative at the new point belongs to the next step; after the last one it is used only if known
            if (!done_ && !know_derivative()) return;
            if (!hand_out()) return;
            if (options_.observer) options_.observer(static_cast<double>(clock_.now()), x_);
        }
    }

    void lower_initial_state() {
        if constexpr (requires { system_.lower(clock_.now(), x_, work_); })
            if (options_.given == initial_state::physical) system_.lower(clock_.now(), x_, work_);
    }
    /// A system may put the end of a step back where the slow motion is; the last point stays as it was computed.
    [[nodiscard]] bool revise_point() {
        constexpr bool settled = requires { Stepper::settles; } && requires { system_.settle(T(0), x_, x_, work_); };
        if constexpr (!settled && requires { system_.revise(clock_.now(), x_, work_); }) {
            if (!(clock_.now() < T(options_.end)) || !all_finite(x_)) return true;
            if (system_.revise(clock_.now(), x_, work_)) memory_.fresh = false;
            return !own_failure();
        }
        return true;
    }

    [[nodiscard]] bool may_go_on() {
        double const t = static_cast<double>(clock_.now());
        if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed))
            failed_ = run_interrupted(t);
        else if (result_.statistics.macro_steps >= options_.max_steps)
            failed_ = step_limit_reached(t, options_.end, result_.statistics.macro_steps);
        return !failed_.happened();
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

    /// The step to the end is neither left a rounding error short nor split for one.
    [[nodiscard]] T fitted(double step, bool& last) const {
        T const left = T(options_.end) - clock_.now();
        T const h = T(step);
        if (as_ode45()) {
            last = T(1.1) * h >= left;
            return last ? left : h;
        }
        last = left <= h * T(1 + 1e-9);
        if (!last) return h;
        T const rounding = T(64) * std::numeric_limits<T>::epsilon() * std::max(std::abs(T(options_.end)), h);
        return std::abs(left - h) <= rounding ? h : left;
    }

    [[nodiscard]] bool take_step(double& step) {
        bool last = false;
        if constexpr (self_timed<Stepper>) {
            T const reached = stepper_.advance(system_, clock_.now(), T(step), T(options_.end), x_, memory_, work_);
            if (own_failure()) return false;
            failed_ = memory_.failed;
            clock_.set(reached);
            return !failed_.happened();
        } else if constexpr (adaptive_stepper<Stepper>) {
            for (;;) {
                if (control_.too_small(step, static_cast<double>(clock_.now()))) {
                    failed_ = step_too_small(static_cast<double>(clock_.now()), step);
                    if (not_finite_) failed_ = bad_trial_.happened() ? bad_trial_ : non_finite_step(tried_, x_);
                    return false;
                }
                T const h = fitted(step, last);
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
                    move_clock(h, last);
                    return true;
                }
                ++result_.statistics.macro_rejected;
                if (!may_go_on()) return false;
            }
        } else {
            T const h = fitted(step, last);
            stepper_.advance(system_, clock_.now(), h, x_, memory_, work_);
            if (own_failure()) return false;
            move_clock(h, last);
            return true;
        }
    }
    void move_clock(T h, bool last) {
        if (last) clock_.set(T(options_.end));
        else clock_.advance(h);
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
        return state_not_finite(t, bad_component(x), "state");
    }
    [[nodiscard]] std::size_t bad_component(State const& x) const {
        std::size_t component = 0;
        if constexpr (State::is_motion) {
            component = first_non_finite(x.velocity);
            if (component == x.velocity.size()) component = first_non_finite(x.position);
        } else {
            component = first_non_finite(x.state);
        }
        return std::min(component, system_.space().size() - 1);
    }

    /// Adds the current point to the history; false when it is not finite.
    [[nodiscard]] bool remember_point() {
        if (!all_finite(x_)) {
            if (history_.empty()) { // the slow state of a start where the force is not finite
                if (failed_ = failure_inside(work_); !failed_.happened())
                    failed_ = state_not_finite(static_cast<double>(clock_.now()), bad_component(x_),
                                               "force around the start");
                return false;
            }
            failed_ = non_finite_step(clock_.now() - history_.back().t, x_);
            clock_.set(history_.back().t);
            return false;
        }
        if (history_.size() < result_.nodes_needed + 1) {
            history_.push_back({clock_.now(), x_, derivative_storage(), false});
        } else {
            for (std::size_t i = 0; i + 1 < history_.size(); ++i) std::swap(history_[i], history_[i + 1]);
            history_.back().t = clock_.now();
            history_.back().x = x_;
            history_.back().has_derivative = false;
        }
        if (memory_.fresh) return know_derivative();
        return true;
    }
    [[nodiscard]] auto derivative_storage() const {
        if constexpr (State::is_motion) return x_.position;
        else return x_.state;
    }

    /// The highest derivative at the current point, for the next step and for dense output.
    [[nodiscard]] bool know_derivative() {
        dense_node<State>& node = history_.back();
        if (node.has_derivative) return true;
        stepper_.prepare(system_, clock_.now(), x_, memory_, work_);
        if (own_failure()) return false;
        node.derivative = memory_.derivative();
        if (!all_finite(node.derivative)) {
            failed_ = state_not_finite(static_cast<double>(clock_.now()), first_non_finite(node.derivative), "force");
            return false;
        }
        node.has_derivative = true;
        if constexpr (knows_multipliers) remember_multipliers(node);
        if (options_.dense) keep(node);
        return true;
    }
    void remember_multipliers(dense_node<State>& node) {
        auto const fill = [](std::vector<double>& to, auto const& from) {
            to.resize(from.size());
            for (std::size_t j = 0; j < to.size(); ++j) to[j] = static_cast<double>(from[j]);
        };
        if constexpr (requires { memory_.multipliers(); }) fill(node.multipliers, memory_.multipliers());
        else fill(node.multipliers, system_.multipliers(work_));
        if constexpr (requires { system_.mean_multipliers(work_); }) {
            fill(node.mean_multipliers, system_.mean_multipliers(work_));
            for (std::size_t j = 0; j < node.multipliers.size(); ++j) node.mean_multipliers[j] += node.multipliers[j];
        }
    }
    void keep(dense_node<State> const& node) {
        if (result_.nodes.empty() || result_.nodes.back().t < node.t) result_.nodes.push_back(node);
        else result_.nodes.back() = node;
    }

    // ---- what the run hands out ----

    /// Events first: nothing is reported beyond a terminal one. False when the run ends here.
    [[nodiscard]] bool hand_out() {
        if (find_events()) return false;
        if (done_ || every_step_ || self_timed<Stepper>) { // which has an interpolant of its own
            emit_until(clock_.now());
        } else if (history_.size() >= result_.nodes_needed) {
            // an interpolant is best in the middle of its nodes: output waits until it is there
            std::size_t const delay = result_.nodes_needed / 2 - 1;
            emit_until(history_[history_.size() - 1 - delay].t);
        }
        return !failed_.happened();
    }

    /// The last nodes, as many as the method's order deserves; one more while the newest lacks its derivative.
    [[nodiscard]] std::span<dense_node<State> const> recent() const {
        std::size_t const wanted = result_.nodes_needed + (history_.back().has_derivative ? 0 : 1);
        std::size_t const count = std::min(wanted, history_.size());
        return std::span<dense_node<State> const>(history_).subspan(history_.size() - count, count);
    }
    void interpolate_at(T t, State& out) {
        if constexpr (self_timed<Stepper>)
            if (history_.size() > 1 && t >= history_[history_.size() - 2].t && stepper_.inside(t, out, memory_)) return;
        if constexpr (steps_over_oscillations<Stepper>) step_between(t, out);
        else if (history_.size() == 1) out = history_.back().x;
        else interpolate<State>(recent(), t, out);
    }
    /// A shorter step to t from the last point before it.
    void step_between(T t, State& out) {
        auto before = history_.rbegin();
        while (before->t > t && std::next(before) != history_.rend()) ++before;
        out = before->x;
        auto memory = stepper_.start(system_);
        stepper_.advance(system_, before->t, t - before->t, out, memory, work_);
    }

    void emit_until(T limit) {
        if (every_step_) {
            emit_nodes(limit);
            return;
        }
        for (; next_output_ < output_.size() && T(output_[next_output_]) <= limit; ++next_output_) {
            T const t = T(output_[next_output_]);
            dense_node<State> const* at_node = nullptr;
            for (auto const& node : history_)
                if (node.t == t) at_node = &node;
            if (at_node != nullptr) scratch_ = at_node->x;
            else interpolate_at(t, scratch_);
            if (at_node == nullptr) back_onto_constraints(t, scratch_);
            emit(t, scratch_);
        }
    }
    /// An interpolated state misses the constraints by the error of the interpolation; what is handed out meets them.
    void back_onto_constraints(T t, State& x) {
        if constexpr (constrained_motion<S>) {
            auto at = system_.constraints().start();
            auto room = make_newton_room(system_);
            auto const unchanged = x.position;
            if (project_position(system_, t, x.position, at, room, system_.constraint_work(work_)))
                project_velocity(system_, t, x.position, x.velocity, at, room, system_.constraint_work(work_));
            else x.position = unchanged;
        } else {
            static_cast<void>(t), static_cast<void>(x);
        }
    }
    /// With the control of ode45 its own interpolant serves the output times inside a step, at once.
    void emit_inside(T h, bool last) {
        if constexpr (requires { stepper_.between(h, h, scratch_, memory_); }) {
            if (!as_ode45() || every_step_ || !options_.events.empty()) return;
            T const from = clock_.now();
            T const to = last ? T(options_.end) : from + h;
            for (; next_output_ < output_.size() && T(output_[next_output_]) < to; ++next_output_) {
                T const t = T(output_[next_output_]);
                scratch_ = history_.back().x;
                if (t > from) stepper_.between((t - from) / h, h, scratch_, memory_);
                emit(t, scratch_);
            }
        } else {
            static_cast<void>(h), static_cast<void>(last);
        }
    }
    void emit_nodes(T limit) {
        for (auto const& node : history_)
            if (node.t <= limit && (result_.t.empty() || static_cast<double>(node.t) > result_.t.back())) {
                scratch_ = node.x;
                emit(node.t, scratch_);
            }
    }
    void emit(T t, State& x) {
        if constexpr (has_true_state<S>)
            if (options_.report == reported_state::full && !lifted(t, x)) return;
        result_.t.push_back(static_cast<double>(t));
        result_.push(x);
        if constexpr (knows_multipliers) emit_multipliers(static_cast<double>(t));
        for (std::size_t i = 0; i < options_.observables.size(); ++i)
            result_.observables[i].push_back(options_.observables[i](static_cast<double>(t), x));
    }

    /// The physical state, or a failure where the force is not finite there.
    [[nodiscard]] bool lifted(T t, State& x) {
        if constexpr (has_true_state<S>) system_.lift(t, x, work_);
        if (all_finite(x)) return true;
        if (!own_failure()) failed_ = state_not_finite(static_cast<double>(t), bad_component(x), "physical state");
        return false;
    }
    void emit_multipliers(double t) {
        std::vector<double> row;
        auto const nodes = recent();
        interpolate_rows<State>(nodes, t, &dense_node<State>::multipliers, row);
        result_.multipliers.push_back(row);
        if constexpr (requires { system_.mean_multipliers(work_); }) {
            interpolate_rows<State>(nodes, t, &dense_node<State>::mean_multipliers, row);
            result_.mean_multipliers.push_back(row);
        }
    }

    // ---- events ----

    void start_events() {
        for (std::size_t i = 0; i < event_values_.size(); ++i)
            event_values_[i] = options_.events[i].value(static_cast<double>(clock_.now()), x_);
    }
    /// Looks for sign changes in the last step, a few times inside it too; true when a terminal one ends the run.
    [[nodiscard]] bool find_events() {
        if (event_values_.empty()) return false;
        constexpr int looks = 4;
        T const from = history_[history_.size() - 2].t;
        T const to = clock_.now();
        std::vector<event_hit<State>> found;
        for (std::size_t i = 0; i < event_values_.size(); ++i) {
            T left = from;
            for (int k = 1; k <= looks; ++k) {
                T const right = k == looks ? to : from + (to - from) * T(k) / T(looks);
                double const value = event_value(i, right);
                if (crosses(i, event_values_[i], value)) found.push_back(locate(i, left, right, event_values_[i]));
                event_values_[i] = value;
                left = right;
            }
        }
        std::sort(found.begin(), found.end(), earlier{});
        for (auto& hit : found) {
            result_.events.push_back(hit);
            if (!options_.events[hit.event].terminal) continue;
            emit_until(T(hit.t));
            if (every_step_ || result_.t.empty() || result_.t.back() < hit.t) {
                scratch_ = hit.x;
                emit(T(hit.t), scratch_);
            }
            clock_.set(T(hit.t));
            failed_ = {outcome::stopped_by_event, hit.t,
                       "stopped by event " + std::to_string(hit.event + 1) + " at t = " + show(hit.t)};
            return true;
        }
        return false;
    }
    [[nodiscard]] double event_value(std::size_t i, T t) {
        if (t == clock_.now()) return options_.events[i].value(static_cast<double>(t), x_);
        interpolate_at(t, scratch_);
        return options_.events[i].value(static_cast<double>(t), scratch_);
    }
    [[nodiscard]] bool crosses(std::size_t i, double before, double after) const {
        int const direction = options_.events[i].direction;
        bool const rises = before < 0 && after >= 0;
        bool const falls = before > 0 && after <= 0;
        return (rises && direction >= 0) || (falls && direction <= 0);
    }
    /// Bisection: safe for any function, and cheap beside a macro step.
    [[nodiscard]] event_hit<State> locate(std::size_t i, T left, T right, double at_left) {
        for (int k = 0; k < 100; ++k) {
            T const middle = left + (right - left) / T(2);
            if (!(left < middle && middle < right)) break;
            double const value = event_value(i, middle);
            if ((at_left < 0) == (value < 0) && value != 0) left = middle;
            else right = middle;
        }
        event_hit<State> hit{i, static_cast<double>(right), x_};
        interpolate_at(right, hit.x);
        return hit;
    }

    // ---- the end ----

    void finish() {
        if constexpr (requires { system_.confirm(clock_.now(), x_, work_); })
            if (!failed_.happened()) {
                system_.confirm(clock_.now(), x_, work_);
                static_cast<void>(own_failure());
            }
        // a run that fails keeps what it has up to its last good point
        if (failed_.happened() && failed_.result != outcome::stopped_by_event && !history_.empty())
            emit_until(history_.back().t);
        if (options_.dense && !history_.empty() && !history_.back().has_derivative) keep(history_.back());
        compare_with_window();
        gather_warnings(work_, result_.warnings);
        result_.result = failed_.result;
        result_.message = failed_.happened() ? failed_.message : "reached t = " + show(options_.end);
        result_.end = static_cast<double>(clock_.now());
        system_.count(work_, result_.statistics);
        if constexpr (requires { memory_.count(result_.statistics); }) memory_.count(result_.statistics);
    }

    S const& system_;
    Stepper const& stepper_;
    solve_options<State> const& options_;
    work_of<S> work_;
    memory_of<Stepper, S> memory_;
    State x_;
    State scratch_;
    clock_time<T> clock_;
    std::vector<double> output_;
    std::size_t next_output_ = 0;
    bool every_step_ = false;
    bool done_ = false;
    bool not_finite_ = false;
    T tried_{};
    failure bad_trial_;
    step_control control_;
    std::vector<dense_node<State>> history_;
    std::vector<double> event_values_;
    failure failed_;
    solution<State> result_;
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
