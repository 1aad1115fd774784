#include "problem/kinds/formula_stiff.hpp"

namespace lento {

template class hard_springs<detail::formula_constraints, any_mass>;

} // namespace lento
