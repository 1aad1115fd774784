// Beyond the papers: whether runs of fast systems with nothing said of the method are within the tolerance, by the full
// state over the whole run, whether they know their error, and what they cost beside direct runs.

#include "reproduce/experiments.hpp"
#include "reproduce/fast_problems.hpp"
#include "reproduce/judged.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <lento/problem/run.hpp>

namespace lento::reproduce {
namespace {

using rows = std::vector<std::vector<double>>;

problem read(fast_problem const& from, double rtol) {
    return read_for_score(from.name, from.text, from.end, fast_problem::rows, rtol, "report = \"full\"\n");
}

/// The cheapest direct run in hindsight, over schemes and half decades of tolerances.
class hindsight {
public:
    hindsight(fast_problem const& from, rows const& truth) {
        problem what = read(from, 1e-6);
        what.estimate = false;
        using key = lento::entry;
        auto const schemes = what.first_order || what.uses_velocity() ? std::vector<std::string>{"dop853"}
                                                                      : std::vector<std::string>{"rkn8", "rkn12"};
        for (auto const& scheme : what.constraints() != nullptr ? std::vector<std::string>{} : schemes)
            for (int half = 4; half <= 26; ++half) {
                double const rtol = std::pow(10., -half / 2.);
                what.method =
                    key("method", {key("name", "direct"), key("macro", {key("scheme", scheme), key("rtol", rtol),
                                                                        key("atol", rtol * atol_share)})});
                auto const run = run_problem(what, {.max_evaluations = most_evaluations});
                runs_.push_back({static_cast<double>(run.statistics.force_evaluations),
                                 judged(what, run, truth, what.end).relative});
                if (exit_code(run.result) != 0) break;
            }
    }
    [[nodiscard]] std::optional<double> cheapest(double rtol) const {
        std::optional<double> best;
        for (auto const& [evaluations, relative] : runs_)
            if (relative <= rtol && (!best || evaluations < *best)) best = evaluations;
        return best;
    }

private:
    static constexpr std::uint64_t most_evaluations = 20'000'000;
    std::vector<std::pair<double, double>> runs_;
};

struct tallied {
    double runs = 0, within_ten = 0, within = 0, silent = 0, needless = 0, refused = 0;
    double measured = 0, right = 0, small = 0;
    std::vector<double> costs{}, with_estimates{};
};
double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }
double beyond(std::vector<double> const& values, double limit) {
    auto const many = std::ranges::count_if(values, [&](double each) { return each > limit; });
    return percent(static_cast<double>(many), static_cast<double>(values.size()));
}

void report_on(report& r, std::string const& which, tallied const& all) {
    r.bound(which, "runs beyond ten times the tolerance, %", 100 - percent(all.within_ten, all.runs), 5);
    r.bound(which, "of them without a warning", all.silent, 0);
    r.bound(which, "warnings of runs within tolerance, %", percent(all.needless, all.within), 5);
    r.bound(which, "refused, %", percent(all.refused, all.runs), 5);
    r.bound(which, "estimates off by more than ten, %", 100 - percent(all.right, all.measured), 10);
    r.bound(which, "estimates below a third, %", percent(all.small, all.measured), 3);
    r.bound(which, "runs above 1.5 times the cheapest direct one, %", beyond(all.costs, 1.5), 10);
    r.bound(which, "with estimates above 2.5 times, %", beyond(all.with_estimates, 2.5), 20);
    r.bound(which, "with estimates, largest", all.with_estimates.empty() ? 0 : std::ranges::max(all.with_estimates), 4);
    r.show(which, "runs", all.runs);
    r.show(which, "runs within the tolerance, %", percent(all.within, all.runs));
}

/// One system at all its separations and tolerances, as a line of the table in docs/limits.md.
struct by_name {
    std::string kind;
    int runs = 0, within_ten = 0, told = 0, refused = 0, slow = 0;
    double largest = 0; ///< error over what is allowed, of runs without a warning
    std::vector<double> costs{};

    [[nodiscard]] std::string line(std::string const& name) {
        std::ranges::sort(costs);
        std::string const cost = costs.empty() ? "" : fmt::format("{:.2g}", costs[costs.size() / 2]);
        return fmt::format("| {} | {} | {} of {} | {:.2g} | {} | {} | {} | {} |", name, kind, within_ten, runs, largest,
                           told, refused, slow, cost);
    }
};

} // namespace

report scorecard() {
    report r{"auto/scorecard", "fast systems, nothing said of the method: tolerance, estimate and cost"};
    std::map<std::string, tallied> kinds;
    std::map<std::string, by_name> systems;
    table all{.name = "runs",
              .columns = {"problem", "separation", "-log10 rtol", "error over allowed", "estimate over error", "error",
                          "evaluations", "for the estimate", "over the cheapest direct run", "slow", "order", "warned"},
              .rows = {}};
    double number = 0;
    auto problems = fast_problems();
    for (auto& each : fast_siblings()) problems.push_back(std::move(each));
    for (auto const& each : problems) {
        auto const truth = each.truth();
        hindsight const direct(each, truth);
        r.remarks.push_back(
            fmt::format("problem {}: {} ({}), separation {:.3g}", ++number, each.name, each.kind, each.separation));
        for (int const digits : {2, 4, 6, 8}) {
            double const rtol = std::pow(10., -digits);
            auto const what = read(each, rtol);
            auto const run = run_problem(what);
            double until = what.end;
            bool warned = false;
            for (auto const& told : run.warnings) {
                if (told.code == "sensitive") until = told.time;
                warned = warned || told.code == "sensitive" || told.code == "accuracy_not_reached";
            }
            auto const found = judged(what, run, truth, until);
            auto const whole = judged(what, run, truth, what.end);
            double const total = run.error_estimate ? run.error_estimate->total : std::nan("");
            double const beside = total / whole.relative;
            double const evaluations = static_cast<double>(run.statistics.force_evaluations);
            double const more = static_cast<double>(run.estimate_evaluations);
            auto const least = direct.cheapest(rtol);
            for (auto* into :
                 {&kinds[std::string(each.kind)], &kinds[each.sibling ? "siblings" : "first"], &kinds["all"]}) {
                ++into->runs;
                bool const refused = exit_code(run.result) != 0;
                into->refused += refused ? 1 : 0;
                into->within_ten += found.ratio <= 10 ? 1 : 0;
                into->within += whole.ratio <= 1 ? 1 : 0;
                into->silent += found.ratio > 10 && !warned && !refused ? 1 : 0;
                into->needless += whole.ratio <= 1 && warned ? 1 : 0;
                if (whole.relative > 1e-10 && !refused) {
                    ++into->measured;
                    into->right += beside <= 10 && beside >= 0.1 ? 1 : 0;
                    into->small += !(beside >= 1. / 3) ? 1 : 0;
                }
                if (least) {
                    into->costs.push_back(evaluations / *least);
                    into->with_estimates.push_back((evaluations + more) / *least);
                }
            }
            auto& line = systems[each.name];
            line.kind = each.kind;
            ++line.runs;
            line.within_ten += found.ratio <= 10 ? 1 : 0;
            line.told += warned ? 1 : 0;
            line.refused += exit_code(run.result) != 0 ? 1 : 0;
            line.slow += run.method_name() == "direct" ? 0 : 1;
            if (!warned && exit_code(run.result) == 0) line.largest = std::max(line.largest, found.ratio);
            if (least) line.costs.push_back((evaluations + more) / *least);
            auto const* order = run.used("window.order");
            if (order == nullptr) order = run.used("order");
            all.rows.push_back(
                {number, each.separation, static_cast<double>(digits), whole.ratio, beside, whole.relative, evaluations,
                 more, least ? (evaluations + more) / *least : std::nan(""), run.method_name() == "direct" ? 0. : 1.,
                 order != nullptr ? static_cast<double>(order->integer) : std::nan(""), warned ? 1. : 0.});
        }
    }
    for (auto const& [kind, tally] : kinds) report_on(r, kind, tally);
    r.remarks.push_back(
        "| system | kind | within ten times the tolerance | largest error over what is allowed, nothing told "
        "| told | refused | by closures | evaluations over the cheapest direct run, with estimates, median |");
    for (auto& [name, line] : systems) r.remarks.push_back(line.line(name));
    r.tables.push_back(std::move(all));
    return r;
}

} // namespace lento::reproduce
