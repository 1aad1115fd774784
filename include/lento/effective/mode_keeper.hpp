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
    /// Where a step ends: the modes there being found, and the springs' factors known in the system's work. The modes
    /// are carried on from the step before, with the actions of the start, of which so much is left.
    struct end_of_step {
        System const& system;
        fast const& modes;
        T t;
        motion<V>& x;
        fast_modes& carried;
        std::vector<double> const& left;
        typename fast::work_type& parts;
        work_of<System>& inner;

        [[nodiscard]] double action(std::size_t m) const { return carried.actions[m] * left[m]; }
        void change(std::size_t m, double by) const {
            if (left[m] > 0) carried.actions[m] = std::max(carried.actions[m] + by / left[m], 0.);
        }
        /// The acceleration under the action 1 of a mode.
        void push(std::size_t m, V& out) const {
            modes.push_along(system, t, x.position, inner.springs.at, m, out, parts, inner);
        }
        [[nodiscard]] double coupling(std::size_t i, std::size_t j, std::size_t k) const {
            return modes.coupling(system, t, x.position, i, j, k, parts, inner);
        }
    };

    [[nodiscard]] work_type work(System const& system) const {
        std::size_t const n = system.frequencies().size();
        V const zeros = system.space().template zeros<T>();
        std::vector<double> const none(n);
        detail::mode_course const unknown{NAN, none, none, none};
        work_type made{.before = unknown,
                       .now = unknown,
                       .mixing = std::vector<double>(n * n),
                       .passages = {},
                       .doubt = none,
                       .along = zeros};
        made.passages.reserve(64); // of most runs, so that steps allocate nothing
        return made;
    }
    /// A run begins here.
    void start(end_of_step const& at, std::vector<double> const& phases, work_type& own) const {
        own = work(at.system);
        note(at, phases, own.before);
        own.mixing = at.parts.change.mixing;
    }
    /// A step ends with these phases. The state is moved where an action has changed within the step.
    void step(end_of_step const& at, std::vector<double> const& phases, work_type& own) const {
        note(at, phases, own.now);
        double const elapsed = std::abs(own.now.time - own.before.time);
        own.phase_doubt += own.frequency_doubt * elapsed;
        spread_doubt(at, elapsed, own);
        std::size_t const n = own.now.frequency.size();
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j)
                for (std::size_t k = 0; k < n; ++k)
                    if (i != k && j != k && at.action(i) * at.action(j) * at.action(k) > 0)
                        pass_resonances(at, {i, j, k}, own);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (at.action(i) > 0 || at.action(j) > 0) meet(at, i, j, own);
        own.before = own.now;
        own.mixing = at.parts.change.mixing;
    }
    /// The integration of a frequency was off by so much in a step.
    static void doubt_frequency(double by, work_type& own) { own.frequency_doubt += by; }
    [[nodiscard]] static bool phases_known(work_type const& own) { return own.phase_doubt < 0.3; }

private:
    void note(end_of_step const& at, std::vector<double> const& phases, detail::mode_course& course) const {
        at.modes.find_turned(at.system, at.t, at.x.position, at.x.velocity, at.parts, at.inner);
        course.time = static_cast<double>(at.t);
        course.phase = phases;
        course.frequency = at.parts.here.modes.frequencies;
        course.rate = at.parts.change.rate;
    }
    /// What is not known of the actions moves the slow motion, and that the phases.
    void spread_doubt(end_of_step const& at, double elapsed, work_type& own) const {
        double acceleration = 0;
        double slope = 0; // of the frequencies
        for (std::size_t m = 0; m < own.doubt.size(); ++m) {
            if (!(own.doubt[m] > 0)) continue;
            at.push(m, own.along);
            double const along = static_cast<double>(max_norm(own.along));
            slope = std::max(slope, along);
            acceleration += margin * own.doubt[m] * along;
        }
        own.phase_doubt += elapsed * slope * own.shift;
        own.shift += elapsed * (own.speed + acceleration * elapsed / 2);
        own.speed += elapsed * acceleration;
    }
    /// An action has changed some time ago, within the step, by what is known and what is in doubt.
    void change(end_of_step const& at, std::size_t m, double by, double in_doubt, double since, work_type& own) const {
        at.push(m, own.along);
        double const possible = std::max(by, -at.action(m));
        add_scaled(at.x.position, T(possible * since * since / 2), own.along);
        add_scaled(at.x.velocity, T(possible * since), own.along);
        at.change(m, possible);
        double const acceleration = margin * in_doubt * static_cast<double>(max_norm(own.along));
        own.speed += std::abs(since) * acceleration;
        own.shift += since * since / 2 * acceleration;
        own.doubt[m] = std::hypot(own.doubt[m], in_doubt);
    }
    void pass_resonances(end_of_step const& at, std::array<std::size_t, 3> const& which, work_type& own) const {
        auto const [i, j, k] = which;
        for (auto const& found : detail::find_resonances(own.before, own.now, i, j, k))
            pass_resonance(at, which, found, own);
    }
    void pass_resonance(end_of_step const& at, std::array<std::size_t, 3> const& which,
                        detail::resonance_passage const& found, work_type& own) const {
        auto const [i, j, k] = which;
        bool const twice = i == j;
        auto const& frequency = own.now.frequency;
        double const coefficient = at.coupling(i, j, k);
        double const most =
            detail::largest_change(twice, {at.action(i), at.action(j), at.action(k)},
                                   {frequency[i], frequency[j], frequency[k]}, coefficient, found.width);
        // what is expected of a phase that is known so well, and how far it may be from that
        double const angle = found.phase + std::copysign(std::numbers::pi / 4, found.rate);
        double const vague = std::hypot(own.phase_doubt, 10 * found.bend + doubt_of_passage);
        double const direction = own.now.time > own.before.time ? coefficient : -coefficient;
        double const by = std::copysign(most, direction) * std::sin(angle) * std::exp(-vague * vague / 2);
        double const in_doubt = most * std::min(1., vague);
        double const since = own.now.time - found.time;
        change(at, i, by, in_doubt, since, own);
        if (!twice) change(at, j, by, in_doubt, since, own);
        double const share = twice ? 0.5 : 1;
        change(at, k, -share * by, share * in_doubt, since, own);
        own.passages.push_back({found.time, which, false, most, by, in_doubt});
    }
    /// Two frequencies that come close to each other, or cross: their modes exchange a share of their actions, and what
    /// interferes is in doubt.
    void meet(end_of_step const& at, std::size_t i, std::size_t j, work_type& own) const {
        std::size_t const pair = i * own.now.frequency.size() + j;
        auto const met =
            detail::find_meeting(own.before, own.now, own.mixing[pair], at.parts.change.mixing[pair], i, j);
        if (!met.happened) return;
        double const first = at.action(i);
        double const second = at.action(j);
        double const moved = met.share * (second - first);
        double const in_doubt = 2 * std::sqrt(met.share * (1 - met.share) * first * second);
        if (!(std::abs(moved) + in_doubt > 1e-9 * (first + second))) return;
        double const since = own.now.time - met.time;
        change(at, i, moved, in_doubt, since, own);
        change(at, j, -moved, in_doubt, since, own);
        own.phase_doubt += met.share; // whose phase is whose
        own.passages.push_back({met.time, {i, j, j}, true, std::abs(moved) + in_doubt, moved, in_doubt});
    }

    static constexpr double margin = 1.3;            ///< a displacement is not just what accelerations add up to
    static constexpr double doubt_of_passage = 0.01; ///< where the phase is known
};

} // namespace lento
