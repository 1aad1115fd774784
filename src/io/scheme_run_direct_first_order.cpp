#include "io/scheme_solve.hpp"

#include "io/formula_system.hpp"

namespace lento::detail {

template solution<state_of<formula_flow>> solve_with(formula_flow const&, scheme const&, state_of<formula_flow>,
                                                     solve_options<state_of<formula_flow>> const&);

} // namespace lento::detail
