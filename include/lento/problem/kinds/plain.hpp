#pragma once

#include <array>
#include <string_view>

#include <lento/problem/system_key.hpp>

namespace lento {

/// A system as it stands: M x'' = f(x, x', t), or x' = r(x, t).
struct plain_kind {
    static constexpr std::string_view name = "plain";
    static constexpr bool has_slow_state = false;
    /// Reads what [system] says of its own.
    static plain_kind read(detail::system_reader& in, entry const& system);
    static constexpr std::array<system_key, 8> keys{{
        {"kind", key_form::text, true},
        {"coordinates", key_form::names, true},
        {"define", key_form::formulas},
        {"mass", key_form::mass},
        {"force", key_form::formulas, true, "potential"},
        {"potential", key_form::formula},
        {"period", key_form::number},
        {"frequency", key_form::number, false, {}, "period"},
    }};
    static constexpr std::array<system_key, 6> first_order_keys{{
        {"kind", key_form::text, true},
        {"variables", key_form::names, true},
        {"define", key_form::formulas},
        {"rate", key_form::formulas, true},
        {"period", key_form::number},
        {"frequency", key_form::number, false, {}, "period"},
    }};
    double period = 0; ///< of its fast motion, 0: not given
};

} // namespace lento
