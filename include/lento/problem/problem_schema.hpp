#pragma once

#include <lento/problem/entry.hpp>

namespace lento {

/// What a problem file may hold, as a JSON schema (draft 2020-12): made from the kinds' keys and the methods' options.
[[nodiscard]] entry problem_schema();

} // namespace lento
