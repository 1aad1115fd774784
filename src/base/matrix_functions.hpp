#pragma once

#include <complex>
#include <cstddef>
#include <vector>

/// What Lento asks of Eigen for full matrices, and its Fourier transform: slow to compile, and therefore compiled once.
/// Nothing of it is done inside a run's loops.
namespace lento::detail {

/// A square matrix in long double, by rows.
struct real_matrix {
    std::size_t size = 0;
    std::vector<long double> entries;

    explicit real_matrix(std::size_t n) : size(n), entries(n * n) {}
    [[nodiscard]] long double& operator()(std::size_t row, std::size_t column) { return entries[row * size + column]; }
    [[nodiscard]] long double operator()(std::size_t row, std::size_t column) const {
        return entries[row * size + column];
    }
};

[[nodiscard]] real_matrix transposed(real_matrix const& a);
[[nodiscard]] real_matrix product(real_matrix const& a, real_matrix const& b);
/// e^a
[[nodiscard]] real_matrix exponential(real_matrix const& a);

/// a = basis form basis^T, the basis orthogonal and the form a real Schur form.
struct schur_form {
    real_matrix basis;
    real_matrix form;
};
[[nodiscard]] schur_form schur(real_matrix const& a);

/// Eigenvalues, pairs of conjugate ones together, and in the columns of a basis the eigenvectors: of a pair the real
/// and the imaginary part of the first. Where they are dependent the basis has no inverse, and what stands for it is
/// not finite or far from one.
struct eigen_form {
    std::vector<std::complex<long double>> values;
    real_matrix basis;
    real_matrix inverse;
};
[[nodiscard]] eigen_form eigenvectors(real_matrix const& a);

/// The shortest x that makes the squares of a x - b least; `a` by rows.
[[nodiscard]] std::vector<double> least_squares(std::vector<std::vector<double>> const& a,
                                                std::vector<double> const& b);

/// The squares of the first half of a signal's Fourier coefficients.
[[nodiscard]] std::vector<double> power_spectrum(std::vector<double> const& signal);

} // namespace lento::detail
