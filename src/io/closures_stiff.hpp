#pragma once

#include "io/erased_stiff.hpp"

#include <lento/io/problem.hpp>

namespace lento::detail {

/// The slow motion of a stiff problem under a method whose choices are all made; frequencies are those at its start.
[[nodiscard]] erased_stiff<false> make_averaged(problem const& what, method_options const& method);
[[nodiscard]] erased_stiff<true> make_projected(problem const& what, method_options const& method);

} // namespace lento::detail
