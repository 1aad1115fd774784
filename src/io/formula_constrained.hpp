#pragma once

#include "io/formula_constraints.hpp"
#include "io/formula_system.hpp"

#include <lento/constraint/constrained.hpp>
#include <lento/effective/underlying.hpp>

namespace lento::detail {

/// A constrained problem, or a vibrated one with constraints of which every vibration is resolved.
template <bool Velocity> using formula_constrained = constrained_system<formula_motion<Velocity>, formula_constraints>;
/// Its underlying ordinary differential equation.
using formula_underlying = underlying_system<formula_constrained<true>>;

template <bool Velocity> [[nodiscard]] formula_constrained<Velocity> make_constrained(problem const& what) {
    return {make_motion<Velocity>(what), formula_constraints(what.constraints, what.size)};
}

} // namespace lento::detail
