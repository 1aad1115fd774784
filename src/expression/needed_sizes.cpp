#include "lento/expression/engine.hpp"

#include "lento/expression/ranges.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace lento::expression {

namespace {

void read_by(graph const& g, schedule_scope const& scope, needed_sizes& found) {
    for (auto const& step : scope.steps) {
        if (step.what != schedule_step::kind::compute || g.op(step.value) != operation::element) continue;
        auto const& slot = g.slot(step.value);
        auto& needed = found.inputs[static_cast<std::size_t>(g.from(step.value))];
        needed = std::max(needed, static_cast<std::size_t>(largest(slot, ranges_of(g, slot))) + 1);
    }
    for (auto const& child : scope.children) read_by(g, child, found);
}

} // namespace

needed_sizes needed_sizes_of(graph const& g, schedule const& of) {
    needed_sizes found;
    found.outputs = of.outputs;
    read_by(g, of.top, found);
    return found;
}

template <class T> void needed_sizes::refuse(expression::inputs<T> const& from, std::size_t room) const {
    std::array<std::size_t, source_count> const sizes{from.position.size(),  from.velocity.size(), from.phase.size(), 1,
                                                      from.direction.size(), from.parameter.size()};
    static constexpr std::array<char const*, source_count> names{"positions", "velocities", "phases",
                                                                 "times",     "directions", "parameters"};
    for (std::size_t i = 0; i < source_count; ++i)
        if (sizes[i] < inputs[i])
            throw std::invalid_argument("the formulas need " + std::to_string(inputs[i]) + " " + names[i] + ", but " +
                                        std::to_string(sizes[i]) + " are given.");
    throw std::invalid_argument("the formulas have " + std::to_string(outputs) + " outputs, but there is room for " +
                                std::to_string(room) + ".");
}
template void needed_sizes::refuse(expression::inputs<double> const&, std::size_t) const;
template void needed_sizes::refuse(expression::inputs<long double> const&, std::size_t) const;

} // namespace lento::expression
