#include <lento/problem/fields.hpp>

#include <algorithm>
#include <cmath>

#include "problem/open_fields.hpp"
#include "problem/overloaded.hpp"

namespace lento {
namespace detail {

bool needs_value(field const& each) {
    bool const number = std::holds_alternative<double*>(each.value) || std::holds_alternative<int*>(each.value) ||
                        std::holds_alternative<std::uint64_t*>(each.value);
    return number && !has_value(each) && !is_unlimited(each);
}

bool is_unlimited(field const& each) {
    auto* const* number = std::get_if<double*>(&each.value);
    return number != nullptr && std::isinf(**number);
}

fields together(fields all) {
    auto const given = [&](std::string_view name) {
        return std::any_of(all.begin(), all.end(),
                           [&](field const& each) { return each.name == name && has_value(each); });
    };
    std::vector<std::string_view> idle;
    for (auto const& each : all)
        for (auto const& [one, other] : each.exclusive)
            if (other == each.name && given(one)) idle.push_back(other);
    std::erase_if(all, [&](field const& each) { return std::ranges::find(idle, each.name) != idle.end(); });
    return all;
}

} // namespace detail

namespace {

/// Puts entries of fields into a table.
class table_writer {
public:
    explicit table_writer(std::vector<entry>& to) : to_(to) {}

    void add(field const& each) {
        std::string const key(each.name);
        std::visit(overloaded{[&](fields const& inner) {
                                  if (entry made = write(inner); !made.children.empty()) add(key, std::move(made));
                              },
                              [&](table_or_none const& table) {
                                  if (table.given(table.object)) add(key, write(table.open(table.object)));
                              },
                              [&](choice* chosen) {
                                  if (chosen->chosen().empty()) return;
                                  to_.emplace_back(key, chosen->chosen());
                                  for (auto const& option : detail::together(chosen->options())) add(option);
                              },
                              [&](words const& known) {
                                  if (int const i = known.get(known.object); i >= 0)
                                      to_.emplace_back(key, known.names[static_cast<std::size_t>(i)]);
                              },
                              [&](auto* value) { add_value(key, each.allowed, *value); }},
                   each.value);
    }

private:
    void add(std::string const& key, entry made) {
        made.key = key;
        to_.push_back(std::move(made));
    }
    template <class Value> void add_value(std::string const& key, limits const& allowed, std::optional<Value> value) {
        if (value) add_value(key, allowed, *value);
    }
    void add_value(std::string const& key, limits const&, bool value) { to_.emplace_back(key, value); }
    void add_value(std::string const& key, limits const&, std::string const& value) { to_.emplace_back(key, value); }
    void add_value(std::string const& key, limits const& allowed, double value) {
        if (std::isfinite(value) && allowed.contain(value)) to_.emplace_back(key, value);
    }
    template <std::integral Whole> void add_value(std::string const& key, limits const& allowed, Whole value) {
        if (allowed.contain(static_cast<double>(value))) to_.emplace_back(key, value);
    }
    void add_value(std::string const& key, limits const&, std::vector<double> const& values) {
        std::vector<entry> made;
        for (double const each : values) made.emplace_back(std::string(), each);
        to_.push_back(entry::list(key, std::move(made)));
    }
    void add_value(std::string const& key, limits const& allowed, number_by_name const& values) {
        if (values.each.empty()) return add_value(key, allowed, values.value);
        std::vector<entry> made;
        for (auto const& [name, value] : values.each) made.emplace_back(name, value);
        to_.emplace_back(key, std::move(made));
    }

    std::vector<entry>& to_;
};

} // namespace

entry write(fields const& from) {
    entry made;
    table_writer writer(made.children);
    for (auto const& each : detail::together(from)) writer.add(each);
    return made;
}

bool has_value(field const& each) {
    entry made;
    table_writer(made.children).add(each);
    return !made.children.empty();
}

} // namespace lento
