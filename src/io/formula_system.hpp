#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "io/formula_constraints.hpp"

#include <lento/io/problem.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/phase.hpp>

/// Systems whose force is a problem's compiled formulas.
namespace lento::detail {

/// What all of them share: the formulas, the mass, the size. A fixed space is one of as many coordinates as the problem
/// has: then the steppers keep them in registers, as they do for systems in C++.
template <class Space> class formula_force {
public:
    using space_type = Space;
    using scalar = double;
    using vector = typename Space::template vector<double>;

    struct work_type {
        std::unique_ptr<expression::engine::workspace> formulas;
        std::vector<double> theta; // the phases at the time of evaluation, for direct runs
        std::uint64_t force_evaluations = 0;
        expression::machine_function* function = nullptr; // of the formulas, once they are known to fit the arrays
    };

    explicit formula_force(problem const& what)
        : space_(space_of(what.size)), code_(what.force), mass_(what.mass), phases_(what.frequencies.size()) {
        std::visit(
            [&](auto const& mass) {
                if constexpr (requires { mass.inverse(0); })
                    for (std::size_t i = 0; i < what.size; ++i) inverse_mass_.push_back(mass.inverse(i));
            },
            what.mass);
    }

    [[nodiscard]] Space const& space() const { return space_; }
    [[nodiscard]] formula_mass const& mass() const { return mass_; }
    [[nodiscard]] work_type work() const { return {code_->work(), std::vector<double>(phases_)}; }
    void count(work_type const& work, statistics& counts) const { counts.force_evaluations += work.force_evaluations; }

protected:
    void evaluate(expression::inputs<double> const& from, vector& out, work_type& work) const {
        ++work.force_evaluations;
        if (work.function != nullptr)
            work.function(from.position.data(), from.velocity.data(), from.phase.data(), from.time, nullptr,
                          out.data());
        else interpret(from, out, work);
        mass_.divide(out);
    }
    /// The engine's own loop around the force, or null: see `expression::engine::march`.
    [[nodiscard]] expression::march_function* march(expression::march_kind kind, work_type& work) const {
        if (mass_.is_full()) return nullptr;
        kind.size = space_.size();
        kind.phases = phases_;
        kind.mass = !inverse_mass_.empty();
        return code_->march(kind, *work.formulas);
    }
    [[nodiscard]] double const* inverse_mass() const { return inverse_mass_.data(); }

private:
    /// Apart from the call of a machine function, which is to be short.
    [[gnu::noinline]] void interpret(expression::inputs<double> const& from, vector& out, work_type& work) const {
        code_->evaluate(from, out, *work.formulas);
        work.function = code_->function(*work.formulas);
    }

    [[nodiscard]] static Space space_of(std::size_t size) {
        if constexpr (Space::is_fixed) {
            require_size("the space of the formulas", Space::size(), size);
            return {};
        } else {
            return Space(size);
        }
    }

    Space space_;
    compiled_formulas code_;
    formula_mass mass_;
    std::vector<double> inverse_mass_; // of a scalar or diagonal one
    std::size_t phases_;
};

/// A vibrated system as averaging wants it: the force at given phases.
template <std::size_t Phases, bool Velocity> class formula_vibrated : public formula_force<dynamic>,
                                                                      public turning_phases<double, Phases> {
public:
    using state = motion<vector>;
    using typename turning_phases<double, Phases>::angles;
    static constexpr bool uses_velocity = Velocity;
    static constexpr bool uses_time = true;

    explicit formula_vibrated(problem const& what)
        : formula_force(what), turning_phases<double, Phases>(first(what.frequencies), first(what.phases)) {}

    void acceleration_at(double t, angles const& theta, vector const& q, vector const& v, vector& out,
                         work_type& work) const {
        evaluate({.position = q, .velocity = v, .phase = as_span(theta), .time = t}, out, work);
    }
    void acceleration(double t, vector const& q, vector& out, work_type& work) const
        requires(!Velocity)
    {
        acceleration_at(t, this->phase_at(t), q, q, out, work);
    }
    void acceleration(double t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(Velocity)
    {
        acceleration_at(t, this->phase_at(t), q, v, out, work);
    }

    /// The steps of a window in one compiled piece, where the engine has it.
    template <class View, class Sum> bool march_window(verlet const& micro, View const& seen, double h, int steps,
                                                       state& x, verlet::memory_in<vector>& memory, work_type& work,
                                                       Sum& sum) const {
        return run_march(expression::march_scheme::verlet, seen,
                         {.step = h,
                          .kick = micro.kick(h),
                          .steps = steps,
                          .middle = memory.half_step_velocity.data(),
                          .acceleration = memory.acceleration.data()},
                         x, work, sum);
    }
    template <class View, class Sum> bool march_window(rk4 const&, View const& seen, double h, int steps, state& x,
                                                       rk_memory<state, rk4_method::stages>& memory, work_type& work,
                                                       Sum& sum) const {
        return run_march(expression::march_scheme::rk4, seen,
                         {.step = h, .steps = steps, .acceleration = memory.stage[0].velocity.data()}, x, work, sum);
    }

    [[nodiscard]] static std::span<double const> as_span(angles const& theta) {
        if constexpr (Phases == 1) return {&theta, 1};
        else return theta;
    }

private:
    template <class View, class Sum> bool run_march(expression::march_scheme scheme, View const& seen,
                                                    expression::march_arguments made, state& x, work_type& work,
                                                    Sum& sum) const {
        if (made.steps <= 0) return false;
        auto* const run = march({.scheme = scheme,
                                 .velocity = Velocity,
                                 .measured = Sum::is_measured,
                                 .stateful = Sum::wants_velocity,
                                 .held = View::is_held},
                                work);
        if (run == nullptr) return false;
        made.time = seen.slow_time;
        made.pace = seen.pace;
        made.stride = sum.stride;
        made.phase = as_span(seen.theta).data();
        made.frequency = this->frequencies().data();
        made.position = x.position.data();
        made.velocity = x.velocity.data();
        made.weights = sum.weights;
        made.force = sum.force.data();
        made.inverse_mass = inverse_mass();
        if constexpr (Sum::is_measured) {
            made.lowest = sum.lowest.data();
            made.highest = sum.highest.data();
        }
        if constexpr (Sum::wants_velocity) {
            made.displacement = sum.displacement.data();
            made.drift = sum.velocity.data();
            made.origin = sum.origin->data();
        }
        if constexpr (View::is_held) made.holding = seen.holding->data();
        run(&made);
        auto const forces = scheme == expression::march_scheme::rk4 ? rk4_method::stages : 1;
        work.force_evaluations += forces * static_cast<std::uint64_t>(made.steps);
        return true;
    }

    [[nodiscard]] static std::array<double, Phases> first(std::vector<double> const& all) {
        std::array<double, Phases> made{};
        std::copy_n(all.begin(), Phases, made.begin());
        return made;
    }
};

/// A second-order system as it stands, every vibration to be resolved: plain ones, and vibrated ones run directly.
template <bool Velocity, class Space = dynamic> class formula_motion : public formula_force<Space> {
    using base = formula_force<Space>;

public:
    using typename base::vector;
    using typename base::work_type;
    using state = motion<vector>;
    static constexpr bool uses_velocity = Velocity;

    explicit formula_motion(problem const& what) : base(what), frequencies_(what.frequencies), starts_(what.phases) {}

    void acceleration(double t, vector const& q, vector& out, work_type& work) const
        requires(!Velocity)
    {
        turn(t, work);
        this->evaluate({.position = q, .phase = work.theta, .time = t}, out, work);
    }
    void acceleration(double t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(Velocity)
    {
        turn(t, work);
        this->evaluate({.position = q, .velocity = v, .phase = work.theta, .time = t}, out, work);
    }

private:
    void turn(double t, work_type& work) const {
        for (std::size_t j = 0; j < frequencies_.size(); ++j)
            work.theta[j] = reduced_phase(starts_[j], frequencies_[j], t);
    }

    std::vector<double> frequencies_;
    std::vector<double> starts_;
};

/// A first-order system.
class formula_flow : public formula_force<dynamic> {
public:
    using state = point<vector>;
    using formula_force::formula_force;
    void rate(double t, vector const& x, vector& out, work_type& work) const {
        evaluate({.position = x, .time = t}, out, work);
    }
};

/// The slow velocity of a physical state by the problem's formulas. It keeps its scratch, so it serves one run.
class formula_map {
public:
    explicit formula_map(compiled_formulas code) : code_(std::move(code)), work_(code_->work()) {}
    template <class Angles> void operator()(std::vector<double> const& q, std::vector<double> const& v,
                                            Angles const& theta, std::vector<double>& out) const {
        if constexpr (std::is_floating_point_v<Angles>)
            code_->evaluate({.position = q, .velocity = v, .phase = {&theta, 1}}, out, *work_);
        else code_->evaluate({.position = q, .velocity = v, .phase = theta}, out, *work_);
    }

private:
    compiled_formulas code_;
    std::shared_ptr<expression::engine::workspace> work_;
};

} // namespace lento::detail
