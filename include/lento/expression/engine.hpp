#pragma once

#include "lento/expression/evaluate.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace lento::expression {

/// Compiled formulas: reads inputs, writes all outputs. Engines are constant values; what an evaluation changes is in a
/// workspace, one for each thread.
class engine {
public:
    /// The memory of one thread's evaluations with one engine.
    class workspace {
    public:
        workspace() = default;
        workspace(workspace const&) = delete;
        workspace& operator=(workspace const&) = delete;
        virtual ~workspace() = default;
    };

    engine() = default;
    engine(engine const&) = delete;
    engine& operator=(engine const&) = delete;
    virtual ~engine() = default;

    [[nodiscard]] virtual std::size_t outputs() const = 0;
    [[nodiscard]] virtual std::unique_ptr<workspace> work() const = 0;
    /// Writes every element of `out`, which must not overlap the inputs; allocates nothing.
    virtual void evaluate(inputs<double> const& from, std::span<double> out, workspace& work) const = 0;
};

/// Compiles a schedule into the register bytecode, which always works.
std::unique_ptr<engine> compile_bytecode(graph const& g, schedule const& outputs);

} // namespace lento::expression
