// The demo: a pendulum standing on its head because its pivot is shaken, its slow motion, and what that saved.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>

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

int main() {
    using namespace lento;
    model::vibrated_pendulum const pendulum{.omega = 1e5};
    double const end = 1;
    dormand_prince const stepper{.rtol = 1e-6, .atol = 1e-8};

    fmt::print("A pendulum of {} m stands upside down: its pivot is shaken vertically with {:g} vibrations a second.\n"
               "It is let go at rest, 0.5 rad from the upward vertical.\n\n",
               pendulum.l, pendulum.omega / (2 * 3.141592653589793));
    auto const slow =
        solve(effective(pendulum.system()), stepper, {.position = {0.5}}, {.end = end, .output_count = 11});
    if (!slow) {
        fmt::print(stderr, "{}\n", slow.message);
        return exit_code(slow.result);
    }
    fmt::print("  {:>4}  {:>10}  {:>12}\n", "t", "angle", "velocity");
    for (std::size_t i = 0; i < slow.t.size(); ++i)
        fmt::print("  {:>4.1f}  {:>10.6f}  {:>12.6f}\n", slow.t[i], slow.position[i][0], slow.velocity[i][0]);

    // the same motion with every vibration resolved, at a tolerance that keeps the error of so many steps as small;
    // lifted, the slow one must lie on it
    dormand_prince const tighter{.rtol = 1e-9, .atol = 1e-9};
    auto const direct = solve(pendulum.system(), tighter, {.position = {0.5}}, {.end = end, .output_count = 11});
    auto const full = solve(effective(pendulum.system()), stepper, {.position = {0.5}},
                            {.end = end, .output_count = 11, .report = reported_state::full});
    double difference = 0;
    for (std::size_t i = 0; i < full.t.size(); ++i)
        difference = std::max(difference, std::abs(full.position[i][0] - direct.position[i][0]));

    fmt::print("\n  {:<22} {:>18} {:>12} {:>12}\n", "", "force evaluations", "steps", "time");
    print_work("slow motion (Lento)", slow.statistics);
    print_work("direct integration", direct.statistics);
    fmt::print("\nThe same motion to {:.1e} rad, with {} times fewer force evaluations.\n", difference,
               grouped(direct.statistics.force_evaluations / slow.statistics.force_evaluations));
    return exit_code(direct.result);
}
