// `lento solve` and `lento check` as their users see them: output, exit codes, files, signals.

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program_run.hpp"

namespace {

using lento_test::content;
using lento_test::lento;
using lento_test::scratch_directory;
using nlohmann::json;

TEST(Solve, PrintsATableOfABuiltinProblem) {
    auto const run = lento("solve vibrated-pendulum");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.errors, "");
    EXPECT_NE(run.output.find("height"), std::string::npos);
    EXPECT_NE(run.output.find("success: reached t = 1"), std::string::npos);
    EXPECT_EQ(lento("solve vibrated-pendulum --quiet").output, "");
}

TEST(Solve, PrintsTheDocumentedJson) {
    auto const run = lento("solve vibrated-pendulum --json --set omega=1e7 --rtol 1e-4 --atol 1e-6");
    EXPECT_EQ(run.status, 0);
    auto const document = json::parse(run.output);
    EXPECT_EQ(document["problem"], "Vibrated pendulum");
    EXPECT_EQ(document["outcome"], "success");
    EXPECT_EQ(document["reported"], "slow");
    EXPECT_EQ(document["coordinates"], json::array({"q"}));
    EXPECT_EQ(document["t"].size(), 11U);
    EXPECT_EQ(document["position"].size(), 11U);
    EXPECT_EQ(document["velocity"][0].size(), 1U);
    EXPECT_EQ(document["observables"]["height"].size(), 11U);
    EXPECT_EQ(document["method"]["name"], "hmm");
    EXPECT_LE(document["method"]["macro"]["rtol"], 1e-3);
    EXPECT_LE(document["error_estimate"]["total"], 3e-4);
    EXPECT_GE(document["error_estimate"]["modelling"], 0);
    EXPECT_EQ(document["method"]["window"]["kernel"], "picard");
    EXPECT_EQ(document["parameters"]["omega"], 1e7);
    for (auto const* count :
         {"macro_steps", "macro_rejected", "effective_evaluations", "micro_steps", "force_evaluations",
          "constraint_evaluations", "jacobian_evaluations", "linear_flow_applications", "projections",
          "projection_iterations", "newton_iterations", "seconds", "wall_seconds"})
        EXPECT_TRUE(document["statistics"].contains(count)) << count;
    auto const flow = json::parse(lento("solve lorenz --json").output);
    EXPECT_EQ(flow["variables"].size(), 3U);
    EXPECT_EQ(flow["state"].size(), 51U);
    EXPECT_FALSE(flow.contains("position"));
}

TEST(Solve, TheJsonIsEnoughToRunItAgain) {
    std::string const settings =
        "--set \"method.window={ kernel = 'exponential', periods = 50, moments = 3 }\" "
        "--set \"method.macro={ scheme = 'cowell6', step = 0.01 }\" --set method.start=centred";
    auto const first = json::parse(lento("solve vibrated-pendulum --json " + settings).output);
    std::string again;
    auto const set = [&](std::string const& key, json const& value) {
        again += " --set method." + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    };
    for (auto const& [key, value] : first["method"].items()) {
        if (!value.is_object()) set(key, value);
        else
            for (auto const& [name, inner] : value.items()) set(key + "." + name, inner);
    }
    auto const second = json::parse(lento("solve vibrated-pendulum --json" + again).output);
    EXPECT_EQ(first["position"], second["position"]);
    EXPECT_EQ(first["method"], second["method"]);
}

TEST(Solve, BadProblemsExitWithThree) {
    scratch_directory const scratch;
    std::ofstream(scratch / "bad.toml") << "[system]\nkind = \"plan\"\n";
    auto const bad = lento("solve \"" + (scratch / "bad.toml").string() + "\"");
    EXPECT_EQ(bad.status, 3);
    EXPECT_EQ(bad.output, "");
    EXPECT_NE(bad.errors.find("bad.toml:2: system.kind: There is no kind \"plan\". Is \"plain\" meant?"),
              std::string::npos);
    EXPECT_EQ(lento("solve no-such-file.toml").status, 3);
    EXPECT_EQ(lento("solve /").status, 3);
    EXPECT_EQ(lento("solve vibrated-pendulum --set omga=3").status, 3);
    EXPECT_EQ(lento("solve vibrated-pendulum --method shak").status, 3);
    EXPECT_EQ(lento("solve").status, 2);
    EXPECT_EQ(lento("solve vibrated-pendulum --jsn").status, 2);
}

TEST(Solve, FailedAndRefusedRunsStillPrintTheirDocument) {
    auto const limited = lento("solve vibrated-pendulum --json --set method.macro.max_steps=5");
    EXPECT_EQ(limited.status, 4);
    auto const document = json::parse(limited.output);
    EXPECT_EQ(document["outcome"], "step_limit");
    EXPECT_EQ(document["incomplete"], true);
    EXPECT_GE(document["t"].size(), 1U);
    auto const refused = lento("solve vibrated-pendulum --json --set omega=3 --set accuracy.estimate=false");
    EXPECT_EQ(refused.status, 5);
    EXPECT_EQ(json::parse(refused.output)["outcome"], "no_scale_separation");
    EXPECT_NE(refused.errors.find("no_scale_separation: the slowest fast period"), std::string::npos);
    // a method for other systems: nothing is wrong with the file
    auto const inapplicable = lento("solve vibrated-pendulum --json --method shake");
    EXPECT_EQ(inapplicable.status, 5);
    EXPECT_EQ(json::parse(inapplicable.output)["outcome"], "not_applicable");
}

TEST(Solve, AMethodOnTheCommandLineStandsOverTheFilesKeys) {
    // the file has windows of force averaging, which these methods have not
    for (auto const* method : {"direct", "impulse"})
        EXPECT_EQ(
            lento(std::string("solve hard-and-soft-spring --quiet --set time.end=0.1 --set \"method.macro={ scheme = "
                              "'verlet', step = 0.001 }\" --method ") +
                  method)
                .status,
            0)
            << method;
}

TEST(Solve, OutputThatCannotBePrintedIsAFailedRun) {
    for (std::string const command : {"list", "solve vibrated-pendulum --json --set time.output=2001"}) {
        auto const run = lento(command + " >/dev/full");
        EXPECT_EQ(run.status, 4) << command;
        EXPECT_NE(run.errors.find("standard output"), std::string::npos) << run.errors;
    }
}

TEST(Solve, WarningsGoToStandardError) {
    auto const run =
        lento("solve vibrated-pendulum --json --set \"method.window={ kernel = 'exponential', periods = 4, "
              "unchecked = true }\"");
    auto const document = json::parse(run.output);
    EXPECT_EQ(document["warnings"][0]["code"], "window_leakage");
    EXPECT_NE(run.errors.find("warning: the window covers 4 fast periods"), std::string::npos);
}

TEST(Solve, ExplainsItsChoices) {
    auto const run = lento("solve vibrated-pendulum --explain --quiet");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.output, "");
    EXPECT_NE(run.errors.find("direct: about "), std::string::npos) << run.errors; // what it would have taken
    EXPECT_NE(run.errors.find("hmm of order 0: about "), std::string::npos) << run.errors;
}

TEST(Solve, PrintsWhatWasConsideredBeforeTheRun) {
    auto const run = lento("solve vibrated-pendulum --explain --quiet --set omega=1e6");
    auto const table = run.errors.find("considered");
    ASSERT_NE(table, std::string::npos) << run.errors;
    EXPECT_NE(run.errors.find("taken: ", table), std::string::npos) << run.errors;
    EXPECT_LT(table, run.errors.find("used: ")) << run.errors;
    // and of one that does not get to its end
    auto const ended = lento("solve vibrated-pendulum --explain --quiet --set omega=1e6 --max-evaluations 8000");
    EXPECT_EQ(ended.status, 4);
    EXPECT_NE(ended.errors.find("taken: "), std::string::npos) << ended.errors;
    EXPECT_EQ(lento("solve vibrated-pendulum --explain --quiet --method hmm").errors.find("considered"),
              std::string::npos);
}
TEST(Solve, HasWhatWasConsideredInItsDocument) {
    auto const document = json::parse(lento("solve vibrated-pendulum --json --set omega=1e6").output);
    int taken = 0;
    for (auto const& each : document["choice"]) {
        EXPECT_TRUE(each["name"].is_string());
        EXPECT_FALSE(each["reason"].get<std::string>().empty());
        for (auto const* key : {"expected_evaluations", "expected_error"})
            EXPECT_TRUE(each[key].is_number() || each[key].is_null()) << key;
        taken += each["taken"].get<bool>() ? 1 : 0;
    }
    EXPECT_EQ(taken, 1);
    EXPECT_EQ(json::parse(lento("solve vibrated-pendulum --json --method hmm").output)["choice"], json::array());
}
TEST(Check, PrintsWhatIsConsidered) {
    auto const text = lento("check vibrated-pendulum --set omega=1e6");
    EXPECT_EQ(text.status, 0);
    EXPECT_NE(text.output.find("considered"), std::string::npos) << text.output;
    auto const document = json::parse(lento("check vibrated-pendulum --set omega=1e6 --json").output);
    auto const solved = json::parse(lento("solve vibrated-pendulum --set omega=1e6 --json").output);
    EXPECT_EQ(document["choice"], solved["choice"]);
    EXPECT_EQ(document["problem"], "Vibrated pendulum");
    EXPECT_EQ(document["faults"], json::array());
    EXPECT_FALSE(document["lines"].empty());
    for (auto const& each : document["lines"]) EXPECT_FALSE(each["sentence"].get<std::string>().empty());
}

TEST(Solve, WritesFilesAndOverwritesOnlyWhenForced) {
    scratch_directory const scratch;
    auto const csv = (scratch / "run.csv").string();
    auto const document = (scratch / "run.json").string();
    EXPECT_EQ(lento("solve vibrated-pendulum --quiet --out " + csv).status, 0);
    EXPECT_TRUE(content(csv).starts_with("t,q,q',height\n"));
    EXPECT_EQ(lento("solve vibrated-pendulum --quiet --out " + document).status, 0);
    EXPECT_EQ(json::parse(content(document))["outcome"], "success");
    auto const again = lento("solve vibrated-pendulum --out " + csv);
    EXPECT_EQ(again.status, 4);
    EXPECT_NE(again.errors.find("--force"), std::string::npos);
    EXPECT_EQ(again.output, "");
    EXPECT_EQ(lento("solve double-well --quiet --force --out " + csv).status, 0);
    EXPECT_NE(content(csv).find("Duffing"), std::string::npos);
    EXPECT_EQ(lento("solve vibrated-pendulum --out " + (scratch / "run.txt").string()).status, 2);
    EXPECT_EQ(lento("solve vibrated-pendulum --out " + (scratch / "no/such/run.csv").string()).status, 4);
    EXPECT_EQ(lento("solve vibrated-pendulum >/dev/full").status, 4);
}

TEST(Solve, AFileIsWholeWhateverBecomesOfStandardOutput) {
    scratch_directory const scratch;
    auto const file = (scratch / "run.json").string();
    // more than a pipe and the buffers before it hold
    std::string const run = "solve vibrated-pendulum --json --set time.output=20000 --force --out " + file;
    auto const full = lento(run + " >/dev/full");
    EXPECT_EQ(full.status, 4);
    EXPECT_NE(full.errors.find("cannot write the results to standard output: No space left"), std::string::npos);
    EXPECT_EQ(json::parse(content(file))["t"].size(), 20000U);
    std::filesystem::remove(file);
    lento(run + " | head -c 1");
    EXPECT_EQ(json::parse(content(file))["t"].size(), 20000U);
}

TEST(Solve, WhereNothingCanBeWrittenIsSaidBeforeTheRun) {
    scratch_directory const scratch;
    std::string const endless = "solve vibrated-pendulum --method direct --set omega=1e8 --set time.end=1000 --force";
    auto const nowhere = lento(endless + " --out " + (scratch / "no/such/run.csv").string());
    EXPECT_EQ(nowhere.status, 4);
    EXPECT_NE(nowhere.errors.find("run.csv: No such file or directory"), std::string::npos);
    std::filesystem::create_directory(scratch / "folder.csv");
    auto const folder = lento(endless + " --out " + (scratch / "folder.csv").string());
    EXPECT_EQ(folder.status, 4);
    EXPECT_NE(folder.errors.find("folder.csv: Is a directory"), std::string::npos);
}

TEST(Solve, WhoMayReadAFileTheUserSays) {
    scratch_directory const scratch;
    auto const file = scratch / "run.csv";
    for (auto const& [mask, expected] : {std::pair{"077", 0600U}, std::pair{"002", 0664U}}) {
        auto const run = lento_test::run_command("umask " + std::string(mask) + "; \"" LENTO_PROGRAM "\" " +
                                                 "solve vibrated-pendulum --quiet --force --out " + file.string());
        EXPECT_EQ(run.status, 0);
        EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(file).permissions()), expected);
    }
    auto const entries = std::filesystem::directory_iterator(file.parent_path());
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1); // nothing temporary is left
}

TEST(Solve, ASignalStopsTheRunAndKeepsWhatThereIs) {
    scratch_directory const scratch;
    auto const file = (scratch / "run.json").string();
    // far more steps than a second allows
    std::string const run =
        "solve vibrated-pendulum --quiet --method direct --set omega=1e8 --max-evaluations 1e18 --out " + file;
    // the signal is sent as soon as the program listens to it, however slow the machine is
    std::string const listens = "grep -q '^SigCgt:.*4..[37bf]$' /proc/$run/status";
    for (std::string const signal : {"INT", "TERM", "HUP"}) {
        auto const stopped = lento_test::run_command("env --default-signal=HUP \"" LENTO_PROGRAM "\" " + run +
                                                     " & run=$!; while kill -0 $run && ! " + listens +
                                                     "; do sleep 0.05; done; kill -s " + signal + " $run; wait $run");
        EXPECT_EQ(stopped.status, 4);
        auto const document = json::parse(content(file));
        EXPECT_EQ(document["outcome"], "interrupted");
        EXPECT_EQ(document["incomplete"], true);
        EXPECT_EQ(document["t"][0], 0);
        std::filesystem::remove(file);
    }
}

TEST(Check, SaysWhatIsKnownAndWhichMethodsApply) {
    auto const pendulum = lento("check vibrated-pendulum");
    EXPECT_EQ(pendulum.status, 0);
    EXPECT_EQ(pendulum.errors, "");
    for (auto const* words : {"the force is even in theta", "fast period 6.28319e-06", "applies; chosen by auto",
                              "with the given slow_velocity"})
        EXPECT_NE(pendulum.output.find(words), std::string::npos) << words;
    auto const trap = lento("check paul-trap");
    EXPECT_NE(trap.output.find("its derivative agrees with differences"), std::string::npos);
    auto const well = lento("check double-well");
    EXPECT_NE(well.output.find("for other kinds of systems: hmm, ipa"), std::string::npos);
    EXPECT_NE(well.output.find("the position, the velocity, the time"), std::string::npos);
    EXPECT_NE(lento("check vibrated-pendulum --set omega=1").output.find("the scales are not separated"),
              std::string::npos);
}

TEST(Check, FindsAForceThatIsNotFiniteAndDerivativesThatAreNone) {
    auto const infinite = lento("check double-well --set initial.x=0 --set \"system.force.x='1/x'\"");
    EXPECT_EQ(infinite.status, 3);
    EXPECT_NE(infinite.errors.find("the force of x is not finite at the start"), std::string::npos);
    auto const jump = lento("check double-well --set \"system.potential='step(x - 1)'\"");
    EXPECT_EQ(jump.status, 3);
    EXPECT_NE(jump.errors.find("differences give"), std::string::npos);
    EXPECT_EQ(lento("check no-such-problem").status, 3);
}

TEST(List, ProblemsComeFromTheirFiles) {
    auto const run = lento("list problems");
    EXPECT_EQ(run.status, 0);
    for (auto const& each : std::filesystem::directory_iterator(std::filesystem::path(LENTO_SOURCE_DIR) / "problems"))
        EXPECT_NE(run.output.find("  " + each.path().stem().string() + " "), std::string::npos) << each.path();
}

} // namespace
