#pragma once

#include <limits>
#include <string_view>
#include <tuple>

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

/// Calls visit(name, value, sentence) for every option of a method.
template <class Method, class Visit> void for_each_option(Method const& method, Visit&& visit) {
    std::apply([&](auto const&... each) { (visit(each.name, method.*(each.member), each.sentence), ...); },
               Method::options());
}

} // namespace lento
