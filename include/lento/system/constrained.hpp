#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <utility>

#include <lento/base/arithmetic.hpp>
#include <lento/base/force.hpp>
#include <lento/base/mass.hpp>
#include <lento/base/space.hpp>
#include <lento/constraint/dense.hpp>
#include <lento/constraint/work.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/plain.hpp>

namespace lento {

/// M q'' = F - g'^T lambda, g = 0: what SHAKE and RATTLE see, on either scale. `active_acceleration` is M^-1 F.
template <class S>
concept constrained_motion = system_like<S> && requires(S const& system, work_of<S>& work, vector_of<S>& v) {
    typename S::constraints_type;
    { system.constraints() } -> std::convertible_to<typename S::constraints_type const&>;
    { system.constraint_work(work) } -> std::same_as<typename S::constraints_type::work_type&>;
    system.mass().divide(v);
};

template <class S> using constraints_of = typename S::constraints_type;
/// What the constraints of a system count and write in a run; it begins with a `constraint_work`.
template <class S> using constraint_work_of = typename S::constraints_type::work_type;
template <class S> using multipliers_of = typename S::constraints_type::multipliers;

/// The active force does not depend on the velocity.
template <class S>
concept separable_active =
    constrained_motion<S> && requires(S const& system, scalar_of<S> t, vector_of<S> const& q, vector_of<S>& out,
                                      work_of<S>& work) { system.active_acceleration(t, q, out, work); };

namespace detail {

/// A system inside another one, and what it has besides where it has phases: a vibrated system stays one.
template <class System> class forwarded_phases {
protected:
    explicit forwarded_phases(System system) : system_(std::move(system)) {}
    System system_;
};
template <class System>
    requires requires { typename System::angles; }
class forwarded_phases<System> {
public:
    using angles = typename System::angles;
    static constexpr std::size_t phase_count = System::phase_count;
    static constexpr bool uses_time = System::uses_time;
    template <class Theta> [[nodiscard]] static angles packed(Theta const& theta) { return System::packed(theta); }
    [[nodiscard]] auto const& frequencies() const { return system_.frequencies(); }
    [[nodiscard]] auto phase_at(scalar_of<System> t) const { return system_.phase_at(t); }
    template <class Angles> [[nodiscard]] auto turned(Angles const& theta, scalar_of<System> elapsed) const {
        return system_.turned(theta, elapsed);
    }

protected:
    explicit forwarded_phases(System system) : system_(std::move(system)) {}
    System system_;
};

} // namespace detail

/// A system with constraints added: a plain one or a vibrated one. Make one with `constrain` or `constrained`.
template <second_order System, class Constraints> class constrained_system : public detail::forwarded_phases<System> {
public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;
    using constraints_type = Constraints;
    static constexpr bool uses_velocity = System::uses_velocity;

    struct work_type {
        work_of<System> inner;
        decltype(std::declval<Constraints const&>().work()) constraint;
        typename Constraints::linear at;
        typename Constraints::multipliers lambda;
        typename Constraints::multipliers bend;
        static auto members(auto& self) { return std::tie(self.inner, self.constraint); }
    };

    constrained_system(System system, Constraints constraints)
        : detail::forwarded_phases<System>(std::move(system)), constraints_(std::move(constraints)) {
        constraints_.check(system_.mass());
    }

    [[nodiscard]] auto const& space() const { return system_.space(); }
    [[nodiscard]] auto const& mass() const { return system_.mass(); }
    [[nodiscard]] Constraints const& constraints() const { return constraints_; }
    [[nodiscard]] System const& unconstrained() const { return system_; }
    [[nodiscard]] work_type work() const {
        return {system_.work(), constraints_.work(), constraints_.start(), constraints_.zeros(), constraints_.zeros()};
    }
    [[nodiscard]] static typename Constraints::work_type& constraint_work(work_type& work) { return work.constraint; }
    void count(work_type const& work, statistics& counts) const {
        system_.count(work.inner, counts);
        work.constraint.count(counts);
    }

    void active_acceleration(scalar t, vector const& q, vector& out, work_type& work) const
        requires(!uses_velocity)
    {
        system_.acceleration(t, q, out, work.inner);
    }
    void active_acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(uses_velocity)
    {
        system_.acceleration(t, q, v, out, work.inner);
    }

    // ---- a vibrated system stays one ----

    template <class Angles> void active_at(scalar t, Angles const& theta, vector const& q, vector const& v, vector& out,
                                           work_type& work) const {
        system_.acceleration_at(t, theta, q, v, out, work.inner);
    }
    /// The whole acceleration at given phases, with the constraint forces that keep g'' = 0 at velocity v.
    template <class Angles> void acceleration_at(scalar t, Angles const& theta, vector const& q, vector const& v,
                                                 vector& out, work_type& work) const {
        active_at(t, theta, q, v, out, work);
        if (!constraints_.linearise(t, q, mass(), work.at, work.constraint)) return;
        constraints_.along(work.at, out, work.lambda);
        constraints_.curvature(t, q, v, work.bend, work.constraint);
        for (std::size_t j = 0; j < work.lambda.size(); ++j) work.lambda[j] += work.bend[j];
        constraints_.solve(work.at, work.lambda);
        constraints_.pull(work.at, scalar(1), work.lambda, out);
    }

private:
    using detail::forwarded_phases<System>::system_;
    Constraints constraints_;
};

/// Adds constraints to a system: `constrain(vibrated<4>({.frequency = w}, mass, f), constraints<2>(g))`, or a family of
/// them to a system of run-time size.
template <second_order System, class Given> [[nodiscard]] auto constrain(System system, Given given) {
    auto set = constraints_on(system, std::move(given));
    return constrained_system<System, decltype(set)>(std::move(system), std::move(set));
}

/// M q'' = f - g'^T lambda, g = 0: `constrained<2, 1>(mass(m), f, [=](auto const& q) {...})`, f as for `plain`.
template <std::size_t N, std::size_t M, class T = double, class Mass, class Force, class G>
[[nodiscard]] auto constrained(Mass mass, Force force, G function) {
    return constrain(plain<N, T>(std::move(mass), std::move(force)), constraints<M>(std::move(function)));
}
template <std::size_t N, std::size_t M, class T = double, class Force, class G>
[[nodiscard]] auto constrained(Force force, G function) {
    return constrain(plain<N, T>(std::move(force)), constraints<M>(std::move(function)));
}

} // namespace lento
