#pragma once

#include "lento/expression/graph.hpp"

namespace lento::expression {

/// How much a formula changes when every position[k] grows by direction[k] and the time by direction[time_slot]:
/// f(x + d) - f(x), so written that nothing cancels, however small d is.
node increment(graph& g, node of, std::size_t time_slot);

} // namespace lento::expression
