// Figures 3 to 7 of paper 004: HMM-X-y for the inverted pendulum under a sine vibration, X the macro scheme (FE, IFE,
// V), y the micro scheme (v, rk4). The figures have no numbers; the expected ones are of an independent computation.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>

namespace lento::reproduce {
namespace {

using angle = motion<std::array<double, 1>>;
constexpr angle at_start{{0.0}, {-0.4}};

/// A curve: times, angles, angular velocities, and the largest distance (13) from the averaged solution.
struct curve {
    solution<angle> run;
    double error;
};

template <class Macro, class Micro> curve hmm(Macro macro, Micro micro, window const& view, double end) {
    model::sine_pendulum const pendulum;
    auto const slow = effective(pendulum.system(), synchronous{view, pendulum.slow_velocity(), micro});
    auto run = solve(slow, macro, at_start, {.end = end, .given = initial_state::slow});
    auto const exact = solve(pendulum.averaged(), dormand_prince{.rtol = 1e-12, .atol = 1e-13}, at_start,
                             {.end = end, .output_times = run.t});
    double error = 0;
    for (std::size_t i = 0; i < run.t.size(); ++i)
        error = std::max(
            error, std::hypot(run.position[i][0] - exact.position[i][0], run.velocity[i][0] - exact.velocity[i][0]));
    if (!run) error = std::nan("");
    return {std::move(run), error};
}

/// The window of a row of table 1: how many forcing periods it covers and how many steps there are in each.
window row_window(double periods, double steps, bool unchecked = false) {
    return {.periods = periods, .steps_per_period = steps, .unchecked = unchecked};
}
window const row_2 = row_window(50, 50);

struct scheme {
    std::string name;
    double (*error)(double step, window const& view, double end);
};
template <class Macro, class Micro> double error_of(double step, window const& view, double end) {
    return hmm(Macro{.step = step}, Micro{}, view, end).error;
}
scheme const fe_v{"HMM-FE-v", error_of<euler, verlet>};
scheme const fe_rk4{"HMM-FE-rk4", error_of<euler, rk4>};
scheme const ife_v{"HMM-IFE-v", error_of<symplectic_euler, verlet>};
scheme const ife_rk4{"HMM-IFE-rk4", error_of<symplectic_euler, rk4>};
scheme const v_v{"HMM-V-v", error_of<verlet, verlet>};
scheme const v_rk4{"HMM-V-rk4", error_of<verlet, rk4>};

struct expected_curve {
    scheme const& which;
    std::array<double, 6> errors;
};
constexpr std::array<double, 6> steps = {0.5, 0.1, 0.05, 0.01, 0.005, 0.001};
constexpr double end_of_rows_2_and_3 = 12;

/// Errors against the macro step with fixed windows (row 2 of table 1).
void fixed_windows(report& r, std::vector<expected_curve> const& curves) {
    table errors{.name = "errors", .columns = {"H"}, .rows = {}};
    for (double const h : steps) errors.rows.push_back({h});
    for (auto const& each : curves) {
        errors.columns.push_back(each.which.name);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            double const error = each.which.error(steps[i], row_2, end_of_rows_2_and_3);
            errors.rows[i].push_back(error);
            r.expect(fmt::format("H={:g}", steps[i]), each.which.name, each.errors[i], error, 0.02);
        }
    }
    r.tables.push_back(std::move(errors));
}

double order_between(report const& r, std::string const& column, double coarse, double fine) {
    auto const at = [&](double h) {
        auto const row = fmt::format("H={:g}", h);
        return std::find_if(r.entries.begin(), r.entries.end(),
                            [&](entry const& e) { return e.row == row && e.column == column; })
            ->value;
    };
    return std::log(at(coarse) / at(fine)) / std::log(coarse / fine);
}

/// Errors with micro steps that shrink with H (row 3), matched with row 2 at one H. For an infinitely smooth kernel the
/// window stays alpha epsilon; h goes like H^(s/r), s the macro and r the micro order (the caption swaps them).
void scaled_windows(report& r, scheme const& which, double exponent, double matched_at, std::vector<double> const& hs,
                    std::vector<std::optional<double>> const& expected) {
    table errors{.name = fmt::format("scaled-matched-at-{:g}", matched_at),
                 .columns = {"H", "steps per period", which.name},
                 .rows = {}};
    for (std::size_t i = 0; i < hs.size(); ++i) {
        double const a_period = 50 * std::pow(matched_at / hs[i], exponent);
        double const error = which.error(hs[i], row_window(50, a_period), end_of_rows_2_and_3);
        std::string const column = fmt::format("{} scaled, matched at {:g}", which.name, matched_at);
        if (expected[i]) r.expect(fmt::format("H={:g}", hs[i]), column, *expected[i], error, 0.02);
        else r.show(fmt::format("H={:g}", hs[i]), column, error);
        errors.rows.push_back({hs[i], a_period, error});
    }
    r.tables.push_back(std::move(errors));
}

template <class Macro, class Micro>
void long_curve(report& r, std::string const& name, Macro macro, Micro micro, std::optional<double> expected) {
    auto const c = hmm(macro, micro, row_window(10, 10, true), 50);
    if (expected) r.expect("T=50", "HMM-" + name, *expected, c.error, 0.02);
    else r.show("T=50", "HMM-" + name, c.error);
    table path{.name = name, .columns = {"t", "angle", "angular velocity"}, .rows = {}};
    for (std::size_t i = 0; i < c.run.t.size(); ++i)
        path.rows.push_back({c.run.t[i], c.run.position[i][0], c.run.velocity[i][0]});
    r.tables.push_back(std::move(path));
    if (name == "FE-v" && !c.run.warnings.empty()) r.remarks.push_back(c.run.warnings.front().sentence);
}

} // namespace

report figure_004_3() {
    report r{.id = "004/figure-3",
             .title = "row 1 to T = 50: eta = 10 eps, h = eps/10, H = 0.01",
             .entries = {},
             .tables = {},
             .remarks = {}};
    long_curve(r, "FE-v", euler{.step = 0.01}, verlet{}, 0.50);
    long_curve(r, "IFE-v", symplectic_euler{.step = 0.01}, verlet{}, 0.736);
    long_curve(r, "V-v", verlet{.step = 0.01}, verlet{}, 0.737);
    long_curve(r, "IFE-rk4", symplectic_euler{.step = 0.01}, rk4{}, 0.060);
    long_curve(r, "V-rk4", verlet{.step = 0.01}, rk4{}, 0.062);

    model::sine_pendulum const pendulum;
    auto const exact = solve(pendulum.averaged(), dormand_prince{.rtol = 1e-12, .atol = 1e-13}, at_start,
                             {.end = 50, .output_count = 5001});
    table path{.name = "averaged", .columns = {"t", "angle", "angular velocity"}, .rows = {}};
    for (std::size_t i = 0; i < exact.t.size(); ++i)
        path.rows.push_back({exact.t[i], exact.position[i][0], exact.velocity[i][0]});
    r.tables.push_back(std::move(path));

    // the trap: these windows filter only because every t_n/eps is an integer
    double const shifted = 0.01 + 0.3e-6;
    auto const refused = hmm(verlet{.step = shifted}, rk4{}, row_window(10, 10), 12);
    r.compare("t_n/eps no integer", "10 eps refused (exit)", 5, exit_code(refused.run.result), 0);
    r.show("t_n/eps no integer", "10 eps unchecked",
           hmm(verlet{.step = shifted}, rk4{}, row_window(10, 10, true), 12).error);
    r.expect("t_n/eps no integer", "50 eps", 8.42e-5, hmm(verlet{.step = shifted}, rk4{}, row_2, 12).error, 0.02);
    r.remarks.emplace_back("the -v schemes do not hold the phase to T = 50: ten Verlet steps per period weaken the "
                           "stabilising term by 3.4 %");
    r.remarks.emplace_back(refused.run.message);
    return r;
}

report figure_004_4() {
    report r{.id = "004/figure-4",
             .title = "first-order schemes, row 2: eta = 50 eps, h = eps/50",
             .entries = {},
             .tables = {},
             .remarks = {}};
    fixed_windows(r, {{fe_v, {30.6, 1.457, .607, 7.40e-2, 3.40e-2, 8.6e-3}},
                      {fe_rk4, {30.7, 1.462, .6145, 7.78e-2, 3.70e-2, 7.1e-3}},
                      {ife_v, {.163, 3.24e-2, 1.60e-2, 6.04e-3, 7.60e-3, 8.90e-3}},
                      {ife_rk4, {.164, 3.31e-2, 1.67e-2, 3.36e-3, 1.68e-3, 3.37e-4}}});
    r.expect("order", fe_rk4.name, 1, order_between(r, fe_rk4.name, 0.005, 0.001), 0.1);
    r.expect("order", ife_rk4.name, 1, order_between(r, ife_rk4.name, 0.01, 0.001), 0.1);
    r.remarks.emplace_back("the -v curves end at the micro error: fifty Verlet steps per period change the stabilising "
                           "term by the factor 1.001317, which is an error of 9.23e-3");
    return r;
}

report figure_004_5() {
    report r{.id = "004/figure-5",
             .title = "second-order schemes, row 2: eta = 50 eps, h = eps/50",
             .entries = {},
             .tables = {},
             .remarks = {}};
    fixed_windows(r, {{v_v, {.222, 1.78e-2, 1.14e-2, 9.31e-3, 9.25e-3, 9.23e-3}},
                      {v_rk4, {.2126, 8.62e-3, 2.15e-3, 8.42e-5, 1.97e-5, 9.8e-7}}});
    r.expect("order", v_rk4.name, 2, order_between(r, v_rk4.name, 0.1, 0.01), 0.1);
    return r;
}

report figure_004_6() {
    report r{.id = "004/figure-6",
             .title = "HMM-V-v with fixed and with scaled micro steps (row 3)",
             .entries = {},
             .tables = {},
             .remarks = {}};
    fixed_windows(r, {{v_v, {.222, 1.78e-2, 1.14e-2, 9.31e-3, 9.25e-3, 9.23e-3}}});
    scaled_windows(r, v_v, 1, 0.1, {0.1, 0.05, 0.025, 0.01, 0.005}, {1.78e-2, 4.45e-3, 1.11e-3, 1.78e-4, 4.44e-5});
    scaled_windows(r, v_v, 1, 1, {0.5, 0.1, 0.05, 0.025, 0.01}, std::vector<std::optional<double>>(5));
    r.expect("order", "scaled", 2, order_between(r, "HMM-V-v scaled, matched at 0.1", 0.1, 0.005), 0.05);
    return r;
}

report figure_004_7() {
    report r{.id = "004/figure-7",
             .title = "HMM-V-rk4 with fixed and with scaled micro steps (row 3)",
             .entries = {},
             .tables = {},
             .remarks = {}};
    fixed_windows(r, {{v_rk4, {.2126, 8.62e-3, 2.15e-3, 8.42e-5, 1.97e-5, 9.8e-7}}});
    scaled_windows(r, v_rk4, 0.5, 0.1, {0.1, 0.05, 0.025, 0.01, 0.005}, std::vector<std::optional<double>>(5));
    scaled_windows(r, v_rk4, 0.5, 1, {0.5, 0.1, 0.05, 0.025, 0.01}, std::vector<std::optional<double>>(5));
    r.expect("order", "scaled", 2, order_between(r, "HMM-V-rk4 scaled, matched at 0.1", 0.1, 0.01), 0.05);
    return r;
}

} // namespace lento::reproduce
