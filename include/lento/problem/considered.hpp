#pragma once

#include <optional>
#include <string>

namespace lento {

/// A way to run a problem that was looked at where cost and error decide. What is expected is known before the run:
/// its own counts and error estimate may differ.
struct considered {
    std::string name{};                  ///< "direct", or a method with what its closures differ in: "hmm of order 2"
    std::optional<double> evaluations{}; ///< of the force, which a run would take
    std::optional<double> error{};       ///< over what is allowed; of closures what steps cannot make smaller
    bool taken = false;
    std::string reason{}; ///< why it is taken, or why not
};

} // namespace lento
