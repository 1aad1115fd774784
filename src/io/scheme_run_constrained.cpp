#include "io/scheme_solve.hpp"

#include "io/formula_constrained.hpp"

namespace lento::detail {

template solution<state_of<formula_constrained<false>>>
solve_with(formula_constrained<false> const&, scheme const&, state_of<formula_constrained<false>>,
           solve_options<state_of<formula_constrained<false>>> const&);
template solution<state_of<formula_constrained<true>>>
solve_with(formula_constrained<true> const&, scheme const&, state_of<formula_constrained<true>>,
           solve_options<state_of<formula_constrained<true>>> const&);

} // namespace lento::detail
