#pragma once

#include <string_view>
#include <tuple>

namespace lento {

/// One option of a method: its name in problem files and reports, the member that holds it, a sentence. Every options
/// struct lists its options once, as `static constexpr auto options()`; files, tables and help are made from that list.
template <class Struct, class Member> struct option {
    std::string_view name;
    Member Struct::* member;
    std::string_view sentence;
};
template <class Struct, class Member> option(std::string_view, Member Struct::*, std::string_view)
    -> option<Struct, Member>;

/// Calls visit(name, value, sentence) for every option of a method.
template <class Method, class Visit> void for_each_option(Method const& method, Visit&& visit) {
    std::apply([&](auto const&... each) { (visit(each.name, method.*(each.member), each.sentence), ...); },
               Method::options());
}

} // namespace lento
