#include "io/problem_reader.hpp"

#include <cmath>

#include <lento/constraint/work.hpp>
#include <lento/expression/derivative.hpp>
#include <lento/expression/ranges.hpp>

namespace lento::detail {

void problem_reader::choose_engine_for_windows() {
    auto const* method = from_.root().find("method");
    auto const* view = method != nullptr ? method->find("window") : nullptr;
    auto const* scalar = view != nullptr ? view->find("scalar") : nullptr;
    if (scalar == nullptr || scalar->text != "long double") return;
    if (made_.method.engine == expression::engine_kind::llvm)
        from_.fail(*scalar, "Windows in long double run on the bytecode; leave the engine out.");
    made_.method.engine = expression::engine_kind::bytecode;
}

void problem_reader::read_stiff(entry const& system) {
    choose_engine_for_windows();
    from_.allow_only(system, {"kind", "coordinates", "define", "mass", "force", "potential", "stiff"});
    read_names(required(system, "coordinates", "it lists what moves, as in [\"x\", \"y\"]"));
    read_definitions(system);
    read_mass(system.find("mass"));
    entry const& stiff =
        required(system, "stiff", "it lists the hard springs, as in [{ g = \"sqrt(x^2+y^2) - 1\", omega = 1e4 }]");
    auto const slow = forces(system, false);
    made_.slow_force = compiled(slow, made_.size);

    std::vector<statement> all;
    std::size_t count = 0;
    for (auto const& each : from_.list(stiff).children) {
        from_.allow_only(from_.table(each), {"g", "omega", "for"});
        auto const& hardness = required(each, "omega", "the spring's force is -omega^2 g grad g");
        double const omega = from_.positive(hardness);
        if (!std::isfinite(omega * omega))
            from_.fail(hardness, "The square of omega must be a number, but omega is " + show(omega) + ".");
        std::size_t const first = count;
        append(all, function_of_coordinates(each, count));
        made_.omegas.insert(made_.omegas.end(), count - first, omega);
    }
    if (count == 0) from_.fail(stiff, "At least one hard spring is needed; without any the kind is plain.");
    from_.guarded(stiff, [&] { return require_fewer_constraints(count, made_.size), 0; });
    made_.springs = functions(all, count, true);
    made_.uses_velocity = depend_on(slow, expression::source::velocity);
    made_.uses_time = depend_on(slow, expression::source::time) || made_.springs.uses_time;
    compile_springs(slow, all);
}

template <class Pull> std::vector<expression::statement>
problem_reader::with_springs(std::vector<statement> force, std::vector<statement> const& springs, Pull const& pull) {
    auto& graph = from_.book().formulas();
    for (auto const& spring : springs)
        for (auto const& entry : expression::jacobian(graph, {spring}, expression::source::position))
            force.push_back({entry.loops, entry.column, graph.negate(graph.multiply(pull(spring), entry.value))});
    return force;
}

void problem_reader::compile_springs(std::vector<statement> const& slow, std::vector<statement> const& springs) {
    auto& graph = from_.book().formulas();
    auto const load = [&](statement const& spring) {
        // all springs of a loop are alike, so that the first tells
        auto const first = smallest(spring.target, ranges_of(graph, spring.target));
        auto const omega = static_cast<long double>(made_.omegas[static_cast<std::size_t>(first)]);
        return graph.multiply(graph.constant(omega * omega), spring.value);
    };
    auto whole = with_springs(slow, springs, load);
    if (made_.kind == problem_kind::stiff) made_.force = compiled(whole, made_.size);
    auto const after = expression::to_affine(static_cast<std::int64_t>(made_.size));
    for (auto const& spring : springs) whole.push_back({spring.loops, after + spring.target, load(spring)});
    made_.stiff_force = compiled(whole, made_.size + made_.omegas.size());
    made_.pulled_force = compiled(with_springs(slow, springs,
                                               [&](statement const& spring) {
                                                   return graph.element(expression::source::direction, spring.target);
                                               }),
                                  made_.size);
}

} // namespace lento::detail
