#include "io/scheme_solve.hpp"

#include "io/erased_stiff.hpp"

namespace lento::detail {

template solution<state_of<erased_stiff<false>>> solve_with(erased_stiff<false> const&, scheme const&,
                                                            state_of<erased_stiff<false>>,
                                                            solve_options<state_of<erased_stiff<false>>> const&);

} // namespace lento::detail
