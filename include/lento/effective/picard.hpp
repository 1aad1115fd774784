#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/option.hpp>
#include <lento/effective/evenness.hpp>
#include <lento/effective/moving_mean.hpp>
#include <lento/effective/oscillation.hpp>
#include <lento/effective/underlying.hpp>
#include <lento/effective/window.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// The mean force over one period without micro-integration: the oscillation around the slow position is found by
/// trigonometric interpolation of the force on `points` phases, `passes` sweeps in all, and the force is averaged
/// along it. Centred by construction, so without a bias of O(1/omega); every pass gains a factor O(1/omega). Four
/// points and two passes serve a harmonic force; the floor is O(1/omega^2). A force may depend on the velocity, as long
/// as that part of it is not itself of the size of omega: passes that do not settle are a failure. Of order 2 and 4 the
/// oscillation is found along the moving slow path, and the floor is lower by as many powers of 1/omega: the moving
/// spectral mean.
struct picard {
    std::optional<int> points{}; ///< left out: 8, of order 2 and 4 as many as the force needs
    std::optional<int> passes{}; ///< left out: 3, 4 and 7 of order 0, 2 and 4
    int order = 0;

    static constexpr std::string_view name = "picard";
    static constexpr std::string_view sentence = "spectral mean over one known period, no micro-integration";
    static constexpr auto options() {
        return std::tuple{option{"points", &picard::points, "sampled phases per period", at_least(3)},
                          option{"passes", &picard::passes, "sweeps over them", at_least(1)},
                          option{"order", &picard::order,
                                 "around a point that stands still (0), or along the moving slow path (2, 4)",
                                 between(0, 4)}};
    }
    /// With the numbers that were left out, but for points that a run chooses at its start.
    [[nodiscard]] picard filled() const {
        picard all = *this;
        if (!passes) all.passes = order == 0 ? 3 : order == 2 ? 4 : 7;
        if (!points && order == 0) all.points = 8;
        return all;
    }
    /// Throws misuse for numbers that make no sense.
    void check() const {
        if (order != 0 && order != 2 && order != 4)
            throw misuse("the spectral mean is of order 0, 2 or 4, but order " + std::to_string(order) +
                         " is asked for");
        if (points && *points < 3)
            throw misuse("a period needs at least 3 sampled phases, but it has " + std::to_string(*points));
        if (passes && *passes < 1)
            throw misuse("the spectral mean needs at least one pass, but it has " + std::to_string(*passes));
    }
};

/// The slow motion of a vibrated system by a spectral mean. Made by `effective`.
template <vibrating System> class picard_system {
    using source = detail::vibrated_source<System>;
    using moving = moving_mean<source>;

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;
    static_assert(!constrained_motion<System>, "constraints are averaged by way of `underlying`");

    struct work_type {
        work_of<System> inner;
        typename oscillation<System>::work_type samples;
        typename slow_state_map<System>::work_type map;
        typename moving::work_type moved;
        vector coarse;
        vector scratch;
        vector velocity;
        evenness even;
        std::uint64_t evaluations = 0;
        failure failed;
        std::vector<warning> warnings;
        static auto members(auto& self) {
            return std::tie(self.inner, self.moved, self.even, self.evaluations, self.failed, self.warnings);
        }
    };

    picard_system(System system, picard const& closure)
        : system_(std::move(system))
        , oscillation_(system_, checked(closure).order > 0 ? 3 : closure.points.value_or(8))
        , map_(system_)
        , passes_(*closure.filled().passes) {
        if (closure.order > 0) {
            moving_.emplace(source::phases_of(system_), closure.order, passes_, closure.points.value_or(0));
        } else if constexpr (System::phase_count != 1) {
            auto const phases = system_.phase_at(scalar(0));
            auto const frequencies = system_.frequencies();
            resonance_ = resonance(std::vector<double>(frequencies.begin(), frequencies.end()),
                                   std::vector<double>(phases.begin(), phases.end()), false);
        }
    }

    [[nodiscard]] auto const& space() const { return system_.space(); }
    /// The period of the slowest fast motion.
    [[nodiscard]] double window_length() const {
        auto const frequencies = system_.frequencies();
        auto const fast = fast_frequencies(std::vector<double>(frequencies.begin(), frequencies.end()));
        return two_pi<double> / *std::min_element(fast.begin(), fast.end());
    }
    [[nodiscard]] double window_length(work_type const&) const { return window_length(); }
    [[nodiscard]] work_type work() const {
        vector const zeros = space().template zeros<scalar>();
        return {.inner = system_.work(),
                .samples = oscillation_.work(system_),
                .map = map_.work(system_),
                .moved = moving_ ? moving_->work(zeros) : typename moving::work_type{},
                .coarse = zeros,
                .scratch = zeros,
                .velocity = zeros,
                .even = {},
                .failed = {},
                .warnings = {}};
    }
    void count(work_type const& work, statistics& counts) const {
        system_.count(work.inner, counts);
        counts.effective_evaluations = work.evaluations;
    }

    /// Whether the mean force depends on the velocity: the moving mean always does.
    [[nodiscard]] bool needs_velocity() const { return System::uses_velocity || moving_; }
    void acceleration(scalar t, vector const& q, vector& out, work_type& work) const
        requires(!System::uses_velocity)
    {
        if (moving_ && !work.failed.happened()) work.failed = velocity_is_needed(static_cast<double>(t));
        average_or_fail(t, q, q, out, work);
    }
    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        average_or_fail(t, q, v, out, work);
    }

    /// The points of the moving mean are chosen for the start of a run.
    void begin(scalar t, state const& x, work_type& work) const {
        if (moving_) moving_->prepare(seen(work), t, x.position, x.velocity);
    }
    /// A last look at what was believed along the way, at the end of a run.
    void confirm(scalar t, state const& x, work_type& work) const {
        if constexpr (System::uses_velocity) return;
        if (work.failed.happened() || work.evaluations == 0 || !work.even.holds()) return;
        work.even.probe(system_, t, x.position, work.coarse, work.scratch, work.inner);
        if (work.even.in_doubt()) work.failed = not_even(static_cast<double>(t), true);
    }
    void lower(scalar t, state& x, work_type& work) const {
        if (!moving_) return map_.lower(system_, t, x, work.map, work.inner);
        if constexpr (has_true_state<System>) system_.lower(t, x, work.inner);
        if constexpr (requires { system_.require_consistent(t, x, work.inner); })
            system_.require_consistent(t, x, work.inner);
        moving_->lower(seen(work), t, moving_->phases_at(t, work.moved), x);
    }
    void lift(scalar t, state& x, work_type& work) const {
        if (!moving_) return map_.lift(system_, t, x, work.map, work.inner);
        moving_->lift(seen(work), t, moving_->phases_at(t, work.moved), x);
        if constexpr (has_true_state<System>) system_.lift(t, x, work.inner);
    }

private:
    [[nodiscard]] static picard const& checked(picard const& closure) {
        closure.check();
        return closure;
    }
    [[nodiscard]] auto seen(work_type& work) const {
        return typename moving::context{{system_, work.inner}, work.moved, work.failed, work.warnings};
    }
    void average_or_fail(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        if (!work.failed.happened()) average(t, q, v, out, work);
        detail::spoil_after_failure(out, work);
    }
    void average(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        ++work.evaluations;
        if constexpr (!System::uses_velocity) look_for_evenness(t, q, out, work);
        if (!resonance_.empty()) work.failed = resonant_phases(static_cast<double>(t), resonance_);
        if (work.failed.happened()) return;
        if (moving_) return moving_->average(seen(work), t, q, v, even(work), work.evaluations, out);
        oscillation_.rest(work.samples);
        scalar change(0);
        scalar change_before(0);
        for (int pass = 0; pass < passes_; ++pass) {
            if (pass > 0) oscillation_.displace(work.samples);
            change_before = change;
            change = oscillation_.sample(system_, t, q, v, even(work), work.samples, work.inner);
            if (pass == 0) change = largest_force(work); // that of a start from no force at all
        }
        set_scaled(out, scalar(0), q);
        for (auto const& force : work.samples.force) add_scaled(out, scalar(1) / scalar(oscillation_.samples()), force);
        if (!all_finite(out)) {
            work.failed = failure_inside(work.inner);
            if (!work.failed.happened())
                work.failed = non_finite_force(static_cast<double>(t), bad_component(t, q, v, out, work), true);
            return;
        }
        if (passes_ > 1) watch_settling(t, out, change_before, change, work);
        if (work.evaluations == 1) watch_aliasing(t, q, v, out, work);
    }

    /// The oscillation's velocity is odd where the force is even, so that a force of both is not.
    [[nodiscard]] static bool even(work_type const& work) { return !System::uses_velocity && work.even.holds(); }
    void look_for_evenness(scalar t, vector const& q, vector& out, work_type& work) const {
        if (work.even.due(work.evaluations)) work.even.probe(system_, t, q, out, work.scratch, work.inner);
        if (work.even.in_doubt()) work.failed = not_even(static_cast<double>(t), true);
    }

    /// The samples of one pass differ from those of the next like the terms of a geometric series, of ratio O(1/omega)
    /// where the method applies. (That their mean stays is not enough: it may do so by symmetry.)
    void watch_settling(scalar t, vector const& mean, scalar before, scalar last, work_type& work) const {
        scalar const size = max_norm(mean);
        if (last > scalar(0.1) * before && last > scalar(1e-3) * size && last > scalar(1e-11) * largest_force(work))
            work.failed = unsettled_oscillation(static_cast<double>(t), passes_, static_cast<double>(before),
                                                static_cast<double>(last), static_cast<double>(size));
    }
    [[nodiscard]] static scalar largest_force(work_type const& work) {
        scalar largest(0);
        for (auto const& force : work.samples.force) largest = std::max(largest, max_norm(force));
        return largest;
    }

    /// The passes once more, to find the first sample that is not finite: a later pass spreads it to all components.
    [[nodiscard]] std::size_t bad_component(scalar t, vector const& q, vector const& v, vector const& mean,
                                            work_type& work) const {
        oscillation_.rest(work.samples);
        for (int pass = 0; pass < passes_; ++pass) {
            if (pass > 0) oscillation_.displace(work.samples);
            static_cast<void>(oscillation_.sample(system_, t, q, v, even(work), work.samples, work.inner));
            for (auto const& force : work.samples.force)
                if (!all_finite(force)) return first_non_finite(force);
        }
        return first_non_finite(mean);
    }

    /// The mean over the phases between those of the grid; where it differs, the force has harmonics the grid cannot
    /// see.
    void watch_aliasing(scalar t, vector const& q, vector const& v, vector const& out, work_type& work) const {
        if (system_.frequencies().size() != 1) return;
        scalar const share = scalar(1) / scalar(oscillation_.samples());
        scalar size(0);
        set_scaled(work.coarse, scalar(-1), out);
        for (std::size_t i = 0; i < oscillation_.samples(); ++i) {
            auto const theta = oscillation_.phase(i, share * two_pi<scalar> / scalar(2));
            oscillation_.displacement_at(theta, work.samples, work.samples.point);
            add_scaled(work.samples.point, scalar(1), q);
            if constexpr (System::uses_velocity) {
                oscillation_.velocity_at(theta, work.samples, work.velocity);
                add_scaled(work.velocity, scalar(1), v);
            }
            system_.acceleration_at(t, theta, work.samples.point, work.velocity, work.scratch, work.inner);
            add_scaled(work.coarse, share, work.scratch);
            size = std::max(size, max_norm(work.scratch));
        }
        // 1e-11 of the force itself is the size of what rounding and the next pass would change
        if (max_norm(work.coarse) > scalar(1e-3) * max_norm(out) + scalar(1e-11) * size)
            work.warnings.push_back(unresolved_harmonics(static_cast<double>(t), oscillation_.points(),
                                                         static_cast<double>(max_norm(work.coarse)),
                                                         static_cast<double>(max_norm(out))));
    }

    System system_;
    oscillation<System> oscillation_;
    slow_state_map<System> map_;
    std::optional<moving> moving_; // of order 2 and 4, instead of both
    int passes_;
    std::string resonance_; // of several phases: the mean over their torus would forget it
};

/// Constraints need order 2 or 4: the oscillation of the velocity is felt by their forces. The slow motion is then that
/// of an ordinary system, on the constraints as well as it is accurate.
template <vibrating System> [[nodiscard]] auto effective(System system, picard const& closure) {
    if constexpr (constrained_motion<System>) {
        if (closure.order == 0)
            throw does_not_apply("with constraints the spectral mean has order 2 or 4; or use asynchronous or centred "
                                 "windows with shake inside");
        return effective(underlying(std::move(system)), closure);
    } else {
        return picard_system<System>(std::move(system), closure);
    }
}

} // namespace lento
