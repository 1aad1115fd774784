#include <lento/problem/fields.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "problem/open_fields.hpp"
#include "problem/overloaded.hpp"

namespace lento {
namespace {

using entries = std::vector<entry>;

entry any_of(entries cases) { return entry({}, {entry::list("anyOf", std::move(cases))}); }
entry type(char const* name) { return entry({}, {entry("type", name)}); }

/// A number, or a formula of the parameters.
entries number_rules(limits const& allowed, char const* kind) {
    entry number = type(kind);
    if (std::isfinite(allowed.lowest))
        number.children.emplace_back(allowed.open ? "exclusiveMinimum" : "minimum", allowed.lowest);
    if (std::isfinite(allowed.highest)) number.children.emplace_back("maximum", allowed.highest);
    return {std::move(number), type("string")};
}

entry rule_for(field const& each) {
    auto const number = [&] { return any_of(number_rules(each.allowed, "number")); };
    auto const whole = [&] { return any_of(number_rules(each.allowed, "integer")); };
    auto const flag = [] { return type("boolean"); };
    auto const text = [] { return type("string"); };
    return std::visit(
        overloaded{[](fields const& inner) { return schema(inner); },
                   [](table_or_none const& table) {
                       auto defaults = table.defaults();
                       entry told = schema(defaults.all());
                       if (!table.says_something) return any_of({type("boolean"), std::move(told)});
                       told.children.emplace_back("minProperties", 1);
                       return any_of({entry({}, {entry("const", false)}), std::move(told)});
                   },
                   [](choice*) { return entry(); }, // its rows are whole tables
                   [](words const& known) {
                       entries names;
                       for (int i = 0; i < static_cast<int>(known.names.size()); ++i)
                           if (known.lacking == nullptr || !known.lacking(i))
                               names.emplace_back(std::string(), known.names[static_cast<std::size_t>(i)]);
                       return entry({}, {entry::list("enum", std::move(names))});
                   },
                   [&](double*) { return number(); }, [&](std::optional<double>*) { return number(); },
                   [&](int*) { return whole(); }, [&](std::optional<int>*) { return whole(); },
                   [&](std::uint64_t*) { return whole(); }, [&](std::optional<std::uint64_t>*) { return whole(); },
                   [&](bool*) { return flag(); }, [&](std::optional<bool>*) { return flag(); },
                   [&](std::string*) { return text(); }, [&](std::optional<std::string>*) { return text(); },
                   [&](std::vector<double>*) {
                       entry members = number();
                       members.key = "items";
                       return entry({}, {entry("type", "array"), std::move(members)});
                   },
                   [&](number_by_name*) {
                       entry members = number();
                       members.key = "additionalProperties";
                       entries cases = number_rules(each.allowed, "number");
                       cases.push_back(entry({}, {entry("type", "object"), std::move(members)}));
                       return any_of(std::move(cases));
                   }},
        each.value);
}

/// A table with a choice is one of several whole tables: without the name, or with a row's name and its own options. So
/// keys of other rows are found.
class table_rules {
public:
    [[nodiscard]] static entry of(fields const& all) {
        table_rules made;
        made.add(all, 0, {}, {});
        return made.cases_.size() == 1 ? std::move(made.cases_.front()) : any_of(std::move(made.cases_));
    }

private:
    void add(fields const& all, std::size_t at, entries properties, entries required) {
        for (; at < all.size(); ++at) {
            auto const& each = all[at];
            if (auto* const* chosen = std::get_if<choice*>(&each.value))
                return add_rows(all, at, **chosen, properties, required);
            if (detail::needs_value(each) || has_needed(each)) required.emplace_back(std::string(), each.name);
            properties.push_back(property(each));
        }
        entry made({}, {entry("type", "object"), entry("additionalProperties", false)});
        if (auto pairs = pairs_of(all); !pairs.empty()) made.children.push_back(entry::list("allOf", std::move(pairs)));
        made.children.emplace_back("properties", std::move(properties));
        if (!required.empty()) made.children.push_back(entry::list("required", std::move(required)));
        cases_.push_back(std::move(made));
    }
    /// A table that lacks a number which must be given.
    [[nodiscard]] static bool has_needed(field const& each) {
        auto const* inner = std::get_if<fields>(&each.value);
        return inner != nullptr && std::any_of(inner->begin(), inner->end(), detail::needs_value);
    }
    void add_rows(fields const& all, std::size_t at, choice& chosen, entries const& properties,
                  entries const& required) {
        auto const with = [&](fields const& more) {
            fields longer = all;
            longer.insert(longer.end(), more.begin(), more.end());
            return longer;
        };
        std::string const key(all[at].name);
        auto usual = chosen.chosen().empty() ? chosen.usual() : std::nullopt;
        add(with(usual ? usual->all() : chosen.options()), at + 1, properties, required);
        for (auto const& row : chosen.rows()) {
            auto defaults = chosen.defaults(row.name);
            entries known = properties;
            known.emplace_back(key, entries{entry("const", row.name), entry("description", row.sentence)});
            entries named = required;
            named.emplace_back(std::string(), key);
            add(with(defaults.all()), at + 1, std::move(known), std::move(named));
        }
    }
    /// Options that do not go together.
    [[nodiscard]] static entries pairs_of(fields const& all) {
        entries made;
        for (auto const& each : all)
            for (auto const& [one, other] : each.exclusive) {
                if (other != each.name) continue;
                entry both = entry::list("required", {entry({}, one), entry({}, other)});
                made.push_back(entry({}, {entry("not", std::vector<entry>{std::move(both)})}));
            }
        return made;
    }
    [[nodiscard]] static entry property(field const& each) {
        entry made = rule_for(each);
        made.key = each.name;
        made.children.emplace_back("description", std::string(each.sentence) +
                                                      (each.unit.empty() ? "" : " (" + std::string(each.unit) + ")"));
        bool const table =
            std::holds_alternative<fields>(each.value) || std::holds_alternative<table_or_none>(each.value);
        if (table || !has_value(each)) return made;
        entry usual = write({each}).children.front();
        usual.key = "default";
        made.children.push_back(std::move(usual));
        return made;
    }

    entries cases_;
};

} // namespace

entry schema(fields const& all) { return table_rules::of(all); }

} // namespace lento
