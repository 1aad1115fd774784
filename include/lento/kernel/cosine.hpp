#pragma once

#include <cmath>
#include <numbers>
#include <string_view>
#include <tuple>

#include <lento/base/option.hpp>

namespace lento {

/// 1 + cos(pi x)
struct cosine {
    int moments = 1;

    static constexpr std::string_view name = "cosine";
    static constexpr std::string_view sentence = "1 + cos(pi x)";
    static constexpr auto options() {
        return std::tuple{option{"moments", &cosine::moments, "the number of vanishing moments", between(0, 7)}};
    }
    /// At x in [-1, 1], up to a factor.
    [[nodiscard]] long double shape(long double x) const { return 1 + std::cos(std::numbers::pi_v<long double> * x); }
};

} // namespace lento
