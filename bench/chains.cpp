/// Stiff chains of run-time size: a macro step of an alternating chain up to 10,000 masses, by force averaging and on
/// the slow manifold, the memory it takes, and what a chain of hard springs only costs as it grows. One run.
#include "timing.hpp"

#include <lento/lento.hpp>
#include <lento/model/chains.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace {

using namespace lento;

volatile double sink; // results go here, so that no work is optimised away

void say(char const* what, double value, double bar) {
    std::printf("    %s: %.3g, bar %.3g: %s\n", what, value, bar, value <= bar ? "met" : "NOT met");
}

using state = motion<std::vector<double>>;

struct cost {
    std::size_t masses;
    double seconds = INFINITY; ///< a macro step, the least
    std::uint64_t forces = 0;  ///< a macro step
};

/// Some steps after the start, whose own cost is left out.
template <class Slow, class Stepper> void time_steps(Slow const& slow, Stepper const& stepper, state x, cost& found) {
    int const steps = std::max(6, static_cast<int>(4000 / found.masses));
    auto work = slow.work();
    auto memory = stepper.start(slow);
    double const h = stepper.step;
    slow.begin(0, x, work);
    slow.lower(0, x, work);
    int n = 0;
    for (; n < 8; ++n) stepper.advance(slow, n * h, h, x, memory, work);
    statistics before, after;
    slow.count(work, before);
    double const taken = bench::seconds(1, [&] {
        for (int i = 0; i < steps; ++i, ++n) stepper.advance(slow, n * h, h, x, memory, work);
    });
    slow.count(work, after);
    found.seconds = std::min(found.seconds, taken / steps);
    found.forces = (after.force_evaluations - before.force_evaluations) / static_cast<std::uint64_t>(steps);
    sink = x.position.back();
}

template <class Closure, class Stepper>
void race_alternating(char const* title, Closure const& closure, Stepper const& stepper) {
    std::vector<cost> costs{{10}, {100}, {1000}, {10000}};
    for (int turn = 0; turn < 5; ++turn)
        for (auto& each : costs) {
            model::alternating_chain const chain{.pairs = each.masses / 2};
            state const x{chain.mode(1), std::vector<double>(each.masses)};
            time_steps(effective(chain.system(), closure), stepper, x, each);
        }
    std::printf("Alternating chain, %s: a macro step, the least of 5 runs in turn\n\n%8s %18s %14s %22s\n", title,
                "masses", "force evaluations", "seconds", "ns a mass and force");
    for (auto const& each : costs)
        std::printf("%8zu %18llu %14.3e %22.2f\n", each.masses, static_cast<unsigned long long>(each.forces),
                    each.seconds,
                    1e9 * each.seconds / static_cast<double>(each.masses) / static_cast<double>(each.forces));
    for (std::size_t i = 1; i < costs.size(); ++i) say("times the decade", costs[i].seconds / costs[i - 1].seconds, 11);
    bool equal = true;
    for (auto const& each : costs) equal = equal && each.forces == costs[0].forces;
    std::printf("    force evaluations per step equal for all lengths: %s\n\n", equal ? "met" : "NOT met");
}

void race_hard() {
    std::printf("Chain of hard springs only, omega = 1e4, slow motion of frequency 1: force averaging, rk4\n\n"
                "%8s %12s %12s %12s %18s %14s\n",
                "masses", "slowest", "fastest", "window", "forces per step", "seconds per step");
    for (std::size_t const n : {10, 20, 40, 80, 160, 320, 640, 1280}) {
        model::hard_chain const chain{.masses = n, .omega = 1e4};
        state const x{std::vector<double>(n, 1.), std::vector<double>(n)};
        window const view{.kernel = exponential{.moments = 3}, .periods = 20, .steps_per_period = 6};
        auto const slow = effective(chain.system(), force_averaging{view});
        auto work = slow.work();
        slow.begin(0, x, work);
        auto const& modes = slow.modes(work);
        double const length = slow.window_length(work);
        if (auto const refused = modes.verdict(length); refused.happened()) {
            std::printf("%8zu %12.4g %12.4g %12.4g refused: %s\n", n, modes.slowest, modes.fastest, length,
                        refused.message.c_str());
            break;
        }
        rk4 const stepper{.step = 0.25};
        auto memory = stepper.start(slow);
        auto moving = x;
        double const taken = bench::seconds(1, [&] { stepper.advance(slow, 0, 0.25, moving, memory, work); });
        statistics counts;
        slow.count(work, counts);
        std::printf("%8zu %12.4g %12.4g %12.4g %18llu %14.3e\n", n, modes.slowest, modes.fastest, length,
                    static_cast<unsigned long long>(counts.force_evaluations), taken);
        sink = moving.position[0];
    }
}

} // namespace

int main() {
    double const period = 2 * std::numbers::pi / 1e3;
    window const view{.kernel = exponential{.moments = 3}, .length = 20 * period, .step = period / 6};
    race_alternating("force averaging, rk4", force_averaging{view}, rk4{.step = 0.1});
    race_alternating("slow manifold, two filterings, Adams", slow_manifold{cubic_window(1e3), {.iterations = 2}},
                     adams{.step = 0.1});
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    say("megabytes of the runs up to 10,000 masses", static_cast<double>(usage.ru_maxrss) / 1024, 200);
    std::printf("\n");
    race_hard();
}
