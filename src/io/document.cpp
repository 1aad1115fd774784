#include "io/document.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/problem/problem_error.hpp>

// The library asserts, and with clang lets the optimiser assume, that a table's name begins as names do before it looks
// whether this one does: `[^]` must be refused in every build, not end the program. So here its assertions do nothing.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace lento::detail {
namespace {

/// The first byte that is not UTF-8, or npos.
std::size_t first_invalid_byte(std::string_view text) {
    auto const continues = [&](std::size_t at, unsigned char low, unsigned char high) {
        if (at >= text.size()) return false;
        auto const byte = static_cast<unsigned char>(text[at]);
        return byte >= low && byte <= high;
    };
    for (std::size_t i = 0; i < text.size();) {
        auto const lead = static_cast<unsigned char>(text[i]);
        std::size_t extra = 0;
        unsigned char low = 0x80;
        unsigned char high = 0xBF;
        if (lead < 0x80) extra = 0;
        else if (lead >= 0xC2 && lead <= 0xDF) extra = 1;
        else if (lead >= 0xE0 && lead <= 0xEF) extra = 2;
        else if (lead >= 0xF0 && lead <= 0xF4) extra = 3;
        else return i;
        // overlong forms, surrogates and what lies beyond Unicode
        if (lead == 0xE0) low = 0xA0;
        if (lead == 0xED) high = 0x9F;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;
        for (std::size_t k = 1; k <= extra; ++k) {
            if (!continues(i + k, low, high)) return i;
            low = 0x80;
            high = 0xBF;
        }
        i += extra + 1;
    }
    return std::string_view::npos;
}

std::size_t line_of(std::string_view text, std::size_t at) {
    return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Where the string ends that begins at a quote, of one line or three quotes and many.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    char const quote = text[at];
    bool const many_lines = text.substr(at, 3) == std::string(3, quote);
    for (at += many_lines ? 3 : 1; at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') ++at;
        else if (text[at] == '\n' && !many_lines) return at;
        else if (text[at] == quote && (!many_lines || text.substr(at, 3) == std::string(3, quote)))
            return at + (many_lines ? 3 : 1);
    }
    return text.size();
}

/// Looks for what no problem file has, and what would cost whoever reads it: the library makes a table inside a table
/// of each part of a key, without a limit, and takes them apart again by as many calls inside each other; and every
/// value remembers the whole way to it. Where it is no TOML at all the library tells better, and soon.
class outline {
public:
    explicit outline(std::string_view text) : text_(text) {}

    /// The line where it is too deep or a key too long; 0 for a sound text.
    std::size_t first_excess() {
        for (std::size_t at = 0; at < text_.size();) {
            char const c = text_[at];
            if (c == '#') {
                at = std::min(text_.find('\n', at), text_.size());
                continue;
            }
            bool const quote = c == '"' || c == '\'';
            if (!quote) take(c, at);
            if (c != ' ' && c != '\t' && c != '\n') line_is_blank_ = false;
            if (above_.parts + now_.parts > most_parts || above_.length + now_.length > most_bytes)
                return line_of(text_, at);
            at = quote ? end_of_string(text_, at) : at + 1;
        }
        return 0;
    }

private:
    static constexpr std::size_t most_parts = 256; // as many as the library allows lists and tables inside each other
    static constexpr std::size_t most_bytes = 1000;
    struct way {
        std::size_t parts = 0;
        std::size_t length = 0;
        bool has_key = false; ///< after the "=", where points belong to numbers
    };

    void take(char c, std::size_t at) {
        if (c == '[' || c == '{') open(at, c == '[' && outside_.empty() && line_is_blank_);
        else if (c == ']' || c == '}') close(at);
        else if (c == '\n' && outside_.empty()) begin_line(at);
        else if (c == ',' && !outside_.empty()) begin(at);
        else if (c == '=' && !now_.has_key) now_ = {now_.parts, at - begin_, true};
        else if (c == '.' && !now_.has_key) ++now_.parts;
    }
    void open(std::size_t at, bool header) {
        in_header_ = in_header_ || header;
        outside_.push_back({above_, now_});
        above_ = {above_.parts + now_.parts + 1, above_.length + now_.length};
        begin(at);
    }
    void close(std::size_t at) {
        if (outside_.empty()) return;
        std::tie(above_, now_) = outside_.back();
        outside_.pop_back();
        if (in_header_) now_.length = at - begin_;
    }
    void begin_line(std::size_t at) {
        begin(at);
        line_is_blank_ = true;
        in_header_ = false;
    }
    void begin(std::size_t at) {
        begin_ = at + 1;
        now_ = {};
    }

    std::string_view text_;
    std::vector<std::pair<way, way>> outside_; ///< of each bracket that is open, the way to what is around it
    way above_;                                ///< to the table or list where this is
    way now_;                                  ///< of the key, or of the value that has none
    std::size_t begin_ = 0;                    ///< of that
    bool line_is_blank_ = true;
    bool in_header_ = false; ///< the name of a table
};

constexpr char const* too_deep =
    "A key is longer than 1000 bytes, or tables, lists and the parts of keys are more than "
    "256 deep inside each other: nothing in a problem file is.";

entry converted(toml::node const& node, std::string key, std::string path) {
    entry made;
    made.key = std::move(key);
    made.path = std::move(path);
    made.line = node.source().begin.line;
    if (auto const* table = node.as_table()) {
        made.kind = entry_kind::table;
        // the library sorts keys by name; people expect columns in the order they wrote
        std::vector<std::pair<toml::source_position, entry>> members;
        for (auto const& [name, value] : *table) {
            auto const where = name.source().begin;
            members.emplace_back(where, converted(value, std::string(name.str()), joined_path(made.path, name.str())));
            if (where.line > 0) members.back().second.line = where.line;
        }
        std::stable_sort(members.begin(), members.end(),
                         [](auto const& a, auto const& b) { return a.first < b.first; });
        for (auto& each : members) made.children.push_back(std::move(each.second));
    } else if (auto const* array = node.as_array()) {
        made.kind = entry_kind::list;
        for (auto const& value : *array) {
            std::string const number = "[" + std::to_string(made.children.size() + 1) + "]";
            made.children.push_back(converted(value, {}, made.path + number));
        }
    } else if (auto const* truth = node.as_boolean()) {
        made.kind = entry_kind::boolean;
        made.truth = truth->get();
    } else if (auto const* integer = node.as_integer()) {
        made.kind = entry_kind::integer;
        made.integer = integer->get();
    } else if (auto const* real = node.as_floating_point()) {
        made.kind = entry_kind::real;
        made.real = real->get();
    } else if (auto const* text = node.as_string()) {
        made.kind = entry_kind::text;
        made.text = text->get();
    } else {
        made.kind = entry_kind::date;
    }
    return made;
}

void mark(entry& made, std::string const& setting, std::string const& key, std::string const& path) {
    made.key = key;
    made.path = path;
    made.setting = setting;
    made.line = 0;
    std::size_t number = 0;
    for (auto& child : made.children) {
        ++number;
        bool const in_list = made.kind == entry_kind::list;
        mark(child, setting, std::string(child.key),
             in_list ? path + "[" + std::to_string(number) + "]" : joined_path(path, child.key));
    }
}

entry parse_value(std::string const& text) {
    entry made;
    try {
        auto const table = toml::parse("value = " + text + "\n");
        if (table.size() == 1)
            if (auto const* node = table.get("value"); node != nullptr && !node->is_date() && !node->is_date_time())
                return converted(*node, {}, {});
    } catch (toml::parse_error const&) { // a bare word or a formula
        made.text.clear();
    }
    made.kind = entry_kind::text;
    made.text = text;
    return made;
}

} // namespace

entry parse_document(std::string_view text, std::string const& source) {
    auto const invalid = first_invalid_byte(text);
    if (invalid != std::string_view::npos)
        throw problem_error(source, line_of(text, invalid), {},
                            "The file is not a text in UTF-8: byte " + std::to_string(invalid + 1) +
                                " does not belong to any character. Save it as UTF-8.");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw problem_error(source, 0, {},
                            "The file is empty. A problem needs at least [system], [initial] and [time].");
    if (auto const line = outline(text).first_excess(); line > 0) throw problem_error(source, line, {}, too_deep);
    try {
        return converted(toml::parse(text), {}, {});
    } catch (toml::parse_error const& error) {
        throw problem_error(source, error.source().begin.line, {},
                            "This is not TOML: " + std::string(error.description()) + ".");
    }
}

void apply_setting(entry& root, std::string const& setting, std::string const& source) {
    std::string const shown = "--set " + setting;
    auto const equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
        throw problem_error(shown, 0, {},
                            "A setting has the form KEY=VALUE, as in omega=1e8 or method.macro.step=0.01.");
    if (outline(setting).first_excess() > 0) throw problem_error("--set", 0, {}, too_deep);
    auto parts = split_path(std::string_view(setting).substr(0, equals));
    if (std::any_of(parts.begin(), parts.end(), [](auto const& part) { return part.empty(); }))
        throw problem_error(shown, 0, {}, "The key before \"=\" has an empty part.");
    auto value = parse_value(setting.substr(equals + 1));
    // a bare name is a parameter's, unless a whole table is given
    if (parts.size() == 1 && parts[0] != "title" && value.kind != entry_kind::table)
        parts.insert(parts.begin(), "parameters");
    if (parts.size() == 2 && parts[0] == "parameters") {
        auto const* parameters = root.find("parameters");
        if (parameters == nullptr || parameters->find(parts[1]) == nullptr) {
            std::string known;
            if (parameters != nullptr)
                for (auto const& each : parameters->children) known += (known.empty() ? "" : ", ") + each.key;
            throw problem_error(shown, 0, {},
                                "There is no parameter " + parts[1] + " in " + source + ". " +
                                    (known.empty() ? "It has none." : "It has " + known + "."));
        }
    }
    entry* at = &root;
    std::string path;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (at->kind != entry_kind::table)
            throw problem_error(shown, 0, {}, path + " is " + std::string(description(at->kind)) + " and has no keys.");
        path = joined_path(path, parts[i]);
        auto const found = std::find_if(at->children.begin(), at->children.end(),
                                        [&](entry const& each) { return each.key == parts[i]; });
        bool const last = i + 1 == parts.size();
        if (found == at->children.end()) {
            entry made;
            mark(made, shown, parts[i], path);
            at->children.push_back(std::move(made));
            at = &at->children.back();
        } else {
            at = &*found;
        }
        if (last) {
            mark(value, shown, parts[i], path);
            *at = std::move(value);
        }
    }
}

} // namespace lento::detail
