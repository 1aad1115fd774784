#include "io/method_reader.hpp"

#include <algorithm>
#include <cmath>

#include <lento/system/linear_flow.hpp>
#include <lento/system/phase.hpp>

namespace lento::detail {

int steps_to_return(problem const& what, bool interaction) {
    if (interaction) return 16;
    double turns = 1;
    if (!what.fast_matrix.empty())
        if (auto const frequencies = linear_flow(what.fast_matrix).frequencies(); !frequencies.empty())
            turns = std::max(turns, std::round(what.period / what.epsilon * frequencies.back() / two_pi<double>));
    // each turn of the fastest mode misses its start by about 2e3/steps^4, the slow part moves it by about the period
    return static_cast<int>(turns * std::max(64., std::ceil(27 * std::pow(what.period / turns, -0.25))));
}

void method_reader::read_split() {
    auto const begin = [&](names keys) {
        allow(std::move(keys));
        if (auto const* macro = find("macro")) read_macro(*macro);
    };
    if (made_.name == "auto" || made_.name == "direct") begin({});
    if (made_.name == "stroboscopic") {
        begin({"micro", "order", "picture"});
        read_picture();
        read_stroboscopic();
    }
    if (made_.name == "backward-forward") {
        begin({"micro", "window", "picture", "extrapolate", "ramp"});
        read_picture();
        read_path();
    }
    if (made_.name == "flavors") {
        begin({"micro", "window"});
        read_flavors();
    }
    if (made_.name == "hmm") {
        begin({"window", "picture"});
        auto const* view = find("window");
        if (kernel_name(view, "") != "picard")
            refuse("of a split system hmm has the picard kernel only: window = { kernel = \"picard\" }; with other "
                   "kernels the method is backward-forward");
        read_picture();
        made_.interaction = true; // there is no other way to sample phases
        if (what_.fast_matrix.empty())
            refuse("the picard kernel samples the phases of a fast part that is linear in the variables, and this one "
                   "is not");
        read_picard(*view);
    }
}

void method_reader::read_picture() {
    auto const* picture = find("picture");
    if (picture == nullptr) return;
    from_.require_known(*picture, "picture", from_.text(*picture), {"interaction", "given"});
    made_.interaction = picture->text == "interaction";
    if (made_.interaction && what_.fast_matrix.empty())
        refuse("the interaction picture needs a fast part that is linear in the variables, and this one is not; leave "
               "the picture out");
}

void method_reader::read_stroboscopic() {
    strobe look{.period = what_.kind == problem_kind::plain ? what_.period : 0};
    if (auto const* order = find("order")) {
        auto const value = from_.whole(*order);
        if (value != 2 && value != 4)
            from_.fail(*order, "The stroboscope is of order 2 or 4, but this is " + std::to_string(value) + ".");
        look.order = static_cast<int>(value);
    }
    bool const vibrated = what_.kind == problem_kind::vibrated;
    double const period = vibrated ? two_pi<double> / what_.frequencies[0] : what_.period;
    // without a number of steps the run chooses one, with the period where that is not known yet
    look.steps = read_flow(period, vibrated ? 32 : 0);
    made_.view = look;
}

int method_reader::read_flow(double length, double usual) {
    made_.micro = rk4{};
    double steps = usual;
    if (auto const* micro = find("micro")) {
        from_.table(*micro);
        if (auto const* given = micro->find("scheme")) {
            from_.require_known(*given, "micro scheme", from_.text(*given),
                                {std::string(rk4::name), std::string(dormand_prince::name)}, known_schemes());
            if (given->text == dormand_prince::name) made_.micro = dormand_prince{};
        }
        if (auto* adaptive = std::get_if<dormand_prince>(&*made_.micro)) {
            names known{"scheme"};
            reader::add_option_names<dormand_prince>(known);
            from_.allow_only(*micro, known);
            adaptive->rtol = made_.rtol;
            adaptive->atol = made_.atol;
            from_.read_options(*micro, *adaptive);
            if (std::holds_alternative<strobe>(made_.view.value_or(window{})) || made_.name == "stroboscopic")
                from_.fail(*micro, "A period is sampled in equal steps: use rk4.");
            return 1;
        }
        from_.allow_only(*micro, {"scheme", "steps_per_period", "step"});
        auto const* step = micro->find("step");
        auto const* a_period = micro->find("steps_per_period");
        if (step != nullptr && a_period != nullptr)
            from_.fail(*a_period, "Give step or steps_per_period, but not both.");
        if (a_period != nullptr) {
            bool const vibrated = what_.kind == problem_kind::vibrated;
            bool const found_later = made_.name == "stroboscopic"; // as the period is
            if (what_.period == 0 && !vibrated && !found_later)
                from_.fail(*a_period, "steps_per_period counts steps of the fast period, which is not given; give "
                                      "step, or system.period.");
            steps = from_.positive(*a_period) * (vibrated || found_later ? 1 : length / what_.period);
        }
        if (step != nullptr && length == 0)
            from_.fail(*step, "The period is not given; give steps_per_period, or system.period.");
        if (step != nullptr) steps = length / from_.positive(*step);
        constexpr double most = 1e8;
        if (!(steps <= most)) from_.fail(*micro, "That would be " + show(steps) + " micro steps a window.");
    }
    return steps == 0 ? 0 : std::max(1, static_cast<int>(std::lround(steps)));
}

void method_reader::read_path() {
    path_window path;
    auto const* view = find("window");
    bool const known_frequencies = !what_.fast_matrix.empty();
    if (view == nullptr || view->find("delta") == nullptr)
        from_.fail(view != nullptr ? *view : *find("name"),
                   "backward-forward needs window.delta, the length of its flows in units of epsilon: several of the "
                   "slowest fast period.");
    path.filter = read_kernel(*view, "polynomial", {"delta", "points"});
    path.delta = from_.positive(*view->find("delta"));
    if (auto const* points = view->find("points")) path.points = static_cast<int>(from_.whole(*points));
    if (fixed_periods(*path.filter) > 0) path.filter.reset(); // a mean over delta: nothing is weighed
    // a flow is followed in steps of 1/40 of its fastest period, or of 0.1 epsilon where that is not known
    double steps = path.delta / 0.1;
    if (known_frequencies) {
        auto const frequencies = linear_flow(what_.fast_matrix).frequencies();
        if (!frequencies.empty()) steps = std::ceil(path.delta * frequencies.back() * (made_.interaction ? 0.7 : 6.4));
    }
    path.steps = read_flow(path.delta * what_.epsilon, steps);
    if (auto const* extrapolate = find("extrapolate")) {
        if (extrapolate->kind == entry_kind::boolean) {
            auto const* smooth = path.filter ? std::get_if<polynomial>(&*path.filter) : nullptr;
            if (extrapolate->truth && smooth == nullptr)
                from_.fail(*extrapolate, "Only for the polynomial kernel there is a usual second one; give it as { "
                                         "kernel = ... }.");
            if (extrapolate->truth) path.extrapolate = polynomial{smooth->moments, smooth->regularity + 2};
        } else {
            path.extrapolate = read_kernel(from_.table(*extrapolate), "polynomial", {});
        }
    }
    if (auto const* ramp = find("ramp")) path.ramp = from_.truth(*ramp);
    made_.view = path;
}

void method_reader::read_flavors() {
    path_window path;
    auto const* view = find("window");
    if (view == nullptr || from_.table(*view).find("delta") == nullptr)
        from_.fail(*find("name"),
                   "FLAVORS needs window.delta, how long the fast part is switched on, in units of epsilon.");
    from_.allow_only(*view, {"delta"});
    path.delta = from_.positive(*view->find("delta"));
    path.steps = read_flow(path.delta * what_.epsilon, std::ceil(path.delta / 0.1));
    if (!made_.macro) from_.fail(*find("name"), "FLAVORS needs a step, as in macro = { step = 0.01 }.");
    if (!std::holds_alternative<midpoint>(*made_.macro))
        from_.fail(*find("macro"), "Between the fast parts FLAVORS steps by the midpoint rule; leave the scheme out.");
    made_.view = path;
}

} // namespace lento::detail
