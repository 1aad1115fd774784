// Table 2 and figure 6 of paper 002: the expanding spiral (3.1), algorithm 1 with filters of growing regularity.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <lento/base/decimal.hpp>
#include <lento/lento.hpp>
#include <lento/model/split.hpp>

namespace lento::reproduce {
namespace {

using spiral = model::rippled_spiral;
constexpr double delta = 60; // in units of epsilon

double radius(std::array<double, 2> const& x) { return std::hypot(x[0], x[1]); }

/// The largest error of the radius against (3.3) at the macro times.
template <class System> double spiral_error(System const& slow, report& r) {
    auto const run = solve(slow, turning_euler{.step = 1}, {.state = spiral::start}, {.end = 10});
    if (!run) {
        r.remarks.push_back(run.message);
        return std::nan("");
    }
    double error = 0;
    for (std::size_t i = 0; i < run.t.size(); ++i)
        error = std::max(error, std::abs(radius(run.state[i]) - spiral::averaged_radius(run.t[i])));
    return error;
}

path_window filtered(int regularity) {
    return {.delta = delta, .filter = polynomial{.moments = 1, .regularity = regularity}, .steps = 600};
}

/// The radius of the oscillating solution at increasing times.
table true_radius(std::string name, std::vector<double> const& times) {
    auto const run = solve(spiral{}.system(), dormand_prince_8{.rtol = 1e-10, .atol = 1e-11}, {.state = spiral::start},
                           {.end = times.back(), .output_times = times});
    table curve{.name = std::move(name), .columns = {"t", "xi"}, .rows = {}};
    for (std::size_t i = 0; i < run.t.size(); ++i) curve.rows.push_back({run.t[i], radius(run.state[i])});
    return curve;
}

} // namespace

report table_002_2() {
    report r{.id = "002/table-2", .title = "expanding spiral (3.1), errors of the radius for filters of regularity q"};
    constexpr std::array<char const*, 5> printed = {"1.1e-2", "9.7e-4", "7.6e-4", "2.2e-4", "1.3e-4"};
    constexpr std::array<double, 5> exact = {1.12e-2, 9.4e-4, 7.1e-4, 1.8e-4, 8.8e-5};
    dormand_prince const micro{.rtol = 1e-8, .atol = 1e-6, .control = control_rule::ode45};
    auto const system = spiral{}.system();
    table errors{.name = "errors", .columns = {"q", "ode45 in the windows", "exact rotations", "printed"}, .rows = {}};
    for (int q = 1; q <= 5; ++q) {
        auto const i = static_cast<std::size_t>(q - 1);
        std::string const row = fmt::format("q={}", q);
        double const found = spiral_error(effective(system, backward_forward{filtered(q), micro}), r);
        r.compare(row, "error", printed[i], found, digits::cut);
        double const turned = spiral_error(effective(interaction_picture(system), backward_forward{filtered(q)}), r);
        r.expect(row, "exact micro", exact[i], prototype, turned, 0.03).note =
            "the interaction picture with exact rotations";
        errors.rows.push_back({1. * q, found, turned, decimal<double>(printed[i])});
    }
    r.tables.push_back(std::move(errors));
    r.figures.push_back(
        {.name = r.id,
         .caption = "Expanding spiral: largest error of the radius for filters of regularity q",
         .panels = {{.title = "",
                     .x = {.label = "q"},
                     .y = {.label = "error of xi", .logarithmic = true},
                     .curves = {{"errors", "q", "ode45 in the windows", "ode45 in the windows", stroke::circles, 0},
                                {"errors", "q", "exact rotations", "exact rotations", stroke::diamonds, 1},
                                {"errors", "q", "printed", "printed", stroke::printed}}}}});
    r.remarks.emplace_back("algorithm 1 with epsilon = 1e-4, Delta = 60 epsilon, H = 1; micro-integration by "
                           "Dormand-Prince 5(4), rtol 1e-8, atol 1e-6, controlled as ode45 is");
    r.remarks.emplace_back("from q = 4 on a third to a half of the printed error is that of the micro-integration");
    return r;
}

report figure_002_6() {
    report r{.id = "002/figure-6", .title = "expanding spiral (3.1): the radius, its ripple and the macro values"};
    spiral const model;
    auto const slow = effective(interaction_picture(model.system()), backward_forward{filtered(5)});
    auto const run = solve(slow, turning_euler{.step = 1}, {.state = spiral::start}, {.end = 10});
    double const span = delta * model.epsilon;

    // where each macro step's window starts and ends
    table windows{.name = "windows", .columns = {"t", "xi"}, .rows = {}};
    auto work = slow.work();
    std::array<double, 2> unperturbed{};
    std::array<double, 2> difference{};
    double error = 0;
    for (std::size_t i = 0; i + 1 < run.t.size(); ++i) {
        slow.compare(run.t[i], run.state[i], unperturbed, difference, work);
        for (std::size_t k = 0; k < 2; ++k) unperturbed[k] += span * difference[k];
        windows.rows.push_back({run.t[i], radius(run.state[i])});
        windows.rows.push_back({run.t[i] + span, radius(unperturbed)});
        error = std::max(error, std::abs(radius(run.state[i + 1]) - spiral::averaged_radius(run.t[i + 1])));
    }
    windows.rows.push_back({run.t.back(), radius(run.state.back())});
    r.bound("q=5", "largest error of xi at macro times", error, 1.3e-4);
    r.tables.push_back(std::move(windows));

    figure drawn{.name = r.id,
                 .caption =
                     "Expanding spiral, epsilon = 1e-4: the radius, and the windows of three macro steps. Circles: "
                     "where a window starts and ends; dashes: their linear interpolant",
                 .panels = {},
                 .columns = 2};
    auto const add = [&](std::string const& title, table curve, double from, double to) {
        panel axes{.title = title,
                   .x = {.label = "t", .from = from, .to = to},
                   .y = {.label = "xi"},
                   .curves = {{curve.name, "t", "xi", "oscillating solution", stroke::line, 0},
                              {"windows", "t", "xi", "forward Euler BF HMM", stroke::circles, 1},
                              {"windows", "t", "xi", "", stroke::dashes, 1}}};
        double low = 1e300;
        double high = -1e300;
        for (auto const& row : curve.rows) {
            low = std::min(low, row[1]);
            high = std::max(high, row[1]);
        }
        axes.y.from = low - 0.1 * (high - low);
        axes.y.to = high + 0.1 * (high - low);
        drawn.panels.push_back(std::move(axes));
        r.tables.push_back(std::move(curve));
    };
    std::vector<double> all;
    for (int i = 0; i <= 100; ++i) all.push_back(0.1 * i);
    add("the whole run", true_radius("all", all), 0, 10);
    for (int const t : {1, 5, 9}) {
        std::vector<double> times;
        double const from = t - 0.2 * span;
        double const to = t + 1.2 * span;
        for (int i = 0; i <= 400; ++i) times.push_back(from + (to - from) * i / 400);
        table curve = true_radius(fmt::format("at-{}", t), times);
        // half the ripple is epsilon xi^2, by (3.2)
        double low = 1e300;
        double high = -1e300;
        for (auto const& row : curve.rows) {
            low = std::min(low, row[1] - row[0]);
            high = std::max(high, row[1] - row[0]);
        }
        double const mean = spiral::averaged_radius(t);
        r.expect(fmt::format("t={}", t), "amplitude of the ripple", model.epsilon * mean * mean, "(3.2)",
                 (high - low) / 2, 0.05);
        add(fmt::format("the window at t = {}", t), std::move(curve), from, to);
    }
    r.figures.push_back(std::move(drawn));
    return r;
}

} // namespace lento::reproduce
