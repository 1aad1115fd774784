#pragma once

#include <string>
#include <vector>

#include <lento/expression/engine.hpp>
#include <lento/problem/problem.hpp>

namespace lento::detail {

/// The period of a fast motion, or why none is found.
struct found_period {
    double period = 0;
    std::string how;     ///< how it was found, for people
    std::string lacking; ///< why there is none; empty where there is
};

/// The period of a plain problem's fast motion, from a short direct run, or of a split one's fast flow, from its
/// frequencies. A motion that does not return after the time found has none.
[[nodiscard]] found_period find_period(problem const& what, expression::engine_kind engine);

/// The same, or does_not_apply where there is none; how it was found is added to the reasons.
[[nodiscard]] double found_period_of(problem const& what, expression::engine_kind engine,
                                     std::vector<std::string>& reasons);

/// How many steps of rk4 per period of a plain problem make what they miss in all periods of the run about the
/// tolerance: measured over the first one. 0 where no number does.
[[nodiscard]] int steps_per_period(problem const& what, double period, double rtol, expression::engine_kind engine);

} // namespace lento::detail
