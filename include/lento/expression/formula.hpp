#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <lento/expression/engine.hpp>
#include <lento/expression/graph.hpp>

namespace lento::expression {

template <class T> class compiled_formula_in;
using compiled_formula = compiled_formula_in<double>; // whoever compiles includes compiled_formula.hpp

/// Formulas as they are known before a run asks for them: what they depend on can be asked, and they are compiled with
/// the engine that it wants. A value; copies share the graph, which nobody changes.
class formula {
public:
    formula() = default; ///< none
    formula(std::shared_ptr<expression::graph const> in, std::vector<statement> statements, std::size_t outputs)
        : graph_(std::move(in))
        , statements_(std::make_shared<std::vector<statement> const>(std::move(statements)))
        , outputs_(outputs) {}

    /// Those of a function of another language, which are compiled already: see `foreign_formula`.
    formula(std::shared_ptr<engine const> code, std::vector<source> reads)
        : code_(std::move(code)), reads_(std::move(reads)), outputs_(code_->outputs()) {}

    [[nodiscard]] explicit operator bool() const { return graph_ != nullptr || code_ != nullptr; }
    [[nodiscard]] bool is_foreign() const { return code_ != nullptr; }
    [[nodiscard]] std::size_t outputs() const { return outputs_; }
    /// These two not of a function of another language.
    [[nodiscard]] expression::graph const& graph() const { return *graph_; }
    [[nodiscard]] std::vector<statement> const& statements() const { return *statements_; }
    [[nodiscard]] bool uses(source from) const;
    [[nodiscard]] compiled_formula compile(engine_kind with = engine_kind::automatic) const;

private:
    std::shared_ptr<expression::graph const> graph_;
    std::shared_ptr<std::vector<statement> const> statements_;
    std::shared_ptr<engine const> code_;
    std::vector<source> reads_;
    std::size_t outputs_ = 0;
};

} // namespace lento::expression
