// What the text of paper 001 says beside its tables: which of its algorithms keep areas and run back (section 2.5), and
// the formula for the averaged force under constraints (appendix B).

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/linkage.hpp>
#include <lento/model/pendulum.hpp>

namespace lento::reproduce {
namespace {

using angle = motion<std::array<double, 1>>;

template <class System> angle after(System const& slow, angle const& start, double end) {
    auto const run =
        solve(slow, verlet{.step = 1. / 80}, start, {.end = end, .output_times = {end}, .given = initial_state::slow});
    return {run.position.back(), run.velocity.back()};
}

/// How far a run there and back ends from its start.
template <class System> double way_back(System const& slow) {
    angle const start{{0.5}, {0}};
    angle there = after(slow, start, 0.5);
    there.velocity[0] = -there.velocity[0];
    return std::abs(after(slow, there, 0.5).position[0] - start.position[0]);
}

/// The change of area of the map from t = 0 to 0.5, by central differences.
template <class System> double change_of_area(System const& slow) {
    constexpr double d = 1e-4;
    auto const to = [&](double q, double p) { return after(slow, {{0.5 + q}, {p}}, 0.5); };
    auto const right = to(d, 0);
    auto const left = to(-d, 0);
    auto const up = to(0, d);
    auto const down = to(0, -d);
    auto const slope = [](double a, double b) { return (a - b) / (2 * d); };
    return slope(right.position[0], left.position[0]) * slope(up.velocity[0], down.velocity[0]) -
           slope(up.position[0], down.position[0]) * slope(right.velocity[0], left.velocity[0]) - 1;
}

using place = std::array<double, 4>;
using links = model::linked_pendulum<2>;

/// A vector's part along the constraints of two rods, and the multipliers (g' g'^T)^-1 g' v of the rest.
struct parts {
    place along;
    std::array<double, 2> multipliers;
};
parts take_apart(place const& q, place const& v) {
    auto const g = links::gradients{}(q);
    std::array<std::array<double, 2>, 2> a{};
    std::array<double, 2> b{};
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 4; ++k) {
            b[i] += g[i][k] * v[k];
            for (std::size_t j = 0; j < 2; ++j) a[i][j] += g[i][k] * g[j][k];
        }
    double const determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    parts found{v, {(b[0] * a[1][1] - b[1] * a[0][1]) / determinant, (b[1] * a[0][0] - b[0] * a[1][0]) / determinant}};
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 4; ++k) found.along[k] -= found.multipliers[i] * g[i][k];
    return found;
}

/// Appendix B for two rods and unit masses. The vibration is f1 = -vmax cos(theta) e and s = vmax cos(theta) e, where e
/// points upwards for both masses, so that <cos^2> = 1/2 is left of the means.
place averaged_force(links const& pendulum, place const& q) {
    place const e{0, 1, 0, 1};
    auto const [u, multipliers] = take_apart(q, e);
    double const scale = pendulum.vmax * pendulum.vmax / 2;
    place force{};
    for (std::size_t k = 0; k < 2; ++k) {
        double const second = 2 * multipliers[1] * (u[k + 2] - u[k]); // the Hessian of a squared length is 2
        force[k] = -pendulum.g * e[k] + scale * (2 * multipliers[0] * u[k] - second);
        force[k + 2] = -pendulum.g * e[k + 2] + scale * second;
    }
    return force;
}

/// Appendix B against windows of SHAKE; both mean the same up to forces across the constraints.
void force_under_constraints(report& r) {
    links const pendulum{.m = {1, 1}, .l = {0.2, 0.1}, .omega = 1e8};
    auto const slow = effective(pendulum.vibrated_system(), asynchronous{one_period{.steps = 256}, shake{}});
    auto work = slow.work();
    for (auto const& angles : {std::array{0.5, 0.2}, std::array{-0.3, 1.}}) {
        place const q = pendulum.place(angles);
        place window_force{};
        slow.active_acceleration(0, q, window_force, work);
        auto const found = take_apart(q, window_force).along;
        auto const formula = take_apart(q, averaged_force(pendulum, q)).along;
        for (std::size_t k = 0; k < 4; ++k)
            r.expect(fmt::format("appendix B, angles {:g} and {:g}", angles[0], angles[1]),
                     fmt::format("averaged force along the constraints, component {}", k + 1), formula[k],
                     "the formula of appendix B", found[k], 1e-3);
    }
}

/// Section 3.2: a force f(q, t; omega) that has no period. The pivot is shaken by two tones in the ratio sqrt(2).
struct two_tones {
    double omega;
    double g = 9.8;
    double l = 0.2;
    double first = 4; ///< the largest velocities of the pivot
    double second = 3;

    /// The frequency is a guess by which windows are cut, 10 % off; the force itself knows the time alone.
    [[nodiscard]] auto system() const {
        return vibrated<1>({.frequency = 0.9 * omega}, with_time([*this](auto const& q, auto, auto t) {
                               double const other = std::numbers::sqrt2 * omega;
                               return (g + first * omega * std::cos(omega * t) + second * other * std::cos(other * t)) *
                                      std::sin(q[0]) / l;
                           }));
    }
    [[nodiscard]] auto averaged() const {
        double const square = first * first + second * second;
        return plain<1>([=, *this](auto const& q, auto) {
            return (g / l - square / (2 * l * l) * std::cos(q[0])) * std::sin(q[0]);
        });
    }
};

/// Windows at the actual time, which leave a slow position with the slow velocity.
auto along(two_tones const& pendulum, window const& view) {
    auto const as_it_is = [](auto const&, auto const& v, auto) { return v[0]; };
    return effective(pendulum.system(), synchronous{view, as_it_is, rk4{}});
}

window const guessed{.periods = 80, .steps_per_period = 128};

/// The largest error of the filtered force over several phases of the tones.
double error_of_force(double omega, window const& view) {
    two_tones const pendulum{.omega = omega};
    auto const slow = along(pendulum, view);
    auto const exact = pendulum.averaged();
    auto work = slow.work();
    auto exact_work = exact.work();
    std::array<double, 1> found{};
    std::array<double, 1> mean{};
    exact.acceleration(0, {0.5}, mean, exact_work);
    double largest = 0;
    for (int phase = 0; phase < 6; ++phase) {
        slow.acceleration(phase / omega, {0.5}, {0}, found, work);
        largest = std::max(largest, std::abs(found[0] - mean[0]));
    }
    return largest;
}

/// How far Verlet on filtered forces comes from Verlet on averaged ones until t = 1.
double error_of_angle(double omega) {
    two_tones const pendulum{.omega = omega};
    solve_options<angle> const until{.end = 1, .output_count = 81, .given = initial_state::slow};
    auto const ours = solve(along(pendulum, guessed), verlet{.step = 1. / 80}, {{0.5}, {0}}, until);
    auto const exact = solve(pendulum.averaged(), verlet{.step = 1. / 80}, {{0.5}, {0}}, until);
    if (!ours || !exact) return std::numeric_limits<double>::quiet_NaN();
    double largest = 0;
    for (std::size_t k = 0; k < exact.t.size(); ++k)
        largest = std::max(largest, std::abs(ours.position[k][0] - exact.position[k][0]));
    return largest;
}

/// "If the solution is not periodic or the period is unknown one has to revert to employing filters like (2.13)."
void unknown_period(report& r) {
    std::string const row = "section 3.2, two tones, windows by a guessed frequency";
    double const soft = error_of_force(1e6, guessed);
    double const hard = error_of_force(1e7, guessed);
    r.expect(row, "error of the force by (2.13), omega=1e6 over 1e7", 10, "O(1/omega)", soft / hard, 0.03);
    r.bound(row, "the same over that by one period of (1 - x^2), omega=1e6",
            soft / error_of_force(
                       1e6, {.kernel = polynomial{1, 0}, .periods = 1, .steps_per_period = 128, .unchecked = true}),
            1e-8);
    r.bound(row, "error of the angle to t=1, omega=1e6, H=1/80", error_of_angle(1e6), 1e-5);
}

} // namespace

report claims_001() {
    report r{.id = "001/claims",
             .title = "section 2.5: reversibility and area, omega = 1e4, H = 1/80; section 3.2; appendix B"};
    model::vibrated_pendulum const pendulum{.omega = 1e4};
    window const view{.periods = 40, .steps_per_period = 80};
    auto const first = effective(pendulum.system(), synchronous{view, pendulum.slow_velocity()});
    auto const second = effective(pendulum.system(), asynchronous{one_period{.steps = 80}});
    double const reversible = way_back(second);
    double const symplectic = std::abs(change_of_area(second));
    r.bound("Algorithm 2", "way back to the start", reversible, 1e-11);
    r.bound("Algorithm 2", "change of area", symplectic, 1e-6);
    // Algorithm 1 is neither; its defects are far above what the same measurement gives for Algorithm 2
    double const not_reversible = way_back(first);
    double const not_symplectic = std::abs(change_of_area(first));
    r.expect("Algorithm 1", "way back to the start", 8e-5, prototype, not_reversible, 0.5);
    r.bound("Algorithm 2 over Algorithm 1", "way back to the start", reversible / not_reversible, 1e-4);
    r.show("Algorithm 1", "change of area", not_symplectic);
    r.bound("Algorithm 2 over Algorithm 1", "change of area", symplectic / not_symplectic, 0.01);
    unknown_period(r);
    force_under_constraints(r);
    return r;
}

} // namespace lento::reproduce
