#include "io/scheme_solve.hpp"

#include "io/erased_constrained.hpp"

namespace lento::detail {

template solution<state_of<erased_constrained>> solve_with(erased_constrained const&, scheme const&,
                                                           state_of<erased_constrained>,
                                                           solve_options<state_of<erased_constrained>> const&);

} // namespace lento::detail
