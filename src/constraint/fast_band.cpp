#include <lento/constraint/fast_band.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <Eigen/Eigenvalues>

namespace lento::detail {
namespace {

constexpr std::size_t few = 32;
constexpr std::size_t most_lanczos_steps = 60;

/// Not orthogonal to any eigenvector in particular, and the same in every run.
std::vector<double> start_vector(std::size_t size) {
    std::minstd_rand numbers(1);
    std::uniform_real_distribution<double> uniform(0.5, 1);
    std::vector<double> x(size);
    for (auto& component : x) component = (numbers() % 2 == 0 ? 1 : -1) * uniform(numbers);
    return x;
}
double dot(std::vector<double> const& x, std::vector<double> const& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}
void scale(std::vector<double>& x, double factor) {
    for (auto& component : x) component *= factor;
}

/// The largest eigenvalue, with what the iteration has not resolved added: an upper bound in all likelihood.
double largest_eigenvalue(std::size_t size, symmetric_operator const& apply) {
    std::vector<std::vector<double>> basis{start_vector(size)};
    scale(basis[0], 1 / std::sqrt(dot(basis[0], basis[0])));
    std::vector<double> diagonal;
    std::vector<double> beside;
    std::vector<double> next(size);
    double found = 0;
    for (std::size_t k = 0; k < std::min(size, most_lanczos_steps); ++k) {
        apply(basis[k], next);
        diagonal.push_back(dot(basis[k], next));
        for (int twice = 0; twice < 2; ++twice) // in full: rounding would bring the found ones back
            for (auto const& known : basis) {
                double const share = dot(known, next);
                for (std::size_t i = 0; i < size; ++i) next[i] -= share * known[i];
            }
        double const left = std::sqrt(dot(next, next));
        auto const n = static_cast<Eigen::Index>(k + 1);
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
        solver.computeFromTridiagonal(Eigen::Map<Eigen::VectorXd>(diagonal.data(), n),
                                      Eigen::Map<Eigen::VectorXd>(beside.data(), n - 1));
        double const unresolved = left * std::abs(solver.eigenvectors()(n - 1, n - 1));
        found = solver.eigenvalues()[n - 1] + unresolved;
        if (unresolved < 1e-10 * found) break;
        beside.push_back(left);
        basis.push_back(next);
        scale(basis.back(), 1 / left);
    }
    return found;
}

std::vector<double> all_eigenvalues(std::size_t size, symmetric_operator const& apply) {
    auto const n = static_cast<Eigen::Index>(size);
    Eigen::MatrixXd matrix(n, n);
    std::vector<double> unit(size);
    std::vector<double> column(size);
    for (std::size_t j = 0; j < size; ++j) {
        unit[j] = 1;
        apply(unit, column);
        unit[j] = 0;
        matrix.col(static_cast<Eigen::Index>(j)) = Eigen::Map<Eigen::VectorXd>(column.data(), n);
    }
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> const solver(matrix, Eigen::EigenvaluesOnly);
    return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

} // namespace

std::vector<double> fast_band(std::size_t size, symmetric_operator const& apply, symmetric_operator const& solve) {
    std::vector<double> band;
    if (size <= few) {
        for (double const value : all_eigenvalues(size, apply)) band.push_back(std::sqrt(std::max(value, 0.)));
        return band;
    }
    double const slowest = 1 / std::sqrt(largest_eigenvalue(size, solve));
    double const fastest = std::sqrt(largest_eigenvalue(size, apply));
    for (std::size_t k = 0; k <= few; ++k)
        band.push_back(slowest + (fastest - slowest) * static_cast<double>(k) / static_cast<double>(few));
    return band;
}

double slow_frequency(std::vector<double> const& q, acceleration_difference const& derivative) {
    auto direction = start_vector(q.size());
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

} // namespace lento::detail
