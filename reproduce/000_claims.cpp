// What the text of paper 000 says beside its tables: errors follow the tolerance, and the accuracy of
// micro-integrations.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "reproduce/two_springs.hpp"

namespace lento::reproduce {
namespace {

/// The largest error in position of a Verlet integration of the stiff system over `periods` of 2 pi/omega with a step
/// of `share` of them, times omega.
double micro_error(double omega, double share, double periods) {
    model::two_springs const springs{.omega_1 = 1, .omega_2 = omega};
    double const period = 2 * std::numbers::pi / omega;
    auto const run = solve(springs.second_hard(), verlet{.step = share * period}, springs.stretched_second(),
                           {.end = periods * period});
    auto const exact = solve(springs.second_hard(), dormand_prince{.rtol = 1e-11, .atol = 1e-13},
                             springs.stretched_second(), {.end = periods * period, .output_times = run.t});
    return omega * position_error(run, exact);
}

/// Section 4 on table 1: smaller tolerances give smaller errors, down to what the slow motion leaves out.
void errors_follow_tolerances(report& r) {
    model::two_springs const springs{.omega_1 = 1, .omega_2 = 2e4};
    auto const system = springs.second_hard();
    auto const start = springs.stretched_second();
    auto const slow = effective(system, force_averaging{twenty_periods(springs.omega_2)});
    auto const reference = solve(system, tight, start, {.end = 10, .output_times = quarters(0, 10)});
    double before = 0;
    for (double const rtol : {1e-2, 1e-3, 1e-4, 1e-5}) {
        dormand_prince const code{.rtol = rtol, .atol = 1e-3 * rtol, .control = control_rule::ode45};
        auto const run = solve(slow, code, start, {.end = 10, .output_times = quarters(0, 10)});
        double const error = position_error(run, reference);
        std::string const row = fmt::format("omega_2=20000, ode45, rtol={:g}", rtol);
        r.show(row, "error in q", error).force_evaluations = run.statistics.force_evaluations;
        if (before > 0) r.bound(row, "error over that of ten times the tolerance", error / before, 0.5);
        before = error;
    }
}

/// The filter as the text writes it, over half the length: it keeps less of the scales apart, and the method drifts
/// off.
void literal_window(report& r) {
    for (double const omega : {500., 2000.}) {
        model::two_springs const springs{.omega_1 = 1, .omega_2 = omega};
        auto const system = springs.second_hard();
        auto const start = springs.stretched_second();
        auto const reference = solve(system, tight, start, {.end = 10, .output_times = quarters(0, 10)});
        auto const error = [&](double share) {
            window view = twenty_periods(omega);
            view.length *= share;
            auto const slow = effective(system, force_averaging{view});
            return position_error(solve(slow, rk4{.step = 0.25}, start, {.end = 10}), reference);
        };
        std::string const row = fmt::format("omega_2={:g}, H=1/4", omega);
        r.compare(row, "error with the filter over [-eta, eta]", omega == 500 ? "9.1e-3" : "1.7e-3", error(1));
        double const literal = error(0.5);
        r.show(row, "error with the filter over [-eta/2, eta/2]", literal).agrees = true; // it may blow up
        if (omega == 2000) r.bound(row, "the printed one over that", 1.7e-3 / literal, 0.01);
    }
}

} // namespace

report claims_000() {
    report r{.id = "000/claims",
             .title = "errors and tolerances, the window as written, micro-integrations with h and eta of O(1/omega)"};
    errors_follow_tolerances(r);
    literal_window(r);
    // the remark at the end of section 4: h = C 2 pi/omega, eta = D 2 pi/omega
    double const base = micro_error(1000, 1. / 6, 10);
    for (double const omega : {2000., 4000., 8000.})
        r.expect(fmt::format("C=1/6, D=10, omega={:g}", omega), "omega times the error in q", base,
                 "the same at omega = 1000", micro_error(omega, 1. / 6, 10), 0.1);
    // with the paper's C = 1/6 the fast phase is lost within the window, and the error is the whole amplitude; the
    // constant falls with C from where steps resolve the phase, and with D
    double const coarse = micro_error(1000, 1. / 12, 10);
    double const fine = micro_error(1000, 1. / 24, 10);
    r.bound("C=1/24, D=10, omega=1000", "error over that with C=1/12", fine / coarse, 0.5);
    r.bound("C=1/48, D=10, omega=1000", "error over that with C=1/24", micro_error(1000, 1. / 48, 10) / fine, 0.3);
    r.bound("C=1/24, D=5, omega=1000", "error over that with D=10", micro_error(1000, 1. / 24, 5) / fine, 0.6);
    return r;
}

} // namespace lento::reproduce
