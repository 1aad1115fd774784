#include "problem/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace lento::detail {

void reader::fail(entry const& at, std::string const& sentence) const {
    bool const set = !at.setting.empty();
    throw problem_error(set ? at.setting : source_, set ? 0 : at.line, at.path, sentence);
}

void reader::fail(std::string const& key, std::string const& sentence) const {
    throw problem_error(source_, 0, key, sentence);
}

void reader::fail(entry const& at, expression::formula_error const& error) const {
    entry const* place = &at;
    if (!error.origin.empty()) { // the culprit stands in a definition or a parameter that this formula uses
        auto const* system = root_.find("system");
        for (entry const* table : {root_.find("parameters"), system != nullptr ? system->find("define") : nullptr})
            if (table != nullptr && table->find(error.origin) != nullptr) place = table->find(error.origin);
    }
    bool const set = !place->setting.empty();
    std::string sentence = error.what();
    if (!error.expected.empty()) sentence += " Expected: " + error.expected + ".";
    throw problem_error(set ? place->setting : source_, set ? 0 : place->line, place->path, sentence,
                        error.formula.empty() ? "" : with_caret(error));
}

void reader::allow_only(entry const& table, std::vector<std::string> const& known) const {
    for (auto const& each : table.children)
        if (std::find(known.begin(), known.end(), each.key) == known.end())
            fail(each, "The key \"" + each.key + "\" is not known here." + hint(each.key, known) + " Known are " +
                           listed(known) + ".");
}

void reader::require_known(entry const& at, std::string_view what, std::string const& name,
                           std::vector<std::string> const& known, std::vector<std::string> const& lacking) const {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    std::string const quoted = std::string(what) + " \"" + name + "\"";
    if (std::find(lacking.begin(), lacking.end(), name) != lacking.end())
        fail(at, "This program does not have the " + quoted + ". It has " + listed(known) + ".");
    fail(at, "There is no " + quoted + "." + hint(name, known) + " Known are " + listed(known) + ".");
}

entry const& reader::table(entry const& at) const {
    if (at.kind != entry_kind::table)
        fail(at, "A table of keys is expected here, but this is " + std::string(description(at.kind)) + ".");
    return at;
}

entry const& reader::list(entry const& at) const {
    if (at.kind != entry_kind::list)
        fail(at, "A list is expected here, but this is " + std::string(description(at.kind)) + ".");
    return at;
}

std::string const& reader::text(entry const& at) const {
    if (at.kind != entry_kind::text)
        fail(at, "A text in quotes is expected here, but this is " + std::string(description(at.kind)) + ".");
    return at.text;
}

bool reader::truth(entry const& at) const {
    if (at.kind != entry_kind::boolean)
        fail(at, "true or false is expected here, but this is " + std::string(description(at.kind)) + ".");
    return at.truth;
}

double reader::number(entry const& at) {
    if (at.kind == entry_kind::integer) return static_cast<double>(at.integer);
    if (at.kind == entry_kind::real) {
        if (!std::isfinite(at.real)) fail(at, "A finite number is expected here, but this is " + show(at.real) + ".");
        return at.real;
    }
    if (at.kind == entry_kind::text) return guarded(at, [&] { return static_cast<double>(book_->number(at.text)); });
    fail(at, "A number, or a formula of the parameters, is expected here, but this is " +
                 std::string(description(at.kind)) + ".");
}

double reader::positive(entry const& at) {
    double const value = number(at);
    if (!(value > 0)) fail(at, "This must be positive, but it is " + show(value) + ".");
    return value;
}

std::int64_t reader::whole(entry const& at) {
    double const value = number(at);
    constexpr double largest = 9e15;
    if (value != std::floor(value) || std::abs(value) > largest)
        fail(at, "A whole number is expected here, but this is " + show(value) + ".");
    return static_cast<std::int64_t>(value);
}

std::string reader::formula(entry const& at) const {
    if (at.kind == entry_kind::text) return at.text;
    if (at.kind == entry_kind::integer) return std::to_string(at.integer);
    if (at.kind == entry_kind::real) {
        if (!std::isfinite(at.real)) fail(at, "A finite number is expected here, but this is " + show(at.real) + ".");
        std::array<char, 32> shown{}; // not by printf, which would write a comma where the locale has one
        auto* const end = shown.data() + shown.size();
        return {shown.data(), std::to_chars(shown.data(), end, at.real, std::chars_format::general, 17).ptr};
    }
    fail(at, "A formula is expected here, but this is " + std::string(description(at.kind)) + ".");
}

} // namespace lento::detail
