// Beyond the papers: whether direct runs that auto chooses keep their tolerance over the whole run, whether they know
// their error, and what that costs, on plain problems whose motion is known.

#include "reproduce/direct_problems.hpp"
#include "reproduce/experiments.hpp"
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

problem read(direct_problem const& from, double rtol) {
    return read_for_score(from.name, from.system, from.end, direct_problem::rows, rtol);
}

/// Runs with tolerances given by hand, by half decades: what each takes and how wrong it is.
class by_hand {
public:
    by_hand(direct_problem const& from, std::vector<std::vector<double>> const& truth) : from_(from), truth_(truth) {}

    /// The fewest evaluations of a scheme whose error is within the tolerance; none where no run's is.
    std::optional<double> cheapest(std::string const& scheme, double rtol) {
        if (!runs_.contains(scheme)) runs_[scheme] = all(scheme);
        std::optional<double> best;
        for (auto const& [evaluations, relative] : runs_[scheme])
            if (relative <= rtol && (!best || evaluations < *best)) best = evaluations;
        return best;
    }

private:
    struct taken {
        double evaluations = 0;
        double relative = 0; ///< error over max(atol_share, size)
    };
    [[nodiscard]] std::vector<taken> all(std::string const& scheme) const {
        std::vector<taken> made;
        problem what = read(from_, 1);
        what.estimate = false;
        for (int half = 2; half <= 28; ++half) {
            double const rtol = std::pow(10., -half / 2.);
            using key = lento::entry;
            what.method = key("method", {key("name", "direct"), key("macro", {key("scheme", scheme), key("rtol", rtol),
                                                                              key("atol", rtol * atol_share)})});
            auto const run = run_problem(what, {.max_evaluations = most_evaluations});
            auto const found = judged(what, run, truth_, what.end);
            made.push_back({static_cast<double>(run.statistics.force_evaluations), found.ratio});
            if (run.statistics.force_evaluations > most_evaluations / 4) break;
        }
        return made;
    }

    static constexpr std::uint64_t most_evaluations = 20'000'000;
    direct_problem const& from_;
    std::vector<std::vector<double>> const& truth_;
    std::map<std::string, std::vector<taken>> runs_;
};

/// The counts of the scorecard.
struct tallied {
    std::size_t runs = 0;
    std::size_t within_ten = 0;
    std::size_t within = 0;
    std::size_t silent = 0;
    std::size_t needless = 0; ///< warnings
    std::size_t measured = 0;
    std::size_t right = 0; ///< estimates within a factor of ten
    std::size_t small = 0; ///< below a third
    std::vector<double> costs{};
};

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void report_on(report& r, std::string const& which, tallied all) {
    std::ranges::sort(all.costs);
    double const median = all.costs.empty() ? 0 : all.costs[all.costs.size() / 2];
    r.bound(which, "runs beyond ten times the tolerance, %", 100 - share(all.within_ten, all.runs), 3);
    r.bound(which, "of them without a warning", static_cast<double>(all.silent), 0);
    r.bound(which, "warnings of runs within tolerance, %", share(all.needless, all.within), 5);
    r.bound(which, "estimates off by more than ten, %", 100 - share(all.right, all.measured), 10);
    r.bound(which, "estimates below a third, %", share(all.small, all.measured), 2);
    r.bound(which, "evaluations over those by hand, median", median, 2);
    r.bound(which, "evaluations over those by hand, largest", all.costs.empty() ? 0 : all.costs.back(), 3);
    r.show(which, "runs", static_cast<double>(all.runs));
    r.show(which, "runs within the tolerance, %", share(all.within, all.runs));
}

} // namespace

report direct_scorecard() {
    report r{"auto/direct-scorecard", "direct runs that auto chooses: tolerance, estimate and cost"};
    tallied set_with;
    tallied kept_back;
    table runs{.name = "runs",
               .columns = {"problem", "-log10 rtol", "kept back", "error over allowed", "estimate over error", "error",
                           "evaluations", "for the estimate", "over those by hand", "warned"},
               .rows = {}};
    double number = 0;
    for (auto const& each : direct_problems()) {
        auto const truth = each.truth();
        by_hand hand(each, truth);
        r.remarks.push_back(fmt::format("problem {}: {} ({})", ++number, each.name, each.sort));
        for (int digits = 2; digits <= 10; ++digits) {
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
            auto& into = each.kept_back ? kept_back : set_with;
            ++into.runs;
            into.within_ten += found.ratio <= 10 ? 1 : 0;
            into.within += whole.ratio <= 1 ? 1 : 0;
            into.silent += found.ratio > 10 && !warned ? 1 : 0;
            into.needless += whole.ratio <= 1 && warned ? 1 : 0;
            double const total = run.error_estimate ? run.error_estimate->total : std::nan("");
            double const beside = total / whole.relative;
            constexpr double smallest = 1e-12; // below it references are as wrong
            if (whole.relative > smallest) {
                ++into.measured;
                into.right += beside <= 10 && beside >= 0.1 ? 1 : 0;
                into.small += !(beside >= 1. / 3) ? 1 : 0;
            }
            double const evaluations = static_cast<double>(run.statistics.force_evaluations);
            double const more = static_cast<double>(run.estimate_evaluations);
            auto const* scheme = run.used("macro.scheme");
            double cost = std::nan("");
            if (auto const least = scheme != nullptr ? hand.cheapest(scheme->text, rtol) : std::nullopt) {
                cost = (evaluations + more) / *least;
                into.costs.push_back(cost);
            }
            runs.rows.push_back({number, static_cast<double>(digits), each.kept_back ? 1. : 0., whole.ratio, beside,
                                 whole.relative, evaluations, more, cost, warned ? 1. : 0.});
        }
    }
    report_on(r, "problems that constants were set with", set_with);
    report_on(r, "problems kept back", kept_back);
    r.tables.push_back(std::move(runs));
    return r;
}

} // namespace lento::reproduce
