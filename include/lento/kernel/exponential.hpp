#pragma once

#include <cmath>
#include <string_view>
#include <tuple>

#include <lento/base/option.hpp>

namespace lento {

/// exp(strength/(x^2 - 1)), infinitely smooth (Engquist and Tsai 2005; papers 000, 001 and 004 with strength 5).
struct exponential {
    double strength = 5;
    int moments = 1;

    static constexpr std::string_view name = "exponential";
    static constexpr std::string_view sentence = "exp(strength/(x^2 - 1)), infinitely smooth: the papers' filter";
    static constexpr auto options() {
        return std::tuple{
            option{"strength", &exponential::strength, "how steeply it falls to its ends", limits{0, 1e4, true}},
            option{"moments", &exponential::moments, "the number of vanishing moments", between(0, 7)}};
    }
    /// At x in [-1, 1], up to a factor.
    [[nodiscard]] long double shape(long double x) const {
        return std::abs(x) < 1 ? std::exp(static_cast<long double>(strength) / (x * x - 1)) : 0.L;
    }
};

} // namespace lento
