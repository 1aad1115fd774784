#include "io/closures_stiff.hpp"
#include "io/formula_stiff.hpp"

#include <lento/effective/averaging.hpp>

namespace lento::detail {
namespace {

template <bool Velocity> erased_stiff<false> averaged(problem const& what, method_options const& method) {
    formula_stiff<Velocity> const system(what);
    auto const& view = std::get<window>(*method.view);
    projection const back{method.project_every, method.project_drift};
    if (method.long_windows)
        return erased_stiff<false>(effective(system, force_averaging<verlet, long double>(view, {}, back)));
    return erased_stiff<false>(effective(system, force_averaging(view, verlet{}, back)));
}

} // namespace

erased_stiff<false> make_averaged(problem const& what, method_options const& method) {
    return what.uses_velocity ? averaged<true>(what, method) : averaged<false>(what, method);
}

} // namespace lento::detail
