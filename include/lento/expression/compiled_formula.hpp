#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/force.hpp>
#include <lento/base/misuse.hpp>
#include <lento/base/space.hpp>
#include <lento/expression/bytecode.hpp>
#include <lento/expression/engine.hpp>
#include <lento/expression/step_loop.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/phase.hpp>

namespace lento::expression {

/// Compiled formulas as a function that systems take as their force, rate or part: `vibrated(dynamic(n), {...},
/// with_time(f))`, `plain<2>(f)`, `split(dynamic(n), {...}, f1, f0)`. A constant value; what an evaluation changes is
/// in the work that a run makes. Numbers other than double need formulas compiled to bytecode.
template <class T> class compiled_formula_in {
    static constexpr bool in_double = std::is_same_v<T, double>;

public:
    class work_type {
    public:
        work_type() = default;

    private:
        friend compiled_formula_in;
        explicit work_type(std::unique_ptr<engine::workspace> made) : registers(std::move(made)) {}
        engine_work registers;
        machine_function* function = nullptr; // once there is one, and the arrays are known to fit
    };

    compiled_formula_in(std::shared_ptr<engine const> code) : code_(std::move(code)) {
        if constexpr (!in_double)
            if (dynamic_cast<bytecode const*>(code_.get()) == nullptr)
                throw misuse("numbers other than double need formulas compiled to bytecode");
    }

    /// The same code with other values of the parameters that are its inputs, by slot (see `formula_reader::input`).
    /// Works made before serve it too.
    [[nodiscard]] compiled_formula_in with_parameters(std::vector<T> values) const {
        if (values.size() < code_->parameters())
            throw misuse("the formulas read " + std::to_string(code_->parameters()) + " parameters, but " +
                         std::to_string(values.size()) + " are given");
        compiled_formula_in made = *this;
        made.parameters_ = std::move(values);
        return made;
    }
    [[nodiscard]] std::vector<T> const& parameters() const { return parameters_; }

    [[nodiscard]] std::size_t outputs() const { return code_->outputs(); }
    [[nodiscard]] std::shared_ptr<engine const> const& code() const { return code_; }
    [[nodiscard]] work_type work() const {
        if constexpr (in_double) return work_type(code_->work());
        else return work_type(std::make_unique<bytecode::registers<T>>(static_cast<bytecode const&>(*code_)));
    }

    void operator()(force_point<T> const& at, std::span<T> out, work_type& work) const {
        evaluate({.position = at.position, .velocity = at.velocity, .phase = at.phase, .time = at.time}, out, work);
    }
    /// The same with a direction; parameters are those given before. A work serves arrays of the same sizes always.
    void evaluate(inputs<T> from, std::span<T> out, work_type& work) const {
        from.parameter = parameters_;
        if constexpr (in_double) {
            if (work.function != nullptr)
                work.function(from.position.data(), from.velocity.data(), from.phase.data(), from.time,
                              from.direction.data(), from.parameter.data(), out.data());
            else interpret(from, out, work);
        } else {
            static_cast<bytecode const&>(*code_).template evaluate<T>(
                from, out, static_cast<bytecode::registers<T>&>(*work.registers));
        }
    }

    /// The steps of a window in one compiled piece; returns how many evaluations that took, 0 where the engine has
    /// none.
    template <class System, class View, class V, class Sum>
    std::uint64_t fused_window(System const& system, verlet const& micro, View const& seen, double h, int steps,
                               motion<V>& x, verlet::memory_in<V>& memory, work_type& work, Sum& sum) const
        requires(in_double)
    {
        return run_fused(step_loop_scheme::verlet, system, seen,
                         {.step = h,
                          .kick = micro.kick(h),
                          .steps = steps,
                          .middle = memory.half_step_velocity.data(),
                          .acceleration = memory.acceleration.data()},
                         x, work, sum);
    }
    template <class System, class View, class V, class Sum>
    std::uint64_t fused_window(System const& system, rk4 const&, View const& seen, double h, int steps, motion<V>& x,
                               lento::detail::rk_memory<motion<V>, rk4_method::stages>& memory, work_type& work,
                               Sum& sum) const
        requires(in_double)
    {
        return rk4_method::stages *
               run_fused(step_loop_scheme::rk4, system, seen,
                         {.step = h, .steps = steps, .acceleration = memory.stage[0].velocity.data()}, x, work, sum);
    }

private:
    /// Apart from the call of a machine function, which is to be short. (Handing the arrays over one by one instead
    /// makes it no shorter, and costs the bytecode 25 ns per evaluation: they wait in memory to be copied.)
    [[gnu::noinline]] void interpret(inputs<T> const& from, std::span<T> out, work_type& work) const {
        code_->evaluate(from, out, *work.registers);
        work.function = code_->function(*work.registers);
    }

    template <class System, class View, class V, class Sum>
    std::uint64_t run_fused(step_loop_scheme scheme, System const& system, View const& seen, step_loop_arguments made,
                            motion<V>& x, work_type& work, Sum& sum) const {
        auto const masses = inverses(system.mass());
        if (made.steps <= 0 || !masses || parameters_.size() < code_->parameters()) return 0;
        auto* const run = code_->step_loop({.scheme = scheme,
                                            .size = x.position.size(),
                                            .phases = system.frequencies().size(),
                                            .mass = !masses->empty(),
                                            .velocity = System::uses_velocity,
                                            .measured = Sum::is_measured,
                                            .stateful = Sum::wants_velocity,
                                            .held = View::is_held},
                                           *work.registers);
        if (run == nullptr) return 0;
        made.time = seen.slow_time;
        made.pace = seen.pace;
        made.stride = sum.stride;
        made.phase = listed(seen.theta).data();
        made.frequency = system.frequencies().data();
        made.position = x.position.data();
        made.velocity = x.velocity.data();
        made.weights = sum.weights;
        made.force = sum.force.data();
        made.inverse_mass = masses->data();
        made.parameter = parameters_.data();
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
        return static_cast<std::uint64_t>(made.steps);
    }
    /// Nothing where the mass cannot say the factor of each coordinate.
    template <class Mass> [[nodiscard]] static std::optional<std::span<double const>> inverses(Mass const& mass) {
        if constexpr (requires { mass.inverses(); }) return mass.inverses();
        else return std::nullopt;
    }

    std::shared_ptr<engine const> code_;
    std::vector<T> parameters_;
};

using compiled_formula = compiled_formula_in<double>;

} // namespace lento::expression
