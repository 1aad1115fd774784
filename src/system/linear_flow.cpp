#include <lento/system/linear_flow.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/matrix_functions.hpp"

#include <lento/base/misuse.hpp>

namespace lento {
namespace {

using real = long double;
using detail::real_matrix;

real largest_entry(real_matrix const& a) {
    real largest = 0;
    for (real const entry : a.entries) largest = std::max(largest, std::abs(entry));
    return largest;
}

/// Whether a = left * turned to 1e-14 of the size of a; not where something is not a number.
bool gives_back(real_matrix const& a, real_matrix const& left, real_matrix const& turned) {
    auto const back = product(left, turned);
    real const allowed = 1e-14L * largest_entry(a);
    for (std::size_t k = 0; k < a.entries.size(); ++k)
        if (!(std::abs(back.entries[k] - a.entries[k]) <= allowed)) return false;
    return true;
}

/// Which variables hang together: the components of the graph of nonzero entries.
std::vector<std::vector<std::size_t>> components(std::vector<std::vector<real>> const& rows) {
    std::size_t const n = rows.size();
    std::vector<std::size_t> root(n);
    std::iota(root.begin(), root.end(), std::size_t(0));
    auto const find = [&root](std::size_t i) {
        while (root[i] != i) i = root[i] = root[root[i]];
        return i;
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (rows[i][j] != 0) root[find(i)] = find(j);
    std::vector<std::vector<std::size_t>> sets;
    std::vector<std::size_t> set_of(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t const top = find(i);
        if (set_of[top] == n) {
            set_of[top] = sets.size();
            sets.emplace_back();
        }
        sets[set_of[top]].push_back(i);
    }
    return sets;
}

} // namespace

linear_flow::linear_flow(std::vector<std::vector<long double>> const& rows) {
    for (auto const& row : rows) {
        require_size("a row of the fast matrix", row.size(), rows.size());
        for (real const entry : row) require_finite("an entry of the fast matrix", static_cast<double>(entry));
    }
    std::vector<std::size_t> block_of(rows.size());
    for (auto& variables : components(rows)) {
        for (std::size_t const i : variables) block_of[i] = blocks_.size();
        blocks_.push_back({std::move(variables), {}, {}, {}});
    }
    starts_.push_back(0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t const j : blocks_[block_of[i]].variables) {
            columns_.push_back(j);
            matrix_.push_back(rows[i][j]);
        }
        starts_.push_back(columns_.size());
    }
    for (block& each : blocks_) take_apart(each);
}

void linear_flow::take_apart(block& each) {
    std::size_t const n = each.variables.size();
    real_matrix a(n);
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c) a(r, c) = matrix_[starts_[each.variables[r]] + c];
    real const size = largest_entry(a);
    bool skew = true;
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c <= r; ++c) skew = skew && std::abs(a(r, c) + a(c, r)) <= 1e-18L * size;
    if (skew) return take_rotations(each, a);

    auto found = eigenvectors(a);
    for (auto const& value : found.values)
        eigenvalues_.emplace_back(static_cast<double>(value.real()), static_cast<double>(value.imag()));
    for (std::size_t i = 0; i < n; ++i) {
        auto const& value = found.values[i];
        bool const pair = value.imag() != 0 && i + 1 < n;
        each.modes.push_back({i, pair ? i + 1 : i, value.real(), pair ? value.imag() : 0});
        if (pair) ++i;
    }
    // a basis that is nearly dependent cannot give A back
    real_matrix turned(n);
    for (mode const& m : each.modes)
        for (std::size_t c = 0; c < n; ++c) {
            real const p = found.inverse(m.first, c);
            real const q = found.inverse(m.second, c);
            turned(m.first, c) = m.second == m.first ? m.decay * p : m.decay * p + m.frequency * q;
            if (m.second != m.first) turned(m.second, c) = m.decay * q - m.frequency * p;
        }
    if (gives_back(a, found.basis, turned)) {
        each.left = std::move(found.basis.entries);
        each.right = std::move(found.inverse.entries);
    } else {
        each.modes.clear();
        each.left = std::move(a.entries);
        each.right.clear();
    }
}

/// A skew matrix keeps its Schur form skew: rotations in planes, nothing else.
void linear_flow::take_rotations(block& each, real_matrix const& a) {
    std::size_t const n = each.variables.size();
    real const size = largest_entry(a);
    auto const [basis, form] = schur(a);
    each.left = basis.entries;
    each.right = transposed(basis).entries;
    for (std::size_t i = 0; i < n; ++i) {
        bool const plane = i + 1 < n && std::abs(form(i + 1, i)) > 1e-17L * size;
        if (!plane) {
            each.modes.push_back({i, i, 0, 0});
            eigenvalues_.emplace_back(0, 0);
            continue;
        }
        real const frequency = (form(i, i + 1) - form(i + 1, i)) / 2;
        each.modes.push_back({i, i + 1, 0, frequency});
        eigenvalues_.emplace_back(0, static_cast<double>(frequency));
        eigenvalues_.emplace_back(0, -static_cast<double>(frequency));
        ++i;
    }
}

std::vector<double> linear_flow::frequencies() const {
    std::vector<double> all;
    for (auto const& value : eigenvalues_) all.push_back(std::abs(value.imag()));
    std::sort(all.begin(), all.end());
    double const largest = all.empty() ? 0 : all.back();
    std::vector<double> different;
    for (double const w : all)
        if (w > 1e-12 * largest && (different.empty() || w - different.back() > 1e-12 * largest))
            different.push_back(w);
    return different;
}

std::string linear_flow::not_oscillatory() const {
    double largest = 0;
    std::complex<double> worst;
    for (auto const& value : eigenvalues_) {
        largest = std::max(largest, std::abs(value));
        if (std::abs(value.real()) > std::abs(worst.real())) worst = value;
    }
    // a Jordan block of size 2 spreads its eigenvalue by the root of the rounding error
    if (std::abs(worst.real()) <= 1e-9 * largest) return {};
    return "the fast part does not oscillate: its matrix has the eigenvalue " + show(worst.real()) +
           (worst.imag() < 0 ? " - " : " + ") + show(std::abs(worst.imag())) +
           "i, which grows or decays on the fast scale. Integrate the system directly, or move that part to the slow "
           "side if it is small.";
}

double linear_flow::return_defect(long double time) const {
    std::vector<real> values(columns_.size());
    fill(time, values);
    real largest = 0;
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i)
        for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k)
            largest = std::max(largest, std::abs(values[k] - (columns_[k] == i ? 1 : 0)));
    return static_cast<double>(largest);
}

void linear_flow::fill(long double time, std::vector<long double>& values) const {
    for (block const& each : blocks_) {
        std::size_t const n = each.variables.size();
        if (each.modes.empty()) {
            real_matrix a(n);
            for (std::size_t k = 0; k < n * n; ++k) a.entries[k] = time * each.left[k];
            auto const e = detail::exponential(a);
            for (std::size_t r = 0; r < n; ++r)
                for (std::size_t c = 0; c < n; ++c) values[starts_[each.variables[r]] + c] = e(r, c);
            continue;
        }
        for (std::size_t r = 0; r < n; ++r)
            std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(starts_[each.variables[r]]), n, real(0));
        for (mode const& m : each.modes) {
            real const scale = std::exp(m.decay * time);
            real const c = scale * std::cos(m.frequency * time);
            real const s = scale * std::sin(m.frequency * time);
            for (std::size_t row = 0; row < n; ++row) {
                real const first = each.left[row * n + m.first];
                real const second = m.second == m.first ? 0 : each.left[row * n + m.second];
                for (std::size_t column = 0; column < n; ++column) {
                    real const p = each.right[m.first * n + column];
                    real const q = m.second == m.first ? 0 : each.right[m.second * n + column];
                    values[starts_[each.variables[row]] + column] += first * (c * p + s * q) + second * (c * q - s * p);
                }
            }
        }
    }
}

void linear_flow::fill_function(long double (*f)(long double, long double), long double h,
                                std::vector<long double>& values) const {
    std::fill(values.begin(), values.end(), real(0));
    for (block const& each : blocks_) {
        std::size_t const n = each.variables.size();
        if (each.modes.size() != n) throw misuse("the matrix has no basis of real eigenvectors; a symmetric one has");
        for (mode const& m : each.modes) {
            real const factor = f(m.decay, h);
            for (std::size_t row = 0; row < n; ++row)
                for (std::size_t column = 0; column < n; ++column)
                    values[starts_[each.variables[row]] + column] +=
                        factor * each.left[row * n + m.first] * each.right[m.first * n + column];
        }
    }
}

} // namespace lento
