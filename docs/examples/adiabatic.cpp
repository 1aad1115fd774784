// A mass in a channel whose walls are steeper further out: energy across the channel pushes the mass along it.

#include <array>
#include <cmath>
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    using namespace lento;
    std::printf(
        "omega   x(5) direct   slow with fast energy       limit    error of the full motion, of its velocity\n");
    double worst = 0;
    for (double const omega : {100., 1e3, 1e4}) {
        auto const channel = stiff<2>([](auto const& q, auto) { return std::array{-q[0], 0 * q[0]}; },
                                      spring{omega, [](auto const& q) {
                                                 using std::sqrt;
                                                 return q[1] * sqrt(1. + q[0] * q[0]);
                                             }});
        motion<std::array<double, 2>> const start{{1, 0.5 / omega}, {0.5, 1}};

        auto const slow = effective(channel, adiabatic{});
        auto const run = solve(slow, dormand_prince_8{.rtol = 1e-7, .atol = 1e-9}, slow.extended(start), {.end = 5});

        auto const full = solve(slow, dormand_prince_8{.rtol = 1e-9, .atol = 1e-11}, slow.extended(start),
                                {.end = 5, .output_count = 2, .report = reported_state::full});

        auto const direct =
            solve(channel, dormand_prince_8{.rtol = 1e-11, .atol = 1e-13}, start, {.end = 5, .output_count = 2});
        auto const rigid = solve(effective(channel, limit{}), dormand_prince_8{}, start, {.end = 5, .output_count = 2});
        if (!run || !full || !direct || !rigid) return 1;
        auto const& x = direct.position.back();
        auto const& v = direct.velocity.back();
        double const off = std::hypot(full.position.back()[0] - x[0], full.position.back()[1] - x[1]);
        std::printf("%5g   %.8f   %.8f (%llu forces)   %.4f   %.1e   %.1e\n", omega, x[0], run.position.back()[0],
                    static_cast<unsigned long long>(run.statistics.force_evaluations), rigid.position.back()[0], off,
                    std::hypot(full.velocity.back()[0] - v[0], full.velocity.back()[1] - v[1]));
        worst = off;
    }
    return worst < 1e-7 ? 0 : 1;
}
