#include "io/method_reader.hpp"

namespace lento::detail {

void method_reader::read_stiff() {
    if (made_.name == "hmm" || made_.name == "ipa") {
        read_stiff_window({});
        return;
    }
    allow({});
    if (auto const* macro = find("macro")) read_macro(*macro);
    else if (made_.name == "shake" || made_.name == "rattle")
        from_.fail(*find("name"), "The method " + made_.name + " needs a step, as in macro = { step = 0.01 }.");
}

/// The window of force averaging (hmm) or of the projection onto the slow manifold (ipa): micro steps are Verlet's.
void method_reader::read_stiff_window(names others) {
    bool const projected = made_.name == "ipa";
    for (auto const* key : {"micro", "window", "projection"}) others.emplace_back(key);
    allow(others);
    if (auto const* macro = find("macro")) read_macro(*macro);
    made_.micro = verlet{};
    window made = stiff_window_of(made_.name);
    auto const* view = find("window");
    if (projected && kernel_name(view, "") == "notch") {
        // the start is projected with the usual window; from there on the springs' loads tell where the zeros belong
        from_.allow_only(*view, {"kernel", "scalar"});
        made_.manifold.loads = 4;
        made_.manifold.notch_steps = projection_options::fitted;
        read_scalar(*view);
    } else if (view != nullptr) {
        auto const* kernel = view->find("kernel");
        if (kernel != nullptr && kernel_name(view, "") == "picard")
            refuse("the picard kernel samples phases, and a stiff system has none");
        bool const given = kernel != nullptr || view->find("moments") != nullptr;
        auto const read =
            read_kernel(*view, projected ? "cubic" : "exponential", {"periods", "length", "unchecked", "scalar"});
        if (given) made.kernel = read;
        if (std::holds_alternative<chebyshev>(made.kernel)) made.periods = 0; // its length follows from its attenuation
        if (fixed_periods(made.kernel) > 0)
            refuse("the fast motion of a stiff system has no one period; use a smooth kernel");
        if (view->find("periods") != nullptr && view->find("length") != nullptr)
            from_.fail(*view->find("length"), "Give periods or length, but not both.");
        if (auto const* periods = view->find("periods")) made.periods = from_.positive(*periods);
        if (auto const* length = view->find("length")) {
            made.periods = 0;
            made.length = from_.positive(*length);
        }
        if (auto const* unchecked = view->find("unchecked")) made.unchecked = from_.truth(*unchecked);
        read_scalar(*view);
    }
    if (auto const* micro = find("micro")) {
        from_.allow_only(from_.table(*micro), {"scheme", "steps_per_period", "step"});
        if (auto const* scheme = micro->find("scheme"))
            from_.require_known(*scheme, "micro scheme", from_.text(*scheme), {std::string(verlet::name)},
                                known_schemes());
        if (micro->find("step") != nullptr && micro->find("steps_per_period") != nullptr)
            from_.fail(*micro->find("step"), "Give step or steps_per_period, but not both.");
        if (auto const* steps = micro->find("steps_per_period")) made.steps_per_period = from_.positive(*steps);
        if (auto const* step = micro->find("step")) {
            made.steps_per_period = 0;
            made.step = from_.positive(*step);
        }
    }
    if (auto const* back = find("projection")) {
        if (projected) read_projection(*back);
        else from_.allow_only(from_.table(*back), {"every", "drift"});
        if (auto const* every = back->find("every")) made_.project_every = from_.positive(*every);
        if (auto const* drift = back->find("drift")) made_.project_drift = from_.positive(*drift);
    }
    if (what_.kind == problem_kind::constrained) made_.relaxation = what_.omegas.front();
    made_.view = made;
}

void method_reader::read_scalar(entry const& view) {
    auto const* scalar = view.find("scalar");
    if (scalar == nullptr) return;
    from_.require_known(*scalar, "scalar", from_.text(*scalar), {"double", "long double"});
    made_.long_windows = scalar->text == "long double";
}

void method_reader::read_projection(entry const& given) {
    names known;
    reader::add_option_names<projection_options>(known);
    from_.allow_only(from_.table(given), known);
    from_.read_options(given, made_.manifold);
    for (auto const& each : given.children) {
        bool const fitted = each.key == "notch_steps" && from_.number(each) == projection_options::fitted;
        if (!fitted && !(from_.number(each) >= (each.key == "tolerance" ? 1e-300 : 0) && from_.number(each) <= 1e6))
            from_.fail(each, "This is a count or a tolerance: positive, and at most 1e6.");
    }
    if (made_.manifold.loads > 0 && given.find("notch_steps") == nullptr)
        made_.manifold.notch_steps = projection_options::fitted;
}

/// The published window of the projection, and for force averaging one that leaves less than 1e-4 of the fast motion.
window stiff_window_of(std::string_view method) {
    if (method == "ipa") return {.kernel = cubic{}, .periods = 6, .steps_per_period = 6};
    return {.kernel = exponential{.moments = 3}, .periods = 40, .steps_per_period = 12};
}

} // namespace lento::detail
