// The estimates of paper 003, section 4: how exact the iterated projection is, how fast it converges, how little it
// moves a point along the constraints.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

namespace lento::reproduce {
namespace {

using state = model::driven_spring::state;
constexpr double t0 = 0.7;

/// The slow state of the driven spring at t0, its free coordinate at (0.3, 0.2), and the spring off by rho and sigma.
state driven_start(double omega, double rho, double sigma) {
    double const a = model::driven_spring{.omega = omega}.amplitude();
    return {{0.3, a * std::cos(t0) + rho}, {0.2, -a * std::sin(t0) + sigma}};
}

window smooth_window(double omega, int moments) {
    double const period = 2 * std::numbers::pi / omega;
    return {.kernel = exponential{.moments = moments}, .length = 12 * period, .step = period / 12, .unchecked = true};
}

/// The iterates of the spring's deviation from its slow motion, and of the free coordinate.
struct iterates {
    std::vector<double> deviation; ///< in position, 0 the start
    std::vector<double> glide;     ///< of the free coordinate, in position
    std::vector<double> q;
    std::vector<double> p;
};
iterates iterate(double omega, window const& view, double rho, double sigma, int count) {
    auto const system = model::driven_spring{.omega = omega}.system();
    auto const slow = effective(system, slow_manifold{view});
    state const start = driven_start(omega, rho, sigma);
    state const target = driven_start(omega, 0, 0);
    auto work = slow.work();
    slow.begin(t0, start, work);
    slow.open(start, work);
    iterates found;
    for (int m = 0; m <= count; ++m) {
        if (m > 0) slow.filter(t0, work);
        found.q.push_back(work.q[1]);
        found.p.push_back(work.v[1]);
        found.deviation.push_back(work.q[1] - target.position[1]);
        found.glide.push_back(work.q[0] - start.position[0]);
    }
    return found;
}

/// (16): the limit is off by O(omega^-(mu+1)).
void accuracy(report& r) {
    for (auto const& [moments, omega] : {std::pair{1, 200.}, std::pair{3, 100.}, std::pair{5, 60.}}) {
        auto const error = [&](double w) {
            return std::abs(iterate(w, smooth_window(w, moments), 0, 0, 12).deviation.back());
        };
        r.expect(fmt::format("(16), mu={}", moments),
                 fmt::format("error in q at omega={:g} over that at {:g}", omega, 2 * omega), std::pow(2., moments + 1),
                 "2^(mu+1)", error(omega) / error(2 * omega), 0.1);
    }
}

/// The convergence factor does not depend on omega, and (18), (19) follow from it.
void convergence(report& r) {
    auto const factor = [](double omega) {
        auto const found = iterate(omega, cubic_window(omega), 1e-2, 0, 2);
        return (found.q[2] - found.q[1]) / (found.q[1] - found.q[0]);
    };
    double const base = factor(1e3);
    r.show("convergence factor", "R at omega=1000", base);
    for (double const omega : {1e4, 1e5})
        r.expect("convergence factor", fmt::format("R at omega={:g}", omega), base, "the same at omega = 1000",
                 factor(omega), 0.02);
    for (double const omega : {1e3, 1e4}) {
        constexpr double tolerance = 1e-9;
        double const rho = 1e-2;
        double const sigma = 1e-2;
        auto const found = iterate(omega, cubic_window(omega), rho, sigma, 30);
        std::size_t last = 0; // l, the first index whose step is below the tolerance
        while (std::max(std::abs(found.q[last + 1] - found.q[last]), std::abs(found.p[last + 1] - found.p[last])) >=
               tolerance)
            ++last;
        double const predicted = (std::log(1 / tolerance) + std::log(rho + sigma)) / std::log(1 / std::abs(base));
        std::string const row = fmt::format("omega={:g}, tolerance 1e-9", omega);
        r.bound(row, "iterations less those of (18)", std::abs(static_cast<double>(last) - predicted), 1);
        double const left =
            std::max(std::abs(found.q[last + 1] - found.q.back()), std::abs(found.p[last + 1] - found.p.back()));
        r.bound(row, "what is left over the tolerance, by (19)", left / tolerance,
                std::abs(base) / (1 - std::abs(base)) + 1e-3);
    }
}

/// Section 4.2: the free coordinate glides by O(omega^-(mu+1)) per filtering, mu = 3.
void glide(report& r) {
    auto const found = [](double omega) { return iterate(omega, cubic_window(omega), 1e-3, 0, 4).glide; };
    auto const coarse = found(100);
    auto const fine = found(200);
    r.expect("section 4.2", "glide at omega=100 over that at 200", 16, "2^(mu+1), mu = 3", coarse[1] / fine[1], 0.05);
    r.expect("section 4.2, omega=100", "glide of four filterings over that of one", 4, "it adds up",
             coarse[4] / coarse[1], 0.05);
}

using place = std::array<double, 4>;
double dot(place const& a, place const& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

/// Section 4.3: from a point off by kappa across the constraints, one filtering moves it along them by O(kappa^2).
double tangential_move(double kappa) {
    constexpr double omega = 1e5;
    auto const system = model::two_springs{.omega_1 = omega, .omega_2 = omega}.both_hard();
    // both rods at angles, and normals of both constraints there
    double const a = 0.3;
    double const b = 1.1;
    place const q{std::cos(a), std::sin(a), std::cos(a) + std::cos(b), std::sin(a) + std::sin(b)};
    place const first{std::cos(a), std::sin(a), 0, 0};
    place const second{-std::cos(b), -std::sin(b), std::cos(b), std::sin(b)};
    place displaced = q;
    for (std::size_t i = 0; i < 4; ++i) displaced[i] += kappa * (first[i] + 0.5 * second[i]);
    auto const slow = effective(system, slow_manifold{cubic_window(omega)});
    auto work = slow.work();
    model::two_springs::state const start{displaced, {}};
    slow.begin(0, start, work);
    slow.open(start, work);
    slow.filter(0, work);
    place const turn_first{-std::sin(a), std::cos(a), -std::sin(a), std::cos(a)};
    place const turn_second{0, 0, -std::sin(b), std::cos(b)};
    place moved{};
    for (std::size_t i = 0; i < 4; ++i) moved[i] = work.q[i] - displaced[i];
    return std::hypot(dot(moved, turn_first), dot(moved, turn_second));
}

/// Section 2.4: the bounded derivative principle makes the slow motion of the driven spring, q = cos t + cos t/omega^2
/// + ...; what two terms leave out of the projected point falls like omega^-4.
void bounded_derivatives(report& r) {
    auto const rest = [](double omega) {
        auto const q = iterate(omega, smooth_window(omega, 5), 0, 0, 12).q.back();
        return q - std::cos(t0) * (1 + 1 / (omega * omega));
    };
    r.expect("section 2.4", "rest at omega=800 over that at 1600", 16, "O(omega^-4)", rest(800) / rest(1600), 0.05);
    r.expect("section 2.4", "rest at omega=800 times omega^4", std::cos(t0), "the next term, cos t/omega^4",
             rest(800) * std::pow(800, 4), 0.05);
}

/// Remark 1: over twenty periods the motion from a point of the constraint manifold differs from that of its slow point
/// by O(omega^-2) in q and by O(omega^-1) in p.
struct differences {
    double q = 0;
    double p = 0;
};
differences between_starts(double omega) {
    auto const system = model::two_springs{.omega_1 = omega, .omega_2 = omega}.both_hard();
    auto const constrained = model::two_springs::on_constraints();
    auto const slow = project(system, slow_manifold{cubic_window(omega)}, constrained).x;
    auto const from = [&](model::two_springs::state const& start) {
        return solve(system, dormand_prince{.rtol = 1e-11, .atol = 1e-13}, start,
                     {.end = 40 * std::numbers::pi / omega, .output_count = 401});
    };
    auto const a = from(constrained);
    auto const b = from(slow);
    differences largest;
    for (std::size_t i = 0; i < a.t.size(); ++i)
        for (std::size_t k = 0; k < 4; ++k) {
            largest.q = std::max(largest.q, std::abs(a.position[i][k] - b.position[i][k]));
            largest.p = std::max(largest.p, std::abs(a.velocity[i][k] - b.velocity[i][k]));
        }
    return largest;
}
void starts_on_constraints(report& r) {
    auto const soft = between_starts(1e3);
    auto const hard = between_starts(1e4);
    r.show("remark 1, omega=1000", "omega^2 times the difference in q", 1e6 * soft.q);
    r.show("remark 1, omega=1000", "omega times the difference in p", 1e3 * soft.p);
    r.expect("remark 1", "difference in q at omega=1000 over that at 10000", 100, "O(omega^-2)", soft.q / hard.q, 0.02);
    r.expect("remark 1", "difference in p at omega=1000 over that at 10000", 10, "O(omega^-1)", soft.p / hard.p, 0.02);
}

} // namespace

report claims_003() {
    report r{.id = "003/claims", .title = "the bounded derivative principle and the estimates of section 4"};
    starts_on_constraints(r);
    bounded_derivatives(r);
    accuracy(r);
    convergence(r);
    glide(r);
    for (double const kappa : {2e-2, 1e-2})
        r.expect("section 4.3", fmt::format("move along the constraints, kappa={:g} over {:g}", kappa, kappa / 2), 4,
                 "O(kappa^2)", tangential_move(kappa) / tangential_move(kappa / 2), 0.1);
    r.bound("section 4.3", "move along the constraints over kappa, kappa=1e-2", tangential_move(1e-2) / 1e-2, 0.05);
    return r;
}

} // namespace lento::reproduce
