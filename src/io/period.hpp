#pragma once

#include <string>

#include <lento/io/problem.hpp>

namespace lento::detail {

/// The period of a fast motion, or why none is found.
struct found_period {
    double period = 0;
    std::string how;     ///< how it was found, for people
    std::string lacking; ///< why there is none; empty where there is
};

/// The period of a plain problem's fast motion, from a short direct run, or of a split one's fast flow, from its
/// frequencies. A motion that does not return after the time found has none.
[[nodiscard]] found_period find_period(problem const& what);

/// How many steps of rk4 a period of a plain problem takes so that what they miss in all periods of the run is about
/// the tolerance: measured over the first one. 0 where no number does.
[[nodiscard]] int steps_a_period(problem const& what, double rtol);

} // namespace lento::detail
