#pragma once

#include <string_view>
#include <vector>

#include <lento/expression/formula.hpp>

namespace lento {

/// x' = fast(x)/epsilon + slow(x, t)
struct split_kind {
    static constexpr std::string_view name = "split";
    static constexpr bool has_slow_state = true;
    double epsilon = 0;
    double period = 0; ///< of the fast motion, as a time; 0: not given
    expression::formula fast{};
    expression::formula slow{};
    std::vector<std::vector<long double>> fast_matrix{}; ///< by rows, where the fast part is linear
};

} // namespace lento
