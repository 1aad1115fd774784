#include "problem/scheme.hpp"

#include "problem/formula_jacobian.hpp"

#include <algorithm>
#include <array>

#include <lento/effective/backward_forward.hpp>
#include <lento/problem/any_integrator.hpp>
#include <lento/stepper/composition.hpp>
#include <lento/stepper/dop853.hpp>
#include <lento/stepper/foreign.hpp>
#include <lento/stepper/implicit.hpp>
#include <lento/stepper/lobatto.hpp>
#include <lento/stepper/nystrom.hpp>
#include <lento/stepper/nystrom_pair.hpp>
#include <lento/stepper/rattle.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/shake.hpp>
#include <lento/stepper/stormer.hpp>
#include <lento/stepper/verlet.hpp>

namespace lento {
namespace detail {
namespace {

/// Two schemes are Verlet's method: as it is, and with a kick that makes oscillations of one frequency exact.
struct plain_verlet : verlet {
    using runs_as = verlet;
    static constexpr auto options() { return std::tuple{option{"step", &verlet::step, "the step", positive, "time"}}; }
};
struct fitted_verlet : verlet {
    using runs_as = verlet;
    static constexpr std::string_view name = "verlet-fitted";
    static constexpr auto options() {
        return std::tuple{option{"step", &verlet::step, "the step", positive, "time"},
                          option{"fitted_to", &verlet::fitted_to,
                                 "the frequency whose oscillation is exact; left out: the fast one", not_negative,
                                 "1/time"}};
    }
};

/// Every scheme that a problem file can name: a new one is a line here and its header.
std::array const all{
    scheme<needs::derivative, dormand_prince>("orders 5 and 4, steps of its own choice: the usual one"),
    scheme<needs::derivative, either<dormand_prince_8, fixed_dormand_prince_8>>("orders 8 and 7, for high accuracy"),
    scheme<needs::derivative, dop853>("order 8 with an interpolant of order 7, for high accuracy and many rows"),
    scheme<needs::derivative, euler>("forward Euler, order 1"),
    scheme<needs::motion, symplectic_euler>("order 1, symplectic"),
    scheme<needs::derivative, midpoint>("the explicit midpoint rule, order 2"),
    scheme<needs::motion, plain_verlet>("order 2, symplectic, one evaluation per step"),
    scheme<needs::motion, fitted_verlet>("Verlet's method, exact for oscillations of one frequency"),
    scheme<needs::derivative, rk4>("Runge-Kutta, order 4, the classical one"),
    scheme<needs::separable_motion, rkn4>("Runge-Kutta-Nystrom, order 4"),
    scheme<needs::separable_motion, rkn6>("Runge-Kutta-Nystrom, order 6"),
    scheme<needs::separable_motion, either<adaptive_rkn8, rkn8>>("Runge-Kutta-Nystrom, orders 8 and 6"),
    scheme<needs::separable_motion, rkn12>("Runge-Kutta-Nystrom, orders 12 and 10, for the highest accuracy"),
    scheme<needs::separable_motion, composition4>("Verlet's method composed, order 4, symplectic"),
    scheme<needs::separable_motion, composition6>("Verlet's method composed, order 6, symplectic"),
    scheme<needs::separable_motion, composition8>("Verlet's method composed, order 8, symplectic"),
    scheme<needs::separable_motion, stormer4>("multistep, order 4, one evaluation per step"),
    scheme<needs::separable_motion, stormer6>("multistep, order 6, one evaluation per step"),
    scheme<needs::separable_motion, stormer8>("multistep, order 8, one evaluation per step"),
    scheme<needs::separable_motion, cowell4>("multistep with a corrector, order 4"),
    scheme<needs::separable_motion, cowell6>("multistep with a corrector, order 6"),
    scheme<needs::separable_motion, cowell8>("multistep with a corrector, order 8"),
    scheme<needs::derivative, adams>("multistep, predictor and corrector, of an order from 1 to 8"),
    scheme<needs::two_flows, turning_euler>("order 1, as paper 002 steps along its effective path"),
    scheme<needs::constraints, shake>("order 2, keeps constraints"),
    scheme<needs::constraints, rattle>("order 2, keeps constraints and their velocities"),
    scheme<needs::constraints, either<adaptive_lobatto4, lobatto4>>("order 4 on the constraints"),
    scheme<needs::derivative, cvode_adams>("SUNDIALS CVODE, Adams's methods of orders 1 to 12", has_sundials()),
    scheme<needs::derivative, cvode_bdf>("SUNDIALS CVODE, backward differentiation", has_sundials()),
    scheme<needs::derivative, arkode_dormand_prince>("SUNDIALS ARKODE, orders 5 and 4", has_sundials()),
    scheme<needs::derivative, arkode_implicit>("SUNDIALS ARKODE, implicit methods of orders 2 and 3", has_sundials()),
    scheme<needs::derivative, odeint_dormand_prince>("Boost.odeint, orders 5 and 4", has_odeint()),
    scheme<needs::constraints, ida>("SUNDIALS IDA, backward differentiation on the constraints", has_sundials()),
    scheme<needs::derivative, implicit_midpoint>("order 2, symplectic, by fixed-point iteration"),
    scheme<needs::derivative, trapezoid>("the trapezoidal rule, order 2, by fixed-point iteration"),
};

/// What fits a system.
std::string_view instead(system_facts const& facts) {
    if (facts.constrained) return "lobatto4, rattle or shake";
    if (!facts.second_order) return "dormand-prince, rk4, midpoint or euler";
    if (facts.uses_velocity) return "dormand-prince, rk4, midpoint or verlet";
    return "dormand-prince, rk4 or verlet";
}
/// Why what a scheme needs is not there; empty where it is.
std::string_view lacking(needs what, system_facts const& facts) {
    if (what == needs::two_flows)
        return facts.compares_flows ? "" : "compares two flows, and belongs to the method backward-forward alone";
    if (what == needs::constraints) return facts.constrained ? "" : "keeps constraints, and this system has none";
    if (facts.constrained) return "keeps no constraints, and this system has some";
    if (what == needs::derivative) return "";
    if (!facts.second_order) return "integrates systems of second order, and this one is of first order";
    if (what == needs::separable_motion && facts.uses_velocity)
        return "needs a force that does not depend on the velocity, and this one does";
    return "";
}

template <class State> solution<State> solve_any(any_system const& system, any_stepper const& stepper, State initial,
                                                 solve_options<State> const& options) {
    if (std::string why = stepper.why_not(system.facts()); !why.empty()) {
        solution<State> refused;
        refused.result = outcome::not_applicable;
        refused.message = std::move(why);
        return refused;
    }
    auto work = stepper.on(system);
    auto* made = std::get_if<std::unique_ptr<stepping<State>>>(&work);
    if (made == nullptr)
        throw misuse("a system of second order starts from a position and a velocity, one of first order from a state");
    return basic_integrator<stepping<State>>(std::move(*made), std::move(initial), options).run();
}

} // namespace

bool uses_jacobian(any_stepper const& scheme) {
    return scheme.as<cvode_bdf>() != nullptr || scheme.as<arkode_implicit>() != nullptr;
}
any_stepping at_work(any_stepper const& scheme, any_system const& system, std::shared_ptr<rate_jacobian const> known) {
    auto const put = [&](auto stepper) {
        stepper.jacobian = std::move(known);
        return put_to_work<needs::derivative>(stepper, system);
    };
    if (auto const* found = scheme.as<cvode_bdf>()) return put(*found);
    if (auto const* found = scheme.as<arkode_implicit>()) return put(*found);
    return scheme.on(system);
}

std::string why_not(std::string_view scheme, needs what, system_facts const& facts) {
    auto const why = lacking(what, facts);
    if (why.empty()) return {};
    return "the scheme " + std::string(scheme) + " " + std::string(why) + "; use " + std::string(instead(facts));
}

} // namespace detail

template class basic_integrator<stepping<any_motion>>;
template class basic_integrator<stepping<any_point>>;
template class choice_of<schemes>;

std::span<scheme_row const> schemes() { return detail::all; }

any_stepper make_scheme(std::string_view name) {
    for (auto const& row : schemes())
        if (row.name == name) return row.make();
    throw misuse("there is no scheme " + std::string(name));
}

solution<any_motion> solve(any_system const& system, any_stepper const& stepper, any_motion initial,
                           solve_options<any_motion> const& options) {
    return detail::solve_any(system, stepper, std::move(initial), options);
}
solution<any_point> solve(any_system const& system, any_stepper const& stepper, any_point initial,
                          solve_options<any_point> const& options) {
    return detail::solve_any(system, stepper, std::move(initial), options);
}

} // namespace lento
