#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Plain problems whose motion is known: what direct runs are judged by.
namespace lento::reproduce {

struct report;

struct direct_problem {
    std::string name;
    std::string_view sort;
    bool kept_back; ///< no constant was set with it in view
    double end;
    std::string system; ///< [system] and [initial]
    /// The exact positions at a time; empty where references are kept as numbers.
    std::function<std::vector<double>(double t)> exact{};

    static constexpr int rows = 20; ///< equidistant ones, without the start
    /// The true positions at those times.
    [[nodiscard]] std::vector<std::vector<double>> truth() const;
};

[[nodiscard]] std::vector<direct_problem> direct_problems();

/// Rows of a motion without an exact solution, by an extrapolated midpoint rule (Gragg 1965, Bulirsch and Stoer 1966)
/// of order 24 in quadruple precision with errors of 1e-25 per step: a program of its own, which has its own forces.
struct direct_reference {
    std::string_view name;
    std::vector<std::vector<double>> rows;
};
[[nodiscard]] std::span<direct_reference const> direct_references();

/// The experiment that runs them all.
[[nodiscard]] report direct_scorecard();

} // namespace lento::reproduce
