// Example 2 of paper 000: the underlying equation of a strong spring does not know the spring's length. Off the
// constraints r^2 is linear in time, where the spring itself keeps r near 1. The printed equation is the one of
// g = (r^2 - 1)/2; of g = r - 1, the same circle, (7) makes one under which r itself is linear.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/springs.hpp>

namespace lento::reproduce {
namespace {

using state = model::strong_spring::state;
constexpr double angular_speed = 1;
constexpr dormand_prince code{.rtol = 1e-10, .atol = 1e-12};
solve_options<state> const span{.end = 10, .output_count = 201};

/// At the angle 0, off the circle r = 1 in radius and radial speed.
struct start {
    std::string table;
    std::string name;
    double radius;
    double radial_speed;
    [[nodiscard]] state at() const { return {{radius, 0}, {radial_speed, angular_speed * radius}}; }
    /// r^2, whose second derivative is zero.
    [[nodiscard]] double squared_radius(double t) const { return radius * radius + 2 * radius * radial_speed * t; }
};
start const on_constraints{"on-constraints", "on the constraints", 1, 0};
start const outwards{"outwards", "outwards", 1, 0.05};
start const longer{"longer", "a longer circle", 1.2, 0};

double squared_radius(std::array<double, 2> const& q) { return q[0] * q[0] + q[1] * q[1]; }

/// The printed underlying equation.
auto printed_equation() {
    return underlying(
        stiff<2>(no_force{}, spring{1., [](auto const& q) { return (q[0] * q[0] + q[1] * q[1] - 1.) / 2; }}).limit());
}

/// One start under the printed equation, with its curves.
void follow(report& r, start const& from) {
    auto const run = solve(printed_equation(), code, from.at(), span);
    table curves{.name = from.table, .columns = {"t", "x", "y", "r^2"}, .rows = {}};
    double off_line = 0;
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        auto const& q = run.position[i];
        curves.rows.push_back({run.t[i], q[0], q[1], squared_radius(q)});
        off_line = std::max(off_line, std::abs(squared_radius(q) - from.squared_radius(run.t[i])));
    }
    r.bound(from.name, "distance of r^2 from a straight line", off_line, 1e-8);
    auto const& q = run.position.back();
    auto const& p = run.velocity.back();
    r.bound(from.name, "change of r^2 times the angular velocity",
            std::abs(q[0] * p[1] - q[1] * p[0] - angular_speed * from.radius * from.radius), 1e-8);
    r.expect(from.name, "r^2 at t = 10", from.squared_radius(10), "r^2 + 2 r r' t at the start", squared_radius(q),
             1e-8);
    r.tables.push_back(std::move(curves));
}

/// The start outwards by (7) with g = r - 1, and by the spring itself.
void compare_outwards(report& r) {
    model::strong_spring const hard{.omega = 100};
    auto const other = solve(underlying(hard.system().limit()), code, outwards.at(), span);
    auto const spring = solve(hard.system(), code, outwards.at(), span);
    table curves{.name = "others", .columns = {"t", "r^2 by g = r - 1", "r^2 of the spring"}, .rows = {}};
    double off_line = 0;
    double stretch = 0;
    for (std::size_t i = 0; i < other.t.size(); ++i) {
        double const squared = squared_radius(other.position[i]);
        double const truth = squared_radius(spring.position[i]);
        curves.rows.push_back({other.t[i], squared, truth});
        off_line = std::max(off_line, std::abs(std::sqrt(squared) - 1 - outwards.radial_speed * other.t[i]));
        stretch = std::max(stretch, std::abs(std::sqrt(truth) - 1));
    }
    r.bound("outwards, g = r - 1", "distance of r from a straight line", off_line, 1e-8);
    r.bound("outwards, the spring, omega=100", "largest |r - 1|", stretch, 1. / hard.omega);
    r.tables.push_back(std::move(curves));
}

} // namespace

report example_000_2() {
    report r{.id = "000/example-2", .title = "a strong spring: the underlying equation forgets its length"};
    panel path{.title = "", .x = {.label = "x"}, .y = {.label = "y"}, .curves = {}, .equal_scales = true};
    panel radius{.title = "", .x = {.label = "t"}, .y = {.label = "r^2"}, .curves = {}};
    int colour = 0;
    for (auto const& each : {on_constraints, outwards, longer}) {
        follow(r, each);
        path.curves.push_back({each.table, "x", "y", each.name, stroke::line, colour});
        radius.curves.push_back({each.table, "t", "r^2", each.name, stroke::line, colour});
        ++colour;
    }
    compare_outwards(r);
    radius.curves.push_back({"others", "t", "r^2 by g = r - 1", "outwards, g = r - 1", stroke::dashes, 1});
    radius.curves.push_back({"others", "t", "r^2 of the spring", "outwards, the spring", stroke::dotted, 1});
    r.figures.push_back({.name = r.id,
                         .caption = "The underlying equation from three starts; dotted: the spring itself, omega = 100",
                         .panels = {path, radius},
                         .columns = 2});
    r.remarks.emplace_back("the printed equation has the whole speed in it, as (7) gives it for g = (r^2 - 1)/2; for "
                           "the g = r - 1 of the text it has the speed along the circle, and r is linear in time. On "
                           "the constraints both are the same");
    return r;
}

} // namespace lento::reproduce
