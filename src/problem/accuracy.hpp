#pragma once

#include <lento/problem/method.hpp>
#include <lento/problem/run.hpp>

namespace lento::detail {

/// What a closure is wrong by, had it been integrated exactly.
struct modelling_error {
    double relative = 0; ///< to the size of the motion
    double ratio = 0;    ///< in units of what is allowed
};

/// A run of a method whose steps make its only error, or of a closure whose own error is known. Chosen by `auto`, its
/// local tolerances are found such that the error of what is reported, measured beside another run, is within the
/// problem's tolerances; asked for by name it runs as it is, and its error is measured. The settings then say what was
/// used.
[[nodiscard]] problem_run run_within_tolerance(problem const& what, chosen_method& chosen, run_controls const& controls,
                                               modelling_error const& modelling = {});

} // namespace lento::detail
