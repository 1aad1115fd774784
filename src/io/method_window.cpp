#include "io/method_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lento::detail {

void method_reader::read_start(entry const& given) {
    std::vector<std::string> known;
    for (auto const each : {window_start::asynchronous, window_start::synchronous, window_start::centred}) {
        known.emplace_back(lento::name(each));
        if (from_.text(given) == lento::name(each)) made_.start = each;
    }
    from_.require_known(given, "start", given.text, known);
}

void method_reader::read_picard(entry const& view) {
    picard closure;
    names known{"kernel"};
    reader::add_option_names<picard>(known);
    from_.allow_only(view, known);
    from_.read_options(view, closure);
    if (auto const* micro = find("micro"))
        from_.fail(*micro, "The picard kernel samples phases and has no micro steps; leave this out.");
    if (made_.start == window_start::asynchronous || made_.start == window_start::synchronous)
        from_.fail(*find("start"), "The picard kernel is centred by construction; leave the start out.");
    if (closure.points < 3)
        from_.fail(view, "A period needs at least 3 points, but it has " + std::to_string(closure.points) + ".");
    if (closure.passes < 1)
        from_.fail(view, "At least one pass is needed, but there are " + std::to_string(closure.passes) + ".");
    made_.view = closure;
}

void method_reader::read_window(entry const* view, entry const* micro) {
    window made{.kernel = exponential{.moments = 3}}; // what `auto` uses; one that is named is taken as published
    if (view != nullptr) {
        // steps belong to the micro table: they are the micro scheme's
        made.kernel = read_kernel(*view, "exponential", {"periods", "length", "unchecked"});
        if (auto* smooth = std::get_if<exponential>(&made.kernel);
            smooth != nullptr && view->find("kernel") == nullptr && view->find("moments") == nullptr)
            smooth->moments = 3;
        if (auto const* given = view->find("periods")) made.periods = from_.positive(*given);
        if (auto const* given = view->find("length")) made.length = from_.positive(*given);
        if (auto const* given = view->find("unchecked")) made.unchecked = from_.truth(*given);
    }
    bool const whole_period = fixed_periods(made.kernel) > 0;
    bool const knows_length = whole_period || std::holds_alternative<chebyshev>(made.kernel);
    if (!knows_length && made.periods == 0 && made.length == 0) made.periods = 40;
    read_micro(micro, made, whole_period ? 80 : 32);
    if (auto* mean = std::get_if<one_period_mean>(&made.kernel)) mean->rule = rule_for(made);
    entry const& blamed = view != nullptr ? *view : micro != nullptr ? *micro : *method_;
    from_.guarded(blamed, [&] { return plan(made, what_.frequencies).step; });
    made_.view = made;
}

void method_reader::read_micro(entry const* micro, window& made, double steps_per_period) {
    bool const constrained = what_.constraints.count > 0;
    made_.micro = rk4{}; // Verlet at 32 steps a period leaves 3e-3 of the mean force, whatever the frequency
    if (constrained) made_.micro = shake{};
    if (micro != nullptr) {
        from_.table(*micro);
        std::string name(constrained ? shake::name : rk4::name);
        if (auto const* given = micro->find("scheme")) {
            name = from_.text(*given);
            names known{std::string(verlet::name), std::string(fitted_verlet), std::string(rk4::name)};
            if (constrained) known = {std::string(shake::name), std::string(rattle::name)};
            from_.require_known(*given, "micro scheme", name, known, known_schemes());
        }
        if (name == rattle::name) made_.micro = rattle{};
        else if (!constrained && name != rk4::name) made_.micro = verlet{};
        names known{"scheme", "steps_per_period", "step"};
        if (name == fitted_verlet) known.emplace_back("fitted_to");
        from_.allow_only(*micro, known);
        if (auto const* given = micro->find("steps_per_period")) made.steps_per_period = from_.positive(*given);
        if (auto const* given = micro->find("step")) made.step = from_.positive(*given);
        if (auto* stepper = std::get_if<verlet>(&*made_.micro)) {
            if (auto const* given = micro->find("fitted_to")) stepper->fitted_to = from_.positive(*given);
            fit(*stepper, *micro, name, true);
        }
    }
    if (made.steps_per_period == 0 && made.step == 0) made.steps_per_period = steps_per_period;
}

/// An even number of steps in the period is summed by trapezoids, an odd one uniformly.
mean_rule method_reader::rule_for(window const& view) const {
    auto const fast = fast_frequencies(what_.frequencies);
    double const slowest = *std::min_element(fast.begin(), fast.end());
    double const fastest = *std::max_element(what_.frequencies.begin(), what_.frequencies.end());
    double const steps =
        view.step != 0 ? 2 * std::numbers::pi / slowest / view.step : view.steps_per_period * fastest / slowest;
    return std::fmod(std::round(steps), 2) == 0 ? mean_rule::trapezoid : mean_rule::uniform;
}

} // namespace lento::detail
