#include "problem/methods/few.hpp"

#include <algorithm>
#include <array>

#include "problem/systems.hpp"
#include "problem/within_memory.hpp"

#include <lento/solve/integrator.hpp>
#include <lento/stepper/runge_kutta.hpp>

namespace lento::detail {
namespace {

template <std::size_t N> using few = motion<std::array<double, N>>;

template <std::size_t N>
std::vector<std::vector<double>> as_vectors(std::vector<std::array<double, N>> const& rows, std::size_t count) {
    std::vector<std::vector<double>> made;
    made.reserve(count);
    for (std::size_t i = 0; i < count; ++i) made.emplace_back(rows[i].begin(), rows[i].end());
    return made;
}

/// As vectors rows take several times the memory: where there is not as much, half of them are kept, or a quarter.
template <std::size_t N> void put_rows(solution<few<N>> const& from, solution<any_motion>& into) {
    for (std::size_t count = from.t.size();; count /= 2) try {
            into.position = as_vectors(from.position, count);
            into.velocity = as_vectors(from.velocity, count);
            return;
        } catch (std::bad_alloc const&) {
            into.position.clear();
            into.position.shrink_to_fit();
            if (count == 0) throw;
        }
}

template <std::size_t N> solution<any_motion> as_any(solution<few<N>> solved) {
    memory_reserve reserve(0);
    solution<any_motion> made;
    put_rows(solved, made);
    made.t = std::move(solved.t);
    made.result = solved.result;
    made.message = std::move(solved.message);
    made.end = solved.end;
    made.warnings = std::move(solved.warnings);
    made.statistics = solved.statistics;
    if (made.velocity.size() == made.t.size()) return made;
    reserve.release();
    keep_whole_rows(made);
    tell_memory_ended(made);
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
        return as_any(run_within_memory(run, 0));
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
