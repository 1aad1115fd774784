#pragma once

#include <string_view>
#include <vector>

namespace lento::app {

/// The known name with the fewest typing errors to the given one.
[[nodiscard]] std::string_view nearest(std::string_view given, std::vector<std::string_view> const& known);

} // namespace lento::app
