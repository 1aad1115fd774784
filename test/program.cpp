// The program as its users see it: output, exit codes, files.

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <lento/io/atomic_file.hpp>

#include "program_run.hpp"

namespace {

using lento_test::content;
using lento_test::lento;
using lento_test::scratch_directory;

TEST(Program, SaysItsVersion) {
    auto const run = lento("--version");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.output.rfind("lento ", 0), 0U);
}

TEST(Program, ListsWhatThereIs) {
    auto const all = lento("list");
    EXPECT_EQ(all.status, 0);
    for (auto const* word : {"vibrated-pendulum", "hmm", "stormer8", "exponential", "one-period", "001/table-2.3"})
        EXPECT_NE(all.output.find(word), std::string::npos) << word;
    auto const kernels = lento("list kernels");
    EXPECT_EQ(kernels.status, 0);
    EXPECT_NE(kernels.output.find("polynomial"), std::string::npos);
    EXPECT_EQ(kernels.output.find("001/table-2.3"), std::string::npos);
}

TEST(Program, UsageErrorsExitWithTwoAndSayWhatWasMeant) {
    auto const unknown = lento("reproduce 001/table-2.4");
    EXPECT_EQ(unknown.status, 2);
    EXPECT_EQ(unknown.output, "");
    EXPECT_NE(unknown.errors.find("001/table-2.4"), std::string::npos);
    EXPECT_NE(unknown.errors.find("did you mean \"001/table-2."), std::string::npos);
    auto const list = lento("list kernls");
    EXPECT_EQ(list.status, 2);
    EXPECT_NE(list.errors.find("kernels"), std::string::npos);
    EXPECT_EQ(lento("").status, 2);
    EXPECT_EQ(lento("frobnicate").status, 2);
    EXPECT_EQ(lento("reproduce").status, 2);
    EXPECT_EQ(lento("reproduce --al").status, 2);
}

TEST(Program, ReproducesAsText) {
    auto const run = lento("reproduce 001/table-2.3");
    EXPECT_EQ(run.status, 0);
    EXPECT_NE(run.output.find("24 of 24 agree"), std::string::npos);
    EXPECT_EQ(run.errors, "");
}

TEST(Program, ReproducesAsJson) {
    auto const one = lento("reproduce 001/table-2.3 --json");
    EXPECT_EQ(one.status, 0);
    auto const document = nlohmann::json::parse(one.output);
    EXPECT_EQ(document["id"], "001/table-2.3");
    EXPECT_EQ(document["agree"], document["of"]);
    auto const two = nlohmann::json::parse(lento("reproduce 001/table-2.3 001/table-2.2 --json").output);
    ASSERT_TRUE(two.is_array());
    EXPECT_EQ(two[1]["id"], "001/table-2.2");
}

TEST(Program, WritesTablesIntoADirectory) {
    scratch_directory const scratch;
    auto const directory = scratch / "new/folder";
    auto const run = lento("reproduce 001/table-2.3 --out \"" + directory.string() + "\"");
    EXPECT_EQ(run.status, 0);
    auto const document = nlohmann::json::parse(content(directory / "001-table-2.3.json"));
    EXPECT_EQ(document["id"], "001/table-2.3");
    std::string const csv = content(directory / "001-table-2.3.csv");
    EXPECT_EQ(csv.rfind("row,column,paper,value", 0), 0U);
    std::size_t files = 0;
    for ([[maybe_unused]] auto const& each : std::filesystem::directory_iterator(directory)) ++files;
    EXPECT_EQ(files, 3U); // the report, its entries and its curves; nothing temporary is left
}

TEST(Program, TellsWhenResultsCannotBeWritten) {
    auto const full = lento("reproduce 001/table-2.3 >/dev/full");
    EXPECT_EQ(full.status, 4);
    EXPECT_NE(full.errors.find("cannot write"), std::string::npos);
    scratch_directory const scratch;
    std::ofstream(scratch / "file") << "in the way";
    auto const blocked = lento("reproduce 001/table-2.3 --out \"" + (scratch / "file").string() + "\"");
    EXPECT_EQ(blocked.status, 2);
    EXPECT_EQ(content(scratch / "file"), "in the way");
}

TEST(AtomicFile, IsThereWholeOrNotAtAll) {
    scratch_directory const scratch;
    auto const file = scratch / "result.csv";
    lento::write_atomically(file, "first");
    lento::write_atomically(file, "second");
    EXPECT_EQ(content(file), "second");
    EXPECT_THROW(lento::write_atomically("/dev/full/x", "no"), lento::output_error);
    EXPECT_THROW(lento::write_atomically(scratch / "no/such/folder", "no"), lento::output_error);
    try {
        lento::write_atomically(scratch / "no/such/folder", "no");
    } catch (lento::output_error const& error) {
        EXPECT_NE(std::string(error.what()).find("folder"), std::string::npos);
    }
}

} // namespace
