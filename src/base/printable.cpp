#include <lento/base/printable.hpp>

#include <array>
#include <cstdio>

namespace lento {
namespace {

constexpr text_character no_character(unsigned char byte) { return {byte, 1, false}; }

std::string shown(text_character const& what) {
    std::array<char, 16> made{};
    constexpr char32_t last_of_latin = 0xFF;
    std::snprintf(made.data(), made.size(), what.code <= last_of_latin ? "\\x%02X" : "\\u%04X",
                  static_cast<unsigned>(what.code));
    return made.data();
}

std::string escaped(std::string_view text, std::string_view kept) {
    std::string made;
    while (!text.empty()) {
        auto const first = first_character(text);
        bool const harmless = first.is_sound && (!is_command(first.code) || kept.find(text[0]) != kept.npos);
        if (harmless) made += text.substr(0, first.bytes);
        else made += shown(first);
        text.remove_prefix(first.bytes);
    }
    return made;
}

} // namespace

text_character first_character(std::string_view text) {
    auto const byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    auto const lead = byte(0);
    if (lead < 0x80) return {lead, 1, true};
    std::size_t const length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return no_character(lead);
    char32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) return no_character(lead);
        code = code << 6U | (byte(i) & 0x3FU);
    }
    static constexpr std::array<char32_t, 5> first_of_length{0, 0, 0x80, 0x800, 0x10000};
    bool const surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < first_of_length[length] || code > 0x10FFFF || surrogate) return no_character(lead);
    return {code, length, true};
}

bool is_command(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0)                                // control characters, both sets
           || code == 0x61C || code == 0x200E || code == 0x200F                        // marks of direction
           || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) // separators and overrides
           || code == 0xFEFF;
}

std::string printable(std::string_view text) { return escaped(text, "\n\t"); }
std::string printable_line(std::string_view text) { return escaped(text, ""); }

std::string in_quotes(std::string_view text) {
    std::string made = "\"";
    while (!text.empty()) {
        auto const first = first_character(text);
        if (!first.is_sound || is_command(first.code)) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x",
                          first.is_sound ? static_cast<unsigned>(first.code) : 0xFFFDU);
            made += escape.data();
        } else {
            if (first.code == '"' || first.code == '\\') made += '\\';
            made += text.substr(0, first.bytes);
        }
        text.remove_prefix(first.bytes);
    }
    return made + '"';
}

} // namespace lento
