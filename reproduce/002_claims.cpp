// What the text of paper 002 says beside its tables: the local error of example 1, and the estimates of section 2.1.3.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/split.hpp>

namespace lento::reproduce {
namespace {

/// Example 1: one step of algorithm 1 on the spiral (2.3), with exact flows.
void example_1(report& r) {
    constexpr double epsilon = 1e-4;
    constexpr double delta = 40;
    double const span = delta * epsilon;
    auto const slow = effective(interaction_picture(model::expanding_spiral{.epsilon = epsilon}.system()),
                                backward_forward{path_window{.delta = delta, .steps = 400}});
    for (double const step : {0.1, 0.05, 0.025}) {
        auto const run = solve(slow, turning_euler{.step = step}, {.state = {1, 0}}, {.end = step});
        double const error = std::exp(step) - std::hypot(run.state.back()[0], run.state.back()[1]);
        std::string const row = fmt::format("example 1, H={:g}", step);
        r.expect(row, "local error of the radius", std::exp(step) - 1 - step * std::expm1(span) / span,
                 "the text's exact expression", error, 1e-6);
        r.expect(row, "local error of the radius, leading term", (step * step - span * step) / 2, "(H^2 - Delta H)/2",
                 error, 0.04);
    }
}

using orbit = std::array<double, 4>;

/// The error of an rk4 micro-integration of the unperturbed stellar orbits over delta epsilon.
double micro_error(double epsilon, double delta, int steps) {
    model::stellar_orbits const stars{.epsilon = epsilon};
    auto const slow = effective(stars.system(), backward_forward{path_window{.delta = delta, .steps = steps}});
    auto work = slow.work();
    orbit found{};
    orbit difference{};
    orbit const x = model::stellar_orbits::start();
    slow.compare(0, x, found, difference, work);
    orbit const exact{std::cos(2 * delta) * x[0] + std::sin(2 * delta) * x[1],
                      -std::sin(2 * delta) * x[0] + std::cos(2 * delta) * x[1],
                      std::cos(delta) * x[2] + std::sin(delta) * x[3],
                      -std::sin(delta) * x[2] + std::cos(delta) * x[3]};
    double square = 0;
    for (std::size_t i = 0; i < 4; ++i) square += std::pow(found[i] - exact[i], 2);
    return std::sqrt(square);
}

/// How far the filtered slope of the path is from the averaged rate, at a state where both are generic.
double filter_error(double epsilon) {
    auto const turning = interaction_picture(model::stellar_orbits{.epsilon = epsilon}.system());
    orbit const x{0.6, -0.3, 0.8, 0.5};
    auto const rate = [&](auto const& slow) {
        auto work = slow.work();
        orbit out{};
        slow.rate(0, x, out, work);
        return out;
    };
    auto const found = rate(effective(
        turning,
        backward_forward{path_window{.delta = 60, .filter = polynomial{.moments = 1, .regularity = 5}, .steps = 600}}));
    auto const mean = rate(effective(turning, picard{.points = 9, .passes = 1}));
    double largest = 0;
    for (std::size_t i = 0; i < 4; ++i) largest = std::max(largest, std::abs(found[i] - mean[i]));
    return largest;
}

} // namespace

report claims_002() {
    report r{.id = "002/claims", .title = "example 1, and the estimates of section 2.1.3"};
    example_1(r);
    // micro-integration: Delta h^beta/epsilon^(beta+1), that is (Delta/epsilon) (h/epsilon)^beta
    double const base = micro_error(1e-4, 20, 400);
    r.expect("rk4 micro-integration", "order in h", 4, "beta = 4", std::log2(base / micro_error(1e-4, 20, 800)), 0.05);
    r.expect("rk4 micro-integration", "growth when Delta doubles", 2, "proportional to Delta",
             micro_error(1e-4, 40, 800) / base, 0.1);
    r.expect("rk4 micro-integration, epsilon=1e-6", "error at the same Delta/epsilon, h/epsilon", base,
             "the same at epsilon = 1e-4", micro_error(1e-6, 20, 400), 1e-3);
    // filtering: O(epsilon) at a fixed Delta/epsilon
    double before = 0;
    for (double const epsilon : {1e-3, 5e-4, 2.5e-4}) {
        double const error = filter_error(epsilon);
        std::string const row = fmt::format("filter K~1,5 over 60 epsilon, epsilon={:g}", epsilon);
        r.show(row, "error of the rate", error);
        if (before > 0) r.expect(row, "order in epsilon", 1, "O(epsilon)", std::log2(before / error), 0.05);
        before = error;
    }
    return r;
}

} // namespace lento::reproduce
