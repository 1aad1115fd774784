// Figure 7 of paper 002: the slow variables of the stellar orbits (3.4) by its method and by FLAVORS; what the printed
// error can and cannot be.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "reproduce/stellar_orbits.hpp"

namespace lento::reproduce {
namespace {

model::stellar_orbits const stars{};
dormand_prince const micro{.rtol = 1e-5, .atol = 1e-6, .control = control_rule::ode45};

/// The paper's algorithm 2 with a filter over delta epsilon.
auto path_run(lento::kernel const& filter, double delta) {
    auto const slow = effective(stars.system(), backward_forward{path_window{.delta = delta, .filter = filter}, micro});
    return solve(slow, midpoint{.step = 0.25}, {.state = model::stellar_orbits::start()}, {.end = 14});
}
auto flavors_run(double step, double delta) {
    return solve(stars.system(), flavors{{.step = step, .delta = delta}, micro},
                 {.state = model::stellar_orbits::start()}, {.end = 14});
}

polynomial regular(int q) { return {.moments = 1, .regularity = q}; }

panel drawn_beside_truth(std::string title, std::string const& name, std::string const& method, bool points) {
    panel axes{
        .title = std::move(title), .x = {.label = "t"}, .y = {.label = "xi", .from = -1.8, .to = 5.4}, .curves = {}};
    for (int i = 1; i <= 3; ++i) {
        auto const column = fmt::format("xi{}", i);
        axes.curves.push_back({"truth", "t", column, column + ", true", stroke::line, i - 1});
        axes.curves.push_back({name, "t", column, i == 1 ? method : "", points ? stroke::dots : stroke::dashes, i - 1});
    }
    return axes;
}

/// The midpoint rule alone, on the exact averaged rate: below its error no filter can go but by luck.
double error_of_midpoint_rule(stellar_truth const& truth) {
    auto const run = solve(slow_orbits(stars.epsilon), midpoint{.step = 0.25},
                           {.state = model::stellar_orbits::start()}, {.end = 14});
    return slow_variable_error(run, truth);
}

/// Filters of every regularity over windows of several lengths: once they are long enough, all give the same.
void scan(report& r, stellar_truth const& truth, double alone) {
    for (double const delta : {14., 20., 40.})
        for (int q = 1; q <= 5; ++q)
            r.expect(fmt::format("K~1,{}, Delta={:g} eps", q, delta), "error", alone,
                     "the midpoint rule on the exact averaged rate",
                     slow_variable_error(path_run(regular(q), delta), truth), 0.16);
}

/// Orders of the macro steppers, against the stroboscopic motion itself.
void orders(report& r) {
    auto const slow = effective(interaction_picture(stars.system()), stroboscopic{{.order = 2, .steps = 16}});
    auto const start = model::stellar_orbits::start();
    auto const exact = solve(slow, fixed_dormand_prince_8{.step = 0.125}, {.state = start}, {.end = 2});
    auto const error = [&](auto const& stepper) {
        auto const run = solve(slow, stepper, {.state = start}, {.end = 2});
        double largest = 0;
        for (std::size_t i = 0; i < 4; ++i)
            largest = std::max(largest, std::abs(run.state.back()[i] - exact.state.back()[i]));
        return largest;
    };
    auto const order = [&](std::string row, double expected, auto const& coarse, auto const& fine) {
        r.expect(std::move(row), "order in H", expected, "order of the macro method",
                 std::log2(error(coarse) / error(fine)), 0.05);
    };
    order("Euler", 1, euler{.step = 0.02}, euler{.step = 0.01});
    order("midpoint", 2, midpoint{.step = 0.05}, midpoint{.step = 0.025});
    order("RK4", 4, rk4{.step = 0.25}, rk4{.step = 0.125});
}

} // namespace

report figure_002_7() {
    report r{.id = "002/figure-7",
             .title = "stellar orbits (3.4), the slow variables: backward-forward HMM and FLAVORS"};
    stellar_truth const truth(stars.epsilon, 14.5);
    table true_curves{.name = "truth", .columns = {"t", "xi1", "xi2", "xi3"}, .rows = {}};
    for (int i = 0; i <= 140; ++i) {
        auto const xi = truth.slow_variables(0.1 * i);
        true_curves.rows.push_back({0.1 * i, xi[0], xi[1], xi[2]});
    }
    r.tables.push_back(std::move(true_curves));

    double const alone = error_of_midpoint_rule(truth);
    auto const printed = path_run(regular(5), 7);
    r.compare("(a) K~1,5, Delta=7 eps", "error", "0.063", slow_variable_error(printed, truth))
        .and_expect(1.34, prototype, 0.05)
        .known_because(fmt::format(
            "not explained: 7 eps is inside this filter's main lobe. The midpoint rule alone errs by {:.3f}, and every "
            "filter that is long enough gives 0.061 to 0.073, as below",
            alone))
        .force_evaluations = printed.statistics.force_evaluations;
    auto const recommended = flavors_run(0.01, 0.1);
    r.compare("(b) FLAVORS, Delta=0.1 eps, H=0.01", "error", "0.56", slow_variable_error(recommended, truth))
        .and_expect(0.556, prototype, 0.02)
        .force_evaluations = recommended.statistics.force_evaluations;
    auto const longer = flavors_run(0.05, 20);
    r.compare("(c) FLAVORS, Delta=20 eps, H=0.05", "error", "0.23", slow_variable_error(longer, truth))
        .and_expect(0.231, prototype, 0.02)
        .force_evaluations = longer.statistics.force_evaluations;
    auto const forces = [](auto const& run) { return static_cast<double>(run.statistics.force_evaluations); };
    auto const ratio = [&](std::string const& row, double seconds, double counted, double found) {
        r.expect(row, "right-hand sides", seconds, "the printed seconds", found, 0.25).note =
            "within 25 %: seconds of another machine";
        r.expect(row, "right-hand sides, counted", counted, stated, found, 0.02);
    };
    ratio("(a) over (b)", 5.9 / 3.1, 1.56, forces(printed) / forces(recommended));
    ratio("(a) over (c)", 5.9 / 8.4, 0.568, forces(printed) / forces(longer));

    // FLAVORS within its condition (3.6), and the path beside it
    auto const long_enough = path_run(regular(5), 14);
    r.bound("BF HMM, Delta=14 eps, over FLAVORS by (3.6)", "error",
            slow_variable_error(long_enough, truth) / slow_variable_error(recommended, truth), 0.2);

    r.show("midpoint rule on the exact averaged rate", "error", alone);
    constexpr std::array<double, 4> known = {0.425, 0.0632, 0.583, 1.03};
    for (int q = 1; q <= 4; ++q)
        r.expect(fmt::format("K~1,{}, Delta=7 eps", q), "error", known[static_cast<std::size_t>(q - 1)], prototype,
                 slow_variable_error(path_run(regular(q), 7), truth), 0.05);
    r.expect("K^cos, Delta=7 eps", "error", 0.21, prototype, slow_variable_error(path_run(cosine{}, 7), truth), 0.05);
    scan(r, truth, alone);
    orders(r);

    r.tables.push_back(slow_variable_curves("as-printed", printed));
    r.tables.push_back(slow_variable_curves("long-enough", long_enough));
    r.tables.push_back(slow_variable_curves("flavors-recommended", recommended, 10));
    r.tables.push_back(slow_variable_curves("flavors-longer", longer, 2));
    r.figures.push_back(
        {.name = r.id,
         .caption = "Stellar orbits, epsilon = 1e-4: slow variables. (a) has the printed filter, beside it one that is "
                    "long enough; (b), (c) FLAVORS",
         .panels = {drawn_beside_truth("(a) as printed: K~1,5, Delta = 7 epsilon (printed error 0.063)", "as-printed",
                                       "BF HMM", true),
                    drawn_beside_truth("(a) with Delta = 14 epsilon", "long-enough", "BF HMM", true),
                    drawn_beside_truth("(b) FLAVORS, Delta = 0.1 epsilon, H = 0.01 (printed error 0.56)",
                                       "flavors-recommended", "FLAVORS", false),
                    drawn_beside_truth("(c) FLAVORS, Delta = 20 epsilon, H = 0.05 (printed error 0.23)",
                                       "flavors-longer", "FLAVORS", false)},
         .columns = 2});
    if (!printed.warnings.empty()) r.remarks.push_back(printed.warnings.front().sentence);
    r.remarks.emplace_back("midpoint rule, H = 0.25; micro-integration by Dormand-Prince 5(4), rtol 1e-5, atol 1e-6; "
                           "errors against the true, oscillating slow variables at macro times");
    r.remarks.emplace_back(
        "K~1,2 over 7 eps hits the printed 0.063 because its leak and the midpoint rule's error cancel; a longer Delta "
        "explains the print as well, and nothing here decides");
    return r;
}

} // namespace lento::reproduce
