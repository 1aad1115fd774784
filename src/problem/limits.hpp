#pragma once

#include <string>

#include <lento/problem/fields.hpp>

namespace lento::detail {

/// "positive", "between 0 and 7", ...; empty where everything is allowed.
[[nodiscard]] std::string phrase(limits const& allowed);

/// A number without a default that is not given.
[[nodiscard]] bool needs_value(field const& each);

/// A number that is infinite where nothing is given, as a bound that is none.
[[nodiscard]] bool is_unlimited(field const& each);

} // namespace lento::detail
