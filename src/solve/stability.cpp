#include <lento/solve/stability.hpp>

#include <lento/base/misuse.hpp>

#include <cmath>

namespace lento::detail {
namespace {

/// A bound, rounded down to two digits.
double two_digits(double bound) {
    double const unit = std::pow(10., std::floor(std::log10(bound)) - 1);
    return bound > 0 ? std::floor(bound / unit) * unit : 0;
}

} // namespace

failure beyond_stability(double t, double h, double longest, double frequency) {
    return {outcome::not_applicable, t,
            "at t = " + show(t) + " the step " + show(h) +
                " is beyond the stability of this scheme, whose solution would " +
                "grow without bound: the fastest motion there has the frequency " + show(frequency) +
                "; use steps up to " + show(two_digits(longest)) + ", or another scheme"};
}

failure grown_by_errors(double t, double since, double factor) {
    return {outcome::non_finite, t,
            "the solution escapes: from t = " + show(since) + " to t = " + show(t) + " it has grown " + show(factor) +
                " times, and at least half of that growth is made by the errors of the steps; use a smaller rtol, or a "
                "shorter step"};
}

} // namespace lento::detail
