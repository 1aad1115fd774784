#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

/// Equations with a few unknowns whose number is known at run time only; matrices are given by rows. Plain loops: for
/// up to some tens of unknowns Eigen's solvers of run-time size take twice as long, and seconds to compile.
namespace lento::detail {

/// The lower triangle of a symmetric matrix becomes the factors of a = L D L^T: below the diagonal L D, on it 1/D. Each
/// pivot and the diagonal entry that it comes from are shown to `accept`, which may change the pivot. Returns the first
/// row whose pivot is not accepted, those before it being factored, or n.
template <class T, class Accept>
[[nodiscard]] std::size_t factor_symmetric(std::span<T> a, std::size_t n, Accept const& accept) {
    for (std::size_t j = 0; j < n; ++j) {
        T* const row = &a[j * n];
        T const whole = row[j];
        T pivot = whole;
        for (std::size_t k = 0; k < j; ++k) {
            T const* const above = &a[k * n];
            T entry = row[k];
            for (std::size_t i = 0; i < k; ++i) entry -= row[i] * above[i] * a[i * n + i];
            row[k] = entry;
            pivot -= entry * above[k] * entry;
        }
        if (!accept(pivot, whole)) return j;
        row[j] = T(1) / pivot;
    }
    return n;
}

/// x becomes L^-T y for y = D^-1 L^-1 x, with the first rows of factors of n rows: as many as x has.
template <class T, class U, std::size_t Size>
void solve_transposed(std::span<T const> factors, std::size_t n, std::span<U, Size> x) {
    for (std::size_t j = x.size(); j-- > 0;)
        for (std::size_t k = j + 1; k < x.size(); ++k) x[j] -= factors[k * n + j] * factors[j * n + j] * x[k];
}

/// x becomes a^-1 x, a = L D L^T
template <class T, class U, std::size_t Size> void solve_symmetric(std::span<T const> factors, std::span<U, Size> x) {
    std::size_t const n = x.size();
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < j; ++k) x[j] -= factors[j * n + k] * factors[k * n + k] * x[k];
    for (std::size_t j = 0; j < n; ++j) x[j] *= factors[j * n + j];
    solve_transposed(factors, n, x);
}

/// x becomes a^-1 x, by Gauss with row pivots; `a` is spent. Returns the smallest pivot in size.
template <class T> T eliminate(std::span<T> a, std::span<T> x) {
    using std::abs;
    std::size_t const n = x.size();
    T smallest(0);
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t j = k + 1; j < n; ++j)
            if (abs(a[j * n + k]) > abs(a[best * n + k])) best = j;
        if (best != k) {
            for (std::size_t i = k; i < n; ++i) std::swap(a[best * n + i], a[k * n + i]);
            std::swap(x[best], x[k]);
        }
        T const* const row = &a[k * n];
        if (k == 0 || !(abs(row[k]) >= smallest)) smallest = abs(row[k]);
        for (std::size_t j = k + 1; j < n; ++j) {
            T const factor = a[j * n + k] / row[k];
            for (std::size_t i = k + 1; i < n; ++i) a[j * n + i] -= factor * row[i];
            x[j] -= factor * x[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t i = k + 1; i < n; ++i) x[k] -= a[k * n + i] * x[i];
        x[k] /= a[k * n + k];
    }
    return smallest;
}

} // namespace lento::detail
