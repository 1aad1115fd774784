// The program `lento`. Results go to standard output, everything else to standard error.

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/stopping.hpp"
#include "app/surroundings.hpp"
#include "app/terminal.hpp"

#include <lento/base/misuse.hpp>
#include <lento/base/outcome.hpp>
#include <lento/expression/error.hpp>
#include <lento/expression/memory_room.hpp>
#include <lento/problem/problem_schema.hpp>
#include <lento/version.hpp>

namespace {

std::string version_text() { return "lento " + std::string(lento::version) + "\nformulas: " + lento::app::engines(); }

/// Memory may end anywhere. What was being done then is undone by now, so there is room for a sentence.
int tell_memory_ended(std::bad_alloc const& error) {
    auto const* const sentence = dynamic_cast<lento::expression::no_room const*>(&error);
    lento::app::say("lento: {}\n", sentence != nullptr
                                       ? sentence->what()
                                       : "memory ran out: ask for fewer output times or a smaller problem, or allow "
                                         "more memory");
    return lento::app::run_failed;
}

int run_command(int argc, char** argv) try {
    using namespace lento::app;
    CLI::App program("The slow motion of fast mechanical systems.", "lento");
    program.set_version_flag("--version", version_text);
    program.require_subcommand(1);
    program.failure_message(CLI::FailureMessage::simple);

    std::string topic;
    auto* list = program.add_subcommand("list", "what there is: problems, methods, schemes, kernels, experiments");
    list->add_option("topic", topic, "one of them only");
    bool verbose = false;
    list->add_flag("--verbose", verbose, "every option with its default and what it is");

    reproduce_request request;
    auto* reproduce = program.add_subcommand("reproduce", "repeat the papers' experiments");
    reproduce->add_option("experiment", request.ids, "such as 001/table-2.3");
    reproduce->add_flag("--all", request.all, "all but the long ones");
    reproduce->add_flag("--json", request.json, "print JSON");
    reproduce->add_option("--out", request.directory, "also write every table and curve into this directory");

    solve_request solving;
    std::string rtol;
    std::string atol;
    std::string method;
    auto* solve = program.add_subcommand("solve", "solve a problem file, or a built-in problem");
    solve->add_option("problem", solving.problem, "a TOML file, or a name of `lento list problems`")->required();
    auto const is_setting = [](std::string const& text) {
        auto const equals = text.find('=');
        bool const sound = equals != std::string::npos && equals > 0;
        return sound ? std::string() : "a setting has the form KEY=VALUE, but this is \"" + text + "\"";
    };
    solve->add_option("--set", solving.settings, "KEY=VALUE: a parameter, or any key such as method.macro.step")
        ->check(is_setting)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    solve->add_option("--rtol", rtol, "the relative tolerance of adaptive steps");
    solve->add_option("--atol", atol, "the absolute tolerance of adaptive steps");
    solve->add_option("--method", method, "a name of `lento list methods`");
    auto const is_number = [](std::string const& text) { // which "nan" is not, though no range excludes it
        return text.find_first_of("nN") == std::string::npos ? std::string() : "\"" + text + "\" is no number";
    };
    solve->add_option("--max-evaluations", solving.max_evaluations, "more evaluations of the force end the run")
        ->check(is_number)
        ->check(CLI::Range(1., 1e18))
        ->capture_default_str();
    solve->add_option("--out", solving.file, "write the results to FILE.csv or FILE.json");
    solve->add_flag("--force", solving.force, "let --out overwrite a file");
    solve->add_flag("--json", solving.json, "print JSON");
    solve->add_flag("--quiet", solving.quiet, "print no table, no warnings and no progress");
    solve->add_flag("--explain", solving.explain,
                    "say on standard error what there is to choose from, before the run, and why it was chosen");

    std::string checked;
    std::vector<std::string> check_settings;
    bool check_as_json = false;
    auto* check = program.add_subcommand("check", "read a problem and say what is known of it");
    check->add_option("problem", checked, "a TOML file, or a name of `lento list problems`")->required();
    check->add_option("--set", check_settings, "KEY=VALUE, as for solve")
        ->check(is_setting)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    check->add_flag("--json", check_as_json, "print JSON");

    double budget = 0;
    double max_memory = 0;
    for (auto* each : {solve, check, reproduce}) {
        each->add_option("--budget", budget, "seconds after which it is stopped; a run keeps what it has")
            ->check(is_number)
            ->check(CLI::Range(1e-3, 1e8));
        each->add_option("--max-memory", max_memory, "MB of memory that the program may take")
            ->check(is_number)
            ->check(CLI::Range(1., 1e9));
    }

    auto* schema = program.add_subcommand("schema", "print what problem files may hold, as a JSON schema");

    try {
        program.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
        bool const asked = error.get_exit_code() == 0; // --help, --version
        std::ostringstream answer, complaint;
        int const status = program.exit(error, answer, complaint);
        fmt::print("{}", answer.str());
        say("{}", complaint.str());
        return asked || status == 0 ? 0 : usage_error;
    }
    if (*schema) {
        fmt::print("{}\n", to_json(lento::problem_schema()));
        return 0;
    }
    if (*list) return run_list(topic, verbose);
    if (max_memory > 0) limit_memory(max_memory);
    if (budget > 0) begin_budget(budget);
    if (*check) return run_check(checked, check_settings, check_as_json);
    if (*solve) {
        if (!rtol.empty()) solving.settings.push_back("accuracy.rtol=" + rtol);
        if (!atol.empty()) solving.settings.push_back("accuracy.atol=" + atol);
        if (!method.empty()) solving.settings.push_back("method.name=" + method);
        solving.budget = budget;
        return run_solve(solving);
    }
    return run_reproduce(request);
} catch (lento::does_not_apply const& error) {
    lento::app::say("lento: {}\n", error.what());
    return lento::exit_code(lento::outcome::not_applicable);
} catch (lento::misuse const& error) {
    lento::app::say("lento: {}\n", error.what());
    return lento::app::usage_error;
} catch (lento::expression::formula_error const& error) { // of formulas that are compiled only when they run
    lento::app::say("lento: {}\n", error.what());
    return lento::app::bad_problem;
} catch (std::system_error const& error) { // what printing throws
    lento::app::say("lento: cannot write to standard output: {}\n", error.code().message());
    return lento::app::run_failed;
} catch (std::bad_alloc const& error) { return tell_memory_ended(error); } catch (std::exception const& error) {
    lento::app::say("lento: internal error: {}\n", error.what());
    return lento::app::internal_error;
}

} // namespace

int main(int argc, char** argv) {
    using namespace lento::app;
    settle_surroundings();
    int const status = with_enough_stack([=] { return run_command(argc, argv); });
    // what is still in a buffer may not find its way out
    if (std::fflush(stdout) == 0 || status != 0) return status;
    say("lento: cannot write to standard output: {}\n", std::generic_category().message(errno));
    return run_failed;
}
