// Figures 4 and 5 of paper 002: the effective path of the stellar orbits (3.4), and how it is made.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "reproduce/stellar_orbits.hpp"

namespace lento::reproduce {
namespace {

using stars = model::stellar_orbits;
using vector = std::array<double, 4>;

/// The effective path by the midpoint rule, with a filter that is long enough.
auto path_run(double epsilon) {
    auto const slow = effective(
        interaction_picture(stars{.epsilon = epsilon}.system()),
        backward_forward{path_window{.delta = 40, .filter = polynomial{.moments = 1, .regularity = 5}, .steps = 400}});
    return solve(slow, midpoint{.step = 0.25}, {.state = stars::start()}, {.end = 14, .given = initial_state::slow});
}

/// The largest speed along a path.
template <class Run> double fastest(Run const& run) {
    double largest = 0;
    for (std::size_t i = 1; i < run.t.size(); ++i) {
        double square = 0;
        for (std::size_t k = 0; k < 4; ++k) square += std::pow(run.state[i][k] - run.state[i - 1][k], 2);
        largest = std::max(largest, std::sqrt(square) / (run.t[i] - run.t[i - 1]));
    }
    return largest;
}

/// Circles on which a slow variable x^2 + v^2 is constant, one column pair each.
table level_sets(std::string name, std::vector<double> const& levels) {
    table circles{.name = std::move(name), .columns = {}, .rows = {}};
    for (std::size_t i = 0; i < levels.size(); ++i)
        circles.columns.insert(circles.columns.end(), {fmt::format("x, level {}", i), fmt::format("v, level {}", i)});
    constexpr int sides = 72;
    for (int k = 0; k <= sides; ++k) {
        double const angle = 2 * std::numbers::pi * k / sides;
        circles.rows.emplace_back();
        for (double const level : levels)
            circles.rows.back().insert(circles.rows.back().end(),
                                       {std::sqrt(level) * std::cos(angle), std::sqrt(level) * std::sin(angle)});
    }
    return circles;
}

/// gamma_-1, gamma_0, gamma_1 through a state, as the slow variable xi_1 sees them.
std::array<double, 3> samples(vector const& x, double epsilon, double delta, std::optional<kernel> const& filter) {
    auto const slow = effective(interaction_picture(stars{.epsilon = epsilon}.system()),
                                backward_forward{path_window{.delta = delta, .filter = filter, .steps = 600}});
    auto work = slow.work();
    double const span = delta * epsilon;
    vector after{};
    vector difference{};
    slow.compare(0, x, after, difference, work);
    for (std::size_t k = 0; k < 4; ++k) after[k] += span * difference[k];
    // turned back by the unperturbed flow, over delta at the frequencies 2 and 1
    auto const back = [](double& a, double& b, double angle) {
        double const first = std::cos(angle) * a - std::sin(angle) * b;
        b = std::sin(angle) * a + std::cos(angle) * b;
        a = first;
    };
    back(after[0], after[1], 2 * delta);
    back(after[2], after[3], delta);
    vector rate{};
    slow.rate(0, x, rate, work);
    vector before = after;
    for (std::size_t k = 0; k < 4; ++k) before[k] -= 2 * span * rate[k];
    auto const first = [](vector const& at) { return stars::slow_variables(at)[0]; };
    return {first(before), first(x), first(after)};
}

/// Places along the solution: xi_1 at gamma_k, the quadratic interpolants, and the worst slope of these.
struct station_tables {
    table points;
    table interpolants;
    double slope_error = 0;
};

station_tables stations(stellar_truth const& truth, double epsilon, double delta, std::optional<kernel> const& filter,
                        std::string const& name) {
    station_tables found{.points = {.name = "points-" + name, .columns = {"t", "xi1"}, .rows = {}},
                         .interpolants = {.name = "interpolants-" + name, .columns = {"t", "xi1"}, .rows = {}}};
    double const span = delta * epsilon;
    for (double const t : {6.84, 6.9, 6.96}) {
        auto const xi = samples(truth(t), epsilon, delta, filter);
        for (int k = -1; k <= 1; ++k) found.points.rows.push_back({t + k * span, xi[static_cast<std::size_t>(k + 1)]});
        double const slope = (xi[2] - xi[0]) / 2;
        double const bend = (xi[2] - 2 * xi[1] + xi[0]) / 2;
        for (int i = -15; i <= 15; ++i) {
            double const s = i / 10.;
            found.interpolants.rows.push_back({t + s * span, xi[1] + slope * s + bend * s * s});
        }
        found.interpolants.rows.push_back({t + 1.5 * span, std::nan("")}); // the line ends here
        // the slope of the mean over whole periods of the oscillation
        double const reach = 10 * std::numbers::pi * epsilon;
        auto const mean = [&](double at) {
            double sum = 0;
            for (int i = 0; i < 48; ++i)
                sum += truth.slow_variables(at + 2 * std::numbers::pi * epsilon * (i / 48. - 0.5))[0] / 48;
            return sum;
        };
        double const exact = (mean(t + reach) - mean(t - reach)) / (2 * reach);
        found.slope_error = std::max(found.slope_error, std::abs(slope / span - exact));
    }
    return found;
}

} // namespace

report figure_002_4() {
    report r{.id = "002/figure-4", .title = "stellar orbits (3.4): the effective path, across the fast orbits"};
    auto const run = path_run(1e-4);
    stellar_truth const truth(1e-4, 14.5);
    r.bound("epsilon=1e-4", "error of the slow variables along the path", slow_variable_error(run, truth), 0.08)
        .force_evaluations = run.statistics.force_evaluations;
    r.expect("epsilon=1e-3", "largest speed along the path", fastest(run), "the same at epsilon = 1e-4",
             fastest(path_run(1e-3)), 0.02);

    table path{.name = "path", .columns = {"t", "x1", "v1", "x2", "v2"}, .rows = {}};
    std::array<std::array<double, 2>, 2> range{{{1e300, 0}, {1e300, 0}}};
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        auto const& x = run.state[i];
        path.rows.push_back({run.t[i], x[0], x[1], x[2], x[3]});
        auto const xi = stars::slow_variables(x);
        for (std::size_t k = 0; k < 2; ++k) range[k] = {std::min(range[k][0], xi[k]), std::max(range[k][1], xi[k])};
    }
    r.tables.push_back(std::move(path));
    figure drawn{.name = r.id,
                 .caption =
                     "Stellar orbits, epsilon = 1e-4, midpoint rule, H = 0.25: the path gamma (line) crosses the "
                     "orbits of the fast motion (dashes), the level sets of xi1 and xi2",
                 .panels = {},
                 .columns = 2};
    for (int k = 1; k <= 2; ++k) {
        auto const [low, high] = range[static_cast<std::size_t>(k - 1)];
        std::vector<double> levels;
        for (int i = 0; i <= 4; ++i) levels.push_back(low + (high - low) * i / 4);
        std::string const name = fmt::format("level-sets-{}", k);
        panel plane{.title = "",
                    .x = {.label = fmt::format("x{}", k)},
                    .y = {.label = fmt::format("v{}", k)},
                    .curves = {},
                    .equal_scales = true};
        for (int i = 0; i <= 4; ++i)
            plane.curves.push_back({name, fmt::format("x, level {}", i), fmt::format("v, level {}", i),
                                    i == 0 ? fmt::format("xi{} constant", k) : "", stroke::dashes, 1});
        plane.curves.push_back({"path", fmt::format("x{}", k), fmt::format("v{}", k), "gamma", stroke::line, 0});
        r.tables.push_back(level_sets(name, levels));
        drawn.panels.push_back(std::move(plane));
    }
    r.figures.push_back(std::move(drawn));
    r.remarks.emplace_back("the filter is K~1,5 over Delta = 40 epsilon: with the 7 epsilon of the paper's table 3 the "
                           "path goes astray, see 002/figure-7");
    return r;
}

report figure_002_5() {
    report r{.id = "002/figure-5",
             .title = "stellar orbits (3.4): xi_1 along the solution, at gamma_k and between them, epsilon = 1e-3"};
    constexpr double epsilon = 1e-3;
    constexpr double delta = 20;
    stellar_truth const truth(epsilon, 7.5);
    table solution_curve{.name = "solution", .columns = {"t", "xi1"}, .rows = {}};
    for (int i = 0; i <= 1200; ++i) {
        double const t = 6.8 + 0.2 * i / 1200;
        solution_curve.rows.push_back({t, truth.slow_variables(t)[0]});
    }
    r.tables.push_back(std::move(solution_curve));
    figure drawn{.name = r.id,
                 .caption = "Stellar orbits, epsilon = 1e-3: xi1 along the solution, at gamma_k for k = -1, 0, 1 with "
                            "Delta = 20 epsilon, and the quadratic interpolants; without and with the filter K~1,3",
                 .panels = {}};
    std::array<double, 2> slope_error{};
    for (bool const with : {false, true}) {
        std::string const name = with ? "filtered" : "unfiltered";
        auto found =
            stations(truth, epsilon, delta,
                     with ? std::optional<kernel>(polynomial{.moments = 1, .regularity = 3}) : std::nullopt, name);
        slope_error[with ? 1 : 0] = found.slope_error;
        drawn.panels.push_back(
            {.title = with ? "with the filter" : "without a filter",
             .x = {.label = "t"},
             .y = {.label = "xi1"},
             .curves = {{"solution", "t", "xi1", "xi1 along x(t)", stroke::line, 0},
                        {found.points.name, "t", "xi1", "xi1 at gamma_k", stroke::circles, 1},
                        {found.interpolants.name, "t", "xi1", "quadratic interpolant", stroke::dashes, 1}}});
        r.tables.push_back(std::move(found.points));
        r.tables.push_back(std::move(found.interpolants));
    }
    r.figures.push_back(std::move(drawn));
    r.show("without a filter", "largest error of the slope of xi_1", slope_error[0]);
    r.bound("with the filter", "largest error of the slope of xi_1", slope_error[1], slope_error[0] / 10);

    // section 2.1.1: without a filter the slope is off by O(epsilon/Delta)
    for (double const window : {15., 30., 60., 120.})
        r.bound(fmt::format("without a filter, Delta={:g} epsilon", window), "error of the slope times Delta/epsilon",
                window * stations(truth, epsilon, window, {}, "scan").slope_error, 1);
    return r;
}

} // namespace lento::reproduce
