#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/archive.hpp>
#include <lento/solve/control.hpp>
#include <lento/solve/hooks.hpp>
#include <lento/solve/interpolation.hpp>
#include <lento/solve/stability.hpp>
#include <lento/solve/witness.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/step_control.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/newton.hpp>

namespace lento {

template <class Stepper> [[nodiscard]] step_rules rules_of(Stepper const& stepper) {
    step_rules made;
    made.order = order_of(stepper);
    made.error_order = made.order;
    made.adaptive = adaptive_stepper<Stepper>;
    made.chooses_steps = self_timed<Stepper>;
    made.steps_over_oscillations = steps_over_oscillations<Stepper>;
    made.has_dense_output = has_dense_output<Stepper>;
    made.checks_rows = checks_rows<Stepper>;
    made.limited_by_stability = limited_by_stability<Stepper>;
    made.settles = requires { Stepper::settles; };
    if constexpr (requires { Stepper::error_order; }) made.error_order = Stepper::error_order;
    if constexpr (requires { stepper.control; }) made.control = rule_of(stepper.control);
    if constexpr (adaptive_stepper<Stepper>) {
        made.rtol = stepper.rtol;
        made.atol = stepper.atol;
        made.first_step = stepper.first_step.value_or(0);
        made.min_step = stepper.min_step;
        made.max_step = stepper.max_step.value_or(made.max_step);
    } else {
        made.step = stepper.step;
    }
    return made;
}

/// A stepper at work on a system: the pair, the stepper's memory and the system's work. This is what the time loop
/// drives, so that the loop is compiled once per kind of state and a step once per pair.
template <class State> class stepping {
public:
    using state_type = State;
    using vector = typename State::vector;
    using T = typename vector::value_type;

    // which kinds of steps it may take; a pair of known types says more, and the loop around it compiles no others
    static constexpr bool steps_freely = true;
    static constexpr bool steps_evenly = true;
    static constexpr bool attempts = true;

    stepping() = default;
    stepping(stepping const&) = delete;
    stepping& operator=(stepping const&) = delete;
    virtual ~stepping() = default;

    step_rules rules;
    system_facts facts;
    bool fresh = false;                 ///< the highest derivative at the current point is known
    vector const* derivative = nullptr; ///< there, in the stepper's memory

    // ---- steps; false where something failed ----

    /// Finds the derivative at the current point.
    [[nodiscard]] virtual bool prepare(T t, State const& x) = 0;
    [[nodiscard]] virtual bool advance(T t, T h, State& x) = 0;
    /// Equal steps that nobody looks at.
    [[nodiscard]] virtual bool advance_unseen(clock_time<T>& clock, T h, std::uint64_t steps, State& x) = 0;
    /// Tries a step and returns its error, measured in the tolerance; `accept` takes it.
    [[nodiscard]] virtual double attempt(T t, T h, State const& x) = 0;
    virtual void accept(State& x) = 0;
    /// The error of a step that rounding alone makes, measured in the tolerance; 0 where the stepper does not know.
    [[nodiscard]] virtual double rounding(T t, T h, State const& x) = 0;
    /// A step of the stepper's own choice, at most to the limit; returns where it ends.
    [[nodiscard]] virtual T advance_freely(T t, T guess, T limit, State& x) = 0;
    virtual void leave() = 0; ///< the point was moved from outside

    // ---- between the ends of steps; false where the stepper does not know ----

    /// Inside the last step, by the stepper's own interpolant or by a shorter step from its start.
    [[nodiscard]] virtual bool inside(dense_node<State> const& from, dense_node<State> const& to, T t, State& out) = 0;
    /// A step of another length from the end of an earlier one, for a look only; with the derivative at its end or not.
    [[nodiscard]] virtual bool step_aside(dense_node<State> const& from, T h, dense_node<State>& to,
                                          bool derivative) = 0;
    /// At a share of the step that was just accepted.
    [[nodiscard]] virtual bool between(T share, T h, State& out) = 0;
    /// The evaluation that makes a step not finite, found by taking it once more.
    [[nodiscard]] virtual failure bad_evaluation(T t, T h, State const& from) = 0;

    // ---- stability ----

    /// A failure where steps of this length over a span would make the fastest motion near a point grow: with schemes
    /// that have to be looked after.
    [[nodiscard]] virtual failure check_stability(T t, T h, State const& x, double span) = 0;
    /// Goes from a state to a later time by short steps of a method that is stable, and gives the largest position on
    /// the way; NaN where that cannot be.
    [[nodiscard]] virtual T follow(T from, T to, int steps, State& x) = 0;

    // ---- what the system brings ----

    /// The start must lie on the constraints, or be put there.
    [[nodiscard]] virtual failure check_start(T t, State& x, bool project) = 0;
    virtual void begin(T t, State const& x) = 0;
    virtual void lower(T t, State& x) = 0;
    virtual void lift(T t, State& x) = 0;
    [[nodiscard]] virtual bool revise(T t, State& x) = 0;
    virtual void confirm(T t, State const& x) = 0;
    virtual void back_onto_constraints(T t, State& x) = 0;
    [[nodiscard]] virtual double window_length() const = 0; ///< 0 where there is no window
    [[nodiscard]] virtual failure verdict(double span, double step) const = 0;
    virtual void multipliers(std::vector<double>& own, std::vector<double>& mean) const = 0;

    // ---- failures, counts ----

    [[nodiscard]] virtual failure const* failed() const = 0; ///< null: all is well
    [[nodiscard]] virtual failure failed_inside() const = 0; ///< on the innermost level that did
    virtual void forgive() = 0;
    virtual void count(statistics& counts) const = 0;
    virtual void gather(std::vector<warning>& warnings) const = 0;

    // ---- going back ----

    /// Keeps a copy of memory and work, counts included; false where they cannot be copied.
    [[nodiscard]] virtual bool keep() = 0;
    virtual void go_back() = 0; ///< to what was kept

    // ---- going on elsewhere ----

    /// Writes memory and work down, to be read by a stepping of the same maker; false where that cannot be: a foreign
    /// code begins anew.
    [[nodiscard]] virtual bool write(archive& to) const = 0;
    virtual void read(archive& from) = 0;
};

/// A work as numbers, where it can be; one that is known at run time only answers itself.
template <class Work> [[nodiscard]] bool write_work(Work const& work, archive& to) {
    if constexpr (storable<Work>) to.write(work);
    return storable<Work>;
}
template <class Work> void read_work(Work& work, archive& from) {
    if constexpr (storable<Work>) from.read(work);
    else static_cast<void>(work), static_cast<void>(from);
}

/// The half of a pair that knows nothing of its stepper: what the system brings, asked for by `requires` once per kind
/// of system. What is called once per run, or where something fails, is [[gnu::cold]] here and below: compiled for
/// size.
template <system_like S> class system_at_work : public stepping<state_of<S>> {
protected:
    using base = stepping<state_of<S>>;
    using State = state_of<S>;
    using Work = work_of<S>;
    using typename base::T;

    [[gnu::cold]] explicit system_at_work(S system) : system_(std::move(system)), work_(std::in_place, system_.work()) {
        this->facts = facts_of(system_);
    }
    [[gnu::cold]] ~system_at_work() override = default;

public:
    [[nodiscard]] S const& system() const { return system_; }
    [[nodiscard]] Work const& work() const { return *work_; }

    [[nodiscard, gnu::cold]] failure check_start(T t, State& x, bool project) override {
        if constexpr (constrained_motion<S>) {
            auto at = system_.constraints().start();
            auto room = make_newton_room(system_);
            return on_constraints(system_, t, x, project, at, room, system_.constraint_work(*work_));
        } else {
            return static_cast<void>(t), static_cast<void>(x), static_cast<void>(project), failure{};
        }
    }
    void begin(T t, State const& x) override {
        if constexpr (detail::begins<S>) system_.begin(t, x, *work_);
        else static_cast<void>(t), static_cast<void>(x);
    }
    void lower(T t, State& x) override {
        if constexpr (detail::lowers<S>) system_.lower(t, x, *work_);
        else static_cast<void>(t), static_cast<void>(x);
    }
    void lift(T t, State& x) override {
        if constexpr (has_true_state<S>) system_.lift(t, x, *work_);
        else static_cast<void>(t), static_cast<void>(x);
    }
    [[nodiscard]] bool revise(T t, State& x) override {
        if constexpr (detail::revises<S>) return system_.revise(t, x, *work_);
        else return static_cast<void>(t), static_cast<void>(x), false;
    }
    void confirm(T t, State const& x) override {
        if constexpr (detail::confirms<S>) system_.confirm(t, x, *work_);
        else static_cast<void>(t), static_cast<void>(x);
    }
    [[gnu::cold]] void back_onto_constraints(T t, State& x) override {
        if constexpr (constrained_motion<S>) {
            auto at = system_.constraints().start();
            auto room = make_newton_room(system_);
            auto const unchanged = x.position;
            if (project_position(system_, t, x.position, at, room, system_.constraint_work(*work_)))
                project_velocity(system_, t, x.position, x.velocity, at, room, system_.constraint_work(*work_));
            else x.position = unchanged;
        } else {
            static_cast<void>(t), static_cast<void>(x);
        }
    }
    [[nodiscard]] double window_length() const override {
        if constexpr (detail::plans_windows<S>) return system_.window_length(*work_);
        else if constexpr (detail::windowed<S>) return system_.window_length();
        else return 0;
    }
    [[nodiscard, gnu::cold]] failure verdict(double span, double step) const override {
        static_cast<void>(span), static_cast<void>(step);
        if constexpr (detail::judges<S>) return system_.verdict(span, step, *work_);
        else return {};
    }
    [[gnu::cold]] void multipliers(std::vector<double>& own, std::vector<double>& mean) const override {
        if constexpr (requires { system_.multipliers(*work_); }) fill(own, system_.multipliers(*work_));
        add_means(own, mean);
    }

    [[nodiscard, gnu::cold]] T follow(T from, T to, int steps, State& x) override {
        T largest(0);
        if constexpr (differential<S>) {
            auto memory = detail::rk_start<rk4_method::stages>(system_);
            T const h = (to - from) / T(steps);
            for (int k = 0; k < steps; ++k) {
                detail::rk_step(rk4_method::table<T>(), system_, from + T(k) * h, h, x, memory, *work_);
                std::swap(x, memory.point);
                memory.fresh = false;
                largest = std::max(largest, detail::growth_watch<State>::size(x));
            }
            if (system_failed() == nullptr && all_finite(x)) return largest;
            forgive();
        } else {
            static_cast<void>(from), static_cast<void>(to), static_cast<void>(steps), static_cast<void>(x);
        }
        return std::numeric_limits<T>::quiet_NaN();
    }

    [[nodiscard, gnu::cold]] failure failed_inside() const override { return failure_inside(*work_); }
    [[gnu::cold]] void forgive() override {
        using lento::forgive;
        forgive(*work_);
    }
    [[gnu::cold]] void gather(std::vector<warning>& warnings) const override { gather_warnings(*work_, warnings); }

protected:
    /// The system knows more than a NaN tells, its constraints more than the system.
    [[nodiscard]] failure const* system_failed() const {
        if constexpr (constrained_motion<S>)
            if (auto const& own = system_.constraint_work(const_work()).failed; own.happened()) return &own;
        if constexpr (can_fail<Work>)
            if (work_->failed.happened()) return &work_->failed;
        return nullptr;
    }
    /// What a window adds to the loads in the mean.
    void add_means(std::vector<double> const& own, std::vector<double>& mean) const {
        static_cast<void>(own), static_cast<void>(mean);
        if constexpr (requires { system_.mean_multipliers(*work_); })
            if (this->facts.mean_multipliers) {
                fill(mean, system_.mean_multipliers(*work_));
                for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += own[j];
            }
    }
    static void fill(std::vector<double>& to, auto const& from) {
        to.resize(from.size());
        for (std::size_t j = 0; j < to.size(); ++j) to[j] = static_cast<double>(from[j]);
    }

    S system_;
    std::optional<Work> work_;

private:
    /// A system gives its constraints' part of a work that may be changed; here it is only read.
    [[nodiscard]] Work& const_work() const { return const_cast<Work&>(*work_); }
};

/// The only implementation: all that is asked of a stepper and of a pair by `requires` is asked here.
template <system_like S, class Stepper> class stepping_of final : public system_at_work<S> {
    using base = system_at_work<S>;
    using base::system_, base::work_;
    using typename base::State, typename base::T, typename base::Work;
    using Memory = memory_of<Stepper, S>;
    static constexpr bool can_be_kept = std::is_copy_constructible_v<Work> && std::is_copy_assignable_v<Memory>;

public:
    static constexpr bool steps_freely = self_timed<Stepper>;
    static constexpr bool attempts = adaptive_stepper<Stepper> && !self_timed<Stepper>;
    static constexpr bool steps_evenly = !adaptive_stepper<Stepper>;

    [[gnu::cold]] stepping_of(S system, Stepper stepper)
        : base(std::move(system)), stepper_(std::move(stepper)), memory_(stepper_.start(system_)) {
        if constexpr (requires { stepper_.compensate(memory_); }) stepper_.compensate(memory_);
        this->rules = rules_of(stepper_);
        this->derivative = &memory_.derivative();
        if constexpr (limited_by_stability<Stepper>) direction_ = memory_.derivative();
    }
    [[gnu::cold]] ~stepping_of() override = default;

    [[nodiscard]] bool prepare(T t, State const& x) override {
        stepper_.prepare(system_, t, x, memory_, *work_);
        return arrive();
    }
    [[nodiscard]] bool advance(T t, T h, State& x) override {
        if constexpr (steps_evenly) stepper_.advance(system_, t, h, x, memory_, *work_);
        else static_cast<void>(t), static_cast<void>(h), static_cast<void>(x);
        return arrive();
    }
    [[nodiscard]] bool advance_unseen(clock_time<T>& clock, T h, std::uint64_t steps, State& x) override {
        if constexpr (steps_evenly)
            for (std::uint64_t k = 0; k < steps && fine(); ++k) {
                stepper_.advance(system_, clock.now(), h, x, memory_, *work_);
                clock.advance(h);
            }
        else static_cast<void>(clock), static_cast<void>(h), static_cast<void>(steps), static_cast<void>(x);
        return arrive();
    }
    [[nodiscard]] double attempt(T t, T h, State const& x) override {
        if constexpr (attempts) return stepper_.attempt(system_, t, h, x, memory_, *work_);
        else return static_cast<void>(t), static_cast<void>(h), static_cast<void>(x), 0;
    }
    void accept(State& x) override {
        if constexpr (attempts) stepper_.accept(system_, x, memory_);
        else static_cast<void>(x);
        this->fresh = memory_.fresh;
    }
    [[nodiscard]] double rounding(T t, T h, State const& x) override {
        if constexpr (requires { stepper_.rounding(system_, t, h, x, memory_, *work_); })
            return stepper_.rounding(system_, t, h, x, memory_, *work_);
        else return static_cast<void>(t), static_cast<void>(h), static_cast<void>(x), 0;
    }
    [[nodiscard]] T advance_freely(T t, T guess, T limit, State& x) override {
        T reached = t;
        if constexpr (self_timed<Stepper>) reached = stepper_.advance(system_, t, guess, limit, x, memory_, *work_);
        else static_cast<void>(guess), static_cast<void>(limit), static_cast<void>(x);
        this->fresh = memory_.fresh;
        return reached;
    }
    void leave() override { this->fresh = memory_.fresh = false; }

    [[nodiscard]] bool inside(dense_node<State> const& from, dense_node<State> const& to, T t, State& out) override {
        static_cast<void>(from), static_cast<void>(to), static_cast<void>(t), static_cast<void>(out);
        if constexpr (self_timed<Stepper>) {
            return stepper_.inside(t, out, memory_);
        } else if constexpr (has_dense_output<Stepper>) {
            if (this->facts.revises) return false; // the step did not end where the next one begins
            stepper_.inside(system_, to.t, to.x, t, out, memory_, *work_);
            this->fresh = memory_.fresh;
            if (fine()) return true;
            this->forgive();
            return false;
        } else if constexpr (steps_over_oscillations<Stepper>) {
            out = from.x;
            auto memory = stepper_.start(system_);
            stepper_.advance(system_, from.t, t - from.t, out, memory, *work_);
            return true;
        } else {
            return false;
        }
    }
    /// By the functions of the run itself, with another memory in place of the run's.
    [[nodiscard, gnu::cold]] bool step_aside(dense_node<State> const& from, T h, dense_node<State>& to,
                                             bool derivative) override {
        static_cast<void>(from), static_cast<void>(h), static_cast<void>(to), static_cast<void>(derivative);
        if constexpr (checks_rows<Stepper>) {
            if (!aside_) aside_.emplace(stepper_.start(system_));
            if constexpr (requires { stepper_.begin_at(from.derivative, *aside_); })
                stepper_.begin_at(from.derivative, *aside_);
            else aside_->fresh = false;
            copy_state(to.x, from.x);
            to.t = from.t + h;
            to.has_derivative = derivative;
            bool const was_fresh = this->fresh;
            std::swap(memory_, *aside_);
            bool good = true;
            if constexpr (attempts) {
                static_cast<void>(attempt(from.t, h, to.x));
                accept(to.x);
            } else {
                good = advance(from.t, h, to.x);
            }
            if (derivative) {
                good = prepare(to.t, to.x) && good;
                copy_vector(to.derivative, memory_.derivative());
            }
            std::swap(memory_, *aside_);
            this->fresh = was_fresh;
            if (good && fine()) return all_finite(to.x) && (!derivative || all_finite(to.derivative));
            this->forgive();
        }
        return false;
    }
    [[nodiscard, gnu::cold]] failure check_stability(T t, T h, State const& x, double span) override {
        static_cast<void>(t), static_cast<void>(h), static_cast<void>(x), static_cast<void>(span);
        if constexpr (limited_by_stability<Stepper> && differential<S>) {
            constexpr bool of_motion = State::is_motion;
            auto const length = std::abs(static_cast<double>(h));
            auto const mode = fastest_near(t, x, length);
            if (detail::is_unstable<of_motion>(stepper_, mode, length, detail::tried_steps(span, length)))
                return detail::beyond_stability(static_cast<double>(t), length,
                                                detail::longest_stable<of_motion>(stepper_, mode, length, span),
                                                mode.frequency());
        }
        return {};
    }
    [[nodiscard]] bool between(T share, T h, State& out) override {
        if constexpr (requires { stepper_.between(share, h, out, memory_); }) {
            stepper_.between(share, h, out, memory_);
            return true;
        } else {
            return static_cast<void>(share), static_cast<void>(h), static_cast<void>(out), false;
        }
    }
    [[nodiscard, gnu::cold]] failure bad_evaluation(T t, T h, State const& from) override {
        static_cast<void>(t), static_cast<void>(h), static_cast<void>(from);
        // steppers for constraints leave the force's own components in the velocity
        constexpr bool may_tell = !can_fail<Work> || detail::watchable<S>;
        if constexpr (may_tell && !constrained_motion<S> && !takes_apart<Stepper> && !self_timed<Stepper>)
            if (!this->facts.can_fail) return detail::find_bad_evaluation(system_, stepper_, t, h, from, *work_);
        return {};
    }

    [[gnu::cold]] void multipliers(std::vector<double>& own, std::vector<double>& mean) const override {
        if constexpr (requires { memory_.multipliers(); }) {
            base::fill(own, memory_.multipliers());
            this->add_means(own, mean);
        } else {
            base::multipliers(own, mean);
        }
    }
    [[nodiscard]] failure const* failed() const override {
        if (auto const* own = this->system_failed()) return own;
        if constexpr (requires { memory_.failed.happened(); })
            if (memory_.failed.happened()) return &memory_.failed;
        return nullptr;
    }
    void count(statistics& counts) const override {
        system_.count(*work_, counts);
        if constexpr (requires { memory_.count(counts); }) memory_.count(counts);
    }
    [[nodiscard, gnu::cold]] bool keep() override {
        if constexpr (can_be_kept) {
            kept_memory_ = memory_;
            kept_work_.emplace(*work_);
        }
        return can_be_kept;
    }
    [[gnu::cold]] void go_back() override {
        if constexpr (can_be_kept) {
            memory_ = *kept_memory_;
            work_.emplace(*kept_work_);
            this->fresh = memory_.fresh;
        }
    }

    [[nodiscard, gnu::cold]] bool write(archive& to) const override {
        if constexpr (storable<Memory>) {
            if (!write_work(*work_, to)) return false;
            to.write(memory_);
            if constexpr (limited_by_stability<Stepper>) to.write(direction_);
            return true;
        } else {
            return static_cast<void>(to), false;
        }
    }
    [[gnu::cold]] void read(archive& from) override {
        if constexpr (storable<Memory>) {
            read_work(*work_, from);
            from.read(memory_);
            if constexpr (limited_by_stability<Stepper>) from.read(direction_);
            this->fresh = memory_.fresh;
        } else {
            static_cast<void>(from);
        }
    }

private:
    /// Power iteration goes on from where it was the last time.
    [[nodiscard, gnu::cold]] detail::fastest_mode fastest_near(T t, State const& x, double step)
        requires(limited_by_stability<Stepper>)
    {
        int iterations = 4; // whatever the size: coordinates at rest change no count
        if (max_norm(direction_) == T(0)) {
            for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = i % 2 == 0 ? T(1) : T(-0.7);
            iterations *= 3;
        }
        auto const mode = detail::find_fastest(system_, t, x, step, direction_, iterations, *work_);
        if (fine()) return mode;
        this->forgive();
        return {};
    }
    [[nodiscard]] bool fine() const { return failed() == nullptr; } // of a final class: no virtual call
    [[nodiscard]] bool arrive() {
        this->fresh = memory_.fresh;
        return fine();
    }
    Stepper stepper_;
    Memory memory_;
    struct nothing {};
    std::conditional_t<can_be_kept, std::optional<Work>, nothing> kept_work_{};
    std::conditional_t<can_be_kept, std::optional<Memory>, nothing> kept_memory_{};
    std::conditional_t<checks_rows<Stepper>, std::optional<Memory>, nothing> aside_{};
    std::conditional_t<limited_by_stability<Stepper>, vector_of<S>, nothing>
        direction_{}; // the last one of power iteration
};

} // namespace lento
