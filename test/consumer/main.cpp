#include <cmath>
#include <iostream>

#include <lento/lento.hpp>

int main() {
    double const omega = 1e6, g = 9.8, l = 0.2, vmax = 4;
    auto const pendulum = lento::vibrated<1>({.frequency = omega}, [=](auto const& q, auto theta) {
        return (g + vmax * omega * std::cos(theta)) * std::sin(q[0]) / l;
    });
    auto const slow = lento::effective(pendulum);
    auto const run = lento::solve(slow, lento::dormand_prince{.rtol = 1e-6}, {.position = {0.5}},
                                  {.end = 1, .output_count = 11});
    if (!run) std::cerr << run.message << '\n';
    for (std::size_t i = 0; i < run.t.size(); ++i) std::cout << run.t[i] << "  " << run.position[i][0] << '\n';
    std::cout << run.statistics.force_evaluations << " force evaluations\n";
}
