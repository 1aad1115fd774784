#include "io/closures_stiff.hpp"
#include "io/formula_stiff.hpp"

#include <lento/effective/slow_manifold.hpp>

namespace lento::detail {
namespace {

template <bool Velocity> erased_stiff<true> projected(problem const& what, method_options const& method) {
    formula_stiff<Velocity> const system(what);
    auto const& view = std::get<window>(*method.view);
    auto const& how = method.manifold;
    if (method.long_windows)
        return erased_stiff<true>(effective(system, slow_manifold<verlet, long double>(view, how)));
    return erased_stiff<true>(effective(system, slow_manifold(view, how)));
}

} // namespace

erased_stiff<true> make_projected(problem const& what, method_options const& method) {
    return what.uses_velocity ? projected<true>(what, method) : projected<false>(what, method);
}

} // namespace lento::detail
