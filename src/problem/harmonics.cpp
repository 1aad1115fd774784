#include "problem/harmonics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include <lento/base/misuse.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/system/phase.hpp>

namespace lento::detail {
namespace {

/// How many samples a method takes of the fastest period, and how many of them a harmonic needs.
struct resolution {
    double samples = 0;
    double needed = 0;
    double period = 0;
    std::string setting;
};

std::optional<double> number_in(problem_run const& run, std::string_view path) {
    auto const* found = run.used(path);
    if (found == nullptr) return {};
    if (found->kind == entry_kind::integer) return static_cast<double>(found->integer);
    return found->kind == entry_kind::real ? std::optional(found->real) : std::nullopt;
}

/// None where the method chooses by itself what it looks at.
std::optional<resolution> resolution_of(problem const& what, problem_run const& run) {
    double const period = two_pi<double> / std::ranges::max(what.frequencies());
    // two harmonics whose numbers add up to that of the points are taken for a mean
    if (auto const points = number_in(run, "window.points")) return resolution{*points, 2, period, "window.points"};
    constexpr double per_turn = 4; // of a Runge-Kutta method
    if (auto const steps = number_in(run, "micro.steps_per_period"))
        return resolution{*steps, per_turn, period, "micro.steps_per_period"};
    if (auto const step = number_in(run, "micro.step"))
        return resolution{period / *step, per_turn, period, "micro.step"};
    return {};
}

std::string cure(resolution const& looked, int highest) {
    double const samples = looked.needed * highest + 1;
    if (looked.setting != "micro.step") return looked.setting + " = " + show(samples) + " or more";
    return looked.setting + " = " + show(looked.period / samples) + " or less";
}

/// The force along its phases, at a state.
class phase_samples {
public:
    explicit phase_samples(problem const& what)
        : what_(what), force_(what.force.compile(expression::engine_kind::bytecode)), work_(force_.work()) {
        for (std::size_t k = 0; k < count; ++k) {
            double const angle = two_pi<double> * static_cast<double>(k) / count;
            cosines_[k] = std::cos(angle);
            sines_[k] = std::sin(angle);
        }
    }

    /// The number of the highest harmonic of a phase whose amplitude is not small beside the largest; `most` for more.
    [[nodiscard]] int highest(std::vector<double> const& q, std::vector<double> const& v, double t, std::size_t phase) {
        take(q, v, t, phase);
        std::vector<double> amplitudes(most + 1);
        for (std::size_t m = 1; m < amplitudes.size(); ++m)
            for (std::size_t i = 0; i < what_.size; ++i) amplitudes[m] = std::max(amplitudes[m], amplitude(m, i));
        constexpr double small = 1e-3;
        double const largest = std::ranges::max(amplitudes);
        int found = 0;
        for (std::size_t m = 1; m < amplitudes.size(); ++m)
            if (amplitudes[m] > small * largest) found = static_cast<int>(m);
        return largest > 1e-11 * size_ ? found : 0;
    }
    static constexpr std::size_t most = 60;
    [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }

private:
    static constexpr std::size_t count = 127;

    void take(std::vector<double> const& q, std::vector<double> const& v, double t, std::size_t phase) {
        rows_.assign(count, std::vector<double>(what_.size));
        std::vector<double> theta(what_.frequencies().size(), 0.3);
        size_ = 0;
        for (std::size_t k = 0; k < count; ++k) {
            theta[phase] = two_pi<double> * static_cast<double>(k) / count;
            force_.evaluate({.position = q, .velocity = v, .phase = theta, .time = t}, rows_[k], work_);
            for (double const each : rows_[k]) size_ = std::max(size_, std::abs(each));
        }
        evaluations_ += count;
    }
    [[nodiscard]] double amplitude(std::size_t harmonic, std::size_t slot) const {
        double even = 0;
        double odd = 0;
        for (std::size_t k = 0; k < count; ++k) {
            even += rows_[k][slot] * cosines_[harmonic * k % count];
            odd += rows_[k][slot] * sines_[harmonic * k % count];
        }
        return 2 * std::hypot(even, odd) / count;
    }

    problem const& what_;
    expression::compiled_formula force_;
    expression::compiled_formula::work_type work_;
    std::array<double, count> cosines_{};
    std::array<double, count> sines_{};
    std::vector<std::vector<double>> rows_;
    double size_ = 0;
    std::uint64_t evaluations_ = 0;
};

} // namespace

void warn_of_harmonics(problem const& what, problem_run& run) {
    constexpr std::size_t largest = 1000; // of systems that are looked at
    if (what.as<vibrated_kind>() == nullptr || run.t.empty() || what.size > largest) return;
    if (std::ranges::any_of(run.warnings, [](auto const& each) { return each.code == "unresolved_harmonics"; })) return;
    auto const looked = resolution_of(what, run);
    if (!looked) return;
    phase_samples force(what);
    int highest = 0;
    double time = what.start;
    for (std::size_t const row : {std::size_t(0), run.t.size() / 2, run.t.size() - 1})
        for (std::size_t phase = 0; phase < what.frequencies().size(); ++phase) {
            // of slower phases a period has as many steps more
            double const slower = std::ranges::max(what.frequencies()) / what.frequencies()[phase];
            int const found = force.highest(run.position[row], run.velocity[row], run.t[row], phase);
            bool const by_points = looked->setting == "window.points";
            bool const resolved = looked->samples * (by_points ? 1 : slower) > looked->needed * found;
            if (resolved || found <= highest) continue;
            highest = found;
            time = run.t[row];
        }
    run.estimate_evaluations += force.evaluations();
    if (highest == 0) return;
    bool const all = highest < static_cast<int>(phase_samples::most);
    std::string const harmonics = all ? "harmonics up to number " + std::to_string(highest)
                                      : "harmonics beyond number " + std::to_string(highest);
    run.warnings.push_back({"unresolved_harmonics", time,
                            "the force has " + harmonics + ", but " + show(looked->samples) +
                                " samples per period do not resolve them; " +
                                (all ? "use " + cure(*looked, highest) : "use the method direct")});
}

} // namespace lento::detail
