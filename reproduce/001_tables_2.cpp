// Tables 2.1, 2.2 and 2.3 of paper 001: errors in the averaged angle of the inverted pendulum.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <lento/base/decimal.hpp>
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
    std::array<char const*, 4> micro_steps;
    std::array<std::vector<char const*>, 4> errors; // by row, then omega
};

constexpr std::array<char const*, 4> printed_averaged = {"2.74e-1", "7.43e-2", "1.90e-2", "4.72e-3"};

std::string name_of(double omega) { return fmt::format("omega=1e{:.0f}", std::log10(omega)); }

/// Errors against 1/H, one curve per frequency, with the printed ones.
void draw(report& r, printed const& paper) {
    table errors{.name = "errors", .columns = {"1/H"}, .rows = {}};
    panel axes{.title = "",
               .x = {.label = "1/H", .logarithmic = true},
               .y = {.label = "error in Q", .logarithmic = true},
               .curves = {}};
    for (std::size_t row = 0; row < rows.size(); ++row) errors.rows.push_back({1. * rows[row]});
    auto const add = [&](std::string const& column, auto const& printed_at, stroke how) {
        errors.columns.insert(errors.columns.end(), {column, column + " printed"});
        for (std::size_t row = 0; row < rows.size(); ++row)
            for (auto const& e : r.entries)
                if (e.row == fmt::format("H=1/{}", rows[row]) && e.column == column)
                    errors.rows[row].insert(errors.rows[row].end(), {e.value, decimal<double>(printed_at(row))});
        axes.curves.push_back({"errors", "1/H", column, column, how});
        axes.curves.push_back(
            {"errors", "1/H", column + " printed", how == stroke::dashes ? "printed" : "", stroke::printed});
    };
    std::size_t const highest = paper.omegas.size() - 1; // its curve lies upon the one before
    for (std::size_t j = 0; j <= highest; ++j)
        add(
            name_of(paper.omegas[j]), [&](std::size_t row) { return paper.errors[row][j]; },
            j < highest ? stroke::line : stroke::dotted);
    add("Averaged", [&](std::size_t row) { return printed_averaged[row]; }, stroke::dashes);
    r.tables.push_back(std::move(errors));
    r.figures.push_back({.name = r.id, .caption = "Vibrated pendulum: " + r.title, .panels = {axes}});
}

template <class Make>
report make_table(std::string id, std::string title, printed const& paper, double phase, Make make) {
    report r{.id = std::move(id), .title = std::move(title)};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        int const n = rows[row];
        std::string const name = fmt::format("H=1/{}", n);
        for (std::size_t j = 0; j < paper.omegas.size(); ++j) {
            model::vibrated_pendulum const pendulum{.omega = paper.omegas[j], .phase = phase};
            auto const slow = make(pendulum, n);
            auto const result = verlet_run(slow, n, pendulum);
            r.compare(name, name_of(paper.omegas[j]), paper.errors[row][j], result.error, digits::cut)
                .force_evaluations = result.counts.force_evaluations;
            if (j > 0) continue;
            // the synchronised last velocity takes one window more than the paper's leapfrog counts
            auto const a_window = result.counts.micro_steps / result.counts.effective_evaluations;
            r.compare(name, "micro-steps", paper.micro_steps[row],
                      static_cast<double>(result.counts.micro_steps - a_window));
            r.show(name, "closing window", static_cast<double>(a_window)).note =
                "micro-steps for the velocity at t = 1, not in the paper's count";
        }
        model::vibrated_pendulum const pendulum{};
        r.compare(name, "Averaged", printed_averaged[row], verlet_run(pendulum.averaged(), n, pendulum).error,
                  digits::cut);
    }
    draw(r, paper);
    r.remarks.emplace_back("the print rounds some numbers and cuts others off: both are accepted");
    r.remarks.emplace_back(
        "'Averaged' is Verlet with step H on the averaged equation (2.5); the text's (2.9) is a slip");
    return r;
}

/// Algorithm 1 with the phase as a plain double, omega t + theta_0: its rounding reaches the force, of O(omega).
double error_with_rounded_phases(int n, double omega, double phase) {
    model::vibrated_pendulum const pendulum{.omega = omega, .phase = phase};
    double const step = 1. / n;
    double const h = 2 * std::numbers::pi / omega / n;
    int const reach = 20 * n;
    auto const w = weights(exponential{}, 2 * reach);
    auto const force = [&](double q, double t) {
        return (pendulum.g + pendulum.vmax * omega * std::cos(omega * t + phase)) * std::sin(q) / pendulum.l;
    };
    auto const window_force = [&](double t, double q, double slow) {
        double const lifted = slow + pendulum.vmax * std::sin(omega * t + phase) * std::sin(q) / pendulum.l;
        double sum = 0;
        for (int const side : {1, -1}) {
            double x = q;
            double p = lifted + side * h / 2 * force(q, t);
            for (int k = 1; k <= reach; ++k) {
                x += side * h * p;
                double const f = force(x, t + side * k * h);
                sum += w[static_cast<std::size_t>(reach + side * k)] * f;
                p += side * h * f;
            }
        }
        return sum + w[static_cast<std::size_t>(reach)] * force(q, t);
    };
    std::vector<double> t{0};
    std::vector<std::array<double, 1>> q{{0.5}};
    double at_half = 0;
    double slow = 0;
    for (int i = 0; i < n; ++i) {
        double const f = window_force(t.back(), q.back()[0], slow);
        at_half += (i == 0 ? step / 2 : step) * f;
        slow = at_half + step / 2 * f;
        q.push_back({q.back()[0] + step * at_half});
        t.push_back((i + 1) * step);
    }
    return error_in_angle(t, q, pendulum);
}

struct range {
    double least = 1e300;
    double most = -1e300;
    void take(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    [[nodiscard]] bool has(double value) const { return least <= value && value <= most; }
    [[nodiscard]] std::string text() const { return fmt::format("{:.3g} to {:.3g}", least, most); }
};

/// Why some entries of table 2.1 are not the printed ones. The column omega = 1e8 is a draw of the phases' rounding,
/// and ours is compared with the column 1e6, from which it may differ by O(1/omega); at 1e4 the phase at the start
/// matters.
template <class Make> void explain(report& r, Make make) {
    for (int const n : rows) {
        auto const at = [&](std::string const& column) -> entry& {
            return *std::find_if(r.entries.begin(), r.entries.end(), [&](entry const& e) {
                return e.row == fmt::format("H=1/{}", n) && e.column == column;
            });
        };
        range rounded;
        for (int k = 0; k < 16; ++k) rounded.take(error_with_rounded_phases(n, 1e8 + k, -std::numbers::pi / 2));
        entry& highest = at("omega=1e8");
        highest.and_expect(at("omega=1e6").value, "the same method at omega = 1e6", 0.01);
        if (rounded.has(*highest.paper))
            highest.known_because("round-off of omega t in double, not made here: with it 16 frequencies from 1e8 to "
                                  "1e8 + 15 give " +
                                  rounded.text());
        entry& lowest = at("omega=1e4");
        if (lowest.agrees) continue;
        range of_phases;
        for (int k = 0; k < 16; ++k) {
            model::vibrated_pendulum const pendulum{.omega = 1e4, .phase = std::numbers::pi / 8 * k};
            of_phases.take(verlet_run(make(pendulum, n), n, pendulum).error);
        }
        if (of_phases.has(*lowest.paper) && of_phases.has(lowest.value))
            lowest.known_because("theta_0 is not stated: 16 values of it give " + of_phases.text());
    }
}

} // namespace

report table_001_2_1() {
    printed const paper{.omegas = {1e4, 1e6, 1e8},
                        .micro_steps = {"4000", "16000", "64000", "256000"},
                        .errors = {{{"4.04e-1", "4.08e-1", "4.04e-1"},
                                    {"1.05e-1", "1.07e-1", "1.08e-1"},
                                    {"2.51e-2", "2.70e-2", "2.61e-2"},
                                    {"4.76e-3", "6.72e-3", "6.69e-3"}}}};
    auto const make = [](model::vibrated_pendulum const& pendulum, int n) {
        window const view{.periods = 40, .steps_per_period = static_cast<double>(n)};
        return effective(pendulum.system(), synchronous{view, pendulum.slow_velocity()});
    };
    auto r = make_table("001/table-2.1", "errors in Q, synchronous, exponential kernel over 40 periods", paper,
                        -std::numbers::pi / 2, make);
    explain(r, make);
    r.remarks.emplace_back("theta_0 is not stated; theta_0 = -pi/2 fits the print");
    return r;
}

report table_001_2_2() {
    printed const paper{.omegas = {1e4, 1e6, 1e8},
                        .micro_steps = {"2000", "8000", "32000", "128000"},
                        .errors = {{{"4.10e-1", "4.08e-1", "4.05e-1"},
                                    {"1.10e-1", "1.07e-1", "1.05e-1"},
                                    {"2.95e-2", "2.71e-2", "2.51e-2"},
                                    {"9.11e-3", "6.74e-3", "4.81e-3"}}}};
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
                        .micro_steps = {"50", "200", "800", "3200"},
                        .errors = {{{"3.86e-1", "4.05e-1", "4.07e-1", "4.07e-1"},
                                    {"9.11e-2", "1.05e-1", "1.07e-1", "1.07e-1"},
                                    {"1.15e-2", "2.55e-2", "2.70e-2", "2.70e-2"},
                                    {"8.67e-3", "5.20e-3", "6.70e-3", "6.71e-3"}}}};
    return make_table("001/table-2.3", "errors in Q, asynchronous, one-period mean", paper, 0,
                      [](model::vibrated_pendulum const& pendulum, int n) {
                          return effective(pendulum.system(), asynchronous{one_period{.steps = n}});
                      });
}

} // namespace lento::reproduce
