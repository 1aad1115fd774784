#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <lento/system/concepts.hpp>
#include <lento/system/misuse.hpp>
#include <lento/system/outcome.hpp>
#include <lento/system/space.hpp>
#include <lento/system/statistics.hpp>

/// Effective systems whose closure is known at run time only. The call goes through a table once an effective
/// evaluation, above the window: micro steps see the whole system.
namespace lento {

namespace detail {

/// Scratch and counters of a system behind a table, and how its last evaluation went.
class erased_memory {
public:
    erased_memory() = default;
    erased_memory(erased_memory const&) = delete;
    erased_memory& operator=(erased_memory const&) = delete;
    virtual ~erased_memory() = default;
    failure failed;
    std::vector<warning> warnings;
};

/// What a solver asks of a system with states of this kind, as virtual functions.
template <class State> class erased_closure {
public:
    using vector = typename State::vector;

    erased_closure() = default;
    erased_closure(erased_closure const&) = delete;
    erased_closure& operator=(erased_closure const&) = delete;
    virtual ~erased_closure() = default;

    [[nodiscard]] virtual dynamic const& space() const = 0;
    [[nodiscard]] virtual double window_length(erased_memory const& memory) const = 0; ///< 0 where there is no window
    [[nodiscard]] virtual bool knows_true_state() const = 0;
    [[nodiscard]] virtual std::unique_ptr<erased_memory> memory() const = 0;
    virtual void count(erased_memory const& memory, statistics& counts) const = 0;
    /// The highest derivative. The velocity is ignored by separable systems and those of first order.
    virtual void evaluate(double t, vector const& x, vector const& v, vector& out, erased_memory& memory) const = 0;
    /// Where the unperturbed flow is, and how much faster the perturbed one goes: backward-forward systems only.
    virtual void compare(double t, vector const& x, vector& unperturbed, vector& difference,
                         erased_memory& memory) const = 0;
    virtual void lower(double t, State& x, erased_memory& memory) const = 0;
    virtual void lift(double t, State& x, erased_memory& memory) const = 0;
    virtual void confirm(double t, State const& x, erased_memory& memory) const = 0;
};

template <differential System> class erased_closure_of final : public erased_closure<state_of<System>> {
    using state = state_of<System>;
    using vector = vector_of<System>;
    struct typed_memory final : erased_memory {
        explicit typed_memory(work_of<System> made) : work(std::move(made)) {
            failed = work.failed;
            warnings = work.warnings;
        }
        work_of<System> work;
    };

public:
    explicit erased_closure_of(System system) : system_(std::move(system)) {}

    [[nodiscard]] dynamic const& space() const override { return system_.space(); }
    [[nodiscard]] double window_length(erased_memory const& memory) const override {
        auto const& work = static_cast<typed_memory const&>(memory).work;
        if constexpr (requires { system_.window_length(work); }) return system_.window_length(work);
        else return 0;
    }
    [[nodiscard]] bool knows_true_state() const override { return has_true_state<System>; }
    [[nodiscard]] std::unique_ptr<erased_memory> memory() const override {
        return std::make_unique<typed_memory>(system_.work());
    }
    void count(erased_memory const& memory, statistics& counts) const override {
        system_.count(static_cast<typed_memory const&>(memory).work, counts);
    }
    void evaluate(double t, vector const& x, vector const& v, vector& out, erased_memory& memory) const override {
        auto& work = static_cast<typed_memory&>(memory).work;
        if (work.failed.happened() && !memory.failed.happened()) forgive(work); // a trial step that was taken back
        if constexpr (first_order<System>) system_.rate(t, x, out, work);
        else if constexpr (separable<System>) system_.acceleration(t, x, out, work);
        else system_.acceleration(t, x, v, out, work);
        tell(work, memory);
    }
    void compare(double t, vector const& x, vector& unperturbed, vector& difference,
                 erased_memory& memory) const override {
        auto& work = static_cast<typed_memory&>(memory).work;
        if constexpr (requires { system_.compare(t, x, unperturbed, difference, work); })
            system_.compare(t, x, unperturbed, difference, work);
        else throw misuse("the turning Euler step compares two flows: it runs on a backward-forward system only");
        tell(work, memory);
    }
    void lower(double t, state& x, erased_memory& memory) const override {
        auto& work = static_cast<typed_memory&>(memory).work;
        if constexpr (requires { system_.lower(t, x, work); }) system_.lower(t, x, work);
        tell(work, memory);
    }
    void lift(double t, state& x, erased_memory& memory) const override {
        auto& work = static_cast<typed_memory&>(memory).work;
        if constexpr (requires { system_.lift(t, x, work); }) system_.lift(t, x, work);
        tell(work, memory);
    }
    void confirm(double t, state const& x, erased_memory& memory) const override {
        auto& work = static_cast<typed_memory&>(memory).work;
        if constexpr (requires { system_.confirm(t, x, work); }) system_.confirm(t, x, work);
        tell(work, memory);
    }

private:
    static void tell(work_of<System> const& work, erased_memory& memory) {
        if (work.failed.happened()) memory.failed = work.failed;
        if (work.warnings.size() != memory.warnings.size()) memory.warnings = work.warnings;
    }

    System system_;
};

/// What all erased systems share.
template <class State> class erased_system {
public:
    using space_type = dynamic;
    using scalar = double;
    using vector = typename State::vector;
    using state = State;

    struct work_type {
        std::unique_ptr<erased_memory> memory;
        failure& failed;
        std::vector<warning>& warnings;
    };

    [[nodiscard]] dynamic const& space() const { return closure_->space(); }
    [[nodiscard]] double window_length(work_type const& work) const { return closure_->window_length(*work.memory); }
    /// Whether `lift` gives the physical state; where the closure has no such map, it leaves the state as it is.
    [[nodiscard]] bool knows_true_state() const { return closure_->knows_true_state(); }
    [[nodiscard]] work_type work() const {
        auto made = closure_->memory();
        auto& reference = *made;
        return {std::move(made), reference.failed, reference.warnings};
    }
    void count(work_type const& work, statistics& counts) const { closure_->count(*work.memory, counts); }
    void lower(double t, state& x, work_type& work) const { closure_->lower(t, x, *work.memory); }
    void lift(double t, state& x, work_type& work) const { closure_->lift(t, x, *work.memory); }
    void confirm(double t, state const& x, work_type& work) const { closure_->confirm(t, x, *work.memory); }

protected:
    explicit erased_system(std::shared_ptr<erased_closure<State> const> closure) : closure_(std::move(closure)) {}
    [[nodiscard]] erased_closure<State> const& closure() const { return *closure_; }

private:
    std::shared_ptr<erased_closure<State> const> closure_;
};

} // namespace detail

/// Any effective system x'' = a(t, x) of run-time size: `erased_separable(effective(system, closure))`.
class erased_separable : public detail::erased_system<motion<std::vector<double>>> {
public:
    template <separable System> explicit erased_separable(System system)
        : erased_system(std::make_shared<detail::erased_closure_of<System>>(std::move(system))) {}
    void acceleration(double t, vector const& q, vector& out, work_type& work) const {
        closure().evaluate(t, q, q, out, *work.memory);
    }
};

/// Any effective system x'' = a(t, x, x') of run-time size.
class erased_general : public detail::erased_system<motion<std::vector<double>>> {
public:
    template <velocity_dependent System> explicit erased_general(System system)
        : erased_system(std::make_shared<detail::erased_closure_of<System>>(std::move(system))) {}
    void acceleration(double t, vector const& q, vector const& v, vector& out, work_type& work) const {
        closure().evaluate(t, q, v, out, *work.memory);
    }
};

/// Any effective system x' = r(t, x) of run-time size.
class erased_first_order : public detail::erased_system<point<std::vector<double>>> {
public:
    template <first_order System> explicit erased_first_order(System system)
        : erased_system(std::make_shared<detail::erased_closure_of<System>>(std::move(system))) {}
    void rate(double t, vector const& x, vector& out, work_type& work) const {
        closure().evaluate(t, x, x, out, *work.memory);
    }
    void compare(double t, vector const& x, vector& unperturbed, vector& difference, work_type& work) const {
        closure().compare(t, x, unperturbed, difference, *work.memory);
    }
};

} // namespace lento
