#include "io/scheme_solve.hpp"

#include "io/formula_system.hpp"

namespace lento::detail {

template <std::size_t N> using few = formula_motion<false, fixed<N>>;
template <std::size_t N> using few_options = solve_options<state_of<few<N>>>;

template solution<state_of<few<1>>> solve_with(few<1> const&, scheme const&, state_of<few<1>>, few_options<1> const&);
template solution<state_of<few<2>>> solve_with(few<2> const&, scheme const&, state_of<few<2>>, few_options<2> const&);
template solution<state_of<few<3>>> solve_with(few<3> const&, scheme const&, state_of<few<3>>, few_options<3> const&);
template solution<state_of<few<4>>> solve_with(few<4> const&, scheme const&, state_of<few<4>>, few_options<4> const&);

} // namespace lento::detail
