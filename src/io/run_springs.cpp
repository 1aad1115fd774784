#include "io/formula_stiff.hpp"
#include "io/formula_two_forces.hpp"
#include "io/oscillators.hpp"
#include "io/runner.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include <lento/solve/solve.hpp>
#include <lento/stepper/trigonometric.hpp>

namespace lento::detail {
namespace {

using vector = std::vector<double>;

/// The slow force in the coordinates z = sqrt(M) (x - rest).
class slow_kick {
public:
    struct work_type {
        expression::compiled_formula::work_type formulas;
        vector place;
        vector force;
    };

    slow_kick(problem const& what, oscillators parts)
        : split_(what.kind == problem_kind::split)
        , size_(what.size)
        , parts_(std::move(parts))
        , force_(split_ ? what.slow : what.slow_force) {}

    [[nodiscard]] work_type work() const { return {force_.work(), vector(size_), vector(size_)}; }
    void operator()(force_point<double> const& at, std::span<double> out, work_type& work) const {
        auto const z = at.position;
        for (std::size_t i = 0; i < z.size(); ++i)
            work.place[split_ ? parts_.positions[i] : i] = parts_.rest[i] + z[i] / parts_.root_mass[i];
        force_({.position = work.place, .time = at.time}, work.force, work.formulas);
        for (std::size_t i = 0; i < z.size(); ++i) {
            double const force = split_ ? work.force[parts_.velocities[i]] : work.force[i];
            out[i] = (split_ && parts_.rates[i] < 0 ? -force : force) / parts_.root_mass[i];
        }
    }

private:
    bool split_;
    std::size_t size_;
    oscillators parts_;
    expression::compiled_formula force_;
};

/// The methods that step over the oscillation of springs: trigonometric ones and the impulse method.
class over_springs final : public runner {
public:
    using runner::runner;

private:
    using state = motion<vector>;

    [[nodiscard]] bool is_impulse() const { return made_.used.name == impulse::name; }
    [[nodiscard]] bool any_springs() const { return is_impulse() && what_.kind == problem_kind::stiff; }

    void choose() override {
        if (!any_springs()) parts_ = find_oscillators(what_);
        if (!is_impulse() || !why_not().empty()) return;
        method_options& method = made_.used;
        auto const* resolution = method.view ? std::get_if<window>(&*method.view) : nullptr;
        if (method.micro && resolution == nullptr) return;
        constexpr double usual = 20;
        double const steps = resolution != nullptr ? resolution->steps_per_period : usual;
        method.view.reset();
        method.micro = verlet{.step = 2 * std::numbers::pi / fastest() / steps};
        because("micro step " + show(std::get<verlet>(*method.micro).step) + ": " + show(steps) +
                " in the fastest period of the springs");
    }
    [[nodiscard]] double fastest() const {
        if (!any_springs()) return parts_.fastest();
        formula_stiff<false> const springs(what_);
        auto work = springs.work();
        return springs.fast_band(what_.start, what_.position, work).back();
    }

    [[nodiscard]] std::string why_not() const {
        if (!any_springs()) return parts_.lacking;
        if (what_.uses_velocity) return "the force depends on the velocity";
        if (what_.springs.uses_time) return "a spring depends on the time";
        return {};
    }
    bool applies() override {
        if (std::string const why = why_not(); !why.empty())
            return refuse(outcome::not_applicable, "the method " + made_.used.name + " does not apply: " + why);
        if (what_.given == initial_state::slow)
            return refuse(outcome::not_applicable, "the method " + made_.used.name +
                                                       " follows the true motion, but the initial state is the slow "
                                                       "one; give the true one");
        if (!is_impulse()) return true;
        double const micro = step() / impulses().inner_steps;
        if (micro * fastest() >= 2)
            return refuse(outcome::not_applicable, "the micro step is " + show(micro) +
                                                       ", but for springs of the frequency " + show(fastest()) +
                                                       " Verlet's method needs one below " + show(2 / fastest()));
        return true;
    }

    void run() override {
        made_.full = true;
        guarded([&] {
            if (any_springs()) {
                auto solved =
                    solve(make_two_forces(what_), impulses(), {what_.position, what_.velocity}, options<state>());
                take(std::move(solved));
            } else {
                take_oscillation(solve_oscillation());
            }
        });
        if (what_.kind == problem_kind::stiff) find_multipliers();
    }
    [[nodiscard]] double step() const { return std::get<verlet>(*made_.used.macro).step; }
    [[nodiscard]] impulse impulses() const {
        double const inner = std::ceil(step() / std::get<verlet>(*made_.used.micro).step * (1 - 1e-12));
        constexpr double most = 1e9;
        if (!(inner <= most)) throw misuse("a step would take " + show(inner) + " micro steps");
        return {.step = step(), .inner_steps = static_cast<int>(inner)};
    }
    [[nodiscard]] solution<state> solve_oscillation() const {
        std::size_t const n = parts_.size();
        auto const system = oscillatory(dynamic(n), parts_.stiffness, slow_kick(what_, parts_));
        bool const split = what_.kind == problem_kind::split;
        state start{vector(n), vector(n)};
        for (std::size_t i = 0; i < n; ++i) {
            double const x = what_.position[split ? parts_.positions[i] : i];
            double const v = split ? parts_.rates[i] * what_.position[parts_.velocities[i]] : what_.velocity[i];
            start.position[i] = parts_.root_mass[i] * (x - parts_.rest[i]);
            start.velocity[i] = parts_.root_mass[i] * v;
        }
        auto const by = [&](auto const& stepper) { return solve(system, stepper, start, options<state>()); };
        if (is_impulse()) return by(impulses());
        if (made_.used.name == deuflhard::name) return by(deuflhard{.step = step()});
        if (made_.used.name == gautschi::name) return by(gautschi{.step = step()});
        return by(mollified_impulse{.step = step()});
    }
    void take_oscillation(solution<state> solved) {
        take_rest(solved);
        bool const split = what_.kind == problem_kind::split;
        for (std::size_t row = 0; row < solved.position.size(); ++row) {
            vector position(what_.size);
            vector velocity(split ? 0 : what_.size);
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                position[split ? parts_.positions[i] : i] =
                    parts_.rest[i] + solved.position[row][i] / parts_.root_mass[i];
                double const v = solved.velocity[row][i] / parts_.root_mass[i];
                if (split) position[parts_.velocities[i]] = v / parts_.rates[i];
                else velocity[i] = v;
            }
            made_.position.push_back(std::move(position));
            if (!split) made_.velocity.push_back(std::move(velocity));
        }
    }

    oscillators parts_;
};

} // namespace

std::unique_ptr<runner> springs_runner(problem const& what, run_controls const& controls) {
    return std::make_unique<over_springs>(what, controls);
}

} // namespace lento::detail
