#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "problem/methods/settings.hpp"

/// How a method becomes a row: a struct with `name`, `sentence`, `kinds`, `settings` and
///
///     read(method_text&, settings&)                          reads and checks [method]
///     make(problem, settings&, bool automatic)               fills in what is left open and makes the run
///
/// and, where there is something to say,
///
///     why_not(problem)                                       why it does not apply
///     suits(problem)                                         why auto takes it
///     again(problem, settings&, problem_run&, bool automatic)  another try
///     floor(problem)                                         the error that remains whatever the steps
///     steps_alone_err                                        a constant: there is none
///     closures(problem)                                      closures of several accuracies, each with its settings
///     hidden_error(problem, problem_run)                     the error that their distances do not show
namespace lento::detail {

/// A bit for each of these kinds.
template <class Kind, std::size_t I = 0> [[nodiscard]] constexpr unsigned bit_of() {
    if constexpr (std::is_same_v<Kind, std::variant_alternative_t<I, any_kind>>) return 1U << I;
    else return bit_of<Kind, I + 1>();
}
template <class... Kinds> inline constexpr unsigned for_kinds = (bit_of<Kinds>() | ...);

/// What a run would take by its first evaluation: its cost, and how fast the motion changes there.
[[nodiscard]] prediction predicted(problem const& what, prepared_run& run, double floor);

template <class Method> [[nodiscard]] constexpr method_row row_of() {
    using settings = typename Method::settings;
    method_row row{};
    row.name = Method::name;
    row.sentence = Method::sentence;
    row.kinds = Method::kinds;
    row.settings_for_auto = requires { Method::settings_for_auto; };
    row.steps_alone_err = requires { Method::steps_alone_err; };
    row.options = [] { return described(settings{}); };
    row.why_not = [](problem const& what) {
        if constexpr (requires { Method::why_not(what); }) return Method::why_not(what);
        else return static_cast<void>(what), std::string();
    };
    row.suits = [](problem const& what) {
        if constexpr (requires { Method::suits(what); }) return Method::suits(what);
        else return static_cast<void>(what), std::string();
    };
    row.read = [](problem const& what, entry const& method, described& options) {
        method_text from(what, method);
        Method::read(from, options.as<settings>());
    };
    row.make = [](problem const& what, described& options, bool automatic) {
        return Method::make(what, options.as<settings>(), automatic);
    };
    row.again = [](problem const& what, described& options, problem_run& last, bool automatic) {
        if constexpr (requires { Method::again(what, options.as<settings>(), last, automatic); })
            return Method::again(what, options.as<settings>(), last, automatic);
        else return static_cast<void>(what), static_cast<void>(options), static_cast<void>(last), automatic && false;
    };
    row.predict = [](problem const& what, described& options) {
        auto run = Method::make(what, options.as<settings>(), false);
        double floor = 0;
        if constexpr (requires { Method::floor(what); }) floor = Method::floor(what);
        return predicted(what, run, floor);
    };
    row.closures = [](problem const& what) {
        if constexpr (requires { Method::closures(what); }) return Method::closures(what);
        else return static_cast<void>(what), std::vector<closure>();
    };
    if constexpr (requires(problem const& what, problem_run const& run) { Method::hidden_error(what, run); })
        row.hidden_error = Method::hidden_error;
    return row;
}

} // namespace lento::detail
