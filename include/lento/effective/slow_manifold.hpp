#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/effective/planned_window.hpp>
#include <lento/effective/projection_options.hpp>
#include <lento/stepper/verlet.hpp>

namespace lento {

/// The iterated projection onto the slow manifold at every evaluation (paper 003): the motion through a point is
/// filtered until the point stays, and the force is the filtered one of the last window. Real is the number type inside
/// windows.
template <class Micro = verlet, class Real = double> struct slow_manifold {
    lento::window window;
    projection_options options;
    Micro micro;
    slow_manifold(lento::window over, projection_options how = {}, Micro stepper = {})
        : window(std::move(over)), options(how), micro(std::move(stepper)) {}
};

/// The published window: the piecewise cubic kernel over 6 pi/omega to each side, 6 Verlet steps in 2 pi/omega.
[[nodiscard]] window cubic_window(double omega);

namespace detail {

inline constexpr int longest_notch = 32;

/// Weights of the samples 0 ... steps of an even filter of unit mass and vanishing second moment whose response is zero
/// at the angles.
void notch_weights(std::span<double const> angles, int steps, std::array<long double, longest_notch + 1>& out);

/// A filter with zeros at the fast frequencies of the place where it is tuned.
class notch {
public:
    /// For steps a side, or projection_options::fitted.
    explicit notch(int steps) : given_(steps), steps_(steps) {}

    /// Puts the zeros at the angles by which Verlet's steps h turn the modes; those that nearly agree share one, which
    /// is double. A fitted filter is as short as its weights allow, which grow without bound where it is shorter than
    /// the slowest mode. False where no filter does.
    [[nodiscard]] bool tune(std::span<double const> band, double h);
    [[nodiscard]] int steps() const { return steps_; }
    [[nodiscard]] std::array<long double, longest_notch + 1> const& weights() const { return weights_; }
    /// What is wrong with it at such frequencies, or nothing.
    [[nodiscard]] static std::string objection(int steps, std::span<double const> band);
    static auto members(auto& self) { return std::tie(self.steps_, self.weights_); }

private:
    [[nodiscard]] double amplification(std::span<double const> angles, int steps);

    int given_;
    int steps_;
    std::array<long double, longest_notch + 1> weights_{};
};

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
    /// The polynomial through them at time t and its first two derivatives, by Neville's scheme, the table of which is
    /// memory. The answer is its first entry.
    template <class Course> [[nodiscard]] Course const& predict(T t, std::array<Course, longest>& p) const {
        for (int i = 0; i < count_; ++i) {
            p[at(i)].value = loads_[at(i)];
            set_scaled(p[at(i)].rate, T(0), loads_[at(i)]);
            set_scaled(p[at(i)].bend, T(0), loads_[at(i)]);
        }
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
    static auto members(auto& self) { return std::tie(self.count_, self.times_, self.loads_); }

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
template <stiff_motion System, class Micro, class Real> class projected_stiff
    : public planned_window<System, Micro, Real> {
    using base = planned_window<System, Micro, Real>;
    using typename base::inner_system;
    using typename base::inner_vector;
    using loads = typename inner_system::multiplier_vector;
    using history = detail::load_history<loads>;
    using course = typename inner_system::load_course;
    using place = typename inner_system::place_in_time;

public:
    using base::open;
    using base::space;
    using base::system;
    using typename base::scalar;
    using typename base::state;
    using typename base::vector;

    struct work_type : base::shared_work {
        state known; ///< a state that is on the manifold already, with its force in the window's work
        scalar known_time{};
        bool has_known = false;
        loads before; ///< the last filtering
        loads rate_before;
        detail::load_history<loads> history;
        std::array<course, projected_stiff::history::longest> table;
        place here;
        detail::notch notch;
        std::array<Real, detail::longest_notch + 1> notch_weights{};
        double window_length = 0; ///< of the windows in the run; the one of the start may be longer
        bool notched = false;
        double covered = 0; ///< the length of all windows
        std::uint64_t evaluations = 0;
        std::uint64_t projections = 0;
        std::uint64_t filterings = 0;
        static auto members(auto& self) {
            return std::tuple_cat(base::shared_work::members(self),
                                  std::tie(self.q, self.v, self.known, self.known_time, self.has_known, self.history,
                                           self.notch, self.notch_weights, self.window_length, self.notched,
                                           self.covered, self.evaluations, self.projections, self.filterings));
        }
    };

    projected_stiff(System system, slow_manifold<Micro, Real> const& closure)
        : base(std::move(system), closure.window, closure.micro), options_(closure.options) {
        require_positive("the tolerance of the projection", options_.tolerance);
        if (options_.loads < 0 || options_.loads > history::longest)
            throw misuse("loads are extrapolated from 1 to 8 windows, but " + std::to_string(options_.loads) +
                         " are asked for");
        if (!inner_system::sees_near && options_.loads > 0)
            throw misuse("loads are followed in displacements, which this system's windows in long double do not have; "
                         "run them in double, which then serves at any frequency");
        if (options_.loads > 0 && options_.start_iterations > 0)
            throw misuse("where loads are followed the start is too; give start_iterations or loads, but not both");
        if (options_.loads == 0 && options_.notch_steps != 0)
            throw misuse("a notch filter is for points that are put under the springs' load first; ask for loads, 4 "
                         "say, or leave notch_steps out");
    }

    /// Plans the window for the fast frequencies at the start of a run: its first call.
    void begin(scalar t, state const& x, work_type& work) const {
        if (!this->plan_window(t, x, work)) return;
        try_notch(work);
        if (work.plan.leak >= 1)
            throw misuse("the window leaves " + show(work.plan.leak) +
                         " of the fast motion: its iteration does not converge; take a longer one");
    }
    [[nodiscard]] double window_length(work_type const& work) const { return work.window_length; }
    /// A failure where windows like these do not serve a run.
    [[nodiscard]] failure verdict(double, double, work_type const& work) const {
        return work.plan.checked ? work.modes.verdict(window_length(work)) : failure{};
    }

    [[nodiscard]] work_type work() const {
        auto shared = this->start();
        loads const none = shared.window.inner.load;
        auto const origin = shared.q;
        work_type made{std::move(shared),
                       {},
                       {},
                       false,
                       none,
                       none,
                       {},
                       {},
                       {Real(0), origin, none},
                       detail::notch(options_.notch_steps),
                       {},
                       0,
                       false,
                       0,
                       0,
                       0,
                       0};
        made.table.fill({none, none, none});
        return made;
    }
    void count(work_type const& work, statistics& counts) const {
        this->window_.count(work.window, counts);
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
            project(t, work, 0);
            know_loads(t, work);
        }
        hand_out(out, work);
    }
    /// The same for a prediction of high order: moves it to the manifold, which so close takes a fixed number of
    /// windows where the options ask for it.
    void settle(scalar t, state& x, state& out, work_type& work) const {
        ++work.evaluations;
        settle(t, x, work, options_.iterations);
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
        if (options_.start_iterations > 0) filter_start(t, x, work);
        else {
            if (options_.loads > 0) approach(t, x, work);
            settle(t, x, work, 0);
        }
        if (work.failed.happened()) return;
        inner_vector q = work.q;
        inner_vector v = work.v;
        detail::convert(q, physical.position);
        detail::convert(v, physical.velocity);
        work.watch.energy.start(system(), static_cast<Real>(t), q, v, work.q, work.v, work.window.inner);
    }
    /// At the end of a step: onto the manifold, and the next evaluation there is known. Where that is asked for only
    /// when it has drifted off, true when it has.
    [[nodiscard]] bool revise(scalar t, state& x, work_type& work) const {
        bool const due =
            options_.drift == 0 || (std::isfinite(options_.drift) && this->has_drifted(t, x, options_.drift, work));
        if (due) settle(t, x, work, 0);
        else open(x, work);
        look_around(t, work);
        return due;
    }
    /// At the end of a run: what it should not have ignored.
    void confirm(scalar t, state const& x, work_type& work) const {
        work.watch.energy.arrive(static_cast<double>(t), detail::euclidean_norm(x.velocity));
        work.watch.report(work.plan, work.warnings);
    }

    /// One filtering of the point in the work, for those who want to see the iteration.
    void filter(scalar t, work_type& work) const {
        cover(t, 2 * work.plan.after, work);
        this->window_.template run<false, true>(static_cast<Real>(t), work.q, work.v, static_cast<Real>(work.plan.step),
                                                work.plan.after, work.weights.data(), work.window);
        take_filtered(work);
    }

private:
    void try_notch(work_type& work) const {
        work.window_length = work.plan.length;
        if (options_.notch_steps == 0) return;
        if (auto const wrong = detail::notch::objection(options_.notch_steps, work.band); !wrong.empty())
            throw misuse(wrong);
        detail::notch first(options_.notch_steps);
        bool const fits = first.tune(work.band, work.plan.step);
        if (fits) work.window_length = 2 * first.steps() * work.plan.step;
        work.notched = fits || system().are_few(); // the frequencies of many springs are too dear for another try
    }
    /// The fast frequencies and energies here, at the end of a step.
    void look_around(scalar t, work_type& work) const {
        if (work.failed.happened() || !work.watch.looks(system())) return;
        // a notch was just put there
        auto const band =
            work.notched ? std::span<double const>(work.window.inner.springs.band) : this->band_at(t, work);
        if (options_.loads == 0) this->look_at_rounding(t, band, work); // followed loads know the stretch better
        base::look_around(t, band, false, work);
    }
    void hand_out(state& out, work_type& work) const {
        if (detail::spoil_after_failure(out.position, work) && detail::spoil_after_failure(out.velocity, work)) return;
        detail::convert(out.position, work.v);
        detail::convert(out.velocity, work.window.force);
    }
    void settle(scalar t, state& x, work_type& work, int iterations) const {
        open(x, work);
        project(t, work, iterations);
        arrive(t, x, work);
    }
    void filter_start(scalar t, state& x, work_type& work) const {
        open(x, work);
        ++work.projections;
        for (int k = 0; k < options_.start_iterations && !work.failed.happened(); ++k) {
            filter(t, work);
            static_cast<void>(finite(t, work));
        }
        arrive(t, x, work);
    }
    /// Followed loads keep a point on the manifold; from far away the smooth window leads there, until what it moves
    /// the springs by, the square of which is what it moves the point along them by, no longer counts beside the
    /// motion, or is rounding.
    void approach(scalar t, state& x, work_type& work) const {
        open(x, work);
        Real const time = static_cast<Real>(t);
        double const speed = detail::euclidean_norm(work.v);
        double first = 0;
        double last = std::numeric_limits<double>::infinity();
        work.rate_before = system().stretch_rate(time, work.q, work.v, work.window.inner);
        for (int k = 0; k < options_.max_iterations; ++k) {
            filter(t, work);
            if (!finite(t, work)) return;
            auto const& rate = system().stretch_rate(time, work.q, work.v, work.window.inner);
            double const moved = distance(work.rate_before, rate);
            if (k == 0) first = moved;
            if (!(first > 1e-4 * speed)) return; // it was there already
            if (!(moved > 1e-4 * (speed + first)) || !(moved < last / 4)) break;
            last = moved;
            work.rate_before = rate;
        }
        this->close(x, work);
    }
    void arrive(scalar t, state& x, work_type& work) const {
        if (work.failed.happened()) return;
        this->close(x, work);
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
    void project(scalar t, work_type& work, int iterations) const {
        if (work.failed.happened()) return;
        ++work.projections;
        if constexpr (inner_system::sees_near)
            if (options_.loads > 0) {
                follow_loads(t, work, iterations);
                return;
            }
        filter_until_it_stays(t, work, iterations);
    }
    /// The springs' loads vary slowly: extrapolated from earlier windows they put the point on the manifold, but for an
    /// error that does not grow with omega, and a window finds them anew. Velocity and acceleration across the springs
    /// follow from the loads' course.
    void follow_loads(scalar t, work_type& work, int iterations) const {
        Real const time = static_cast<Real>(t);
        if (work.history.empty()) { // a first look, with the smooth window
            run_near(time, system().multipliers_at(time, work.q, work.window.inner), false, work);
            take_filtered(work);
            if (!finite(t, work)) return;
            remember(time, work);
        }
        double change = 0;
        double allowed = 0;
        for (int k = 1; k <= options_.max_iterations; ++k) {
            auto const& load = work.history.predict(time, work.table);
            if (!system().place(time, work.q, work.v, load, work.window.inner)) {
                work.failed = work.window.inner.springs.failed;
                if (!work.failed.happened()) static_cast<void>(finite(t, work));
                return;
            }
            run_near(time, load.value, tune(work), work);
            ++work.filterings;
            system().place_acceleration(time, work.q, work.v, load, work.window.force, work.window.inner);
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
    void run_near(Real time, loads const& load, bool notch, work_type& work) const {
        int const steps = notch ? work.notch.steps() : work.plan.after;
        cover(static_cast<scalar>(time), 2 * steps, work);
        work.here.t = time;
        work.here.q = work.q;
        work.here.stretch = load;
        system().to_stretch(work.here.stretch);
        this->window_.template run_near<false, true>(work.here, work.v, static_cast<Real>(work.plan.step), steps,
                                                     notch ? work.notch_weights.data() : work.weights.data(),
                                                     work.window);
    }
    void cover(scalar t, int steps, work_type& work) const {
        this->require_begun(work);
        work.covered += steps * work.plan.step;
        if (work.covered > options_.longest && !work.failed.happened())
            work.failed = detail::windows_cover_run(static_cast<double>(t), work.covered, work.plan.length);
    }
    /// Puts the zeros of the notch where the modes are here. False where there is no notch for them.
    [[nodiscard]] bool tune(work_type& work) const {
        if (!work.notched || !work.notch.tune(system().band_here(work.window.inner), work.plan.step)) return false;
        detail::convert(work.notch_weights, work.notch.weights());
        return true;
    }
    void remember(Real time, work_type& work) const {
        work.history.remember(time, static_cast<Real>(work.plan.length), work.window.mean_load, options_.loads);
    }
    void take_filtered(work_type& work) const {
        ++work.filterings;
        add_scaled(work.q, Real(1), work.window.displacement);
        work.v = work.window.velocity;
    }
    void filter_until_it_stays(scalar t, work_type& work, int iterations) const {
        if (iterations > 0) {
            for (int k = 0; k < iterations && finite(t, work); ++k) filter(t, work);
            if (finite(t, work)) watch(t, iterations, work);
            return;
        }
        // (14): tangential glides go on for ever, what must come to rest are g and its rate
        Real const time = static_cast<Real>(t);
        work.before = system().stretch(time, work.q, work.window.inner);
        work.rate_before = system().stretch_rate(time, work.q, work.v, work.window.inner);
        double const stretch = options_.stretch_tolerance > 0 ? options_.tolerance / options_.stretch_tolerance : 1;
        double moved = 0;
        for (int k = 0; k < options_.max_iterations; ++k) {
            filter(t, work);
            if (!finite(t, work)) return;
            auto const& now = system().stretch(time, work.q, work.window.inner);
            auto const& rate_now = system().stretch_rate(time, work.q, work.v, work.window.inner);
            moved = std::max(stretch * distance(work.before, now), distance(work.rate_before, rate_now));
            if (moved < options_.tolerance) return;
            work.before = now;
            work.rate_before = rate_now;
        }
        work.failed =
            detail::projection_diverged(static_cast<double>(t), options_.max_iterations, moved, options_.tolerance);
    }
    /// Filterings that nothing tests must at least leave less fast motion than there is slow one.
    void watch(scalar t, int iterations, work_type& work) const {
        double const moved = detail::euclidean_norm(work.window.displacement);
        double const allowed = 0.1 * detail::euclidean_norm(work.v) / work.modes.slowest + options_.tolerance;
        if (moved > allowed)
            work.failed = detail::projection_diverged(static_cast<double>(t), iterations, moved, allowed);
    }
    [[nodiscard]] static bool finite(scalar t, work_type& work) {
        if (work.failed.happened()) return false;
        if (all_finite(work.q) && all_finite(work.v) && all_finite(work.window.force)) return true;
        work.failed = non_finite_force(static_cast<double>(t), first_non_finite(work.q) % work.q.size(), true);
        return false;
    }
    [[nodiscard]] static double distance(loads const& a, loads const& b) {
        double sum = 0;
        for (std::size_t j = 0; j < a.size(); ++j) sum += static_cast<double>((a[j] - b[j]) * (a[j] - b[j]));
        return std::sqrt(sum);
    }

    projection_options options_;
};

/// The slow motion of a stiff system with every evaluation on the slow manifold:
/// `effective(system, slow_manifold{cubic_window(omega)})`. Every run plans its window for the fast frequencies at its
/// start.
template <stiff_motion System, class Micro, class Real>
[[nodiscard]] auto effective(System system, slow_manifold<Micro, Real> const& closure) {
    return projected_stiff<System, Micro, Real>(std::move(system), closure);
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
    auto const slow = effective(system, closure);
    auto work = slow.work();
    auto const time = static_cast<scalar_of<System>>(t);
    slow.begin(time, x, work);
    if (!work.failed.happened()) slow.lower(time, x, work);
    slow_point<state_of<System>, typename System::multiplier_vector> found{x, slow.multipliers(work), work.failed, {}};
    slow.count(work, found.statistics);
    return found;
}

} // namespace lento
