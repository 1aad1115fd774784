// What solve can be asked for.

#include <cmath>
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    using namespace lento;
    auto const spring = plain<2>(mass({1., 2.}), [](auto const& q, auto) {
        return std::array{-4 * q[0] + q[1], q[0] - 8 * q[1]};
    });
    auto const run = solve(spring, dormand_prince{.rtol = 1e-8, .atol = 1e-10},
                           {.position = {1, 0}, .velocity = {0, 0.5}},
                           {.end = 10,
                            .output_times = {0, 2.5, 5, 10},
                            .observables = {[](double, auto const& x) { return x.position[0] + x.position[1]; }},
                            .events = {{.value = [](double, auto const& x) { return x.position[0]; },
                                        .direction = -1,
                                        .terminal = false}},
                            .dense = true});
    std::printf("%s after %lu steps\n", run.message.c_str(), static_cast<unsigned long>(run.statistics.macro_steps));
    for (auto const& hit : run.events) std::printf("falls through zero at t = %.6f\n", hit.t);
    auto const between = run.at(3.7); // anywhere, not only at output times
    std::printf("at t = 3.7: %.6f, sum at the end: %.6f\n", between.position[0], run.observables[0].back());

    // back to where it began: the end lies before the start
    auto const back = solve(spring, rk4{.step = 0.01},
                            {.position = run.position.back(), .velocity = run.velocity.back()},
                            {.start = 10, .end = 0});
    double const missed = std::abs(back.position.back()[0] - 1);
    std::printf("back at t = %g, off by %.1e\n", back.t.back(), missed);

    // step by step, written down half way and gone on with elsewhere
    integrator first(spring, rk4{.step = 0.01}, {.position = {1, 0}}, {.end = 10, .output_count = 11});
    while (first.time() < 5 && first.advance()) {}
    auto const written = first.write(); // numbers; none from a foreign code
    integrator second(spring, rk4{.step = 0.01}, {.position = {1, 0}}, {.end = 10, .output_count = 11});
    if (written) second.resume(*written);
    auto const rest = second.run();
    auto const whole = first.run();
    bool const same = written && rest.position.back() == whole.position.back();
    std::printf("gone on with from numbers: %s\n", same ? "the same bits" : "differs");
    return run && back && missed < 1e-6 && same && run.events.size() == 3 ? 0 : 1;
}
