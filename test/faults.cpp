// However a run ends, by itself, by a signal or by a fault around it: the file of its results is the old one or a whole
// new one, and the program says what happened and ends with the status that the documents promise.
//
// With LENTO_THOROUGH in the environment, as in `./dev check faults`, programs are killed 200 times instead of 12.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program_run.hpp"

#include <lento/base/decimal.hpp>
#include <lento/expression/engine.hpp>
#include <lento/io/atomic_file.hpp>
#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/run.hpp>

namespace {

using lento_test::content;
using lento_test::finished;
using lento_test::lento;
using lento_test::run_command;
using lento_test::scratch_directory;
using nlohmann::json;
using seconds = std::chrono::duration<double>;

// Sanitizers take memory, and stack, in amounts of their own. GCC tells of them by macros, Clang by features.
#if defined(__has_feature)
#define LENTO_HAS_FEATURE(name) __has_feature(name)
#else
#define LENTO_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || LENTO_HAS_FEATURE(address_sanitizer) ||           \
    LENTO_HAS_FEATURE(thread_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

bool thorough() { return std::getenv("LENTO_THOROUGH") != nullptr; } // NOLINT(concurrency-mt-unsafe)

/// Seconds of processor time of the programs that have ended. What a clock shows tells more of a busy machine than of
/// them.
double seconds_taken() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    auto const in_seconds = [](timeval const& of) {
        return static_cast<double>(of.tv_sec) + 1e-6 * static_cast<double>(of.tv_usec);
    };
    return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

std::string quoted(std::filesystem::path const& file) { return "\"" + file.string() + "\""; }

/// What a shell does before it becomes the program.
finished lento_after(std::string const& before, std::string const& arguments) {
    return run_command(before + " \"" LENTO_PROGRAM "\" " + arguments);
}

/// The program in the background, whose output nobody reads.
class background {
public:
    explicit background(std::string const& arguments) {
        std::string const command = "exec \"" LENTO_PROGRAM "\" " + arguments + " >/dev/null 2>&1";
        process_ = fork();
        if (process_ == 0) {
            execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            _exit(127);
        }
    }
    background(background const&) = delete;
    background& operator=(background const&) = delete;
    ~background() {
        if (process_ > 0) static_cast<void>(end_by(SIGKILL));
    }
    /// The status with which it ends, -1 where a signal ended it.
    int end_by(int signal) {
        kill(process_, signal);
        int status = 0;
        waitpid(process_, &status, 0);
        process_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t process_ = -1;
};

std::size_t files_in(std::filesystem::path const& folder) {
    auto const entries = std::filesystem::directory_iterator(folder);
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

constexpr int many_rows = 5000;
std::string const many = " --set time.output=" + std::to_string(many_rows);

/// Whether the text is that of all rows.
bool is_whole(std::string const& text, bool csv) {
    if (!csv) {
        auto const document = json::parse(text, nullptr, false);
        return !document.is_discarded() && document["t"].size() == many_rows &&
               document["velocity"].size() == many_rows && document.contains("version");
    }
    auto const rows = text.find("\n# problem: ");
    return text.starts_with("t,") && rows != std::string::npos && text.back() == '\n' &&
           std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(rows) + 1, '\n') == many_rows + 1;
}

TEST(Faults, KillsLeaveTheOldFileOrAWholeNewOne) {
    std::mt19937 random(20240607); // NOLINT: the same times in every run
    int const kills = thorough() ? 100 : 6;
    for (bool const csv : {true, false}) {
        scratch_directory const scratch;
        auto const file = scratch / (csv ? "run.csv" : "run.json");
        std::string const run = "solve double-well --quiet --force" + many + " --out " + quoted(file);
        auto const begin = std::chrono::steady_clock::now();
        ASSERT_EQ(lento(run).status, 0);
        seconds const whole = std::chrono::steady_clock::now() - begin;
        ASSERT_TRUE(is_whole(content(file), csv));
        int kept = 0;
        for (int i = 0; i < kills; ++i) {
            std::ofstream(file) << "old";
            {
                background running(run);
                // the first at once: on a machine that has become faster since, the others may all come too late
                double const share = i == 0 ? 0 : std::uniform_real_distribution<double>(0, 1.2)(random);
                std::this_thread::sleep_for(whole * share);
            }
            auto const left = content(file);
            kept += left == "old" ? 1 : 0;
            ASSERT_TRUE(left == "old" || is_whole(left, csv)) << left.size() << " bytes of kill " << i;
        }
        EXPECT_GT(kept, 0) << "no kill came in time";
    }
}

TEST(Faults, AFullDiskKeepsTheOldFileAndLeavesNothingElse) {
    for (std::string const name : {"run.csv", "run.json"}) {
        scratch_directory const scratch;
        auto const file = scratch / name;
        std::string const run = "solve double-well --quiet --force" + many + " --out " + quoted(file);
        ASSERT_EQ(lento(run).status, 0);
        auto const size = std::filesystem::file_size(file);
        // a run's seconds have more digits at one time than at another
        for (std::uintmax_t const room : {std::uintmax_t{0}, std::uintmax_t{1}, std::uintmax_t{4096},
                                          std::uintmax_t{65536}, std::uintmax_t{65537}, size / 2, size - 64}) {
            std::ofstream(file) << "old";
            auto const full = lento_after("prlimit --fsize=" + std::to_string(room), run + " >/dev/null");
            EXPECT_EQ(full.status, 4) << room;
            // standard error is such a file, too
            if (room > 1) {
                EXPECT_NE(full.errors.find("cannot write " + file.string() + ": File too large"), std::string::npos)
                    << full.errors;
            }
            EXPECT_EQ(content(file), "old") << room;
            EXPECT_EQ(files_in(file.parent_path()), 1U) << room;
        }
        EXPECT_EQ(lento_after("prlimit --fsize=" + std::to_string(size + 64), run).status, 0);
        EXPECT_TRUE(is_whole(content(file), name == "run.csv"));
    }
}

/// On a file system of its own, at every page.
TEST(Faults, AFullFileSystemKeepsTheOldFile) {
    scratch_directory const scratch;
    std::filesystem::create_directory(scratch / "small");
    auto const small = quoted(scratch / "small");
    auto const mounted = [&](int kilobytes, std::string const& command) {
        return run_command("unshare --mount sh -c 'mount -t tmpfs -o size=" + std::to_string(kilobytes) + "k none " +
                           small + " && cd " + small + " && " + command + "'");
    };
    if (mounted(64, "true").status != 0) GTEST_SKIP() << "nothing can be mounted here";
    std::string const run =
        "\"" LENTO_PROGRAM "\" solve double-well --quiet --force --set time.output=1000 --out run.json >/dev/null";
    int fits = 0;
    for (int kilobytes = 8; kilobytes <= 128; kilobytes += 8) {
        auto const full = mounted(kilobytes, "printf old >run.json; " + run + "; echo $?; ls; cat run.json");
        bool const failed = full.output.rfind("4\nrun.json\nold", 0) == 0;
        bool const succeeded = full.output.rfind("0\nrun.json\n{", 0) == 0 && full.output.back() == '\n';
        EXPECT_TRUE(failed || succeeded) << kilobytes << ": " << full.output.substr(0, 100) << full.errors;
        if (failed) { EXPECT_NE(full.errors.find("No space left on device"), std::string::npos) << full.errors; }
        fits += succeeded ? 1 : 0;
    }
    EXPECT_GT(fits, 0);
    EXPECT_LT(fits, 16);
}

TEST(Faults, EveryCommandTellsThatStandardOutputTakesNothing) {
    for (std::string const command : {"list", "schema", "--help", "--version", "check double-well", "solve double-well",
                                      "solve double-well --json"})
        for (std::string const where : {">/dev/full", ">&-"}) {
            auto const run = lento(command + " " + where);
            EXPECT_EQ(run.status, 4) << command << where;
            EXPECT_NE(run.errors.find("to standard output"), std::string::npos) << command << run.errors;
        }
}

TEST(Faults, ClosedStreamsDoNotBecomePartOfResults) {
    scratch_directory const scratch;
    auto const file = scratch / "run.json";
    std::string const run = "solve double-well --explain --force" + many + " --out " + quoted(file);
    for (std::string const closed : {">&-", "2>&-", "<&-", "<&- >&- 2>&-", "2>/dev/full", ">/dev/full 2>/dev/full"}) {
        std::filesystem::remove(file);
        // the shell's own streams are closed, so that the program has no others
        auto const ended = run_command("sh -c 'exec \"" LENTO_PROGRAM "\" " + run + " " + closed + "'");
        EXPECT_EQ(ended.status, closed.find('>') != std::string::npos && closed.rfind("2>", 0) != 0 ? 4 : 0) << closed;
        EXPECT_TRUE(is_whole(content(file), false)) << closed;
    }
    EXPECT_EQ(lento("solve no-such-problem 2>/dev/full").status, 3);
    EXPECT_EQ(lento("solve no-such-problem 2>&-").status, 3);
    EXPECT_EQ(lento("--frobnicate 2>/dev/full").status, 2);
}

/// A run that goes on until somebody stops it, in good order or not.
std::string const endless =
    "solve vibrated-pendulum --method direct --set omega=1e8 --max-evaluations 1e18 --set time.output=3";

/// Starts a run, does something as soon as it listens to signals, and stops it.
finished stopped_after(std::string const& arguments, std::string const& meanwhile) {
    std::string const listens = "grep -q '^SigCgt:.*4..[37bf]$' /proc/$run/status";
    return run_command("( \"" LENTO_PROGRAM "\" " + endless + " " + arguments + " & run=$!; while kill -0 $run && ! " +
                       listens + "; do sleep 0.05; done; " + meanwhile + "; kill -s INT $run; wait $run )");
}

TEST(Faults, AFolderThatVanishesLeavesTheResultsToStandardOutput) {
    scratch_directory const scratch;
    std::filesystem::create_directory(scratch / "folder");
    auto const file = scratch / "folder/run.json";
    for (std::string const quiet : {"", " --quiet"}) {
        std::filesystem::create_directory(scratch / "folder");
        auto const ended = stopped_after("--out " + quoted(file) + quiet, "rm -r " + quoted(scratch / "folder"));
        EXPECT_EQ(ended.status, 4);
        EXPECT_NE(ended.errors.find("cannot create " + file.string() + ": No such file"), std::string::npos)
            << ended.errors;
        EXPECT_NE(ended.output.find("interrupted: the run was interrupted at t = "), std::string::npos) << quiet;
    }
}

TEST(Faults, AFolderThatTakesNothingIsTold) {
    auto const ended = lento("solve double-well --out /proc/self/run.json");
    EXPECT_EQ(ended.status, 4);
    EXPECT_NE(ended.errors.find("/proc/self/run.json"), std::string::npos) << ended.errors;
}

TEST(Faults, AFileThatCameDuringTheRunIsKept) {
    scratch_directory const scratch;
    auto const file = scratch / "run.json";
    auto const ended = stopped_after("--quiet --out " + quoted(file), "printf another >" + quoted(file));
    EXPECT_EQ(ended.status, 4);
    EXPECT_EQ(content(file), "another");
    auto const at = ended.errors.find(" is in " + file.string() + ".");
    ASSERT_NE(at, std::string::npos) << ended.errors;
    auto const name = ended.errors.substr(at + 7, ended.errors.find('\n', at) - at - 7);
    EXPECT_EQ(json::parse(content(name))["outcome"], "interrupted");
}

TEST(Faults, OfTwoProgramsOnOneFileOneWinsWhole) {
    for (std::string const name : {"run.csv", "run.json"}) {
        scratch_directory const scratch;
        auto const file = scratch / name;
        std::string const run =
            "\"" LENTO_PROGRAM "\" solve double-well --quiet --force" + many + " --out " + quoted(file);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(run_command(run + " & one=$!; " + run + " && wait $one").status, 0);
            EXPECT_TRUE(is_whole(content(file), name == "run.csv"));
            EXPECT_EQ(files_in(file.parent_path()), 1U);
        }
    }
}

// ---- memory and stack ----

TEST(Faults, AnyLimitOnMemoryEndsWithASentence) {
    if (sanitized) GTEST_SKIP();
    scratch_directory const scratch;
    auto const file = scratch / "run.json";
    int succeeded = 0;
    int kept = 0;
    std::vector<int> limits{24, 33, 36, 48, 100, 184};
    if (thorough())
        for (int limit = 26; limit < 600; limit += limit < 60 ? 3 : 30) limits.push_back(limit);
    for (int const limit : limits)
        for (std::string const run :
             {"vibrated-pendulum", "double-well --set time.output=60000", "lorenz --set time.output=60000",
              "vibrated-pendulum --method direct --set omega=1e4", "vibrated-pendulum --set method.engine=llvm",
              "chain --set time.output=5000"}) {
            std::filesystem::remove(file);
            auto const ended = lento_after("prlimit --as=" + std::to_string(limit) + "000000",
                                           "solve " + run + " --quiet --out " + quoted(file));
            ASSERT_TRUE(ended.status == 0 || ended.status == 4)
                << limit << " MB, " << run << ": " << ended.status << ended.errors;
            if (ended.status == 4) {
                EXPECT_NE(ended.errors.find("memory"), std::string::npos)
                    << limit << " MB, " << run << ": " << ended.errors;
                if (!std::filesystem::exists(file)) continue;
                auto const document = json::parse(content(file));
                EXPECT_EQ(document["incomplete"], true);
                EXPECT_EQ(document["t"].size(), document[document.contains("state") ? "state" : "velocity"].size());
                for (auto const& column : document["observables"]) EXPECT_EQ(column.size(), document["t"].size());
                ++kept;
            } else {
                EXPECT_NE(content(file).find("\"outcome\": \"success\""), std::string::npos);
                ++succeeded;
            }
        }
    EXPECT_GT(succeeded, 5);
    EXPECT_GT(kept, 0);
}

TEST(Faults, WhatIsKeptAtTheEndOfMemoryIsThatOfTheWholeRun) {
    if (sanitized) GTEST_SKIP();
    for (std::string const problem : {"double-well", "lorenz", "spherical-pendulum"}) {
        constexpr std::size_t all = 120'000;
        // one run: where others measure its error, the one is cut that goes on, perhaps with looser tolerances
        std::string const run =
            "solve " + problem + " --json --set accuracy.estimate=false --set time.output=" + std::to_string(all);
        auto const whole = json::parse(lento(run).output);
        ASSERT_EQ(whole["outcome"], "success");
        json cut;
        for (int limit = 30; limit < 80 && (!cut.contains("t") || cut["t"].size() < 1000U); ++limit)
            cut = json::parse(lento(run + " --max-memory " + std::to_string(limit)).output, nullptr, false);
        ASSERT_EQ(cut["outcome"], "interrupted") << problem;
        auto const rows = cut["t"].size();
        ASSERT_LT(rows, all);
        for (std::string const key : {"t", "position", "state", "velocity", "multipliers"}) {
            if (!whole.contains(key)) continue;
            ASSERT_EQ(cut[key].size(), rows) << problem << key;
            for (std::size_t const row : {std::size_t{0}, rows / 4, rows / 2})
                EXPECT_EQ(cut[key][row], whole[key][row]) << problem << key << row;
            // in the last steps before the cut the interpolant has points on one side only
            for (std::size_t const row : {rows - 2, rows - 1}) {
                auto const last = json::array({cut[key][row]}).flatten();
                auto const same = json::array({whole[key][row]}).flatten();
                for (auto const& [where, value] : same.items())
                    EXPECT_NEAR(last[where].get<double>(), value.get<double>(), 1e-8) << problem << key << row;
            }
        }
    }
}

TEST(Faults, LlvmIsLeftOutWhereMemoryIsShort) {
    if (sanitized || lento::expression::llvm_version() == 0) GTEST_SKIP();
    std::string const limit = "prlimit --as=150000000";
    EXPECT_NE(lento_after(limit, "--version").output.find("LLVM is not loaded, the limit on memory leaves it no room"),
              std::string::npos);
    auto const asked = lento_after(limit, "solve vibrated-pendulum --set method.engine=llvm");
    EXPECT_EQ(asked.status, 4);
    EXPECT_NE(asked.errors.find("LLVM is not loaded: the limit on memory leaves "), std::string::npos) << asked.errors;
    EXPECT_EQ(asked.errors.find("not installed"), std::string::npos);
    auto const set = lento("solve vibrated-pendulum --set method.engine=llvm --max-memory 150");
    EXPECT_EQ(set.status, 4);
    EXPECT_NE(set.errors.find("LLVM is not loaded"), std::string::npos) << set.errors;
}

std::string repeated(std::string const& text, std::size_t times) {
    std::string made;
    for (std::size_t i = 0; i < times; ++i) made += text;
    return made;
}

std::string problem_with(std::string const& force) {
    return "[system]\nkind = \"plain\"\ncoordinates = [\"x\"]\nforce.x = \"" + force +
           "\"\n[initial]\nx = 1\n[time]\nend = 1e-3\n";
}

/// Files nested as deeply as anybody could write them.
std::vector<std::pair<std::string, std::string>> deep_files() {
    constexpr std::size_t deep = 200'000;
    std::vector<std::pair<std::string, std::string>> made{
        {"parentheses", problem_with(repeated("(", deep) + "x" + repeated(")", deep))},
        {"signs", problem_with(repeated("-", deep) + "x")},
        {"powers", problem_with(repeated("x^", deep) + "x")},
        {"calls", problem_with(repeated("sin(", deep) + "x" + repeated(")", deep))},
        {"sums", problem_with(repeated("x+", deep) + "x")},
        {"differences", problem_with(repeated("x-(", deep) + "x" + repeated(")", deep))},
        {"lists", "a = " + repeated("[", deep) + repeated("]", deep)},
        {"open lists", "a = " + repeated("[", deep)},
        {"inline tables", "a = " + repeated("{a=", deep) + "1" + repeated("}", deep)},
        {"dotted key", repeated("a.", deep) + "a = 1"},
        {"dotted table", "[" + repeated("a.", deep) + "a]"},
        {"tables of long keys", "a = " + repeated("{" + repeated("a.", 250) + "a=", 250) + "1" + repeated("}", 250)},
        {"lists of tables", repeated("[[a" + repeated(".a", 100) + "]]\n", 1000)},
    };
    std::string chain = problem_with("p1") + "[parameters]\n";
    for (int i = 1; i < 20000; ++i) chain += "p" + std::to_string(i) + " = \"p" + std::to_string(i + 1) + "\"\n";
    made.emplace_back("parameters of parameters", chain + "p20000 = 1\n");
    return made;
}

TEST(Faults, DeepNestingIsReadOrRefusedWithAnyStack) {
    scratch_directory const scratch;
    auto const file = scratch / "deep.toml";
    for (auto const& [name, text] : deep_files()) {
        std::ofstream(file) << text;
        for (std::string const stack : {"unlimited", "8388608", "1048576", "131072"}) {
            if (sanitized && stack != "8388608") continue;
            double const before = seconds_taken();
            auto const read = lento_after("prlimit --stack=" + stack, "solve --quiet " + quoted(file));
            EXPECT_TRUE(read.status == 0 || read.status == 3 || read.status == 4)
                << name << ", stack " << stack << ": " << read.status << read.errors.substr(0, 200);
            EXPECT_LT(read.errors.size(), 2000U) << name;
            EXPECT_LT(seconds_taken() - before, sanitized ? 60 : 5) << name;
        }
    }
    std::string const key = repeated("a.", 50'000) + "a=1";
    EXPECT_EQ(lento("solve double-well --set " + key).status, 3);
}

/// What is long or has many points without being deep is no excess.
TEST(Faults, LongFormulasAreNoDeepKeys) {
    std::string const terms = repeated("+0.5*x", 400);
    std::string const sound =
        problem_with("-x" + terms) + "[observe]\na = \"x" + terms + "\"\nb = 'max(x, 0.5)" + terms + "'\n";
    EXPECT_NO_THROW(static_cast<void>(lento::read_problem(sound, "file")));
    EXPECT_NO_THROW(static_cast<void>(lento::read_problem(sound, "file", {"system.force.x=max(x, 0.1)" + terms})));
    std::string const stiff = "[parameters]\nk = 1\n[system]\nkind = \"stiff\"\ncoordinates = [\"x\"]\n"
                              "stiff = [ { g = \"x" +
                              terms + "\", omega = \"10" + repeated("+0.5", 300) +
                              "\" } ]\n[initial]\nx = 0\n[time]\nend = 1e-3\n";
    EXPECT_NO_THROW(static_cast<void>(lento::read_problem(stiff, "file")));
    try {
        static_cast<void>(
            lento::read_problem(problem_with("-x") + "[observe]\n" + std::string(2000, 'a') + " = 'x'\n", "file"));
        ADD_FAILURE() << "a name of 2000 bytes";
    } catch (lento::problem_error const& error) {
        EXPECT_NE(std::string(error.what()).find("longer than 1000 bytes"), std::string::npos) << error.what();
    }
}

/// Each value would remember the way to it: a long name of a table with many keys in it would take all memory.
TEST(Faults, LongNamesOfTablesAreRefused) {
    for (std::string const open : {"[", "[[", " [ "}) {
        std::string const text = open + std::string(100'000, 'a') + (open == "[[" ? "]]" : "]") + "\nb = 1\n";
        EXPECT_THROW(static_cast<void>(lento::read_problem(text, "file")), lento::problem_error);
    }
}

/// The length of such a window is 0 in double precision, which was taken for one that is left to be chosen.
TEST(Faults, AWindowSoShortThatItsLengthUnderflowsIsRefused) {
    auto const run = lento("solve vibrated-pendulum --quiet --set method.window.periods=1e-320");
    EXPECT_EQ(run.status, 3) << run.errors;
    EXPECT_NE(run.errors.find("A window of 2 steps cannot carry"), std::string::npos) << run.errors;
}

TEST(Faults, LargeFilesAreReadOrRefusedSoon) {
    scratch_directory const scratch;
    auto const file = scratch / "large.toml";
    auto const status_of = [&](std::string const& piece, std::size_t bytes) {
        std::ofstream(file) << repeated(piece, bytes / piece.size());
        double const before = seconds_taken();
        auto const read = lento("solve --quiet " + quoted(file));
        double const most = (sanitized ? 10 : 1) * 15;
        EXPECT_LT(seconds_taken() - before, most) << piece << bytes;
        EXPECT_LT(read.errors.size(), 2000U);
        return read.status;
    };
    EXPECT_EQ(status_of("# a comment\n", 100'000'000), 3);
    EXPECT_EQ(status_of("a", 100'000'000), 3);
    std::size_t const below = thorough() ? 60'000'000 : 6'000'000;
    EXPECT_EQ(status_of("# a comment\n", below), 3);
    EXPECT_EQ(status_of("a", below), 3);
    EXPECT_EQ(status_of("[[a]]\nb = 1\n", below), 3);
    EXPECT_EQ(status_of("\n", below), 3);
}

// ---- LLVM ----

/// The program where a file is found first under every name that LLVM's library has.
finished with_library(std::filesystem::path const& folder, std::string const& arguments) {
    return run_command("LENTO_MARK=" + quoted(folder / "loaded") + " LD_LIBRARY_PATH=" + quoted(folder) +
                       " \"" LENTO_PROGRAM "\" " + arguments);
}
std::vector<std::string> library_names() {
    std::vector<std::string> made;
    for (int version = 14; version <= 19; ++version) {
        auto const number = std::to_string(version);
        for (auto const& name :
             {"libLLVM.so." + number + ".1", "libLLVM-" + number + ".so.1", "libLLVM-" + number + ".so"})
            made.push_back(name);
    }
    return made;
}

TEST(Faults, ABrokenLlvmIsPassedOver) {
    if (lento::expression::llvm_version() == 0) GTEST_SKIP();
    auto const installed = run_command("for name in " + [] {
        std::string all;
        for (auto const& name : library_names()) all += name + " ";
        return all;
    }() + "; do ldconfig -p | sed -n \"s/.*=> \\(.*\\/$name\\)$/\\1/p\"; done | head -n 1");
    auto const library = installed.output.substr(0, installed.output.find('\n'));
    if (library.empty()) GTEST_SKIP() << "nobody knows where LLVM is";
    auto const all = content(library);
    for (std::size_t const part : {std::size_t{0}, std::size_t{10}, std::size_t{64}, std::size_t{4096},
                                   all.size() / 100, all.size() / 2, all.size() - 1}) {
        scratch_directory const scratch;
        std::ofstream(scratch / library_names().front()) << all.substr(0, part);
        for (auto const& name : library_names())
            if (name != library_names().front())
                std::filesystem::create_symlink(scratch / library_names().front(), scratch / name);
        auto const run = with_library((scratch / "x").parent_path(), "--version");
        EXPECT_EQ(run.status, 0) << part;
        EXPECT_NE(run.output.find("formulas: bytecode; LLVM is not installed"), std::string::npos)
            << part << run.output;
    }
}

TEST(Faults, AForeignLibraryIsNoLlvm) {
    if (!lento::expression::built_with_llvm()) GTEST_SKIP();
    scratch_directory const scratch;
    for (auto const& name : library_names()) std::filesystem::copy_file(LENTO_FOREIGN_LIBRARY, scratch / name);
    auto const run = with_library((scratch / "x").parent_path(), "solve vibrated-pendulum --quiet --explain");
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(run.errors.find("formulas: bytecode; LLVM is not installed"), std::string::npos) << run.errors;
    EXPECT_TRUE(std::filesystem::exists(scratch / "loaded")); // it was found, and would have told
}

TEST(Faults, LlvmIsNeverTakenFromTheCurrentFolder) {
    scratch_directory const scratch;
    for (auto const& name : library_names()) std::filesystem::copy_file(LENTO_FOREIGN_LIBRARY, scratch / name);
    auto const here = run_command("cd " + quoted((scratch / "x").parent_path()) +
                                  " && LENTO_MARK=" + quoted(scratch / "loaded") + " \"" LENTO_PROGRAM "\" --version");
    EXPECT_EQ(here.output, lento("--version").output);
    EXPECT_FALSE(std::filesystem::exists(scratch / "loaded"));
}

// ---- numbers ----

#ifdef __GLIBCXX__ // libc++ lacks from_chars for these
template <class T> void compare_with_from_chars(std::string const& text) {
    T expected = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), expected);
    if (read.ec == std::errc()) { EXPECT_EQ(lento::decimal<T>(text), expected) << text; }
}

TEST(Decimal, ReadsTheSameBitsAsFromChars) {
    std::mt19937_64 random(7); // NOLINT: the same numbers in every run
    for (int i = 0; i < 20'000; ++i) {
        std::string text = std::to_string(random() % 100);
        for (std::uint64_t digits = random() % 3; digits > 0; --digits) text += std::to_string(random());
        if (random() % 2 == 0) text += "." + std::to_string(random());
        if (random() % 2 == 0) text += "e" + std::to_string(static_cast<int>(random() % 640) - 320);
        compare_with_from_chars<double>(text);
        compare_with_from_chars<long double>(text);
    }
}
#endif

// ---- the same bits ----

std::string without_seconds(std::string const& document) {
    auto made = json::parse(document);
    made["statistics"].erase("seconds");
    made["statistics"].erase("wall_seconds");
    return made.dump();
}

TEST(SameBits, OnRepeatInAFileAndOnStandardOutput) {
    for (std::string const problem : {"vibrated-pendulum", "double-well", "lorenz", "spherical-pendulum"}) {
        scratch_directory const scratch;
        auto const file = scratch / "run.json";
        auto const first = lento("solve " + problem + " --json --out " + quoted(file));
        ASSERT_EQ(first.status, 0) << first.errors;
        EXPECT_EQ(first.output.substr(0, first.output.find("\"statistics\"")),
                  content(file).substr(0, content(file).find("\"statistics\"")));
        EXPECT_EQ(without_seconds(content(file)), without_seconds(first.output));
        EXPECT_EQ(without_seconds(lento("solve " + problem + " --json").output), without_seconds(first.output));
    }
}

TEST(SameBits, InThreads) {
    auto const run = [](std::string const& problem) {
        auto const what = lento::load_problem(problem);
        return without_seconds(to_json(what, lento::run_problem(what)));
    };
    for (std::string const problem : {"vibrated-pendulum", "double-well"}) {
        auto const alone = run(problem);
        std::vector<std::string> results(4);
        std::vector<std::thread> threads;
        for (auto& each : results) threads.emplace_back([&] { each = run(problem); });
        for (auto& each : threads) each.join();
        for (auto const& each : results) EXPECT_EQ(each, alone) << problem;
    }
}

// ---- locales ----

struct with_comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

/// Everything that is read and written in a run, times left out.
std::string texts_of_a_run() {
    auto const what =
        lento::read_problem(problem_with("-1234.5*x - 0.25e-1*x^3 + 0.5") + "[observe]\ne = \"1000000*x\"\n"
                                                                            "[parameters]\nk = 0.125\n",
                            "file", {"time.output=7", "initial.x=1.25", "accuracy.rtol=1.5e-6", "k=0.5"});
    auto done = lento::run_problem(what);
    done.statistics.seconds = done.statistics.wall_seconds = 0.5;
    return to_json(what, done) + to_csv(what, done) + to_text(what, done);
}

TEST(Faults, ADecimalCommaChangesNothing) {
    auto const plain = texts_of_a_run();
    ASSERT_NE(plain.find("0.5"), std::string::npos);
    auto const before = std::locale::global(std::locale(std::locale::classic(), new with_comma));
    EXPECT_EQ(texts_of_a_run(), plain);
    std::locale::global(before);
    scratch_directory const scratch; // for a locale of our own, where none with a comma is installed
    char const* found = std::setlocale(LC_ALL, "de_DE.UTF-8");
    if (found == nullptr && run_command("localedef -i de_DE -f UTF-8 " + quoted(scratch / "de_DE.UTF-8")).status == 0) {
        setenv("LOCPATH", (scratch / "x").parent_path().c_str(), 1); // NOLINT(concurrency-mt-unsafe): one thread
        found = std::setlocale(LC_ALL, "de_DE.UTF-8");
    }
    if (found == nullptr) GTEST_SKIP() << "no locale with a comma can be had here; the C++ one was tried";
    ASSERT_STREQ(std::localeconv()->decimal_point, ",");
    EXPECT_EQ(texts_of_a_run(), plain);
    std::setlocale(LC_ALL, "C");
}

// ---- limits that a user sets ----

TEST(Budget, StopsARunThatWasAskedForAndKeepsWhatItHas) {
    scratch_directory const scratch;
    auto const file = scratch / "run.json";
    auto const begin = std::chrono::steady_clock::now();
    auto const run = lento(endless + " --quiet --budget 0.5 --out " + quoted(file));
    EXPECT_LT(seconds(std::chrono::steady_clock::now() - begin).count(), 10);
    EXPECT_EQ(run.status, 4);
    EXPECT_NE(run.errors.find("interrupted: the budget of 0.5 s is used up: the run was interrupted at t = "),
              std::string::npos)
        << run.errors;
    auto const document = json::parse(content(file));
    EXPECT_EQ(document["outcome"], "interrupted");
    EXPECT_EQ(document["t"][0], 0);
}

TEST(Budget, RefusesWhatWasChosenByItselfAndWouldTakeFarLonger) {
    auto const run = lento("solve double-well --quiet --set time.end=1e8 --budget 1");
    EXPECT_EQ(run.status, 5);
    EXPECT_NE(run.errors.find(" the whole run would take about "), std::string::npos) << run.errors;
    EXPECT_NE(run.errors.find("far beyond the budget of 1 s"), std::string::npos) << run.errors;
}

TEST(Budget, HoldsWhereThereIsNoRunToStopToo) {
    scratch_directory const scratch;
    auto const file = scratch / "large.toml";
    std::ofstream(file) << repeated("[[a]]\nb = 1\n", 5'000'000);
    auto const run = lento("solve --quiet --budget 0.01 " + quoted(file));
    EXPECT_EQ(run.status, 4);
    EXPECT_EQ(run.errors, "lento: the time of --budget is used up\n");
    auto const checked = lento("check --budget 0.001 vibrated-pendulum");
    EXPECT_EQ(checked.status, 4) << checked.errors;
    auto const repeated_one = lento("reproduce --budget 0.01 002/table-2");
    EXPECT_EQ(repeated_one.status, 4) << repeated_one.errors;
}

TEST(Budget, LeavesRunsAloneThatKeepWithinIt) {
    auto const with =
        lento(std::string("solve vibrated-pendulum --budget 600") + (sanitized ? "" : " --max-memory 2000"));
    auto const without = lento("solve vibrated-pendulum");
    EXPECT_EQ(with.status, 0) << with.errors;
    auto const table = [](finished const& run) { return run.output.substr(0, run.output.find(" force evaluations")); };
    EXPECT_EQ(table(with), table(without));
    EXPECT_EQ(lento("solve vibrated-pendulum --budget 0").status, 2);
    EXPECT_EQ(lento("solve vibrated-pendulum --max-memory x").status, 2);
}

} // namespace
