#pragma once

#include <span>
#include <string_view>

#include <lento/problem/any_stepper.hpp>
#include <lento/problem/choice.hpp>

namespace lento {

/// A scheme that problem files can name.
struct scheme_row {
    std::string_view name;
    std::string_view sentence;
    int order;
    any_stepper (*make)(); ///< with its defaults
    bool built = true;     ///< false: it belongs to a code that this program was built without
};

[[nodiscard]] std::span<scheme_row const> schemes();
/// The scheme of that name, with its defaults. Throws misuse where there is none.
[[nodiscard]] any_stepper make_scheme(std::string_view name);

/// A scheme by its name, its options beside it.
using scheme_choice = choice_of<schemes>;
extern template class choice_of<schemes>;

} // namespace lento
