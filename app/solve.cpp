#include "app/commands.hpp"
#include "app/stopping.hpp"
#include "app/terminal.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>

#include <lento/base/misuse.hpp>
#include <lento/expression/engine.hpp>
#include <lento/expression/memory_room.hpp>
#include <lento/io/atomic_file.hpp>
#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/run.hpp>

namespace lento::app {
namespace {

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

/// Whether a run keeps within its time, by the pace of its first part. One whose method was chosen by itself does not
/// begin what it cannot end; one that was asked for goes on as far as it comes.
class pace {
public:
    pace(problem const& what, double budget) : start_(what.start), end_(what.end), budget_(budget) {
        auto const* name = what.method.find("name");
        judges_ = budget > 0 && (name == nullptr || name->text == "auto");
    }
    void look(double t) {
        if (!judges_) return;
        constexpr double first_part = 0.05, hopeless = 10;
        auto const now = std::chrono::steady_clock::now();
        if (t < last_) began_ = now; // another run, which measures the error of the one before
        last_ = t;
        double const seconds = std::chrono::duration<double>(now - began_).count();
        if (seconds < first_part * budget_ || t <= start_) return;
        judges_ = false; // once: later it is not worth it
        double const whole = seconds * (end_ - start_) / (t - start_);
        if (whole < hopeless * budget_) return;
        expected_ = whole;
        stop_requested() = true;
    }
    /// The seconds that the whole run would take, where these are too many; else 0.
    [[nodiscard]] double expected() const { return expected_; }
    /// The time up to which it was taken.
    [[nodiscard]] double reached() const { return last_; }

private:
    double start_;
    double end_;
    double budget_;
    bool judges_;
    double last_ = start_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    double expected_ = 0;
};

/// Says why a run was stopped where it was its time that ended.
void tell_budget(solve_request const& request, pace const& of_run, problem_run& done) {
    if (request.budget == 0 || done.result != outcome::interrupted) return;
    std::string const budget = "the budget of " + show(request.budget) + " s";
    if (of_run.expected() > 0)
        done.refuse(outcome::not_applicable,
                    "by its pace up to t = " + show(of_run.reached()) + " the whole run would take about " +
                        show(of_run.expected()) + " s, far beyond " + budget +
                        "; allow more time, or ask for a shorter run, less accuracy or another method");
    else if (budget_is_used()) done.message = budget + " is used up: " + done.message;
}

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

/// Prints the results, also for who wants nothing printed where they could not be saved; false, after saying so, when
/// standard output does not take them.
bool print_results(solve_request const& request, problem const& what, problem_run const& done, bool saved) {
    if (request.quiet && !request.json && saved) return true;
    bool fine = true;
    auto const print = [&](std::string_view text) {
        fine = fine && std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    };
    if (request.json) write_json(what, done, print);
    else print(to_text(what, done));
    if (request.json) print("\n");
    if (fine && std::fflush(stdout) == 0) return true;
    say("lento: cannot write the results to standard output: {}\n", std::strerror(errno));
    return false;
}

/// Writes the results to the file asked for; false, after saying why, when that cannot be.
bool save_results(solve_request const& request, problem const& what, problem_run const& done) try {
    if (request.file.empty()) return true;
    bool const csv = std::filesystem::path(request.file).extension() == ".csv";
    auto const write = [&](text_sink const& to) {
        if (csv) return write_csv(what, done, to);
        write_json(what, done, to);
        to("\n");
    };
    write_atomically(request.file, write, request.force ? existing_file::replaced : existing_file::kept);
    return true;
} catch (output_error const& error) {
    say("lento: {}\n", error.what());
    return false;
}

} // namespace

std::string engines() {
    if (!expression::built_with_llvm()) return "bytecode";
    int const version = expression::llvm_version();
    if (version != 0) return fmt::format("bytecode, LLVM {}", version);
    return expression::llvm_lacks_memory() ? "bytecode; LLVM is not loaded, the limit on memory leaves it no room"
                                           : "bytecode; LLVM is not installed";
}

int run_solve(solve_request const& request) try {
    if (int const status = check_output(request); status != 0) return status;
    problem const what = load_problem(request.problem, request.settings);
    if (!request.quiet)
        for (auto const& each : what.notices) say("lento: notice: {}\n", each);
    catch_signals();
    budget_is_for_run();
    pace of_run(what, request.budget);
    progress_line progress(what.start, what.end);
    run_controls controls{.interrupt = &stop_requested(),
                          .max_evaluations = static_cast<std::uint64_t>(request.max_evaluations)};
    if (request.budget > 0) controls.budget = request.budget;
    if (request.explain)
        controls.chosen = [&](std::vector<considered> const& all) {
            progress.clear();
            say("{}: nothing is said of the method, so cost and error decide\n{}", what.source, to_text(all));
        };
    bool const shows = !request.quiet && isatty(STDERR_FILENO) != 0;
    if (shows || request.budget > 0)
        controls.progress = [&](double t) {
            if (shows) progress.show(t);
            of_run.look(t);
        };
    problem_run done = run_problem(what, controls);
    end_budget();
    progress.clear();
    tell_budget(request, of_run, done);
    if (request.explain) explain(what, done);
    // the file first: whoever reads standard output may stop listening
    bool const saved = save_results(request, what, done);
    bool const printed = print_results(request, what, done, saved);
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
