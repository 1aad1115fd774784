#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Pieces of what is said about a wrong file.
namespace lento::detail {

/// What misuse says, as a sentence that stands alone.
[[nodiscard]] std::string as_sentence(std::string_view phrase);

/// "a, b, c"
[[nodiscard]] std::string listed(std::vector<std::string> const& names);

/// What is near enough to be meant, as a question after a space; else nothing.
[[nodiscard]] std::string hint(std::string_view given, std::vector<std::string> const& known);

} // namespace lento::detail
