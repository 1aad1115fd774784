#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <type_traits>

#include <lento/base/misuse.hpp>

namespace lento {

template <class T> inline constexpr T two_pi = T(2) * std::numbers::pi_v<T>;

/// One phase is a number, several are an array: what a user's force sees as theta.
template <class T, std::size_t Phases> using phases = std::conditional_t<Phases == 1, T, std::array<T, Phases>>;

/// One phase or several as a list.
template <class T> [[nodiscard]] inline std::span<T const> listed(T const& theta) { return {&theta, 1}; }
template <class T, std::size_t Phases>
[[nodiscard]] inline std::span<T const> listed(std::array<T, Phases> const& theta) {
    return theta;
}

/// start + frequency t, reduced modulo 2 pi. The rounding error of the product and of 2 pi itself are carried along:
/// at frequency 1e8 the plain product loses 1e-8 radians.
template <class T> [[nodiscard]] inline T reduced_phase(T start, T frequency, T t) {
    using std::fma;
    using std::remainder;
    using std::round;
    if constexpr (std::is_same_v<T, double>) {
        constexpr double two_pi_tail = 2.4492935982947064e-16; // 2 pi - double(2 pi)
        double const turned = frequency * t;
        double const lost = fma(frequency, t, -turned);
        double const turns = round(turned / two_pi<double>);
        double const angle = fma(-turns, two_pi_tail, fma(-turns, two_pi<double>, turned)) + lost;
        double const phase = start + angle;
        return std::abs(phase) <= two_pi<double> / 2 ? phase : remainder(phase, two_pi<double>); // remainder is slow
    } else {
        return remainder(start + frequency * t, two_pi<T>);
    }
}

/// Phases that turn evenly, theta_j = frequency_j t + start_j: what every vibrated system knows of its forcing.
template <class T, std::size_t Phases> class turning_phases {
public:
    using angles = lento::phases<T, Phases>;
    static constexpr std::size_t phase_count = Phases;

    [[nodiscard]] std::array<T, Phases> const& frequencies() const { return frequencies_; }
    /// The phases at time t, modulo 2 pi.
    [[nodiscard]] angles phase_at(T t) const {
        std::array<T, Phases> theta{};
        for (std::size_t j = 0; j < Phases; ++j) theta[j] = reduced_phase(starts_[j], frequencies_[j], t);
        return packed(theta);
    }
    /// The phases a (short) time later.
    [[nodiscard]] angles turned(angles const& theta, T elapsed) const {
        if constexpr (Phases == 1) {
            return theta + frequencies_[0] * elapsed;
        } else {
            angles later = theta;
            for (std::size_t j = 0; j < Phases; ++j) later[j] += frequencies_[j] * elapsed;
            return later;
        }
    }
    [[nodiscard]] static angles packed(std::array<T, Phases> const& theta) {
        if constexpr (Phases == 1) return theta[0];
        else return theta;
    }

protected:
    turning_phases(std::array<T, Phases> const& frequencies, std::array<T, Phases> const& starts)
        : frequencies_(frequencies), starts_(starts) {
        for (std::size_t j = 0; j < Phases; ++j) {
            require_positive("the frequency", static_cast<double>(frequencies_[j]));
            require_finite("the phase", static_cast<double>(starts_[j]));
        }
    }

private:
    std::array<T, Phases> frequencies_;
    std::array<T, Phases> starts_;
};

} // namespace lento
