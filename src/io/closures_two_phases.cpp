#include "io/closures.hpp"

namespace lento::detail {

template erased_effective make_effective<2>(problem const&, method_options const&);

} // namespace lento::detail
