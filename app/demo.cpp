// The demo: a pendulum standing on its head because its pivot is shaken, its slow motion, and what that saved.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/run.hpp>

namespace {

/// 12345678 as 12,345,678
std::string grouped(std::uint64_t value) {
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
    return text;
}

void print_work(std::string_view name, lento::statistics const& counts) {
    fmt::print("  {:<22} {:>18} {:>12} {:>10.4f} s\n", name, grouped(counts.force_evaluations),
               grouped(counts.macro_steps), counts.seconds);
}

} // namespace

int main() try {
    using namespace lento;
    auto const run = [](problem_settings settings) {
        settings.insert(settings.begin(), "omega=1e5");
        return run_problem(load_problem("vibrated-pendulum", settings));
    };
    problem_settings const accuracy{"accuracy.rtol=1e-6", "accuracy.atol=1e-8"};

    fmt::print("A pendulum of 0.2 m stands upside down: its pivot is shaken vertically with {:g} vibrations a second.\n"
               "It is let go at rest, 0.5 rad from the upward vertical.\n\n",
               1e5 / (2 * std::numbers::pi));
    auto const slow = run(accuracy);
    if (slow.result != outcome::success) {
        fmt::print(stderr, "{}\n", slow.message);
        return exit_code(slow.result);
    }
    fmt::print("  {:>4}  {:>10}  {:>12}\n", "t", "angle", "velocity");
    for (std::size_t i = 0; i < slow.t.size(); ++i)
        fmt::print("  {:>4.1f}  {:>10.6f}  {:>12.6f}\n", slow.t[i], slow.position[i][0], slow.velocity[i][0]);

    // the same motion with every vibration resolved, at a tolerance that keeps the error of so many steps as small;
    // with its vibration put back, the slow one must lie on it
    auto const direct =
        run({"accuracy.rtol=1e-9", "accuracy.atol=1e-9", "accuracy.estimate=false", "method.name=direct"});
    auto with_vibration = accuracy;
    with_vibration.emplace_back("time.report=full");
    auto const full = run(with_vibration);
    double difference = 0;
    for (std::size_t i = 0; i < std::min(full.t.size(), direct.t.size()); ++i)
        difference = std::max(difference, std::abs(full.position[i][0] - direct.position[i][0]));

    fmt::print("\n  {:<22} {:>18} {:>12} {:>12}\n", "", "force evaluations", "steps", "time");
    print_work("slow motion (Lento)", slow.statistics);
    fmt::print("  {:<22} {:>18}\n", "  and its error", grouped(slow.estimate_evaluations));
    print_work("direct integration", direct.statistics);
    fmt::print(
        "\nThe same motion to {:.1e} rad, as Lento has measured ({:.1e} of its size), with {} times fewer force "
        "evaluations.\n"
        "The problem is a file of a few lines: lento solve vibrated-pendulum --set omega=1e5 --rtol 1e-6 --atol 1e-8\n",
        difference, full.error_estimate ? full.error_estimate->total : std::nan(""),
        grouped(direct.statistics.force_evaluations / (slow.statistics.force_evaluations + slow.estimate_evaluations)));
    return exit_code(direct.result);
} catch (std::exception const& error) {
    fmt::print(stderr, "lento-demo: {}\n", error.what());
    return 1;
}
