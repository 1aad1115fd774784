#include "io/method_reader.hpp"

namespace lento::detail {

/// The methods that step over the oscillation of springs. Without springs all of them are Verlet's, which is what their
/// macro scheme is called here; the impulse method has Verlet's steps between its kicks too.
void method_reader::read_over_springs() {
    bool const impulses = made_.name == "impulse";
    if (impulses) allow({"micro"});
    else allow({});
    auto const* macro = find("macro");
    if (macro == nullptr)
        from_.fail(*find("name"), "The method " + made_.name + " needs a step, as in macro = { step = 0.01 }.");
    read_macro(*macro);
    if (auto const* kick = std::get_if<verlet>(&*made_.macro); kick == nullptr || kick->fitted_to != 0)
        from_.fail(*macro, "Beside the springs the method " + made_.name + " is Verlet's; leave the scheme out.");
    auto const* micro = find("micro");
    if (micro == nullptr) return;
    from_.allow_only(from_.table(*micro), {"scheme", "step", "steps_per_period"});
    if (auto const* scheme = micro->find("scheme"))
        from_.require_known(*scheme, "micro scheme", from_.text(*scheme), {std::string(verlet::name)}, known_schemes());
    auto const* step = micro->find("step");
    auto const* steps = micro->find("steps_per_period");
    if (step != nullptr && steps != nullptr) from_.fail(*step, "Give step or steps_per_period, but not both.");
    made_.micro = verlet{.step = step != nullptr ? from_.positive(*step) : 0};
    if (steps != nullptr) made_.view = window{.steps_per_period = from_.positive(*steps)};
    else if (step == nullptr) made_.micro.reset();
}

} // namespace lento::detail
