#pragma once

#include <span>
#include <string_view>

namespace lento {

struct entry;
namespace detail {
class system_reader;
}

/// What may stand under a key of [system].
enum class key_form { text, number, numbers, truth, names, formula, formulas, mass, functions, springs };

/// A key of [system]: every kind lists its own, once, for reading and for the schema.
struct system_key {
    std::string_view name;
    key_form form;
    bool required = false;
    std::string_view unless{};   ///< it is, unless there is this other key
    std::string_view not_with{}; ///< both at once are refused
};
using system_keys = std::span<system_key const>;

} // namespace lento
