#pragma once

#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include <lento/base/misuse.hpp>
#include <lento/base/option.hpp>
#include <lento/stepper/stepper.hpp>

namespace lento {
namespace detail {

/// A visitor that wants velocities, and takes the displacement of a step for one.
template <class Visit, class S>
concept takes_displacements = requires(Visit& visit, vector_of<S> const& a, state_of<S>& x, scalar_of<S> number) {
    visit.sample_kick_and_drift(1, a, x, number, number);
};

} // namespace detail

/// Stormer-Verlet. Fitted to a frequency w it is exact for x'' = cos(w t): h^2 becomes 2 (1 - cos(w h))/w^2
/// (Gautschi 1961 for that forcing); three steps per period then suffice for a harmonic force.
struct verlet {
    double step = 0;
    double fitted_to = 0;

    static constexpr std::string_view name = "verlet";
    static constexpr int order = 2;
    static constexpr bool is_adaptive = false;
    static constexpr auto options() {
        return std::tuple{
            step_option(&verlet::step),
            option{"fitted_to", &verlet::fitted_to, "the frequency it is exact for; 0: none", not_negative, "1/time"}};
    }

    template <class V> struct memory_in {
        V acceleration;
        bool fresh = false;
        V half_step_velocity{}; // only for forces that depend on the velocity
        [[nodiscard]] V const& derivative() const { return acceleration; }
        static auto members(auto& self) { return std::tie(self.acceleration, self.fresh); }
    };
    template <class S> using memory = memory_in<vector_of<S>>;

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(second_order<S>, "Verlet integrates second-order systems; use a Runge-Kutta method for this one");
        if (fitted_to != 0) require_positive("the frequency that Verlet is fitted to", fitted_to);
        memory<S> m{system.space().template zeros<scalar_of<S>>()};
        if constexpr (velocity_dependent<S>) m.half_step_velocity = m.acceleration;
        return m;
    }

    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        evaluate(system, t, x, m.acceleration, work);
        m.fresh = true;
    }

    /// The one-step form. A force that depends on the velocity sees the prediction v_{n+1/2} + (h/2) a_n
    /// (Algorithm 1 of paper 001).
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        prepare(system, t, x, m, work);
        auto const half_kick = kick(h) / 2;
        kick_and_drift(x.velocity, x.position, m.acceleration, half_kick, h);
        if constexpr (!velocity_dependent<S>) {
            evaluate(system, t + h, x, m.acceleration, work);
            add_scaled(x.velocity, half_kick, m.acceleration);
        } else {
            m.half_step_velocity = x.velocity;
            add_scaled(x.velocity, half_kick, m.acceleration);
            evaluate(system, t + h, x, m.acceleration, work);
            set_sum(x.velocity, m.half_step_velocity, half_kick, m.acceleration);
        }
    }

    /// The leapfrog form: the same positions with one kick per step. Everything is moved into locals for the length of
    /// the loop of steps, registers for arrays and a pointer swap for vectors, because references alias. The force is
    /// called in one place and flattened, so that the compiler takes it into the loop whatever its size.
    template <class S, class Visit>
        requires(separable<S> && (!Visit::wants_velocity || detail::takes_displacements<Visit, S>))
    [[gnu::flatten]] void take_steps(S const& system, scalar_of<S> t, scalar_of<S> h, int steps, state_of<S>& x,
                                     memory<S>& m, work_of<S>& work, Visit& visit) const {
        using T = scalar_of<S>;
        if (steps <= 0) return;
        prepare(system, t, x, m, work);
        auto local = std::move(x);
        auto a = std::move(m.acceleration);
        auto seen = std::move(visit);
        // the velocity is carried as the displacement of a step, which saves a product between force and position
        T const full_kick = h * kick(h);
        scale_and_add(local.velocity, h, full_kick / 2, a);
        add_scaled(local.position, T(1), local.velocity);
        for (int k = 1;; ++k) {
            system.acceleration(t + T(k) * h, local.position, a, work);
            if (k == steps) break;
            if constexpr (Visit::wants_velocity) {
                seen.sample_kick_and_drift(k, a, local, full_kick, T(1) / h);
            } else if constexpr (requires { seen.kick_and_drift(k, a, local, full_kick, T(1)); }) {
                seen.kick_and_drift(k, a, local, full_kick, T(1));
            } else {
                seen(k, a, local);
                kick_and_drift(local.velocity, local.position, a, full_kick, T(1));
            }
        }
        if constexpr (!Visit::wants_velocity) seen(steps, a, local);
        scale_and_add(local.velocity, T(1) / h, kick(h) / 2, a);
        if constexpr (Visit::wants_velocity) seen(steps, a, local);
        visit = std::move(seen);
        x = std::move(local);
        m.acceleration = std::move(a);
    }

    /// What replaces h in the kick of the velocity.
    template <class T> [[nodiscard]] T kick(T h) const {
        using std::sin;
        if (fitted_to == 0) return h;
        T const half_angle = static_cast<T>(fitted_to) * h / 2;
        T const ratio = sin(half_angle) / half_angle;
        return h * ratio * ratio;
    }
};

/// Symplectic Euler, v first (paper 004's IFE).
struct symplectic_euler {
    double step = 0;

    static constexpr std::string_view name = "symplectic-euler";
    static constexpr int order = 1;
    static constexpr bool is_adaptive = false;
    static constexpr auto options() { return std::tuple{step_option(&symplectic_euler::step)}; }

    template <class S> using memory = verlet::memory<S>;

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(second_order<S>, "symplectic Euler integrates second-order systems; use Euler for this one");
        return {system.space().template zeros<scalar_of<S>>()};
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        verlet{}.prepare(system, t, x, m, work);
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        prepare(system, t, x, m, work);
        kick_and_drift(x.velocity, x.position, m.acceleration, h, h);
        m.fresh = false;
    }
};

} // namespace lento
