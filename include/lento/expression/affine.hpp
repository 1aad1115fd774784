#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lento::expression {

/// A loop variable of a graph (its bounds are kept there).
enum class variable : std::uint32_t {};

/// An index whose numbers do not fit into 64 bits. Formulas that are read never come so far: they are refused before.
struct index_overflow : std::overflow_error {
    index_overflow() : std::overflow_error("an index of a formula does not fit into 64 bits.") {}
};

/// An integer that is affine in loop variables: constant + sum of coefficient * variable. Arithmetic that would wrap
/// throws index_overflow instead.
struct affine {
    std::int64_t constant = 0;
    std::vector<std::pair<variable, std::int64_t>> terms{}; ///< sorted by variable, no zero coefficients

    auto operator<=>(affine const&) const = default;

    [[nodiscard]] bool is_constant() const { return terms.empty(); }
    [[nodiscard]] std::int64_t coefficient(variable of) const;

    affine& operator+=(affine const& other);
    affine& operator*=(std::int64_t factor);

    /// The same with one variable replaced.
    [[nodiscard]] affine with(variable replaced, affine const& by) const;

    friend affine operator+(affine a, affine const& b) { return a += b; }
    friend affine operator*(affine a, std::int64_t factor) { return a *= factor; }
    friend affine operator-(affine a) { return a *= -1; }
    friend affine operator-(affine a, affine const& b) { return a += b * -1; }
};

/// A single loop variable, or a number, as an affine index.
inline affine to_affine(variable of) { return {0, {{of, 1}}}; }
inline affine to_affine(std::int64_t constant) { return {constant, {}}; }

} // namespace lento::expression
