#include <lento/kernel/kernel.hpp>

#include <lento/base/dense_solve.hpp>
#include <lento/base/misuse.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace lento {
namespace {

using real = long double;

/// The uncorrected shape, up to a factor.
real shape(kernel const& k, real x) {
    return std::visit([x](auto const& each) { return each.shape(x); }, k);
}

real evaluation_point(support where) {
    switch (where) {
    case support::forward: return -1;
    case support::backward: return 1;
    case support::centred:
    case support::mean: break;
    }
    return 0;
}

/// A measure sampled at nodes: a quadrature rule for the continuous kernel, the grid itself for the discrete one.
struct measure {
    std::vector<real> x;
    std::vector<real> mass;
};

/// Gauss-Legendre nodes and weights on [-1, 1] by Newton's iteration.
measure gauss_legendre(int points) {
    measure rule;
    for (int i = 1; i <= points; ++i) {
        real x = std::cos(std::numbers::pi_v<real> * (i - real(0.25)) / (points + real(0.5)));
        real derivative = 1;
        for (int iteration = 0; iteration < 100; ++iteration) {
            real p0 = 1;
            real p1 = x;
            for (int j = 2; j <= points; ++j) {
                real const p2 = ((2 * j - 1) * x * p1 - (j - 1) * p0) / j;
                p0 = p1;
                p1 = p2;
            }
            derivative = points * (x * p1 - p0) / (x * x - 1);
            real const correction = p1 / derivative;
            x -= correction;
            if (std::abs(correction) < 1e-19L) break;
        }
        rule.x.push_back(x);
        rule.mass.push_back(2 / ((1 - x * x) * derivative * derivative));
    }
    return rule;
}

/// The polynomial c for which c(x) d(mass) reproduces polynomials up to a degree at a point, or their means. It is
/// written in the polynomials orthogonal for |mass| (Stieltjes' recurrence), which for (1 - x^2)^(q+1) are
/// Gegenbauer's with lambda = q + 3/2: then c is sum_j G_j(x*) G_j / |G_j|^2.
class reproducing_polynomial {
public:
    /// About the centre of a symmetric measure the odd polynomials vanish by themselves; they are left out, because a
    /// mass of both signs (the cubic's) need not tell them apart from zero.
    reproducing_polynomial(measure const& m, int degree, support where)
        : stride_(evaluation_point(where) == 0 ? 2 : 1) {
        std::size_t const n = m.x.size();
        auto const terms = static_cast<std::size_t>(degree) + 1;
        std::vector<std::vector<real>> basis;
        std::vector<real> previous(n, 0);
        std::vector<real> current(n, 1);
        for (std::size_t j = 0; j < terms; ++j) {
            real square = 0;
            for (std::size_t i = 0; i < n; ++i) square += std::abs(m.mass[i]) * current[i] * current[i];
            if (!(square > 0)) throw misuse(too_coarse(degree));
            real const norm = std::sqrt(square);
            for (real& value : current) value /= norm;
            real mean = 0;
            for (std::size_t i = 0; i < n; ++i) mean += std::abs(m.mass[i]) * m.x[i] * current[i] * current[i];
            norms_.push_back(norm);
            means_.push_back(mean);
            if (j % stride_ == 0) basis.push_back(current);
            std::vector<real> next(n);
            for (std::size_t i = 0; i < n; ++i)
                next[i] = (m.x[i] - mean) * current[i] - (j > 0 ? norm : real(0)) * previous[i];
            previous = current;
            current = std::move(next);
        }
        coefficients_ = wanted(where);
        auto products = gram(m, basis);
        if (!(detail::eliminate(std::span(products), std::span(coefficients_)) > 1e-12L))
            throw misuse(too_coarse(degree));
    }

    /// The coefficients of 1, x, x^2, ...
    [[nodiscard]] std::vector<real> monomials() const {
        std::size_t const terms = norms_.size();
        std::vector<real> previous(terms, 0);
        std::vector<real> current(terms, 0);
        std::vector<real> sum(terms, 0);
        current[0] = 1 / norms_[0];
        for (std::size_t j = 0; j < terms; ++j) {
            if (j % stride_ == 0)
                for (std::size_t i = 0; i < terms; ++i) sum[i] += coefficients_[j / stride_] * current[i];
            if (j + 1 == terms) break;
            std::vector<real> next(terms, 0);
            for (std::size_t i = 0; i < terms; ++i)
                next[i] = ((i > 0 ? current[i - 1] : real(0)) - means_[j] * current[i] -
                           (j > 0 ? norms_[j] : real(0)) * previous[i]) /
                          norms_[j + 1];
            previous = current;
            current = next;
        }
        return sum;
    }

    [[nodiscard]] real operator()(real x) const {
        real sum = 0;
        std::vector<real> const b = basis_at(x);
        for (std::size_t j = 0; j < b.size(); ++j) sum += coefficients_[j] * b[j];
        return sum;
    }

private:
    static std::string too_coarse(int degree) {
        return "the window has too few samples for a kernel with " + std::to_string(degree) +
               " vanishing moments; use more steps or fewer moments";
    }

    [[nodiscard]] std::size_t coefficients_count() const { return (norms_.size() + stride_ - 1) / stride_; }

    /// What the basis has at the point of evaluation, or as its mean over [-1, 1].
    [[nodiscard]] std::vector<real> wanted(support where) const {
        if (where != support::mean) return basis_at(evaluation_point(where));
        std::vector<real> means(coefficients_count(), 0);
        measure const rule = gauss_legendre(8);
        for (std::size_t i = 0; i < rule.x.size(); ++i) {
            auto const values = basis_at(rule.x[i]);
            for (std::size_t j = 0; j < means.size(); ++j) means[j] += rule.mass[i] / 2 * values[j];
        }
        return means;
    }

    /// The polynomials that are used, at x.
    [[nodiscard]] std::vector<real> basis_at(real x) const {
        std::vector<real> values;
        real previous = 0;
        real current = 1 / norms_[0];
        for (std::size_t j = 0; j < norms_.size(); ++j) {
            if (j % stride_ == 0) values.push_back(current);
            if (j + 1 == norms_.size()) break;
            real const next = ((x - means_[j]) * current - (j > 0 ? norms_[j] : real(0)) * previous) / norms_[j + 1];
            previous = current;
            current = next;
        }
        return values;
    }

    /// The products of the basis, by rows: the identity when the mass is positive.
    static std::vector<real> gram(measure const& m, std::vector<std::vector<real>> const& basis) {
        std::vector<real> a;
        for (auto const& row : basis)
            for (auto const& column : basis) {
                a.push_back(0);
                for (std::size_t i = 0; i < m.x.size(); ++i) a.back() += m.mass[i] * row[i] * column[i];
            }
        return a;
    }

    std::size_t stride_;
    std::vector<real> norms_; // of the monic recurrence
    std::vector<real> means_;
    std::vector<real> coefficients_;
};

/// A composite rule over [-1, 1] whose panels end where the kernels have their knots (multiples of 1/2 and of 2/boxes).
measure panels(int count) {
    static measure const unit = gauss_legendre(24);
    measure rule;
    for (int p = 0; p < count; ++p) {
        real const left = -1 + real(2) * p / count;
        real const half = real(1) / count;
        for (std::size_t i = 0; i < unit.x.size(); ++i) {
            rule.x.push_back(left + half * (1 + unit.x[i]));
            rule.mass.push_back(unit.mass[i] * half);
        }
    }
    return rule;
}

int smooth_panels(kernel const& k) {
    auto const* mean = std::get_if<one_period_mean>(&k);
    return mean != nullptr ? 4 * mean->boxes : 16;
}

measure shaped(measure m, kernel const& k) {
    for (std::size_t i = 0; i < m.x.size(); ++i) m.mass[i] *= shape(k, m.x[i]);
    return m;
}

reproducing_polynomial correction(kernel const& k, support where) {
    return {shaped(panels(smooth_panels(k)), k), vanishing_moments(k), where};
}

} // namespace

std::string_view name(kernel const& k) { return held_name(k); }

std::span<row<kernel> const> kernels() {
    static constexpr auto all = rows_of(static_cast<kernel const*>(nullptr));
    return all;
}

int vanishing_moments(kernel const& k) {
    return std::visit(
        [](auto const& each) {
            if constexpr (requires { each.moments; }) return each.moments;
            else return 1; // a mean's, by symmetry
        },
        k);
}

int fixed_periods(kernel const& k) {
    auto const* mean = std::get_if<one_period_mean>(&k);
    return mean != nullptr ? mean->boxes : 0;
}

void check(kernel const& k, support where) {
    std::visit(
        [&](auto const& each) {
            require_allowed(each);
            if constexpr (requires { each.why_not(where); })
                if (std::string const why = each.why_not(where); !why.empty()) throw misuse(why);
        },
        k);
}

double value(kernel const& k, double x, support where) {
    check(k, where);
    if (std::abs(x) > 1) return 0;
    return static_cast<double>(shape(k, x) * correction(k, where)(x));
}

double moment(kernel const& k, int power, support where) {
    check(k, where);
    auto const correct = correction(k, where);
    measure const m = shaped(panels(smooth_panels(k)), k);
    real sum = 0;
    for (std::size_t i = 0; i < m.x.size(); ++i)
        sum += m.mass[i] * correct(m.x[i]) * std::pow(m.x[i] - evaluation_point(where), power);
    return static_cast<double>(sum);
}

std::complex<double> response(kernel const& k, double radians, support where) {
    check(k, where);
    require_finite("the phase", radians);
    auto const correct = correction(k, where);
    // panels short against the oscillation, and with ends at the kernel's knots
    int const base = smooth_panels(k);
    int const count = base * (1 + static_cast<int>(std::abs(radians) / (8 * base)));
    measure const m = shaped(panels(count), k);
    std::complex<real> sum = 0;
    for (std::size_t i = 0; i < m.x.size(); ++i) {
        real const phase = static_cast<real>(radians) * (m.x[i] - evaluation_point(where)) / 2;
        sum += m.mass[i] * correct(m.x[i]) * std::complex<real>(std::cos(phase), std::sin(phase));
    }
    return {static_cast<double>(sum.real()), static_cast<double>(sum.imag())};
}

std::vector<double> weights(kernel const& k, int steps, support where) {
    check(k, where);
    if (steps < 1 || (where == support::centred && steps % 2 != 0))
        throw misuse("a window needs a positive number of steps, even when it is centred, but it has " +
                     std::to_string(steps));
    std::optional<std::vector<double>> own;
    std::visit(
        [&](auto const& each) {
            if constexpr (requires { each.weights(steps); }) own = each.weights(steps);
        },
        k);
    if (own) return *own;
    measure grid;
    for (int i = 0; i <= steps; ++i) {
        real const x = -1 + real(2) * i / steps;
        grid.x.push_back(x);
        grid.mass.push_back(shape(k, x));
    }
    auto const samples = std::count_if(grid.mass.begin(), grid.mass.end(), [](real m) { return m != 0; });
    if (samples <= vanishing_moments(k))
        throw misuse("a window of " + std::to_string(steps) + " steps cannot carry " +
                     std::to_string(vanishing_moments(k)) + " vanishing moments; use more steps or fewer moments");
    reproducing_polynomial const correct(grid, vanishing_moments(k), where);
    std::vector<double> result;
    result.reserve(grid.x.size());
    for (std::size_t i = 0; i < grid.x.size(); ++i)
        result.push_back(static_cast<double>(grid.mass[i] * correct(grid.x[i])));
    return result;
}

std::complex<double> response(std::vector<double> const& weights, double radians_per_step, support where) {
    auto const last = static_cast<real>(weights.size()) - 1;
    real const origin = last * (1 + evaluation_point(where)) / 2;
    std::complex<real> sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        real const phase = static_cast<real>(radians_per_step) * (static_cast<real>(i) - origin);
        sum += static_cast<real>(weights[i]) * std::complex<real>(std::cos(phase), std::sin(phase));
    }
    return {static_cast<double>(sum.real()), static_cast<double>(sum.imag())};
}

filter::filter(lento::kernel const& k) : kernel_(k) {
    check(k, support::mean);
    if (fixed_periods(k) > 0) throw misuse("a one-period mean needs no filter: leave it out, with delta the period");
    correction_ = correction(k, support::mean).monomials();
    measure const m = panels(smooth_panels(k));
    real square = 0;
    for (std::size_t i = 0; i < m.x.size(); ++i) {
        real const weight = at(m.x[i]);
        square += m.mass[i] / 2 * weight * weight;
    }
    power_ = static_cast<double>(square);
}

/// Twice the kernel's density in x: its mean over [-1, 1] is 1.
real filter::at(real x) const {
    real sum = 0;
    for (std::size_t i = correction_.size(); i-- > 0;) sum = sum * x + correction_[i];
    return 2 * sum * shape(kernel_, x);
}

real filter::weight(real s) const { return s <= 0 || s >= 1 ? real(0) : at(2 * s - 1); }

real filter::ramp(real s) const {
    if (s <= 0) return 1;
    if (s >= 1) return 0;
    static measure const rule = gauss_legendre(24);
    real sum = 0;
    for (std::size_t i = 0; i < rule.x.size(); ++i) sum += rule.mass[i] / 2 * at(s * (1 + rule.x[i]) - 1);
    return 1 - s * sum;
}

} // namespace lento
