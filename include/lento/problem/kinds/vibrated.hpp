#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <lento/problem/function_formulas.hpp>
#include <lento/problem/system_key.hpp>

namespace lento {

/// M x'' = f(x, x', theta, t), theta_j = frequency_j t + phase_j, and perhaps constraints.
struct vibrated_kind {
    static constexpr std::string_view name = "vibrated";
    static constexpr bool has_slow_state = true;
    /// Reads what [system] says of its own.
    static vibrated_kind read(detail::system_reader& in, entry const& system);
    static constexpr std::array<system_key, 13> keys{{
        {"kind", key_form::text, true},
        {"coordinates", key_form::names, true},
        {"define", key_form::formulas},
        {"mass", key_form::mass},
        {"force", key_form::formulas, true, "potential"},
        {"potential", key_form::formula},
        {"frequency", key_form::number, true, "frequencies"},
        {"frequencies", key_form::numbers, false, {}, "frequency"},
        {"phase", key_form::number},
        {"phases", key_form::numbers, false, {}, "phase"},
        {"even", key_form::truth},
        {"slow_velocity", key_form::formulas},
        {"constraints", key_form::functions},
    }};
    std::vector<double> frequencies{};
    std::vector<double> phases{};
    expression::formula slow_velocity{}; ///< of a physical state, or none
    function_formulas constraints{};
    bool even = false; ///< in theta: claimed, and checked when a file is read
};

} // namespace lento
