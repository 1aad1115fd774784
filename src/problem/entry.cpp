#include <lento/problem/entry.hpp>

#include <algorithm>
#include <cmath>

namespace lento {

std::string_view description(entry_kind kind) {
    switch (kind) {
    case entry_kind::boolean: return "true or false";
    case entry_kind::integer:
    case entry_kind::real: return "a number";
    case entry_kind::text: return "a text";
    case entry_kind::date: return "a date or time";
    case entry_kind::list: return "a list";
    case entry_kind::table: return "a table";
    }
    return "something else";
}

entry::entry() = default;
entry::entry(entry const& other) = default;
entry::entry(entry&& other) noexcept = default;
entry& entry::operator=(entry const& other) = default;
entry& entry::operator=(entry&& other) noexcept = default;
entry::~entry() = default;

entry entry::list(std::string name, std::vector<entry> members) {
    entry made(std::move(name), std::move(members));
    made.kind = entry_kind::list;
    for (auto& each : made.children) each.key.clear();
    return made;
}

entry const* entry::find(std::string_view name) const {
    auto const found =
        std::find_if(children.begin(), children.end(), [&](entry const& each) { return each.key == name; });
    return found == children.end() ? nullptr : &*found;
}

bool same_values(entry const& a, entry const& b) {
    if (a.key != b.key) return false;
    if (a.kind == entry_kind::integer && b.kind == entry_kind::integer) return a.integer == b.integer;
    if (a.is_number() && b.is_number()) {
        auto const value = [](entry const& each) {
            return each.kind == entry_kind::integer ? static_cast<double>(each.integer) : each.real;
        };
        return value(a) == value(b) || (std::isnan(value(a)) && std::isnan(value(b)));
    }
    return a.kind == b.kind && a.truth == b.truth && a.text == b.text &&
           std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(), same_values);
}

std::string joined_path(std::string_view path, std::string_view key) {
    return path.empty() ? std::string(key) : std::string(path) + "." + std::string(key);
}

std::vector<std::string> split_path(std::string_view path) {
    std::vector<std::string> parts(1);
    bool quoted = false;
    for (char const c : path) {
        if (c == '"') quoted = !quoted;
        else if (quoted) parts.back() += c;
        else if (c == '.') parts.emplace_back();
        else if (c != ' ') parts.back() += c;
    }
    return parts;
}

} // namespace lento
