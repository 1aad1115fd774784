#include "lento/expression/foreign_formula.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include <lento/base/misuse.hpp>

namespace lento::expression {
namespace {

class foreign_engine final : public engine {
public:
    foreign_engine(foreign_force function, std::size_t outputs, std::vector<source> const& reads)
        : function_(std::move(function))
        , outputs_(outputs)
        , velocity_(std::find(reads.begin(), reads.end(), source::velocity) != reads.end())
        , phase_(std::find(reads.begin(), reads.end(), source::phase) != reads.end()) {}

    [[nodiscard]] std::size_t outputs() const override { return outputs_; }
    [[nodiscard]] std::size_t parameters() const override { return 0; }
    [[nodiscard]] std::unique_ptr<workspace> work() const override { return std::make_unique<nothing>(); }
    void evaluate(inputs<double> const& from, std::span<double> out, workspace&) const override {
        require_size("the list of outputs", out.size(), outputs_);
        foreign_force::work_type own;
        function_({.position = from.position,
                   .velocity = velocity_ ? from.velocity : std::span<double const>(),
                   .phase = phase_ ? from.phase : std::span<double const>(),
                   .time = from.time},
                  out, own);
    }

private:
    struct nothing final : workspace {
        [[nodiscard]] std::unique_ptr<workspace> copy() const override { return std::make_unique<nothing>(); }
    };

    foreign_force function_;
    std::size_t outputs_;
    bool velocity_;
    bool phase_;
};

} // namespace

formula foreign_formula(foreign_force function, std::size_t outputs, std::vector<source> reads) {
    for (auto const from : {source::position, source::time}) reads.push_back(from);
    auto code = std::make_shared<foreign_engine const>(std::move(function), outputs, reads);
    return {std::move(code), std::move(reads)};
}

} // namespace lento::expression
