#include "expression/llvm_engine.hpp"

#include "expression/llvm_library.hpp"
#include "expression/llvm_text.hpp"
#include "lento/expression/arithmetic.hpp"
#include "lento/expression/bytecode.hpp"
#include "lento/expression/error.hpp"
#include "lento/expression/memory_room.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace lento::expression {

namespace {

template <class Function> std::uint64_t address_of_function(Function* function) {
    return reinterpret_cast<std::uintptr_t>(function);
}

/// The address of the function that the other engines call for an operation.
std::uint64_t address_of(operation op) {
    if (is_unary(op))
        return visit_unary<double>(op, [](auto f) {
            static constexpr auto call = +[](double a) { return decltype(f){}(a); };
            return address_of_function(call);
        });
    return visit_binary<double>(op, [](auto f) {
        static constexpr auto call = +[](double a, double b) { return decltype(f){}(a, b); };
        return address_of_function(call);
    });
}

/// A text with the declarations of what it calls, and where that is.
struct whole_text {
    std::string text;
    std::vector<outside_function> outside;
};

/// Declares elementary functions. In loops of families LLVM may call the variants for whole vectors, which the system's
/// mathematical library keeps within 4 units in the last place.
whole_text completed(llvm_machine const& machine, std::string const& body, std::set<operation> const& called) {
    whole_text made{preamble(machine.version()) + body, {}};
    // what LLVM makes of loops that fill or copy
    made.outside.push_back({"memset", address_of_function(&std::memset)});
    made.outside.push_back({"memcpy", address_of_function(&std::memcpy)});
    made.outside.push_back({"memmove", address_of_function(&std::memmove)});
    made.text += "declare double @llvm.sqrt.f64(double)\ndeclare double @llvm.fabs.f64(double)\n"
                 "attributes #0 = { nounwind }\nattributes #1 = { alwaysinline }\n";
    std::string kept;
    std::size_t kept_count = 0;
    for (auto const op : called) {
        auto const name = outside_name(op);
        auto const bare = name.substr(std::string_view("lento_").size());
        bool const two = is_binary(op);
        std::string mapping;
        for (auto const& [letter, lanes] : machine.variants()) {
            auto const stem = std::string("_ZGV") + letter + "N" + std::to_string(lanes) + (two ? "vv_" : "v_");
            auto const address = machine.vector_function(stem + bare);
            if (address == 0) continue;
            made.outside.push_back({stem + bare, address});
            auto const type = "<" + std::to_string(lanes) + " x double>";
            auto const arguments = "(" + type + (two ? ", " + type : "") + ")";
            made.text += "declare " + type + " @" + stem + bare + arguments + " #2\n";
            mapping += (mapping.empty() ? "" : ",") + stem + name + "(" + stem + bare + ")";
            kept += std::string(kept_count++ == 0 ? "" : ", ") + "%bytes bitcast (" +
                    pointer_to(type + " " + arguments, machine.version()) + " @" + stem + bare + " to %bytes)";
        }
        made.text += "declare double @" + name + (two ? "(double, double) #2\n" : "(double) #2\n");
        made.text += "attributes " + attributes_of(op) + " = { nounwind readnone willreturn" +
                     (mapping.empty() ? "" : R"( "vector-function-abi-variant"=")" + mapping + "\"") + " }\n";
        made.outside.push_back({name, address_of(op)});
    }
    made.text += "attributes #2 = { nounwind readnone willreturn }\n";
    if (kept_count > 0) // else they would be taken for superfluous before loops become vector code
        made.text += "@llvm.compiler.used = appending global [" + std::to_string(kept_count) + " x %bytes] [" + kept +
                     "], section \"llvm.metadata\"\n";
    return made;
}

/// The loop of steps that was asked for last: to look for it again would take a lock, for which threads would wait.
struct known_loop {
    step_loop_kind kind;
    step_loop_function* run = nullptr;
};

/// LLVM's time to understand loops inside loops doubles with each of them: here it takes a tenth of a second.
constexpr std::size_t deepest_loops = 10;

class llvm_engine final : public engine {
public:
    llvm_engine(llvm_machine const& machine, llvm_text text, needed_sizes const& size)
        : machine_(machine)
        , text_(std::move(text))
        , extent_(size)
        , code_(compiled("define " + text_.function, text_.has_loops()))
        , evaluate_(code_.function<machine_function>("evaluate")) {}

    [[nodiscard]] std::size_t outputs() const override { return extent_.outputs; }
    [[nodiscard]] std::size_t parameters() const override { return extent_.parameters(); }
    [[nodiscard]] std::unique_ptr<workspace> work() const override { return std::make_unique<memory>(); }
    void evaluate(inputs<double> const& from, std::span<double> out, workspace&) const override { run(from, out); }
    [[nodiscard]] machine_function* function(workspace&) const override { return evaluate_; }
    [[nodiscard]] step_loop_function* step_loop(step_loop_kind const& kind, workspace& work) const override {
        return step_loop(kind, static_cast<memory&>(work).last);
    }

    void run(inputs<double> const& from, std::span<double> out) const {
        extent_.require(from, out);
        evaluate_(from.position.data(), from.velocity.data(), from.phase.data(), from.time, from.direction.data(),
                  from.parameter.data(), out.data());
    }
    [[nodiscard]] step_loop_function* step_loop(step_loop_kind const& kind, known_loop& last) const {
        if (last.run == nullptr || last.kind != kind) last = {kind, found_loop(kind)};
        return last.run;
    }

private:
    struct memory final : workspace {
        [[nodiscard]] std::unique_ptr<workspace> copy() const override { return std::make_unique<memory>(*this); }
        known_loop last;
    };

    /// Whether the arrays of a loop of steps are as long as the formulas need them.
    [[nodiscard]] bool fits(step_loop_kind const& kind) const {
        auto const needed = [this](source from) { return extent_.inputs[static_cast<std::size_t>(from)]; };
        return extent_.outputs == kind.size && needed(source::position) <= kind.size &&
               needed(source::velocity) <= kind.size && needed(source::phase) <= kind.phases &&
               needed(source::direction) == 0;
    }

    /// Compiled when it is first asked for.
    [[nodiscard]] step_loop_function* found_loop(step_loop_kind const& kind) const {
        if (!fits(kind)) return nullptr; // an evaluation says why
        if (kind.scheme == step_loop_scheme::rk4 && kind.size > step_loop_kind::most_in_registers) return nullptr;
        std::lock_guard const lock(guard_);
        auto const known = loops_.find(kind);
        if (known != loops_.end()) return known->second.function<step_loop_function>("step_loop");
        if (llvm_machine::lacks_room(text_.function.size())) return nullptr; // it goes without
        auto const loops = text_.has_loops() || kind.size > step_loop_kind::most_in_registers;
        auto const body = "define internal " + text_.function + step_loop_text(kind, machine_.version());
        return loops_.emplace(kind, compiled(body, loops)).first->second.function<step_loop_function>("step_loop");
    }

    [[nodiscard]] machine_code compiled(std::string const& body, bool loops) const {
        auto const whole = completed(machine_, body, text_.called);
        return {machine_, whole.text, whole.outside, loops ? vector_code::yes : vector_code::no};
    }

    llvm_machine const& machine_;
    llvm_text text_;
    needed_sizes extent_;
    machine_code code_;
    machine_function* evaluate_;
    mutable std::mutex guard_;
    mutable std::map<step_loop_kind, machine_code> loops_;
};

class adaptive_engine final : public engine {
public:
    adaptive_engine(graph const& g, schedule const& outputs)
        : bytecode_(g, outputs)
        , text_(evaluation_text(g, outputs))
        , extent_(needed_sizes_of(g, outputs))
        , effort_(effort(g, outputs)) {}

    [[nodiscard]] std::size_t outputs() const override { return extent_.outputs; }
    [[nodiscard]] std::size_t parameters() const override { return extent_.parameters(); }
    [[nodiscard]] std::unique_ptr<workspace> work() const override {
        return std::make_unique<memory>(bytecode_.work());
    }
    void evaluate(inputs<double> const& from, std::span<double> out, workspace& work) const override {
        auto& mine = static_cast<memory&>(work);
        if (mine.compiled != nullptr) {
            mine.compiled->run(from, out);
            return;
        }
        mine.spent += effort_;
        if (mine.spent > enough) change(mine);
        bytecode_.evaluate(from, out, *mine.bytecode);
    }
    [[nodiscard]] machine_function* function(workspace& work) const override {
        auto const& mine = static_cast<memory&>(work);
        return mine.compiled == nullptr ? nullptr : mine.compiled->function(work);
    }
    [[nodiscard]] step_loop_function* step_loop(step_loop_kind const& kind, workspace& work) const override {
        auto& mine = static_cast<memory&>(work);
        return mine.compiled == nullptr ? nullptr : mine.compiled->step_loop(kind, mine.last);
    }

private:
    /// Steps that take the bytecode about as long as LLVM needs to start and compile.
    static constexpr double enough = 4e7;
    /// LLVM's time to compile grows faster than the text.
    static constexpr std::size_t longest_text = 1'000'000;

    struct memory final : workspace {
        explicit memory(std::unique_ptr<workspace> of_bytecode) : bytecode(std::move(of_bytecode)) {}
        [[nodiscard]] std::unique_ptr<workspace> copy() const override { return std::make_unique<memory>(*this); }
        engine_work bytecode;
        double spent = 0;
        llvm_engine const* compiled = nullptr;
        known_loop last;
    };

    void change(memory& mine) const {
        mine.spent = -std::numeric_limits<double>::infinity(); // one attempt
        if (text_.function.size() > longest_text || text_.depth > deepest_loops) return;
        std::call_once(once_, [this] {
            if (llvm_machine::lacks_room(text_.function.size())) return;
            if (auto const* machine = llvm_machine::find()) compiled_.emplace(*machine, text_, extent_);
        });
        if (compiled_) mine.compiled = &*compiled_;
    }

    bytecode bytecode_;
    llvm_text text_;
    needed_sizes extent_;
    double effort_;
    mutable std::once_flag once_;
    mutable std::optional<llvm_engine> compiled_;
};

} // namespace

namespace {

[[noreturn]] void require_llvm() {
    if (llvm_lacks_memory()) throw no_room(llvm_is_lacking());
    throw std::runtime_error(llvm_is_lacking());
}

} // namespace

std::unique_ptr<engine> compile_llvm(graph const& g, schedule const& outputs) {
    auto const* const machine = llvm_machine::find();
    if (machine == nullptr) require_llvm();
    auto const sizes = needed_sizes_of(g, outputs);
    auto text = evaluation_text(g, outputs);
    if (text.depth > deepest_loops)
        throw formula_error("LLVM would take too long to compile more than " + std::to_string(deepest_loops) +
                                " loops inside each other; use the engine bytecode.",
                            {});
    if (llvm_machine::lacks_room(text.function.size()))
        throw no_room("LLVM cannot compile these formulas: the limit on memory leaves too little for so long a text. "
                      "Raise the limit (ulimit -v, --max-memory), or use the engine bytecode.");
    return std::make_unique<llvm_engine>(*machine, std::move(text), sizes);
}

std::unique_ptr<engine> compile_adaptive(graph const& g, schedule const& outputs) {
    return std::make_unique<adaptive_engine>(g, outputs);
}

} // namespace lento::expression
