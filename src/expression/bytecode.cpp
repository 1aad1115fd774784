#include "lento/expression/bytecode.hpp"

#include "lento/expression/arithmetic.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>

namespace lento::expression {

template <class T> class bytecode_machine;

/// Every function ends by calling that of the next instruction. With optimisation this is a jump, and a jump of its own
/// for every instruction is predicted better than one for all; without it, pauses bound the depth of the calls.
template <class T> struct bytecode::threaded {
    using handler = threaded const* (*)(T last, T* registers, threaded const* at, bytecode_machine<T>& machine);
    handler run = nullptr;
    std::uint32_t d = 0, a = 0, b = 0, c = 0, e = 0;
};

/// One evaluation.
template <class T> class bytecode_machine {
public:
    /// The scalar code with a function for each instruction.
    static std::vector<bytecode::threaded<T>> thread(std::vector<bytecode::instruction> const& code) {
        constexpr std::size_t between_pauses = 500;
        std::vector<threaded> made;
        std::optional<std::uint32_t> result; // the register that the last instruction wrote
        for (std::size_t i = 0; i < code.size(); ++i) {
            auto now = code[i];
            if (i % between_pauses == between_pauses - 1) {
                made.push_back({&pause, 0, 0, 0, 0, 0});
                result.reset();
            }
            if (is_sum_of_products(now.op)) { // of two factors the first may be the last result
                if (now.b == result) std::swap(now.a, now.b);
                if (now.e == result) std::swap(now.c, now.e);
            }
            made.push_back({handler_of(now.op, {now.a == result, now.b == result, now.c == result, now.e == result}),
                            now.d, now.a, now.b, now.c, now.e});
            if (now.op < static_cast<std::uint16_t>(bytecode::code::load)) result = now.d;
            else if (now.op <= static_cast<std::uint16_t>(bytecode::code::clear) ||
                     now.op >= static_cast<std::uint16_t>(bytecode::code::loop))
                result.reset();
        }
        return made;
    }

    bytecode_machine(bytecode const& program, inputs<T> const& from, T* out, bytecode::registers<T>& work)
        : program_(program)
        , work_(work)
        , scalars_(work.scalars.data())
        , bases_{from.position.data(), from.velocity.data(),  from.phase.data(),
                 &from.time,           from.direction.data(), from.parameter.data()}
        , out_(out) {}

    void run() {
        for (auto const& input : program_.inputs_)
            copy(bases_[static_cast<std::size_t>(input.from)] + input.slot, scalars_ + input.target, input.count);
        for (auto const& [begin, end] : program_.zeros_) std::fill(out_ + begin, out_ + end, T(0));
        scalar_code(work_.scalar_code.back().data());
        for (auto const& result : program_.results_) copy(scalars_ + result.from, out_ + result.slot, result.count);
    }

private:
    using code = bytecode::code;
    using instruction = bytecode::instruction;
    using threaded = bytecode::threaded<T>;
    using handler = typename threaded::handler;

    /// One number at a time: wide loads would wait for the single stores before them. The fence, which costs no
    /// instruction, keeps the compiler from making them.
    static void copy(T const* from, T* to, std::size_t count) {
        auto const one = [&](std::size_t k) {
            std::atomic_signal_fence(std::memory_order_acq_rel);
            to[k] = from[k];
        };
        for (; count >= 4; count -= 4, from += 4, to += 4) one(0), one(1), one(2), one(3);
        for (std::size_t k = 0; k < count; ++k) one(k);
    }

    [[nodiscard]] std::int64_t at(std::uint32_t where) const {
        return bytecode::at(program_.addresses_[where], work_.counters.data());
    }

    /// Runs until the end; each function calls the next one, and returns only now and then.
    void scalar_code(threaded const* i) {
        while (i != nullptr) i = i->run(T(0), scalars_, i, *this);
    }

    void run_loop(std::size_t number) {
        auto const& loop = program_.loops_[number];
        auto low = bytecode::at(loop.lower[0], work_.counters.data());
        auto high = bytecode::at(loop.upper[0], work_.counters.data());
        for (auto const& bound : loop.lower) low = std::max(low, bytecode::at(bound, work_.counters.data()));
        for (auto const& bound : loop.upper) high = std::min(high, bytecode::at(bound, work_.counters.data()));
        auto& counter = work_.counters[loop.counter];
        if (!loop.innermost) {
            for (auto i = low; i <= high; ++i) {
                counter = i;
                scalar_code(work_.scalar_code[number].data());
            }
            return;
        }
        constexpr auto block = static_cast<std::int64_t>(bytecode::block);
        for (auto i = low; i <= high; i += block) {
            counter = i;
            for (auto const& stream : loop.streams)
                work_.vectors[stream.vector] =
                    bases_[static_cast<std::size_t>(program_.addresses_[stream.where].from)] + at(stream.where);
            block_code(loop, static_cast<std::size_t>(std::min(block, high - i + 1)));
        }
    }

    // ------------------------------------------------------------ scalar code

    // The last result is also handed on in a machine register: waiting for it to come back from memory would take as
    // long as the arithmetic. Flags say which operands are that last result.

    static threaded const* pause(T, T*, threaded const* i, bytecode_machine&) { return i + 1; }
    static threaded const* end(T, T*, threaded const*, bytecode_machine&) { return nullptr; }

    /// The instruction, with the pointer moved on to the next one. The compiler is kept from looking through this: it
    /// would hold both pointers, which takes two machine instructions more.
    static threaded const& passed(threaded const*& i) {
        ++i;
        asm("" : "+r"(i)); // NOLINT(hicpp-no-assembler): no instruction
        return i[-1];
    }

    template <class F, bool A> static threaded const* unary(T last, T* r, threaded const* i, bytecode_machine& m) {
        auto const& now = passed(i);
        auto const result = F{}(A ? last : r[now.a]);
        r[now.d] = result;
        return i->run(result, r, i, m);
    }
    template <class F, bool A, bool B>
    static threaded const* binary(T last, T* r, threaded const* i, bytecode_machine& m) {
        auto const& now = passed(i);
        auto const result = F{}(A ? last : r[now.a], B ? last : r[now.b]);
        r[now.d] = result;
        return i->run(result, r, i, m);
    }
    template <class F, bool A, bool B, bool C>
    static threaded const* ternary(T last, T* r, threaded const* i, bytecode_machine& m) {
        auto const& now = passed(i);
        auto const result = F{}(A ? last : r[now.a], B ? last : r[now.b], C ? last : r[now.c]);
        r[now.d] = result;
        return i->run(result, r, i, m);
    }
    template <class F, bool A, bool B, bool C, bool E>
    static threaded const* quaternary(T last, T* r, threaded const* i, bytecode_machine& m) {
        auto const& now = passed(i);
        auto const result = F{}(A ? last : r[now.a], B ? last : r[now.b], C ? last : r[now.c], E ? last : r[now.e]);
        r[now.d] = result;
        return i->run(result, r, i, m);
    }
    /// What takes one value and leaves nothing.
    template <class F, bool A> static threaded const* consumer(T last, T* r, threaded const* i, bytecode_machine& m) {
        auto const& now = passed(i);
        F{}(r, now, m, A ? last : r[now.a]);
        return i->run(last, r, i, m);
    }
    template <class F> static threaded const* other(T last, T* r, threaded const* i, bytecode_machine& m) {
        auto const& now = passed(i);
        F{}(r, now, m);
        return i->run(last, r, i, m);
    }

    /// Which operands are the last result.
    struct reuse {
        bool a = false, b = false, c = false, e = false;
    };
    static bool is_sum_of_products(std::uint16_t op) {
        return op == static_cast<std::uint16_t>(code::add_products) ||
               op == static_cast<std::uint16_t>(code::subtract_products);
    }

    template <class F> static handler as_unary(F, reuse last) { return last.a ? &unary<F, true> : &unary<F, false>; }
    template <class F> static handler as_binary(F, reuse last) {
        if (last.a && last.b) return &binary<F, true, true>;
        return last.a ? &binary<F, true, false> : last.b ? &binary<F, false, true> : &binary<F, false, false>;
    }
    template <class F> static handler as_ternary(F, reuse last) {
        if (last.a && last.b) return &ternary<F, true, true, false>;
        if (last.a) return &ternary<F, true, false, false>;
        return last.b   ? &ternary<F, false, true, false>
               : last.c ? &ternary<F, false, false, true>
                        : &ternary<F, false, false, false>;
    }
    /// Of sums of two products, whose first factors are the last result if any factor is.
    template <class F> static handler as_quaternary(F, reuse last) {
        if (last.a && last.b) return &quaternary<F, true, true, false, false>;
        if (last.c && last.e) return &quaternary<F, false, false, true, true>;
        if (last.a && last.c) return &quaternary<F, true, false, true, false>;
        return last.a   ? &quaternary<F, true, false, false, false>
               : last.c ? &quaternary<F, false, false, true, false>
                        : &quaternary<F, false, false, false, false>;
    }
    template <class F> static handler as_consumer(F, reuse last) {
        return last.a ? &consumer<F, true> : &consumer<F, false>;
    }
    template <class F> static handler as_other(F) { return &other<F>; }

    static handler handler_of(std::uint16_t op, reuse last) {
        auto const plain = static_cast<operation>(op);
        if (op > static_cast<std::uint16_t>(code::first_own)) return own_handler(static_cast<code>(op), last);
        if (is_unary(plain)) return visit_unary<T>(plain, [last](auto f) { return as_unary(f, last); });
        return visit_binary<T>(plain, [last](auto f) { return as_binary(f, last); });
    }

    static handler own_handler(code op, reuse last) {
        using where = threaded const&;
        using machine = bytecode_machine&;
        switch (op) {
        case code::multiply_add: return as_ternary([](T a, T b, T c) { return a * b + c; }, last);
        case code::multiply_subtract: return as_ternary([](T a, T b, T c) { return a * b - c; }, last);
        case code::subtract_product: return as_ternary([](T a, T b, T c) { return c - a * b; }, last);
        case code::add_products: return as_quaternary([](T a, T b, T c, T e) { return a * b + c * e; }, last);
        case code::subtract_products: return as_quaternary([](T a, T b, T c, T e) { return a * b - c * e; }, last);
        case code::multiply_three: return as_ternary([](T a, T b, T c) { return a * b * c; }, last);
        case code::invert_root: return as_unary([](T a) { return T(1) / std::sqrt(a); }, last);
        case code::divide_by_root: return as_binary([](T a, T b) { return a / std::sqrt(b); }, last);
        case code::load: return as_other([](T* r, where i, machine m) { r[i.d] = m.loaded(i.a); });
        case code::index:
            return as_other([](T* r, where i, machine m) { r[i.d] = static_cast<T>(m.work_.counters[i.a]); });
        case code::clear: return as_other([](T* r, where i, machine) { r[i.d] = T(0); });
        case code::accumulate: return as_consumer([](T* r, where i, machine, T a) { r[i.d] += a; }, last);
        case code::accumulate_negative: return as_consumer([](T* r, where i, machine, T a) { r[i.d] -= a; }, last);
        case code::store: return as_consumer([](T*, where i, machine m, T a) { m.out_[m.at(i.d)] += a; }, last);
        case code::store_negative:
            return as_consumer([](T*, where i, machine m, T a) { m.out_[m.at(i.d)] -= a; }, last);
        case code::store_fixed: return as_consumer([](T*, where i, machine m, T a) { m.out_[i.d] += a; }, last);
        case code::store_fixed_negative:
            return as_consumer([](T*, where i, machine m, T a) { m.out_[i.d] -= a; }, last);
        case code::assign_fixed: return as_consumer([](T*, where i, machine m, T a) { m.out_[i.d] = a; }, last);
        case code::assign_fixed_negative:
            return as_consumer([](T*, where i, machine m, T a) { m.out_[i.d] = -a; }, last);
        case code::loop: return as_other([](T*, where i, machine m) { m.run_loop(i.a); });
        default: return &end;
        }
    }

    [[nodiscard]] T loaded(std::uint32_t where) const {
        return bases_[static_cast<std::size_t>(program_.addresses_[where].from)][at(where)];
    }

    // ------------------------------------------------------------ blocks

    [[nodiscard]] T const* operand(instruction const& i, std::uint16_t flag, std::uint32_t where) const {
        return (i.mode & flag) != 0 ? scalars_ + where : work_.vectors[where];
    }

    void block_code(bytecode::loop const& loop, std::size_t count) {
        for (auto const& i : loop.body) {
            auto const op = static_cast<operation>(i.op);
            if (i.op > static_cast<std::uint16_t>(code::first_own)) {
                block_own(i, count);
            } else if (is_unary(op)) {
                visit_unary<T>(op, [&](auto f) {
                    map(f, count, work_.blocks.data() + i.d * bytecode::block, work_.vectors[i.a]);
                });
            } else {
                auto const* a = operand(i, bytecode::scalar_a, i.a);
                auto const* b = operand(i, bytecode::scalar_b, i.b);
                visit_binary<T>(
                    op, [&](auto f) { map(f, i.mode, count, work_.blocks.data() + i.d * bytecode::block, a, b); });
            }
        }
    }

    void block_own(instruction const& i, std::size_t count) {
        auto const d = i.d * bytecode::block;
        switch (static_cast<code>(i.op)) {
        case code::multiply_add: product(i, count, [](T a, T b, T c) { return a * b + c; }); break;
        case code::multiply_subtract: product(i, count, [](T a, T b, T c) { return a * b - c; }); break;
        case code::subtract_product: product(i, count, [](T a, T b, T c) { return c - a * b; }); break;
        case code::load: gather(i, count); break;
        case code::index:
            for (std::size_t k = 0; k < count; ++k)
                work_.blocks[d + k] = static_cast<T>(work_.counters[i.a] + static_cast<std::int64_t>(k));
            break;
        case code::accumulate: accumulate(i, count, [](T a, T b) { return a + b; }); break;
        case code::accumulate_negative: accumulate(i, count, [](T a, T b) { return a - b; }); break;
        case code::store: scatter(i, count, [](T a, T b) { return a + b; }); break;
        case code::store_negative: scatter(i, count, [](T a, T b) { return a - b; }); break;
        case code::assign: scatter(i, count, [](T, T b) { return b; }); break;
        default: scatter(i, count, [](T, T b) { return -b; }); break;
        }
    }

    template <class F> static void map(F f, std::size_t count, T* __restrict d, T const* __restrict a) {
        for (std::size_t k = 0; k < count; ++k) d[k] = f(a[k]);
    }

    template <class F>
    static void map(F f, std::uint16_t mode, std::size_t count, T* __restrict d, T const* a, T const* b) {
        if (mode == 0) {
            for (std::size_t k = 0; k < count; ++k) d[k] = f(a[k], b[k]);
        } else if (mode == bytecode::scalar_a) {
            auto const fixed = *a;
            for (std::size_t k = 0; k < count; ++k) d[k] = f(fixed, b[k]);
        } else {
            auto const fixed = *b;
            for (std::size_t k = 0; k < count; ++k) d[k] = f(a[k], fixed);
        }
    }

    template <class F> void product(instruction const& i, std::size_t count, F f) {
        T* const d = work_.blocks.data() + i.d * bytecode::block;
        auto const* a = operand(i, bytecode::scalar_a, i.a);
        auto const* b = operand(i, bytecode::scalar_b, i.b);
        auto const* c = operand(i, bytecode::scalar_c, i.c);
        if ((i.mode & bytecode::scalar_c) != 0) {
            auto const fixed = *c;
            map([f, fixed](T x, T y) { return f(x, y, fixed); },
                static_cast<std::uint16_t>(i.mode & ~bytecode::scalar_c), count, d, a, b);
        } else if (i.mode == 0) {
            three(f, count, d, a, b, c);
        } else {
            auto const fixed = (i.mode & bytecode::scalar_a) != 0 ? *a : *b;
            auto const* other = (i.mode & bytecode::scalar_a) != 0 ? b : a;
            map([f, fixed](T x, T y) { return f(fixed, x, y); }, 0, count, d, other, c); // factors may change places
        }
    }

    template <class F> static void three(F f, std::size_t count, T* __restrict d, T const* a, T const* b, T const* c) {
        for (std::size_t k = 0; k < count; ++k) d[k] = f(a[k], b[k], c[k]);
    }

    void gather(instruction const& i, std::size_t count) {
        auto const& where = program_.addresses_[i.a];
        T const* from = bases_[static_cast<std::size_t>(where.from)] + bytecode::at(where, work_.counters.data());
        T* const d = work_.blocks.data() + i.d * bytecode::block;
        for (std::size_t k = 0; k < count; ++k) d[k] = from[static_cast<std::int64_t>(k) * where.stride];
    }

    /// One index after the other: the sum is that of a plain loop.
    template <class F> void accumulate(instruction const& i, std::size_t count, F f) {
        auto total = scalars_[i.d];
        if ((i.mode & bytecode::scalar_a) != 0) {
            auto const fixed = scalars_[i.a];
            for (std::size_t k = 0; k < count; ++k) total = f(total, fixed);
        } else {
            auto const* a = work_.vectors[i.a];
            for (std::size_t k = 0; k < count; ++k) total = f(total, a[k]);
        }
        scalars_[i.d] = total;
    }

    template <class F> void scatter(instruction const& i, std::size_t count, F f) {
        auto const& where = program_.addresses_[i.d];
        T* const to = out_ + bytecode::at(where, work_.counters.data());
        auto const* a = operand(i, bytecode::scalar_a, i.a);
        if ((i.mode & bytecode::scalar_a) != 0) {
            auto const fixed = *a;
            for (std::size_t k = 0; k < count; ++k)
                to[static_cast<std::int64_t>(k) * where.stride] =
                    f(to[static_cast<std::int64_t>(k) * where.stride], fixed);
        } else if (where.stride == 1) {
            contiguous(f, count, to, a);
        } else {
            for (std::size_t k = 0; k < count; ++k)
                to[static_cast<std::int64_t>(k) * where.stride] =
                    f(to[static_cast<std::int64_t>(k) * where.stride], a[k]);
        }
    }

    template <class F> static void contiguous(F f, std::size_t count, T* __restrict to, T const* __restrict a) {
        for (std::size_t k = 0; k < count; ++k) to[k] = f(to[k], a[k]);
    }

    bytecode const& program_;
    bytecode::registers<T>& work_;
    T* scalars_;
    std::array<T const*, source_count> bases_;
    T* out_;
};

template <class T> bytecode::registers<T>::registers(bytecode const& program)
    : scalars(program.scalar_count_)
    , blocks(program.block_count_ * block)
    , vectors(program.block_count_ + program.stream_count_)
    , counters(program.counter_count_) {
    for (std::size_t i = 0; i < program.constants_.size(); ++i) scalars[i] = static_cast<T>(program.constants_[i]);
    for (std::size_t i = 0; i < program.block_count_; ++i) vectors[i] = blocks.data() + i * block;
    for (auto const& loop : program.loops_)
        scalar_code.push_back(bytecode_machine<T>::thread(loop.innermost ? std::vector<instruction>{} : loop.body));
    scalar_code.push_back(bytecode_machine<T>::thread(program.main_));
}

template <class T> bytecode::registers<T>::registers(registers const& other)
    : engine::workspace(other)
    , scalars(other.scalars)
    , blocks(other.blocks)
    , vectors(other.vectors.size())
    , counters(other.counters)
    , scalar_code(other.scalar_code) {
    // streams, which come after, are found anew by every loop
    for (std::size_t i = 0; i < blocks.size() / block; ++i) vectors[i] = blocks.data() + i * block;
}

template <class T> bytecode::registers<T>::~registers() = default;

template <class T> std::unique_ptr<engine::workspace> bytecode::registers<T>::copy() const {
    return std::make_unique<registers>(*this);
}

template <class T> void bytecode::evaluate(inputs<T> const& from, std::span<T> out, registers<T>& work) const {
    extent_.require(from, out);
    bytecode_machine<T>(*this, from, out.data(), work).run();
}

std::unique_ptr<engine::workspace> bytecode::work() const { return std::make_unique<registers<double>>(*this); }

void bytecode::evaluate(inputs<double> const& from, std::span<double> out, workspace& work) const {
    evaluate<double>(from, out, static_cast<registers<double>&>(work));
}

template struct bytecode::registers<double>;
template struct bytecode::registers<long double>;
template void bytecode::evaluate(inputs<double> const&, std::span<double>, registers<double>&) const;
template void bytecode::evaluate(inputs<long double> const&, std::span<long double>, registers<long double>&) const;

} // namespace lento::expression
