#include "io/scheme_solve.hpp"

#include "io/formula_system.hpp"

namespace lento::detail {

template solution<state_of<formula_motion<true>>> solve_with(formula_motion<true> const&, scheme const&,
                                                             state_of<formula_motion<true>>,
                                                             solve_options<state_of<formula_motion<true>>> const&);

} // namespace lento::detail
