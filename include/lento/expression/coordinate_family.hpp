#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lento::expression {

/// A coordinate, or a family of them with consecutive slots.
struct coordinate_family {
    std::string name;
    bool indexed = false;
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::size_t first_slot = 0;
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(upper - lower + 1); }
};

} // namespace lento::expression
