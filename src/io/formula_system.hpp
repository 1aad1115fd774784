#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <lento/expression/compiled_formula.hpp>
#include <lento/io/problem.hpp>
#include <lento/system/mass.hpp>
#include <lento/system/plain.hpp>
#include <lento/system/turning_force.hpp>
#include <lento/system/vibrated.hpp>

/// The systems of problems: those of C++ with compiled formulas for their force.
namespace lento::detail {

using expression::compiled_formula;

[[nodiscard]] inline any_mass make_mass(problem const& what) { return {what.mass, what.size}; }

/// A vibrated system as averaging wants it: the force at given phases.
template <std::size_t Phases, bool Velocity> using formula_vibrated =
    vibrated_system<dynamic, Phases, double, any_mass,
                    std::conditional_t<Velocity, damped<compiled_formula>, timed<compiled_formula>>>;

template <std::size_t Phases, bool Velocity>
[[nodiscard]] formula_vibrated<Phases, Velocity> make_vibrated(problem const& what) {
    vibration<Phases, double> turning;
    if constexpr (Phases == 1) {
        turning = {what.frequencies[0], what.phases[0]};
    } else {
        std::copy_n(what.frequencies.begin(), Phases, turning.frequencies.begin());
        std::copy_n(what.phases.begin(), Phases, turning.phases.begin());
    }
    return {dynamic(what.size), turning, make_mass(what), {what.force}};
}

/// A second-order system as it stands, every vibration to be resolved: plain ones, and vibrated ones run directly. In a
/// fixed space, of as many coordinates as the problem has, the steppers keep them in registers.
template <bool Velocity, class Space = dynamic> using formula_motion = plain_system<
    Space, double, any_mass,
    std::conditional_t<Velocity, damped<turning_force<compiled_formula>>, turning_force<compiled_formula>>>;

template <bool Velocity, class Space = dynamic>
[[nodiscard]] formula_motion<Velocity, Space> make_motion(problem const& what) {
    turning_force<compiled_formula> force(what.force, what.frequencies, what.phases);
    if constexpr (Space::is_fixed) {
        require_size("the space of the formulas", Space::size(), what.size);
        return {{}, make_mass(what), {std::move(force)}};
    } else {
        return {Space(what.size), make_mass(what), {std::move(force)}};
    }
}

/// A first-order system.
using formula_flow = first_order_system<dynamic, double, compiled_formula>;

[[nodiscard]] inline formula_flow make_flow(problem const& what) { return {dynamic(what.size), what.force}; }

/// The slow velocity of a physical state by the problem's formulas.
using formula_map = compiled_formula;

} // namespace lento::detail
