// The program `lento`. Results go to standard output, everything else to standard error.

#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands.hpp"

#include <lento/system/misuse.hpp>
#include <lento/system/outcome.hpp>
#include <lento/version.hpp>

int main(int argc, char** argv) try {
    using namespace lento::app;
    CLI::App program("The slow motion of fast mechanical systems.", "lento");
    program.set_version_flag("--version", "lento " + std::string(lento::version));
    program.require_subcommand(1);
    program.failure_message(CLI::FailureMessage::simple);

    std::string topic;
    auto* list = program.add_subcommand("list", "what there is: methods, kernels, experiments");
    list->add_option("topic", topic, "one of them only");

    reproduce_request request;
    auto* reproduce = program.add_subcommand("reproduce", "repeat the papers' experiments");
    reproduce->add_option("experiment", request.ids, "such as 001/table-2.3");
    reproduce->add_flag("--all", request.all, "all but the long ones");
    reproduce->add_flag("--json", request.json, "print JSON");
    reproduce->add_option("--out", request.directory, "also write every table and curve into this directory");

    try {
        program.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
        bool const asked = error.get_exit_code() == 0; // --help, --version
        int const status = program.exit(error);
        return asked ? 0 : status == 0 ? 0 : usage_error;
    }
    if (*list) return run_list(topic);
    return run_reproduce(request);
} catch (lento::does_not_apply const& error) {
    fmt::print(stderr, "lento: {}\n", error.what());
    return lento::exit_code(lento::outcome::not_applicable);
} catch (lento::misuse const& error) {
    fmt::print(stderr, "lento: {}\n", error.what());
    return lento::app::usage_error;
} catch (std::exception const& error) {
    fmt::print(stderr, "lento: internal error: {}\n", error.what());
    return lento::app::internal_error;
}
