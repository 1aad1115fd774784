#include "io/scheme_solve.hpp"

#include "io/formula_constrained.hpp"

namespace lento::detail {

template solution<state_of<formula_underlying>> solve_with(formula_underlying const&, scheme const&,
                                                           state_of<formula_underlying>,
                                                           solve_options<state_of<formula_underlying>> const&);

} // namespace lento::detail
