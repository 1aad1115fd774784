#include "app/stopping.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>

#include <sys/time.h>
#include <unistd.h>

#include "app/commands.hpp"

namespace lento::app {
namespace {

enum class stage : int { before_run, running, stopping };

/// What the handler of the alarm knows.
struct budget_state {
    std::atomic<stage> at{stage::before_run};
    std::atomic<bool> used{false};
};
budget_state& state() {
    static budget_state only;
    return only;
}
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<stage>::is_always_lock_free,
              "a signal handler may only touch what is free of locks");

[[noreturn]] void end_with(char const* sentence) {
    [[maybe_unused]] auto const written = write(STDERR_FILENO, sentence, std::strlen(sentence));
    _exit(run_failed);
}

void at_alarm(int) {
    state().used = true;
    switch (state().at.load()) {
    case stage::before_run: end_with("lento: the time of --budget is used up\n");
    case stage::stopping: end_with("lento: the time of --budget is used up, and the run did not stop in time\n");
    case stage::running: state().at = stage::stopping; stop_requested() = true;
    }
}

timeval as_time(double seconds) {
    double const whole = std::floor(seconds);
    timeval made{};
    made.tv_sec = static_cast<decltype(made.tv_sec)>(whole);
    made.tv_usec = static_cast<decltype(made.tv_usec)>((seconds - whole) * 1e6);
    return made;
}

} // namespace

std::atomic<bool>& stop_requested() {
    static std::atomic<bool> requested{false};
    return requested;
}

void catch_signals() {
    stop_requested() = false; // made before a handler can run
    struct sigaction action{};
    action.sa_handler = [](int) { stop_requested() = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (int const signal : {SIGINT, SIGTERM, SIGXCPU}) sigaction(signal, &action, nullptr);
    struct sigaction hangup{};
    sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

void begin_budget(double seconds) {
    constexpr double patience = 10;
    stop_requested() = false;
    state().at = stage::before_run;
    struct sigaction action{};
    action.sa_handler = at_alarm;
    action.sa_flags = static_cast<int>(SA_RESTART);
    sigaction(SIGALRM, &action, nullptr);
    itimerval timer{};
    timer.it_value = as_time(std::max(seconds, 1e-3));
    timer.it_interval = as_time(std::max(seconds, patience));
    setitimer(ITIMER_REAL, &timer, nullptr);
}

void budget_is_for_run() { state().at = stage::running; }

void end_budget() {
    itimerval const none{};
    setitimer(ITIMER_REAL, &none, nullptr);
}

bool budget_is_used() { return state().used; }

} // namespace lento::app
