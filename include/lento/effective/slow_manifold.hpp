#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <lento/effective/fast_energy.hpp>
#include <lento/effective/stiff_window.hpp>
#include <lento/stepper/verlet.hpp>

namespace lento {

/// How a point is taken to the slow manifold.
struct projection_options {
    double tolerance =
        1e-9; ///< stop when g and its rate change by less (Euclidean norms); with loads: these, relatively
    int max_iterations = 30;
    int iterations = 0;  ///< so many filterings of a prediction of high order, untested; 0: until the tolerance is met
    int notch_steps = 0; ///< filter such a prediction with zeros at the local fast frequencies, so many steps a side
    int loads = 0;       ///< first put it where the springs pull as extrapolated from so many windows before, 1 to 8
};

/// The iterated projection onto the slow manifold at every evaluation (paper 003): the motion through a point is
/// filtered until the point stays, and the force is the filtered one of the last window. Real is the number type inside
/// windows.
template <class Micro = verlet, class Real = double> struct slow_manifold {
    lento::window window;
    projection_options options;
    Micro micro;
    slow_manifold(lento::window view, projection_options how = {}, Micro stepper = {})
        : window(std::move(view)), options(how), micro(std::move(stepper)) {}
};

/// The published window: the piecewise cubic kernel over 6 pi/omega to each side, 6 Verlet steps in 2 pi/omega.
[[nodiscard]] window cubic_window(double omega);

namespace detail {

inline constexpr int longest_notch = 32;

/// Weights of the samples 0 ... steps of an even filter of unit mass and vanishing second moment whose response is zero
/// at the angles.
void notch_weights(std::span<double const> angles, int steps, std::array<long double, longest_notch + 1>& out);

/// The loads of the springs at the last few times, and where they go from there.
template <class Loads> class load_history {
public:
    static constexpr int longest = 8;
    using T = typename Loads::value_type;

    /// Replaces what was known of this time, up to `same`, and later: stages of one step, a step taken once more.
    void remember(T t, T same, Loads const& load, int most) {
        while (count_ > 0 && !(times_[0] + same < t)) drop();
        for (int i = std::min(count_, most - 1); i > 0; --i) {
            times_[at(i)] = times_[at(i - 1)];
            loads_[at(i)] = loads_[at(i - 1)];
        }
        times_[0] = t;
        loads_[0] = load;
        count_ = std::min(count_ + 1, most);
    }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    /// The polynomial through them at time t and its first two derivatives, by Neville's scheme.
    template <class Course> [[nodiscard]] Course predict(T t) const {
        std::array<Course, longest> p{};
        for (int i = 0; i < count_; ++i) p[at(i)].value = loads_[at(i)];
        for (int level = 1; level < count_; ++level)
            for (int i = 0; i + level < count_; ++i) {
                Course& newer = p[at(i)];
                Course const& older = p[at(i + 1)];
                T const span = times_[at(i)] - times_[at(i + level)];
                T const right = (t - times_[at(i + level)]) / span;
                T const left = (times_[at(i)] - t) / span;
                for (std::size_t j = 0; j < newer.value.size(); ++j) {
                    newer.bend[j] =
                        2 * (newer.rate[j] - older.rate[j]) / span + right * newer.bend[j] + left * older.bend[j];
                    newer.rate[j] =
                        (newer.value[j] - older.value[j]) / span + right * newer.rate[j] + left * older.rate[j];
                    newer.value[j] = right * newer.value[j] + left * older.value[j];
                }
            }
        return p[0];
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void drop() {
        for (int i = 1; i < count_; ++i) {
            times_[at(i - 1)] = times_[at(i)];
            loads_[at(i - 1)] = loads_[at(i)];
        }
        --count_;
    }
    int count_ = 0;
    std::array<T, longest> times_{}; // the newest first
    std::array<Loads, longest> loads_{};
};

} // namespace detail

/// The slow motion of a stiff system on its slow manifold. Made by `effective`.
template <stiff_motion System, class Micro, class Real> class projected_stiff {
    using inner_system = decltype(detail::in_scalar<Real>(std::declval<System const&>()));
    using runner = stiff_window<inner_system, Micro>;
    using inner_vector = vector_of<inner_system>;

    using band_type = decltype(std::declval<inner_system const&>().fast_band(
        Real{}, std::declval<inner_vector const&>(), std::declval<work_of<inner_system>&>()));
    static constexpr bool follows_loads = runner::tells_loads && requires { typename inner_system::place_in_time; };

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;

    struct work_type {
        typename runner::work_type window;
        inner_vector q; ///< the last projected point
        inner_vector v;
        state known; ///< a state that is on the manifold already, with its force in the window's work
        scalar known_time{};
        bool has_known = false;
        typename System::multiplier_vector lambda{};
        detail::load_history<typename inner_system::multiplier_vector> history;
        band_type band{}; ///< the fast frequencies at the end of the last step
        stiff_watch<inner_system> watch;
        std::array<Real, detail::longest_notch + 1> notch{};
        std::uint64_t evaluations = 0;
        std::uint64_t projections = 0;
        std::uint64_t filterings = 0;
        failure failed;
        std::vector<warning> warnings;
    };

    projected_stiff(System const& system, slow_manifold<Micro, Real> const& closure, state const& at)
        : window_(detail::in_scalar<Real>(system), closure.micro), options_(closure.options) {
        require_positive("the tolerance of the projection", options_.tolerance);
        if (options_.loads < 0 || options_.loads > decltype(work_type::history)::longest)
            throw misuse("loads are extrapolated from 1 to 8 windows, but " + std::to_string(options_.loads) +
                         " are asked for");
        if (!follows_loads && options_.loads > 0)
            throw misuse("the loads of this system's springs cannot be extrapolated; leave out loads");
        auto work = system.work();
        auto const band = system.fast_band(scalar(0), at.position, work);
        plan_ = stiff_plan(closure.window, band);
        modes_ = detail::modes_of(system, at, band, work);
        weights_.assign(plan_.weights.begin() + plan_.before, plan_.weights.end());
        int const least = static_cast<int>(band.size()) + 1;
        if (options_.notch_steps != 0 && (options_.notch_steps < least || options_.notch_steps > detail::longest_notch))
            throw misuse("a notch filter for " + std::to_string(band.size()) + " frequencies takes " +
                         std::to_string(least) + " to " + std::to_string(detail::longest_notch) +
                         " steps a side, but it has " + std::to_string(options_.notch_steps));
        if (plan_.leak >= 1)
            throw misuse("the window leaves " + show(plan_.leak) +
                         " of the fast motion: its iteration does not converge; take a longer one");
    }

    [[nodiscard]] auto const& space() const { return window_.system().space(); }
    [[nodiscard]] auto const& system() const { return window_.system(); }
    [[nodiscard]] window_plan const& plan() const { return plan_; }
    /// Of the windows in a run; the one of the start may be longer.
    [[nodiscard]] double window_length() const {
        bool const notch = options_.notch_steps > 0 && options_.loads > 0;
        return notch ? 2 * options_.notch_steps * plan_.step : plan_.length;
    }
    [[nodiscard]] mode_range const& modes() const { return modes_; }

    [[nodiscard]] work_type work() const {
        auto const zeros = space().template zeros<Real>();
        return {.window = window_.work(),
                .q = zeros,
                .v = zeros,
                .known = {},
                .lambda = {},
                .history = {},
                .band = {},
                .watch = {.energy = {}, .band = {}, .last_velocity = zeros, .steps = 0},
                .failed = {},
                .warnings = {}};
    }
    void count(work_type const& work, statistics& counts) const {
        window_.count(work.window, counts);
        counts.effective_evaluations = work.evaluations;
        counts.projections = work.projections;
        counts.projection_iterations = work.filterings;
    }

    /// Velocity and force at the projected point: what every stage of a macro method sees (section 6.5).
    void motion_rate(scalar t, state const& x, state& out, work_type& work) const {
        ++work.evaluations;
        if (!(work.has_known && t == work.known_time && x.position == work.known.position &&
              x.velocity == work.known.velocity)) {
            work.has_known = false;
            open(x, work);
            project(t, work, false, 0);
            know_loads(t, work);
        }
        hand_out(out, work);
    }
    /// The same for a prediction of high order: moves it to the manifold, which so close takes a fixed number of short
    /// windows where the options ask for it.
    void settle(scalar t, state& x, state& out, work_type& work) const {
        ++work.evaluations;
        settle(t, x, work, options_.notch_steps > 0, options_.iterations);
        look_around(t, work);
        hand_out(out, work);
    }
    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        state rate{q, v};
        motion_rate(t, {q, v}, rate, work);
        out = rate.velocity;
    }

    /// The slow point of a state, by the full iteration with the smooth window.
    void lower(scalar t, state& x, work_type& work) const {
        auto const physical = x;
        settle(t, x, work, false, 0);
        if (work.failed.happened()) return;
        inner_vector q = work.q;
        inner_vector v = work.v;
        detail::convert(q, physical.position);
        detail::convert(v, physical.velocity);
        work.watch.energy.start(system(), static_cast<Real>(t), q, v, work.q, work.v, work.window.inner);
    }
    /// At the end of a step: onto the manifold, and the next evaluation there is known.
    [[nodiscard]] bool revise(scalar t, state& x, work_type& work) const {
        settle(t, x, work, false, 0);
        look_around(t, work);
        return true;
    }
    /// At the end of a run: what it should not have ignored.
    void confirm(scalar, state const&, work_type& work) const { work.watch.report(plan_, work.warnings); }
    /// lambda = omega^2 g at the last slow point
    [[nodiscard]] auto const& multipliers(work_type const& work) const { return work.lambda; }

    /// One filtering of the point in the work, for those who want to see the iteration.
    void filter(scalar t, work_type& work, bool notch = false) const {
        Real const h = static_cast<Real>(plan_.step);
        if (notch) {
            window_.template run<false, true>(static_cast<Real>(t), work.q, work.v, h, options_.notch_steps,
                                              work.notch.data(), work.window);
        } else {
            window_.template run<false, true>(static_cast<Real>(t), work.q, work.v, h, plan_.after, weights_.data(),
                                              work.window);
        }
        take_filtered(work);
    }
    void open(state const& x, work_type& work) const {
        detail::convert(work.q, x.position);
        detail::convert(work.v, x.velocity);
    }

private:
    /// The fast frequencies and energies here, at the end of a step.
    void look_around(scalar t, work_type& work) const {
        if (work.failed.happened() || !work.watch.looks()) return;
        if (options_.loads == 0) work.band = system().fast_band(static_cast<Real>(t), work.q, work.window.inner);
        work.watch.step(system(), plan_, static_cast<Real>(t), work.q, work.v, work.band, false, work.window.inner,
                        work.failed);
    }
    void hand_out(state& out, work_type& work) const {
        if (work.failed.happened()) {
            for (auto& component : out.position) component = std::numeric_limits<scalar>::quiet_NaN();
            out.velocity = out.position;
            return;
        }
        detail::convert(out.position, work.v);
        detail::convert(out.velocity, work.window.force);
    }
    void settle(scalar t, state& x, work_type& work, bool notch, int iterations) const {
        open(x, work);
        project(t, work, notch, iterations);
        if (work.failed.happened()) return;
        detail::convert(x.position, work.q);
        detail::convert(x.velocity, work.v);
        know_loads(t, work);
        work.known = x;
        work.known_time = t;
        work.has_known = true;
    }
    void know_loads(scalar t, work_type& work) const {
        if (work.failed.happened()) return;
        if (options_.loads > 0) detail::convert(work.lambda, work.window.mean_load);
        else detail::convert(work.lambda, system().multipliers_at(static_cast<Real>(t), work.q, work.window.inner));
    }
    void project(scalar t, work_type& work, bool notch, int iterations) const {
        if (work.failed.happened()) return;
        ++work.projections;
        if constexpr (follows_loads)
            if (options_.loads > 0) {
                follow_loads(t, work, iterations);
                return;
            }
        filter_until_it_stays(t, work, notch, iterations);
    }
    /// The springs' loads vary slowly: extrapolated from earlier windows they put the point on the manifold, but for an
    /// error that does not grow with omega, and a window finds them anew. Velocity and acceleration across the springs
    /// follow from the loads' course.
    void follow_loads(scalar t, work_type& work, int iterations) const {
        Real const time = static_cast<Real>(t);
        if (work.history.empty()) { // a first look, with the smooth window
            auto const load = system().multipliers_at(time, work.q, work.window.inner);
            run_near(time, load, false, work);
            take_filtered(work);
            if (!finite(t, work)) return;
            remember(time, work);
        }
        double change = 0;
        double allowed = 0;
        for (int k = 1; k <= options_.max_iterations; ++k) {
            auto const load = work.history.template predict<typename inner_system::load_course>(time);
            auto const across = system().place(time, work.q, work.v, load, work.window.inner);
            bool const notch = options_.notch_steps > 0;
            work.band = system().fast_band(across);
            if (notch) tune(work.band, work);
            run_near(time, load.value, notch, work);
            ++work.filterings;
            system().place_acceleration(time, work.q, work.v, across, load, work.window.force, work.window.inner);
            if (!finite(t, work)) return;
            remember(time, work);
            change = distance(load.value, work.window.mean_load);
            double const size =
                static_cast<double>(std::max(max_norm(work.window.mean_load), max_norm(work.window.force)));
            // an untested prediction must at least be one
            bool const predicted = iterations > 0 && k >= iterations && change <= 0.01 * size;
            allowed = options_.tolerance * size;
            if (predicted || change <= allowed) return;
        }
        work.failed = detail::projection_diverged(static_cast<double>(t), options_.max_iterations, change, allowed);
    }
    template <class Loads> void run_near(Real time, Loads const& load, bool notch, work_type& work) const {
        typename inner_system::place_in_time const here{time, work.q, system().stretch_under(load)};
        window_.template run_near<false, true>(here, work.v, static_cast<Real>(plan_.step),
                                               notch ? options_.notch_steps : plan_.after,
                                               notch ? work.notch.data() : weights_.data(), work.window);
    }
    void remember(Real time, work_type& work) const {
        work.history.remember(time, static_cast<Real>(plan_.length), work.window.mean_load, options_.loads);
    }
    void take_filtered(work_type& work) const {
        ++work.filterings;
        for (std::size_t i = 0; i < work.q.size(); ++i) {
            work.q[i] += work.window.displacement[i];
            work.v[i] = work.window.velocity[i];
        }
    }
    void filter_until_it_stays(scalar t, work_type& work, bool notch, int iterations) const {
        if (notch) tune(system().fast_band(static_cast<Real>(t), work.q, work.window.inner), work);
        if (iterations > 0) {
            for (int k = 0; k < iterations && finite(t, work); ++k) filter(t, work, notch);
            if (finite(t, work)) watch(t, iterations, work);
            return;
        }
        // (14): tangential glides go on for ever, what must come to rest are g and its rate
        Real const time = static_cast<Real>(t);
        auto before = system().stretch(time, work.q, work.window.inner);
        auto rate_before = system().stretch_rate(time, work.q, work.v, work.window.inner);
        double moved = 0;
        for (int k = 0; k < options_.max_iterations; ++k) {
            filter(t, work, notch);
            if (!finite(t, work)) return;
            auto const now = system().stretch(time, work.q, work.window.inner);
            auto const rate_now = system().stretch_rate(time, work.q, work.v, work.window.inner);
            moved = std::max(distance(before, now), distance(rate_before, rate_now));
            if (moved < options_.tolerance) return;
            before = now;
            rate_before = rate_now;
        }
        work.failed =
            detail::projection_diverged(static_cast<double>(t), options_.max_iterations, moved, options_.tolerance);
    }
    /// Filterings that nothing tests must at least leave less fast motion than there is slow one.
    void watch(scalar t, int iterations, work_type& work) const {
        double moved = 0;
        double speed = 0;
        for (std::size_t i = 0; i < work.v.size(); ++i) {
            moved += static_cast<double>(work.window.displacement[i] * work.window.displacement[i]);
            speed += static_cast<double>(work.v[i] * work.v[i]);
        }
        moved = std::sqrt(moved);
        double const allowed = 0.1 * std::sqrt(speed) / modes_.slowest + options_.tolerance;
        if (moved > allowed)
            work.failed = detail::projection_diverged(static_cast<double>(t), iterations, moved, allowed);
    }
    [[nodiscard]] static bool finite(scalar t, work_type& work) {
        if (all_finite(work.q) && all_finite(work.v) && all_finite(work.window.force)) return true;
        work.failed = non_finite_force(static_cast<double>(t), first_non_finite(work.q) % work.q.size(), true);
        return false;
    }
    template <class M> [[nodiscard]] static double distance(M const& a, M const& b) {
        double sum = 0;
        for (std::size_t j = 0; j < a.size(); ++j) sum += static_cast<double>((a[j] - b[j]) * (a[j] - b[j]));
        return std::sqrt(sum);
    }
    /// Puts the zeros of the notch at the angles by which Verlet turns the modes here.
    template <class Band> void tune(Band angles, work_type& work) const {
        for (auto& angle : angles) angle = 2 * std::asin(std::min(0.999, angle * plan_.step / 2));
        std::array<long double, detail::longest_notch + 1> weights{};
        detail::notch_weights(angles, options_.notch_steps, weights);
        detail::convert(work.notch, weights);
    }

    runner window_;
    projection_options options_;
    window_plan plan_;
    mode_range modes_;
    std::vector<Real> weights_;
};

/// The slow motion of a stiff system with every evaluation on the slow manifold:
/// `effective(system, slow_manifold{cubic_window(omega)}, x0)`.
template <stiff_motion System, class Micro, class Real>
[[nodiscard]] auto effective(System const& system, slow_manifold<Micro, Real> const& closure,
                             std::type_identity_t<state_of<System>> const& at) {
    return projected_stiff<System, Micro, Real>(system, closure, at);
}

/// A point of the slow manifold, the multipliers there, and what finding it took.
template <class State, class Multipliers> struct slow_point {
    State x;
    Multipliers multipliers;
    failure failed;
    lento::statistics statistics;
    explicit operator bool() const { return !failed.happened(); }
};

/// The slow point nearest to a state; also consistent initial data for the constrained limit when omega is large.
template <stiff_motion System, class Micro, class Real>
[[nodiscard]] auto project(System const& system, slow_manifold<Micro, Real> const& closure,
                           std::type_identity_t<state_of<System>> x, double t = 0) {
    auto const slow = effective(system, closure, x);
    auto work = slow.work();
    slow.lower(static_cast<scalar_of<System>>(t), x, work);
    slow_point<state_of<System>, typename System::multiplier_vector> found{x, slow.multipliers(work), work.failed, {}};
    slow.count(work, found.statistics);
    return found;
}

} // namespace lento
