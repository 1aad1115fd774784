#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <lento/base/printable.hpp>

/// Writing JSON: results are mostly numbers, and a document of millions of them should not be built twice.
namespace lento::detail {

/// The shortest text that reads back as the same number; null for what is not finite.
inline void append_number(std::string& to, double value) {
    if (!std::isfinite(value)) {
        to += "null";
        return;
    }
    std::array<char, 32> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    to.append(digits.data(), end);
}

inline std::string json_numbers(std::vector<double> const& values) {
    std::string made = "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) made += ", ";
        append_number(made, values[i]);
    }
    return made + "]";
}

inline std::string json_rows(std::vector<std::vector<double>> const& rows) {
    std::string made = "[";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0) made += ", ";
        made += json_numbers(rows[i]);
    }
    return made + "]";
}

/// An object whose members come one after the other.
class json_object {
public:
    void add_json(std::string_view name, std::string_view value) {
        text_ += text_.empty() ? "" : ", ";
        text_ += in_quotes(name);
        text_ += ": ";
        text_ += value;
    }
    template <class Value> void add(std::string_view name, Value const& value) {
        if constexpr (std::is_same_v<Value, bool>) {
            add_json(name, value ? "true" : "false");
        } else if constexpr (std::is_integral_v<Value>) {
            add_json(name, std::to_string(value));
        } else if constexpr (std::is_floating_point_v<Value>) {
            std::string number;
            append_number(number, value);
            add_json(name, number);
        } else {
            add_json(name, in_quotes(value));
        }
    }
    /// The members of another object.
    void append(json_object const& more) {
        if (!text_.empty() && !more.text_.empty()) text_ += ", ";
        text_ += more.text_;
    }
    [[nodiscard]] bool empty() const { return text_.empty(); }
    [[nodiscard]] std::string text() const { return "{" + text_ + "}"; }

private:
    std::string text_;
};

} // namespace lento::detail
