#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The one tree between files and options: what TOML and JSON are read into and printed from.
namespace lento {

enum class entry_kind { boolean, integer, real, text, date, list, table };

/// "a list", "a number", ...
[[nodiscard]] std::string_view description(entry_kind kind);

/// A value under its key, with its place where it stands in a file: `entry("step", 0.01)`, `entry("scheme", "verlet")`,
/// `entry("macro", {entry(...), entry(...)})` for a table.
struct entry {
    std::string key;      ///< its own name; empty for members of lists
    std::string path;     ///< "system.force.q"
    std::string setting;  ///< the --set that made it, or empty: it stands in the file
    std::size_t line = 0; ///< counted from 1; 0 where there is no file
    entry_kind kind = entry_kind::table;
    bool truth = false;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<entry> children; ///< of lists and tables, in the order of the file

    entry();
    entry(entry const& other);
    entry(entry&& other) noexcept;
    entry& operator=(entry const& other);
    entry& operator=(entry&& other) noexcept;
    ~entry();
    entry(std::string name, std::same_as<bool> auto value)
        : key(std::move(name)), kind(entry_kind::boolean), truth(value) {}
    entry(std::string name, double value) : key(std::move(name)), kind(entry_kind::real), real(value) {}
    template <std::integral Whole>
        requires(!std::same_as<Whole, bool>)
    entry(std::string name, Whole value)
        : key(std::move(name)), kind(entry_kind::integer), integer(static_cast<std::int64_t>(value)) {}
    entry(std::string name, std::string_view value) : key(std::move(name)), kind(entry_kind::text), text(value) {}
    entry(std::string name, std::string const& value) : entry(std::move(name), std::string_view(value)) {}
    entry(std::string name, char const* value) : entry(std::move(name), std::string_view(value)) {}
    entry(std::string name, std::vector<entry> members) : key(std::move(name)), children(std::move(members)) {}
    /// A list; the keys of its members mean nothing.
    [[nodiscard]] static entry list(std::string name, std::vector<entry> members);

    [[nodiscard]] entry const* find(std::string_view name) const;
    [[nodiscard]] bool is_number() const { return kind == entry_kind::integer || kind == entry_kind::real; }
};

/// Whether two trees hold the same values under the same keys in the same order, wherever they stand. 2 and 2.0 are the
/// same number, and so are two that are none.
[[nodiscard]] bool same_values(entry const& a, entry const& b);

/// The path of a key inside a table: "method" and "macro" make "method.macro".
[[nodiscard]] std::string joined_path(std::string_view path, std::string_view key);
/// The parts of "method.macro.step", `initial."q'"` or `system.mass.x[2]`.
[[nodiscard]] std::vector<std::string> split_path(std::string_view path);

/// A value as JSON, on one line. Numbers that are not finite are null.
[[nodiscard]] std::string to_json(entry const& value);
/// The tree of a JSON text; null is a number that is none. Throws problem_error.
[[nodiscard]] entry from_json(std::string_view text, std::string const& source = {});

/// A value as TOML, on one line: `{ scheme = "verlet", step = 0.0125 }`.
[[nodiscard]] std::string to_inline_toml(entry const& value);
/// A table as the text of a file, a line for every key; tables inside it are inline.
[[nodiscard]] std::string to_toml(entry const& table);

} // namespace lento
