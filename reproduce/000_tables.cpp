// Tables 1 and 2 of paper 000: two masses and two springs, the second one hard.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reproduce/two_springs.hpp"

#include <lento/base/decimal.hpp>

namespace lento::reproduce {
namespace {

constexpr std::array<double, 7> stiffness = {200, 500, 1000, 2000, 5000, 1e4, 2e4};

/// The row of a table for one stiffness: H = 1 ... 1/32, and adaptive.
struct table_row {
    std::array<char const*, 7> printed;
    std::array<double, 7> measured; ///< by the independent prototype
};
constexpr std::array<table_row, 7> table_1 = {{
    {{"4.3e-1", "6.1e-2", "4.9e-2", "4.8e-2", "4.8e-2", "4.8e-2", "4.9e-2"},
     {4.374e-1, 6.06e-2, 4.89e-2, 4.79e-2, 4.79e-2, 4.81e-2, 4.957e-2}},
    {{"4.7e-1", "4.6e-2", "9.1e-3", "8.0e-3", "7.9e-3", "7.9e-3", "9.9e-3"},
     {4.67e-1, 4.60e-2, 9.09e-3, 7.98e-3, 7.91e-3, 7.90e-3, 9.89e-3}},
    {{"4.7e-1", "4.3e-2", "3.3e-3", "2.1e-3", "2.1e-3", "2.1e-3", "4.1e-3"},
     {4.70e-1, 4.33e-2, 3.27e-3, 2.15e-3, 2.07e-3, 2.07e-3, 4.12e-3}},
    {{"4.7e-1", "4.3e-2", "1.7e-3", "6.5e-4", "5.9e-4", "5.9e-4", "2.7e-3"},
     {4.69e-1, 4.31e-2, 1.73e-3, 6.50e-4, 5.89e-4, 5.86e-4, 2.71e-3}},
    {{"4.7e-1", "4.1e-2", "1.3e-3", "2.1e-4", "1.5e-4", "1.6e-4", "2.2e-3"},
     {4.68e-1, 4.12e-2, 1.33e-3, 2.06e-4, 1.549e-4, 1.562e-4, 2.18e-3}},
    {{"4.6e-1", "3.5e-2", "1.4e-3", "1.3e-4", "6.9e-5", "6.9e-5", "1.9e-3"},
     {4.63e-1, 3.50e-2, 1.44e-3, 1.31e-4, 6.87e-5, 6.70e-5, 1.93e-3}},
    {{"3.5e-1", "2.8e-2", "2.1e-3", "1.4e-4", "3.3e-5", "3.1e-5", "1.6e-3"},
     {3.53e-1, 2.81e-2, 2.10e-3, 1.44e-4, 3.34e-5, 3.14e-5, 1.63e-3}},
}};

/// Steps of direct runs, each sorted, from starts that differ by 1e-12: their counts depend on the last digits.
struct direct_counts {
    std::vector<double> accepted;
    std::vector<double> rejected;
    std::vector<double> forces;

    template <class System, class State> direct_counts(System const& system, State const& start) {
        constexpr int each_side = 20;
        for (int k = -each_side; k <= each_side; ++k) {
            auto nearby = start;
            nearby.position[0] += 1e-12 * k;
            auto const run = solve(system, loose, nearby, {.end = 10, .output_times = {10}});
            accepted.push_back(static_cast<double>(run.statistics.macro_steps));
            rejected.push_back(static_cast<double>(run.statistics.macro_rejected));
            forces.push_back(static_cast<double>(run.statistics.force_evaluations));
        }
        for (auto* each : {&accepted, &rejected, &forces}) std::sort(each->begin(), each->end());
    }
};

double median(std::vector<double> const& sorted) { return sorted[sorted.size() / 2]; }

/// Compares a printed count with the median of sorted draws. One that is away from it, but among the draws, is a chance
/// that no computation can repeat.
void compare_draw(report& r, std::string const& row, std::string const& column, std::string const& printed,
                  std::vector<double> const& draws, double tolerance) {
    entry& e = r.compare(row, column, printed, median(draws), tolerance);
    if (draws.front() <= *e.paper && *e.paper <= draws.back())
        e.known_because(fmt::format("chaotic: {} starts that differ by 1e-12 take {} to {}", draws.size(),
                                    draws.front(), draws.back()));
}

/// The columns of a picture of table 1: the stiffness, then errors and printed ones by step.
table picture_columns() {
    table errors{.name = "errors", .columns = {"omega_2"}, .rows = {}};
    for (std::string const what : {"", " printed"}) {
        for (int n = 1; n <= 32; n *= 2)
            errors.columns.push_back(n == 1 ? "H = 1" + what : fmt::format("H = 1/{}{}", n, what));
        errors.columns.push_back("ode45" + what);
    }
    return errors;
}

figure picture_of(table const& errors) {
    panel axes{.title = "",
               .x = {.label = "omega_2", .logarithmic = true},
               .y = {.label = "error in q", .logarithmic = true},
               .curves = {}};
    for (int i = 1; i <= 7; ++i) {
        auto const& name = errors.columns[static_cast<std::size_t>(i)];
        axes.curves.push_back({errors.name, "omega_2", name, name, i == 7 ? stroke::dashes : stroke::line, i - 1});
        axes.curves.push_back({errors.name, "omega_2", name + " printed", i == 7 ? "printed" : "", stroke::printed});
    }
    return {.name = "000/table-1",
            .caption = "A soft and a hard spring, force averaging: largest error in position for 0 <= t <= 10",
            .panels = {axes}};
}

/// Why two entries at the smallest stiffness do not come out is not known; what was tried is said.
constexpr char const* not_explained =
    "not explained: windows of 19 to 21 periods, projections over 10 to 30, 5 to 12 steps per period, outputs at every "
    "1/4 to 1/32 and references of 1e-5 to 1e-10 were tried, and none gives both";

} // namespace

report table_000_1() {
    report r{.id = "000/table-1", .title = "errors in q, soft and hard spring, force averaging"};
    std::vector<double> times;
    for (int k = 0; k <= 320; ++k) times.push_back(k / 32.);
    table errors = picture_columns();
    for (std::size_t j = 0; j < stiffness.size(); ++j) {
        model::two_springs const springs{.omega_1 = 1, .omega_2 = stiffness[j]};
        auto const system = springs.second_hard();
        auto const start = springs.stretched_second();
        auto const slow = effective(system, force_averaging{twenty_periods(springs.omega_2)});
        auto const reference = solve(system, tight, start, {.end = 10, .output_times = times});
        errors.rows.push_back({springs.omega_2});
        auto const enter = [&](std::size_t i, std::string const& column, auto const& run, std::size_t stride) {
            double error = run ? 0 : std::nan("");
            for (std::size_t m = 0; m < run.t.size(); ++m)
                error = std::max(error, distance(run.position[m], reference.position[m * stride]));
            entry& e = r.compare(fmt::format("omega_2={:g}", springs.omega_2), column, table_1[j].printed[i], error);
            e.and_expect(table_1[j].measured[i], prototype, 0.01);
            e.force_evaluations = run.statistics.force_evaluations;
            if (springs.omega_2 == 200) e.known_because(not_explained);
            if (springs.omega_2 == 1e4)
                e.known_because(
                    "explained in part: 1.5e-6 are missing, and the reference itself errs by 9e-7, shown below");
            errors.rows.back().push_back(error);
        };
        for (std::size_t i = 0; i < 6; ++i)
            enter(i, fmt::format("H=1/{}", 1 << i), solve(slow, rk4{.step = 1. / (1 << i)}, start, {.end = 10}),
                  32U >> i);
        enter(6, "ode45", solve(slow, loose, start, {.end = 10, .output_times = quarters(0, 10)}), 8);
        for (char const* printed : table_1[j].printed) errors.rows.back().push_back(decimal<double>(printed));
        if (springs.omega_2 != 1e4) continue;
        auto const finer =
            solve(system, dormand_prince{.rtol = 1e-10, .atol = 1e-12}, start, {.end = 10, .output_times = times});
        r.show("omega_2=10000", "error of the reference itself", position_error(reference, finer));
    }
    r.figures.push_back(picture_of(errors));
    r.tables.push_back(std::move(errors));

    // beyond the paper: three vanishing moments at the smallest stiffness
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 200};
    auto const system = springs.second_hard();
    auto const start = springs.stretched_second();
    auto const reference = solve(system, dormand_prince{.rtol = 1e-10, .atol = 1e-12}, start,
                                 {.end = 10, .output_times = quarters(0, 10)});
    auto const slow = effective(system, force_averaging{twenty_periods(200, 3)});
    auto const run = solve(slow, rk4{.step = 1. / 32}, start, {.end = 10, .output_times = quarters(0, 10)});
    r.bound("omega_2=200", "H=1/32, three moments", position_error(run, reference), 4e-3).force_evaluations =
        run.statistics.force_evaluations;
    return r;
}

report table_000_2() {
    report r{.id = "000/table-2", .title = "steps of ode45, direct and with force averaging"};
    constexpr std::array<std::array<char const*, 4>, 7> printed = {{{"3563", "802", "22", "0"},
                                                                    {"8880", "2040", "22", "0"},
                                                                    {"17796", "4012", "22", "0"},
                                                                    {"35589", "7914", "22", "0"},
                                                                    {"88898", "19125", "22", "0"},
                                                                    {"178496", "38840", "22", "1"},
                                                                    {"350740", "80250", "23", "1"}}};
    constexpr std::array<std::array<double, 2>, 7> seconds = {
        {{1.6, 1.1}, {4.0, 1.1}, {8.0, 1.1}, {15.9, 1.1}, {39.5, 1.1}, {76.7, 1.2}, {157.8, 1.2}}};
    for (std::size_t j = 0; j < stiffness.size(); ++j) {
        model::two_springs const springs{.omega_1 = 1, .omega_2 = stiffness[j]};
        auto const system = springs.second_hard();
        auto const start = springs.stretched_second();
        std::string const row = fmt::format("omega_2={:g}", springs.omega_2);
        direct_counts const direct(system, start);
        compare_draw(r, row, "direct, successes", printed[j][0], direct.accepted, 0.015);
        compare_draw(r, row, "direct, failures", printed[j][1], direct.rejected, 0.15);
        auto const slow = effective(system, force_averaging{twenty_periods(springs.omega_2)});
        auto const hmm = solve(slow, loose, start, {.end = 10, .output_times = {10}});
        auto const forces = static_cast<double>(hmm.statistics.force_evaluations);
        r.compare(row, "HMM, successes", printed[j][2], static_cast<double>(hmm.statistics.macro_steps))
            .force_evaluations = hmm.statistics.force_evaluations;
        r.compare(row, "HMM, failures", printed[j][3], static_cast<double>(hmm.statistics.macro_rejected));
        entry& ratio = r.expect(row, "direct forces over HMM's", seconds[j][0] / seconds[j][1], "the printed seconds",
                                median(direct.forces) / forces, 0.25);
        ratio.force_evaluations = static_cast<std::uint64_t>(median(direct.forces));
        ratio.note = "within 25 %: seconds of another machine";
    }
    r.remarks.emplace_back(
        "the direct counts are chaotic: a change of 1e-12 in the start moves them by a per cent. Given are medians of "
        "41 such starts; a printed count away from the median is known to be one draw when it lies among them");
    r.remarks.emplace_back("printed seconds are compared as ratios with those of force evaluations, within 25 %");
    return r;
}

} // namespace lento::reproduce
