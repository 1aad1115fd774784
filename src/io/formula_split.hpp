#pragma once

#include <type_traits>

#include <lento/expression/compiled_formula.hpp>
#include <lento/io/problem.hpp>
#include <lento/system/split.hpp>

namespace lento::detail {

/// A split system whose parts are a problem's compiled formulas; a linear fast part is kept as its matrix.
template <bool Linear> using formula_split =
    split_system<dynamic, double, std::conditional_t<Linear, linear_part, expression::compiled_formula>,
                 expression::compiled_formula>;

template <bool Linear> [[nodiscard]] formula_split<Linear> make_split_system(problem const& what) {
    auto const with = [&](auto fast) {
        formula_split<Linear> made(dynamic(what.size), {what.epsilon}, std::move(fast), what.slow);
        return what.period > 0 ? made.returning_after(what.period) : made;
    };
    if constexpr (Linear) return with(linear(what.fast_matrix));
    else return with(expression::compiled_formula(what.fast));
}

} // namespace lento::detail
