#include <lento/io/problem.hpp>

#include "io/problem_reader.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace lento {
namespace {

using detail::apply_setting;
using detail::remove_entry;

std::string file_content(std::string const& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw problem_error(file, 0, {}, std::string("The file cannot be read: ") + std::strerror(errno) + ".");
    constexpr std::size_t largest = 64U << 20U;
    std::string text;
    std::vector<char> piece(1U << 16U);
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > largest)
            throw problem_error(file, 0, {}, "The file is larger than 64 MB and surely no problem file.");
    }
    return text;
}

} // namespace

std::string_view name(problem_kind kind) {
    switch (kind) {
    case problem_kind::vibrated: return "vibrated";
    case problem_kind::stiff: return "stiff";
    case problem_kind::constrained: return "constrained";
    case problem_kind::split: return "split";
    case problem_kind::plain: return "plain";
    }
    return "unknown";
}

std::string problem::coordinate_name(std::size_t slot) const {
    for (auto const& family : families)
        if (slot >= family.first_slot && slot - family.first_slot < family.size()) {
            if (!family.indexed) return family.name;
            return family.name + "[" +
                   std::to_string(family.lower + static_cast<std::int64_t>(slot - family.first_slot)) + "]";
        }
    throw misuse("there is no coordinate number " + std::to_string(slot + 1) + "; the problem has " +
                 std::to_string(size));
}

problem read_problem(std::string_view text, std::string const& source, problem_settings const& settings) {
    entry root = detail::parse_document(text, source);
    for (auto const& each : settings) {
        apply_setting(root, each, source);
        // tolerances on the command line win over those of the file's macro scheme
        for (auto const* key : {"rtol", "atol"})
            if (each.starts_with(std::string("accuracy.") + key + "=")) remove_entry(root, {"method", "macro", key});
    }
    return detail::problem_reader(std::move(root), source).read();
}

problem load_problem(std::string const& file_or_name, problem_settings const& settings) {
    struct stat found{};
    bool const exists = stat(file_or_name.c_str(), &found) == 0;
    bool const directory = exists && S_ISDIR(found.st_mode);
    if (exists && !directory) return read_problem(file_content(file_or_name), file_or_name, settings);
    auto const& builtin = builtin_problems();
    auto const known =
        std::find_if(builtin.begin(), builtin.end(), [&](auto const& each) { return each.name == file_or_name; });
    if (known != builtin.end()) return read_problem(known->text, file_or_name, settings);
    if (directory) throw problem_error(file_or_name, 0, {}, "This is a directory, not a problem file.");
    std::vector<std::string> names;
    for (auto const& each : builtin) names.emplace_back(each.name);
    std::string const nearest = expression::nearest_name(file_or_name, names);
    throw problem_error(file_or_name, 0, {},
                        "There is no such file and no built-in problem of that name." +
                            (nearest.empty() ? "" : " Is \"" + nearest + "\" meant?") +
                            " `lento list problems` shows the built-in ones.");
}

} // namespace lento
