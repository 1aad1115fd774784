#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/effective/interaction.hpp>
#include <lento/effective/micro_window.hpp>
#include <lento/effective/path_checks.hpp>
#include <lento/effective/window.hpp>
#include <lento/stepper/flow.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// How the map over one fast period is differenced: `order` 2 takes it once forward and once back, 4 twice each.
/// `period` is for plain systems; split and vibrated ones know theirs.
struct strobe {
    int order = 2;
    int steps = 32; ///< micro steps per period
    double period = 0;
};

/// Stroboscopic averaging (Calvo, Chartier, Murua and Sanz-Serna 2011): seen once per period, the full solution moves
/// slowly, and the rate of that motion is a central difference of the map over one period. Not an average of the
/// solution: at multiples of the period it is the solution, and a piece of the fast flow gives it at any other time.
template <class Micro = rk4> struct stroboscopic {
    strobe look;
    Micro micro;
    stroboscopic(strobe how, Micro stepper = {}) : look(how), micro(std::move(stepper)) {}
};

namespace detail {

/// A plain system with a fast period seen from inside a window. Time is counted from a whole number of periods, so
/// that a forcing with that period is met in its phase; a slow explicit time belongs into a split or vibrated system.
template <class System> struct plain_view : view_on<System> {
    using typename view_on<System>::scalar;
    using typename view_on<System>::vector;

    scalar start;

    void acceleration(scalar elapsed, vector const& q, vector& out, work_of<System>& work) const
        requires separable<System>
    {
        this->system->acceleration(start + elapsed, q, out, work);
    }
    void acceleration(scalar elapsed, vector const& q, vector const& v, vector& out, work_of<System>& work) const
        requires(velocity_dependent<System> && !separable<System>)
    {
        this->system->acceleration(start + elapsed, q, v, out, work);
    }
    void rate(scalar elapsed, vector const& x, vector& out, work_of<System>& work) const
        requires first_order<System>
    {
        this->system->rate(start + elapsed, x, out, work);
    }
};

template <class System> struct strobe_traits {
    using view = plain_view<System>;
};
template <flows_in_windows System> struct strobe_traits<System> {
    using view = flow_view<System>;
};
template <vibrating System> struct strobe_traits<System> {
    using view = window_view<System>;
};

/// Positions and velocities make one vector of a doubled space.
template <class Space, bool Motion> struct whole_space {
    using type = Space;
    static type of(Space const& space) { return space; }
};
template <std::size_t N> struct whole_space<fixed<N>, true> {
    using type = fixed<2 * N>;
    static type of(fixed<N> const&) { return {}; }
};
template <> struct whole_space<dynamic, true> {
    using type = dynamic;
    static type of(dynamic const& space) { return dynamic(2 * space.size()); }
};

} // namespace detail

/// The stroboscopic motion of a system: first order, in the whole state (positions, then velocities, where there are
/// such). Made by `effective`.
template <class System, class Micro> class stroboscopic_system {
    using view = typename detail::strobe_traits<System>::view;
    static constexpr bool is_motion = state_of<System>::is_motion;
    using whole = detail::whole_space<typename System::space_type, is_motion>;

public:
    using space_type = typename whole::type;
    using scalar = scalar_of<System>;
    using vector = typename space_type::template vector<scalar>;
    using state = point<vector>;

    struct work_type {
        work_of<view> inner;
        state_of<System> place;
        memory_of<Micro, view> memory;
        vector slope;
        vector middle;
        vector reached;
        std::optional<scalar> origin; ///< when the stroboscope lit up first
        bool checked = false;
        std::uint64_t evaluations = 0;
        std::uint64_t micro_steps = 0;
        failure failed;
        std::vector<warning> warnings;
        static auto members(auto& self) {
            return std::tie(self.inner, self.memory, self.origin, self.checked, self.evaluations, self.micro_steps,
                            self.failed, self.warnings);
        }
    };

    stroboscopic_system(System system, strobe const& options, Micro micro)
        : system_(std::move(system))
        , space_(whole::of(system_.space()))
        , micro_(std::move(micro))
        , points_(options.order / 2)
        , steps_(options.steps)
        , period_(period_of(system_, options)) {
        static_assert(!adaptive_stepper<Micro>,
                      "a period is sampled in equal steps: use a micro stepper of fixed step");
        detail::check_strobe(options.order, options.steps);
        if constexpr (requires { system_.flow(); }) detail::check_oscillation(system_.flow(), failed_);
    }

    [[nodiscard]] space_type const& space() const { return space_; }
    [[nodiscard]] double window_length() const { return 2 * points_ * static_cast<double>(period_); }
    [[nodiscard]] double window_length(work_type const&) const { return window_length(); }
    [[nodiscard]] scalar period() const { return period_; }
    [[nodiscard]] work_type work() const {
        vector const zeros = space_.template zeros<scalar>();
        view const seen = open(scalar(0), scalar(0), true);
        return {.inner = seen.work(),
                .place = lento::origin(system_),
                .memory = micro_.start(seen),
                .slope = zeros,
                .middle = zeros,
                .reached = zeros,
                .origin = {},
                .failed = failed_,
                .warnings = {}};
    }
    void count(work_type const& work, statistics& counts) const {
        open(scalar(0), scalar(0), true).count(work.inner, counts);
        counts.effective_evaluations = work.evaluations;
        counts.micro_steps = work.micro_steps;
    }

    void rate(scalar t, vector const& x, vector& out, work_type& work) const {
        if (!work.origin) work.origin = t;
        if (!work.failed.happened()) {
            ++work.evaluations;
            set_scaled(out, scalar(0), x);
            for (int const side : {1, -1}) {
                spread(x, work.place);
                for (int j = 1; j <= points_; ++j) {
                    run(t + scalar(side * (j - 1)) * period_, scalar(side) * period_, steps_, true, work);
                    scalar const factor = scalar(side) * detail::central_difference<scalar>(points_, j) / period_;
                    gather(work.place, work.reached);
                    for (std::size_t i = 0; i < out.size(); ++i) out[i] += factor * (work.reached[i] - x[i]);
                }
            }
            if (!all_finite(out)) work.failed = non_finite_force(static_cast<double>(t), first_non_finite(out), true);
            else if (!work.checked) check_return(t, x, out, work);
        }
        detail::spoil_after_failure(out, work);
    }

    void lower(scalar t, state&, work_type& work) const { work.origin = t; }
    /// The full state between two flashes: back along the slow motion to the nearer one, and on with the fast flow.
    void lift(scalar t, state& x, work_type& work) const {
        using std::abs;
        using std::ceil;
        using std::round;
        if (!work.origin) work.origin = t;
        scalar const since = t - *work.origin;
        scalar const left = since - period_ * round(since / period_);
        // what the rounding of t leaves of a multiple is not a time
        scalar const rounding = scalar(4) * std::numeric_limits<scalar>::epsilon() * (abs(t) + abs(since));
        if (abs(left) <= scalar(1e-9) * period_ + rounding || work.failed.happened()) return;
        rate(t, x.state, work.slope, work);
        set_sum(work.middle, x.state, -left / 2, work.slope);
        rate(t - left / 2, work.middle, work.slope, work);
        add_scaled(x.state, -left, work.slope);
        spread(x.state, work.place);
        int const steps = static_cast<int>(ceil(scalar(steps_) * abs(left) / period_));
        run(t - left, left, steps, false, work);
        gather(work.place, x.state);
        if constexpr (detail::is_interaction<System>) system_.turn_by(left, x.state, work.inner.inner);
    }

private:
    static scalar period_of(System const& system, strobe const& options) {
        scalar period(0);
        if constexpr (flows_in_windows<System>) period = system.period();
        else if constexpr (vibrating<System>) period = two_pi<scalar> / system.frequencies()[0];
        else period = static_cast<scalar>(options.period);
        if constexpr (vibrating<System>) {
            static_assert(System::phase_count == 1 || System::phase_count == any_phases,
                          "stroboscopic averaging needs one period, but there are several phases; use a filter");
            if (system.frequencies().size() != 1)
                throw does_not_apply("stroboscopic averaging needs one period, but there are several phases; use a "
                                     "filter");
        }
        if (!(period > scalar(0)))
            throw misuse("stroboscopic averaging needs the period of the fast motion, but it is " +
                         show(static_cast<double>(period)) +
                         "; use backward-forward with a filter when it is not known");
        return period;
    }

    [[nodiscard]] view open(scalar t, scalar origin, bool repeated) const {
        if constexpr (flows_in_windows<System>) {
            return {.system = &system_, .start = t, .span = period_, .repeated = repeated};
        } else if constexpr (vibrating<System>) {
            return {&system_, system_.phase_at(origin), t, scalar(1)};
        } else {
            using std::round;
            return {&system_, origin + period_ * round((t - origin) / period_)};
        }
    }
    void run(scalar t, scalar length, int steps, bool repeated, work_type& work) const {
        view const seen = open(t, *work.origin, repeated);
        work.micro_steps += lento::flow(micro_, seen, scalar(0), length, steps, work.place, work.memory, work.inner);
    }

    static void spread(vector const& x, state_of<System>& place) {
        if constexpr (is_motion) {
            std::size_t const n = place.position.size();
            for (std::size_t i = 0; i < n; ++i) {
                place.position[i] = x[i];
                place.velocity[i] = x[n + i];
            }
        } else {
            place.state = x;
        }
    }
    static void gather(state_of<System> const& place, vector& x) {
        if constexpr (is_motion) {
            std::size_t const n = place.position.size();
            for (std::size_t i = 0; i < n; ++i) {
                x[i] = place.position[i];
                x[n + i] = place.velocity[i];
            }
        } else {
            x = place.state;
        }
    }

    /// Whether the fast flow alone returns after the period; of a plain system, whether anything does.
    void check_return(scalar t, vector const& x, vector const& slope, work_type& work) const {
        using std::abs;
        work.checked = true;
        double const drift = static_cast<double>(max_norm(slope) * period_);
        double const size = static_cast<double>(max_norm(x));
        if constexpr (flows_in_windows<System>) {
            double defect = 0;
            if constexpr (requires { system_.flow(); } && detail::is_interaction<System>) {
                defect = size * system_.flow().return_defect(static_cast<long double>(period_) /
                                                             static_cast<long double>(system_.epsilon()));
            } else {
                view seen = open(t, t, true);
                seen.how = detail::weighing::off;
                work.place.state = x;
                work.micro_steps +=
                    lento::flow(micro_, seen, scalar(0), period_, steps_, work.place, work.memory, work.inner);
                add_scaled(work.place.state, scalar(-1), x);
                defect = static_cast<double>(max_norm(work.place.state));
            }
            double const rounding = 64 * static_cast<double>(std::numeric_limits<scalar>::epsilon());
            if (defect > 0.01 * drift + rounding * size)
                work.failed =
                    detail::period_is_wrong(static_cast<double>(t), static_cast<double>(period_), defect, drift);
        } else if constexpr (!vibrating<System>) {
            // inside the period the fast motion must go further than it ends up: half a turn on, the ends of a central
            // difference meet far away
            view const seen = open(t, *work.origin, true);
            spread(x, work.place);
            double excursion = 0;
            double away = 0;
            for (int quarter = 0; quarter < 4; ++quarter) {
                scalar const from = period_ * scalar(quarter) / scalar(4);
                work.micro_steps += lento::flow(micro_, seen, from, from + period_ / scalar(4), (steps_ + 3) / 4,
                                                work.place, work.memory, work.inner);
                gather(work.place, work.reached);
                add_scaled(work.reached, scalar(-1), x);
                away = static_cast<double>(max_norm(work.reached));
                excursion = std::max(excursion, away);
            }
            if (std::max(drift, away) > 0.2 * excursion)
                work.failed = detail::not_periodic(static_cast<double>(t), static_cast<double>(period_),
                                                   std::max(drift, away), excursion);
        }
    }

    System system_;
    [[no_unique_address]] space_type space_;
    Micro micro_;
    int points_;
    int steps_;
    scalar period_;
    failure failed_;
};

template <class System, class Micro>
    requires(differential<System> || flows_in_windows<System>)
[[nodiscard]] auto effective(System system, stroboscopic<Micro> const& closure) {
    return stroboscopic_system<System, Micro>(std::move(system), closure.look, closure.micro);
}

} // namespace lento
