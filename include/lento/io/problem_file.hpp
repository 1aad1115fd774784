#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <lento/problem/problem.hpp>

namespace lento {

/// What the command line changes in a file: settings as KEY=VALUE, a later one over an earlier one.
using problem_settings = std::vector<std::string>;

/// Reads a problem from its text; `source` names it in errors. Throws problem_error.
[[nodiscard]] problem read_problem(std::string_view text, std::string const& source,
                                   problem_settings const& settings = {});
/// Reads a file, or a built-in problem when there is no such file. Throws problem_error.
[[nodiscard]] problem load_problem(std::string const& file_or_name, problem_settings const& settings = {});

/// A problem that comes with the program.
struct builtin_problem {
    std::string_view name;
    std::string_view text;
};
[[nodiscard]] std::vector<builtin_problem> const& builtin_problems();

} // namespace lento
