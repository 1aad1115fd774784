#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct LLVMOpaqueContext;
struct LLVMOpaqueMemoryBuffer;
struct LLVMOpaqueModule;
struct LLVMOpaqueError;
struct LLVMOpaqueTargetMachine;
struct LLVMOpaqueTargetData;
struct LLVMOpaquePassBuilderOptions;
struct LLVMTarget;
struct LLVMOrcOpaqueLLJIT;
struct LLVMOrcOpaqueLLJITBuilder;
struct LLVMOrcOpaqueExecutionSession;
struct LLVMOrcOpaqueObjectLayer;
struct LLVMOrcOpaqueJITDylib;
struct LLVMOrcOpaqueMaterializationUnit;
struct LLVMOrcOpaqueSymbolStringPoolEntry;

namespace lento::expression {

/// The functions of LLVM's C interface that compile a text, found in its shared library when the first text is
/// compiled. Nobody pays for starting that library (tens of milliseconds, 50 MB) who does not use it, and building
/// Lento needs none of its headers; test/llvm_library.cpp compares these declarations with them where they are
/// installed.
struct llvm_functions {
    struct symbol_flags {
        std::uint8_t generic = 0, target = 0;
    };
    /// A name with its address.
    struct absolute_symbol {
        LLVMOrcOpaqueSymbolStringPoolEntry* name = nullptr;
        struct {
            std::uint64_t address = 0;
            symbol_flags flags{};
        } value{};
    };

    void (*initialize_target_info)();
    void (*initialize_target)();
    void (*initialize_target_code)();
    void (*initialize_printer)();
    char* (*default_triple)();
    char* (*host_processor)();
    char* (*host_features)();
    void (*dispose_message)(char*);
    int (*target_of_triple)(char const*, LLVMTarget**, char**);
    LLVMOpaqueTargetMachine* (*create_target_machine)(LLVMTarget*, char const*, char const*, char const*, int level,
                                                      int relocation, int code_model);
    void (*dispose_target_machine)(LLVMOpaqueTargetMachine*);
    LLVMOpaqueTargetData* (*create_target_data)(LLVMOpaqueTargetMachine*);
    void (*dispose_target_data)(LLVMOpaqueTargetData*);
    LLVMOpaqueContext* (*create_context)();
    void (*dispose_context)(LLVMOpaqueContext*);
    LLVMOpaqueMemoryBuffer* (*create_buffer)(char const*, std::size_t, char const*);
    int (*parse)(LLVMOpaqueContext*, LLVMOpaqueMemoryBuffer*, LLVMOpaqueModule**, char**);
    void (*dispose_module)(LLVMOpaqueModule*);
    void (*set_triple)(LLVMOpaqueModule*, char const*);
    void (*set_layout)(LLVMOpaqueModule*, LLVMOpaqueTargetData*);
    LLVMOpaquePassBuilderOptions* (*create_pass_options)();
    void (*dispose_pass_options)(LLVMOpaquePassBuilderOptions*);
    LLVMOpaqueError* (*run_passes)(LLVMOpaqueModule*, char const*, LLVMOpaqueTargetMachine*,
                                   LLVMOpaquePassBuilderOptions*);
    int (*emit)(LLVMOpaqueTargetMachine*, LLVMOpaqueModule*, int kind, char**, LLVMOpaqueMemoryBuffer**);
    using linker_creator = LLVMOrcOpaqueObjectLayer*(void*, LLVMOrcOpaqueExecutionSession*, char const*);
    LLVMOrcOpaqueLLJITBuilder* (*create_builder)();
    void (*set_linker)(LLVMOrcOpaqueLLJITBuilder*, linker_creator*, void*);
    LLVMOrcOpaqueObjectLayer* (*create_linker)(LLVMOrcOpaqueExecutionSession*);
    LLVMOpaqueError* (*create_session)(LLVMOrcOpaqueLLJIT**, LLVMOrcOpaqueLLJITBuilder*);
    LLVMOpaqueError* (*dispose_session)(LLVMOrcOpaqueLLJIT*);
    LLVMOrcOpaqueJITDylib* (*main_library)(LLVMOrcOpaqueLLJIT*);
    LLVMOrcOpaqueSymbolStringPoolEntry* (*interned)(LLVMOrcOpaqueLLJIT*, char const*);
    LLVMOrcOpaqueMaterializationUnit* (*absolute_symbols)(absolute_symbol*, std::size_t);
    LLVMOpaqueError* (*define)(LLVMOrcOpaqueJITDylib*, LLVMOrcOpaqueMaterializationUnit*);
    LLVMOpaqueError* (*add_object)(LLVMOrcOpaqueLLJIT*, LLVMOrcOpaqueJITDylib*, LLVMOpaqueMemoryBuffer*);
    LLVMOpaqueError* (*lookup)(LLVMOrcOpaqueLLJIT*, std::uint64_t*, char const*);
    char* (*error_message)(LLVMOpaqueError*);
    void (*dispose_error_message)(char*);
};

/// A function that a text may call.
struct outside_function {
    std::string name;
    std::uint64_t address = 0;
};

/// Vector functions of the system's mathematical library, as its mangled names have them: an instruction set's letter
/// and how many numbers a vector holds.
struct vector_variant {
    char letter;
    int lanes;
};

/// This machine's LLVM: the library, the processor, what its vectors can do.
class llvm_machine {
public:
    /// The versions whose functions are as declared above; llvm_text.cpp knows how their languages differ.
    static constexpr int oldest = 14, newest = 19;

    /// The one of this process: the newest that is installed, or the one that the environment variable LENTO_LLVM
    /// names; null when it is not there.
    static llvm_machine const* find();
    /// Whether the limits on memory leave too little to compile a text of so many bytes, or to start at all.
    static bool lacks_room(std::size_t text);

    [[nodiscard]] int version() const { return version_; }
    [[nodiscard]] llvm_functions const& call() const { return call_; }
    /// The instruction sets that this processor has, of those with vector functions.
    [[nodiscard]] std::span<vector_variant const> variants() const { return {variants_, variant_count_}; }
    /// The address of a function in the system's library of vector functions, or 0.
    [[nodiscard]] std::uint64_t vector_function(std::string const& name) const;

private:
    friend class machine_code;
    llvm_machine() = default;
    /// A version that is installed and knows this machine's processor, or null.
    static std::unique_ptr<llvm_machine const> start(int version);

    int version_ = 0;
    llvm_functions call_{};
    void* vectors_ = nullptr; // the library of vector functions, or null
    std::string triple_, processor_, features_;
    LLVMTarget* target_ = nullptr;
    vector_variant variants_[3]{};
    std::size_t variant_count_ = 0;
};

/// The names that a version's shared library has in Debian and elsewhere.
inline std::array<std::string, 3> library_names(int version) {
    auto const number = std::to_string(version);
    return {"libLLVM.so." + number + ".1", "libLLVM-" + number + ".so.1", "libLLVM-" + number + ".so"};
}

/// Whether LLVM may make vector code. It pays for loops of families. The single operations of a few coordinates it
/// would join into short vectors, whose shuffles cost more, on the path from one step to the next, than they save.
enum class vector_code : bool { no, yes };

/// A text in LLVM's assembly language, compiled for this machine. Lives as long as its functions are called.
class machine_code {
public:
    /// Throws std::runtime_error with what LLVM says of a bad text.
    machine_code(llvm_machine const& machine, std::string const& text, std::span<outside_function const> outside,
                 vector_code vectors);

    template <class Function> [[nodiscard]] Function* function(char const* name) const {
        return reinterpret_cast<Function*>(address(name)); // NOLINT(performance-no-int-to-ptr): where the code is
    }

private:
    struct session_end {
        llvm_functions const* call;
        void operator()(LLVMOrcOpaqueLLJIT* session) const;
    };
    [[nodiscard]] std::uintptr_t address(char const* name) const;

    std::unique_ptr<LLVMOrcOpaqueLLJIT, session_end> session_;
};

} // namespace lento::expression
