#pragma once

#include <limits>
#include <string>

namespace lento {

/// How wrong what a run reports may be, over all of its rows: the largest over coordinates of the error over that
/// coordinate's largest size, and its parts. What is not known is not a number.
struct error_estimate {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    double total = unknown;
    double numerical = unknown; ///< of the steps
    double modelling = unknown; ///< of a closure, had it been integrated exactly
    double roundoff = unknown;
    std::string coordinate{}; ///< which one is the worst
    double ratio = unknown;   ///< its error over max(atol, rtol * size), what is allowed
};

} // namespace lento
