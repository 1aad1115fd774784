#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <lento/base/dense_solve.hpp>
#include <lento/base/misuse.hpp>

/// Constant mass matrices. Each turns a force into an acceleration; the default one costs nothing. Those that can say
/// the factor of each coordinate have `inverses()`, empty for M = 1: compiled windows multiply by them.
namespace lento {

/// M = 1
struct unit_mass {
    void check(std::size_t) const {}
    template <class V> void divide(V&) const {}
    [[nodiscard]] std::optional<std::span<double const>> inverses() const { return std::span<double const>{}; }
};

/// M = m, one number for all coordinates
template <class T> class scalar_mass {
public:
    explicit scalar_mass(T mass) : inverse_(T(1) / mass) {
        static_assert(!std::is_integral_v<T>, "the mass is a real number");
        require_positive("the mass", static_cast<double>(mass));
    }
    void check(std::size_t) const {}
    template <class V> void divide(V& force) const {
        for (auto& component : force) component *= inverse_;
    }
    [[nodiscard]] T inverse(std::size_t) const { return inverse_; }

private:
    T inverse_;
};

/// M = diag(m_1, ..., m_n)
template <class T> class diagonal_mass {
public:
    explicit diagonal_mass(std::vector<T> const& masses) {
        inverses_.reserve(masses.size());
        for (std::size_t i = 0; i < masses.size(); ++i) {
            require_positive("mass " + std::to_string(i + 1), static_cast<double>(masses[i]));
            inverses_.push_back(T(1) / masses[i]);
        }
    }
    void check(std::size_t coordinates) const { require_size("the list of masses", inverses_.size(), coordinates); }
    template <class V> void divide(V& force) const {
        for (std::size_t i = 0; i < force.size(); ++i) force[i] *= inverses_[i];
    }
    [[nodiscard]] T inverse(std::size_t coordinate) const { return inverses_[coordinate]; }
    [[nodiscard]] std::optional<std::span<T const>> inverses() const { return inverses_; }

private:
    std::vector<T> inverses_;
};

/// A full symmetric positive definite matrix, by rows; kept as its factors.
template <class T> class full_mass {
public:
    explicit full_mass(std::vector<std::vector<T>> const& rows) : size_(rows.size()) {
        using std::abs;
        T largest(0);
        for (auto const& row : rows) {
            require_size("a row of the mass matrix", row.size(), size_);
            for (auto const& entry : row) {
                require_finite("an entry of the mass matrix", static_cast<double>(entry));
                if (abs(entry) > largest) largest = abs(entry);
            }
            factors_.insert(factors_.end(), row.begin(), row.end());
        }
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (abs(rows[i][j] - rows[j][i]) > largest * T(1e-12))
                    throw misuse("the mass matrix must be symmetric, but its entries (" + std::to_string(i + 1) + ", " +
                                 std::to_string(j + 1) + ") and (" + std::to_string(j + 1) + ", " +
                                 std::to_string(i + 1) + ") differ: " + show(static_cast<double>(rows[i][j])) +
                                 " and " + show(static_cast<double>(rows[j][i])));
        T last(0);
        std::size_t const weak = detail::factor_symmetric(std::span(factors_), size_, [&](T pivot, T diagonal) {
            last = pivot;
            // a pivot that cancelled down to round-off belongs to a singular matrix
            return pivot > diagonal * T(size_) * T(4e-16);
        });
        if (weak < size_)
            throw misuse("the mass matrix must be positive definite, but its pivot " + std::to_string(weak + 1) +
                         " is " + show(static_cast<double>(last)) +
                         "; a singular mass matrix means a coordinate without inertia: eliminate it");
    }
    void check(std::size_t coordinates) const { require_size("the mass matrix", size_, coordinates); }
    template <class V> void divide(V& force) const { detail::solve_symmetric(std::span(factors_), std::span(force)); }

private:
    std::size_t size_;
    std::vector<T> factors_;
};

/// A mass matrix whose form is known at run time only.
class any_mass {
public:
    using form = std::variant<unit_mass, scalar_mass<double>, diagonal_mass<double>, full_mass<double>>;

    any_mass() = default; ///< M = 1
    any_mass(form const& given, std::size_t coordinates);

    void check(std::size_t coordinates) const;
    template <class V> void divide(V& force) const {
        if (is_one_) return; // small systems ask this often
        if (!full_) {
            for (std::size_t i = 0; i < force.size(); ++i) force[i] *= inverses_[i];
        } else if constexpr (std::is_same_v<typename V::value_type, double>) {
            divide_by_full(force);
        } else {
            full_->divide(force);
        }
    }
    [[nodiscard]] bool is_full() const { return full_ != nullptr; }
    /// Of each coordinate, none for M = 1; nothing where the matrix is full.
    [[nodiscard]] std::optional<std::span<double const>> inverses() const {
        if (full_) return std::nullopt;
        return inverses_;
    }

private:
    void divide_by_full(std::span<double> force) const;

    bool is_one_ = true;
    std::vector<double> inverses_;
    std::shared_ptr<full_mass<double> const> full_;
};

/// `mass(2.)`, `mass({1., 3.})`, `mass({{2., 1.}, {1., 2.}})`: the mass argument of the system factories.
template <class T> [[nodiscard]] auto mass(T value) {
    if constexpr (std::is_integral_v<T>) return scalar_mass<double>(static_cast<double>(value));
    else return scalar_mass<T>(value);
}
[[nodiscard]] diagonal_mass<double> mass(std::vector<double> const& diagonal);
[[nodiscard]] full_mass<double> mass(std::vector<std::vector<double>> const& rows);

} // namespace lento
