#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace lento {

namespace detail {
struct real_matrix;
}

/// The flow e^{tA} of a constant matrix. A is taken apart into the blocks that its zeros leave uncoupled, so that many
/// small oscillators cost as much as they should. Skew blocks become exact rotations (real Schur form), others that
/// have a basis of eigenvectors are turned in it, and the rest falls back on the matrix exponential. Kept in long
/// double; matrices are handed out in compressed rows of one common pattern.
class linear_flow {
public:
    linear_flow() = default;
    /// A by rows.
    explicit linear_flow(std::vector<std::vector<long double>> const& rows);

    [[nodiscard]] std::size_t size() const { return starts_.empty() ? 0 : starts_.size() - 1; }
    [[nodiscard]] std::vector<std::complex<double>> const& eigenvalues() const { return eigenvalues_; }
    /// The different nonzero |imaginary parts|, in increasing order.
    [[nodiscard]] std::vector<double> frequencies() const;
    /// Empty when every eigenvalue lies on the imaginary axis (to 1e-9 of the largest), else a sentence that names the
    /// worst one.
    [[nodiscard]] std::string not_oscillatory() const;
    /// The largest entry of |e^{tA} - 1|: how far the flow is from returning after the time t.
    [[nodiscard]] double return_defect(long double time) const;

    /// A itself, and e^{tA}, as values on the common pattern; `exact` is scratch, so that nothing allocates twice.
    template <class T> void generator(std::vector<T>& values) const { values.assign(matrix_.begin(), matrix_.end()); }
    template <class T>
    void exponential(long double time, std::vector<T>& values, std::vector<long double>& exact) const {
        exact.resize(columns_.size());
        fill(time, exact);
        values.assign(exact.begin(), exact.end());
    }
    /// f(A, h) for a matrix with real eigenvalues and a basis of eigenvectors: f sees each eigenvalue and the parameter
    /// h.
    template <class T> void function(long double (*f)(long double eigenvalue, long double h), long double h,
                                     std::vector<T>& values) const {
        std::vector<long double> exact(columns_.size());
        fill_function(f, h, exact);
        values.assign(exact.begin(), exact.end());
    }
    /// y = M x for values on the common pattern.
    template <class T, class V> void apply(std::vector<T> const& values, V const& x, V& y) const {
        for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
            T sum(0);
            for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) sum += values[k] * x[columns_[k]];
            y[i] = sum;
        }
    }

private:
    /// A plane (or line, when second is first) of the block's basis, turned by e^{(decay + i frequency) t}.
    struct mode {
        std::size_t first;
        std::size_t second;
        long double decay;
        long double frequency;
    };
    struct block {
        std::vector<std::size_t> variables;
        std::vector<long double> left; ///< by rows; the block is left * modes * right
        std::vector<long double> right;
        std::vector<mode> modes; ///< none: no basis of eigenvectors
    };
    void take_apart(block& each);
    void take_rotations(block& each, detail::real_matrix const& a);
    void fill(long double time, std::vector<long double>& values) const;
    void fill_function(long double (*f)(long double, long double), long double h,
                       std::vector<long double>& values) const;

    std::vector<std::size_t> starts_;
    std::vector<std::size_t> columns_;
    std::vector<long double> matrix_;
    std::vector<block> blocks_;
    std::vector<std::complex<double>> eigenvalues_;
};

} // namespace lento
