#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// A TOML file as a tree that remembers where everything stands. The only part of Lento that knows the TOML library.
namespace lento::detail {

enum class entry_kind { boolean, integer, real, text, date, list, table };

/// A value of a problem file, with its place.
struct entry {
    std::string key;      ///< its own name; empty for members of lists
    std::string path;     ///< "system.force.q"
    std::string setting;  ///< the --set that made it, or empty: it stands in the file
    std::size_t line = 0; ///< counted from 1
    entry_kind kind = entry_kind::table;
    bool truth = false;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<entry> children; ///< of lists and tables, in the order of the file

    [[nodiscard]] entry const* find(std::string_view name) const;
    [[nodiscard]] bool is_number() const { return kind == entry_kind::integer || kind == entry_kind::real; }
};

/// "a list", "a number", ...
[[nodiscard]] std::string_view description(entry_kind kind);

/// Parses a file's text. Throws problem_error.
[[nodiscard]] entry parse_document(std::string_view text, std::string const& source);

/// Sets a key from "KEY=VALUE": a path with dots, or a parameter's bare name. A value that is not TOML is a string.
void apply_setting(entry& root, std::string const& setting, std::string const& source);

/// Takes an entry out, if it is there.
void remove_entry(entry& root, std::vector<std::string> const& path);

} // namespace lento::detail
