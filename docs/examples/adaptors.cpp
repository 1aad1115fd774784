// A stiff spring's slow motion by somebody else's integrator, and a constrained system by IDA.

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <lento/lento.hpp>

int main() {
    using namespace lento;
    if (!has_sundials() || !has_odeint()) return 0;
    double const omega = 1e3;
    double const period = 2 * std::numbers::pi / omega;
    auto const length = [](auto const& q) {
        using std::sqrt;
        return sqrt(q[0] * q[0] + q[1] * q[1]) - 1.;
    };
    auto const gravity = [](auto const& q, auto) { return std::array{0 * q[0], -1 + 0 * q[0]}; };
    auto const system = stiff<2>(gravity, spring{omega, length});
    motion<std::array<double, 2>> const start{{1, 0}, {0, 0}};

    window const view{.kernel = exponential{.moments = 3}, .length = 30 * period, .step = period / 10};
    auto const slow = effective(system, force_averaging{view});
    auto const run = solve(slow, cvode_adams{.rtol = 1e-6, .atol = 1e-8}, start, {.end = 2, .output_count = 21});
    auto const same = solve(slow, odeint_dormand_prince{.rtol = 1e-6, .atol = 1e-8}, start, {.end = 2});

    auto const limit = solve(system.limit(), ida{.rtol = 1e-7, .atol = 1e-8}, start, {.end = 2});

    if (!run || !same || !limit) return 1;
    std::printf("y at t = 2: %.5f by CVODE, %.5f by odeint, %.5f in the limit by IDA\n", run.position.back()[1],
                same.position.back()[1], limit.position.back()[1]);
    return std::abs(run.position.back()[1] - limit.position.back()[1]) < 1e-3 ? 0 : 1;
}
