// The moving spectral mean: a pendulum at vibrations that are not very fast, and how wrong each order is.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    using namespace lento;
    double const g = 9.8, l = 0.2, vmax = 4;
    bool good = true;
    std::printf("    omega  order   error      forces per evaluation\n");
    for (double const omega : {200., 500., 1000., 5000.}) {
        auto const pendulum = vibrated<1>({.frequency = omega}, [=](auto const& q, auto theta) {
            return (g + vmax * omega * std::cos(theta)) * std::sin(q[0]) / l;
        });
        auto const truth = solve(pendulum, dormand_prince_8{.rtol = 1e-13, .atol = 1e-14}, {.position = {0.5}},
                                 {.end = 5, .output_count = 26});
        std::array<double, 3> errors{};
        for (int const order : {0, 2, 4}) {
            auto const slow = effective(pendulum, picard{.order = order});
            auto const run = solve(slow, dormand_prince_8{.rtol = 1e-11, .atol = 1e-12}, {.position = {0.5}},
                                   {.end = 5, .output_count = 26, .report = reported_state::full});
            double& error = errors[static_cast<std::size_t>(order / 2)];
            for (std::size_t k = 0; k < run.t.size(); ++k)
                error = std::max(error, std::abs(run.position[k][0] - truth.position[k][0]));
            std::printf("%9.0f  %5d   %.1e    %.0f\n", omega, order, error,
                        static_cast<double>(run.statistics.force_evaluations) /
                            static_cast<double>(run.statistics.effective_evaluations));
            good = good && run;
        }
        good = good && errors[1] < 0.1 * errors[0] && errors[2] < 0.2 * errors[1];
    }

    // several phases, drag, a slow explicit time, masses: nothing else to say
    double const omega = 300;
    auto const trap =
        vibrated<2, 2>({.frequencies = {omega, 1.618 * omega}}, mass({1., 2.}),
                       with_velocity([=](auto const& q, auto const& v, auto const& theta, auto t) {
                           double const shake = omega * (std::cos(theta[0]) + 0.5 * std::sin(theta[1]));
                           return std::array{-q[0] + shake * q[1] - 0.1 * v[0], -2 * std::cos(t) * q[1] + shake * q[0]};
                       }));
    auto const followed =
        solve(effective(trap, picard{.order = 4}), dormand_prince{.rtol = 1e-8}, {.position = {0.5, 0.2}},
              {.end = 5, .output_count = 6, .report = reported_state::full});
    auto const direct =
        solve(trap, dormand_prince_8{.rtol = 1e-12, .atol = 1e-12}, {.position = {0.5, 0.2}}, {.end = 5});
    double const apart = std::abs(followed.position.back()[0] - direct.position.back()[0]);
    std::printf("two phases, drag, slow time: %.1e\n", apart);
    return good && followed && apart < 1e-6 ? 0 : 1;
}
