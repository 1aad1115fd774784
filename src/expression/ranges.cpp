#include "lento/expression/ranges.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace lento::expression {

std::int64_t largest(affine const& index, std::span<known_range const> known) {
    std::vector<affine> candidates{index};
    for (auto range = known.rbegin(); range != known.rend(); ++range) {
        std::vector<affine> next;
        for (auto const& candidate : candidates) {
            auto const factor = candidate.coefficient(range->of);
            if (factor == 0) {
                next.push_back(candidate);
                continue;
            }
            for (auto const& bound : factor > 0 ? range->upper : range->lower)
                next.push_back(candidate.with(range->of, bound));
        }
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        candidates = std::move(next);
    }
    auto best = std::numeric_limits<std::int64_t>::max();
    for (auto const& candidate : candidates) best = std::min(best, candidate.constant);
    return best;
}

std::int64_t smallest(affine const& index, std::span<known_range const> known) { return -largest(-index, known); }

std::vector<known_range> ranges_of(graph const& g, affine const& index) {
    std::vector<variable> waiting;
    std::vector<known_range> found;
    auto const wait_for = [&waiting](affine const& a) {
        for (auto const& term : a.terms) waiting.push_back(term.first);
    };
    wait_for(index);
    while (!waiting.empty()) {
        auto const v = waiting.back();
        waiting.pop_back();
        if (std::any_of(found.begin(), found.end(), [v](known_range const& r) { return r.of == v; })) continue;
        auto const& bounds = g.bounds(v);
        found.push_back({v, bounds.lower, bounds.upper});
        for (auto const& bound : bounds.lower) wait_for(bound);
        for (auto const& bound : bounds.upper) wait_for(bound);
    }
    std::sort(found.begin(), found.end(), [&g](auto const& a, auto const& b) { return g.level(a.of) < g.level(b.of); });
    return found;
}

bool tidy(loop_bounds& bounds, std::span<known_range const> outer) {
    auto const thin = [outer](std::vector<affine>& list, std::int64_t direction) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        for (std::size_t i = 0; i < list.size();) {
            auto const superfluous = [&](affine const& other) {
                return other != list[i] && smallest((other - list[i]) * direction, outer) >= 0;
            };
            if (list.size() > 1 && std::any_of(list.begin(), list.end(), superfluous))
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
            else ++i;
        }
    };
    thin(bounds.lower, 1);
    thin(bounds.upper, -1);
    for (auto const& lower : bounds.lower)
        for (auto const& upper : bounds.upper)
            if (largest(upper - lower, outer) < 0) return false;
    return true;
}

} // namespace lento::expression
