#pragma once

#include <vector>

#include <lento/base/outcome.hpp>
#include <lento/kernel/kernel.hpp>
#include <lento/system/linear_flow.hpp>

/// What can be wrong with a method for split systems, and its sentences.
namespace lento::detail {

/// The weight of the j-th pair of points in a central difference over 2m points.
template <class T> [[nodiscard]] constexpr T central_difference(int m, int j) {
    T ratio(1);
    for (int k = 1; k <= j; ++k) ratio *= T(m - k + 1) / T(m + k);
    return (j % 2 == 1 ? ratio : -ratio) / T(j);
}

/// Throws misuse for senseless numbers.
void check_path(double delta, int points, int steps, bool adaptive);
void check_strobe(int order, int steps);
/// What weighs F_b - F_a in F_a + share (F_b - F_a), so that kappa is extrapolated to 1.
[[nodiscard]] double extrapolation_share(double first_power, double second_power);

/// A fast part that grows or decays makes every method here meaningless.
void check_oscillation(linear_flow const& flow, failure& failed);
/// Warns when a filter over delta leaves more than 1e-3 of a fast frequency or of a sum or difference of two.
void watch_leak(std::vector<double> const& frequencies, double delta, kernel const* filter,
                std::vector<warning>& warnings);

[[nodiscard]] failure period_is_wrong(double time, double period, double defect, double drift);
[[nodiscard]] failure not_periodic(double time, double period, double defect, double excursion);

} // namespace lento::detail
