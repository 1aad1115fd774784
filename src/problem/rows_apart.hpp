#pragma once

#include <cstddef>
#include <vector>

#include <lento/problem/problem.hpp>
#include <lento/problem/run.hpp>

namespace lento::detail {

/// The largest size of every coordinate in the rows of a run, its start included.
[[nodiscard]] std::vector<double> sizes_in(problem const& what, problem_run const& run);

/// How far two runs of one problem are apart in what both report, row by row.
struct rows_apart {
    /// The largest over coordinates of the difference over max(atol, rtol * size), what is allowed.
    std::vector<double> ratio{};
    /// The same over the coordinate's size.
    std::vector<double> relative{};
    std::size_t worst = 0; ///< the coordinate of the largest ratio
    double allowed = 0;    ///< of that coordinate, over its size

    [[nodiscard]] double largest_ratio() const;
    [[nodiscard]] double largest_relative() const;
    /// Up to this row, not included, the runs are so near each other that differences are proportional to errors.
    [[nodiscard]] std::size_t near_until() const;
};

/// Sizes are those of the second run, the better one.
[[nodiscard]] rows_apart compare_rows(problem const& what, problem_run const& one, problem_run const& better);

/// How differences grow with time.
struct growth {
    double power = 1; ///< like this power of the time
    bool exponential = false;
    double rate = 0; ///< if so, like exp(rate * t)
};
[[nodiscard]] growth growth_of(rows_apart const& apart, std::vector<double> const& times, double start);

} // namespace lento::detail
