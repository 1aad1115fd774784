#include <lento/constraint/fast_band.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace lento {

fast_modes::fast_modes(std::size_t of_springs, std::size_t count)
    : springs(of_springs), frequencies(count), shapes(count * of_springs), actions(count) {
    for (std::size_t m = 0; m < count; ++m) shapes[m * springs + m] = 1;
}

double fast_modes::energy() const {
    double sum = 0;
    for (std::size_t m = 0; m < count(); ++m) sum += actions[m] * frequencies[m];
    return sum;
}

namespace detail {
namespace {

void scale(std::vector<double>& x, double factor) {
    for (auto& component : x) component *= factor;
}

/// x, y become c x - s y, s x + c y.
void turn(double& x, double& y, double c, double s) {
    double const before = x;
    x = c * before - s * y;
    y = s * before + c * y;
}

} // namespace

double dot(std::span<double const> x, std::span<double const> y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

void turn_to_eigenvectors(std::span<double> a, fast_modes& modes) {
    std::size_t const n = modes.count();
    auto const at = [&](std::size_t i, std::size_t j) -> double& { return a[i * n + j]; };
    auto const rotate = [&](std::size_t p, std::size_t q) {
        if (at(p, q) == 0) return;
        double const slope = (at(q, q) - at(p, p)) / (2 * at(p, q));
        double const tangent = std::copysign(1 / (std::abs(slope) + std::hypot(1, slope)), slope);
        double const c = 1 / std::hypot(1, tangent);
        double const s = c * tangent;
        for (std::size_t k = 0; k < n; ++k) turn(at(k, p), at(k, q), c, s);
        for (std::size_t k = 0; k < n; ++k) turn(at(p, k), at(q, k), c, s);
        auto const first = modes.shape(p);
        auto const second = modes.shape(q);
        for (std::size_t k = 0; k < modes.springs; ++k) turn(first[k], second[k], c, s);
    };
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0;
        double diagonal = 0;
        for (std::size_t i = 0; i < n; ++i) {
            diagonal += at(i, i) * at(i, i);
            for (std::size_t j = 0; j < i; ++j) off += at(i, j) * at(i, j);
        }
        if (!(off > 1e-30 * diagonal) || !std::isfinite(diagonal)) return;
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) rotate(p, q);
    }
}

tridiagonal_end largest_of_tridiagonal(std::span<double const> diagonal, std::span<double const> beside) {
    std::size_t const n = diagonal.size();
    double low = diagonal[0];
    double high = diagonal[0];
    for (std::size_t i = 0; i < n; ++i) {
        double const around = (i > 0 ? std::abs(beside[i - 1]) : 0) + (i + 1 < n ? std::abs(beside[i]) : 0);
        low = std::max(low, diagonal[i]);
        high = std::max(high, diagonal[i] + around);
    }
    // above the largest eigenvalue, and there only, all pivots of value - matrix are positive
    auto const is_above = [&](double value) {
        double pivot = value - diagonal[0];
        for (std::size_t i = 1; i < n && pivot > 0; ++i)
            pivot = value - diagonal[i] - beside[i - 1] * beside[i - 1] / pivot;
        return pivot > 0;
    };
    for (int k = 0; k < 60 && low < high; ++k) {
        double const middle = low + (high - low) / 2;
        if (!(low < middle && middle < high)) break;
        (is_above(middle) ? high : low) = middle;
    }
    // from the last component on, towards which they decay
    double square = 1;
    double component = 1;
    double pivot = high - diagonal[n - 1];
    for (std::size_t i = n - 1; i > 0; --i) {
        component *= pivot / beside[i - 1];
        square += component * component;
        pivot = high - diagonal[i - 1] - beside[i - 1] * beside[i - 1] / pivot;
    }
    return {high, 1 / std::sqrt(square)};
}

void fill_with_start(std::vector<double>& x) {
    std::minstd_rand numbers(1);
    std::uniform_real_distribution<double> uniform(0.5, 1);
    for (auto& component : x) component = (numbers() % 2 == 0 ? 1 : -1) * uniform(numbers);
    scale(x, 1 / std::sqrt(dot(x, x)));
}

double slow_frequency(std::vector<double> const& q, acceleration_difference const& derivative) {
    std::vector<double> direction(q.size());
    fill_with_start(direction);
    std::vector<double> out(q.size());
    double size = 1e-3;
    for (double const component : q) size = std::max(size, std::abs(component));
    double const distance = std::cbrt(std::numeric_limits<double>::epsilon()) * size;
    double growth = 0;
    for (int k = 0; k < 12; ++k) {
        double largest = 0;
        for (double const component : direction) largest = std::max(largest, std::abs(component));
        if (largest == 0) return 0;
        scale(direction, 1 / largest);
        derivative(direction, distance, out);
        growth = std::sqrt(dot(out, out) / dot(direction, direction));
        direction.swap(out);
    }
    return std::isfinite(growth) ? std::sqrt(growth) : 0;
}

} // namespace detail
} // namespace lento
