#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <lento/problem/function_formulas.hpp>
#include <lento/problem/system_key.hpp>

namespace lento {

/// M x'' = f - sum_j omega_j^2 g_j grad g_j: hard springs.
struct stiff_kind {
    static constexpr std::string_view name = "stiff";
    static constexpr bool has_slow_state = true;
    /// Whether [system] is one: it shares its name with stiff potentials.
    static bool reads(entry const& system);
    /// Reads what [system] says of its own.
    static stiff_kind read(detail::system_reader& in, entry const& system);
    static constexpr std::array<system_key, 7> keys{{
        {"kind", key_form::text, true},
        {"coordinates", key_form::names, true},
        {"define", key_form::formulas},
        {"mass", key_form::mass},
        {"force", key_form::formulas},
        {"potential", key_form::formula},
        {"stiff", key_form::springs, true},
    }};
    function_formulas springs{};
    std::vector<double> omegas{};
    expression::formula slow_force{};   ///< f
    expression::formula fast_force{};   ///< the springs' alone
    expression::formula loaded_force{}; ///< f with the springs, and after it their loads omega^2 g
    expression::formula pulled_force{}; ///< f with springs that pull with given loads, the direction
};

} // namespace lento
