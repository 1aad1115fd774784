#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <lento/base/option.hpp>
#include <lento/kernel/support.hpp>

namespace lento {

/// How a mean over a period is sampled: `trapezoid` with both ends at half weight, `uniform` without the second end.
enum class mean_rule { trapezoid, uniform };

/// The mean over one known period; with more boxes the mean of the mean, and so on, over as many periods. All
/// harmonics of the period are removed exactly, to the order `boxes`.
struct one_period_mean {
    int boxes = 1;
    mean_rule rule = mean_rule::trapezoid; // follows from the number of steps, so it is no option of its own

    static constexpr std::string_view name = "one-period";
    static constexpr std::string_view sentence = "the mean over a known period, or a mean of means";
    static constexpr auto options() {
        return std::tuple{
            option{"boxes", &one_period_mean::boxes, "how often the mean is taken, over a period each", between(1, 8)}};
    }
    /// At x in [-1, 1], up to a factor: the uniform B-spline of so many boxes.
    [[nodiscard]] long double shape(long double x) const;
    /// As many boxes of one period each, convolved on the grid: exact zeros at every harmonic below the sampling rate.
    [[nodiscard]] std::vector<double> weights(int steps) const;
    [[nodiscard]] std::string why_not(support where) const;
};

} // namespace lento
