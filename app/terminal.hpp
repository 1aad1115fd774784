#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include <lento/base/printable.hpp>

namespace lento::app {

/// Says something on standard error. Names, titles and settings come from anybody: nothing in them reaches a terminal
/// as a command. Where standard error is full or closed nobody can be told.
template <class... Values> void say(fmt::format_string<Values...> text, Values&&... values) {
    auto const line = printable(fmt::format(text, std::forward<Values>(values)...));
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

} // namespace lento::app
