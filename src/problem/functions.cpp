#include "problem/functions.hpp"

#include <algorithm>

#include <lento/base/misuse.hpp>
#include <lento/expression/bytecode.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/expression/derivative.hpp>
#include <lento/expression/increment.hpp>
#include <lento/expression/ranges.hpp>
#include <lento/expression/schedule.hpp>

namespace lento::detail {
namespace {

using expression::to_affine;

/// The numbers that statements without inputs write.
std::vector<double> evaluated(expression::graph& graph, statements const& all, std::size_t outputs) {
    auto const code = compile_bytecode(graph, make_schedule(graph, all, outputs));
    auto const work = code->work();
    std::vector<double> out(outputs);
    code->evaluate({}, out, *work);
    return out;
}

/// The force with -load grad g of every spring added; pull(spring) is its load.
template <class Pull>
statements with_springs(expression::graph& graph, statements force, statements const& springs, Pull const& pull) {
    for (auto const& spring : springs)
        for (auto const& entry : expression::jacobian(graph, {spring}, expression::source::position))
            force.push_back({entry.loops, entry.column, graph.negate(graph.multiply(pull(spring), entry.value))});
    return force;
}

} // namespace

placed_derivatives derivatives_by(growing_graph const& shared, statements const& all, std::size_t count,
                                  expression::source by, std::int64_t most) {
    auto& graph = *shared;
    placed_derivatives made;
    // every contribution gets a slot of its own: a box of slots for those in loops
    statements rows;
    statements columns;
    std::int64_t slots = 0;
    for (auto const& each : expression::jacobian(graph, all, by)) {
        auto slot = to_affine(slots);
        std::int64_t box = 1;
        for (auto loop = each.loops.rbegin(); loop != each.loops.rend(); ++loop) {
            auto const index = to_affine(*loop);
            auto const ranges = ranges_of(graph, index);
            auto const low = smallest(index, ranges);
            slot += (index - to_affine(low)) * box;
            auto const length = largest(index, ranges) - low + 1; // no index goes beyond 1e15
            if (length > (most - slots) / box)
                throw misuse("the derivatives of these functions have more than " + show(static_cast<double>(most)) +
                             " entries; write them so that each depends on a few coordinates");
            box *= std::max<std::int64_t>(length, 1);
        }
        slots += box;
        made.values.push_back({each.loops, slot, each.value});
        // one more than the number, because 0 is what slots have that nothing writes
        rows.push_back({each.loops, slot, graph.index(each.row + to_affine(1))});
        columns.push_back({each.loops, slot, graph.index(each.column + to_affine(1))});
    }
    auto const total = static_cast<std::size_t>(slots);
    auto const row = evaluated(graph, rows, total);
    auto const column = evaluated(graph, columns, total);
    for (std::size_t k = 0; k < total; ++k) {
        if (row[k] == 0) made.places.emplace_back(count, 0);
        else made.places.emplace_back(static_cast<std::size_t>(row[k]) - 1, static_cast<std::size_t>(column[k]) - 1);
    }
    return made;
}

function_formulas functions(growing_graph const& shared, statements const& all, std::size_t count,
                            std::size_t coordinates) {
    auto& graph = *shared;
    auto const formula = [&](statements made, std::size_t outputs) {
        return expression::formula(shared, std::move(made), outputs);
    };
    auto const each_of = [&](auto const& made_of) {
        auto made = all;
        for (auto& each : made) each.value = made_of(each.value);
        return formula(std::move(made), count);
    };
    function_formulas made;
    made.count = count;
    made.values = formula(all, count);
    made.uses_time = made.values.uses(expression::source::time);
    made.change = each_of([&](auto g) { return expression::increment(graph, g, coordinates); });
    made.rate = each_of([&](auto g) { return expression::time_derivative(graph, g); });
    made.curvature =
        each_of([&](auto g) { return expression::time_derivative(graph, expression::time_derivative(graph, g)); });

    auto derivatives = derivatives_by(shared, all, count, expression::source::position);
    auto turning = derivatives.values;
    for (auto& each : turning)
        each.value = derivative_along(graph, each.value, expression::source::position, expression::source::direction);
    made.gradients = formula(std::move(derivatives.values), derivatives.places.size());
    made.turning = formula(std::move(turning), derivatives.places.size());
    made.places = std::move(derivatives.places);
    return made;
}

stiff_kind hard_springs_of(growing_graph const& shared, statements const& slow, statements const& springs,
                           std::vector<double> omegas, std::size_t coordinates, expression::formula& whole) {
    auto& graph = *shared;
    stiff_kind made;
    made.springs = functions(shared, springs, omegas.size(), coordinates);
    made.slow_force = {shared, slow, coordinates};
    auto const load = [&](expression::statement const& spring) {
        // all springs of a loop are alike, so that the first tells
        auto const first = smallest(spring.target, ranges_of(graph, spring.target));
        auto const omega = static_cast<long double>(omegas[static_cast<std::size_t>(first)]);
        return graph.multiply(graph.constant(omega * omega), spring.value);
    };
    made.fast_force = {shared, with_springs(graph, {}, springs, load), coordinates};
    auto loaded = with_springs(graph, slow, springs, load);
    whole = {shared, loaded, coordinates};
    auto const after = to_affine(static_cast<std::int64_t>(coordinates));
    for (auto const& spring : springs) loaded.push_back({spring.loops, after + spring.target, load(spring)});
    made.loaded_force = {shared, loaded, coordinates + omegas.size()};
    made.pulled_force = {shared,
                         with_springs(graph, slow, springs,
                                      [&](expression::statement const& spring) {
                                          return graph.element(expression::source::direction, spring.target);
                                      }),
                         coordinates};
    made.omegas = std::move(omegas);
    return made;
}

stiff_kind relaxed(problem const& what, double omega) {
    if (what.force.is_foreign())
        throw does_not_apply("springs in the place of constraints become part of the force's formulas, and this force "
                             "is a function of another language");
    require_finite("the square of the springs' omega", omega * omega);
    auto const& constraints = *what.constraints();
    auto const graph = std::make_shared<expression::graph>(what.force.graph());
    expression::formula whole;
    return hard_springs_of(graph, what.force.statements(), constraints.values.statements(),
                           std::vector<double>(constraints.count, omega), what.size, whole);
}

} // namespace lento::detail

namespace lento {

compiled_functions compile(function_formulas const& all, expression::engine_kind with, functions_of what) {
    auto const made = [with](expression::formula const& each) { return each.compile(with).code(); };
    return {all.count,           all.uses_time,
            made(all.values),    made(all.change),
            made(all.rate),      made(all.curvature),
            made(all.gradients), what == functions_of::springs ? made(all.turning) : nullptr,
            all.places};
}

} // namespace lento
