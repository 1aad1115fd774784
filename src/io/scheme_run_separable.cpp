#include "io/scheme_solve.hpp"

#include <lento/effective/erased.hpp>

namespace lento::detail {

template solution<state_of<erased_separable>> solve_with(erased_separable const&, scheme const&,
                                                         state_of<erased_separable>,
                                                         solve_options<state_of<erased_separable>> const&);

} // namespace lento::detail
