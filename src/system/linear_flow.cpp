#include <lento/system/linear_flow.hpp>

#include <lento/system/misuse.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

namespace lento {
namespace {

using real = long double;
using matrix = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic>;
using index = Eigen::Index;

index as_index(std::size_t i) { return static_cast<index>(i); }

std::vector<real> by_rows(matrix const& m) {
    std::vector<real> values;
    for (index i = 0; i < m.rows(); ++i)
        for (index j = 0; j < m.cols(); ++j) values.push_back(m(i, j));
    return values;
}

/// Which variables hang together: the components of the graph of nonzero entries.
std::vector<std::vector<std::size_t>> components(std::vector<std::vector<real>> const& rows) {
    std::size_t const n = rows.size();
    std::vector<std::size_t> root(n);
    std::iota(root.begin(), root.end(), std::size_t(0));
    auto const find = [&root](std::size_t i) {
        while (root[i] != i) i = root[i] = root[root[i]];
        return i;
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (rows[i][j] != 0) root[find(i)] = find(j);
    std::vector<std::vector<std::size_t>> sets;
    std::vector<std::size_t> set_of(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t const top = find(i);
        if (set_of[top] == n) {
            set_of[top] = sets.size();
            sets.emplace_back();
        }
        sets[set_of[top]].push_back(i);
    }
    return sets;
}

} // namespace

linear_flow::linear_flow(std::vector<std::vector<long double>> const& rows) {
    for (auto const& row : rows) {
        require_size("a row of the fast matrix", row.size(), rows.size());
        for (real const entry : row) require_finite("an entry of the fast matrix", static_cast<double>(entry));
    }
    std::vector<std::size_t> block_of(rows.size());
    for (auto& variables : components(rows)) {
        for (std::size_t const i : variables) block_of[i] = blocks_.size();
        blocks_.push_back({std::move(variables), {}, {}, {}});
    }
    starts_.push_back(0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t const j : blocks_[block_of[i]].variables) {
            columns_.push_back(j);
            matrix_.push_back(rows[i][j]);
        }
        starts_.push_back(columns_.size());
    }
    for (block& each : blocks_) take_apart(each);
}

void linear_flow::take_apart(block& each) {
    std::size_t const n = each.variables.size();
    matrix a(as_index(n), as_index(n));
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c) a(as_index(r), as_index(c)) = matrix_[starts_[each.variables[r]] + c];
    real const size = a.cwiseAbs().maxCoeff();

    if ((a + a.transpose()).cwiseAbs().maxCoeff() <= 1e-18L * size) {
        // A skew matrix keeps its Schur form skew: rotations in planes, nothing else.
        Eigen::RealSchur<matrix> const schur(a);
        matrix const& t = schur.matrixT();
        each.left = by_rows(schur.matrixU());
        each.right = by_rows(schur.matrixU().transpose());
        for (std::size_t i = 0; i < n; ++i) {
            bool const plane = i + 1 < n && std::abs(t(as_index(i + 1), as_index(i))) > 1e-17L * size;
            if (!plane) {
                each.modes.push_back({i, i, 0, 0});
                eigenvalues_.emplace_back(0, 0);
                continue;
            }
            real const frequency = (t(as_index(i), as_index(i + 1)) - t(as_index(i + 1), as_index(i))) / 2;
            each.modes.push_back({i, i + 1, 0, frequency});
            eigenvalues_.emplace_back(0, static_cast<double>(frequency));
            eigenvalues_.emplace_back(0, -static_cast<double>(frequency));
            ++i;
        }
        return;
    }

    Eigen::EigenSolver<matrix> const solver(a);
    auto const& values = solver.eigenvalues();
    matrix basis(a.rows(), a.cols());
    for (std::size_t i = 0; i < n; ++i) {
        std::complex<real> const value = values(as_index(i));
        eigenvalues_.emplace_back(static_cast<double>(value.real()), static_cast<double>(value.imag()));
        if (value.imag() == 0) {
            basis.col(as_index(i)) = solver.eigenvectors().col(as_index(i)).real();
            each.modes.push_back({i, i, value.real(), 0});
        } else if (i + 1 < n) {
            basis.col(as_index(i)) = solver.eigenvectors().col(as_index(i)).real();
            basis.col(as_index(i + 1)) = solver.eigenvectors().col(as_index(i)).imag();
            each.modes.push_back({i, i + 1, value.real(), value.imag()});
            std::complex<real> const other = values(as_index(i + 1));
            eigenvalues_.emplace_back(static_cast<double>(other.real()), static_cast<double>(other.imag()));
            ++i;
        }
    }
    Eigen::FullPivLU<matrix> const factors(basis);
    bool const invertible = factors.isInvertible();
    if (invertible) {
        matrix const inverse = factors.inverse();
        each.left = by_rows(basis);
        each.right = by_rows(inverse);
        // a basis that is nearly dependent cannot give A back
        matrix turned = matrix::Zero(a.rows(), a.cols());
        for (mode const& m : each.modes) {
            auto const p = as_index(m.first);
            auto const q = as_index(m.second);
            turned.row(p) += m.decay * inverse.row(p);
            if (p == q) continue;
            turned.row(q) += m.decay * inverse.row(q);
            turned.row(p) += m.frequency * inverse.row(q);
            turned.row(q) -= m.frequency * inverse.row(p);
        }
        if ((basis * turned - a).cwiseAbs().maxCoeff() <= 1e-14L * size) return;
    }
    each.modes.clear();
    each.left = by_rows(a);
    each.right.clear();
}

std::vector<double> linear_flow::frequencies() const {
    std::vector<double> all;
    for (auto const& value : eigenvalues_) all.push_back(std::abs(value.imag()));
    std::sort(all.begin(), all.end());
    double const largest = all.empty() ? 0 : all.back();
    std::vector<double> different;
    for (double const w : all)
        if (w > 1e-12 * largest && (different.empty() || w - different.back() > 1e-12 * largest))
            different.push_back(w);
    return different;
}

std::string linear_flow::not_oscillatory() const {
    double largest = 0;
    std::complex<double> worst;
    for (auto const& value : eigenvalues_) {
        largest = std::max(largest, std::abs(value));
        if (std::abs(value.real()) > std::abs(worst.real())) worst = value;
    }
    // a Jordan block of size 2 spreads its eigenvalue by the root of the rounding error
    if (std::abs(worst.real()) <= 1e-9 * largest) return {};
    return "the fast part does not oscillate: its matrix has the eigenvalue " + show(worst.real()) +
           (worst.imag() < 0 ? " - " : " + ") + show(std::abs(worst.imag())) +
           "i, which grows or decays on the fast scale. Integrate the system directly, or move that part to the slow "
           "side if it is small.";
}

double linear_flow::return_defect(long double time) const {
    std::vector<real> values(columns_.size());
    fill(time, values);
    real largest = 0;
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i)
        for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k)
            largest = std::max(largest, std::abs(values[k] - (columns_[k] == i ? 1 : 0)));
    return static_cast<double>(largest);
}

void linear_flow::fill(long double time, std::vector<long double>& values) const {
    for (block const& each : blocks_) {
        std::size_t const n = each.variables.size();
        if (each.modes.empty()) {
            matrix a(as_index(n), as_index(n));
            for (std::size_t r = 0; r < n; ++r)
                for (std::size_t c = 0; c < n; ++c) a(as_index(r), as_index(c)) = time * each.left[r * n + c];
            matrix const e = a.exp();
            for (std::size_t r = 0; r < n; ++r)
                for (std::size_t c = 0; c < n; ++c)
                    values[starts_[each.variables[r]] + c] = e(as_index(r), as_index(c));
            continue;
        }
        for (std::size_t r = 0; r < n; ++r)
            std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(starts_[each.variables[r]]), n, real(0));
        for (mode const& m : each.modes) {
            real const scale = std::exp(m.decay * time);
            real const c = scale * std::cos(m.frequency * time);
            real const s = scale * std::sin(m.frequency * time);
            for (std::size_t row = 0; row < n; ++row) {
                real const first = each.left[row * n + m.first];
                real const second = m.second == m.first ? 0 : each.left[row * n + m.second];
                for (std::size_t column = 0; column < n; ++column) {
                    real const p = each.right[m.first * n + column];
                    real const q = m.second == m.first ? 0 : each.right[m.second * n + column];
                    values[starts_[each.variables[row]] + column] += first * (c * p + s * q) + second * (c * q - s * p);
                }
            }
        }
    }
}

void linear_flow::fill_function(long double (*f)(long double, long double), long double h,
                                std::vector<long double>& values) const {
    std::fill(values.begin(), values.end(), real(0));
    for (block const& each : blocks_) {
        std::size_t const n = each.variables.size();
        if (each.modes.size() != n) throw misuse("the matrix has no basis of real eigenvectors; a symmetric one has");
        for (mode const& m : each.modes) {
            real const factor = f(m.decay, h);
            for (std::size_t row = 0; row < n; ++row)
                for (std::size_t column = 0; column < n; ++column)
                    values[starts_[each.variables[row]] + column] +=
                        factor * each.left[row * n + m.first] * each.right[m.first * n + column];
        }
    }
}

} // namespace lento
