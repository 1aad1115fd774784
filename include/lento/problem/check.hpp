#pragma once

#include <string>
#include <vector>

#include <lento/problem/considered.hpp>
#include <lento/problem/problem.hpp>

namespace lento {

/// What is known of a problem before it runs.
struct problem_check {
    struct line {
        std::string topic;
        std::string sentence;
    };
    std::vector<line> lines;
    std::vector<considered> choice;  ///< what `auto` looks at, with cost and error; empty where these do not decide
    std::vector<std::string> faults; ///< what no method can cure; empty for a sound problem
};

/// Examines a problem: sizes, the force at the start, derivatives against differences, scales, which methods apply.
[[nodiscard]] problem_check check_problem(problem const& what);

} // namespace lento
