#include <lento/io/results.hpp>

#include "io/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <lento/base/misuse.hpp>
#include <lento/base/printable.hpp>
#include <lento/problem/roughly.hpp>
#include <lento/version.hpp>

namespace lento {
namespace {

using detail::json_object;

std::string statistics_json(problem_run const& run) {
    json_object made;
    for (auto const& each : statistics::counts()) made.add(each.name, run.statistics.*each.member);
    made.add("estimate_evaluations", run.estimate_evaluations);
    made.add("seconds", run.statistics.seconds);
    made.add("wall_seconds", run.statistics.wall_seconds);
    return made.text();
}

std::string estimate_json(std::optional<error_estimate> const& measured) {
    if (!measured) return "null";
    json_object made;
    made.add("total", measured->total);
    made.add("numerical", measured->numerical);
    made.add("modelling", measured->modelling);
    made.add("roundoff", measured->roundoff);
    made.add("coordinate", measured->coordinate);
    made.add("ratio", measured->ratio);
    return made.text();
}

/// "error about 3e-7 (asked 1e-6)", with the coordinate where there are several.
std::string estimate_text(problem const& what, problem_run const& run) {
    auto const& measured = *run.error_estimate;
    std::string made = "error about " + roughly(measured.total);
    if (what.size > 1) made += " of the size of " + measured.coordinate;
    bool const known = measured.total > 0 && measured.ratio > 0 && std::isfinite(measured.total / measured.ratio);
    return made + " (asked " + roughly(known ? measured.total / measured.ratio : what.rtol) + ")";
}

std::string names_json(problem const& what) {
    std::string made = "[";
    for (std::size_t i = 0; i < what.size; ++i) made += (i > 0 ? ", " : "") + in_quotes(what.coordinate_name(i));
    return made + "]";
}

std::string warnings_json(std::vector<warning> const& warnings) {
    std::string made = "[";
    for (auto const& each : warnings) {
        json_object one;
        one.add("code", each.code);
        one.add("time", each.time);
        one.add("sentence", each.sentence);
        made += (made.size() > 1 ? ", " : "") + one.text();
    }
    return made + "]";
}

std::string choice_json(std::vector<considered> const& choice) {
    std::string made = "[";
    for (auto const& each : choice) {
        json_object one;
        one.add("name", each.name);
        for (auto const& [key, value] :
             {std::pair{"expected_evaluations", each.evaluations}, {"expected_error", each.error}})
            if (value) one.add(key, *value);
            else one.add_json(key, "null");
        one.add("taken", each.taken);
        one.add("reason", each.reason);
        made += (made.size() > 1 ? ", " : "") + one.text();
    }
    return made + "]";
}

bool complete(problem_run const& run) { return exit_code(run.result) == 0; }

/// A name in a CSV header: in quotes where a comma or quote would break the line.
std::string csv_name(std::string const& name) {
    if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
    std::string made = "\"";
    for (char const c : name) {
        if (c == '"') made += '"';
        made += c;
    }
    return made + "\"";
}

/// A comment stays one line, whatever a title or a message contains.
void add_comment(std::string& to, std::string_view key, std::string text) {
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    to += "# " + std::string(key) + ": " + text + "\n";
}

std::size_t multipliers(std::vector<std::vector<double>> const& rows) { return rows.empty() ? 0 : rows[0].size(); }

std::string cell(double value, int digits = 9) {
    std::array<char, 32> text{};
    auto const end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr;
    return {text.data(), end};
}
/// So many digits that no two times of neighbouring rows look alike.
int digits_of_times(std::vector<double> const& t) {
    constexpr int usual = 9;
    constexpr int all = 17;
    int digits = usual;
    for (std::size_t row = 1; row < t.size(); ++row)
        while (digits < all && t[row] != t[row - 1] && cell(t[row], digits) == cell(t[row - 1], digits)) ++digits;
    return digits;
}

} // namespace

void write_json(problem const& what, problem_run const& run, text_sink const& to) {
    detail::pieces out(to);
    json_object all;
    all.add("problem", what.title);
    all.add("outcome", name(run.result));
    all.add("message", run.message);
    if (!complete(run)) all.add("incomplete", true);
    all.add_json("warnings", warnings_json(run.warnings));
    all.add_json(what.first_order ? "variables" : "coordinates", names_json(what));
    all.add("reported", std::string_view(run.full ? "full" : "slow"));
    all.pass(out, "t", run.t);
    all.pass(out, what.first_order ? "state" : "position", run.position);
    if (!what.first_order) all.pass(out, "velocity", run.velocity);
    if (!run.multipliers.empty()) all.pass(out, "multipliers", run.multipliers);
    if (!run.mean_multipliers.empty()) all.pass(out, "mean_multipliers", run.mean_multipliers);
    all.pass(out, "observables", [&] {
        json_object observables;
        for (std::size_t i = 0; i < what.observables.size(); ++i)
            observables.pass(out, what.observables[i], run.observables[i]);
        observables.finish(out);
    });
    all.add_json("error_estimate", estimate_json(run.error_estimate));
    all.add_json("statistics", statistics_json(run));
    all.add_json("method", to_json(run.method));
    all.add_json("choice", choice_json(run.choice));
    json_object parameters;
    for (auto const& [key, value] : what.parameters) parameters.add(key, value);
    all.add_json("parameters", parameters.text());
    all.add("version", version);
    all.finish(out);
    out.pass_all();
}

void write_csv(problem const& what, problem_run const& run, text_sink const& to) {
    detail::pieces out(to);
    auto& made = out.text;
    made += "t";
    for (std::size_t i = 0; i < what.size; ++i) made += "," + csv_name(what.coordinate_name(i));
    for (std::size_t i = 0; i < what.size && !what.first_order; ++i)
        made += "," + csv_name(what.coordinate_name(i) + "'");
    for (std::size_t j = 0; j < multipliers(run.multipliers); ++j) made += ",lambda" + std::to_string(j + 1);
    for (std::size_t j = 0; j < multipliers(run.mean_multipliers); ++j) made += ",mean lambda" + std::to_string(j + 1);
    for (auto const& each : what.observables) made += "," + csv_name(each);
    made += "\n";
    auto const add = [&](double value) {
        made += ",";
        if (std::isfinite(value)) detail::append_number(made, value); // else the field stays empty
    };
    for (std::size_t row = 0; row < run.t.size(); ++row) {
        detail::append_number(made, run.t[row]);
        for (double const value : run.position[row]) add(value);
        if (!what.first_order)
            for (double const value : run.velocity[row]) add(value);
        for (auto const* lambda : {&run.multipliers, &run.mean_multipliers})
            if (!lambda->empty())
                for (double const value : (*lambda)[row]) add(value);
        for (auto const& column : run.observables) add(column[row]);
        made += "\n";
        out.pass();
    }
    add_comment(made, "problem", what.title);
    for (auto const& [key, value] : what.parameters) {
        std::string number;
        detail::append_number(number, value);
        add_comment(made, "parameter", key + " = " + number);
    }
    add_comment(made, "outcome", std::string(name(run.result)) + (complete(run) ? "" : " (incomplete)"));
    add_comment(made, "message", run.message);
    for (auto const& each : run.warnings) add_comment(made, "warning", each.code + ": " + each.sentence);
    add_comment(made, "reported", run.full ? "full" : "slow");
    add_comment(made, "method", to_json(run.method));
    if (run.error_estimate) add_comment(made, "error_estimate", estimate_json(run.error_estimate));
    add_comment(made, "statistics", statistics_json(run));
    add_comment(made, "version", std::string(version));
    out.pass_all();
}

std::string to_json(problem const& what, problem_run const& run) {
    std::string made;
    write_json(what, run, [&](std::string_view piece) { made += piece; });
    return made;
}

std::string to_csv(problem const& what, problem_run const& run) {
    std::string made;
    write_csv(what, run, [&](std::string_view piece) { made += piece; });
    return made;
}

std::string to_text(problem const& what, problem_run const& run) {
    constexpr std::size_t most_columns = 12;
    std::size_t const shown = std::min(what.size, most_columns);
    std::vector<std::string> names{"t"};
    for (std::size_t i = 0; i < shown; ++i) names.push_back(what.coordinate_name(i));
    for (auto const& each : what.observables) names.push_back(printable_line(each));
    std::vector<std::vector<std::string>> rows{names};
    int const digits = digits_of_times(run.t);
    for (std::size_t row = 0; row < run.t.size(); ++row) {
        rows.push_back({cell(run.t[row], digits)});
        for (std::size_t i = 0; i < shown; ++i) rows.back().push_back(cell(run.position[row][i]));
        for (auto const& column : run.observables) rows.back().push_back(cell(column[row]));
    }
    std::vector<std::size_t> widths(names.size());
    for (auto const& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string made = printable_line(what.title) + "\n\n";
    for (auto const& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += (i > 0 ? "  " : "") + std::string(widths[i] - row[i].size(), ' ') + row[i];
        made += line + "\n";
    }
    if (shown < what.size)
        made += "Of " + std::to_string(what.size) + " coordinates these are the first " + std::to_string(shown) +
                "; --json and --out have all.\n";
    made += "\n" + std::string(name(run.result)) + ": " + printable_line(run.message) + "\n";
    made += std::to_string(run.statistics.macro_steps) + " steps, " + std::to_string(run.statistics.force_evaluations) +
            " force evaluations, " + show(run.statistics.seconds) + " s\n";
    if (run.error_estimate)
        made += estimate_text(what, run) + ", measured with " + std::to_string(run.estimate_evaluations) +
                " force evaluations more\n";
    return made;
}

std::string to_text(problem const& what, problem_check const& found) {
    std::size_t width = 0;
    for (auto const& each : found.lines) width = std::max(width, each.topic.size());
    std::string text = printable_line(what.title) + "\n\n";
    for (auto const& each : found.lines)
        text +=
            "  " + each.topic + std::string(width - each.topic.size() + 2, ' ') + printable_line(each.sentence) + "\n";
    if (!found.choice.empty()) text += "\n" + to_text(found.choice);
    return text;
}

std::string to_json(problem const& what, problem_check const& found) {
    std::string lines = "[";
    for (auto const& each : found.lines) {
        json_object one;
        one.add("topic", each.topic);
        one.add("sentence", each.sentence);
        lines += (lines.size() > 1 ? ", " : "") + one.text();
    }
    std::string faults = "[";
    for (auto const& each : found.faults) faults += (faults.size() > 1 ? ", " : "") + in_quotes(each);
    json_object all;
    all.add("problem", what.title);
    all.add_json("lines", lines + "]");
    all.add_json("choice", choice_json(found.choice));
    all.add_json("faults", faults + "]");
    all.add("version", version);
    return all.text();
}

std::string to_text(std::vector<considered> const& choice) {
    if (choice.empty()) return "";
    std::vector<std::array<std::string, 3>> rows{{"considered", "evaluations", "error/allowed"}};
    auto const number = [](std::optional<double> const& value) { return value ? roughly(*value) : "-"; };
    for (auto const& each : choice)
        rows.push_back({printable_line(each.name), number(each.evaluations), number(each.error)});
    std::array<std::size_t, 3> widths{};
    for (auto const& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string made;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        auto const& [name, evaluations, error] = rows[k];
        made += "  " + name + std::string(widths[0] - name.size(), ' ');
        made += "  " + std::string(widths[1] - evaluations.size(), ' ') + evaluations;
        made += "  " + std::string(widths[2] - error.size(), ' ') + error;
        if (k > 0)
            made += std::string("  ") + (choice[k - 1].taken ? "taken: " : "") + printable_line(choice[k - 1].reason);
        made += "\n";
    }
    return made;
}

} // namespace lento
