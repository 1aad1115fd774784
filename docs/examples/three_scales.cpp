// An effective system is a system: averaging twice follows three scales.

#include <cmath>
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    using namespace lento;
    double const fast = 1e8;
    double const slower = 1e4;
    auto const pendulum = vibrated<1, 2>({.frequencies = {fast, slower}}, [=](auto const& q, auto const& theta) {
        double const pivot = 3 * fast * std::cos(theta[0]) + 2.5 * slower * std::cos(theta[1]);
        return (9.8 + pivot) * std::sin(q[0]) / 0.2;
    });
    auto const once = effective_over<0>(pendulum, asynchronous{one_period{.steps = 40}}); // still vibrates with `slower`
    auto const twice = effective(once, asynchronous{one_period{.steps = 40}});
    auto const run = solve(twice, verlet{.step = 1. / 80}, {.position = {0.5}}, {.end = 1, .output_count = 2});
    std::printf("angle %.4f after %lu force evaluations; a direct solution needs some 1e9\n", run.position.back()[0],
                static_cast<unsigned long>(run.statistics.force_evaluations));
    return run ? 0 : 1;
}
