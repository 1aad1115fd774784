#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <lento/base/option.hpp>
#include <lento/problem/entry.hpp>

/// Options that say what they are, once. A struct lists its members in `options()`; `fields_of` turns that list into
/// plain data, and reading, writing, listing and the schema are ordinary functions over the data, compiled once.
///
/// What an option is follows from the type of its member:
///
/// | member | in a file |
/// |---|---|
/// | `double`, `int`, `std::uint64_t` | a number or a formula of the parameters; without a default where its value is
/// none of those allowed | | `bool`, `std::string` | true or false; a text | | an enumeration from 0 with
/// `names_of(E)`, an array of words | one of the words | | `std::optional` of these | the same; left out: the method
/// chooses | | `std::vector<double>`, `number_by_name` | a list of numbers; a number, or a table of them | | a struct
/// with `options()` | a table | | `std::optional` of such a struct | a table that may be left out; `true` stands for
/// one with all defaults | | a `choice` | a row by its name; the row's own options stand beside the name in the same
/// table |
///
/// Two options of which one is meant are named as a pair in a member `exclusive`: reading refuses both at once, the
/// schema too, and where the first has a value the second is not written. A struct that says nothing where it is
/// empty has a member `says_something`.
namespace lento {

struct field;
/// All options of an object, in the order of its list. They point into the object, which must outlive them.
using fields = std::vector<field>;

/// A struct that lists its options.
template <class Options>
concept lists_options = requires { Options::options(); };
template <lists_options Options> [[nodiscard]] fields fields_of(Options& object);
/// Those of what a variant holds.
template <lists_options... Each> [[nodiscard]] fields fields_of(std::variant<Each...>& object);

/// Any object with fields as a value of its own, its type known to whoever made it: the options of a row.
class described {
public:
    template <class Object>
        requires(!std::same_as<std::remove_cvref_t<Object>, described>)
    explicit described(Object object) : held_(std::make_unique<held<Object>>(std::move(object))) {}
    described(described const& other) : held_(other.held_->clone()) {}
    described(described&&) noexcept = default;
    described& operator=(described other) noexcept { return std::swap(held_, other.held_), *this; }
    ~described() = default;

    /// They stay good when this is moved, and end with it.
    [[nodiscard]] fields all();
    /// The object; only for the type it was made with.
    template <class Object> [[nodiscard]] Object& as() { return static_cast<held<Object>&>(*held_).object; }
    template <class Object> [[nodiscard]] Object const& as() const {
        return static_cast<held<Object> const&>(*held_).object;
    }

private:
    struct interface {
        virtual ~interface() = default;
        [[nodiscard]] virtual std::unique_ptr<interface> clone() const = 0;
        [[nodiscard]] virtual fields all() = 0;
    };
    template <class Object> struct held final : interface {
        Object object;
        explicit held(Object given) : object(std::move(given)) {}
        [[nodiscard]] std::unique_ptr<interface> clone() const override { return std::make_unique<held>(object); }
        [[nodiscard]] fields all() override;
    };
    std::unique_ptr<interface> held_;
};

/// What every table of rows has: schemes, kernels, methods.
struct named_row {
    std::string_view name;
    std::string_view sentence;
};

/// One row of a table by its name. `choice_of` makes one from rows.
class choice {
public:
    virtual ~choice() = default;
    [[nodiscard]] virtual std::vector<named_row> rows() const = 0;
    /// The name of what is chosen; empty where that is left to the method.
    [[nodiscard]] virtual std::string_view chosen() const = 0;
    /// Takes one of the rows, with its defaults.
    virtual void choose(std::string_view name) = 0;
    /// The options of what is chosen.
    [[nodiscard]] virtual fields options() = 0;
    /// What options belong to that stand in the table without a name; none where that is refused.
    [[nodiscard]] virtual std::optional<described> usual() const { return {}; }
    virtual void choose_usual() {}
    /// A row's defaults, on their own.
    [[nodiscard]] virtual described defaults(std::string_view name) const = 0;
    /// Names that make sense elsewhere, but not here.
    [[nodiscard]] virtual std::vector<std::string_view> elsewhere() const { return {}; }

protected:
    choice() = default;
    choice(choice const&) = default;
    choice(choice&&) = default;
    choice& operator=(choice const&) = default;
    choice& operator=(choice&&) = default;
};

/// An enumeration by its words. Words for which `lacks(E)` holds, where there is such a function, belong to Lento but
/// not to this program.
struct words {
    std::span<std::string_view const> names;
    void* object;
    int (*get)(void const* object); ///< -1: left to the method
    void (*set)(void* object, int value);
    bool (*lacking)(int value);
};

/// A table that may be left out.
struct table_or_none {
    void* object;
    bool (*given)(void const* object);
    fields (*open)(void* object); ///< makes it where it is not there
    void (*leave_out)(void* object);
    described (*defaults)();
    bool says_something; ///< one that is empty is refused
};

/// One number for everything, or one for each name and `value` for the rest.
struct number_by_name {
    double value = 0;
    std::vector<std::pair<std::string, double>> each{};
};

/// Two options of one object that do not go together.
using exclusive_pair = std::array<std::string_view, 2>;

/// What is said of an option.
struct field_words {
    std::string_view name;
    std::string_view sentence;
    limits allowed;
    std::string_view unit;
    std::span<exclusive_pair const> exclusive{}; ///< those of the whole object
};

/// One option of one object.
struct field : field_words {
    using place =
        std::variant<double*, int*, std::uint64_t*, bool*, std::string*, std::optional<double>*, std::optional<int>*,
                     std::optional<std::uint64_t>*, std::optional<bool>*, std::optional<std::string>*,
                     std::vector<double>*, number_by_name*, words, choice*, table_or_none, fields>;
    place value;

    // out of line: who lists options need not know how to copy all that they may be
    field(field_words const& about, place where);
    field(field const& other);
    field(field&& other) noexcept;
    field& operator=(field const& other);
    field& operator=(field&& other) noexcept;
    ~field();
};

/// What a formula of the parameters is worth. It may throw expression::formula_error, misuse or problem_error.
using number_reader = std::function<double(std::string_view formula)>;

/// Reads a table into an object's options; what it does not name stays. Without a reader of numbers, formulas have no
/// parameters. Throws problem_error with the place (the table's own path, where it has one, begins it) and, for unknown
/// keys and names, the nearest one.
void read(entry const& table, fields const& into, number_reader const& formula = {}, std::string const& source = {});
/// Sets one option by its path, as in `set(all, "macro.step", entry("", 0.01))`.
void set(fields const& into, std::string_view path, entry value, number_reader const& formula = {},
         std::string const& source = {});
/// What an object holds, as the table that reads back; what is left open is left out.
[[nodiscard]] entry write(fields const& from);
/// Every option with its default and its sentence, choices with all their rows; indented by so many columns.
[[nodiscard]] std::string list(fields const& all, int indent = 0);
/// The tables that `read` takes, as a JSON schema (draft 2020-12).
[[nodiscard]] entry schema(fields const& all);
/// False for what is left open, and for a number without a default that is not given.
[[nodiscard]] bool has_value(field const& each);

namespace detail {

template <class E>
concept has_words = std::is_enum_v<E> && requires { names_of(E{}); };
template <has_words E> inline constexpr auto words_of = names_of(E{});
template <class Member> inline constexpr bool is_optional = false;
template <class Value> inline constexpr bool is_optional<std::optional<Value>> = true;

template <has_words E> [[nodiscard]] words words_in(void* object, int (*get)(void const*), void (*set)(void*, int)) {
    bool (*lacking)(int) = nullptr;
    if constexpr (requires { lacks(E{}); }) lacking = [](int value) { return lacks(static_cast<E>(value)); };
    return {words_of<E>, object, get, set, lacking};
}
template <has_words E> [[nodiscard]] words place_of(E& member) {
    return words_in<E>(
        &member, [](void const* object) { return static_cast<int>(*static_cast<E const*>(object)); },
        [](void* object, int value) { *static_cast<E*>(object) = static_cast<E>(value); });
}
template <has_words E> [[nodiscard]] words place_of(std::optional<E>& member) {
    using held = std::optional<E>;
    return words_in<E>(
        &member,
        [](void const* object) {
            auto const& value = *static_cast<held const*>(object);
            return value ? static_cast<int>(*value) : -1;
        },
        [](void* object, int value) { *static_cast<held*>(object) = static_cast<E>(value); });
}
template <lists_options Table> [[nodiscard]] fields place_of(Table& member) { return fields_of(member); }
template <lists_options Table> [[nodiscard]] table_or_none place_of(std::optional<Table>& member) {
    using held = std::optional<Table>;
    return {&member, [](void const* object) { return static_cast<held const*>(object)->has_value(); },
            [](void* object) {
                auto& table = *static_cast<held*>(object);
                if (!table) table.emplace();
                return fields_of(*table);
            },
            [](void* object) { static_cast<held*>(object)->reset(); }, [] { return described(Table{}); },
            requires {Table::says_something;
}
}; // namespace detail
} // namespace lento
template <class Member> [[nodiscard]] auto place_of(Member& member) {
    if constexpr (std::is_base_of_v<choice, Member>) return static_cast<choice*>(&member);
    else return &member;
}

template <class Options> [[nodiscard]] constexpr std::span<exclusive_pair const> exclusive_of() {
    if constexpr (requires { Options::exclusive; }) return Options::exclusive;
    else return {};
}

/// Where is an alternative of field::place.
template <class Where> void add_field(fields& all, field_words const& about, Where where);

} // namespace detail

template <lists_options Options> fields fields_of(Options& object) {
    fields made;
    std::apply(
        [&](auto const&... each) {
            (detail::add_field(made,
                               {each.name, each.sentence, each.allowed, each.unit, detail::exclusive_of<Options>()},
                               detail::place_of(object.*(each.member))),
             ...);
        },
        Options::options());
    return made;
}

template <lists_options... Each> fields fields_of(std::variant<Each...>& object) {
    return std::visit([](auto& each) { return fields_of(each); }, object);
}

inline fields described::all() { return held_->all(); }
template <class Object> fields described::held<Object>::all() { return fields_of(object); }

} // namespace lento
