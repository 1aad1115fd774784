#include "io/scheme_solve.hpp"

#include "io/formula_system.hpp"

namespace lento::detail {

template solution<state_of<formula_motion<false>>> solve_with(formula_motion<false> const&, scheme const&,
                                                              state_of<formula_motion<false>>,
                                                              solve_options<state_of<formula_motion<false>>> const&);

} // namespace lento::detail
