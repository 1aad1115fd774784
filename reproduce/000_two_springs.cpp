// Tables 1 and 2 of paper 000: two masses and two springs, the second one hard.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

namespace lento::reproduce {
namespace {

constexpr std::array<double, 7> stiffness = {200, 500, 1000, 2000, 5000, 1e4, 2e4};

/// 20 periods of 6 Verlet steps each, as the paper has it.
window papers_window(double omega, int moments = 1) {
    double const period = 2 * std::numbers::pi / omega;
    return {.kernel = exponential{.moments = moments}, .length = 20 * period, .step = period / 6, .unchecked = true};
}

template <class State> double position_error(solution<State> const& run, solution<State> const& reference) {
    double error = 0;
    for (std::size_t i = 0; i < run.position.size(); ++i)
        for (std::size_t k = 0; k < 4; ++k)
            error = std::max(error, std::abs(run.position[i][k] - reference.position[i][k]));
    return error;
}

/// The row of a table for one stiffness: printed and measured by an independent prototype.
struct table_row {
    std::array<double, 6> printed;
    std::array<double, 6> prototype;
};
constexpr std::array<table_row, 7> table_1 = {{
    {{4.3e-1, 6.1e-2, 4.9e-2, 4.8e-2, 4.8e-2, 4.8e-2}, {4.374e-1, 6.06e-2, 4.89e-2, 4.79e-2, 4.79e-2, 4.81e-2}},
    {{4.7e-1, 4.6e-2, 9.1e-3, 8.0e-3, 7.9e-3, 7.9e-3}, {4.67e-1, 4.60e-2, 9.09e-3, 7.98e-3, 7.91e-3, 7.90e-3}},
    {{4.7e-1, 4.3e-2, 3.3e-3, 2.1e-3, 2.1e-3, 2.1e-3}, {4.70e-1, 4.33e-2, 3.27e-3, 2.15e-3, 2.07e-3, 2.07e-3}},
    {{4.7e-1, 4.3e-2, 1.7e-3, 6.5e-4, 5.9e-4, 5.9e-4}, {4.69e-1, 4.31e-2, 1.73e-3, 6.50e-4, 5.89e-4, 5.86e-4}},
    {{4.7e-1, 4.1e-2, 1.3e-3, 2.1e-4, 1.5e-4, 1.6e-4}, {4.68e-1, 4.12e-2, 1.33e-3, 2.06e-4, 1.549e-4, 1.562e-4}},
    {{4.6e-1, 3.5e-2, 1.4e-3, 1.3e-4, 6.9e-5, 6.9e-5}, {4.63e-1, 3.50e-2, 1.44e-3, 1.31e-4, 6.87e-5, 6.70e-5}},
    {{3.5e-1, 2.8e-2, 2.1e-3, 1.4e-4, 3.3e-5, 3.1e-5}, {3.53e-1, 2.81e-2, 2.10e-3, 1.44e-4, 3.34e-5, 3.14e-5}},
}};

/// Whether a value, printed with two digits, is the printed one.
bool same_two_digits(double printed, double value) {
    double const unit = std::pow(10., std::floor(std::log10(printed)) - 1);
    return std::abs(value - printed) <= 0.5000001 * unit;
}

entry& two_digits(report& r, std::string row, std::string column, double printed, double value, double prototype) {
    entry& e = r.compare(std::move(row), std::move(column), printed, value, 0);
    e.agrees = same_two_digits(printed, value);
    e.tolerance = 0.5 * std::pow(10., std::floor(std::log10(printed)) - 1) / printed;
    if (std::abs(value - prototype) > 0.01 * prototype) e.agrees = false;
    return e;
}

} // namespace

report table_000_1() {
    report r{.id = "000/table-1", .title = "errors in q, soft and hard spring, force averaging", .entries = {},
             .tables = {}, .remarks = {}};
    std::vector<double> times;
    for (int k = 0; k <= 320; ++k) times.push_back(k / 32.);
    for (std::size_t j = 0; j < stiffness.size(); ++j) {
        model::two_springs const springs{.omega_1 = 1, .omega_2 = stiffness[j]};
        auto const system = springs.second_hard();
        auto const start = springs.stretched_second();
        auto const slow = effective(system, force_averaging{papers_window(springs.omega_2)}, start);
        std::string const row = fmt::format("omega_2={:g}", springs.omega_2);
        auto const reference = solve(system, dormand_prince{.rtol = 1e-6, .atol = 1e-9}, start,
                                     {.end = 10, .output_times = times});
        for (std::size_t i = 0; i < 6; ++i) {
            int const n = 1 << i;
            auto const run = solve(slow, rk4{.step = 1. / n}, start, {.end = 10});
            double error = 0;
            for (std::size_t m = 0; m < run.t.size(); ++m)
                for (std::size_t k = 0; k < 4; ++k)
                    error = std::max(error, std::abs(run.position[m][k] - reference.position[m * (32 >> i)][k]));
            if (!run) error = std::nan("");
            entry& e = two_digits(r, row, fmt::format("H=1/{}", n), table_1[j].printed[i], error, table_1[j].prototype[i]);
            e.force_evaluations = run.statistics.force_evaluations;
        }
    }
    return r;
}

} // namespace lento::reproduce
