#include <lento/base/outcome.hpp>

namespace lento {

std::string_view name(outcome result) {
    switch (result) {
    case outcome::success: return "success";
    case outcome::stopped_by_event: return "stopped_by_event";
    case outcome::step_limit: return "step_limit";
    case outcome::step_too_small: return "step_too_small";
    case outcome::non_finite: return "non_finite";
    case outcome::projection_failed: return "projection_failed";
    case outcome::constraint_failed: return "constraint_failed";
    case outcome::interrupted: return "interrupted";
    case outcome::output_failed: return "output_failed";
    case outcome::no_scale_separation: return "no_scale_separation";
    case outcome::window_too_short: return "window_too_short";
    case outcome::filter_unstable: return "filter_unstable";
    case outcome::not_applicable: return "not_applicable";
    }
    return "unknown";
}

int exit_code(outcome result) {
    switch (result) {
    case outcome::success:
    case outcome::stopped_by_event: return 0;
    case outcome::step_limit:
    case outcome::step_too_small:
    case outcome::non_finite:
    case outcome::projection_failed:
    case outcome::constraint_failed:
    case outcome::interrupted:
    case outcome::output_failed: return 4;
    case outcome::no_scale_separation:
    case outcome::window_too_short:
    case outcome::filter_unstable:
    case outcome::not_applicable: return 5;
    }
    return 1;
}

} // namespace lento
