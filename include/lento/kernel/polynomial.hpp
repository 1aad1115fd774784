#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include <lento/base/option.hpp>

namespace lento {

/// K^{p,q}: a polynomial times (1 - x^2)^(q+1), p vanishing moments, q continuous derivatives (Engquist and Tsai 2005).
struct polynomial {
    int moments = 1;
    int regularity = 3;

    static constexpr std::string_view name = "polynomial";
    static constexpr std::string_view sentence = "K^{p,q}: p vanishing moments, q continuous derivatives";
    static constexpr auto options() {
        return std::tuple{
            option{"moments", &polynomial::moments, "the number of vanishing moments", between(0, 7)},
            option{"regularity", &polynomial::regularity, "the number of continuous derivatives", between(0, 9)}};
    }
    /// At x in [-1, 1], up to a factor.
    [[nodiscard]] long double shape(long double x) const { return std::pow(std::max(0.L, 1 - x * x), regularity + 1); }
};

} // namespace lento
