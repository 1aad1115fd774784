// Paper 003, section 6: the slow motion of two hard springs, and what it costs.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

namespace lento::reproduce {
namespace {

using state = model::two_springs::state;

constexpr std::array<double, 3> stiffness = {100, 1e3, 1e4};

projection_options papers_options(double omega) { return {.tolerance = omega < 500 ? 1e-7 : 1e-9}; }

auto springs_of(double omega) { return model::two_springs{.omega_1 = omega, .omega_2 = omega}.both_hard(); }

state slow_start(double omega) {
    return project(springs_of(omega), slow_manifold{cubic_window(omega), papers_options(omega)},
                   model::two_springs::on_constraints())
        .x;
}

double distance(std::array<double, 4> const& a, std::array<double, 4> const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

/// The slow motion at t = 10: the stiff system itself, from the slow point, with tight tolerances (section 6).
state slow_end(double omega) {
    auto const run = solve(springs_of(omega), dormand_prince{.rtol = 1e-11, .atol = 1e-13}, slow_start(omega),
                           {.end = 10, .output_times = {10}});
    return {run.position.back(), run.velocity.back()};
}

entry& within_factor_two(report& r, std::string row, std::string column, double value, double level) {
    entry& e = r.expect(std::move(row), std::move(column), level, value, 1);
    e.agrees = value <= 2 * level && value >= level / 2;
    e.note = fmt::format("expected {:g} within a factor 2", level);
    return e;
}

struct errors {
    double q;
    double p;
};
template <class Solution> errors errors_of(Solution const& run, state const& exact) {
    if (!run) return {std::nan(""), std::nan("")};
    return {distance(run.position.back(), exact.position), distance(run.velocity.back(), exact.velocity)};
}

double work_of_run(statistics const& counts) {
    return static_cast<double>(counts.force_evaluations + counts.constraint_evaluations + counts.jacobian_evaluations);
}

report opened(std::string id, std::string title) {
    report r{.id = std::move(id), .title = std::move(title), .entries = {}, .tables = {}, .remarks = {}};
    r.tables.push_back(
        {.name = "errors", .columns = {"omega", "setting", "work", "error in q", "error in p"}, .rows = {}});
    return r;
}
void note_row(report& r, double omega, double setting, statistics const& counts, errors const& e) {
    r.tables.front().rows.push_back({omega, setting, work_of_run(counts), e.q, e.p});
}

/// A direct integration with tolerances (tolerance, tolerance/1000) in place of the paper's ode113, to t = 10.
auto direct(double omega, state const& start, double tolerance) {
    return solve(springs_of(omega), dormand_prince{.rtol = tolerance, .atol = tolerance * 1e-3}, start,
                 {.end = 10, .output_times = {10}});
}
constexpr std::array<double, 8> tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

} // namespace

report figure_003_2() {
    report r = opened("003/figure-2", "errors at t = 10 of the constrained motion by RATTLE");
    constexpr std::array<double, 3> level = {8.2e-3, 4.4e-5, 4.5e-7};
    for (std::size_t j = 0; j < stiffness.size(); ++j) {
        double const omega = stiffness[j];
        state const exact = slow_end(omega);
        errors last{};
        for (int n = 8; n <= 4096; n *= 2) {
            auto const run = solve(springs_of(omega).limit(), rattle{.step = 1. / n},
                                   model::two_springs::on_constraints(), {.end = 10, .output_times = {10}});
            last = errors_of(run, exact);
            note_row(r, omega, 1. / n, run.statistics, last);
        }
        within_factor_two(r, fmt::format("omega={:g}", omega), "saturation in q", last.q, level[j]);
        r.show(fmt::format("omega={:g}", omega), "saturation in p", last.p);
    }
    return r;
}

report figure_003_3() {
    report r = opened("003/figure-3", "errors at t = 10 of the stiff motion from the constraint manifold");
    constexpr std::array<double, 3> in_q = {0, 1e-5, 1e-7};
    constexpr std::array<double, 3> in_p = {0, 1e-3, 1e-4};
    for (std::size_t j = 0; j < stiffness.size(); ++j) {
        state const exact = slow_end(stiffness[j]);
        errors last{};
        for (double const tolerance : tolerances) {
            auto const run = direct(stiffness[j], model::two_springs::on_constraints(), tolerance);
            last = errors_of(run, exact);
            note_row(r, stiffness[j], tolerance, run.statistics, last);
        }
        std::string const row = fmt::format("omega={:g}", stiffness[j]);
        if (in_q[j] == 0) {
            r.show(row, "saturation in q", last.q);
            r.show(row, "saturation in p", last.p);
            continue;
        }
        within_factor_two(r, row, "saturation in q", last.q, in_q[j]);
        within_factor_two(r, row, "saturation in p", last.p, in_p[j]);
    }
    r.remarks.emplace_back(
        "Dormand and Prince's pair stands in for the paper's ode113; saturations do not depend on it");
    return r;
}

report figure_003_4() {
    report r = opened("003/figure-4", "errors at t = 10 of the stiff motion from the slow manifold");
    for (double const omega : stiffness) {
        state const exact = slow_end(omega);
        state const start = slow_start(omega);
        errors last{};
        for (double const tolerance : tolerances) {
            auto const run = direct(omega, start, tolerance);
            last = errors_of(run, exact);
            note_row(r, omega, tolerance, run.statistics, last);
        }
        r.bound(fmt::format("omega={:g}", omega), "error in q at 1e-10", last.q,
                omega < 500 ? 1e-6 : 0.1 / (omega * omega));
        r.show(fmt::format("omega={:g}", omega), "error in p at 1e-10", last.p);
    }
    r.remarks.emplace_back("the saturation of figure 3, 10/omega^2 in q, is gone");
    return r;
}

report figure_003_5() {
    report r = opened("003/figure-5", "errors at t = 10 with projections at t = 1 ... 9");
    for (double const omega : stiffness) {
        state const exact = slow_end(omega);
        auto const system = springs_of(omega);
        slow_manifold const closure{cubic_window(omega), papers_options(omega)};
        errors last{};
        for (double const tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-11}) {
            state x = model::two_springs::on_constraints();
            statistics counts;
            for (int k = 0; k < 10; ++k) {
                auto const point = project(system, closure, x);
                auto const part = solve(system, dormand_prince{.rtol = tolerance, .atol = tolerance * 1e-3}, point.x,
                                        {.start = 1. * k, .end = k + 1., .output_times = {k + 1.}});
                x = {part.position.back(), part.velocity.back()};
                counts.force_evaluations += part.statistics.force_evaluations + point.statistics.force_evaluations;
            }
            last = {distance(x.position, exact.position), distance(x.velocity, exact.velocity)};
            note_row(r, omega, tolerance, counts, last);
        }
        std::string const row = fmt::format("omega={:g}", omega);
        if (omega == 1e3) {
            within_factor_two(r, row, "saturation in q", last.q, 4e-8);
            within_factor_two(r, row, "saturation in p", last.p, 4.4e-7);
        } else {
            r.show(row, "error in q", last.q);
            r.show(row, "error in p", last.p);
        }
    }
    return r;
}

report figure_003_6() {
    report r = opened("003/figure-6", "errors at t = 10 of rk4 with every stage on the slow manifold");
    constexpr std::array<double, 6> prototype = {3.5e-2, 4.7e-3, 4.0e-4, 2.8e-5, 1.8e-6, 1.0e-7};
    std::array<std::array<errors, 6>, 3> found{};
    std::array<std::array<double, 6>, 3> forces{};
    for (std::size_t j = 0; j < stiffness.size(); ++j) {
        double const omega = stiffness[j];
        state const exact = slow_end(omega);
        state const start = model::two_springs::on_constraints();
        auto const slow = effective(springs_of(omega), slow_manifold{cubic_window(omega), papers_options(omega)});
        for (std::size_t i = 0; i < 6; ++i) {
            double const step = 1. / (2 << i);
            auto const run = solve(slow, rk4{.step = step}, start, {.end = 10, .output_times = {10}});
            found[j][i] = errors_of(run, exact);
            forces[j][i] = static_cast<double>(run.statistics.force_evaluations);
            note_row(r, omega, step, run.statistics, found[j][i]);
        }
    }
    for (std::size_t i = 0; i < 6; ++i)
        r.expect("omega=10000", fmt::format("error in q, H=1/{}", 2 << i), prototype[i], found[2][i].q, 0.12)
            .force_evaluations = static_cast<std::uint64_t>(forces[2][i]);
    r.expect("omega=10000", "order from H=1/32 to 1/64", 4, std::log2(found[2][4].q / found[2][5].q), 0.06);
    for (std::size_t i = 0; i < 4; ++i)
        r.expect("omega=1000", fmt::format("error in q, H=1/{}, as at 10000", 2 << i), found[2][i].q, found[1][i].q,
                 0.1);
    r.remarks.emplace_back(
        "stages use the averaged force of the last window; the force at the projected point itself would "
        "add the filter's normal bias times omega^2");
    return r;
}

} // namespace lento::reproduce
