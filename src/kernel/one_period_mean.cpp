#include <lento/kernel/one_period_mean.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <lento/base/misuse.hpp>

namespace lento {

using real = long double;

/// By truncated powers.
real one_period_mean::shape(real x) const {
    if (boxes == 1) return 1;
    real const u = (x + 1) / 2 * boxes;
    real sum = 0;
    real binomial = 1;
    for (int j = 0; j <= boxes && u > j; ++j) {
        sum += binomial * std::pow(u - j, boxes - 1);
        binomial *= -static_cast<real>(boxes - j) / (j + 1);
    }
    return std::max(real(0), sum);
}

std::vector<double> one_period_mean::weights(int steps) const {
    if (steps % boxes != 0)
        throw misuse("a window of " + std::to_string(boxes) + " periods needs as many steps in each, but it has " +
                     std::to_string(steps) + " in all");
    bool const trapezoid = rule == mean_rule::trapezoid;
    int const a_box = steps / boxes;
    std::vector<real> box(static_cast<std::size_t>(a_box) + 1, real(1) / (trapezoid ? a_box : a_box + 1));
    if (trapezoid) {
        box.front() /= 2;
        box.back() /= 2;
    }
    std::vector<real> spline = box;
    for (int j = 1; j < boxes; ++j) {
        std::vector<real> wider(spline.size() + box.size() - 1, 0);
        for (std::size_t r = 0; r < spline.size(); ++r)
            for (std::size_t s = 0; s < box.size(); ++s) wider[r + s] += spline[r] * box[s];
        spline = std::move(wider);
    }
    return {spline.begin(), spline.end()};
}

std::string one_period_mean::why_not(support where) const {
    if (where == support::centred) return {};
    return "a one-period mean gives the value at the window's centre; use a polynomial kernel for one-sided windows";
}

} // namespace lento
