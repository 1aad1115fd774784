#pragma once

#include <utility>

#include <lento/effective/asynchronous.hpp>
#include <lento/effective/backward_forward.hpp>
#include <lento/effective/interaction.hpp>
#include <lento/effective/over_phase.hpp>
#include <lento/effective/picard.hpp>
#include <lento/effective/split_picard.hpp>
#include <lento/effective/stroboscopic.hpp>
#include <lento/effective/synchronous.hpp>
#include <lento/effective/underlying.hpp>
#include <lento/kernel/kernel.hpp>
#include <lento/stepper/shake.hpp>

namespace lento {

/// The effective system under the closure that suits it: the spectral mean, or, where the force depends on the
/// velocity, synchronous windows of 40 periods whose start velocity is found numerically. With constraints, centred
/// windows of one period with SHAKE inside.
template <vibrating System> [[nodiscard]] auto effective(System system) {
    if constexpr (constrained_motion<System>)
        return effective(std::move(system), centred{one_period{.steps = 64}, shake{}});
    else if constexpr (System::uses_velocity)
        return effective(std::move(system),
                         synchronous{window{.kernel = exponential{.moments = 3}, .periods = 40, .steps_per_period = 32},
                                     found_numerically{}, rk4{}});
    else return effective(std::move(system), picard{});
}

} // namespace lento
