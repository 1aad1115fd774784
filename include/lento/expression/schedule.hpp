#pragma once

#include "lento/expression/graph.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace lento::expression {

/// A step of a scope of a schedule.
struct schedule_step {
    enum class kind : std::uint8_t {
        compute,    ///< compute `value` from nodes computed before
        loop,       ///< run the child scope `child`; its sums start at zero
        accumulate, ///< in a loop: the sum node `value` grows by its body
        store,      ///< out[target] += value
    };
    kind what;
    node value{};
    std::uint32_t child = 0;
    affine target{};
};

/// The steps of a loop, or of the outermost scope (without a loop variable), in order of execution.
struct schedule_scope {
    std::optional<variable> loop;
    std::vector<schedule_step> steps;
    std::vector<schedule_scope> children;
};

/// In which order outputs are computed, with every node in the outermost loop where it can be, sums and statements over
/// the same range in one loop, and stores in an order that gives each output the same rounding whether a loop runs one
/// index or a block of indices at a time. Engines compile this; out starts as zeros.
struct schedule {
    schedule_scope top;
    std::size_t outputs = 0;
};

/// The same statements with all loops and sums written out, when that gives at most so many copies of their bodies;
/// otherwise the statements as they are. Scalar code is faster than loops over a handful of indices.
std::vector<statement> unroll_short_loops(graph& g, std::vector<statement> const& statements,
                                          std::size_t most_copies = 32);

/// Orders statements; contributions to the same target in the same loops are added up first.
schedule make_schedule(graph& g, std::vector<statement> const& statements, std::size_t outputs);

/// How many elementary steps an evaluation takes, about.
double effort(graph const& g, schedule const& of);

} // namespace lento::expression
