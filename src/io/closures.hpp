#pragma once

#include <cstddef>
#include <variant>

#include "io/formula_system.hpp"

#include <lento/effective/effective.hpp>
#include <lento/effective/erased.hpp>

namespace lento::detail {

using erased_effective = std::variant<erased_separable, erased_general>;

/// The effective system of a vibrated problem under a method whose choices are all made. Compiled once for each number
/// of phases, in a file of its own.
template <std::size_t Phases>
[[nodiscard]] erased_effective make_effective(problem const& what, method_options const& method);

extern template erased_effective make_effective<1>(problem const&, method_options const&);
extern template erased_effective make_effective<2>(problem const&, method_options const&);
extern template erased_effective make_effective<3>(problem const&, method_options const&);

/// Calls make(micro) with the scheme that runs in windows: Verlet's or rk4.
template <class Make> [[nodiscard]] auto with_micro(method_options const& method, Make const& make) {
    if (auto const* chosen = std::get_if<verlet>(&*method.micro)) return make(*chosen);
    return make(rk4{});
}

template <class System> [[nodiscard]] erased_effective make_synchronous(System const& system, problem const& what,
                                                                        method_options const& method) {
    auto const& view = std::get<window>(*method.view);
    return with_micro(method, [&](auto const& micro) {
        if (what.slow_velocity)
            return erased_general(effective(system, synchronous(view, formula_map(what.slow_velocity), micro)));
        return erased_general(effective(system, synchronous(view, found_numerically{}, micro)));
    });
}

template <std::size_t Phases> erased_effective make_effective(problem const& what, method_options const& method) {
    auto const* spectral = std::get_if<picard>(&*method.view);
    if (what.uses_velocity) {
        auto const system = make_vibrated<Phases, true>(what);
        if (spectral != nullptr) return erased_general(effective(system, *spectral));
        return make_synchronous(system, what, method);
    }
    auto const system = make_vibrated<Phases, false>(what);
    if (spectral != nullptr) return erased_separable(effective(system, *spectral));
    if (method.start == window_start::synchronous) return make_synchronous(system, what, method);
    auto const& view = std::get<window>(*method.view);
    return with_micro(method, [&](auto const& micro) {
        if (method.start == window_start::centred) return erased_separable(effective(system, centred(view, micro)));
        return erased_separable(effective(system, asynchronous(view, micro)));
    });
}

} // namespace lento::detail
