// Beyond paper 003: its test problem with short notch windows and Adams's method, beside other ways to the same motion.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <lento/effective/limit.hpp>
#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

namespace lento::reproduce {
namespace {

using state = model::two_springs::state;

/// A start of the test problem: turned by an angle, velocities times a factor.
struct start_of_run {
    char const* name;
    double angle;
    double factor;
    [[nodiscard]] state operator()() const {
        state const plain = model::two_springs::on_constraints();
        state turned = plain;
        double const c = std::cos(angle);
        double const s = std::sin(angle);
        for (std::size_t i = 0; i < 4; i += 2) {
            turned.position[i] = c * plain.position[i] - s * plain.position[i + 1];
            turned.position[i + 1] = s * plain.position[i] + c * plain.position[i + 1];
            turned.velocity[i] = factor * (c * plain.velocity[i] - s * plain.velocity[i + 1]);
            turned.velocity[i + 1] = factor * (s * plain.velocity[i] + c * plain.velocity[i + 1]);
        }
        return turned;
    }
};

std::vector<double> quarters() {
    std::vector<double> times;
    for (int k = 0; k <= 40; ++k) times.push_back(0.25 * k);
    return times;
}
auto springs_of(double omega) { return model::two_springs{.omega_1 = omega, .omega_2 = omega}.both_hard(); }

/// The slow motion at t = 0.25 k: direct where that is possible, else the limit, from which it differs by 50/omega^2.
solution<state> reference_of(double omega, state const& start) {
    auto const system = springs_of(omega);
    if (omega <= 1e4) {
        auto const point = project(system, slow_manifold{cubic_window(omega)}, start);
        return solve(system, dormand_prince{.rtol = 1e-11, .atol = 1e-13}, point.x,
                     {.end = 10, .output_times = quarters()});
    }
    return solve(underlying(system.limit()), dormand_prince{.rtol = 1e-13, .atol = 1e-14}, start,
                 {.end = 10, .output_times = quarters()});
}

struct outcome_of_run {
    double at_end = std::nan("");
    double largest = std::nan("");
    double work = 0;
};
outcome_of_run judge(solution<state> const& run, solution<state> const& reference) {
    auto const& counts = run.statistics;
    outcome_of_run out{std::nan(""), std::nan(""),
                       static_cast<double>(counts.force_evaluations + counts.constraint_evaluations +
                                           counts.jacobian_evaluations + counts.linear_flow_applications)};
    if (!run) return out;
    out.largest = 0;
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            double const d = run.position[i][k] - reference.position[i][k];
            sum += d * d;
        }
        out.at_end = std::sqrt(sum);
        out.largest = std::max(out.largest, out.at_end);
    }
    return out;
}

/// The fast variant, the same for every omega and start: Adams of order 6 with a step of 1/112, loads extrapolated from
/// four windows, one notch window over 5 steps a side.
solution<state> fast_variant(double omega, state const& start) {
    projection_options const how{.tolerance = 1e-5, .iterations = 1, .notch_steps = 5, .loads = 4};
    auto const slow = effective(springs_of(omega), slow_manifold{cubic_window(omega), how});
    return solve(slow, adams{.step = 1. / 112}, start, {.end = 10, .output_times = quarters()});
}

/// The slow point of a start, to the best order.
state slow_point(double omega, state x) {
    auto const best = effective(springs_of(omega), limit{.order = 2});
    auto work = best.work();
    best.begin(0, x, work);
    best.lower(0, x, work);
    return x;
}
/// The limit of an order, no windows, the same for every omega and start.
solution<state> loaded_limit(double omega, state const& start, int order = 1) {
    return solve(effective(springs_of(omega), limit{.order = order}), fixed_dormand_prince_8{.step = 0.125}, start,
                 {.end = 10.125, .output_times = quarters()});
}

/// The same motion by off-the-shelf codes: directly, on the constrained limit, and as macro-integrators over projected
/// evaluations.
template <class Slow, class Beside>
void off_the_shelf(double omega, Slow const& slow, state const& start, state const& slow_point, Beside const& beside) {
    auto const system = springs_of(omega);
    solve_options<state> const to_ten{.end = 10, .output_times = quarters()};
    if (has_sundials()) {
        beside("CVODE Adams direct from the slow point, rtol=1e-9",
               solve(system, cvode_adams{.rtol = 1e-9, .atol = 1e-12}, slow_point, to_ten));
        beside("IDA on the constrained limit, rtol=1e-8",
               solve(system.limit(), ida{.rtol = 1e-8, .atol = 1e-9}, start, to_ten));
        beside("CVODE Adams and cubic windows, rtol=1e-7",
               solve(slow, cvode_adams{.rtol = 1e-7, .atol = 1e-8}, start, to_ten));
        beside("ARKODE and cubic windows, rtol=1e-7",
               solve(slow, arkode_dormand_prince{.rtol = 1e-7, .atol = 1e-8}, start, to_ten));
    }
    if (has_odeint()) {
        beside("odeint direct from the slow point, rtol=1e-8",
               solve(system, odeint_dormand_prince{.rtol = 1e-8, .atol = 1e-11}, slow_point, to_ten));
        beside("odeint and cubic windows, rtol=1e-7",
               solve(slow, odeint_dormand_prince{.rtol = 1e-7, .atol = 1e-8}, start, to_ten));
    }
}

void within(report& r, std::string row, outcome_of_run const& found, double bar) {
    r.bound(row, "error in q at t=10", found.at_end, bar).force_evaluations = static_cast<std::uint64_t>(found.work);
    r.show(row, "largest at t=0.25 k", found.largest).agrees = true;
    r.bound(std::move(row), "evaluations of all kinds", found.work, 20000);
}

} // namespace

report work_precision_003() {
    report r{.id = "003/work-precision", .title = "two hard springs to t = 10: errors and evaluations"};
    constexpr std::array<start_of_run, 3> starts = {
        {{"as printed", 0, 1}, {"turned by 0.3", 0.3, 1}, {"velocities doubled", 0, 2}}};
    for (auto const& start : starts) {
        auto const name = [&](char const* method, double omega) {
            return fmt::format("{}, omega={:g}, {}", method, omega, start.name);
        };
        auto const both = [&](double omega, state const& x, solution<state> const& truth, double bar) {
            within(r, name("notch and Adams", omega), judge(fast_variant(omega, x), truth), bar);
            within(r, name("limit of order 1 and DP8", omega), judge(loaded_limit(omega, x), truth),
                   omega < 1e5 ? 1e-5 : std::max(bar, 5e-7));
        };
        state const x = start();
        both(1e4, x, reference_of(1e4, x), 1e-7);
        auto const rigid = reference_of(1e8, x);
        both(1e5, x, rigid, 5e-7);
        both(1e6, x, rigid, 5e-7);
        both(1e8, x, rigid, 5e-6);
    }

    // where windows are no longer short beside the slow motion
    for (double const omega : {100., 1000.}) {
        state const x = slow_point(omega, starts[0]());
        auto const truth = solve(springs_of(omega), dormand_prince_8{.rtol = 1e-12, .atol = 1e-14}, x,
                                 {.end = 10.01, .output_times = quarters()});
        for (int const order : {0, 1, 2}) {
            auto const found = judge(loaded_limit(omega, x, order), truth);
            std::string const row = fmt::format("limit of order {} and DP8, omega={:g}", order, omega);
            auto const work = static_cast<std::uint64_t>(found.work);
            constexpr std::array<double, 3> bars{50, 2000, 1e6}; // over that power of omega
            double const bar =
                std::max(bars[static_cast<std::size_t>(order)] * std::pow(omega, -2. * (order + 1)), 1e-8);
            r.bound(row, "error in q at t=10", found.at_end, bar).force_evaluations = work;
        }
    }

    // the same motion by other means, omega = 1e4
    double const omega = 1e4;
    state const x = starts[0]();
    auto const system = springs_of(omega);
    auto const reference = reference_of(omega, x);
    auto const beside = [&](std::string row, solution<state> const& run) {
        auto const found = judge(run, reference);
        r.show(row, "error in q at t=10", found.at_end).force_evaluations = static_cast<std::uint64_t>(found.work);
        r.show(std::move(row), "largest at t=0.25 k", found.largest);
        return found;
    };
    auto const slow = effective(system, slow_manifold{cubic_window(omega)});
    auto const projected = [&](int n) {
        return beside(fmt::format("rk4 and cubic windows, H=1/{}", n),
                      solve(slow, rk4{.step = 1. / n}, x, {.end = 10, .output_times = quarters()}));
    };
    auto const coarse = projected(8);
    auto const fine = projected(64);
    auto const point = project(system, slow_manifold{cubic_window(omega)}, x).x;
    beside("Verlet direct from the slow point", solve(system, verlet{.step = 2 * std::numbers::pi / omega / 6}, point,
                                                      {.end = 10, .output_times = quarters()}));
    beside("Dormand-Prince direct from the slow point, rtol=1e-8",
           solve(system, dormand_prince{.rtol = 1e-8, .atol = 1e-11}, point, {.end = 10, .output_times = quarters()}));
    auto const constrained = [&](int n) {
        return beside(fmt::format("RATTLE, H=1/{}", n),
                      solve(system.limit(), rattle{.step = 1. / n}, x, {.end = 10, .output_times = quarters()}));
    };
    auto const rough = constrained(64);
    constrained(1024);
    auto const saturated = constrained(4096);
    // the text: RATTLE is best for low accuracy, rk4 on the slow manifold for high
    r.bound("errors of about 5e-4", "evaluations of RATTLE over those of rk4", rough.work / coarse.work, 0.5);
    r.bound("evaluations of about 3.5e5", "error of rk4 over that of RATTLE", fine.at_end / saturated.at_end, 0.5);
    off_the_shelf(omega, slow, x, point, beside);
    if (!has_sundials() || !has_odeint())
        r.remarks.emplace_back("this build lacks SUNDIALS or Boost, and with them some of the rows");
    r.remarks.emplace_back("the limit puts a start on g = 0 to the nearest slow point, which keeps a velocity of "
                           "O(1/omega^2) of the swing about it; from slow points its orders are better");
    r.remarks.emplace_back(
        "forces are evaluations of all kinds: forces, constraints, gradients of constraints, the start "
        "included");
    return r;
}

} // namespace lento::reproduce
