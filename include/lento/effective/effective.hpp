#pragma once

#include <utility>

#include <lento/effective/asynchronous.hpp>
#include <lento/effective/backward_forward.hpp>
#include <lento/effective/interaction.hpp>
#include <lento/effective/one_phase.hpp>
#include <lento/effective/path_picard.hpp>
#include <lento/effective/picard.hpp>
#include <lento/effective/stroboscopic.hpp>
#include <lento/effective/synchronous.hpp>
#include <lento/effective/underlying.hpp>
#include <lento/kernel/kernel.hpp>
#include <lento/stepper/shake.hpp>

namespace lento {

/// The effective system under the closure that suits it: the spectral mean. With constraints, centred windows of one
/// period with SHAKE inside.
template <vibrating System> [[nodiscard]] auto effective(System system) {
    if constexpr (constrained_motion<System>)
        return effective(std::move(system), centred{one_period{.steps = 64}, shake{}});
    else return effective(std::move(system), picard{});
}

} // namespace lento
