#include "base/matrix_functions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <unsupported/Eigen/FFT>
#include <unsupported/Eigen/MatrixFunctions>

namespace lento::detail {
namespace {

using matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

Eigen::Index as_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

matrix to_eigen(real_matrix const& a) {
    matrix made(as_index(a.size), as_index(a.size));
    for (std::size_t r = 0; r < a.size; ++r)
        for (std::size_t c = 0; c < a.size; ++c) made(as_index(r), as_index(c)) = a(r, c);
    return made;
}

real_matrix from_eigen(matrix const& m) {
    real_matrix made(static_cast<std::size_t>(m.rows()));
    for (std::size_t r = 0; r < made.size; ++r)
        for (std::size_t c = 0; c < made.size; ++c) made(r, c) = m(as_index(r), as_index(c));
    return made;
}

} // namespace

real_matrix transposed(real_matrix const& a) {
    real_matrix made(a.size);
    for (std::size_t r = 0; r < a.size; ++r)
        for (std::size_t c = 0; c < a.size; ++c) made(r, c) = a(c, r);
    return made;
}

real_matrix product(real_matrix const& a, real_matrix const& b) { return from_eigen(to_eigen(a) * to_eigen(b)); }

real_matrix exponential(real_matrix const& a) { return from_eigen(to_eigen(a).exp()); }

schur_form schur(real_matrix const& a) {
    Eigen::RealSchur<matrix> const found(to_eigen(a));
    return {from_eigen(found.matrixU()), from_eigen(found.matrixT())};
}

eigen_form eigenvectors(real_matrix const& a) {
    Eigen::EigenSolver<matrix> const found(to_eigen(a));
    auto const& values = found.eigenvalues();
    auto const vectors = found.eigenvectors();
    matrix basis(as_index(a.size), as_index(a.size));
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        basis.col(i) = vectors.col(i).real();
        if (values(i).imag() == 0 || i + 1 == values.size()) continue;
        basis.col(i + 1) = vectors.col(i).imag();
        ++i;
    }
    return {{values.begin(), values.end()}, from_eigen(basis), from_eigen(basis.partialPivLu().inverse())};
}

std::vector<double> least_squares(std::vector<std::vector<double>> const& a, std::vector<double> const& b) {
    matrix left(as_index(a.size()), as_index(a.front().size()));
    matrix right(as_index(b.size()), 1);
    for (std::size_t r = 0; r < a.size(); ++r) {
        right(as_index(r), 0) = b[r];
        for (std::size_t c = 0; c < a[r].size(); ++c) left(as_index(r), as_index(c)) = a[r][c];
    }
    matrix const found = left.completeOrthogonalDecomposition().solve(right);
    std::vector<double> x;
    for (Eigen::Index i = 0; i < found.rows(); ++i) x.push_back(static_cast<double>(found(i, 0)));
    return x;
}

std::vector<double> power_spectrum(std::vector<double> const& signal) {
    Eigen::FFT<double> fourier;
    std::vector<std::complex<double>> transformed;
    fourier.fwd(transformed, signal);
    std::vector<double> power(signal.size() / 2);
    for (std::size_t m = 0; m < power.size(); ++m) power[m] = std::norm(transformed[m]);
    return power;
}

} // namespace lento::detail
