#include <lento/system/oscillatory.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace lento::detail {

linear_flow oscillator_flow(std::vector<std::vector<long double>> const& stiffness) {
    std::size_t const n = stiffness.size();
    long double largest = 0;
    for (auto const& row : stiffness) {
        require_size("a row of the stiffness matrix", row.size(), n);
        for (long double const entry : row) largest = std::max(largest, std::abs(entry));
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (std::abs(stiffness[i][j] - stiffness[j][i]) > 1e-12L * largest)
                throw misuse("the stiffness matrix must be symmetric, but its entries (" + std::to_string(i + 1) +
                             ", " + std::to_string(j + 1) + ") and (" + std::to_string(j + 1) + ", " +
                             std::to_string(i + 1) + ") differ: " + show(static_cast<double>(stiffness[i][j])) +
                             " and " + show(static_cast<double>(stiffness[j][i])));
    linear_flow const springs(stiffness);
    for (auto const& value : springs.eigenvalues())
        if (value.real() < -1e-12 * static_cast<double>(largest))
            throw misuse("the stiffness matrix must not have negative eigenvalues, but one is " + show(value.real()) +
                         ": that spring pushes away");
    std::vector<std::vector<long double>> whole(2 * n, std::vector<long double>(2 * n));
    for (std::size_t i = 0; i < n; ++i) {
        whole[i][n + i] = 1;
        for (std::size_t j = 0; j < n; ++j) whole[n + i][j] = -stiffness[i][j];
    }
    return linear_flow(whole);
}

} // namespace lento::detail
