// Figure 2.1 of paper 001: angle and angular velocity of the vibrated pendulum at a modest frequency, with the averaged
// motion among them; and what the text says of their difference.

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

/// The slow state of a physical one, by (2.4) and (2.7).
angle slow_of(model::vibrated_pendulum const& pendulum, angle const& x) {
    double const s = -pendulum.vmax / pendulum.omega * std::cos(pendulum.phase);
    double slow = x.position[0];
    for (int i = 0; i < 20; ++i) slow = x.position[0] - s * std::sin(slow) / pendulum.l;
    double const v = pendulum.vmax * std::sin(pendulum.phase);
    return {{slow}, {x.velocity[0] - v * std::sin(slow) / pendulum.l}};
}

/// The largest difference of q and Q for 0 <= t <= 1 times omega, both from 0.5 with the slow velocity 0.
double largest_difference(double omega, double phase) {
    model::vibrated_pendulum const pendulum{.omega = omega, .phase = phase};
    angle const start{{0.5}, {pendulum.vmax * std::sin(phase) * std::sin(0.5) / pendulum.l}};
    auto const direct =
        solve(pendulum.system(), dormand_prince{.rtol = 1e-9, .atol = 1e-11}, start, {.end = 1, .output_count = 20001});
    auto const averaged = solve(pendulum.averaged(), dormand_prince{.rtol = 1e-11, .atol = 1e-12}, {.position = {0.5}},
                                {.end = 1, .output_times = direct.t});
    double largest = 0;
    for (std::size_t i = 0; i < direct.t.size(); ++i)
        largest = std::max(largest, std::abs(direct.position[i][0] - averaged.position[i][0]));
    return omega * largest;
}

} // namespace

report figure_001_2_1() {
    report r{.id = "001/figure-2.1", .title = "vibrated pendulum, omega = 200: the motion about its average"};
    model::vibrated_pendulum const pendulum{.omega = 200};
    angle const start{{0.5}, {0}};
    auto const direct =
        solve(pendulum.system(), dormand_prince{.rtol = 1e-9, .atol = 1e-11}, start, {.end = 1, .output_count = 1001});
    auto const averaged = solve(pendulum.averaged(), dormand_prince{.rtol = 1e-11, .atol = 1e-12},
                                slow_of(pendulum, start), {.end = 1, .output_times = direct.t});
    table curves{.name = "motion", .columns = {"t", "q", "q'", "Q", "Q'"}, .rows = {}};
    double in_angle = 0;
    double in_velocity = 0;
    for (std::size_t i = 0; i < direct.t.size(); ++i) {
        double const q = direct.position[i][0];
        double const p = direct.velocity[i][0];
        double const slow = averaged.position[i][0];
        double const rate = averaged.velocity[i][0];
        curves.rows.push_back({direct.t[i], q, p, slow, rate});
        in_angle = std::max(in_angle, std::abs(q - slow));
        in_velocity = std::max(in_velocity, std::abs(p - rate));
    }
    r.tables.push_back(std::move(curves));
    auto const drawn = [](std::string const& fast, std::string const& slow) {
        return std::vector<curve>{{"motion", "t", fast, fast, stroke::line, 0},
                                  {"motion", "t", slow, slow + ", averaged", stroke::dashes, 1}};
    };
    r.figures.push_back(
        {.name = r.id,
         .caption = "Vibrated pendulum at omega = 200, let go at rest at q = 0.5: angle and angular velocity",
         .panels = {{.title = "", .x = {.label = "t"}, .y = {.label = "q"}, .curves = drawn("q", "Q")},
                    {.title = "", .x = {.label = "t"}, .y = {.label = "q'"}, .curves = drawn("q'", "Q'")}},
         .columns = 2});
    r.expect("omega=200", "largest |q - Q|", 0.0606, prototype, in_angle, 0.02).note =
        "O(1/omega), and 20/omega is 0.1";
    r.expect("omega=200", "largest |q' - Q'|", 10.79, prototype, in_velocity, 0.02).note =
        "O(1): vmax/l sin Q reaches 10";

    // section 2.2: experiments show that the difference is about 20/omega
    r.about("omega=1e4, theta_0=0", "omega times the largest |q - Q|", "20", largest_difference(1e4, 0), 1.5)
        .and_expect(25.7, prototype, 0.02);
    r.expect("omega=1e4, theta_0=-pi/2", "omega times the largest |q - Q|", 9.6, prototype,
             largest_difference(1e4, -std::numbers::pi / 2), 0.02);
    r.remarks.emplace_back(
        "the text's 20/omega depends on theta_0, which it does not give; vmax/l = 20 is the factor of "
        "sin Q in (2.4)");
    return r;
}

} // namespace lento::reproduce
