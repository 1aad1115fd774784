#pragma once

#include <lento/problem/fields.hpp>

namespace lento::detail {

/// A number without a default that is not given.
[[nodiscard]] bool needs_value(field const& each);

/// A number that is infinite where nothing is given, as a bound that is none.
[[nodiscard]] bool is_unlimited(field const& each);

/// The options without those that do not go together with one that has a value.
[[nodiscard]] fields together(fields all);

} // namespace lento::detail
