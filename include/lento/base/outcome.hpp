#pragma once

#include <string>
#include <string_view>
#include <tuple>

namespace lento {

/// How a run ended. Names and exit codes are the program's contract.
enum class outcome {
    success,
    stopped_by_event,
    step_limit,
    step_too_small,
    non_finite,
    projection_failed,
    constraint_failed,
    interrupted,
    output_failed,
    no_scale_separation,
    window_too_short,
    filter_unstable,
    not_applicable,
};

[[nodiscard]] std::string_view name(outcome result);

/// The program's exit status: 0 done, 4 the run failed, 5 the method does not apply.
[[nodiscard]] int exit_code(outcome result);

/// What went wrong, when, and what to try.
struct failure {
    outcome result = outcome::success;
    double time = 0;
    std::string message;
    static auto members(auto& self) { return std::tie(self.result, self.time, self.message); }
    [[nodiscard]] bool happened() const { return result != outcome::success; }
};

/// Something a careful user wants to know although the run went on.
struct warning {
    std::string code;
    double time = 0;
    std::string sentence;
    static auto members(auto& self) { return std::tie(self.code, self.time, self.sentence); }
};

} // namespace lento
