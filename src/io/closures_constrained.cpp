#include "io/closures_constrained.hpp"

#include "io/formula_system.hpp"

#include <lento/effective/asynchronous.hpp>
#include <lento/stepper/rattle.hpp>
#include <lento/stepper/shake.hpp>

namespace lento::detail {
namespace {

template <std::size_t Phases> erased_constrained with_phases(problem const& what, method_options const& method) {
    constrained_system<formula_vibrated<Phases, false>, formula_constraints> const system(
        make_vibrated<Phases, false>(what), formula_constraints(what.constraints, what.size));
    auto const& view = std::get<window>(*method.view);
    auto const make = [&](auto const& micro) {
        if (method.start == window_start::centred) return erased_constrained(effective(system, centred(view, micro)));
        return erased_constrained(effective(system, asynchronous(view, micro)));
    };
    return std::holds_alternative<rattle>(*method.micro) ? make(rattle{}) : make(shake{});
}

} // namespace

erased_constrained make_effective_constrained(problem const& what, method_options const& method) {
    switch (what.frequencies.size()) {
    case 1: return with_phases<1>(what, method);
    case 2: return with_phases<2>(what, method);
    default: return with_phases<3>(what, method);
    }
}

} // namespace lento::detail
