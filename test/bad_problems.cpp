// Bad problem files: each says in its first line what the reader must answer.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/run.hpp>

namespace {

std::filesystem::path const folder = std::filesystem::path(LENTO_SOURCE_DIR) / "test/bad-problems";

std::filesystem::path const inapplicable = std::filesystem::path(LENTO_SOURCE_DIR) / "test/inapplicable-problems";

std::vector<std::string> files_of(std::filesystem::path const& directory) {
    std::vector<std::string> names;
    for (auto const& each : std::filesystem::directory_iterator(directory))
        names.push_back(each.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string message_of(std::string const& file, std::vector<std::string> const& settings = {}) {
    try {
        auto const problem = lento::load_problem(file, settings);
    } catch (lento::problem_error const& error) { return error.what(); }
    return "no error";
}

std::string as_identifier(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
/// What the first line of a file announces.
std::string expected_of(std::filesystem::path const& file) {
    std::string expected;
    std::ifstream in(file, std::ios::binary);
    std::getline(in, expected);
    std::string const mark = "# expected: ";
    EXPECT_EQ(expected.rfind(mark, 0), 0U);
    return expected.substr(mark.size());
}

class BadProblem : public testing::TestWithParam<std::string> {};

TEST_P(BadProblem, IsRefusedWithItsSentence) {
    auto const file = folder / (GetParam() + ".toml");
    std::string const message = message_of(file.string());
    EXPECT_EQ(message.rfind(folder.string() + "/" + expected_of(file), 0), 0U) << message;
}

INSTANTIATE_TEST_SUITE_P(Corpus, BadProblem, testing::ValuesIn(files_of(folder)),
                         [](auto const& test) { return as_identifier(test.param); });

/// Files that are sound, with a method that is none for them: they are read, and refuse to run.
class InapplicableMethod : public testing::TestWithParam<std::string> {};

TEST_P(InapplicableMethod, IsRefusedWithItsSentence) {
    auto const file = inapplicable / (GetParam() + ".toml");
    auto const run = lento::run_problem(lento::load_problem(file.string()));
    EXPECT_EQ(lento::exit_code(run.result), 5) << name(run.result);
    EXPECT_EQ(run.message.rfind(expected_of(file), 0), 0U) << run.message;
    EXPECT_TRUE(run.t.empty());
}

INSTANTIATE_TEST_SUITE_P(Corpus, InapplicableMethod, testing::ValuesIn(files_of(inapplicable)),
                         [](auto const& test) { return as_identifier(test.param); });

TEST(BadProblem, ShowsTheFormulaWithACaretUnderTheCulprit) {
    std::string const message = message_of((folder / "formula-unknown-function.toml").string());
    EXPECT_NE(message.find("\n    (g + 4*omega*cos(theta)) * sine(q) / l\n                               ^^^^"),
              std::string::npos)
        << message;
}

TEST(BadProblem, FilesThatAreNoneHaveClearSentences) {
    EXPECT_NE(message_of("no-such-problem").find("There is no such file and no built-in problem"), std::string::npos);
    EXPECT_NE(message_of("vibrated-pendulm").find("Is \"vibrated-pendulum\" meant?"), std::string::npos);
    EXPECT_NE(message_of(folder.string()).find("This is a directory"), std::string::npos);
    EXPECT_NE(message_of("/dev/null").find("The file is empty"), std::string::npos);
    EXPECT_NE(message_of("/dev/zero").find("larger than 64 MB"), std::string::npos);
}

TEST(BadSetting, IsNamedInTheMessage) {
    auto const message = [](std::string const& setting) { return message_of("vibrated-pendulum", {setting}); };
    EXPECT_EQ(message("omeg=1"),
              "--set omeg=1: There is no parameter omeg in vibrated-pendulum. It has g, l, vmax, omega.");
    EXPECT_EQ(message("omega"),
              "--set omega: A setting has the form KEY=VALUE, as in omega=1e8 or method.macro.step=0.01.");
    EXPECT_EQ(message("a..b=1"), "--set a..b=1: The key before \"=\" has an empty part.");
    EXPECT_EQ(message("time.end.x=1"), "--set time.end.x=1: time.end is a number and has no keys.");
    EXPECT_EQ(message("system.even=1"),
              "--set system.even=1: system.even: true or false is expected here, but this is a number.");
    EXPECT_EQ(message("omega=2*vmx"),
              "--set omega=2*vmx: parameters.omega: The parameter vmx is not known. Is vmax meant? Expected: a "
              "parameter.\n    2*vmx\n      ^^^");
    EXPECT_NE(message("methd.name=direct").find("Is \"method\" meant?"), std::string::npos);
}

} // namespace
