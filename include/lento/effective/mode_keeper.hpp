#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <tuple>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/effective/fast_motion.hpp>
#include <lento/effective/mode_passages.hpp>

namespace lento {

/// Follows the fast modes from step to step: where they pass through a resonance, or their frequencies meet, their
/// actions change. Where the phases are known the change is too; what is not known is added up, as actions and as a
/// displacement of the slow motion.
template <springs_apart System> class mode_keeper {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using fast = fast_motion<System>;

public:
    struct work_type {
        detail::mode_course before;
        detail::mode_course now;
        std::vector<double> mixing; ///< of the modes there
        std::vector<mode_passage> passages;
        std::vector<double> doubt; ///< of each action
        double speed = 0;          ///< what the doubts have added up to, had they always had one direction
        double shift = 0;
        double phase_doubt = 0;
        double frequency_doubt = 0;
        V along;
        static auto members(auto& self) {
            return std::tie(self.before, self.mixing, self.passages, self.doubt, self.speed, self.shift,
                            self.phase_doubt, self.frequency_doubt);
        }
    };
    /// The modes of a run: carried on from the end of the last step, with the actions of the start, of which so much is
    /// left.
    struct kept {
        fast_modes& carried;
        std::vector<double> const& left;
        [[nodiscard]] double action(std::size_t m) const { return carried.actions[m] * left[m]; }
        void change(std::size_t m, double by) const {
            if (left[m] > 0) carried.actions[m] = std::max(carried.actions[m] + by / left[m], 0.);
        }
    };

    [[nodiscard]] work_type work(System const& system) const {
        std::size_t const n = system.frequencies().size();
        V const zeros = system.space().template zeros<T>();
        std::vector<double> const none(n);
        detail::mode_course const unknown{NAN, none, none, none};
        return {.before = unknown,
                .now = unknown,
                .mixing = std::vector<double>(n * n),
                .passages = {},
                .doubt = none,
                .along = zeros};
    }
    /// A run begins where the modes found last are.
    void start(System const& system, fast const& modes, T t, motion<V> const& x, std::vector<double> const& phases,
               work_type& own, typename fast::work_type& parts, work_of<System>& inner) const {
        own = work(system);
        note(system, modes, t, x, phases, own.before, parts, inner);
        own.mixing = parts.change.mixing;
    }
    /// A step ends in a state with these phases, the modes there being found and the springs' factors known; the state
    /// is moved where an action has changed within the step.
    void step(System const& system, fast const& modes, T t, motion<V>& x, std::vector<double> const& phases,
              kept const& actions, work_type& own, typename fast::work_type& parts, work_of<System>& inner) const {
        note(system, modes, t, x, phases, own.now, parts, inner);
        double const elapsed = own.now.time - own.before.time;
        own.phase_doubt += own.frequency_doubt * std::abs(elapsed);
        spread_doubt(system, modes, t, x, std::abs(elapsed), own, parts, inner);
        std::size_t const n = own.now.frequency.size();
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j <= i; ++j)
                    if (i != k && j != k && actions.action(i) > 0 && actions.action(j) > 0 && actions.action(k) > 0)
                        pass_resonance(system, modes, t, x, {i, j, k}, actions, own, parts, inner);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (actions.action(i) > 0 || actions.action(j) > 0)
                    meet(system, modes, t, x, i, j, actions, own, parts, inner);
        own.before = own.now;
        own.mixing = parts.change.mixing;
    }
    /// The integration of a frequency was off by so much in a step.
    static void doubt_frequency(double by, work_type& own) { own.frequency_doubt += by; }
    [[nodiscard]] static bool phases_known(work_type const& own) { return own.phase_doubt < 0.3; }

private:
    void note(System const& system, fast const& modes, T t, motion<V> const& x, std::vector<double> const& phases,
              detail::mode_course& course, typename fast::work_type& parts, work_of<System>& inner) const {
        modes.find_turned(system, t, x.position, x.velocity, parts, inner);
        course.time = static_cast<double>(t);
        course.phase = phases;
        course.frequency = parts.here.modes.frequencies;
        course.rate = parts.change.rate;
    }
    void spread_doubt(System const& system, fast const& modes, T t, motion<V> const& x, double elapsed, work_type& own,
                      typename fast::work_type& parts, work_of<System>& inner) const {
        double acceleration = 0;
        double slope = 0; // of the frequencies
        for (std::size_t m = 0; m < own.doubt.size(); ++m) {
            if (!(own.doubt[m] > 0)) continue;
            modes.push_along(system, t, x.position, inner.springs.at, m, own.along, parts, inner);
            double const along = static_cast<double>(max_norm(own.along));
            slope = std::max(slope, along);
            acceleration += own.doubt[m] * along;
        }
        own.phase_doubt += elapsed * slope * own.shift;
        own.shift += elapsed * (own.speed + acceleration * elapsed / 2);
        own.speed += elapsed * acceleration;
    }
    /// An action changes, at a time within the step that has just ended.
    void change(System const& system, fast const& modes, T t, motion<V>& x, std::size_t m, double by, double since,
                kept const& actions, work_type& own, typename fast::work_type& parts, work_of<System>& inner) const {
        modes.push_along(system, t, x.position, inner.springs.at, m, own.along, parts, inner);
        double const possible = std::max(by, -actions.action(m));
        add_scaled(x.position, T(possible * since * since / 2), own.along);
        add_scaled(x.velocity, T(possible * since), own.along);
        actions.change(m, possible);
    }
    void doubt(System const& system, fast const& modes, T t, motion<V> const& x, std::size_t m, double by, double since,
               work_type& own, typename fast::work_type& parts, work_of<System>& inner) const {
        modes.push_along(system, t, x.position, inner.springs.at, m, own.along, parts, inner);
        double const acceleration = by * static_cast<double>(max_norm(own.along));
        own.speed += std::abs(since) * acceleration;
        own.shift += since * since / 2 * acceleration;
        own.doubt[m] = std::hypot(own.doubt[m], by);
    }

    void pass_resonance(System const& system, fast const& modes, T t, motion<V>& x,
                        std::array<std::size_t, 3> const& which, kept const& actions, work_type& own,
                        typename fast::work_type& parts, work_of<System>& inner) const {
        auto const [i, j, k] = which;
        auto const found = detail::find_resonance(own.before, own.now, i, j, k);
        if (!found.happened) return;
        bool const twice = i == j;
        double const coefficient = modes.coupling(system, t, x.position, i, j, k, parts, inner);
        auto const& frequency = own.now.frequency;
        double const most =
            detail::largest_change(twice, {actions.action(i), actions.action(j), actions.action(k)},
                                   {frequency[i], frequency[j], frequency[k]}, coefficient, found.width);
        mode_passage passed{found.time, which, false, most, 0, most};
        // what is expected of a phase that is known so well, and how far it may be from that
        double const angle = found.phase + std::copysign(std::numbers::pi / 4, found.rate);
        double const vague = std::hypot(own.phase_doubt, 10 * found.bend + doubt_of_passage);
        passed.applied = std::copysign(most, coefficient) * std::sin(angle) * std::exp(-vague * vague / 2);
        passed.doubt = most * std::min(1., vague);
        double const since = own.now.time - found.time;
        change(system, modes, t, x, i, passed.applied, since, actions, own, parts, inner);
        if (!twice) change(system, modes, t, x, j, passed.applied, since, actions, own, parts, inner);
        change(system, modes, t, x, k, twice ? -passed.applied / 2 : -passed.applied, since, actions, own, parts,
               inner);
        doubt(system, modes, t, x, i, passed.doubt, since, own, parts, inner);
        if (!twice) doubt(system, modes, t, x, j, passed.doubt, since, own, parts, inner);
        doubt(system, modes, t, x, k, twice ? passed.doubt / 2 : passed.doubt, since, own, parts, inner);
        own.passages.push_back(passed);
    }
    /// Two frequencies that come close to each other, or cross.
    void meet(System const& system, fast const& modes, T t, motion<V>& x, std::size_t i, std::size_t j,
              kept const& actions, work_type& own, typename fast::work_type& parts, work_of<System>& inner) const {
        std::size_t const at = i * own.now.frequency.size() + j;
        auto const found = detail::find_meeting(own.before, own.now, own.mixing[at], parts.change.mixing[at], i, j);
        if (found.happened) exchange(system, modes, t, x, i, j, found, actions, own, parts, inner);
    }
    /// Two modes exchange a share of their actions, and what interferes is in doubt.
    void exchange(System const& system, fast const& modes, T t, motion<V>& x, std::size_t i, std::size_t j,
                  detail::mode_meeting const& met, kept const& actions, work_type& own, typename fast::work_type& parts,
                  work_of<System>& inner) const {
        double const first = actions.action(i);
        double const second = actions.action(j);
        double const moved = met.share * (second - first);
        double const in_doubt = 2 * std::sqrt(met.share * (1 - met.share) * first * second);
        if (!(std::abs(moved) + in_doubt > 1e-9 * (first + second))) return;
        double const since = own.now.time - met.time;
        change(system, modes, t, x, i, moved, since, actions, own, parts, inner);
        change(system, modes, t, x, j, -moved, since, actions, own, parts, inner);
        doubt(system, modes, t, x, i, in_doubt, since, own, parts, inner);
        doubt(system, modes, t, x, j, in_doubt, since, own, parts, inner);
        own.phase_doubt += met.share; // whose phase is whose
        own.passages.push_back({met.time, {i, j, j}, true, std::abs(moved) + in_doubt, moved, in_doubt});
    }

    static constexpr double doubt_of_passage = 0.01; ///< where the phase is known
};

} // namespace lento
