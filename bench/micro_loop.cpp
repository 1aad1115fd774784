/// Nanoseconds per micro step of Lento's averaging loop, beside a loop written by hand in C for each problem
/// (rival/micro_loop.c), in one run. All contestants take turns, so that a busy machine disturbs them alike.
#include "micro_loop.h"
#include "timing.hpp"

#include <lento/lento.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int repetitions = 11;
constexpr int turns = 12; // in a repetition, each of some milliseconds
constexpr double omega = 1e4;
constexpr rival_pendulum pendulum{.gravity = 9.8, .speed = 4, .frequency = omega, .length = 0.2};
constexpr rival_springs springs{.stiffness = 1e4, .gravity = 9.8, .amplitude = 4, .frequency = omega};
constexpr rival_chain chain{.stiffness = 100, .cubic = 50, .amplitude = 4, .frequency = omega};

// ---- the same problems for Lento ----

auto vibrated_pendulum() {
    auto const [g, speed, frequency, l] = pendulum;
    return lento::vibrated<1>({.frequency = omega}, [g, swing = speed * frequency, l](auto const& q, auto theta) {
        return (g + swing * std::cos(theta)) * std::sin(q[0]) / l;
    });
}

template <class In, class Out> void two_springs(In const& q, double theta, Out& a) {
    double const lift = springs.amplitude * springs.frequency * std::cos(theta) - springs.gravity;
    double const dx = q[2] - q[0];
    double const dy = q[3] - q[1];
    double const first = springs.stiffness - springs.stiffness / std::sqrt(q[0] * q[0] + q[1] * q[1]);
    double const second = springs.stiffness - springs.stiffness / std::sqrt(dx * dx + dy * dy);
    double const pull_x = second * dx;
    double const pull_y = second * dy;
    a[0] = pull_x - first * q[0];
    a[1] = pull_y - first * q[1] + lift;
    a[2] = -pull_x;
    a[3] = lift - pull_y;
}
auto fixed_springs() {
    return lento::vibrated<4>({.frequency = omega}, [](auto const& q, auto theta) {
        std::array<double, 4> a;
        two_springs(q, theta, a);
        return a;
    });
}
auto dynamic_springs() {
    return lento::vibrated(lento::dynamic(4), {.frequency = omega},
                           [](auto const& q, auto theta, auto& a) { two_springs(q, theta, a); });
}

auto dynamic_chain(std::size_t n) {
    return lento::vibrated(lento::dynamic(n), {.frequency = omega}, [](auto const& q, auto theta, auto& out) {
        double const field = chain.amplitude * chain.frequency * std::cos(theta);
        std::size_t const last = q.size() - 1;
        double const* const x = q.data();
        double* const a = out.data();
        auto const pull = [](double d) { return d * (chain.stiffness + chain.cubic * d * d); };
        a[0] = pull(x[1] - x[0]) - pull(x[0]) + field * x[0];
        for (std::size_t i = 1; i < last; ++i) a[i] = pull(x[i + 1] - x[i]) - pull(x[i] - x[i - 1]) + field * x[i];
        a[last] = pull(-x[last]) - pull(x[last] - x[last - 1]) + field * x[last];
    });
}

// ---- the race ----

struct result {
    std::string problem;
    std::string window;
    double bar;
    double ours;
    double by_hand;
    double bare; ///< or 0 where sines and roots do not matter
    double lowest_ratio;
    double highest_ratio;
    double difference; ///< of the averaged forces, relative
    std::uint64_t steps;
    std::uint64_t forces;
};

volatile double sink; // results go here, so that no work is optimised away

template <class System, class ByHand, class Bare>
result race(std::string problem, std::string window_name, double bar, System const& system, lento::window const& window,
            typename System::vector const& q, ByHand const& by_hand, Bare const& bare) {
    auto const slow = lento::effective(system, lento::asynchronous{window});
    auto work = slow.work();
    auto force = q;
    auto expected = q;
    auto const ours = [&] {
        slow.acceleration(0, q, force, work);
        sink = force[0];
    };
    auto const& plan = slow.plan();
    auto const theirs = [&] {
        by_hand(q.data(), plan.step, plan.after, plan.folded.data(), expected.data());
        sink = expected[0];
    };
    auto const nothing_else = [&] { sink = bare(q.data(), plan.step, plan.after); };

    // the first windows also measure the filter; a later one counts
    for (int i = 0; i < 40; ++i) ours();
    theirs();
    lento::statistics before;
    slow.count(work, before);
    ours();
    lento::statistics after;
    slow.count(work, after);
    double largest = 0;
    double difference = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
        largest = std::max(largest, std::abs(expected[i]));
        difference = std::max(difference, std::abs(force[i] - expected[i]));
    }
    if (work.failed.happened()) {
        std::printf("%s: %s\n", problem.c_str(), work.failed.message.c_str());
        std::exit(1);
    }

    result r{.problem = std::move(problem),
             .window = std::move(window_name),
             .bar = bar,
             .ours = 0,
             .by_hand = 0,
             .bare = 0,
             .lowest_ratio = 0,
             .highest_ratio = 0,
             .difference = difference / largest,
             .steps = after.micro_steps - before.micro_steps,
             .forces = after.force_evaluations - before.force_evaluations};
    int const calls = bench::calls_filling(0.002, theirs);
    double const to_nanoseconds = 1e9 / (static_cast<double>(turns) * static_cast<double>(calls) * plan.after);
    std::vector<double> our_times, their_times, bare_times, ratios;
    for (int i = 0; i < repetitions; ++i) {
        double our_time = 0, their_time = 0, bare_time = 0;
        for (int turn = 0; turn < turns; ++turn) {
            our_time += bench::seconds(calls, ours);
            their_time += bench::seconds(calls, theirs);
            bare_time += bench::seconds(calls, nothing_else);
        }
        our_times.push_back(our_time * to_nanoseconds);
        their_times.push_back(their_time * to_nanoseconds);
        bare_times.push_back(bare_time * to_nanoseconds);
        ratios.push_back(our_time / their_time);
    }
    r.ours = bench::median(our_times);
    r.by_hand = bench::median(their_times);
    r.bare = bench::median(bare_times);
    r.lowest_ratio = *std::min_element(ratios.begin(), ratios.end());
    r.highest_ratio = *std::max_element(ratios.begin(), ratios.end());
    return r;
}

std::vector<result> race_all() {
    lento::window const mean = lento::one_period{.steps = 80};
    lento::window const smooth{.kernel = lento::exponential{}, .periods = 40, .steps_per_period = 80};

    auto const pendulum_by_hand = [](double const* q, double h, int steps, double const* weights, double* force) {
        force[0] = rival_pendulum_window(&pendulum, q[0], h, steps, weights);
    };
    auto const pendulum_bare = [](double const* q, double h, int steps) {
        return rival_pendulum_bare(&pendulum, q[0], h, steps);
    };
    auto const springs_by_hand = [](double const* q, double h, int steps, double const* weights, double* force) {
        rival_springs_window(&springs, q, h, steps, weights, force);
    };
    auto const springs_bare = [](double const* q, double h, int steps) {
        return rival_springs_bare(&springs, q, h, steps);
    };
    constexpr std::size_t n = 10000;
    std::vector<double> scratch(3 * n + 4);
    auto const chain_by_hand = [&](double const* q, double h, int steps, double const* weights, double* force) {
        rival_chain_window(&chain, n, q, h, steps, weights, force, scratch.data());
    };
    auto const nothing = [](double const*, double, int) { return 0.; };

    std::vector<double> rest(n);
    for (std::size_t i = 0; i < n; ++i) rest[i] = std::sin(0.01 * static_cast<double>(i));
    std::array<double, 4> const hanging{0.6, -0.8, 1.5, -1.3};
    std::vector<double> const hanging_too(hanging.begin(), hanging.end());

    std::vector<result> results;
    for (auto const& [window, name] : {std::pair{mean, "one period"}, std::pair{smooth, "40 periods"}}) {
        results.push_back(race("pendulum, fixed<1>", name, 1.10, vibrated_pendulum(), window, {0.5}, pendulum_by_hand,
                               pendulum_bare));
        results.push_back(
            race("two springs, fixed<4>", name, 1.10, fixed_springs(), window, hanging, springs_by_hand, springs_bare));
        results.push_back(race("two springs, dynamic(4)", name, 1.60, dynamic_springs(), window, hanging_too,
                               springs_by_hand, springs_bare));
    }
    results.push_back(
        race("chain, dynamic(10000)", "one period", 1.15, dynamic_chain(n), mean, rest, chain_by_hand, nothing));
    return results;
}

} // namespace

int main() {
    auto const results = race_all();
    std::printf("Nanoseconds per micro step, medians of %d repetitions in turn\n\n", repetitions);
    std::printf("%-24s %-11s %6s %7s %10s %10s %10s %6s %13s %10s\n", "problem", "window", "steps", "forces", "Lento",
                "by hand", "bare", "ratio", "lowest-most", "difference");
    for (auto const& r : results)
        std::printf("%-24s %-11s %6llu %7llu %10.2f %10.2f %10.2f %6.3f  %5.3f-%5.3f %10.1e\n", r.problem.c_str(),
                    r.window.c_str(), static_cast<unsigned long long>(r.steps),
                    static_cast<unsigned long long>(r.forces), r.ours, r.by_hand, r.bare, r.ours / r.by_hand,
                    r.lowest_ratio, r.highest_ratio, r.difference);
    std::printf("\nsteps, forces: exact counts of one window. bare: only the sines, cosines, roots and divisions.\n"
                "lowest-most: the ratio in single repetitions. difference: of the averaged forces, relative.\n\n");
    for (auto const& r : results) {
        double const ratio = r.ours / r.by_hand;
        std::printf("%s, %s: ratio %.2f, bar %.2f: %s\n", r.problem.c_str(), r.window.c_str(), ratio, r.bar,
                    ratio <= r.bar ? "met" : "NOT met");
        if (r.by_hand < 1000) // sines and roots matter
            std::printf("    the loop by hand is %.1f ns above its bare functions, bar 10: %s\n", r.by_hand - r.bare,
                        r.by_hand - r.bare <= 10 ? "met" : "NOT met");
        if (!(r.difference <= 1e-12)) std::printf("    the forces differ by %.1e, bar 1e-12: NOT met\n", r.difference);
    }
}
