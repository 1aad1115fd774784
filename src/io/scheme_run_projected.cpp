#include "io/scheme_solve.hpp"

#include "io/erased_stiff.hpp"

namespace lento::detail {

template solution<state_of<erased_stiff<true>>> solve_with(erased_stiff<true> const&, scheme const&,
                                                           state_of<erased_stiff<true>>,
                                                           solve_options<state_of<erased_stiff<true>>> const&);

} // namespace lento::detail
