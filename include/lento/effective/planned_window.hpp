#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/effective/fast_energy.hpp>
#include <lento/effective/spring_window.hpp>

namespace lento {

/// What force averaging and the projection onto the slow manifold share: the window, which every run plans for the
/// modes at its start, and what is looked at where a step ends.
template <stiff_motion System, class Micro, class Real> class planned_window {
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
        window_plan plan;
        std::vector<Real> weights; ///< of the samples 0 ... plan.after
        std::vector<double> band;  ///< the fast frequencies at the start
        mode_range modes;
        typename runner::work_type window;
        inner_vector q;
        inner_vector v;
        vector light;
        typename System::multiplier_vector lambda;
        stiff_watch<inner_system> watch;
        failure failed;
        std::vector<warning> warnings;
        static auto members(auto& self) {
            return std::tie(self.plan, self.weights, self.band, self.modes, self.window, self.lambda, self.watch,
                            self.failed, self.warnings);
        }
    };

    planned_window(System system, window over, Micro micro)
        : window_(detail::in_scalar<Real>(system), std::move(micro)), over_(std::move(over)) {
        if constexpr (!in_given_numbers) given_.emplace(std::move(system));
        check_stiff(over_);
    }

    [[nodiscard]] auto const& space() const { return window_.system().space(); }
    [[nodiscard]] auto const& system() const { return window_.system(); }
    /// The window of a run, as `begin` has planned it.
    [[nodiscard]] window_plan const& plan(shared_work const& work) const { return work.plan; }
    /// The modes at its start.
    [[nodiscard]] mode_range const& modes(shared_work const& work) const { return work.modes; }
    /// The springs' loads lambda = omega^2 g, of the last window or slow point
    [[nodiscard]] auto const& multipliers(shared_work const& work) const { return work.lambda; }

    /// Begins at a state.
    void open(state const& x, shared_work& work) const {
        detail::convert(work.q, x.position);
        detail::convert(work.v, x.velocity);
    }

    /// Whether the springs hold more than so many times the kinetic energy at a state.
    [[nodiscard]] bool has_drifted(scalar t, state const& x, double drift, shared_work& work) const {
        detail::convert(work.q, x.position);
        auto const& lambda = system().multipliers_at(static_cast<Real>(t), work.q, work.window.inner);
        double normal = 0;
        for (std::size_t j = 0; j < lambda.size(); ++j) {
            double const w = system().frequencies()[j];
            normal += static_cast<double>(lambda[j] * lambda[j]) / (2 * w * w);
        }
        return normal > drift * detail::kinetic_energy(system().mass(), x.velocity, work.light);
    }

protected:
    [[nodiscard]] shared_work start() const {
        auto const zeros = space().template zeros<Real>();
        typename System::multiplier_vector none{};
        auto window = window_.work();
        detail::convert(none, window.inner.load);
        window_plan unplanned;
        unplanned.kernel = over_.kernel;
        return {std::move(unplanned),
                {},
                {},
                {},
                std::move(window),
                zeros,
                zeros,
                space().template zeros<scalar>(),
                std::move(none),
                stiff_watch<inner_system>(system()),
                {},
                {}};
    }
    /// Plans the window for the fast frequencies at the start of a run. Looking at them is no part of the motion: it
    /// leaves no trace in the counts. False, with the reason in the work, where the method does not apply there.
    [[nodiscard]] bool plan_window(scalar t, state const& x, shared_work& work) const {
        auto const refuse = [&](std::string why) {
            work.failed = {outcome::not_applicable, static_cast<double>(t), std::move(why)};
            return false;
        };
        auto scratch = given().work();
        auto const band = given().fast_band(t, x.position, scratch);
        if (scratch.springs.failed.happened()) return refuse(scratch.springs.failed.message);
        try {
            work.plan = stiff_plan(over_, band);
        } catch (does_not_apply const& error) { return refuse(error.what()); }
        work.weights.assign(work.plan.weights.begin() + work.plan.before, work.plan.weights.end());
        work.band.assign(band.begin(), band.end());
        work.modes = detail::modes_of(given(), x, t, work.band, scratch);
        return true;
    }
    static void require_begun(shared_work const& work) {
        if (work.weights.empty())
            throw misuse("the window of a stiff system is planned where its run begins, but this one has not begun; "
                         "call begin with its start first");
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
    /// What the last digit of a coordinate is worth, as an acceleration by the springs.
    void look_at_rounding(scalar t, std::span<double const> band, shared_work& work) const {
        if (work.failed.happened() || band.empty()) return;
        work.watch.rounding.observe(static_cast<double>(t), band.back(),
                                    static_cast<double>(std::numeric_limits<Real>::epsilon()),
                                    static_cast<double>(max_norm(work.q)),
                                    static_cast<double>(max_norm(work.window.force)), detail::euclidean_norm(work.v));
    }
    void look_around(scalar t, std::span<double const> band, bool runs_away, shared_work& work) const {
        work.watch.step(system(), work.plan, static_cast<Real>(t), work.q, work.v, band, runs_away, work.window.inner,
                        work.failed);
    }

    runner window_;

private:
    static constexpr bool in_given_numbers = std::is_same_v<inner_system, System>;
    [[nodiscard]] System const& given() const {
        if constexpr (in_given_numbers) return system();
        else return *given_;
    }

    lento::window over_;
    std::optional<System> given_; ///< where windows have other numbers
};

} // namespace lento
