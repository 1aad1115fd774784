// Split systems: the drift of resonant oscillators across their fast orbits, by every method there is.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <lento/lento.hpp>

int main() {
    double const pi = std::numbers::pi;
    auto stars = lento::split<4>(
        {.epsilon = 1e-4, .period = 2 * pi}, lento::linear({{0, 2, 0, 0}, {-2, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, -1, 0}}),
        [](auto const& x, auto) { return std::array{0., x[2] * x[2] / 2, 0., 2 * x[0] * x[2]}; });
    auto slow = lento::effective(lento::interaction_picture(stars), lento::picard{.points = 9});
    auto run = lento::solve(slow, lento::fixed_dormand_prince_8{.step = 0.5}, {.state = {1, 0, 1, 0}}, {.end = 14});

    using namespace lento;
    auto const turning = interaction_picture(stars);
    auto const energy = [](std::array<double, 4> const& x) { return x[0] * x[0] + x[1] * x[1]; };
    bool good = true;
    auto const tell = [&](char const* name, auto const& found) {
        std::printf("%-36s %.4f %8lu right-hand sides\n", name, energy(found.state.back()),
                    static_cast<unsigned long>(found.statistics.force_evaluations));
        good = good && found && std::abs(energy(found.state.back()) - energy(run.state.back())) < 0.01;
    };
    tell("spectral mean", run);

    // the map over one period, forward and back
    auto const strobe = effective(turning, stroboscopic{{.order = 2, .steps = 16}});
    tell("stroboscopic", solve(strobe, rk4{.step = 0.25}, {.state = {1, 0, 1, 0}}, {.end = 14}));

    // paper 002's method as published: no period, any micro stepper, here an adaptive one
    path_window const path{.delta = 60, .filter = polynomial{.moments = 1, .regularity = 5}};
    auto const published = effective(stars, backward_forward{path, dormand_prince{.rtol = 1e-7, .atol = 1e-8}});
    tell("backward-forward", solve(published, rk4{.step = 0.25}, {.state = {1, 0, 1, 0}}, {.end = 14}));

    // still without the period, but to O(epsilon^2), and with the fast motion at every output
    path_window const better{
        .delta = 40, .filter = polynomial{1, 5}, .steps = 50, .extrapolate = polynomial{1, 7}, .ramp = true};
    tell("backward-forward, two filters, ramp",
         solve(effective(turning, backward_forward{better}), dormand_prince{.rtol = 1e-6}, {.state = {1, 0, 1, 0}},
               {.end = 14, .output_count = 3, .report = reported_state::full}));
    return good ? 0 : 1;
}
