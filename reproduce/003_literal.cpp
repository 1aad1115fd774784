// Formula (38) of paper 003 to the letter: rk4 whose stages take the force at projected points. Beside it the averaged
// force of the last window, which is what `slow_manifold` takes.

#include "reproduce/experiments.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

namespace lento::reproduce {
namespace {

using state = model::two_springs::state;
constexpr double omega = 1000;
constexpr double end = 10;

auto springs() { return model::two_springs{.omega_1 = omega, .omega_2 = omega}.both_hard(); }
slow_manifold<> const closure{cubic_window(omega), {.tolerance = 1e-9}};

double distance(std::array<double, 4> const& a, std::array<double, 4> const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

state moved(state from, double h, state const& rate) {
    for (std::size_t i = 0; i < 4; ++i) {
        from.position[i] += h * rate.position[i];
        from.velocity[i] += h * rate.velocity[i];
    }
    return from;
}

/// The literal method: P stands before every evaluation, and z_(n+1) starts from P z_n.
state literal(int steps_per_unit) {
    auto const system = springs();
    auto work = system.work();
    auto const phi = [&](state const& z) {
        state rate{z.velocity, {}};
        system.acceleration(0., z.position, rate.velocity, work);
        return rate;
    };
    auto const on_manifold = [&](state const& z) { return project(system, closure, z).x; };
    double const h = 1. / steps_per_unit;
    state z = model::two_springs::on_constraints();
    for (int n = 0; n < end * steps_per_unit; ++n) {
        state const first = on_manifold(z);
        state const k1 = phi(first);
        state const k2 = phi(on_manifold(moved(z, h / 2, k1)));
        state const k3 = phi(on_manifold(moved(z, h / 2, k2)));
        state const k4 = phi(on_manifold(moved(z, h, k3)));
        z = moved(moved(moved(moved(first, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
    }
    return on_manifold(z);
}

} // namespace

report literal_003() {
    report r{.id = "003/literal", .title = "rk4 on the slow manifold, omega = 1000: (38) to the letter"};
    auto const start = project(springs(), closure, model::two_springs::on_constraints()).x;
    auto const exact =
        solve(springs(), dormand_prince{.rtol = 1e-11, .atol = 1e-13}, start, {.end = end, .output_times = {end}});
    auto const slow = effective(springs(), closure);
    constexpr std::array<double, 4> known = {8.0e-4, 2.2e-4, 1.0e-4, 5.1e-5};
    table errors{.name = "errors", .columns = {"1/H", "force at the point", "averaged force"}, .rows = {}};
    for (std::size_t i = 0; i < known.size(); ++i) {
        int const n = 8 << i;
        double const point = distance(literal(n).position, exact.position.back());
        auto const run =
            solve(slow, rk4{.step = 1. / n}, model::two_springs::on_constraints(), {.end = end, .output_times = {end}});
        double const averaged = distance(run.position.back(), exact.position.back());
        std::string const row = fmt::format("H=1/{}", n);
        r.expect(row, "error in q, force at the projected point", known[i], prototype, point, 0.05);
        r.show(row, "error in q, averaged force", averaged);
        errors.rows.push_back({1. * n, point, averaged});
    }
    double const order = std::log2(errors.rows[2][1] / errors.rows[3][1]);
    r.expect("from H=1/32 to 1/64", "order with the force at the point", 1, "the filter's normal bias times omega^2",
             order, 0.1);
    r.bound("H=1/64", "error with the averaged force over that", errors.rows[3][2] / errors.rows[3][1], 0.05);
    auto const drawn = [](std::string const& name, stroke how) { return curve{"errors", "1/H", name, name, how}; };
    r.figures.push_back({.name = r.id,
                         .caption = "rk4 with every stage on the slow manifold, omega = 1000: errors in q at t = 10",
                         .panels = {{.title = "",
                                     .x = {.label = "1/H", .logarithmic = true},
                                     .y = {.label = "error in q", .logarithmic = true},
                                     .curves = {drawn("force at the point", stroke::circles),
                                                drawn("averaged force", stroke::stars)}}}});
    r.tables.push_back(std::move(errors));
    return r;
}

} // namespace lento::reproduce
