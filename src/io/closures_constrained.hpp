#pragma once

#include "io/erased_constrained.hpp"

namespace lento::detail {

/// The effective system of a vibrated problem with constraints under a method whose choices are all made.
[[nodiscard]] erased_constrained make_effective_constrained(problem const& what, method_options const& method);

} // namespace lento::detail
