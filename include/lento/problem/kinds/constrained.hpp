#pragma once

#include <array>
#include <string_view>

#include <lento/problem/function_formulas.hpp>
#include <lento/problem/system_key.hpp>

namespace lento {

/// M x'' = f - g'^T lambda, g = 0.
struct constrained_kind {
    static constexpr std::string_view name = "constrained";
    static constexpr bool has_slow_state = false;
    /// Reads what [system] says of its own.
    static constrained_kind read(detail::system_reader& in, entry const& system);
    static constexpr std::array<system_key, 7> keys{{
        {"kind", key_form::text, true},
        {"coordinates", key_form::names, true},
        {"define", key_form::formulas},
        {"mass", key_form::mass},
        {"force", key_form::formulas, true, "potential"},
        {"potential", key_form::formula},
        {"constraints", key_form::functions, true},
    }};
    function_formulas constraints{};
};

} // namespace lento
