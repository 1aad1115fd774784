#include "io/scheme_solve.hpp"

#include <lento/effective/erased.hpp>

namespace lento::detail {

template solution<state_of<erased_first_order>> solve_with(erased_first_order const&, scheme const&,
                                                           state_of<erased_first_order>,
                                                           solve_options<state_of<erased_first_order>> const&);

} // namespace lento::detail
