#pragma once

#include <string>

#include <lento/io/problem.hpp>

namespace lento::detail {

/// The period of a fast motion, or why none is found.
struct found_period {
    double period = 0;
    double turns = 1;    ///< of the fastest oscillation of a plain system in that time
    std::string how;     ///< how it was found, for people
    std::string lacking; ///< why there is none; empty where there is
};

/// The period of a plain problem's fast motion, from a short direct run, or of a split one's fast flow, from its
/// frequencies. A motion that does not return after the time found has none.
[[nodiscard]] found_period find_period(problem const& what);

} // namespace lento::detail
