// Each room of the library uses only rooms before it.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

std::filesystem::path const root = LENTO_SOURCE_DIR;
std::vector<std::string> const rooms{"base",  "kernel", "constraint", "system",  "stepper", "effective",
                                     "solve", "model",  "expression", "problem", "io"};

std::size_t place_of(std::string const& room) {
    return static_cast<std::size_t>(std::find(rooms.begin(), rooms.end(), room) - rooms.begin());
}

/// "constraint/work.hpp -> system": the first path below include/lento or src, and the room that it reaches into.
std::set<std::string> reaching_back() {
    std::set<std::string> found;
    std::regex const include(R"(#include [<"](?:lento/)?([a-z]+)/)");
    for (auto const* top : {"include/lento", "src"})
        for (auto const& file : std::filesystem::recursive_directory_iterator(root / top)) {
            if (!file.is_regular_file()) continue;
            auto const path = std::filesystem::relative(file.path(), root / top);
            std::size_t const own = place_of(path.begin()->string());
            if (own == rooms.size()) continue;
            std::ifstream in(file.path());
            std::smatch match;
            for (std::string line; std::getline(in, line);)
                if (std::regex_search(line, match, include) && place_of(match[1]) < rooms.size() &&
                    place_of(match[1]) > own)
                    found.insert(path.string() + " -> " + match[1].str());
        }
    return found;
}

TEST(Rooms, UseOnlyThoseBeforeThem) {
    for (auto const& each : reaching_back()) ADD_FAILURE() << each;
}

/// A file is named after a kind only where it describes one; a closure is named after its method.
TEST(Rooms, NameAKindOnlyWhereItIsDescribed) {
    std::set<std::string> const homes{"system", "kinds", "model"};
    std::regex const kind("(^|_)(plain|vibrated|stiff|constrained|split)(_|$)");
    for (auto const* top : {"include/lento", "src"})
        for (auto const& file : std::filesystem::recursive_directory_iterator(root / top)) {
            auto const path = std::filesystem::relative(file.path(), root / top);
            if (!file.is_regular_file() || !std::regex_search(path.stem().string(), kind)) continue;
            EXPECT_TRUE(homes.contains(path.parent_path().filename().string())) << path;
        }
}

TEST(Rooms, TheRoomOfDocumentsIsSmall) {
    auto const files = std::filesystem::directory_iterator(root / "src/io");
    EXPECT_LE(std::distance(begin(files), end(files)), 10);
}

/// Which method runs is decided by the rows alone.
TEST(Rooms, CompareNoNamesOfMethods) {
    std::regex const compares(
        R"re(==\s*"(hmm|ipa|direct|underlying|shake|rattle|stroboscopic|flavors|deuflhard|gautschi|impulse|backward-forward|mollified-impulse|limit|adiabatic)")re");
    for (auto const* top : {"include/lento", "src", "app"})
        for (auto const& file : std::filesystem::recursive_directory_iterator(root / top)) {
            if (!file.is_regular_file()) continue;
            std::ifstream in(file.path());
            for (std::string line; std::getline(in, line);)
                EXPECT_FALSE(std::regex_search(line, compares)) << file.path() << ": " << line;
        }
}

} // namespace
