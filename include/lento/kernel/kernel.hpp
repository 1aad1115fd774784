#pragma once

#include <complex>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include <lento/system/option.hpp>

/// Filters. A kernel is plain data; the functions below give its values, moments, responses and discrete weights.
///
/// A window is mapped to x in [-1, 1]. A kernel reproduces polynomials up to degree `moments` at one point of the
/// window: its centre, or for one-sided support its first or last instant. In other words it has unit mass and the
/// moments 1 ... `moments` about that point vanish. With support `mean` it reproduces their means over the window.
namespace lento {

/// Where in its window a kernel gives the filtered value (paper 004, figure 2: the lower scheme is centred). `mean`
/// gives the mean over the window: paper 002's K~^{p,q}, moments 1/(r+1) on [0, 1].
enum class support { centred, forward, backward, mean };

/// exp(strength/(x^2 - 1)), infinitely smooth (Engquist and Tsai 2005; papers 000, 001 and 004 with strength 5).
struct exponential {
    double strength = 5;
    int moments = 1;
    static constexpr auto options() {
        return std::tuple{option{"strength", &exponential::strength, "how steeply it falls to its ends"},
                          option{"moments", &exponential::moments, "how many vanish"}};
    }
};

/// K^{p,q}: a polynomial times (1 - x^2)^(q+1), p vanishing moments, q continuous derivatives (Engquist and Tsai 2005).
struct polynomial {
    int moments = 1;
    int regularity = 3;
    static constexpr auto options() {
        return std::tuple{option{"moments", &polynomial::moments, "how many vanish"},
                          option{"regularity", &polynomial::regularity, "continuous derivatives"}};
    }
};

/// The piecewise cubic of paper 003, section 5.2.
struct cubic {
    int moments = 3;
    static constexpr auto options() { return std::tuple{option{"moments", &cubic::moments, "how many vanish"}}; }
};

/// 1 + cos(pi x)
struct cosine {
    int moments = 1;
    static constexpr auto options() { return std::tuple{option{"moments", &cosine::moments, "how many vanish"}}; }
};

/// How a mean over a period is sampled: `trapezoid` with both ends at half weight, `uniform` without the second end.
enum class mean_rule { trapezoid, uniform };

/// The mean over one known period; with more boxes the mean of the mean, and so on, over as many periods. All
/// harmonics of the period are removed exactly, to the order `boxes`.
struct one_period_mean {
    int boxes = 1;
    mean_rule rule = mean_rule::trapezoid; // follows from the number of steps, so it is no option of its own
    static constexpr auto options() {
        return std::tuple{option{"boxes", &one_period_mean::boxes, "means of means, one period each"}};
    }
};

/// The low-pass of Dolph (1946) on Chebyshev's polynomials, times a polynomial that makes moments vanish: of all
/// filters of a length it has the widest band, from an edge up to the sampling rate, in which nothing above
/// `attenuation` of an oscillation is left. It is made for a grid and has no shape between its points; how long it must
/// be follows from the slowest frequency it is to remove.
struct chebyshev {
    double attenuation = 1e-6;
    int moments = 3;
    static constexpr auto options() {
        return std::tuple{option{"attenuation", &chebyshev::attenuation, "what is left of a fast oscillation"},
                          option{"moments", &chebyshev::moments, "how many vanish"}};
    }
};

using kernel = std::variant<exponential, polynomial, cubic, cosine, one_period_mean, chebyshev>;

/// The kernel's name in problem files.
[[nodiscard]] std::string_view name(kernel const& k);
/// Throws misuse when a parameter is out of range.
void check(kernel const& k, support where = support::centred);
/// How many moments about the point of evaluation vanish.
[[nodiscard]] int vanishing_moments(kernel const& k);
/// How many periods the window must cover, or 0 when that is the user's choice.
[[nodiscard]] int fixed_periods(kernel const& k);
/// Where the band begins that a Chebyshev filter of so many steps removes, in radians a step.
[[nodiscard]] double stop_band(chebyshev const& k, int steps);
/// The fewest steps with which the band begins no later than there.
[[nodiscard]] int steps_to_stop(chebyshev const& k, double radians_a_step);

/// The continuous kernel at x in [-1, 1]; its integral over [-1, 1] is 1.
[[nodiscard]] double value(kernel const& k, double x, support where = support::centred);
/// The integral of K(x) (x - x*)^power over [-1, 1], x* the point of evaluation.
[[nodiscard]] double moment(kernel const& k, int power, support where = support::centred);
/// The continuous frequency response: what remains of exp(i phi) when the phase phi, zero at the point of evaluation,
/// turns by `radians` over the whole window.
[[nodiscard]] std::complex<double> response(kernel const& k, double radians, support where = support::centred);

/// Weights on the grid of `steps` equal steps over the window (steps + 1 samples, both ends included; a uniform mean
/// of N samples a period has boxes (N - 1) steps). Mass and vanishing moments hold on the grid itself. Throws misuse
/// when the grid is too coarse to carry them.
[[nodiscard]] std::vector<double> weights(kernel const& k, int steps, support where = support::centred);
/// The response of discrete weights to a phase that turns by `radians_a_step` from sample to sample.
[[nodiscard]] std::complex<double> response(std::vector<double> const& weights, double radians_a_step,
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

/// Names and one sentence each, for `lento list kernels`.
struct kernel_description {
    std::string_view name;
    std::string_view options;
    std::string_view sentence;
};
[[nodiscard]] std::vector<kernel_description> const& known_kernels();

} // namespace lento
