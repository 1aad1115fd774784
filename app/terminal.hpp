#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include <lento/base/printable.hpp>

namespace lento::app {

/// Says something on standard error. Names, titles and settings come from anybody: nothing in them reaches a terminal
/// as a command.
template <class... Values> void say(fmt::format_string<Values...> text, Values&&... values) {
    fmt::print(stderr, "{}", printable(fmt::format(text, std::forward<Values>(values)...)));
}

} // namespace lento::app
