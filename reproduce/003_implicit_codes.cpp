// Paper 003, section 6.3: implicit codes do the same work from the constraint manifold as from the slow one, but for
// the trapezoidal rule, which does not damp what is infinitely fast. The paper's codes are those of one suite; CVODE's
// BDF stands in for ode15s, tables of ARKODE for the others.

#include "reproduce/experiments.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

namespace lento::reproduce {
namespace {

using state = model::two_springs::state;

double distance(std::array<double, 4> const& a, std::array<double, 4> const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

/// What each code is run on: the springs from both starts, and the motion from the slow one.
struct springs_from_both {
    double omega;
    state constrained = model::two_springs::on_constraints();
    state slow;
    std::array<double, 4> end;

    [[nodiscard]] auto system() const { return model::two_springs{.omega_1 = omega, .omega_2 = omega}.both_hard(); }
    explicit springs_from_both(double frequency) : omega(frequency) {
        auto const manifold = slow_manifold{cubic_window(omega), {.tolerance = omega < 500 ? 1e-7 : 1e-9}};
        slow = project(system(), manifold, constrained).x;
        end = solve(system(), dormand_prince{.rtol = 1e-11, .atol = 1e-13}, slow, {.end = 10, .output_times = {10}})
                  .position.back();
    }
};

/// One code with one tolerance from both starts: its errors, and the ratio of its work.
template <class Code>
double work_ratio(report& r, springs_from_both const& springs, std::string const& row, Code const& code) {
    std::array<double, 2> work{};
    for (bool const from_slow : {false, true}) {
        auto const run = solve(springs.system(), code, from_slow ? springs.slow : springs.constrained,
                               {.end = 10, .output_times = {10}});
        work[from_slow ? 1 : 0] = static_cast<double>(run.statistics.force_evaluations);
        r.show(row, from_slow ? "error in q from the slow manifold" : "error in q from the constraint manifold",
               distance(run.position.back(), springs.end))
            .force_evaluations = run.statistics.force_evaluations;
    }
    return work[0] / work[1];
}

constexpr char const* work_column = "work from the constraint manifold over that from the slow one";

void same_work(report& r, std::string const& row, bool compared, double ratio) {
    if (compared) r.expect(row, work_column, 1, "the text: roughly the same", ratio, 0.5);
    else r.show(row, work_column, ratio);
}

} // namespace

report implicit_codes_003() {
    report r{.id = "003/implicit-codes", .title = "work of implicit codes from the constraint and the slow manifold"};
    if (!has_sundials()) {
        r.show("without SUNDIALS", "implicit codes", 0);
        return r;
    }
    for (double const omega : {100., 1000.}) {
        springs_from_both const springs(omega);
        for (double const tolerance : {1e-3, 1e-4, 1e-5}) {
            auto const row = [&](std::string_view code) {
                return fmt::format("{}, omega={:g}, tolerance {:g}", code, omega, tolerance);
            };
            same_work(r, row("bdf"), true,
                      work_ratio(r, springs, row("bdf"), cvode_bdf{.rtol = tolerance, .atol = 1e-3 * tolerance}));
            // below it one-step codes follow the fast motion of the constraint manifold's start until it is damped
            bool const steps_over = omega == 1000 && tolerance > 5e-5;
            for (std::size_t k = 0; k < 3; ++k) {
                auto const table = static_cast<implicit_table>(k);
                auto const name = row(names_of(table)[k]);
                double const ratio = work_ratio(
                    r, springs, name, arkode_implicit{.rtol = tolerance, .atol = 1e-3 * tolerance, .table = table});
                if (table != implicit_table::trapezoid) same_work(r, name, steps_over, ratio);
                else if (omega == 1000 && tolerance < 5e-4)
                    r.bound(name, "work from the slow manifold over that from the constraint one", 1 / ratio, 0.5);
                else r.show(name, work_column, ratio);
            }
        }
    }
    r.remarks.emplace_back(
        "the text names no tolerance. With one of 1e-5, and for omega = 100 always, ARKODE's methods resolve the fast "
        "motion from the constraint manifold and do up to twice the work, whether they damp it later or not");
    return r;
}

} // namespace lento::reproduce
