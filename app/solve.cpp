#include "app/commands.hpp"
#include "app/terminal.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>

#include <lento/expression/engine.hpp>
#include <lento/io/atomic_file.hpp>
#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/run.hpp>

namespace lento::app {
namespace {

/// Set by a signal while a run goes on. A signal handler has nothing else to reach it by.
std::atomic<bool>& stop_requested() {
    static std::atomic<bool> requested{false};
    return requested;
}
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch what is free of locks");

/// Lets signals end the run in good order; a second one ends the program at once. A hangup that nohup lets pass stays
/// so.
void catch_signals() {
    stop_requested() = false; // made before a handler can run
    struct sigaction action{};
    action.sa_handler = [](int) { stop_requested() = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction hangup{};
    sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

/// A line on a terminal that says how far a run is, from its first second on.
class progress_line {
public:
    progress_line(double start, double end) : start_(start), end_(end) {}
    void show(double t) {
        auto const now = clock::now();
        if (now - shown_ < std::chrono::milliseconds(200) || now - began_ < std::chrono::seconds(1)) return;
        shown_ = now;
        visible_ = true;
        double const seconds = std::chrono::duration<double>(now - began_).count();
        fmt::print(stderr, "\r\033[Kt = {:.6g} of {:.6g} ({:.0f} %), {:.0f} s", t, end_,
                   100 * (t - start_) / (end_ - start_), seconds);
        std::fflush(stderr);
    }
    void clear() const {
        if (visible_) fmt::print(stderr, "\r\033[K");
    }

private:
    using clock = std::chrono::steady_clock;
    double start_;
    double end_;
    clock::time_point began_ = clock::now();
    clock::time_point shown_{};
    bool visible_ = false;
};

/// Whether the results may go where they are asked to; else the exit status that says why not. Better now than after
/// hours of a run.
int check_output(solve_request const& request) {
    if (request.file.empty()) return 0;
    auto const extension = std::filesystem::path(request.file).extension();
    if (extension != ".csv" && extension != ".json") {
        say("lento: results are written as FILE.csv or FILE.json, but the file is \"{}\"\n", request.file);
        return usage_error;
    }
    std::error_code error;
    if (!request.force && std::filesystem::exists(std::filesystem::symlink_status(request.file, error))) {
        say("lento: {} exists already; choose another name, or overwrite it with --force\n", request.file);
        return run_failed;
    }
    auto const folder = std::filesystem::absolute(request.file, error).parent_path();
    char const* const reason = access(folder.c_str(), W_OK | X_OK) != 0             ? std::strerror(errno)
                               : std::filesystem::is_directory(request.file, error) ? std::strerror(EISDIR)
                                                                                    : nullptr;
    if (reason == nullptr) return 0;
    say("lento: cannot write {}: {}\n", request.file, reason);
    return run_failed;
}

void explain(problem const& what, problem_run const& done) {
    say("{}: {} system, {} {}{}\n", what.source, what.kind_name(), what.size,
        what.first_order ? "variable" : "coordinate", what.size == 1 ? "" : "s");
    for (auto const& reason : done.reasons) say("  {}\n", reason);
    say("  formulas: {}\n", engines());
    say("  used: {}\n", to_json(done.method));
}

/// Prints the results; false, after saying so, when standard output does not take them.
bool print_results(solve_request const& request, problem const& what, problem_run const& done) {
    if (request.quiet && !request.json) return true;
    std::string const text = request.json ? to_json(what, done) + "\n" : to_text(what, done);
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return true;
    say("lento: cannot write the results to standard output: {}\n", std::strerror(errno));
    return false;
}

/// Writes the results to the file asked for; false, after saying why, when that cannot be.
bool save_results(solve_request const& request, problem const& what, problem_run const& done) try {
    if (request.file.empty()) return true;
    bool const csv = std::filesystem::path(request.file).extension() == ".csv";
    write_atomically(request.file, csv ? to_csv(what, done) : to_json(what, done) + "\n");
    return true;
} catch (output_error const& error) {
    say("lento: {}\n", error.what());
    return false;
}

} // namespace

std::string engines() {
    if (!expression::built_with_llvm()) return "bytecode";
    int const version = expression::llvm_version();
    return version == 0 ? "bytecode; LLVM is not installed" : fmt::format("bytecode, LLVM {}", version);
}

int run_solve(solve_request const& request) try {
    if (int const status = check_output(request); status != 0) return status;
    problem const what = load_problem(request.problem, request.settings);
    if (!request.quiet)
        for (auto const& each : what.notices) say("lento: notice: {}\n", each);
    catch_signals();
    progress_line progress(what.start, what.end);
    run_controls controls{.interrupt = &stop_requested(),
                          .max_evaluations = static_cast<std::uint64_t>(request.max_evaluations)};
    if (!request.quiet && isatty(STDERR_FILENO) != 0) controls.progress = [&](double t) { progress.show(t); };
    problem_run const done = run_problem(what, controls);
    progress.clear();
    if (request.explain) explain(what, done);
    // the file first: whoever reads standard output may stop listening
    bool const saved = save_results(request, what, done);
    bool const printed = print_results(request, what, done);
    if (!request.quiet)
        for (auto const& each : done.warnings) say("lento: warning: {}\n", each.sentence);
    int const status = exit_code(done.result);
    if (status != 0) say("lento: {}: {}\n", name(done.result), done.message);
    return status != 0 ? status : saved && printed ? 0 : run_failed;
} catch (problem_error const& error) {
    say("lento: {}\n", error.what());
    return bad_problem;
}

} // namespace lento::app
