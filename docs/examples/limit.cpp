// Two masses on two hard springs under gravity: the constrained limit and its corrections against the direct motion.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <lento/lento.hpp>

int main() {
    using namespace lento;
    using state = motion<std::array<double, 4>>;
    auto const slow_force = [](auto const& q, auto) {
        return std::array{0 * q[0], -1 + 0 * q[0], 0 * q[0], -1 + 0 * q[0]};
    };
    auto const first = [](auto const& q) {
        using std::sqrt;
        return sqrt(q[0] * q[0] + q[1] * q[1]) - 1.;
    };
    auto const second = [](auto const& q) {
        using std::sqrt;
        return sqrt((q[0] - q[2]) * (q[0] - q[2]) + (q[1] - q[3]) * (q[1] - q[3])) - 1.;
    };
    state const start{{1, 0, 1.6, 0.8}, {0, -0.5, 0.4, 0.3}};
    std::vector<double> const times = {1, 2, 3, 4};

    std::printf("omega   order 0          order 1          order 2          direct\n");
    double last = 1;
    for (double const omega : {30., 100., 300.}) {
        auto const system = stiff<4>(slow_force, spring{omega, first}, spring{omega, second});

        auto const slow = effective(system, limit{.order = 1});
        auto const run = solve(slow, dormand_prince_8{.rtol = 1e-6}, start, {.end = 4});
        if (!run) return 1;

        // the direct motion from the slow point of the best order
        auto const best = effective(system, limit{.order = 2});
        auto work = best.work();
        state point = start;
        best.begin(0, point, work);
        best.lower(0, point, work);
        auto const direct =
            solve(system, dormand_prince_8{.rtol = 1e-12, .atol = 1e-13}, point, {.end = 4, .output_times = times});
        std::printf("%5g", omega);
        for (int const order : {0, 1, 2}) {
            auto const each = solve(effective(system, limit{.order = order}),
                                    dormand_prince_8{.rtol = 1e-11, .atol = 1e-13, .max_step = 0.05}, start,
                                    {.end = 4.1, .output_times = times});
            auto const counted = solve(effective(system, limit{.order = order}), dormand_prince_8{.rtol = 1e-6}, start,
                                       {.end = 4, .output_times = times});
            last = 0;
            for (std::size_t k = 0; k < times.size(); ++k)
                for (std::size_t i = 0; i < 4; ++i)
                    last = std::max(last, std::abs(each.position[k][i] - direct.position[k][i]));
            std::printf("   %.1e (%4llu)", last, static_cast<unsigned long long>(counted.statistics.force_evaluations));
        }
        std::printf("   (%llu)\n", static_cast<unsigned long long>(solve(system, dormand_prince_8{.rtol = 1e-6}, point,
                                                                         {.end = 4, .output_times = times})
                                                                       .statistics.force_evaluations));
    }
    return last < 1e-8 ? 0 : 1;
}
