#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace lento {

/// The L D L^T factors of a sparse symmetric matrix whose pattern stays. Copies share nothing; assigning between
/// matrices of one pattern copies the entries only, and factors again when they are used.
class sparse_factor {
public:
    sparse_factor();
    /// A pattern: column starts and row numbers of the lower triangle, by columns, the diagonal first.
    sparse_factor(std::vector<int> const& starts, std::vector<int> const& rows);
    sparse_factor(sparse_factor const& other);
    sparse_factor(sparse_factor&&) noexcept;
    sparse_factor& operator=(sparse_factor const& other);
    sparse_factor& operator=(sparse_factor&&) noexcept;
    ~sparse_factor();

    /// The entries of the lower triangle, in the order of the pattern.
    [[nodiscard]] std::vector<double>& entries();
    [[nodiscard]] std::vector<double> const& entries() const { return entries_; }
    /// Factors the entries. Returns the row whose pivot is below a share of its diagonal, and that share; the number of
    /// rows when there is none.
    [[nodiscard]] std::pair<std::size_t, double> factor(double threshold);
    void solve(std::vector<double>& x) const;
    static auto members(auto& self) { return std::tie(self.entries()); }

private:
    struct parts;
    std::vector<double> entries_;
    std::unique_ptr<parts> parts_;
};

} // namespace lento
