#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <lento/base/arithmetic.hpp>
#include <lento/constraint/hard_springs.hpp>
#include <lento/constraint/work.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/newton.hpp>
#include <lento/system/stiff.hpp>

namespace lento::detail {

/// The point nearest to a physical one, in the metric of the mass, where the springs pull with a load; `q` is where the
/// search begins, and what it finds. False where it does not converge, or the gradients are dependent: the work of the
/// springs says how.
template <springs_apart S>
[[nodiscard]] bool nearest_loaded(S const& system, scalar_of<S> t, vector_of<S> const& physical,
                                  typename S::multiplier_vector const& load, vector_of<S>& q, work_of<S>& work) {
    using T = scalar_of<S>;
    auto const& springs = system.springs();
    auto& own = work.springs;
    T size = std::max(max_norm(physical), std::numeric_limits<T>::min());
    T previous(0);
    bool nearest = true;
    auto stretch = load;
    system.to_stretch(stretch);
    for (int iteration = 1; iteration <= most_newton_iterations; ++iteration) {
        ++own.newton_iterations;
        springs.values(t, q, own.stretch, own);
        if (!all_finite(own.stretch) || !springs.linearise(t, q, system.mass(), own.at, own)) break;
        // to the nearest point of the linearised surface, again and again, and at last straight onto it
        vector_of<S> const& from = nearest ? physical : q;
        set_sum(own.moved, from, T(-1), q);
        springs.along(own.at, own.moved, own.lambda);
        for (std::size_t j = 0; j < stretch.size(); ++j) own.lambda[j] += own.stretch[j] - stretch[j];
        springs.solve(own.at, own.lambda);
        own.pull = from;
        springs.pull(own.at, T(1), own.lambda, own.pull);
        set_sum(own.moved, own.pull, T(-1), q);
        T const change = max_norm(own.moved);
        q = own.pull;
        size = std::max(size, max_norm(q));
        constexpr T epsilon = std::numeric_limits<T>::epsilon();
        if (change <= T(64) * epsilon * size) return true;                                  // the next one is rounding
        if (change < previous && change * change <= epsilon * size * previous) return true; // what is left is less
        if (previous > T(0) && change > previous / T(4) &&                                  // rounding
            (change <= T(1e-9) * size || are_linear_along(own.moved, springs, t, q, own.at, own.lambda, own.rate, own)))
            return true;
        if (!all_finite(q)) break;
        nearest = nearest && iteration < most_newton_iterations / 2;
        previous = change;
    }
    if (!own.failed.happened()) {
        worst_constraint const worst(own.stretch);
        own.failed = constraints_cannot_be_met(static_cast<double>(t), worst.which, worst.miss);
    }
    return false;
}

/// Takes from a velocity what does not change the loads at their rate; the springs are linearised at q.
template <springs_apart S> void turn_to_rate(S const& system, scalar_of<S> t, vector_of<S> const& q,
                                             typename S::multiplier_vector const& rate, vector_of<S>& v,
                                             work_of<S>& work) {
    using T = scalar_of<S>;
    auto& own = work.springs;
    own.lambda = rate;
    system.to_stretch(own.lambda);
    system.springs().rate(t, q, v, own.rate, own);
    for (std::size_t j = 0; j < own.rate.size(); ++j) own.rate[j] -= own.lambda[j];
    system.springs().solve(own.at, own.rate);
    system.springs().pull(own.at, T(1), own.rate, v);
}

} // namespace lento::detail
