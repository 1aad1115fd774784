#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <lento/effective/fast_energy.hpp>
#include <lento/effective/stiff_window.hpp>
#include <lento/stepper/verlet.hpp>

namespace lento {

/// When the averaged motion is put back onto the slow manifold: every so often, and when the springs hold more than
/// `drift` times the kinetic energy; 0 for never.
struct projection {
    double every = 0;
    double drift = 0;
};

/// Force averaging for stiff systems (paper 000): the slow acceleration at (q, v) is the filtered force of the motion
/// through that point; the initial state is filtered once. Real is the number type inside windows.
template <class Micro = verlet, class Real = double> struct force_averaging {
    lento::window window;
    Micro micro;
    projection back;
    force_averaging(lento::window view, Micro stepper = {}, projection when = {})
        : window(std::move(view)), micro(std::move(stepper)), back(when) {}
};

/// The averaged motion of a stiff system. Made by `effective`.
template <stiff_motion System, class Micro, class Real> class averaged_stiff {
    using inner_system = decltype(detail::in_scalar<Real>(std::declval<System const&>()));
    using runner = stiff_window<inner_system, Micro>;
    using inner_vector = vector_of<inner_system>;
    static constexpr bool converted = !std::is_same_v<Real, scalar_of<System>>;

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;

    struct work_type {
        typename runner::work_type window;
        inner_vector q;
        inner_vector v;
        inner_vector physical;
        leak_watch leak;
        std::uint64_t windows = 0;
        std::uint64_t projections = 0;
        double next_projection = 0;
        stiff_watch<inner_system> watch;
        typename System::multiplier_vector lambda{}; ///< of the last window, in the mean
        failure failed;
        std::vector<warning> warnings;
    };

    averaged_stiff(System const& system, force_averaging<Micro, Real> const& closure, state const& at)
        : window_(detail::in_scalar<Real>(system), closure.micro), back_(closure.back) {
        auto work = system.work();
        auto const band = system.fast_band(scalar(0), at.position, work);
        plan_ = stiff_plan(closure.window, band);
        modes_ = detail::modes_of(system, at, band, work);
        worst_ = worst_mode(plan_, band);
        weights_.assign(plan_.weights.begin() + plan_.before, plan_.weights.end());
    }

    [[nodiscard]] auto const& space() const { return window_.system().space(); }
    [[nodiscard]] auto const& system() const { return window_.system(); }
    [[nodiscard]] window_plan const& plan() const { return plan_; }
    [[nodiscard]] double window_length() const { return plan_.length; }
    [[nodiscard]] mode_range const& modes() const { return modes_; }
    [[nodiscard]] filter_check const& worst() const { return worst_; }

    [[nodiscard]] work_type work() const {
        auto const zeros = space().template zeros<Real>();
        return {.window = window_.work(),
                .q = zeros,
                .v = zeros,
                .physical = zeros,
                .leak = {},
                .watch = {.energy = {}, .band = {}, .last_velocity = zeros, .steps = 0},
                .failed = {},
                .warnings = {}};
    }
    void count(work_type const& work, statistics& counts) const {
        window_.count(work.window, counts);
        counts.effective_evaluations = work.windows;
        counts.projections = work.projections;
        counts.projection_iterations = work.projections;
    }

    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        if (!work.failed.happened()) {
            ++work.windows;
            detail::convert(work.q, q);
            detail::convert(work.v, v);
            if (work.leak.watching()) run<true, false>(t, work);
            else run<false, false>(t, work);
        }
        if (work.failed.happened())
            for (auto& component : out) component = std::numeric_limits<scalar>::quiet_NaN();
        else detail::convert(out, work.window.force);
        if constexpr (runner::tells_loads) {
            work.watch.energy.window(system(), work.window.first_load, work.window.mean_load);
            detail::convert(work.lambda, work.window.mean_load);
        }
    }
    /// lambda = omega^2 g, filtered over the last window
    [[nodiscard]] auto const& multipliers(work_type const& work) const
        requires(runner::tells_loads)
    {
        return work.lambda;
    }

    /// The filtered state: approximately the slow one. Never used for velocities inside a run (section 3.1).
    void lower(scalar t, state& x, work_type& work) const {
        if (work.failed.happened()) return;
        ++work.projections;
        detail::convert(work.q, x.position);
        detail::convert(work.v, x.velocity);
        run<false, true>(t, work);
        bool const first = work.projections == 1;
        if (first) work.physical = work.q;
        for (std::size_t i = 0; i < x.position.size(); ++i)
            x.position[i] = static_cast<scalar>(work.q[i] + work.window.displacement[i]);
        add_scaled(work.q, Real(1), work.window.displacement);
        if (first && !work.failed.happened())
            work.watch.energy.start(system(), static_cast<Real>(t), work.physical, work.v, work.q, work.window.velocity,
                                    work.window.inner);
        detail::convert(x.velocity, work.window.velocity);
        work.next_projection = static_cast<double>(t) + back_.every;
    }

    /// At the end of a step: true when the state was projected back.
    [[nodiscard]] bool revise(scalar t, state& x, work_type& work) const {
        look_around(t, x, work);
        bool due = back_.every > 0 && static_cast<double>(t) >= work.next_projection * (1 - 1e-12);
        if (!due && back_.drift > 0) {
            detail::convert(work.q, x.position);
            auto const lambda = system().multipliers_at(static_cast<Real>(t), work.q, work.window.inner);
            double normal = 0;
            for (std::size_t j = 0; j < lambda.size(); ++j) {
                double const w = system().frequencies()[j];
                normal += static_cast<double>(lambda[j] * lambda[j]) / (2 * w * w);
            }
            due = normal > back_.drift * detail::kinetic_energy(system().mass(), x.velocity);
        }
        if (due) lower(t, x, work);
        return due;
    }
    /// At the end of a run: what it should not have ignored.
    void confirm(scalar t, state const& x, work_type& work) const {
        look_around(t, x, work);
        work.watch.report(plan_, work.warnings);
    }

private:
    template <bool Measured, bool Stateful> void run(scalar t, work_type& work) const {
        window_.template run<Measured, Stateful>(static_cast<Real>(t), work.q, work.v, static_cast<Real>(plan_.step),
                                                 plan_.after, weights_.data(), work.window);
        if (!all_finite(work.window.force)) {
            work.failed = non_finite_force(static_cast<double>(t), first_non_finite(work.window.force), true);
        } else if constexpr (Measured) {
            work.leak.observe(plan_, static_cast<double>(t), runner::deviation(work.window),
                              static_cast<double>(max_norm(work.window.force)), work.failed, work.warnings);
        }
    }
    /// The fast frequencies and energies here, at the end of a step.
    void look_around(scalar t, state const& x, work_type& work) const {
        if (!work.watch.looks()) return;
        detail::convert(work.q, x.position);
        detail::convert(work.v, x.velocity);
        auto const band = system().fast_band(static_cast<Real>(t), work.q, work.window.inner);
        work.watch.step(system(), plan_, static_cast<Real>(t), work.q, work.v, band, true, work.window.inner,
                        work.failed);
    }
    runner window_;
    projection back_;
    window_plan plan_;
    mode_range modes_;
    filter_check worst_;
    std::vector<Real> weights_;
};

/// The averaged motion of a stiff system; frequencies are those at the state `at`, usually the initial one:
/// `effective(system, force_averaging{window{.length = l, .step = h}}, x0)`.
template <stiff_motion System, class Micro, class Real>
[[nodiscard]] auto effective(System const& system, force_averaging<Micro, Real> const& closure,
                             std::type_identity_t<state_of<System>> const& at) {
    return averaged_stiff<System, Micro, Real>(system, closure, at);
}

} // namespace lento
