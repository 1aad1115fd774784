#include "app/commands.hpp"
#include "app/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/nearest.hpp"
#include "reproduce/experiment.hpp"

#include <lento/io/atomic_file.hpp>

namespace lento::app {
namespace {

using reproduce::experiment;
using reproduce::report;

/// A line on a terminal that says what is being computed; nothing elsewhere.
class progress_line {
public:
    progress_line() : shown_(isatty(STDERR_FILENO) != 0) {}
    void show(std::size_t number, std::size_t of, std::string_view id) const {
        if (shown_) fmt::print(stderr, "\r\033[K{} of {}: {} ...", number, of, id);
    }
    void clear() const {
        if (shown_) fmt::print(stderr, "\r\033[K");
    }

private:
    bool shown_;
};

/// 001/table-2.3 as a part of a file's name.
std::string file_stem(std::string id) {
    std::replace(id.begin(), id.end(), '/', '-');
    return id;
}

void write_files(std::filesystem::path const& directory, report const& r) {
    std::string const stem = file_stem(r.id);
    write_atomically(directory / (stem + ".json"), to_json(r) + "\n");
    write_atomically(directory / (stem + ".csv"), entries_csv(r));
    for (auto const& curve : r.tables) write_atomically(directory / (stem + "-" + curve.name + ".csv"), to_csv(curve));
}

/// The experiments asked for, or a sentence that says which name is unknown.
std::vector<experiment const*> chosen(reproduce_request const& request, std::string& problem) {
    std::vector<experiment const*> result;
    auto const& all = reproduce::experiments();
    for (auto const& id : request.ids) {
        auto const found = std::find_if(all.begin(), all.end(), [&](experiment const& e) { return e.id == id; });
        if (found == all.end()) {
            std::vector<std::string_view> names;
            for (auto const& each : all) names.push_back(each.id);
            problem =
                fmt::format("there is no experiment \"{}\"; did you mean \"{}\"? `lento list experiments` has all", id,
                            nearest(id, names));
            return {};
        }
        result.push_back(&*found);
    }
    if (request.all)
        for (auto const& each : all)
            if (each.in_all && std::find(result.begin(), result.end(), &each) == result.end()) result.push_back(&each);
    if (result.empty()) problem = "name an experiment, or give --all; `lento list experiments` shows which there are";
    return result;
}

} // namespace

int run_reproduce(reproduce_request const& request) {
    std::string problem;
    auto const list = chosen(request, problem);
    if (!problem.empty()) {
        say("lento: {}\n", problem);
        return usage_error;
    }
    if (!request.directory.empty()) {
        std::error_code error;
        std::filesystem::create_directories(request.directory, error);
        if (error) {
            say("lento: cannot make the directory {}: {}\n", request.directory, error.message());
            return usage_error;
        }
    }
    progress_line const progress;
    bool good = true;
    reproduce::tally counts;
    bool const several = list.size() > 1;
    if (request.json && several) fmt::print("[\n");
    for (std::size_t i = 0; i < list.size(); ++i) {
        progress.show(i + 1, list.size(), list[i]->id);
        report const r = list[i]->run();
        progress.clear();
        good = good && r.good();
        counts += r.counts();
        if (request.json) fmt::print("{}{}\n", to_json(r), several && i + 1 < list.size() ? "," : "");
        else fmt::print("{}\n", to_text(r));
        std::fflush(stdout);
        try {
            if (!request.directory.empty()) write_files(request.directory, r);
        } catch (output_error const& error) {
            say("lento: {}\n", error.what());
            return run_failed;
        }
    }
    if (request.json && several) fmt::print("]\n");
    if (several) fmt::print(request.json ? stderr : stdout, "{}\n", to_text(counts));
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        say("lento: cannot write the results to standard output\n");
        return run_failed;
    }
    return good ? 0 : figure_disagrees;
}

} // namespace lento::app
