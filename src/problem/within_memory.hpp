#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/base/outcome.hpp>

/// A run whose memory ends before it does keeps the rows that it has.
namespace lento::detail {

/// Memory that is put aside, so that what comes after the end of all other can be done: the last rows, observables,
/// the text of results.
class memory_reserve {
public:
    /// A list of rows that grows is for a moment there twice.
    explicit memory_reserve(std::size_t rows)
        : kept_(std::make_unique_for_overwrite<char[]>(enough + rows * sizeof(std::vector<double>) * 2)) {
        *static_cast<char volatile*>(kept_.get()) = 0; // else compilers may think that nobody needs it
    }
    void release() { kept_.reset(); }

private:
    static constexpr std::size_t enough = 1U << 20U;
    std::unique_ptr<char[]> kept_;
};

/// Tells that the rows of a solution are not all there.
template <class Solution> void tell_memory_ended(Solution& solved) {
    solved.result = outcome::interrupted;
    solved.message = "memory ran out" + (solved.t.empty() ? "" : " after the row of t = " + show(solved.t.back())) +
                     "; the rows so far are kept: ask for fewer output times, or allow more memory";
}

/// Keeps the rows that are whole. One at which memory ran out may have been begun twice; after it nothing is in place.
template <class Solution> void keep_whole_rows(Solution& solved) {
    std::size_t whole =
        static_cast<std::size_t>(std::adjacent_find(solved.t.begin(), solved.t.end()) - solved.t.begin());
    whole = std::min(whole + 1, solved.t.size());
    auto const limit = [&](auto const& rows) { whole = std::min(whole, rows.size()); };
    auto const cut = [&](auto& rows) { rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(whole), rows.end()); };
    auto const each_list = [&](auto const& act) {
        act(solved.t);
        if constexpr (requires { solved.velocity; }) {
            act(solved.position);
            act(solved.velocity);
        } else {
            act(solved.state);
        }
        for (auto* lambda : {&solved.multipliers, &solved.mean_multipliers})
            if (!lambda->empty()) act(*lambda);
    };
    each_list(limit);
    each_list(cut);
}

/// Runs to the end, or to the end of memory; so many rows are wanted.
template <class Integrator> auto run_within_memory(Integrator& run, std::size_t rows) {
    memory_reserve reserve(rows);
    try {
        return run.run();
    } catch (std::bad_alloc const&) { reserve.release(); }
    auto solved = run.finish();
    keep_whole_rows(solved);
    tell_memory_ended(solved);
    return solved;
}

} // namespace lento::detail
