#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/reader.hpp"
#include "io/scheme_run.hpp"

#include <lento/io/run.hpp>

namespace lento::detail {

/// One run of a problem: makes the choices that its method leaves open, solves, and hands the rows over. Each kind of
/// system has a runner of its own, in run_KIND.cpp.
class runner {
public:
    runner(problem const& what, run_controls const& controls) : what_(what), controls_(controls) {
        made_.used = what.method;
        made_.used.epsilon = what.epsilon;
    }
    runner(runner const&) = delete;
    runner& operator=(runner const&) = delete;
    virtual ~runner() = default;

    problem_run operator()();

protected:
    /// The method that `auto` means here, and what [method] leaves out.
    virtual void choose() = 0;
    /// False, after `refuse`, where the method does not apply.
    virtual bool applies() { return true; }
    virtual void run() = 0;

    void because(std::string sentence) { made_.reasons.push_back(std::move(sentence)); }
    bool refuse(outcome result, std::string message);
    /// Adaptive macro steps where no scheme is given.
    void choose_macro();
    void take_method(std::string name, std::string_view reason);
    [[nodiscard]] bool direct_from_true_state();

    template <class State> [[nodiscard]] solve_options<State> options() const {
        solve_options<State> made;
        made.start = what_.start;
        made.end = what_.end;
        made.output_times = what_.output_times;
        made.given = what_.given;
        made.report = what_.report;
        made.project = what_.project;
        made.max_steps = made_.used.max_steps;
        made.interrupt = controls_.interrupt;
        if (controls_.progress) made.observer = [this](double t, State const&) { controls_.progress(t); };
        return made;
    }
    /// Calls solve() and gives misuse the place of the method.
    template <class Solve> void guarded(Solve const& solve) {
        try {
            solve();
        } catch (does_not_apply const& error) {
            refuse(outcome::not_applicable, error.what());
        } catch (misuse const& error) {
            std::string const sentence = as_sentence(error.what());
            bool const start = sentence.starts_with("The initial ");
            throw problem_error(what_.source, 0, start ? "initial" : "method", sentence);
        }
    }
    template <class System> void solve_system(System const& system) {
        using State = state_of<System>;
        guarded([&] {
            using vector = typename State::vector;
            State start;
            if constexpr (State::is_motion)
                start = {with_numbers<vector>(what_.position), with_numbers<vector>(what_.velocity)};
            else start = {with_numbers<vector>(what_.position)};
            solve_from(system, std::move(start));
        });
    }
    /// A system of second order as it stands, every oscillation resolved. Of few coordinates the steppers know the
    /// number, and keep them in registers.
    void solve_motion();
    template <class System> void solve_from(System const& system, state_of<System> start) {
        using State = state_of<System>;
        guarded([&] {
            if constexpr (requires { system.knows_true_state(); })
                if (what_.report == reported_state::full && !system.knows_true_state()) {
                    refuse(outcome::not_applicable, "this method follows the slow motion alone; report = \"full\" "
                                                    "needs one that knows the fast motion too");
                    return;
                }
            take(solve_with(system, *made_.used.macro, std::move(start), options<State>()));
        });
    }
    /// lambda = omega^2 g at the reported points, with the fast motion in it.
    void find_multipliers();
    /// The stroboscopic motion: its state is the whole one, seen once a period, positions, then velocities.
    void run_stroboscopic();
    template <class State> void take(solution<State> solved) {
        take_rest(solved);
        if constexpr (State::is_motion) {
            made_.position = as_vectors(std::move(solved.position));
            made_.velocity = as_vectors(std::move(solved.velocity));
        } else {
            made_.position = as_vectors(std::move(solved.state));
        }
    }
    template <class State> void take_rest(solution<State>& solved) {
        made_.result = solved.result;
        made_.message = std::move(solved.message);
        made_.warnings = std::move(solved.warnings);
        made_.statistics = solved.statistics;
        made_.t = std::move(solved.t);
        made_.multipliers = std::move(solved.multipliers);
        made_.mean_multipliers = std::move(solved.mean_multipliers);
    }

    problem const& what_;
    run_controls const& controls_;
    problem_run made_;
    bool automatic_ = false; ///< the method is chosen here

private:
    template <bool Velocity> void solve_motion_by_size();

    template <class V> [[nodiscard]] static V with_numbers(std::vector<double> const& from) {
        if constexpr (std::is_same_v<V, std::vector<double>>) {
            return from;
        } else {
            V made{};
            std::copy_n(from.begin(), made.size(), made.begin());
            return made;
        }
    }
    [[nodiscard]] static std::vector<std::vector<double>> as_vectors(std::vector<std::vector<double>> rows) {
        return rows;
    }
    template <std::size_t N>
    [[nodiscard]] static std::vector<std::vector<double>> as_vectors(std::vector<std::array<double, N>> const& rows) {
        std::vector<std::vector<double>> made;
        made.reserve(rows.size());
        for (auto const& row : rows) made.emplace_back(row.begin(), row.end());
        return made;
    }
    void observe();
};

[[nodiscard]] std::unique_ptr<runner> vibrated_runner(problem const& what, run_controls const& controls);
[[nodiscard]] std::unique_ptr<runner> stiff_runner(problem const& what, run_controls const& controls);
[[nodiscard]] std::unique_ptr<runner> constrained_runner(problem const& what, run_controls const& controls);
[[nodiscard]] std::unique_ptr<runner> split_runner(problem const& what, run_controls const& controls);
[[nodiscard]] std::unique_ptr<runner> plain_runner(problem const& what, run_controls const& controls);
/// Methods that step over the oscillation of springs, of stiff and split systems.
[[nodiscard]] std::unique_ptr<runner> springs_runner(problem const& what, run_controls const& controls);

} // namespace lento::detail
