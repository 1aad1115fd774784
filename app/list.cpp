#include "app/commands.hpp"
#include "app/terminal.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/nearest.hpp"
#include "reproduce/experiment.hpp"

#include <lento/io/problem_file.hpp>
#include <lento/problem/method.hpp>
#include <lento/problem/schemes.hpp>
#include <lento/problem/window_kernels.hpp>

namespace lento::app {
namespace {

struct line {
    std::string name;
    std::string options;
    std::string sentence;
    std::string details{}; ///< every option with its default and its sentence
};

std::string names_of(fields const& options) {
    std::string names;
    for (auto const& each : options) names += (names.empty() ? "" : ", ") + std::string(each.name);
    return names;
}

/// The kinds of systems that a method is for; two of them share a name.
std::string kinds_of(method_row const& row) {
    std::string names;
    auto const add = [&](std::size_t which, std::string_view name) {
        bool const named = names.find(name) != std::string::npos;
        if ((row.kinds >> which) % 2 == 1 && !named) names += (names.empty() ? "" : ", ") + std::string(name);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (add(I, std::variant_alternative_t<I, any_kind>::name), ...);
    }(std::make_index_sequence<std::variant_size_v<any_kind>>{});
    return names;
}

std::vector<line> methods(bool verbose) {
    std::vector<line> lines{{"auto", "", "what is left out is chosen for the kind of system; the default", ""}};
    for (auto const& row : lento::methods()) {
        auto options = row.options();
        lines.push_back({std::string(row.name), names_of(options.all()),
                         fmt::format("{} ({})", row.sentence, kinds_of(row)), verbose ? list(options.all(), 6) : ""});
    }
    return lines;
}

std::vector<line> schemes(bool verbose) {
    std::vector<line> lines;
    for (auto const& row : lento::schemes()) {
        auto made = row.make();
        lines.push_back({std::string(row.name), names_of(made.options()),
                         fmt::format("{}{}", row.sentence, row.built ? "" : "; this program was built without it"),
                         verbose ? list(made.options(), 6) : ""});
    }
    return lines;
}

std::vector<line> kernels(bool verbose) {
    std::vector<line> lines;
    for (auto const& row : window_kernels()) {
        auto made = row.make();
        lines.push_back({std::string(row.name), names_of(fields_of(made)), std::string(row.sentence),
                         verbose ? list(fields_of(made), 6) : ""});
    }
    return lines;
}

std::vector<line> problems() {
    std::vector<line> lines;
    for (auto const& each : builtin_problems()) {
        problem const what = read_problem(each.text, std::string(each.name));
        std::string parameters;
        for (auto const& parameter : what.parameters) parameters += (parameters.empty() ? "" : ", ") + parameter.first;
        lines.push_back({std::string(each.name), parameters, what.title});
    }
    return lines;
}

std::vector<line> experiments() {
    std::vector<line> lines;
    for (auto const& each : reproduce::experiments())
        lines.push_back({std::string(each.id), each.in_all ? "" : "long", std::string(each.sentence)});
    return lines;
}

void print(std::string_view title, std::vector<line> const& lines) {
    std::size_t width = 0;
    for (auto const& each : lines) width = std::max(width, each.name.size());
    fmt::print("{}\n", title);
    for (auto const& each : lines)
        if (each.details.empty())
            fmt::print("  {:<{}}  {}{}\n", each.name, width, each.sentence,
                       each.options.empty() ? "" : " [" + each.options + "]");
        else fmt::print("  {:<{}}  {}\n{}", each.name, width, each.sentence, each.details);
}

} // namespace

int run_list(std::string const& topic, bool verbose) {
    static std::vector<std::string_view> const topics = {"problems", "methods", "schemes", "kernels", "experiments"};
    if (!topic.empty() && std::find(topics.begin(), topics.end(), topic) == topics.end()) {
        say("lento: there is no list \"{}\"; did you mean \"{}\"? There are problems, methods, schemes, "
            "kernels, experiments\n",
            topic, nearest(topic, topics));
        return usage_error;
    }
    auto const wanted = [&](std::string_view name) { return topic.empty() || topic == name; };
    if (wanted("problems")) print("problems", problems());
    if (wanted("methods")) print("methods", methods(verbose));
    if (wanted("schemes") || topic == "methods") print("schemes", schemes(verbose && topic != "methods"));
    if (wanted("kernels")) print("kernels", kernels(verbose));
    if (wanted("experiments")) print("experiments", experiments());
    return 0;
}

} // namespace lento::app
