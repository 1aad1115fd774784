#include "io/closures_split.hpp"

#include "io/formula_split.hpp"
#include "io/formula_system.hpp"

#include <lento/effective/backward_forward.hpp>
#include <lento/effective/split_picard.hpp>
#include <lento/effective/stroboscopic.hpp>

namespace lento::detail {
namespace {

template <class System> erased_first_order under(System system, method_options const& method) {
    if (auto const* look = std::get_if<strobe>(&*method.view))
        return erased_first_order(effective(std::move(system), stroboscopic{*look}));
    auto const& path = std::get<path_window>(*method.view);
    if (auto const* adaptive = std::get_if<dormand_prince>(&*method.micro))
        return erased_first_order(effective(std::move(system), backward_forward{path, *adaptive}));
    return erased_first_order(effective(std::move(system), backward_forward{path}));
}

} // namespace

erased_first_order make_split(problem const& what, method_options const& method) {
    if (what.fast_matrix.empty()) return under(make_split_system<false>(what), method);
    auto system = make_split_system<true>(what);
    if (!method.interaction) return under(std::move(system), method);
    auto turning = interaction_picture(std::move(system));
    if (auto const* spectral = std::get_if<picard>(&*method.view))
        return erased_first_order(effective(std::move(turning), *spectral));
    return under(std::move(turning), method);
}

erased_first_order make_stroboscopic(problem const& what, method_options const& method) {
    stroboscopic const closure{std::get<strobe>(*method.view)};
    if (what.kind == problem_kind::vibrated) {
        if (what.uses_velocity) return erased_first_order(effective(make_vibrated<1, true>(what), closure));
        return erased_first_order(effective(make_vibrated<1, false>(what), closure));
    }
    if (what.first_order) return erased_first_order(effective(make_flow(what), closure));
    if (what.uses_velocity) return erased_first_order(effective(make_motion<true>(what), closure));
    return erased_first_order(effective(make_motion<false>(what), closure));
}

} // namespace lento::detail
