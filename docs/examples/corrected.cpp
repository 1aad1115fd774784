// Windows with what they miss added: a bead on a vibrated sphere, and how wrong windows are with and without it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <lento/effective/corrected.hpp>
#include <lento/effective/effective.hpp>
#include <lento/solve/solve.hpp>
#include <lento/stepper/lobatto.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/shake.hpp>
#include <lento/system/constrained.hpp>
#include <lento/system/vibrated.hpp>

int main() {
    using namespace lento;
    using std::cos;
    bool good = true;
    std::printf("    omega  windows    corrected   forces per evaluation\n");
    for (double const omega : {50., 100., 200., 400.}) {
        auto const bead =
            constrain(vibrated<3>({.frequency = omega},
                                  [=](auto const& q, auto theta) {
                                      double const shaken = omega * cos(theta);
                                      return std::array<double, 3>{0.5 * shaken * q[2], 0.3 * shaken, -1 - 2 * shaken};
                                  }),
                      constraints<1>([](auto const& q) { return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.; }));
        motion<std::array<double, 3>> const start{{0.6, 0, 0.8}, {0, 0.5, 0}};
        solve_options<motion<std::array<double, 3>>> const options{
            .end = 2, .output_count = 9, .report = reported_state::full};
        auto const truth = solve(underlying(bead), dormand_prince_8{.rtol = 1e-13, .atol = 1e-14}, start,
                                 {.end = 2, .output_count = 9});

        centred const windows{one_period{.steps = 64}, shake{}};
        auto const plain =
            solve(effective(bead, windows), adaptive_lobatto4{.rtol = 1e-7, .atol = 1e-9}, start, options);
        auto const better =
            solve(effective(bead, corrected{windows}), dormand_prince_8{.rtol = 1e-10, .atol = 1e-12}, start, options);

        std::array<double, 2> errors{};
        for (std::size_t k = 0; k < truth.t.size(); ++k)
            for (std::size_t i = 0; i < 3; ++i) {
                errors[0] = std::max(errors[0], std::abs(plain.position[k][i] - truth.position[k][i]));
                errors[1] = std::max(errors[1], std::abs(better.position[k][i] - truth.position[k][i]));
            }
        auto const forces = [](auto const& run) {
            return static_cast<double>(run.statistics.force_evaluations) /
                   static_cast<double>(run.statistics.effective_evaluations);
        };
        std::printf("%9.0f  %.1e    %.1e     %.0f, %.0f\n", omega, errors[0], errors[1], forces(plain), forces(better));
        good = good && plain && better && errors[1] < errors[0] / 50;
    }
    return good ? 0 : 1;
}
