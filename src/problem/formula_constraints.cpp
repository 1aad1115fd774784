#include "problem/formula_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <lento/base/arithmetic.hpp>
#include <lento/base/dense_solve.hpp>
#include <lento/base/misuse.hpp>

namespace lento::detail {

formula_constraints::formula_constraints(compiled_functions const& formulas, std::size_t coordinates)
    : formulas_(formulas), coordinates_(coordinates) {
    require_fewer_constraints(size(), coordinates);
    pattern_.resize(size());
    for (auto const& [row, column] : formulas_.places)
        if (row < size()) pattern_[row].push_back({column, 0});
    for (auto& row : pattern_) {
        auto const before = [](entry_of_row const& a, entry_of_row const& b) { return a.column < b.column; };
        std::sort(row.begin(), row.end(), before);
        row.erase(std::unique(row.begin(), row.end(),
                              [](entry_of_row const& a, entry_of_row const& b) { return a.column == b.column; }),
                  row.end());
        for (auto& each : row) each.place = entries_++;
    }
    for (auto const& [row, column] : formulas_.places) {
        if (row >= size()) {
            scatter_.push_back(entries_);
            continue;
        }
        auto const& all = pattern_[row];
        auto const found =
            std::lower_bound(all.begin(), all.end(), column,
                             [](entry_of_row const& a, std::size_t wanted) { return a.column < wanted; });
        scatter_.push_back(found->place);
    }
    users_.resize(coordinates);
    for (std::size_t j = 0; j < size(); ++j)
        for (auto const& each : pattern_[j]) users_[each.column].push_back({j, each.place});
    inverse_mass_.assign(coordinates, 1);
}

formula_constraints::formula_constraints(formula_constraints const& other) = default;
formula_constraints::formula_constraints(formula_constraints&& other) noexcept = default;
formula_constraints& formula_constraints::operator=(formula_constraints const& other) = default;
formula_constraints& formula_constraints::operator=(formula_constraints&& other) noexcept = default;
formula_constraints::~formula_constraints() = default;

formula_constraints::work_type::work_type() = default;
formula_constraints::work_type::work_type(work_type const& other) = default;
formula_constraints::work_type::work_type(work_type&& other) noexcept = default;
formula_constraints::work_type& formula_constraints::work_type::operator=(work_type const& other) = default;
formula_constraints::work_type& formula_constraints::work_type::operator=(work_type&& other) noexcept = default;
formula_constraints::work_type::~work_type() = default;

void formula_constraints::check(any_mass const& mass) {
    full_ = mass.is_full();
    if (full_ && !is_dense())
        throw misuse("more than " + std::to_string(most_dense) +
                     " constraints need a diagonal mass; with a full one nothing would be sparse");
    if (!full_) mass.divide(inverse_mass_);
    if (!is_dense()) lay_out();
}

formula_constraints::linear formula_constraints::start() const {
    linear made{vector(entries_), vector(full_ ? size() * coordinates_ : entries_), {}, {}};
    if (is_dense()) made.factors.resize(size() * size());
    else made.factor = sparse_factor(starts_, rows_);
    return made;
}

formula_constraints::work_type formula_constraints::work() const {
    using workspace = work_type::workspace;
    work_type made;
    made.of_values = workspace(formulas_.values->work());
    made.of_change = workspace(formulas_.change->work());
    made.of_rate = workspace(formulas_.rate->work());
    made.of_curvature = workspace(formulas_.curvature->work());
    made.of_gradients = workspace(formulas_.gradients->work());
    if (formulas_.turning) made.of_turning = workspace(formulas_.turning->work());
    made.direction.resize(coordinates_ + 1);
    made.contributions.resize(formulas_.places.size());
    made.rows.resize(entries_);
    made.column.resize(coordinates_);
    if (is_dense()) made.between.resize(size() * size());
    return made;
}

void formula_constraints::values(double t, vector const& q, multipliers& out, work_type& work) const {
    ++work.evaluations;
    formulas_.values->evaluate({.position = q, .time = t}, out, *work.of_values);
}
void formula_constraints::change(double t, vector const& q, double dt, vector const& d, multipliers& out,
                                 work_type& work) const {
    ++work.evaluations;
    std::copy(d.begin(), d.end(), work.direction.begin());
    work.direction.back() = dt;
    formulas_.change->evaluate({.position = q, .time = t, .direction = work.direction}, out, *work.of_change);
}
void formula_constraints::rate(double t, vector const& q, vector const& v, multipliers& out, work_type& work) const {
    ++work.evaluations;
    formulas_.rate->evaluate({.position = q, .velocity = v, .time = t}, out, *work.of_rate);
}
void formula_constraints::curvature(double t, vector const& q, vector const& v, multipliers& out,
                                    work_type& work) const {
    ++work.evaluations;
    formulas_.curvature->evaluate({.position = q, .velocity = v, .time = t}, out, *work.of_curvature);
}

void formula_constraints::values_and_rates(double t, vector const& q, vector const& v, multipliers& values,
                                           multipliers& rates, work_type& work) const {
    ++work.evaluations;
    formulas_.values->evaluate({.position = q, .time = t}, values, *work.of_values);
    formulas_.rate->evaluate({.position = q, .velocity = v, .time = t}, rates, *work.of_rate);
}

void formula_constraints::turn(double t, vector const& q, vector const& direction, multipliers const& weights,
                               vector& out, work_type& work) const {
    ++work.jacobians;
    formulas_.turning->evaluate({.position = q, .time = t, .direction = direction}, work.contributions,
                                *work.of_turning);
    for (std::size_t k = 0; k < scatter_.size(); ++k)
        if (auto const [row, column] = formulas_.places[k]; row < size())
            out[column] += weights[row] * work.contributions[k];
}

void formula_constraints::gradients(double t, vector const& q, vector& rows, work_type& work) const {
    ++work.jacobians;
    formulas_.gradients->evaluate({.position = q, .time = t}, work.contributions, *work.of_gradients);
    std::fill(rows.begin(), rows.end(), 0);
    for (std::size_t k = 0; k < scatter_.size(); ++k)
        if (scatter_[k] < entries_) rows[scatter_[k]] += work.contributions[k];
}

/// The directions M^-1 g'^T.
void formula_constraints::point(any_mass const& mass, linear& at, work_type& work) const {
    for (std::size_t j = 0; j < size(); ++j) {
        if (!full_) {
            for (auto const& each : pattern_[j])
                at.directions[each.place] = at.rows[each.place] * inverse_mass_[each.column];
            continue;
        }
        auto& column = work.column;
        std::fill(column.begin(), column.end(), 0);
        for (auto const& each : pattern_[j]) column[each.column] = at.rows[each.place];
        mass.divide(column);
        std::copy(column.begin(), column.end(), at.directions.begin() + static_cast<std::ptrdiff_t>(j * coordinates_));
    }
}

double formula_constraints::direction(vector const& directions, std::size_t k, std::size_t column) const {
    if (full_) return directions[k * coordinates_ + column];
    auto const& all = pattern_[k];
    auto const found = std::lower_bound(all.begin(), all.end(), column,
                                        [](entry_of_row const& a, std::size_t wanted) { return a.column < wanted; });
    return found != all.end() && found->column == column ? directions[found->place] : 0;
}

double formula_constraints::product(vector const& rows, std::size_t j, vector const& directions, std::size_t k) const {
    double sum = 0;
    for (auto const& each : pattern_[j]) sum += rows[each.place] * direction(directions, k, each.column);
    return sum;
}

bool formula_constraints::linearise(double t, vector const& q, any_mass const& mass, linear& at,
                                    work_type& work) const {
    gradients(t, q, at.rows, work);
    point(mass, at, work);
    return is_dense() ? factor_dense(t, at, work) : factor_sparse(t, q, at, work);
}

bool formula_constraints::factor_dense(double t, linear& at, work_type& work) const {
    std::size_t const m = size();
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t k = 0; k <= j; ++k) at.factors[j * m + k] = product(at.rows, j, at.directions, k);
    double share = 1;
    std::size_t const dependent = factor_symmetric(std::span(at.factors), m, [&](double pivot, double whole) {
        share = pivot / whole;
        return pivot > rank_threshold * whole;
    });
    if (dependent == m) return true;
    double const whole = square(at, dependent);
    if (!(whole == whole)) return false; // a point that is not finite has its own story
    if (!(whole > 0)) {
        work.failed = vanishing_gradient(t, dependent);
        return false;
    }
    // the combination of the earlier gradients that this one is
    vector part(dependent);
    for (std::size_t k = 0; k < dependent; ++k) part[k] = at.factors[dependent * m + k] * at.factors[k * m + k];
    solve_transposed(std::span<double const>(at.factors), m, std::span(part));
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < dependent; ++k)
        if (std::abs(part[k]) * std::sqrt(square(at, k)) > 1e-6 * std::sqrt(whole)) others.push_back(k);
    work.failed = dependent_gradients(t, dependent, others, share > 0 ? std::sqrt(share) : 0);
    return false;
}

bool formula_constraints::factor_sparse(double t, vector const& q, linear& at, work_type& work) const {
    auto& entries = at.factor.entries();
    std::fill(entries.begin(), entries.end(), 0);
    for (term const& each : terms_) entries[each.entry] += at.rows[each.row] * at.directions[each.direction];
    auto const [which, share] = at.factor.factor(rank_threshold);
    if (which == size()) return true;
    if (!all_finite(q)) return false;
    work.failed = square(at, which) > 0 ? dependent_gradients(t, which, {}, std::sqrt(std::max(share, 0.)))
                                        : vanishing_gradient(t, which);
    return false;
}

void formula_constraints::solve(linear const& at, multipliers& x) const {
    if (is_dense()) solve_symmetric(std::span<double const>(at.factors), std::span(x));
    else at.factor.solve(x);
}

/// Newton's exact matrix for few constraints; for many the one of the step's start, which is factored already.
void formula_constraints::solve_between(double t, vector const& q, linear const& at, multipliers& x,
                                        work_type& work) const {
    if (!is_dense()) {
        at.factor.solve(x);
        return;
    }
    gradients(t, q, work.rows, work);
    std::size_t const m = size();
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t k = 0; k < m; ++k) work.between[j * m + k] = product(work.rows, j, at.directions, k);
    eliminate(std::span(work.between), std::span(x));
}

void formula_constraints::pull(linear const& at, double c, multipliers const& lambda, vector& u) const {
    for (std::size_t i = 0; i < coordinates_; ++i) {
        double sum = 0;
        if (full_)
            for (std::size_t j = 0; j < size(); ++j) sum += at.directions[j * coordinates_ + i] * lambda[j];
        else
            for (auto const& each : users_[i]) sum += at.directions[each.place] * lambda[each.row];
        u[i] -= c * sum;
    }
}

void formula_constraints::along(linear const& at, vector const& v, multipliers& out) const {
    for (std::size_t j = 0; j < size(); ++j) {
        out[j] = 0;
        for (auto const& each : pattern_[j]) out[j] += at.rows[each.place] * v[each.column];
    }
}

/// The pattern of the sparse matrix, from who shares a coordinate with whom.
void formula_constraints::lay_out() {
    std::vector<std::vector<std::size_t>> below(size());
    for (std::size_t j = 0; j < size(); ++j) below[j].push_back(j);
    for (auto const& all : users_)
        for (auto const& a : all)
            for (auto const& b : all)
                if (a.row > b.row) below[b.row].push_back(a.row);
    starts_ = {0};
    rows_.clear();
    terms_.clear();
    for (auto& column : below) {
        std::sort(column.begin(), column.end());
        column.erase(std::unique(column.begin(), column.end()), column.end());
        for (std::size_t const row : column) rows_.push_back(static_cast<int>(row));
        starts_.push_back(static_cast<int>(rows_.size()));
    }
    for (auto const& all : users_)
        for (auto const& a : all)
            for (auto const& b : all) {
                if (a.row < b.row) continue;
                auto const& column = below[b.row];
                auto const place = std::lower_bound(column.begin(), column.end(), a.row) - column.begin();
                terms_.push_back({static_cast<std::size_t>(starts_[b.row] + place), a.place, b.place});
            }
}

} // namespace lento::detail
