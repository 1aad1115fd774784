// Constrained systems: pendulums in cartesian coordinates, a chain, and a vibrated one.

#include <array>
#include <cmath>
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    using namespace lento;

    // a pendulum in the plane: M q'' = F - g'^T lambda, g = 0
    double const l = 0.6;
    auto const pendulum = constrained<2, 1>(
        mass(0.8), [](auto const&, auto) { return std::array{0., -0.8 * 9.8}; },
        [=](auto const& q) { return q[0] * q[0] + q[1] * q[1] - l * l; });
    auto const swing = solve(pendulum, rattle{.step = 0.01}, {.position = {l, 0}}, {.end = 1, .output_count = 11});
    for (std::size_t i = 0; i < swing.t.size(); ++i)
        std::printf("%4.1f  %9.5f %9.5f  lambda %8.4f\n", swing.t[i], swing.position[i][0], swing.position[i][1],
                    swing.multipliers[i][0]);

    // a bead on a wire that turns: the constraint depends on time
    auto const bead =
        constrained<2, 1>([](auto const&, auto) { return std::array{0., 0.}; }, with_time([](auto const& q, auto t) {
                              using std::cos, std::sin;
                              return q[1] * cos(t) - q[0] * sin(t);
                          }));
    auto const slide =
        solve(bead, adaptive_lobatto4{.rtol = 1e-8}, {.position = {1, 0}, .velocity = {0, 1}}, {.end = 1});

    // a chain of n rods: many constraints of few coordinates each
    std::size_t const n = 100;
    auto const chain = constrain(plain(dynamic(2 * n),
                                       [](auto const& q, auto, auto& force) {
                                           for (std::size_t i = 0; i < q.size(); ++i) force[i] = i % 2 == 0 ? 0 : -9.8;
                                       }),
                                 family<4>(
                                     n,
                                     [](std::size_t i) {
                                         return i == 0 ? std::array{std::size_t(0), std::size_t(1), nowhere, nowhere}
                                                       : std::array{2 * i, 2 * i + 1, 2 * i - 2, 2 * i - 1};
                                     },
                                     [](std::size_t, auto const& q) {
                                         auto const x = q[0] - q[2];
                                         auto const y = q[1] - q[3];
                                         return x * x + y * y - 1e-4;
                                     }));
    std::vector<double> straight(2 * n);
    for (std::size_t i = 0; i < n; ++i) straight[2 * i] = 0.01 * static_cast<double>(i + 1);
    auto const fall = solve(chain, rattle{.step = 1e-4}, {.position = straight, .velocity = {}}, {.end = 0.01});

    // the pendulum of paper 001 in cartesian coordinates, its pivot vibrated: RATTLE over windows with SHAKE
    double const omega = 1e6;
    auto const shaken = constrain(vibrated<2>({.frequency = omega},
                                              [=](auto const&, auto theta) {
                                                  using std::cos;
                                                  return std::array{0., -9.8 - 4 * omega * cos(theta)};
                                              }),
                                  constraints<1>([](auto const& q) { return q[0] * q[0] + q[1] * q[1] - 0.04; }));
    auto const slow = effective(shaken, asynchronous{one_period{.steps = 80}, shake{}});
    auto const upright = solve(slow, rattle{.step = 1. / 80}, {.position = {0.2 * std::sin(0.5), 0.2 * std::cos(0.5)}},
                               {.end = 1, .given = initial_state::slow});

    if (!swing || !slide || !fall || !upright) return 1;
    std::printf("the vibrated pendulum stands %.3f from the vertical after %llu micro steps\n",
                std::atan2(upright.position.back()[0], upright.position.back()[1]),
                static_cast<unsigned long long>(upright.statistics.micro_steps));
}
