#pragma once

#include <lento/io/problem.hpp>

namespace lento::detail {

/// By how much the force at opposite phases differs, relative to its size, at and around the start; at most 2.
[[nodiscard]] double largest_odd_part(problem const& what);

} // namespace lento::detail
