#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "io/formula_constraints.hpp"

#include <lento/constraint/constrained.hpp>
#include <lento/effective/erased.hpp>

namespace lento::detail {

/// What a solver asks of an effective system with a problem's constraints, as virtual functions.
class constrained_closure {
public:
    using vector = std::vector<double>;
    using state = motion<vector>;

    constrained_closure() = default;
    constrained_closure(constrained_closure const&) = delete;
    constrained_closure& operator=(constrained_closure const&) = delete;
    virtual ~constrained_closure() = default;

    [[nodiscard]] virtual dynamic const& space() const = 0;
    [[nodiscard]] virtual double window_length() const = 0;
    [[nodiscard]] virtual formula_constraints const& constraints() const = 0;
    [[nodiscard]] virtual formula_mass const& mass() const = 0;
    [[nodiscard]] virtual std::unique_ptr<erased_memory> memory() const = 0;
    [[nodiscard]] virtual formula_constraints::work_type& constraint_work(erased_memory& memory) const = 0;
    [[nodiscard]] virtual vector const& mean_multipliers(erased_memory const& memory) const = 0;
    virtual void count(erased_memory const& memory, statistics& counts) const = 0;
    virtual void evaluate(double t, vector const& q, vector& out, erased_memory& memory) const = 0;
    virtual void lower(double t, state& x, erased_memory& memory) const = 0;
    virtual void lift(double t, state& x, erased_memory& memory) const = 0;
    virtual void confirm(double t, state const& x, erased_memory& memory) const = 0;
};

template <separable_active System> class constrained_closure_of final : public constrained_closure {
    struct typed_memory final : erased_memory {
        explicit typed_memory(work_of<System> made) : work(std::move(made)) {}
        work_of<System> work;
    };

public:
    explicit constrained_closure_of(System system) : system_(std::move(system)) {}

    [[nodiscard]] dynamic const& space() const override { return system_.space(); }
    [[nodiscard]] double window_length() const override { return system_.window_length(); }
    [[nodiscard]] formula_constraints const& constraints() const override { return system_.constraints(); }
    [[nodiscard]] formula_mass const& mass() const override { return system_.mass(); }
    [[nodiscard]] std::unique_ptr<erased_memory> memory() const override {
        return std::make_unique<typed_memory>(system_.work());
    }
    [[nodiscard]] formula_constraints::work_type& constraint_work(erased_memory& memory) const override {
        return system_.constraint_work(work(memory));
    }
    [[nodiscard]] vector const& mean_multipliers(erased_memory const& memory) const override {
        return system_.mean_multipliers(static_cast<typed_memory const&>(memory).work);
    }
    void count(erased_memory const& memory, statistics& counts) const override {
        system_.count(static_cast<typed_memory const&>(memory).work, counts);
    }
    void evaluate(double t, vector const& q, vector& out, erased_memory& memory) const override {
        if (work(memory).failed.happened() && !memory.failed.happened()) forgive(work(memory));
        system_.active_acceleration(t, q, out, work(memory));
        tell(memory);
    }
    void lower(double t, state& x, erased_memory& memory) const override {
        system_.lower(t, x, work(memory));
        tell(memory);
    }
    void lift(double t, state& x, erased_memory& memory) const override {
        system_.lift(t, x, work(memory));
        tell(memory);
    }
    void confirm(double t, state const& x, erased_memory& memory) const override {
        system_.confirm(t, x, work(memory));
        tell(memory);
    }

private:
    [[nodiscard]] static work_of<System>& work(erased_memory& memory) {
        return static_cast<typed_memory&>(memory).work;
    }
    static void tell(erased_memory& memory) {
        if (work(memory).failed.happened()) memory.failed = work(memory).failed;
        if (work(memory).warnings.size() != memory.warnings.size()) memory.warnings = work(memory).warnings;
    }

    System system_;
};

/// Any effective system of a problem with constraints, its force not depending on the velocity.
class erased_constrained {
public:
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = motion<vector>;
    using constraints_type = formula_constraints;

    struct work_type {
        std::unique_ptr<erased_memory> memory;
        failure& failed;
        std::vector<warning>& warnings;
        formula_constraints::work_type& constraint;
    };

    template <separable_active System> explicit erased_constrained(System system)
        : closure_(std::make_shared<constrained_closure_of<System>>(std::move(system))) {}

    [[nodiscard]] dynamic const& space() const { return closure_->space(); }
    [[nodiscard]] double window_length(work_type const&) const { return closure_->window_length(); }
    [[nodiscard]] formula_constraints const& constraints() const { return closure_->constraints(); }
    [[nodiscard]] formula_mass const& mass() const { return closure_->mass(); }
    [[nodiscard]] work_type work() const {
        auto made = closure_->memory();
        auto& reference = *made;
        auto& constraint = closure_->constraint_work(reference);
        return {std::move(made), reference.failed, reference.warnings, constraint};
    }
    [[nodiscard]] static formula_constraints::work_type& constraint_work(work_type& work) { return work.constraint; }
    [[nodiscard]] vector const& mean_multipliers(work_type const& work) const {
        return closure_->mean_multipliers(*work.memory);
    }
    void count(work_type const& work, statistics& counts) const { closure_->count(*work.memory, counts); }
    void active_acceleration(double t, vector const& q, vector& out, work_type& work) const {
        closure_->evaluate(t, q, out, *work.memory);
    }
    void lower(double t, state& x, work_type& work) const { closure_->lower(t, x, *work.memory); }
    void lift(double t, state& x, work_type& work) const { closure_->lift(t, x, *work.memory); }
    void confirm(double t, state const& x, work_type& work) const { closure_->confirm(t, x, *work.memory); }

private:
    std::shared_ptr<constrained_closure const> closure_;
};

} // namespace lento::detail
