// Our declarations of LLVM's functions against its headers, where these are installed.

#include <gtest/gtest.h>

#if __has_include(<llvm-c/LLJIT.h>)

#include "expression/llvm_library.hpp"

#include <type_traits>

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

namespace {

using lento::expression::llvm_functions;

/// The same type, an enumeration for our int, or our symbols for theirs.
template <class Ours, class Theirs> constexpr bool is_alike =
    std::is_same_v<Ours, Theirs> || (std::is_same_v<Ours, int> && std::is_enum_v<Theirs>) ||
    (std::is_same_v<Ours, llvm_functions::absolute_symbol*> && std::is_same_v<Theirs, LLVMOrcCSymbolMapPairs>);

template <class Ours, class Theirs> constexpr bool alike(Ours, Theirs) { return false; }
template <class R, class... A, class S, class... B> constexpr bool alike(R (*)(A...), S (*)(B...)) {
    if constexpr (sizeof...(A) != sizeof...(B)) return false;
    else return is_alike<R, S> && (is_alike<A, B> && ...);
}

static_assert(sizeof(llvm_functions::absolute_symbol) == sizeof(LLVMJITCSymbolMapPair));
static_assert(LLVMCodeGenLevelDefault == 2 && LLVMRelocPIC == 2 && LLVMCodeModelJITDefault == 1 && LLVMObjectFile == 1);
static_assert((LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable) == 5);

TEST(LlvmLibrary, IsDeclaredAsInItsHeaders) {
    llvm_functions const ours{};
    EXPECT_TRUE(alike(ours.default_triple, &LLVMGetDefaultTargetTriple));
    EXPECT_TRUE(alike(ours.host_processor, &LLVMGetHostCPUName));
    EXPECT_TRUE(alike(ours.host_features, &LLVMGetHostCPUFeatures));
    EXPECT_TRUE(alike(ours.dispose_message, &LLVMDisposeMessage));
    EXPECT_TRUE(alike(ours.target_of_triple, &LLVMGetTargetFromTriple));
    EXPECT_TRUE(alike(ours.create_target_machine, &LLVMCreateTargetMachine));
    EXPECT_TRUE(alike(ours.dispose_target_machine, &LLVMDisposeTargetMachine));
    EXPECT_TRUE(alike(ours.create_target_data, &LLVMCreateTargetDataLayout));
    EXPECT_TRUE(alike(ours.dispose_target_data, &LLVMDisposeTargetData));
    EXPECT_TRUE(alike(ours.create_context, &LLVMContextCreate));
    EXPECT_TRUE(alike(ours.dispose_context, &LLVMContextDispose));
    EXPECT_TRUE(alike(ours.create_buffer, &LLVMCreateMemoryBufferWithMemoryRangeCopy));
    EXPECT_TRUE(alike(ours.parse, &LLVMParseIRInContext));
    EXPECT_TRUE(alike(ours.dispose_module, &LLVMDisposeModule));
    EXPECT_TRUE(alike(ours.set_triple, &LLVMSetTarget));
    EXPECT_TRUE(alike(ours.set_layout, &LLVMSetModuleDataLayout));
    EXPECT_TRUE(alike(ours.create_pass_options, &LLVMCreatePassBuilderOptions));
    EXPECT_TRUE(alike(ours.dispose_pass_options, &LLVMDisposePassBuilderOptions));
    EXPECT_TRUE(alike(ours.run_passes, &LLVMRunPasses));
    EXPECT_TRUE(alike(ours.emit, &LLVMTargetMachineEmitToMemoryBuffer));
    EXPECT_TRUE(alike(ours.create_session, &LLVMOrcCreateLLJIT));
    EXPECT_TRUE(alike(ours.dispose_session, &LLVMOrcDisposeLLJIT));
    EXPECT_TRUE(alike(ours.main_library, &LLVMOrcLLJITGetMainJITDylib));
    EXPECT_TRUE(alike(ours.interned, &LLVMOrcLLJITMangleAndIntern));
    EXPECT_TRUE(alike(ours.absolute_symbols, &LLVMOrcAbsoluteSymbols));
    EXPECT_TRUE(alike(ours.define, &LLVMOrcJITDylibDefine));
    EXPECT_TRUE(alike(ours.add_object, &LLVMOrcLLJITAddObjectFile));
    EXPECT_TRUE(alike(ours.lookup, &LLVMOrcLLJITLookup));
    EXPECT_TRUE(alike(ours.error_message, &LLVMGetErrorMessage));
    EXPECT_TRUE(alike(ours.dispose_error_message, &LLVMDisposeErrorMessage));
}

} // namespace

#endif
