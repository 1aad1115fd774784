#pragma once

#include <string>
#include <vector>

#include <lento/io/atomic_file.hpp>
#include <lento/problem/check.hpp>
#include <lento/problem/run.hpp>

namespace lento {

/// The results as one JSON document, as CSV with the run described in comments, and as a table for people.
[[nodiscard]] std::string to_json(problem const& what, problem_run const& run);
[[nodiscard]] std::string to_csv(problem const& what, problem_run const& run);
[[nodiscard]] std::string to_text(problem const& what, problem_run const& run);
/// The same without having all of the text in memory at once.
void write_json(problem const& what, problem_run const& run, text_sink const& to);
void write_csv(problem const& what, problem_run const& run, text_sink const& to);
/// What a check has found, for people and as one JSON document.
[[nodiscard]] std::string to_text(problem const& what, problem_check const& found);
[[nodiscard]] std::string to_json(problem const& what, problem_check const& found);
/// A table of what was considered, a line each; nothing where nothing was.
[[nodiscard]] std::string to_text(std::vector<considered> const& choice);

} // namespace lento
