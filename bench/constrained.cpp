/// Constrained systems: a SHAKE micro step beside one written by hand in C (rival/double_pendulum.c), RATTLE and
/// Lobatto's pair beside SUNDIALS IDA at equal error, and a RATTLE step of chains up to 10,000 rods. One run.
#include "double_pendulum.h"
#include "timing.hpp"

#include <lento/lento.hpp>
#include <lento/model/constrained.hpp>
#include <lento/model/linkage.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace {

volatile double sink; // results go here, so that no work is optimised away

void say(char const* what, double value, double bar) {
    std::printf("    %s: %.3g, bar %.3g: %s\n", what, value, bar, value <= bar ? "met" : "NOT met");
}

// ---- SHAKE inside a window ----

void race_micro_steps() {
    std::printf("SHAKE, double pendulum: nanoseconds per micro step, medians of 11 repetitions in turn\n\n"
                "%8s %6s %8s %10s %10s %7s %13s %11s\n",
                "omega", "steps", "Newton", "Lento", "by hand", "ratio", "lowest-most", "difference");
    std::vector<double> all;
    for (double const omega : {1e4, 1e6, 1e8}) {
        auto const pendulum = lento::model::double_pendulum(omega);
        rival_double_pendulum const same{.gravity = pendulum.g,
                                         .speed = pendulum.vmax,
                                         .frequency = omega,
                                         .mass = {pendulum.m[0], pendulum.m[1]},
                                         .length = {pendulum.l[0], pendulum.l[1]}};
        auto const slow = lento::effective(pendulum.vibrated_system(),
                                           lento::asynchronous{lento::one_period{.steps = 64}, lento::shake{}});
        auto work = slow.work();
        auto const q = pendulum.place({0.5, 0.2});
        std::array<double, 4> force{};
        std::array<double, 4> expected{};
        auto const& plan = slow.plan();
        auto const ours = [&] {
            slow.active_acceleration(0, q, force, work);
            sink = force[0];
        };
        auto const theirs = [&] {
            rival_double_pendulum_window(&same, q.data(), plan.step, plan.after, plan.folded.data(), expected.data());
            sink = expected[0];
        };
        for (int i = 0; i < 40; ++i) ours(); // the first windows also measure the filter
        auto const newton = slow.constraint_work(work).newton_iterations;
        ours();
        double const iterations =
            static_cast<double>(slow.constraint_work(work).newton_iterations - newton) / (plan.after + 1);
        theirs();
        double difference = 0;
        for (std::size_t i = 0; i < 4; ++i)
            difference = std::max(difference, std::abs(force[i] - expected[i]) / lento::max_norm(expected));
        int const calls = bench::calls_filling(0.002, theirs);
        std::vector<double> our_times, their_times, ratios;
        for (int i = 0; i < 11; ++i) {
            double our_time = 0, their_time = 0;
            for (int turn = 0; turn < 12; ++turn) {
                our_time += bench::seconds(calls, ours);
                their_time += bench::seconds(calls, theirs);
            }
            double const scale = 1e9 / (12. * calls * (plan.after + 1));
            our_times.push_back(our_time * scale);
            their_times.push_back(their_time * scale);
            ratios.push_back(our_time / their_time);
        }
        double const ratio = bench::median(our_times) / bench::median(their_times);
        all.push_back(ratio);
        auto const [low, high] = std::minmax_element(ratios.begin(), ratios.end());
        std::printf("%8.0e %6d %8.2f %10.2f %10.2f %7.3f  %5.3f-%5.3f %11.1e\n", omega, plan.after, iterations,
                    bench::median(our_times), bench::median(their_times), ratio, *low, *high, difference);
    }
    for (double const ratio : all) say("ratio", ratio, 1.3);
}

// ---- RATTLE and IDA ----

void race_ida() {
    lento::model::linked_pendulum<2> const p{.m = {0.3, 0.2}, .l = {1, 0.7}};
    std::array<double, 2> const q{2., 1.2};
    std::array<double, 2> const w{0.3, -0.5};
    constexpr double end = 2;
    auto const system = p.system();
    auto const exact = lento::solve(p.reduced(), lento::dormand_prince{.rtol = 1e-13, .atol = 1e-14},
                                    {.position = q, .velocity = w}, {.end = end});
    auto const wanted = p.place(exact.position.back());
    auto const off = [&](auto const& position) {
        double largest = 0;
        for (std::size_t i = 0; i < 4; ++i) largest = std::max(largest, std::abs(position[i] - wanted[i]));
        return largest;
    };
    struct run {
        double setting = 0;
        double error = 1;
        long evaluations = 0;
        double seconds = 0;
    };
    auto const timed = [](auto const& work) {
        std::vector<double> times;
        for (int i = 0; i < 7; ++i) times.push_back(bench::seconds(10, work) / 10);
        return bench::median(times);
    };
    std::printf("\nDouble pendulum to t = 2: the cheapest of each method for an error in the positions\n\n"
                "%-10s %-24s %10s %9s %12s %10s\n",
                "error", "", "setting", "error", "evaluations", "seconds");
    for (double const target : {1e-3, 1e-5, 1e-7}) {
        auto const print = [&](char const* name, run const& r) {
            if (r.error <= target)
                std::printf("%-10.0e %-24s %10.3g %9.1e %12ld %10.2e\n", target, name, r.setting, r.error,
                            r.evaluations, r.seconds);
            else std::printf("%-10.0e %-24s   not reached\n", target, name);
        };
        auto const by_steps = [&](auto stepper) {
            run r;
            for (double steps = 8; steps < 2e5 && r.error > target; steps *= 1.2) {
                stepper.step = end / std::round(steps);
                auto const work = [&] {
                    return lento::solve(system, stepper, {.position = p.place(q), .velocity = p.velocity(q, w)},
                                        {.end = end, .output_count = 2});
                };
                auto const got = work();
                if (!got || off(got.position.back()) > target) continue;
                r = {stepper.step, off(got.position.back()), static_cast<long>(got.statistics.force_evaluations),
                     timed([&] { sink = work().position.back()[0]; })};
            }
            return r;
        };
        print("RATTLE", by_steps(lento::rattle{}));
        print("composed RATTLE, order 4", by_steps(lento::rattle4{}));
        print("composed RATTLE, order 6", by_steps(lento::rattle6{}));
        print("Lobatto IIIA-IIIB", by_steps(lento::lobatto4{}));
        run best;
        for (double tolerance = 1e-3; tolerance > 1e-11 && best.error > target; tolerance /= 1.5) {
            auto const work = [&] {
                return lento::solve(system, lento::ida{.rtol = tolerance, .atol = tolerance},
                                    {.position = p.place(q), .velocity = p.velocity(q, w)},
                                    {.end = end, .output_count = 2});
            };
            auto const got = work();
            if (!got) break; // its corrector has reached its floor
            if (off(got.position.back()) > target) continue;
            best = {tolerance, off(got.position.back()), static_cast<long>(got.statistics.force_evaluations),
                    timed([&] { sink = work().position.back()[0]; })};
        }
        print("IDA, stabilised index 2", best);
    }
}

// ---- chains ----

struct chain_cost {
    std::size_t rods;
    double seconds = INFINITY; ///< a step, the least
    double newton = 0;
};

/// A few RATTLE steps, in each of which every chain moves by the same share of a rod.
void time_chain(chain_cost& cost) {
    lento::model::hanging_chain const chain{.n = cost.rods};
    auto const system = chain.system();
    double const h = 0.02 * chain.rod();
    int const steps = std::max(10, static_cast<int>(20000 / cost.rods));
    lento::motion<std::vector<double>> x{chain.straight(0.5), std::vector<double>(2 * cost.rods)};
    auto work = system.work();
    auto memory = lento::rattle{}.start(system);
    lento::rattle{}.prepare(system, 0, x, memory, work);
    double const taken = bench::seconds(1, [&] {
        for (int i = 0; i < steps; ++i) lento::rattle{}.advance(system, i * h, h, x, memory, work);
    });
    cost.seconds = std::min(cost.seconds, taken / steps);
    cost.newton = static_cast<double>(work.constraint.newton_iterations) / steps;
    sink = x.position.back();
}

void race_chains() {
    std::vector<chain_cost> costs{{10}, {100}, {1000}, {10000}};
    for (int turn = 0; turn < 15; ++turn)
        for (auto& cost : costs) time_chain(cost);
    std::printf("\nHanging chain: seconds a RATTLE step, the least of 15 runs in turn\n\n%8s %8s %14s\n", "rods",
                "Newton", "seconds per step");
    for (auto const& cost : costs) std::printf("%8zu %8.2f %14.3e\n", cost.rods, cost.newton, cost.seconds);
    for (std::size_t i = 1; i < costs.size(); ++i) say("times the decade", costs[i].seconds / costs[i - 1].seconds, 11);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    say("megabytes of the whole run", static_cast<double>(usage.ru_maxrss) / 1024, 200);
}

} // namespace

int main() {
    race_micro_steps();
    race_chains();
    if (lento::has_sundials()) race_ida();
}
