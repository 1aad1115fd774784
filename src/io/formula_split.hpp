#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <lento/io/problem.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/linear_flow.hpp>

namespace lento::detail {

/// A split system whose parts are a problem's compiled formulas; a linear fast part is kept as its matrix.
template <bool Linear> class formula_split {
public:
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = point<vector>;
    static constexpr bool is_linear = Linear;

    struct work_type {
        std::unique_ptr<expression::engine::workspace> fast_formulas;
        std::unique_ptr<expression::engine::workspace> slow_formulas;
        vector slow;
        std::uint64_t force_evaluations = 0;
    };

    explicit formula_split(problem const& what)
        : space_(what.size), fast_(what.fast), slow_(what.slow), epsilon_(what.epsilon), period_(what.period) {
        if constexpr (Linear) {
            flow_ = linear_flow(what.fast_matrix);
            flow_.generator(matrix_);
        }
    }

    [[nodiscard]] dynamic const& space() const { return space_; }
    [[nodiscard]] work_type work() const { return {fast_->work(), slow_->work(), space_.zeros<double>()}; }
    void count(work_type const& work, statistics& counts) const { counts.force_evaluations += work.force_evaluations; }

    [[nodiscard]] double epsilon() const { return epsilon_; }
    [[nodiscard]] double period() const { return period_; }
    [[nodiscard]] linear_flow const& flow() const
        requires(Linear)
    {
        return flow_;
    }

    void rate(double t, vector const& x, vector& out, work_type& work) const { weighted_rate(t, 1, x, out, work); }
    void weighted_rate(double t, double weight, vector const& x, vector& out, work_type& work) const {
        ++work.force_evaluations;
        double const factor = 1 / epsilon_;
        call_fast(x, out, work);
        if (weight == 0) {
            for (auto& component : out) component *= factor;
            return;
        }
        slow_->evaluate({.position = x, .time = t}, work.slow, *work.slow_formulas);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = factor * out[i] + weight * work.slow[i];
    }
    void fast_rate(vector const& x, vector& out, work_type& work) const {
        ++work.force_evaluations;
        call_fast(x, out, work);
    }
    void slow_rate(double t, vector const& x, vector& out, work_type& work) const {
        ++work.force_evaluations;
        slow_->evaluate({.position = x, .time = t}, out, *work.slow_formulas);
    }

private:
    void call_fast(vector const& x, vector& out, work_type& work) const {
        if constexpr (Linear) flow_.apply(matrix_, x, out);
        else fast_->evaluate({.position = x}, out, *work.fast_formulas);
    }

    dynamic space_;
    compiled_formulas fast_;
    compiled_formulas slow_;
    double epsilon_;
    double period_;
    linear_flow flow_;
    std::vector<double> matrix_;
};

} // namespace lento::detail
