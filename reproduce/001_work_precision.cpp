// Beyond paper 001: the problem of table 2.3 with as few force evaluations as possible. Errors are maxima over 1,001
// equidistant times, not only over the macro grid. Settings are fixed for all frequencies and starts of a block.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>

namespace lento::reproduce {
namespace {

using angle = motion<std::array<double, 1>>;
constexpr std::size_t times = 1001;
constexpr std::array<double, 3> starts = {0.5, 0.3, 0.8};

struct angles {
    std::vector<double> t;
    std::vector<double> q;
};

double distance(solution<angle> const& run, angles const& truth) {
    if (!run) return std::nan("");
    double error = 0;
    for (std::size_t i = 0; i < truth.t.size(); ++i) error = std::max(error, std::abs(run.position[i][0] - truth.q[i]));
    return error;
}

/// The averaged equation's solution from a slow start.
angles averaged_truth(double start) {
    auto const exact = solve(model::vibrated_pendulum{}.averaged(), dormand_prince{.rtol = 1e-13, .atol = 1e-14},
                             {.position = {start}}, {.end = 1, .output_count = times});
    angles truth{exact.t, {}};
    for (auto const& q : exact.position) truth.q.push_back(q[0]);
    return truth;
}

/// Four convolved one-period boxes, their second moment corrected to 0 by a second difference of themselves.
std::vector<double> truth_filter(int steps_a_period) {
    auto w = weights(one_period_mean{.boxes = 4}, 4 * steps_a_period);
    w.insert(w.begin(), 0);
    w.push_back(0);
    double const centre = (static_cast<double>(w.size()) - 1) / 2;
    double second = 0;
    for (std::size_t k = 0; k < w.size(); ++k) second += w[k] * std::pow(static_cast<double>(k) - centre, 2);
    auto corrected = w;
    for (std::size_t k = 1; k + 1 < w.size(); ++k) corrected[k] -= second / 2 * (w[k + 1] - 2 * w[k] + w[k - 1]);
    corrected.front() -= second / 2 * w[1];
    corrected.back() -= second / 2 * w[w.size() - 2];
    return corrected;
}

/// The direct solution from a physical start at rest, filtered; at least two periods from the ends.
angles filtered_truth(model::vibrated_pendulum const& pendulum, double start) {
    constexpr int steps = 24;
    auto const filter = truth_filter(steps);
    double const h = 2 * std::numbers::pi / pendulum.omega / steps;
    double const reach = h * (static_cast<double>(filter.size()) - 1) / 2;
    angles truth;
    std::vector<double> samples;
    for (std::size_t i = 0; i < times; ++i) {
        double const t = static_cast<double>(i) / (times - 1);
        if (t < reach || t > 1 - reach) continue;
        truth.t.push_back(t);
        for (std::size_t k = 0; k < filter.size(); ++k) samples.push_back(t - reach + h * static_cast<double>(k));
    }
    auto order = samples;
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    auto const direct = solve(pendulum.system(), dormand_prince{.rtol = 1e-13, .atol = 1e-13}, {.position = {start}},
                              {.end = 1, .output_times = order});
    auto const sample = [&](double t) {
        auto const at = std::lower_bound(order.begin(), order.end(), t) - order.begin();
        return direct.position[static_cast<std::size_t>(at)][0];
    };
    for (std::size_t i = 0; i < truth.t.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < filter.size(); ++k) sum += filter[k] * sample(samples[i * filter.size() + k]);
        truth.q.push_back(direct ? sum : std::nan(""));
    }
    return truth;
}

struct bars {
    double error;
    std::uint64_t evaluations;
};

void judge(report& r, std::string const& configuration, std::string const& problem, double error,
           statistics const& counts, bars const& at_most) {
    entry& e = r.bound(configuration, problem, error, at_most.error);
    e.force_evaluations = counts.force_evaluations;
    e.note = fmt::format("at most {:g} in {} evaluations", at_most.error, at_most.evaluations);
    e.agrees = e.agrees && counts.force_evaluations <= at_most.evaluations;
}

std::string problem_name(double omega, double start) {
    return fmt::format("omega=1e{:.0f}, Q(0)={:g}", std::log10(omega), start);
}

/// Windows of three Verlet steps per period, fitted to the vibration: two force evaluations each, because the force is
/// even. Their bias is O(1/omega), so the truth is the averaged equation.
template <class Macro>
void fitted_verlet(report& r, std::string const& configuration, Macro macro, bars const& at_most) {
    for (double const start : starts) {
        angles const truth = averaged_truth(start);
        for (double const omega : {1e6, 1e7, 1e8}) {
            model::vibrated_pendulum const pendulum{.omega = omega};
            auto const slow =
                effective(pendulum.system(), asynchronous{one_period{.steps = 3}, verlet{.fitted_to = omega}});
            auto const run = solve(slow, macro, {.position = {start}},
                                   {.end = 1, .output_times = truth.t, .given = initial_state::slow});
            judge(r, configuration, problem_name(omega, start), distance(run, truth), run.statistics, at_most);
        }
    }
}

/// The spectral mean from a physical start, lowered to the slow one (those evaluations count too). Without a bias of
/// O(1/omega), so the truth is the filtered direct solution.
template <class Macro> void spectral_mean(report& r, std::string const& configuration, Macro macro,
                                          std::vector<double> const& omegas, bars const& at_most) {
    for (double const omega : omegas)
        for (double const start : starts) {
            model::vibrated_pendulum const pendulum{.omega = omega};
            angles const truth = filtered_truth(pendulum, start);
            auto const run = solve(effective(pendulum.system(), picard{.points = 4, .passes = 2}), macro,
                                   {.position = {start}}, {.end = 1, .output_times = truth.t});
            judge(r, configuration, problem_name(omega, start), distance(run, truth), run.statistics, at_most);
        }
}

/// The moving mean of order 2 where that floor is too high, judged like the spectral mean. (Of order 4 it is better
/// than the filtered truth.) Steps are short for the sake of the times between them.
void moving_mean_at(report& r, double omega, bars const& at_most) {
    for (double const start : starts) {
        model::vibrated_pendulum const pendulum{.omega = omega};
        angles const truth = filtered_truth(pendulum, start);
        auto const run = solve(effective(pendulum.system(), picard{.points = 8, .order = 2}),
                               dormand_prince_8{.rtol = 1e-7, .atol = 1e-8, .max_step = 0.01}, {.position = {start}},
                               {.end = 1, .output_times = truth.t});
        judge(r, "moving mean of order 2, DP8", problem_name(omega, start), distance(run, truth), run.statistics,
              at_most);
    }
}

/// Equal work at all frequencies, and errors that differ from the limit by O(1/omega) only.
void frequency_independence(report& r) {
    auto const row = [&](double omega) {
        model::vibrated_pendulum const pendulum{.omega = omega};
        auto const slow = effective(pendulum.system(), asynchronous{one_period{.steps = 80}});
        return solve(slow, verlet{.step = 1. / 80}, {.position = {0.5}}, {.end = 1, .given = initial_state::slow});
    };
    auto const error = [&](solution<angle> const& run) {
        auto const exact = solve(model::vibrated_pendulum{}.averaged(), dormand_prince{.rtol = 1e-13, .atol = 1e-14},
                                 {.position = {0.5}}, {.end = 1, .output_times = run.t});
        angles truth{exact.t, {}};
        for (auto const& q : exact.position) truth.q.push_back(q[0]);
        return distance(run, truth);
    };
    auto const limit = row(1e8);
    for (double const omega : {1e4, 1e6, 1e8}) {
        auto const run = row(omega);
        std::string const column = fmt::format("omega=1e{:.0f}", std::log10(omega));
        r.show("paper 001, H=1/80", column, error(run)).force_evaluations = run.statistics.force_evaluations;
        r.expect("paper 001, H=1/80", column + " evaluations", static_cast<double>(limit.statistics.force_evaluations),
                 "as many as at omega = 1e8", static_cast<double>(run.statistics.force_evaluations), 0);
        r.bound("paper 001, H=1/80", column + " |E - E(1e8)|", std::abs(error(run) - error(limit)), 20 / omega);
    }
}

} // namespace

report work_precision_001() {
    report r{.id = "001/work-precision", .title = "table 2.3's problem with as few force evaluations as possible"};
    frequency_independence(r);
    fitted_verlet(r, "fitted Verlet 3, cowell4 H=1/34", cowell4{.step = 1. / 34}, {6.7e-3, 100});
    fitted_verlet(r, "fitted Verlet 3, cowell6 H=1/48", cowell6{.step = 1. / 48}, {1e-4, 160});
    spectral_mean(r, "picard 4, cowell6 H=1/44", cowell6{.step = 1. / 44}, {1e4, 1e5}, {1e-4, 450});

    // a force that does not know the velocity has a floor of O(1/omega^2); a fine macro grid shows it
    for (double const start : starts) {
        model::vibrated_pendulum const pendulum{.omega = 1e3};
        angles const truth = filtered_truth(pendulum, start);
        auto const run = solve(effective(pendulum.system(), picard{.points = 8, .passes = 4}),
                               cowell6{.step = 1. / 200}, {.position = {start}}, {.end = 1, .output_times = truth.t});
        r.show("picard 8, floor", problem_name(1e3, start), distance(run, truth)).force_evaluations =
            run.statistics.force_evaluations;
    }
    moving_mean_at(r, 1e3, {1e-6, 150'000});
    r.remarks.emplace_back("the paper's best row takes 3,280 evaluations for 6.7e-3");
    r.remarks.emplace_back(
        "fitted Verlet: truth is the averaged equation; picard: the direct solution (rtol 1e-13) from "
        "the same physical start, filtered by four convolved one-period boxes with zero second "
        "moment, two periods and more from the ends");
    r.remarks.emplace_back("at omega = 1e3 a velocity-independent effective force has a floor of O(1/omega^2); "
                           "the moving mean goes below it, and so do stroboscopic averaging and a direct solution");
    return r;
}

} // namespace lento::reproduce
