#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <vector>

/// What the benchmarks share: clocks and medians.
namespace bench {

[[nodiscard]] inline double median(std::vector<double> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Processor seconds that `times` calls take. Time in which other programs had the processor does not count.
template <class Work> [[nodiscard]] double seconds(int times, Work&& work) {
    std::clock_t const began = std::clock();
    for (int i = 0; i < times; ++i) work();
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

/// How many calls fill about that many seconds.
template <class Work> [[nodiscard]] int calls_filling(double wanted, Work&& work) {
    int calls = 1;
    for (;; calls *= 2) {
        double const taken = seconds(calls, work);
        if (taken > wanted / 8) return std::max(1, static_cast<int>(calls * wanted / taken));
    }
}

} // namespace bench
