#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <lento/expression/graph.hpp>
#include <lento/problem/problem.hpp>

/// Formulas made from formulas: the derivatives of functions, the force of springs.
namespace lento::detail {

using statements = std::vector<expression::statement>;
using growing_graph = std::shared_ptr<expression::graph>;

/// The derivatives of functions by all elements of a source: contributions, and the row (a function) and the column (an
/// element) of each; those at one place add up. A row number of `count` marks one that is always zero.
struct placed_derivatives {
    statements values{};
    std::vector<std::pair<std::size_t, std::size_t>> places{};
};
/// Throws misuse where there would be more than so many.
[[nodiscard]] placed_derivatives derivatives_by(growing_graph const& graph, statements const& all, std::size_t count,
                                                expression::source by, std::int64_t most = 100'000'000);

/// All that is asked of functions g of `coordinates` numbers: their values, how they change, and their derivatives.
[[nodiscard]] function_formulas functions(growing_graph const& graph, statements const& all, std::size_t count,
                                          std::size_t coordinates);

/// Hard springs g of these frequencies beside a slow force. `whole` becomes the force with the springs in it.
[[nodiscard]] stiff_kind hard_springs_of(growing_graph const& graph, statements const& slow, statements const& springs,
                                         std::vector<double> omegas, std::size_t coordinates,
                                         expression::formula& whole);

/// A constrained problem whose constraints are relaxed to springs of one frequency.
[[nodiscard]] stiff_kind relaxed(problem const& what, double omega);

} // namespace lento::detail
