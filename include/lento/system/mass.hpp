#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <lento/system/misuse.hpp>

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

/// A full symmetric positive definite matrix, by rows; kept as its Cholesky factor.
template <class T> class full_mass {
public:
    explicit full_mass(std::vector<std::vector<T>> rows) : factor_(std::move(rows)) {
        using std::abs;
        using std::sqrt;
        std::size_t const n = factor_.size();
        T largest(0);
        for (auto const& row : factor_) {
            require_size("a row of the mass matrix", row.size(), n);
            for (auto const& entry : row) {
                require_finite("an entry of the mass matrix", static_cast<double>(entry));
                if (abs(entry) > largest) largest = abs(entry);
            }
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (abs(factor_[i][j] - factor_[j][i]) > largest * T(1e-12))
                    throw misuse("the mass matrix must be symmetric, but its entries (" + std::to_string(i + 1) + ", " +
                                 std::to_string(j + 1) + ") and (" + std::to_string(j + 1) + ", " +
                                 std::to_string(i + 1) + ") differ: " + show(static_cast<double>(factor_[i][j])) +
                                 " and " + show(static_cast<double>(factor_[j][i])));
        for (std::size_t j = 0; j < n; ++j) {
            T const diagonal = factor_[j][j];
            for (std::size_t k = 0; k < j; ++k) factor_[j][j] -= factor_[j][k] * factor_[j][k];
            // a pivot that cancelled down to round-off belongs to a singular matrix
            if (!(factor_[j][j] > diagonal * T(n) * T(4e-16)))
                throw misuse("the mass matrix must be positive definite, but its pivot " + std::to_string(j + 1) +
                             " is " + show(static_cast<double>(factor_[j][j])) +
                             "; a singular mass matrix means a coordinate without inertia: eliminate it");
            factor_[j][j] = sqrt(factor_[j][j]);
            for (std::size_t i = j + 1; i < n; ++i) {
                for (std::size_t k = 0; k < j; ++k) factor_[i][j] -= factor_[i][k] * factor_[j][k];
                factor_[i][j] /= factor_[j][j];
            }
        }
    }
    void check(std::size_t coordinates) const { require_size("the mass matrix", factor_.size(), coordinates); }
    template <class V> void divide(V& force) const {
        std::size_t const n = factor_.size();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < i; ++k) force[i] -= factor_[i][k] * force[k];
            force[i] /= factor_[i][i];
        }
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t k = i + 1; k < n; ++k) force[i] -= factor_[k][i] * force[k];
            force[i] /= factor_[i][i];
        }
    }

private:
    std::vector<std::vector<T>> factor_;
};

/// A mass matrix whose form is known at run time only.
class any_mass {
public:
    using form = std::variant<unit_mass, scalar_mass<double>, diagonal_mass<double>, full_mass<double>>;

    any_mass() = default; ///< M = 1
    any_mass(form const& given, std::size_t coordinates) : is_one_(given.index() == 0) {
        std::visit(
            [&](auto const& each) {
                each.check(coordinates);
                if constexpr (requires { each.inverse(0); })
                    for (std::size_t i = 0; i < coordinates; ++i) inverses_.push_back(each.inverse(i));
                else if constexpr (std::is_same_v<decltype(each), full_mass<double> const&>) full_ = each;
            },
            given);
    }

    void check(std::size_t coordinates) const {
        if (full_) full_->check(coordinates);
        else if (!is_one_) require_size("the list of masses", inverses_.size(), coordinates);
    }
    template <class V> void divide(V& force) const {
        if (is_one_) return; // small systems ask this often
        if (full_) full_->divide(force);
        else
            for (std::size_t i = 0; i < force.size(); ++i) force[i] *= inverses_[i];
    }
    [[nodiscard]] bool is_full() const { return full_.has_value(); }
    /// Of each coordinate, none for M = 1; nothing where the matrix is full.
    [[nodiscard]] std::optional<std::span<double const>> inverses() const {
        if (full_) return std::nullopt;
        return inverses_;
    }

private:
    bool is_one_ = true;
    std::vector<double> inverses_;
    std::optional<full_mass<double>> full_;
};

/// `mass(2.)`, `mass({1., 3.})`, `mass({{2., 1.}, {1., 2.}})`: the mass argument of the system factories.
template <class T> [[nodiscard]] auto mass(T value) {
    if constexpr (std::is_integral_v<T>) return scalar_mass<double>(static_cast<double>(value));
    else return scalar_mass<T>(value);
}
[[nodiscard]] inline diagonal_mass<double> mass(std::vector<double> const& diagonal) {
    return diagonal_mass<double>(diagonal);
}
[[nodiscard]] inline full_mass<double> mass(std::vector<std::vector<double>> rows) {
    return full_mass<double>(std::move(rows));
}

} // namespace lento
