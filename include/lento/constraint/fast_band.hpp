#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace lento::detail {

/// out = A x, or out = A^-1 x
using symmetric_operator = std::function<void(std::vector<double> const& x, std::vector<double>& out)>;

/// The roots of the eigenvalues of a positive definite matrix given by its products and solutions, ascending. Of up to
/// 32 all are found; of more the smallest and the largest, by Lanczos's method (1950), with 31 equidistant ones between
/// them that stand for the rest.
[[nodiscard]] std::vector<double> fast_band(std::size_t size, symmetric_operator const& apply,
                                            symmetric_operator const& solve);

/// out = (a(q + distance direction) - a(q)) / distance, along the constraints
using acceleration_difference =
    std::function<void(std::vector<double> const& direction, double distance, std::vector<double>& out)>;

/// The root of the largest eigenvalue, in size, of the slow accelerations' derivative at q, by the power method.
[[nodiscard]] double slow_frequency(std::vector<double> const& q, acceleration_difference const& derivative);

} // namespace lento::detail
