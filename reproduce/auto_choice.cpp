// Beyond the papers: what is run where nothing is said of the method, over the separation of scales and the tolerance.

#include "reproduce/experiments.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <lento/io/problem_file.hpp>
#include <lento/problem/run.hpp>

namespace lento::reproduce {
namespace {

/// A problem whose separation of scales is a parameter, times a factor.
struct family {
    std::string name;
    std::string title;
    std::string parameter;
    double slow;  ///< the parameter where both scales are one
    double power; ///< of the separation that the parameter is
};

struct choice {
    char const* label;
    stroke how;
};
constexpr std::array<choice, 4> choices{{{"direct", stroke::dots},
                                         {"the plain closure", stroke::circles},
                                         {"the next order", stroke::diamonds},
                                         {"the order after that", stroke::stars}}};

/// Which of them a run took; -1 where it was not within the tolerance.
int chosen_by(problem_run const& run) {
    if (exit_code(run.result) != 0 || !run.error_estimate || run.error_estimate->ratio > 3) return -1;
    if (run.method_name() == choices[0].label) return 0;
    if (auto const* order = run.used("window.order")) return 1 + static_cast<int>(order->integer / 2);
    if (auto const* order = run.used("order")) return 1 + static_cast<int>(order->integer);
    return -1;
}

} // namespace

report choice_over_scales() {
    report r{"auto/choice", "what is run over the separation of scales and the tolerance"};
    figure f{"auto/choice", "nothing said of the method: direct integration on the left, closures on the right", {}, 2};
    std::array<family, 4> const families{{{"vibrated-pendulum", "vibrated pendulum", "omega", 14, 1},
                                          {"paul-trap", "ions in a Paul trap", "omega", 5, 1},
                                          {"two-springs", "two hard springs", "omega", 1, 1},
                                          {"stellar-orbits", "resonant stellar orbits", "epsilon", 1, -1}}};
    table runs{.name = "runs",
               .columns = {"problem", "separation", "tolerance", "choice", "evaluations", "for the estimate"},
               .rows = {}};
    double number = 0;
    for (auto const& each : families) {
        panel p{.title = each.title,
                .x = {.label = "separation of scales", .logarithmic = true, .from = 5, .to = 2e6},
                .y = {.label = "rtol", .logarithmic = true, .from = 1e-11, .to = 1e3},
                .curves = {}};
        std::array<table, choices.size()> points;
        for (std::size_t k = 0; k < choices.size(); ++k)
            points[k] = {fmt::format("{}, {}", each.title, choices[k].label), {"separation", "rtol"}, {}};
        ++number;
        std::array<int, choices.size()> last{};
        for (int half = 2; half <= 12; ++half) {
            double const separation = std::pow(10., half / 2.);
            for (int digits = 2; digits <= 10; digits += 2) {
                double const rtol = std::pow(10., -digits);
                auto what = load_problem(each.name, {fmt::format("{}={:.17g}", each.parameter,
                                                                 each.slow * std::pow(separation, each.power))});
                what.rtol = rtol;
                what.atol = 1e-3 * rtol;
                auto const run = run_problem(what, {.max_evaluations = 50'000'000});
                int const taken = chosen_by(run);
                runs.rows.push_back({number, separation, rtol, static_cast<double>(taken),
                                     static_cast<double>(run.statistics.force_evaluations),
                                     static_cast<double>(run.estimate_evaluations)});
                if (taken < 0 || taken >= static_cast<int>(choices.size())) continue;
                auto const index = static_cast<std::size_t>(taken);
                points[index].rows.push_back({separation, rtol});
                ++last[index];
            }
        }
        for (std::size_t k = 0; k < choices.size(); ++k) {
            r.show(each.title, choices[k].label, last[k]);
            if (points[k].rows.empty()) continue;
            p.curves.push_back(
                {points[k].name, "separation", "rtol", choices[k].label, choices[k].how, static_cast<int>(k)});
            r.tables.push_back(std::move(points[k]));
        }
        f.panels.push_back(std::move(p));
    }
    r.tables.push_back(std::move(runs));
    r.figures.push_back(std::move(f));
    r.remarks.emplace_back(
        "where nothing is marked, neither was within three times the tolerance: rounding, or more than "
        "fifty million evaluations");
    return r;
}

} // namespace lento::reproduce
