#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <lento/expression/formula.hpp>
#include <lento/problem/system_key.hpp>

namespace lento {

/// x' = fast(x)/epsilon + slow(x, t)
struct split_kind {
    static constexpr std::string_view name = "split";
    static constexpr bool has_slow_state = true;
    /// Reads what [system] says of its own.
    static split_kind read(detail::system_reader& in, entry const& system);
    static constexpr std::array<system_key, 7> keys{{
        {"kind", key_form::text, true},
        {"variables", key_form::names, true},
        {"define", key_form::formulas},
        {"epsilon", key_form::number, true},
        {"fast", key_form::formulas, true},
        {"slow", key_form::formulas},
        {"period", key_form::number},
    }};
    double epsilon = 0;
    double period = 0; ///< of the fast motion, as a time; 0: not given
    expression::formula fast{};
    expression::formula slow{};
    std::vector<std::vector<long double>> fast_matrix{}; ///< by rows, where the fast part is linear
};

} // namespace lento
