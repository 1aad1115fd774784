#include "app/commands.hpp"
#include "app/terminal.hpp"

#include <cstdio>

#include <fmt/format.h>

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/check.hpp>

namespace lento::app {

int run_check(std::string const& file_or_name, std::vector<std::string> const& settings, bool as_json) try {
    problem const what = load_problem(file_or_name, settings);
    for (auto const& each : what.notices) say("lento: notice: {}\n", each);
    problem_check const found = check_problem(what);
    if (as_json) fmt::print("{}\n", to_json(what, found));
    else fmt::print("{}", to_text(what, found));
    for (auto const& fault : found.faults) say("lento: {}: {}\n", what.source, fault);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        say("lento: cannot write the results to standard output\n");
        return run_failed;
    }
    return found.faults.empty() ? 0 : bad_problem;
} catch (problem_error const& error) {
    say("lento: {}\n", error.what());
    return bad_problem;
}

} // namespace lento::app
