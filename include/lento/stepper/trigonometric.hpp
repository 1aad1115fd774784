#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <lento/stepper/stepper.hpp>
#include <lento/system/oscillatory.hpp>

/// Integrators that step over the fast oscillations of linear springs: a kick by the slow force, the exact motion of
/// the springs, a kick. They differ in how kick and force are filtered (Hairer, Lubich and Wanner, Geometric Numerical
/// Integration, XIII.2). And the impulse method, which resolves the fast motion by small steps of its own.
namespace lento {

namespace detail {

/// sin(x)/x of x = h sqrt(eigenvalue)
[[nodiscard]] long double sinc_of(long double eigenvalue, long double h);
/// tan(x/2)/(x/2): what makes the positions Gautschi's.
[[nodiscard]] long double tanc_of_half(long double eigenvalue, long double h);
[[nodiscard]] inline long double unity(long double, long double) { return 1; }

} // namespace detail

/// Kick, turn, kick. Method gives `kick` and `force`: functions of the eigenvalues of K that filter the kick and the
/// position at which the slow force is taken.
template <class Method> struct trigonometric {
    double step = 0;

    static constexpr std::string_view name = Method::name;
    static constexpr int order = 2;
    static constexpr bool is_adaptive = false;
    static constexpr bool takes_apart = true;
    static constexpr bool steps_over_oscillations = true;

    template <class S> struct memory {
        scalar_of<S> made_for{}; ///< the step of the matrices below
        std::vector<scalar_of<S>> turn;
        std::vector<scalar_of<S>> kick_filter;
        std::vector<scalar_of<S>> force_filter;
        std::vector<scalar_of<S>> whole;
        std::vector<scalar_of<S>> turned;
        vector_of<S> place;
        vector_of<S> filtered;
        vector_of<S> slow; ///< the filtered slow acceleration
        bool fresh = false;
        [[nodiscard]] vector_of<S> const& derivative() const { return slow; }
        static auto members(auto& self) {
            return std::tie(self.made_for, self.turn, self.kick_filter, self.force_filter, self.slow, self.fresh);
        }
    };

    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(has_linear_springs<S>, "a trigonometric integrator needs x'' = -K x + g(x, t) with a constant "
                                             "matrix K: make the system with `oscillatory`");
        auto const zeros = system.space().template zeros<scalar_of<S>>();
        std::vector<scalar_of<S>> const both(2 * system.space().size());
        return {scalar_of<S>(0), {}, {}, {}, both, both, zeros, zeros, zeros};
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        if (m.made_for == scalar_of<S>(0)) make(system, static_cast<scalar_of<S>>(step), m);
        if constexpr (Method::filters) {
            system.stiffness().apply(m.force_filter, x.position, m.place);
            system.slow_acceleration(t, m.place, m.filtered, work);
            system.stiffness().apply(m.kick_filter, m.filtered, m.slow);
            work.applications += 2;
        } else {
            system.slow_acceleration(t, x.position, m.slow, work);
        }
        m.fresh = true;
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        if (m.made_for != h) {
            make(system, h, m);
            if constexpr (Method::filters) m.fresh = false;
        }
        prepare(system, t, x, m, work);
        add_scaled(x.velocity, h / 2, m.slow);
        std::size_t const n = x.position.size();
        for (std::size_t i = 0; i < n; ++i) {
            m.whole[i] = x.position[i];
            m.whole[n + i] = x.velocity[i];
        }
        system.flow().apply(m.turn, m.whole, m.turned);
        ++work.applications;
        for (std::size_t i = 0; i < n; ++i) {
            x.position[i] = m.turned[i];
            x.velocity[i] = m.turned[n + i];
        }
        m.fresh = false;
        prepare(system, t + h, x, m, work);
        add_scaled(x.velocity, h / 2, m.slow);
    }

private:
    template <class S> static void make(S const& system, scalar_of<S> h, memory<S>& m) {
        std::vector<long double> exact;
        system.flow().exponential(static_cast<long double>(h), m.turn, exact);
        system.stiffness().function(Method::kick, static_cast<long double>(h), m.kick_filter);
        system.stiffness().function(Method::force, static_cast<long double>(h), m.force_filter);
        m.made_for = h;
    }
};

/// Deuflhard 1979: nothing is filtered; the impulse method with an exact fast motion.
struct deuflhard_method {
    static constexpr std::string_view name = "deuflhard";
    static constexpr bool filters = false;
    static constexpr auto kick = detail::unity;
    static constexpr auto force = detail::unity;
};
/// Gautschi 1961: exact for a constant slow force.
struct gautschi_method {
    static constexpr std::string_view name = "gautschi";
    static constexpr bool filters = true;
    static constexpr auto kick = detail::tanc_of_half;
    static constexpr auto force = detail::unity;
};
/// The mollified impulse method (Garcia-Archilla, Sanz-Serna and Skeel 1999): the slow force is that of the position
/// averaged over a step of fast motion.
struct mollified_impulse_method {
    static constexpr std::string_view name = "mollified-impulse";
    static constexpr bool filters = true;
    static constexpr auto kick = detail::sinc_of;
    static constexpr auto force = detail::sinc_of;
};

using deuflhard = trigonometric<deuflhard_method>;
using gautschi = trigonometric<gautschi_method>;
using mollified_impulse = trigonometric<mollified_impulse_method>;

/// The impulse method, Verlet-I or r-RESPA (Grubmuller et al. 1991; Tuckerman, Berne and Martyna 1992): half a kick by
/// the slow force, `inner_steps` Verlet steps under the fast one, half a kick.
struct impulse {
    double step = 0;
    int inner_steps = 10;

    static constexpr std::string_view name = "impulse";
    static constexpr int order = 2;
    static constexpr bool is_adaptive = false;
    static constexpr bool takes_apart = true;
    static constexpr bool steps_over_oscillations = true;

    template <class S> struct memory {
        vector_of<S> slow;
        vector_of<S> fast;
        bool fresh = false;
        std::uint64_t inner_taken = 0;
        [[nodiscard]] vector_of<S> const& derivative() const { return slow; }
        void count(statistics& counts) const { counts.micro_steps += inner_taken; }
        static auto members(auto& self) { return std::tie(self.slow, self.fast, self.fresh, self.inner_taken); }
    };
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(has_slow_force<S>, "the impulse method needs a slow and a fast force: slow_acceleration and "
                                         "fast_acceleration");
        if (inner_steps < 1)
            throw misuse("the impulse method needs at least one inner step, but it has " + std::to_string(inner_steps));
        auto const zeros = system.space().template zeros<scalar_of<S>>();
        return {zeros, zeros};
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        system.slow_acceleration(t, x.position, m.slow, work);
        system.fast_acceleration(x.position, m.fast, work);
        m.fresh = true;
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        prepare(system, t, x, m, work);
        add_scaled(x.velocity, h / 2, m.slow);
        T const inner = h / T(inner_steps);
        for (int k = 0; k < inner_steps; ++k) {
            kick_and_drift(x.velocity, x.position, m.fast, inner / 2, inner);
            system.fast_acceleration(x.position, m.fast, work);
            add_scaled(x.velocity, inner / 2, m.fast);
        }
        m.inner_taken += static_cast<std::uint64_t>(inner_steps);
        system.slow_acceleration(t + h, x.position, m.slow, work);
        add_scaled(x.velocity, h / 2, m.slow);
    }
};

} // namespace lento
