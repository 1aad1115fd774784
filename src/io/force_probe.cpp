#include "io/force_probe.hpp"

#include <algorithm>
#include <cmath>

#include <lento/system/arithmetic.hpp>

namespace lento::detail {

double largest_odd_part(problem const& what) {
    auto const work = what.force->work();
    std::vector<double> ahead(what.size);
    std::vector<double> behind(what.size);
    std::vector<double> q = what.position;
    std::vector<double> theta(what.frequencies.size());
    double largest = 0;
    constexpr int probes = 8;
    for (int probe = 0; probe < probes; ++probe) {
        // an odd part may vanish at the start itself, so later probes stand beside it
        for (std::size_t i = 0; i < q.size(); ++i)
            q[i] = what.position[i] + 0.01 * probe * std::sin(static_cast<double>(i + 1) * (probe + 1));
        double size = 0;
        for (double const sign : {1.0, -1.0}) {
            for (std::size_t j = 0; j < theta.size(); ++j)
                theta[j] = sign * (1 + 0.7 * probe) * (1 + 0.37 * static_cast<double>(j));
            auto& out = sign > 0 ? ahead : behind;
            what.force->evaluate({.position = q, .velocity = what.velocity, .phase = theta, .time = what.start}, out,
                                 *work);
            size += max_norm(out);
        }
        double difference = 0;
        for (std::size_t i = 0; i < q.size(); ++i) difference = std::max(difference, std::abs(ahead[i] - behind[i]));
        if (size > 0) largest = std::max(largest, difference / size);
    }
    return largest;
}

} // namespace lento::detail
