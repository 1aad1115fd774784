#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lento {

/// A character of a text in UTF-8.
struct text_character {
    char32_t code = 0;     ///< of a byte that is part of none: the byte
    std::size_t bytes = 1; ///< how many it takes
    bool is_sound = true;  ///< false for a byte that is part of none
};
/// The first character of a text that is not empty.
[[nodiscard]] text_character first_character(std::string_view text);

/// Whether a terminal takes a character for a command, or lets it turn the direction of what is written.
[[nodiscard]] bool is_command(char32_t code);

/// The same text, harmless on any terminal: commands are shown as \x1B or \u202E, bytes that are no UTF-8 as \xFF. Line
/// breaks and tabs stay as they are only in texts of several lines.
[[nodiscard]] std::string printable(std::string_view text);
[[nodiscard]] std::string printable_line(std::string_view text);

/// The same text between quotes, with the escapes of JSON, which are TOML's too; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string in_quotes(std::string_view text);

} // namespace lento
