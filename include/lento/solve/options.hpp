#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lento {

/// Whether the initial state is the physical one, to be lowered to the slow one, or already that.
enum class initial_state { physical, slow };
/// Whether results are the slow motion or the full one, with the fast motion lifted back.
enum class reported_state { slow, full };

/// A function of time and state whose zeros matter: `terminal` ones end the run there.
template <class State> struct event {
    std::function<double(double t, State const& x)> value;
    int direction = 0; ///< +1: only where it rises, -1: only where it falls, 0: both
    bool terminal = true;
};

/// What `solve` is asked for.
template <class State> struct solve_options {
    double start = 0;
    double end = 0;                     ///< before the start: the run goes backward in time
    std::vector<double> output_times{}; ///< neither times nor count: the end of every step
    std::size_t output_count = 0;       ///< so many equidistant times, both ends included
    initial_state given = initial_state::physical;
    bool project = false; ///< put an inconsistent start onto the constraints
    reported_state report = reported_state::slow;
    std::vector<std::function<double(double t, State const& x)>> observables{};
    std::function<void(double t, State const& x)> observer{}; ///< called at the end of every accepted step
    std::function<void(double t)> progress{}; ///< called now and then: after a step, or many that nobody looks at
    std::vector<event<State>> events{};
    bool dense = false; ///< keep what `solution.at(t)` needs
    std::uint64_t max_steps = 1'000'000'000;
    std::uint64_t max_evaluations = 1'000'000'000'000; ///< of the force; more end the run, as does a hopeless pace
    std::atomic<bool> const* interrupt = nullptr;      ///< set it from elsewhere to stop the run
};

} // namespace lento
