#include <lento/problem/problem_schema.hpp>

#include <utility>
#include <vector>

#include <lento/problem/fields.hpp>
#include <lento/problem/method.hpp>
#include <lento/problem/problem.hpp>

namespace lento {
namespace {

using entries = std::vector<entry>;

entry named(std::string key, entry rule) {
    rule.key = std::move(key);
    return rule;
}
entry any_of(entries rules) { return entry({}, {entry::list("anyOf", std::move(rules))}); }
entry type(char const* name) { return entry({}, {entry("type", name)}); }
entry only(std::string_view word) { return entry({}, {entry("const", word)}); }
entry number() { return any_of({type("number"), type("string")}); } // or a formula of the parameters
/// A number with a bound.
entry bounded(char const* rule, double bound) {
    return any_of({entry({}, {entry("type", "number"), entry(rule, bound)}), type("string")});
}
entry above(double bound) { return bounded("exclusiveMinimum", bound); }
entry at_least_one(entry list) {
    list.children.emplace_back("minItems", 1);
    return list;
}
entry list_of(entry rule) { return entry({}, {entry("type", "array"), named("items", std::move(rule))}); }
/// A table with names of the user's choice.
entry by_name(entry rule) {
    return entry({}, {entry("type", "object"), named("additionalProperties", std::move(rule))});
}
/// A table with these keys and no others.
entry table(entries properties, entries required = {}) {
    return entry({}, {entry("type", "object"), entry("properties", std::move(properties)),
                      entry::list("required", std::move(required)), entry("additionalProperties", false)});
}

entry rule_for(key_form form) {
    switch (form) {
    case key_form::text: return type("string");
    case key_form::number:
    case key_form::formula: return number();
    case key_form::numbers: return list_of(number());
    case key_form::truth: return type("boolean");
    case key_form::names: return at_least_one(list_of(type("string")));
    case key_form::formulas: return by_name(number());
    case key_form::mass: return any_of({number(), list_of(any_of({number(), list_of(number())})), by_name(number())});
    case key_form::functions: {
        auto with_range = table({named("g", type("string")), named("for", type("string"))}, {entry({}, "g")});
        return list_of(any_of({type("string"), std::move(with_range)}));
    }
    case key_form::springs: {
        auto spring = table({named("g", type("string")), named("omega", above(0)), named("for", type("string"))},
                            {entry({}, "g"), entry({}, "omega")});
        return at_least_one(list_of(std::move(spring)));
    }
    }
    return {};
}

entry system_of(std::string_view kind, system_keys keys) {
    entries properties;
    entries required;
    entries rules;
    auto const needs = [](std::string_view name) { return entry({}, {entry::list("required", {entry({}, name)})}); };
    for (auto const& each : keys) {
        std::string const name(each.name);
        properties.push_back(name == "kind" ? named(name, only(kind)) : named(name, rule_for(each.form)));
        if (!each.unless.empty()) rules.push_back(any_of({needs(each.name), needs(each.unless)}));
        else if (each.required) required.emplace_back("", each.name);
        if (each.not_with.empty()) continue;
        entry both = entry::list("required", {entry({}, each.name), entry({}, each.not_with)});
        rules.push_back(entry({}, {entry("not", entries{std::move(both)})}));
    }
    entry made = table(std::move(properties), std::move(required));
    if (!rules.empty()) made.children.push_back(entry::list("allOf", std::move(rules)));
    return made;
}

template <class... Kinds> entries systems(std::variant<Kinds...> const*) {
    entries all;
    (all.push_back(system_of(Kinds::name, Kinds::keys)), ...);
    all.push_back(system_of(plain_kind::name, plain_kind::first_order_keys));
    return all;
}

/// The settings of a method with its name, or, where `auto` may be told them, without.
entry settings_of(method_row const& row, bool with_name) {
    auto options = row.options();
    entry made = schema(options.all());
    for (auto& each : made.children) {
        if (each.key == "properties")
            each.children.insert(each.children.begin(), named("name", only(with_name ? row.name : "auto")));
        if (each.key == "required" && with_name) each.children.insert(each.children.begin(), entry({}, "name"));
    }
    if (with_name && made.find("required") == nullptr)
        made.children.push_back(entry::list("required", {entry({}, "name")}));
    return made;
}

/// What `auto` may be told of any method.
entry only_shared(entry settings) {
    for (auto& each : settings.children)
        if (each.key == "properties")
            std::erase_if(each.children, [](entry const& one) {
                return one.key != "name" && one.key != "macro" && one.key != "engine";
            });
    return settings;
}

entry method_rule() {
    entries all;
    for (auto const& row : methods()) {
        all.push_back(settings_of(row, true));
        auto options = row.options();
        // what every method has, without a name
        if (row.settings_for_auto) all.push_back(settings_of(row, false));
        else if (all.size() == 1) all.push_back(only_shared(settings_of(row, false)));
    }
    return any_of(std::move(all));
}

} // namespace

entry problem_schema() {
    entry const time = table({named("start", number()), named("end", number()),
                              named("output", any_of({entry({}, {entry("type", "integer"), entry("minimum", 1)}),
                                                      type("string"), at_least_one(list_of(number()))})),
                              named("report", any_of({only("slow"), only("full")}))},
                             {entry({}, "end")});
    entry initial = by_name(number());
    initial.children.emplace_back(
        "properties", entries{named("state", any_of({only("true"), only("slow"), entry({}, {entry("const", true)})})),
                              named("project", any_of({type("boolean"), only("slow-manifold")}))});
    entry made =
        table({named("title", type("string")), named("parameters", by_name(number())),
               named("system", any_of(systems(static_cast<any_kind const*>(nullptr)))),
               named("initial", std::move(initial)), named("time", time), named("observe", by_name(number())),
               named("accuracy", table({named("rtol", bounded("minimum", 0)), named("atol", bounded("minimum", 0)),
                                        named("estimate", type("boolean"))})),
               named("method", method_rule())},
              {entry({}, "system"), entry({}, "initial"), entry({}, "time")});
    made.children.insert(made.children.begin(), {entry("$schema", "https://json-schema.org/draft/2020-12/schema"),
                                                 entry("title", "A problem file of Lento")});
    return made;
}

} // namespace lento
