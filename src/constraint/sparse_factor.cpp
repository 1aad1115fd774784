#include <lento/constraint/sparse_factor.hpp>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

namespace lento {

struct sparse_factor::parts {
    Eigen::SparseMatrix<double> matrix;
    std::vector<double> entries;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> factors;
    Eigen::VectorXd scratch;
    bool stale = true;

    parts(std::vector<int> const& starts, std::vector<int> const& rows) : entries(rows.size()) {
        auto const n = static_cast<Eigen::Index>(starts.size()) - 1;
        std::vector<double> const zeros(rows.size());
        matrix = Eigen::Map<Eigen::SparseMatrix<double> const>(n, n, static_cast<Eigen::Index>(rows.size()),
                                                               starts.data(), rows.data(), zeros.data());
        analyse();
    }
    parts(parts const& other) : matrix(other.matrix), entries(other.entries) { analyse(); }

    void analyse() {
        factors.analyzePattern(matrix);
        scratch.resize(matrix.rows());
    }
    void refresh() {
        if (!stale) return;
        std::copy(entries.begin(), entries.end(), matrix.valuePtr());
        factors.factorize(matrix);
        stale = false;
    }
};

sparse_factor::sparse_factor() = default;
sparse_factor::sparse_factor(std::vector<int> starts, std::vector<int> rows)
    : parts_(std::make_unique<parts>(starts, rows)) {}
sparse_factor::sparse_factor(sparse_factor const& other)
    : parts_(other.parts_ ? std::make_unique<parts>(*other.parts_) : nullptr) {}
sparse_factor::sparse_factor(sparse_factor&&) noexcept = default;
sparse_factor& sparse_factor::operator=(sparse_factor&&) noexcept = default;
sparse_factor::~sparse_factor() = default;

sparse_factor& sparse_factor::operator=(sparse_factor const& other) {
    if (this == &other) return *this;
    if (parts_ && other.parts_ && parts_->entries.size() == other.parts_->entries.size()) {
        parts_->entries = other.parts_->entries;
        parts_->stale = true;
    } else {
        parts_ = other.parts_ ? std::make_unique<parts>(*other.parts_) : nullptr;
    }
    return *this;
}

std::vector<double>& sparse_factor::entries() {
    parts_->stale = true;
    return parts_->entries;
}

std::pair<std::size_t, double> sparse_factor::factor(double threshold) {
    parts_->refresh();
    auto const n = parts_->matrix.rows();
    auto const& order = parts_->factors.permutationPinv().indices();
    auto const& pivots = parts_->factors.vectorD();
    bool const complete = parts_->factors.info() == Eigen::Success;
    for (Eigen::Index k = 0; k < n; ++k) {
        auto const row = order[k];
        double const diagonal = parts_->matrix.valuePtr()[parts_->matrix.outerIndexPtr()[row]];
        // a factorisation that stops short leaves the rest of the pivots unset; the first zero one is the culprit
        double const share = diagonal > 0 ? pivots[k] / diagonal : 0;
        if (!(share > threshold)) return {static_cast<std::size_t>(row), complete ? share : 0};
    }
    return {static_cast<std::size_t>(n), 1};
}

void sparse_factor::solve(std::vector<double>& x) const {
    parts_->refresh();
    Eigen::Map<Eigen::VectorXd> vector(x.data(), static_cast<Eigen::Index>(x.size()));
    parts_->scratch = parts_->factors.solve(vector);
    vector = parts_->scratch;
}

} // namespace lento
