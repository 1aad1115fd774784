#pragma once

#include <array>
#include <string_view>

#include <lento/expression/formula.hpp>
#include <lento/problem/system_key.hpp>

namespace lento {

/// M x'' = f - grad V, V a stiff potential of any form: a stiff system whose fast modes are those of the Hessian of V.
struct stiff_potential_kind {
    static constexpr std::string_view name = "stiff";
    static constexpr bool has_slow_state = true;
    /// What a method that is for hard springs only would need.
    static constexpr std::string_view lacks =
        "it needs the springs one by one, as functions g, and a stiff potential does not say them";
    /// Whether [system] is one: it shares its name with hard springs.
    static bool reads(entry const& system);
    /// Reads what [system] says of its own.
    static stiff_potential_kind read(detail::system_reader& in, entry const& system);
    static constexpr std::array<system_key, 7> keys{{
        {"kind", key_form::text, true},
        {"coordinates", key_form::names, true},
        {"define", key_form::formulas},
        {"mass", key_form::mass},
        {"force", key_form::formulas},
        {"potential", key_form::formula},
        {"stiff_potential", key_form::formula, true},
    }};
    expression::formula slow_force{};   ///< f
    expression::formula fast_force{};   ///< -grad V
    expression::formula pull{};         ///< grad V
    expression::formula loaded_force{}; ///< f - grad V, and after it grad V
    expression::formula pull_rate{};    ///< how grad V changes along a motion
    expression::formula bend{};         ///< V'' d, d the direction
    expression::formula turn{};         ///< grad(d^T V'' d)
};

} // namespace lento
