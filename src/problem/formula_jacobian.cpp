#include "problem/formula_jacobian.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "problem/functions.hpp"

#include <lento/base/misuse.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/system/phase.hpp>

namespace lento::detail {
namespace {

using expression::compiled_formula;
using expression::source;

/// The derivatives of the force by positions, or by velocities.
class block {
public:
    /// Contributions beyond this cost more than the differences that they spare.
    static constexpr std::int64_t most = 1'000'000;

    block(growing_graph const& graph, expression::formula const& force, source by, expression::engine_kind with) {
        auto made = derivatives_by(graph, force.statements(), force.outputs(), by, most);
        count_ = force.outputs();
        places_ = std::move(made.places);
        if (!places_.empty())
            formulas_.emplace_back(expression::formula(graph, std::move(made.values), places_.size()).compile(with));
    }

    struct work_type {
        std::vector<compiled_formula::work_type> formulas;
        std::vector<double> contributions;
    };
    [[nodiscard]] work_type work() const {
        work_type made{{}, std::vector<double>(places_.size())};
        for (auto const& each : formulas_) made.formulas.push_back(each.work());
        return made;
    }
    /// Calls add(row, column, value) for every contribution.
    template <class Add> void evaluate(expression::inputs<double> const& at, work_type& work, Add const& add) const {
        if (formulas_.empty()) return;
        formulas_.front().evaluate(at, work.contributions, work.formulas.front());
        for (std::size_t k = 0; k < places_.size(); ++k)
            if (auto const [row, column] = places_[k]; row < count_) add(row, column, work.contributions[k]);
    }

private:
    std::vector<compiled_formula> formulas_; ///< one, or none where all derivatives are zero
    std::vector<std::pair<std::size_t, std::size_t>> places_;
    std::size_t count_ = 0;
};

class formula_jacobian final : public rate_jacobian {
public:
    formula_jacobian(problem const& what, growing_graph const& graph, expression::engine_kind with)
        : coordinates_(what.size)
        , first_order_(what.first_order)
        , mass_(what.mass)
        , frequencies_(what.frequencies().begin(), what.frequencies().end())
        , phases_(what.phases().begin(), what.phases().end())
        , by_position_(graph, what.force, source::position, with)
        , by_velocity_(graph, what.force, source::velocity, with) {}

    [[nodiscard]] std::size_t size() const override { return first_order_ ? coordinates_ : 2 * coordinates_; }
    [[nodiscard]] std::unique_ptr<work> start() const override {
        return std::make_unique<own_work>(by_position_.work(), by_velocity_.work(), frequencies_.size(), coordinates_);
    }
    void evaluate(double t, std::span<double const> y, std::span<double> columns, work& w) const override {
        auto& own = static_cast<own_work&>(w);
        std::size_t const n = coordinates_;
        std::ranges::fill(columns, 0.);
        for (std::size_t j = 0; j < frequencies_.size(); ++j)
            own.theta[j] = reduced_phase(phases_[j], frequencies_[j], t);
        expression::inputs<double> const at{.position = y.first(n),
                                            .velocity = first_order_ ? std::span<double const>{} : y.subspan(n),
                                            .phase = own.theta,
                                            .time = t};
        if (first_order_) {
            by_position_.evaluate(at, own.by_position, [&](std::size_t row, std::size_t column, double value) {
                columns[column * n + row] += value;
            });
            return;
        }
        std::size_t const whole = 2 * n;
        for (std::size_t i = 0; i < n; ++i) columns[(n + i) * whole + i] = 1;
        by_position_.evaluate(at, own.by_position, [&](std::size_t row, std::size_t column, double value) {
            columns[column * whole + n + row] += value;
        });
        by_velocity_.evaluate(at, own.by_velocity, [&](std::size_t row, std::size_t column, double value) {
            columns[(n + column) * whole + n + row] += value;
        });
        for (std::size_t column = 0; column < whole; ++column) {
            auto const forces = columns.subspan(column * whole + n, n);
            std::ranges::copy(forces, own.force.begin());
            mass_.divide(own.force);
            std::ranges::copy(own.force, forces.begin());
        }
    }

private:
    struct own_work final : work {
        own_work(block::work_type position, block::work_type velocity, std::size_t phases, std::size_t coordinates)
            : by_position(std::move(position)), by_velocity(std::move(velocity)), theta(phases), force(coordinates) {}
        block::work_type by_position;
        block::work_type by_velocity;
        std::vector<double> theta;
        std::vector<double> force;
    };

    std::size_t coordinates_;
    bool first_order_;
    any_mass mass_;
    std::vector<double> frequencies_;
    std::vector<double> phases_;
    block by_position_;
    block by_velocity_;
};

} // namespace

std::shared_ptr<rate_jacobian const> jacobian_of(problem const& what, expression::engine_kind with) {
    std::size_t const size = what.first_order ? what.size : 2 * what.size;
    if (what.force.is_foreign() || what.constraints() != nullptr || size > largest_newton_matrix) return nullptr;
    try {
        auto const graph = std::make_shared<expression::graph>(what.force.graph());
        return std::make_shared<formula_jacobian>(what, graph, with);
    } catch (misuse const&) { return nullptr; } // more contributions than are worth it
}

} // namespace lento::detail
