#include "io/scheme_solve.hpp"

#include <lento/effective/erased.hpp>

namespace lento::detail {

template solution<state_of<erased_general>> solve_with(erased_general const&, scheme const&, state_of<erased_general>,
                                                       solve_options<state_of<erased_general>> const&);

} // namespace lento::detail
