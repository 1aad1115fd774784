#pragma once

#include "lento/expression/evaluate.hpp"
#include "lento/expression/step_loop.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lento::expression {

/// Machine code of formulas: reads the arrays of `inputs`, of which those that it does not use may be null, and writes
/// all outputs.
using machine_function = void(double const* position, double const* velocity, double const* phase, double time,
                              double const* direction, double const* parameter, double* out);

/// Compiled formulas: reads inputs, writes all outputs. Engines are constant values; what an evaluation changes is in a
/// workspace, one for each thread.
class engine {
public:
    /// The memory of one thread's evaluations with one engine. It may be destroyed after the engine.
    class workspace {
    public:
        workspace& operator=(workspace const&) = delete;
        virtual ~workspace() = default;
        /// One that goes on exactly as this one would, for the same engine.
        [[nodiscard]] virtual std::unique_ptr<workspace> copy() const = 0;

    protected:
        workspace() = default;
        workspace(workspace const&) = default;
    };

    engine() = default;
    engine(engine const&) = delete;
    engine& operator=(engine const&) = delete;
    virtual ~engine() = default;

    [[nodiscard]] virtual std::size_t outputs() const = 0;
    [[nodiscard]] virtual std::size_t parameters() const = 0; ///< how many it reads at evaluation
    [[nodiscard]] virtual std::unique_ptr<workspace> work() const = 0;
    /// Writes every element of `out`, which must not overlap the inputs; allocates nothing. Where outputs are sums of
    /// several contributions, the first one is assigned.
    virtual void evaluate(inputs<double> const& from, std::span<double> out, workspace& work) const = 0;
    /// The same as `evaluate` as a plain function that checks nothing; null where the engine has none. To be asked for
    /// again: an engine may have one later.
    [[nodiscard]] virtual machine_function* function(workspace&) const { return nullptr; }
    /// A whole loop of steps around the formulas, which are then a force; null where the engine has none. To be
    /// asked for before each loop of steps: an engine may have one later.
    [[nodiscard]] virtual step_loop_function* step_loop(step_loop_kind const&, workspace&) const { return nullptr; }
};

/// A workspace as a value: copies share nothing.
class engine_work {
public:
    engine_work() = default;
    explicit engine_work(std::unique_ptr<engine::workspace> made) : made_(std::move(made)) {}
    engine_work(engine_work const& other) : made_(other.made_ ? other.made_->copy() : nullptr) {}
    engine_work(engine_work&&) = default;
    engine_work& operator=(engine_work other) noexcept {
        made_.swap(other.made_);
        return *this;
    }
    ~engine_work() = default;

    [[nodiscard]] engine::workspace& operator*() { return *made_; }

private:
    std::unique_ptr<engine::workspace> made_;
};

/// How much the formulas of a schedule read and write.
struct needed_sizes {
    std::array<std::size_t, source_count> inputs{}; ///< elements of each source
    std::size_t outputs = 0;

    [[nodiscard]] std::size_t parameters() const { return inputs[static_cast<std::size_t>(source::parameter)]; }
    /// Throws std::invalid_argument, with a sentence, when something is too short.
    template <class T> void require(expression::inputs<T> const& from, std::span<T> out) const {
        if (from.position.size() < inputs[0] || from.velocity.size() < inputs[1] || from.phase.size() < inputs[2] ||
            from.direction.size() < inputs[4] || from.parameter.size() < inputs[5] || out.size() != outputs)
            refuse(from, out.size());
    }

private:
    template <class T> [[noreturn]] void refuse(expression::inputs<T> const& from, std::size_t room) const;
};
/// What every engine asks for before it compiles anything: throws formula_error unless every index of the schedule is
/// proven to be computed without a wrap and to stay inside its array, the outputs, or inputs of the sizes returned.
needed_sizes needed_sizes_of(graph const& g, schedule const& of);

/// Which engine computes formulas.
enum class engine_kind : std::uint8_t {
    automatic, ///< the bytecode, and LLVM where it is there as soon as that pays
    bytecode,
    llvm,
};
std::string_view name(engine_kind kind);

/// Whether this build can compile with LLVM, and whether LLVM is there on this machine as well.
bool built_with_llvm();
bool llvm_is_there();
/// The version of LLVM that is there, 0 for none.
int llvm_version();
/// A sentence that says why it is not there.
std::string llvm_is_lacking();

/// Compiles a schedule. Throws std::runtime_error when LLVM is asked for and cannot be had.
std::unique_ptr<engine> compile(graph const& g, schedule const& outputs, engine_kind with = engine_kind::automatic);
/// The register bytecode, which always works.
std::unique_ptr<engine> compile_bytecode(graph const& g, schedule const& outputs);

} // namespace lento::expression
