#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/mass.hpp>
#include <lento/constraint/sparse_factor.hpp>
#include <lento/constraint/work.hpp>
#include <lento/expression/engine.hpp>
#include <lento/problem/function_formulas.hpp>

namespace lento::detail {

/// Constraints whose values and derivatives are a problem's compiled formulas. A few are kept as a dense matrix, many
/// as a sparse one.
class formula_constraints {
public:
    using vector = std::vector<double>;
    using multipliers = std::vector<double>;

    /// The gradients at a point, M^-1 times them, and the factors of g' M^-1 g'^T: of few constraints in one array.
    struct linear {
        vector rows;
        vector directions;
        vector factors;
        sparse_factor factor;
        static auto members(auto& self) { return std::tie(self.rows, self.directions, self.factors, self.factor); }
    };

    /// The engines' workspaces, and room for what they write.
    struct work_type : constraint_work {
        using workspace = expression::engine_work;
        workspace of_values;
        workspace of_change;
        workspace of_rate;
        workspace of_curvature;
        workspace of_gradients;
        workspace of_turning; ///< of springs
        vector direction;
        vector contributions;
        vector rows;
        vector column;
        vector between; ///< Newton's exact matrix

        // out of line: every closure over constraints copies one
        work_type();
        work_type(work_type const& other);
        work_type(work_type&& other) noexcept;
        work_type& operator=(work_type const& other);
        work_type& operator=(work_type&& other) noexcept;
        ~work_type();
    };

    formula_constraints(compiled_functions const& formulas, std::size_t coordinates);
    formula_constraints(formula_constraints const& other);
    formula_constraints(formula_constraints&& other) noexcept;
    formula_constraints& operator=(formula_constraints const& other);
    formula_constraints& operator=(formula_constraints&& other) noexcept;
    ~formula_constraints();

    [[nodiscard]] std::size_t size() const { return formulas_.count; }
    [[nodiscard]] multipliers zeros() const { return multipliers(size()); }
    [[nodiscard]] linear start() const;
    [[nodiscard]] work_type work() const;
    void check(any_mass const& mass);

    void values(double t, vector const& q, multipliers& out, work_type& work) const;
    void change(double t, vector const& q, double dt, vector const& d, multipliers& out, work_type& work) const;
    void rate(double t, vector const& q, vector const& v, multipliers& out, work_type& work) const;
    void values_and_rates(double t, vector const& q, vector const& v, multipliers& values, multipliers& rates,
                          work_type& work) const;
    void curvature(double t, vector const& q, vector const& v, multipliers& out, work_type& work) const;
    /// out += sum_j weights_j (d grad g_j/d direction), for springs
    void turn(double t, vector const& q, vector const& direction, multipliers const& weights, vector& out,
              work_type& work) const;

    [[nodiscard]] bool linearise(double t, vector const& q, any_mass const& mass, linear& at, work_type& work) const;
    void solve(linear const& at, multipliers& x) const;
    void solve_between(double t, vector const& q, linear const& at, multipliers& x, work_type& work) const;
    void pull(linear const& at, double c, multipliers const& lambda, vector& u) const;
    void along(linear const& at, vector const& v, multipliers& out) const;
    [[nodiscard]] double square(linear const& at, std::size_t j) const { return product(at.rows, j, at.directions, j); }

    /// The entries of g' at a point, in the order of `entries`.
    void gradients(double t, vector const& q, vector& rows, work_type& work) const;

private:
    static constexpr std::size_t most_dense = 32;
    struct entry_of_row {
        std::size_t column;
        std::size_t place; ///< of the entry in rows
    };
    struct entry_of_column {
        std::size_t row;
        std::size_t place;
    };
    /// What a coordinate shared by two constraints adds to an entry of the sparse matrix.
    struct term {
        std::size_t entry;
        std::size_t row;
        std::size_t direction;
    };

    [[nodiscard]] bool is_dense() const { return size() <= most_dense; }
    /// Row j of one matrix times the direction k of another point, or of the same.
    [[nodiscard]] double product(vector const& rows, std::size_t j, vector const& directions, std::size_t k) const;
    [[nodiscard]] double direction(vector const& directions, std::size_t k, std::size_t column) const;
    void point(any_mass const& mass, linear& at, work_type& work) const;
    [[nodiscard]] bool factor_dense(double t, linear& at, work_type& work) const;
    [[nodiscard]] bool factor_sparse(double t, vector const& q, linear& at, work_type& work) const;
    void lay_out();

    compiled_functions formulas_;
    std::size_t coordinates_;
    bool full_ = false;                               ///< the mass couples all coordinates: directions are dense
    std::vector<std::vector<entry_of_row>> pattern_;  ///< the columns of each row, ascending
    std::vector<std::vector<entry_of_column>> users_; ///< the rows of each column, ascending
    std::vector<std::size_t> scatter_;                ///< where each contribution goes; one past the end: nowhere
    std::size_t entries_ = 0;
    vector inverse_mass_;
    std::vector<int> starts_;
    std::vector<int> rows_;
    std::vector<term> terms_;
};

} // namespace lento::detail
