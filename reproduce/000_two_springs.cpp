// Paper 000: two masses and two springs, one or both of them hard.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

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
    std::array<double, 7> printed; ///< H = 1 ... 1/32, and adaptive
    std::array<double, 7> prototype;
};
constexpr std::array<table_row, 7> table_1 = {{
    {{4.3e-1, 6.1e-2, 4.9e-2, 4.8e-2, 4.8e-2, 4.8e-2, 4.9e-2},
     {4.374e-1, 6.06e-2, 4.89e-2, 4.79e-2, 4.79e-2, 4.81e-2, 4.957e-2}},
    {{4.7e-1, 4.6e-2, 9.1e-3, 8.0e-3, 7.9e-3, 7.9e-3, 9.9e-3},
     {4.67e-1, 4.60e-2, 9.09e-3, 7.98e-3, 7.91e-3, 7.90e-3, 9.89e-3}},
    {{4.7e-1, 4.3e-2, 3.3e-3, 2.1e-3, 2.1e-3, 2.1e-3, 4.1e-3},
     {4.70e-1, 4.33e-2, 3.27e-3, 2.15e-3, 2.07e-3, 2.07e-3, 4.12e-3}},
    {{4.7e-1, 4.3e-2, 1.7e-3, 6.5e-4, 5.9e-4, 5.9e-4, 2.7e-3},
     {4.69e-1, 4.31e-2, 1.73e-3, 6.50e-4, 5.89e-4, 5.86e-4, 2.71e-3}},
    {{4.7e-1, 4.1e-2, 1.3e-3, 2.1e-4, 1.5e-4, 1.6e-4, 2.2e-3},
     {4.68e-1, 4.12e-2, 1.33e-3, 2.06e-4, 1.549e-4, 1.562e-4, 2.18e-3}},
    {{4.6e-1, 3.5e-2, 1.4e-3, 1.3e-4, 6.9e-5, 6.9e-5, 1.9e-3},
     {4.63e-1, 3.50e-2, 1.44e-3, 1.31e-4, 6.87e-5, 6.70e-5, 1.93e-3}},
    {{3.5e-1, 2.8e-2, 2.1e-3, 1.4e-4, 3.3e-5, 3.1e-5, 1.6e-3},
     {3.53e-1, 2.81e-2, 2.10e-3, 1.44e-4, 3.34e-5, 3.14e-5, 1.63e-3}},
}};

/// Whether a value, printed with two digits, is the printed one.
bool same_two_digits(double printed, double value) {
    double const unit = std::pow(10., std::floor(std::log10(printed)) - 1);
    return std::abs(value - printed) <= 0.5000001 * unit;
}

/// The control of paper 000's adaptive runs, with the tolerances of tables and of references.
constexpr dormand_prince loose{.rtol = 1e-3, .atol = 1e-6, .control = control_rule::ode45};
constexpr dormand_prince tight{.rtol = 1e-6, .atol = 1e-9, .control = control_rule::ode45};

std::vector<double> quarters(double start, double end) {
    std::vector<double> times;
    for (int k = 0; start + 0.25 * k <= end; ++k) times.push_back(start + 0.25 * k);
    return times;
}

entry& two_digits(report& r, std::string row, std::string column, double printed, double value, double prototype) {
    entry& e = r.compare(std::move(row), std::move(column), printed, value, 0);
    e.agrees = same_two_digits(printed, value);
    e.tolerance = 0.5 * std::pow(10., std::floor(std::log10(printed)) - 1) / printed;
    if (!(std::abs(value - prototype) <= 0.01 * prototype)) e.agrees = false;
    return e;
}

/// An entry that the print does not agree with, although an independent prototype does.
void tell_known(entry& e, double prototype) {
    e.known = std::abs(e.value - prototype) <= 0.01 * prototype;
    e.note =
        fmt::format("an independent program has {:g}; the reference here has the paper's tolerances, which do not fix "
                    "the last printed digit",
                    prototype);
}

/// Steps of direct runs, each sorted, from starts that differ by 1e-12: their counts depend on the last digits.
struct direct_counts {
    std::vector<double> accepted;
    std::vector<double> rejected;

    template <class System, class State> direct_counts(System const& system, State const& start) {
        constexpr int each_side = 20;
        for (int k = -each_side; k <= each_side; ++k) {
            auto nearby = start;
            nearby.position[0] += 1e-12 * k;
            auto const run = solve(system, loose, nearby, {.end = 10, .output_times = {10}});
            accepted.push_back(static_cast<double>(run.statistics.macro_steps));
            rejected.push_back(static_cast<double>(run.statistics.macro_rejected));
        }
        std::sort(accepted.begin(), accepted.end());
        std::sort(rejected.begin(), rejected.end());
    }
};

/// Compares a printed count with the median of sorted draws. One that is away from it, but among the draws, is a chance
/// that no computation can repeat.
void compare_draw(report& r, std::string const& row, std::string const& column, double printed,
                  std::vector<double> const& draws, double tolerance) {
    entry& e = r.compare(row, column, printed, draws[draws.size() / 2], tolerance);
    if (e.agrees) return;
    e.known = draws.front() <= printed && printed <= draws.back();
    e.note =
        fmt::format("chaotic: {} starts that differ by 1e-12 take {} to {}", draws.size(), draws.front(), draws.back());
}

} // namespace

report table_000_1() {
    report r{.id = "000/table-1",
             .title = "errors in q, soft and hard spring, force averaging",
             .entries = {},
             .tables = {},
             .remarks = {}};
    std::vector<double> times;
    for (int k = 0; k <= 320; ++k) times.push_back(k / 32.);
    for (std::size_t j = 0; j < stiffness.size(); ++j) {
        model::two_springs const springs{.omega_1 = 1, .omega_2 = stiffness[j]};
        auto const system = springs.second_hard();
        auto const start = springs.stretched_second();
        auto const slow = effective(system, force_averaging{papers_window(springs.omega_2)});
        std::string const row = fmt::format("omega_2={:g}", springs.omega_2);
        auto const reference = solve(system, tight, start, {.end = 10, .output_times = times});
        for (std::size_t i = 0; i < 6; ++i) {
            int const n = 1 << i;
            auto const run = solve(slow, rk4{.step = 1. / n}, start, {.end = 10});
            double error = 0;
            for (std::size_t m = 0; m < run.t.size(); ++m)
                for (std::size_t k = 0; k < 4; ++k)
                    error = std::max(error, std::abs(run.position[m][k] - reference.position[m * (32 >> i)][k]));
            if (!run) error = std::nan("");
            entry& e =
                two_digits(r, row, fmt::format("H=1/{}", n), table_1[j].printed[i], error, table_1[j].prototype[i]);
            e.force_evaluations = run.statistics.force_evaluations;
            if (!e.agrees) tell_known(e, table_1[j].prototype[i]);
        }
        auto const run = solve(slow, loose, start, {.end = 10, .output_times = quarters(0, 10)});
        double error = 0;
        for (std::size_t m = 0; m < run.t.size(); ++m)
            for (std::size_t k = 0; k < 4; ++k)
                error = std::max(error, std::abs(run.position[m][k] - reference.position[8 * m][k]));
        entry& e = two_digits(r, row, "ode45", table_1[j].printed[6], error, table_1[j].prototype[6]);
        e.force_evaluations = run.statistics.force_evaluations;
        if (!e.agrees) tell_known(e, table_1[j].prototype[6]);
    }
    // beyond the paper: three vanishing moments at the smallest stiffness
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 200};
    auto const system = springs.second_hard();
    auto const start = springs.stretched_second();
    auto const reference = solve(system, dormand_prince{.rtol = 1e-10, .atol = 1e-12}, start,
                                 {.end = 10, .output_times = quarters(0, 10)});
    auto const slow = effective(system, force_averaging{papers_window(200, 3)});
    auto const run = solve(slow, rk4{.step = 1. / 32}, start, {.end = 10, .output_times = quarters(0, 10)});
    entry& e = r.bound("omega_2=200", "H=1/32, three moments", position_error(run, reference), 4e-3);
    e.force_evaluations = run.statistics.force_evaluations;
    return r;
}

report table_000_2() {
    report r{.id = "000/table-2",
             .title = "steps of ode45, direct and with force averaging",
             .entries = {},
             .tables = {},
             .remarks = {}};
    constexpr std::array<std::array<double, 4>, 7> printed = {{{3563, 802, 22, 0},
                                                               {8880, 2040, 22, 0},
                                                               {17796, 4012, 22, 0},
                                                               {35589, 7914, 22, 0},
                                                               {88898, 19125, 22, 0},
                                                               {178496, 38840, 22, 1},
                                                               {350740, 80250, 23, 1}}};
    for (std::size_t j = 0; j < stiffness.size(); ++j) {
        model::two_springs const springs{.omega_1 = 1, .omega_2 = stiffness[j]};
        auto const system = springs.second_hard();
        auto const start = springs.stretched_second();
        std::string const row = fmt::format("omega_2={:g}", springs.omega_2);
        direct_counts const direct(system, start);
        compare_draw(r, row, "direct, successes", printed[j][0], direct.accepted, 0.015);
        compare_draw(r, row, "direct, failures", printed[j][1], direct.rejected, 0.15);
        auto const slow = effective(system, force_averaging{papers_window(springs.omega_2)});
        auto const hmm = solve(slow, loose, start, {.end = 10, .output_times = {10}});
        r.compare(row, "HMM, successes", printed[j][2], static_cast<double>(hmm.statistics.macro_steps), 0)
            .force_evaluations = hmm.statistics.force_evaluations;
        r.compare(row, "HMM, failures", printed[j][3], static_cast<double>(hmm.statistics.macro_rejected), 0);
    }
    r.remarks.emplace_back(
        "the direct counts are chaotic: a change of 1e-12 in the start moves them by a per cent. Given are medians of "
        "41 "
        "such starts; a printed count away from the median is known to be one draw when it lies among them");
    return r;
}

report case_000_ii() {
    report r{.id = "000/case-ii",
             .title = "first spring hard with much energy, ode45",
             .entries = {},
             .tables = {},
             .remarks = {}};
    model::two_springs const springs{.omega_1 = 500, .omega_2 = 1};
    auto const system = springs.first_hard();
    auto const start = springs.stretched_first();
    auto const reference = solve(system, tight, start, {.end = 10, .output_times = quarters(0, 10)});
    auto const slow = effective(system, force_averaging{papers_window(500)});
    auto const run = solve(slow, loose, start, {.end = 10, .output_times = quarters(0, 10)});
    double in_velocity = 0;
    for (std::size_t i = 0; i < run.t.size(); ++i)
        for (std::size_t k = 0; k < 4; ++k)
            in_velocity = std::max(in_velocity, std::abs(run.velocity[i][k] - reference.velocity[i][k]));
    r.compare("omega_1=500", "error in q", 0.041, position_error(run, reference), 0.0123).force_evaluations =
        run.statistics.force_evaluations;
    r.compare("omega_1=500", "error in q'", 19.341, in_velocity, 2e-3);
    return r;
}

report case_000_iii() {
    report r{.id = "000/case-iii",
             .title = "both springs hard, with and without projection back",
             .entries = {},
             .tables = {},
             .remarks = {}};
    model::two_springs const springs{.omega_1 = 500, .omega_2 = 500};
    auto const system = springs.both_hard();
    auto const start = springs.stretched_second();
    auto const reference = solve(system, tight, start, {.end = 10, .output_times = quarters(0, 10)});
    auto const slow = effective(system, force_averaging{papers_window(500)});

    auto const alone = solve(slow, loose, start, {.end = 10, .output_times = quarters(0, 10)});
    table drift{.name = "without-projection", .columns = {"t", "error in q"}, .rows = {}};
    double before = 0;
    double after = 0;
    for (std::size_t i = 0; i < alone.t.size(); ++i) {
        double error = 0;
        for (std::size_t k = 0; k < 4; ++k)
            error = std::max(error, std::abs(alone.position[i][k] - reference.position[i][k]));
        drift.rows.push_back({alone.t[i], error});
        if (alone.t[i] < 1.75) before = std::max(before, error);
        if (alone.t[i] <= 4) after = std::max(after, error);
    }
    r.tables.push_back(drift);
    r.bound("without", "error in q for t < 1.75", before, 0.03);
    r.expect("without", "error in q for t <= 4", 0.58, after, 0.05);
    double told = std::nan("");
    for (auto const& each : alone.warnings)
        if (each.code == "constraint_drift") told = each.time;
    if (!alone) told = alone.end;
    r.bound("without", "the drift is told at t", told, 3);

    // the paper restarts the code at t = 1 ... 9, each time from the filtered state
    double error = 0;
    statistics total;
    auto x = start;
    for (int k = 0; k < 10; ++k) {
        auto const part = solve(slow, loose, x, {.start = 1. * k, .end = k + 1., .output_times = quarters(k, k + 1.)});
        for (std::size_t i = 0; i < part.t.size(); ++i)
            for (std::size_t c = 0; c < 4; ++c)
                error = std::max(
                    error, std::abs(part.position[i][c] - reference.position[4 * static_cast<std::size_t>(k) + i][c]));
        x = {part.position.back(), part.velocity.back()};
        total += part.statistics;
    }
    r.compare("projected at t = 1 ... 9", "error in q", 0.0359, error, 0.005).force_evaluations =
        total.force_evaluations;
    r.expect("projected at t = 1 ... 9", "steps", 112, static_cast<double>(total.macro_steps), 0);
    r.remarks.emplace_back(
        "the two fast frequencies vary along the motion and their energy is O(1): the true slow motion "
        "feels it, and this method does not. The printed 0.0359 does not shrink as omega grows");
    return r;
}

} // namespace lento::reproduce
