#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/effective/planned_window.hpp>
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
    force_averaging(lento::window over, Micro stepper = {}, projection when = {})
        : window(std::move(over)), micro(std::move(stepper)), back(when) {}
};

/// The averaged motion of a stiff system. Made by `effective`.
template <stiff_motion System, class Micro, class Real> class averaged_stiff
    : public planned_window<System, Micro, Real> {
    using base = planned_window<System, Micro, Real>;
    using typename base::runner;

public:
    using base::space;
    using base::system;
    using typename base::scalar;
    using typename base::state;
    using typename base::vector;

    struct work_type : base::shared_work {
        typename base::inner_vector physical;
        filter_check worst{}; ///< what the filter does to the mode of the start that it treats worst
        leak_watch leak{};
        std::uint64_t windows = 0;
        std::uint64_t projections = 0;
        double last_projection = std::numeric_limits<double>::quiet_NaN();
        static auto members(auto& self) {
            return std::tuple_cat(base::shared_work::members(self), std::tie(self.worst, self.leak, self.windows,
                                                                             self.projections, self.last_projection));
        }
    };

    averaged_stiff(System system, force_averaging<Micro, Real> const& closure)
        : base(std::move(system), closure.window, closure.micro), back_(closure.back) {}

    [[nodiscard]] work_type work() const { return {this->start(), space().template zeros<Real>()}; }
    /// Plans the window for the fast frequencies at the start of a run: its first call.
    void begin(scalar t, state const& x, work_type& work) const {
        if (this->plan_window(t, x, work)) work.worst = worst_mode(work.plan, work.band);
    }
    [[nodiscard]] double window_length(work_type const& work) const { return work.plan.length; }
    [[nodiscard]] filter_check const& worst(work_type const& work) const { return work.worst; }
    /// A failure where windows like these do not serve a run of this length, in steps of this size (0 where they
    /// adapt).
    [[nodiscard]] failure verdict(double span, double step, work_type const& work) const {
        if (!work.plan.checked) return {};
        auto const separation = work.modes.verdict(window_length(work));
        return separation.happened() ? separation : work.worst.verdict(span, step);
    }
    void count(work_type const& work, statistics& counts) const {
        this->window_.count(work.window, counts);
        counts.effective_evaluations = work.windows;
        counts.projections = work.projections;
        counts.projection_iterations = work.projections;
    }

    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        if (std::isnan(work.last_projection)) work.last_projection = static_cast<double>(t);
        if (!work.failed.happened()) {
            ++work.windows;
            detail::convert(work.q, q);
            detail::convert(work.v, v);
            if (work.leak.watching()) run<true, false>(t, work);
            else run<false, false>(t, work);
        }
        if (!detail::spoil_after_failure(out, work)) detail::convert(out, work.window.force);
        work.watch.energy.window(system(), work.window.first_load, work.window.mean_load);
        detail::convert(work.lambda, work.window.mean_load);
    }

    /// The filtered state: approximately the slow one. Never used for velocities inside a run (section 3.1).
    void lower(scalar t, state& x, work_type& work) const {
        if (work.failed.happened()) return;
        ++work.projections;
        this->open(x, work);
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
        work.last_projection = static_cast<double>(t);
    }

    /// At the end of a step: true when the state was projected back.
    [[nodiscard]] bool revise(scalar t, state& x, work_type& work) const {
        look_around(t, x, work);
        double const elapsed = std::abs(static_cast<double>(t) - work.last_projection);
        bool due = back_.every > 0 && elapsed >= (1 - 1e-9) * back_.every;
        if (!due && back_.drift > 0) due = this->has_drifted(t, x, back_.drift, work);
        if (due) lower(t, x, work);
        return due;
    }
    /// At the end of a run: what it should not have ignored.
    void confirm(scalar t, state const& x, work_type& work) const {
        look_around(t, x, work);
        work.watch.report(work.plan, work.warnings);
        if (work.plan.checked && !work.failed.happened()) work.failed = work.watch.energy.verdict();
    }

private:
    template <bool Measured, bool Stateful> void run(scalar t, work_type& work) const {
        this->require_begun(work);
        this->window_.template run<Measured, Stateful>(static_cast<Real>(t), work.q, work.v,
                                                       static_cast<Real>(work.plan.step), work.plan.after,
                                                       work.weights.data(), work.window);
        if (!all_finite(work.window.force)) {
            work.failed = non_finite_force(static_cast<double>(t), first_non_finite(work.window.force), true);
        } else if constexpr (Measured) {
            work.leak.observe(work.plan, static_cast<double>(t), runner::deviation(work.window),
                              static_cast<double>(max_norm(work.window.force)), work.failed, work.warnings);
        }
    }
    /// The fast frequencies and energies here, at the end of a step.
    void look_around(scalar t, state const& x, work_type& work) const {
        if (work.failed.happened() || !work.watch.looks(system())) return;
        this->open(x, work);
        auto const band = this->band_at(t, work);
        this->look_at_rounding(t, band, work);
        base::look_around(t, band, true, work);
    }

    projection back_;
};

/// The averaged motion of a stiff system: `effective(system, force_averaging{window{.length = l, .step = h}})`. Every
/// run plans its window for the fast frequencies at its start.
template <stiff_motion System, class Micro, class Real>
[[nodiscard]] auto effective(System system, force_averaging<Micro, Real> const& closure) {
    return averaged_stiff<System, Micro, Real>(std::move(system), closure);
}

} // namespace lento
