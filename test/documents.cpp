// What the documents print is what is compiled and run elsewhere in the tests.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/base/statistics.hpp>

namespace {

std::filesystem::path const source = LENTO_SOURCE_DIR;

std::string content(std::filesystem::path const& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::filesystem::path> files(std::filesystem::path const& folder, std::string const& extension) {
    std::vector<std::filesystem::path> found;
    for (auto const& each : std::filesystem::directory_iterator(folder))
        if (each.path().extension() == extension) found.push_back(each.path());
    return found;
}

/// Without indentation, so that a block may stand alone in a document and inside a function in its program.
std::string flattened(std::string const& code) {
    std::istringstream in(code);
    std::string result;
    for (std::string line; std::getline(in, line);) {
        auto const first = line.find_first_not_of(' ');
        if (first != std::string::npos) result += line.substr(first) + "\n";
    }
    return result;
}

/// The fenced blocks of a language in a document.
std::vector<std::string> blocks(std::string const& text, std::string const& language) {
    std::vector<std::string> found;
    std::string const opening = "```" + language + "\n";
    for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
        at += opening.size();
        std::size_t const end = text.find("```", at);
        found.push_back(text.substr(at, end - at));
        at = end + 3;
    }
    return found;
}

TEST(Documents, PrintOnlyCodeThatIsCompiledAndRun) {
    std::string compiled = flattened(content(source / "test/consumer/main.cpp"));
    for (auto const& example : files(source / "docs/examples", ".cpp")) compiled += flattened(content(example));
    auto documents = files(source / "docs", ".md");
    documents.push_back(source / "README.md");
    std::size_t count = 0;
    for (auto const& document : documents)
        for (auto const& block : blocks(content(document), "cpp")) {
            ++count;
            EXPECT_NE(compiled.find(flattened(block)), std::string::npos)
                << document.filename() << " prints code that no example contains:\n"
                << block;
        }
    EXPECT_GE(count, 4U);
}

TEST(Documents, PrintAProblemFileThatIsBuiltIn) {
    std::string built_in;
    for (auto const& file : files(source / "problems", ".toml")) built_in += flattened(content(file));
    auto const printed = blocks(content(source / "README.md"), "toml");
    EXPECT_FALSE(printed.empty());
    for (auto const& block : printed) EXPECT_NE(built_in.find(flattened(block)), std::string::npos) << block;
}

TEST(Documents, ListEveryCountAsItIsDescribed) {
    std::string table = "| count | meaning |\n|---|---|\n";
    for (auto const& each : lento::statistics::counts())
        table += "| `" + std::string(each.name) + "` | " + std::string(each.sentence) + " |\n";
    EXPECT_NE(content(source / "docs/counts.md").find(table), std::string::npos) << "docs/counts.md must have\n"
                                                                                 << table;
}

TEST(Documents, LinkOnlyToWhatIsThere) {
    auto documents = files(source / "docs", ".md");
    documents.push_back(source / "README.md");
    for (auto const& document : documents) {
        std::string text = content(document);
        // code is no text: a lambda looks like a link
        for (std::size_t at = text.find("```"); at != std::string::npos; at = text.find("```"))
            text.erase(at, text.find("```", at + 3) + 3 - at);
        for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
            std::string const link = text.substr(at + 2, text.find(')', at) - at - 2);
            if (link.rfind("http", 0) == 0 || link.empty() || link[0] == '#') continue;
            auto const target = document.parent_path() / link.substr(0, link.find('#'));
            EXPECT_TRUE(std::filesystem::exists(target)) << document.filename() << " links to " << link;
        }
    }
}

} // namespace
