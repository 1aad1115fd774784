#pragma once

#include <vector>

namespace lento::detail {

/// The angular frequencies that stand out in samples taken every `step`, strongest first, at most `most` of them.
/// Signals are rows of equal length, one row per time; what turns less than three times is trend, not oscillation.
[[nodiscard]] std::vector<double> strongest_frequencies(std::vector<std::vector<double>> const& rows, double step,
                                                        std::size_t most);

} // namespace lento::detail
