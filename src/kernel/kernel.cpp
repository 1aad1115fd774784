#include <lento/kernel/kernel.hpp>

#include <lento/system/dense_solve.hpp>
#include <lento/system/misuse.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <type_traits>

namespace lento {
namespace {

using real = long double;

/// The uncorrected shape, up to a factor.
real shape(exponential const& k, real x) {
    return std::abs(x) < 1 ? std::exp(static_cast<real>(k.strength) / (x * x - 1)) : real(0);
}
real shape(polynomial const& k, real x) { return std::pow(std::max(real(0), 1 - x * x), k.regularity + 1); }
real shape(cubic const&, real x) {
    real const s = std::abs(x);
    if (s >= 1) return 0;
    return s <= real(0.5) ? 2 - 2 * s - 8 * s * s + 8 * s * s * s : 2 - 22 * s / 3 + 8 * s * s - 8 * s * s * s / 3;
}
real shape(cosine const&, real x) { return 1 + std::cos(std::numbers::pi_v<real> * x); }
/// The uniform B-spline of the given number of boxes, by truncated powers.
real shape(one_period_mean const& k, real x) {
    if (k.boxes == 1) return 1;
    real const u = (x + 1) / 2 * k.boxes;
    real sum = 0;
    real binomial = 1;
    for (int j = 0; j <= k.boxes && u > j; ++j) {
        sum += binomial * std::pow(u - j, k.boxes - 1);
        binomial *= -static_cast<real>(k.boxes - j) / (j + 1);
    }
    return std::max(real(0), sum);
}
real shape(chebyshev const&, real) {
    throw misuse("a Chebyshev filter is made for the grid of a window and has no shape between its points; use a "
                 "polynomial kernel here");
}
real shape(kernel const& k, real x) {
    return std::visit([x](auto const& each) { return shape(each, x); }, k);
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

/// As many boxes of one period each, convolved on the grid: exact zeros at every harmonic below the sampling rate.
std::vector<double> spline_weights(one_period_mean const& k, int steps) {
    bool const trapezoid = k.rule == mean_rule::trapezoid;
    int const a_box = steps / k.boxes;
    std::vector<real> box(static_cast<std::size_t>(a_box) + 1, real(1) / (trapezoid ? a_box : a_box + 1));
    if (trapezoid) {
        box.front() /= 2;
        box.back() /= 2;
    }
    std::vector<real> spline = box;
    for (int j = 1; j < k.boxes; ++j) {
        std::vector<real> wider(spline.size() + box.size() - 1, 0);
        for (std::size_t r = 0; r < spline.size(); ++r)
            for (std::size_t s = 0; s < box.size(); ++s) wider[r + s] += spline[r] * box[s];
        spline = std::move(wider);
    }
    return {spline.begin(), spline.end()};
}

constexpr int longest_low_pass = 20'000; // its weights cost the square of this

/// T_n(a x + b) / T_n(a + b) in x = cos(theta), which is 1 at theta = 0 and stays below `left` from the angle on where
/// a x + b is 1; times the powers of u = 1 - x that make it flat at theta = 0.
struct low_pass {
    real n = 0;
    real a = 0;
    real b = 0;
    real left = 0;
    std::vector<real> flat;

    low_pass(int degree, int flatness, real ripple) : n(degree), left(ripple) {
        real const angle = std::acosh(1 / ripple) / n;
        real const y = std::cosh(angle);
        a = (1 + y) / 2; // so that a + b = y, and x = -1 is taken to -1
        b = (y - 1) / 2;
        // derivatives of T_n at y over its value there, by Chebyshev's equation differentiated
        std::vector<real> slope{1, n * std::tanh(n * angle) / std::sinh(angle)};
        for (int k = 0; k + 2 <= flatness; ++k) {
            auto const at = static_cast<std::size_t>(k);
            slope.push_back(((2 * k + 1) * y * slope[at + 1] + (static_cast<real>(k) * k - n * n) * slope[at]) /
                            (1 - y * y));
        }
        std::vector<real> series{1}; // of the response in u, and then of its inverse
        for (int k = 1; k <= flatness; ++k)
            series.push_back(slope[static_cast<std::size_t>(k)] * std::pow(-a, k) / std::tgamma(real(k + 1)));
        flat = {1};
        for (std::size_t k = 1; k < series.size(); ++k) {
            real sum = 0;
            for (std::size_t j = 1; j <= k; ++j) sum -= series[j] * flat[k - j];
            flat.push_back(sum);
        }
    }
    [[nodiscard]] real flattened(real u) const {
        real sum = 0;
        for (std::size_t k = flat.size(); k-- > 0;) sum = sum * u + flat[k];
        return sum;
    }
    [[nodiscard]] real edge() const { return std::acos(std::clamp((1 - b) / a, real(-1), real(1))); }
    /// The largest response beyond the edge: the powers of u only grow, so that it is the one at theta = pi.
    [[nodiscard]] real largest() const { return left * flattened(2); }
    [[nodiscard]] real operator()(real x) const {
        real const z = a * x + b;
        real const t = z > 1 ? std::cosh(n * std::acosh(z)) : std::cos(n * std::acos(std::max(real(-1), z)));
        return left * t * flattened(1 - x);
    }
};

/// The low-pass of so many steps whose largest response, with its moments, is the attenuation.
low_pass designed(chebyshev const& k, int steps) {
    int const flatness = k.moments / 2;
    int const degree = steps / 2 - flatness;
    if (degree < 1)
        throw misuse("a window of " + std::to_string(steps) + " steps cannot carry " + std::to_string(k.moments) +
                     " vanishing moments; use more steps or fewer moments");
    real low = std::log(static_cast<real>(k.attenuation)) - 60;
    real high = std::log(static_cast<real>(k.attenuation));
    if (flatness == 0) low = high;
    for (int halving = 0; halving < 80 && high - low > 1e-15L; ++halving) {
        real const middle = (low + high) / 2;
        (low_pass(degree, flatness, std::exp(middle)).largest() > k.attenuation ? high : low) = middle;
    }
    return {degree, flatness, std::exp(low)};
}

/// The weights with that response: a polynomial of degree steps/2 in cos(theta) is told by steps + 1 samples of a turn.
std::vector<double> low_pass_weights(chebyshev const& k, int steps) {
    low_pass const filter = designed(k, steps);
    auto const samples = static_cast<std::size_t>(steps) + 1;
    std::vector<real> cosine_of(samples);
    std::vector<real> responses(samples);
    for (std::size_t j = 0; j < samples; ++j) {
        cosine_of[j] = std::cos(2 * std::numbers::pi_v<real> * static_cast<real>(j) / static_cast<real>(samples));
        responses[j] = filter(cosine_of[j]);
    }
    std::vector<double> result(samples);
    std::size_t const middle = samples / 2;
    for (std::size_t i = 0; i <= middle; ++i) {
        real sum = 0;
        for (std::size_t j = 0; j < samples; ++j) sum += responses[j] * cosine_of[i * j % samples];
        result[middle - i] = result[middle + i] = static_cast<double>(sum / static_cast<real>(samples));
    }
    return result;
}

void require_range(std::string_view what, int value, int low, int high) {
    if (value < low || value > high)
        throw misuse(std::string(what) + " must be between " + std::to_string(low) + " and " + std::to_string(high) +
                     ", but it is " + std::to_string(value));
}

} // namespace

std::string_view name(kernel const& k) {
    struct namer {
        std::string_view operator()(exponential const&) const { return "exponential"; }
        std::string_view operator()(polynomial const&) const { return "polynomial"; }
        std::string_view operator()(cubic const&) const { return "cubic"; }
        std::string_view operator()(cosine const&) const { return "cosine"; }
        std::string_view operator()(one_period_mean const&) const { return "one-period"; }
        std::string_view operator()(chebyshev const&) const { return "chebyshev"; }
    };
    return std::visit(namer{}, k);
}

int vanishing_moments(kernel const& k) {
    struct counter {
        int operator()(one_period_mean const&) const { return 1; }
        int operator()(exponential const& each) const { return each.moments; }
        int operator()(polynomial const& each) const { return each.moments; }
        int operator()(cubic const& each) const { return each.moments; }
        int operator()(cosine const& each) const { return each.moments; }
        int operator()(chebyshev const& each) const { return each.moments; }
    };
    return std::visit(counter{}, k);
}

int fixed_periods(kernel const& k) {
    auto const* mean = std::get_if<one_period_mean>(&k);
    return mean != nullptr ? mean->boxes : 0;
}

double stop_band(chebyshev const& k, int steps) {
    check(k);
    return static_cast<double>(designed(k, steps).edge());
}

int steps_to_stop(chebyshev const& k, double radians_a_step) {
    check(k);
    require_positive("the angle a step", radians_a_step);
    int too_few = k.moments / 2; // steps to a side, as those below
    int enough = too_few + 1;
    while (stop_band(k, 2 * enough) > radians_a_step) {
        too_few = enough;
        enough *= 2;
        if (2 * enough > longest_low_pass)
            throw does_not_apply("a Chebyshev filter would take more than " + std::to_string(longest_low_pass) +
                                 " steps to remove an oscillation of " + show(radians_a_step) +
                                 " radians a step; use larger steps");
    }
    while (enough - too_few > 1) {
        int const middle = (enough + too_few) / 2;
        (stop_band(k, 2 * middle) > radians_a_step ? too_few : enough) = middle;
    }
    return 2 * enough;
}

void check(kernel const& k, support where) {
    require_range("the number of vanishing moments", vanishing_moments(k), 0, 7);
    if (auto const* each = std::get_if<polynomial>(&k)) require_range("the regularity", each->regularity, 0, 9);
    if (auto const* each = std::get_if<exponential>(&k)) require_positive("the kernel's strength", each->strength);
    // its second moment is 0, so that no multiple of x moves its first one
    if (auto const* each = std::get_if<cubic>(&k);
        each != nullptr && (each->moments == 1 || each->moments == 2) && where != support::centred)
        throw misuse("a one-sided cubic kernel cannot have just " + std::to_string(each->moments) +
                     " vanishing moments; use 3, or a polynomial kernel");
    if (auto const* each = std::get_if<chebyshev>(&k)) {
        if (!(each->attenuation >= 1e-15 && each->attenuation <= 0.1))
            throw misuse("the attenuation must lie between 1e-15 and 0.1, but it is " + show(each->attenuation));
        if (where != support::centred)
            throw misuse("a Chebyshev filter gives the value at the window's centre; use a polynomial kernel for "
                         "one-sided windows and for flows");
    }
    if (auto const* each = std::get_if<one_period_mean>(&k)) {
        require_range("the number of boxes", each->boxes, 1, 8);
        if (where != support::centred)
            throw misuse("a one-period mean gives the value at the window's centre; use a polynomial kernel for "
                         "one-sided windows");
    }
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
    if (auto const* mean = std::get_if<one_period_mean>(&k)) {
        if (steps % mean->boxes != 0)
            throw misuse("a window of " + std::to_string(mean->boxes) +
                         " periods needs as many steps in each, but it has " + std::to_string(steps) + " in all");
        return spline_weights(*mean, steps);
    }
    if (auto const* low = std::get_if<chebyshev>(&k)) {
        if (steps > longest_low_pass)
            throw misuse("a Chebyshev filter has at most " + std::to_string(longest_low_pass) +
                         " steps, but this window has " + std::to_string(steps));
        return low_pass_weights(*low, steps);
    }
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

std::complex<double> response(std::vector<double> const& weights, double radians_a_step, support where) {
    auto const last = static_cast<real>(weights.size()) - 1;
    real const origin = last * (1 + evaluation_point(where)) / 2;
    std::complex<real> sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        real const phase = static_cast<real>(radians_a_step) * (static_cast<real>(i) - origin);
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

std::vector<kernel_description> const& known_kernels() {
    static std::vector<kernel_description> const all = {
        {"exponential", "strength = 5, moments = 1, periods = 40", "exp(5/(x^2-1)), the papers' smooth filter"},
        {"polynomial", "moments = 1, regularity = 3", "K^{p,q}: p vanishing moments, q continuous derivatives"},
        {"cubic", "moments = 3", "the piecewise cubic of paper 003"},
        {"cosine", "moments = 1", "1 + cos(pi x)"},
        {"chebyshev", "attenuation = 1e-6, moments = 3",
         "the shortest filter of a given attenuation; knows its length"},
        {"one-period", "boxes = 1", "the mean over a known period, or a mean of means"},
        {"notch", "", "zeros at the local fast frequencies of a stiff system, which the method ipa follows"},
        {"picard", "points = 8, passes = 3", "spectral mean over one known period, no micro-integration"},
    };
    return all;
}

} // namespace lento
