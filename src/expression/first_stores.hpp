#pragma once

#include "lento/expression/ranges.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace lento::expression {

/// Disjoint intervals of slots, both ends included.
class slot_set {
public:
    [[nodiscard]] bool overlaps(std::int64_t low, std::int64_t high) const {
        auto const after = intervals_.upper_bound(high);
        return after != intervals_.begin() && std::prev(after)->second >= low;
    }
    void insert(std::int64_t low, std::int64_t high) {
        auto at = intervals_.upper_bound(high + 1);
        while (at != intervals_.begin() && std::prev(at)->second >= low - 1) {
            --at;
            low = std::min(low, at->first);
            high = std::max(high, at->second);
            at = intervals_.erase(at);
        }
        intervals_[low] = high;
    }
    [[nodiscard]] std::map<std::int64_t, std::int64_t> const& intervals() const { return intervals_; }

private:
    std::map<std::int64_t, std::int64_t> intervals_;
};

/// Which stores are the first to reach their outputs, so that an engine may assign instead of adding to a zero.
class first_stores {
public:
    explicit first_stores(graph const& g) : g_(g) {}

    /// Whether the next store, in the order of the schedule, may assign. `once`: it reaches every output of its range
    /// exactly once.
    bool assigns(affine const& target, bool once) {
        auto const known = ranges_of(g_, target);
        auto const low = smallest(target, known);
        auto const high = largest(target, known);
        auto const fresh = once && !touched_.overlaps(low, high);
        touched_.insert(low, high);
        if (fresh) assigned_.insert(low, high);
        return fresh;
    }

    /// The outputs that no store assigns, as half-open ranges: they must start as zeros.
    [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> zeros(std::size_t outputs) const {
        std::vector<std::pair<std::size_t, std::size_t>> ranges;
        std::size_t next = 0;
        for (auto const& [low, high] : assigned_.intervals()) {
            if (static_cast<std::size_t>(low) > next) ranges.emplace_back(next, low);
            next = static_cast<std::size_t>(high) + 1;
        }
        if (next < outputs) ranges.emplace_back(next, outputs);
        return ranges;
    }

private:
    graph const& g_;
    slot_set touched_, assigned_;
};

} // namespace lento::expression
