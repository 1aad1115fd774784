#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace lento {

/// Which values of a number make sense.
struct limits {
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
    bool open = false; ///< the lowest itself makes no sense

    [[nodiscard]] constexpr bool contain(double value) const {
        return (open ? value > lowest : value >= lowest) && value <= highest;
    }
};
/// Above 0.
inline constexpr limits positive{0, std::numeric_limits<double>::infinity(), true};
/// 0 or above.
inline constexpr limits not_negative{0, std::numeric_limits<double>::infinity(), false};
[[nodiscard]] constexpr limits at_least(double lowest) {
    return {lowest, std::numeric_limits<double>::infinity(), false};
}
[[nodiscard]] constexpr limits between(double lowest, double highest) { return {lowest, highest, false}; }

/// "positive", "between 0 and 7", ...; empty where everything is allowed.
[[nodiscard]] std::string description(limits const& allowed);

/// One option of a method: its name in problem files and reports, the member that holds it, a sentence, and for numbers
/// which values make sense and what they are measured in. Every options struct lists its options once, as
/// `static constexpr auto options()`; files, tables and help are made from that list.
template <class Struct, class Member> struct option {
    std::string_view name;
    Member Struct::* member;
    std::string_view sentence;
    limits allowed{};
    std::string_view unit{};
};
template <class Struct, class Member> option(std::string_view, Member Struct::*, std::string_view, limits = {},
                                             std::string_view = {}) -> option<Struct, Member>;

/// The option of a method with equal steps; it has no default.
template <class Struct> [[nodiscard]] constexpr auto step_option(double Struct::* step) {
    return option{"step", step, "the length of every step", positive, "time"};
}

/// Whether sums of the state are compensated.
template <class Struct> [[nodiscard]] constexpr auto compensated_option(bool Struct::* compensated) {
    return option{"compensated", compensated, "adds in the next step what rounding loses of the state in one"};
}

/// Calls visit(name, value, sentence) for every option of a method.
template <class Method, class Visit> void for_each_option(Method const& method, Visit&& visit) {
    std::apply([&](auto const&... each) { (visit(each.name, method.*(each.member), each.sentence), ...); },
               Method::options());
}

/// Throws misuse where a number is none of those that make sense.
void require_allowed(std::string_view name, std::string_view sentence, double value, limits const& allowed);
/// The same for every option of a method.
template <class Method> void require_allowed(Method const& method) {
    auto const one = [&](auto const& each) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(method.*(each.member))>>)
            require_allowed(each.name, each.sentence, static_cast<double>(method.*(each.member)), each.allowed);
    };
    std::apply([&](auto const&... each) { (one(each), ...); }, Method::options());
}

} // namespace lento
