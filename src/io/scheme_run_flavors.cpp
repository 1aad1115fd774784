#include "io/closures_split.hpp"
#include "io/formula_split.hpp"

#include <lento/solve/solve.hpp>
#include <lento/stepper/flavors.hpp>

namespace lento::detail {

solution<state_of<erased_first_order>> solve_by_flavors(problem const& what, method_options const& method,
                                                        solve_options<state_of<erased_first_order>> const& options) {
    auto const& path = std::get<path_window>(*method.view);
    switching const times{std::get<midpoint>(*method.macro).step, path.delta, path.steps};
    auto const run = [&](auto const& system) {
        if (auto const* adaptive = std::get_if<dormand_prince>(&*method.micro))
            return solve(system, flavors{times, *adaptive}, {what.position}, options);
        return solve(system, flavors{times}, {what.position}, options);
    };
    return what.fast_matrix.empty() ? run(make_split_system<false>(what)) : run(make_split_system<true>(what));
}

} // namespace lento::detail
