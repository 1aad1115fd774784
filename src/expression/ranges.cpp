#include "lento/expression/ranges.hpp"

#include "expression/whole_numbers.hpp"

#include <algorithm>
#include <compare>
#include <utility>

namespace lento::expression {

namespace {

/// An affine index in numbers that hold every product of two of 64 bits.
struct wide_affine {
    wide constant = 0;
    std::vector<std::pair<variable, wide>> terms{}; // sorted by variable, no zero coefficients
    auto operator<=>(wide_affine const&) const = default;

    explicit wide_affine(affine const& index, int factor = 1) : constant(wide{index.constant} * factor) {
        for (auto const& [v, of] : index.terms) terms.emplace_back(v, wide{of} * factor);
    }
    [[nodiscard]] wide coefficient(variable of) const {
        for (auto const& [v, factor] : terms)
            if (v == of) return factor;
        return 0;
    }
    /// Puts a bound in a variable's place; false where a number would wrap.
    [[nodiscard]] bool replace(variable replaced, affine const& by) {
        auto const factor = coefficient(replaced);
        std::erase_if(terms, [replaced](auto const& term) { return term.first == replaced; });
        auto sound = grow(constant, factor, by.constant);
        for (auto const& [v, of] : by.terms) {
            auto const at =
                std::lower_bound(terms.begin(), terms.end(), v, [](auto const& t, variable w) { return t.first < w; });
            auto const place = at != terms.end() && at->first == v ? at : terms.insert(at, {v, 0});
            sound = grow(place->second, factor, of) && sound;
        }
        std::erase_if(terms, [](auto const& term) { return term.second == 0; });
        return sound;
    }

private:
    static bool grow(wide& total, wide factor, std::int64_t by) {
        wide product = 0;
        return !__builtin_mul_overflow(factor, wide{by}, &product) && !__builtin_add_overflow(total, product, &total);
    }
};

/// Every candidate is a bound, so that those which are too many may be left out.
constexpr std::size_t most_candidates = 16;

std::int64_t largest(wide_affine const& index, std::span<known_range const> known) {
    std::vector<wide_affine> candidates{index};
    for (auto range = known.rbegin(); range != known.rend(); ++range) {
        std::vector<wide_affine> next;
        for (auto& candidate : candidates) {
            auto const factor = candidate.coefficient(range->of);
            if (factor == 0) {
                next.push_back(std::move(candidate));
                continue;
            }
            for (auto const& bound : factor > 0 ? range->upper : range->lower)
                if (auto made = candidate; made.replace(range->of, bound)) next.push_back(std::move(made));
        }
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        if (next.size() > most_candidates) next.erase(next.begin() + most_candidates, next.end());
        candidates = std::move(next);
    }
    auto best = wide{unbounded};
    for (auto const& candidate : candidates)
        if (candidate.terms.empty()) best = std::min(best, candidate.constant);
    return static_cast<std::int64_t>(std::max(best, -wide{unbounded}));
}

} // namespace

std::int64_t largest(affine const& index, std::span<known_range const> known) {
    if (index.is_constant()) return index.constant;
    return largest(wide_affine(index), known);
}

std::int64_t smallest(affine const& index, std::span<known_range const> known) {
    if (index.is_constant()) return index.constant;
    return -largest(wide_affine(index, -1), known);
}

bool is_computable(affine const& index, std::span<known_range const> known) {
    constexpr auto most = wide{1} << 62U;
    auto const size = [](std::int64_t a) { return a < 0 ? -wide{a} : wide{a}; };
    auto total = size(index.constant);
    for (auto const& [v, factor] : index.terms) {
        auto const reach = std::max(size(smallest(to_affine(v), known)), size(largest(to_affine(v), known)));
        total += size(factor) * reach; // at most 2^126, and they are too many before the sum of them wraps
        if (total > most) return false;
    }
    return total <= most;
}

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
