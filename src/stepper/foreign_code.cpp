#include <lento/stepper/foreign_code.hpp>

#include <lento/base/misuse.hpp>

namespace lento::detail {

failure foreign_code_gave_up(std::string_view name, double t, std::string const& why) {
    return {
        outcome::step_too_small, t,
        std::string(name) + " gives up at t = " + show(t) + ": " + why +
            ". The solution may have a singularity there, or the tolerance is below what the force can deliver; try "
            "a larger rtol and atol."};
}

} // namespace lento::detail
