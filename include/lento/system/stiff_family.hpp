#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/constraint/family.hpp>
#include <lento/constraint/hard_springs.hpp>
#include <lento/system/constrained.hpp>
#include <lento/system/plain.hpp>
#include <lento/system/stiff.hpp>

namespace lento {

/// A stiff system of run-time size: M q'' = F - sum_j omega_j^2 g_j grad g_j, the springs a family of which each
/// reaches few coordinates. Make one with `stiff` or `relaxed`. Its work and memory grow with the number of springs, no
/// faster.
template <second_order Slow, class Springs> class stiff_family_system
    : public hard_springs<Springs, std::remove_cvref_t<decltype(std::declval<Slow const&>().mass())>> {
    using mechanics = hard_springs<Springs, std::remove_cvref_t<decltype(std::declval<Slow const&>().mass())>>;

public:
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = motion<vector>;
    using multiplier_vector = std::vector<double>;
    static constexpr bool uses_velocity = Slow::uses_velocity;
    static constexpr bool sees_near = true;

    struct work_type {
        work_of<Slow> inner;
        multiplier_vector load; ///< omega_j^2 g_j of the last acceleration
        vector there;
        typename mechanics::spring_work springs;
        static auto members(auto& self) { return std::tie(self.inner, self.load, self.springs); }
    };

    stiff_family_system(Slow slow, Springs springs, std::vector<double> omegas)
        : mechanics(std::move(springs), slow.mass(), std::move(omegas)), slow_(std::move(slow)) {
        for (double const omega : this->frequencies()) squares_.push_back(omega * omega);
    }

    [[nodiscard]] auto const& space() const { return slow_.space(); }
    [[nodiscard]] work_type work() const {
        vector const zeros(space().size());
        return {slow_.work(), this->springs().zeros(), zeros, this->start_springs(zeros)};
    }
    void count(work_type const& work, statistics& counts) const {
        slow_.count(work.inner, counts);
        work.springs.count(counts);
    }

    void acceleration(double t, vector const& q, vector& out, work_type& work) const
        requires(!uses_velocity)
    {
        slow_.acceleration(t, q, out, work.inner);
        this->springs().add_springs(t, q, squares_, out, work.load, work.springs);
    }
    void acceleration(double t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(uses_velocity)
    {
        slow_.acceleration(t, q, v, out, work.inner);
        this->springs().add_springs(t, q, squares_, out, work.load, work.springs);
    }

    /// M^-1 F: the acceleration without the springs.
    void slow_acceleration(double t, vector const& q, [[maybe_unused]] vector const& v, vector& out,
                           work_type& work) const {
        if constexpr (uses_velocity) slow_.acceleration(t, q, v, out, work.inner);
        else slow_.acceleration(t, q, out, work.inner);
    }

    /// As in a system of fixed size: a point near which the springs are seen without cancellation.
    struct place_in_time {
        double t = 0;
        vector q;
        multiplier_vector stretch;
    };
    void acceleration_near(place_in_time const& here, double elapsed, vector const& d, vector& out,
                           work_type& work) const
        requires(!uses_velocity)
    {
        set_sum(work.there, here.q, 1., d);
        slow_.acceleration(here.t + elapsed, work.there, out, work.inner);
        add_springs_near(here, elapsed, d, out, work);
    }
    void acceleration_near(place_in_time const& here, double elapsed, vector const& d, vector const& v, vector& out,
                           work_type& work) const
        requires(uses_velocity)
    {
        set_sum(work.there, here.q, 1., d);
        slow_.acceleration(here.t + elapsed, work.there, v, out, work.inner);
        add_springs_near(here, elapsed, d, out, work);
    }

    /// The largest frequency that the slow force alone gives to motions along g = 0: differences of the force, a few of
    /// them.
    [[nodiscard]] double slow_frequency(double t, vector const& q, vector const& v, work_type& work) const {
        auto& own = work.springs;
        if (!this->springs().linearise(t, q, this->mass(), own.at, own)) throw misuse(own.failed.message);
        vector here(q.size());
        vector there(q.size());
        vector moved(q.size());
        slow_acceleration(t, q, v, here, work);
        return detail::slow_frequency(q, [&](vector const& direction, double distance, vector& out) {
            auto const tangent = [&](vector& x) {
                this->springs().along(own.at, x, own.rate);
                this->springs().solve(own.at, own.rate);
                this->springs().pull(own.at, 1, own.rate, x);
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
    [[nodiscard]] auto limit() const { return constrained_system<Slow, Springs>(slow_, this->springs()); }

private:
    void add_springs_near(place_in_time const& here, double elapsed, vector const& d, vector& out,
                          work_type& work) const {
        this->springs().add_springs_near(here.t, here.q, here.stretch, elapsed, d, squares_, out, work.load,
                                         work.springs);
    }

    Slow slow_;
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
