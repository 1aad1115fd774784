#include <lento/io/problem_file.hpp>

#include "io/document.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <lento/expression/error.hpp>

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

problem read_problem(std::string_view text, std::string const& source, problem_settings const& settings) {
    entry root = detail::parse_document(text, source);
    for (auto const& each : settings) {
        detail::apply_setting(root, each, source);
        // tolerances on the command line win over those of the file's macro scheme
        for (auto const* key : {"rtol", "atol"})
            if (each.starts_with(std::string("accuracy.") + key + "="))
                detail::remove_entry(root, {"method", "macro", key});
    }
    return read_problem(std::move(root), source);
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
