#pragma once

#include <string>
#include <vector>

namespace lento::app {

inline constexpr int internal_error = 1;
inline constexpr int usage_error = 2;
inline constexpr int bad_problem = 3;
inline constexpr int run_failed = 4;
inline constexpr int figure_disagrees = 6;

/// What compiles formulas here. Asked for only when it is printed: looking for LLVM takes longer than all the rest.
std::string engines();

/// `lento list [topic]`
int run_list(std::string const& topic, bool verbose);

struct reproduce_request {
    std::vector<std::string> ids;
    bool all = false;
    bool json = false;
    std::string directory;
};
/// `lento reproduce`
int run_reproduce(reproduce_request const& request);

struct solve_request {
    std::string problem;
    std::vector<std::string> settings;
    double max_evaluations = 1e10;
    double budget = 0; ///< seconds, which have begun; 0 for any time
    std::string file;
    bool force = false;
    bool json = false;
    bool quiet = false;
    bool explain = false;
};
/// `lento solve`
int run_solve(solve_request const& request);
/// `lento check`
int run_check(std::string const& file_or_name, std::vector<std::string> const& settings, bool as_json);

} // namespace lento::app
