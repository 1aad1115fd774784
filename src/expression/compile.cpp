#include "lento/expression/engine.hpp"

#include "lento/expression/memory_room.hpp"

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

bool llvm_is_there() {
    bool const there = llvm_version() != 0;
    // nothing is wrong with asking for it: whoever lifts the limit gets it
    if (!there && llvm_lacks_memory()) throw no_room(llvm_is_lacking());
    return there;
}

bool built_with_llvm() { return true; }
int llvm_version() {
    auto const* const found = llvm_machine::find();
    return found == nullptr ? 0 : found->version();
}

std::unique_ptr<engine> compile(graph const& g, schedule const& outputs, engine_kind with) {
    switch (with) {
    case engine_kind::bytecode: return compile_bytecode(g, outputs);
    case engine_kind::llvm: return compile_llvm(g, outputs);
    default: return compile_adaptive(g, outputs);
    }
}

#else

bool llvm_is_there() { return false; }
bool llvm_lacks_memory() { return false; }
bool built_with_llvm() { return false; }
int llvm_version() { return 0; }
std::string llvm_is_lacking() { return "This Lento was built without LLVM (the option LENTO_JIT is off)."; }

std::unique_ptr<engine> compile(graph const& g, schedule const& outputs, engine_kind with) {
    if (with == engine_kind::llvm) throw std::runtime_error(llvm_is_lacking());
    return compile_bytecode(g, outputs);
}

#endif

} // namespace lento::expression
