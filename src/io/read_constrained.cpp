#include "io/problem_reader.hpp"

#include <lento/constraint/work.hpp>
#include <lento/expression/derivative.hpp>
#include <lento/expression/evaluate.hpp>
#include <lento/expression/increment.hpp>
#include <lento/expression/ranges.hpp>
#include <lento/expression/schedule.hpp>

namespace lento::detail {

void problem_reader::read_constrained(entry const& system) {
    choose_engine_for_windows();
    from_.allow_only(system, {"kind", "coordinates", "define", "mass", "force", "potential", "constraints"});
    read_names(required(system, "coordinates", "it lists what moves, as in [\"x\", \"y\"]"));
    read_definitions(system);
    read_forces(system);
    read_mass(system.find("mass"));
    read_constraints(required(system, "constraints",
                              "it lists what stays zero, as in [\"x^2 + y^2 - 1\"]; without any the kind is "
                              "plain"));
}

void problem_reader::read_constraints(entry const& list) {
    std::vector<statement> all;
    std::size_t count = 0;
    for (auto const& each : from_.list(list).children) {
        if (each.kind == entry_kind::table) from_.allow_only(each, {"g", "for"});
        append(all, function_of_coordinates(each, count));
    }
    from_.guarded(list, [&] { return require_fewer_constraints(count, made_.size), 0; });
    made_.constraints = functions(all, count, false);
    relax(all);
}

/// relaxation.omega makes a hard spring of every constraint.
void problem_reader::relax(std::vector<statement> const& constraints) {
    auto const* method = from_.root().find("method");
    auto const* relaxation = method != nullptr ? method->find("relaxation") : nullptr;
    if (relaxation == nullptr) return;
    from_.allow_only(from_.table(*relaxation), {"omega"});
    double const omega = from_.positive(required(*relaxation, "omega", "it is the frequency of the springs"));
    made_.omegas.assign(made_.constraints.count, omega);
    made_.springs = functions(constraints, made_.constraints.count, true);
    made_.slow_force = made_.force;
    compile_springs(forces(*from_.root().find("system"), false), constraints);
}

/// A formula, or { g = ..., for = ... } for many; `count` grows by as many as there are.
std::vector<expression::statement> problem_reader::function_of_coordinates(entry const& given, std::size_t& count) {
    constexpr permission allowed{.position = true, .velocity = false, .phase = false, .time = true};
    bool const table = given.kind == entry_kind::table;
    entry const& formula = table ? required(given, "g", "it is what stays zero, or nearly so") : given;
    auto const* range = table ? given.find("for") : nullptr;
    std::string const text = from_.formula(formula);
    std::vector<statement> made;
    if (range == nullptr) {
        made.push_back(output(count++, from_.guarded(formula, [&] { return from_.book().scalar(text, allowed); })));
    } else {
        std::string const over = from_.text(*range);
        auto const [low, high] = from_.guarded(*range, [&] { return from_.book().range(over); });
        if (high < low) from_.fail(*range, "There is no index in this range.");
        made = from_.guarded(formula, [&] { return from_.book().for_all(over, text, count, allowed); });
        count += static_cast<std::size_t>(high - low + 1);
    }
    if (!depend_on(made, expression::source::position))
        from_.fail(formula, "This does not depend on any coordinate, so that nothing can keep it zero.");
    return made;
}

/// All that is asked of functions g: their values, how they change, and their derivatives.
constraint_formulas problem_reader::functions(std::vector<statement> const& all, std::size_t count, bool springs) {
    auto& graph = from_.book().formulas();
    auto const each_of = [&](auto const& made_of) {
        auto made = all;
        for (auto& each : made) each.value = made_of(each.value);
        return compiled(made, count);
    };
    constraint_formulas made;
    made.count = count;
    made.uses_time = depend_on(all, expression::source::time);
    made.values = compiled(all, count);
    made.change = each_of([&](auto g) { return expression::increment(graph, g, made_.size); });
    made.rate = each_of([&](auto g) { return expression::time_derivative(graph, g); });
    made.curvature = each_of([&](auto g) { return time_derivative(graph, expression::time_derivative(graph, g)); });

    // every contribution gets a slot of its own: a box of slots for those in loops
    std::vector<statement> values;
    std::vector<statement> turning;
    std::vector<statement> rows;
    std::vector<statement> columns;
    std::int64_t slots = 0;
    for (auto const& each : expression::jacobian(graph, all, expression::source::position)) {
        auto slot = expression::to_affine(slots);
        std::int64_t box = 1;
        for (auto loop = each.loops.rbegin(); loop != each.loops.rend(); ++loop) {
            auto const index = expression::to_affine(*loop);
            auto const ranges = ranges_of(graph, index);
            auto const low = smallest(index, ranges);
            slot += (index - expression::to_affine(low)) * box;
            box *= largest(index, ranges) - low + 1;
        }
        constexpr std::int64_t most = 100'000'000;
        if (slots + box > most)
            from_.fail("system", "The derivatives of these functions have more than 1e8 entries; write them so that "
                                 "each depends on a few coordinates.");
        slots += box;
        values.push_back({each.loops, slot, each.value});
        turning.push_back(
            {each.loops, slot,
             derivative_along(graph, each.value, expression::source::position, expression::source::direction)});
        // one more than the number, because 0 is what slots have that nothing writes
        rows.push_back({each.loops, slot, graph.index(each.row + expression::to_affine(1))});
        columns.push_back({each.loops, slot, graph.index(each.column + expression::to_affine(1))});
    }
    auto const total = static_cast<std::size_t>(slots);
    made.gradients = compiled(values, total);
    if (springs) made.turning = compiled(turning, total);
    std::vector<double> row(total);
    std::vector<double> column(total);
    evaluate_constants(rows, row);
    evaluate_constants(columns, column);
    for (std::size_t k = 0; k < total; ++k) {
        if (row[k] == 0) made.places.emplace_back(count, 0);
        else made.places.emplace_back(static_cast<std::size_t>(row[k]) - 1, static_cast<std::size_t>(column[k]) - 1);
    }
    return made;
}

} // namespace lento::detail
