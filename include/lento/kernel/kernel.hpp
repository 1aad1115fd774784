#pragma once

#include <complex>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <lento/base/row.hpp>
#include <lento/kernel/chebyshev.hpp>
#include <lento/kernel/cosine.hpp>
#include <lento/kernel/cubic.hpp>
#include <lento/kernel/exponential.hpp>
#include <lento/kernel/one_period_mean.hpp>
#include <lento/kernel/polynomial.hpp>
#include <lento/kernel/support.hpp>

/// Filters. A kernel is plain data; the functions below give its values, moments, responses and discrete weights.
///
/// A window is mapped to x in [-1, 1]. A kernel reproduces polynomials up to degree `moments` at one point of the
/// window: its centre, or for one-sided support its first or last instant. In other words it has unit mass and the
/// moments 1 ... `moments` about that point vanish. With support `mean` it reproduces their means over the window.
namespace lento {

/// The table of kernels: a new one is its own header and a place in this list. Each has a `name`, a `sentence`,
/// `options()` and a `shape(x)`; one that is made for its grid has `weights(steps)`, one that does not give every value
/// of a window says `why_not(support)`.
using kernel = std::variant<exponential, polynomial, cubic, cosine, chebyshev, one_period_mean>;

/// The kernel's name in problem files.
[[nodiscard]] std::string_view name(kernel const& k);
/// Throws misuse when a parameter is out of range.
void check(kernel const& k, support where = support::centred);
/// How many moments about the point of evaluation vanish.
[[nodiscard]] int vanishing_moments(kernel const& k);
/// How many periods the window must cover, or 0 when that is the user's choice.
[[nodiscard]] int fixed_periods(kernel const& k);

/// The continuous kernel at x in [-1, 1]; its integral over [-1, 1] is 1.
[[nodiscard]] double value(kernel const& k, double x, support where = support::centred);
/// The integral of K(x) (x - x*)^power over [-1, 1], x* the point of evaluation.
[[nodiscard]] double moment(kernel const& k, int power, support where = support::centred);
/// The continuous frequency response: what remains of exp(i phi) when the phase phi, zero at the point of evaluation,
/// turns by `radians` over the whole window.
[[nodiscard]] std::complex<double> response(kernel const& k, double radians, support where = support::centred);

/// Weights on the grid of `steps` equal steps over the window (steps + 1 samples, both ends included; a uniform mean
/// of N samples per period has boxes (N - 1) steps). Mass and vanishing moments hold on the grid itself. Throws misuse
/// when the grid is too coarse to carry them.
[[nodiscard]] std::vector<double> weights(kernel const& k, int steps, support where = support::centred);
/// The response of discrete weights to a phase that turns by `radians_per_step` from sample to sample.
[[nodiscard]] std::complex<double> response(std::vector<double> const& weights, double radians_per_step,
                                            support where = support::centred);

/// A kernel as the weight of a perturbation that is switched on and off over [0, 1] (paper 002, (2.5)): mean 1, and the
/// means of polynomials kept up to its degree. Made once, cheap to evaluate.
class filter {
public:
    explicit filter(lento::kernel const& k);
    /// The weight at s in [0, 1].
    [[nodiscard]] long double weight(long double s) const;
    /// From 1 at s = 0 to 0 at s = 1, as smooth as the kernel: one less the integral of the weight.
    [[nodiscard]] long double ramp(long double s) const;
    /// The mean of the squared weight, kappa: 1 for no filter, larger for every other.
    [[nodiscard]] double power() const { return power_; }
    [[nodiscard]] lento::kernel const& kernel() const { return kernel_; }

private:
    [[nodiscard]] long double at(long double x) const;
    lento::kernel kernel_;
    std::vector<long double> correction_;
    double power_ = 1;
};

/// A row for each kernel, in the order of the table.
[[nodiscard]] std::span<row<kernel> const> kernels();

} // namespace lento
