// Tables 2.1, 2.2 and 2.3 of paper 001: errors in the averaged angle of the inverted pendulum.

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

constexpr std::array<int, 4> rows = {10, 20, 40, 80}; // 1/H, and micro steps per period

/// What a row of a table holds: the error for a frequency and the work, the same for all of them.
struct outcome_of_run {
    double error;
    statistics counts;
    std::vector<warning> warnings;
};

/// The largest error in Q at the macro times, against the averaged equation (2.5).
double error_in_angle(std::vector<double> const& t, std::vector<std::array<double, 1>> const& q,
                      model::vibrated_pendulum const& pendulum) {
    auto const exact = solve(pendulum.averaged(), dormand_prince{.rtol = 1e-12, .atol = 1e-13}, {.position = {0.5}},
                             {.end = 1, .output_times = t});
    double error = 0;
    for (std::size_t i = 0; i < t.size(); ++i) error = std::max(error, std::abs(q[i][0] - exact.position[i][0]));
    return error;
}

/// Verlet with step H from Q(0) = 0.5 at rest.
template <class System> outcome_of_run verlet_run(System const& slow, int n, model::vibrated_pendulum const& pendulum) {
    auto const run = solve(slow, verlet{.step = 1. / n}, {.position = {0.5}}, {.end = 1, .given = initial_state::slow});
    if (!run) return {std::nan(""), run.statistics, run.warnings};
    return {error_in_angle(run.t, run.position, pendulum), run.statistics, run.warnings};
}

struct printed {
    std::vector<double> omegas;
    std::vector<double> tolerances;
    std::array<double, 4> micro_steps;
    std::array<std::vector<double>, 4> errors; // by row, then omega
};

constexpr std::array<double, 4> printed_averaged = {2.74e-1, 7.43e-2, 1.90e-2, 4.72e-3};

template <class Make>
report make_table(std::string id, std::string title, printed const& paper, double phase, Make make) {
    report r{.id = std::move(id), .title = std::move(title), .entries = {}, .tables = {}, .remarks = {}};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        int const n = rows[row];
        std::string const name = fmt::format("H=1/{}", n);
        for (std::size_t j = 0; j < paper.omegas.size(); ++j) {
            model::vibrated_pendulum const pendulum{.omega = paper.omegas[j], .phase = phase};
            auto const slow = make(pendulum, n);
            auto const result = verlet_run(slow, n, pendulum);
            r.compare(name, fmt::format("omega=1e{:.0f}", std::log10(paper.omegas[j])), paper.errors[row][j],
                      result.error, paper.tolerances[j])
                .force_evaluations = result.counts.force_evaluations;
            if (j > 0) continue;
            // the synchronised last velocity takes one window more than the paper's leapfrog counts
            auto const a_window = result.counts.micro_steps / result.counts.effective_evaluations;
            r.compare(name, "micro-steps", paper.micro_steps[row],
                      static_cast<double>(result.counts.micro_steps - a_window), 0);
            r.show(name, "closing window", static_cast<double>(a_window)).note =
                "micro-steps for the velocity at t = 1, not in the paper's count";
        }
        model::vibrated_pendulum const pendulum{};
        r.compare(name, "Averaged", printed_averaged[row], verlet_run(pendulum.averaged(), n, pendulum).error, 0.006);
    }
    r.remarks.emplace_back(
        "'Averaged' is Verlet with step H on the averaged equation (2.5); the text's (2.9) is a slip");
    return r;
}

} // namespace

report table_001_2_1() {
    printed const paper{.omegas = {1e4, 1e6, 1e8},
                        .tolerances = {0.01, 0.01, 0.08},
                        .micro_steps = {4000, 16000, 64000, 256000},
                        .errors = {{{4.04e-1, 4.08e-1, 4.04e-1},
                                    {1.05e-1, 1.07e-1, 1.08e-1},
                                    {2.51e-2, 2.70e-2, 2.61e-2},
                                    {4.76e-3, 6.72e-3, 6.69e-3}}}};
    auto r = make_table("001/table-2.1", "errors in Q, synchronous, exponential kernel over 40 periods", paper,
                        -std::numbers::pi / 2, [](model::vibrated_pendulum const& pendulum, int n) {
                            window const view{.periods = 40, .steps_per_period = static_cast<double>(n)};
                            return effective(pendulum.system(), synchronous{view, pendulum.slow_velocity()});
                        });
    r.remarks.emplace_back("theta_0 is not stated; theta_0 = -pi/2 fits the print");
    r.remarks.emplace_back("the printed column omega = 1e8 holds round-off of theta = omega t in double, which is not "
                           "made here: compare within 8 %");
    return r;
}

report table_001_2_2() {
    printed const paper{.omegas = {1e4, 1e6, 1e8},
                        .tolerances = {0.006, 0.006, 0.006},
                        .micro_steps = {2000, 8000, 32000, 128000},
                        .errors = {{{4.10e-1, 4.08e-1, 4.05e-1},
                                    {1.10e-1, 1.07e-1, 1.05e-1},
                                    {2.95e-2, 2.71e-2, 2.51e-2},
                                    {9.11e-3, 6.74e-3, 4.81e-3}}}};
    auto r = make_table("001/table-2.2", "errors in Q, asynchronous, exponential kernel over 40 periods", paper, 0,
                        [](model::vibrated_pendulum const& pendulum, int n) {
                            window const view{.periods = 40, .steps_per_period = static_cast<double>(n)};
                            return effective(pendulum.system(), asynchronous{view});
                        });
    r.remarks.emplace_back(
        "the column omega = 1e8 shows the kernel's finite filtering: 4.4e-11 of a force of O(omega)");
    return r;
}

report table_001_2_3() {
    printed const paper{.omegas = {1e3, 1e4, 1e6, 1e8},
                        .tolerances = {0.006, 0.006, 0.006, 0.006},
                        .micro_steps = {50, 200, 800, 3200},
                        .errors = {{{3.86e-1, 4.05e-1, 4.07e-1, 4.07e-1},
                                    {9.11e-2, 1.05e-1, 1.07e-1, 1.07e-1},
                                    {1.15e-2, 2.55e-2, 2.70e-2, 2.70e-2},
                                    {8.67e-3, 5.20e-3, 6.70e-3, 6.71e-3}}}};
    return make_table("001/table-2.3", "errors in Q, asynchronous, one-period mean", paper, 0,
                      [](model::vibrated_pendulum const& pendulum, int n) {
                          return effective(pendulum.system(), asynchronous{one_period{.steps = n}});
                      });
}

} // namespace lento::reproduce
