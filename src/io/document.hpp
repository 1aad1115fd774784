#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <lento/problem/entry.hpp>

/// A TOML file as a tree that remembers where everything stands. The only part of Lento that knows the TOML library.
namespace lento::detail {

/// Parses a file's text. Throws problem_error.
[[nodiscard]] entry parse_document(std::string_view text, std::string const& source);

/// Sets a key from "KEY=VALUE": a path with dots, or a parameter's bare name. A value that is not TOML is a string.
void apply_setting(entry& root, std::string const& setting, std::string const& source);

} // namespace lento::detail
