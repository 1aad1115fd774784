#pragma once

#include <lento/problem/fields.hpp>

namespace lento::detail {

/// A number without a default that is not given.
[[nodiscard]] bool needs_value(field const& each);

/// A number that is infinite where nothing is given, as a bound that is none.
[[nodiscard]] bool is_unlimited(field const& each);

} // namespace lento::detail
