#pragma once

namespace lento {

/// One callable of several, for std::visit.
template <class... Each> struct overloaded : Each... {
    using Each::operator()...;
};
template <class... Each> overloaded(Each...) -> overloaded<Each...>;

} // namespace lento
