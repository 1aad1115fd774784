#pragma once

#include "lento/expression/engine.hpp"

#include <memory>

namespace lento::expression {

/// Compiles with LLVM at once. Throws std::runtime_error when it is not there.
std::unique_ptr<engine> compile_llvm(graph const& g, schedule const& outputs);

/// Starts with the bytecode and goes on with LLVM, where it is there, once the bytecode has worked as long as
/// compiling takes. When that is depends on the evaluations alone, not on a clock.
std::unique_ptr<engine> compile_adaptive(graph const& g, schedule const& outputs);

} // namespace lento::expression
