#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include <lento/base/misuse.hpp>
#include <lento/effective/asynchronous.hpp>
#include <lento/effective/micro_window.hpp>
#include <lento/system/phase.hpp>

/// Several scales: averaging over one phase of a vibrated system leaves a system that vibrates in the others, which
/// can be averaged again.
namespace lento {

namespace detail {

/// A vibrated system of which one phase turns; the others stand where the work says.
template <vibrating System, std::size_t Phase> class one_phase_view {
    using T = scalar_of<System>;
    static constexpr std::size_t all = System::phase_count;

public:
    using space_type = typename System::space_type;
    using scalar = T;
    using vector = vector_of<System>;
    using state = state_of<System>;
    using angles = T;
    static constexpr std::size_t phase_count = 1;
    static constexpr bool uses_velocity = System::uses_velocity;

    struct work_type {
        work_of<System> inner;
        std::array<T, all> standing{};
        static auto members(auto& self) { return std::tie(self.inner, self.standing); }
    };

    explicit one_phase_view(System system) : system_(std::move(system)) {}
    [[nodiscard]] System const& whole() const { return system_; }
    [[nodiscard]] auto const& space() const { return system_.space(); }
    [[nodiscard]] work_type work() const { return {system_.work()}; }
    void count(work_type const& work, statistics& counts) const { system_.count(work.inner, counts); }
    [[nodiscard]] std::array<T, 1> frequencies() const { return {system_.frequencies()[Phase]}; }
    [[nodiscard]] angles phase_at(T t) const { return system_.phase_at(t)[Phase]; }
    [[nodiscard]] angles turned(angles const& theta, T elapsed) const {
        return theta + system_.frequencies()[Phase] * elapsed;
    }
    [[nodiscard]] static angles packed(std::array<T, 1> const& theta) { return theta[0]; }
    void acceleration_at(T t, angles const& theta, vector const& q, vector const& v, vector& out,
                         work_type& work) const {
        auto phases = work.standing;
        phases[Phase] = theta;
        system_.acceleration_at(t, phases, q, v, out, work.inner);
    }

private:
    System system_;
};

} // namespace detail

/// The mean of a vibrated system over one of its phases: a vibrated system in the others. Made by `effective_over`.
template <vibrating System, std::size_t Phase, class Micro> class partly_averaged_system {
    using T = scalar_of<System>;
    using view = detail::one_phase_view<System, Phase>;
    using mean = asynchronous_system<view, Micro, false>;
    static constexpr std::size_t all = System::phase_count;
    static_assert(
        all != any_phases && all > 1 && Phase < all,
        "effective_over needs a system with several phases, known when it is compiled, and the number of one");

public:
    using space_type = typename System::space_type;
    using scalar = T;
    using vector = vector_of<System>;
    using state = state_of<System>;
    using angles = phases<T, all - 1>;
    static constexpr std::size_t phase_count = all - 1;
    static constexpr bool uses_velocity = false;
    using work_type = typename mean::work_type;

    partly_averaged_system(System system, asynchronous<Micro> const& closure)
        : mean_(view(std::move(system)), closure.window, closure.micro, 0) {
        auto const w = mean_.system().whole().frequencies();
        for (std::size_t j = 0; j < all; ++j)
            if (j != Phase && !(w[j] * T(mean_.window_length()) < two_pi<T>))
                throw does_not_apply("the window over phase " + std::to_string(Phase + 1) + " is " +
                                     show(mean_.window_length()) + " long, and phase " + std::to_string(j + 1) +
                                     " turns within it; average over the fastest phase first");
    }

    [[nodiscard]] auto const& space() const { return mean_.space(); }
    [[nodiscard]] work_type work() const { return mean_.work(); }
    void count(work_type const& work, statistics& counts) const { mean_.count(work, counts); }
    [[nodiscard]] std::array<T, all - 1> frequencies() const { return without(mean_.system().whole().frequencies()); }
    [[nodiscard]] angles phase_at(T t) const { return packed(without(mean_.system().whole().phase_at(t))); }
    [[nodiscard]] angles turned(angles const& theta, T elapsed) const {
        auto later = unpacked(theta);
        auto const w = frequencies();
        for (std::size_t j = 0; j < later.size(); ++j) later[j] += w[j] * elapsed;
        return packed(later);
    }
    [[nodiscard]] static angles packed(std::array<T, all - 1> const& theta) {
        if constexpr (all == 2) return theta[0];
        else return theta;
    }

    void acceleration_at(T t, angles const& theta, vector const& q, vector const&, vector& out, work_type& work) const {
        auto const rest = unpacked(theta);
        for (std::size_t j = 0, k = 0; j < all; ++j)
            if (j != Phase) work.inner.standing[j] = rest[k++];
        mean_.acceleration(t, q, out, work);
    }
    void acceleration(T t, vector const& q, vector& out, work_type& work) const {
        acceleration_at(t, phase_at(t), q, q, out, work);
    }

    void lower(T t, state& x, work_type& work) const {
        work.inner.standing = mean_.system().whole().phase_at(t);
        mean_.lower(t, x, work);
    }
    void lift(T t, state& x, work_type& work) const {
        work.inner.standing = mean_.system().whole().phase_at(t);
        mean_.lift(t, x, work);
    }

private:
    [[nodiscard]] static std::array<T, all - 1> without(std::array<T, all> const& theta) {
        std::array<T, all - 1> rest{};
        for (std::size_t j = 0, k = 0; j < all; ++j)
            if (j != Phase) rest[k++] = theta[j];
        return rest;
    }
    [[nodiscard]] static std::array<T, all - 1> unpacked(angles const& theta) {
        if constexpr (all == 2) return {theta};
        else return theta;
    }

    mean mean_;
};

/// Averages over the phase of that number, asynchronously; the others stand still in its windows, so they must be far
/// slower: `effective(effective_over<0>(system, fast_window), slow_window)` follows three scales.
template <std::size_t Phase, vibrating System, class Micro>
[[nodiscard]] auto effective_over(System system, asynchronous<Micro> const& closure) {
    return partly_averaged_system<System, Phase, Micro>(std::move(system), closure);
}

} // namespace lento
