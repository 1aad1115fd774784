#include <lento/constraint/work.hpp>

#include <lento/base/misuse.hpp>

namespace lento::detail {
namespace {

std::string constraint(std::size_t which) { return "constraint " + std::to_string(which + 1); }

} // namespace

failure vanishing_gradient(double t, std::size_t which) {
    return {outcome::constraint_failed, t,
            "at t = " + show(t) + " the gradient of " + constraint(which) +
                " vanishes, so that it cannot exert a force. Write it so that its gradient is not zero where it holds: "
                "r - l, or r^2 - l^2, but not (r - l)^2."};
}

failure dependent_gradients(double t, std::size_t which, std::vector<std::size_t> const& others,
                            double independent_share) {
    std::string names;
    for (std::size_t i = 0; i < others.size(); ++i)
        names += (i == 0 ? "" : i + 1 == others.size() ? " and " : ", ") + std::to_string(others[i] + 1);
    return {
        outcome::constraint_failed, t,
        "at t = " + show(t) + " the gradient of " + constraint(which) + " depends on " +
            (others.empty() ? "those of the others"
                            : (others.size() == 1 ? "that of constraint " : "those of constraints ") + names) +
            ": only " + show(independent_share) +
            " of it is independent. The multipliers are then not determined; leave one of these constraints out, or "
            "start where they are independent."};
}

failure newton_did_not_converge(double t, int iterations, std::size_t which, double miss) {
    return {outcome::constraint_failed, t,
            "Newton's iteration for the constraints did not converge before t = " + show(t) + ": after " +
                std::to_string(iterations) + " iterations " + constraint(which) + " is off by " + show(miss) +
                ", although the constraints can be met nearby. Try a smaller step."};
}

failure constraints_cannot_be_met(double t, std::size_t which, double miss) {
    return {outcome::constraint_failed, t,
            "the constraints can no longer be met at t = " + show(t) + ": at the nearest point found " +
                constraint(which) + " is off by " + show(miss) +
                ". Either the motion has reached the end of what they allow, or the step is far too large."};
}

void require_fewer_constraints(std::size_t constraints, std::size_t coordinates) {
    if (constraints == 0) throw misuse("a constrained system needs at least one constraint");
    if (constraints > coordinates)
        throw misuse("there are " + std::to_string(constraints) + " constraints for " + std::to_string(coordinates) +
                     " coordinates; there cannot be more constraints than coordinates");
}

void refuse_inconsistent_position(double t, std::size_t which, double value, double distance) {
    throw bad_start("the initial position does not meet the constraints: " + constraint(which) + " is " + show(value) +
                    " at t = " + show(t) + " instead of 0, and a coordinate must move by " + show(distance) +
                    " to mend it; correct it, or ask for project = true");
}

void refuse_inconsistent_velocity(double t, std::size_t which, double rate, double speed) {
    throw bad_start("the initial velocity leaves the constraints: " + constraint(which) + " changes at the rate " +
                    show(rate) + " at t = " + show(t) + " instead of 0, and a velocity must change by " + show(speed) +
                    " to mend it; correct it, or ask for project = true");
}

} // namespace lento::detail
