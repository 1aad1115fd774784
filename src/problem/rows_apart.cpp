#include "problem/rows_apart.hpp"

#include <algorithm>
#include <cmath>

namespace lento::detail {
namespace {

/// Runs that differ by more than this share of the motion's size have lost each other.
constexpr double lost = 0.2;

double largest(std::vector<double> const& values) {
    double most = 0;
    for (double const each : values) most = std::isnan(each) ? each : std::max(most, each);
    return most;
}

} // namespace

std::vector<double> sizes_in(problem const& what, problem_run const& run) {
    std::vector<double> sizes(what.size);
    auto const take = [&](std::vector<double> const& row) {
        for (std::size_t i = 0; i < std::min(row.size(), sizes.size()); ++i)
            sizes[i] = std::max(sizes[i], std::abs(row[i]));
    };
    take(what.position);
    for (auto const& row : run.position) take(row);
    return sizes;
}

double rows_apart::largest_ratio() const { return largest(ratio); }
double rows_apart::largest_relative() const { return largest(relative); }

std::size_t rows_apart::near_until() const {
    auto const far = std::find_if(relative.begin(), relative.end(), [](double each) { return !(each <= lost); });
    return static_cast<std::size_t>(far - relative.begin());
}

rows_apart compare_rows(problem const& what, problem_run const& one, problem_run const& better) {
    rows_apart made;
    auto const sizes = sizes_in(what, better);
    double most = -1;
    for (std::size_t row = 0; row < std::min(one.position.size(), better.position.size()); ++row) {
        double ratio = 0;
        double relative = 0;
        for (std::size_t i = 0; i < what.size; ++i) {
            double const apart = std::abs(one.position[row][i] - better.position[row][i]);
            double const allowed = std::max(what.atol, what.rtol * sizes[i]);
            if (!(allowed > 0) || !(sizes[i] > 0)) continue;   // a coordinate that stays at zero
            double const size = std::max(sizes[i], what.atol); // no more is asked of what is smaller
            relative = std::max(relative, apart / size);
            ratio = std::max(ratio, apart / allowed);
            if (apart / allowed <= most) continue;
            most = apart / allowed;
            made.worst = i;
            made.allowed = allowed / size;
        }
        made.ratio.push_back(ratio);
        made.relative.push_back(relative);
    }
    return made;
}

growth growth_of(rows_apart const& apart, std::vector<double> const& times, double start) {
    growth found;
    std::size_t const rows = std::min(apart.near_until(), times.size());
    constexpr std::size_t fewest = 8;
    if (rows < fewest) return found;
    std::vector<double> running(rows); // differences oscillate, their largest so far does not
    double most = 0;
    for (std::size_t k = 0; k < rows; ++k) running[k] = most = std::max(most, apart.ratio[k]);
    double const span = times[rows - 1] - start;
    auto const at = [&](double share) {
        auto const row = std::lower_bound(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(rows - 1),
                                          start + share * span);
        return running[static_cast<std::size_t>(row - times.begin())];
    };
    double const end = running.back();
    double const half = at(0.5);
    double const quarter = at(0.25);
    if (!(quarter > 0)) return found;
    double const later = end / half;
    double const earlier = half / quarter;
    found.power = std::log2(std::max(later, 1.));
    // a power law grows alike in both, an exponential twice as much in the logarithm
    found.exponential = later > 12 && (later > 50 || later > earlier * earlier / 2);
    if (found.exponential) found.rate = std::log(later) / (0.5 * span);
    return found;
}

} // namespace lento::detail
