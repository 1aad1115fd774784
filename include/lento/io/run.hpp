#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <lento/io/problem.hpp>
#include <lento/system/outcome.hpp>
#include <lento/system/statistics.hpp>

namespace lento {

/// How a run is watched and stopped from outside.
struct run_controls {
    std::atomic<bool> const* interrupt = nullptr; ///< set it to stop the run; what there is is kept
    std::function<void(double t)> progress{};     ///< called after every accepted step
};

/// What a problem's run gave: rows at the output times, columns of observables, how it ended, what it cost.
struct problem_run {
    outcome result = outcome::success;
    std::string message;
    std::vector<warning> warnings;
    std::vector<double> t;
    std::vector<std::vector<double>> position;         ///< a first-order system's state
    std::vector<std::vector<double>> velocity;         ///< empty for first-order systems
    std::vector<std::vector<double>> multipliers;      ///< with constraints or springs: M q'' = F - g'^T lambda
    std::vector<std::vector<double>> mean_multipliers; ///< those plus the window's mean, where windows have constraints
    std::vector<std::vector<double>> observables;
    lento::statistics statistics;
    bool full = false;                ///< the reported state has the fast motion in it
    method_options used;              ///< defaults filled in
    std::vector<std::string> reasons; ///< why they were chosen so, a sentence each
};

/// Runs a problem with its method. What happens in the run is told by the outcome; options that make no sense together
/// are thrown as problem_error.
[[nodiscard]] problem_run run_problem(problem const& what, run_controls const& controls = {});

/// The results as one JSON document, as CSV with the run described in comments, and as a table for people.
[[nodiscard]] std::string to_json(problem const& what, problem_run const& run);
[[nodiscard]] std::string to_csv(problem const& what, problem_run const& run);
[[nodiscard]] std::string to_text(problem const& what, problem_run const& run);

} // namespace lento
