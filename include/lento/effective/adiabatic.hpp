#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/option.hpp>
#include <lento/effective/fast_motion.hpp>
#include <lento/effective/loaded_motion.hpp>
#include <lento/effective/mode_keeper.hpp>

namespace lento {

/// The slow motion of a stiff system whose fast motion carries energy: the limit, of the same orders, with the force of
/// the fast modes' actions, which are taken from the physical start and kept. Its states have more coordinates than the
/// system, see `adiabatic_system`.
struct adiabatic {
    int order = 1;
    double negligible = 1e-9;

    static constexpr std::string_view name = "adiabatic";
    static constexpr std::string_view sentence = "the limit of hard springs with the force of the fast energy";
    static constexpr auto options() {
        return std::tuple{option{"order", &adiabatic::order,
                                 "of the limit: 0, 1 or 2; what fast energy adds is of order 1/omega^2", between(0, 2)},
                          option{"negligible", &adiabatic::negligible,
                                 "energies of modes that are ignored, as a share of that of the slow motion",
                                 between(0, 1)}};
    }
};

namespace detail {

/// A space with more coordinates.
template <std::size_t More, std::size_t N> [[nodiscard]] fixed<N + More> larger(fixed<N>, std::size_t) { return {}; }
template <std::size_t> [[nodiscard]] inline dynamic larger(dynamic space, std::size_t more) {
    return dynamic(space.size() + more);
}

/// The number of springs where the compiler knows it.
template <class System> inline constexpr std::size_t known_springs = known_size<typename System::multiplier_vector>;

[[nodiscard]] failure modes_too_many(double time, std::size_t springs);

} // namespace detail

/// The slow motion of a stiff system with the force of its fast energy. Made by `effective`. A state has, after the
/// system's own coordinates, one for each spring's mode: its phase since the start over the largest of the springs'
/// frequencies, and its frequency over the same as velocity; and where the slow force depends on the velocity one more:
/// as velocity the logarithm of how much of its action is left. `extended` makes one of a start.
template <springs_apart System> class adiabatic_system {
    using fast = fast_motion<System>;
    using inner_vector = vector_of<System>;
    using inner_state = motion<inner_vector>;
    static constexpr bool damped = System::uses_velocity;
    static constexpr std::size_t per_mode = damped ? 2 : 1;

public:
    using space_type = decltype(detail::larger<per_mode * detail::known_springs<System>>(
        std::declval<System const&>().space(), std::size_t(0)));
    using scalar = scalar_of<System>;
    using vector = typename space_type::template vector<scalar>;
    using state = motion<vector>;
    using multiplier_vector = typename System::multiplier_vector;
    static constexpr bool uses_velocity = true;

    struct work_type {
        typename loaded_motion<System>::work_type loaded;
        typename fast::work_type fast_parts;
        typename mode_keeper<System>::work_type keeper;
        swing_watch width;
        std::vector<swing_width> widths; ///< scratch
        fast_modes carried;              ///< at the end of the last step, with the actions of the start
        std::vector<double> left;        ///< how much of them is left where the system is looked at
        std::vector<double> phases;      ///< of the start
        std::vector<double> phases_now;
        std::vector<mode_swing> swing; ///< scratch
        inner_state here;
        inner_state moved;
        bool excited = false;
        bool nonlinear = false; ///< the force depends on the velocity in a way that takes more samples
        std::uint64_t evaluations = 0;
        std::uint64_t projections = 0;
        failure failed{};
        std::vector<warning> warnings{};
        static auto members(auto& self) {
            return std::tie(self.loaded, self.keeper, self.width, self.carried, self.phases, self.excited,
                            self.nonlinear, self.evaluations, self.projections, self.failed, self.warnings);
        }
    };

    adiabatic_system(System system, adiabatic const& closure)
        : motion_(std::move(system), closure.order, true)
        , negligible_(closure.negligible)
        , space_(detail::larger<per_mode * detail::known_springs<System>>(motion_.system().space(),
                                                                          per_mode * springs())) {
        for (double const omega : this->system().frequencies()) unit_ = std::max(unit_, omega);
    }

    [[nodiscard]] space_type const& space() const { return space_; }
    [[nodiscard]] System const& system() const { return motion_.system(); }
    [[nodiscard]] work_type work() const {
        std::size_t const n = springs();
        auto const zeros = system().space().template zeros<scalar>();
        return {.loaded = motion_.work(),
                .fast_parts = fast_.work(system()),
                .keeper = keeper_.work(system()),
                .width = {},
                .widths = std::vector<swing_width>(n),
                .carried = fast_modes(n, n),
                .left = std::vector<double>(n, 1.),
                .phases = std::vector<double>(n),
                .phases_now = std::vector<double>(n),
                .swing = std::vector<mode_swing>(n),
                .here = {zeros, zeros},
                .moved = {zeros, zeros}};
    }
    void count(work_type const& work, statistics& counts) const {
        system().count(work.loaded.inner, counts);
        counts.effective_evaluations = work.evaluations;
        counts.projections = work.projections;
    }
    /// The springs' mean loads, at the last evaluation.
    [[nodiscard]] multiplier_vector const& multipliers(work_type const& work) const {
        return work.loaded.motion.multipliers;
    }

    /// A start of this system from one of the stiff system.
    [[nodiscard]] state extended(state_of<System> const& x) const {
        state made{space_.template zeros<scalar>(), space_.template zeros<scalar>()};
        std::copy(x.position.begin(), x.position.end(), made.position.begin());
        std::copy(x.velocity.begin(), x.velocity.end(), made.velocity.begin());
        return made;
    }
    /// The action E/Omega of each mode at a state of this system.
    [[nodiscard]] std::vector<double> actions(state const& x, work_type const& work) const {
        auto found = work.carried.actions;
        for (std::size_t m = 0; m < found.size(); ++m) found[m] *= left_of(x.velocity, m);
        return found;
    }
    /// The phase of each mode there, counted from its largest displacement.
    [[nodiscard]] std::vector<double> phases(state const& x, work_type const& work) const {
        auto found = work.phases;
        add_phases(x, found);
        return found;
    }
    /// Where modes passed through resonances, or their frequencies met.
    [[nodiscard]] std::vector<mode_passage> const& passages(work_type const& work) const {
        return work.keeper.passages;
    }
    /// How far what is not known of these passages may have moved the slow motion.
    [[nodiscard]] double doubt(work_type const& work) const { return work.keeper.shift; }
    /// How far it may be off because the fast motion is not small.
    [[nodiscard]] double width_doubt(work_type const& work) const { return work.width.shift(); }

    void begin(scalar t, state const& x, work_type& work) const {
        if (!system().are_few()) {
            work.failed = detail::modes_too_many(static_cast<double>(t), springs());
            return;
        }
        take(x.position, x.velocity, work.here);
        work.carried = fast_modes(springs(), springs());
        work.excited = work.nonlinear = false;
        if (!motion_.plan(t, work.here, force(work), work.loaded)) fail(work);
    }
    /// The slow state of a physical one: the point about which the fast motion swings, and its actions and phases.
    void lower(scalar t, state& x, work_type& work) const {
        if (work.failed.happened()) return;
        inner_state physical = work.here;
        take(x.position, x.velocity, physical);
        ++work.projections;
        if (!motion_.find_point(t, physical, work.here, force(work), work.loaded)) return fail(work);
        if (!swing_about(t, physical, work)) return fail(work);
        if (damped && work.excited) try_drag(t, work);
        for (int k = 0; k < most_rounds && work.excited; ++k) {
            double const before = work.carried.energy();
            if (!look_closely(t, work)) return fail(work);
            find_displacement(t, work);
            add_scaled(work.moved, scalar(-1), physical);
            for (auto* each : {&work.moved.position, &work.moved.velocity})
                for (auto& component : *each) component = -component;
            if (!motion_.approach(t, work.moved, work.here, work.loaded)) return fail(work);
            if (!swing_about(t, work.moved, work)) return fail(work);
            if (std::abs(work.carried.energy() - before) <= 1e-12 * before) break;
        }
        for (std::size_t m = 0; m < springs(); ++m) work.phases[m] = work.swing[m].phase();
        put(work.here, x);
        enter_modes(x, work);
        work.width.start(static_cast<double>(t));
        if (work.excited) keeper_.start(end_of_step(t, work), work.phases, work.keeper);
    }
    /// The physical state of a slow one. The phases must be known: their errors are those of the slow motion times
    /// omega.
    void lift(scalar t, state& x, work_type& work) const {
        if (work.failed.happened()) return;
        if (work.excited && !keeper_.phases_known(work.keeper)) {
            work.failed = detail::phases_unknown(static_cast<double>(t), work.keeper.phase_doubt);
            detail::spoil(x.position);
            return;
        }
        see(x.position, x.velocity, work);
        auto const& phase = find_phases(x, work);
        if (!look_closely(t, work)) {
            detail::spoil(x.position);
            return fail(work);
        }
        auto const& here = work.fast_parts.here;
        for (std::size_t m = 0; m < springs() && work.excited; ++m) {
            double const size = std::sqrt(2 * here.modes.actions[m] / here.modes.frequencies[m]);
            work.swing[m] = {size * std::cos(phase[m]), -size * std::sin(phase[m])};
        }
        find_displacement(t, work);
        for (std::size_t m = 0; m < springs() && work.excited; ++m) {
            add_scaled(work.moved.position, scalar(work.swing[m].out), here.direction[m]);
            add_scaled(work.moved.velocity, scalar(work.swing[m].back * here.modes.frequencies[m]), here.direction[m]);
        }
        add_scaled(work.moved, scalar(1), work.here);
        put(work.moved, x);
    }

    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        ++work.evaluations;
        see(q, v, work);
        if (!work.failed.happened() &&
            !motion_.look(t, work.here.position, work.here.velocity, force(work), work.loaded))
            fail(work);
        if (detail::spoil_after_failure(out, work)) return;
        auto const& a = work.loaded.motion.acceleration;
        std::copy(a.begin(), a.end(), out.begin());
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(size()), out.end(), scalar(0));
        if (!work.excited) return;
        auto& parts = work.fast_parts;
        fast_.find_rates(system(), t, work.here.position, work.here.velocity, parts, work.loaded.inner);
        for (std::size_t m = 0; m < springs(); ++m) {
            out[size() + m] = scalar(parts.change.rate[m] / unit_);
            if constexpr (damped) out[size() + springs() + m] = scalar(parts.change.damping[m]);
        }
    }
    /// At the end of a step: back under the loads, and the modes are carried on.
    [[nodiscard]] bool revise(scalar t, state& x, work_type& work) const {
        ++work.projections;
        see(x.position, x.velocity, work);
        auto& here = work.here;
        if (!motion_.settle(t, here.position, here.velocity, force(work), work.loaded)) {
            fail(work);
            return true;
        }
        if (work.excited) carry_on(t, x, work);
        put(here, x);
        return true;
    }
    /// At the end of a run: what is not known.
    void confirm(scalar t, state const& x, work_type& work) const {
        motion_.report(work.loaded, work.warnings);
        work.width.report(static_cast<double>(t), work.warnings);
        auto const& passed = work.keeper.passages;
        see(x.position, x.velocity, work);
        if (!(work.keeper.shift > 1e-6 * static_cast<double>(max_norm(work.here.position)))) return;
        auto const worst = std::max_element(passed.begin(), passed.end(),
                                            [](auto const& a, auto const& b) { return a.doubt < b.doubt; });
        work.warnings.push_back(detail::actions_in_doubt(*worst, work.keeper.shift, static_cast<double>(t)));
    }

private:
    static constexpr int most_rounds = 12;
    /// Shares of a mode's largest velocity: of its cosine at equidistant phases.
    static constexpr std::array<double, 1> one_share{std::numbers::sqrt2 / 2};
    static constexpr std::array<double, 2> two_shares{0.92387953251128674, 0.38268343236508977};

    [[nodiscard]] std::size_t size() const { return system().space().size(); }
    [[nodiscard]] std::size_t springs() const { return system().frequencies().size(); }
    static void fail(work_type& work) { work.failed = work.loaded.inner.springs.failed; }

    // ---- states ----

    void take(vector const& q, vector const& v, inner_state& x) const {
        std::copy_n(q.begin(), size(), x.position.begin());
        std::copy_n(v.begin(), size(), x.velocity.begin());
    }
    void put(inner_state const& x, state& out) const {
        std::copy(x.position.begin(), x.position.end(), out.position.begin());
        std::copy(x.velocity.begin(), x.velocity.end(), out.velocity.begin());
    }
    [[nodiscard]] double left_of(vector const& v, std::size_t m) const {
        if constexpr (damped) return std::exp(static_cast<double>(v[size() + springs() + m]));
        else return static_cast<void>(v), static_cast<void>(m), 1;
    }
    void see(vector const& q, vector const& v, work_type& work) const {
        take(q, v, work.here);
        for (std::size_t m = 0; m < springs(); ++m) work.left[m] = left_of(v, m);
    }
    /// The modes found last become those that the next are carried on from, and their frequencies part of the state.
    void enter_modes(state& x, work_type& work) const {
        auto const& found = work.fast_parts.here.modes;
        work.carried.shapes = found.shapes;
        work.carried.frequencies = found.frequencies;
        for (std::size_t m = 0; m < springs(); ++m) x.velocity[size() + m] = scalar(found.frequencies[m] / unit_);
    }

    void add_phases(state const& x, std::vector<double>& to) const {
        for (std::size_t m = 0; m < to.size(); ++m) to[m] += unit_ * static_cast<double>(x.position[size() + m]);
    }
    [[nodiscard]] std::vector<double> const& find_phases(state const& x, work_type& work) const {
        work.phases_now = work.phases;
        add_phases(x, work.phases_now);
        return work.phases_now;
    }
    /// At the end of a step the modes are found anew: what they differ by from their integrated frequencies is an
    /// error that the phases have too.
    void carry_on(scalar t, state& x, work_type& work) const {
        if (!find_modes(t, work)) return fail(work);
        double off = 0;
        for (std::size_t m = 0; m < springs(); ++m)
            if (work.carried.actions[m] > 0)
                off = std::max(off, std::abs(static_cast<double>(x.velocity[size() + m]) * unit_ -
                                             work.fast_parts.here.modes.frequencies[m]));
        keeper_.doubt_frequency(off, work.keeper);
        watch_width(t, work);
        auto const& phase = find_phases(x, work);
        keeper_.step(end_of_step(t, work), phase, work.keeper);
        enter_modes(x, work);
    }

    void watch_width(scalar t, work_type& work) const {
        auto const& here = work.here;
        auto const& motion = work.loaded.motion;
        double const acceleration = static_cast<double>(max_norm(motion.acceleration));
        for (std::size_t m = 0; m < springs(); ++m) {
            work.widths[m] = {};
            if (work.fast_parts.here.modes.actions[m] > 0)
                work.widths[m] =
                    fast_.width(system(), t, m, motion_.path_of(), work.loaded.order > 0, motion_.spacing(work.loaded),
                                motion, here.position, here.velocity, acceleration, work.fast_parts, work.loaded.inner);
        }
        double const speed = static_cast<double>(max_norm(here.velocity));
        work.keeper.phase_doubt += work.width.step(static_cast<double>(t), speed, work.widths);
    }

    [[nodiscard]] typename mode_keeper<System>::end_of_step end_of_step(scalar t, work_type& work) const {
        return {system(), fast_, t, work.here, work.carried, work.left, work.fast_parts, work.loaded.inner};
    }

    // ---- the force of the fast motion ----

    [[nodiscard]] auto force(work_type& work) const {
        return [this, &work](scalar t, auto& at) {
            auto& parts = work.fast_parts;
            auto& inner = work.loaded.inner;
            system().slow_acceleration(t, at.q, at.v, at.force, inner);
            if (!work.excited) return std::fill(at.shift.begin(), at.shift.end(), scalar(0));
            bool const middle = &at == &motion_.path_of().middle(work.loaded.motion);
            auto& here = middle ? parts.here : parts.aside;
            find_modes(at.at, here, work);
            if constexpr (damped) {
                if (middle) find_drag(t, at, work);
                add_scaled(at.force, scalar(1), parts.mean);
            }
            fast_.push(system(), t, at, here, parts, inner);
        };
    }
    /// A force that is not linear in the velocity is sampled at more of a mode's velocities: their mean is then exact
    /// for polynomials of degree 7 in one mode, instead of 2.
    template <class Node> void find_drag(scalar t, Node const& at, work_type& work) const {
        if (work.nonlinear) fast_.find_drag(system(), t, at, two_shares, work.fast_parts, work.loaded.inner);
        else fast_.find_drag(system(), t, at, one_share, work.fast_parts, work.loaded.inner);
    }
    /// Whether it takes them, at the point in the work.
    void try_drag(scalar t, work_type& work) const {
        auto const& here = work.here;
        auto const& parts = work.fast_parts;
        if (!motion_.look(t, here.position, here.velocity, force(work), work.loaded)) return;
        auto const mean = parts.mean;
        auto const damping = parts.change.damping;
        work.nonlinear = true;
        if (!motion_.look(t, here.position, here.velocity, force(work), work.loaded)) return;
        double off = 0;
        double size = 0;
        for (std::size_t i = 0; i < mean.size(); ++i) {
            off = std::max(off, std::abs(static_cast<double>(mean[i] - parts.mean[i])));
            size = std::max(size, std::abs(static_cast<double>(work.loaded.motion.acceleration[i])));
        }
        work.nonlinear = off > 1e-8 * size;
        for (std::size_t m = 0; m < damping.size(); ++m)
            if (std::abs(damping[m] - parts.change.damping[m]) > 1e-6 * std::abs(damping[m])) work.nonlinear = true;
    }
    template <class Factors, class Modes> void find_modes(Factors const& at, Modes& here, work_type& work) const {
        fast_.find(system(), work.carried, at, here, work.loaded.inner);
        for (std::size_t m = 0; m < springs(); ++m) here.modes.actions[m] *= work.left[m];
    }
    /// At the point in the work.
    [[nodiscard]] bool find_modes(scalar t, work_type& work) const {
        auto& inner = work.loaded.inner;
        if (!system().springs().linearise(t, work.here.position, system().mass(), inner.springs.at, inner.springs))
            return false;
        find_modes(inner.springs.at, work.fast_parts.here, work);
        return true;
    }

    // ---- the swing about the slow point in the work ----

    [[nodiscard]] bool look_closely(scalar t, work_type& work) const {
        auto& here = work.here;
        if (!motion_.look_closely(t, here.position, here.velocity, force(work), work.loaded)) return false;
        if (work.excited)
            fast_.find_changes(system(), t, here.velocity, motion_.spacing(work.loaded), motion_.path_of(),
                               work.loaded.motion, work.fast_parts, work.loaded.inner);
        return true;
    }
    /// What the swing is displaced by beyond its modes, in `moved`.
    void find_displacement(scalar t, work_type& work) const {
        for (auto* each : {&work.moved.position, &work.moved.velocity})
            std::fill(each->begin(), each->end(), scalar(0));
        if (work.excited)
            fast_.displace(system(), t, work.swing, motion_.path_of(), work.loaded.motion, work.moved.position,
                           work.moved.velocity, work.fast_parts, work.loaded.inner);
    }
    /// How a physical state swings about the point in the work, and with which actions.
    [[nodiscard]] bool swing_about(scalar t, inner_state const& physical, work_type& work) const {
        if (!find_modes(t, work)) return false;
        auto& own = work.loaded.inner.springs;
        auto const& here = work.fast_parts.here;
        auto const seen = [&](inner_vector const& there, inner_vector const& from, auto const& use) {
            set_sum(own.moved, there, scalar(-1), from);
            system().springs().along(own.at, own.moved, own.stretch);
            for (std::size_t m = 0; m < springs(); ++m)
                use(m, fast::product(here.pull[m], own.stretch) / here.modes.frequencies[m]);
        };
        seen(physical.position, work.here.position, [&](std::size_t m, double out) { work.swing[m].out = out; });
        seen(physical.velocity, work.here.velocity,
             [&](std::size_t m, double speed) { work.swing[m].back = speed / here.modes.frequencies[m]; });
        work.carried.frequencies = here.modes.frequencies;
        work.carried.shapes = here.modes.shapes;
        for (std::size_t m = 0; m < springs(); ++m)
            work.carried.actions[m] = here.modes.frequencies[m] * work.swing[m].square() / 2;
        forget_weak(work);
        return true;
    }
    /// A mode whose velocity is far below those of the slow motion does nothing to it.
    void forget_weak(work_type& work) const {
        double const speed = static_cast<double>(max_norm(work.here.velocity));
        double const fallen =
            static_cast<double>(max_norm(work.here.position)) * motion_.path_of().size(work.loaded.motion);
        double const whole = std::max(speed * speed, fallen);
        work.excited = false;
        for (std::size_t m = 0; m < springs(); ++m) {
            double const along = static_cast<double>(max_norm(work.fast_parts.here.direction[m]));
            double& action = work.carried.actions[m];
            if (2 * action * work.carried.frequencies[m] * along * along < negligible_ * whole) action = 0;
            work.excited = work.excited || action > 0;
        }
    }

    loaded_motion<System> motion_;
    double negligible_;
    fast fast_;
    mode_keeper<System> keeper_;
    space_type space_;
    double unit_ = 0; ///< of the phases
};

/// The slow motion of a stiff system with the force of its fast energy: `effective(system, adiabatic{})`.
template <springs_apart System> [[nodiscard]] auto effective(System system, adiabatic const& closure) {
    require_allowed(closure);
    return adiabatic_system<System>(std::move(system), closure);
}

} // namespace lento
