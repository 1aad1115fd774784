#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/base/option.hpp>
#include <lento/stepper/composition.hpp>
#include <lento/stepper/stepper.hpp>

namespace lento {

/// Verlet for the separable part of a first-order system: positions drift with their velocities for half a step,
/// everything else moves by the midpoint rule with the positions held, and they drift on. The system's own rate must
/// leave the positions alone (see `frozen`). This is how paper 002 integrates the Fermi-Pasta-Ulam chain; a Runge-Kutta
/// step of the same cost gains or loses energy. Method gives the row of a symmetric composition, as for `composition`.
template <class Method> struct drift_kick_composition {
    double step = 0;
    std::vector<std::size_t> positions{};
    std::vector<std::size_t> velocities{};

    static constexpr std::string_view name = Method::name;
    static constexpr int order = Method::order;
    static constexpr bool is_adaptive = false;
    static constexpr auto options() { return std::tuple{step_option(&drift_kick_composition::step)}; }

    template <class S> struct memory {
        vector_of<S> rate;
        vector_of<S> middle;
        vector_of<S> before;
        vector_of<S> secant; ///< stands for the slope, which no evaluation gives
        bool fresh = true;
        [[nodiscard]] vector_of<S> const& derivative() const { return secant; }
        static auto members(auto& self) { return std::tie(self.secant, self.fresh); }
    };
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(first_order<S>, "this Verlet step is for first-order systems; use verlet for a second-order one");
        require_size("the list of velocities", velocities.size(), positions.size());
        for (std::size_t const i : positions)
            if (i >= system.space().size()) throw misuse("there is no variable " + std::to_string(i + 1) + " to drift");
        for (std::size_t const i : velocities)
            if (i >= system.space().size())
                throw misuse("there is no variable " + std::to_string(i + 1) + " to drift by");
        auto const zeros = system.space().template zeros<scalar_of<S>>();
        return {zeros, zeros, zeros, zeros};
    }
    template <class S> void prepare(S const&, scalar_of<S>, state_of<S> const&, memory<S>& m, work_of<S>&) const {
        m.fresh = true;
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        m.before = x.state;
        T done(0);
        for (T const& gamma : detail::composition_row<Method, T>) {
            verlet_step(system, t + done * h, gamma * h, x.state, m, work);
            done += gamma;
        }
        for (std::size_t i = 0; i < m.secant.size(); ++i) m.secant[i] = (x.state[i] - m.before[i]) / h;
    }

private:
    template <class S> void verlet_step(S const& system, scalar_of<S> t, scalar_of<S> h, vector_of<S>& x, memory<S>& m,
                                        work_of<S>& work) const {
        drift(x, h / 2);
        system.rate(t, x, m.rate, work);
        set_sum(m.middle, x, h / 2, m.rate);
        system.rate(t + h / 2, m.middle, m.rate, work);
        add_scaled(x, h, m.rate);
        drift(x, h / 2);
    }
    template <class V, class T> void drift(V& x, T h) const {
        for (std::size_t i = 0; i < positions.size(); ++i) x[positions[i]] += h * x[velocities[i]];
    }
};

/// One Verlet step.
struct single_verlet_method {
    static constexpr std::string_view name = "verlet";
    static constexpr int order = 2;
    static constexpr std::array<long double, 1> gammas = {1};
};

using drift_kick = drift_kick_composition<single_verlet_method>;
using drift_kick4 = drift_kick_composition<composition4_method>;
using drift_kick6 = drift_kick_composition<composition6_method>;
using drift_kick8 = drift_kick_composition<composition8_method>;

} // namespace lento
