#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "problem/formula_constraints.hpp"

#include <lento/expression/compiled_formula.hpp>
#include <lento/problem/problem.hpp>
#include <lento/system/constrained.hpp>
#include <lento/system/plain.hpp>
#include <lento/system/split.hpp>
#include <lento/system/turning_force.hpp>
#include <lento/system/vibrated.hpp>

/// The systems of problems: those of C++ with compiled formulas for their force.
namespace lento::detail {

using expression::compiled_formula;
using expression::engine_kind;

/// A vibrated system as averaging wants it: the force at given phases.
template <bool Velocity> using formula_vibrated =
    vibrated_system<dynamic, any_phases, double, any_mass,
                    std::conditional_t<Velocity, damped<compiled_formula>, timed<compiled_formula>>>;

template <bool Velocity> [[nodiscard]] formula_vibrated<Velocity> make_vibrated(problem const& what, engine_kind with) {
    return {dynamic(what.size),
            {phase_list(what.frequencies()), phase_list(what.phases())},
            what.mass,
            {what.force.compile(with)}};
}

/// A second-order system as it stands, every vibration to be resolved. In a fixed space, of as many coordinates as the
/// problem has, the steppers keep them in registers.
template <bool Velocity, class Space = dynamic> using formula_motion = plain_system<
    Space, double, any_mass,
    std::conditional_t<Velocity, damped<turning_force<compiled_formula>>, turning_force<compiled_formula>>>;

template <bool Velocity, class Space = dynamic> [[nodiscard]] formula_motion<Velocity, Space>
make_motion(problem const& what, expression::formula const& force, engine_kind with) {
    turning_force<compiled_formula> turning(force.compile(with), {what.frequencies().begin(), what.frequencies().end()},
                                            {what.phases().begin(), what.phases().end()});
    if constexpr (Space::is_fixed) return {{}, what.mass, {std::move(turning)}};
    else return {Space(what.size), what.mass, {std::move(turning)}};
}

/// A first-order system as it stands.
using formula_flow = first_order_system<dynamic, double, compiled_formula>;
[[nodiscard]] inline formula_flow make_flow(problem const& what, engine_kind with) {
    return {dynamic(what.size), what.force.compile(with)};
}

/// A system with constraints, its force as it stands.
template <bool Velocity> using formula_constrained = constrained_system<formula_motion<Velocity>, formula_constraints>;
template <bool Velocity>
[[nodiscard]] formula_constrained<Velocity> make_constrained(problem const& what, expression::formula const& force,
                                                             function_formulas const& constraints, engine_kind with) {
    return {make_motion<Velocity>(what, force, with), formula_constraints(compile(constraints, with), what.size)};
}

/// Calls make with a constant that says whether the force depends on the velocity.
template <class Make> decltype(auto) by_velocity(bool uses_velocity, Make const& make) {
    return uses_velocity ? make(std::true_type{}) : make(std::false_type{});
}

} // namespace lento::detail
