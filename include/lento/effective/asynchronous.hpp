#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/effective/evenness.hpp>
#include <lento/effective/micro_window.hpp>
#include <lento/effective/oscillation.hpp>
#include <lento/effective/window.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/newton.hpp>

namespace lento {

/// Every window starts at rest at the slow position, with all phases zero (Algorithm 2 of paper 001). The effective
/// force then depends on the position alone, so that symplectic and multistep methods apply; it carries a bias of
/// O(1/omega) by design. Half windows suffice when the force is even in theta, which is checked and rechecked.
template <class Micro = verlet> struct asynchronous {
    lento::window window;
    Micro micro;
    asynchronous(lento::window over, Micro stepper = {}) : window(std::move(over)), micro(std::move(stepper)) {}
};

/// As `asynchronous`, but started so that the filtered displacement and velocity vanish, and held in place by the mean
/// force: first a window from rest to see what they are, then corrected ones. Removes the O(1/omega) bias, at the cost
/// of one window per correction; two corrections serve any force, one a force that is even in theta.
template <class Micro = verlet> struct centred {
    lento::window window;
    Micro micro;
    int corrections = 2;
    centred(lento::window over, Micro stepper = {}, int rounds = 2)
        : window(std::move(over)), micro(std::move(stepper)), corrections(rounds) {}
};

namespace detail {

/// What an effective system forwards of its constraints: the averaged motion obeys the same ones (paper 001, appendix
/// B).
template <class System> struct forwarded_constraints {};
template <constrained_motion System> struct forwarded_constraints<System> {
    using constraints_type = constraints_of<System>;
    template <class Work> [[nodiscard]] static auto& constraint_work(Work& work) {
        return System::constraint_work(work.inner);
    }
    /// The window's mean of the multipliers, at the last evaluation.
    template <class Work> [[nodiscard]] static auto const& mean_multipliers(Work const& work) { return work.mean_load; }
};

/// Room for putting a state back onto the constraints; none without them.
template <class System> struct projection_room {
    [[nodiscard]] static projection_room make(System const&) { return {}; }
};
template <constrained_motion System> struct projection_room<System> {
    typename constraints_of<System>::linear at;
    newton_room<System> newton;
    [[nodiscard]] static projection_room make(System const& system) {
        return {system.constraints().start(), make_newton_room(system)};
    }
};

} // namespace detail

/// The slow motion of a vibrated system, its force averaged over windows that start alike. Made by `effective`. With
/// constraints it returns the whole filtered force, and forwards them.
template <vibrating System, class Micro, bool Centred> class asynchronous_system
    : public detail::forwarded_constraints<System> {
    using runner = micro_window<System, Micro>;

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;
    static_assert(
        !System::uses_velocity,
        "an asynchronous or centred start forgets the velocity, but this force depends on it; use synchronous");

    struct work_type : runner::work_type {
        typename slow_state_map<System>::work_type map;
        evenness even;
        vector zero;
        vector start_position;
        vector start_velocity;
        vector holding;
        [[no_unique_address]] detail::projection_room<System> room;
        static auto members(auto& self) {
            return std::tuple_cat(runner::work_type::members(self), std::tie(self.even));
        }
    };

    asynchronous_system(System system, window const& options, Micro micro, int corrections)
        : window_(std::move(system), options, std::move(micro)), map_(window_.system()), corrections_(corrections) {
        if (options.side != support::centred)
            throw misuse("an asynchronous window is symmetric about its start; use synchronous for a one-sided one");
        if constexpr (System::phase_count != 1) {
            auto const phases = window_.system().phase_at(scalar(0));
            auto const frequencies = window_.system().frequencies();
            resonance_ = resonance(std::vector<double>(frequencies.begin(), frequencies.end()),
                                   std::vector<double>(phases.begin(), phases.end()), true);
        }
    }

    [[nodiscard]] auto const& space() const { return window_.system().space(); }
    [[nodiscard]] System const& system() const { return window_.system(); }
    [[nodiscard]] window_plan const& plan() const { return window_.plan(); }
    [[nodiscard]] double window_length() const { return window_.plan().length; }
    [[nodiscard]] double window_length(work_type const&) const { return window_length(); }

    [[nodiscard]] work_type work() const {
        work_type made{window_.work(),
                       map_.work(window_.system()),
                       {},
                       {},
                       {},
                       {},
                       {},
                       detail::projection_room<System>::make(window_.system())};
        made.zero = space().template zeros<scalar>();
        made.start_position = made.zero;
        made.start_velocity = made.zero;
        made.holding = made.zero;
        return made;
    }
    void count(work_type const& work, statistics& counts) const {
        window_.count(work, counts);
        counts.effective_evaluations = work.windows;
    }

    void acceleration(scalar t, vector const& q, vector& out, work_type& work) const
        requires(!constrained_motion<System>)
    {
        average(t, q, out, work);
    }

    /// A last look at what was believed along the way, at the end of a run.
    void confirm(scalar t, state const& x, work_type& work) const {
        if constexpr (Centred) return;
        if (work.failed.happened() || work.windows == 0 || !work.even.holds()) return;
        work.even.probe(window_.system(), t, x.position, work.start_position, work.start_velocity, work.inner);
        if (work.even.in_doubt()) work.failed = not_even(static_cast<double>(t), true);
    }

    void lower(scalar t, state& x, work_type& work) const {
        map_.lower(window_.system(), t, x, work.map, work.inner);
        put_back(t, x.position, x.velocity, work);
    }
    void lift(scalar t, state& x, work_type& work) const {
        map_.lift(window_.system(), t, x, work.map, work.inner);
        put_back(t, x.position, x.velocity, work);
    }

    [[nodiscard]] auto const& constraints() const
        requires(constrained_motion<System>)
    {
        return window_.system().constraints();
    }
    [[nodiscard]] auto const& mass() const
        requires(constrained_motion<System>)
    {
        return window_.system().mass();
    }
    void active_acceleration(scalar t, vector const& q, vector& out, work_type& work) const
        requires(constrained_motion<System>)
    {
        average(t, q, out, work);
    }

private:
    void average(scalar t, vector const& q, vector& out, work_type& work) const {
        if (!resonance_.empty()) work.failed = resonant_phases(static_cast<double>(t), resonance_);
        if (detail::spoil_after_failure(out, work)) return;
        ++work.windows;
        if constexpr (Centred) centred_average(t, q, out, work);
        else rest_average(t, q, out, work);
    }

    /// The oscillation is known to O(1/omega) only; the constraints hold exactly.
    void put_back(scalar t, vector& q, vector& v, work_type& work) const {
        if constexpr (constrained_motion<System>) {
            auto& constraint = System::constraint_work(work.inner);
            System const& system = window_.system();
            if (constraint.failed.happened()) return;
            if (project_position(system, t, q, work.room.at, work.room.newton, constraint))
                project_velocity(system, t, q, v, work.room.at, work.room.newton, constraint);
            else if (!constraint.failed.happened()) {
                detail::worst_constraint const worst(work.room.newton.residual);
                constraint.failed = detail::constraints_cannot_be_met(static_cast<double>(t), worst.which, worst.miss);
            }
        } else {
            static_cast<void>(t), static_cast<void>(q), static_cast<void>(v), static_cast<void>(work);
        }
    }
    /// A window is held by a force along the constraints, so that it does not enter the multipliers.
    void keep_tangential(scalar t, vector const& q, vector& force, work_type& work) const {
        if constexpr (constrained_motion<System>) {
            auto& constraint = System::constraint_work(work.inner);
            System const& system = window_.system();
            if (constraint.failed.happened() ||
                !system.constraints().linearise(t, q, system.mass(), work.room.at, constraint))
                return;
            auto& normal = work.room.newton.residual;
            system.constraints().along(work.room.at, force, normal);
            system.constraints().solve(work.room.at, normal);
            system.constraints().pull(work.room.at, scalar(1), normal, force);
        } else {
            static_cast<void>(t), static_cast<void>(q), static_cast<void>(force), static_cast<void>(work);
        }
    }

    void rest_average(scalar t, vector const& q, vector& out, work_type& work) const {
        if (work.even.due(work.windows))
            work.even.probe(window_.system(), t, q, work.start_position, work.start_velocity, work.inner);
        bool const even = work.even.holds();
        if (work.even.in_doubt() || (!even && window_.plan().exact_mean)) {
            work.failed = not_even(static_cast<double>(t), work.even.in_doubt());
            detail::spoil_after_failure(out, work);
            return;
        }
        window_.template average<false>({t, scalar(0), {}, q, work.zero, even}, out, work);
    }

    void centred_average(scalar t, vector const& q, vector& out, work_type& work) const {
        work.start_position = q;
        work.start_velocity = work.zero;
        window_.template average<true>({t, scalar(0), {}, work.start_position, work.start_velocity}, out, work);
        for (int round = 0; round < corrections_ && !work.failed.happened(); ++round) {
            // the filtered position is start + displacement; the start moves by what that misses q
            for (std::size_t i = 0; i < q.size(); ++i)
                work.start_position[i] -= work.start_position[i] + work.displacement[i] - q[i];
            add_scaled(work.start_velocity, scalar(-1), work.velocity);
            work.holding = out;
            put_back(t, work.start_position, work.start_velocity, work);
            keep_tangential(t, q, work.holding, work);
            window_.template average<true, true>(
                {t, scalar(0), {}, work.start_position, work.start_velocity, false, &work.holding}, out, work);
        }
        detail::spoil_after_failure(out, work);
    }

    runner window_;
    slow_state_map<System> map_;
    int corrections_;
    std::string resonance_; // of several phases: starting them all at zero would forget it
};

/// The effective system of a vibrated one under a closure: `effective(system, asynchronous{one_period{.steps = 80}})`.
template <vibrating System, class Micro>
[[nodiscard]] auto effective(System system, asynchronous<Micro> const& closure) {
    return asynchronous_system<System, Micro, false>(std::move(system), closure.window, closure.micro, 0);
}
template <vibrating System, class Micro> [[nodiscard]] auto effective(System system, centred<Micro> const& closure) {
    if (closure.corrections < 1)
        throw misuse("a centred start needs at least one correction, but it has " +
                     std::to_string(closure.corrections));
    return asynchronous_system<System, Micro, true>(std::move(system), closure.window, closure.micro,
                                                    closure.corrections);
}

} // namespace lento
