#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <lento/problem/problem.hpp>

namespace lento::detail {

/// Variables of a split problem whose whole rate is another variable, neither of which the fast part moves: positions
/// and velocities of a slow motion. Found by evaluating the formulas at places without a pattern.
struct slow_drifts {
    std::vector<std::size_t> positions;
    std::vector<std::size_t> velocities;
};
[[nodiscard]] slow_drifts find_drifts(problem const& what, split_kind const& kind);

/// Why methods that forget the fast phase do not serve: the slow part depends on the time in step with the fast flow,
/// so that its mean depends on that phase. Empty where it does not; not known where the fast part is not linear.
[[nodiscard]] std::string resonates_with_time(problem const& what);

} // namespace lento::detail
