#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/option.hpp>
#include <lento/effective/interaction.hpp>
#include <lento/effective/path_checks.hpp>
#include <lento/effective/window.hpp>
#include <lento/kernel/kernel.hpp>
#include <lento/stepper/flow.hpp>
#include <lento/stepper/runge_kutta.hpp>

namespace lento {

/// How the effective path through a point is made: flows of length `delta` (in units of epsilon) with and without the
/// perturbation, compared at `points` places to either side. The perturbation is filtered on the way, or not. A second
/// filter, `extrapolate`, removes the O(epsilon) error of the first; `ramp` starts and reports the true state by
/// switching the perturbation off and on adiabatically.
struct path_window {
    double delta = 0;
    std::optional<lento::kernel> filter{};
    int points = 1;
    int steps = 0; ///< micro steps over delta, for methods with fixed steps
    std::optional<lento::kernel> extrapolate{};
    bool ramp = false;
};

/// Backward-forward HMM (paper 002, algorithms 1 to 3): the path of points reached by the perturbed flow forward and
/// the unperturbed one back crosses the fast orbits as the solution does, and its slope is the effective rate. No slow
/// variable is known to it.
template <class Micro = rk4> struct backward_forward {
    path_window path;
    Micro micro;
    backward_forward(path_window const& along, Micro stepper = {}) : path(along), micro(std::move(stepper)) {}
};

/// The drift of a split system across the orbits of its fast part. Made by `effective`.
template <flows_in_windows System, class Micro> class backward_forward_system {
    using view = detail::flow_view<System>;

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = point<vector>;
    static constexpr bool turns_exactly = detail::is_interaction<System>;

    struct work_type {
        typename view::work_type flows;
        state place;
        memory_of<Micro, view> memory;
        vector second;
        vector slope;
        vector middle;
        std::optional<scalar> origin; ///< when the fast frame agreed with the fixed one
        std::uint64_t evaluations = 0;
        std::uint64_t micro_steps = 0;
        failure failed;
        std::vector<warning> warnings;
        static auto members(auto& self) {
            return std::tie(self.flows, self.memory, self.origin, self.evaluations, self.micro_steps, self.failed,
                            self.warnings);
        }
    };

    backward_forward_system(System system, path_window const& options, Micro micro)
        : system_(std::move(system))
        , micro_(std::move(micro))
        , points_(options.points)
        , steps_(options.steps)
        , span_(static_cast<scalar>(options.delta) * system_.epsilon())
        , ramp_(options.ramp) {
        detail::check_path(options.delta, options.points, options.steps, adaptive_stepper<Micro>);
        if (options.filter) filters_.emplace_back(*options.filter);
        if (options.extrapolate) {
            if (filters_.empty()) throw misuse("an extrapolation needs two filters, but the first is missing");
            filters_.emplace_back(*options.extrapolate);
            share_ = detail::extrapolation_share(filters_[0].power(), filters_[1].power());
        }
        if (ramp_ && (filters_.empty() || !turns_exactly))
            throw misuse("a ramp needs a filter, whose smoothness it takes over, and the interaction picture, which "
                         "knows the fast phase; give both or leave the ramp out");
        if constexpr (requires { system_.flow(); }) {
            detail::check_oscillation(system_.flow(), failed_);
            for (auto const& each : filters_)
                detail::watch_leak(system_.flow().frequencies(), options.delta, &each.kernel(), warnings_);
            if (filters_.empty()) detail::watch_leak(system_.flow().frequencies(), options.delta, nullptr, warnings_);
        }
    }

    [[nodiscard]] auto const& space() const { return system_.space(); }
    [[nodiscard]] double window_length() const { return 2 * points_ * static_cast<double>(span_); }
    [[nodiscard]] double window_length(work_type const&) const { return window_length(); }
    [[nodiscard]] work_type work() const {
        vector const zeros = space().template zeros<scalar>();
        view const seen = open(scalar(0), detail::weighing::off, 0);
        return {.flows = seen.work(),
                .place = {zeros},
                .memory = micro_.start(seen),
                .second = zeros,
                .slope = zeros,
                .middle = zeros,
                .origin = {},
                .failed = failed_,
                .warnings = warnings_};
    }
    void count(work_type const& work, statistics& counts) const {
        system_.count(work.flows.inner, counts);
        counts.effective_evaluations = work.evaluations;
        counts.micro_steps = work.micro_steps;
    }

    void rate(scalar t, vector const& x, vector& out, work_type& work) const {
        if (!work.origin) work.origin = t;
        if (!work.failed.happened()) {
            ++work.evaluations;
            slope(t, x, 0, out, work);
            if (filters_.size() > 1) {
                slope(t, x, 1, work.second, work);
                for (std::size_t i = 0; i < out.size(); ++i) out[i] += share_ * (work.second[i] - out[i]);
            }
        }
        detail::spoil_after_failure(out, work);
    }

    /// Algorithm 1's comparison: where the unperturbed flow is after delta, and how much faster the perturbed one went.
    void compare(scalar t, vector const& x, vector& unperturbed, vector& difference, work_type& work) const {
        ++work.evaluations;
        work.place.state = x;
        if constexpr (turns_exactly) {
            run(t, span_, detail::weighing::filtered, 0, work);
            unperturbed = x;
            system_.turn_by(span_, unperturbed, work.flows.inner);
            system_.turn_by(span_, work.place.state, work.flows.inner);
        } else {
            run(t, span_, detail::weighing::off, 0, work);
            unperturbed = work.place.state;
            work.place.state = x;
            run(t, span_, detail::weighing::filtered, 0, work);
        }
        for (std::size_t i = 0; i < x.size(); ++i) difference[i] = (work.place.state[i] - unperturbed[i]) / span_;
    }

    /// The slow state of a physical one: the perturbation fades out over delta, in which slow time passes by half of
    /// it.
    void lower(scalar t, state& x, work_type& work) const
        requires turns_exactly
    {
        work.origin = t;
        if (!ramp_ || work.failed.happened()) return;
        work.place = x;
        run(t, span_, detail::weighing::fading, 0, work);
        x = work.place;
        drift(t + span_ / 2, -span_ / 2, x, work);
    }
    /// The physical state of a slow one: the same backwards in time, in the fast frame of that moment.
    void lift(scalar t, state& x, work_type& work) const
        requires turns_exactly
    {
        if (!work.origin) work.origin = t;
        if (!ramp_ || work.failed.happened()) {
            system_.turn_by(t - *work.origin, x.state, work.flows.inner);
            return;
        }
        drift(t, -span_ / 2, x, work);
        system_.turn_by(t - span_ - *work.origin, x.state, work.flows.inner);
        work.place = x;
        run(t - span_, span_, detail::weighing::rising, 0, work);
        x = work.place;
        system_.turn_by(span_, x.state, work.flows.inner);
    }

private:
    [[nodiscard]] view open(scalar t, detail::weighing how, std::size_t which) const {
        bool const plain = filters_.empty() && how == detail::weighing::filtered;
        return {.system = &system_,
                .start = t,
                .span = span_,
                .how = plain ? detail::weighing::steady : how,
                .shape = filters_.empty() ? nullptr : &filters_[which],
                .second = which == 1,
                .repeated = !adaptive_stepper<Micro>};
    }
    /// One flow from a window's start, `length` long and with that sign; the place is carried along.
    void run(scalar t, scalar length, detail::weighing how, std::size_t which, work_type& work) const {
        view const seen = open(t, how, which);
        work.micro_steps += lento::flow(micro_, seen, scalar(0), length, steps_, work.place, work.memory, work.flows);
    }
    /// The unperturbed flow from a window's end back to its start; in the interaction picture nothing moves.
    void return_to_start(scalar t, scalar length, work_type& work) const {
        if constexpr (!turns_exactly) {
            view const seen = open(t, detail::weighing::off, 0);
            work.micro_steps +=
                lento::flow(micro_, seen, length, scalar(0), steps_, work.place, work.memory, work.flows);
        }
    }

    void slope(scalar t, vector const& x, std::size_t which, vector& out, work_type& work) const {
        set_scaled(out, scalar(0), x);
        for (int const side : {1, -1}) {
            work.place.state = x;
            for (int j = 1; j <= points_; ++j) {
                scalar const from = t + scalar(side * (j - 1)) * span_;
                run(from, scalar(side) * span_, detail::weighing::filtered, which, work);
                return_to_start(from, scalar(side) * span_, work);
                scalar const factor = scalar(side) * detail::central_difference<scalar>(points_, j) / span_;
                for (std::size_t i = 0; i < x.size(); ++i) out[i] += factor * (work.place.state[i] - x[i]);
            }
        }
        if (!all_finite(out)) work.failed = non_finite_force(static_cast<double>(t), first_non_finite(out), true);
    }

    /// A short step of the effective motion, by the midpoint rule.
    void drift(scalar t, scalar h, state& x, work_type& work) const {
        rate(t, x.state, work.slope, work);
        set_sum(work.middle, x.state, h / 2, work.slope);
        rate(t + h / 2, work.middle, work.slope, work);
        add_scaled(x.state, h, work.slope);
    }

    System system_;
    Micro micro_;
    int points_;
    int steps_;
    scalar span_;
    bool ramp_;
    std::vector<filter> filters_;
    scalar share_ = scalar(0);
    failure failed_;
    std::vector<warning> warnings_;
};

template <flows_in_windows System, class Micro>
[[nodiscard]] auto effective(System system, backward_forward<Micro> const& closure) {
    return backward_forward_system<System, Micro>(std::move(system), closure.path, closure.micro);
}

/// Forward Euler as algorithm 1 of paper 002 has it: the step starts where the unperturbed flow is after delta, so that
/// the fast phase turns from step to step.
struct turning_euler {
    double step = 0;

    static constexpr std::string_view name = "turning-euler";
    static constexpr int order = 1;
    static constexpr bool is_adaptive = false;
    static constexpr auto options() { return std::tuple{step_option(&turning_euler::step)}; }

    template <class S> struct memory {
        vector_of<S> unperturbed;
        vector_of<S> difference;
        bool fresh = false;
        [[nodiscard]] vector_of<S> const& derivative() const { return difference; }
        static auto members(auto& self) { return std::tie(self.unperturbed, self.difference, self.fresh); }
    };
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(
            requires(vector_of<S> x, work_of<S> work) { system.compare(scalar_of<S>(), x, x, x, work); },
            "the turning Euler step compares two flows: it runs on a backward-forward system only");
        auto const zeros = system.space().template zeros<scalar_of<S>>();
        return {zeros, zeros};
    }
    template <class S>
    void prepare(S const& system, scalar_of<S> t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        system.compare(t, x.state, m.unperturbed, m.difference, work);
        m.fresh = true;
    }
    template <class S> void advance(S const& system, scalar_of<S> t, scalar_of<S> h, state_of<S>& x, memory<S>& m,
                                    work_of<S>& work) const {
        prepare(system, t, x, m, work);
        set_sum(x.state, m.unperturbed, h, m.difference);
        m.fresh = false;
    }
};

} // namespace lento
