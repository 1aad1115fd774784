#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/archive.hpp>
#include <lento/base/misuse.hpp>
#include <lento/constraint/any_constraints.hpp>
#include <lento/solve/control.hpp>
#include <lento/solve/hooks.hpp>
#include <lento/solve/stepping.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/constrained.hpp>

/// One run-time type for every system of run-time size: direct and effective, of first and second order, constrained
/// and stiff. One virtual call per evaluation, above any window: micro steps see the whole system.
namespace lento {

using any_motion = motion<std::vector<double>>;
using any_point = point<std::vector<double>>;

/// Scratch and counters of one run of an `any_system`. `failed` and `warnings` are those of the work that it holds:
/// nothing is copied after an evaluation.
class any_work {
public:
    class held {
    public:
        held() = default;
        held& operator=(held const&) = delete;
        virtual ~held() = default;
        [[nodiscard]] virtual std::unique_ptr<held> clone() const = 0;
        [[nodiscard]] virtual failure failed_inside() const = 0;
        virtual void forgive() = 0;
        virtual void gather(std::vector<warning>& all) const = 0;
        [[nodiscard]] virtual bool write(archive& to) const = 0; ///< false where it cannot be written down
        virtual void read(archive& from) = 0;

        failure* failed = &never_failed_;
        std::vector<warning>* warnings = &never_warned_;
        constraint_work* constraint = nullptr;

    protected:
        held(held const&) {} // what it points to belongs to the original

    private:
        failure never_failed_;
        std::vector<warning> never_warned_;
    };

    explicit any_work(std::unique_ptr<held> work)
        : work_(std::move(work)), failed(*work_->failed), warnings(*work_->warnings) {}
    any_work(any_work const& other) : any_work(other.work_->clone()) {}
    any_work(any_work&&) = default;
    any_work& operator=(any_work const&) = delete;
    any_work& operator=(any_work&&) = delete;
    ~any_work() = default;

    [[nodiscard]] held& operator*() { return *work_; }
    [[nodiscard]] held const& operator*() const { return *work_; }
    [[nodiscard]] held* operator->() { return work_.get(); }
    [[nodiscard]] held const* operator->() const { return work_.get(); }

private:
    std::unique_ptr<held> work_;

public:
    failure& failed;
    std::vector<warning>& warnings;
};
[[nodiscard]] inline failure failure_inside(any_work const& work) { return work->failed_inside(); }
inline void forgive(any_work& work) { work->forgive(); }
inline void gather_warnings(any_work const& work, std::vector<warning>& all) { work->gather(all); }
[[nodiscard]] inline bool write_work(any_work const& work, archive& to) { return work->write(to); }
inline void read_work(any_work& work, archive& from) { work->read(from); }

/// What is asked of a system, as virtual functions. All but three have a default.
class system_interface {
public:
    using vector = std::vector<double>;
    using work = any_work::held;

    system_interface() = default;
    system_interface(system_interface const&) = delete;
    system_interface& operator=(system_interface const&) = delete;
    virtual ~system_interface() = default;

    [[nodiscard]] virtual std::unique_ptr<work> make_work() const = 0;
    virtual void count(work const& w, statistics& counts) const = 0;
    /// The highest derivative: acceleration, active acceleration or rate. v is ignored where it does not matter.
    virtual void evaluate(double t, vector const& x, vector const& v, vector& out, work& w) const = 0;

    // ---- motions that are evaluated elsewhere than where they are asked: on the slow manifold ----
    virtual void motion_rate(double t, any_motion const& x, any_motion& out, work& w) const {
        out.position = x.velocity;
        evaluate(t, x.position, x.velocity, out.velocity, w);
    }
    virtual void settle(double t, any_motion& x, any_motion& out, work& w) const { motion_rate(t, x, out, w); }
    [[nodiscard]] virtual bool revise(double, any_motion&, work&) const { return false; }

    // ---- a run: its beginning, the physical state and the slow one, its end ----
    virtual void begin(double, any_motion const&, work&) const {}
    virtual void begin(double, any_point const&, work&) const {}
    virtual void lower(double, any_motion&, work&) const {}
    virtual void lower(double, any_point&, work&) const {}
    virtual void lift(double, any_motion&, work&) const {}
    virtual void lift(double, any_point&, work&) const {}
    virtual void confirm(double, any_motion const&, work&) const {}
    virtual void confirm(double, any_point const&, work&) const {}
    [[nodiscard]] virtual double window_length(work const&) const { return 0; }
    [[nodiscard]] virtual failure verdict(double, double, work const&) const { return {}; }

    // ---- constraints, and the forces that keep them or would ----
    [[nodiscard]] virtual any_constraints const& constraints() const { throw misuse("this system has no constraints"); }
    [[nodiscard]] virtual std::span<double const> multipliers(work const&) const { return {}; }
    [[nodiscard]] virtual std::span<double const> mean_multipliers(work const&) const { return {}; }

    /// Where the flow without the slow part is, and how much faster the whole one goes: backward-forward systems.
    virtual void compare(double, vector const&, vector&, vector&, work&) const {
        throw misuse("this system does not compare flows");
    }
};

namespace detail {

template <system_like S> class held_system final : public system_interface {
    static_assert(std::is_same_v<vector_of<S>, std::vector<double>>,
                  "a system that is known at run time only is one of doubles and of run-time size: make it with "
                  "dynamic(n)");
    using state = state_of<S>;

    struct held_work final : work {
        work_of<S> typed;
        [[gnu::cold]] explicit held_work(S const& system) : typed(system.work()) { point(); }
        held_work(held_work const& other) : work(other), typed(other.typed) { point(); }
        [[gnu::cold]] ~held_work() override = default;
        [[nodiscard]] std::unique_ptr<work> clone() const override { return std::make_unique<held_work>(*this); }
        [[nodiscard, gnu::cold]] failure failed_inside() const override { return failure_inside(typed); }
        [[gnu::cold]] void forgive() override {
            using lento::forgive;
            forgive(typed);
        }
        [[gnu::cold]] void gather(std::vector<warning>& all) const override { gather_warnings(typed, all); }
        [[nodiscard, gnu::cold]] bool write(archive& to) const override { return write_work(typed, to); }
        [[gnu::cold]] void read(archive& from) override { read_work(typed, from); }

    private:
        void point() {
            if constexpr (can_fail<work_of<S>>) {
                failed = &typed.failed;
                warnings = &typed.warnings;
            }
            if constexpr (constrained_motion<S>) constraint = &S::constraint_work(typed);
        }
    };
    [[nodiscard]] static work_of<S>& of(work& w) { return static_cast<held_work&>(w).typed; }
    [[nodiscard]] static work_of<S> const& of(work const& w) { return static_cast<held_work const&>(w).typed; }

public:
    [[gnu::cold]] explicit held_system(S system) : system_(std::move(system)) {
        if constexpr (constrained_motion<S>) constraints_ = any_constraints(system_.constraints(), system_.mass());
    }
    [[gnu::cold]] ~held_system() override = default;
    [[nodiscard]] S const& system() const { return system_; }

    [[nodiscard, gnu::cold]] std::unique_ptr<work> make_work() const override {
        return std::make_unique<held_work>(system_);
    }
    void count(work const& w, statistics& counts) const override { system_.count(of(w), counts); }
    void evaluate(double t, vector const& x, vector const& v, vector& out, work& w) const override {
        static_cast<void>(v);
        if constexpr (separable_active<S>) system_.active_acceleration(t, x, out, of(w));
        else if constexpr (constrained_motion<S>) system_.active_acceleration(t, x, v, out, of(w));
        else if constexpr (first_order<S>) system_.rate(t, x, out, of(w));
        else if constexpr (velocity_dependent<S>) system_.acceleration(t, x, v, out, of(w));
        else system_.acceleration(t, x, out, of(w));
    }
    void motion_rate(double t, any_motion const& x, any_motion& out, work& w) const override {
        if constexpr (requires { system_.motion_rate(t, x, out, of(w)); }) system_.motion_rate(t, x, out, of(w));
        else system_interface::motion_rate(t, x, out, w);
    }
    void settle(double t, any_motion& x, any_motion& out, work& w) const override {
        if constexpr (moves_points<S>) system_.settle(t, x, out, of(w));
        else system_interface::settle(t, x, out, w);
    }
    [[nodiscard]] bool revise(double t, any_motion& x, work& w) const override {
        if constexpr (revises<S>) return system_.revise(t, x, of(w));
        else return system_interface::revise(t, x, w);
    }
    void begin(double t, any_motion const& x, work& w) const override { begin_any(t, x, w); }
    void begin(double t, any_point const& x, work& w) const override { begin_any(t, x, w); }
    void lower(double t, any_motion& x, work& w) const override { lower_any(t, x, w); }
    void lower(double t, any_point& x, work& w) const override { lower_any(t, x, w); }
    void lift(double t, any_motion& x, work& w) const override { lift_any(t, x, w); }
    void lift(double t, any_point& x, work& w) const override { lift_any(t, x, w); }
    void confirm(double t, any_motion const& x, work& w) const override { confirm_any(t, x, w); }
    void confirm(double t, any_point const& x, work& w) const override { confirm_any(t, x, w); }
    [[nodiscard]] double window_length(work const& w) const override {
        static_cast<void>(w);
        if constexpr (plans_windows<S>) return system_.window_length(of(w));
        else if constexpr (windowed<S>) return system_.window_length();
        else return 0;
    }
    [[nodiscard, gnu::cold]] failure verdict(double span, double step, work const& w) const override {
        if constexpr (judges<S>) return system_.verdict(span, step, of(w));
        else return system_interface::verdict(span, step, w);
    }
    [[nodiscard]] any_constraints const& constraints() const override {
        if constexpr (constrained_motion<S>) return constraints_;
        else return system_interface::constraints();
    }
    [[nodiscard]] std::span<double const> multipliers(work const& w) const override {
        static_cast<void>(w);
        if constexpr (requires { system_.multipliers(of(w)); }) return system_.multipliers(of(w));
        else return {};
    }
    [[nodiscard]] std::span<double const> mean_multipliers(work const& w) const override {
        static_cast<void>(w);
        if constexpr (knows_mean_multipliers<S>) return system_.mean_multipliers(of(w));
        else return {};
    }
    void compare(double t, vector const& x, vector& unperturbed, vector& difference, work& w) const override {
        if constexpr (compares_flows<S>) system_.compare(t, x, unperturbed, difference, of(w));
        else system_interface::compare(t, x, unperturbed, difference, w);
    }

private:
    // a system has states of one kind; nobody asks with those of the other
    template <class X> void begin_any(double t, X const& x, work& w) const {
        if constexpr (std::is_same_v<X, state> && begins<S>) system_.begin(t, x, of(w));
        else static_cast<void>(t), static_cast<void>(x), static_cast<void>(w);
    }
    template <class X> void lower_any(double t, X& x, work& w) const {
        if constexpr (std::is_same_v<X, state> && lowers<S>) system_.lower(t, x, of(w));
        else static_cast<void>(t), static_cast<void>(x), static_cast<void>(w);
    }
    template <class X> void lift_any(double t, X& x, work& w) const {
        if constexpr (std::is_same_v<X, state> && has_true_state<S>) system_.lift(t, x, of(w));
        else static_cast<void>(t), static_cast<void>(x), static_cast<void>(w);
    }
    template <class X> void confirm_any(double t, X const& x, work& w) const {
        if constexpr (std::is_same_v<X, state> && confirms<S>) system_.confirm(t, x, of(w));
        else static_cast<void>(t), static_cast<void>(x), static_cast<void>(w);
    }

    S system_;
    any_constraints constraints_;
};

} // namespace detail

/// A system whose type is known at run time only: `any_system(effective(pendulum, picard{}))`. A value; copies share
/// it, and any number of threads may run it, each with a work of its own.
class any_system {
public:
    template <system_like S> explicit any_system(S system)
        : facts_(facts_of(system)), system_(std::make_shared<detail::held_system<S>>(std::move(system))) {}
    any_system(system_facts const& facts, std::shared_ptr<system_interface const> system)
        : facts_(facts), system_(std::move(system)) {}

    [[nodiscard]] system_facts const& facts() const { return facts_; }
    [[nodiscard]] any_work work() const { return any_work(system_->make_work()); }
    [[nodiscard]] system_interface const& operator*() const { return *system_; }
    [[nodiscard]] system_interface const* operator->() const { return system_.get(); }

private:
    system_facts facts_;
    std::shared_ptr<system_interface const> system_;
};

} // namespace lento
