#pragma once

#include "lento/expression/graph.hpp"
#include "lento/expression/schedule.hpp"

#include <span>

namespace lento::expression {

/// The arrays that formulas read; only those that the formulas use need to be there.
template <class T> struct inputs {
    std::span<T const> position{};
    std::span<T const> velocity{};
    std::span<T const> phase{};
    T time{};
    std::span<T const> direction{};
    std::span<T const> parameter{};
};

/// The value of a formula without free indices, computed node by node: slow, simple, and what the engines must agree
/// with.
template <class T> T evaluate(graph const& g, node n, inputs<T> const& from);

/// All outputs of a schedule, computed in its order with the simple evaluator.
template <class T> void evaluate(graph const& g, schedule const& outputs, inputs<T> const& from, std::span<T> out);

} // namespace lento::expression
