#include "io/formula_stiff.hpp"
#include "io/oscillators.hpp"
#include "io/runner.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <lento/solve/solve.hpp>
#include <lento/stepper/trigonometric.hpp>

namespace lento::detail {
namespace {

using vector = std::vector<double>;

/// The slow force in the coordinates z = sqrt(M) (x - rest). It keeps its scratch, so it serves one run.
class slow_kick {
public:
    slow_kick(problem const& what, oscillators const& parts)
        : what_(&what)
        , parts_(&parts)
        , code_(what.kind == problem_kind::split ? what.slow : what.slow_force)
        , room_(std::make_shared<room>(room{code_->work(), vector(what.size), vector(what.size)})) {}

    void operator()(vector const& z, double t, vector& out) const {
        auto const& parts = *parts_;
        bool const split = what_->kind == problem_kind::split;
        for (std::size_t i = 0; i < z.size(); ++i)
            room_->place[split ? parts.positions[i] : i] = parts.rest[i] + z[i] / parts.root_mass[i];
        code_->evaluate({.position = room_->place, .time = t}, room_->force, *room_->work);
        for (std::size_t i = 0; i < z.size(); ++i) {
            double const force = split ? room_->force[parts.velocities[i]] : room_->force[i];
            out[i] = (split && parts.rates[i] < 0 ? -force : force) / parts.root_mass[i];
        }
    }

private:
    struct room {
        std::unique_ptr<expression::engine::workspace> work;
        vector place;
        vector force;
    };
    problem const* what_;
    oscillators const* parts_;
    compiled_formulas code_;
    std::shared_ptr<room> room_;
};

/// A stiff problem with its force in two parts, whatever its springs: all that the impulse method asks.
class formula_two_forces {
public:
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = motion<vector>;

    struct work_type {
        std::unique_ptr<expression::engine::workspace> slow;
        std::unique_ptr<expression::engine::workspace> stretch;
        std::unique_ptr<expression::engine::workspace> slope;
        vector stretches;
        vector slopes;
        vector fast;
        std::uint64_t force_evaluations = 0;
    };

    explicit formula_two_forces(problem const& what) : what_(&what), space_(what.size), mass_(what.mass) {}

    [[nodiscard]] dynamic const& space() const { return space_; }
    [[nodiscard]] work_type work() const {
        auto const& springs = what_->springs;
        return {what_->slow_force->work(), springs.values->work(),        springs.gradients->work(),
                vector(springs.count),     vector(springs.places.size()), vector(what_->size)};
    }
    void count(work_type const& work, statistics& counts) const { counts.force_evaluations += work.force_evaluations; }

    void acceleration(double t, vector const& q, vector& out, work_type& work) const {
        slow_acceleration(t, q, out, work);
        fast_acceleration(q, work.fast, work);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += work.fast[i];
    }
    void slow_acceleration(double t, vector const& q, vector& out, work_type& work) const {
        ++work.force_evaluations;
        what_->slow_force->evaluate({.position = q, .time = t}, out, *work.slow);
        mass_.divide(out);
    }
    void fast_acceleration(vector const& q, vector& out, work_type& work) const {
        ++work.force_evaluations;
        auto const& springs = what_->springs;
        springs.values->evaluate({.position = q, .time = what_->start}, work.stretches, *work.stretch);
        springs.gradients->evaluate({.position = q, .time = what_->start}, work.slopes, *work.slope);
        for (std::size_t j = 0; j < springs.count; ++j) work.stretches[j] *= what_->omegas[j] * what_->omegas[j];
        std::fill(out.begin(), out.end(), 0.);
        for (std::size_t k = 0; k < work.slopes.size(); ++k) {
            auto const& [spring, coordinate] = springs.places[k];
            if (spring < springs.count) out[coordinate] -= work.stretches[spring] * work.slopes[k];
        }
        mass_.divide(out);
    }

private:
    problem const* what_;
    dynamic space_;
    formula_mass mass_;
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
                    solve(formula_two_forces(what_), impulses(), {what_.position, what_.velocity}, options<state>());
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
