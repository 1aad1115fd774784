#pragma once

#include <vector>

#include <lento/problem/problem.hpp>

namespace lento::detail {

/// The angular frequencies of sines and cosines that a force takes of the time, from the lowest to the highest; what
/// is not linear in the time has none.
[[nodiscard]] std::vector<double> sines_of_time(problem const& what);

/// Whether a sine of the time is as fast as the phases of a vibrated system, nearly.
[[nodiscard]] bool is_as_fast_as_phases(problem const& what, double frequency);

/// A vibrated system's theta turns with its frequency; one that has `cos(omega*t)` instead is probably not what was
/// meant: the slow motion would follow it as something slow. Adds a notice of it.
void notice_fast_time(problem& what);

} // namespace lento::detail
