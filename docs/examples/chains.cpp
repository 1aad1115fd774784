// A chain of a thousand masses, every second spring hard: a stiff system of run-time size.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <lento/lento.hpp>

int main() {
    using namespace lento;
    double const omega = 1e3;
    std::size_t const n = 1000;
    auto const soft = [](auto const& q, auto, auto& force) {
        std::size_t const last = q.size() - 1;
        force[0] = -q[0];
        force[last] = -q[last];
        for (std::size_t i = 1; i < last; i += 2) {
            force[i] = q[i + 1] - q[i];
            force[i + 1] = q[i] - q[i + 1];
        }
    };
    auto const pairs = family<2>(
        n / 2, [](std::size_t i) { return std::array{2 * i, 2 * i + 1}; },
        [](std::size_t, auto const& q) { return q[1] - q[0]; });
    auto const chain = stiff(dynamic(n), soft, spring{omega, pairs});

    motion<std::vector<double>> start{std::vector<double>(n), std::vector<double>(n)};
    start.position[0] = start.position[1] = 1;
    auto const slow = effective(chain, slow_manifold{cubic_window(omega)});
    auto const run = solve(slow, rk4{.step = 0.1}, start, {.end = 2});

    if (!run) return 1;
    std::printf("the first pair at t = 2: %.5f and %.5f\n", run.position.back()[0], run.position.back()[1]);
    return std::abs(run.position.back()[0] - run.position.back()[1]) < 1e-3 ? 0 : 1;
}
