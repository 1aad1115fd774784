#include "problem/methods/few.hpp"

#include <algorithm>
#include <array>

#include "problem/systems.hpp"

#include <lento/solve/integrator.hpp>
#include <lento/stepper/runge_kutta.hpp>

namespace lento::detail {
namespace {

template <std::size_t N> using few = motion<std::array<double, N>>;

template <std::size_t N> std::vector<std::vector<double>> as_vectors(std::vector<std::array<double, N>> const& rows) {
    std::vector<std::vector<double>> made;
    made.reserve(rows.size());
    for (auto const& row : rows) made.emplace_back(row.begin(), row.end());
    return made;
}

template <std::size_t N> solution<any_motion> as_any(solution<few<N>> solved) {
    solution<any_motion> made;
    made.t = std::move(solved.t);
    made.position = as_vectors(solved.position);
    made.velocity = as_vectors(solved.velocity);
    made.result = solved.result;
    made.message = std::move(solved.message);
    made.end = solved.end;
    made.warnings = std::move(solved.warnings);
    made.statistics = solved.statistics;
    return made;
}

template <std::size_t N> solve_options<few<N>> as_few(solve_options<any_motion> const& given) {
    solve_options<few<N>> made;
    made.start = given.start;
    made.end = given.end;
    made.output_times = given.output_times;
    made.given = given.given;
    made.report = given.report;
    made.progress = given.progress;
    made.max_steps = given.max_steps;
    made.max_evaluations = given.max_evaluations;
    made.interrupt = given.interrupt;
    if (given.observer)
        made.observer = [observer = given.observer](double t, few<N> const& x) {
            observer(t, {{x.position.begin(), x.position.end()}, {x.velocity.begin(), x.velocity.end()}});
        };
    return made;
}

/// Even steps, which are taken many at a call, lose nothing in a loop that all pairs share; trials of steps would.
template <std::size_t N, bool Velocity, class Stepper>
decltype(prepared_run::in_one_piece) in_registers(problem const& what, Stepper const& stepper, engine_kind engine) {
    return [system = make_motion<Velocity, fixed<N>>(what, what.force, engine),
            stepper](any_motion const& start, solve_options<any_motion> const& options) {
        few<N> x;
        std::copy_n(start.position.begin(), N, x.position.begin());
        std::copy_n(start.velocity.begin(), N, x.velocity.begin());
        using pair = stepping_of<formula_motion<Velocity, fixed<N>>, Stepper>;
        using driven = std::conditional_t<pair::steps_evenly, stepping<few<N>>, pair>;
        basic_integrator<driven> run(std::make_unique<pair>(system, stepper), x, as_few<N>(options));
        return as_any(run.run());
    };
}

template <class Stepper>
decltype(prepared_run::in_one_piece) by_size(problem const& what, Stepper const& stepper, engine_kind engine) {
    return by_velocity(what.uses_velocity(), [&](auto velocity) -> decltype(prepared_run::in_one_piece) {
        switch (what.size) {
        case 1: return in_registers<1, velocity>(what, stepper, engine);
        case 2: return in_registers<2, velocity>(what, stepper, engine);
        case 3: return in_registers<3, velocity>(what, stepper, engine);
        case 4: return in_registers<4, velocity>(what, stepper, engine);
        default: return {};
        }
    });
}

} // namespace

decltype(prepared_run::in_one_piece) few_coordinates(problem const& what, any_stepper const& scheme,
                                                     engine_kind engine) {
    if (what.first_order || what.constraints() != nullptr) return {};
    if (auto const* fixed_steps = scheme.as<rk4>()) return by_size(what, *fixed_steps, engine);
    if (auto const* adaptive = scheme.as<dormand_prince>()) return by_size(what, *adaptive, engine);
    return {};
}

} // namespace lento::detail
