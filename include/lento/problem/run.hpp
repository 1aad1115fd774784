#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lento/base/outcome.hpp>
#include <lento/base/statistics.hpp>
#include <lento/problem/considered.hpp>
#include <lento/problem/error_estimate.hpp>
#include <lento/problem/problem.hpp>

namespace lento {

/// How a run is watched and stopped from outside.
struct run_controls {
    std::atomic<bool> const* interrupt = nullptr;   ///< set it to stop the run; what there is is kept
    std::function<void(double t)> progress{};       ///< called after a step, or many that nobody looks at
    std::uint64_t max_evaluations = 10'000'000'000; ///< of the force; more end the run
    double budget = 60; ///< seconds that `auto` may spend on a direct run, by the speed of its first steps
    /// Called before the run that was chosen begins, with all that was considered where cost and error decide; again
    /// where that run comes to nothing and another begins.
    std::function<void(std::vector<considered> const& all)> chosen{};
};

/// What a problem's run gave: rows at the output times, columns of observables, how it ended, what it cost.
struct problem_run {
    outcome result = outcome::success;
    std::string message{};
    std::vector<warning> warnings{};
    std::vector<double> t{};
    std::vector<std::vector<double>> position{};         ///< a first-order system's state
    std::vector<std::vector<double>> velocity{};         ///< empty for first-order systems
    std::vector<std::vector<double>> multipliers{};      ///< with constraints or springs: M q'' = F - g'^T lambda
    std::vector<std::vector<double>> mean_multipliers{}; ///< with the window's mean added, where windows have them
    std::vector<std::vector<double>> observables{};
    lento::statistics statistics{};
    lento::statistics choosing{};                          ///< of these, what tries took that were given up
    std::optional<lento::error_estimate> error_estimate{}; ///< none where it was not measured
    std::uint64_t estimate_evaluations = 0;                ///< of the force, in other runs: they measured the error
    bool full = false;                                     ///< the reported state has the fast motion in it
    entry method{};                     ///< what was used, defaults filled in: it reads back as [method]
    std::vector<std::string> reasons{}; ///< why it was chosen so, a sentence each
    std::vector<considered> choice{};   ///< what else there was, where cost and error decided

    [[nodiscard]] std::string method_name() const;
    /// What was used, by a path such as "macro.scheme"; null where the method has none of that.
    [[nodiscard]] entry const* used(std::string_view path) const;
    /// The run ends with this instead of what it has.
    void refuse(outcome with, std::string why) {
        result = with;
        message = std::move(why);
    }
};

/// Runs a problem with its method. What happens in the run is told by the outcome; options that make no sense together
/// are thrown as problem_error.
[[nodiscard]] problem_run run_problem(problem const& what, run_controls const& controls = {});

} // namespace lento
