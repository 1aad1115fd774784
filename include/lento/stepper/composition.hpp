#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

#include <lento/base/misuse.hpp>
#include <lento/base/option.hpp>
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

} // namespace detail

/// A symmetric composition of steps gamma_i h of Verlet (or RATTLE): reversible, and symplectic where that is. Method
/// gives the first half of the symmetric row of gammas, the middle one included.
template <class Method, class Base = verlet> struct composition {
    double step = 0;

    static constexpr std::string_view name = Method::name;
    static constexpr int order = Method::order;
    static constexpr bool is_adaptive = false;
    static constexpr auto options() { return std::tuple{step_option(&composition::step)}; }

    template <class S> using memory = typename Base::template memory<S>;
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(force_of_position<S>,
                      "a composition of Verlet or RATTLE steps needs a force that does not depend on "
                      "the velocity; use a Runge-Kutta method for this system");
        if constexpr (second_order<S>)
            if (needs_velocity(system))
                throw does_not_apply("a composition of Verlet steps needs a force that does not depend on the "
                                     "velocity, and this one does; use a Runge-Kutta method");
        return Base{}.start(system);
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        Base{}.prepare(system, t, x, m, work);
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        using T = scalar_of<S>;
        T done(0);
        for (T const& gamma : detail::composition_row<Method, T>) {
            Base{}.advance(system, t + done * h, gamma * h, x, m, work);
            done += gamma;
        }
    }

private:
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
