#include <lento/problem/fields.hpp>

#include <algorithm>

#include "problem/open_fields.hpp"
#include "problem/overloaded.hpp"

namespace lento {
namespace {

struct line {
    std::string name; ///< with its indentation and default
    std::string sentence;
};

class lister {
public:
    void add(fields const& all, std::size_t indent) {
        for (auto const& each : all) add(each, indent);
    }
    [[nodiscard]] std::string text() const {
        constexpr std::size_t widest = 40; // a longer name pushes its own sentence only
        std::size_t width = 0;
        for (auto const& each : lines_) width = std::max(width, std::min(each.name.size(), widest));
        std::string made;
        for (auto const& each : lines_) {
            std::string const gap(std::max(width, each.name.size()) - each.name.size() + 2, ' ');
            made += each.name + gap + each.sentence + "\n";
        }
        return made;
    }

private:
    static constexpr std::size_t deeper = 2;

    void add(field const& each, std::size_t indent) {
        std::string const sentence(each.sentence);
        std::visit(overloaded{[&](fields const& inner) {
                                  say(indent, std::string(each.name), sentence);
                                  add(inner, indent + deeper);
                              },
                              [&](table_or_none const& table) {
                                  bool const given = table.given(table.object);
                                  say(indent, std::string(each.name) + (given ? "" : ": none"), sentence);
                                  auto defaults = table.defaults();
                                  add(given ? table.open(table.object) : defaults.all(), indent + deeper);
                              },
                              [&](choice* chosen) {
                                  say(indent, with_default(each), sentence);
                                  for (auto const& row : chosen->rows()) add(*chosen, row, indent + deeper);
                              },
                              [&](auto const&) { say(indent, with_default(each), sentence + remark(each)); }},
                   each.value);
    }
    /// A row of a choice: what is chosen shows what it is set to, the others show their defaults.
    void add(choice& among, named_row const& row, std::size_t indent) {
        say(indent, std::string(row.name), std::string(row.sentence));
        auto defaults = among.defaults(row.name);
        add(row.name == among.chosen() ? among.options() : defaults.all(), indent + deeper);
    }
    void say(std::size_t indent, std::string const& name, std::string sentence) {
        lines_.push_back({std::string(indent, ' ') + name, std::move(sentence)});
    }
    [[nodiscard]] static std::string with_default(field const& each) {
        std::string const name(each.name);
        if (entry const value = write({each}); !value.children.empty())
            return name + " = " + to_inline_toml(value.children.front());
        if (detail::is_unlimited(each)) return name + ": none";
        return name + (detail::needs_value(each) ? ": needed" : ": chosen");
    }
    /// Which values there are, and in which unit.
    [[nodiscard]] static std::string remark(field const& each) {
        std::string made;
        auto const append = [&](std::string_view more) {
            if (!more.empty()) made += (made.empty() ? "" : "; ") + std::string(more);
        };
        if (auto const* known = std::get_if<words>(&each.value)) {
            std::string names;
            for (auto const name : known->names) names += (names.empty() ? "" : ", ") + std::string(name);
            append(names);
        }
        append(description(each.allowed));
        append(each.unit);
        return made.empty() ? made : " (" + made + ")";
    }

    std::vector<line> lines_;
};

} // namespace

std::string list(fields const& all, int indent) {
    lister made;
    made.add(all, static_cast<std::size_t>(std::max(indent, 0)));
    return made.text();
}

} // namespace lento
