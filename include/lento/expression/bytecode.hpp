#pragma once

#include "lento/expression/engine.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lento::expression {

/// The register bytecode. Scalar code runs on a file of registers; innermost loops run a block of indices at a time,
/// each instruction being a tight loop over the block. Both give the bits that plain C++ gives for the schedule.
class bytecode final : public engine {
public:
    bytecode(graph const& g, schedule const& outputs);

    /// Indices that an innermost loop runs at a time: registers of a block must stay in the first cache.
    static constexpr std::size_t block = 256;

    /// A scalar instruction that knows the function which runs it.
    template <class T> struct threaded;

    /// The registers of one thread, for one scalar type.
    template <class T> struct registers final : engine::workspace {
        explicit registers(bytecode const& program);
        registers(registers const& other);
        registers& operator=(registers const&) = delete;
        ~registers() override;
        [[nodiscard]] std::unique_ptr<workspace> copy() const override;
        std::vector<T> scalars;
        std::vector<T> blocks;
        std::vector<T const*> vectors; ///< blocks, then streams: contiguous inputs that are read in place
        std::vector<std::int64_t> counters;
        std::vector<std::vector<threaded<T>>> scalar_code; ///< of each loop, then of the outermost scope
    };

    [[nodiscard]] std::size_t outputs() const override { return extent_.outputs; }
    [[nodiscard]] std::size_t parameters() const override { return extent_.parameters(); }
    [[nodiscard]] std::unique_ptr<workspace> work() const override;
    void evaluate(inputs<double> const& from, std::span<double> out, workspace& work) const override;

    /// The same in any scalar type that this library has instantiated: double and long double.
    template <class T> void evaluate(inputs<T> const& from, std::span<T> out, registers<T>& work) const;

    /// Instructions of all loops and of the scalar code: a measure of the program's size.
    [[nodiscard]] std::size_t instruction_count() const;

private:
    friend class bytecode_compiler;
    template <class T> friend class bytecode_machine;

    /// Operations of the graph keep their numbers.
    enum class code : std::uint16_t {
        first_own = 64,
        multiply_add,
        multiply_subtract,
        subtract_product, // a*b + c, a*b - c, c - a*b; here and below every operation rounds
        add_products,
        subtract_products,
        multiply_three,
        invert_root,
        divide_by_root, // a*b + c*e, a*b - c*e, a*b*c, 1/sqrt(a), a/sqrt(b): in scalar code only
        load,
        index,
        clear,
        accumulate,
        accumulate_negative,
        store,
        store_negative,
        assign,
        assign_negative,
        store_fixed,
        store_fixed_negative,
        assign_fixed,
        assign_fixed_negative,
        loop,
        end, // fixed: d is the output itself
    };
    /// Which operands of an instruction of a block are scalars.
    static constexpr std::uint16_t scalar_a = 1, scalar_b = 2, scalar_c = 4;

    struct instruction {
        std::uint16_t op = 0;
        std::uint16_t mode = 0;
        std::uint32_t d = 0, a = 0, b = 0, c = 0, e = 0;
    };
    /// A slot that depends on counters of loops.
    struct address {
        source from = source::position;
        std::int64_t constant = 0;
        std::int64_t stride = 0; // by the innermost counter, in an innermost loop
        std::vector<std::pair<std::uint32_t, std::int64_t>> terms;
    };
    struct stream {
        std::uint32_t vector = 0;
        std::uint32_t where = 0; // an address
    };
    struct loop {
        std::uint32_t counter = 0;
        bool innermost = false;
        std::vector<address> lower, upper;
        std::vector<stream> streams;
        std::vector<instruction> body;
    };
    /// Consecutive elements that go into consecutive scalar registers before anything else happens.
    struct input {
        source from = source::position;
        std::uint32_t target = 0;
        std::uint32_t slot = 0;
        std::uint32_t count = 0;
    };
    /// Consecutive scalar registers that become consecutive outputs after all else.
    struct result {
        std::uint32_t from = 0;
        std::uint32_t slot = 0;
        std::uint32_t count = 0;
    };

    static std::int64_t at(address const& where, std::int64_t const* counters) {
        auto slot = where.constant;
        for (auto const& [counter, factor] : where.terms) slot += factor * counters[counter];
        return slot;
    }

    needed_sizes extent_;
    std::vector<long double> constants_; // the first scalar registers
    std::vector<input> inputs_;
    std::vector<result> results_;
    std::uint32_t scalar_count_ = 0, block_count_ = 0, stream_count_ = 0, counter_count_ = 0;
    std::vector<address> addresses_;
    std::vector<loop> loops_;
    std::vector<instruction> main_;
    std::vector<std::pair<std::size_t, std::size_t>> zeros_; // outputs that nothing assigns
};

} // namespace lento::expression
