#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <variant>

namespace lento {

/// Something that problem files can name: a row of the table of its kind.
template <class Value> struct row {
    std::string_view name;
    std::string_view sentence;
    Value (*make)(); ///< with its defaults
};

/// A table made from a variant whose alternatives say their `name` and `sentence`: its list is the table.
template <class... Each>
[[nodiscard]] constexpr std::array<row<std::variant<Each...>>, sizeof...(Each)> rows_of(std::variant<Each...> const*) {
    return {{{Each::name, Each::sentence, [] { return std::variant<Each...>(Each{}); }}...}};
}

/// The name of what a variant of named things holds.
template <class... Each> [[nodiscard]] std::string_view held_name(std::variant<Each...> const& value) {
    return std::visit([](auto const& each) { return std::string_view(each.name); }, value);
}

} // namespace lento
