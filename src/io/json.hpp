#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/printable.hpp>

/// Writing JSON: results are mostly numbers, and a document of millions of them should not be in memory beside them.
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

/// A text that is handed on in pieces.
class pieces {
public:
    explicit pieces(std::function<void(std::string_view)> to) : to_(std::move(to)) { text.reserve(2 * enough); }
    /// Whatever was added.
    std::string text;
    /// Hands on what there is, if it is worth it.
    void pass() {
        if (text.size() >= enough) pass_all();
    }
    void pass_all() {
        to_(text);
        text.clear();
    }

private:
    static constexpr std::size_t enough = 1U << 16U;
    std::function<void(std::string_view)> to_;
};

inline void add(pieces& to, std::vector<double> const& values) {
    to.text += "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) to.text += ", ";
        append_number(to.text, values[i]);
        to.pass();
    }
    to.text += "]";
}

inline void add(pieces& to, std::vector<std::vector<double>> const& rows) {
    to.text += "[";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0) to.text += ", ";
        add(to, rows[i]);
    }
    to.text += "]";
}

/// An object whose members come one after the other.
class json_object {
public:
    void add_json(std::string_view name, std::string_view value) {
        text_ += text_.empty() && !begun_ ? "" : ", ";
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
    /// The members so far and one more, which may be long. What comes after it belongs to the same object.
    template <class Value> void pass(pieces& to, std::string_view name, Value const& value) {
        add_json(name, "");
        pass_members(to);
        if constexpr (std::is_invocable_v<Value const&>) value();
        else detail::add(to, value);
    }
    /// The members so far that have not been handed on, and the end of the object.
    void finish(pieces& to) {
        pass_members(to);
        to.text += "}";
        begun_ = false;
    }
    /// The members of another object.
    void append(json_object const& more) {
        if (!text_.empty() && !more.text_.empty()) text_ += ", ";
        text_ += more.text_;
    }
    [[nodiscard]] bool empty() const { return text_.empty(); }
    [[nodiscard]] std::string text() const { return "{" + text_ + "}"; }

private:
    void pass_members(pieces& to) {
        to.text += begun_ ? "" : "{";
        to.text += text_;
        text_.clear();
        begun_ = true;
    }

    std::string text_;
    bool begun_ = false; ///< the beginning was handed on
};

} // namespace lento::detail
