#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <tuple>

#include <lento/base/option.hpp>
#include <lento/kernel/support.hpp>

namespace lento {

/// The piecewise cubic of paper 003, section 5.2.
struct cubic {
    int moments = 3;

    static constexpr std::string_view name = "cubic";
    static constexpr std::string_view sentence = "the piecewise cubic of paper 003";
    static constexpr auto options() {
        return std::tuple{option{"moments", &cubic::moments, "the number of vanishing moments", between(0, 7)}};
    }
    /// At x in [-1, 1], up to a factor.
    [[nodiscard]] long double shape(long double x) const {
        long double const s = std::abs(x);
        if (s >= 1) return 0;
        return s <= 0.5L ? 2 - 2 * s - 8 * s * s + 8 * s * s * s : 2 - 22 * s / 3 + 8 * s * s - 8 * s * s * s / 3;
    }
    /// Its second moment is 0, so that no multiple of x moves its first one.
    [[nodiscard]] std::string why_not(support where) const {
        if (where == support::centred || moments == 0 || moments > 2) return {};
        return "a one-sided cubic kernel cannot have just " + std::to_string(moments) +
               " vanishing moments; use 3, or a polynomial kernel";
    }
};

} // namespace lento
