#include <lento/constraint/sparse_factor.hpp>

#include <algorithm>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

namespace lento {

/// The matrix is kept as its upper triangle in the order of elimination, which Eigen then factors as it is: with an
/// ordering of its own it would allocate each time.
struct sparse_factor::parts {
    Eigen::SparseMatrix<double> matrix;
    std::vector<Eigen::Index> slots;                                     ///< of the entries in the matrix
    std::vector<std::size_t> diagonal;                                   ///< of each row, among the entries
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order; ///< where each row goes
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Upper, Eigen::NaturalOrdering<int>> factors;
    Eigen::VectorXd scratch;
    bool stale = true;

    parts(std::vector<int> const& starts, std::vector<int> const& rows) {
        auto const n = static_cast<Eigen::Index>(starts.size()) - 1;
        std::vector<double> const ones(rows.size(), 1);
        Eigen::SparseMatrix<double> const lower = Eigen::Map<Eigen::SparseMatrix<double> const>(
            n, n, static_cast<Eigen::Index>(rows.size()), starts.data(), rows.data(), ones.data());
        Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> back;
        Eigen::AMDOrdering<int>()(lower.selfadjointView<Eigen::Lower>(), back);
        order = back.inverse();
        lay_out(starts, rows);
        factors.analyzePattern(matrix);
        scratch.resize(n);
    }
    parts(parts const& other)
        : matrix(other.matrix)
        , slots(other.slots)
        , diagonal(other.diagonal)
        , order(other.order)
        , scratch(other.scratch) {
        factors.analyzePattern(matrix);
    }

    void lay_out(std::vector<int> const& starts, std::vector<int> const& rows) {
        struct place {
            int row;
            int column;
        };
        std::vector<place> places;
        std::vector<Eigen::Triplet<double>> pattern;
        auto const n = static_cast<int>(starts.size()) - 1;
        auto const& to = order.indices();
        for (int column = 0; column < n; ++column) {
            diagonal.push_back(places.size()); // the first of its column
            for (int k = starts[static_cast<std::size_t>(column)]; k < starts[static_cast<std::size_t>(column) + 1];
                 ++k) {
                int const row = rows[static_cast<std::size_t>(k)];
                places.push_back({std::min(to[row], to[column]), std::max(to[row], to[column])});
                pattern.emplace_back(places.back().row, places.back().column, 1.);
            }
        }
        matrix.resize(n, n);
        matrix.setFromTriplets(pattern.begin(), pattern.end());
        for (auto const& each : places) slots.push_back(&matrix.coeffRef(each.row, each.column) - matrix.valuePtr());
    }
    void refresh(std::vector<double> const& entries) {
        if (!stale) return;
        for (std::size_t k = 0; k < entries.size(); ++k) matrix.valuePtr()[slots[k]] = entries[k];
        factors.factorize(matrix);
        stale = false;
    }
};

sparse_factor::sparse_factor() = default;
sparse_factor::sparse_factor(std::vector<int> const& starts, std::vector<int> const& rows)
    : entries_(rows.size()), parts_(std::make_unique<parts>(starts, rows)) {}
sparse_factor::sparse_factor(sparse_factor const& other)
    : entries_(other.entries_), parts_(other.parts_ ? std::make_unique<parts>(*other.parts_) : nullptr) {}
sparse_factor::sparse_factor(sparse_factor&&) noexcept = default;
sparse_factor& sparse_factor::operator=(sparse_factor&&) noexcept = default;
sparse_factor::~sparse_factor() = default;

sparse_factor& sparse_factor::operator=(sparse_factor const& other) {
    if (this == &other) return *this;
    if (parts_ && other.parts_ && entries_.size() == other.entries_.size()) parts_->stale = true;
    else parts_ = other.parts_ ? std::make_unique<parts>(*other.parts_) : nullptr;
    entries_ = other.entries_;
    return *this;
}

std::vector<double>& sparse_factor::entries() {
    if (parts_) parts_->stale = true;
    return entries_;
}

std::pair<std::size_t, double> sparse_factor::factor(double threshold) {
    parts_->refresh(entries_);
    auto const& pivots = parts_->factors.vectorD();
    bool const complete = parts_->factors.info() == Eigen::Success;
    std::size_t const n = parts_->diagonal.size();
    std::size_t culprit = n;
    double least = 1;
    for (std::size_t row = 0; row < n; ++row) {
        double const whole = entries_[parts_->diagonal[row]];
        // a factorisation that stops short leaves the rest of the pivots unset; the first zero one is the culprit
        double const share = whole > 0 ? pivots[parts_->order.indices()[static_cast<Eigen::Index>(row)]] / whole : 0;
        bool const earlier = culprit == n || parts_->order.indices()[static_cast<Eigen::Index>(row)] <
                                                 parts_->order.indices()[static_cast<Eigen::Index>(culprit)];
        if (share > threshold || !earlier) continue;
        culprit = row;
        least = complete ? share : 0;
    }
    return {culprit, least};
}

void sparse_factor::solve(std::vector<double>& x) const {
    parts_->refresh(entries_);
    auto const n = static_cast<Eigen::Index>(x.size());
    auto const& to = parts_->order.indices();
    auto& y = parts_->scratch;
    for (Eigen::Index i = 0; i < n; ++i) y[to[i]] = x[static_cast<std::size_t>(i)];
    auto const& lower = parts_->factors.matrixL();
    lower.solveInPlace(y);
    y.array() /= parts_->factors.vectorD().array();
    parts_->factors.matrixU().solveInPlace(y);
    for (Eigen::Index i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = y[to[i]];
}

} // namespace lento
