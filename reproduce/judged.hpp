#pragma once

#include <string>
#include <vector>

#include <lento/problem/run.hpp>

/// What the scorecards of automatic runs have in common.
namespace lento::reproduce {

inline constexpr double atol_share = 1e-3; ///< of rtol, as the defaults have it

/// A problem with so many rows at equal distances, without the start; `more` stands in its [time].
[[nodiscard]] problem read_for_score(std::string const& name, std::string const& text, double end, int rows,
                                     double rtol, std::string const& more = {});

/// A run beside the truth: the largest error over what is allowed, and over the size of its coordinate, which is at
/// least what atol allows.
struct score {
    double ratio = 0;
    double relative = 0;
};
/// Judged up to a time; infinite where the run failed.
[[nodiscard]] score judged(problem const& what, problem_run const& run, std::vector<std::vector<double>> const& truth,
                           double until);

} // namespace lento::reproduce
