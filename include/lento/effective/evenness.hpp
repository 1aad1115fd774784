#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include <lento/effective/micro_window.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// Whether a force is even in theta, f(q, theta) = f(q, -theta): measured, never believed. It is probed at the first
/// evaluation, at the 2nd, 4th and every 8th, and at the end of a run, because an odd part may come and go. A force
/// that was even and is so no longer puts the evaluations since the last probe in doubt: that is a failure.
class evenness {
public:
    [[nodiscard]] bool holds() const { return holds_; }
    [[nodiscard]] bool due(std::uint64_t evaluation) const {
        return holds_ && (evaluation <= 2 || evaluation == 4 || evaluation % 8 == 0);
    }
    /// Whether evaluations were made in the belief that the force is even, and it is not.
    [[nodiscard]] bool in_doubt() const { return !holds_ && believed_; }
    static auto members(auto& self) { return std::tie(self.probes_, self.believed_, self.holds_); }

    /// Compares opposite phases, two pairs at the first probe and one later. The vectors are scratch.
    template <vibrating System> void probe(System const& system, scalar_of<System> t, vector_of<System> const& q,
                                           vector_of<System>& ahead, vector_of<System>& behind, work_of<System>& work) {
        using T = scalar_of<System>;
        using std::abs;
        believed_ = probes_ > 0;
        for (int pair = 0, pairs = probes_ == 0 ? 2 : 1; pair < pairs && holds_; ++pair) {
            T const angle = T(1) + T(0.7) * T(probes_ % 8);
            ++probes_;
            system.acceleration_at(t, spread(system, angle), q, q, ahead, work);
            system.acceleration_at(t, spread(system, -angle), q, q, behind, work);
            T const size = max_norm(ahead) + max_norm(behind);
            for (std::size_t i = 0; i < ahead.size(); ++i)
                if (abs(ahead[i] - behind[i]) > T(1e-13) * size) holds_ = false;
        }
    }

private:
    /// A generic point of the torus of phases, odd in the angle.
    template <class System> static typename System::angles spread(System const& system, scalar_of<System> angle) {
        using T = scalar_of<System>;
        auto theta = system.frequencies();
        for (std::size_t j = 0; j < theta.size(); ++j) theta[j] = angle * (T(1) + T(0.37) * T(j));
        return System::packed(theta);
    }

    int probes_ = 0;
    bool believed_ = false;
    bool holds_ = true;
};

} // namespace lento
