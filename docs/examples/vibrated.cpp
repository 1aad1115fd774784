// Vibrated systems: the closures, and what they are for.

#include <cmath>
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    using namespace lento;
    double const omega = 1e6;
    auto const pendulum = vibrated<1>({.frequency = omega}, [=](auto const& q, auto theta) {
        return (9.8 + 4 * omega * std::cos(theta)) * std::sin(q[0]) / 0.2;
    });

    // Algorithm 2 of paper 001 as published: at rest, theta = 0, the mean over one period
    auto const published = effective(pendulum, asynchronous{one_period{.steps = 80}});

    // the same with the paper's exponential kernel over 40 periods
    window const forty{.kernel = exponential{}, .periods = 40, .steps_per_period = 80};
    auto const smooth = effective(pendulum, asynchronous{forty});

    // without the bias of O(1/omega)
    auto const unbiased = effective(pendulum, centred{one_period{.steps = 80}});

    // Algorithm 1 of paper 001: windows at the actual phase, the slow velocity map given ...
    auto const slow_velocity = [](auto const& q, auto const& v, auto theta) {
        return v[0] - 4 * std::sin(theta) * std::sin(q[0]) / 0.2;
    };
    auto const given = effective(pendulum, synchronous{forty, slow_velocity});
    // ... or found numerically
    auto const found = effective(pendulum, synchronous{forty});

    // no micro-integration at all: the spectral mean over one period
    auto const spectral = effective(pendulum, picard{.points = 8, .passes = 3});

    // any micro stepper, any macro stepper
    auto const fourth_order = effective(pendulum, asynchronous{one_period{.steps = 40}, rk4{}});

    bool good = true;
    auto const tell = [&](char const* name, auto const& slow) {
        auto const run = solve(slow, rk4{.step = 1. / 80}, {.position = {0.5}}, {.end = 1, .output_count = 2});
        std::printf("%-14s %.5f %8lu force evaluations\n", name, run.position.back()[0],
                    static_cast<unsigned long>(run.statistics.force_evaluations));
        good = good && run && std::abs(run.position.back()[0] - 0.168) < 0.01;
    };
    tell("published", published);
    tell("smooth", smooth);
    tell("unbiased", unbiased);
    tell("given", given);
    tell("found", found);
    tell("spectral", spectral);
    tell("fourth order", fourth_order);
    return good ? 0 : 1;
}
