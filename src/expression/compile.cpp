#include "lento/expression/engine.hpp"

#include <stdexcept>

#ifdef LENTO_JIT
#include "expression/llvm_engine.hpp"
#include "expression/llvm_library.hpp"
#endif

namespace lento::expression {

std::string_view name(engine_kind kind) {
    switch (kind) {
    case engine_kind::bytecode: return "bytecode";
    case engine_kind::llvm: return "llvm";
    default: return "auto";
    }
}

#ifdef LENTO_JIT

bool built_with_llvm() { return true; }
bool llvm_is_there() { return llvm_machine::find() != nullptr; }

std::unique_ptr<engine> compile(graph const& g, schedule const& outputs, engine_kind with) {
    switch (with) {
    case engine_kind::bytecode: return compile_bytecode(g, outputs);
    case engine_kind::llvm: return compile_llvm(g, outputs);
    default: return compile_adaptive(g, outputs);
    }
}

#else

bool built_with_llvm() { return false; }
bool llvm_is_there() { return false; }

std::unique_ptr<engine> compile(graph const& g, schedule const& outputs, engine_kind with) {
    if (with == engine_kind::llvm)
        throw std::runtime_error("This Lento was built without LLVM (the option LENTO_JIT is off).");
    return compile_bytecode(g, outputs);
}

#endif

} // namespace lento::expression
