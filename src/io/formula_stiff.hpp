#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "io/formula_constraints.hpp"

#include <lento/expression/bytecode.hpp>
#include <lento/io/problem.hpp>
#include <lento/system/concepts.hpp>

namespace lento::detail {

/// Compiled formulas in another scalar type: long double runs on the bytecode.
template <class Real> class formulas_in {
public:
    using workspace = std::unique_ptr<expression::engine::workspace>;
    explicit formulas_in(compiled_formulas code) : code_(std::move(code)) {
        if constexpr (!std::is_same_v<Real, double>)
            if (dynamic_cast<expression::bytecode const*>(code_.get()) == nullptr)
                throw misuse("windows in long double need formulas compiled to bytecode");
    }
    [[nodiscard]] workspace work() const {
        if constexpr (std::is_same_v<Real, double>) return code_->work();
        else return std::make_unique<expression::bytecode::registers<Real>>(bytecode());
    }
    void evaluate(expression::inputs<Real> const& from, std::span<Real> out, workspace& work) const {
        if constexpr (std::is_same_v<Real, double>) code_->evaluate(from, out, *work);
        else bytecode().template evaluate<Real>(from, out, static_cast<expression::bytecode::registers<Real>&>(*work));
    }

private:
    [[nodiscard]] expression::bytecode const& bytecode() const {
        return static_cast<expression::bytecode const&>(*code_);
    }
    compiled_formulas code_;
};

/// A stiff problem: the whole force, with the springs in it, and the springs apart.
template <bool Velocity, class Real = double> class formula_stiff {
public:
    using space_type = dynamic;
    using scalar = Real;
    using vector = std::vector<Real>;
    using state = motion<vector>;
    using multiplier_vector = std::vector<Real>;
    static constexpr bool uses_velocity = Velocity;
    static constexpr std::size_t spring_count = 0; // known at run time only

    struct work_type {
        typename formulas_in<Real>::workspace force;
        typename formulas_in<Real>::workspace stretch;
        typename formulas_in<Real>::workspace rate;
        std::uint64_t force_evaluations = 0;
        std::uint64_t constraint_evaluations = 0;
        std::uint64_t jacobian_evaluations = 0;
    };

    explicit formula_stiff(problem const& what)
        : what_(&what)
        , space_(what.size)
        , force_(what.stiff_force)
        , stretch_(what.springs.values)
        , rate_(what.springs.rate)
        , mass_(what.mass)
        , omegas_(what.omegas) {
        auto springs = std::make_shared<formula_constraints>(what.springs, what.size);
        springs->check(mass_);
        springs_ = std::move(springs);
    }

    [[nodiscard]] dynamic const& space() const { return space_; }
    [[nodiscard]] formula_mass const& mass() const { return mass_; }
    [[nodiscard]] std::vector<double> const& frequencies() const { return omegas_; }
    [[nodiscard]] work_type work() const { return {force_.work(), stretch_.work(), rate_.work()}; }
    void count(work_type const& work, statistics& counts) const {
        counts.force_evaluations += work.force_evaluations;
        counts.constraint_evaluations += work.constraint_evaluations;
        counts.jacobian_evaluations += work.jacobian_evaluations;
    }

    void acceleration(Real t, vector const& q, vector& out, work_type& work) const
        requires(!Velocity)
    {
        ++work.force_evaluations;
        force_.evaluate({.position = q, .time = t}, out, work.force);
        mass_.divide(out);
    }
    void acceleration(Real t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(Velocity)
    {
        ++work.force_evaluations;
        force_.evaluate({.position = q, .velocity = v, .time = t}, out, work.force);
        mass_.divide(out);
    }

    [[nodiscard]] multiplier_vector stretch(Real t, vector const& q, work_type& work) const {
        ++work.constraint_evaluations;
        multiplier_vector g(omegas_.size());
        stretch_.evaluate({.position = q, .time = t}, g, work.stretch);
        return g;
    }
    [[nodiscard]] multiplier_vector stretch_rate(Real t, vector const& q, vector const& v, work_type& work) const {
        ++work.constraint_evaluations;
        multiplier_vector g(omegas_.size());
        rate_.evaluate({.position = q, .velocity = v, .time = t}, g, work.rate);
        return g;
    }
    [[nodiscard]] multiplier_vector multipliers_at(Real t, vector const& q, work_type& work) const {
        auto lambda = stretch(t, q, work);
        for (std::size_t j = 0; j < lambda.size(); ++j) lambda[j] *= Real(omegas_[j]) * Real(omegas_[j]);
        return lambda;
    }
    [[nodiscard]] std::vector<double> fast_band(Real t, vector const& q, work_type& work) const {
        ++work.jacobian_evaluations;
        return springs_->band(static_cast<double>(t), std::vector<double>(q.begin(), q.end()), mass_, omegas_);
    }
    template <class U> [[nodiscard]] auto in() const { return formula_stiff<Velocity, U>(*what_); }

private:
    problem const* what_;
    dynamic space_;
    formulas_in<Real> force_;
    formulas_in<Real> stretch_;
    formulas_in<Real> rate_;
    formula_mass mass_;
    std::vector<double> omegas_;
    std::shared_ptr<formula_constraints const> springs_;
};

} // namespace lento::detail
