// The papers' figures can be looked at: drawn from the program's files, the same every time, and shown in the
// documents.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program_run.hpp"
#include "reproduce/experiment.hpp"

namespace {

using lento_test::content;
using lento_test::scratch_directory;

std::filesystem::path const source = LENTO_SOURCE_DIR;

/// Every figure of the papers that shows numbers; the others are schemes.
std::vector<std::string> papers_figures() {
    std::vector<std::string> names;
    auto const add = [&](std::string const& paper, int from, int to) {
        for (int i = from; i <= to; ++i) names.push_back(paper + "-figure-" + std::to_string(i));
    };
    add("000", 1, 6);
    names.insert(names.end(), {"001-figure-2.1", "001-figure-4.1"});
    add("002", 4, 9);
    add("003", 2, 6);
    add("004", 3, 7);
    return names;
}

TEST(Pictures, ThereIsOneOfEveryFigureInTheGallery) {
    std::string const gallery = content(source / "docs/papers.md");
    for (auto const& name : papers_figures()) {
        auto const file = source / "docs/figures" / (name + ".svg");
        ASSERT_TRUE(std::filesystem::exists(file)) << name;
        EXPECT_NE(gallery.find("(figures/" + name + ".svg)"), std::string::npos) << name;
    }
}

TEST(Pictures, AreSmallUndatedAndShown) {
    std::string const gallery = content(source / "docs/papers.md");
    std::size_t count = 0;
    for (auto const& each : std::filesystem::directory_iterator(source / "docs/figures")) {
        if (each.path().extension() != ".svg") continue;
        ++count;
        EXPECT_LE(each.file_size(), 150'000U) << each.path();
        EXPECT_EQ(content(each.path()).find("<dc:date>"), std::string::npos) << each.path();
        EXPECT_NE(gallery.find("(figures/" + each.path().filename().string() + ")"), std::string::npos) << each.path();
    }
    EXPECT_GE(count, 24U);
}

/// What stands in backquotes after "./dev pictures " in the line that follows each picture; "" where there is nothing.
std::vector<std::string> commands_beside_pictures(std::filesystem::path const& document) {
    std::vector<std::string> found;
    std::istringstream text(content(document));
    for (std::string line; std::getline(text, line);) {
        if (line.rfind("![", 0) != 0) continue;
        std::string const command = "`./dev pictures ";
        std::getline(text, line);
        found.push_back(line.rfind(command, 0) == 0 ? line.substr(command.size(), line.find('`', 1) - command.size())
                                                    : "");
    }
    return found;
}

TEST(Pictures, StandBesideTheCommandsThatDrawThem) {
    std::set<std::string> ids;
    for (auto const& each : lento::reproduce::experiments()) ids.insert(std::string(each.id));
    for (auto const* document : {"docs/papers.md", "README.md"}) {
        auto const commands = commands_beside_pictures(source / document);
        EXPECT_FALSE(commands.empty()) << document;
        for (auto const& id : commands) EXPECT_EQ(ids.count(id), 1U) << document << ": " << id;
    }
}

TEST(Pictures, TheGalleryNamesEveryExperiment) {
    std::string const gallery = content(source / "docs/papers.md");
    for (auto const& each : lento::reproduce::experiments())
        EXPECT_NE(gallery.find("`" + std::string(each.id) + "`"), std::string::npos) << each.id;
}

/// A line of the lists of items in docs/papers.md: | 000.1 | what | `experiment`, `Suite.Test` |
struct item {
    std::string number;
    std::vector<std::string> shown_by;
    bool missing = false;
};

std::vector<item> items() {
    std::vector<item> found;
    std::istringstream text(content(source / "docs/papers.md"));
    for (std::string line; std::getline(text, line);) {
        if (line.rfind("| 00", 0) != 0) continue;
        auto const second = line.find(" | ");
        auto const third = line.find(" | ", second + 3);
        auto const reason = line.find("**not yet**");
        item one{line.substr(2, second - 2), {}, reason != std::string::npos};
        for (auto at = line.find('`', third); at < reason && at != std::string::npos; at = line.find('`', at)) {
            auto const end = line.find('`', at + 1);
            one.shown_by.push_back(line.substr(at + 1, end - at - 1));
            at = end + 1;
        }
        found.push_back(std::move(one));
    }
    return found;
}

/// The tests that carry numbers of items, as "Suite.Test 000.1".
std::set<std::string> carried_by_tests() {
    std::set<std::string> found;
    for (auto const& each : std::filesystem::directory_iterator(source / "test")) {
        if (each.path().extension() != ".cpp") continue;
        std::istringstream text(content(each.path()));
        std::string numbers;
        for (std::string line; std::getline(text, line);) {
            if (line.rfind("// docs/papers.md: ", 0) == 0) numbers = line.substr(19);
            bool const a_test = line.rfind("TEST", 0) == 0 || line.rfind("TYPED_TEST", 0) == 0;
            if (!a_test || numbers.empty()) continue;
            auto const open = line.find('(');
            auto const comma = line.find(", ", open);
            std::string const name = line.substr(open + 1, comma - open - 1) + "." +
                                     line.substr(comma + 2, line.find(')', comma) - comma - 2);
            std::replace(numbers.begin(), numbers.end(), ',', ' ');
            std::istringstream list(numbers);
            for (std::string number; list >> number;) found.insert(name + " " + number);
            numbers.clear();
        }
    }
    return found;
}

TEST(Items, OfThePapersAreShownByWhatCarriesTheirNumbers) {
    std::set<std::string> carried = carried_by_tests();
    for (auto const& each : lento::reproduce::experiments()) {
        std::istringstream list{std::string(each.items)};
        for (std::string number; list >> number;) carried.insert(std::string(each.id) + " " + number);
    }
    std::set<std::string> named;
    std::size_t shown = 0;
    for (auto const& each : items()) {
        EXPECT_TRUE(each.missing || !each.shown_by.empty()) << each.number << " is shown by nothing";
        shown += each.missing ? 0 : 1;
        for (auto const& name : each.shown_by) {
            named.insert(name + " " + each.number);
            EXPECT_EQ(carried.count(name + " " + each.number), 1U) << name << " does not carry " << each.number;
        }
    }
    for (auto const& each : carried) EXPECT_EQ(named.count(each), 1U) << "docs/papers.md does not name " << each;
    EXPECT_EQ(items().size(), 195U);
    std::string const sentence = "Of 195 items " + std::to_string(shown) + " are shown";
    EXPECT_NE(content(source / "docs/papers.md").find(sentence), std::string::npos) << sentence;
}

#ifdef LENTO_PROGRAM

lento_test::finished draw(std::filesystem::path const& from, std::filesystem::path const& to) {
    return lento_test::run_command("/usr/bin/python3 \"" + (source / "docs/figures/draw.py").string() + "\" \"" +
                                   from.string() + "\" \"" + to.string() + "\"");
}

TEST(Pictures, DrawingAgainGivesTheSameBytes) {
    if (std::system("/usr/bin/python3 -c 'import matplotlib' 2>/dev/null") != 0)
        GTEST_SKIP() << "matplotlib is not installed (Debian's python3-matplotlib)";
    scratch_directory const scratch;
    auto const data = scratch / "data";
    auto const run = lento_test::lento("reproduce 000/figure-1 003/table-1 --out \"" + data.string() + "\"");
    ASSERT_EQ(run.status, 0) << run.errors;
    for (auto const* folder : {"once", "twice"}) {
        std::filesystem::create_directory(scratch / folder);
        auto const drawn = draw(data, scratch / folder);
        ASSERT_EQ(drawn.status, 0) << drawn.errors;
    }
    for (auto const* name : {"000-figure-1.svg", "003-table-1.svg"}) {
        std::string const first = content(scratch / "once" / name);
        EXPECT_GT(first.size(), 10'000U) << name;
        EXPECT_EQ(first, content(scratch / "twice" / name)) << name;
    }
}

TEST(Pictures, AMissingColumnIsAnError) {
    if (std::system("/usr/bin/python3 -c 'import matplotlib' 2>/dev/null") != 0)
        GTEST_SKIP() << "matplotlib is not installed (Debian's python3-matplotlib)";
    scratch_directory const scratch;
    ASSERT_EQ(lento_test::lento("reproduce 000/figure-1 --out \"" + (scratch / "data").string() + "\"").status, 0);
    auto const file = scratch / "data/000-figure-1.json";
    std::string text = content(file);
    auto const at = text.find("\"y2\"", text.find("\"tables\""));
    ASSERT_NE(at, std::string::npos);
    std::ofstream(file) << text.replace(at, 4, "\"y3\"");
    auto const drawn = draw(scratch / "data", scratch / "data");
    EXPECT_NE(drawn.status, 0);
    EXPECT_NE(drawn.errors.find("y2"), std::string::npos) << drawn.errors;
}

#endif

} // namespace
