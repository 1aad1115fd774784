#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/constraint/constrained.hpp>
#include <lento/constraint/family.hpp>
#include <lento/constraint/fast_band.hpp>
#include <lento/constraint/stiff.hpp>
#include <lento/system/misuse.hpp>
#include <lento/system/plain.hpp>

namespace lento {

/// A stiff system of run-time size: M q'' = F - sum_j omega_j^2 g_j grad g_j, the springs a family of which each
/// reaches few coordinates. Make one with `stiff` or `relaxed`. Its work and memory grow with the number of springs, no
/// faster.
template <second_order Slow, class Springs> class stiff_family_system {
public:
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = motion<vector>;
    using multiplier_vector = std::vector<double>;
    static constexpr bool uses_velocity = Slow::uses_velocity;

    struct work_type {
        work_of<Slow> inner;
        constraint_work springs;
    };

    stiff_family_system(Slow slow, Springs springs, std::vector<double> omegas)
        : slow_(std::move(slow)), springs_(std::move(springs)), omegas_(std::move(omegas)) {
        require_size("the list of the springs' frequencies", omegas_.size(), springs_.size());
        for (std::size_t j = 0; j < omegas_.size(); ++j) {
            require_positive("the frequency of spring " + std::to_string(j + 1), omegas_[j]);
            squares_.push_back(omegas_[j] * omegas_[j]);
        }
        springs_.check(slow_.mass());
    }

    [[nodiscard]] auto const& space() const { return slow_.space(); }
    [[nodiscard]] auto const& mass() const { return slow_.mass(); }
    [[nodiscard]] std::vector<double> const& frequencies() const { return omegas_; }
    [[nodiscard]] work_type work() const { return {slow_.work(), {}}; }
    void count(work_type const& work, statistics& counts) const {
        slow_.count(work.inner, counts);
        work.springs.count(counts);
    }

    void acceleration(double t, vector const& q, vector& out, work_type& work) const
        requires(!uses_velocity)
    {
        slow_.acceleration(t, q, out, work.inner);
        springs_.add_springs(t, q, squares_, out);
    }
    void acceleration(double t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(uses_velocity)
    {
        slow_.acceleration(t, q, v, out, work.inner);
        springs_.add_springs(t, q, squares_, out);
    }

    /// g(q, t)
    [[nodiscard]] multiplier_vector stretch(double t, vector const& q, work_type& work) const {
        auto g = springs_.zeros();
        springs_.values(t, q, g, work.springs);
        return g;
    }
    /// dg/dt along a motion of velocity v
    [[nodiscard]] multiplier_vector stretch_rate(double t, vector const& q, vector const& v, work_type& work) const {
        auto rate = springs_.zeros();
        springs_.rate(t, q, v, rate, work.springs);
        return rate;
    }
    /// lambda_j = omega_j^2 g_j: the multipliers of the limit, where q is a slow point
    [[nodiscard]] multiplier_vector multipliers_at(double t, vector const& q, work_type& work) const {
        auto lambda = stretch(t, q, work);
        for (std::size_t j = 0; j < lambda.size(); ++j) lambda[j] *= squares_[j];
        return lambda;
    }
    /// The frequencies of the fast motion at q, ascending; of more than a few springs the slowest, the fastest, and
    /// some between them that stand for the rest.
    [[nodiscard]] std::vector<double> fast_band(double t, vector const& q, work_type& work) const {
        auto const at = linearised(t, q, work);
        vector moved(q.size());
        auto scaled = springs_.zeros();
        auto const weigh = [this](auto const& x, auto& out, double power) {
            for (std::size_t j = 0; j < out.size(); ++j) out[j] = x[j] * std::pow(omegas_[j], power);
        };
        return detail::fast_band(
            springs_.size(),
            [&](std::vector<double> const& x, std::vector<double>& out) {
                std::fill(moved.begin(), moved.end(), 0.);
                weigh(x, scaled, 1);
                springs_.pull(at, -1, scaled, moved);
                springs_.along(at, moved, out);
                weigh(out, out, 1);
            },
            [&](std::vector<double> const& x, std::vector<double>& out) {
                weigh(x, out, -1);
                springs_.solve(at, out);
                weigh(out, out, -1);
            });
    }
    /// The largest frequency that the slow force alone gives to motions along g = 0: differences of the force, a few of
    /// them.
    [[nodiscard]] double slow_frequency(double t, vector const& q, vector const& v, work_type& work) const {
        auto const at = linearised(t, q, work);
        auto along = springs_.zeros();
        vector here(q.size());
        vector there(q.size());
        vector moved(q.size());
        slow_acceleration(t, q, v, here, work);
        return detail::slow_frequency(q, [&](vector const& direction, double distance, vector& out) {
            auto const tangent = [&](vector& x) {
                springs_.along(at, x, along);
                springs_.solve(at, along);
                springs_.pull(at, 1, along, x);
            };
            moved = direction;
            tangent(moved);
            for (std::size_t i = 0; i < q.size(); ++i) moved[i] = q[i] + distance * moved[i];
            slow_acceleration(t, moved, v, there, work);
            for (std::size_t i = 0; i < q.size(); ++i) out[i] = (there[i] - here[i]) / distance;
            tangent(out);
        });
    }

    /// The constrained system that the springs turn into when they harden: g = 0.
    [[nodiscard]] auto limit() const { return constrained_system<Slow, Springs>(slow_, springs_); }

private:
    [[nodiscard]] typename Springs::linear linearised(double t, vector const& q, work_type& work) const {
        auto at = springs_.start();
        if (!springs_.linearise(t, q, mass(), at, work.springs)) throw misuse(work.springs.failed.message);
        return at;
    }
    void slow_acceleration(double t, vector const& q, vector const& v, vector& out, work_type& work) const {
        if constexpr (uses_velocity) slow_.acceleration(t, q, v, out, work.inner);
        else slow_.acceleration(t, q, out, work.inner);
    }

    Slow slow_;
    Springs springs_;
    std::vector<double> omegas_;
    std::vector<double> squares_;
};

namespace detail {

template <second_order Slow, std::size_t Reach, class Where, class G>
[[nodiscard]] auto stiff_family(Slow slow, std::vector<double> omegas, constraint_family<Reach, Where, G> given) {
    using springs = sparse_constraints<Reach, G>;
    std::size_t const coordinates = slow.space().size();
    return stiff_family_system<Slow, springs>(std::move(slow), springs(coordinates, std::move(given)),
                                              std::move(omegas));
}

} // namespace detail

/// A stiff system of run-time size: `stiff(dynamic(n), slow_force, spring{w, family<2>(count, where, g)})`, the force
/// as for `plain`.
template <class Force, std::size_t Reach, class Where, class G>
    requires(!detail::some_mass<Force>)
[[nodiscard]] auto stiff(dynamic space, Force force, spring<constraint_family<Reach, Where, G>> given) {
    std::size_t const count = given.function.count;
    return detail::stiff_family(plain(space, std::move(force)), std::vector<double>(count, given.omega),
                                std::move(given.function));
}
template <detail::some_mass Mass, class Force, std::size_t Reach, class Where, class G>
[[nodiscard]] auto stiff(dynamic space, Mass mass, Force force, spring<constraint_family<Reach, Where, G>> given) {
    std::size_t const count = given.function.count;
    return detail::stiff_family(plain(space, std::move(mass), std::move(force)),
                                std::vector<double>(count, given.omega), std::move(given.function));
}
/// The same with a frequency for each spring, on any system of run-time size: `stiff(plain(dynamic(n), mass, f),
/// omegas, family<2>(count, where, g))`.
template <second_order Slow, std::size_t Reach, class Where, class G>
[[nodiscard]] auto stiff(Slow slow, std::vector<double> omegas, constraint_family<Reach, Where, G> given) {
    return detail::stiff_family(std::move(slow), std::move(omegas), std::move(given));
}

/// A system with a family of constraints seen as a stiff one: every constraint g becomes a spring of frequency omega.
template <second_order Slow, std::size_t Reach, class G>
[[nodiscard]] auto relaxed(double omega, constrained_system<Slow, sparse_constraints<Reach, G>> const& system) {
    return stiff_family_system<Slow, sparse_constraints<Reach, G>>(
        system.unconstrained(), system.constraints(), std::vector<double>(system.constraints().size(), omega));
}

} // namespace lento
