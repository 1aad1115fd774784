#include "io/problem_reader.hpp"

#include <algorithm>

#include <lento/expression/derivative.hpp>
#include <lento/expression/evaluate.hpp>

namespace lento::detail {

void problem_reader::read_split(entry const& system) {
    made_.first_order = true;
    from_.allow_only(system, {"kind", "variables", "define", "epsilon", "fast", "slow", "period"});
    read_names(required(system, "variables", "it lists what moves, as in [\"x\", \"v\"]"));
    made_.epsilon = from_.positive(required(system, "epsilon", "the fast part is fast/epsilon, as in epsilon = 1e-4"));
    if (auto const* period = system.find("period")) made_.period = from_.positive(*period) * made_.epsilon;
    read_definitions(system);
    auto const fast = split_part(system, "fast", {.position = true, .velocity = false, .phase = false, .time = false});
    if (fast.empty()) from_.fail(system, "There is no fast part; give fast.NAME for variables, or use the kind plain.");
    auto const slow = split_part(system, "slow", of_state);
    made_.uses_time = depend_on(slow, expression::source::time);
    made_.fast = compiled(fast, made_.size);
    made_.slow = compiled(slow, made_.size);
    auto& graph = from_.book().formulas();
    auto whole = slow;
    for (auto each : fast) {
        each.value = graph.divide(each.value, graph.constant(static_cast<long double>(made_.epsilon)));
        whole.push_back(each);
    }
    made_.force = compiled(whole, made_.size);
    recognise_linear(fast);
}

std::vector<expression::statement> problem_reader::split_part(entry const& system, char const* key,
                                                              permission allowed) {
    std::vector<statement> all;
    if (auto const* part = system.find(key))
        for (auto const& each : from_.table(*part).children) append(all, assigned(each, allowed, false));
    return all;
}

/// A fast part f1(x) = A x becomes the matrix A, of which exact flows are made.
void problem_reader::recognise_linear(std::vector<statement> const& fast) {
    constexpr std::size_t largest = 400; // the matrix is taken apart as a whole
    if (made_.size > largest) return;
    auto& graph = from_.book().formulas();
    auto const n = static_cast<std::int64_t>(made_.size);
    std::vector<statement> entries;
    for (auto const& each : expression::jacobian(graph, fast, expression::source::position)) {
        if (graph.depends_on(each.value, expression::source::position)) return;
        entries.push_back({each.loops, each.row * n + each.column, each.value});
    }
    std::vector<long double> const origin(made_.size);
    std::vector<long double> value(made_.size);
    expression::evaluate<long double>(graph, make_schedule(graph, fast, made_.size), {.position = origin}, value);
    if (std::any_of(value.begin(), value.end(), [](long double each) { return each != 0; })) return;
    std::vector<long double> matrix(made_.size * made_.size);
    expression::evaluate<long double>(graph, make_schedule(graph, entries, matrix.size()), {}, matrix);
    for (auto row = matrix.begin(); row != matrix.end(); row += n) made_.fast_matrix.emplace_back(row, row + n);
}

} // namespace lento::detail
