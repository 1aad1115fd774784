#pragma once

#include <cstddef>
#include <vector>

#include <lento/expression/formula.hpp>
#include <lento/expression/graph.hpp>
#include <lento/system/foreign_force.hpp>

namespace lento::expression {

/// A function of another language in the place of formulas, as the force of a problem: it writes so many outputs, reads
/// positions, time and what `reads` names besides (the others it gets as null). It has no graph: nothing is derived
/// from it, and it cannot be written into a file.
///
///     problem what = load_problem("double-well");
///     what.force = expression::foreign_formula(foreign_force(f, data), 1, {expression::source::velocity});
[[nodiscard]] formula foreign_formula(foreign_force function, std::size_t outputs, std::vector<source> reads = {});

} // namespace lento::expression
