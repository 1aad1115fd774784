#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/effective/interaction.hpp>
#include <lento/effective/path_checks.hpp>
#include <lento/effective/picard.hpp>
#include <lento/effective/window.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// The slow motion of a split system in the interaction picture, by a spectral mean over its known period: the rate is
/// sampled at `points` equidistant phases around the slow state, and again along the oscillation which those samples
/// make, `passes` sweeps in all. No micro-integration. The slow state is the centre of the oscillation; with two
/// passes its rate is right to O(epsilon^2), and so is the full state that `lift` gives. Made by `effective`.
template <splits Given> class path_picard_system {
    using System = interaction_system<Given>;
    using source = detail::turning_source<System>;
    using moving = moving_mean<source>;

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = point<vector>;

    struct work_type {
        work_of<System> inner;
        std::vector<vector> samples;
        std::vector<vector> displacements;
        vector place;
        vector mean;
        vector first;
        vector second;
        typename moving::work_type moved;
        std::optional<scalar> origin;
        std::uint64_t evaluations = 0;
        failure failed;
        std::vector<warning> warnings;
        static auto members(auto& self) {
            return std::tie(self.inner, self.moved, self.origin, self.evaluations, self.failed, self.warnings);
        }
    };

    path_picard_system(System system, picard const& closure)
        : system_(std::move(system))
        , points_(static_cast<std::size_t>(closure.points.value_or(8)))
        , passes_(*closure.filled().passes)
        , period_(system_.period()) {
        closure.check();
        if (!(period_ > scalar(0)))
            throw misuse("the spectral mean needs the period of the fast flow; use backward-forward with a filter when "
                         "it is not known");
        detail::check_oscillation(system_.flow(), failed_);
        double const defect = system_.flow().return_defect(static_cast<long double>(period_) /
                                                           static_cast<long double>(system_.epsilon()));
        if (!failed_.happened() && defect > 1e-9)
            failed_ = detail::period_is_wrong(0, static_cast<double>(period_), defect, static_cast<double>(period_));
        if (closure.order > 0)
            moving_.emplace(source::phases_of(system_), closure.order, passes_, closure.points.value_or(0));
    }

    [[nodiscard]] auto const& space() const { return system_.space(); }
    [[nodiscard]] double window_length() const { return static_cast<double>(period_); }
    [[nodiscard]] double window_length(work_type const&) const { return window_length(); }
    [[nodiscard]] scalar period() const { return period_; }
    [[nodiscard]] work_type work() const {
        vector const zeros = space().template zeros<scalar>();
        std::vector<vector> const grid(points_, zeros);
        return {.inner = system_.work(),
                .samples = grid,
                .displacements = grid,
                .place = zeros,
                .mean = zeros,
                .first = zeros,
                .second = zeros,
                .moved = moving_ ? moving_->work(zeros) : typename moving::work_type{},
                .origin = {},
                .failed = failed_,
                .warnings = {}};
    }
    void count(work_type const& work, statistics& counts) const {
        system_.count(work.inner, counts);
        counts.effective_evaluations = work.evaluations;
    }

    void rate(scalar t, vector const& x, vector& out, work_type& work) const {
        if (!work.origin) work.origin = t;
        if (!work.failed.happened()) {
            ++work.evaluations;
            if (moving_) {
                moving_->average(seen(work), t, x, x, false, work.evaluations, out);
                detail::spoil_after_failure(out, work);
                return;
            }
            sweep(t, x, passes_, work);
            set_scaled(out, scalar(0), x);
            for (auto const& sample : work.samples) add_scaled(out, scalar(1) / scalar(points_), sample);
            if (!all_finite(out)) work.failed = non_finite_force(static_cast<double>(t), first_non_finite(out), true);
        }
        detail::spoil_after_failure(out, work);
    }

    /// The points of the moving mean are chosen for the start of a run.
    void begin(scalar t, state const& x, work_type& work) const {
        if (moving_ && !work.failed.happened()) moving_->prepare(seen(work), t, x.state, x.state);
    }
    /// The centre of the oscillation through a physical state.
    void lower(scalar t, state& x, work_type& work) const {
        work.origin = t;
        if (work.failed.happened()) return;
        if (moving_) return moving_->lower(seen(work), t, phase(scalar(0), work), x);
        vector const physical = x.state;
        for (int round = 0; round < passes_ && !work.failed.happened(); ++round) {
            displacement(t, scalar(0), x.state, work);
            set_sum(x.state, physical, scalar(-1), work.first);
        }
    }
    void lift(scalar t, state& x, work_type& work) const {
        using std::abs;
        using std::round;
        if (!work.origin) work.origin = t;
        if (work.failed.happened()) return;
        scalar const since = t - *work.origin;
        scalar left = since - period_ * round(since / period_);
        // what the rounding of t leaves of a multiple is not a time
        scalar const rounding = scalar(4) * std::numeric_limits<scalar>::epsilon() * (abs(t) + abs(since));
        if (abs(left) <= scalar(1e-9) * period_ + rounding) left = scalar(0);
        if (moving_) {
            moving_->lift(seen(work), t, phase(left, work), x);
        } else {
            displacement(t, left, x.state, work);
            add_scaled(x.state, scalar(1), work.first);
        }
        if (left != scalar(0)) system_.turn_by(left, x.state, work.inner);
    }

private:
    [[nodiscard]] auto seen(work_type& work) const {
        return typename moving::context{{system_, work.inner}, work.moved, work.failed, work.warnings};
    }
    /// A time into the period as an angle.
    [[nodiscard]] std::vector<scalar> const& phase(scalar elapsed, work_type& work) const {
        work.moved.phi[0] = two_pi<scalar> * elapsed / period_;
        return work.moved.phi;
    }
    [[nodiscard]] scalar phase_time(std::size_t sample) const { return period_ * scalar(sample) / scalar(points_); }

    /// Samples the rate over the period, the last of the passes along the oscillation that the one before it made.
    void sweep(scalar t, vector const& x, int passes, work_type& work) const {
        for (int pass = 0; pass < passes; ++pass) {
            if (pass > 0)
                for (std::size_t i = 0; i < points_; ++i) integrate(phase_time(i), work.samples, work.displacements[i]);
            for (std::size_t i = 0; i < points_; ++i) {
                work.place = x;
                if (pass > 0) add_scaled(work.place, scalar(1), work.displacements[i]);
                // the slow time stands still: start + elapsed is t
                system_.window_rate(t - phase_time(i), phase_time(i), scalar(1), true, work.place, work.samples[i],
                                    work.inner);
            }
        }
    }
    /// The antiderivative without mean of periodic samples, a time `elapsed` into the period.
    void integrate(scalar elapsed, std::vector<vector> const& samples, vector& out) const {
        using std::sin;
        set_scaled(out, scalar(0), samples[0]);
        for (std::size_t j = 0; j < points_; ++j) {
            scalar const angle = two_pi<scalar> * (elapsed - phase_time(j)) / period_;
            scalar weight(0);
            for (std::size_t k = 1; k <= (points_ - 1) / 2; ++k) weight += sin(scalar(k) * angle) / scalar(k);
            add_scaled(out, weight * period_ / (two_pi<scalar> / scalar(2) * scalar(points_)), samples[j]);
        }
    }

    /// The oscillation around a slow state, into work.first. Its second-order part, from the motion of the centre, is
    /// minus the antiderivative of its change along that motion.
    void displacement(scalar t, scalar elapsed, vector const& x, work_type& work) const {
        sweep(t, x, passes_, work);
        set_scaled(work.mean, scalar(0), x);
        for (auto const& sample : work.samples) add_scaled(work.mean, scalar(1) / scalar(points_), sample);
        integrate(elapsed, work.samples, work.first);
        if (passes_ < 2 || !(max_norm(work.mean) > scalar(0))) return;
        scalar const reach = scalar(1e-3) * period_; // a time: units of the variables do not matter
        vector& change = work.second;
        set_scaled(change, scalar(0), x);
        vector ahead = x;
        for (scalar const side : {scalar(1), scalar(-1)}) {
            set_sum(ahead, x, side * reach, work.mean);
            sweep(t, ahead, 1, work);
            integrate_twice(elapsed, work.samples, side / (scalar(2) * reach), change);
        }
        add_scaled(work.first, scalar(-1), change);
    }
    void integrate_twice(scalar elapsed, std::vector<vector> const& samples, scalar factor, vector& out) const {
        using std::cos;
        for (std::size_t j = 0; j < points_; ++j) {
            scalar const angle = two_pi<scalar> * (elapsed - phase_time(j)) / period_;
            scalar weight(0);
            for (std::size_t k = 1; k <= (points_ - 1) / 2; ++k) weight -= cos(scalar(k) * angle) / scalar(k * k);
            scalar const unit = period_ / two_pi<scalar>;
            add_scaled(out, factor * weight * unit * unit * scalar(2) / scalar(points_), samples[j]);
        }
    }

    System system_;
    std::size_t points_;
    int passes_;
    scalar period_;
    failure failed_;
    std::optional<moving> moving_; // of order 2 and 4
};

/// `effective(interaction_picture(system), picard{.points = 9})`
template <splits Given> [[nodiscard]] auto effective(interaction_system<Given> system, picard const& closure) {
    return path_picard_system<Given>(std::move(system), closure);
}

} // namespace lento
