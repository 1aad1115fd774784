#include <lento/problem/fields.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "problem/open_fields.hpp"
#include "problem/overloaded.hpp"
#include "problem/sentences.hpp"

#include <lento/base/misuse.hpp>
#include <lento/expression/error.hpp>
#include <lento/expression/formula_reader.hpp>
#include <lento/problem/problem_error.hpp>

namespace lento {
namespace {

using detail::hint;
using detail::listed;

/// A value of a tree with its path; those that trees have begin where they were made.
struct placed {
    entry const& value;
    std::string path;

    [[nodiscard]] placed member(entry const& each) const { return {each, joined_path(path, each.key)}; }
};

/// A key of a table, whose option it is ("scheme verlet", or empty for the table's own), and what a choice chooses.
struct known_key {
    field described;
    std::string owner{};
    std::string what{};
};

/// What a choice is of: a scheme, a kernel. One that is called name is of what its table is called: a method.
std::string chosen_kind(std::string_view key, std::string const& path_of_table) {
    if (key != "name" || path_of_table.empty()) return std::string(key);
    return split_path(path_of_table).back();
}

class table_reader {
public:
    table_reader(number_reader const& formula, std::string const& source) : formula_(formula), source_(source) {}

    void read(placed const& table, fields const& into, bool complete) const {
        if (table.value.kind != entry_kind::table) refuse(table, "A table of keys");
        auto const known = known_keys(table, into);
        refuse_pairs(table, known);
        for (auto const& each : table.value.children) {
            auto const given = table.member(each);
            auto const found = std::find_if(known.begin(), known.end(),
                                            [&](auto const& key) { return key.described.name == each.key; });
            if (found == known.end()) refuse_key(given, known);
            put(given, found->described, complete);
        }
        if (!complete) return;
        for (auto const& key : known)
            if (detail::needs_value(key.described))
                fail(table, "The " + (key.owner.empty() ? "table" : key.owner) + " needs " +
                                std::string(key.described.name) + ": " + std::string(key.described.sentence) + ".");
    }

private:
    [[noreturn]] void fail(placed const& at, std::string const& sentence, std::string const& formula = {}) const {
        bool const set = !at.value.setting.empty();
        throw problem_error(set ? at.value.setting : source_, set ? 0 : at.value.line, at.path, sentence, formula);
    }
    [[noreturn]] void refuse(placed const& at, std::string const& expected) const {
        fail(at, expected + " is expected here, but this is " + std::string(description(at.value.kind)) + ".");
    }

    // ---- keys ----

    /// All keys that may stand in a table. A choice comes first: what else there may be depends on it.
    [[nodiscard]] std::vector<known_key> known_keys(placed const& table, fields const& own) const {
        std::vector<known_key> known;
        for (auto const& each : own) known.push_back({each});
        for (std::size_t i = 0; i < known.size(); ++i) {
            auto* const* found = std::get_if<choice*>(&known[i].described.value);
            if (found == nullptr) continue;
            choice& chosen = **found;
            std::string const what = chosen_kind(known[i].described.name, table.path);
            known[i].what = what;
            if (auto const* given = table.value.find(known[i].described.name))
                choose(table.member(*given), what, chosen);
            else if (chosen.chosen().empty() && gives_usual_options(table, chosen)) chosen.choose_usual();
            for (auto const& each : chosen.options())
                known.push_back({each, what + " " + std::string(chosen.chosen())});
        }
        return known;
    }
    /// Whether options stand there that without a name belong to the usual row.
    [[nodiscard]] static bool gives_usual_options(placed const& table, choice const& chosen) {
        auto usual = chosen.usual();
        if (!usual) return false;
        auto const all = usual->all();
        return std::any_of(all.begin(), all.end(),
                           [&](auto const& each) { return table.value.find(each.name) != nullptr; });
    }
    /// Of two options that do not go together one may be given.
    void refuse_pairs(placed const& table, std::vector<known_key> const& known) const {
        for (auto const& each : known)
            for (auto const& [one, other] : each.described.exclusive) {
                if (other != each.described.name) continue;
                auto const* given = table.value.find(other);
                if (given == nullptr || table.value.find(one) == nullptr) continue;
                fail(table.member(*given),
                     "Give " + std::string(one) + " or " + std::string(other) + ", but not both.");
            }
    }
    void choose(placed const& given, std::string const& what, choice& chosen) const {
        std::vector<std::string> names;
        for (auto const& row : chosen.rows()) names.emplace_back(row.name);
        auto const& wanted = text(given);
        if (std::find(names.begin(), names.end(), wanted) == names.end()) {
            auto const elsewhere = chosen.elsewhere();
            if (std::find(elsewhere.begin(), elsewhere.end(), wanted) != elsewhere.end())
                fail(given,
                     "The " + what + " \"" + wanted + "\" cannot be used here. Known are " + listed(names) + ".");
            refuse_name(given, what, names);
        }
        chosen.choose(wanted);
    }
    [[noreturn]] void refuse_name(placed const& given, std::string_view what,
                                  std::vector<std::string> const& names) const {
        fail(given, "There is no " + std::string(what) + " \"" + given.value.text + "\"." +
                        hint(given.value.text, names) + " Known are " + listed(names) + ".");
    }
    [[noreturn]] void refuse_key(placed const& given, std::vector<known_key> const& known) const {
        std::string const& key = given.value.key;
        std::vector<std::string> names;
        std::string others;
        for (auto const& each : known) {
            names.emplace_back(each.described.name);
            auto* const* found = std::get_if<choice*>(&each.described.value);
            if (found == nullptr) continue;
            auto const having = rows_with(**found, key);
            if (having.empty()) continue;
            if ((*found)->chosen().empty())
                fail(given, "The key \"" + key + "\" belongs to a " + each.what + ": give its name too, as in " +
                                names.back() + " = \"" + having.front() + "\".");
            others += " It belongs to the " + each.what + (having.size() > 1 ? "s " : " ") + listed(having) + ".";
        }
        fail(given, "The key \"" + key + "\" is not known here." + (others.empty() ? hint(key, names) : "") +
                        " Known are " + listed(names) + "." + others);
    }
    /// The rows that have an option of this name, those first that need it.
    [[nodiscard]] static std::vector<std::string> rows_with(choice const& chosen, std::string_view key) {
        std::vector<std::string> needing;
        std::vector<std::string> others;
        for (auto const& row : chosen.rows()) {
            auto defaults = chosen.defaults(row.name);
            for (auto const& each : defaults.all())
                if (each.name == key) (detail::needs_value(each) ? needing : others).emplace_back(row.name);
        }
        needing.insert(needing.end(), others.begin(), others.end());
        return needing;
    }

    // ---- values ----

    void put(placed const& given, field const& into, bool complete) const {
        std::visit(overloaded{[&](fields const& inner) { read(given, inner, complete); },
                              [&](table_or_none const& table) { put_table(given, table, complete); },
                              [](choice*) {}, // it is taken already
                              [&](words const& known) { put_word(given, into, known); },
                              [&](auto* value) { put_value(given, into, *value); }},
                   into.value);
    }
    template <class Value> void put_value(placed const& given, field const& into, std::optional<Value>& value) const {
        Value made{};
        put_value(given, into, made);
        value = std::move(made);
    }
    void put_value(placed const& given, field const&, bool& value) const {
        if (given.value.kind != entry_kind::boolean) refuse(given, "true or false");
        value = given.value.truth;
    }
    void put_value(placed const& given, field const&, std::string& value) const { value = text(given); }
    void put_value(placed const& given, field const& into, double& value) const { value = number(given, into); }
    void put_value(placed const& given, field const& into, int& value) const { value = whole<int>(given, into); }
    void put_value(placed const& given, field const& into, std::uint64_t& value) const {
        value = whole<std::uint64_t>(given, into);
    }
    void put_value(placed const& given, field const& into, std::vector<double>& values) const {
        if (given.value.kind != entry_kind::list) refuse(given, "A list of numbers");
        values.clear();
        for (auto const& each : given.value.children)
            values.push_back(number({each, given.path + "[" + std::to_string(values.size() + 1) + "]"}, into));
    }
    void put_value(placed const& given, field const& into, number_by_name& values) const {
        values.each.clear();
        if (given.value.kind != entry_kind::table) values.value = number(given, into);
        else
            for (auto const& each : given.value.children)
                values.each.emplace_back(each.key, number(given.member(each), into));
    }
    void put_table(placed const& given, table_or_none const& table, bool complete) const {
        bool const told = given.value.kind == entry_kind::boolean;
        if (told && !given.value.truth) return table.leave_out(table.object);
        auto const inner = table.open(table.object);
        if (table.says_something && given.value.children.empty()) {
            std::vector<std::string> names;
            for (auto const& each : inner) names.emplace_back(each.name);
            fail(given, "This says nothing yet: give one of " + listed(names) + ".");
        }
        if (!told) return read(given, inner, complete);
        entry all_defaults = given.value;
        all_defaults.kind = entry_kind::table;
        read({all_defaults, given.path}, inner, complete);
    }
    void put_word(placed const& given, field const& into, words const& known) const {
        auto const& wanted = text(given);
        std::vector<std::string> there;
        bool lacking = false;
        for (int i = 0; i < static_cast<int>(known.names.size()); ++i) {
            std::string_view const name = known.names[static_cast<std::size_t>(i)];
            bool const missing = known.lacking != nullptr && known.lacking(i);
            if (name == wanted && !missing) return known.set(known.object, i);
            if (missing) lacking = lacking || name == wanted;
            else there.emplace_back(name);
        }
        if (lacking)
            fail(given, "This program does not have the " + std::string(into.name) + " \"" + wanted + "\". It has " +
                            listed(there) + ".");
        refuse_name(given, into.name, there);
    }

    [[nodiscard]] std::string const& text(placed const& given) const {
        if (given.value.kind != entry_kind::text) refuse(given, "A text in quotes");
        return given.value.text;
    }
    [[nodiscard]] double number(placed const& given, field const& into) const {
        double const value = any_number(given);
        if (!std::isfinite(value)) fail(given, "A finite number is expected here, but this is " + show(value) + ".");
        if (!into.allowed.contain(value))
            fail(given,
                 std::string(into.name) + " must be " + description(into.allowed) + ", but it is " + show(value) + ".");
        return value;
    }
    template <class Whole> [[nodiscard]] Whole whole(placed const& given, field const& into) const {
        double const value = number(given, into);
        if (value != std::floor(value))
            fail(given, "A whole number is expected here, but this is " + show(value) + ".");
        using bounds = std::numeric_limits<Whole>;
        constexpr std::int64_t exact = std::int64_t(1) << 53; // beyond it doubles are whole numbers with gaps
        constexpr auto most = std::cmp_less(exact, bounds::max()) ? exact : static_cast<std::int64_t>(bounds::max());
        constexpr auto least = std::cmp_greater(-exact, bounds::lowest()) ? -exact : std::int64_t(bounds::lowest());
        std::string const name(into.name);
        if (value > static_cast<double>(most))
            fail(given, name + " must be at most " + std::to_string(most) + ", but it is " + show(value) + ".");
        if (value < static_cast<double>(least))
            fail(given, name + " must be at least " + std::to_string(least) + ", but it is " + show(value) + ".");
        return static_cast<Whole>(value);
    }
    [[nodiscard]] double any_number(placed const& given) const {
        if (given.value.kind == entry_kind::integer) return static_cast<double>(given.value.integer);
        if (given.value.kind == entry_kind::real) return given.value.real;
        if (given.value.kind != entry_kind::text) refuse(given, "A number, or a formula of the parameters,");
        try {
            if (formula_) return formula_(given.value.text);
            return static_cast<double>(expression::formula_reader().number(given.value.text));
        } catch (expression::formula_error const& error) {
            std::string sentence = error.what();
            if (!error.expected.empty()) sentence += " Expected: " + error.expected + ".";
            fail(given, sentence, error.formula.empty() ? "" : with_caret(error));
        } catch (misuse const& error) { fail(given, detail::as_sentence(error.what())); }
    }

    number_reader const& formula_;
    std::string const& source_;
};

} // namespace

void read(entry const& table, fields const& into, number_reader const& formula, std::string const& source) {
    table_reader(formula, source).read({table, table.path}, into, true);
}

void set(fields const& into, std::string_view path, entry value, number_reader const& formula,
         std::string const& source) {
    auto const parts = split_path(path);
    for (std::size_t i = parts.size(); i-- > 0;) {
        value.key = parts[i];
        std::vector<entry> alone;
        alone.push_back(std::move(value));
        value = entry({}, std::move(alone));
    }
    table_reader(formula, source).read({value, {}}, into, false);
}

} // namespace lento
