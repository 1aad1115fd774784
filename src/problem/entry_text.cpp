#include <lento/problem/entry.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <lento/base/printable.hpp>

namespace lento {
namespace {

/// Which of the two languages is written. They share numbers and, but for one character, the escapes of texts.
struct language {
    std::string_view is;   ///< between a key and its value
    std::string_view open; ///< around what is inside a table
    std::string_view close;
    bool knows_infinity;
    bool bare_keys;
};
constexpr language json{": ", "{", "}", false, false};
constexpr language toml{" = ", "{ ", " }", true, true};

/// "1e-6" for "1e-06", and "1e5" for "1e+05".
std::string with_short_exponent(std::string const& digits) {
    auto const at = digits.find('e');
    if (at == std::string::npos) return digits;
    auto from = at + 1;
    std::string sign;
    if (digits[from] == '-') sign = "-";
    if (digits[from] == '-' || digits[from] == '+') ++from;
    while (from + 1 < digits.size() && digits[from] == '0') ++from;
    return digits.substr(0, at + 1) + sign + digits.substr(from);
}

/// The shortest text that reads back as the same number. Large ones have an exponent, so that no reader takes them for
/// whole numbers that it cannot hold.
std::string shown(double value, language const& in) {
    if (std::isnan(value)) return in.knows_infinity ? "nan" : "null";
    if (std::isinf(value)) return !in.knows_infinity ? "null" : value < 0 ? "-inf" : "inf";
    if (value == 0) return std::signbit(value) ? "-0.0" : "0";
    constexpr double largest_whole = 1e15;
    std::array<char, 40> room{};
    auto* const end = room.data() + room.size();
    auto const written = std::abs(value) < largest_whole
                             ? std::to_chars(room.data(), end, value)
                             : std::to_chars(room.data(), end, value, std::chars_format::scientific);
    return with_short_exponent({room.data(), written.ptr});
}

bool is_bare(std::string_view key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

std::string assigned(entry const& each, language const& in);

std::string shown(entry const& value, language const& in) {
    switch (value.kind) {
    case entry_kind::boolean: return value.truth ? "true" : "false";
    case entry_kind::integer: return std::to_string(value.integer);
    case entry_kind::real: return shown(value.real, in);
    case entry_kind::text:
    case entry_kind::date: return in_quotes(value.text); // of a date nothing is known but that it is one
    case entry_kind::list: {
        std::string made = "[";
        for (auto const& each : value.children) made += (made.size() > 1 ? ", " : "") + shown(each, in);
        return made + "]";
    }
    case entry_kind::table: break;
    }
    if (value.children.empty()) return "{}";
    std::string made(in.open);
    for (auto const& each : value.children) made += (made.size() > in.open.size() ? ", " : "") + assigned(each, in);
    return made + std::string(in.close);
}

std::string assigned(entry const& each, language const& in) {
    std::string const key = in.bare_keys && is_bare(each.key) ? each.key : in_quotes(each.key);
    return key + std::string(in.is) + shown(each, in);
}

} // namespace

std::string to_json(entry const& value) { return shown(value, json); }
std::string to_inline_toml(entry const& value) { return shown(value, toml); }
std::string to_toml(entry const& table) {
    std::string made;
    for (auto const& each : table.children) made += assigned(each, toml) + "\n";
    return made;
}

} // namespace lento
