#pragma once

#include <optional>

#include <lento/problem/run.hpp>

namespace lento::detail {

/// The problem from the slow point of its start, which costs what is added to the counts. Throws does_not_apply where
/// there is none.
[[nodiscard]] problem from_slow_point(problem const& what, statistics& counts);

} // namespace lento::detail
