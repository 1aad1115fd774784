#include <lento/stepper/implicit.hpp>

#include <lento/base/misuse.hpp>

#include <string>

namespace lento::detail {

failure fixed_point_diverged(std::string_view rule, double time, double step, int iterations, double change) {
    return {outcome::not_applicable, time,
            "the fixed-point iteration of the scheme " + std::string(rule) + " at t = " + show(time) +
                ", with a step of " + show(step) + ", still moves the state by " + show(change) +
                " of its size after " + std::to_string(iterations) +
                " iterations: the step is too long beside the fastest motion of the system. Use a smaller step, or "
                "average the fast motion first."};
}

} // namespace lento::detail
