// LLVM in all its versions: our declarations of its functions against its headers, where these are installed, every
// version that is there, and life without it.

#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "expression/llvm_library.hpp"
#include "program_run.hpp"

#include <lento/expression/engine.hpp>

#ifdef LENTO_PROGRAM

namespace {

using lento::expression::llvm_machine;
using lento_test::finished;

/// The program with a version of LLVM, whichever others there are.
class EveryLlvm : public testing::TestWithParam<int> {
protected:
    void SetUp() override {
        auto const version = lento("--version").output;
        if (version.find("formulas: bytecode, LLVM " + std::to_string(GetParam())) == std::string::npos)
            GTEST_SKIP() << "LLVM " << GetParam() << " is not there";
    }
    static finished lento(std::string const& arguments) {
        return lento_test::run_command("LENTO_LLVM=" + std::to_string(GetParam()) + " \"" LENTO_PROGRAM "\" " +
                                       arguments);
    }
    /// All digits of what a problem gives with an engine.
    std::string numbers(std::string const& problem, std::string const& engine) const {
        auto const file = folder_ / "numbers.csv";
        auto const run = lento("solve " + problem + " --quiet --set method.engine=" + engine + " --force --out \"" +
                               file.string() + "\"");
        EXPECT_EQ(run.status, 0) << run.errors;
        auto const all = lento_test::content(file);
        return all.substr(0, all.find("\n# "));
    }

private:
    lento_test::scratch_directory folder_;
};

TEST_P(EveryLlvm, ComputesTheBitsOfTheBytecode) {
    // windows in one piece, loops over a family, sums over pairs
    for (auto const* const problem : {"vibrated-pendulum", "chain", "polymer"}) {
        auto const expected = numbers(problem, "bytecode");
        EXPECT_GT(expected.size(), 100U) << problem;
        EXPECT_EQ(numbers(problem, "llvm"), expected) << problem;
    }
}

INSTANTIATE_TEST_SUITE_P(Versions, EveryLlvm, testing::Range(llvm_machine::oldest, llvm_machine::newest + 1));

TEST(LlvmVersion, ThatLentoDoesNotKnowIsNotTaken) {
    if (!lento::expression::built_with_llvm()) GTEST_SKIP() << "this build has no LLVM";
    auto const run = lento_test::run_command("LENTO_LLVM=3 \"" LENTO_PROGRAM "\" --version");
    EXPECT_NE(run.output.find("formulas: bytecode; LLVM is not installed\n"), std::string::npos) << run.output;
}

/// The program where what is called LLVM's library is none.
class WithoutLlvm : public testing::Test {
protected:
    void SetUp() override {
        for (int version = llvm_machine::oldest; version <= llvm_machine::newest; ++version)
            for (auto const& name : lento::expression::library_names(version))
                std::ofstream(folder_ / name) << "not a library";
    }
    finished lento(std::string const& arguments) const {
        return lento_test::run_command("LD_LIBRARY_PATH=\"" + (folder_ / "").string() + "\" \"" LENTO_PROGRAM "\" " +
                                       arguments);
    }

private:
    lento_test::scratch_directory folder_;
};

TEST_F(WithoutLlvm, TheProgramSaysSo) {
    auto const expected =
        lento::expression::built_with_llvm() ? "formulas: bytecode; LLVM is not installed\n" : "formulas: bytecode\n";
    EXPECT_NE(lento("--version").output.find(expected), std::string::npos);
    auto const run = lento("solve vibrated-pendulum --explain --quiet");
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(run.errors.find(expected), std::string::npos) << run.errors;
}

/// So many evaluations that LLVM would have been asked for.
TEST_F(WithoutLlvm, LongRunsStayWithTheBytecode) {
    std::string const problem = "solve vibrated-pendulum --set omega=1e4 --set time.end=20 --set time.output=3"
                                " --set method.name=direct --set method.macro.scheme=verlet"
                                " --set method.macro.step=5e-6 --set method.macro.max_steps=5000000";
    auto const alone = lento(problem + " --set method.engine=auto");
    auto const chosen = lento(problem + " --set method.engine=bytecode");
    EXPECT_EQ(alone.status, 0) << alone.errors;
    auto const table = [](finished const& run) { return run.output.substr(0, run.output.find("success")); };
    EXPECT_GT(table(alone).size(), 50U);
    EXPECT_EQ(table(alone), table(chosen));
}

TEST_F(WithoutLlvm, AskingForItIsRefused) {
    auto const run = lento("solve vibrated-pendulum --set method.engine=llvm");
    EXPECT_EQ(run.status, 3);
    auto const* const expected =
        lento::expression::built_with_llvm() ? "is not installed on this machine" : "does not have the engine \"llvm\"";
    EXPECT_NE(run.errors.find(expected), std::string::npos) << run.errors;
}

} // namespace

#endif

#if __has_include(<llvm-c/LLJIT.h>)

#include <type_traits>

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/OrcEE.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

namespace {

using lento::expression::llvm_functions;

/// The same type, an enumeration for our int, or our symbols for theirs.
template <class Ours, class Theirs> constexpr bool is_alike =
    std::is_same_v<Ours, Theirs> || (std::is_same_v<Ours, int> && std::is_enum_v<Theirs>) ||
    (std::is_same_v<Ours, llvm_functions::absolute_symbol*> && std::is_same_v<Theirs, LLVMOrcCSymbolMapPairs>);

/// Of functions; types alone are asked for, because the library is not linked.
template <class Ours, class Theirs> constexpr bool alike = false;
template <class R, class... A, class S, class... B>
    requires(sizeof...(A) == sizeof...(B))
constexpr bool alike<R (*)(A...), S (*)(B...)> = is_alike<R, S> && (is_alike<A, B> && ...);

static_assert(sizeof(llvm_functions::absolute_symbol) == sizeof(std::remove_pointer_t<LLVMOrcCSymbolMapPairs>));
static_assert(LLVMCodeGenLevelDefault == 2 && LLVMRelocPIC == 2 && LLVMCodeModelJITDefault == 1 && LLVMObjectFile == 1);
static_assert((LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable) == 5);

TEST(LlvmLibrary, IsDeclaredAsInItsHeaders) {
    EXPECT_TRUE((alike<decltype(llvm_functions::default_triple), decltype(&LLVMGetDefaultTargetTriple)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::host_processor), decltype(&LLVMGetHostCPUName)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::host_features), decltype(&LLVMGetHostCPUFeatures)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::dispose_message), decltype(&LLVMDisposeMessage)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::target_of_triple), decltype(&LLVMGetTargetFromTriple)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::create_target_machine), decltype(&LLVMCreateTargetMachine)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::dispose_target_machine), decltype(&LLVMDisposeTargetMachine)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::create_target_data), decltype(&LLVMCreateTargetDataLayout)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::dispose_target_data), decltype(&LLVMDisposeTargetData)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::create_context), decltype(&LLVMContextCreate)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::dispose_context), decltype(&LLVMContextDispose)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::create_buffer), decltype(&LLVMCreateMemoryBufferWithMemoryRangeCopy)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::parse), decltype(&LLVMParseIRInContext)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::dispose_module), decltype(&LLVMDisposeModule)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::set_triple), decltype(&LLVMSetTarget)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::set_layout), decltype(&LLVMSetModuleDataLayout)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::create_pass_options), decltype(&LLVMCreatePassBuilderOptions)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::dispose_pass_options), decltype(&LLVMDisposePassBuilderOptions)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::run_passes), decltype(&LLVMRunPasses)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::emit), decltype(&LLVMTargetMachineEmitToMemoryBuffer)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::create_builder), decltype(&LLVMOrcCreateLLJITBuilder)>));
    EXPECT_TRUE(
        (alike<decltype(llvm_functions::set_linker), decltype(&LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::create_linker),
                       decltype(&LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::create_session), decltype(&LLVMOrcCreateLLJIT)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::dispose_session), decltype(&LLVMOrcDisposeLLJIT)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::main_library), decltype(&LLVMOrcLLJITGetMainJITDylib)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::interned), decltype(&LLVMOrcLLJITMangleAndIntern)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::absolute_symbols), decltype(&LLVMOrcAbsoluteSymbols)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::define), decltype(&LLVMOrcJITDylibDefine)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::add_object), decltype(&LLVMOrcLLJITAddObjectFile)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::lookup), decltype(&LLVMOrcLLJITLookup)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::error_message), decltype(&LLVMGetErrorMessage)>));
    EXPECT_TRUE((alike<decltype(llvm_functions::dispose_error_message), decltype(&LLVMDisposeErrorMessage)>));
}

} // namespace

#endif
