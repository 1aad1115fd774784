// Figures 3 to 7 of paper 004: HMM-X-y for the inverted pendulum under a sine vibration, X the macro scheme (FE, IFE,
// V), y the micro scheme (v, rk4). The figures have no numbers; the expected ones are of an independent computation.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>

namespace lento::reproduce {
namespace {

using angle = motion<std::array<double, 1>>;
constexpr angle at_start{{0.0}, {-0.4}};

/// A run: times, angles, angular velocities, and the largest distance (13) from the averaged solution.
struct measured_run {
    solution<angle> run;
    double error;
};

template <class Macro, class Micro> measured_run hmm(Macro macro, Micro micro, window const& view, double end) {
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

/// One point of a curve, and what it took.
struct point_of_curve {
    double error;
    std::uint64_t forces;
};
struct scheme {
    std::string name;
    point_of_curve (*run)(double step, window const& view, double end);
};
template <class Macro, class Micro> point_of_curve run_of(double step, window const& view, double end) {
    auto const made = hmm(Macro{.step = step}, Micro{}, view, end);
    return {made.error, made.run.statistics.force_evaluations};
}
scheme const fe_v{"HMM-FE-v", run_of<euler, verlet>};
scheme const fe_rk4{"HMM-FE-rk4", run_of<euler, rk4>};
scheme const ife_v{"HMM-IFE-v", run_of<symplectic_euler, verlet>};
scheme const ife_rk4{"HMM-IFE-rk4", run_of<symplectic_euler, rk4>};
scheme const v_v{"HMM-V-v", run_of<verlet, verlet>};
scheme const v_rk4{"HMM-V-rk4", run_of<verlet, rk4>};
std::string forces_of(scheme const& which) { return which.name + ", forces"; }

struct expected_curve {
    scheme const& which;
    std::array<double, 6> errors;
};
constexpr std::array<double, 6> steps = {0.5, 0.1, 0.05, 0.01, 0.005, 0.001};
constexpr char const* first_order = "order 1 of the macro scheme";
constexpr char const* second_order = "order 2 of the macro scheme";
axis const inverse_step{.label = "1/H", .logarithmic = true};
axis const error_axis{.label = "error (13)", .logarithmic = true};
constexpr double end_of_rows_2_and_3 = 12;

/// A line of the slope that an order has in the paper's axes, through one point.
std::string slope_name(int order) { return fmt::format("slope of order {}", order); }
void add_slope(report& r, int order, double at_first) {
    table line{.name = slope_name(order), .columns = {"1/H", "error"}, .rows = {}};
    for (double const h : {1., 0.001}) line.rows.push_back({1 / h, at_first * std::pow(h, order)});
    r.tables.push_back(std::move(line));
    r.figures.front().panels.front().curves.push_back(
        {slope_name(order), "1/H", "error", slope_name(order), stroke::dashes});
}

/// The picture of a report: errors against 1/H. Curves are added with their tables.
void open_picture(report& r) {
    r.figures.push_back({.name = r.id,
                         .caption = "Inverted pendulum: " + r.title,
                         .panels = {{.title = "", .x = inverse_step, .y = error_axis, .curves = {}}}});
}

/// Errors against the macro step with fixed windows (row 2 of table 1). The paper's range begins at H = 1, where there
/// is nothing to compare with.
void fixed_windows(report& r, std::vector<expected_curve> const& curves) {
    table errors{.name = "errors", .columns = {"1/H"}, .rows = {{1}}};
    for (double const h : steps) errors.rows.push_back({1 / h});
    constexpr std::array marks{stroke::circles, stroke::stars, stroke::squares, stroke::diamonds};
    for (std::size_t k = 0; k < curves.size(); ++k) {
        auto const& [which, expected] = curves[k];
        r.figures.front().panels.front().curves.push_back({"errors", "1/H", which.name, which.name, marks[k]});
        errors.columns.insert(errors.columns.end(), {which.name, forces_of(which)});
        auto const measured = [&](std::size_t row, double h) {
            auto const point = which.run(h, row_2, end_of_rows_2_and_3);
            errors.rows[row].insert(errors.rows[row].end(), {point.error, static_cast<double>(point.forces)});
            return point;
        };
        auto const first = measured(0, 1);
        r.show("H=1", which.name, first.error).force_evaluations = first.forces;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            auto const point = measured(i + 1, steps[i]);
            r.expect(fmt::format("H={:g}", steps[i]), which.name, expected[i], prototype, point.error, 0.02)
                .force_evaluations = point.forces;
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
                 .columns = {"1/H", "steps per period", which.name, forces_of(which)},
                 .rows = {}};
    r.figures.front().panels.front().curves.push_back({errors.name, "1/H", which.name,
                                                       fmt::format("scaled, matched at H = {:g}", matched_at),
                                                       matched_at < 1 ? stroke::stars : stroke::diamonds});
    for (std::size_t i = 0; i < hs.size(); ++i) {
        double const a_period = 50 * std::pow(matched_at / hs[i], exponent);
        auto const point = which.run(hs[i], row_window(50, a_period), end_of_rows_2_and_3);
        std::string const column = fmt::format("{} scaled, matched at {:g}", which.name, matched_at);
        std::string const row = fmt::format("H={:g}", hs[i]);
        auto& made = expected[i] ? r.expect(row, column, *expected[i], prototype, point.error, 0.02)
                                 : r.show(row, column, point.error);
        made.force_evaluations = point.forces;
        errors.rows.push_back({1 / hs[i], a_period, point.error, static_cast<double>(point.forces)});
    }
    r.tables.push_back(std::move(errors));
}

/// The time between the first two upward passages of the angle through 0, by linear interpolation.
double slow_period(std::vector<double> const& t, std::vector<std::array<double, 1>> const& angle) {
    std::vector<double> passages;
    for (std::size_t i = 1; i < t.size() && passages.size() < 2; ++i) {
        double const a = angle[i - 1][0];
        double const b = angle[i][0];
        if (a < 0 && b >= 0) passages.push_back(t[i - 1] + (t[i] - t[i - 1]) * a / (a - b));
    }
    return passages.size() < 2 ? std::nan("") : passages[1] - passages[0];
}

/// One curve of figure 3, every fifth point of it as a table.
template <class Macro, class Micro>
double long_curve(report& r, std::string const& name, Macro macro, Micro micro, double expected) {
    auto const c = hmm(macro, micro, row_window(10, 10, true), 50);
    r.expect("T=50", "HMM-" + name, expected, prototype, c.error, 0.02).force_evaluations =
        c.run.statistics.force_evaluations;
    table path{.name = name, .columns = {"t", "angle", "angular velocity"}, .rows = {}};
    for (std::size_t i = 0; i < c.run.t.size(); i += 5)
        path.rows.push_back({c.run.t[i], c.run.position[i][0], c.run.velocity[i][0]});
    r.tables.push_back(std::move(path));
    if (name == "FE-v" && !c.run.warnings.empty()) r.remarks.push_back(c.run.warnings.front().sentence);
    return slow_period(c.run.t, c.run.position);
}

/// The paper's two graphs: FE-v, IFE-v and the averaged equation.
figure long_picture() {
    figure drawn{.name = "004/figure-3",
                 .caption = "Inverted pendulum to T = 50: eta = 10 epsilon, h = epsilon/10, H = 0.01",
                 .panels = {}};
    for (auto const& [column, label] : {std::pair{"angle", "Theta"}, std::pair{"angular velocity", "Omega"}})
        drawn.panels.push_back({.title = "",
                                .x = {.label = "t"},
                                .y = {.label = label},
                                .curves = {{"averaged", "t", column, "averaged equation", stroke::line},
                                           {"FE-v", "t", column, "HMM-FE-v", stroke::dashes},
                                           {"IFE-v", "t", column, "HMM-IFE-v", stroke::dotted}}});
    return drawn;
}

/// Work: what a direct solution with the same step h would take, over what the windows took. The paper's text says 10^9
/// in section 3, and O(H/eta) or 10^3 in section 5.
void savings(report& r) {
    model::sine_pendulum const pendulum;
    auto const c = hmm(euler{.step = 0.01}, verlet{}, row_window(10, 10, true), 50);
    double const direct = 50 / (pendulum.epsilon / 10);
    double const ratio = direct / static_cast<double>(c.run.statistics.force_evaluations);
    r.about("T=50, HMM-FE-v", "forces of a direct solution over ours, section 5", "1e3", ratio, 2);
    r.compare("T=50, HMM-FE-v", "forces of a direct solution over ours, section 3", "1e9", ratio)
        .and_expect(0.01 / (10 * pendulum.epsilon), "H/eta", 0.02)
        .known_because("the text contradicts itself: the direct solution takes 5e8 steps in all");
}

} // namespace

report figure_004_3() {
    report r{.id = "004/figure-3", .title = "row 1 to T = 50: eta = 10 eps, h = eps/10, H = 0.01"};
    long_curve(r, "FE-v", euler{.step = 0.01}, verlet{}, 0.50);
    long_curve(r, "IFE-v", symplectic_euler{.step = 0.01}, verlet{}, 0.736);
    double const with_verlet = long_curve(r, "V-v", verlet{.step = 0.01}, verlet{}, 0.737);
    long_curve(r, "IFE-rk4", symplectic_euler{.step = 0.01}, rk4{}, 0.060);
    double const with_rk4 = long_curve(r, "V-rk4", verlet{.step = 0.01}, rk4{}, 0.062);

    model::sine_pendulum const pendulum;
    auto const exact = solve(pendulum.averaged(), dormand_prince{.rtol = 1e-12, .atol = 1e-13}, at_start,
                             {.end = 50, .output_count = 1001});
    table path{.name = "averaged", .columns = {"t", "angle", "angular velocity"}, .rows = {}};
    for (std::size_t i = 0; i < exact.t.size(); ++i)
        path.rows.push_back({exact.t[i], exact.position[i][0], exact.velocity[i][0]});
    r.tables.push_back(std::move(path));
    r.figures.push_back(long_picture());

    // why the -v schemes lose the phase: Verlet with ten steps per period strengthens the stabilising term
    double const period = slow_period(exact.t, exact.position);
    r.expect("slow period", "averaged equation", 3.662, prototype, period, 1e-3);
    r.expect("slow period", "HMM-V-rk4", period, "the averaged equation's", with_rk4, 1e-3);
    double const angle = 2 * std::numbers::pi / 10;
    double const stronger = angle * angle / (2 - 2 * std::cos(angle));
    double const stabilising = 1 / (8 * std::numbers::pi * std::numbers::pi * pendulum.l);
    r.expect("slow period", "HMM-V-v",
             period * std::sqrt((stabilising - pendulum.g) / (stronger * stabilising - pendulum.g)),
             "the stabilising term times 1.0336", with_verlet, 5e-3);
    savings(r);

    // the text: the largest angle at all, and how far the pendulum sweeps
    double sweep = 0;
    for (auto const& q : exact.position) sweep = std::max(sweep, std::abs(q[0]));
    r.compare("averaged equation", "theta_max", "1.16", std::acos(pendulum.g / stabilising));
    r.compare("averaged equation", "largest angle of this motion", "0.23", sweep);

    // the trap: these windows filter only because every t_n/eps is an integer
    double const shifted = 0.01 + 0.3e-6;
    auto const refused = hmm(verlet{.step = shifted}, rk4{}, row_window(10, 10), 12);
    r.expect("t_n/eps no integer", "10 eps refused (exit)", 5, "the exit code of a refusal",
             exit_code(refused.run.result), 0);
    auto const unchecked = hmm(verlet{.step = shifted}, rk4{}, row_window(10, 10, true), 12);
    r.expect("t_n/eps no integer", "10 eps unchecked", 0.89, prototype, unchecked.error, 0.02).force_evaluations =
        unchecked.run.statistics.force_evaluations;
    auto const longer = hmm(verlet{.step = shifted}, rk4{}, row_2, 12);
    r.expect("t_n/eps no integer", "50 eps", 8.42e-5, prototype, longer.error, 0.02).force_evaluations =
        longer.run.statistics.force_evaluations;
    r.remarks.emplace_back("the -v schemes do not hold the phase to T = 50: ten Verlet steps per period strengthen the "
                           "stabilising term by 3.4 %, and the slow period is shorter by that");
    r.remarks.emplace_back(refused.run.message);
    return r;
}

report figure_004_4() {
    report r{.id = "004/figure-4", .title = "first-order schemes, row 2: eta = 50 eps, h = eps/50"};
    open_picture(r);
    fixed_windows(r, {{fe_v, {30.6, 1.457, .607, 7.40e-2, 3.40e-2, 8.6e-3}},
                      {fe_rk4, {30.7, 1.462, .6145, 7.78e-2, 3.70e-2, 7.1e-3}},
                      {ife_v, {.163, 3.24e-2, 1.60e-2, 6.04e-3, 7.60e-3, 8.90e-3}},
                      {ife_rk4, {.164, 3.31e-2, 1.67e-2, 3.36e-3, 1.68e-3, 3.37e-4}}});
    add_slope(r, 1, 4);
    r.expect("order", fe_rk4.name, 1, first_order, order_between(r, fe_rk4.name, 0.005, 0.001), 0.1);
    r.expect("order", ife_rk4.name, 1, first_order, order_between(r, ife_rk4.name, 0.01, 0.001), 0.1);
    r.remarks.emplace_back("the -v curves end at the micro error: fifty Verlet steps per period change the stabilising "
                           "term by the factor 1.001317, which is an error of 9.23e-3");
    return r;
}

report figure_004_5() {
    report r{.id = "004/figure-5", .title = "second-order schemes, row 2: eta = 50 eps, h = eps/50"};
    open_picture(r);
    fixed_windows(r, {{v_v, {.222, 1.78e-2, 1.14e-2, 9.31e-3, 9.25e-3, 9.23e-3}},
                      {v_rk4, {.2126, 8.62e-3, 2.15e-3, 8.42e-5, 1.97e-5, 9.8e-7}}});
    add_slope(r, 2, 1);
    r.expect("order", v_rk4.name, 2, second_order, order_between(r, v_rk4.name, 0.1, 0.01), 0.1);
    return r;
}

report figure_004_6() {
    report r{.id = "004/figure-6", .title = "HMM-V-v with fixed and with scaled micro steps (row 3)"};
    open_picture(r);
    fixed_windows(r, {{v_v, {.222, 1.78e-2, 1.14e-2, 9.31e-3, 9.25e-3, 9.23e-3}}});
    scaled_windows(r, v_v, 1, 0.1, {0.1, 0.05, 0.025, 0.01, 0.005}, {1.78e-2, 4.45e-3, 1.11e-3, 1.78e-4, 4.44e-5});
    scaled_windows(r, v_v, 1, 1, {0.5, 0.1, 0.05, 0.025, 0.01}, std::vector<std::optional<double>>(5));
    add_slope(r, 2, 1);
    r.expect("order", "scaled", 2, second_order, order_between(r, "HMM-V-v scaled, matched at 0.1", 0.1, 0.005), 0.05);
    return r;
}

report figure_004_7() {
    report r{.id = "004/figure-7", .title = "HMM-V-rk4 with fixed and with scaled micro steps (row 3)"};
    open_picture(r);
    fixed_windows(r, {{v_rk4, {.2126, 8.62e-3, 2.15e-3, 8.42e-5, 1.97e-5, 9.8e-7}}});
    scaled_windows(r, v_rk4, 0.5, 0.1, {0.1, 0.05, 0.025, 0.01, 0.005}, std::vector<std::optional<double>>(5));
    scaled_windows(r, v_rk4, 0.5, 1, {0.5, 0.1, 0.05, 0.025, 0.01}, std::vector<std::optional<double>>(5));
    add_slope(r, 2, 1);
    r.expect("order", "scaled", 2, second_order, order_between(r, "HMM-V-rk4 scaled, matched at 0.1", 0.1, 0.01), 0.05);
    return r;
}

} // namespace lento::reproduce
