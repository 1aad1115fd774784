#pragma once

#include <string>

#include <lento/problem/check.hpp>
#include <lento/problem/run.hpp>

namespace lento {

/// The results as one JSON document, as CSV with the run described in comments, and as a table for people.
[[nodiscard]] std::string to_json(problem const& what, problem_run const& run);
[[nodiscard]] std::string to_csv(problem const& what, problem_run const& run);
[[nodiscard]] std::string to_text(problem const& what, problem_run const& run);
/// What a check has found, for people.
[[nodiscard]] std::string to_text(problem const& what, problem_check const& found);

} // namespace lento
