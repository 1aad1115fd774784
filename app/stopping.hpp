#pragma once

#include <atomic>

/// What ends a run from outside: signals, and the time that it may take.
namespace lento::app {

/// Set by a signal, or at the end of the time, while a run goes on. A signal handler has nothing else to reach it by.
[[nodiscard]] std::atomic<bool>& stop_requested();

/// Lets signals end the run in good order; a second one ends the program at once. A hangup that nohup lets pass stays
/// so.
void catch_signals();

/// Gives the program so many seconds from now on. Where these end and no run goes on that keeps what it has, or where
/// it does not stop within as many again (10 at least), the program ends with a sentence; no file is left half written.
void begin_budget(double seconds);
/// From now on the end of the time stops the run, which keeps what it has.
void budget_is_for_run();
/// From now on nothing ends: results are written.
void end_budget();
[[nodiscard]] bool budget_is_used();

} // namespace lento::app
