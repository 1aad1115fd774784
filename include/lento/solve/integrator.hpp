#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/solve/control.hpp>
#include <lento/solve/options.hpp>
#include <lento/solve/run_clock.hpp>
#include <lento/solve/run_limits.hpp>
#include <lento/solve/run_progress.hpp>
#include <lento/solve/solution.hpp>
#include <lento/solve/stepping.hpp>
#include <lento/stepper/step_control.hpp>

namespace lento {

/// A run in progress. `run()` goes to the end; `while (run.advance()) ...` goes step by step; `finish()` hands over
/// what there is. What only the system and the stepper know is asked of `Stepping`: behind one table where these are
/// known at run time only, so that the loop is compiled once per kind of state, or a `stepping_of` them in C++
/// programs, where everything is one piece.
template <class Stepping> class basic_integrator : detail::run_progress<typename Stepping::state_type> {
    using base = detail::run_progress<typename Stepping::state_type>;
    using base::clock_, base::done_, base::failed_, base::history_, base::options_, base::result_, base::scratch_,
        base::x_;

public:
    using State = typename Stepping::state_type;
    using typename base::T;

    basic_integrator(std::unique_ptr<Stepping> stepping, State initial, solve_options<State> const& options)
        : base(std::move(initial), options)
        , stepping_(std::move(stepping))
        , control_(rules().error_order, rules().min_step, largest_step(), rules().control)
        , limits_(options.start, options.end, options.max_steps, options.max_evaluations) {
        detail::check_rules(rules(), options.start, options.end);
        this->check_initial(stepping_->facts.size);
        failed_ = stepping_->check_start(clock_.now(), x_, options_.project);
        this->begin_record(rules().order, stepping_->facts.multipliers, stepping_->facts.mean_multipliers);
        if (checks_rows()) this->check_rows(rules());
    }

    /// Takes one step; false when the run has ended, however it did.
    [[nodiscard]] bool advance() {
        if (!begun_ && !begin()) return false;
        if (done_ || failed_.happened() || !this->may_go_on() || !has_prospects()) return false;
        if (!take_step() || !revise_point() || !remember_point()) return false;
        ++result_.statistics.macro_steps;
        done_ = !this->before(clock_.now(), T(options_.end));
        // the derivative at the new point belongs to the next step; after the last one it is used only if known, but
        // for multipliers, which come with it
        bool const needed = (checks_rows() && this->has_rows_to_come()) ||
                            (stepping_->facts.multipliers && !(stepping_->window_length() > 0));
        if ((!done_ || needed) && !know_derivative()) return false;
        if ((growth_.due(result_.statistics.macro_steps) || done_) && !growth_is_real()) return false;
        if (looks_at_stability_ && !done_ && result_.statistics.macro_steps >= next_stability_ && !is_stable())
            return false;
        if (!this->hand_out(knows_inside())) return false;
        if (options_.observer) options_.observer(static_cast<double>(clock_.now()), x_);
        if (options_.progress) options_.progress(static_cast<double>(clock_.now()));
        return !done_;
    }
    [[nodiscard]] solution<State> run() {
        if constexpr (Stepping::steps_evenly)
            while (advance() && skip_ahead()) {}
        else
            while (advance()) {}
        return finish();
    }
    /// What the run has given, and how it ended. The run is over.
    [[nodiscard]] solution<State> finish() {
        if (begun_ && !failed_.happened()) {
            stepping_->confirm(clock_.now(), x_);
            static_cast<void>(own_failure());
        }
        if (!done_ && !failed_.happened()) failed_ = detail::run_ended_early(static_cast<double>(clock_.now()));
        this->hand_out_rest();
        if (double const window = stepping_->window_length(); window > 0) this->compare_with_window(window);
        stepping_->gather(result_.warnings);
        stepping_->count(result_.statistics);
        clock_of_run_.read(result_.statistics);
        return this->take_result();
    }

    /// The run so far as numbers, from which another of the same system, stepper and options goes on to the same bits;
    /// it hands out what comes after. None where a foreign code cannot say what it remembers: start such a run anew.
    [[nodiscard, gnu::cold]] std::optional<std::vector<double>> write() const {
        archive made;
        made.write(head());
        if (!begun_ || !stepping_->write(made)) return std::nullopt;
        made.write(*this);
        return made.numbers();
    }
    /// Goes on from there. Throws misuse where the numbers are not those of such a run; this one is then of no use.
    [[gnu::cold]] void resume(std::vector<double> const& numbers) {
        archive from(numbers);
        std::vector<double> written;
        from.read(written);
        if (written != head()) throw misuse(not_of_this_run);
        stepping_->read(from);
        from.read(*this);
        bool const has_rows = this->next_output_ <= this->output_.size();
        if (!from.at_end() || !history_.is_sound() || !has_rows) throw misuse(not_of_this_run);
    }
    template <class Self> static auto members(Self& self) {
        std::conditional_t<std::is_const_v<Self>, base const, base>& recorded = self;
        return std::tuple_cat(base::members(recorded),
                              std::tie(self.control_, self.limits_, self.growth_, self.begun_,
                                       self.looks_at_every_step_, self.looks_at_stability_, self.next_stability_,
                                       self.step_, self.not_finite_, self.jump_, self.longest_lately_,
                                       self.last_rejected_, self.tried_, self.bad_trial_));
    }

    [[nodiscard]] T time() const { return clock_.now(); }
    [[nodiscard]] State const& state() const { return x_; }
    [[nodiscard]] Stepping const& stepper() const { return *stepping_; }

private:
    static constexpr char const* not_of_this_run =
        "these numbers are not of a run of this system with this stepper and these options";

    [[nodiscard]] step_rules const& rules() const { return stepping_->rules; }
    /// Whether the stepper itself knows what is inside its last step.
    [[nodiscard]] bool knows_inside() const {
        return rules().chooses_steps || rules().steps_over_oscillations ||
               (rules().has_dense_output && !stepping_->facts.revises);
    }
    /// Not where a system moves the points that it evaluates, or has more to interpolate than its state.
    [[nodiscard]] bool checks_rows() const {
        auto const& facts = stepping_->facts;
        return rules().checks_rows && !facts.revises && !facts.moves_points && !facts.multipliers;
    }
    [[nodiscard]] bool as_ode45() const { return rules().control == control_rule::ode45; }
    /// What a run and one that goes on from it have in common.
    [[nodiscard, gnu::cold]] std::vector<double> head() const {
        return {static_cast<double>(stepping_->facts.size),
                static_cast<double>(rules().order),
                rules().step,
                rules().rtol,
                rules().atol,
                options_.start,
                options_.end,
                static_cast<double>(this->output_.size())};
    }

    // ---- checks ----

    [[nodiscard]] double largest_step() const {
        if (!rules().adaptive) return rules().step;
        return as_ode45() ? std::min(rules().max_step, 0.1 * this->span()) : rules().max_step;
    }
    /// A window as long as the run, or as the step, is no separation of scales.
    [[nodiscard, gnu::cold]] bool separated() {
        double const window = stepping_->window_length();
        if (2 * window > this->span()) failed_ = detail::window_covers_run(window, this->span());
        if (!failed_.happened()) failed_ = stepping_->verdict(this->span(), rules().adaptive ? 0 : rules().step);
        return !failed_.happened();
    }

    // ---- the loop ----

    [[nodiscard, gnu::cold]] bool begin() {
        begun_ = true;
        if (failed_.happened()) return false;
        stepping_->begin(clock_.now(), x_);
        if (own_failure() || !separated()) return false;
        if (options_.given == initial_state::physical) stepping_->lower(clock_.now(), x_);
        if (!remember_point() || !know_derivative()) return false;
        this->start_events();
        step_ = first_step();
        growth_.take(clock_.now(), x_);
        if (rules().adaptive && detail::is_below_rounding(rules(), static_cast<double>(growth_.size(x_))))
            result_.warnings.push_back(detail::below_rounding(options_.start, rules().rtol, rules().atol));
        auto const& facts = stepping_->facts;
        looks_at_stability_ = rules().limited_by_stability && !facts.revises && !facts.moves_points &&
                              !facts.constrained && stepping_->window_length() == 0;
        return !looks_at_stability_ || is_stable();
    }
    /// Looks whether the scheme is stable here, at the start and after 64, 128, 256 ... steps.
    [[nodiscard, gnu::cold]] bool is_stable() {
        std::uint64_t const steps = result_.statistics.macro_steps;
        next_stability_ = std::max<std::uint64_t>(64, 2 * steps);
        double const left = std::abs(options_.end - static_cast<double>(clock_.now()));
        failed_ = stepping_->check_stability(clock_.now(), this->along(T(step_)), x_, left);
        return !failed_.happened();
    }
    /// Where a solution has grown a thousandfold, the last steps are held against shorter ones: false where it was the
    /// steps that made it grow.
    [[nodiscard, gnu::cold]] bool growth_is_real() {
        auto const& facts = stepping_->facts;
        if (!growth_.notices(result_.statistics.macro_steps, clock_.now(), x_)) return true;
        if (facts.revises || facts.moves_points || facts.constrained) return true;
        auto const nodes = history_.last(rules().adaptive ? history_.size() : this->adjacent_nodes(step_));
        T const now = clock_.now();
        T const time = std::abs(now - nodes.front().t);
        // how much larger the motion after these steps will be than it would be without them
        auto const factor = [&](int per_step) {
            int const steps = per_step * static_cast<int>(nodes.size() - 1);
            T const later = now + 2 * (now - nodes.front().t);
            scratch_ = nodes.front().x;
            static_cast<void>(stepping_->follow(nodes.front().t, now, steps, scratch_));
            T const without = stepping_->follow(now, later, 2 * steps, scratch_);
            scratch_ = x_;
            return stepping_->follow(now, later, 2 * steps, scratch_) / without;
        };
        constexpr int few = 8, many = 64; // shorter steps for each; many only where few say so
        bool const made = nodes.size() > 1 && growth_.is_made_by_steps(factor(few), time, now, x_) &&
                          growth_.is_made_by_steps(factor(many), time, now, x_);
        if (made) failed_ = detail::grown_by_errors(static_cast<double>(now), growth_.since(), growth_.factor(x_));
        growth_.take(now, x_);
        return !failed_.happened();
    }
    [[nodiscard]] double first_step() {
        if (!rules().adaptive) return rules().step;
        if (rules().first_step > 0) return control_.limited(rules().first_step);
        double const threshold = rules().atol / (rules().rtol > 0 ? rules().rtol : 1);
        double rate = 0;
        if constexpr (State::is_motion)
            rate = std::max(detail::relative_rate(x_.position, x_.velocity, threshold),
                            detail::relative_rate(x_.velocity, *stepping_->derivative, threshold));
        else rate = detail::relative_rate(x_.state, *stepping_->derivative, threshold);
        return control_.first(rate, rules().rtol, this->span(), options_.start);
    }

    /// Far from an output nobody looks at a step: many are taken in one call, and only the last few before an output
    /// are remembered. A copy of where they began stays behind; where something goes wrong on the way the run goes back
    /// to it and looks at every step. False when the run has ended.
    [[nodiscard]] bool skip_ahead() {
        constexpr std::uint64_t fewest = 64, most = 16384; // the copy must cost little, and a run be stopped soon
        std::uint64_t const steps =
            std::min({unseen_steps(), most / stepping_->facts.size, limits_.unseen(result_.statistics.macro_steps)});
        if (steps < fewest || !stepping_->keep()) return true;
        auto const clock = clock_;
        scratch_ = x_;
        if (stepping_->advance_unseen(clock_, this->along(T(step_)), steps, x_) && all_finite(x_)) {
            result_.statistics.macro_steps += steps;
            if (options_.progress) options_.progress(static_cast<double>(clock_.now()));
            return remember_point() && know_derivative();
        }
        looks_at_every_step_ = true;
        stepping_->go_back();
        x_ = scratch_;
        clock_ = clock;
        return true;
    }
    /// How many equal steps come before the first that dense output or an output needs.
    [[nodiscard]] std::uint64_t unseen_steps() const {
        if (looks_at_every_step_ || rules().adaptive || stepping_->facts.revises || options_.dense ||
            this->every_step_ || options_.observer || !options_.events.empty())
            return 0;
        bool const more = this->next_output_ < this->output_.size();
        double const next = more ? this->output_[this->next_output_] : options_.end;
        double const free =
            std::abs(next - static_cast<double>(clock_.now())) / step_ - static_cast<double>(result_.nodes_needed + 4);
        std::uint64_t const steps = result_.statistics.macro_steps;
        std::uint64_t allowed = options_.max_steps - steps;
        if (looks_at_stability_) allowed = std::min(allowed, next_stability_ - std::min(next_stability_, steps + 1));
        return free >= 1 ? std::min(static_cast<std::uint64_t>(std::min(free, 1e18)), allowed) : 0;
    }

    [[nodiscard]] bool take_step() {
        if constexpr (Stepping::steps_freely)
            if (rules().chooses_steps) return take_free_step();
        if constexpr (Stepping::attempts)
            if (rules().adaptive) return take_adaptive_step();
        if constexpr (Stepping::steps_evenly) return take_even_step();
        else return false;
    }
    [[nodiscard]] bool take_free_step() {
        T const reached = stepping_->advance_freely(clock_.now(), T(step_), T(options_.end), x_);
        if (own_failure()) return false;
        clock_.set(reached);
        return true;
    }
    [[nodiscard]] bool take_even_step() {
        bool last = false;
        T const h = this->fitted(step_, false, last);
        if (!stepping_->advance(clock_.now(), h, x_) && own_failure()) return false;
        this->move_clock(h, last);
        return true;
    }
    [[nodiscard]] bool take_adaptive_step() {
        for (bool rejected = false;; rejected = true) {
            if (control_.too_small(step_, static_cast<double>(clock_.now()))) {
                blame_step();
                return false;
            }
            bool last = false;
            T const h = this->fitted(step_, as_ode45(), last);
            if (control_.wants_rounding()) look_at_rounding(h);
            double const error = stepping_->attempt(clock_.now(), h, x_) / control_.floor();
            if (own_failure() && !forgive_trial()) return false;
            bool const accepted = error <= 1;
            not_finite_ = !std::isfinite(error);
            tried_ = h;
            double const tried = std::abs(static_cast<double>(h));
            double const proposed = control_.next(tried, error, accepted);
            // a step cut short by the end says nothing against the longer one
            step_ = accepted && tried < step_ && !as_ode45() ? std::max(proposed, step_) : proposed;
            if (accepted) {
                if (jump_.step > 0) look_after_jump(tried);
                longest_lately_ = std::max(tried, 0.7 * longest_lately_);
                stepping_->accept(x_);
                if (as_ode45()) emit_inside(h, last);
                this->move_clock(h, last);
                return true;
            }
            ++result_.statistics.macro_rejected;
            if (rejected) look_for_jump(tried, error);
            last_rejected_ = {tried, error};
            if (!this->may_go_on()) return false;
        }
    }

    /// Where a force jumps or has a kink, the error of a shorter trial is smaller by the first or second power of its
    /// length, not by a high one. Several such trials raise a suspicion.
    [[gnu::cold]] void look_for_jump(double tried, double error) {
        constexpr std::uint64_t start = 8, apart = 10; // the first steps are guesses
        constexpr int several = 4;
        std::uint64_t const steps = result_.statistics.macro_steps;
        double const ratio = tried / last_rejected_[0];
        if (jump_.told || steps < start || !(error > last_rejected_[1] * ratio * ratio * ratio)) return;
        if (steps > jump_.steps + apart) jump_.rough_trials = 0;
        jump_.steps = steps;
        if (++jump_.rough_trials != several) return;
        jump_.t = static_cast<double>(clock_.now());
        jump_.step = jump_.cut_to = longest_lately_;
    }
    /// It is told, once, if steps soon are as long again as they were.
    [[gnu::cold]] void look_after_jump(double tried) {
        constexpr double far_shorter = 20;
        if (tried < jump_.cut_to) {
            jump_.cut_to = tried;
            jump_.t = static_cast<double>(clock_.now());
        } else if (tried > jump_.step / 4) {
            bool const told = jump_.step > far_shorter * jump_.cut_to;
            if (told) result_.warnings.push_back(detail::force_jumps(jump_.t, jump_.step / jump_.cut_to));
            jump_ = {.told = told};
        }
    }
    /// Why no step is short enough.
    [[gnu::cold]] void blame_step() {
        failed_ = detail::step_too_small(static_cast<double>(clock_.now()), step_);
        if (not_finite_) {
            failed_ = bad_trial_.happened() ? bad_trial_ : non_finite_step(tried_, x_);
        } else if (step_ < std::numeric_limits<double>::min()) {
            auto const size = static_cast<double>(
                std::max(growth_.size(x_), T(max_norm(*stepping_->derivative)))); // the force, or the state itself
            failed_ = detail::state_too_large(static_cast<double>(clock_.now()), size);
        }
    }

    /// Below rounding a tolerance would only make steps short: the run goes on with errors as small as they can be.
    [[gnu::cold]] void look_at_rounding(T h) {
        bool const told = control_.floor() > 1 || std::ranges::any_of(result_.warnings, [](auto const& each) {
                              return each.code == "round_off";
                          });
        control_.note_rounding(stepping_->rounding(clock_.now(), h, x_));
        if (stepping_->failed() != nullptr) stepping_->forgive(); // it was a look; the step itself will tell
        if (!told && control_.floor() > 1)
            result_.warnings.push_back(
                detail::below_rounding(static_cast<double>(clock_.now()), rules().rtol, rules().atol));
    }
    /// Whether the limits let the run reach its end.
    [[nodiscard]] bool has_prospects() {
        std::uint64_t const steps = result_.statistics.macro_steps + result_.statistics.macro_rejected;
        if (!limits_.due(steps)) return true;
        statistics now;
        stepping_->count(now);
        failed_ = limits_.look(static_cast<double>(clock_.now()), steps, now.force_evaluations);
        return !failed_.happened();
    }

    // ---- points ----

    /// A system may put the end of a step back where the slow motion is; the last point stays as it was computed.
    [[nodiscard]] bool revise_point() {
        if (!stepping_->facts.revises || (rules().settles && stepping_->facts.moves_points)) return true;
        if (!this->before(clock_.now(), T(options_.end)) || !all_finite(x_)) return true;
        if (stepping_->revise(clock_.now(), x_)) stepping_->leave();
        return !own_failure();
    }
    /// Adds the current point to the history; false when it is not finite.
    [[nodiscard]] bool remember_point() {
        if (!all_finite(x_)) {
            blame_point();
            return false;
        }
        this->add_node();
        return !stepping_->fresh || know_derivative();
    }
    /// The highest derivative at the current point, for the next step and for dense output.
    [[nodiscard]] bool know_derivative() {
        auto& node = history_.back();
        if (node.has_derivative) return true;
        if (!stepping_->fresh && !stepping_->prepare(clock_.now(), x_) && own_failure()) return false;
        if (!this->take_derivative(*stepping_->derivative)) return false;
        if (stepping_->facts.multipliers) stepping_->multipliers(node.multipliers, node.mean_multipliers);
        if (options_.dense) this->keep_node();
        return true;
    }

    // ---- failures ----

    /// A failure that the system itself reports: it knows more than a NaN tells.
    [[nodiscard]] bool own_failure() {
        if (auto const* own = stepping_->failed()) failed_ = *own;
        return failed_.happened();
    }
    /// A trial that met a force that is not finite says nothing yet: a shorter one may stay inside. True when forgiven.
    [[nodiscard, gnu::cold]] bool forgive_trial() {
        if (!stepping_->facts.can_fail || failed_.result != outcome::non_finite) return false;
        bad_trial_ = std::exchange(failed_, {});
        stepping_->forgive();
        return true;
    }
    /// Names what made a step of length h from the last point not finite: an evaluation, or else the state itself has
    /// escaped, and x tells where.
    [[nodiscard, gnu::cold]] failure non_finite_step(T h, State const& x) {
        auto const& from = history_.back();
        if (failure found = stepping_->bad_evaluation(from.t, h, from.x); found.happened()) return found;
        return detail::state_not_finite(static_cast<double>(from.t + h), base::bad_component(x), "state");
    }
    [[gnu::cold]] void blame_point() {
        if (history_.empty()) { // the slow state of a start where the force is not finite
            if (failed_ = stepping_->failed_inside(); !failed_.happened())
                failed_ = detail::state_not_finite(static_cast<double>(clock_.now()), base::bad_component(x_),
                                                   "force around the start");
        } else {
            failed_ = non_finite_step(clock_.now() - history_.back().t, x_);
            clock_.set(history_.back().t);
        }
    }

    // ---- what the record asks ----

    [[nodiscard]] bool inside(T t, State& out) override {
        return stepping_->inside(history_[history_.size() - 2], history_.back(), t, out);
    }
    [[nodiscard]] bool step_aside(dense_node<State> const& from, T h, dense_node<State>& to, bool derivative) override {
        return stepping_->step_aside(from, h, to, derivative);
    }
    void back_onto_constraints(T t, State& x) override { stepping_->back_onto_constraints(t, x); }
    [[nodiscard]] bool lifted(T t, State& x) override {
        if (!stepping_->facts.lifts) return true;
        stepping_->lift(t, x);
        if (all_finite(x)) return true;
        if (!own_failure())
            failed_ = detail::state_not_finite(static_cast<double>(t), base::bad_component(x), "physical state");
        return false;
    }
    /// With the control of ode45 its own interpolant serves the output times inside a step, at once.
    void emit_inside(T h, bool last) {
        if (this->every_step_ || !options_.events.empty()) return;
        T const from = clock_.now();
        T const to = last ? T(options_.end) : from + h;
        auto& next = this->next_output_;
        for (; next < this->output_.size() && this->before(T(this->output_[next]), to); ++next) {
            T const t = T(this->output_[next]);
            scratch_ = history_.back().x;
            if (this->before(from, t) && !stepping_->between((t - from) / h, h, scratch_)) return;
            this->emit(t, scratch_, false);
        }
    }

    std::unique_ptr<Stepping> stepping_;
    step_control control_;
    detail::run_limits limits_;
    detail::growth_watch<State> growth_;
    bool begun_ = false;
    bool looks_at_stability_ = false;
    std::uint64_t next_stability_ = 0;
    bool looks_at_every_step_ = false;
    double step_ = 0; ///< the next one, without its sign
    bool not_finite_ = false;
    struct jump {
        double t = 0;
        double step = 0;   ///< before it; 0: there is no suspicion
        double cut_to = 0; ///< the shortest one since
        std::uint64_t steps = 0;
        int rough_trials = 0;
        bool told = false;
        static auto members(auto& self) {
            return std::tie(self.t, self.step, self.cut_to, self.steps, self.rough_trials, self.told);
        }
    };
    jump jump_;
    double longest_lately_ = 0;             ///< of the last steps
    std::array<double, 2> last_rejected_{}; ///< its length and error
    T tried_{};
    failure bad_trial_;
    detail::run_clock clock_of_run_;
};

/// A run of a system by a stepper: `integrator run(system, verlet{.step = 0.01}, {.position = {0.5}}, {.end = 1})`.
template <system_like S, class Stepper> class integrator : public basic_integrator<stepping_of<S, Stepper>> {
public:
    integrator(S system, Stepper stepper, std::type_identity_t<state_of<S>> initial,
               std::type_identity_t<solve_options<state_of<S>>> const& options)
        : basic_integrator<stepping_of<S, Stepper>>(
              std::make_unique<stepping_of<S, Stepper>>(std::move(system), std::move(stepper)), std::move(initial),
              options) {}
};

} // namespace lento
