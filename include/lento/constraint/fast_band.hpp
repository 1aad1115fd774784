#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <tuple>
#include <vector>

namespace lento {

/// Fast modes of hard springs: frequencies, unit shapes in the springs' stretches times omega, and actions, which are
/// energies over frequencies. Carried along a motion each mode keeps its number.
struct fast_modes {
    std::size_t springs = 0;
    std::vector<double> frequencies;
    std::vector<double> shapes; ///< one after another
    std::vector<double> actions;
    static auto members(auto& self) { return std::tie(self.frequencies, self.shapes, self.actions); }

    /// The first `count` unit vectors.
    fast_modes(std::size_t of_springs, std::size_t count);
    [[nodiscard]] std::size_t count() const { return frequencies.size(); }
    [[nodiscard]] std::span<double> shape(std::size_t m) { return std::span(shapes).subspan(m * springs, springs); }
    [[nodiscard]] std::span<double const> shape(std::size_t m) const {
        return std::span(shapes).subspan(m * springs, springs);
    }
    [[nodiscard]] double energy() const;
};

/// How far springs swing about where they pull with their load, times omega, and how fast they do: together with their
/// halved squares an energy.
struct spring_swing {
    std::vector<double> stretch;
    std::vector<double> rate;
    static auto members(auto& self) { return std::tie(self.stretch, self.rate); }
};

namespace detail {

[[nodiscard]] double dot(std::span<double const> x, std::span<double const> y);

/// Turns orthonormal shapes, in which a symmetric matrix is `a`, to its eigenvectors, by Jacobi's rotations; the
/// diagonal of `a` becomes the eigenvalues. No rotation is beyond 45 degrees, so that shapes which are eigenvectors of
/// a matrix nearby keep their places, also where eigenvalues cross.
void turn_to_eigenvectors(std::span<double> a, fast_modes& modes);

/// The largest eigenvalue of a tridiagonal matrix, and how much of its unit eigenvector is in the last place.
struct tridiagonal_end {
    double value;
    double last;
};
[[nodiscard]] tridiagonal_end largest_of_tridiagonal(std::span<double const> diagonal, std::span<double const> beside);

/// A vector that is not orthogonal to any eigenvector in particular, and the same in every run.
void fill_with_start(std::vector<double>& x);

/// The largest eigenvalue of a symmetric matrix, given by its products, by Lanczos's method (1950), with what the
/// iteration has not resolved added: an upper bound in all likelihood. The largest one needs no orthogonalisation. The
/// vectors are memory.
template <class Apply>
[[nodiscard]] double largest_eigenvalue(Apply const& apply, std::array<std::vector<double>, 3>& x) {
    constexpr std::size_t most_steps = 60;
    auto& [now, before, next] = x;
    std::array<double, most_steps> diagonal{};
    std::array<double, most_steps> beside{};
    fill_with_start(now);
    double found = 0;
    double left = 0;
    for (std::size_t k = 0; k < std::min(now.size(), most_steps); ++k) {
        apply(now, next);
        diagonal[k] = dot(now, next);
        for (std::size_t i = 0; i < next.size(); ++i) next[i] -= diagonal[k] * now[i] + left * (k > 0 ? before[i] : 0);
        left = std::sqrt(dot(next, next));
        auto const end = largest_of_tridiagonal(std::span(diagonal).first(k + 1), std::span(beside).first(k));
        double const unresolved = left * end.last;
        found = end.value + unresolved;
        if (!(unresolved >= 1e-10 * found)) break;
        beside[k] = left;
        before.swap(now);
        for (std::size_t i = 0; i < next.size(); ++i) now[i] = next[i] / left;
    }
    return found;
}

/// out = (a(q + distance direction) - a(q)) / distance, along the constraints
using acceleration_difference =
    std::function<void(std::vector<double> const& direction, double distance, std::vector<double>& out)>;

/// The root of the largest eigenvalue, in size, of the slow accelerations' derivative at q, by the power method.
[[nodiscard]] double slow_frequency(std::vector<double> const& q, acceleration_difference const& derivative);

} // namespace detail
} // namespace lento
