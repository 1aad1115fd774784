#include "app/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace lento::app {
namespace {

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            std::size_t const replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
        }
    }
    return row.back();
}

} // namespace

std::string_view nearest(std::string_view given, std::vector<std::string_view> const& known) {
    auto const closer = [given](std::string_view a, std::string_view b) {
        return distance(given, a) < distance(given, b);
    };
    auto const found = std::min_element(known.begin(), known.end(), closer);
    return found == known.end() ? std::string_view{} : *found;
}

} // namespace lento::app
