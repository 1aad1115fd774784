#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/run.hpp>
#include <lento/solve/solution.hpp>

/// Problem files solved, and held against the same problems in C++.
namespace lento_test {

inline lento::problem_run solved(std::string const& name, lento::problem_settings const& settings = {}) {
    return lento::run_problem(lento::load_problem(name, settings));
}
inline lento::problem_run solved_text(std::string const& text, lento::problem_settings const& settings = {}) {
    return lento::run_problem(lento::read_problem(text, "test", settings));
}

/// The largest difference of the positions of two runs, which must succeed and report the same times.
inline double largest_difference(lento::problem_run const& a, lento::problem_run const& b) {
    EXPECT_EQ(a.result, lento::outcome::success) << a.message;
    EXPECT_EQ(b.result, lento::outcome::success) << b.message;
    EXPECT_EQ(a.t, b.t);
    double largest = 0;
    for (std::size_t row = 0; row < std::min(a.t.size(), b.t.size()); ++row)
        for (std::size_t i = 0; i < a.position[row].size(); ++i)
            largest = std::max(largest, std::abs(a.position[row][i] - b.position[row][i]));
    return largest;
}

template <class Run> bool warns_of(Run const& run, std::string const& code) {
    return std::any_of(run.warnings.begin(), run.warnings.end(), [&](auto const& each) { return each.code == code; });
}

template <class Solution> void expect_equal_counts(lento::problem_run const& file, Solution const& code) {
    for (auto const& each : lento::statistics::counts())
        EXPECT_EQ(file.statistics.*each.member, code.statistics.*each.member) << each.name;
}

/// Equal counts, and states that differ by what rounding of the largest force, or rate, makes of them.
template <class State>
void expect_same(lento::problem_run const& file, lento::solution<State> const& code, double largest_force) {
    ASSERT_EQ(file.result, lento::outcome::success) << file.message;
    ASSERT_EQ(code.result, lento::outcome::success) << code.message;
    ASSERT_EQ(file.t.size(), code.t.size());
    auto const& rows = [&]() -> auto const& {
        if constexpr (State::is_motion) return code.position;
        else return code.state;
    }();
    double const span = code.t.back(); // every run starts at 0
    double const allowed = 1e-12 + 100 * std::ldexp(1.0, -53) * largest_force * span * span;
    double const allowed_rate = 1e-12 + 100 * std::ldexp(1.0, -53) * largest_force * span;
    for (std::size_t row = 0; row < code.t.size(); ++row) {
        EXPECT_EQ(file.t[row], code.t[row]);
        if (!code.multipliers.empty()) { ASSERT_EQ(file.multipliers.at(row).size(), code.multipliers[row].size()); }
        for (std::size_t i = 0; i < rows[row].size(); ++i)
            EXPECT_NEAR(file.position[row][i], rows[row][i], allowed) << "t = " << code.t[row];
        if constexpr (State::is_motion) {
            for (std::size_t i = 0; i < rows[row].size(); ++i)
                EXPECT_NEAR(file.velocity[row][i], code.velocity[row][i], allowed_rate) << "t = " << code.t[row];
        }
        // loads are omega^2 g, read off between steps that crowd at the start: rounding comes out much larger there
        double const allowed_load = 1e-4;
        for (std::size_t j = 0; j < (code.multipliers.empty() ? 0 : code.multipliers[row].size()); ++j)
            EXPECT_NEAR(file.multipliers[row][j], code.multipliers[row][j],
                        allowed_load * (1 + std::abs(code.multipliers[row][j])))
                << "t = " << code.t[row];
    }
    expect_equal_counts(file, code);
}

} // namespace lento_test
