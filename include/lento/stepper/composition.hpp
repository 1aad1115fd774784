#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <lento/base/misuse.hpp>
#include <lento/base/option.hpp>
#include <lento/stepper/combination.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/stepper/verlet.hpp>

namespace lento {

namespace detail {

/// The whole symmetric row of a composition's gammas, in the scalar of the run.
template <class Method, class T> inline constexpr auto composition_row = [] {
    constexpr std::size_t half = Method::gammas.size();
    std::array<T, 2 * half - 1> row{};
    for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = static_cast<T>(Method::gammas[i < half ? i : row.size() - 1 - i]);
    return row;
}();

/// Verlet's memory, and what the state lacks of the exact sum of the steps.
template <class V> struct compensated_verlet_memory : verlet::memory_in<V> {
    bool compensates = false;
    motion<V> lost{};
    static auto members(auto& self) { return std::tie(self.acceleration, self.fresh, self.lost); }
};

} // namespace detail

/// A symmetric composition of steps gamma_i h of Verlet (or RATTLE): reversible, and symplectic where that is. Method
/// gives the first half of the symmetric row of gammas, the middle one included.
template <class Method, class Base = verlet> struct composition {
    double step = 0;
    bool compensated = true;

    static constexpr std::string_view name = Method::name;
    static constexpr int order = Method::order;
    static constexpr bool is_adaptive = false;
    static constexpr bool checks_rows = order >= 8 && std::is_same_v<Base, verlet>;
    static constexpr bool can_compensate = std::is_same_v<Base, verlet>; ///< constraints are met anew in every step
    static constexpr auto options() {
        if constexpr (can_compensate)
            return std::tuple{step_option(&composition::step), compensated_option(&composition::compensated)};
        else return std::tuple{step_option(&composition::step)};
    }

    template <class S> using memory =
        typename std::conditional_t<can_compensate, std::type_identity<detail::compensated_verlet_memory<vector_of<S>>>,
                                    std::type_identity<typename Base::template memory<S>>>::type;
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(force_of_position<S>,
                      "a composition of Verlet or RATTLE steps needs a force that does not depend on "
                      "the velocity; use a Runge-Kutta method for this system");
        if constexpr (second_order<S>)
            if (needs_velocity(system))
                throw does_not_apply("a composition of Verlet steps needs a force that does not depend on the "
                                     "velocity, and this one does; use a Runge-Kutta method");
        if constexpr (can_compensate) return {Base{}.start(system)};
        else return Base{}.start(system);
    }
    /// Before a run: windows are too short for sums to matter.
    template <class V> void compensate(detail::compensated_verlet_memory<V>& m) const {
        m.compensates = compensated;
        if (!compensated) return;
        m.lost = {m.acceleration, m.acceleration};
        for (V* const lost : {&m.lost.position, &m.lost.velocity}) std::fill(lost->begin(), lost->end(), 0);
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        Base{}.prepare(system, t, x, m, work);
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        if constexpr (can_compensate)
            if (m.compensates) return add_steps(system, t, h, x, m, work);
        T done(0);
        for (T const& gamma : detail::composition_row<Method, T>) {
            Base{}.advance(system, t + done * h, gamma * h, x, m, work);
            done += gamma;
        }
    }

private:
    /// The same with compensated sums, in leapfrog form: the kicks between two steps are one.
    template <class S> static void add_steps(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x,
                                             memory<S>& m, work_of<S>& work) {
        using T = scalar_of<S>;
        constexpr auto const& row = detail::composition_row<Method, T>;
        Base{}.prepare(system, t, x, m, work);
        T done(0);
        T kick = h * row[0] / T(2);
        for (std::size_t k = 0; k < row.size(); ++k) {
            T const drift = h * row[k];
            detail::for_each_index<vector_of<S>>(x.position.size(), [&](std::size_t i) {
                detail::add_compensated(x.velocity[i], kick * m.acceleration[i], m.lost.velocity[i]);
                m.lost.position[i] += drift * m.lost.velocity[i];
                detail::add_compensated(x.position[i], drift * x.velocity[i], m.lost.position[i]);
            });
            done += row[k];
            evaluate(system, t + done * h, x, m.acceleration, work);
            kick = h * (row[k] + (k + 1 < row.size() ? row[k + 1] : T(0))) / T(2);
        }
        detail::for_each_index<vector_of<S>>(x.position.size(), [&](std::size_t i) {
            detail::add_compensated(x.velocity[i], kick * m.acceleration[i], m.lost.velocity[i]);
        });
    }
    template <class S> static constexpr bool force_of_position =
        separable<S> || requires(S const& system, scalar_of<S> t, vector_of<S> const& q, vector_of<S>& out,
                                 work_of<S>& work) { system.active_acceleration(t, q, out, work); };
};

/// Suzuki's composition of order 4 (1990): five steps with gamma = 1/(4 - 4^(1/3)).
struct composition4_method {
    static constexpr std::string_view name = "composition4";
    static constexpr int order = 4;
    static constexpr std::array<long double, 3> gammas = {0.41449077179437573714L, 0.41449077179437573714L,
                                                          -0.65796308717750294857L};
};

/// Kahan and Li's composition of order 6 with nine steps (1997).
struct composition6_method {
    static constexpr std::string_view name = "composition6";
    static constexpr int order = 6;
    static constexpr std::array<long double, 5> gammas = {0.39216144400731413928L, 0.33259913678935943860L,
                                                          -0.70624617255763935981L, 0.08221359629355080023L,
                                                          0.79854399093482996340L};
};

/// Kahan and Li's composition of order 8 with seventeen steps (1997).
struct composition8_method {
    static constexpr std::string_view name = "composition8";
    static constexpr int order = 8;
    static constexpr std::array<long double, 9> gammas = {
        0.13020248308889008088L, 0.56116298177510838456L,  -0.38947496264484728641L,
        0.15884190655515560090L, -0.39590389413323757734L, 0.18453964097831570709L,
        0.25837438768632204729L, 0.29501172360931029887L,  -0.60550853383003451170L};
};

using composition4 = composition<composition4_method>;
using composition6 = composition<composition6_method>;
using composition8 = composition<composition8_method>;

} // namespace lento
