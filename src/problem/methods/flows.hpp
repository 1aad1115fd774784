#pragma once

#include "problem/methods/row.hpp"
#include "problem/systems.hpp"

#include <lento/stepper/runge_kutta.hpp>

/// What the methods share that carry a system along its fast flow.
namespace lento::detail {

/// From where a split system is seen.
enum class picture { given, interaction };
constexpr std::array<std::string_view, 2> names_of(picture) { return {"given", "interaction"}; }

/// rk4 in equal steps: its step is that of the table, so that it has no option of its own.
struct equal_steps {
    static constexpr std::tuple<> options() { return {}; }
};
using flow_scheme = std::variant<equal_steps, dormand_prince>;
struct flow_scheme_row {
    std::string_view name;
    std::string_view sentence;
    flow_scheme (*make)();
};
[[nodiscard]] std::span<flow_scheme_row const> flow_schemes();
[[nodiscard]] std::string_view name(flow_scheme const& scheme);

/// What carries a system along its fast flow.
struct flow_settings {
    choice_of<flow_schemes, schemes> scheme{};
    std::optional<double> steps_per_period{};
    std::optional<double> step{};

    static constexpr std::array<exclusive_pair, 1> exclusive{{{"step", "steps_per_period"}}};
    static constexpr auto options() {
        using own = flow_settings;
        return std::tuple{
            option{"scheme", &own::scheme, "follows the fast flow; left out: rk4"},
            option{"steps_per_period", &own::steps_per_period, "of rk4: its steps per fast period", positive},
            option{"step", &own::step, "or the step itself", positive, "time"}};
    }
    [[nodiscard]] dormand_prince const* adaptive() const {
        return scheme.value ? std::get_if<dormand_prince>(&*scheme.value) : nullptr;
    }
    /// After the table was read: tolerances are those of [accuracy], and steps do not go with an adaptive scheme.
    void complete(method_text const& from);
    /// The whole number of steps that make a stretch of this length, `usual` where none are given; the settings then
    /// say so. `period`: what steps_per_period counts, 0 where it is not known.
    [[nodiscard]] int steps_over(double length, double period, double usual);
};

/// A split system of a problem, as it is given.
template <bool Linear> using formula_split =
    split_system<dynamic, double, std::conditional_t<Linear, linear_part, compiled_formula>, compiled_formula>;
template <bool Linear> [[nodiscard]] formula_split<Linear> make_split(problem const& what, split_kind const& kind,
                                                                      double period, engine_kind with) {
    auto const fast = [&] {
        if constexpr (Linear) return linear(kind.fast_matrix);
        else return kind.fast.compile(with);
    };
    formula_split<Linear> made(dynamic(what.size), {kind.epsilon}, fast(), kind.slow.compile(with));
    return period > 0 ? made.returning_after(period) : made;
}

/// Refuses the interaction picture of a fast part that is not linear.
void require_linear(split_kind const& kind);

} // namespace lento::detail
