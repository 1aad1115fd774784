#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <type_traits>

#include <lento/base/misuse.hpp>

namespace lento {

template <class T> inline constexpr T two_pi = T(2) * std::numbers::pi_v<T>;

/// In the place of a number of phases: it is known at run time only, and at most `most_phases`.
inline constexpr std::size_t any_phases = std::numeric_limits<std::size_t>::max();
inline constexpr std::size_t most_phases = 3;

/// As many numbers as there are phases, where that is known at run time only. It does not allocate, so that micro steps
/// can make one each. Without a number it is one zero for every phase there may be.
template <class T> class phase_list {
public:
    phase_list() = default;
    explicit phase_list(std::span<T const> values) : size_(values.size()) {
        if (values.empty() || values.size() > most_phases)
            throw misuse("there may be 1 to " + std::to_string(most_phases) + " phases, but there are " +
                         std::to_string(values.size()));
        std::copy(values.begin(), values.end(), values_.begin());
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T& operator[](std::size_t j) { return values_[j]; }
    [[nodiscard]] T const& operator[](std::size_t j) const { return values_[j]; }
    [[nodiscard]] T const* data() const { return values_.data(); }
    [[nodiscard]] T const* begin() const { return values_.data(); }
    [[nodiscard]] T const* end() const { return values_.data() + size_; }

private:
    std::array<T, most_phases> values_{};
    std::size_t size_ = most_phases;
};

/// A number for each phase.
template <class T, std::size_t Phases> using each_phase =
    std::conditional_t<Phases == any_phases, phase_list<T>, std::array<T, Phases == any_phases ? 1 : Phases>>;

/// One phase is a number, several are an array: what a user's force sees as theta.
template <class T, std::size_t Phases> using phases = std::conditional_t<Phases == 1, T, each_phase<T, Phases>>;

/// One phase or several as a list.
template <class T> [[nodiscard]] inline std::span<T const> listed(T const& theta) { return {&theta, 1}; }
template <class T> [[nodiscard]] inline std::span<T const> listed(phase_list<T> const& theta) { return theta; }
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

    [[nodiscard]] each_phase<T, Phases> const& frequencies() const { return frequencies_; }
    /// The phases at time t, modulo 2 pi.
    [[nodiscard]] angles phase_at(T t) const {
        auto theta = frequencies_;
        for (std::size_t j = 0; j < theta.size(); ++j) theta[j] = reduced_phase(starts_[j], frequencies_[j], t);
        return packed(theta);
    }
    /// The phases a (short) time later.
    [[nodiscard]] angles turned(angles const& theta, T elapsed) const
        requires(Phases == 1)
    {
        return theta + frequencies_[0] * elapsed;
    }
    [[nodiscard]] angles turned(angles const& theta, T elapsed) const {
        angles later = frequencies_; // in the outermost scope: a copy made for the return costs micro steps 10 ns
        std::size_t const count = frequencies_.size();
        for (std::size_t j = 0; j < count; ++j) later[j] = theta[j] + frequencies_[j] * elapsed;
        return later;
    }
    [[nodiscard]] static angles packed(each_phase<T, Phases> const& theta) {
        if constexpr (Phases == 1) return theta[0];
        else return theta;
    }

protected:
    turning_phases(each_phase<T, Phases> const& frequencies, each_phase<T, Phases> const& starts)
        : frequencies_(frequencies), starts_(starts) {
        require_size("the list of phases", starts_.size(), frequencies_.size());
        for (std::size_t j = 0; j < frequencies_.size(); ++j) {
            require_positive("the frequency", static_cast<double>(frequencies_[j]));
            require_finite("the phase", static_cast<double>(starts_[j]));
        }
    }

private:
    each_phase<T, Phases> frequencies_;
    each_phase<T, Phases> starts_;
};

} // namespace lento
