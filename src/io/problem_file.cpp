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

/// Where the command line asks for another method than the file, the file's settings of its own are left out: they
/// were made for that one. What the command line sets stays. Whether something was left out.
bool keep_settings_alone(entry& table) {
    if (!table.setting.empty()) return false;
    bool inside = false;
    auto const gone = std::erase_if(table.children, [&](entry& each) {
        if (!each.setting.empty()) return false;
        bool const is_table = each.kind == entry_kind::table;
        if (is_table) inside = keep_settings_alone(each) || inside;
        return !is_table || each.children.empty();
    });
    return gone > 0 || inside;
}

entry* find(entry& root, std::string_view key) {
    for (auto& each : root.children)
        if (each.key == key) return &each;
    return nullptr;
}
std::string method_of(entry const& root) {
    auto const* method = root.find("method");
    auto const* name = method != nullptr ? method->find("name") : nullptr;
    return name != nullptr ? name->text : "auto";
}

/// Tolerances that a setting gives win over those that the macro scheme had before it.
void let_tolerances_win(entry& root, std::string const& setting) {
    auto* accuracy = find(root, "accuracy");
    auto* method = find(root, "method");
    auto* macro = method != nullptr ? find(*method, "macro") : nullptr;
    if (accuracy == nullptr || macro == nullptr) return;
    for (auto const* key : {"rtol", "atol"}) {
        auto const* given = find(*accuracy, key);
        if (given != nullptr && given->setting == "--set " + setting)
            std::erase_if(macro->children, [&](entry const& each) { return each.key == key; });
    }
}

} // namespace

problem read_problem(std::string_view text, std::string const& source, problem_settings const& settings) {
    entry root = detail::parse_document(text, source);
    std::string const own = method_of(root);
    for (auto const& each : settings) {
        detail::apply_setting(root, each, source);
        let_tolerances_win(root, each);
    }
    std::string const asked = method_of(root);
    auto* method = find(root, "method");
    bool const left_out = asked != own && keep_settings_alone(*method);
    auto made = read_problem(std::move(root), source);
    if (left_out)
        made.notices.push_back("the method is " + asked + ", so that [method] of " + source + ", which is for " + own +
                               ", is left out");
    return made;
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
