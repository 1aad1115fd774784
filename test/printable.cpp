// Titles, names, settings and files come from anybody: nothing in them reaches a terminal as a command.

#include <lento/base/printable.hpp>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program_run.hpp"

namespace {

using lento::in_quotes;
using lento::printable;
using lento::printable_line;

TEST(Printable, LeavesTextsAsTheyAre) {
    for (auto const* text : {"", "a plain text", "ω = 2π, naïve, 日本, 🙂", "quotes \" and \\ stay"}) {
        EXPECT_EQ(printable(text), text);
        EXPECT_EQ(printable_line(text), text);
    }
    EXPECT_EQ(printable("two\n\tlines"), "two\n\tlines");
    EXPECT_EQ(printable_line("two\n\tlines"), "two\\x0A\\x09lines");
}

TEST(Printable, ShowsCommandsInsteadOfObeyingThem) {
    EXPECT_EQ(printable("\x1b[2J"), "\\x1B[2J");
    EXPECT_EQ(printable("a\rb\x7f"), "a\\x0Db\\x7F");
    EXPECT_EQ(printable("\xc2\x9b"), "\\x9B");               // the same as ESC [ to some terminals
    EXPECT_EQ(printable("\xe2\x80\xae txt"), "\\u202E txt"); // the text after it runs from right to left
    EXPECT_EQ(printable("\x9b\xff"), "\\x9B\\xFF");          // no UTF-8
    EXPECT_EQ(printable("\xe2\x80"), "\\xE2\\x80");          // cut short
    EXPECT_EQ(printable("\xc0\x9b\xed\xa0\x80"), "\\xC0\\x9B\\xED\\xA0\\x80"); // too long, and half of a pair
}

/// No byte of it is a command, however it is read.
bool is_harmless(std::string_view text) {
    while (!text.empty()) {
        auto const first = lento::first_character(text);
        if (!first.is_sound || (lento::is_command(first.code) && text[0] != '\n')) return false;
        text.remove_prefix(first.bytes);
    }
    return true;
}

TEST(Printable, IsHarmlessWhateverItIsMadeOf) {
    std::mt19937 random(5);
    for (int k = 0; k < 20'000; ++k) {
        std::string text(random() % 12, ' ');
        for (auto& c : text) c = static_cast<char>(random() % 3 == 0 ? 0x80 + random() % 0x80 : random() % 0x80);
        EXPECT_TRUE(is_harmless(printable_line(text)));
        auto const json = nlohmann::json::parse(in_quotes(text)); // throws where it is none
        EXPECT_TRUE(is_harmless(in_quotes(text)));
        if (is_harmless(text)) { EXPECT_EQ(json, text); }
    }
}

TEST(Program, PrintsNoCommandsOfProblemsAndSettings) {
    lento_test::scratch_directory const scratch;
    auto const file = (scratch / "odd\x1b[31m.toml").string();
    std::ofstream(file) << R"(title = "A\u001b[2Jtitle\u009b\n\u202e"
[parameters]
k = 1
[system]
kind = "plain"
coordinates = ["q"]
force.q = "-k*q"
[initial]
q = 1
[time]
end = 1
output = 3
[observe]
"odd\u001b]0;\u0007 name\r" = "q^2"
)";
    auto const quoted_file = "'" + file + "'";
    for (auto const& command : std::vector<std::string>{
             "solve " + quoted_file, "solve --explain " + quoted_file, "solve --json " + quoted_file,
             "check " + quoted_file, "solve " + quoted_file + " --set \"odd$(printf '\\033')[31m=1\"",
             "solve " + quoted_file + " --set \"k=1+$(printf '\\033\\233')\"",
             "solve " + quoted_file + " --set \"system.$(printf '\\033')x=1\"",
             "solve " + quoted_file + " --set \"title='$(printf '\\377\\033')'\" --json",
             "solve \"no$(printf '\\033')file\"", "solve " + quoted_file + " --out \"$(printf '\\033').txt\"",
             "list \"$(printf '\\033')\"", "\"$(printf '\\033')\"", "solve a --\"$(printf '\\033')\"=3"}) {
        auto const run = lento_test::lento(command);
        EXPECT_TRUE(is_harmless(run.output)) << printable(command + "\n" + run.output);
        EXPECT_TRUE(is_harmless(run.errors)) << printable(command + "\n" + run.errors);
        EXPECT_NE(run.status, 1) << printable(command + "\n" + run.errors);
        if (run.status == 0 && command.find("--json") != std::string::npos) {
            EXPECT_TRUE(nlohmann::json::accept(run.output)) << printable(run.output);
        }
    }
}

} // namespace
