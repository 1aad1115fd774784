// Two masses on two hard springs: the slow motion by force averaging and on the slow manifold.

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <lento/lento.hpp>

int main() {
    using namespace lento;
    double const omega = 1e4;
    double const period = 2 * std::numbers::pi / omega;
    auto const slow_force = [](auto const& q, auto) {
        return std::array{0 * q[0], -1 + 0 * q[0], 0 * q[0], -1 + 0 * q[0]};
    };
    auto const first = [](auto const& q) {
        using std::sqrt;
        return sqrt(q[0] * q[0] + q[1] * q[1]) - 1.;
    };
    auto const second = [](auto const& q) {
        using std::sqrt;
        return sqrt((q[0] - q[2]) * (q[0] - q[2]) + (q[1] - q[3]) * (q[1] - q[3])) - 1.;
    };
    auto const system = stiff<4>(slow_force, spring{omega, first}, spring{omega, second});
    motion<std::array<double, 4>> const start{{1, 0, 2, 0}, {0, -0.5, 0, 0.5}};

    auto const averaged = effective(system, force_averaging{window{.length = 40 * period, .step = period / 6}});
    auto const run = solve(averaged, rk4{.step = 1. / 32}, start, {.end = 1});

    auto const point = project(system, slow_manifold{cubic_window(omega)}, start);
    auto const slow = effective(system, slow_manifold{cubic_window(omega)});
    auto const better = solve(slow, rk4{.step = 0.25}, start, {.end = 1});

    projection_options const following{.tolerance = 1e-5, .iterations = 1, .notch_steps = 5, .loads = 4};
    auto const fast = effective(system, slow_manifold{cubic_window(omega), following});
    auto const best = solve(fast, adams{.step = 1. / 64}, start, {.end = 1});

    if (!run || !point || !better || !best) return 1;
    for (auto const& each : run.warnings) std::printf("%s\n", each.sentence.c_str());
    std::printf("tensions at the start: %.4f and %.4f\n", point.multipliers[0], point.multipliers[1]);
    std::printf("y of the second mass at t = 1: %.5f, %.5f, %.5f\n", run.position.back()[3], better.position.back()[3],
                best.position.back()[3]);
    return std::abs(better.position.back()[3] - best.position.back()[3]) < 1e-2 ? 0 : 1;
}
