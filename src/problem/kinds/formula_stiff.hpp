#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "problem/formula_constraints.hpp"

#include <lento/constraint/hard_springs.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/problem/problem.hpp>
#include <lento/system/concepts.hpp>

namespace lento {

extern template class hard_springs<detail::formula_constraints, any_mass>;

namespace detail {

/// What a stiff problem's formulas are.
struct stiff_formulas {
    compiled_functions springs;
    std::shared_ptr<expression::engine const> force;  ///< with the springs, and after it their loads omega^2 g
    std::shared_ptr<expression::engine const> pulled; ///< with springs that pull with given loads, the direction
    std::shared_ptr<expression::engine const> slow;   ///< without the springs
};

/// Compiled once for all methods, but for what a system's work decides.
using formula_springs = hard_springs<formula_constraints, any_mass>;

/// A stiff problem: the whole force, with the springs in it, and the springs apart. In numbers other than double the
/// motion is, but its modes are looked at in double.
template <bool Velocity, class Real = double> class formula_stiff : public formula_springs {
    using mechanics = formula_springs;
    using function = expression::compiled_formula_in<Real>;
    using function_work = typename function::work_type;
    static constexpr bool in_double = std::is_same_v<Real, double>;

public:
    using space_type = dynamic;
    using scalar = Real;
    using vector = std::vector<Real>;
    using state = motion<vector>;
    using multiplier_vector = std::vector<Real>;
    static constexpr bool uses_velocity = Velocity;
    static constexpr bool sees_near = in_double; ///< points are placed under a load in double

    struct work_type {
        function_work force;
        function_work pulled;
        function_work slow;
        function_work change;
        function_work stretch;
        function_work rate;
        vector both; ///< a force and the loads after it
        vector there;
        vector direction; ///< a displacement and a time
        multiplier_vector load;
        multiplier_vector stretched;
        multiplier_vector rates;
        std::vector<double> rounded;
        mechanics::spring_work springs;
        std::uint64_t force_evaluations = 0;
        static auto members(auto& self) { return std::tie(self.force_evaluations, self.load, self.springs); }
    };

    formula_stiff(std::size_t size, any_mass mass, stiff_formulas formulas, std::vector<double> omegas)
        : mechanics(formula_constraints(formulas.springs, size), std::move(mass), std::move(omegas))
        , space_(size)
        , own_(std::make_shared<parts const>(std::move(formulas))) {}
    formula_stiff(problem const& what, stiff_kind const& kind, expression::engine_kind with)
        : formula_stiff(what.size, what.mass,
                        {compile(kind.springs, with, functions_of::springs), kind.loaded_force.compile(with).code(),
                         kind.pulled_force.compile(with).code(), kind.slow_force.compile(with).code()},
                        kind.omegas) {}

    [[nodiscard]] dynamic const& space() const { return space_; }
    [[nodiscard]] work_type work() const {
        std::size_t const n = space_.size();
        std::size_t const m = frequencies().size();
        return {.force = own_->force.work(),
                .pulled = own_->pulled.work(),
                .slow = own_->slow.work(),
                .change = own_->change.work(),
                .stretch = own_->stretch.work(),
                .rate = own_->rate.work(),
                .both = vector(n + m),
                .there = vector(n),
                .direction = vector(n + 1),
                .load = multiplier_vector(m),
                .stretched = multiplier_vector(m),
                .rates = multiplier_vector(m),
                .rounded = std::vector<double>(n),
                .springs = start_springs(std::vector<double>(n))};
    }
    void count(work_type const& work, statistics& counts) const {
        counts.force_evaluations += work.force_evaluations;
        work.springs.count(counts);
    }

    void acceleration(Real t, vector const& q, vector& out, work_type& work) const
        requires(!Velocity)
    {
        own_->force.evaluate({.position = q, .time = t}, work.both, work.force);
        hand_out(out, work);
    }
    void acceleration(Real t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(Velocity)
    {
        own_->force.evaluate({.position = q, .velocity = v, .time = t}, work.both, work.force);
        hand_out(out, work);
    }

    /// M^-1 F: the acceleration without the springs.
    void slow_acceleration(Real t, vector const& q, [[maybe_unused]] vector const& v, vector& out,
                           work_type& work) const {
        ++work.force_evaluations;
        if constexpr (Velocity) own_->slow.evaluate({.position = q, .velocity = v, .time = t}, out, work.slow);
        else own_->slow.evaluate({.position = q, .time = t}, out, work.slow);
        mass().divide(out);
    }

    /// A point near which the springs are seen without cancellation.
    struct place_in_time {
        Real t{};
        vector q;
        multiplier_vector stretch;
    };
    void acceleration_near(place_in_time const& here, Real elapsed, vector const& d, vector& out, work_type& work) const
        requires(!Velocity)
    {
        see_near(here, elapsed, d, work);
        own_->pulled.evaluate({.position = work.there, .time = here.t + elapsed, .direction = work.load}, out,
                              work.pulled);
        mass().divide(out);
    }
    void acceleration_near(place_in_time const& here, Real elapsed, vector const& d, vector const& v, vector& out,
                           work_type& work) const
        requires(Velocity)
    {
        see_near(here, elapsed, d, work);
        own_->pulled.evaluate({.position = work.there, .velocity = v, .time = here.t + elapsed, .direction = work.load},
                              out, work.pulled);
        mass().divide(out);
    }

    // ---- the springs in other numbers than double ----

    using load_course = spring_loads<multiplier_vector>;

    [[nodiscard]] multiplier_vector const& stretch(Real t, vector const& q, work_type& work) const {
        ++work.springs.evaluations;
        own_->stretch.evaluate({.position = q, .time = t}, work.stretched, work.stretch);
        return work.stretched;
    }
    [[nodiscard]] multiplier_vector const& stretch_rate(Real t, vector const& q, vector const& v,
                                                        work_type& work) const {
        ++work.springs.evaluations;
        own_->rate.evaluate({.position = q, .velocity = v, .time = t}, work.rates, work.rate);
        return work.rates;
    }
    [[nodiscard]] multiplier_vector const& multipliers_at(Real t, vector const& q, work_type& work) const {
        static_cast<void>(stretch(t, q, work));
        for (std::size_t j = 0; j < work.stretched.size(); ++j)
            work.stretched[j] *= Real(frequencies()[j]) * Real(frequencies()[j]);
        return work.stretched;
    }
    [[nodiscard]] std::span<double const> fast_band(Real t, vector const& q, work_type& work) const {
        return mechanics::fast_band(static_cast<double>(t), rounded(q, work), work);
    }
    void excite(Real t, vector const& q, spring_swing const& seen, fast_modes& modes, work_type& work) const {
        mechanics::excite(static_cast<double>(t), rounded(q, work), seen, modes, work);
    }
    [[nodiscard]] double adiabatic_acceleration(Real t, vector const& q, fast_modes& modes, work_type& work) const {
        return mechanics::adiabatic_acceleration(static_cast<double>(t), rounded(q, work), modes, work);
    }
    /// The same system with numbers of another kind.
    template <class U> [[nodiscard]] auto in() const {
        return formula_stiff<Velocity, U>(space_.size(), mass(), own_->formulas, frequencies());
    }

private:
    [[nodiscard]] std::vector<double> const& rounded(vector const& q, work_type& work) const {
        if constexpr (in_double) {
            return q;
        } else {
            for (std::size_t i = 0; i < q.size(); ++i) work.rounded[i] = static_cast<double>(q[i]);
            return work.rounded;
        }
    }
    void hand_out(vector& out, work_type& work) const {
        ++work.force_evaluations;
        auto const middle = work.both.begin() + static_cast<std::ptrdiff_t>(out.size());
        std::copy(work.both.begin(), middle, out.begin());
        std::copy(middle, work.both.end(), work.load.begin());
        mass().divide(out);
    }
    /// Where the displacement leads, and the springs' loads there.
    void see_near(place_in_time const& here, Real elapsed, vector const& d, work_type& work) const {
        ++work.force_evaluations;
        set_sum(work.there, here.q, Real(1), d);
        std::copy(d.begin(), d.end(), work.direction.begin());
        work.direction.back() = elapsed;
        own_->change.evaluate({.position = here.q, .time = here.t, .direction = work.direction}, work.load,
                              work.change);
        for (std::size_t j = 0; j < work.load.size(); ++j)
            work.load[j] = Real(frequencies()[j]) * Real(frequencies()[j]) * (here.stretch[j] + work.load[j]);
    }

    /// What copies share, for closures hand systems on.
    struct parts {
        stiff_formulas formulas;
        function force;
        function pulled;
        function slow;
        function change;
        function stretch;
        function rate;
        explicit parts(stiff_formulas all)
            : formulas(std::move(all))
            , force(formulas.force)
            , pulled(formulas.pulled)
            , slow(formulas.slow)
            , change(formulas.springs.change)
            , stretch(formulas.springs.values)
            , rate(formulas.springs.rate) {}
    };

    dynamic space_;
    std::shared_ptr<parts const> own_;
};

} // namespace detail
} // namespace lento
