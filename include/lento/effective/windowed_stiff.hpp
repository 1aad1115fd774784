#pragma once

#include <span>
#include <utility>
#include <vector>

#include <lento/effective/fast_energy.hpp>
#include <lento/effective/stiff_window.hpp>

namespace lento {

/// What force averaging and the projection onto the slow manifold share: the window with its plan, the modes at the
/// start, and what is looked at where a step ends.
template <stiff_motion System, class Micro, class Real> class windowed_stiff {
protected:
    using inner_system = decltype(detail::in_scalar<Real>(std::declval<System const&>()));
    using runner = stiff_window<inner_system, Micro>;
    using inner_vector = vector_of<inner_system>;

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;

    struct shared_work {
        typename runner::work_type window;
        inner_vector q;
        inner_vector v;
        typename System::multiplier_vector lambda;
        stiff_watch<inner_system> watch;
        failure failed;
        std::vector<warning> warnings;
    };

    windowed_stiff(System const& system, window const& view, Micro const& micro, state const& at, double time)
        : window_(detail::in_scalar<Real>(system), micro) {
        auto work = system.work();
        auto const band = system.fast_band(static_cast<scalar>(time), at.position, work);
        if (work.springs.failed.happened()) throw does_not_apply(work.springs.failed.message);
        plan_ = stiff_plan(view, band);
        band_.assign(band.begin(), band.end());
        modes_ = detail::modes_of(system, at, static_cast<scalar>(time), band_, work);
        weights_.assign(plan_.weights.begin() + plan_.before, plan_.weights.end());
    }

    [[nodiscard]] auto const& space() const { return window_.system().space(); }
    [[nodiscard]] auto const& system() const { return window_.system(); }
    [[nodiscard]] window_plan const& plan() const { return plan_; }
    [[nodiscard]] mode_range const& modes() const { return modes_; }
    /// The springs' loads lambda = omega^2 g, of the last window or slow point
    [[nodiscard]] auto const& multipliers(shared_work const& work) const { return work.lambda; }

    /// Begins at a state.
    void open(state const& x, shared_work& work) const {
        detail::convert(work.q, x.position);
        detail::convert(work.v, x.velocity);
    }

protected:
    [[nodiscard]] shared_work start() const {
        auto const zeros = space().template zeros<Real>();
        typename System::multiplier_vector none{};
        auto window = window_.work();
        detail::convert(none, window.inner.load);
        return {std::move(window), zeros, zeros, std::move(none), stiff_watch<inner_system>(system()), {}, {}};
    }
    void close(state& x, shared_work const& work) const {
        detail::convert(x.position, work.q);
        detail::convert(x.velocity, work.v);
    }
    /// The fast frequencies at the point in the work; a failure where there are none.
    [[nodiscard]] std::span<double const> band_at(scalar t, shared_work& work) const {
        auto const band = system().fast_band(static_cast<Real>(t), work.q, work.window.inner);
        if (auto const& failed = work.window.inner.springs.failed; failed.happened()) work.failed = failed;
        return band;
    }
    void look_around(scalar t, std::span<double const> band, bool runs_away, shared_work& work) const {
        work.watch.step(system(), plan_, static_cast<Real>(t), work.q, work.v, band, runs_away, work.window.inner,
                        work.failed);
    }

    runner window_;
    window_plan plan_;
    std::vector<double> band_; ///< at the start
    mode_range modes_;
    std::vector<Real> weights_;
};

} // namespace lento
