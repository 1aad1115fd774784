#pragma once

#include <string_view>

namespace lento {

/// A system as it stands: M x'' = f(x, x', t), or x' = r(x, t).
struct plain_kind {
    static constexpr std::string_view name = "plain";
    static constexpr bool has_slow_state = false;
    double period = 0; ///< of its fast motion, 0: not given
};

} // namespace lento
