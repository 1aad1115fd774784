#include "problem/system_reader.hpp"

#include <algorithm>

#include <lento/expression/derivative.hpp>
#include <lento/expression/evaluate.hpp>
#include <lento/expression/schedule.hpp>

namespace lento {

using namespace detail;

namespace {

using statements = std::vector<expression::statement>;

statements part(system_reader& in, entry const& system, char const* key, expression::permission allowed) {
    statements all;
    if (auto const* given = system.find(key))
        for (auto const& each : in.from.table(*given).children) in.append(all, in.assigned(each, allowed, false));
    return all;
}

/// A fast part f1(x) = A x is the matrix A, of which exact flows are made; nothing for others.
std::vector<std::vector<long double>> matrix_of(system_reader& in, statements const& fast) {
    constexpr std::size_t largest = 400; // the matrix is taken apart as a whole
    std::size_t const size = in.made.size;
    if (size > largest) return {};
    auto& graph = in.from.book().formulas();
    auto const n = static_cast<std::int64_t>(size);
    statements entries;
    for (auto const& each : expression::jacobian(graph, fast, expression::source::position)) {
        if (graph.depends_on(each.value, expression::source::position)) return {};
        entries.push_back({each.loops, each.row * n + each.column, each.value});
    }
    std::vector<long double> const origin(size);
    std::vector<long double> value(size);
    expression::evaluate<long double>(graph, make_schedule(graph, fast, size), {.position = origin}, value);
    if (std::any_of(value.begin(), value.end(), [](long double each) { return each != 0; })) return {};
    std::vector<long double> matrix(size * size);
    expression::evaluate<long double>(graph, make_schedule(graph, entries, matrix.size()), {}, matrix);
    std::vector<std::vector<long double>> rows;
    for (auto row = matrix.begin(); row != matrix.end(); row += n) rows.emplace_back(row, row + n);
    return rows;
}

} // namespace

split_kind split_kind::read(system_reader& in, entry const& system) {
    in.made.first_order = true;
    in.allow(system, split_kind::keys);
    in.read_names(in.required(system, "variables", "it lists what moves, as in [\"x\", \"v\"]"));
    split_kind made;
    made.epsilon =
        in.from.positive(in.required(system, "epsilon", "the fast part is fast/epsilon, as in epsilon = 1e-4"));
    if (auto const* period = system.find("period")) made.period = in.from.positive(*period) * made.epsilon;
    in.read_definitions(system);
    auto const fast = part(in, system, "fast", {.position = true, .velocity = false, .phase = false, .time = false});
    if (fast.empty())
        in.from.fail(system, "There is no fast part; give fast.NAME for variables, or use the kind plain.");
    auto const slow = part(in, system, "slow", of_state);
    made.fast = in.formula(fast, in.made.size);
    made.slow = in.formula(slow, in.made.size);
    auto& graph = in.from.book().formulas();
    auto whole = slow;
    for (auto each : fast) {
        each.value = graph.divide(each.value, graph.constant(static_cast<long double>(made.epsilon)));
        whole.push_back(each);
    }
    in.made.force = in.formula(whole, in.made.size);
    made.fast_matrix = matrix_of(in, fast);
    return made;
}

} // namespace lento
