#pragma once

#include <string_view>

#include <lento/problem/function_formulas.hpp>

namespace lento {

/// M x'' = f - g'^T lambda, g = 0.
struct constrained_kind {
    static constexpr std::string_view name = "constrained";
    static constexpr bool has_slow_state = false;
    function_formulas constraints{};
};

} // namespace lento
